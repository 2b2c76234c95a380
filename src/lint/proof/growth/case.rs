//! Values that depend on what the column held: a flag that is turned over, a CASE that maps values to others.

use super::{Growth, Own, of, sole, uncast};
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

/// `NOT c`, `1 - c`, `~c`, `-c`, `c ^ 1`, `IF(c, 0, 1)`.
pub(super) fn toggle<'a>(sql: Sql<'a>, own: Own<'_>) -> Option<Growth<'a>> {
    let is_own = |part: Sql<'_>| sole(part, own);
    let prefix = sql.is(0, "not") || ["!", "~", "-"].iter().any(|sign| sql.symbol(0, sign));
    if prefix && is_own(sql.from(1)) {
        return Some(Growth::Toggles);
    }
    let at = sql.top().find(|at| sql.kind(*at) == Some(Kind::Symbol));
    if let Some(at) = at.filter(|at| *at > 0) {
        let (left, right) = (sql.slice(0..at), sql.from(at + 1));
        let one = |part: Sql<'_>| part.normal() == "1";
        let flips = match sql.text(at) {
            "-" => one(left) && is_own(right),
            "^" | "#" => one(left) && is_own(right) || is_own(left) && one(right),
            "=" | "is" => is_own(left) && (right.normal() == "0" || right.normal() == "false"),
            "<>" | "!=" => is_own(left) && (right.normal() == "1" || right.normal() == "true"),
            _ => false,
        };
        if flips {
            return Some(Growth::Toggles);
        }
    }
    if sql.is_any(0, &["if", "iif"]) && sql.kind(1) == Some(Kind::Open) && sql.after(1) == sql.len() {
        let parts = sql.inside(1).commas();
        if let [condition, yes, no] = parts.as_slice() {
            let (yes, no) = (yes.normal(), no.normal());
            let equals = condition.top().find(|at| condition.symbol(*at, "="));
            let flips = match equals {
                Some(at) => is_own(condition.slice(0..at)) && condition.from(at + 1).normal() == no && yes != no,
                None => {
                    is_own(*condition) && matches!(yes.as_str(), "0" | "false") && matches!(no.as_str(), "1" | "true")
                }
            };
            if flips {
                return Some(Growth::Toggles);
            }
        }
    }
    None
}

/// A CASE that maps literals of the column to literals: (from, to); the places of ELSE count when they keep it.
pub fn mapping<'a>(sql: Sql<'a>, own: Own<'_>) -> Option<Vec<(Sql<'a>, Sql<'a>)>> {
    let sql = uncast(sql);
    if !sql.is(0, "case") || sql.after(0) != sql.len() {
        return None;
    }
    let body = sql.slice(1..sql.len().saturating_sub(1));
    let first = body.find(0, &["when"])?;
    let subject = body.slice(0..first);
    if !subject.is_empty() && !sole(subject, own) {
        return None;
    }
    let mut map = Vec::new();
    let mut at = first;
    while body.is(at, "when") {
        let then = body.find(at, &["then"])?;
        let end = body.find(then, &["when", "else"]).unwrap_or(body.len());
        let condition = body.slice(at + 1..then);
        let from = if subject.is_empty() {
            let equals = condition.top().find(|at| condition.symbol(*at, "="))?;
            if !sole(condition.slice(0..equals), own) {
                return None;
            }
            condition.from(equals + 1)
        } else {
            condition
        };
        let to = body.slice(then + 1..end);
        if !from.is_literal() || !to.is_literal() {
            return None;
        }
        map.push((from, to));
        at = end;
    }
    Some(map)
}

pub(super) fn case<'a>(sql: Sql<'a>, own: Own<'_>) -> Growth<'a> {
    if let Some(map) = mapping(sql, own) {
        let flips = map.iter().any(|(from, to)| {
            from.normal() != to.normal()
                && map.iter().any(|(back, again)| back.normal() == to.normal() && again.normal() == from.normal())
        });
        // `CASE c WHEN 1 THEN 0 ELSE 1 END`
        let other = sql.find(1, &["else"]).map(|at| sql.slice(at + 1..sql.len() - 1));
        let one = match (map.as_slice(), other) {
            ([(from, to)], Some(other)) => other.normal() == from.normal() && to.normal() != from.normal(),
            _ => false,
        };
        return if flips || one { Growth::Toggles } else { Growth::None };
    }
    let body = sql.slice(1..sql.len().saturating_sub(1));
    // `CASE WHEN c THEN false ELSE true END`
    let parts: Vec<usize> = body.top().filter(|at| body.is_any(*at, &["when", "then", "else"])).collect();
    if let [0, then, otherwise] = parts.as_slice() {
        let condition = body.slice(1..*then);
        let (yes, no) = (body.slice(then + 1..*otherwise).normal(), body.from(otherwise + 1).normal());
        let condition_own = sole(condition, own);
        if condition_own && matches!(yes.as_str(), "false" | "0") && matches!(no.as_str(), "true" | "1") {
            return Growth::Toggles;
        }
    }
    let mut found = Growth::None;
    for (i, at) in parts.iter().enumerate() {
        if body.is_any(*at, &["then", "else"]) {
            let end = parts.get(i + 1).copied().unwrap_or(body.len());
            let one = of(body.slice(at + 1..end), own);
            if found.is_none() {
                found = one;
            }
        }
    }
    found
}
