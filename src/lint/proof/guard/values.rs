//! What a comparison says of a value that a column was set to.

use super::clock;
use crate::lint::proof::growth::uncast;
use crate::sql::view::Sql;

/// The comparison outside all brackets, with its place.
pub(super) fn comparison(sql: Sql<'_>) -> Option<(usize, &'static str)> {
    const SIGNS: &[&str] = &["=", "==", "<>", "!=", "<=>", "<", ">", "<=", ">="];
    const WORDS: &[&str] = &["is", "in", "not"];
    sql.top().find_map(|at| {
        let sign = SIGNS.iter().find(|sign| sql.symbol(at, sign));
        let word = WORDS.iter().find(|word| at > 0 && sql.is(at, word));
        sign.or(word).map(|found| (at, *found))
    })
}

pub(super) fn turned(sign: &'static str) -> &'static str {
    match sign {
        "<" => ">",
        ">" => "<",
        "<=" => ">=",
        ">=" => "<=",
        other => other,
    }
}

/// True when two values say the same, whatever their casts and qualifiers.
pub(super) fn same_value(one: Sql<'_>, other: Sql<'_>) -> bool {
    let (one, other) = (uncast(one), uncast(other));
    let text = |sql: Sql<'_>| {
        let text = sql.normal();
        match text.as_str() {
            "1" => "true".to_owned(),
            "0" => "false".to_owned(),
            _ => text.strip_prefix("N'").map_or(text.clone(), |rest| format!("'{rest}")),
        }
    };
    text(one) == text(other)
}

/// True when a column that is set to a value is no longer equal to the other one.
pub(super) fn differs(value: Sql<'_>, other: Sql<'_>, own: bool) -> bool {
    if same_value(value, other) {
        return false;
    }
    // `SET n = n + 1 .. WHERE n = 5`, `SET state = 'done' .. WHERE state = 'open'`, `SET at = now() .. WHERE at = x`
    own || value.is_literal() && !value.is(0, "null")
        || clock(value)
        || value.is(0, "null")
        || value.as_name().is_some()
        || !value.is_literal() && !value.is_empty() && other.is_literal()
}

/// True when a number that is set lies beyond the bound.
pub(super) fn beyond(value: Sql<'_>, bound: Sql<'_>, sign: &str) -> bool {
    let number = |sql: Sql<'_>| uncast(sql).source().replace(' ', "").parse::<f64>().ok();
    let text = |sql: Sql<'_>| {
        let sql = uncast(sql);
        sql.is_literal().then(|| sql.source().to_owned())
    };
    if let (Some(value), Some(bound)) = (number(value), number(bound)) {
        return match sign {
            "<" => value >= bound,
            "<=" => value > bound,
            ">" => value <= bound,
            _ => value < bound,
        };
    }
    match (text(value), text(bound)) {
        (Some(value), Some(bound)) => match sign {
            "<" => value >= bound,
            "<=" => value > bound,
            ">" => value <= bound,
            _ => value < bound,
        },
        _ => false,
    }
}

pub(super) fn toggles(value: Sql<'_>) -> bool {
    uncast(value).is(0, "not")
}
