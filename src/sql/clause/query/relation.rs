//! The relations of FROM, USING and MERGE.

use super::read::{query, rows};
use super::select::CLAUSES;
use super::{Body, Join, Query, Relation, Table};
use crate::sql::clause::Fault;
use crate::sql::clause::cursor::Cursor;
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

pub(super) const JOINS: &[&str] = &[
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "natural",
    "asof",
    "anti",
    "semi",
    "outer",
    "global",
    "any",
    "all",
    "straight_join",
    "lateral",
];

/// Words that are no alias.
pub(super) const NO_ALIAS: &[&str] = &[
    "on",
    "using",
    "where",
    "group",
    "having",
    "qualify",
    "window",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "union",
    "except",
    "intersect",
    "minus",
    "returning",
    "settings",
    "option",
    "connect",
    "start",
    "sort",
    "cluster",
    "distribute",
    "prewhere",
    "format",
    "log",
    "set",
    "when",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "natural",
    "asof",
    "straight_join",
    "with",
    "tablesample",
    "pivot",
    "unpivot",
    "final",
    "values",
    "select",
    "outer",
    "global",
    "as",
    "lateral",
    "partition",
    "match_recognize",
    "default",
    "output",
    "from",
    "anti",
    "semi",
    "use",
    "force",
    "ignore",
    "overriding",
    "sample",
    "changes",
    "at",
    "before",
    "version",
    "timestamp",
    "replace",
];

/// The relations of a FROM list.
pub(in crate::sql::clause) fn relations<'a>(c: &mut Cursor<'a>, depth: usize) -> Result<Vec<Relation<'a>>, Fault> {
    let mut all: Vec<Relation<'a>> = Vec::new();
    let mut join = Join::None;
    loop {
        let mut one = relation(c, depth)?;
        one.join = join;
        // Conditions may come in a row behind nested joins.
        while (c.is("on") && !c.sql.is_any(c.at + 1, &["conflict", "duplicate"]))
            || (c.is("using") && c.sql.kind(c.at + 1) == Some(Kind::Open))
        {
            if c.eat("using") {
                one.using = c.brackets();
            } else {
                c.at += 1;
                one.on = Some(condition(c));
            }
        }
        all.push(one);
        if c.eat_kind(Kind::Comma) {
            join = Join::None;
        } else if let Some(next) = join_words(c) {
            join = next;
        } else {
            return Ok(all);
        }
    }
}

/// A join condition: up to the next join or clause.
pub(super) fn condition<'a>(c: &mut Cursor<'a>) -> Sql<'a> {
    let start = c.at;
    loop {
        let mut words: Vec<&str> = CLAUSES.iter().chain(JOINS).copied().collect();
        words.extend(["on", "when", "set", "using"]);
        let stop = c.at;
        c.until(&words);
        // At a comma a FROM list goes on.
        let sql = c.sql.slice(stop..c.at);
        if let Some(comma) = sql.top().find(|at| sql.kind(*at) == Some(Kind::Comma)) {
            c.at = stop + comma;
            return c.sql.slice(start..c.at);
        }
        // `LEFT(x, 2)` and `ANY (..)` are no joins.
        let call = c.sql.kind(c.at + 1) == Some(Kind::Open)
            && c.is_any(&["left", "right", "any", "all", "format", "log", "semi", "anti"]);
        if c.done() || !call {
            return c.sql.slice(start..c.at);
        }
        c.at += 1;
    }
}

/// The words of a join; `None`, and nothing eaten, when there is none.
pub(super) fn join_words(c: &mut Cursor<'_>) -> Option<Join> {
    let start = c.at;
    let mut join = Join::Inner;
    while c.is_any(JOINS) || c.is("apply") || (c.is("view") && c.at > start) {
        let word = c.sql.text(c.at).to_ascii_lowercase();
        c.at += 1;
        match word.as_str() {
            "left" => join = Join::Left,
            "right" => join = Join::Right,
            "full" => join = Join::Full,
            "anti" => join = Join::Anti,
            "join" | "apply" | "straight_join" | "view" => return Some(join),
            _ => {}
        }
    }
    c.at = start;
    None
}

/// One relation with its alias.
pub(in crate::sql::clause) fn relation<'a>(c: &mut Cursor<'a>, depth: usize) -> Result<Relation<'a>, Fault> {
    let start = c.at;
    c.eat_any(&["lateral", "only"]);
    let table = if c.kind() == Some(Kind::Open) {
        let inside = c.brackets().unwrap_or(Sql::empty(c.sql.whole_text()));
        bracketed(inside, depth)?
    } else if c.is("values") {
        c.at += 1;
        let rows = rows(c);
        let sql = c.sql.slice(start..c.at);
        Table::Query(Box::new(Query {
            sql,
            with: Vec::new(),
            branches: vec![(String::new(), Body::Values(rows))],
            order_by: None,
            limit: None,
        }))
    } else if c.kind() == Some(Kind::Text) {
        // A file: `FROM 'x.parquet'`
        c.at += 1;
        Table::Other
    } else if matches!(c.sql.text(c.at).as_bytes().first(), Some(b'@')) {
        // A stage, a table variable, a schema that is filled in: `@stage/path (FILE_FORMAT => ..)`, `@t`, `@schema.t`
        let name = c.name();
        let behind = c.at;
        while !c.done() && c.kind() == Some(Kind::Symbol) {
            c.at += 1;
            c.name();
        }
        match name.filter(|_| c.at == behind) {
            Some(name) => Table::Name(name),
            None => Table::Other,
        }
    } else if let Some(name) = c.name() {
        if c.kind() == Some(Kind::Open) && !c.sql.is(c.at + 1, "nolock") {
            c.brackets();
            Table::Other
        } else {
            Table::Name(name)
        }
    } else {
        return c.fault("a table or a query");
    };
    let mut relation = Relation { sql: c.sql, join: Join::None, table, alias: None, on: None, using: None };
    loop {
        let alias = matches!(c.kind(), Some(Kind::Word | Kind::Name | Kind::Hole)) && !c.is_any(NO_ALIAS);
        if relation.alias.is_none() && (c.eat("as") || alias) {
            if let Some((name, end)) = c.sql.name(c.at) {
                relation.alias = Some(name.last());
                c.at = end;
            }
            if c.kind() == Some(Kind::Open) {
                c.brackets();
            }
        } else if c.is("with") && c.sql.kind(c.at + 1) == Some(Kind::Open) {
            c.at += 1;
            c.brackets();
        } else if c.is("with") && c.sql.is_any(c.at + 1, &["ordinality", "offset"]) {
            c.at += 2;
        } else if c.eat("final") || c.kind() == Some(Kind::Symbol) && c.sql.text(c.at) == "*" {
            c.at += usize::from(c.kind() == Some(Kind::Symbol));
        } else if c.is_any(&[
            "tablesample",
            "sample",
            "pivot",
            "unpivot",
            "changes",
            "at",
            "before",
            "use",
            "force",
            "ignore",
            "partition",
            "match_recognize",
        ]) {
            while !c.done() && c.kind() != Some(Kind::Open) && c.kind() != Some(Kind::Comma) {
                c.at += 1;
            }
            c.brackets();
        } else if c.is("for") && c.sql.is_any(c.at + 1, &["system_time", "version", "timestamp", "system"]) {
            c.at += 2;
            c.until(&["join", "left", "inner", "right", "full", "cross", "where", "on", "group", "order"]);
        } else {
            break;
        }
    }
    relation.sql = c.sql.slice(start..c.at);
    Ok(relation)
}

/// What stands in the brackets of a FROM list: a query, or joined tables.
pub(super) fn bracketed(inside: Sql<'_>, depth: usize) -> Result<Table<'_>, Fault> {
    let bare = inside.bare();
    let mut c = Cursor::new(inside);
    let branches = inside.find(0, &["union", "except", "intersect"]).is_some();
    if branches || bare.is_any(0, &["select", "with", "values", "from", "table"]) {
        let read = query(&mut c, depth + 1)?;
        if !c.done() {
            return c.fault("the end of the query");
        }
        return Ok(Table::Query(Box::new(read)));
    }
    if inside.is_empty() {
        return c.fault("a table or a query");
    }
    Ok(Table::Other)
}
