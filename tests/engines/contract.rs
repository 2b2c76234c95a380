//! What every engine must do for a verification to mean something: no write goes unseen, nothing else looks like a write,
//! values come back as they went in, and no transaction survives an error.

use super::{NAMES, open};
use idemsql::dialect::types::Type;
use idemsql::engine::value::Value;
use idemsql::engine::{Engine, TableName};

/// Runs the check in a schema of its own on each engine that was asked for, with a table of one row per type.
fn on_each(schema: &str, check: impl Fn(&mut dyn Engine, &str)) {
    for name in NAMES {
        let Some(mut engine) = open(name) else { continue };
        if *name == "mariadb" || *name == "postgres" {
            let cascade = if *name == "postgres" { " CASCADE" } else { "" };
            engine.run_script(&format!("DROP SCHEMA IF EXISTS {schema}{cascade}")).unwrap();
        }
        engine.create_schema(schema).unwrap();
        let table = format!("{schema}.t");
        engine
            .run_script(&format!(
                "CREATE TABLE {table} (k BIGINT NOT NULL PRIMARY KEY, v VARCHAR(20), d DECIMAL(12,2));\n\
                 INSERT INTO {table} VALUES (1, 'a', 10.50), (2, NULL, NULL), (3, 'it''s 東京', -0.01);"
            ))
            .unwrap();
        check(engine.as_mut(), &table);
    }
}

#[test]
fn values_come_back_as_they_went_in() {
    on_each("contract_values", |engine, table| {
        let types = ["bigint", "varchar(20)", "decimal(12,2)"].map(|ty| Type::parse(ty).unwrap());
        let rows = engine.query(&format!("SELECT k, v, d FROM {table} ORDER BY k")).unwrap();
        assert_eq!(rows.columns, ["k", "v", "d"], "{}", engine.name());
        let decimal = |text| Value::parse(text, &types[2]).unwrap();
        let expected = [
            vec![1.into(), "a".into(), decimal("10.5")],
            vec![2.into(), Value::Null, Value::Null],
            vec![3.into(), "it's 東京".into(), decimal("-0.01")],
        ];
        assert_eq!(rows.typed(&types).unwrap(), expected, "{}", engine.name());
        assert!(!engine.version().unwrap().is_empty());
    });
}

#[test]
fn times_come_back_as_they_went_in() {
    on_each("contract_times", |engine, table| {
        // SQLite keeps times as text; MariaDB's TIMESTAMP is an instant, here in UTC.
        let (instant, bytes) = match engine.name() {
            "mariadb" => ("TIMESTAMP(6)", "BLOB"),
            "postgres" => ("TIMESTAMPTZ", "BYTEA"),
            "duckdb" => ("TIMESTAMPTZ", "BLOB"),
            _ => ("TEXT", "BLOB"),
        };
        let text = match engine.name() {
            "mariadb" => "2024-01-31 12:00:00.5",
            _ => "2024-01-31 14:00:00.5+02:00",
        };
        let moment = if engine.name() == "mariadb" { "DATETIME(6)" } else { "TIMESTAMP" };
        let literal = match engine.name() {
            "postgres" => "'\\x41ff'",
            "duckdb" => "'\\x41\\xFF'",
            _ => "x'41ff'",
        };
        engine
            .run_script(&format!(
                "CREATE TABLE {table}2 (a {instant}, b {moment}, c DATE, d {bytes}, e DOUBLE PRECISION, f BOOLEAN);\n\
                 INSERT INTO {table}2 VALUES ('{text}', '2024-01-31 12:00:00.25', '2024-02-29', {literal}, 0.1, true);"
            ))
            .unwrap();
        let types = ["timestamptz", "timestamp", "date", "bytes", "double", "bool"].map(|ty| Type::parse(ty).unwrap());
        let texts = ["2024-01-31 12:00:00.5Z", "2024-01-31 12:00:00.25", "2024-02-29", "41ff", "0.1", "true"];
        let expected: Vec<_> = texts.iter().zip(&types).map(|(text, ty)| Value::parse(text, ty).unwrap()).collect();
        let rows = engine.query(&format!("SELECT * FROM {table}2")).unwrap().typed(&types).unwrap();
        assert_eq!(rows, [expected], "{}", engine.name());
    });
}

#[test]
fn every_write_is_seen_and_nothing_else() {
    on_each("contract_writes", |engine, table| {
        let name = TableName { schema: table.split('.').next(), name: "t" };
        let mut quiet = |sql: &str| {
            let before = engine.physical(name).unwrap();
            engine.run_script(&sql.replace("{t}", table)).unwrap();
            let writes = engine.physical(name).unwrap().since(&before);
            (writes.is_quiet(), format!("{}: {sql}: {writes}", engine.name()))
        };
        for sql in ["SELECT * FROM {t}", "UPDATE {t} SET v = 'x' WHERE k = 9", "DELETE FROM {t} WHERE k = 9"] {
            let (quiet, message) = quiet(sql);
            assert!(quiet, "{message}");
        }
        let (staged, message) = quiet("CREATE TEMPORARY TABLE b (k BIGINT); INSERT INTO b VALUES (1); DROP TABLE b");
        assert!(staged, "{message}");
        for sql in [
            "DELETE FROM {t} WHERE k = 1; INSERT INTO {t} VALUES (1, 'a', 10.50)",
            "UPDATE {t} SET v = 'b' WHERE k = 1",
            "INSERT INTO {t} VALUES (4, 'd', NULL)",
            "DELETE FROM {t} WHERE k = 4",
        ] {
            let (quiet, message) = quiet(sql);
            assert!(!quiet, "{message}");
        }
    });
}

#[test]
fn an_error_leaves_no_transaction_open() {
    on_each("contract_errors", |engine, table| {
        let script = format!("BEGIN; DELETE FROM {table} WHERE k = 1; INSERT INTO {table} (k) VALUES (2); COMMIT;");
        let error = engine.run_script(&script).unwrap_err().to_string().to_lowercase();
        assert!(error.contains("duplicate") || error.contains("unique"), "{}: {error}", engine.name());
        engine.run_script("BEGIN; COMMIT;").unwrap();
        let rows = engine.query(&format!("SELECT k FROM {table}")).unwrap().rows;
        assert_eq!(rows.len(), 3, "{}: the deletion was kept", engine.name());
    });
}
