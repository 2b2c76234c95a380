//! Which columns of two relations a condition compares for equality.

use crate::lint::proof::growth::uncast;
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// A comparison for equality.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// What stands on one side.
    pub left: Sql<'a>,
    /// What stands on the other.
    pub right: Sql<'a>,
    /// Two nulls are equal in it.
    pub nulls: bool,
    /// All of it.
    pub sql: Sql<'a>,
}

/// The comparisons for equality that hold where the condition holds.
pub fn equalities(condition: Sql<'_>) -> Vec<Pair<'_>> {
    condition.conjuncts().into_iter().flat_map(equality).collect()
}

fn equality(sql: Sql<'_>) -> Vec<Pair<'_>> {
    let sql = sql.bare();
    if sql.top().any(|at| sql.is(at, "or")) {
        return either(sql);
    }
    // EXISTS (SELECT t.a INTERSECT SELECT s.a)
    if sql.is(0, "exists") && sql.kind(1) == Some(Kind::Open) {
        let inside = sql.inside(1);
        if let Some(at) = inside.find(0, &["intersect"]) {
            let (left, right) = (inside.slice(1..at).commas(), inside.from(at + 2).commas());
            return left.into_iter().zip(right).map(|(left, right)| Pair { left, right, nulls: true, sql }).collect();
        }
        return Vec::new();
    }
    if sql.is(0, "equal_null")
        && sql.after(1) == sql.len()
        && let [left, right] = sql.inside(1).commas().as_slice()
    {
        return vec![Pair { left: *left, right: *right, nulls: true, sql }];
    }
    if sql.is(0, "decode") && sql.kind(1) == Some(Kind::Open) {
        let parts = sql.inside(1).commas();
        if let [left, right, _, _] = parts.as_slice() {
            return vec![Pair { left: *left, right: *right, nulls: true, sql }];
        }
    }
    for at in sql.top() {
        let plain = sql.symbol(at, "=") || sql.symbol(at, "==");
        if plain || sql.symbol(at, "<=>") {
            let (left, right) = (sql.slice(0..at), sql.from(at + 1));
            // (a, b) = (c, d)
            let (many, others) = (left.bare().commas(), right.bare().commas());
            if many.len() > 1 && many.len() == others.len() && left.kind(0) == Some(Kind::Open) {
                return many
                    .into_iter()
                    .zip(others)
                    .map(|(left, right)| Pair { left, right, nulls: !plain, sql })
                    .collect();
            }
            return vec![Pair { left, right, nulls: !plain, sql }];
        }
        if sql.is(at, "is") && sql.words(at + 1, &["not", "distinct", "from"]) {
            return vec![Pair { left: sql.slice(0..at), right: sql.from(at + 4), nulls: true, sql }];
        }
        // `a.id IS b.id`, where IS takes any two values.
        let qualified = |side: Sql<'_>| side.as_name().is_some_and(|name| name.qualifier().is_some());
        if sql.is(at, "is") && qualified(sql.slice(0..at)) && qualified(sql.from(at + 1)) {
            return vec![Pair { left: sql.slice(0..at), right: sql.from(at + 1), nulls: true, sql }];
        }
    }
    Vec::new()
}

/// `a = b OR (a IS NULL AND b IS NULL)`
fn either(sql: Sql<'_>) -> Vec<Pair<'_>> {
    let parts = sql.disjuncts();
    let [one, other] = parts.as_slice() else { return Vec::new() };
    let nulls =
        |part: Sql<'_>| part.conjuncts().iter().all(|one| one.words(one.len().saturating_sub(2), &["is", "null"]));
    let (equal, rest) = if nulls(*other) { (*one, *other) } else { (*other, *one) };
    if !nulls(rest) {
        return Vec::new();
    }
    equality(equal).into_iter().map(|pair| Pair { nulls: true, sql, ..pair }).collect()
}

/// The column that an expression is, without casts and without the value that stands in for null.
pub fn column(sql: Sql<'_>) -> Option<Name<'_>> {
    let sql = uncast(sql);
    if sql.is_any(0, &["coalesce", "ifnull", "nvl", "isnull"])
        && sql.after(1) == sql.len()
        && let [first, other] = sql.inside(1).commas().as_slice()
    {
        return if other.is_literal() { column(*first) } else { None };
    }
    sql.as_name()
}

/// What a condition says of one side of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It names columns of the target alone.
    Target,
    /// It names columns of the source alone.
    Source,
    /// It names none.
    Constant,
    /// It names both, or nobody knows.
    Mixed,
}

/// Whose columns an expression names, by their qualifiers.
pub fn side(sql: Sql<'_>, target: &[String], source: &[String]) -> Side {
    let mut found = Side::Constant;
    for name in sql.names() {
        let this = match name.qualifier() {
            Some(qualifier) if target.contains(&qualifier) => Side::Target,
            Some(qualifier) if source.contains(&qualifier) => Side::Source,
            _ => return Side::Mixed,
        };
        if found != Side::Constant && found != this {
            return Side::Mixed;
        }
        found = this;
    }
    found
}

/// The comparisons of a target's column with a source's expression: (target, source, pair). A side whose names say nothing
/// takes the place that the other one leaves.
pub fn between<'a>(condition: Sql<'a>, target: &[String], source: &[String]) -> Vec<(Sql<'a>, Sql<'a>, Pair<'a>)> {
    let mut all = Vec::new();
    for pair in equalities(condition) {
        match (side(pair.left, target, source), side(pair.right, target, source)) {
            (Side::Target, Side::Source | Side::Mixed) | (Side::Mixed, Side::Source) => {
                all.push((pair.left, pair.right, pair));
            }
            (Side::Source, Side::Target | Side::Mixed) | (Side::Mixed, Side::Target) => {
                all.push((pair.right, pair.left, pair));
            }
            _ => {}
        }
    }
    all
}
