//! What CREATE TABLE declares: columns and unique keys.

use super::{Create, Object, TableKey};
use crate::sql::clause::change::columns;
use crate::sql::clause::cursor::Cursor;
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql, folded};

/// A unique key that is declared here: `PRIMARY KEY (a)`, `UNIQUE [KEY name] (a, b)`.
pub(super) fn table_key<'a>(sql: Sql<'a>, name: Option<Name<'a>>) -> Option<TableKey<'a>> {
    let primary = sql.words(0, &["primary", "key"]);
    if !(primary || sql.is(0, "unique")) {
        return None;
    }
    let open = sql.top().find(|at| sql.kind(*at) == Some(Kind::Open))?;
    let inner = (!primary)
        .then(|| {
            (1..open).find_map(|at| {
                sql.name(at).filter(|_| {
                    !sql.is_any(at, &["key", "index", "nulls", "not", "distinct", "clustered", "nonclustered"])
                })
            })
        })
        .flatten();
    Some(TableKey { name: name.or(inner.map(|(name, _)| name)), primary, columns: columns(sql.inside(open)), sql })
}

/// One column of CREATE TABLE as it is declared.
#[derive(Clone, Debug)]
pub struct ColumnDefinition<'a> {
    /// Its name as it is compared.
    pub name: String,
    /// Its name as it is written.
    pub spelled: Name<'a>,
    /// What stands behind its name.
    pub rest: Sql<'a>,
}

impl<'a> Create<'a> {
    /// True for `CREATE TABLE t OF type`, whose columns are those of the type.
    pub fn is_typed(&self) -> bool {
        self.object == Object::Table && self.rest.is(0, "of")
    }

    /// The columns of a table; none where a type has them.
    pub fn columns(&self) -> Vec<ColumnDefinition<'a>> {
        self.entries()
            .filter(|_| !self.is_typed())
            .filter(|entry| !table_constraint(*entry))
            .filter_map(|entry| {
                let (name, end) = entry.name(0)?;
                (name.sql.len() == 1).then(|| ColumnDefinition {
                    name: name.last(),
                    spelled: name,
                    rest: entry.from(end),
                })
            })
            .collect()
    }

    /// The unique keys of a table, those of single columns among them.
    pub fn keys(&self) -> Vec<TableKey<'a>> {
        let mut keys = Vec::new();
        for entry in self.entries() {
            if table_constraint(entry) {
                let mut c = Cursor::new(entry);
                let name = if c.eat("constraint") { c.name() } else { None };
                keys.extend(table_key(entry.from(c.at), name));
                continue;
            }
            let Some((name, end)) = entry.name(0) else { continue };
            let rest = entry.from(end);
            let primary = rest.find(0, &["primary"]).is_some();
            if primary || rest.find(0, &["unique"]).is_some() {
                keys.push(TableKey {
                    name: None,
                    primary,
                    columns: vec![folded(name.source()).into_owned()],
                    sql: rest,
                });
            }
        }
        keys
    }

    /// The columns by which a ReplacingMergeTree keeps one row: those of its ORDER BY.
    /// <https://clickhouse.com/docs/engines/table-engines/mergetree-family/replacingmergetree>
    pub fn replacing_key(&self) -> Option<Vec<String>> {
        let rest = self.rest;
        let replacing = |at: &usize| rest.text(*at).to_ascii_lowercase().ends_with("replacingmergetree");
        let at = rest.top().find(replacing)?;
        let order = rest.find(at, &["order"]).filter(|at| rest.is(at + 1, "by"))? + 2;
        if rest.kind(order) == Some(Kind::Open) {
            return Some(columns(rest.inside(order)));
        }
        rest.name(order).map(|(name, _)| vec![name.last()])
    }

    fn entries(&self) -> impl Iterator<Item = Sql<'a>> {
        self.list.filter(|_| self.object == Object::Table).map(entries).unwrap_or_default().into_iter()
    }
}

/// True for what stands among the columns and is none.
pub(super) fn table_constraint(entry: Sql<'_>) -> bool {
    entry.is_any(
        0,
        &[
            "constraint",
            "primary",
            "unique",
            "check",
            "foreign",
            "exclude",
            "like",
            "index",
            "period",
            "fulltext",
            "spatial",
            "projection",
        ],
    ) && entry.kind(1).is_some()
        && !(entry.is_any(0, &["index", "check", "period", "like"]) && entry.len() == 2)
        || (entry.is(0, "key") && matches!(entry.kind(1), Some(Kind::Open | Kind::Name)))
}

/// Cut at the commas that stand in no brackets, and not in `STRUCT<a INT64, b STRING>` either.
fn entries(list: Sql<'_>) -> Vec<Sql<'_>> {
    let mut all = Vec::new();
    let (mut start, mut open) = (0, 0_usize);
    for at in list.top() {
        let text = list.text(at);
        let generic = at > 0 && list.is_any(at - 1, &["array", "struct", "map", "row", "list"]);
        if text.starts_with('<') && (open > 0 || generic) {
            open += text.len();
        } else if open > 0 && text.starts_with('>') {
            open = open.saturating_sub(text.len());
        } else if open == 0 && list.kind(at) == Some(Kind::Comma) {
            all.push(list.slice(start..at));
            start = at + 1;
        }
    }
    if start < list.len() || !all.is_empty() {
        all.push(list.from(start));
    }
    all
}
