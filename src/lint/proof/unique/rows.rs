//! What the text of a query says of its rows: aggregates, ROW_NUMBER, literals, the places of columns.

use super::{Column, Doubt, Rows};
use crate::sql::clause::{Body, Query, Relation, Table};
use crate::sql::lex::Kind;
use crate::sql::view::{Sql, folded};
use std::collections::HashMap;

/// Functions of a select list that give several rows.
pub(super) const SET_RETURNING: &[&str] = &[
    "explode",
    "explode_outer",
    "generate_series",
    "generate_subscripts",
    "json_array_elements",
    "json_each",
    "jsonb_array_elements",
    "jsonb_each",
    "posexplode",
    "regexp_split_to_table",
    "string_to_table",
    "unnest",
];

const AGGREGATES: &[&str] = &[
    "any_value",
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bool_and",
    "bool_or",
    "count",
    "group_concat",
    "json_agg",
    "jsonb_agg",
    "listagg",
    "max",
    "min",
    "string_agg",
    "sum",
    "count_big",
    "approx_count_distinct",
    "max_by",
    "min_by",
    "argmax",
    "argmin",
];

/// True when it calls an aggregate that is no window function, outside subqueries.
pub(super) fn aggregates(value: Sql<'_>) -> bool {
    if value.is(0, "select") || value.is(0, "with") {
        return false;
    }
    let mut at = 0;
    while at < value.len() {
        if value.kind(at + 1) == Some(Kind::Open) && value.is_any(at, AGGREGATES) {
            let mut behind = value.after(at + 1);
            if value.is(behind, "filter") {
                behind = value.after(behind + 1);
            }
            if !value.is(behind, "over") {
                return true;
            }
            at = behind;
            continue;
        }
        if value.after(at) > at + 1 && value.kind(at) == Some(Kind::Open) {
            if aggregates(value.inside(at)) {
                return true;
            }
            at = value.after(at);
            continue;
        }
        at += 1;
    }
    false
}

/// The partition of `ROW_NUMBER() OVER (PARTITION BY ..)`, when the expression is that.
pub(super) fn row_number(value: Sql<'_>) -> Option<Vec<Sql<'_>>> {
    let value = value.bare();
    if !value.is(0, "row_number")
        || !value.is(3, "over")
        || value.kind(4) != Some(Kind::Open)
        || value.after(4) != value.len()
    {
        return None;
    }
    let window = value.inside(4);
    if !window.words(0, &["partition", "by"]) {
        return Some(Vec::new());
    }
    let end = window.find(2, &["order", "rows", "range"]).unwrap_or(window.len());
    Some(window.slice(2..end).commas())
}

pub(super) fn starred(value: Sql<'_>) -> bool {
    (0..value.len()).any(|at| {
        value.symbol(at, "*") && (at == 0 || value.kind(at - 1) == Some(Kind::Dot)) || value.text(at).ends_with(".*")
    })
}

/// How many columns a body has, where its text says it.
pub(super) fn wide(body: &Body<'_>) -> Option<usize> {
    match body {
        Body::Select(select) if !select.items.iter().any(|item| starred(item.value)) => Some(select.items.len()),
        Body::Values(rows) => rows.first().map(Vec::len),
        Body::Query(query) => query.branches.first().and_then(|(_, body)| wide(body)),
        _ => None,
    }
}

pub(super) fn unites_all(query: &Query<'_>) -> bool {
    let sql = query.sql;
    sql.top().any(|at| sql.is(at, "union") && sql.is(at + 1, "all"))
}

/// `LIMIT 1`, `FETCH FIRST 1 ROW ONLY`
pub(super) fn one_row(limit: Sql<'_>) -> bool {
    let words = limit.normal();
    let words = words.strip_prefix("limit ").unwrap_or(&words);
    words == "1"
        || words.starts_with("1 offset")
        || (words.starts_with("fetch ")
            && (words.contains(" 1 row") || words.contains("first row") || words.contains("next row")))
}

/// The names that the first branch gives the columns; empty where one has none.
pub(super) fn item_names(query: &Query<'_>) -> Vec<String> {
    match query.branches.first() {
        Some((_, Body::Select(first))) => {
            first.items.iter().map(|item| item.name.clone().unwrap_or_default()).collect()
        }
        _ => Vec::new(),
    }
}

/// The rows of a query that names no table: `SELECT 1 AS a UNION ALL SELECT 2`, VALUES.
pub(super) fn literal_rows<'a>(query: &Query<'a>) -> Option<Vec<Vec<Sql<'a>>>> {
    let mut rows = Vec::new();
    for (word, body) in &query.branches {
        match body {
            _ if !word.is_empty() && word != "union" => return None,
            Body::Values(more) => rows.extend(more.iter().cloned()),
            Body::Select(select) => {
                let dual =
                    select.from.iter().all(|one| matches!(&one.table, Table::Name(name) if name.last() == "dual"));
                if !dual || select.items.iter().any(|item| item.value.calls_any(SET_RETURNING)) {
                    return None;
                }
                rows.push(select.items.iter().map(|item| item.value).collect());
            }
            Body::Query(inner) => rows.extend(literal_rows(inner)?),
            Body::Table(_) => return None,
        }
    }
    Some(rows)
}

/// Rows of a text: twice when two of them hold the same literals in the key.
pub fn listed<'s, 'a: 's>(rows: impl ExactSizeIterator<Item = &'s [Sql<'a>]>, key: &[Column]) -> Rows<'a> {
    if rows.len() < 2 {
        return Rows::Once;
    }
    let places: Vec<usize> = key.iter().filter_map(|column| column.at).collect();
    if places.len() != key.len() || places.is_empty() {
        return Rows::Doubt(Doubt::Opaque);
    }
    let mut seen: HashMap<String, Sql<'a>> = HashMap::new();
    for row in rows {
        let mut text = String::new();
        let mut literal = true;
        let mut null = false;
        for at in &places {
            let Some(value) = row.get(*at) else { return Rows::Doubt(Doubt::Opaque) };
            literal &= value.is_literal();
            null |= value.is(0, "null");
            text.push_str(&value.normal());
            text.push('\u{0}');
        }
        // What is no literal may be equal to anything; whoever wrote the list knows.
        if !literal || null {
            continue;
        }
        let first = row.get(places[0]).copied();
        if let (Some(earlier), Some(place)) = (seen.get(&text), first) {
            return Rows::Twice(*earlier, place);
        }
        if let Some(place) = first {
            seen.insert(text, place);
        }
    }
    Rows::Once
}

/// The names behind a relation's alias: `AS s (id, v)`.
pub(super) fn alias_columns(relation: &Relation<'_>) -> Vec<String> {
    let (sql, Some(alias)) = (relation.sql, &relation.alias) else { return Vec::new() };
    let Some(open) = sql.top().last().filter(|at| *at > 0 && sql.kind(*at) == Some(Kind::Open)) else {
        return Vec::new();
    };
    if folded(sql.text(open - 1)) != alias.as_str() {
        return Vec::new();
    }
    sql.inside(open).commas().into_iter().filter_map(|one| one.name(0)).map(|(name, _)| name.last()).collect()
}

/// Columns with the places that a list of names gives them.
pub fn placed(key: &[Column], names: &[String]) -> Vec<Column> {
    key.iter()
        .map(|column| match names.iter().position(|name| *name == column.name) {
            Some(at) => Column { name: column.name.clone(), at: Some(at) },
            None => column.clone(),
        })
        .collect()
}
