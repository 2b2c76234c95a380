//! Everything that a statement says, as an ordered list of lines: two statements with equal facts do the same.
//!
//! The structs of `sqlparser` are taken apart field by field, without `..`: a field that a newer version adds does not
//! compile until it has become a fact. What no plan ever asks for becomes a fact with the place `unplanned`, which no
//! expectation matches.

mod change;
mod define;
mod merge;
mod query;

use crate::sql::parse::{Note, Parsed};
use crate::sql::token::plain;
use sqlparser::ast::{BinaryOperator, CreateTable, Expr, Query, Statement};
use std::fmt;

/// One thing that a statement says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Which part of the statement says it: `set`, `using where`.
    pub place: String,
    /// What it says, in the normal form of `sqlparser`'s printer.
    pub text: String,
}

impl Fact {
    /// A fact.
    pub fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self { place: place.into(), text: text.into() }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text.is_empty() { f.write_str(&self.place) } else { write!(f, "{}: {}", self.place, self.text) }
    }
}

/// Everything that a statement says, in the order in which it says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    lines: Vec<Fact>,
}

impl Facts {
    /// The lines.
    pub fn lines(&self) -> &[Fact] {
        &self.lines
    }

    /// Adds a line at the end.
    pub fn push(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.lines.push(Fact::new(place, text));
    }

    /// Adds all lines of another list.
    pub fn extend(&mut self, other: &Self) {
        self.lines.extend(other.lines.iter().cloned());
    }

    /// Adds all lines of another list, each place behind the given one and a space.
    pub fn nest(&mut self, place: &str, inner: &Self) {
        self.lines.extend(inner.lines.iter().map(|fact| Fact::new(format!("{place} {}", fact.place), &*fact.text)));
    }

    /// The lines that differ, `-` for expected and `+` for found, with a line around each; `None` when there are none.
    pub fn difference(expected: &Self, found: &Self) -> Option<String> {
        if expected == found {
            return None;
        }
        let (expected, found) = (expected.to_string(), found.to_string());
        let diff = similar::TextDiff::from_lines(&expected, &found);
        Some(diff.unified_diff().context_radius(1).to_string())
    }
}

impl FromIterator<Fact> for Facts {
    fn from_iter<T: IntoIterator<Item = Fact>>(lines: T) -> Self {
        Self { lines: lines.into_iter().collect() }
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|fact| writeln!(f, "{fact}"))
    }
}

/// The facts of a statement.
pub fn facts(parsed: &Parsed) -> Facts {
    let mut writer = Writer { facts: Facts::default(), place: String::new(), notes: parsed.notes.clone() };
    match &parsed.statement {
        Statement::Query(query) => writer.query(query),
        Statement::CreateTable(CreateTable { query: Some(_), .. }) => writer.create_table_as(&parsed.statement),
        Statement::CreateTable(create) => writer.create_table(create),
        Statement::CreateIndex(create) => writer.create_index(create),
        Statement::AlterTable(alter) => writer.alter_table(alter),
        statement => writer.change(statement).unwrap_or_else(|| {
            // Printing such a statement loses words (SET SESSION TRANSACTION loses SESSION), so its tokens are its fact.
            writer.fact("statement", plain(parsed.tokens.iter().map(|lexeme| &lexeme.token)));
        }),
    }
    // Notes whose place the statement did not have. They must not get lost.
    for note in std::mem::take(&mut writer.notes) {
        writer.fact(note.place, note.text);
    }
    writer.facts
}

/// The facts of a query.
pub(super) fn of_query(query: &Query) -> Facts {
    let mut writer = Writer::default();
    writer.query(query);
    writer.facts
}

#[derive(Default)]
struct Writer {
    facts: Facts,
    /// What stands before each place, with a space at its end.
    place: String,
    /// What was taken out before parsing and has not become a fact yet.
    notes: Vec<Note>,
}

impl Writer {
    fn fact(&mut self, place: &str, text: impl fmt::Display) {
        self.facts.push(format!("{}{place}", self.place), text.to_string());
    }

    fn fact_each<T: fmt::Display>(&mut self, place: &str, texts: &[T]) {
        for text in texts {
            self.fact(place, text);
        }
    }

    fn optional(&mut self, place: &str, text: Option<&impl fmt::Display>) {
        if let Some(text) = text {
            self.fact(place, text);
        }
    }

    fn flag(&mut self, place: &str, is: bool) {
        if is {
            self.fact(place, "");
        }
    }

    /// Something that no plan asks for.
    fn unplanned(&mut self, text: Option<impl fmt::Display>) {
        if let Some(text) = text {
            self.fact("unplanned", text);
        }
    }

    /// One fact for each conjunct.
    fn conjuncts(&mut self, place: &str, condition: Option<&Expr>) {
        for conjunct in condition.into_iter().flat_map(conjuncts) {
            self.fact(place, conjunct);
        }
    }

    /// Facts of a part, each with a longer place.
    fn within(&mut self, place: &str, write: impl FnOnce(&mut Self)) {
        let length = self.place.len();
        self.place.push_str(place);
        self.place.push(' ');
        write(self);
        self.place.truncate(length);
    }

    /// The notes with this place become facts now.
    fn noted(&mut self, place: &str) {
        let (now, later) = std::mem::take(&mut self.notes).into_iter().partition(|note| note.place == place);
        self.notes = later;
        let now: Vec<Note> = now;
        for note in now {
            self.fact(note.place, note.text);
        }
    }
}

/// The conjuncts of a condition, without brackets around the whole of one: `(a AND (b OR c))` is `a` and `b OR c`.
pub(super) fn conjuncts(condition: &Expr) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = vec![condition];
    while let Some(next) = rest.pop() {
        match next {
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => rest.extend([&**right, &**left]),
            Expr::Nested(inner) => rest.push(inner),
            other => found.push(other.to_string()),
        }
    }
    found
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{Facts, facts};
    use crate::dialect;
    use crate::sql::parse::parse;

    fn of(sql: &str) -> Facts {
        let parsed = parse(sql, dialect::find("postgres").unwrap()).unwrap();
        assert_eq!(parsed.len(), 1);
        facts(&parsed[0])
    }

    #[test]
    fn an_upsert_says() {
        let sql = "INSERT INTO mart.orders AS t (order_id, tenant, amount)
            WITH w AS (SELECT max(x) AS lo FROM mart.orders)
            SELECT DISTINCT ON (s.order_id) s.order_id, coalesce(s.tenant, '') AS tenant, 1
            FROM raw.orders AS s LEFT JOIN (SELECT a FROM b WHERE c) AS o ON o.a = s.a AND (o.b = 1 OR o.c != 2)
            WHERE (s.at >= (SELECT lo FROM w) AND s.x IS NOT NULL) ORDER BY s.order_id, s.at DESC NULLS LAST
            ON CONFLICT (order_id, coalesce( tenant , '')) DO UPDATE SET amount = EXCLUDED.amount
            WHERE t.at < EXCLUDED.at AND (t.amount, t.b) IS DISTINCT FROM (EXCLUDED.amount, EXCLUDED.b)";
        assert_eq!(
            of(sql).to_string(),
            "insert: mart.orders
alias: t
column: order_id
column: tenant
column: amount
with: w
with w select: max(x) AS lo
with w from: mart.orders
distinct on: s.order_id
select: s.order_id
select: coalesce(s.tenant, '') AS tenant
select: 1
from: raw.orders AS s
from left join: (..) AS o
from left join select: a
from left join from: b
from left join where: c
from left join on: o.a = s.a
from left join on: o.b = 1 OR o.c <> 2
where: s.at >= (SELECT lo FROM w)
where: s.x IS NOT NULL
order by: s.order_id
order by: s.at DESC NULLS LAST
conflict target: order_id, coalesce(tenant, '')
conflict action: update
set: amount = EXCLUDED.amount
guard: t.at < EXCLUDED.at
guard: (t.amount, t.b) IS DISTINCT FROM (EXCLUDED.amount, EXCLUDED.b)
"
        );
    }

    #[test]
    fn a_merge_says() {
        let sql = "MERGE INTO orders WITH (HOLDLOCK) AS t USING (VALUES (1, 'a'), (2, 'b')) AS s (id, v)
            ON (t.id = s.id AND t.k IS NOT DISTINCT FROM s.k)
            WHEN MATCHED AND s.gone THEN DELETE
            WHEN MATCHED THEN UPDATE SET v = s.v, w = 1
            WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)";
        assert_eq!(
            of(sql).to_string(),
            "merge: orders
alias: t
hint: HOLDLOCK
using: (..) AS s (id, v)
using values: 1, 'a'
using values: 2, 'b'
on: t.id = s.id
on: t.k IS NOT DISTINCT FROM s.k
when matched: s.gone
delete
when matched
set: v = s.v
set: w = 1
when not matched
insert column: id
insert column: v
insert value: s.id
insert value: s.v
"
        );
    }

    #[test]
    fn other_statements_say() {
        let text = |sql: &str| of(sql).to_string();
        assert_eq!(text("BEGIN"), "statement: BEGIN\n");
        assert_eq!(
            text("SELECT pg_advisory_xact_lock( hashtextextended('a.b', 0))"),
            "select: pg_advisory_xact_lock(hashtextextended('a.b', 0))\n"
        );
        assert_eq!(
            text("CREATE TEMP TABLE w ON COMMIT DROP AS SELECT 1 AS a UNION ALL SELECT 2"),
            "create table: TEMP w\ncreate table options: ON COMMIT DROP\nselect: 1 AS a\nunion all\nselect: 2\n"
        );
        assert_eq!(
            text("UPDATE orders AS t SET a = b.a, c = 1 FROM b AS b WHERE b.id = t.id AND t.x"),
            "update: orders\nalias: t\nset: a = b.a\nset: c = 1\nfrom: b AS b\nwhere: b.id = t.id\nwhere: t.x\n"
        );
        assert_eq!(
            text("DELETE FROM orders AS t USING b WHERE b.id = t.id"),
            "delete: orders\nalias: t\nusing: b\nwhere: b.id = t.id\n"
        );
        assert_eq!(
            text("INSERT INTO t (id, name) VALUES (1, 'O''Brien'), (2, NULL) ON CONFLICT DO NOTHING"),
            "insert: t\ncolumn: id\ncolumn: name\nvalues: 1, 'O''Brien'\nvalues: 2, NULL\n\
             conflict target\nconflict action: nothing\n"
        );
    }

    #[test]
    fn different_statements_differ() {
        for (one, other) in [
            ("SELECT 'a''b'", "SELECT 'a''''b'"),
            (
                "SELECT a FROM t UNION (SELECT b UNION ALL SELECT c)",
                "SELECT a FROM t UNION SELECT b UNION ALL SELECT c",
            ),
            ("SELECT a FROM t, u", "SELECT a FROM t JOIN u ON true"),
            ("DELETE FROM t WHERE a AND b OR c", "DELETE FROM t WHERE a AND (b OR c)"),
            ("INSERT INTO t SELECT 1 LIMIT 1", "INSERT INTO t SELECT 1"),
            ("SELECT a FROM t FOR UPDATE", "SELECT a FROM t"),
            ("SET SESSION x = 1", "SET x = 1"),
            (
                "MERGE INTO t WITH (HOLDLOCK) USING s ON a = b WHEN MATCHED THEN DELETE",
                "MERGE INTO t USING s ON a = b WHEN MATCHED THEN DELETE",
            ),
        ] {
            assert_ne!(of(one), of(other), "{one} / {other}");
        }
    }

    #[test]
    fn a_difference_shows_both_sides() {
        let difference = Facts::difference(&of("DELETE FROM t WHERE a = 1"), &of("DELETE FROM t WHERE a = 2")).unwrap();
        assert!(difference.contains("\n-where: a = 1\n+where: a = 2\n"), "{difference}");
        assert_eq!(Facts::difference(&of("SELECT 1"), &of("SELECT  1 -- one")), None);
    }
}
