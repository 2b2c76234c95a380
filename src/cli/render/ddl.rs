//! `render --form ddl`: a table that is made, or changed from what an older spec says.

use super::{Arguments, Asked};
use crate::cli::files::{placed, read};
use crate::cli::output::Output;
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::plan::ddl::{DdlPlan, plan_ddl};
use crate::spec::{OutputForm, Spec, Table};
use crate::strategy::Strategy;
use anyhow::{Result, bail};

/// The older spec of a change, when there is one.
pub(super) struct Older(Option<Spec>);

impl Older {
    /// Reads what `--from` names. Its faults are printed; `None` when there are any.
    pub fn read(arguments: &Arguments, output: &mut Output) -> Result<Option<Self>> {
        let Some(path) = &arguments.from else { return Ok(Some(Self(None))) };
        let is_definition = |form: &Asked| match form {
            Asked::Form(form) => *form == OutputForm::Ddl,
            Asked::Runner(runner) => !runner.is_repeatable(),
        };
        if !arguments.forms.iter().all(is_definition) {
            bail!(
                "--from is for definitions: give `--form ddl` or that of a migration tool with it, and no other form"
            );
        }
        match read(path)? {
            Ok(spec) => Ok(Some(Self(Some(spec)))),
            Err(faults) => {
                output.diagnostics(&faults);
                Ok(None)
            }
        }
    }
}

/// The definition of a table: what makes it, or what changes the one of the older spec into it. A table that the older spec
/// does not have is made. With `once`, a tool runs the script once.
pub(super) fn defined(
    table: &Table,
    dialect: &'static Dialect,
    strategy: Option<&'static Strategy>,
    older: &Older,
    once: bool,
) -> Result<DdlPlan, Vec<Diagnostic>> {
    let plan = plan_ddl(table, dialect, strategy)?;
    let Some(spec) = &older.0 else { return Ok(plan) };
    for old in spec.tables() {
        let old = old.for_dialect(dialect.name)?;
        if named(&old) == named(table) {
            let old = plan_ddl(&old, dialect, strategy)
                .map_err(|faults| faults.into_iter().map(|fault| placed(fault, spec)).collect::<Vec<_>>())?;
            return plan.change_from(&old, once);
        }
    }
    Ok(plan)
}

/// What a table is called.
fn named(table: &Table) -> [Option<&str>; 3] {
    let parts = [table.catalog.as_ref(), table.schema.as_ref(), Some(&table.name)];
    parts.map(|part| part.map(|part| part.value.as_str()))
}
