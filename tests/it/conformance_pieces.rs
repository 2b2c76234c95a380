//! What the dialects give to templates (literals, names, expressions, frames of scripts) is read back as one thing by
//! the reader of the same dialect, and conforms to it.

use idemsql::dialect::mechanism::{Lock, Staging};
use idemsql::dialect::types::{Overlap, Type};
use idemsql::dialect::{self, Dialect};
use idemsql::sql::conform::conform;
use idemsql::sql::expression::{columns_of_expression, expression, scalar};
use idemsql::sql::facts::facts;
use idemsql::sql::parse::parse;
use idemsql::sql::split::{Kind, split};
use proptest::prelude::*;

const TYPES: [Type; 17] = [
    Type::Bool,
    Type::SmallInt,
    Type::Int,
    Type::BigInt,
    Type::Decimal { precision: 12, scale: 2 },
    Type::Real,
    Type::Double,
    Type::Text,
    Type::Varchar(20),
    Type::Char(2),
    Type::Bytes,
    Type::Date,
    Type::Time,
    Type::Timestamp,
    Type::Timestamptz,
    Type::Uuid,
    Type::Json,
];

/// What is wrong with a script of so many statements.
fn fault(sql: &str, statements: usize, dialect: &Dialect) -> Option<String> {
    let parsed = match parse(sql, dialect) {
        Ok(parsed) => parsed,
        Err(fault) => return Some(format!("{}: {sql}\n  {fault}", dialect.name)),
    };
    if parsed.len() != statements {
        return Some(format!("{}: {sql}\n  {} statements", dialect.name, parsed.len()));
    }
    let found = conform(sql, &parsed, dialect);
    found.first().map(|first| format!("{}: {sql}\n  {}", dialect.name, first.message))
}

/// What is wrong with an expression of a dialect.
fn expression_fault(text: &str, dialect: &Dialect) -> Option<String> {
    if let Err(fault) = scalar(text, dialect) {
        return Some(format!("{}: {text}\n  {fault}", dialect.name));
    }
    fault(&format!("SELECT {text} FROM t;"), 1, dialect)
}

fn assert_none(faults: impl IntoIterator<Item = String>) {
    let faults: Vec<_> = faults.into_iter().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn expressions_of_every_type_are_read() {
    let of = |dialect: &'static Dialect| {
        TYPES.iter().flat_map(move |ty| {
            let mut texts = vec![(dialect.now)(ty).to_owned(), (dialect.comparable)("t.x", ty)];
            texts.extend((dialect.floor)(ty));
            texts.push((dialect.exact)("t.x", ty));
            texts.push(format!("CAST(t.x AS {})", (dialect.type_name)(ty)));
            texts.push(match ty {
                Type::Bool => dialect.bools.0.to_owned(),
                Type::Bytes => (dialect.bytes)(&[0, 39, 92, 255]),
                Type::Date => (dialect.temporal)("2024-01-31", ty),
                Type::Time => (dialect.temporal)("12:30:00.5", ty),
                Type::Timestamp => (dialect.temporal)("2024-01-31 12:30:00.5", ty),
                Type::Timestamptz => (dialect.temporal)("2024-01-31 12:30:00.5+00:00", ty),
                Type::Uuid => (dialect.uuid)("7f8f2c2e-4c1b-4a7e-9f57-0b1f2a3c4d5e"),
                Type::Json => (dialect.json)(r#"{"a": "it's \\ \"b\""}"#),
                _ => dialect.bools.1.to_owned(),
            });
            match ty {
                Type::Date => texts.push((dialect.shift_back)("t.x", Overlap::Seconds(86_400), ty)),
                Type::Timestamp | Type::Timestamptz => {
                    texts.push((dialect.shift_back)("t.x", Overlap::Seconds(10_800), ty));
                    texts.push((dialect.shift_back)("t.x", Overlap::Seconds(172_800), ty));
                }
                Type::BigInt => texts.push((dialect.shift_back)("t.x", Overlap::Steps(100), ty)),
                _ => {}
            }
            texts.into_iter().filter_map(move |text| expression_fault(&text, dialect))
        })
    };
    assert_none(dialect::ALL.iter().flat_map(|dialect| of(dialect)));
}

#[test]
fn frames_of_scripts_are_read() {
    let of = |dialect: &'static Dialect| {
        let mut lines = Vec::new();
        let name = (dialect.string)("mart.orders");
        let filled = |line: &str| line.replace("{name}", &name).replace("{table}", "mart.orders");
        if let Some(script) = &dialect.script {
            lines.extend(script.before.iter().chain([&script.begin, &script.commit]).map(|line| filled(line)));
            match script.batch.map(|batch| batch.staging) {
                Some(Staging::CreateAs { create, drop, name }) => {
                    lines.push(format!("{create} {name} AS SELECT s.a FROM s"));
                    lines.push(format!("{drop} {name}"));
                }
                Some(Staging::SelectInto { drop, name }) => {
                    lines.push(format!("SELECT s.a INTO {name} FROM s"));
                    lines.push(format!("{drop} {name}"));
                }
                None => {}
            }
        }
        match dialect.lock {
            Lock::InTransaction(line) => lines.push(filled(line)),
            Lock::Around { acquire, release } => lines.extend([filled(acquire), filled(release)]),
            Lock::ByBegin | Lock::No { .. } => {}
        }
        lines.into_iter().filter_map(move |line| fault(&line, 1, dialect))
    };
    assert_none(dialect::ALL.iter().flat_map(|dialect| of(dialect)));
}

#[test]
fn reserved_words_are_names_in_quotes_and_not_without() {
    for dialect in dialect::ALL {
        for word in dialect.reserved {
            let quoted = dialect.identifier(word, false);
            let sql =
                format!("INSERT INTO {quoted} ({quoted}) SELECT b.{quoted} FROM {quoted} {}b;", dialect.table_alias);
            assert_none(fault(&sql, 1, dialect));
            let bare = format!("INSERT INTO t ({word}) SELECT b.a FROM u {}b;", dialect.table_alias);
            assert!(fault(&bare, 1, dialect).is_some(), "{}: {bare}", dialect.name);
        }
    }
}

/// The statements of a script.
fn statements<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let pieces = split(text, dialect::find(name).unwrap());
    pieces.into_iter().filter(|piece| piece.kind == Kind::Statement).map(|piece| &text[piece.range]).collect()
}

#[test]
fn a_comment_that_is_run_is_a_statement() {
    assert_eq!(statements("/* x */ /*!40101 SET a = 1 */; SELECT 1", "mysql").len(), 2);
    assert_eq!(statements("/* x */ /*!40101 SET a = 1 */; SELECT 1", "postgres").len(), 1);
}

#[test]
fn quotes_are_those_of_the_dialect() {
    assert_eq!(statements("SELECT 'a\\'; b'; SELECT `;`", "mysql"), ["SELECT 'a\\'; b'", "SELECT `;`"]);
    assert_eq!(statements("SELECT q'[a'; b]'; SELECT 1", "oracle"), ["SELECT q'[a'; b]'", "SELECT 1"]);
    assert_eq!(statements("SELECT [a;]; # b", "sqlserver"), ["SELECT [a;]", "# b"]);
    assert_eq!(statements("SELECT \'\'\'a;\' b\'\'\'; SELECT 1", "bigquery").len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_string_is_one_literal(text in r#"([a-zé'"`;$\\\[\]/*\n #{}()%@:?-]|--|/\*|\*/|\$\$|'''){0,12}"#) {
        for dialect in dialect::ALL {
            let literal = (dialect.string)(&text);
            let sql = format!("SELECT {literal} FROM t; SELECT 2 FROM t;");
            prop_assert_eq!(fault(&sql, 2, dialect), None);
            prop_assert_eq!(expression(&literal, dialect).map(|found| found.len()), Ok(1));
            let columns = columns_of_expression(&format!("{literal} || a"), dialect).unwrap_or_default();
            prop_assert!(columns.len() == 1, "{}: {}", dialect.name, literal);
        }
    }

    #[test]
    fn different_strings_are_different_facts(one in r#"[a'\\"\n]{0,6}"#, other in r#"[a'\\"\n]{0,6}"#) {
        for dialect in dialect::ALL {
            let of = |text: &str| {
                let sql = format!("SELECT {} FROM t", (dialect.string)(text));
                parse(&sql, dialect).map(|parsed| parsed.iter().map(facts).collect::<Vec<_>>())
            };
            prop_assert_eq!(of(&one) == of(&other), one == other, "{}", dialect.name);
        }
    }

    #[test]
    fn a_quoted_name_is_one_column(name in r#"[A-Za-zé'";$./*\n #{}(-]{1,12}"#) {
        for dialect in dialect::ALL.iter().filter(|dialect| dialect.name_fault(&name).is_none()) {
            let quoted = dialect.identifier(&name, true);
            let columns = columns_of_expression(&format!("{quoted} + 1"), dialect).unwrap_or_default();
            prop_assert!(columns.len() == 1, "{}: {}", dialect.name, quoted);
        }
    }

    #[test]
    fn no_text_brings_the_reader_down(text in r#"(SELECT|INSERT INTO|MERGE INTO|ON CONFLICT \(|USING|WITH|VARIABLE|DECLARE|SETTINGS|FINAL|VALUES|AS|DO|SET|t|a|\(|\)|,|;|\.|=|'|"|`|\[|--|/\*|\$|1|é|\n| ){0,25}"#) {
        for dialect in dialect::ALL {
            if let Ok(parsed) = parse(&text, dialect) {
                let _ = conform(&text, &parsed, dialect);
                for statement in &parsed {
                    let _ = facts(statement);
                }
            }
            let _ = expression(&text, dialect);
        }
    }
}
