//! Every fixture and every strategy, judged on a real engine: each guarantee that is promised holds there.
//!
//! SQLite is in the program. The servers run when they are asked for (`tests/all` does): an engine that is asked for and
//! cannot be had is a failure, one that nobody asked for is reported as not run.

use crate::engines::{alone, database, dialect_of, gaps, spoken};
use crate::parts::{OWN_ROWS, Part};
use crate::proof::{self, Found};
use crate::support::{Golden, cases, spec};
use idemsql::dialect::mechanism::Proof;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::Database;
use idemsql::engine::value::Value;
use idemsql::plan::{Plan, plan};
use idemsql::render::render;
use idemsql::strategy::{self, Replaces};
use idemsql::verify::{
    Asked, Given, Judgement, Lab, Outcome, Run, Scenarios, Subject, Trial, Verdict, given, judge, source_tables,
};
use std::fs;
use std::path::{Path, PathBuf};

/// The plans of a case for a dialect: of every strategy that can be planned for it, and whether that is the spec's own.
fn plans(case: &str, dialect: &'static Dialect) -> Vec<(Plan, bool)> {
    let spec = spec(case);
    let mut all = Vec::new();
    for table in spec.tables() {
        let table = table.for_dialect(dialect.name).unwrap_or_else(|faults| panic!("{case}: {faults:#?}"));
        let own = plan(&table, dialect, None).ok().map(|plan| plan.strategy.name);
        let planned = strategy::ALL.iter().filter_map(|strategy| plan(&table, dialect, Some(strategy)).ok());
        // It has the statements of `delete_insert`, and fits every table.
        let whole = |plan: &Plan| plan.strategy.replaces == Replaces::Everything;
        let replaces = strategy::ALL.iter().any(|known| Some(known.name) == own && known.replaces());
        let wanted = |plan: &Plan| !whole(plan) || replaces || REFRESHED.contains(&case);
        all.extend(
            planned.filter(wanted).map(|plan| (own == Some(plan.strategy.name), plan)).map(|(own, plan)| (plan, own)),
        );
    }
    all
}

/// The cases of other strategies that are loaded by `full_refresh` too.
const REFRESHED: [&str; 4] = ["documents", "every_type", "order_totals", "quoted_names"];

/// The engines that `tests/all` asks for. Another one can be asked for by hand, and proves nothing yet.
const RUN: [&str; 13] = [
    "clickhouse",
    "databend",
    "duckdb",
    "firebird",
    "h2",
    "hsqldb",
    "mariadb",
    "mysql",
    "postgres",
    "postgres18",
    "sail",
    "spark",
    "sqlite",
];

/// How many rows the load has that is killed half way.
const CRASH_ROWS: usize = 200;

/// Judges every fixture with every strategy and gives what went wrong. `CASES` names those that are judged alone.
fn faults(engine: &str, database: &dyn Database) -> Vec<String> {
    let dialect = spoken(engine);
    let part = Part::of(engine);
    let guarantees = part.guarantees;
    let mut met = vec![false; gaps::ALL.len()];
    let (mut judgements, mut gaps) = (0, 0);
    // Whether that is a gap that is listed.
    let mut listed = |place: &str, fault: &str| {
        let gap = gaps::ALL.iter().position(|gap| gap.holds(engine, place, fault));
        gap.is_some_and(|at| {
            met[at] = true;
            true
        })
    };
    let mut faults = Vec::new();
    let mut proof = Found::default();
    let mut golden = Golden::new("fixtures/load");
    let (mut tried, mut left_out) = (0, 0);
    let (chosen, whole) = chosen();
    for case in chosen {
        for (plan, own) in plans(&case, dialect) {
            let place = format!("{case}, {}", plan.strategy.name);
            let sql = match render(&plan, &[]) {
                Ok(sql) => sql,
                Err(fault) => {
                    faults.push(format!("{place}: {}", fault.message));
                    continue;
                }
            };
            let mut scenarios = scenarios(&case, &plan);
            let given = part.reduce(&case, own, &mut scenarios);
            left_out += given.left_out;
            if scenarios.plain.is_empty() {
                continue;
            }
            if gaps::ALL.iter().any(|gap| gap.engine == engine && place.starts_with(gap.place)) {
                // What is refused for the first rows is refused for all.
                let first = Scenarios { plain: scenarios.plain[..1].to_vec(), ..Scenarios::default() };
                let fault = match judged(&plan, &sql, &first, &["right"], database) {
                    Ok(found) => found.verdicts.iter().find_map(broken),
                    Err(fault) => Some(format!("{fault:#}")),
                };
                if fault.is_some_and(|fault| listed(&place, &fault)) {
                    gaps += 1;
                    continue;
                }
            }
            tried += scenarios.plain.len();
            let found = match judged(&plan, &sql, &scenarios, guarantees, database) {
                Ok(found) => found,
                Err(fault) if listed(&place, &format!("{fault:#}")) => {
                    gaps += 1;
                    continue;
                }
                Err(fault) => {
                    faults.push(format!("{place}: {fault:#}"));
                    continue;
                }
            };
            if found.verdicts.iter().filter_map(broken).any(|fault| listed(&place, &fault)) {
                gaps += 1;
                continue;
            }
            judgements += 1;
            proof.add(plan.strategy.name, &found);
            faults.extend(found.verdicts.iter().filter_map(|verdict| told(&place, verdict, &sql)));
            for trial in &found.trials {
                if trial.scenario == OWN_ROWS && given.whole {
                    golden.file(&format!("{case}/rows/expected.{}.csv", plan.strategy.name), &csv(trial));
                }
                // Version 18 makes its pages with checksums, and logs a page that is only looked at. Of a temporary table its
                // lines of the catalogue are logged.
                if engine == "postgres" && promises_quiet(&plan) && plan.load.staging.is_none() {
                    faults.extend(logged(trial).map(|fault| format!("{place}, {fault}\n{sql}")));
                }
            }
        }
    }
    if !whole {
        // Of some cases no page can be made, and of the others nothing is known.
        eprintln!("{engine}: {judgements} loads judged in {tried} scenarios, of the chosen cases alone");
        golden.finish(|_| false);
        return faults;
    }
    let closed = gaps::ALL.iter().zip(met).filter(|(gap, met)| gap.engine == engine && !met);
    let closes =
        |gap: &gaps::Gap| format!("{engine} runs `{}` now, {}: take it off the list of gaps", gap.place, gap.because);
    faults.extend(closed.map(|(gap, _)| closes(gap)));
    if let Ok(path) = std::env::var("FAULTS") {
        fs::write(path, faults.join("\n\n")).unwrap();
    }
    let told = if guarantees.is_empty() { "all guarantees".to_owned() } else { guarantees.join(", ") };
    eprintln!(
        "{engine}: {judgements} loads judged in {tried} scenarios for {told}, and {gaps} are gaps that are listed; \
         {left_out} rows had no room"
    );
    none(&faults);
    // The same rows on every engine. SQLite can do every strategy, so it says which files nothing makes any more, but for a case
    // that it refuses as a whole.
    let refused = |path: &str| path.split('/').next().is_some_and(|case| plans(case, dialect).is_empty());
    golden.finish(|path| engine == "sqlite" && path.contains("/rows/expected.") && !refused(path));
    let least = part.made_up.map_or(100, |made_up| 20 + made_up.len());
    assert!(tried > least, "only {tried} scenarios were tried");
    let mut page = Golden::new(proof::ROOT);
    page.file(&format!("{engine}.md"), &proof.table(engine, database, part.says));
    page.finish(|_| false);
    faults
}

/// The cases that are judged, and whether those are all.
fn chosen() -> (Vec<String>, bool) {
    let all = cases("fixtures/load");
    match std::env::var("CASES") {
        Ok(names) => (all.into_iter().filter(|case| names.split(',').any(|name| name == case)).collect(), false),
        Err(_) => (all, true),
    }
}

/// A broken promise with everything that shows it.
fn told(place: &str, verdict: &Verdict, sql: &str) -> Option<String> {
    let Outcome::Broken { fault, scenario } = &verdict.outcome else { return None };
    let rows = format!("before {:?}\nbatches {:?}", scenario.before.rows, scenario.batches);
    let (steps, found, name) = (&fault.steps, &fault.found, verdict.guarantee.name);
    Some(format!("{place}, {name}, {}, {steps}:\n{found}\n{rows}\n{sql}", scenario.name))
}

/// What was found instead of what is promised.
fn broken(verdict: &Verdict) -> Option<String> {
    match &verdict.outcome {
        Outcome::Broken { fault, .. } => Some(fault.found.clone()),
        _ => None,
    }
}

/// What is found of one load on an engine.
fn judged(
    plan: &Plan,
    sql: &str,
    scenarios: &Scenarios,
    guarantees: &[&str],
    database: &dyn Database,
) -> anyhow::Result<Judgement> {
    let subject = Subject::rendered(plan, sql);
    let prefix = format!("idemsql_loads_{}", std::process::id());
    let mut lab = Lab::new(database, &subject, &prefix, &scenarios.tables())?;
    let found = judge(&mut lab, scenarios, Asked { guarantees, shrink: false }, &mut |_, _| {});
    lab.close()?;
    found
}

fn promises_quiet(plan: &Plan) -> bool {
    plan.promises.iter().any(|promise| promise.guarantee.name == "quiet" && promise.given)
}

/// Batches whose identical runs all wrote to the log. The count is of the whole server, where other tests write too and
/// a checkpoint may fall in between, so one run of two without a byte is the proof.
fn logged(trial: &Trial) -> impl Iterator<Item = String> {
    trial.loads.iter().enumerate().filter_map(|(batch, load)| {
        let bytes = |run: &Run| run.session.iter().map(|(_, count)| count).sum::<u64>();
        let least = load.runs.iter().skip(1).map(bytes).min()?;
        (least > 0).then(|| format!("batch {batch}: an identical run wrote {least} bytes of WAL"))
    })
}

/// The rows of the case, and rows that are made up.
fn scenarios(case: &str, plan: &Plan) -> Scenarios {
    let own = given(plan, &rows_of(case, &source_tables(plan))).unwrap_or_else(|faults| panic!("{case}: {faults:#?}"));
    assert_eq!(own.name, OWN_ROWS);
    Scenarios::made(plan, 1, CRASH_ROWS, Some(own)).0
}

/// `fixtures/load/<case>/rows`: the target before, and for each batch the staged tables.
pub fn rows_of(case: &str, tables: &[String]) -> Given {
    let rows = Path::new("fixtures/load").join(case).join("rows");
    let before = Some(fs::read_to_string(rows.join("before.csv")).unwrap());
    let batches = (1..).map(|number| rows.join(format!("batch-{number}"))).take_while(|batch| batch.is_dir());
    let read = |batch: PathBuf| {
        let text = |table: &String| {
            let file = batch.join(format!("{table}.csv"));
            fs::read_to_string(&file).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()))
        };
        tables.iter().map(|table| (table.clone(), text(table))).collect()
    };
    Given { before, batches: batches.map(read).collect() }
}

/// The rows that a trial ended with. An empty cell is null, `''` the empty text.
fn csv(trial: &Trial) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&trial.columns).unwrap();
    for row in &trial.rows {
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::Text(text) if text.is_empty() => "''".to_owned(),
            Value::Text(text) => text.clone(),
            other => other.to_string(),
        };
        writer.write_record(row.iter().map(cell)).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Fails with the first of the faults.
fn none(faults: &[String]) {
    let first = faults.iter().take(10).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(faults.is_empty(), "{} faults\n{first}", faults.len());
}

/// Judges every load on an engine that was asked for.
fn on_engine(name: &str) {
    let Some(database) = database(name) else {
        eprintln!("{name}: not run, nobody asked for it");
        return;
    };
    let _alone = alone(name);
    none(&faults(name, &*database));
}

#[test]
fn a_proof_is_said_of_the_dialects_that_run_here_and_of_no_others() {
    for dialect in dialect::ALL {
        let itself = RUN.contains(&dialect.name);
        let another = RUN.iter().any(|name| dialect_of(name) == dialect.name);
        let said = match dialect.proof {
            Proof::Executed(_) => itself,
            Proof::StandIn { .. } => another && !itself,
            Proof::Parsed => !another,
        };
        assert!(said, "{}", dialect.name);
    }
}

#[test]
fn every_fixture_and_strategy_holds_on_sqlite() {
    on_engine("sqlite");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_postgres() {
    on_engine("postgres");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_mariadb() {
    on_engine("mariadb");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_postgres18() {
    on_engine("postgres18");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_mysql() {
    on_engine("mysql");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_duckdb() {
    on_engine("duckdb");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_clickhouse() {
    on_engine("clickhouse");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_databend() {
    on_engine("databend");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_sail() {
    on_engine("sail");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_firebird() {
    on_engine("firebird");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_h2() {
    on_engine("h2");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_hsqldb() {
    on_engine("hsqldb");
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_spark() {
    on_engine("spark");
}
