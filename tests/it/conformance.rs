//! Statements that a dialect's engine refuses are refused, and statements that it takes are taken.

use idemsql::dialect::{self, Dialect};
use idemsql::sql::conform::conform;
use idemsql::sql::facts::facts;
use idemsql::sql::parse::parse;
use std::path::Path;

/// A statement or a script of a fixture file.
struct Case {
    name: String,
    dialect: &'static Dialect,
    sql: String,
}

/// The cases of a file in which each begins with a line `--@ name | dialect`.
fn cases(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conform").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let cases: Vec<_> = text
        .split("--@ ")
        .skip(1)
        .map(|case| {
            let (head, sql) = case.split_once('\n').unwrap();
            let (name, dialect) = head.split_once(" | ").unwrap();
            let found = dialect::find(dialect).unwrap_or_else(|| panic!("{}: no dialect {dialect}", path.display()));
            Case { name: format!("{name} | {dialect}"), dialect: found, sql: sql.trim_end().to_owned() }
        })
        .collect();
    assert!(cases.len() > 30, "{} was not read", path.display());
    cases
}

/// What is wrong with a text, as the user would be told.
fn faults(case: &Case) -> Vec<String> {
    match parse(&case.sql, case.dialect) {
        Err(fault) => vec![fault.to_string()],
        Ok(parsed) => {
            let found = conform(&case.sql, &parsed, case.dialect);
            found.into_iter().map(|fault| format!("{} at `{}`", fault.message, &case.sql[fault.range])).collect()
        }
    }
}

#[test]
fn what_an_engine_refuses_is_refused() {
    let accepted: Vec<_> = cases("reject.sql").into_iter().filter(|case| faults(case).is_empty()).collect();
    let names: Vec<_> = accepted.iter().map(|case| &case.name).collect();
    assert!(names.is_empty(), "accepted: {names:#?}");
}

#[test]
fn what_an_engine_takes_is_taken() {
    let refused: Vec<_> = cases("accept.sql")
        .iter()
        .map(|case| (case.name.clone(), faults(case)))
        .filter(|(_, faults)| !faults.is_empty())
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn a_taken_statement_holds_nothing_unplanned() {
    for case in cases("accept.sql") {
        for parsed in parse(&case.sql, case.dialect).unwrap() {
            let facts = facts(&parsed);
            assert!(facts.lines().iter().all(|fact| !fact.place.contains("unplanned")), "{}\n{facts}", case.name);
        }
    }
}

#[test]
fn every_dialect_has_cases() {
    let (accept, reject) = (cases("accept.sql"), cases("reject.sql"));
    for dialect in dialect::ALL {
        let of = |cases: &[Case]| cases.iter().filter(|case| case.dialect.name == dialect.name).count();
        assert!(of(&accept) > 0, "accept.sql has nothing for {}", dialect.name);
        assert!(of(&reject) > 0 || dialect.name == "duckdb", "reject.sql has nothing for {}", dialect.name);
    }
}

#[test]
fn what_we_render_is_taken() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/load");
    let mut refused = Vec::new();
    let mut read = 0;
    for folder in std::fs::read_dir(fixtures).unwrap() {
        let folder = folder.unwrap().path();
        for dialect in dialect::ALL {
            let Ok(sql) = std::fs::read_to_string(folder.join(format!("{}.sql", dialect.name))) else { continue };
            read += 1;
            let case = Case { name: format!("{} | {}", folder.display(), dialect.name), dialect, sql };
            refused.extend(faults(&case).into_iter().map(|fault| format!("{}: {fault}", case.name)));
        }
    }
    assert!(read > dialect::ALL.len(), "no rendered SQL was read");
    assert!(refused.is_empty(), "{refused:#?}");
}
