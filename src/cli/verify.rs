//! `idemsql verify`: runs the rendered SQL on the embedded SQLite, again and again, and compares it with the model.

use super::Outcome;
use super::files::{self, placed};
use super::output::Output;
use super::select::strategy_parser;
use crate::diagnostic::Diagnostic;
use crate::dialect;
use crate::engine::Engine as _;
use crate::engine::sqlite::Sqlite;
use crate::plan::{Plan, plan};
use crate::render::render;
use crate::spec::TableSpec;
use crate::strategy::{self, Strategy};
use crate::verify::{Fault, Given, Scenario, Trial, generated, given, run as try_load, source_tables};
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Run the rendered SQL on a real engine, several times, and compare the rows with the reference model
///
/// The engine is the embedded SQLite. Rows are made up from the spec; when there is a folder `rows` beside it, those rows
/// are loaded too.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Spec files, or directories of them
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,

    /// Try these strategies instead of every one that the spec can have
    #[arg(short, long = "strategy", value_name = "NAME", value_parser = strategy_parser(), hide_possible_values = true)]
    strategies: Vec<&'static Strategy>,

    /// A folder of rows to load: before.csv and batch-1/<table>.csv, batch-2/.. [default: `rows` beside the spec]
    #[arg(long, value_name = "DIR")]
    rows: Option<PathBuf>,

    /// Makes up other rows
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let mut faults = Vec::new();
    if let Some(rows) = arguments.rows.as_ref().filter(|rows| !rows.is_dir()) {
        anyhow::bail!("there is no folder {}: give one with before.csv and batch-1/<table>.csv", rows.display());
    }
    for path in files::find(&arguments.specs)? {
        let spec = match files::read(&path)? {
            Ok(spec) => spec,
            Err(found) => {
                faults.extend(found);
                continue;
            }
        };
        for table in spec.tables() {
            match verify(table, &path, arguments, output)? {
                Ok(true) => {}
                Ok(false) => outcome = Outcome::Findings,
                Err(found) => faults.extend(found.into_iter().map(|fault| placed(fault, &spec))),
            }
        }
    }
    if faults.is_empty() {
        return Ok(outcome);
    }
    output.diagnostics(&faults);
    Ok(Outcome::Failed)
}

/// Tries one table with every strategy; true when every promise was held.
fn verify(
    table: &TableSpec,
    spec: &Path,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<Result<bool, Vec<Diagnostic>>> {
    let mut engine = Sqlite::in_memory()?;
    let version = engine.version()?;
    let dialect = dialect::find(engine.name()).context("the embedded engine has no dialect")?;
    let resolved = match table.for_dialect(dialect.name) {
        Ok(resolved) => resolved,
        Err(faults) => return Ok(Err(faults)),
    };
    let (own, table_name) = match plan(&resolved, dialect, None) {
        Ok(planned) => (planned.strategy.name, planned.table),
        Err(faults) => return Ok(Err(faults)),
    };
    let mut asked: Vec<&'static Strategy> =
        if arguments.strategies.is_empty() { strategy::ALL.to_vec() } else { arguments.strategies.clone() };
    // The spec's own comes first.
    asked.sort_by_key(|strategy| strategy.name != own);
    let mut held = true;
    output.print(&format!("{table_name} on SQLite {version}\n"))?;
    for strategy in asked {
        let plan = match plan(&resolved, dialect, Some(strategy)) {
            Ok(plan) => plan,
            Err(faults) if strategy.name == own => return Ok(Err(faults)),
            Err(faults) => {
                let why = faults.first().map_or("", |fault| fault.message.as_str());
                output.print(&format!("\n{}: not run, {why}\n", strategy.name))?;
                continue;
            }
        };
        let sql = match render(&plan, &[]) {
            Ok(sql) => sql,
            Err(fault) => return Ok(Err(vec![fault])),
        };
        let rows = arguments.rows.clone().unwrap_or_else(|| spec.parent().unwrap_or(Path::new("")).join("rows"));
        if plan.window.as_ref().is_some_and(|window| !window.bounds.are_known()) {
            output.print(&format!(
                "\n{}: not run, the caller gives the window; verify a copy of the spec with values in `window`\n",
                strategy.name
            ))?;
            held = false;
            continue;
        }
        let (scenarios, why) = match scenarios(&plan, &rows, arguments.seed)? {
            Ok(found) => found,
            Err(faults) => return Ok(Err(faults)),
        };
        output.print(&format!(
            "\n{}{}\n",
            strategy.name,
            if strategy.name == own { " (the spec's own)" } else { "" }
        ))?;
        if let Some(why) = why {
            output.print(&format!("  not run on made-up rows: {why}\n"))?;
        }
        if scenarios.is_empty() {
            // Nothing ran, so nothing holds.
            let tables = source_tables(&plan).join(".csv, ");
            output.print(&format!(
                "  not run at all: put before.csv and batch-1/{tables}.csv into {}\n",
                rows.display()
            ))?;
            held = false;
            continue;
        }
        held &= report(&plan, &sql, &scenarios, output)?;
    }
    Ok(Ok(held))
}

/// The scenarios of a plan, and why none could be made up.
type Found = (Vec<Scenario>, Option<String>);

fn scenarios(plan: &Plan, rows: &Path, seed: u64) -> Result<Result<Found, Vec<Diagnostic>>> {
    let mut all = Vec::new();
    if rows.is_dir() {
        match given(plan, &rows_in(rows, &source_tables(plan))?) {
            Ok(scenario) => all.push(scenario),
            Err(faults) => return Ok(Err(faults)),
        }
    }
    Ok(Ok(match generated(plan, seed) {
        Ok(made) => {
            all.extend(made);
            (all, None)
        }
        Err(why) => (all, Some(why)),
    }))
}

/// Reads a folder of rows: `before.csv`, and `batch-1`, `batch-2`.. with a file for each staged table.
fn rows_in(folder: &Path, tables: &[String]) -> Result<Given> {
    let read = |path: PathBuf| match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(fault).with_context(|| format!("cannot read {}", path.display())),
    };
    let before = read(folder.join("before.csv"))?;
    let mut batches = Vec::new();
    for number in 1.. {
        let batch = folder.join(format!("batch-{number}"));
        if !batch.is_dir() {
            break;
        }
        let mut staged = BTreeMap::new();
        for table in tables {
            let file = batch.join(format!("{table}.csv"));
            let text = read(file.clone())?
                .with_context(|| format!("there is no {}, which the source reads", file.display()))?;
            staged.insert(table.clone(), text);
        }
        batches.push(staged);
    }
    Ok(Given { before, batches })
}

/// Runs the scenarios and prints what happened; true when every promise was held.
fn report(plan: &Plan, sql: &str, scenarios: &[Scenario], output: &mut Output) -> Result<bool> {
    let mut text = String::new();
    let mut faults = Vec::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "  {:44} {:>8} {:>8} {:>8} {:>9}   again",
        "first run of each batch", "inserted", "updated", "deleted", "unchanged"
    );
    for scenario in scenarios {
        let trial = try_load(plan, sql, scenario, &mut Sqlite::in_memory()?)?;
        let _ = write!(text, "{}", lines(&trial));
        for (batch, load) in trial.loads.iter().enumerate() {
            for (number, run) in load.runs.iter().enumerate() {
                faults.extend(run.faults.iter().map(|fault| {
                    let place = format!("{}, batch {}, run {}", scenario.name, batch + 1, number + 1);
                    (fault.guarantee(), format!("{place}: {}", fault_text(fault)))
                }));
            }
        }
    }
    for promise in &plan.promises {
        let guarantee = promise.guarantee;
        let word = match guarantee.name {
            name if faults.iter().any(|(broken, _)| *broken == name) => "BROKEN",
            _ if !promise.given => "not promised",
            "rerun" | "quiet" | "right" => "held",
            _ => "not run",
        };
        let says = if promise.given { guarantee.says } else { &promise.because };
        let _ = writeln!(text, "  {} {:8}  {word:12}  {says}", guarantee.code, guarantee.name);
    }
    output.print(&text)?;
    for (_, fault) in &faults {
        output.print(&format!("  {fault}\n"))?;
    }
    Ok(faults.is_empty())
}

/// One line for each batch of a trial.
fn lines(trial: &Trial) -> String {
    let mut out = String::new();
    for (number, load) in trial.loads.iter().enumerate() {
        let Some((first, again)) = load.runs.split_first() else { continue };
        let name = if trial.loads.len() > 1 {
            format!("{}, batch {}", trial.scenario, number + 1)
        } else {
            trial.scenario.clone()
        };
        let changed: usize = again.iter().map(|run| run.inserted + run.updated + run.deleted).sum();
        let quiet = again.iter().all(|run| run.is_quiet);
        let again = match (changed, quiet) {
            (0, true) => "no change, no write".to_owned(),
            (0, false) => "no change, but it wrote".to_owned(),
            (changed, _) => format!("{changed} rows changed"),
        };
        let _ = writeln!(
            out,
            "  {name:44} {:>8} {:>8} {:>8} {:>9}   {again}",
            first.inserted, first.updated, first.deleted, first.unchanged
        );
    }
    out
}

/// A broken promise for people.
fn fault_text(fault: &Fault) -> String {
    let indented = |text: &str| text.lines().map(|line| format!("\n    {line}")).collect::<String>();
    match fault {
        Fault::Rerun(rows) => format!("`rerun` is broken, an identical run changed rows:{}", indented(rows)),
        Fault::Quiet(writes) => format!("`quiet` is broken, an identical run wrote: {writes}"),
        Fault::Right(rows) => format!("`right` is broken, the model makes other {}", indented(rows).trim_start()),
    }
}
