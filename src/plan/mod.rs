//! Spec, dialect and strategy made into everything that a template may read, or refused.

mod alias;
mod batch;
mod check;
mod column;
mod columns;
mod compare;
mod content;
pub mod dbt;
pub mod ddl;
mod expression;
mod form;
mod frame;
mod history;
pub mod load;
mod missing;
mod name;
pub mod once;
mod partition;
mod planner;
mod promise;
mod replace;
pub mod statements;
mod value;
mod window;

use crate::diagnostic::{Diagnostic, nearest};
use crate::dialect::Dialect;
use crate::dialect::mechanism::Form;
use crate::dialect::types::{Literal, Overlap, Type};
use crate::spec;
pub use crate::spec::Update;
use crate::strategy::{self, Replaces, Strategy};
pub use column::{Column, ValueFrom};
use load::Load;
pub use missing::Missing;
use planner::Planner;
pub use promise::{GUARANTEES, Guarantee, Promise};

/// Stands for a line end of the user's own text while a template lays lines out: it must not be indented.
pub const LINE_END: char = '\u{fdd0}';

/// What was decided for one table, one dialect and one strategy.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The table as people call it: `mart.orders`.
    pub table: String,
    /// The target's name without its schema, as in the spec.
    pub name: String,
    /// The target's schema, as in the spec.
    pub schema: Option<String>,
    /// The dialect.
    pub dialect: &'static Dialect,
    /// The strategy.
    pub strategy: &'static Strategy,
    /// The shape of the statements.
    pub form: Form,
    /// What the template reads.
    pub load: Load,
    /// The columns, in the order of the spec.
    pub columns: Vec<Column>,
    /// Where the staged rows come from.
    pub staged: Staged,
    /// Indexes of the version columns, most significant first.
    pub version: Vec<usize>,
    /// True when a row of equal version does not replace.
    pub keep_on_tie: bool,
    /// The window, when there is one.
    pub window: Option<PlannedWindow>,
    /// Indexes of the columns of the group that is replaced whole.
    pub group: Vec<usize>,
    /// Where target rows vanish that the source no longer holds, where that is not a window or a group.
    pub missing: Option<Missing>,
    /// The log of batches, where the load keeps one.
    pub log: Option<once::Log>,
    /// The column that is true for a deletion, when deletions keep their row.
    pub deletion_column: Option<usize>,
    /// The target filter over the staged row.
    pub staged_filter: Option<String>,
    /// Every decision, with its reason.
    pub decisions: Vec<Decision>,
    /// What the load promises, one answer per guarantee.
    pub promises: Vec<Promise>,
    /// What must exist before the load runs, in words.
    pub needs: Vec<String>,
}

/// Where the staged rows come from.
#[derive(Clone, Debug)]
pub enum Staged {
    /// A table.
    Table {
        /// Its name as it stands in SQL.
        sql: String,
        /// Its name, part by part, without quotes.
        parts: Vec<String>,
        /// The columns that the load reads of it; none of a type for one that only an expression names.
        columns: Vec<(String, Option<Type>)>,
    },
    /// A query of the user.
    Query(String),
    /// Rows in the spec or in a seed file.
    Rows,
    /// One row of bind parameters.
    Parameters,
}

/// The window of the incremental column.
#[derive(Clone, Debug)]
pub struct PlannedWindow {
    /// The column in the target: a place in the columns.
    pub column: usize,
    /// The staged value that is compared with it.
    pub staged: String,
    /// Its bounds.
    pub bounds: PlannedBounds,
}

/// The bounds of a window.
#[derive(Clone, Debug)]
pub enum PlannedBounds {
    /// From the greatest value in the target minus the overlap.
    Watermark {
        /// The overlap.
        overlap: Overlap,
        /// The floor when the target is empty; none for everything.
        initial: Option<Literal>,
    },
    /// As the caller gives them.
    Given {
        /// The first value inside; none when it is a variable or a parameter.
        start: Option<Literal>,
        /// The first value behind it: none when there is no end, and none inside when it is a variable or a parameter.
        end: Option<Option<Literal>>,
    },
}

impl PlannedBounds {
    /// False when the caller gives a bound that is a variable or a parameter.
    pub fn are_known(&self) -> bool {
        match self {
            Self::Watermark { .. } => true,
            Self::Given { start, end } => start.is_some() && !matches!(end, Some(None)),
        }
    }
}

/// One decision and why it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What was decided about.
    pub topic: &'static str,
    /// What was chosen.
    pub choice: String,
    /// Why.
    pub why: String,
}

impl Decision {
    fn new(topic: &'static str, choice: impl Into<String>, why: impl Into<String>) -> Self {
        Self { topic, choice: choice.into(), why: why.into() }
    }
}

/// Decides everything about the load of a table.
///
/// `strategy` overrides the one of the spec.
///
/// # Errors
/// Every reason why the load cannot be made, with its place in the spec.
pub fn plan(
    table: &spec::Table,
    dialect: &'static Dialect,
    strategy: Option<&'static Strategy>,
) -> Result<Plan, Vec<Diagnostic>> {
    let strategy = chosen_strategy(table, strategy).map_err(|fault| vec![fault])?;
    if statements::is_named(table, strategy) {
        let message =
            format!("`{}` of one row of parameters is statements by name, and no load of staged rows", strategy.name);
        let span = table.asked_at();
        let help = "write them with `idemsql render`, and their table with `idemsql render --form ddl`";
        let mut faults = statements::check(table, dialect, strategy);
        if faults.is_empty() {
            faults.push(Diagnostic::error("plan-unsupported", message).at(span, "asked for here").help(help));
        }
        return Err(faults);
    }
    plan_any(table, dialect, strategy)
}

/// The same, where the plan is wanted for its table alone, too.
fn plan_any(
    table: &spec::Table,
    dialect: &'static Dialect,
    strategy: &'static Strategy,
) -> Result<Plan, Vec<Diagnostic>> {
    let faults = statements::check(table, dialect, strategy);
    if !faults.is_empty() {
        return Err(faults);
    }
    Planner::new(table, dialect, strategy).run()
}

/// The strategy that is given, or that of the spec.
fn chosen_strategy(table: &spec::Table, given: Option<&'static Strategy>) -> Result<&'static Strategy, Diagnostic> {
    if let Some(given) = given {
        return Ok(given);
    }
    let named = named_strategy(table)?;
    if let Some(missing) = table.missing_rows.as_ref().filter(|_| !named.mirrors()) {
        let fault = format!("`missing_rows` says what `mirror` does, and the strategy is `{}`", named.name);
        let help = "write `strategy: mirror`, or leave `missing_rows` out";
        return Err(Diagnostic::error("plan-missing", fault).at(missing.span.clone(), "").help(help));
    }
    partition::fault(named, table)?;
    once::fault(named, table)?;
    let Some(group) = table.group_key.first().filter(|_| named.replaces != Replaces::Part) else { return Ok(named) };
    let fault = format!("`group_key` says what `delete_insert` replaces, and the strategy is `{}`", named.name);
    let help = "write `strategy: delete_insert`, or leave `group_key` out";
    Err(Diagnostic::error("plan-group", fault).at(group.span.clone(), "").help(help))
}

/// The strategy that the spec names, or `upsert` when there is a unique key.
fn named_strategy(table: &spec::Table) -> Result<&'static Strategy, Diagnostic> {
    let names = || strategy::ALL.iter().map(|strategy| strategy.name);
    let Some(written) = &table.strategy else {
        let fault = Diagnostic::error(
            "plan-strategy",
            format!("table `{}` has no strategy and no unique key", table.name.value),
        )
        .at(table.name.span.clone(), "this table")
        .help("name its key: `unique_key: [..]`");
        return if table.unique_key.is_empty() { Err(fault) } else { strategy::find("upsert").ok_or(fault) };
    };
    strategy::find(&written.value).ok_or_else(|| {
        let label = |text: &str| Diagnostic::error("plan-strategy", text.to_owned()).at(written.span.clone(), "");
        let all = names().collect::<Vec<_>>().join(", ");
        let fault = label(&format!("`{}` is not a strategy", written.value));
        match nearest(&written.value, names()) {
            Some(near) => fault.help(format!("did you mean `{near}`? The strategies are {all}")),
            None => fault.help(format!("use one of {all}")),
        }
    })
}
