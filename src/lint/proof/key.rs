//! Which unique key an INSERT can run into on a second run: whether it supplies the key, and with values that stay the same.

use crate::lint::known::{Key, Table};
use crate::sql::clause::{Body, Common, ConflictTarget, Inner, Insert, Item, Query, Select, Source, Table as From};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// What an INSERT puts into a column.
#[derive(Clone, Debug)]
pub enum Supplied<'a> {
    /// These values; of a query, the expressions of its branches. Empty where they cannot be told.
    Values(Vec<Sql<'a>>),
    /// Nothing: the default, or a fresh number for a null.
    Nothing,
    /// Which columns are filled is not known.
    Unknown,
}

/// Whether a second run of an INSERT meets the key of its first run.
#[derive(Clone, Debug)]
pub enum Reach<'a> {
    /// It does: every column of the key is supplied, and nothing tells that its value changes.
    Met,
    /// The column is not supplied, and the engine fills it with another value each time.
    Generated(String),
    /// The column is not supplied and stays null, which is equal to nothing.
    Null(String),
    /// The column is filled with another value each time.
    Volatile(String, Sql<'a>),
    /// Not known.
    Unknown,
}

/// Functions that give another value in each call, whatever their arguments.
const VOLATILE: &[&str] = &[
    "gen_random_uuid",
    "uuid_generate_v1",
    "uuid_generate_v1mc",
    "uuid_generate_v4",
    "uuidv1",
    "uuidv4",
    "uuidv7",
    "uuid_v4",
    "uuid_v7",
    "uuid_short",
    "generate_uuid",
    "generateuuidv4",
    "generateuuidv7",
    "random_uuid",
    "newid",
    "newsequentialid",
    "sys_guid",
    "nextval",
    "random",
    "rand",
    "randomblob",
    "gen_random_bytes",
    "random_bytes",
    "monotonically_increasing_id",
    "gen_ulid",
    "generate_ulid",
    "ulid",
];

/// Functions that do so only without arguments: with a name they are a hash of it, with a text a cast.
const VOLATILE_BARE: &[&str] = &["uuid", "uuid_string"];

/// Clocks. Each run has another time.
const CLOCKS: &[&str] = &[
    "now",
    "clock_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "current_timestamp",
    "localtimestamp",
    "getdate",
    "getutcdate",
    "sysdate",
    "sysdatetime",
    "sysutcdatetime",
    "sysdatetimeoffset",
    "systimestamp",
    "unix_timestamp",
    "utc_timestamp",
    "current_datetime",
    "now64",
];

/// What in a value changes from run to run: the function's word and its place, if there is one.
pub fn volatile<'a>(value: Sql<'a>, target: Option<Name<'_>>) -> Option<Sql<'a>> {
    let sql = value.bare();
    for at in 0..sql.len() {
        if sql.kind(at) != Some(Kind::Word) {
            continue;
        }
        let call = sql.kind(at + 1) == Some(Kind::Open);
        let dotted = at > 0 && sql.kind(at - 1) == Some(Kind::Dot);
        let here = sql.slice(at..at + 1);
        if call && (sql.is_any(at, VOLATILE) || (sql.is_any(at, VOLATILE_BARE) && sql.inside(at + 1).is_empty())) {
            return Some(here);
        }
        // `seq.NEXTVAL` and `NEXT VALUE FOR seq`
        if (dotted && sql.is(at, "nextval")) || sql.words(at, &["next", "value", "for"]) {
            return Some(here);
        }
        if sql.is_any(at, CLOCKS) && !dotted && !truncated(sql) && clock_word(sql, at, call) {
            return Some(here);
        }
    }
    greatest(sql, target)
}

/// Words for the clock that need no brackets; the others may be the names of columns.
fn clock_word(sql: Sql<'_>, at: usize, call: bool) -> bool {
    call || sql.is_any(at, &["current_timestamp", "localtimestamp", "sysdate", "systimestamp"])
}

/// The time cut to a day or longer: a second run on the same day has the same value.
fn truncated(sql: Sql<'_>) -> bool {
    let cut = sql.calls().any(|(_, name)| {
        ["date_trunc", "trunc", "date", "to_date", "datetrunc", "timestamp_trunc", "date_format", "to_char", "format"]
            .iter()
            .any(|one| name.eq_ignore_ascii_case(one))
    });
    let cast = (0..sql.len()).any(|at| {
        (sql.symbol(at, "::") || sql.is(at, "as")) && sql.is(at + 1, "date")
            || sql.is(at, "convert") && sql.is(at + 2, "date")
    });
    cut || cast
}

/// `(SELECT max(id) + 1 FROM t)`: one more than the greatest, after each run.
fn greatest<'a>(sql: Sql<'a>, target: Option<Name<'_>>) -> Option<Sql<'a>> {
    let target = target?;
    let max = (0..sql.len()).find(|at| sql.is(*at, "max") && sql.kind(at + 1) == Some(Kind::Open))?;
    let more = (0..sql.len()).any(|at| sql.symbol(at, "+"));
    let own = sql.mentions("select") && sql.names().any(|name| name.may_be(target));
    (more && own).then(|| sql.slice(max..max + 1))
}

/// `SELECT max(id) + 1 FROM t`, where the query of the INSERT itself reads the target.
fn counted<'a>(value: Sql<'a>, insert: &Insert<'a>) -> Option<Sql<'a>> {
    let Source::Query(query) = &insert.source else { return None };
    let max = (0..value.len()).find(|at| value.is(*at, "max") && value.kind(at + 1) == Some(Kind::Open))?;
    let more = (0..value.len()).any(|at| value.symbol(at, "+"));
    let own = query
        .selects()
        .into_iter()
        .flat_map(|select| &select.from)
        .any(|one| matches!(one.table, From::Name(name) if name.may_be(insert.target)));
    (more && own).then(|| value.slice(max..max + 1))
}

/// The columns that an INSERT fills, in order; `None` when they are not known.
pub fn columns(insert: &Insert<'_>, table: Option<&Table>) -> Option<Vec<String>> {
    if !insert.columns.is_empty() {
        return Some(insert.columns.clone());
    }
    match &insert.source {
        Source::Row(sets) => Some(sets.iter().map(|set| set.column.clone()).collect()),
        _ => table
            .filter(|table| !table.columns.is_empty())
            .map(|table| table.columns.iter().map(|column| column.name.clone()).collect()),
    }
}

/// What an INSERT puts into a column.
pub fn supplied<'a>(insert: &Insert<'a>, table: Option<&Table>, column: &str) -> Supplied<'a> {
    let Some(columns) = columns(insert, table) else { return Supplied::Unknown };
    let Some(at) = columns.iter().position(|one| one == column) else { return Supplied::Nothing };
    let generated =
        table.and_then(|table| table.columns.iter().find(|one| one.name == column)).is_some_and(|c| c.generated);
    let no_value = |value: Sql<'_>| {
        let value = value.bare();
        value.len() == 1 && (value.is(0, "default") || (generated && value.is(0, "null")))
    };
    let values = match &insert.source {
        Source::Values(rows) => rows.iter().filter_map(|row| row.get(at).copied()).collect(),
        Source::Row(sets) => sets.iter().filter(|set| set.column == column).map(|set| set.value).collect(),
        Source::Query(query) => {
            let scope: Vec<&Common<'a>> = insert.with.iter().collect();
            item_values(query, &scope, at, None, 8)
        }
        Source::Elsewhere => Vec::new(),
    };
    if !values.is_empty() && values.iter().all(|value| no_value(*value)) {
        return Supplied::Nothing;
    }
    Supplied::Values(values)
}

/// The expressions behind an item of a query, by its place or its name, followed through queries in FROM and WITH entries.
pub fn item_values<'a>(
    query: &Query<'a>,
    scope: &[&Common<'a>],
    at: usize,
    name: Option<&str>,
    hops: usize,
) -> Vec<Sql<'a>> {
    let mut all = Vec::new();
    if hops == 0 {
        return all;
    }
    let scope: Vec<&Common<'a>> = scope.iter().copied().chain(&query.with).collect();
    for (word, body) in &query.branches {
        if matches!(word.as_str(), "except" | "minus" | "intersect") {
            continue;
        }
        match body {
            Body::Select(select) => {
                let stars = select.items.iter().any(|item| item.value.source().ends_with('*'));
                let item = match name {
                    Some(name) => select.items.iter().find(|item| item.name.as_deref() == Some(name)),
                    None if stars => None,
                    None => select.items.get(at),
                };
                match item {
                    Some(Item { value, .. }) => all.extend(through(*value, select, &scope, hops)),
                    None if stars => {
                        if let Some(name) = name {
                            all.extend(column_values(name, None, select, &scope, hops));
                        }
                    }
                    None => {}
                }
            }
            Body::Values(rows) if name.is_none() => all.extend(rows.iter().filter_map(|row| row.get(at).copied())),
            Body::Query(inner) => all.extend(item_values(inner, &scope, at, name, hops - 1)),
            _ => {}
        }
    }
    all
}

/// A value itself or, of a column of a query in FROM, what the query puts there.
fn through<'a>(value: Sql<'a>, select: &Select<'a>, scope: &[&Common<'a>], hops: usize) -> Vec<Sql<'a>> {
    let Some(name) = value.as_name() else { return vec![value] };
    let found = column_values(&name.last(), name.qualifier().as_deref(), select, scope, hops);
    if found.is_empty() { vec![value] } else { found }
}

/// What the queries in FROM put into a column.
fn column_values<'a>(
    name: &str,
    qualifier: Option<&str>,
    select: &Select<'a>,
    scope: &[&Common<'a>],
    hops: usize,
) -> Vec<Sql<'a>> {
    for one in &select.from {
        if qualifier.is_some_and(|qualifier| one.called().as_deref() != Some(qualifier)) {
            continue;
        }
        let found = match &one.table {
            From::Query(inner) => item_values(inner, scope, usize::MAX, Some(name), hops - 1),
            From::Name(table) => match super::antijoin::common(*table, scope).map(|common| &common.inner) {
                Some(Inner::Query(inner)) => item_values(inner, scope, usize::MAX, Some(name), hops - 1),
                _ => Vec::new(),
            },
            From::Other => Vec::new(),
        };
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// The column that an entry of a key stands for: itself, or the first word of `name(10)` and `name COLLATE "C"`; `None` for
/// an expression.
pub fn plain(entry: &str) -> Option<&str> {
    let mut words = entry.split(' ');
    let first = words.next()?;
    match words.next() {
        None => Some(first),
        Some("(") => words.next().filter(|word| word.bytes().all(|b| b.is_ascii_digit())).map(|_| first),
        Some("collate") => Some(first),
        Some(word) if word.ends_with("_ops") => Some(first),
        Some(_) => None,
    }
}

/// Whether a second run meets a key, which is given by its columns.
pub fn reach<'a>(insert: &Insert<'a>, table: Option<&Table>, key: &[String], nulls_equal: bool) -> Reach<'a> {
    let mut outcome = Reach::Met;
    for entry in key {
        let Some(column) = plain(entry) else {
            // An expression: what it is made of may be supplied or not.
            outcome = Reach::Unknown;
            continue;
        };
        let known = table.and_then(|table| table.columns.iter().find(|one| one.name == column));
        match supplied(insert, table, column) {
            Supplied::Unknown => outcome = Reach::Unknown,
            Supplied::Nothing => match known {
                Some(one) if one.generated => return Reach::Generated(column.to_owned()),
                Some(one) if !one.has_default && !one.not_null && !nulls_equal => {
                    return Reach::Null(column.to_owned());
                }
                // The first run would fail: its default must stand elsewhere.
                Some(one) if one.not_null && !one.has_default => outcome = Reach::Unknown,
                Some(_) => {}
                None => outcome = Reach::Unknown,
            },
            Supplied::Values(values) => {
                let null = |value: &Sql<'a>| value.bare().len() == 1 && value.bare().is(0, "null");
                if !values.is_empty() && values.iter().all(null) && !nulls_equal {
                    return Reach::Null(column.to_owned());
                }
                let changing =
                    |value: &Sql<'a>| volatile(*value, Some(insert.target)).or_else(|| counted(*value, insert));
                if let Some(found) = values.iter().find_map(changing) {
                    return Reach::Volatile(column.to_owned(), found);
                }
            }
        }
    }
    outcome
}

/// A known key that a second run meets, without a predicate.
pub fn met<'t>(insert: &Insert<'_>, table: &'t Table) -> Option<&'t Key> {
    let mut keys: Vec<&Key> = table.keys.iter().filter(|key| key.predicate.is_none()).collect();
    // A name that people chose tells more than a number.
    keys.sort_by_key(|key| key.deferrable);
    keys.into_iter().find(|key| matches!(reach(insert, Some(table), &key.columns, key.nulls_equal), Reach::Met))
}

/// Why no known key of a complete table can be met; `None` when one may be, or when keys may be missing.
pub fn defeated<'a>(insert: &Insert<'a>, table: &Table) -> Option<Vec<Reach<'a>>> {
    if !table.complete {
        return None;
    }
    let all: Vec<Reach<'a>> =
        table.keys.iter().map(|key| reach(insert, Some(table), &key.columns, key.nulls_equal)).collect();
    all.iter().all(|one| !matches!(one, Reach::Met | Reach::Unknown)).then_some(all)
}

/// The columns that a conflict target names, as keys are written; `None` for any key.
pub fn conflict_columns(target: &ConflictTarget<'_>, table: Option<&Table>) -> Option<Vec<String>> {
    match target {
        ConflictTarget::Any => None,
        ConflictTarget::Columns(list, _) => Some(list.iter().map(|one| entry(*one)).collect()),
        ConflictTarget::Constraint(name) => {
            let name = name.last();
            table?.keys.iter().find(|key| key.name.as_ref() == Some(&name)).map(|key| key.columns.clone())
        }
    }
}

fn entry(sql: Sql<'_>) -> String {
    sql.as_name().map_or_else(|| sql.normal(), Name::last)
}

/// Why a conflict target fits no key of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// No key has these columns.
    NoKey,
    /// The index has the predicate, which the conflict target does not repeat.
    Partial(String),
    /// The constraint is deferrable.
    Deferrable,
}

/// Whether a conflict target names a key of a table whose keys are all known.
pub fn misfit(target: &ConflictTarget<'_>, table: &Table) -> Option<Misfit> {
    if !table.complete {
        return None;
    }
    match target {
        ConflictTarget::Any => table.keys.iter().any(|key| key.deferrable).then_some(Misfit::Deferrable),
        ConflictTarget::Constraint(name) => {
            let name = name.last();
            match table.keys.iter().find(|key| key.name.as_ref() == Some(&name)) {
                Some(key) if key.deferrable => Some(Misfit::Deferrable),
                Some(_) => None,
                // The engine makes up names for keys that have none.
                None => table.keys.is_empty().then_some(Misfit::NoKey),
            }
        }
        ConflictTarget::Columns(list, predicate) => {
            let wanted: Vec<String> = list.iter().map(|one| entry(*one)).collect();
            let mut worst = Misfit::NoKey;
            for key in table.keys.iter().filter(|key| same_columns(&key.columns, &wanted)) {
                match (&key.predicate, predicate) {
                    _ if key.deferrable => worst = Misfit::Deferrable,
                    // That the one predicate implies the other is for the engine to see.
                    (None, _) | (Some(_), Some(_)) => return None,
                    (Some(predicate), None) => worst = Misfit::Partial(predicate.clone()),
                }
            }
            Some(worst)
        }
    }
}

/// The same columns in any order.
fn same_columns(key: &[String], wanted: &[String]) -> bool {
    let same = |one: &str, other: &str| {
        one == other || matches!((plain(one), plain(other)), (Some(one), Some(other)) if one == other)
    };
    key.iter().all(|one| wanted.iter().any(|other| same(one, other)))
        && wanted.iter().all(|one| key.iter().any(|other| same(one, other)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::dialect;
    use crate::lint::known::Known;
    use crate::sql::clause::{Verb, read};
    use crate::sql::script::Script;

    fn judge(text: &str) -> (String, Option<Misfit>) {
        let script = Script::read(text, dialect::find("postgres").unwrap());
        let mut known = Known::default();
        known.learn(&script);
        let Ok(Verb::Insert(insert)) = read(script.sql(script.statements.last().unwrap())) else { panic!("{text}") };
        let table = known.find(insert.target);
        let target = insert.conflict.as_ref().map_or(ConflictTarget::Any, |conflict| conflict.target.clone());
        let columns = conflict_columns(&target, table).unwrap_or_default();
        let word = match reach(&insert, table, &columns, false) {
            Reach::Met => "met".to_owned(),
            Reach::Generated(column) => format!("generated {column}"),
            Reach::Null(column) => format!("null {column}"),
            Reach::Volatile(column, at) => format!("volatile {column} {}", at.source().to_lowercase()),
            Reach::Unknown => "unknown".to_owned(),
        };
        (word, table.and_then(|table| misfit(&target, table)))
    }

    #[test]
    fn a_key_is_met_or_not() {
        let table = "CREATE TABLE t (id serial PRIMARY KEY, a text, b text NOT NULL DEFAULT 'x', UNIQUE (a, b));";
        for (insert, want) in [
            ("INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO NOTHING", "met"),
            ("INSERT INTO t (id) VALUES (DEFAULT) ON CONFLICT (id) DO NOTHING", "generated id"),
            ("INSERT INTO t (a) VALUES ('x') ON CONFLICT (id) DO NOTHING", "generated id"),
            ("INSERT INTO t (a) VALUES ('x') ON CONFLICT (b, a) DO NOTHING", "met"),
            ("INSERT INTO t (b) VALUES ('x') ON CONFLICT (a, b) DO NOTHING", "null a"),
            (
                "INSERT INTO t (a) VALUES (gen_random_uuid()) ON CONFLICT (a, b) DO NOTHING",
                "volatile a gen_random_uuid",
            ),
            (
                "INSERT INTO t (a) SELECT x.k FROM (SELECT now() AS k) AS x ON CONFLICT (a, b) DO NOTHING",
                "volatile a now",
            ),
            ("INSERT INTO t (a) SELECT now()::date ON CONFLICT (a, b) DO NOTHING", "met"),
            ("INSERT INTO t (id) SELECT max(id) + 1 FROM t ON CONFLICT (id) DO NOTHING", "volatile id max"),
            ("INSERT INTO t (id) VALUES ((SELECT max(id) + 1 FROM t)) ON CONFLICT (id) DO NOTHING", "volatile id max"),
            ("INSERT INTO t VALUES (nextval('s'), 'x') ON CONFLICT (id) DO NOTHING", "volatile id nextval"),
            ("INSERT INTO t (id) VALUES (s.NEXTVAL) ON CONFLICT (id) DO NOTHING", "volatile id nextval"),
            ("INSERT INTO t (id) VALUES (NEXT VALUE FOR s) ON CONFLICT (id) DO NOTHING", "volatile id next"),
            ("INSERT INTO t (id) VALUES (uuid_generate_v5(ns, 'x')) ON CONFLICT (id) DO NOTHING", "met"),
            ("INSERT INTO u VALUES (1) ON CONFLICT (id) DO NOTHING", "unknown"),
        ] {
            assert_eq!(judge(&format!("{table}\n{insert};")).0, want, "{insert}");
        }
    }

    #[test]
    fn a_conflict_target_fits_a_key_or_says_why_not() {
        let table = "CREATE TABLE t (a int, b int, c text, UNIQUE (a, b), UNIQUE (c) DEFERRABLE);
                     CREATE UNIQUE INDEX i ON t (b) WHERE c = 'x'; CREATE UNIQUE INDEX j ON t (lower(c));
                     CREATE UNIQUE INDEX k ON t (b COLLATE \"C\", c);";
        for (target, want) in [
            ("(b, a)", None),
            ("(b, c)", None),
            ("(lower(c))", None),
            ("((lower(c)))", None),
            ("(a)", Some(Misfit::NoKey)),
            ("(c)", Some(Misfit::Deferrable)),
            ("(b)", Some(Misfit::Partial("c = 'x'".to_owned()))),
            ("(b) WHERE c = 'x'", None),
            ("", Some(Misfit::Deferrable)),
        ] {
            let text = format!("{table} INSERT INTO t (a) VALUES (1) ON CONFLICT {target} DO NOTHING;");
            assert_eq!(judge(&text).1, want, "{target}");
        }
    }
}
