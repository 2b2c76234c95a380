//! `idemsql render`: spec to SQL files, parsed back before a byte is written.

mod check;
mod ddl;
mod live;
mod migration;
mod place;
mod write;

use super::Outcome;
use super::files::folder_of;
use super::output::Output;
use super::select::{Planned, Selection, form_parser};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::plan::dbt::{DbtPlan, plan_dbt};
use crate::plan::ddl::DdlPlan;
use crate::plan::statements::{StatementsPlan, has_statements, plan_statements};
use crate::plan::{Plan, plan};
use crate::render::ddl::render_ddl;
use crate::render::migration::Runner;
use crate::render::statements::render_statements;
use crate::render::{self, DbtFile};
use crate::spec::{OutputForm, Table};
use crate::strategy::Strategy;
use anyhow::Result;
use ddl::{Older, defined};
use place::{file_of, header, root_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Render specs to SQL files, parsed back before a byte is written
///
/// Each table and dialect becomes one file beside its spec, `mart.orders.DIALECT.sql`. Nothing is
/// written when any table has a fault, and a file that is up to date is left alone. With `--form dbt`
/// the directory is that of a dbt project: a model and its properties go into `models`, and what its
/// models share into `macros`. With `--form ddl` it is a script that makes the table,
/// `mart.orders.DIALECT.ddl.sql`, or changes it, with `--from`; both can run again. With the name of
/// a migration tool as the form, that is one migration of the tool for all tables.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// Write the files into this directory instead of beside their specs
    #[arg(short, long, value_name = "DIR", conflicts_with = "stdout")]
    out: Option<PathBuf>,

    /// Write this form instead of those of the spec; may be given several times
    #[arg(short, long = "form", value_name = "FORM", value_parser = form_parser())]
    forms: Vec<Asked>,

    /// With `--form ddl`, or that of a migration tool: write what changes the tables of this older spec, or of this live
    /// database, into those of the spec
    ///
    /// The path of a spec, or `sqlite:PATH`, `postgres://..`, `mysql://..`, `duckdb:PATH`; `env:NAME` for a URL in an
    /// environment variable. The database is looked at and never written to.
    #[arg(long, value_name = "OLD", requires = "forms")]
    from: Option<String>,

    /// With the form of a migration tool: the version of the migration, which no clock gives, so that a second run writes
    /// the same
    #[arg(long, value_name = "VERSION", requires = "forms")]
    migration_version: Option<String>,

    /// With the form of a migration tool: what undoes the migration drops what was made, with all its rows
    #[arg(long, requires = "forms")]
    allow_drop: bool,

    /// Print the SQL instead of writing files
    #[arg(long)]
    stdout: bool,

    /// Write nothing; show as a diff what is stale, name files that no spec makes any more, and exit 1 for either
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
}

/// What `--form` names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    /// A form that a spec can name, too.
    Form(OutputForm),
    /// A migration tool.
    Runner(&'static Runner),
}

/// The files of one run, by path.
type Files = BTreeMap<PathBuf, String>;

/// A plan of one form.
enum Form {
    Sql(Box<Plan>),
    /// Statements by name, for an application.
    Statements(Box<StatementsPlan>),
    Dbt(Box<DbtPlan>),
    Ddl(Box<DdlPlan>),
    /// A part of a migration.
    Migration(&'static Runner, Box<DdlPlan>),
    /// A load that a migration tool runs again when it changes.
    Load(&'static Runner, Box<Plan>),
}

/// A file that is made, before it is compared with what is there.
struct Made {
    /// Its path in the folder of its plan.
    path: PathBuf,
    text: String,
    /// True when others may make the same.
    shared: bool,
    /// Who makes it, for a message.
    maker: String,
    /// The dialect of a dbt model or of a migration: their folder is for one.
    project: Option<&'static str>,
    /// True for a migration, which does not change when it may have run.
    fixed: bool,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    migration::check_arguments(arguments)?;
    let Some(older) = Older::read(arguments, output)? else { return Ok(Outcome::Failed) };
    let planned = arguments.selection.each(output, older.dialect(), &|table, dialect, strategy| {
        let spelled = || table.forms.iter().map(|form| Asked::Form(form.value)).collect::<Vec<_>>();
        let forms = if arguments.forms.is_empty() { spelled() } else { arguments.forms.clone() };
        let forms = if forms.is_empty() { vec![Asked::Form(OutputForm::Sql)] } else { forms };
        let (mut plans, mut warnings, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for form in forms {
            match form {
                Asked::Form(OutputForm::Sql) => match script(table, dialect, strategy) {
                    Ok(plan) => plans.push(plan),
                    Err(found) => faults.extend(found),
                },
                Asked::Form(OutputForm::Dbt) => match plan_dbt(table, dialect, strategy) {
                    Ok(mut plan) => {
                        warnings.append(&mut plan.warnings);
                        plans.push(Form::Dbt(Box::new(plan)));
                    }
                    Err(found) => faults.extend(found),
                },
                Asked::Form(OutputForm::Ddl) => match defined(table, dialect, strategy, &older, false) {
                    Ok(mut plan) => {
                        warnings.append(&mut plan.warnings);
                        plans.push(Form::Ddl(Box::new(plan)));
                    }
                    Err(found) => faults.extend(found),
                },
                Asked::Runner(runner) if runner.is_repeatable() => match plan(table, dialect, strategy) {
                    Ok(plan) => plans.push(Form::Load(runner, Box::new(plan))),
                    Err(found) => faults.extend(found),
                },
                Asked::Runner(runner) => match defined(table, dialect, strategy, &older, true) {
                    Ok(mut plan) => {
                        warnings.append(&mut plan.warnings);
                        plans.push(Form::Migration(runner, Box::new(plan)));
                    }
                    Err(found) => faults.extend(found),
                },
            }
        }
        if faults.is_empty() { Ok((plans, warnings)) } else { Err(faults) }
    })?;
    let Some(planned) = planned else { return Ok(Outcome::Failed) };
    let mut all = Vec::new();
    let mut faults = Vec::new();
    for Planned { spec, plan } in &planned {
        if matches!(plan, Form::Migration(..)) {
            continue;
        }
        match made(spec, plan, arguments) {
            Ok(made) => all.extend(made),
            Err(fault) => faults.push(fault),
        }
    }
    faults.extend(ddl::named_once(&planned).err());
    match migration::made(&planned, arguments) {
        Ok(made) => all.extend(made),
        Err(fault) => faults.push(fault),
    }
    if !faults.is_empty() {
        output.diagnostics(&faults);
        return Ok(Outcome::Failed);
    }
    if arguments.stdout {
        output.print(&printed(&all))?;
        return Ok(Outcome::Fine);
    }
    if !arguments.check {
        migration::unchanged(&all)?;
    }
    let files = files(all)?;
    if arguments.check { check::run(&files, arguments, older.dialect(), output) } else { write::run(&files, output) }
}

/// The script of a load, or statements by name.
fn script(
    table: &Table,
    dialect: &'static Dialect,
    strategy: Option<&'static Strategy>,
) -> Result<Form, Vec<Diagnostic>> {
    if has_statements(table, strategy).map_err(|fault| vec![fault])? {
        return Ok(Form::Statements(Box::new(plan_statements(table, dialect, strategy)?)));
    }
    Ok(Form::Sql(Box::new(plan(table, dialect, strategy)?)))
}

/// The files of one plan.
fn made(spec: &Path, form: &Form, arguments: &Arguments) -> Result<Vec<Made>, Diagnostic> {
    let out = arguments.out.as_deref();
    let header = |plan: &Plan, form, folder: &Path| {
        let folder = (!arguments.stdout).then_some(folder);
        header(spec, plan, form, folder, arguments)
    };
    let by_strategy = !arguments.selection.strategies.is_empty();
    let maker = |plan: &Plan| format!("`{}` of {}", plan.table, spec.display());
    match form {
        Form::Sql(plan) => {
            let path = file_of(spec, plan, out, by_strategy, "sql");
            let text = render::render(plan, &header(plan, OutputForm::Sql, folder_of(&path)))?;
            Ok(vec![Made { path, text, shared: false, maker: maker(plan), project: None, fixed: false }])
        }
        Form::Statements(named) => {
            let plan = &named.plan;
            let path = file_of(spec, plan, out, by_strategy, "sql");
            let text = render_statements(named, &header(plan, OutputForm::Sql, folder_of(&path)))?;
            Ok(vec![Made { path, text, shared: false, maker: maker(plan), project: None, fixed: false }])
        }
        Form::Ddl(ddl) => {
            let plan = &ddl.plan;
            let ending = if arguments.from.is_some() { "change.sql" } else { "ddl.sql" };
            let path = file_of(spec, plan, out, by_strategy, ending);
            let text = render_ddl(ddl, &header(plan, OutputForm::Ddl, folder_of(&path)))?;
            Ok(vec![Made { path, text, shared: false, maker: maker(plan), project: None, fixed: false }])
        }
        Form::Migration(..) => Ok(Vec::new()),
        Form::Load(runner, plan) => migration::load(runner, spec, plan, arguments),
        Form::Dbt(dbt) => {
            let (plan, root) = (&dbt.plan, root_of(spec, out));
            // A file's folder is `.` when its path has none.
            let here = folder_of(&root.join("models")).to_owned();
            let files = render::render_dbt(dbt, &header(plan, OutputForm::Dbt, &here))?;
            let made = files.into_iter().map(|DbtFile { path, text, shared }| Made {
                path: root.join(path),
                text,
                shared,
                maker: maker(plan),
                project: Some(plan.dialect.name),
                fixed: false,
            });
            Ok(made.collect())
        }
    }
}

/// The texts of all files; those of a dbt project, which are several for each table, with their paths above them.
fn printed(all: &[Made]) -> String {
    let mut seen = BTreeSet::new();
    let mut texts = Vec::new();
    for one in all.iter().filter(|one| !one.shared || seen.insert(&one.path)) {
        let mark = if one.path.extension().is_some_and(|ending| ending == "yml") { "#" } else { "--" };
        match one.project {
            Some(_) => texts.push(format!("{mark} {}\n{}", one.path.display(), one.text)),
            None => texts.push(one.text.clone()),
        }
    }
    texts.join("\n")
}

/// The files by path, each made by one plan unless several make the same.
fn files(all: Vec<Made>) -> Result<Files> {
    let mut files = Files::new();
    let mut makers: BTreeMap<String, Made> = BTreeMap::new();
    for one in all {
        // Some file systems take `Orders` and `orders` for one name.
        let place = one.path.to_string_lossy().to_lowercase();
        if let Some(first) = makers.get(&place) {
            if one.shared && first.text == one.text {
                continue;
            }
            let help = if one.project == first.project {
                "rename one, or render them into two directories"
            } else {
                "such a folder is for one database; give one --dialect"
            };
            let (first, maker, path) = (&first.maker, &one.maker, one.path.display());
            anyhow::bail!("{first} and {maker} would both be written to {path}: {help}");
        }
        files.insert(one.path.clone(), one.text.clone());
        makers.insert(place, one);
    }
    Ok(files)
}
