//! What every engine must do for a verification to mean something: no write goes unseen, nothing else looks like a write,
//! values come back as they went in, no transaction survives an error, and a session that is ended takes nothing with it.

use super::{NAMES, alone, bridge, database, has_transactions, open};
use idemsql::dialect::mechanism::{IndexNulls, Storage};
use idemsql::dialect::types::Type;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::value::Value;
use idemsql::engine::{Engine, TableName};

/// A column: name, type, and whether it takes null.
type Columns<'a> = &'a [(&'a str, &'a str, bool)];

/// The dialect of a session.
fn dialect_of(engine: &dyn Engine) -> &'static Dialect {
    dialect::find(engine.dialect()).unwrap()
}

/// The statement that makes a table, whose first column is its key where keys are kept.
fn table(dialect: &Dialect, name: &str, columns: Columns<'_>) -> String {
    let mut lines: Vec<String> = columns
        .iter()
        .map(|(name, ty, nullable)| {
            let null = if *nullable { dialect.null_column } else { " NOT NULL" };
            format!("{name} {}{null}", (dialect.type_name)(&Type::parse(ty).unwrap()))
        })
        .collect();
    let key = columns[0].0.to_owned();
    if dialect.index_nulls != IndexNulls::NotEnforced {
        lines.push(format!("UNIQUE ({key})"));
    }
    format!(
        "CREATE TABLE {name} ({}){}",
        lines.join(", "),
        (dialect.storage)(&Storage { key: &[key], nullable_key: false, version: None })
    )
}

/// The statement that puts a row into it.
fn insert(dialect: &Dialect, table: &str, columns: Columns<'_>, texts: &[Option<&str>]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.0).collect();
    let values: Vec<String> = columns
        .iter()
        .zip(texts)
        .map(|((_, ty, _), text)| {
            let ty = Type::parse(ty).unwrap();
            let value = text.map_or(Value::Null, |text| Value::parse(text, &ty).unwrap());
            dialect.literal(&value.literal(&ty).unwrap(), &ty)
        })
        .collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "))
}

/// The table of most tests.
const COLUMNS: Columns<'static> = &[("k", "bigint", false), ("v", "varchar(20)", true), ("d", "decimal(12,2)", true)];

/// Runs the check in a schema of its own on each engine that was asked for, with a table of three rows.
fn on_each(schema: &str, check: impl Fn(&mut dyn Engine, &str)) {
    for name in NAMES {
        let _alone = alone(name);
        let Some(mut engine) = open(name) else { continue };
        let table_name = filled(&mut *engine, schema);
        check(engine.as_mut(), &table_name);
    }
}

/// Makes the schema anew, with the table in it.
fn filled(engine: &mut dyn Engine, schema: &str) -> String {
    let dialect = dialect_of(engine);
    engine.drop_schema(schema).unwrap();
    engine.create_schema(schema).unwrap();
    let name = format!("{schema}.t");
    engine.run_script(&table(dialect, &name, COLUMNS)).unwrap();
    for row in
        [[Some("1"), Some("a"), Some("10.50")], [Some("2"), None, None], [Some("3"), Some("it's 東京"), Some("-0.01")]]
    {
        engine.run_script(&insert(dialect, &name, COLUMNS, &row)).unwrap();
    }
    name
}

#[test]
fn values_come_back_as_they_went_in() {
    on_each("contract_values", |engine, table| {
        let types = ["bigint", "varchar(20)", "decimal(12,2)"].map(|ty| Type::parse(ty).unwrap());
        let rows = engine.query(&format!("SELECT k, v, d FROM {table} ORDER BY k")).unwrap();
        // An engine may fold the case of a name.
        let names: Vec<_> = rows.columns.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(names, ["k", "v", "d"], "{}", engine.name());
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

/// The engines that count the rows of a change.
const COUNTING: &[&str] = &["sqlite", "postgres", "mariadb", "mysql", "duckdb", "h2", "hsqldb"];

#[test]
fn a_change_is_counted_by_the_rows_that_it_wrote() {
    on_each("contract_change", |engine, table| {
        if !COUNTING.contains(&engine.name()) {
            return;
        }
        let dialect = dialect_of(engine);
        let one = insert(dialect, table, COLUMNS, &[Some("4"), Some("b"), None]);
        let steps = [
            (one, 1),
            (format!("UPDATE {table} SET v = 'c' WHERE k > 1"), 3),
            (format!("UPDATE {table} SET v = 'd' WHERE k > 9"), 0),
            (format!("INSERT INTO {table} (k, v, d) SELECT k + 10, v, d FROM {table}"), 4),
            (format!("DELETE FROM {table} WHERE k > 10"), 4),
            (format!("DELETE FROM {table} WHERE k > 10"), 0),
        ];
        for (statement, rows) in steps {
            assert_eq!(engine.change(&statement).unwrap(), rows, "{}: {statement}", engine.name());
        }
        let taken = insert(dialect, table, COLUMNS, &[Some("1"), None, None]);
        assert!(engine.change(&taken).is_err(), "{}: {taken}", engine.name());
        let _ = engine.rollback();
    });
}

/// A value of each type.
const TYPES: [(&str, &str); 17] = [
    ("bool", "true"),
    ("smallint", "-7"),
    ("int", "2147483647"),
    ("bigint", "-9223372036854775807"),
    ("decimal(12,2)", "10.50"),
    ("real", "0.1"),
    ("double", "0.1"),
    ("text", "it's\n\"東京\"\\"),
    ("varchar(20)", " a "),
    ("char(3)", "ab"),
    ("bytes", "41ff"),
    ("date", "2024-02-29"),
    ("time", "12:30:00.25"),
    ("timestamp", "2024-01-31 12:00:00.25"),
    ("timestamptz", "2024-01-31 12:00:00.5+02:00"),
    ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("json", "{\"a\": [1, \"it's\"]}"),
];

#[test]
fn a_value_of_each_type_comes_back_as_it_went_in() {
    on_each("contract_types", |engine, name| {
        let dialect = dialect_of(engine);
        for (ty, text) in TYPES {
            // Databend has no time of day.
            if (engine.name(), ty) == ("databend", "time") {
                continue;
            }
            let place = format!("{}: {ty}", engine.name());
            let columns = [("n", "int", false), ("c", ty, true)];
            let name = format!("{name}_{}", ty.split('(').next().unwrap());
            engine.run_script(&table(dialect, &name, &columns)).unwrap_or_else(|fault| panic!("{place}: {fault:#}"));
            for row in [[Some("1"), Some(text)], [Some("2"), None]] {
                let insert = insert(dialect, &name, &columns, &row);
                engine.run_script(&insert).unwrap_or_else(|fault| panic!("{place}: {insert}: {fault:#}"));
            }
            let ty = Type::parse(ty).unwrap();
            let rows = engine.query(&format!("SELECT {} FROM {name} ORDER BY n", (dialect.shown)("c", &ty))).unwrap();
            let rows = rows.typed(std::slice::from_ref(&ty)).unwrap_or_else(|fault| panic!("{place}: {fault:#}"));
            assert_eq!(rows, [vec![Value::parse(text, &ty).unwrap()], vec![Value::Null]], "{place}");
        }
    });
}

#[test]
fn every_write_is_seen_and_nothing_else() {
    on_each("contract_writes", |engine, table| {
        let name = TableName { schema: table.split('.').next(), name: "t" };
        let (dialect, engine_name) = (dialect_of(engine), engine.name());
        let mut quiet = |sql: &str| {
            let before = engine.physical(name).unwrap();
            engine.run_script(&sql.replace("{t}", table)).unwrap();
            let writes = engine.physical(name).unwrap().since(&before);
            (writes.is_quiet(), format!("{}: {sql}: {writes}", engine.name()))
        };
        // Where rows are versions that are only ever added, no load updates or deletes.
        let changes = dialect.read_hint.is_empty();
        let idle = ["SELECT * FROM {t}", "UPDATE {t} SET v = 'x' WHERE k = 9", "DELETE FROM {t} WHERE k = 9"];
        for sql in &idle[..if changes { 3 } else { 1 }] {
            let (quiet, message) = quiet(sql);
            assert!(quiet, "{message}");
        }
        // An embedded Databend has no temporary tables.
        if dialect.script.and_then(|script| script.batch).is_some() && engine_name != "databend" {
            let (staged, message) =
                quiet("CREATE TEMPORARY TABLE b (k BIGINT); INSERT INTO b VALUES (1); DROP TABLE b");
            assert!(staged, "{message}");
        }
        let writes = [
            "INSERT INTO {t} VALUES (4, 'd', NULL)",
            "DELETE FROM {t} WHERE k = 1; INSERT INTO {t} VALUES (1, 'a', 10.50)",
            "UPDATE {t} SET v = 'b' WHERE k = 1",
            "DELETE FROM {t} WHERE k = 4",
        ];
        for sql in &writes[..if changes { 4 } else { 1 }] {
            let (quiet, message) = quiet(sql);
            assert!(!quiet, "{message}");
        }
    });
}

#[test]
fn an_error_leaves_no_transaction_open() {
    on_each("contract_errors", |engine, table| {
        if has_transactions(engine.name()) {
            let begin = dialect_of(engine).script.unwrap().begin;
            let script =
                format!("{begin}; DELETE FROM {table} WHERE k = 1; INSERT INTO {table} (k) VALUES (2); COMMIT;");
            let error = engine.run_script(&script).unwrap_err().to_string().to_lowercase();
            assert!(error.contains("duplicate") || error.contains("unique"), "{}: {error}", engine.name());
            engine.run_script(&format!("{begin}; COMMIT;")).unwrap();
        }
        engine.rollback().unwrap();
        let rows = engine.query(&format!("SELECT k FROM {table}")).unwrap().rows;
        assert_eq!(rows.len(), 3, "{}: the deletion was kept", engine.name());
    });
}

#[test]
fn a_bridge_that_is_killed_takes_nothing_with_it() {
    for bridge::Bridged { name, survives, .. } in bridge::ALL {
        let _alone = alone(name);
        let Some(database) = database(name) else { continue };
        let mut first = database.session().unwrap();
        let table = filled(&mut *first, "contract_sessions");
        let count = format!("SELECT COUNT(*) FROM {table}");
        let mut second = database.session().unwrap();
        second.create_schema("contract_sessions").unwrap();
        assert_eq!(second.query(&count).unwrap().rows, [[Some("3".to_owned())]], "{name}");
        if !survives {
            assert!(second.stopper().is_err(), "{name}");
            continue;
        }
        let stop = second.stopper().unwrap();
        stop().unwrap();
        assert!(second.query(&count).is_err(), "{name}");
        let mut third = database.session().unwrap();
        third.create_schema("contract_sessions").unwrap();
        assert_eq!(third.query(&count).unwrap().rows, [[Some("3".to_owned())]], "{name}");
    }
}
