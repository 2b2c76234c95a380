//! Every fixture and every strategy, run three times on a real engine and compared with the reference model.
//!
//! SQLite is in the program. The servers run when they are asked for (`tests/all` does): an engine that is asked for and
//! cannot be had is a failure, one that nobody asked for is reported as not run.

use crate::engines::{NAMES, open};
use crate::support::{Golden, cases, spec};
use idemsql::dialect;
use idemsql::dialect::mechanism::Proof;
use idemsql::engine::Engine;
use idemsql::engine::sqlite::Sqlite;
use idemsql::engine::value::Value;
use idemsql::plan::{Plan, plan};
use idemsql::render::render;
use idemsql::strategy;
use idemsql::verify::{Given, Run, Scenario, Trial, generated, given, run, source_tables};
use std::fs;
use std::path::{Path, PathBuf};

/// Hands an empty engine to a trial.
type OnEmpty<'a> = &'a mut dyn FnMut(&mut dyn FnMut(&mut dyn Engine));

/// The name of the scenario of a case's own rows.
const OWN_ROWS: &str = "the given rows";

/// The plans of a case for a dialect: of every strategy that can be planned for it.
fn plans(case: &str, dialect: &str) -> Vec<Plan> {
    let dialect = dialect::find(dialect).unwrap();
    let spec = spec(case);
    let mut all = Vec::new();
    for table in spec.tables() {
        let table = table.for_dialect(dialect.name).unwrap_or_else(|faults| panic!("{case}: {faults:#?}"));
        all.extend(strategy::ALL.iter().filter_map(|strategy| plan(&table, dialect, Some(strategy)).ok()));
    }
    all
}

/// Runs every fixture with every strategy and gives what went wrong.
fn faults(dialect: &str, on_empty: OnEmpty<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut golden = Golden::new("fixtures/load");
    let mut tried = 0;
    for case in cases("fixtures/load") {
        for plan in plans(&case, dialect) {
            let sql = match render(&plan, &[]) {
                Ok(sql) => sql,
                Err(fault) => {
                    faults.push(format!("{case}, {}: {}", plan.strategy.name, fault.message));
                    continue;
                }
            };
            for scenario in scenarios(&case, &plan) {
                let place = format!("{case}, {}, {}", plan.strategy.name, scenario.name);
                tried += 1;
                let mut outcome = None;
                on_empty(&mut |engine| outcome = Some(run(&plan, &sql, &scenario, engine)));
                match outcome.unwrap() {
                    Err(fault) => faults.push(format!("{place}: {fault:#}")),
                    Ok(trial) => {
                        if scenario.name == OWN_ROWS {
                            golden.file(&format!("{case}/rows/expected.{}.csv", plan.strategy.name), &csv(&trial));
                        }
                        faults.extend(faults_of(&trial).map(|fault| format!("{place}, {fault}\n{sql}")));
                        if dialect == "postgres" && promises_quiet(&plan) {
                            faults.extend(logged(&trial).map(|fault| format!("{place}, {fault}\n{sql}")));
                        }
                    }
                }
            }
        }
    }
    // The same rows on every engine. SQLite can do every strategy, so it says which files nothing makes any more.
    golden.finish(|path| dialect == "sqlite" && path.contains("/rows/expected."));
    assert!(tried > 300, "only {tried} trials were run");
    faults
}

/// The broken promises of a trial.
fn faults_of(trial: &Trial) -> impl Iterator<Item = String> {
    trial.loads.iter().enumerate().flat_map(|(batch, load)| {
        load.runs.iter().enumerate().flat_map(move |(number, run)| {
            run.faults.iter().map(move |fault| format!("batch {batch}, run {number}: {fault:?}"))
        })
    })
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
fn scenarios(case: &str, plan: &Plan) -> Vec<Scenario> {
    let own = given(plan, &rows_of(case, &source_tables(plan))).unwrap_or_else(|faults| panic!("{case}: {faults:#?}"));
    assert_eq!(own.name, OWN_ROWS);
    std::iter::once(own).chain(generated(plan, 1).unwrap_or_default()).collect()
}

/// `fixtures/load/<case>/rows`: the target before, and for each batch the staged tables.
fn rows_of(case: &str, tables: &[String]) -> Given {
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

/// Runs the trials in one session of an engine that was asked for, which `clear` empties before each.
fn on_server(name: &str, clear: fn(&mut dyn Engine)) {
    let Some(mut engine) = open(name) else {
        eprintln!("{name}: not run, nobody asked for it");
        return;
    };
    none(&faults(name, &mut |trial| {
        clear(&mut *engine);
        trial(&mut *engine);
    }));
}

/// The first column of a query.
fn names(engine: &mut dyn Engine, query: &str) -> Vec<String> {
    engine.query(query).unwrap().rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect()
}

#[test]
fn executed_is_said_of_the_dialects_that_run_here_and_of_no_others() {
    for dialect in dialect::ALL {
        let executed = matches!(dialect.proof, Proof::Executed(_));
        assert_eq!(executed, NAMES.contains(&dialect.name), "{}", dialect.name);
    }
}

#[test]
fn every_fixture_and_strategy_holds_on_sqlite() {
    none(&faults("sqlite", &mut |trial| trial(&mut Sqlite::in_memory().unwrap())));
}

/// The schemas of the fixtures. Other tests have theirs on the same server.
const SCHEMAS: [&str; 4] = ["landing", "mart", "raw", "ref"];

#[test]
fn engines_every_fixture_and_strategy_holds_on_postgres() {
    on_server("postgres", |engine| {
        for schema in SCHEMAS {
            engine.run_script(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE")).unwrap();
        }
        engine.run_script("DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public").unwrap();
    });
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_mariadb() {
    on_server("mariadb", |engine| {
        for schema in SCHEMAS {
            engine.run_script(&format!("DROP DATABASE IF EXISTS {schema}")).unwrap();
        }
        engine.run_script("DROP DATABASE IF EXISTS plain; CREATE DATABASE plain; USE plain").unwrap();
    });
}

#[test]
fn engines_every_fixture_and_strategy_holds_on_duckdb() {
    on_server("duckdb", |engine| {
        let tables = "SELECT '\"' || table_schema || '\".\"' || table_name || '\"' FROM information_schema.tables";
        for table in names(engine, tables) {
            engine.run_script(&format!("DROP TABLE {table}")).unwrap();
        }
        let schemas = "SELECT schema_name FROM information_schema.schemata WHERE catalog_name = current_database() \
                       AND schema_name NOT IN ('main', 'information_schema', 'pg_catalog')";
        for schema in names(engine, schemas) {
            engine.run_script(&format!("DROP SCHEMA \"{schema}\" CASCADE")).unwrap();
        }
    });
}
