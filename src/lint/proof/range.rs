//! Which rows a load adds and which a DELETE before it clears, as predicates on the target's columns.
//!
//! The question is whether the DELETE clears every row that a second run of the INSERT adds again. It is answered from the
//! text: equal conjuncts, bounds of comparable literals, lists of values, keys of the staged rows. Whatever cannot be
//! compared is unknown, and rules keep silent about it.

use crate::lint::proof::predicate::{Bound, Load, Piece, Set, Term, pieces, same, term};
use crate::lint::proof::value::Value;
use crate::sql::clause::{Delete, Relation, Table, Verb, read};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};
use std::cmp::Ordering;

/// What a DELETE clears of what an INSERT adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// Every row.
    All,
    /// Surely not every row.
    Part,
    /// The text does not tell.
    Unknown,
}

/// What a DELETE clears of what an INSERT adds.
pub fn cover<'a>(delete: &Delete<'a>, loads: &[Load<'a>]) -> Cover {
    let Some(filter) = delete.filter.filter(|_| !delete.limited) else {
        let whole = !delete.limited && delete.using.is_empty();
        return if whole { Cover::All } else { Cover::Unknown };
    };
    let mut all = Cover::All;
    for load in loads {
        match cover_one(delete, filter, load) {
            Cover::Part => return Cover::Part,
            Cover::Unknown => all = Cover::Unknown,
            Cover::All => {}
        }
    }
    if loads.is_empty() { Cover::Unknown } else { all }
}

fn cover_one<'a>(delete: &Delete<'a>, filter: Sql<'a>, load: &Load<'a>) -> Cover {
    let joins = delete.using.iter().filter_map(|relation| relation.on);
    let mut all = Cover::All;
    for conjunct in joins.chain([filter]).flat_map(Sql::conjuncts) {
        match conjunct_cover(delete, &delete.using, conjunct, load, 0) {
            Cover::Part => return Cover::Part,
            Cover::Unknown => all = Cover::Unknown,
            Cover::All => {}
        }
    }
    all
}

fn conjunct_cover<'a>(
    delete: &Delete<'a>,
    read: &[Relation<'a>],
    conjunct: Sql<'a>,
    load: &Load<'a>,
    depth: usize,
) -> Cover {
    let sql = conjunct.bare();
    if ["true", "1 = 1"].contains(&sql.normal().as_str()) {
        return Cover::All;
    }
    let lift =
        |qualifier: Option<String>, last: String| lift_of_clear(delete, read, load, (qualifier, last), depth > 0);
    // Rows whose keys are among the staged ones: `id IN (SELECT id FROM stg)`, `EXISTS (SELECT 1 FROM stg WHERE ..)`
    if sql.mentions("select") {
        return keys_cover(delete, sql, load, depth);
    }
    let clear = term(sql, &lift);
    if let Set::Holds = clear.set {
        let half = clear.on.len() / 2;
        // The key of the target is the key of the staged row that the load puts there.
        let trivial = clear.on.len() % 2 == 1
            && clear.on[half] == Piece::Word("=".to_owned())
            && clear.on[..half] == clear.on[half + 1..];
        let found = load.terms.iter().any(|term| matches!(term.set, Set::Holds) && same(&term.on, &clear.on));
        return if trivial || found { Cover::All } else { Cover::Unknown };
    }
    let terms: Vec<&Term> =
        load.terms.iter().filter(|term| !matches!(term.set, Set::Holds) && same(&term.on, &clear.on)).collect();
    let loose = terms.iter().any(|term| term.on.iter().any(|piece| matches!(piece, Piece::Loose(_))));
    match subset(&terms, &clear.set) {
        Cover::Part if loose => Cover::Unknown,
        other => other,
    }
}

/// A name in a DELETE: a column of the target, or the one that the load fills from that column of a staged row.
fn lift_of_clear(
    delete: &Delete<'_>,
    read: &[Relation<'_>],
    load: &Load<'_>,
    (qualifier, last): (Option<String>, String),
    inner: bool,
) -> Piece {
    let target = delete.table().last();
    let own = qualifier.as_ref().is_some_and(|q| *q == target || delete.alias.as_ref() == Some(q));
    let relation = read.iter().find(|one| match &qualifier {
        Some(qualifier) => one.called().as_ref() == Some(qualifier),
        None => inner,
    });
    match relation.filter(|_| !own) {
        None if qualifier.is_none() || own => Piece::Column(last),
        None => Piece::Other(qualifier, last),
        Some(relation) => {
            let Table::Name(table) = relation.table else { return Piece::Other(qualifier, last) };
            let source = load.sources.iter().find(|read| read.table.may_be(table));
            let column = source.and_then(|read| {
                let found = read.columns.iter().find(|(from, _)| *from == last).map(|(_, to)| to.clone());
                found.or_else(|| read.star.then(|| last.clone()))
            });
            column.map_or(Piece::Other(qualifier, last), Piece::Column)
        }
    }
}

fn keys_cover<'a>(delete: &Delete<'a>, sql: Sql<'a>, load: &Load<'a>, depth: usize) -> Cover {
    if depth > 3 {
        return Cover::Unknown;
    }
    let exists = sql.is(0, "exists");
    let at = if exists { Some(0) } else { sql.find(0, &["in"]) };
    let Some(at) = at.filter(|at| sql.after(at + 1) == sql.len() && !sql.is(at.wrapping_sub(1), "not")) else {
        return Cover::Unknown;
    };
    let Ok(Verb::Query(query)) = read(sql.inside(at + 1)) else {
        return Cover::Unknown;
    };
    let Some(one) = query.select().filter(|one| query.limit.is_none() && one.group_by.is_none() && one.top.is_none())
    else {
        return Cover::Unknown;
    };
    let inner = |q: Option<String>, last: String| lift_of_clear(delete, &one.from, load, (q, last), true);
    let outer = |q: Option<String>, last: String| lift_of_clear(delete, &[], load, (q, last), false);
    if !exists {
        let keys = sql.slice(0..at).bare().commas();
        let equal = keys.len() == one.items.len()
            && keys.iter().zip(&one.items).all(|(key, item)| pieces(*key, &outer) == pieces(item.value, &inner));
        if !equal {
            return Cover::Unknown;
        }
    }
    let mut conjuncts = one.filter.into_iter().flat_map(Sql::conjuncts);
    let all = conjuncts.all(|sql| conjunct_cover(delete, &one.from, sql, load, depth + 1) == Cover::All);
    if all { Cover::All } else { Cover::Unknown }
}

/// What the terms of a load, all on one column, let through together: the values, the lower and the upper bound.
struct Merged<'t, 'a> {
    values: Option<&'t Vec<Value<'a>>>,
    low: Option<&'t Bound<'a>>,
    high: Option<&'t Bound<'a>>,
    /// More is said than is kept here.
    more: bool,
}

fn merge<'t, 'a>(terms: &[&'t Term<'a>]) -> Merged<'t, 'a> {
    let mut merged = Merged { values: None, low: None, high: None, more: false };
    for term in terms {
        match &term.set {
            Set::In(values) => {
                merged.more |= merged.values.is_some();
                merged.values = merged.values.filter(|kept| kept.len() < values.len()).or(Some(values));
            }
            Set::Range(low, high) => {
                merged.more |= (low.is_some() && merged.low.is_some()) || (high.is_some() && merged.high.is_some());
                merged.low = merged.low.or(low.as_ref());
                merged.high = merged.high.or(high.as_ref());
            }
            Set::Holds => {}
        }
    }
    merged
}

fn subset(terms: &[&Term<'_>], clear: &Set<'_>) -> Cover {
    if terms.is_empty() {
        return Cover::Unknown;
    }
    // Each term alone bounds the rows from above, so one that lies inside is proof enough.
    let merged = merge(terms);
    let single = terms.iter().any(|term| within(&merge(&[term]), clear) == Cover::All);
    match within(&merged, clear) {
        _ if single => Cover::All,
        Cover::Part if merged.more => Cover::Unknown,
        other => other,
    }
}

fn within(load: &Merged<'_, '_>, clear: &Set<'_>) -> Cover {
    match (clear, load.values) {
        (Set::In(cleared), Some(values)) => {
            let inside = |value: &Value| cleared.iter().any(|one| one.order(value) == Some(Ordering::Equal));
            if values.iter().all(inside) {
                return Cover::All;
            }
            let outside = values.iter().any(|value| cleared.iter().all(|one| one.differs(value)));
            if outside && load.low.is_none() && load.high.is_none() { Cover::Part } else { Cover::Unknown }
        }
        (Set::In(cleared), None) => match (load.low, load.high) {
            (Some(low), Some(high)) => {
                let ends = [low, high];
                let known = |end: &Value| cleared.iter().any(|one| one.order(end) == Some(Ordering::Equal));
                if low.1 && high.1 && low.0.order(&high.0) == Some(Ordering::Equal) && known(&low.0) {
                    return Cover::All;
                }
                // An end that belongs to the range and is not cleared.
                let open = ends.iter().any(|end| end.1 && cleared.iter().all(|one| one.differs(&end.0)));
                if open && low.0.order(&high.0).is_some_and(Ordering::is_lt) { Cover::Part } else { Cover::Unknown }
            }
            (Some(end), None) | (None, Some(end)) => {
                let literal = end.0.is_literal() && cleared.iter().all(Value::is_literal);
                let comparable = cleared.iter().all(|one| one.order(&end.0).is_some());
                if literal && comparable { Cover::Part } else { Cover::Unknown }
            }
            _ => Cover::Unknown,
        },
        (Set::Range(low, high), Some(values)) => {
            let mut all = Cover::All;
            for value in values {
                for (bound, below) in [(low, true), (high, false)] {
                    let Some((bound, inclusive)) = bound else { continue };
                    match value.order(bound) {
                        Some(Ordering::Equal) if *inclusive => {}
                        Some(Ordering::Greater) if below => {}
                        Some(Ordering::Less) if !below => {}
                        Some(_) if load.low.is_none() && load.high.is_none() => return Cover::Part,
                        _ => all = Cover::Unknown,
                    }
                }
            }
            all
        }
        (Set::Range(low, high), None) => {
            let ends = [bounded(load.low, low.as_ref(), Ordering::Greater), {
                bounded(load.high, high.as_ref(), Ordering::Less)
            }];
            match () {
                () if ends.contains(&Cover::Part) => Cover::Part,
                () if ends.contains(&Cover::Unknown) => Cover::Unknown,
                () => Cover::All,
            }
        }
        (Set::Holds, _) => Cover::Unknown,
    }
}

/// One end of a range against that of the DELETE; `inner` is how a bound stands that lies further inside.
fn bounded(load: Option<&Bound<'_>>, clear: Option<&Bound<'_>>, inner: Ordering) -> Cover {
    match (load, clear) {
        (_, None) => Cover::All,
        (None, Some((bound, _))) => {
            if bound.is_literal() {
                Cover::Part
            } else {
                Cover::Unknown
            }
        }
        (Some((value, belongs)), Some((bound, inclusive))) => match value.order(bound) {
            Some(Ordering::Equal) if *inclusive || !*belongs => Cover::All,
            Some(order) if order == inner => Cover::All,
            Some(_) => Cover::Part,
            None => Cover::Unknown,
        },
    }
}

/// Its text for a message: on one line, cut where it is long.
pub fn brief(sql: Sql<'_>) -> String {
    let text = sql.source().split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= 60 { text } else { format!("{}..", text.chars().take(58).collect::<String>()) }
}

/// True when a table is read anywhere in a query, in subqueries too.
pub fn reads(sql: Sql<'_>, table: Name<'_>) -> bool {
    let mut at = 0;
    while at < sql.len() {
        let relation =
            at > 0 && (sql.is_any(at - 1, &["from", "join", "table"]) || sql.kind(at - 1) == Some(Kind::Comma));
        match sql.name(at) {
            Some((name, end)) => {
                if relation && name.may_be(table) {
                    return true;
                }
                at = end;
            }
            None => at += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::context::Context;
    use crate::lint::known::Known;
    use crate::lint::options::Options;
    use crate::lint::policy::Runner;
    use crate::lint::proof::predicate::loads;
    use crate::sql::script::Script;

    fn cover_of(delete: &str, insert: &str) -> Cover {
        let text = format!("{delete};\n{insert};");
        let dialect = crate::lint::generic();
        let script = Script::read(&text, dialect);
        let (options, known) = (Options::default(), Known::default());
        let source = crate::diagnostic::Source::new("x.sql", text.as_str());
        let context = Context::new(&source, &script, dialect, Runner::unknown(), &options, &known);
        match (&context.steps[0].verb, &context.steps[1].verb) {
            (Ok(Verb::Delete(delete)), Ok(Verb::Insert(insert))) => cover(delete, &loads(&context, insert)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_delete_covers_what_lies_inside_its_range() {
        for (delete, insert) in [
            ("DELETE FROM f", "INSERT INTO f (d) SELECT d FROM s"),
            (
                "DELETE FROM f WHERE d >= DATE '2026-01-01'",
                "INSERT INTO f (d) SELECT d FROM s WHERE d > DATE '2026-01-01'",
            ),
            (
                "DELETE FROM f t WHERE t.d = 3 AND true",
                "INSERT INTO f (d) SELECT x.e FROM s x WHERE x.e = 3 AND x.b = 4",
            ),
            ("DELETE FROM f WHERE d BETWEEN 1 AND 5", "INSERT INTO f (d) SELECT d FROM s WHERE d >= 2 AND 5 >= d"),
            ("DELETE FROM f WHERE d IN (1, 2, 3)", "INSERT INTO f (d) SELECT d FROM s WHERE d IN (3, 1)"),
            ("DELETE FROM f WHERE d >= 1 AND d < 9", "INSERT INTO f (d) SELECT d FROM s WHERE d = 1"),
            ("DELETE FROM f WHERE d = 17", "INSERT INTO f (d, n) SELECT 17, n FROM s"),
            ("DELETE FROM f WHERE d IN (1, 2)", "INSERT INTO f (d, n) VALUES (1, 'a'), (2, 'b')"),
            ("DELETE FROM f WHERE d = :x", "INSERT INTO f (d) SELECT d FROM s WHERE d = :x"),
            ("DELETE FROM f WHERE d = {{ ds }}", "INSERT INTO f SELECT * FROM s WHERE s.d = {{ ds }}"),
            ("DELETE FROM f WHERE d = v_day", "INSERT INTO f (d) SELECT d FROM s WHERE d = v_day"),
            (
                "DELETE FROM f WHERE d >= CURRENT_DATE - 3",
                "INSERT INTO f (d) SELECT d FROM s WHERE d >= CURRENT_DATE - 1",
            ),
            ("DELETE FROM f WHERE id IN (SELECT id FROM stg)", "INSERT INTO f (id, n) SELECT id, n FROM stg"),
            (
                "DELETE FROM f WHERE id IN (SELECT DISTINCT k FROM stg)",
                "INSERT INTO f (id, n) SELECT g.k, n FROM stg g",
            ),
            ("DELETE FROM f USING stg WHERE f.a = stg.a AND f.b = stg.b", "INSERT INTO f SELECT * FROM stg"),
            (
                "DELETE FROM f WHERE EXISTS (SELECT 1 FROM stg s WHERE s.id = f.id)",
                "INSERT INTO f (id) SELECT id FROM stg",
            ),
            (
                "DELETE FROM f WHERE d = 1",
                "INSERT INTO f (d) WITH w AS (SELECT e AS d FROM s WHERE e = 1) SELECT w.d FROM w",
            ),
            (
                "DELETE FROM f WHERE d = 1",
                "INSERT INTO f (d) SELECT d FROM (SELECT * FROM s WHERE d = 1) x WHERE x.n > 0",
            ),
            ("DELETE FROM f WHERE d IN (1, 2)", "INSERT INTO f (d) SELECT d FROM s WHERE d = 1 UNION ALL SELECT 2"),
            (
                "DELETE FROM f WHERE CAST(d AS date) = :x",
                "INSERT INTO f (d) SELECT s.d FROM s WHERE cast(s.d AS DATE) = :x",
            ),
        ] {
            assert_eq!(cover_of(delete, insert), Cover::All, "{delete}; {insert}");
        }
    }

    #[test]
    fn a_delete_of_another_range_does_not_cover() {
        for (delete, insert) in [
            (
                "DELETE FROM f WHERE d = DATE '2026-01-02'",
                "INSERT INTO f (d) SELECT d FROM s WHERE d >= DATE '2026-01-01'",
            ),
            (
                "DELETE FROM f WHERE d = '2026-01-01'",
                "INSERT INTO f (d) SELECT d FROM s WHERE d BETWEEN '2026-01-01' AND '2026-01-02'",
            ),
            ("DELETE FROM f WHERE d >= 3", "INSERT INTO f (d) SELECT d FROM s WHERE d >= 1"),
            ("DELETE FROM f WHERE d > 3", "INSERT INTO f (d) SELECT d FROM s WHERE d >= 3"),
            ("DELETE FROM f WHERE d >= 1 AND d < 5", "INSERT INTO f (d) SELECT d FROM s WHERE d >= 1 AND d <= 5"),
            ("DELETE FROM f WHERE d >= 1 AND d < 5", "INSERT INTO f (d) SELECT d FROM s WHERE d >= 1"),
            ("DELETE FROM f WHERE code = 'oak'", "INSERT INTO f (code) VALUES ('oak'), ('pine')"),
            (
                "DELETE FROM f WHERE d >= CURRENT_DATE - 1",
                "INSERT INTO f (d) SELECT d FROM s WHERE d >= CURRENT_DATE - 3",
            ),
            ("DELETE FROM f WHERE d = 1", "INSERT INTO f (d) SELECT 1 UNION ALL SELECT 2"),
        ] {
            assert_eq!(cover_of(delete, insert), Cover::Part, "{delete}; {insert}");
        }
    }

    #[test]
    fn what_cannot_be_compared_is_unknown() {
        for (delete, insert) in [
            ("DELETE FROM f WHERE d = '2026-01-02'", "INSERT INTO f (d) SELECT d FROM s WHERE d >= DATE '2026-01-01'"),
            ("DELETE FROM f WHERE d = :a", "INSERT INTO f (d) SELECT d FROM s WHERE d = :b"),
            ("DELETE FROM f WHERE d = 1", "INSERT INTO f (d) SELECT d FROM s"),
            ("DELETE FROM f WHERE d = 1", "INSERT INTO f (d) SELECT d FROM s WHERE other = 2"),
            ("DELETE FROM f WHERE d = 1", "INSERT INTO f (d) SELECT d FROM s WHERE e = 2 AND d = 1 + e"),
            ("DELETE FROM f WHERE d = 1 OR d = 2", "INSERT INTO f (d) SELECT d FROM s WHERE d = 3"),
            ("DELETE FROM f WHERE id IN (SELECT id FROM other)", "INSERT INTO f (id) SELECT id FROM stg"),
            ("DELETE FROM f WHERE d = 1 LIMIT 10", "INSERT INTO f (d) SELECT d FROM s WHERE d = 1"),
            // A day, or the first moment of it.
            (
                "DELETE FROM f WHERE d = '2026-01-01'",
                "INSERT INTO f (d) SELECT d FROM s WHERE d >= '2026-01-01' AND d < '2026-01-02'",
            ),
            ("DELETE FROM f WHERE file = 'a'", "INSERT INTO f (d) SELECT d FROM s WHERE file = 'b'"),
        ] {
            assert_eq!(cover_of(delete, insert), Cover::Unknown, "{delete}; {insert}");
        }
    }
}
