//! Statements on the border of what is proved of unions and of joins with the target.
#![allow(clippy::unwrap_used)]

use crate::lint::rules::tests::check;

/// True when the linter takes the source of a MERGE or an upsert to hold each key once.
fn once(sql: &str) -> bool {
    let checked = check("x.sql", sql, Some("postgres"), None);
    let codes: Vec<&str> = checked.findings.iter().map(|finding| finding.rule.code).collect();
    assert!(!codes.contains(&"IDM901"), "{sql}: {codes:?}");
    !codes.iter().any(|code| ["IDM302", "IDM308"].contains(code))
}

/// A MERGE of rows that are new and rows that are gone; `gone` is the second branch.
fn merge(gone: &str) -> String {
    format!(
        "MERGE INTO mart.item AS t USING (
            WITH batch AS (SELECT DISTINCT ON (s.id, s.line) s.id, s.line, s.v FROM raw.item AS s WHERE s.v > 3 ORDER BY s.id)
            SELECT b.id, b.line, b.v, 0 AS gone FROM batch AS b UNION ALL {gone}
        ) AS b ON t.id = b.id AND t.line = b.line
        WHEN MATCHED AND b.gone = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET v = b.v
        WHEN NOT MATCHED THEN INSERT (id, line, v) VALUES (b.id, b.line, b.v);"
    )
}

#[test]
fn rows_that_the_other_branch_does_not_read_are_other_keys() {
    for gone in [
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.id = o.id AND b.line = o.line)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE o.v > 2 AND NOT EXISTS (SELECT 1 FROM raw.item AS s WHERE s.id = o.id AND s.line = o.line)",
        // An anti-join on a part of the key leaves out more.
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM raw.item WHERE id = o.id)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o LEFT JOIN batch AS g ON g.id = o.id AND g.line = o.line WHERE g.line IS NULL",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE (o.id, o.line) NOT IN (SELECT id, line FROM batch)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE o.id NOT IN (SELECT DISTINCT id FROM raw.item)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE (SELECT count(*) FROM batch AS b WHERE b.id = o.id AND b.line = o.line) = 0",
        "SELECT x.id, x.line, NULL, 1 FROM (SELECT id, line FROM mart.item EXCEPT SELECT id, line FROM batch) AS x",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM (SELECT id AS i, line AS l FROM raw.item) AS s WHERE s.i = o.id AND s.l = o.line)",
        // Rows that do not count are in neither branch.
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM raw.item AS s WHERE s.id = o.id AND s.line = o.line AND s.v > 3)",
        "SELECT g.id, g.line, g.v, 1 FROM (SELECT o.* FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.id = o.id)) AS g",
    ] {
        assert!(once(&merge(gone)), "{gone}");
    }
}

#[test]
fn an_anti_join_that_looks_elsewhere_is_no_proof() {
    for gone in [
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o",
        // Another column, another table, a column that is no part of the key.
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.v = o.v)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.line = o.id)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.id = o.id AND b.v = o.v)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM raw.other AS s WHERE s.id = o.id AND s.line = o.line)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.id = b.id)",
        // Some rows of the relation do not count.
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.id = o.id AND b.line = o.line AND b.v > 7)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM raw.item AS s WHERE s.id = o.id AND s.line = o.line AND s.v > 4)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM raw.item AS s WHERE s.id = o.id AND s.line = o.line AND s.v > 3 AND o.v > 1)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM (SELECT id FROM raw.item WHERE v > 9) AS s WHERE s.id = o.id)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b JOIN z ON z.id = b.id WHERE b.id = o.id)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE EXISTS (SELECT 1 FROM batch AS b WHERE b.id = o.id AND b.line = o.line)",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE o.v > 2 OR NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.id = o.id AND b.line = o.line)",
        // What is null may be null in a row that was found.
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o LEFT JOIN batch AS g ON g.id = o.id AND g.line = o.line WHERE g.v IS NULL",
        "SELECT o.id, o.line, o.v, 1 FROM mart.item AS o WHERE o.v NOT IN (SELECT v FROM batch)",
        // Another value than the one that is compared stands in the key.
        "SELECT o.id + 1, o.line, o.v, 1 FROM mart.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.id = o.id AND b.line = o.line)",
        // The branch itself holds a key twice.
        "SELECT o.id, o.line, o.v, 1 FROM old.item AS o WHERE NOT EXISTS (SELECT 1 FROM batch AS b WHERE b.id = o.id AND b.line = o.line)",
    ] {
        assert!(!once(&merge(gone)), "{gone}");
    }
}

#[test]
fn each_two_branches_of_a_union_must_be_disjoint() {
    let upsert = |last: &str| {
        format!(
            "WITH a AS (SELECT id, max(v) AS v FROM one GROUP BY id), b AS (SELECT id, max(v) AS v FROM two GROUP BY id)
             INSERT INTO c (id, v) SELECT id, v FROM a
             UNION ALL SELECT b.id, b.v FROM b WHERE NOT EXISTS (SELECT 1 FROM a WHERE a.id = b.id)
             UNION ALL {last} ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v;"
        )
    };
    let three = "SELECT x.id, x.v FROM (SELECT id, max(v) AS v FROM three GROUP BY id) AS x
        WHERE NOT EXISTS (SELECT 1 FROM one AS a WHERE a.id = x.id)";
    assert!(once(&upsert(&format!("{three} AND x.id NOT IN (SELECT b.id FROM b)"))));
    assert!(!once(&upsert(three)));
    // The table's own rows, and the new ones that it lacks.
    assert!(once(
        "INSERT INTO c (id, v) SELECT id, v + 1 FROM c UNION ALL
         SELECT s.id, max(s.v) FROM s WHERE NOT EXISTS (SELECT 1 FROM c WHERE c.id = s.id) GROUP BY s.id
         ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v;"
    ));
}

#[test]
fn a_table_that_the_script_fills_is_read_through_its_join_with_the_target() {
    let load = |list: &str, on: &str| {
        format!(
            "CREATE TEMP TABLE batch AS SELECT {list} FROM (SELECT id, max(v) AS v FROM raw.item GROUP BY id) AS b
             LEFT JOIN mart.item AS o ON {on} WHERE o.id IS NULL OR o.v <> b.v;
             MERGE INTO mart.item AS t USING batch AS b ON t.id = b.id
             WHEN MATCHED THEN UPDATE SET v = b.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (b.id, b.v);"
        )
    };
    assert!(once(&load("b.*", "o.id = b.id")));
    assert!(once(&load("b.id, b.v", "o.id = b.id")));
    assert!(!once(&load("b.*", "o.v = b.v")), "a row may meet several of the target");
    assert!(!once(&load("o.*", "o.id < b.id")), "the star is the target's");
}
