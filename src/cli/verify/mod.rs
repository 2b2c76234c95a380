//! `idemsql verify`: runs a load on a real engine, in every way in which loads go wrong, and says which guarantees hold.

mod artifact;
mod machine;
mod place;
mod replay;
mod rows;
mod statements;
mod text;

use super::Outcome;
use super::files::{self, placed};
use super::output::Output;
use super::select::strategy_parser;
use crate::diagnostic::{Diagnostic, Source};
use crate::dialect::Dialect;
use crate::dialect::mechanism::Form;
use crate::plan::{Guarantee, Plan, plan};
use crate::render::render;
use crate::spec::TableSpec;
use crate::strategy::{self, Strategy};
use crate::verify::{
    Asked, Judgement, Lab, Outcome as Found, Scenario, Scenarios, Subject, Table, judge, source_tables,
};
use anyhow::{Context as _, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use place::Place;
use std::collections::BTreeSet;
use std::fs;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Run a load on a real engine, in every way in which loads go wrong, and say which guarantees hold
///
/// Without --engine the load runs on the embedded SQLite. Rows are made up from the spec; when there is a folder `rows`
/// beside it, those rows are loaded too. Tables are made in schemas of their own, which are dropped again; no table of yours
/// is touched. The statements of `idempotency_key` are played as an application runs them; so are those of
/// `processed_marker`, with the tables that its effects write from --setup, and --value for their other parameters.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Spec files, or directories of them
    #[arg(value_name = "SPEC", required_unless_present_any = ["replay", "setup"])]
    specs: Vec<PathBuf>,

    /// Try these strategies instead of every one that the spec can have
    #[arg(short, long = "strategy", value_name = "NAME", value_parser = strategy_parser(), hide_possible_values = true)]
    strategies: Vec<&'static Strategy>,

    /// Judge only these guarantees, by name or number: rerun, G4, ..
    #[arg(short, long = "guarantee", value_name = "NAME", value_parser = guarantee_parser(), hide_possible_values = true)]
    guarantees: Vec<&'static str>,

    /// The database: `sqlite:`, `sqlite:FILE`, `postgres://..`, `mysql://..`, `duckdb:FILE`, as far as this build has it, or
    /// `env:NAME` for a URL in an environment variable [default: `verify.engine` of idemsql.yaml, else `sqlite:`]
    #[arg(short, long, value_name = "URL")]
    engine: Option<String>,

    /// Judge this SQL instead of what the spec renders to
    #[arg(long, value_name = "FILE")]
    sql: Option<PathBuf>,

    /// Run this SQL first, in the same schemas: CREATE TABLE of other tables, or of the target itself, for `--sql`; for
    /// `processed_marker` the tables that its effects write, with rows
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,

    /// The value of a parameter `:NAME` of an effect: a number, or a text. Given several times, the events take them in turn
    #[arg(long = "value", value_name = "NAME=VALUE", value_parser = statements::value, requires = "setup")]
    values: Vec<(String, String)>,

    /// A folder of rows to load: before.csv and batch-1/<table>.csv, batch-2/.. [default: `rows` beside the spec]
    #[arg(long, value_name = "DIR")]
    rows: Option<PathBuf>,

    /// Makes up other rows
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// How many rows the load has that is killed half way
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    crash_rows: usize,

    /// How to print what was found
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Show every batch of rows too: what the first run did, and what the next ones did
    #[arg(short, long)]
    verbose: bool,

    /// Where the smallest rows that break a guarantee are written
    #[arg(long, value_name = "DIR", default_value = "idemsql-broken")]
    artifacts: PathBuf,

    /// Try a broken guarantee again: a file that an earlier run has written
    #[arg(long, value_name = "FILE", conflicts_with_all = ["specs", "sql", "rows"])]
    replay: Option<PathBuf>,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table for each load
    Text,
    /// One document
    Json,
    /// XML for servers that show tests
    Junit,
}

/// Reads a guarantee by its name or its number.
fn guarantee_parser() -> ValueParser {
    let names = crate::plan::GUARANTEES.iter().flat_map(|guarantee| [guarantee.name, guarantee.code]);
    ValueParser::new(PossibleValuesParser::new(names).try_map(|given| {
        let known = crate::plan::GUARANTEES.iter().find(|known| known.name == given || known.code == given);
        known.map(|known| known.name).ok_or_else(|| format!("`{given}` is not a guarantee"))
    }))
}

/// What was found of one load.
struct Report {
    /// The table, or the script.
    title: String,
    /// The strategy; none for hand-written SQL.
    strategy: Option<&'static str>,
    /// True for the spec's own strategy.
    own: bool,
    /// What was found, or why nothing was tried.
    found: Result<Judgement, String>,
    /// How long it took.
    took: Duration,
    /// Files that show what is broken.
    artifacts: Vec<PathBuf>,
    /// What was left out, in words.
    notes: Vec<String>,
    /// True when it counts as a failure although no guarantee is broken: nothing could be tried.
    failed: bool,
}

/// Whatever is wrong with what the user wrote.
type Faults = Vec<Diagnostic>;

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    if let Some(file) = &arguments.replay {
        return replay::run(file, arguments, output);
    }
    if let Some(rows) = arguments.rows.as_ref().filter(|rows| !rows.is_dir()) {
        bail!("there is no folder {}: give one with before.csv and batch-1/<table>.csv", rows.display());
    }
    let mut place = match place::find(arguments.engine.as_deref())? {
        Ok(place) => place,
        Err(faults) => {
            output.diagnostics(&faults);
            return Ok(Outcome::Failed);
        }
    };
    let mut session = Session {
        arguments,
        output,
        reports: Vec::new(),
        faults: Vec::new(),
        uses_setup: arguments.sql.is_some(),
        bound: BTreeSet::new(),
    };
    session.specs(&mut place)?;
    session.leftover()?;
    let Session { reports, faults, output, .. } = session;
    match arguments.format {
        Format::Text => {}
        Format::Json => output.print(&machine::json(&place, &reports))?,
        Format::Junit => output.print(&machine::junit(&place, &reports))?,
    }
    if !faults.is_empty() {
        output.diagnostics(&faults);
        return Ok(Outcome::Failed);
    }
    let broken = reports.iter().any(|report| report.failed || report.found.as_ref().is_ok_and(|found| !found.holds()));
    Ok(if broken { Outcome::Findings } else { Outcome::Fine })
}

/// One run of the command.
struct Session<'a> {
    arguments: &'a Arguments,
    output: &'a mut Output,
    reports: Vec<Report>,
    faults: Faults,
    /// True once anything needed the set-up.
    uses_setup: bool,
    /// The parameters of which a value was used.
    bound: BTreeSet<String>,
}

impl Session<'_> {
    /// Refuses what was given and what nothing needed: it was meant for something.
    fn leftover(&self) -> Result<()> {
        if !self.faults.is_empty() {
            return Ok(());
        }
        if self.arguments.setup.is_some() && !self.uses_setup {
            bail!("no spec here needs `--setup`: it is for `--sql`, and for the effects of `processed_marker`");
        }
        if let Some((name, _)) = self.arguments.values.iter().find(|(name, _)| !self.bound.contains(name)) {
            bail!("no effect binds `:{name}`: leave `--value {name}=..` out");
        }
        Ok(())
    }

    /// Every table of every spec.
    fn specs(&mut self, place: &mut Place) -> Result<()> {
        let arguments = self.arguments;
        if arguments.specs.is_empty() {
            return self.script_alone(place);
        }
        for path in files::find(&arguments.specs)? {
            let spec = match files::read(&path)? {
                Ok(spec) => spec,
                Err(found) => {
                    self.faults.extend(found);
                    continue;
                }
            };
            if arguments.sql.is_some() && spec.tables().len() != 1 {
                bail!(
                    "{} has {} tables: give a spec of the one that the SQL loads",
                    path.display(),
                    spec.tables().len()
                );
            }
            for table in spec.tables() {
                if let Err(found) = self.table(table, &path, place)? {
                    self.faults.extend(found.into_iter().map(|fault| placed(fault, &spec)));
                }
            }
        }
        Ok(())
    }

    /// Tries one table: with every strategy, or with the SQL that was given.
    fn table(&mut self, table: &TableSpec, spec: &Path, place: &mut Place) -> Result<Result<(), Faults>> {
        let dialect = place.dialect;
        let resolved = match table.for_dialect(dialect.name) {
            Ok(resolved) => resolved,
            Err(faults) => return Ok(Err(faults)),
        };
        let given = &self.arguments.strategies;
        if self.arguments.sql.is_none()
            && let Some(told) = self.named(&resolved, place)?
        {
            return Ok(told);
        }
        let planned = match plan(&resolved, dialect, None) {
            Ok(planned) => planned,
            // The strategy that was asked for may be one that can.
            Err(faults) if given.is_empty() => return Ok(Err(faults)),
            Err(faults) => match given.iter().find_map(|strategy| plan(&resolved, dialect, Some(strategy)).ok()) {
                Some(planned) => planned,
                None => return Ok(Err(faults)),
            },
        };
        let (own, title) = (planned.strategy.name, planned.table.clone());
        if let Some(file) = &self.arguments.sql {
            let planned = match given.first() {
                Some(strategy) => match plan(&resolved, dialect, Some(strategy)) {
                    Ok(planned) => planned,
                    Err(faults) => return Ok(Err(faults)),
                },
                None => planned,
            };
            return self.hand_written(&planned, file, spec, place);
        }
        self.heading(&title, place)?;
        let mut asked: Vec<&'static Strategy> = if given.is_empty() { strategy::ALL.to_vec() } else { given.clone() };
        // The spec's own comes first.
        asked.sort_by_key(|strategy| strategy.name != own);
        for strategy in asked {
            let plan = match plan(&resolved, dialect, Some(strategy)) {
                Ok(plan) if plan.form == Form::ClaimEffects => {
                    if let Err(faults) = self.batch_of_events(&plan, strategy.name == own, spec, place)? {
                        return Ok(Err(faults));
                    }
                    continue;
                }
                Ok(plan) => plan,
                Err(faults) if strategy.name == own => return Ok(Err(faults)),
                Err(faults) => {
                    let why = faults.first().map_or(String::new(), |fault| fault.message.clone());
                    self.skipped(&title, strategy.name, why, false)?;
                    continue;
                }
            };
            let sql = match render(&plan, &[]) {
                Ok(sql) => sql,
                Err(fault) => return Ok(Err(vec![fault])),
            };
            let subject = Subject::rendered(&plan, &sql);
            let origin =
                artifact::Origin { spec: Some(spec), table: &title, strategy: strategy.name, sql: None, setup: None };
            if let Err(faults) = self.load(&plan, &subject, strategy.name == own, &origin, place)? {
                return Ok(Err(faults));
            }
        }
        Ok(Ok(()))
    }

    /// Tries SQL of the user's against a spec.
    fn hand_written(&mut self, plan: &Plan, file: &Path, spec: &Path, place: &mut Place) -> Result<Result<(), Faults>> {
        let subject = match replay::subject(Some(plan), file, self.arguments.setup.as_deref(), place)? {
            Ok(subject) => subject,
            Err(faults) => return Ok(Err(faults)),
        };
        self.heading(&plan.table, place)?;
        let origin = artifact::Origin {
            spec: Some(spec),
            table: &plan.table,
            strategy: plan.strategy.name,
            sql: Some(file),
            setup: self.arguments.setup.as_deref(),
        };
        self.load(plan, &subject, true, &origin, place)
    }

    /// Tries SQL of the user's of which only the tables are known.
    fn script_alone(&mut self, place: &mut Place) -> Result<()> {
        let (Some(file), Some(setup)) = (&self.arguments.sql, &self.arguments.setup) else {
            bail!("give a spec, or SQL with `--sql` and its tables with `--setup`");
        };
        let title = file.display().to_string();
        let subject = match replay::subject(None, file, Some(setup), place)? {
            Ok(subject) => subject,
            Err(faults) => {
                self.faults.extend(faults);
                return Ok(());
            }
        };
        let source = Arc::new(Source::new(setup.display().to_string(), script(setup)?));
        let found = self.unplanned(&subject, &source)?;
        let scenarios = match found {
            Ok(scenarios) => scenarios,
            Err(faults) => {
                self.faults.extend(faults);
                return Ok(());
            }
        };
        self.heading(&title, place)?;
        let origin = artifact::Origin { spec: None, table: &title, strategy: "", sql: Some(file), setup: Some(setup) };
        self.judged(&subject, &scenarios, true, &origin, place, Vec::new())
    }

    /// Tries the load of a plan.
    fn load(
        &mut self,
        plan: &Plan,
        subject: &Subject,
        own: bool,
        origin: &artifact::Origin<'_>,
        place: &mut Place,
    ) -> Result<Result<(), Faults>> {
        let rows = self.rows_of(origin);
        if plan.window.as_ref().is_some_and(|window| !window.bounds.are_known()) {
            let why = "the caller gives the window; verify a copy of the spec with values in `window`";
            self.skipped(origin.table, plan.strategy.name, why.to_owned(), true)?;
            return Ok(Ok(()));
        }
        let (scenarios, why) = match rows::scenarios(plan, &rows, self.arguments.seed, self.arguments.crash_rows)? {
            Ok(found) => found,
            Err(faults) => return Ok(Err(faults)),
        };
        let mut notes = Vec::new();
        if let Some(why) = why {
            notes.push(format!("not run on made-up rows: {why}"));
        }
        if scenarios.plain.is_empty() {
            // Nothing ran, so nothing holds.
            let tables = source_tables(plan).join(".csv, ");
            let why = format!("put before.csv and batch-1/{tables}.csv into {}", rows.display());
            self.skipped(origin.table, plan.strategy.name, why, true)?;
            return Ok(Ok(()));
        }
        self.judged(subject, &scenarios, own, origin, place, notes).map(Ok)
    }

    /// The folder of the user's rows.
    fn rows_of(&self, origin: &artifact::Origin<'_>) -> PathBuf {
        let beside = origin.spec.and_then(Path::parent).unwrap_or(Path::new("")).join("rows");
        self.arguments.rows.clone().unwrap_or(beside)
    }

    /// Judges a load and reports on it.
    fn judged(
        &mut self,
        subject: &Subject,
        scenarios: &Scenarios,
        own: bool,
        origin: &artifact::Origin<'_>,
        place: &mut Place,
        notes: Vec<String>,
    ) -> Result<()> {
        let start = Instant::now();
        let (found, dropped) = on_engine(subject, scenarios, place, &self.arguments.guarantees, self.output)?;
        let mut report = Report {
            title: origin.table.to_owned(),
            strategy: Some(origin.strategy).filter(|name| !name.is_empty() && origin.sql.is_none()),
            own,
            found: Ok(found),
            took: start.elapsed(),
            artifacts: Vec::new(),
            notes,
            failed: false,
        };
        if let Err(fault) = dropped {
            report.notes.push(format!("the schemas {}.. could not be dropped: {fault:#}", place.prefix));
        }
        if let Ok(found) = &report.found {
            for verdict in &found.verdicts {
                if let Found::Broken { fault, scenario } = &verdict.outcome {
                    let file = artifact::write(&self.arguments.artifacts, origin, subject, fault, scenario, place)?;
                    report.artifacts.push(file);
                }
            }
        }
        self.report(report)
    }

    /// Reports that a load was not tried.
    fn skipped(&mut self, title: &str, strategy: &'static str, why: String, failed: bool) -> Result<()> {
        self.report(Report {
            title: title.to_owned(),
            strategy: Some(strategy),
            own: false,
            found: Err(why),
            took: Duration::ZERO,
            artifacts: Vec::new(),
            notes: Vec::new(),
            failed,
        })
    }

    fn heading(&mut self, title: &str, place: &Place) -> Result<()> {
        if self.arguments.format == Format::Text {
            let line = format!("{title} on {} {}\n", place.title, place.version);
            self.output.print(&line)?;
        }
        Ok(())
    }

    fn report(&mut self, report: Report) -> Result<()> {
        if self.arguments.format == Format::Text {
            self.output.print_styled(&text::report(&report, self.arguments.verbose))?;
        }
        self.reports.push(report);
        Ok(())
    }
}

/// Judges a load in schemas of our own, which are dropped whatever comes of it. The second result says whether they were.
fn on_engine(
    subject: &Subject,
    scenarios: &Scenarios,
    place: &mut Place,
    guarantees: &[&str],
    output: &mut Output,
) -> Result<(Judgement, Result<()>)> {
    let staged: Vec<Table> = scenarios.tables();
    let mut lab = Lab::new(&*place.database, subject, &place.prefix, &staged)?;
    let asked = Asked { guarantees, shrink: true };
    let found = watched(output, |report| judge(&mut lab, scenarios, asked, report));
    let dropped = lab.close();
    Ok((found?, dropped))
}

/// Does work that tells what it tries next, which people at a terminal see.
fn watched<T>(output: &mut Output, work: impl FnOnce(&mut dyn FnMut(&Guarantee, &Scenario)) -> T) -> T {
    let watched = std::io::stderr().is_terminal();
    let mut last = Instant::now();
    let made = work(&mut |guarantee, scenario| {
        // More often than this nobody can read.
        if watched && last.elapsed() > Duration::from_millis(80) {
            output.say(&format!("\r\x1b[K{} {}: {}", guarantee.code, guarantee.name, scenario.name));
            last = Instant::now();
        }
    });
    if watched {
        output.say("\r\x1b[K");
    }
    made
}

/// Reads a script of the user's.
fn script(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The dialect that a session speaks.
fn dialect_of(name: &str) -> Result<&'static Dialect> {
    crate::dialect::find(name).context("the engine has no dialect of ours")
}
