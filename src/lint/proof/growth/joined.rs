//! What `||` makes of a column: texts and lists grow, documents with keys are merged.

use super::{Growth, Own, of, sole, uncast};
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

pub(super) fn joined<'a>(sql: Sql<'a>, at: usize, own: Own<'_>) -> Growth<'a> {
    let (left, right) = (sql.slice(0..at), sql.from(at + 1));
    let (has, other) = if own.in_any(left) { (left, right) } else { (right, left) };
    if documents(other) {
        return Growth::None;
    }
    // `a || b` where one is set into the other's keys: documents are merged, lists and texts grow.
    let named = [
        "json",
        "data",
        "meta",
        "attributes",
        "attrs",
        "props",
        "properties",
        "payload",
        "settings",
        "config",
        "extra",
        "params",
        "options",
        "context",
        "preferences",
    ];
    let document = named.iter().any(|word| own.column.contains(word));
    let plain = other.len() == 1 && other.kind(0) == Some(Kind::Text) || other.is(0, "array") || listed(other);
    if document && !plain {
        return Growth::None;
    }
    match of(has, own) {
        Growth::None if sole(has, own) || has.top().any(|i| has.symbol(i, "||")) => Growth::Appends(Some(other)),
        inner => inner,
    }
}

/// A document with keys: putting it into another one a second time changes nothing.
fn documents(sql: Sql<'_>) -> bool {
    let sql = uncast(sql);
    let function = sql.is_any(
        0,
        &[
            "jsonb_build_object",
            "json_build_object",
            "to_jsonb",
            "to_json",
            "row_to_json",
            "hstore",
            "jsonb_object",
            "json_object",
            "jsonb_object_agg",
        ],
    );
    let text = sql.text(0).trim_start_matches(['\'', 'E', 'e', 'N']).trim_start();
    function
        || sql.len() == 1
            && text.starts_with('{')
            && (text.contains(':') || text.contains("=>") || text.trim_end_matches('\'').trim_end() == "{}")
}

fn listed(sql: Sql<'_>) -> bool {
    uncast(sql).text(0).trim_start_matches('\'').trim_start().starts_with('[')
}
