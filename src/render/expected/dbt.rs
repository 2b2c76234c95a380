//! What the pieces of a dbt model must say: its query for both kinds of run, and the statement that our macro makes.

use super::{Outcome, Said};
use crate::dialect::Dialect;
use crate::dialect::mechanism::Form;
use crate::plan::Plan;
use crate::plan::load::{Batch, Load, ScriptShape, Staged};
use crate::sql::facts::Facts;

/// What stands for `this` in a proof.
pub(crate) const THIS: &str = "idemsql_this";

/// What stands for the table of the staged rows in a proof.
pub(crate) const ROWS: &str = "idemsql_rows";

/// What stands for dbt's temporary table in a proof.
pub(crate) const BATCH: &str = "idemsql_batch";

/// The facts of a model's query; `shape` is that of its template.
pub(crate) fn queried(load: &Load, dialect: &Dialect, shape: &str, select: &Batch) -> Outcome<Facts> {
    let load = &Load { target: THIS.to_owned(), ..load.clone() };
    let said = Said { load, dialect };
    let mut out = Facts::default();
    match shape {
        "rows" => said.reduced(&mut out)?,
        "vanished" => {
            let mut batch = Facts::default();
            said.reduced(&mut batch)?;
            let name = &load.names.batch;
            out.push("with", name.clone());
            out.nest(&format!("with {name}"), &batch);
            said.with_vanished(&mut out)?;
        }
        _ => {
            said.items(&mut out, &select.items)?;
            said.batch_as_b(&mut out, "from")?;
            match shape {
                "new" => said.absent(&mut out)?,
                "changed" => said.unless_found(&mut out)?,
                _ => said.not_deleted(&mut out)?,
            }
        }
    }
    Ok(out)
}

/// The facts of the statements that our macro makes.
pub(crate) fn loaded(plan: &Plan) -> Outcome<Vec<Facts>> {
    let source = format!("{BATCH} {}{}", plan.load.as_word, plan.load.names.b);
    let load = &Load {
        target: THIS.to_owned(),
        batch: Batch { source, bare: true, ..plan.load.batch.clone() },
        staging: Some(Staged { create: String::new(), name: BATCH.to_owned() }),
        script: Some(ScriptShape { update: "from", delete: "exists" }),
        ..plan.load.clone()
    };
    let said = Said { load, dialect: plan.dialect };
    let mut all = said.lines(&load.frame.begin)?;
    if plan.form != Form::Merge {
        all.extend(said.update_insert()?);
        return Ok(all);
    }
    let shape = load.merge.as_ref().ok_or("no MERGE syntax")?;
    let mut out = said.merge_into(shape);
    said.batch_as_b(&mut out, "using")?;
    said.predicates(&mut out, "on", &load.same_key)?;
    said.branches(&mut out, shape.not_matched)?;
    all.push(out);
    Ok(all)
}
