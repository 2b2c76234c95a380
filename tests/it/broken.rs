//! Proves the prover: loads that are broken on purpose, each of which must be found, for the right reason, on the engine
//! where its fault shows; and beside each our own SQL for the same spec, which must hold there. See `fixtures/broken`.

mod case;
mod table;

use crate::engines::{alone, database};
use crate::support::cases;
use case::{Case, GUARANTEES, ROOT};
use idemsql::diagnostic::Source;
use idemsql::dialect;
use idemsql::engine::Database;
use idemsql::plan::Plan;
use idemsql::verify::{Asked, Lab, Outcome, Scenarios, Subject, judge};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was found broken: for each guarantee the message.
type Found = BTreeMap<&'static str, String>;

/// G1, G2 and G3 must be broken as a case says and not otherwise; of the others at least those.
const EXACT: [&str; 3] = ["G1", "G2", "G3"];

/// What a message about a load that stopped says before the engine's own message.
const STOPPED: &str = "the engine refused the load: ";

/// The cases whose names hold `BROKEN_CASE`, or all.
fn catalogue() -> Vec<Case> {
    let only = std::env::var("BROKEN_CASE").unwrap_or_default();
    cases(ROOT).iter().filter(|name| name.contains(&only)).map(|name| Case::read(name)).collect()
}

/// What is broken in a load.
fn judged(subject: &Subject, scenarios: &Scenarios, database: &dyn Database, guarantees: &[&str]) -> Found {
    let prefix = format!("idemsql_broken_{}", std::process::id());
    let mut lab = Lab::new(database, subject, &prefix, &scenarios.tables()).unwrap();
    let found = judge(&mut lab, scenarios, Asked { guarantees, shrink: false }, &mut |_, _| {});
    lab.close().unwrap();
    let broken = found.unwrap().verdicts.into_iter().filter_map(|verdict| match verdict.outcome {
        Outcome::Broken { fault, scenario } => {
            Some((verdict.guarantee.code, format!("{}, {}: {}", scenario.name, fault.steps, fault.found)))
        }
        _ => None,
    });
    broken.collect()
}

/// SQL that is not ours, as `verify --sql --setup` takes it.
fn foreign(plan: &Plan, sql: &str, setup: Option<&str>) -> Subject {
    let source = |text: &str| Arc::new(Source::new("load.sql", text.to_owned()));
    Subject::given(Some(plan), &source(sql), setup.map(source).as_ref(), plan.dialect)
        .unwrap_or_else(|faults| panic!("{faults:#?}\n{sql}"))
}

/// What is wrong with the catalogue on one engine: faults that were not found, and promises of ours that do not hold.
fn faults(database: &dyn Database) -> Vec<String> {
    let mut faults = Vec::new();
    let dialect = dialect::find(database.session().unwrap().dialect()).unwrap();
    for case in catalogue() {
        let Some(expected) = case.breaks.get(dialect.name) else { continue };
        let plan = case.plan(dialect);
        let scenarios = case.scenarios(&plan);
        let place = format!("{}, {}", case.name, dialect.name);
        let setup = case.file(&format!("setup.{}.sql", dialect.name));
        let load = case.file(&format!("load.{}.sql", dialect.name)).unwrap();
        // What the spec does not promise, `verify` cannot find broken.
        let promised = plan.promises.iter().filter(|promise| promise.given).map(|promise| promise.guarantee.name);
        let promised: Vec<&str> = promised.collect();
        for (code, _) in GUARANTEES.iter().filter(|(code, name)| expected.contains(*code) && !promised.contains(name)) {
            faults.push(format!("{place}: {code} is not promised by the spec"));
        }
        let asked: Vec<&str> = GUARANTEES
            .iter()
            .filter(|(code, name)| promised.contains(name) && (EXACT.contains(code) || expected.contains(*code)))
            .map(|(_, name)| *name)
            .collect();
        let found = judged(&foreign(&plan, &load, setup.as_deref()), &scenarios, database, &asked);
        let wanted: Vec<&str> = expected.iter().map(String::as_str).collect();
        if wanted != found.keys().copied().collect::<Vec<_>>() {
            faults.push(format!("{place}: {wanted:?} must be broken, and found is {found:#?}"));
        }
        for shown in case.shows.iter().filter(|shown| shown.dialect.as_ref().is_none_or(|name| name == dialect.name)) {
            if !found.get(shown.guarantee.as_str()).is_some_and(|message| message.contains(&shown.text)) {
                faults.push(format!("{place}: the message of {} has no `{}`: {found:#?}", shown.guarantee, shown.text));
            }
        }
        let rendered = case.rendered(&plan);
        let ours = match setup.as_deref().filter(|_| case.twin_on_setup) {
            Some(setup) => foreign(&plan, &rendered, Some(setup)),
            None => Subject::rendered(&plan, &rendered),
        };
        let held = judged(&ours, &scenarios, database, &asked);
        // What our SQL refuses it refuses in the first run, and it does nothing else that is wrong.
        let refused = held.get("G3").is_some_and(|message| message.contains(STOPPED));
        if !(if case.twin_refuses { refused } else { held.is_empty() }) {
            faults.push(format!("{place}: our own SQL breaks {held:#?}\n{rendered}"));
        }
        if let Some(twin) = case.file(&format!("twin.{}.sql", dialect.name)) {
            let held = judged(&foreign(&plan, &twin, setup.as_deref()), &scenarios, database, &asked);
            if !held.is_empty() {
                faults.push(format!("{place}: the twin breaks {held:#?}"));
            }
        }
    }
    faults
}

fn on(engine: &str) {
    let Some(database) = database(engine) else {
        eprintln!("{engine}: not run, nobody asked for it");
        return;
    };
    let _alone = alone(engine);
    let faults = faults(&*database);
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn broken_loads_are_found_on_sqlite() {
    on("sqlite");
}

#[test]
fn engines_broken_loads_are_found_on_postgres() {
    on("postgres");
}

#[test]
fn engines_broken_loads_are_found_on_mariadb() {
    on("mariadb");
}

#[test]
fn engines_broken_loads_are_found_on_mysql() {
    on("mysql");
}

#[test]
fn engines_broken_loads_are_found_on_duckdb() {
    on("duckdb");
}
