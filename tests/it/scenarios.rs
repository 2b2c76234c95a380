//! The rows that are made up for the fixtures: they fit their tables, and batches that commute do so on a real engine.

use crate::support::{cases, spec};
use idemsql::dialect;
use idemsql::engine::value::{Row, Value};
use idemsql::engine::{self, EMBEDDED};
use idemsql::plan::{Plan, Staged, plan};
use idemsql::render::render;
use idemsql::strategy;
use idemsql::verify::{Given, Lab, Scenario, Scenarios, Subject, commuting, generated, given, large, trial};
use std::collections::BTreeSet;

/// The plans of every fixture and strategy for a dialect, with the names of their cases.
fn plans(dialect: &str) -> Vec<(String, Plan)> {
    let dialect = dialect::find(dialect).unwrap();
    let mut all = Vec::new();
    for case in cases("fixtures/load") {
        let spec = spec(&case);
        for table in spec.tables() {
            let table = table.for_dialect(dialect.name).unwrap();
            let plans = strategy::ALL.iter().filter_map(|strategy| plan(&table, dialect, Some(strategy)).ok());
            all.extend(plans.map(|plan| (case.clone(), plan)));
        }
    }
    all
}

/// True when a load promises that a second run changes nothing.
fn promises_rerun(plan: &Plan) -> bool {
    plan.promises.iter().any(|promise| promise.guarantee.name == "rerun" && promise.given)
}

/// The rows of a scenario, each with the names of its columns.
fn tables(scenario: &Scenario) -> impl Iterator<Item = (Vec<&str>, &Vec<Row>)> {
    let before = std::iter::once((&scenario.before.columns, &scenario.before.rows));
    let staged = scenario.batches.iter().flatten().map(|staging| (&staging.columns, &staging.rows));
    before.chain(staged).map(|(columns, rows)| (columns.iter().map(|(name, _)| name.as_str()).collect(), rows))
}

#[test]
fn made_up_rows_fit_the_tables_of_every_fixture() {
    for name in ["sqlite", "postgres"] {
        for (case, plan) in plans(name) {
            if matches!(plan.staged, Staged::Query(_)) {
                assert!(generated(&plan, 1).is_err() && commuting(&plan, 1).is_err() && large(&plan, 8, 1).is_err());
                continue;
            }
            let mut all = generated(&plan, 1).unwrap();
            let names: BTreeSet<_> = all.iter().map(|scenario| scenario.name.clone()).collect();
            assert_eq!(names.len(), all.len(), "{case}");
            assert!(all.len() > 3, "{case} has {} scenarios", all.len());
            all.extend(commuting(&plan, 1).unwrap());
            all.push(large(&plan, 40, 1).unwrap());
            for scenario in &all {
                for (columns, rows) in tables(scenario) {
                    for (at, column) in columns.iter().enumerate() {
                        let known = plan.columns.iter().find(|known| known.name == *column);
                        let is_null = rows.iter().any(|row| row[at].is_null());
                        let nullable = known.is_none_or(|known| known.nullable);
                        assert!(nullable || !is_null, "{case}, {}: `{column}` is null", scenario.name);
                    }
                }
            }
        }
    }
}

#[test]
fn every_column_of_every_fixture_gets_more_than_one_value() {
    for (case, plan) in plans("postgres") {
        let Ok(all) = generated(&plan, 1) else { continue };
        for staged in all.iter().flat_map(|scenario| &scenario.batches).flatten().take(1) {
            for (at, (name, _)) in staged.columns.iter().enumerate() {
                let stagings = all.iter().flat_map(|scenario| &scenario.batches).flatten();
                let values: BTreeSet<&Value> = stagings.flat_map(|staging| &staging.rows).map(|row| &row[at]).collect();
                assert!(values.len() > 1, "{case}: `{name}` is always {values:?}");
            }
        }
    }
}

/// A load whose next run reads further back than the last one: the newest row is moved, deleted or replaced with its group,
/// and a row that came too late for the first run is read by the second. Nothing is promised about such a second run.
#[test]
fn a_high_watermark_that_falls_is_why_a_second_run_is_not_promised_to_be_quiet() {
    let at = |time: &str| format!("2024-10-27 {time}:00");
    let (ten, nine_fifty, nine_forty, five) = (at("10:00"), at("09:50"), at("09:40"), at("05:00"));
    for (case, strategy, before, table, batch) in [
        (
            "bookings",
            "upsert",
            "booking_id,travel_day,seat,changed_at,first_loaded_on\n\
             1,2024-05-20,1A,2024-05-01 10:00:00,2024-05-01\n"
                .to_owned(),
            "raw.bookings",
            "booking_id,travel_day,seat,changed_at\n\
             1,2024-05-17,1A,2024-05-02 10:00:00\n2,2024-05-15,2A,2024-05-01 10:00:00\n"
                .to_owned(),
        ),
        (
            "subscriptions",
            "upsert",
            format!("email,plan,changed_at,loaded_at,loaded_instant\na,x,{ten},{ten},{ten}\nb,x,{five},{ten},{ten}\n"),
            "raw.subscriptions",
            format!("email,plan,changed_at,cancelled_at:timestamp\na,x,{ten},{ten}\nb,y,{},\n", at("06:00")),
        ),
        (
            "order_lines",
            "delete_insert",
            format!("order_id,line_no,sku,quantity,changed_at\n1,1,A,1,{ten}\n2,1,B,1,{five}\n"),
            "raw.order_lines",
            format!("order_id,line_no,sku,quantity,changed_at\n1,2,A,1,{nine_fifty}\n2,1,B,2,{nine_forty}\n"),
        ),
    ] {
        let all = plans("sqlite");
        let (_, plan) = all.iter().find(|(name, plan)| name == case && plan.strategy.name == strategy).unwrap();
        let sql = render(plan, &[]).unwrap();
        let subject = Subject::rendered(plan, &sql);
        for promise in ["rerun", "quiet", "order", "split", "crash"] {
            assert!(!subject.promises(promise), "{case}: {promise}");
        }
        let rows = Given { before: Some(before), batches: vec![[(table.to_owned(), batch)].into()] };
        let scenario = given(plan, &rows).unwrap();
        let staged = Scenarios { plain: vec![scenario.clone()], ..Scenarios::default() }.tables();
        let database = engine::open(EMBEDDED).unwrap();
        let mut lab = Lab::new(&*database, &subject, "idemsql_watermark", &staged).unwrap();
        let trial = trial(&mut lab, &scenario).unwrap();
        lab.close().unwrap();
        let changed = |run: usize| {
            let run = &trial.loads[0].runs[run];
            run.inserted + run.updated + run.deleted
        };
        assert!(changed(0) > 0 && changed(1) > 0, "{case}: {trial:#?}");
        assert!(trial.loads[0].runs.iter().all(|run| run.faults.is_empty()), "{case}: {trial:#?}");
        // Nothing is deleted and no group is replaced by the strategy that only inserts.
        if let Some((_, plan)) = all.iter().find(|(name, plan)| name == case && plan.strategy.insert_only) {
            assert!(promises_rerun(plan), "{case}");
        }
    }
    for (case, plan) in
        plans("sqlite").iter().filter(|(case, _)| ["orders", "ledger", "daily_sales"].contains(&&**case))
    {
        assert!(promises_rerun(plan), "{case}: the version is the window's column, or a key that never changes");
    }
}
