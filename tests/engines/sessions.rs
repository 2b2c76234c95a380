//! What sessions are, on each engine that we have a driver for: they see what the others committed, keep a transaction open
//! until it is ended, and take with them what they did not commit.

use super::{alone, database, open};
use idemsql::engine::{Database, Engine, TableName};
use std::thread;
use std::time::{Duration, Instant};

/// The engines that we have a driver for.
const NAMES: &[&str] = &["duckdb", "mariadb", "mysql", "postgres", "sqlite"];

/// A session that knows the schema.
fn session(database: &dyn Database, schema: &str) -> Box<dyn Engine> {
    let mut session = database.session().unwrap();
    session.create_schema(schema).unwrap();
    session
}

/// Runs the check on the database of each engine that was asked for, with an empty schema of its own that has a table of
/// one row.
fn on_each_database(schema: &str, check: impl Fn(&dyn Database, &str)) {
    for name in NAMES {
        let _alone = alone(name);
        let Some(database) = database(name) else { continue };
        let mut first = database.session().unwrap();
        first.drop_schema(schema).unwrap();
        first.create_schema(schema).unwrap();
        first
            .run_script(&format!(
                "CREATE TABLE {schema}.t (k BIGINT NOT NULL PRIMARY KEY); INSERT INTO {schema}.t VALUES (1)"
            ))
            .unwrap();
        drop(first);
        check(database.as_ref(), &format!("{schema}.t"));
        database.session().unwrap().drop_schema(schema).unwrap();
    }
}

/// The cells of the first column.
fn keys(session: &mut dyn Engine, table: &str) -> Vec<String> {
    let rows = session.query(&format!("SELECT k FROM {table} ORDER BY k")).unwrap().rows;
    rows.into_iter().map(|mut row| row.remove(0).unwrap()).collect()
}

#[test]
fn sessions_see_what_the_others_committed() {
    on_each_database("contract_sessions", |database, table| {
        let (mut one, mut two) = (session(database, "contract_sessions"), session(database, "contract_sessions"));
        let name = one.name();
        assert!(keys(&mut *two, table) == ["1"], "{name}");
        one.execute(&format!("INSERT INTO {table} VALUES (2)")).unwrap();
        assert_eq!(keys(&mut *two, table), ["1", "2"], "{name}");
        two.execute(&format!("INSERT INTO {table} VALUES (3)")).unwrap();
        assert_eq!(keys(&mut *one, table), ["1", "2", "3"], "{name}");
    });
}

#[test]
fn a_transaction_stays_open_until_it_is_ended() {
    on_each_database("contract_transactions", |database, table| {
        let (mut one, mut two) =
            (session(database, "contract_transactions"), session(database, "contract_transactions"));
        let name = one.name();
        one.execute("BEGIN").unwrap();
        one.execute(&format!("INSERT INTO {table} VALUES (2)")).unwrap();
        assert_eq!(keys(&mut *one, table), ["1", "2"], "{name}");
        assert_eq!(keys(&mut *two, table), ["1"], "{name}: the transaction was committed");
        one.rollback().unwrap();
        assert_eq!(keys(&mut *one, table), ["1"], "{name}: the transaction was not undone");
        // There is none now.
        one.rollback().unwrap();
        one.execute("BEGIN").unwrap();
        one.execute(&format!("INSERT INTO {table} VALUES (3)")).unwrap();
        one.execute("COMMIT").unwrap();
        one.rollback().unwrap();
        assert_eq!(keys(&mut *two, table), ["1", "3"], "{name}");
    });
}

#[test]
fn schemas_are_made_and_removed_any_number_of_times() {
    on_each_database("contract_schemas", |database, table| {
        let mut engine = session(database, "contract_schemas");
        let name = engine.name();
        engine.create_schema("contract_schemas").unwrap();
        assert_eq!(keys(&mut *engine, table), ["1"], "{name}");
        engine.drop_schema("contract_schemas").unwrap();
        engine.drop_schema("contract_schemas").unwrap();
        engine.create_schema("contract_schemas").unwrap();
        assert!(engine.query(&format!("SELECT k FROM {table}")).is_err(), "{name}: the table is still there");
    });
}

#[test]
fn names_without_a_schema_are_those_of_the_schema_in_use() {
    on_each_database("contract_used", |database, table| {
        let mut engine = session(database, "contract_used");
        let name = engine.name();
        engine.drop_schema("contract_other").unwrap();
        engine.create_schema("contract_other").unwrap();
        engine.use_schema("contract_other").unwrap();
        engine.run_script("CREATE TABLE u (k BIGINT); INSERT INTO u VALUES (7)").unwrap();
        assert_eq!(keys(&mut *engine, "u"), ["7"], "{name}");
        let here = TableName { schema: None, name: "u" };
        assert_eq!(engine.physical(here).unwrap().versions.len() - made(name), 1, "{name}");
        // SQLite looks a name up in every schema, beginning with its own `main`.
        if name != "sqlite" {
            assert_eq!(keys(&mut *engine, "contract_other.u"), ["7"], "{name}");
            assert!(engine.query("SELECT k FROM t").is_err(), "{name}: `t` is found in another schema");
        }
        engine.use_schema("contract_used").unwrap();
        assert_eq!(keys(&mut *engine, "t"), keys(&mut *engine, table), "{name}");
        engine.drop_schema("contract_other").unwrap();
    });
}

/// How many versions of an engine are those of the table itself, and not of its rows.
fn made(name: &str) -> usize {
    usize::from(matches!(name, "mariadb" | "mysql"))
}

/// A statement that runs for longer than any test.
fn endless(name: &str) -> &'static str {
    match name {
        "postgres" => "SELECT pg_sleep(600)",
        "mariadb" | "mysql" => "SELECT SLEEP(600)",
        "duckdb" => "SELECT SUM(a.range % 7 + b.range % 5) FROM range(100000000) AS a, range(100000000) AS b",
        _ => "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c WHERE n < 0",
    }
}

#[test]
fn a_session_that_is_stopped_ends_and_takes_its_transaction_with_it() {
    on_each_database("contract_stopped", |database, table| {
        for running in [true, false] {
            let mut one = session(database, "contract_stopped");
            let (name, stop) = (one.name(), one.stopper().unwrap());
            one.execute("BEGIN").unwrap();
            one.execute(&format!("INSERT INTO {table} VALUES (2)")).unwrap();
            let begun = Instant::now();
            if running {
                let stopper = thread::spawn(move || {
                    thread::sleep(Duration::from_millis(300));
                    stop().unwrap();
                });
                let fault = one.query(endless(name)).unwrap_err();
                stopper.join().unwrap();
                eprintln!("{name}, while it worked: {fault:#}");
            } else {
                stop().unwrap();
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{name}: it was not stopped");
            let fault = one.execute("SELECT 1").unwrap_err();
            eprintln!("{name}, afterwards: {fault:#}");
            for call in [one.run_script("SELECT 1"), one.rollback(), one.query("SELECT 1").map(|_| ())] {
                assert!(call.is_err(), "{name}: the session goes on");
            }
            // It need not be dropped for that.
            let mut two = session(database, "contract_stopped");
            assert_eq!(keys(&mut *two, table), ["1"], "{name}: what was not committed is there");
            two.run_script(&format!("INSERT INTO {table} VALUES (2); DELETE FROM {table} WHERE k = 2")).unwrap();
        }
    });
}

#[test]
fn a_connection_to_postgres_is_encrypted_as_its_url_says() {
    let Ok(url) = std::env::var("IDEMSQL_TEST_POSTGRES") else { return };
    let (url, _) = url.split_once('?').unwrap();
    for (mode, encrypted) in [("", "t"), ("?sslmode=prefer", "t"), ("?sslmode=require", "t"), ("?sslmode=disable", "f")]
    {
        let mut engine = idemsql::engine::open(&format!("{url}{mode}")).unwrap().session().unwrap();
        let rows = engine.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").unwrap().rows;
        assert_eq!(rows, [[Some(encrypted.to_owned())]], "{mode}");
    }
}

#[test]
fn what_only_a_mysql_server_spells_is_read() {
    for name in ["mariadb", "mysql"] {
        let _alone = alone(name);
        let Some(mut engine) = open(name) else { continue };
        let sql = "CREATE TEMPORARY TABLE spelled (a BIT(9), b JSON, c BINARY(2), d TIMESTAMP NULL, e ENUM('x', 'y'), f TIME(3), \
                   g DECIMAL(40, 10), h TINYINT(1), i VARCHAR(9)); \
                   INSERT INTO spelled VALUES (b'100000001', '{\"a\": 1}', x'00ff', '2024-01-31 12:00:00', 'y', '10:00:00.25', \
                   123456789012345678901234567890.5, true, '\\\\東')";
        engine.run_script(sql).unwrap();
        let row = engine.query("SELECT * FROM spelled").unwrap().rows.remove(0);
        let texts: Vec<_> = row.iter().map(|cell| cell.as_deref().unwrap()).collect();
        let expected = [
            "257",
            "{\"a\": 1}",
            "\\x00FF",
            "2024-01-31 12:00:00+00:00",
            "y",
            "10:00:00.250",
            "123456789012345678901234567890.5000000000",
            "1",
            "\\東",
        ];
        assert_eq!(texts, expected, "{name}");
        // The error of a later statement is not lost.
        assert!(engine.execute("SELECT 1; SELECT * FROM nowhere_at_all").is_err(), "{name}");
    }
}

#[test]
fn an_attempt_that_changes_nothing_is_no_write_on_a_mysql_server() {
    for name in ["mariadb", "mysql"] {
        let _alone = alone(name);
        let Some(mut engine) = open(name) else { continue };
        engine.drop_schema("contract_attempts").unwrap();
        engine.create_schema("contract_attempts").unwrap();
        let script = "CREATE TABLE contract_attempts.t (k BIGINT PRIMARY KEY, v VARCHAR(9)); \
                      INSERT INTO contract_attempts.t VALUES (1, 'a'), (2, 'b')";
        engine.run_script(script).unwrap();
        let table = TableName { schema: Some("contract_attempts"), name: "t" };
        for (quiet, sql) in [
            (true, "UPDATE {t} SET v = 'a' WHERE k = 1"),
            (true, "INSERT INTO {t} VALUES (1, 'a') ON DUPLICATE KEY UPDATE v = 'a'"),
            (true, "INSERT IGNORE INTO {t} VALUES (1, 'x')"),
            (true, "BEGIN; UPDATE {t} SET v = v; COMMIT"),
            // MariaDB turns it into an update, of which nothing is left to write.
            (name == "mariadb", "REPLACE INTO {t} VALUES (1, 'a')"),
            (false, "BEGIN; DELETE FROM {t} WHERE k = 1; INSERT INTO {t} VALUES (1, 'a'); COMMIT"),
            (false, "UPDATE {t} SET v = 'x' WHERE k = 1; UPDATE {t} SET v = 'a' WHERE k = 1"),
            (false, "TRUNCATE {t}; INSERT INTO {t} VALUES (1, 'a'), (2, 'b')"),
        ] {
            let before = engine.physical(table).unwrap();
            engine.run_script(&sql.replace("{t}", "contract_attempts.t")).unwrap();
            let writes = engine.physical(table).unwrap().since(&before);
            assert_eq!(writes.is_quiet(), quiet, "{name}: {sql}: {writes}");
        }
        engine.drop_schema("contract_attempts").unwrap();
    }
}
