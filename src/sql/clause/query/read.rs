//! A query as a whole: its WITH list, its branches, its tail.

use super::select::{AFTER_ITEMS, select};
use super::{Body, Common, Inner, Query};
use crate::sql::clause::Fault;
use crate::sql::clause::cursor::Cursor;
use crate::sql::clause::statement;
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

/// Queries inside queries beyond this are refused.
pub(super) const NESTING: usize = 100;

/// Reads a query; the cursor stops at the first word that is no part of it.
pub(in crate::sql::clause) fn query<'a>(c: &mut Cursor<'a>, depth: usize) -> Result<Query<'a>, Fault> {
    if depth > NESTING {
        return Err(Fault { range: c.sql.bytes(c.at), message: "it is nested too deeply".to_owned() });
    }
    let start = c.at;
    let with = with(c, depth)?;
    query_behind_with(c, start, with, depth)
}

/// The rest of a query whose WITH list was read.
pub(in crate::sql::clause) fn query_behind_with<'a>(
    c: &mut Cursor<'a>,
    start: usize,
    with: Vec<Common<'a>>,
    depth: usize,
) -> Result<Query<'a>, Fault> {
    let mut branches = vec![(String::new(), body(c, depth)?)];
    while c.is_any(&["union", "except", "intersect"])
        || (c.is("minus")
            && (c.sql.is_any(c.at + 1, &["select", "all", "with"]) || c.sql.kind(c.at + 1) == Some(Kind::Open)))
    {
        let word = c.sql.text(c.at).to_ascii_lowercase();
        c.at += 1;
        while c.eat_any(&["all", "distinct", "by", "name"]) {}
        branches.push((word, body(c, depth)?));
    }
    let (mut order_by, mut limit) = (None, None);
    loop {
        if c.eat_words(&["order", "by"]) {
            order_by = Some(c.until(AFTER_ITEMS));
        } else if c.is_any(&["limit", "offset", "fetch"]) {
            let from = c.at;
            c.at += 1;
            c.until(&["on", "for", "returning", "settings", "union", "option", "order", "format"]);
            limit = Some(c.sql.slice(from..c.at));
        } else if c.is("for") || c.is("option") || (c.is("settings") && depth > 0) || c.is("format") {
            c.at += 1;
            c.until(&["on", "returning", "limit", "union"]);
        } else if c.is_any(&["sort", "cluster", "distribute"]) && c.sql.is(c.at + 1, "by") {
            c.at += 2;
            c.until(AFTER_ITEMS);
        } else {
            break;
        }
    }
    Ok(Query { sql: c.sql.slice(start..c.at), with, branches, order_by, limit })
}

/// The WITH list, when there is one.
pub(in crate::sql::clause) fn with<'a>(c: &mut Cursor<'a>, depth: usize) -> Result<Vec<Common<'a>>, Fault> {
    let mut all = Vec::new();
    if !c.eat("with") {
        return Ok(all);
    }
    c.eat("recursive");
    loop {
        let Some(name) = c.name() else { return c.fault("the name of a WITH query") };
        let columns = c.brackets().map(crate::sql::clause::change::columns).unwrap_or_default();
        if !c.eat("as") {
            return c.fault("AS");
        }
        if c.eat("not") || c.is("materialized") {
            c.eat("materialized");
        }
        let Some(inside) = c.brackets() else { return c.fault("a query in brackets") };
        let mut inner = Cursor::new(inside);
        let first = Cursor { at: statement::behind_with(inside), ..inner };
        let inner = if first.is_any(&["insert", "update", "delete", "merge"]) {
            Inner::Change(Box::new(statement::read_nested(inside, depth + 1)?))
        } else {
            Inner::Query(query(&mut inner, depth + 1)?)
        };
        all.push(Common { name: name.last(), columns, inner });
        // `SEARCH`, `CYCLE` and `USING KEY` of recursive queries.
        if c.is_any(&["search", "cycle"]) {
            while !c.done()
                && c.kind() != Some(Kind::Comma)
                && !c.is_any(&["select", "insert", "update", "delete", "merge"])
            {
                c.at = c.sql.after(c.at);
            }
        }
        if !c.eat_kind(Kind::Comma) {
            return Ok(all);
        }
    }
}

pub(super) fn body<'a>(c: &mut Cursor<'a>, depth: usize) -> Result<Body<'a>, Fault> {
    if c.kind() == Some(Kind::Open) {
        let at = c.at;
        if let Some(inside) = c.brackets() {
            let mut inner = Cursor::new(inside);
            let read = query(&mut inner, depth + 1)?;
            if !inner.done() {
                c.at = at;
                return inner.fault("the end of the query");
            }
            return Ok(Body::Query(Box::new(read)));
        }
    }
    if c.is("select") || c.is("from") {
        return Ok(Body::Select(Box::new(select(c, depth)?)));
    }
    if c.eat("values") {
        return Ok(Body::Values(rows(c)));
    }
    if c.eat("table") {
        return match c.name() {
            Some(name) => Ok(Body::Table(name)),
            None => c.fault("the name of a table"),
        };
    }
    c.fault("SELECT or VALUES")
}

/// The rows of a VALUES list.
pub(in crate::sql::clause) fn rows<'a>(c: &mut Cursor<'a>) -> Vec<Vec<Sql<'a>>> {
    let mut rows = Vec::new();
    loop {
        c.eat("row");
        let Some(row) = c.brackets() else { break };
        rows.push(row.commas());
        if !c.eat_kind(Kind::Comma) {
            break;
        }
    }
    rows
}
