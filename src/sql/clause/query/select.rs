//! One SELECT.

use super::relation::relations;
use super::{Distinct, Item, Select};
use crate::sql::clause::Fault;
use crate::sql::clause::cursor::Cursor;
use crate::sql::lex::Kind;
use crate::sql::view::{Sql, folded};

/// Words that end the select list and what follows it.
pub(super) const AFTER_ITEMS: &[&str] = &[
    "from",
    "into",
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
    "on",
    "settings",
    "option",
    "bulk",
];

pub(super) const CLAUSES: &[&str] = &[
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
    "as",
];

pub(super) fn select<'a>(c: &mut Cursor<'a>, depth: usize) -> Result<Select<'a>, Fault> {
    let start = c.at;
    let mut select = Select {
        sql: c.sql,
        distinct: Distinct::No,
        top: None,
        items: Vec::new(),
        into: None,
        from: Vec::new(),
        filter: None,
        group_by: None,
        having: None,
        qualify: None,
    };
    if c.eat("select") {
        select_list(c, &mut select);
    }
    if c.eat("bulk") {
        c.eat("collect");
    }
    if c.eat("into") {
        c.eat_any(&["temp", "temporary", "unlogged", "table", "strict"]);
        select.into = c.name();
        // Several variables of a procedural language.
        c.until(AFTER_ITEMS);
    }
    if c.eat("from") {
        select.from = relations(c, depth)?;
        if select.items.is_empty() && c.eat("select") {
            select_list(c, &mut select);
        }
    }
    loop {
        if c.is("into") && select.into.is_none() {
            c.at += 1;
            select.into = c.name();
            c.until(AFTER_ITEMS);
        } else if c.eat("prewhere") {
            c.until(CLAUSES);
        } else if c.eat("where") {
            select.filter = Some(clause(c));
        } else if c.eat_words(&["group", "by"]) {
            select.group_by = Some(clause(c));
        } else if c.eat("having") {
            select.having = Some(clause(c));
        } else if c.eat("qualify") {
            select.qualify = Some(clause(c));
        } else if c.eat("window") || c.eat_words(&["connect", "by"]) || c.eat_words(&["start", "with"]) {
            clause(c);
        } else {
            break;
        }
    }
    select.sql = c.sql.slice(start..c.at);
    Ok(select)
}

/// Up to the next clause; ON of ON CONFLICT and ON DUPLICATE KEY ends it too.
pub(super) fn clause<'a>(c: &mut Cursor<'a>) -> Sql<'a> {
    let start = c.at;
    loop {
        let mut words: Vec<&str> = CLAUSES.to_vec();
        words.push("on");
        c.until(&words);
        let goes_on = (c.is("on") && !c.sql.is_any(c.at + 1, &["conflict", "duplicate"]))
            || (c.is("for") && c.at == start)
            || (c.is("minus")
                && !c.sql.is_any(c.at + 1, &["select", "all"])
                && c.sql.kind(c.at + 1) != Some(Kind::Open))
            || (c.is_any(&["start", "log", "format", "sort", "cluster"])
                && !c.sql.is_any(c.at + 1, &["with", "by", "errors"]));
        if c.done() || !goes_on {
            return c.sql.slice(start..c.at);
        }
        c.at += 1;
    }
}

pub(super) fn select_list<'a>(c: &mut Cursor<'a>, select: &mut Select<'a>) {
    if c.eat("distinct") {
        select.distinct = Distinct::Rows;
        if c.eat("on")
            && let Some(list) = c.brackets()
        {
            select.distinct = Distinct::On(list);
        }
    } else {
        c.eat("all");
    }
    if c.eat("top") {
        let from = c.at;
        if c.brackets().is_none() {
            c.at += 1;
        }
        c.eat("percent");
        if c.is("with") && c.sql.is(c.at + 1, "ties") {
            c.at += 2;
        }
        select.top = Some(c.sql.slice(from..c.at));
    }
    c.eat_any(&["sql_no_cache", "sql_calc_found_rows", "straight_join"]);
    let from = c.at;
    loop {
        c.until(AFTER_ITEMS);
        // A column called `offset`, an `ON` that is no conflict clause.
        let goes_on = c.is("on") && !c.sql.is_any(c.at + 1, &["conflict", "duplicate"]);
        let column = c.at > from
            && c.is_any(&["offset", "limit", "window", "for", "settings", "option", "minus", "fetch"])
            && (c.sql.kind(c.at - 1) == Some(Kind::Comma)
                || c.sql.kind(c.at - 1) == Some(Kind::Dot)
                || c.sql.is(c.at - 1, "as"));
        if c.done() || !(goes_on || column) {
            break;
        }
        c.at += 1;
    }
    select.items = c.sql.slice(from..c.at).commas().into_iter().map(item).collect();
}

pub(super) fn item(sql: Sql<'_>) -> Item<'_> {
    let end = sql.len();
    if let Some(at) = sql.top().filter(|at| sql.is(*at, "as")).last()
        && at + 2 == end
    {
        return Item { value: sql.slice(0..at), name: Some(folded(sql.text(at + 1)).into_owned()) };
    }
    // `name = expression` of T-SQL.
    if sql.symbol(1, "=") && matches!(sql.kind(0), Some(Kind::Word | Kind::Name)) && end > 2 {
        return Item { value: sql.from(2), name: Some(folded(sql.text(0)).into_owned()) };
    }
    if let Some((name, at)) = sql.name(0)
        && at == end
    {
        return Item { value: sql, name: Some(name.last()) };
    }
    // An alias without AS: a name that stands behind something that is whole.
    let whole = end >= 2
        && matches!(sql.kind(end - 1), Some(Kind::Word | Kind::Name))
        && (matches!(
            sql.kind(end - 2),
            Some(Kind::Word | Kind::Name | Kind::Number | Kind::Text | Kind::Close | Kind::Variable | Kind::Hole)
        ))
        && !sql
            .is_any(end - 1, &["end", "null", "true", "false", "rows", "row", "day", "month", "year", "hour", "zone"])
        && !sql.is_any(
            end - 2,
            &[
                "and", "or", "not", "is", "then", "else", "when", "like", "interval", "date", "distinct", "collate",
                "in", "between",
            ],
        );
    if whole {
        return Item { value: sql.slice(0..end - 1), name: Some(folded(sql.text(end - 1)).into_owned()) };
    }
    Item { value: sql, name: None }
}
