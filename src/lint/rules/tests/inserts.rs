//! Shapes of INSERTs and bulk loads, and what the rules say of each.
#![allow(clippy::unwrap_used)]

use super::check;
use crate::diagnostic::Severity;

/// `code severity` of every finding of these rules, by place.
fn found(dialect: &str, sql: &str) -> Vec<String> {
    let mut found: Vec<String> = check("x.sql", sql, Some(dialect), None)
        .findings
        .iter()
        .filter(|finding| finding.rule.code < "IDM200" || finding.rule.code == "IDM901")
        .map(|finding| format!("{} {}", finding.rule.code, finding.severity().name()))
        .collect();
    found.dedup();
    found
}

fn all(cases: &[(&str, &str, &[&str])]) {
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|(dialect, sql, want)| {
            let found = found(dialect, sql);
            (found != *want).then(|| format!("{dialect}: {sql}\n   found {found:?}, wanted {want:?}"))
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

const T: &str = "IDM101 error";
const S: &str = "IDM102 error";

#[test]
fn rows_in_the_text() {
    all(&[
        ("postgres", "INSERT INTO t DEFAULT VALUES;", &[T]),
        ("mysql", "INSERT INTO t SET a = 1, b = 2;", &[T]),
        ("postgres", "INSERT INTO t SELECT 1, 'x';", &[T]),
        ("oracle", "INSERT INTO t SELECT 1, 'x' FROM dual UNION ALL SELECT 2, 'y' FROM dual;", &[T]),
        ("postgres", "INSERT INTO t (a) (VALUES (1), (2));", &[T]),
        ("postgres", "INSERT INTO t (a) VALUES ($1);", &["IDM101 info"]),
        ("postgres", "INSERT INTO t (a, b) VALUES ($1, 'x');", &[T]),
        ("postgres", "INSERT INTO t (a) VALUES (1); DELETE FROM t;", &[]),
        (
            "postgres",
            "CREATE TABLE new_t (a int); INSERT INTO new_t VALUES (1); DROP TABLE t; ALTER TABLE new_t RENAME TO t;",
            &[],
        ),
        ("mysql", "INSERT INTO t_new VALUES (1); RENAME TABLE t TO t_old, t_new TO t;", &[]),
        ("snowflake", "INSERT INTO t_new VALUES (1); ALTER TABLE t SWAP WITH t_new;", &[]),
        ("oracle", "INSERT INTO t_part VALUES (1); ALTER TABLE t EXCHANGE PARTITION p1 WITH TABLE t_part;", &[]),
        ("sqlserver", "INSERT INTO dbo.T_in VALUES (1); ALTER TABLE dbo.T_in SWITCH TO dbo.T PARTITION 2;", &[]),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS t (a int PRIMARY KEY, b int); INSERT INTO t VALUES (1, 2);",
            &["IDM101 warning"],
        ),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS t (a int, b int); ALTER TABLE t ADD PRIMARY KEY (a); INSERT INTO t VALUES (1, 2);",
            &["IDM101 warning"],
        ),
        ("postgres", "CREATE TABLE IF NOT EXISTS t (a int, b int UNIQUE); INSERT INTO t VALUES (1, NULL);", &[T]),
        (
            "postgres",
            "WITH x AS (INSERT INTO t (a) VALUES (1) RETURNING id) INSERT INTO c (t_id) SELECT id FROM x;",
            &[T, S],
        ),
        ("postgres", "WITH gone AS (DELETE FROM t WHERE a = 1) INSERT INTO t (a) VALUES (1);", &[]),
    ]);
}

#[test]
fn blocks_around_an_insert() {
    all(&[
        (
            "sqlserver",
            "IF EXISTS (SELECT 1 FROM dbo.Done WHERE n = 1) RETURN\nINSERT INTO dbo.T VALUES (1)\nINSERT INTO dbo.Done VALUES (1)",
            &[],
        ),
        (
            "sqlserver",
            "IF NOT EXISTS (SELECT 1 FROM sys.tables WHERE name = 'T')\nBEGIN\nCREATE TABLE dbo.T (a int)\nINSERT INTO dbo.T VALUES (1)\nEND",
            &[],
        ),
        (
            "sqlserver",
            "IF OBJECT_ID(N'dbo.T') IS NULL\nBEGIN\nCREATE TABLE dbo.T (a int)\nINSERT INTO dbo.T VALUES (1)\nEND",
            &[],
        ),
        (
            "sqlserver",
            "IF COL_LENGTH('dbo.U', 'c') IS NULL\nBEGIN\nALTER TABLE dbo.U ADD c int\nINSERT INTO dbo.T VALUES (1)\nEND",
            &[],
        ),
        ("sqlserver", "BEGIN TRY\nINSERT INTO dbo.T (a) VALUES (1)\nEND TRY\nBEGIN CATCH\nTHROW\nEND CATCH", &[T]),
        (
            "sqlserver",
            "UPDATE dbo.T SET a = 1 WHERE k = 2\nIF @@ROWCOUNT = 0\nINSERT INTO dbo.T (k, a) VALUES (2, 1)",
            &[],
        ),
        (
            "sqlserver",
            "DECLARE @n int = (SELECT count(*) FROM dbo.T WHERE k = 2)\nINSERT INTO dbo.T (k) SELECT 2 WHERE @n = 0",
            &[],
        ),
        (
            "sqlserver",
            "DECLARE @last int = (SELECT max(id) FROM dbo.T)\nINSERT INTO dbo.T (id) SELECT id FROM dbo.S WHERE id > @last",
            &[],
        ),
        (
            "postgres",
            "DO $$ BEGIN UPDATE t SET a = 1 WHERE k = 2; IF NOT FOUND THEN INSERT INTO t (k, a) VALUES (2, 1); END IF; END $$;",
            &[],
        ),
        (
            "postgres",
            "DO $$ BEGIN IF EXISTS (SELECT 1 FROM done) THEN RETURN; END IF; INSERT INTO t VALUES (1); END $$;",
            &[],
        ),
        ("postgres", "DO $$ BEGIN IF EXISTS (SELECT 1 FROM u) THEN INSERT INTO t VALUES (1); END IF; END $$;", &[T]),
        (
            "postgres",
            "DO $$ DECLARE r record; BEGIN FOR r IN SELECT id FROM s WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.id = s.id) LOOP INSERT INTO t (id) VALUES (r.id); END LOOP; END $$;",
            &[],
        ),
    ]);
}

#[test]
fn rows_from_tables() {
    all(&[
        ("postgres", "INSERT INTO t SELECT * FROM s; TRUNCATE s;", &[]),
        (
            "postgres",
            "BEGIN; INSERT INTO old SELECT * FROM s WHERE d < '2020-01-01'; DELETE FROM s WHERE d < '2020-01-01'; COMMIT;",
            &[],
        ),
        ("postgres", "TRUNCATE s; COPY s FROM '/x.csv'; INSERT INTO t SELECT * FROM s; TRUNCATE s;", &[S]),
        (
            "postgres",
            "WITH moved AS (DELETE FROM q WHERE d < '2020-01-01' RETURNING *) INSERT INTO old SELECT * FROM moved;",
            &[],
        ),
        ("postgres", "INSERT INTO t TABLE s;", &[S]),
        ("mysql", "INSERT INTO t SELECT * FROM s;", &[S]),
        (
            "clickhouse",
            "CREATE TABLE IF NOT EXISTS t (a Int32) ENGINE = ReplicatedReplacingMergeTree('/x', 'y') ORDER BY a; INSERT INTO t SELECT a FROM s;",
            &[],
        ),
        ("snowflake", "CREATE OR REPLACE TABLE t AS SELECT 1 AS a; INSERT INTO t SELECT a FROM s;", &[]),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY); INSERT INTO t (id) SELECT id FROM s;",
            &["IDM102 warning"],
        ),
        (
            "postgres",
            "INSERT INTO t (id) SELECT s.id FROM s WHERE s.id NOT IN (SELECT x.id FROM other AS x);",
            &["IDM108 error"],
        ),
        (
            "postgres",
            "INSERT INTO t (id) SELECT id FROM s WHERE NOT EXISTS (SELECT 1 FROM t x WHERE x.id = id);",
            &["IDM108 warning"],
        ),
        ("sqlserver", "INSERT INTO dbo.T EXEC dbo.get_rows", &[S]),
        ("postgres", "INSERT INTO stg_t SELECT * FROM s;", &[]),
    ]);
}

#[test]
fn conflict_clauses_and_keys() {
    all(&[
        (
            "mysql",
            "CREATE TABLE IF NOT EXISTS t (id INT AUTO_INCREMENT PRIMARY KEY, a INT); INSERT IGNORE INTO t (a) VALUES (1);",
            &["IDM103 error"],
        ),
        (
            "mysql",
            "CREATE TABLE IF NOT EXISTS t (id INT AUTO_INCREMENT PRIMARY KEY, a INT); REPLACE INTO t (a) VALUES (1);",
            &["IDM103 error"],
        ),
        (
            "mysql",
            "CREATE TABLE IF NOT EXISTS t (id INT AUTO_INCREMENT PRIMARY KEY, a INT); INSERT INTO t VALUES (NULL, 1) ON DUPLICATE KEY UPDATE a = 1;",
            &["IDM103 error"],
        ),
        (
            "mysql",
            "CREATE TABLE IF NOT EXISTS t (a VARCHAR(9) NOT NULL, UNIQUE KEY k (a(5))); INSERT INTO t VALUES ('x') ON DUPLICATE KEY UPDATE a = a;",
            &[],
        ),
        ("postgres", "INSERT INTO t (slug, a) VALUES ('x', 1) ON CONFLICT (tenant_id, slug) DO NOTHING;", &[]),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS t (id uuid PRIMARY KEY, name text UNIQUE); INSERT INTO t VALUES (gen_random_uuid(), 'x') ON CONFLICT (id) DO NOTHING;",
            &["IDM107 warning"],
        ),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS t (id uuid PRIMARY KEY, name text UNIQUE); INSERT INTO t VALUES (gen_random_uuid(), 'x') ON CONFLICT DO NOTHING;",
            &[],
        ),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS t (id uuid PRIMARY KEY, a int); INSERT INTO t VALUES (gen_random_uuid(), 1);",
            &["IDM107 error"],
        ),
        ("postgres", "INSERT INTO t (id, a) VALUES (gen_random_uuid(), 1);", &[T]),
        ("postgres", "INSERT INTO t (day, n) VALUES (CURRENT_DATE, 1) ON CONFLICT (day) DO NOTHING;", &[]),
        ("postgres", "INSERT INTO t (day, n) VALUES (date_trunc('day', now()), 1) ON CONFLICT (day) DO NOTHING;", &[]),
        (
            "postgres",
            "INSERT INTO t (id, n) VALUES ((SELECT max(id) + 1 FROM t), 1) ON CONFLICT (id) DO NOTHING;",
            &["IDM107 error"],
        ),
        (
            "postgres",
            "INSERT INTO t (id, n) SELECT coalesce(max(id), 0) + 1, 1 FROM t ON CONFLICT (id) DO NOTHING;",
            &["IDM107 error"],
        ),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS t (a text, b text, CONSTRAINT u UNIQUE (a)); INSERT INTO t VALUES ('x', 'y') ON CONFLICT ON CONSTRAINT u DO NOTHING;",
            &[],
        ),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS t (a text); ALTER TABLE t ADD COLUMN b text UNIQUE; INSERT INTO t (a, b) VALUES ('x', 'y') ON CONFLICT (b) DO NOTHING;",
            &[],
        ),
        (
            "sqlite",
            "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, a TEXT); INSERT OR IGNORE INTO t (id, a) VALUES (1, 'x');",
            &["IDM105 warning"],
        ),
    ]);
}

#[test]
fn bulk_loads() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("postgres", "COPY t FROM '/x.csv'; INSERT INTO u SELECT * FROM t ON CONFLICT DO NOTHING; TRUNCATE t;", &[]),
        ("postgres", "CREATE TABLE IF NOT EXISTS t (a int PRIMARY KEY); COPY t FROM '/x.csv';", &["IDM110 warning"]),
        ("postgres", "CREATE TABLE t (a int PRIMARY KEY); COPY t FROM '/x.csv';", &["IDM110 info"]),
        ("mysql", "LOAD DATA INFILE '/x.csv' REPLACE INTO TABLE t;", &[]),
        (
            "mysql",
            "CREATE TABLE IF NOT EXISTS t (a INT PRIMARY KEY); LOAD DATA INFILE '/x.csv' IGNORE INTO TABLE t;",
            &[],
        ),
        (
            "sqlserver",
            "BULK INSERT dbo.T FROM 'x.csv' WITH (FORMAT = 'CSV');\nTRUNCATE TABLE dbo.U;",
            &["IDM110 error"],
        ),
        ("snowflake", "COPY INTO t FROM @s FORCE = TRUE;", &["IDM110 error"]),
        ("snowflake", "COPY INTO t FROM @s;", &[]),
    ];
    all(cases);
}

#[test]
fn a_dump_is_no_error() {
    let text = "--\n-- PostgreSQL database dump\n--\nCOPY public.t (a) FROM stdin;\n1\n\\.\nINSERT INTO public.u VALUES (1);\n";
    let checked = check("dump.sql", text, Some("postgres"), None);
    assert!(checked.findings.iter().all(|finding| finding.severity() == Severity::Info), "{:?}", checked.findings);
}

#[test]
fn one_finding_for_one_table() {
    let text = "INSERT INTO t VALUES (1);\nINSERT INTO t VALUES (2);\nINSERT INTO u VALUES (3);\n";
    let checked = check("x.sql", text, Some("postgres"), None);
    assert_eq!(checked.findings.len(), 2);
    assert_eq!(checked.findings[0].more.len(), 1);
    assert_eq!(checked.findings[0].diagnostic.message, "a second run adds 1 row to `t` again");
}

#[test]
fn more_shapes_that_are_safe() {
    all(&[
        (
            "postgres",
            "INSERT INTO t (a) SELECT * FROM (VALUES ('x'), ('y')) AS v (a) WHERE NOT EXISTS (SELECT FROM t WHERE t.a = v.a) ON CONFLICT DO NOTHING;",
            &[],
        ),
        (
            "postgres",
            "INSERT INTO t (a) SELECT v.a FROM (VALUES ('x'), ('y')) AS v (a) WHERE NOT EXISTS (SELECT FROM t WHERE t.a = v.a);",
            &[],
        ),
        (
            "mysql",
            "INSERT INTO t (a) SELECT * FROM (SELECT 'x') AS v WHERE NOT EXISTS (SELECT a FROM t WHERE a = 'x') LIMIT 1;",
            &[],
        ),
        (
            "mysql",
            "SET @n = (SELECT count(*) FROM t WHERE a = 1); INSERT INTO t (a) SELECT 1 FROM DUAL WHERE @n = 0;",
            &[],
        ),
        ("oracle", "INSERT INTO t (a) SELECT 1 FROM dual WHERE NOT EXISTS (SELECT 1 FROM t WHERE a = 1);", &[]),
        ("bigquery", "INSERT INTO d.t (a) SELECT s.a FROM d.s AS s LEFT ANTI JOIN d.t AS t ON s.a = t.a;", &[]),
        (
            "bigquery",
            "DELETE FROM d.t WHERE day = '2026-01-01'; INSERT INTO d.t (a) SELECT a FROM d.s WHERE day = '2026-01-01';",
            &[],
        ),
        ("databricks", "INSERT OVERWRITE t SELECT * FROM s;", &[]),
        ("databricks", "INSERT INTO t SELECT s.* FROM s LEFT ANTI JOIN t ON s.id = t.id;", &[]),
        (
            "sqlserver",
            "INSERT INTO dbo.T (a) SELECT a FROM dbo.S AS s WHERE NOT EXISTS (SELECT 1 FROM dbo.T WITH (NOLOCK) WHERE dbo.T.a = s.a)",
            &[],
        ),
        (
            "sqlserver",
            "SET IDENTITY_INSERT dbo.T ON\nIF NOT EXISTS (SELECT 1 FROM dbo.T WHERE Id = 1)\nINSERT INTO dbo.T (Id) VALUES (1)\nSET IDENTITY_INSERT dbo.T OFF",
            &[],
        ),
        (
            "sqlite",
            "CREATE TABLE t_new (id INTEGER); INSERT INTO t_new SELECT id FROM t; DROP TABLE t; ALTER TABLE t_new RENAME TO t;",
            &[],
        ),
        ("postgres", "SELECT setval('s', 1); PREPARE p AS INSERT INTO t VALUES ($1);", &[]),
        (
            "ansi",
            "DELETE FROM @results.t WHERE id = @id; INSERT INTO @results.t (id) SELECT id FROM @cdm.s WHERE id = @id;",
            &[],
        ),
        (
            "mysql",
            "START TRANSACTION; ALTER TABLE a ADD b INT; INSERT INTO `__EFMigrationsHistory` (`MigrationId`) VALUES ('x'); COMMIT;",
            &[],
        ),
        (
            "snowflake",
            "CREATE STREAM IF NOT EXISTS raw.s_stream ON TABLE raw.s; INSERT INTO t SELECT id FROM raw.s_stream;",
            &[],
        ),
        (
            "postgres",
            "INSERT INTO t (a) SELECT id FROM s WHERE NOT EXISTS (SELECT 1 FROM done WHERE id = 7); INSERT INTO done (id) VALUES (7) ON CONFLICT (id) DO NOTHING;",
            &[],
        ),
        ("databricks", "LOAD DATA INPATH '/x' OVERWRITE INTO TABLE t;", &[]),
        ("duckdb", "INSERT OR REPLACE INTO t BY NAME SELECT * FROM s;", &[]),
        ("duckdb", "CREATE OR REPLACE TEMP TABLE x AS SELECT 1 AS a; INSERT INTO x SELECT 2;", &[]),
        ("trino", "INSERT INTO t SELECT * FROM s WHERE id NOT IN (SELECT id FROM t WHERE id IS NOT NULL);", &[]),
        ("oracle", "BEGIN INSERT INTO t (a) VALUES (1); EXCEPTION WHEN DUP_VAL_ON_INDEX THEN NULL; END;\n/\n", &[]),
        (
            "mysql",
            "INSERT INTO t (a) SELECT a FROM s WHERE a NOT IN (SELECT a FROM (SELECT a FROM t WHERE a IS NOT NULL) AS x);",
            &[],
        ),
        (
            "postgres",
            "INSERT INTO t (id) SELECT s.id FROM s WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.id = s.id) UNION SELECT r.id FROM r WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id);",
            &[],
        ),
    ]);
}

#[test]
fn more_shapes_that_append() {
    all(&[
        ("postgres", "INSERT INTO t (id) SELECT id FROM s GROUP BY id HAVING count(*) > 1;", &[S]),
        ("postgres", "INSERT INTO t (id) SELECT id FROM s WHERE EXISTS (SELECT 1 FROM t WHERE t.id = s.id);", &[S]),
        ("postgres", "INSERT INTO t (id) SELECT s.id FROM s JOIN t ON t.id = s.id WHERE t.gone IS NULL;", &[S]),
        ("postgres", "INSERT INTO t (id) SELECT id FROM t WHERE id < 10;", &[S]),
        ("postgres", "TRUNCATE other; INSERT INTO t VALUES (1);", &[T]),
        ("postgres", "INSERT INTO t VALUES (1); TRUNCATE other;", &[T]),
        ("postgres", "CREATE TABLE IF NOT EXISTS t (a int); INSERT INTO t VALUES (1);", &[T]),
        ("databricks", "INSERT INTO t PARTITION (d = '2026-01-01') SELECT a FROM s;", &[S]),
        ("clickhouse", "INSERT INTO t VALUES (1), (2);", &[T]),
        ("trino", "INSERT INTO hive.x.t SELECT * FROM hive.x.s;", &[S]),
        ("redshift", "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY); INSERT INTO t VALUES (1);", &[T]),
        ("snowflake", "INSERT INTO t (id, body) SELECT UUID_STRING(), body FROM s;", &[S]),
    ]);
}
