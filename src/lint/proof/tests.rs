//! Statements on the border: each with the codes of the rules about UPDATE and upserts that must speak, and no others.
#![allow(clippy::unwrap_used)]

use crate::diagnostic::Severity;
use crate::lint::rules::tests::check;

/// The codes of a text, informations left out, with those of the families 2 and 3 alone.
fn codes(dialect: &str, sql: &str) -> Vec<String> {
    let checked = check("x.sql", sql, Some(dialect), None);
    checked
        .findings
        .iter()
        .filter(|finding| finding.severity() > Severity::Info)
        .map(|finding| finding.rule.code)
        .filter(|code| ["IDM2", "IDM3", "IDM9"].contains(&&code[..4]))
        .map(str::to_owned)
        .collect()
}

fn all(cases: &[(&str, &str, &[&str])]) {
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|(dialect, sql, wanted)| {
            let found = codes(dialect, sql);
            (found != *wanted).then(|| format!("{dialect}: {sql}\n    wanted {wanted:?}, found {found:?}"))
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn arithmetic_and_its_guards() {
    all(&[
        ("postgres", "UPDATE t SET n = coalesce(n, 0) + 1 WHERE id = 3", &["IDM201"]),
        ("postgres", "UPDATE t SET n = (n)::int + 1", &["IDM201"]),
        ("postgres", "UPDATE t SET n = greatest(n - 1, 0)", &["IDM201"]),
        (
            "postgres",
            "UPDATE t SET n = s.n + 1 FROM (SELECT id, max(n) AS n FROM q GROUP BY id) s WHERE s.id = t.id",
            &[],
        ),
        ("postgres", "UPDATE t SET n = m + 1", &[]),
        ("postgres", "UPDATE t SET n = $1 + n WHERE id = $2", &["IDM201"]),
        ("postgres", "UPDATE t SET n = n + 0", &[]),
        ("postgres", "UPDATE t SET n = 2 * n", &["IDM201"]),
        ("postgres", "UPDATE t SET n = CASE WHEN kind = 1 THEN n + 1 ELSE n END", &["IDM201"]),
        ("postgres", "UPDATE t SET ts = ts + '1 day'::interval", &["IDM201"]),
        ("postgres", "UPDATE t SET n = n % 10, m = abs(m), k = round(k * 1.0, 2)", &[]),
        ("mysql", "UPDATE t SET d = DATE_ADD(d, INTERVAL 1 DAY)", &["IDM201"]),
        ("postgres", "UPDATE t SET n = n + 1, done = true WHERE done IS NOT TRUE", &[]),
        ("postgres", "UPDATE t SET n = n + 1, done = true WHERE coalesce(done, false) = false", &[]),
        ("postgres", "UPDATE t SET n = n + 1, state = 'b' WHERE state IN ('a', 'c')", &[]),
        ("postgres", "UPDATE t SET n = n + 1, state = 'a' WHERE state IN ('a', 'c')", &["IDM201"]),
        ("postgres", "UPDATE t SET n = n + 1, state = 'b' WHERE state = 'a' OR kind = 3", &["IDM201"]),
        ("postgres", "UPDATE t SET n = n + 1, batch = 7 WHERE batch < 7", &[]),
        ("postgres", "UPDATE t SET n = n + 1, batch = 7 WHERE batch <= 7", &["IDM201"]),
        ("postgres", "UPDATE t SET n = n + 1 WHERE n < 5", &["IDM201"]),
        ("postgres", "UPDATE t SET n = n + 1, ver = ver + 1 WHERE id = 1 AND ver = $1", &[]),
        (
            "postgres",
            "UPDATE t SET n = n + s.n, batch = s.batch FROM s WHERE s.id = t.id AND t.batch IS DISTINCT FROM s.batch",
            &[],
        ),
        ("sqlite", "UPDATE t SET n = n + 1, done = 1 WHERE done = 0", &[]),
        ("sqlite", "UPDATE t SET n = n + 1, k = 'a' WHERE k IS NOT 'a'", &[]),
        ("mysql", "UPDATE t SET n = n + 1, k = 'a' WHERE NOT (k <=> 'a')", &[]),
        ("sqlserver", "UPDATE t SET n = n + 1, k = 'a' WHERE EXISTS (SELECT k EXCEPT SELECT 'a')", &[]),
        ("sqlserver", "UPDATE t SET n = n + 1, k = 'a' WHERE NOT EXISTS (SELECT k INTERSECT SELECT 'a')", &[]),
        ("sqlserver", "UPDATE t SET n = n + 1, k = 'b' WHERE EXISTS (SELECT k EXCEPT SELECT 'a')", &["IDM201"]),
        ("sqlserver", "UPDATE t SET n = n + 1, k = 'a' WHERE EXISTS (SELECT k FROM s EXCEPT SELECT 'a')", &["IDM201"]),
        ("oracle", "UPDATE t SET n = n + 1, k = 'a' WHERE DECODE(k, 'a', 0, 1) = 1", &[]),
        ("oracle", "UPDATE t SET n = n + 1, k = 'a' WHERE DECODE(k, 'a', 0, 1) = 0", &["IDM201"]),
        ("redshift", "UPDATE t SET n = n + 1, k = 'a' WHERE (k <> 'a' OR (k IS NULL) <> ('a' IS NULL))", &[]),
        (
            "postgres",
            "WITH d AS (DELETE FROM queue WHERE id < 9 RETURNING acct, amt) UPDATE acct SET n = n + d.amt FROM d WHERE d.acct = acct.id",
            &[],
        ),
        (
            "postgres",
            "WITH c AS (UPDATE job SET done = true WHERE NOT done RETURNING id) UPDATE acct SET n = n + 1 WHERE id IN (SELECT id FROM c)",
            &[],
        ),
        (
            "postgres",
            "WITH c AS (UPDATE job SET done = true RETURNING id) UPDATE acct SET n = n + 1 WHERE id IN (SELECT id FROM c)",
            &["IDM201"],
        ),
        (
            "postgres",
            "UPDATE acct SET n = n + 1 WHERE NOT EXISTS (SELECT 1 FROM applied WHERE id = 4); INSERT INTO applied VALUES (4);",
            &[],
        ),
        ("postgres", "UPDATE acct SET n = n + 1 WHERE NOT EXISTS (SELECT 1 FROM applied WHERE id = 4);", &["IDM201"]),
        (
            "postgres",
            "CREATE TABLE IF NOT EXISTS applied (id int PRIMARY KEY); BEGIN; INSERT INTO applied (id) VALUES (4); UPDATE acct SET n = n + 1; COMMIT;",
            &[],
        ),
        ("postgres", "CREATE TEMP TABLE x (n int); UPDATE x SET n = n + 1;", &[]),
        ("postgres", "BEGIN; DELETE FROM x; INSERT INTO x SELECT 1; UPDATE x SET n = n + 1; COMMIT;", &[]),
        ("sqlserver", "UPDATE t SET n *= 2", &["IDM201"]),
    ]);
}

#[test]
fn appends_and_toggles() {
    all(&[
        ("postgres", "UPDATE t SET s = s || ', ' || $1 WHERE id = 1", &["IDM202"]),
        ("postgres", "UPDATE t SET data = data || $1 WHERE id = 1", &[]),
        ("postgres", "UPDATE t SET s = trim(s || '!')", &["IDM202"]),
        ("postgres", "UPDATE t SET s = a || s WHERE left(s, 2) <> 'x-'", &[]),
        ("postgres", "UPDATE t SET s = '0' || s WHERE length(s) = 4", &[]),
        ("postgres", "UPDATE t SET s = s || 'x' WHERE s NOT LIKE '%x'", &[]),
        ("postgres", "UPDATE t SET s = s || 'x' WHERE s LIKE '%y'", &["IDM202"]),
        ("postgres", "UPDATE t SET s = s || 'x' WHERE strpos(s, 'x') = 0", &[]),
        ("postgres", "UPDATE t SET a = array_append(a, 1) WHERE NOT a @> ARRAY[1]", &[]),
        ("postgres", "UPDATE t SET a = array_append(a, 1) WHERE 1 <> ALL (a)", &[]),
        ("postgres", "UPDATE t SET f = NOT f WHERE f", &["IDM203"]),
        ("postgres", "UPDATE t SET f = NOT coalesce(f, false)", &["IDM203"]),
        ("postgres", "UPDATE t SET f = NOT g", &[]),
        ("postgres", "UPDATE t SET f = (1 - f)", &["IDM203"]),
        ("postgres", "UPDATE t SET f = CASE WHEN f THEN false ELSE true END", &["IDM203"]),
        ("mysql", "UPDATE t SET f = IF(f = 1, 0, 1)", &["IDM203"]),
    ]);
}

#[test]
fn clocks() {
    all(&[
        ("postgres", "UPDATE t SET a = 1, updated_at = now() WHERE a <> 1", &[]),
        ("postgres", "UPDATE t SET a = 1, updated_at = now() WHERE a IS DISTINCT FROM 1 OR b IS NULL", &[]),
        ("postgres", "UPDATE t SET a = 1, updated_at = now() WHERE b <> 1", &["IDM204"]),
        ("postgres", "UPDATE t SET a = 1, seen_at = coalesce(seen_at, now()) WHERE b = 1", &[]),
        ("postgres", "UPDATE t SET updated_at = now()", &["IDM204"]),
        ("postgres", "UPDATE t SET updated_at = now() WHERE id = 1", &[]),
        ("postgres", "UPDATE t SET a = 1, loaded_at = now() WHERE b = 1", &[]),
        ("postgres", "UPDATE t SET a = 1, updated_at = now() WHERE id = 1", &[]),
        ("sqlite", "UPDATE t SET a = 1, updated_at = datetime('now') WHERE b = 2", &["IDM204"]),
        (
            "postgres",
            "UPDATE t SET a = s.a, updated_at = now() FROM (SELECT id, max(a) a FROM q GROUP BY id) s WHERE s.id = t.id AND (t.a, t.b) IS DISTINCT FROM (s.a, s.b)",
            &[],
        ),
        (
            "postgres",
            "UPDATE t SET a = s.a, updated_at = now() FROM (SELECT id, max(a) a FROM q GROUP BY id) s WHERE s.id = t.id AND md5(t.a) <> md5(s.a)",
            &[],
        ),
    ]);
}

#[test]
fn sources_with_one_row_for_a_key() {
    let merge = |source: &str| {
        format!(
            "MERGE INTO c AS t USING {source} ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
        )
    };
    let unique = [
        "(SELECT 1 AS id, 'a' AS v UNION ALL SELECT 2, 'b') AS s",
        "(SELECT id, v FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY ts DESC) AS rn FROM q) x WHERE x.rn = 1) AS s",
        "(SELECT * FROM (SELECT q.*, row_number() OVER (PARTITION BY q.id ORDER BY ts DESC) AS rn FROM q) x WHERE rn = 1) AS s",
        "(SELECT id, v FROM q WHERE id = 4 LIMIT 1) AS s",
        "(SELECT DISTINCT id, 'x' AS v FROM q) AS s",
        "(SELECT c.id, p.v FROM c JOIN plans p ON p.id = c.plan_id) AS s",
        "(WITH RECURSIVE w AS (SELECT 1 AS id, 'a' AS v UNION ALL SELECT id + 1, v FROM w WHERE id < 9) SELECT id, v FROM w) AS s",
        "(SELECT a.id, b.v FROM (SELECT id FROM q GROUP BY id) a LEFT JOIN (SELECT id, max(v) AS v FROM r GROUP BY id) b ON b.id = a.id) AS s",
        "(SELECT a.id, b.v FROM (SELECT DISTINCT id FROM q) a JOIN (SELECT DISTINCT ON (id) id, v FROM r ORDER BY id) b USING (id)) AS s",
        "(SELECT id, v FROM (SELECT id, max(v) AS v FROM q GROUP BY 1) z) AS s",
        "(SELECT id, max(v) AS v FROM q GROUP BY id EXCEPT SELECT 1, 'a') AS s",
        "(VALUES (1, 'a'), (2, 'a')) AS s (id, v)",
        "(SELECT x.id::int AS id, max(v) AS v FROM q x GROUP BY x.id::int) AS s",
    ];
    let doubtful = [
        "(SELECT DISTINCT id, v FROM q) AS s",
        "(SELECT id, v FROM q UNION SELECT id, v FROM r) AS s",
        "(SELECT id, max(v) AS v FROM q GROUP BY id, day) AS s",
        "(SELECT a.id, b.v FROM (SELECT DISTINCT id FROM q) a JOIN r b ON b.id = a.id) AS s",
        "(SELECT id, v, rank() OVER (PARTITION BY id ORDER BY ts DESC) AS rn FROM q) AS s",
        "(SELECT id, v FROM (SELECT id, v, row_number() OVER (PARTITION BY id, day ORDER BY ts) AS rn FROM q) x WHERE rn = 1) AS s",
        "(SELECT id, v FROM (SELECT id, v, row_number() OVER (PARTITION BY id ORDER BY ts) AS rn FROM q) x WHERE rn < 3) AS s",
        "(VALUES (1, 'a'), (2, 'a'), (1, 'c')) AS s (id, v)",
        "(SELECT id, v FROM q EXCEPT SELECT id, v FROM c) AS s",
        "(SELECT id, max(v) AS v FROM q GROUP BY id UNION SELECT 1, 'a') AS s",
        "q AS s",
        "(SELECT q.id, p.v FROM q JOIN plans p ON p.id = q.plan_id) AS s",
    ];
    let mut faults = Vec::new();
    for (sources, wanted) in [(&unique[..], false), (&doubtful[..], true)] {
        for source in sources {
            let found = codes("postgres", &merge(source)).contains(&"IDM302".to_owned());
            if found != wanted {
                faults.push(format!("{source}: {found}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn upserts() {
    all(&[
        ("postgres", "INSERT INTO t (id, n) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET n = t.n", &[]),
        ("mysql", "INSERT INTO t (id, n) VALUES (1, 2) AS new ON DUPLICATE KEY UPDATE n = t.n + new.n", &["IDM301"]),
        ("mysql", "INSERT INTO t (id, n) VALUES (1, 2) ON DUPLICATE KEY UPDATE n = VALUES(n) + 1", &[]),
        (
            "mysql",
            "INSERT INTO t (id, s) VALUES (1, 'a') ON DUPLICATE KEY UPDATE s = CONCAT(s, VALUES(s))",
            &["IDM301"],
        ),
        (
            "postgres",
            "INSERT INTO t (id, tags) VALUES (1, '{a}') ON CONFLICT (id) DO UPDATE SET tags = array_append(t.tags, 'a')",
            &["IDM301"],
        ),
        (
            "postgres",
            "INSERT INTO t (id, doc) VALUES (1, '{\"a\": 1}') ON CONFLICT (id) DO UPDATE SET doc = t.doc || EXCLUDED.doc",
            &[],
        ),
        (
            "postgres",
            "INSERT INTO t (id, n) SELECT id, n FROM unnest($1::int[], $2::int[]) AS u (id, n) ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n",
            &[],
        ),
        (
            "postgres",
            "INSERT INTO t (id, n) SELECT g, 1 FROM generate_series(1, 9) AS g ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n",
            &[],
        ),
        (
            "postgres",
            "INSERT INTO t (id, n) VALUES (1, 2), (1, 3) ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n",
            &["IDM308"],
        ),
        (
            "postgres",
            "INSERT INTO t (a, b, n) SELECT a, b, sum(n) FROM q GROUP BY a, b ON CONFLICT (a, b) DO UPDATE SET n = EXCLUDED.n",
            &[],
        ),
        (
            "postgres",
            "INSERT INTO t (a, n) SELECT a, sum(n) FROM q GROUP BY a, b ON CONFLICT (a) DO UPDATE SET n = EXCLUDED.n",
            &["IDM308"],
        ),
    ]);
}

#[test]
fn merge_conditions() {
    all(&[
        (
            "sqlserver",
            "MERGE dbo.d AS t USING (SELECT id, MAX(v) AS v FROM s GROUP BY id) AS s ON t.id = s.id AND t.is_current = 1 WHEN MATCHED AND t.v <> s.v THEN UPDATE SET is_current = 0 WHEN NOT MATCHED THEN INSERT (id, v, is_current) VALUES (s.id, s.v, 1);",
            &[],
        ),
        (
            "sqlserver",
            "MERGE dbo.d AS t USING (SELECT id FROM s GROUP BY id) AS s ON t.id = s.id AND t.valid_to IS NULL WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);",
            &[],
        ),
        (
            "oracle",
            "MERGE INTO cfg t USING dual ON (t.name = 'x') WHEN NOT MATCHED THEN INSERT (name, v) VALUES ('x', 1)",
            &[],
        ),
        (
            "postgres",
            "MERGE INTO c AS t USING (SELECT id FROM q GROUP BY id) AS s ON (t.id = s.id OR t.id IS NULL AND s.id IS NULL) WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
            &[],
        ),
        (
            "bigquery",
            "MERGE c t USING (SELECT id, day FROM q WHERE day >= DATE '2026-01-01' GROUP BY id, day) s ON t.id = s.id AND t.day >= DATE '2026-01-01' WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.day)",
            &["IDM302"],
        ),
    ]);
}

#[test]
fn what_is_loaded_into_a_staging_table_is_followed() {
    all(&[
        (
            "postgres",
            "CREATE TEMP TABLE x (id int, v text); INSERT INTO x SELECT DISTINCT ON (id) id, v FROM q ORDER BY id; MERGE INTO c AS t USING x AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;",
            &[],
        ),
        (
            "postgres",
            "CREATE TEMP TABLE x AS SELECT id, v FROM q; MERGE INTO c AS t USING x AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;",
            &["IDM302"],
        ),
        ("postgres", "UPDATE c SET v = s.v FROM q AS s WHERE s.id = c.q_id", &[]),
        (
            "postgres",
            "CREATE TEMP TABLE x (id int, v text); INSERT INTO x VALUES (1, 'a'), (1, 'b'); UPDATE c SET v = x.v FROM x WHERE x.id = c.id",
            &["IDM205"],
        ),
    ]);
}

#[test]
fn what_was_filtered_into_a_staging_table_may_be_filtered_in_the_target() {
    let merge = |filter: &str, more: &str| {
        format!(
            "DROP TABLE IF EXISTS x; CREATE TEMP TABLE x AS SELECT b.* FROM (SELECT id, max(d) AS d FROM q WHERE {filter} GROUP BY id) AS b \
             LEFT JOIN c AS o ON o.id = b.id WHERE o.id IS NULL OR o.d <> b.d; {more} \
             MERGE INTO c USING x AS b ON c.id = b.id AND (c.d >= '2026-01-01') WHEN MATCHED THEN UPDATE SET d = b.d \
             WHEN NOT MATCHED THEN INSERT (id, d) VALUES (b.id, b.d);"
        )
    };
    let (alike, other) = (merge("q.d >= '2026-01-01'", ""), merge("q.d >= '2025-01-01'", ""));
    let more = merge("q.d >= '2026-01-01'", "INSERT INTO x SELECT id, d FROM r;");
    all(&[("redshift", &alike, &[]), ("redshift", &other, &["IDM303"]), ("redshift", &more, &["IDM302", "IDM303"])]);
}

#[test]
fn a_long_chain_takes_no_time_that_doubles_with_each_operator() {
    let start = std::time::Instant::now();
    for value in [
        format!("foo(n){}", " + 1".repeat(60)),
        format!("{}foo(n){}", "coalesce(".repeat(60), " + 1, 0)".repeat(60)),
        format!("foo(n){}", " || 'x'".repeat(900)),
    ] {
        check("x.sql", &format!("UPDATE t SET n = {value}"), Some("postgres"), None);
    }
    assert!(start.elapsed().as_secs() < 30);
    // What people write is still looked through to its end.
    all(&[("postgres", "UPDATE t SET n = n + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1", &["IDM201"])]);
}
