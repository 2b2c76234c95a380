//! What these engines must do beside what every engine must: a statement that is stopped leaves nothing, a MERGE of nothing
//! is no write, and a session has a time zone.

use super::{ALL, SPARK};
use crate::engines::{alone, database, has_transactions};
use idemsql::dialect::types::Type;
use idemsql::engine::value::Value;
use idemsql::engine::{Database, Engine, TableName};
use std::time::{Duration, Instant};

/// Runs the check on each engine that was asked for, with a table of three rows in a schema of its own.
fn on_each(check: impl Fn(&dyn Database, &mut dyn Engine)) {
    for product in &ALL {
        let _alone = alone(product.name);
        let Some(database) = database(product.name) else { continue };
        let mut session = database.session().unwrap();
        session.drop_schema("contract").unwrap();
        session.create_schema("contract").unwrap();
        let key = if product.name == SPARK { "" } else { ", UNIQUE (k)" };
        session.run_script(&format!("CREATE TABLE contract.t (k BIGINT NOT NULL, v VARCHAR(20){key});")).unwrap();
        session.run_script("INSERT INTO contract.t VALUES (1, 'a'), (2, NULL), (3, 'it''s');").unwrap();
        check(&*database, &mut *session);
        session.drop_schema("contract").unwrap();
    }
}

/// The one cell of a query.
fn one(session: &mut dyn Engine, sql: &str) -> String {
    session.query(sql).unwrap().rows[0][0].clone().unwrap()
}

const COUNT: &str = "SELECT COUNT(*) FROM contract.t";

/// Waits until something is so.
fn until(mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(60), "still not so");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn engines_a_merge_of_nothing_is_no_write() {
    on_each(|_, session| {
        let table = TableName { schema: Some("contract"), name: "t" };
        let before = session.physical(table).unwrap();
        let merge = "MERGE INTO contract.t AS t USING (SELECT k, v FROM contract.t) AS b ON t.k = b.k \
                     WHEN MATCHED AND t.v IS DISTINCT FROM b.v THEN UPDATE SET v = b.v \
                     WHEN NOT MATCHED THEN INSERT (k, v) VALUES (b.k, b.v)";
        session.run_script(merge).unwrap();
        let writes = session.physical(table).unwrap().since(&before);
        assert!(writes.is_quiet(), "{}: {writes}", session.name());
    });
}

#[test]
fn engines_a_stopped_transaction_is_gone() {
    on_each(|database, other| {
        if !has_transactions(other.name()) {
            return;
        }
        let mut stopped = database.session().unwrap();
        let stop = stopped.stopper().unwrap();
        stopped.run_script("START TRANSACTION; INSERT INTO contract.t (k) VALUES (7)").unwrap();
        stop().unwrap();
        assert!(stopped.query(COUNT).is_err());
        // The key is free again as soon as the stopped session has been rolled back.
        until(|| other.run_script("INSERT INTO contract.t (k) VALUES (7)").is_ok());
    });
}

/// The statement would run for a long time, and write many rows. It is stopped while it is planned, and while it runs.
#[test]
fn engines_a_stopped_statement_is_gone() {
    on_each(|database, other| {
        for after in [20, 500] {
            let mut stopped = database.session().unwrap();
            let stop = stopped.stopper().unwrap();
            let many = match stopped.name() {
                "h2" => "SELECT a.x, 'x' FROM SYSTEM_RANGE(10, 100000000) AS a",
                "hsqldb" => {
                    "SELECT 3000 * a.n + b.n, 'x' FROM UNNEST(SEQUENCE_ARRAY(10, 3000, 1)) AS a (n) \
                     CROSS JOIN UNNEST(SEQUENCE_ARRAY(1, 2999, 1)) AS b (n)"
                }
                _ => "SELECT a.id + b.id, 'x' FROM range(1000000) AS a CROSS JOIN range(1000000) AS b",
            };
            let running = std::thread::spawn(move || stopped.run_script(&format!("INSERT INTO contract.t {many}")));
            std::thread::sleep(Duration::from_millis(after));
            stop().unwrap();
            assert!(running.join().unwrap().is_err());
            until(|| one(other, COUNT) == "3");
        }
        until(|| other.run_script("INSERT INTO contract.t VALUES (8, 'x')").is_ok());
        assert_eq!(one(other, COUNT), "4", "{}", other.name());
    });
}

#[test]
fn engines_sessions_have_a_time_zone() {
    on_each(|_, session| {
        let clock = match session.name() {
            SPARK => "SELECT localtimestamp()",
            _ => "VALUES (LOCALTIMESTAMP)",
        };
        let mut clock = |hours: i8| {
            session.use_time_zone(hours).unwrap();
            match Value::parse(&one(session, clock), &Type::Timestamp).unwrap() {
                Value::Timestamp(at) => at,
                other => panic!("{other}"),
            }
        };
        let (east, greenwich) = (clock(7), clock(0));
        let hours = east.duration_since(greenwich).as_secs_f64() / 3600.0;
        assert!((6.9..7.1).contains(&hours), "{hours} hours");
    });
}
