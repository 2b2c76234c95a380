//! Which columns an anti-join compares with the relation that it looks at.

use super::joins::{Joins, Node};
use super::rows::starred;
use crate::lint::proof::key::volatile;
use crate::lint::proof::pairs;
use crate::sql::clause::{Relation, Select};
use crate::sql::view::{Name, Sql};

/// The comparisons of an anti-join: the column outside, and the column of the relation that is looked at.
pub(super) type Compared = Vec<(Node, String)>;

/// The comparisons of `NOT EXISTS (SELECT .. FROM r WHERE r.a = o.a)`; `None` where it asks for anything else, so that some
/// rows of the relation do not count.
pub(super) fn correlated<'a>(joins: &Joins<'_, '_, 'a>, looked: &Select<'a>) -> Option<Compared> {
    let (compared, narrowed) = narrowed(joins, looked, &[])?;
    narrowed.is_empty().then_some(compared)
}

/// The same where rows of the relation do not count that lack something: with what they must have, which is asked of the
/// relation alone. `outer` are the names of the relations outside.
pub(super) fn narrowed<'a>(
    joins: &Joins<'_, '_, 'a>,
    looked: &Select<'a>,
    outer: &[String],
) -> Option<(Compared, Vec<String>)> {
    let called = looked.from[0].called()?;
    let own = |name: Name<'_>| name.qualifier().is_none_or(|qualifier| qualifier == called);
    let parts = looked.filter.into_iter().flat_map(Sql::conjuncts);
    let alone = |part: &Sql<'a>| {
        pairs::equalities(*part).is_empty()
            && !outer.is_empty()
            && !outer.iter().any(|name| part.mentions(name))
            && volatile(*part, None).is_none()
    };
    let (narrowing, comparing): (Vec<_>, Vec<_>) = parts.partition(alone);
    let compared = compared(comparing, |left, right| {
        // A name without a qualifier is the nearest relation's.
        match (own(left), own(right)) {
            (true, false) => Some((joins.node(right), left.last())),
            (false, true) => Some((joins.node(left), right.last())),
            _ => None,
        }
    })?;
    Some((compared, narrowing.into_iter().map(Sql::normal).collect()))
}

/// The comparisons of `(a, b) NOT IN (SELECT c, d FROM r)`, which may leave out the nulls that would make every answer
/// unknown: a key without a value is the key of no row.
pub(super) fn listed<'a>(joins: &Joins<'_, '_, 'a>, part: Sql<'a>, looked: &Select<'a>) -> Option<Compared> {
    let is_item = |name: Name<'a>| looked.items.iter().any(|item| item.value.normal() == name.sql.normal());
    let no_null = |part: Sql<'a>| {
        part.name(0).is_some_and(|(name, end)| {
            part.words(end, &["is", "not", "null"]) && part.len() == end + 3 && is_item(name)
        })
    };
    let narrowed = looked.filter.into_iter().flat_map(Sql::conjuncts).any(|part| !no_null(part));
    if narrowed || looked.items.iter().any(|item| starred(item.value)) {
        return None;
    }
    let part = if part.is(0, "not") { part.from(1).bare() } else { part.bare() };
    let at = part.top().find(|at| part.is(*at, "in"))?;
    let side = part.slice(0..if part.is(at - at.min(1), "not") { at - 1 } else { at });
    let asked = side.bare().commas();
    if asked.len() != looked.items.len() {
        return None;
    }
    let pairs = asked.into_iter().zip(&looked.items);
    pairs.map(|(outer, item)| Some((joins.node(outer.as_name()?), item.value.as_name()?.last()))).collect()
}

/// The comparisons by which a relation is joined.
pub(super) fn joined(joins: &Joins<'_, '_, '_>, at: usize, relation: &Relation<'_>) -> Option<Compared> {
    if let Some(using) = relation.using {
        let both = |column: String| {
            // USING takes the column of what stands before.
            (at == 1).then(|| ((0, column.clone()), column))
        };
        return using.commas().into_iter().map(|one| both(one.as_name()?.last())).collect();
    }
    relation.on?;
    compared(relation.on.into_iter().flat_map(Sql::conjuncts), |left, right| {
        match (joins.node(left), joins.node(right)) {
            (own, other) if own.0 == at && other.0 != at => Some((other, own.1)),
            (other, own) if own.0 == at && other.0 != at => Some((other, own.1)),
            _ => None,
        }
    })
}

/// A column with a value in the place of null: `COALESCE(a, '-')`, as the column and the value.
fn filled(side: Sql<'_>) -> Option<(Name<'_>, String)> {
    if !side.is(0, "coalesce") {
        return None;
    }
    match side.from(1).bare().commas().as_slice() {
        [column, value] => Some((column.as_name()?, value.normal())),
        _ => None,
    }
}

/// The comparisons of a condition that is made of comparisons of two columns and of nothing else. Two columns that are
/// filled up alike may be compared beside the columns themselves, which is no further condition: it is there to be hashed.
fn compared<'a>(
    condition: impl IntoIterator<Item = Sql<'a>>,
    pair: impl Fn(Name<'a>, Name<'a>) -> Option<(Node, String)>,
) -> Option<Compared> {
    let (mut all, mut hashed) = (Vec::new(), Vec::new());
    for part in condition {
        let equal = pairs::equalities(part);
        if equal.is_empty() {
            return None;
        }
        for one in equal {
            match (filled(one.left), filled(one.right)) {
                (Some((left, value)), Some((right, other))) if value == other => hashed.push(pair(left, right)?),
                _ => all.push(pair(one.left.as_name()?, one.right.as_name()?)?),
            }
        }
    }
    hashed.iter().all(|one| all.contains(one)).then_some(all)
}
