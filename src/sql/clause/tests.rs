//! Clauses of statements in every dialect.
#![allow(clippy::unwrap_used)]

use super::{Verb, read};
use crate::dialect;
use crate::sql::script::Script;

/// What cannot be read of a script, with its statement.
fn faults(text: &str, name: &str) -> Vec<String> {
    let script = Script::read(text, dialect::find(name).unwrap());
    let mut faults = Vec::new();
    for statement in &script.statements {
        let sql = script.sql(statement);
        if let Err(fault) = read(sql) {
            faults.push(format!("{}: {}", fault.message, sql.source().chars().take(120).collect::<String>()));
        }
    }
    faults
}

#[test]
fn everything_that_we_render_is_read() {
    let mut seen = 0;
    for case in std::fs::read_dir("fixtures/load").unwrap() {
        let case = case.unwrap().path();
        for file in std::fs::read_dir(&case).unwrap() {
            let file = file.unwrap().path();
            let Some(dialect) = file.file_stem().and_then(|stem| dialect::find(stem.to_str().unwrap())) else {
                continue;
            };
            if file.extension().is_some_and(|ending| ending == "sql") {
                let text = std::fs::read_to_string(&file).unwrap();
                assert_eq!(faults(&text, dialect.name), [] as [String; 0], "{}", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn a_table_of_a_type_has_keys_of_its_own_and_the_columns_of_the_type() {
    for (text, name) in [
        (
            "CREATE TABLE orders OF sales.order_t (PRIMARY KEY (id, n), total DEFAULT 0) OBJECT IDENTIFIER IS PRIMARY KEY",
            "oracle",
        ),
        ("CREATE TABLE orders OF order_t (id WITH OPTIONS NOT NULL, PRIMARY KEY (id, n))", "postgres"),
    ] {
        let script = Script::read(text, dialect::find(name).unwrap());
        let Ok(Verb::Create(create)) = read(script.sql(&script.statements[0])) else { panic!("{text}") };
        assert!(create.columns().is_empty(), "{text}");
        let keys: Vec<Vec<String>> = create.keys().into_iter().map(|key| key.columns).collect();
        assert_eq!(keys, [["id", "n"]], "{text}");
    }
    assert_eq!(faults("CREATE TABLE orders OF order_t; CREATE TABLE files OF XMLTYPE;", "oracle"), [] as [String; 0]);
    assert_eq!(faults("CREATE TABLE orders OF;", "oracle").len(), 1);
}
