//! Statements by name for an application, each with its bind parameters, ready to be arranged.

mod effect;
mod key_store;

use super::load::Assignment;
use super::planner::Planner;
use super::{Plan, chosen_strategy};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::mechanism::{Form, IndexNulls, Parameter};
use crate::dialect::types::{Overlap, Type};
use crate::spec::{self, Located};
use crate::strategy::{Purpose, Strategy};
use serde::Serialize;

/// The statements of a table, in the order in which an application meets them.
#[derive(Clone, Debug)]
pub struct StatementsPlan {
    /// The plan of the statement that claims: an INSERT of one row whose key is not there.
    pub plan: Plan,
    /// The plan of the whole table, of which the claim may leave columns empty.
    pub table: Plan,
    /// The statements.
    pub statements: Vec<Named>,
    /// How long a claim holds that nobody completes, in seconds; none where a claim ends with its transaction.
    pub lease: Option<u64>,
    /// How long a row is kept, in seconds; none for ever.
    pub retention: Option<u64>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Named {
    /// What an application calls it.
    pub name: String,
    /// What it does, and what its answer says, line by line.
    pub about: Vec<String>,
    /// Its bind parameters, in the order in which they are bound.
    pub parameters: Vec<Bound>,
    /// What it says.
    pub body: Body,
}

/// One bind parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// What it stands for.
    pub name: String,
    /// How it is written in the statement.
    pub written: String,
}

/// What a statement says. Every text is SQL already.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    /// The statement of the plan.
    Claim,
    /// `UPDATE`
    Update {
        /// The table.
        table: String,
        /// What is assigned.
        set: Vec<Assignment>,
        /// Predicates joined by AND.
        filter: Vec<String>,
    },
    /// `SELECT`
    Select {
        /// The table.
        table: String,
        /// Each value and its name.
        items: Vec<Assignment>,
        /// Predicates joined by AND.
        filter: Vec<String>,
    },
    /// `DELETE`
    Delete {
        /// The table.
        table: String,
        /// Predicates joined by AND.
        filter: Vec<String>,
    },
    /// A statement of the user.
    Given {
        /// Its text, with our bind parameters.
        text: String,
    },
}

/// True when the table is rendered as statements by name, and not as one script.
///
/// # Errors
/// When its strategy is not one.
pub fn has_statements(table: &spec::Table, strategy: Option<&'static Strategy>) -> Result<bool, Diagnostic> {
    Ok(is_named(table, chosen_strategy(table, strategy)?))
}

/// The same for a strategy that is chosen.
pub(super) fn is_named(table: &spec::Table, strategy: &Strategy) -> bool {
    let purpose = strategy.purpose;
    purpose == Purpose::Request || (purpose == Purpose::Effect && table.source.value.is_parameters())
}

/// Plans the statements of a table.
///
/// `strategy` overrides the one of the spec.
///
/// # Errors
/// Every reason why they cannot be made, with its place in the spec.
pub fn plan_statements(
    table: &spec::Table,
    dialect: &'static Dialect,
    strategy: Option<&'static Strategy>,
) -> Result<StatementsPlan, Vec<Diagnostic>> {
    let strategy = chosen_strategy(table, strategy).map_err(|fault| vec![fault])?;
    match strategy.purpose {
        Purpose::Request => key_store::plan(table, dialect, strategy),
        Purpose::Load | Purpose::Effect => effect::plan(table, dialect, strategy),
    }
}

/// Refuses what the strategy of a table cannot be: statements where no unique index is enforced, columns that it does not know.
pub(super) fn check(table: &spec::Table, dialect: &Dialect, strategy: &Strategy) -> Vec<Diagnostic> {
    let span = table.asked_at();
    let mut faults = match strategy.purpose {
        Purpose::Load => return misplaced(table, strategy),
        Purpose::Request => key_store::check(table),
        Purpose::Effect => effect::check(table, &span),
    };
    if dialect.index_nulls == IndexNulls::NotEnforced {
        let message = format!(
            "`{}` needs a unique index, so that of two sessions one wins, and {} enforces none",
            strategy.name, dialect.title
        );
        let help = "keep this table in a database that enforces one, and leave this dialect out of its `dialects`";
        faults.push(Diagnostic::error("plan-unsupported", message).at(span, "asked for here").help(help));
    }
    faults
}

/// Keys that say nothing for a load.
fn misplaced(table: &spec::Table, strategy: &Strategy) -> Vec<Diagnostic> {
    let given = [
        ("effect", "processed_marker", table.effect.first().map(|effect| effect.span.clone())),
        (
            "retention",
            "processed_marker` or `strategy: idempotency_key",
            table.retention.as_ref().map(|it| it.span.clone()),
        ),
        ("lease", "idempotency_key", table.lease.as_ref().map(|lease| lease.span.clone())),
    ];
    let fault = |(key, owner, span): (&str, &str, Option<_>)| {
        let message = format!("`{key}` says nothing for the strategy `{}`", strategy.name);
        let help = format!("write `strategy: {owner}`, or leave `{key}` out");
        Some(Diagnostic::error("plan-key-unused", message).at(span?, "").help(help))
    };
    given.into_iter().filter_map(fault).collect()
}

/// The plan of a claim: one statement, for the transaction that the application has.
fn claim(table: &spec::Table, dialect: &'static Dialect, strategy: &'static Strategy) -> Result<Plan, Vec<Diagnostic>> {
    let mut plan = Planner::new(table, dialect, strategy).run()?;
    let frame = &mut plan.load.frame;
    (frame.open, frame.begin, frame.close) = (Vec::new(), Vec::new(), Vec::new());
    Ok(plan)
}

/// What a user should know of a claim on this engine. `counts` is true where the application asks how many rows it wrote.
fn told(plan: &Plan, counts: bool) -> Vec<String> {
    // https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html says nothing of a lock on a key that is not
    // there, and neither does the standard: there the unique index decides, by an error.
    if plan.form == Form::Merge || (plan.form == Form::AntiJoin && plan.load.probe_hint.is_empty()) {
        return vec![
            "An error of the unique key says that another session has just claimed it: run this again.".to_owned(),
        ];
    }
    // https://dev.mysql.com/doc/refman/8.4/en/insert-on-duplicate.html
    if plan.form == Form::OnDuplicateKey && counts {
        return vec![
            "Let the client count changed rows, not found ones: with CLIENT_FOUND_ROWS (the default of Connector/J, whose setting is \
             useAffectedRows=true) this counts 1 for an event that is marked already."
                .to_owned(),
        ];
    }
    Vec::new()
}

/// The parameters of the claim: the columns that the staged row holds.
fn claimed(plan: &Plan) -> Vec<Bound> {
    let staged = plan.columns.iter().filter(|column| column.is_staged()).enumerate();
    staged
        .map(|(at, column)| Bound {
            name: column.name.clone(),
            written: plan.dialect.parameter(at + 1, &column.name, &column.ty),
        })
        .collect()
}

/// Binds the parameters of one statement.
struct Binder {
    dialect: &'static Dialect,
    bound: Vec<Bound>,
}

impl Binder {
    fn new(dialect: &'static Dialect) -> Self {
        Self { dialect, bound: Vec::new() }
    }

    /// A parameter as it is written. Where parameters go by place, each use is bound by itself.
    fn bind(&mut self, name: &str, ty: &Type) -> String {
        let by_place = self.dialect.parameter == Parameter::Question;
        if let Some(known) = self.bound.iter().find(|bound| bound.name == name && !by_place) {
            return known.written.clone();
        }
        let mut index = self.bound.len() + 1;
        let mut written = self.dialect.parameter(index, name, ty);
        // Two names may be one for the engine: `:Id` and `:id`, or `:p1` and what stands for `:select`.
        while !by_place && self.bound.iter().any(|bound| bound.written.eq_ignore_ascii_case(&written)) {
            index += 1;
            written = self.dialect.parameter(index, "", ty);
        }
        self.bound.push(Bound { name: name.to_owned(), written: written.clone() });
        written
    }

    /// The statement with what was bound.
    fn named(self, name: &str, about: &[&str], body: Body) -> Named {
        Named {
            name: name.to_owned(),
            about: about.iter().map(|line| (*line).to_owned()).collect(),
            parameters: self.bound,
            body,
        }
    }
}

/// The column was written longer ago than so many seconds.
fn older(plan: &Plan, column: &str, seconds: u64) -> Option<String> {
    let column = plan.columns.iter().find(|known| known.name == column)?;
    let now = (plan.dialect.now)(&column.ty);
    Some(format!("{} <= {}", column.sql, (plan.dialect.shift_back)(now, Overlap::Seconds(seconds), &column.ty)))
}

/// The seconds that a length has, or how many it has when it was left out.
fn seconds(length: Option<&Located<u64>>, usual: u64) -> u64 {
    length.map_or(usual, |length| length.value)
}
