//! The definition of a table and its changes: every statement that makes what a load needs, ready to be arranged.

mod before;
mod change;
mod column;
mod guard;
mod table;
mod undo;

use super::{Column, Plan, chosen_strategy, plan_any};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::spec::{self, OnSchemaChange};
use crate::strategy::Strategy;
pub use before::{Live, LiveColumn, LiveKey};
use column::Described;
pub use guard::Wrap;
use serde::Serialize;
use std::ops::Range;
pub use table::{definition_of_log, trial};

/// The statements that make or change a table, in order.
#[derive(Clone, Debug)]
pub struct DdlPlan {
    /// The load that the table is for.
    pub plan: Plan,
    /// What the script does.
    pub steps: Vec<Step>,
    /// What a user should know.
    pub warnings: Vec<Diagnostic>,
    /// The columns, in the order of the spec.
    columns: Vec<Described>,
    /// What becomes of a table whose columns are no longer those of the spec.
    policy: OnSchemaChange,
    /// Where the spec names the table.
    span: Range<usize>,
    /// Every name is quoted.
    quote: bool,
}

/// One statement, and what keeps it from failing where it has been run before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// What stands around it; nothing where the statement itself has the words, or needs none.
    pub wrap: Option<Wrap>,
}

/// What a statement does. Every text is SQL already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    /// `CREATE TABLE`
    CreateTable(Definition),
    /// `CREATE UNIQUE INDEX`
    CreateIndex {
        /// `IF NOT EXISTS `, or nothing.
        guard: &'static str,
        /// The name of the index.
        name: String,
        /// The table, as the statement names it.
        table: String,
        /// The key.
        columns: Vec<String>,
        /// ` NULLS NOT DISTINCT`, or nothing.
        nulls: &'static str,
    },
    /// `COMMENT ON`
    Comment {
        /// `TABLE t` or `COLUMN t.c`.
        on: String,
        /// The description, as a string.
        text: String,
    },
    /// `DROP TABLE`
    DropTable {
        /// `IF EXISTS `, or nothing.
        guard: &'static str,
        /// The table.
        table: String,
    },
    /// `DELETE FROM` the log of batches, for one table.
    Forget {
        /// The log.
        log: String,
        /// Its column with the names of tables.
        column: String,
        /// The name of the table, as a string.
        value: String,
    },
    /// `ALTER TABLE .. ADD COLUMN`
    AddColumn {
        /// The table.
        table: String,
        /// `ADD COLUMN `, with its guard.
        words: String,
        /// The column.
        column: DefinedColumn,
    },
    /// `ALTER TABLE .. DROP COLUMN`
    DropColumn {
        /// The table.
        table: String,
        /// `IF EXISTS `, or nothing.
        guard: &'static str,
        /// The column.
        name: String,
    },
    /// `ALTER TABLE .. ALTER COLUMN`
    AlterColumn {
        /// The table.
        table: String,
        /// What stands before the column.
        before: &'static str,
        /// The column.
        name: String,
        /// What stands behind it.
        behind: String,
    },
}

/// A table as CREATE TABLE says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Definition {
    /// The table.
    pub table: String,
    /// `IF NOT EXISTS `, or nothing.
    pub guard: &'static str,
    /// The columns.
    pub columns: Vec<DefinedColumn>,
    /// What stands behind the columns: the unique key, and keys that columns want.
    pub constraints: Vec<String>,
    /// What stands behind the brackets.
    pub storage: String,
}

/// A column as CREATE TABLE says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DefinedColumn {
    /// Its name.
    pub name: String,
    /// Its type, then its options, one by one.
    pub words: Vec<String>,
}

/// Plans the statements that make the table of a spec.
///
/// `strategy` overrides the one of the spec.
///
/// # Errors
/// Every reason why they cannot be made, with its place in the spec.
pub fn plan_ddl(
    table: &spec::Table,
    dialect: &'static Dialect,
    strategy: Option<&'static Strategy>,
) -> Result<DdlPlan, Vec<Diagnostic>> {
    let strategy = chosen_strategy(table, strategy).map_err(|fault| vec![fault])?;
    let plan = plan_any(table, dialect, strategy)?;
    let policy = table.on_schema_change.as_ref().map_or(OnSchemaChange::Fail, |policy| policy.value);
    let mut faults = Vec::new();
    let mut warnings = Vec::new();
    let columns = column::described(table, &plan, &mut faults, &mut warnings);
    let (span, quote) = (table.name.span.clone(), table.quote_always);
    let mut ddl = DdlPlan { plan, steps: Vec::new(), warnings, columns, policy, span, quote };
    ddl.create(table, &mut faults);
    if faults.is_empty() { Ok(ddl) } else { Err(faults) }
}

impl DdlPlan {
    /// A fault at a column of the spec.
    fn fault(column: &Column, message: String, help: impl Into<String>) -> Diagnostic {
        Diagnostic::error("plan-ddl", message).at(column.span.clone(), "").help(help)
    }
}
