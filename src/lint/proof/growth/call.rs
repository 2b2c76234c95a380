//! Functions of a column: those that put something to it, and those that do arithmetic with it.

use super::{Growth, Own, STABLE, before_as, of, sole};
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

/// Functions that put their other arguments to the first.
const APPENDING: &[&str] = &[
    "array_append",
    "array_cat",
    "array_concat",
    "array_prepend",
    "arraypushback",
    "arraypushfront",
    "concat",
    "concat_ws",
    "json_array_append",
    "json_array_insert",
    "json_merge",
    "json_merge_preserve",
    "jsonb_insert",
    "list_append",
    "list_cat",
    "list_concat",
    "list_prepend",
];

/// Functions that do arithmetic with a column.
const ARITHMETIC: &[&str] = &[
    "add_months",
    "adddate",
    "addtime",
    "date_add",
    "date_sub",
    "dateadd",
    "datetime_add",
    "datetime_sub",
    "exp",
    "power",
    "sqrt",
    "subdate",
    "subtime",
    "timestamp_add",
    "timestamp_sub",
    "timestampadd",
];

pub(super) fn call<'a>(sql: Sql<'a>, own: Own<'_>) -> Growth<'a> {
    if sql.kind(0) != Some(Kind::Word) || sql.kind(1) != Some(Kind::Open) || sql.after(1) != sql.len() {
        return Growth::None;
    }
    let parts = sql.inside(1).commas();
    let own_part = parts.iter().find(|part| own.in_any(**part));
    let direct = own_part.is_some_and(|part| sole(before_as(*part), own));
    let other = parts.iter().find(|part| !own.in_any(**part)).copied();
    if sql.is_any(0, APPENDING) {
        return if direct { Growth::Appends(other) } else { Growth::None };
    }
    if sql.is(0, "json_modify") {
        let append = parts.get(1).is_some_and(|path| path.source().contains("append "));
        return if append && direct { Growth::Appends(parts.get(2).copied()) } else { Growth::None };
    }
    if sql.is_any(0, ARITHMETIC) {
        return if direct { Growth::Adds(sql.text(0), None) } else { Growth::None };
    }
    if sql.is(0, "replace") {
        let text = |at: usize| parts.get(at).map(|part| part.source().trim_start_matches('N').trim_matches('\''));
        let grows = match (text(1), text(2)) {
            (Some(from), Some(to)) => {
                !from.is_empty() && parts[1].is_literal() && parts[2].is_literal() && from != to && to.contains(from)
            }
            _ => false,
        };
        return if grows && direct { Growth::Appends(parts.get(2).copied()) } else { Growth::None };
    }
    if sql.is_any(0, STABLE) {
        return parts.iter().map(|part| of(before_as(*part), own)).find(|one| !one.is_none()).unwrap_or(Growth::None);
    }
    Growth::None
}
