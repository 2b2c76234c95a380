//! Valid SQL that `sqlparser` 0.64 cannot read, and what we make of it.

use idemsql::dialect::{self, Dialect};
use idemsql::sql::facts::facts;
use idemsql::sql::parse::parse;
use sqlparser::parser::Parser;

/// One row for each gap: a dialect that has the construct, a statement, and a fact that comes of it.
const GAPS: [(&str, &str, &str); 28] = [
    ("sqlite", "INSERT INTO main.t AS x (a) VALUES (1)", "alias: x"),
    ("duckdb", "INSERT OR IGNORE INTO t AS x (a) SELECT 1", "alias: x"),
    (
        "postgres",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (a, coalesce( b,'' ), c COLLATE \"C\", d text_ops) DO NOTHING",
        "conflict target: a, coalesce(b, ''), c COLLATE \"C\", d text_ops",
    ),
    (
        "sqlite",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (a, COALESCE(b, '')) DO NOTHING",
        "conflict target: a, COALESCE(b, '')",
    ),
    (
        "sqlserver",
        "MERGE INTO d.t WITH (HOLDLOCK) AS t USING s ON t.a = s.a WHEN MATCHED THEN DELETE;",
        "hint: HOLDLOCK",
    ),
    (
        "sqlserver",
        "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE OPTION (LOOP JOIN);",
        "option: LOOP JOIN",
    ),
    (
        "databricks",
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
        "with schema evolution",
    ),
    ("redshift", "MERGE INTO t USING s ON t.a = s.a REMOVE DUPLICATES", "remove duplicates"),
    ("mysql", "DO RELEASE_LOCK('x')", "do"),
    ("mariadb", "DO RELEASE_LOCK('x')", "do"),
    ("databricks", "SET VAR lo = (SELECT MAX(a) FROM t)", "statement: SET VAR lo = (SELECT MAX(a) FROM t)"),
    ("databricks", "DECLARE OR REPLACE VARIABLE lo DATE", "statement: DECLARE OR REPLACE VARIABLE lo DATE"),
    (
        "databricks",
        "DECLARE VARIABLE lo DATE DEFAULT (SELECT 1)",
        "statement: DECLARE VARIABLE lo DATE DEFAULT (SELECT 1)",
    ),
    ("clickhouse", "INSERT INTO t (a) SETTINGS async_insert = 0 SELECT 1", "insert settings: async_insert = 0"),
    ("clickhouse", "SELECT a FROM d.t AS x FINAL WHERE b", "from: d.t AS x FINAL"),
    ("oracle", "SELECT CAST(a AS CHAR(2 CHAR)) FROM t", "select: CAST(a AS CHAR(2 CHAR))"),
    (
        "oracle",
        "SELECT CAST(a AS INTERVAL DAY (0) TO SECOND(6)) FROM t",
        "select: CAST(a AS INTERVAL DAY(0) TO SECOND(6))",
    ),
    (
        "clickhouse",
        "CREATE TABLE t (a Int64) ENGINE = ReplacingMergeTree ORDER BY (a) SETTINGS allow_nullable_key = 1",
        "table settings: allow_nullable_key = 1",
    ),
    (
        "clickhouse",
        "CREATE TABLE t (a Int64) ENGINE = ReplacingMergeTree ORDER BY (a) COMMENT 'x'",
        "table comment: 'x'",
    ),
    ("oracle", "CREATE TABLE t (a INTERVAL DAY(0) TO SECOND(6))", "type: INTERVAL DAY(0) TO SECOND(6)"),
    ("trino", "CREATE TABLE t (key INTEGER NOT NULL)", "column: key"),
    (
        "sqlserver",
        "CREATE TABLE t (a INT, b AS (a * 2) PERSISTED NOT NULL)",
        "option: GENERATED ALWAYS AS (a * 2) STORED",
    ),
    ("snowflake", "CREATE TABLE t (a INT, b INT AS (a * 2))", "option: GENERATED ALWAYS AS (a * 2)"),
    ("sqlserver", "ALTER TABLE t ADD b AS (a * 2)", "option: GENERATED ALWAYS AS (a * 2)"),
    ("redshift", "CREATE TABLE t (a BIGINT IDENTITY(1, 1))", "identity: 1, 1"),
    ("mariadb", "ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT", "if not exists"),
    ("sqlserver", "ALTER TABLE t ALTER COLUMN a BIGINT NOT NULL", "not null"),
    ("duckdb", "COMMENT ON COLUMN t.a IS 'x'", "statement: COMMENT ON COLUMN t.a IS 'x'"),
];

fn gaps() -> impl Iterator<Item = (&'static Dialect, &'static str, &'static str)> {
    GAPS.iter().map(|&(name, sql, fact)| (dialect::find(name).unwrap(), sql, fact))
}

#[test]
fn sqlparser_alone_still_refuses_it() {
    for (dialect, sql, _) in gaps() {
        let plain = Parser::parse_sql(&*(dialect.parser)(), sql);
        assert!(plain.is_err(), "sqlparser reads this now, so its gap can go: {sql}");
    }
}

#[test]
fn what_is_taken_out_becomes_a_fact() {
    for (dialect, sql, fact) in gaps() {
        let parsed = parse(sql, dialect).unwrap_or_else(|fault| panic!("{sql}: {fault}"));
        let facts = facts(&parsed[0]).to_string();
        assert!(facts.lines().any(|line| line == fact), "{sql}\n{facts}");
    }
}

#[test]
fn an_expression_of_a_conflict_target_is_normal() {
    let postgres = dialect::find("postgres").unwrap();
    let of = |target: &str| {
        let sql = format!("INSERT INTO t (a) VALUES (1) ON CONFLICT ({target}) DO NOTHING");
        facts(&parse(&sql, postgres).unwrap()[0])
    };
    assert_eq!(of("a, lower( b )"), of("a,lower(b)"));
    assert_eq!(of("(lower(b))").lines()[3].text, "(lower(b))");
    assert_ne!(of("lower(b)"), of("upper(b)"));
}
