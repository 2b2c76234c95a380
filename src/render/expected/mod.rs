//! What the SQL of a plan must say, statement by statement, written down from the plan and not from the template.

pub(super) mod dbt;
mod part;
mod statement;

use crate::dialect::Dialect;
use crate::dialect::mechanism::Form;
use crate::plan::dbt::{STAGED, TARGET};
use crate::plan::load::Load;
use crate::plan::statements::Body;
use crate::plan::{LINE_END, Plan};
use crate::sql::facts::Facts;

/// Facts, or why the plan's own expressions cannot be read.
type Outcome<T> = Result<T, String>;

/// The facts of every statement, in order.
///
/// # Errors
/// When an expression of the plan cannot be read back: a fault of ours.
pub(super) fn expected(plan: &Plan) -> Outcome<Vec<Facts>> {
    let said = Said { load: &plan.load, dialect: plan.dialect };
    let mut all = said.lines(&plan.load.frame.open)?;
    let begin = said.lines(&plan.load.frame.begin)?;
    match plan.form {
        Form::ClaimEffects => {
            all.push(said.new_events()?);
            all.extend(begin);
            all.push(said.markers()?);
            all.extend(said.lines(&plan.load.effects)?);
        }
        Form::UpdateInsert => {
            all.push(said.staged()?);
            all.extend(begin);
            all.extend(said.update_insert()?);
        }
        Form::AppendBatch if plan.load.staging.is_some() => {
            all.push(said.kept()?);
            all.extend(begin);
            all.extend(said.append_batch()?);
        }
        form => {
            all.extend(begin);
            all.extend(match form {
                Form::OnConflict => vec![said.on_conflict()?],
                Form::OnDuplicateKey => vec![said.on_duplicate_key()?],
                Form::Merge => vec![said.merge()?],
                Form::StagedMerge => said.staged_merge()?,
                Form::AntiJoin => vec![said.anti_join()?],
                Form::AppendVersion => vec![said.append_version()?],
                Form::AppendBatch => said.append_batch()?,
                Form::UpdateInsert | Form::ClaimEffects => Vec::new(),
            });
        }
    }
    all.extend(said.lines(&plan.load.frame.close)?);
    Ok(all)
}

/// The facts of a statement for an application.
///
/// # Errors
/// As above.
pub(super) fn body(plan: &Plan, body: &Body) -> Outcome<Facts> {
    let said = Said { load: &plan.load, dialect: plan.dialect };
    let mut out = Facts::default();
    match body {
        Body::Claim => return expected(plan)?.pop().ok_or_else(|| "the claim says nothing".to_owned()),
        Body::Given { text } => return said.lines(std::slice::from_ref(text))?.pop().ok_or_else(String::new),
        Body::Update { table, set, filter } => {
            out.push("update", table.clone());
            said.sets(&mut out, "set", set, "")?;
            said.predicates(&mut out, "where", filter)?;
        }
        Body::Select { table, items, filter } => {
            for item in items {
                let value = said.scalar(&item.value)?;
                let plain = item.value == item.column;
                out.push("select", if plain { value } else { format!("{value} AS {}", item.column) });
            }
            out.push("from", table.clone());
            said.predicates(&mut out, "where", filter)?;
        }
        Body::Delete { table, filter } => {
            out.push("delete", table.clone());
            said.predicates(&mut out, "where", filter)?;
        }
    }
    Ok(out)
}

/// Writes down what a load says.
struct Said<'a> {
    load: &'a Load,
    dialect: &'a Dialect,
}

/// The text as it is written: with its own line ends.
fn restored(text: &str) -> String {
    // In a dbt model the two tables are stand-ins, which are no other characters of any plan.
    text.replace(LINE_END, "\n").replace(TARGET, dbt::THIS).replace(STAGED, dbt::ROWS)
}

/// `CREATE TEMP TABLE` and a name, as the facts of the statement say it.
fn created(create: &str, name: &str) -> String {
    let temporary = create.contains("TEMP");
    let replace = create.contains("OR REPLACE");
    format!("{}{}{name}", if replace { "OR REPLACE " } else { "" }, if temporary { "TEMP " } else { "" })
}

/// The words of a hint without `WITH` and brackets.
fn hint_words(hint: &str) -> String {
    hint.trim().trim_start_matches("WITH").trim().trim_start_matches('(').trim_end_matches(')').to_owned()
}
