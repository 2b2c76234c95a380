//! The schemas of a trial: tables that a user has are never touched, so the SQL under test is given other schemas.

use crate::dialect::Dialect;
use crate::sql::lex::{Extras, Kind, lex};
use crate::sql::lexis::Lexis;
use crate::sql::view::{Sql, folded};
use std::collections::{BTreeMap, BTreeSet};

/// A table by its schema, when it has one, and its name: as they are, without quotes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Table {
    /// The schema; none for the session's own.
    pub schema: Option<String>,
    /// The name.
    pub name: String,
}

impl Table {
    /// The table of a name in parts, of which the last two count.
    pub fn of(parts: &[String]) -> Self {
        let mut parts = parts.iter().rev().cloned();
        let name = parts.next().unwrap_or_default();
        Self { schema: parts.next(), name }
    }
}

/// Which schema of ours stands for which of theirs.
#[derive(Clone, Debug, Default)]
pub struct Names {
    prefix: String,
    /// The schema of ours for each table of theirs.
    tables: BTreeMap<Table, String>,
}

impl Names {
    /// Schemas of ours for those tables: one for each of their schemas, named after the prefix and numbered.
    pub fn new(prefix: &str, tables: &[Table]) -> Self {
        let schemas: BTreeSet<&Option<String>> = tables.iter().map(|table| &table.schema).collect();
        let number =
            |schema: &Option<String>| schemas.iter().position(|other| *other == schema).unwrap_or_default() + 1;
        let ours = |table: &Table| match &table.schema {
            None => prefix.to_owned(),
            schema => format!("{prefix}_{}", number(schema)),
        };
        Self { prefix: prefix.to_owned(), tables: tables.iter().map(|table| (table.clone(), ours(table))).collect() }
    }

    /// The same, but those of the tables that have a schema are found in a schema of the other prefix.
    #[must_use]
    pub fn with_other(&self, prefix: &str, tables: &[Table]) -> Self {
        let mut other = self.clone();
        for table in tables.iter().filter(|table| table.schema.is_some()) {
            other.tables.insert(table.clone(), prefix.to_owned());
        }
        other
    }

    /// The schema for names without one.
    pub fn own(&self) -> &str {
        &self.prefix
    }

    /// Every schema of ours, the one for names without a schema first.
    pub fn schemas(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.tables.values().map(String::as_str).filter(|name| *name != self.prefix).collect();
        all.sort_unstable();
        all.dedup();
        all.insert(0, &self.prefix);
        all
    }

    /// The schema of ours that a table of theirs is in.
    pub fn schema(&self, table: &Table) -> &str {
        self.tables.get(table).map_or(&self.prefix, String::as_str)
    }

    /// The SQL with our schemas in the place of theirs, wherever `schema.table` names one of the tables. Case is not told
    /// apart: a trial has no two tables that differ in it alone.
    pub fn apply(&self, sql: &str, dialect: &Dialect) -> String {
        let lexed = lex(sql, 0..sql.len(), Lexis::of(dialect), Extras { client: None, templates: false });
        let view = Sql::new(sql, &lexed.tokens);
        let mut out = String::with_capacity(sql.len());
        let mut end = 0;
        for at in 0..view.len().saturating_sub(2) {
            let is_name = |at| matches!(view.kind(at), Some(Kind::Word | Kind::Name));
            if view.kind(at + 1) != Some(Kind::Dot) || !is_name(at) || !is_name(at + 2) {
                continue;
            }
            let (schema, table) = (folded(view.text(at)), folded(view.text(at + 2)));
            let found = self.tables.iter().find(|(known, _)| {
                known.schema.as_ref().is_some_and(|known| same(known, &schema)) && same(&known.name, &table)
            });
            if let Some((_, ours)) = found {
                out.push_str(&sql[end..view.bytes(at).start]);
                out.push_str(ours);
                end = view.bytes(at).end;
            }
        }
        out.push_str(&sql[end..]);
        out
    }
}

/// Whether a name of ours is the one that stands in SQL, folded and without its quotes.
fn same(known: &str, found: &str) -> bool {
    let known = known.to_lowercase();
    known == found || ["\"", "`", "]"].iter().any(|quote| known == found.replace(&quote.repeat(2), quote))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn tables() -> Vec<Table> {
        ["mart.orders", "raw.orders", "plain", "mart.名前 x"]
            .map(|name| Table::of(&name.split('.').map(str::to_owned).collect::<Vec<_>>()))
            .to_vec()
    }

    fn applied(sql: &str, dialect: &str) -> String {
        Names::new("v", &tables()).apply(sql, crate::dialect::find(dialect).unwrap())
    }

    #[test]
    fn qualified_names_change_and_everything_else_stays() {
        for (theirs, ours) in [
            (
                "INSERT INTO mart.orders AS t SELECT * FROM raw.orders",
                "INSERT INTO v_2.orders AS t SELECT * FROM v_3.orders",
            ),
            ("select MART.Orders.id from \"mart\".\"orders\"", "select v_2.Orders.id from v_2.\"orders\""),
            ("select * from mart.\"名前 x\"", "select * from v_2.\"名前 x\""),
            ("select mart.id, 'mart.orders', \"mart.orders\" -- mart.orders\nfrom mart.other as mart", ""),
            ("select * from plain", ""),
            ("select * from mart . orders", "select * from v_2 . orders"),
            ("select * from db.mart.orders", "select * from db.v_2.orders"),
        ] {
            assert_eq!(applied(theirs, "postgres"), if ours.is_empty() { theirs } else { ours });
        }
        assert_eq!(applied("update `mart`.`orders` set a = 1", "mysql"), "update v_2.`orders` set a = 1");
    }

    #[test]
    fn schemas_are_numbered_and_the_plain_one_is_first() {
        let names = Names::new("v", &tables());
        assert_eq!(names.schemas(), ["v", "v_2", "v_3"]);
        assert_eq!(names.schema(&Table::of(&["plain".to_owned()])), "v");
        let second = names.with_other("w", &[Table::of(&["raw".to_owned(), "orders".to_owned()])]);
        let postgres = crate::dialect::find("postgres").unwrap();
        assert_eq!(second.apply("mart.orders raw.orders", postgres), "v_2.orders w.orders");
    }
}
