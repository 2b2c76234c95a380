//! `render --form ddl`: a table that is made, or changed from what an older spec or a live database says.

use super::live::Database;
use super::{Arguments, Asked, Form};
use crate::cli::files::{is_url, placed, read};
use crate::cli::output::Output;
use crate::cli::select::Planned;
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::plan::ddl::{DdlPlan, plan_ddl};
use crate::spec::{OutputForm, Spec, Table};
use crate::strategy::Strategy;
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::Path;

/// What a change begins with.
pub(super) enum Older {
    /// Nothing: tables are made.
    Nothing,
    /// The tables of an older spec.
    Spec(Box<Spec>),
    /// Those of a live database.
    Database(Box<Database>),
}

impl Older {
    /// The dialect of the database, where there is one.
    pub fn dialect(&self) -> Option<&'static Dialect> {
        match self {
            Self::Database(database) => Some(database.dialect),
            _ => None,
        }
    }

    /// Reads what `--from` names. Its faults are printed; `None` when there are any.
    pub fn read(arguments: &Arguments, output: &mut Output) -> Result<Option<Self>> {
        let Some(from) = &arguments.from else { return Ok(Some(Self::Nothing)) };
        let is_definition = |form: &Asked| match form {
            Asked::Form(form) => *form == OutputForm::Ddl,
            Asked::Runner(runner) => !runner.is_repeatable(),
        };
        if !arguments.forms.iter().all(is_definition) {
            bail!(
                "--from is for definitions: give `--form ddl` or that of a migration tool with it, and no other form"
            );
        }
        if is_url(from) {
            return Ok(Some(Self::Database(Box::new(Database::open(from)?))));
        }
        match read(Path::new(from))? {
            Ok(spec) => Ok(Some(Self::Spec(Box::new(spec)))),
            Err(faults) => {
                output.diagnostics(&faults);
                Ok(None)
            }
        }
    }
}

/// The definition of a table: what makes it, or what changes the older one into it. A table that is not there is made. With `once`, a tool runs the script once.
pub(super) fn defined(
    table: &Table,
    dialect: &'static Dialect,
    strategy: Option<&'static Strategy>,
    older: &Older,
    once: bool,
) -> Result<DdlPlan, Vec<Diagnostic>> {
    let plan = plan_ddl(table, dialect, strategy)?;
    let spec = match older {
        Older::Nothing => return Ok(plan),
        Older::Database(database) => return database.change(plan, table, once),
        Older::Spec(spec) => spec,
    };
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

/// Refuses two tables whose unique indexes would have one name, or an index with the name of a table: the second one would be taken
/// for there, and not made.
pub(super) fn named_once(planned: &[Planned<Form>]) -> Result<(), Diagnostic> {
    let mut seen: BTreeMap<(&str, &str, String), (&str, &str)> = BTreeMap::new();
    for one in planned {
        let (Form::Ddl(ddl) | Form::Migration(_, ddl)) = &one.plan else { continue };
        let plan = &ddl.plan;
        let names = [Some((plan.name.clone(), "the table")), ddl.index().map(|index| (index, "the unique index of"))];
        for (name, what) in names.into_iter().flatten() {
            // What stands before its name: catalog and schema.
            let path = plan.table.strip_suffix(&plan.name).unwrap_or_default();
            let place = (plan.dialect.name, path, plan.dialect.folded(&name));
            let (first, whose) = *seen.entry(place).or_insert((what, &plan.table));
            if whose != plan.table {
                let message = format!(
                    "{first} `{whose}` and {what} `{}` would both be called `{name}`, and the second one would not be made",
                    plan.table
                );
                return Err(Diagnostic::error("render-names", message).help("give one of the tables another name"));
            }
        }
    }
    Ok(())
}

/// What a table is called.
fn named(table: &Table) -> [Option<&str>; 3] {
    let parts = [table.catalog.as_ref(), table.schema.as_ref(), Some(&table.name)];
    parts.map(|part| part.map(|part| part.value.as_str()))
}
