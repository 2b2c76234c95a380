//! Scripts, and what of them fails on the second run.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

use crate::dialect;
use crate::lint::context::Context;
use crate::lint::known::Known;
use crate::lint::options::Options;
use crate::lint::policy::Runner;
use crate::lint::rules::ALL;
use crate::sql::script::Script;

/// The names that fail, in order.
fn fails(dialect: &str, text: &str) -> Vec<String> {
    let dialect = dialect::find(dialect).unwrap();
    let script = Script::read(text, dialect);
    let (options, known) = (Options::usual(ALL.iter().copied()), Known::default());
    let source = crate::diagnostic::Source::new("x.sql", text);
    let context = Context::new(&source, &script, dialect, Runner::unknown(), &options, &known);
    for step in &context.steps {
        assert!(step.verb.is_ok(), "{text}: {:?}", step.verb);
    }
    context.failures().iter().map(|failure| failure.name.clone()).collect()
}

#[test]
fn scripts_that_rebuild_a_table_run_twice() {
    for text in [
        "CREATE TABLE IF NOT EXISTS tmp (id int); INSERT INTO tmp SELECT id FROM x; DROP TABLE x; \
         ALTER TABLE tmp RENAME TO x; CREATE INDEX ix ON x (id);",
        "CREATE TABLE tmp (id int); DROP TABLE x; ALTER TABLE tmp RENAME TO x; ALTER TABLE x ADD CONSTRAINT c CHECK (id > 0);",
        "DROP TABLE IF EXISTS t_new, t_old; CREATE TABLE t_new (id int); ALTER TABLE t RENAME TO t_old; \
         ALTER TABLE t_new RENAME TO t;",
        "CREATE TABLE work (id int); CREATE INDEX ix ON work (id); DROP TABLE work;",
        "DROP TABLE IF EXISTS t CASCADE; CREATE TABLE t (id int); CREATE VIEW v AS SELECT id FROM t;",
        "DROP SCHEMA IF EXISTS s CASCADE; CREATE SCHEMA s; CREATE TABLE s.t (id int); ALTER TABLE s.t ADD c int;",
        "DROP FUNCTION IF EXISTS f(int); DROP FUNCTION IF EXISTS f(text); CREATE FUNCTION f(int) RETURNS int \
         LANGUAGE sql AS 'SELECT 1'; CREATE FUNCTION f(text) RETURNS int LANGUAGE sql AS 'SELECT 1';",
        "DROP FUNCTION IF EXISTS touch() CASCADE; CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN RETURN NEW; END'; CREATE TRIGGER tr BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION touch();",
        "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_class) THEN RETURN; END IF; CREATE TABLE t (id int); END $$;",
        "ALTER TABLE t DROP COLUMN c; ALTER TABLE t ADD COLUMN c int;",
    ] {
        assert_eq!(fails("postgres", text), Vec::<String>::new(), "{text}");
    }
    let mysql = "DROP PROCEDURE IF EXISTS p; CREATE TABLE t_new (id INT); DROP TABLE IF EXISTS t_old; \
                 RENAME TABLE t TO t_old, t_new TO t; ALTER TABLE t ADD INDEX ix (id);";
    assert_eq!(fails("mysql", mysql), Vec::<String>::new());
    let sqlserver =
        "IF OBJECT_ID('dbo.P') IS NOT NULL DROP PROCEDURE dbo.P\nGO\nCREATE PROCEDURE dbo.P AS SELECT 1\nGO\n";
    assert_eq!(fails("sqlserver", sqlserver), Vec::<String>::new());
}

#[test]
fn scripts_that_stop_say_where() {
    for (text, names) in [
        ("CREATE TABLE t (id int); CREATE INDEX ix ON t (id); ALTER TABLE t ADD c int;", &["t"][..]),
        ("CREATE TABLE IF NOT EXISTS t (id int); CREATE INDEX ix ON t (id);", &["ix"]),
        ("ALTER TABLE t RENAME TO t_old; ALTER TABLE t_new RENAME TO t;", &["t_old", "t_new"]),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS a int; ALTER TABLE t RENAME COLUMN a TO b;", &["b"]),
        ("DROP TABLE t; CREATE TABLE u (id int);", &["t", "u"]),
        ("CREATE FUNCTION f(int) RETURNS int LANGUAGE sql AS 'SELECT 1';", &["f"]),
        ("DROP VIEW IF EXISTS other; CREATE VIEW v AS SELECT 1 AS a;", &["v"]),
        ("SELECT 1 AS a INTO t;", &["t"]),
        ("ALTER TYPE mood RENAME VALUE 'a' TO 'b'; ALTER TABLE t RENAME CONSTRAINT a TO b;", &["'a'", "a"]),
    ] {
        assert_eq!(fails("postgres", text), names, "{text}");
    }
    assert_eq!(fails("oracle", "ALTER TABLE t ADD (a NUMBER, b NUMBER);"), ["a", "b"]);
    assert_eq!(
        fails("mysql", "ALTER TABLE t ADD COLUMN c INT, ADD KEY k (c), DROP FOREIGN KEY f, CHANGE x y INT;"),
        ["c", "k", "f", "x"]
    );
    assert_eq!(
        fails("sqlserver", "ALTER TABLE dbo.T DROP CONSTRAINT a, b\nGO\nEXEC sp_rename 'dbo.T.A', 'B', 'COLUMN'\n"),
        ["a", "b", "A"]
    );
}

/// Shapes of many dialects, all of which are read.
#[test]
fn definitions_of_every_dialect_are_read() {
    for (dialect, texts) in [
        (
            "postgres",
            &[
                "CREATE INDEX ON t (a)",
                "CREATE TABLE p PARTITION OF t FOR VALUES FROM (1) TO (2)",
                "CREATE TABLE a.b (LIKE c INCLUDING ALL)",
                "CREATE UNLOGGED TABLE t (id int GENERATED ALWAYS AS IDENTITY)",
                "CREATE TYPE mood AS ENUM ('a')",
                "CREATE TYPE s",
                "CREATE ROLE r LOGIN PASSWORD 'x'",
                "CREATE USER u WITH PASSWORD 'x'",
                "ALTER TABLE ONLY a.t ADD CONSTRAINT k PRIMARY KEY (id)",
                "ALTER TYPE mood ADD VALUE 'b' BEFORE 'a'",
                "ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO r",
                "COMMENT ON TABLE t IS 'x'",
                "CREATE UNIQUE INDEX CONCURRENTLY ix ON t USING btree (lower(a) text_pattern_ops) INCLUDE (b) WHERE a > 0",
                "ALTER TABLE t ATTACH PARTITION p FOR VALUES IN (1)",
                "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f()",
                "CREATE CONSTRAINT TRIGGER tr AFTER INSERT ON t DEFERRABLE FOR EACH ROW EXECUTE FUNCTION f()",
                "DROP OWNED BY r",
                "ALTER SYSTEM SET x = 1",
                "CREATE AGGREGATE a (int) (sfunc = f, stype = int)",
                "ALTER TABLE t ALTER COLUMN a TYPE int USING a::int, ADD COLUMN b int",
                "ALTER ROLE r SET search_path = a",
                "DROP FUNCTION f(int, text), g(int)",
                "DROP CAST (int AS text)",
                "CREATE FOREIGN TABLE t (id int) SERVER s",
                "CREATE RECURSIVE VIEW v (n) AS SELECT 1",
            ][..],
        ),
        (
            "mysql",
            &[
                "CREATE TABLE a LIKE b",
                "CREATE TABLE t (id INT AUTO_INCREMENT, KEY ix (id), FULLTEXT KEY ft (a)) ENGINE=InnoDB",
                "ALTER TABLE t ADD COLUMN a INT FIRST, MODIFY b INT, ADD UNIQUE KEY u (a), DROP INDEX i, ENGINE = InnoDB",
                "CREATE USER 'app'@'%' IDENTIFIED BY 'x'",
                "DROP USER 'app'@'localhost'",
                "CREATE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW v AS SELECT 1",
                "ALTER TABLE t PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (1))",
                "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t",
                "DROP INDEX ix ON t",
                "ALTER DATABASE d CHARACTER SET utf8mb4",
                "CREATE FULLTEXT INDEX ft ON t (a)",
            ],
        ),
        (
            "sqlserver",
            &[
                "CREATE NONCLUSTERED INDEX ix ON dbo.t (a) INCLUDE (b) WITH (ONLINE = ON)",
                "CREATE CLUSTERED COLUMNSTORE INDEX ix ON dbo.t",
                "ALTER TABLE dbo.t ADD CONSTRAINT df DEFAULT (0) FOR a",
                "ALTER TABLE dbo.t WITH CHECK ADD CONSTRAINT fk FOREIGN KEY (a) REFERENCES dbo.u (b)",
                "ALTER TABLE dbo.t CHECK CONSTRAINT fk",
                "CREATE TYPE dbo.tt AS TABLE (id int)",
                "CREATE LOGIN l WITH PASSWORD = 'x'",
                "CREATE USER u FOR LOGIN l",
                "DROP INDEX ix ON dbo.t",
                "DROP INDEX dbo.t.ix",
                "CREATE SYNONYM s FOR dbo.t",
                "ALTER TABLE dbo.t DROP COLUMN a, b",
                "ALTER INDEX ALL ON dbo.t REBUILD",
            ],
        ),
        (
            "oracle",
            &[
                "CREATE GLOBAL TEMPORARY TABLE t (a NUMBER) ON COMMIT PRESERVE ROWS",
                "CREATE BITMAP INDEX ix ON t (a)",
                "ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (a) USING INDEX TABLESPACE x",
                "ALTER TABLE t MODIFY (a NOT NULL)",
                "CREATE SYNONYM s FOR t",
                "CREATE PUBLIC SYNONYM s FOR t",
                "DROP TABLE t CASCADE CONSTRAINTS PURGE",
                "ALTER TABLE t RENAME COLUMN a TO b",
                "ALTER SESSION SET NLS_DATE_FORMAT = 'x'",
                "CREATE OR REPLACE TYPE a AS OBJECT (x NUMBER)",
                "ALTER TABLE t DROP (a, b)",
            ],
        ),
        (
            "snowflake",
            &[
                "CREATE OR REPLACE TRANSIENT TABLE t (a INT) CLUSTER BY (a)",
                "CREATE STAGE s URL = 's3://x'",
                "CREATE OR REPLACE FILE FORMAT f TYPE = CSV",
                "CREATE TABLE t CLONE u",
                "CREATE OR REPLACE DYNAMIC TABLE t TARGET_LAG = '1 minute' WAREHOUSE = w AS SELECT 1 AS a",
                "ALTER TABLE t SWAP WITH u",
                "CREATE WAREHOUSE w WITH WAREHOUSE_SIZE = SMALL",
                "ALTER WAREHOUSE w RESUME",
                "CREATE OR REPLACE SECURE VIEW v COPY GRANTS AS SELECT 1 AS a",
            ],
        ),
        (
            "bigquery",
            &[
                "CREATE TABLE d.t (a STRUCT<b INT64, c ARRAY<STRING>>) PARTITION BY DATE(x) OPTIONS (description = 'x')",
                "CREATE EXTERNAL TABLE d.t OPTIONS (format = 'CSV', uris = ['gs://x'])",
                "CREATE SNAPSHOT TABLE d.s CLONE d.t",
                "CREATE OR REPLACE TABLE FUNCTION d.f(x INT64) AS SELECT x",
                "ALTER TABLE d.t SET OPTIONS (description = 'x')",
                "DROP SNAPSHOT TABLE d.s",
                "CREATE ROW ACCESS POLICY p ON d.t GRANT TO ('x') FILTER USING (a = 1)",
            ],
        ),
        (
            "databricks",
            &[
                "CREATE TABLE c.s.t (a INT) USING DELTA PARTITIONED BY (a) LOCATION 's3://x' TBLPROPERTIES ('a' = 'b')",
                "CREATE OR REFRESH STREAMING TABLE t AS SELECT 1 AS a",
                "ALTER TABLE t ADD COLUMNS (a INT, b STRING)",
                "ALTER TABLE t DROP COLUMNS (a, b)",
                "CREATE CATALOG c",
                "CREATE VOLUME c.s.v",
                "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')",
            ],
        ),
        (
            "clickhouse",
            &[
                "CREATE TABLE d.t ON CLUSTER c (a UInt8, INDEX i a TYPE minmax GRANULARITY 1) ENGINE = MergeTree ORDER BY a",
                "CREATE MATERIALIZED VIEW m TO d.t AS SELECT 1 AS a",
                "ALTER TABLE t ADD INDEX i a TYPE minmax GRANULARITY 1",
                "ALTER TABLE t DROP PARTITION 202601",
                "CREATE DICTIONARY x (a UInt8) PRIMARY KEY a SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(1)",
                "EXCHANGE TABLES a AND b",
            ],
        ),
    ] {
        for text in texts {
            fails(dialect, text);
        }
    }
}
