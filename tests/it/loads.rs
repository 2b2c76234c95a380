//! Every fixture and every strategy, run three times on a real engine and compared with the reference model.
//!
//! SQLite is in the program. The servers run when they are asked for (`tests/all` does): an engine that is asked for and
//! cannot be had is a failure.

use crate::support::{cases, spec, table_for};
use idemsql::dialect;
use idemsql::engine::Engine;
use idemsql::engine::sqlite::Sqlite;
use idemsql::plan::{Plan, plan};
use idemsql::render::render;
use idemsql::strategy;
use idemsql::verify::{Scenario, generated, run};

/// The plans of a case for a dialect: of every strategy that can be planned for it.
pub fn plans(case: &str, dialect: &str) -> Vec<Plan> {
    let dialect = dialect::find(dialect).unwrap();
    let spec = spec(case);
    let mut all = Vec::new();
    for table in spec.tables() {
        let table = table_for(table, dialect.name).unwrap_or_else(|faults| panic!("{case}: {faults:#?}"));
        all.extend(strategy::ALL.iter().filter_map(|strategy| plan(&table, dialect, Some(strategy)).ok()));
    }
    all
}

/// Runs every fixture with every strategy and gives what went wrong.
pub fn faults(dialect: &str, fresh: &mut dyn FnMut() -> Box<dyn Engine>) -> Vec<String> {
    let mut faults = Vec::new();
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
                match run(&plan, &sql, &scenario, &mut *fresh()) {
                    Err(fault) => faults.push(format!("{place}: {fault:#}")),
                    Ok(trial) => {
                        for (batch, load) in trial.loads.iter().enumerate() {
                            for (number, run) in load.runs.iter().enumerate() {
                                for fault in &run.faults {
                                    faults.push(format!("{place}, batch {batch}, run {number}: {fault:?}\n{sql}"));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(tried > 100, "only {tried} trials were run");
    faults
}

fn scenarios(_case: &str, plan: &Plan) -> Vec<Scenario> {
    generated(plan, 1).unwrap_or_default()
}

#[test]
fn every_fixture_and_strategy_holds_on_sqlite() {
    let faults = faults("sqlite", &mut || Box::new(Sqlite::in_memory().unwrap()));
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.iter().take(12).cloned().collect::<Vec<_>>().join("\n\n"));
}
