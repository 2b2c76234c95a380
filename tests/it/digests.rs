//! The digest that names a batch by its content: the same for the same rows in any order and any session, another one for any
//! other rows.

use crate::engines::{open, spoken};
use idemsql::dialect::types::Type;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::Engine;

/// A row: a text or null, a number of 32 bits, and an instant, as their literals say.
type Cells = (Option<&'static str>, &'static str, &'static str);

const NOON: &str = "2024-05-01 12:00:00+00:00";

/// Sets of rows of which no two are the same.
const SETS: &[&[Cells]] = &[
    &[(Some("a"), "1", NOON)],
    &[(Some("a"), "1", NOON), (Some("a"), "1", NOON)],
    &[(Some("a"), "1", NOON), (Some("b"), "2", NOON)],
    &[(Some("a"), "2", NOON), (Some("b"), "1", NOON)],
    &[(None, "1", NOON)],
    &[(Some(""), "1", NOON)],
    &[(Some("null"), "1", NOON)],
    &[(Some("A"), "1", NOON)],
    &[(Some("a "), "1", NOON)],
    &[(Some("a\", 1"), "1", NOON)],
    &[(Some("it's"), "1", NOON)],
    &[(Some("\u{e9}"), "1", NOON)],
    &[(Some("\u{4ef6}\u{540d}"), "1", NOON)],
    // More digits than a client shows of 32 bits, and less than they hold.
    &[(Some("a"), "1.0000001", NOON)],
    &[(Some("a"), "1.0000002", NOON)],
    &[(Some("a"), "1", "2024-05-01 12:00:00.000001+00:00")],
    &[(Some("a"), "1", "2024-05-01 03:00:00+00:00")],
];

fn digest(dialect: &Dialect, session: &mut dyn Engine, rows: &[Cells]) -> String {
    let of = dialect.digest.expect("a digest");
    let types = [Type::Varchar(20), Type::Real, Type::Timestamptz];
    let row = |(text, number, instant): &Cells| {
        let text = text.map_or_else(|| "NULL".to_owned(), dialect.string);
        let literals = [text, (*number).to_owned(), (dialect.temporal)(instant, &types[2])];
        let cells: Vec<String> = literals.iter().zip(&types).map(|(cell, ty)| dialect.cast(cell, ty)).collect();
        let cells: Vec<(&str, &Type)> = cells.iter().map(String::as_str).zip(&types).collect();
        format!("SELECT {} AS digest", (of.row)(&cells))
    };
    let all = rows.iter().map(row).collect::<Vec<_>>().join(" UNION ALL ");
    let sql = format!("SELECT {} AS whole FROM ({all}) AS w", of.whole("w.digest"));
    let found = session.query(&sql).unwrap_or_else(|fault| panic!("{fault:#}\n{sql}")).rows;
    found.concat().pop().flatten().unwrap()
}

#[test]
fn engines_a_digest_is_that_of_the_rows_and_of_nothing_else() {
    for dialect in dialect::ALL.iter().filter(|dialect| dialect.digest.is_some()) {
        let Some(mut session) = open(dialect.name) else {
            eprintln!("{}: not run, nobody asked for it", dialect.name);
            continue;
        };
        assert!(std::ptr::eq(spoken(dialect.name), *dialect));
        let session = &mut *session;
        let digests: Vec<String> = SETS.iter().map(|rows| digest(dialect, session, rows)).collect();
        for (at, one) in digests.iter().enumerate() {
            let other = digests.iter().skip(at + 1).position(|other| other == one);
            assert_eq!(other.map(|behind| at + 1 + behind), None, "{}: set {at} and that one", dialect.name);
        }
        session.use_time_zone(9).unwrap();
        for (rows, known) in SETS.iter().zip(&digests) {
            let turned: Vec<Cells> = rows.iter().rev().copied().collect();
            assert_eq!(digest(dialect, session, &turned), *known, "{}: {rows:?}", dialect.name);
        }
    }
}
