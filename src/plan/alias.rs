//! What the relations of a load are called: a letter each, or that letter with `_` where a column or a table has its name.
//!
//! `s.key` is the field `key` of a column `s` where there is one, in dialects whose columns have fields:
//! <https://docs.cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#range_variables>. And a target `b` that is
//! written without an alias cannot be told from a batch `b`. `o.batch` in a subquery is a field of a relation `o` around it, and
//! no table of a schema `o`: <https://docs.cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#correlated_join>.

use super::expression;
use super::load::Aliases;
use super::name::name_parts;
use super::planner::Planner;
use crate::spec::Source;
use crate::sql::expression::{query, tables_read};
use std::collections::HashSet;

impl Planner<'_> {
    /// Chooses the aliases.
    pub(super) fn aliases(&self) -> Aliases {
        let taken = self.taken_names();
        let free = |wish: &str| {
            let mut name = wish.to_owned();
            while taken.contains(&name) {
                name.push('_');
            }
            name
        };
        Aliases {
            t: free("t"),
            s: free("s"),
            w: free("w"),
            d: free("d"),
            b: free("b"),
            o: free("o"),
            h: free("h"),
            g: free("g"),
            u: free("u"),
            batch: free("batch"),
        }
    }

    /// The names of columns and tables that may stand where an alias does, in lower case: a longer alias too many does no
    /// harm in a dialect that tells the cases apart.
    fn taken_names(&self) -> HashSet<String> {
        let table = self.table;
        let columns = table.columns.iter().map(|column| column.name.value.clone());
        let read = self.named_in_expressions().into_iter().map(|(name, _)| name);
        let staged = match &table.source.value {
            Source::Table(path) => name_parts(path),
            Source::Query(text) => {
                let text = expression::query_text(text);
                let tables = tables_read(text, self.dialect).unwrap_or_default();
                let facts = query(text, self.dialect).unwrap_or_default();
                let items =
                    facts.lines().iter().filter(|fact| fact.place == "select").map(|fact| item_name(&fact.text));
                tables.iter().flat_map(|path| name_parts(path)).chain(items).collect()
            }
            Source::Rows { .. } | Source::Parameters => Vec::new(),
        };
        let target = [table.catalog.as_ref(), table.schema.as_ref(), Some(&table.name)];
        let target = target.into_iter().flatten().map(|name| name.value.clone());
        let names = columns.chain(read).chain(staged).chain(target);
        names.map(|name| name.to_lowercase()).collect()
    }
}

/// The name of an item of a SELECT: its last word, without quotes.
fn item_name(text: &str) -> String {
    let text = text.trim_end_matches(['"', '`', ']']);
    let start = text.rfind(|c: char| !c.is_alphanumeric() && c != '_');
    let width = |at: usize| text[at..].chars().next().map_or(0, char::len_utf8);
    text[start.map_or(0, |at| at + width(at))..].to_owned()
}
