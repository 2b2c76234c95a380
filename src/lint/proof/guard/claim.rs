//! Whether a statement hangs on something that only the first run gets: a row that it claims, a marker that is set behind
//! it, a key that is free, what is newer than the target.

use super::{Guard, called_in};
use crate::lint::context::{Context, Step};
use crate::sql::clause::{Body, Common, ConflictAction, Inner, Insert, Mode, Query, Relation, Source, Table, Verb};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// True when the statement hangs on rows that a WITH entry changed and that only the first run gets: an INSERT that does
/// nothing on conflict, a DELETE, an UPDATE whose condition becomes false.
pub fn claimed<'a>(with: &[Common<'a>], from: &[Relation<'a>], filter: Option<Sql<'a>>) -> bool {
    let named = |name: &str| {
        from.iter().any(|one| matches!(&one.table, Table::Name(table) if table.key() == name))
            || filter.is_some_and(|filter| (0..filter.len()).any(|at| filter.is(at, name)))
            || from.iter().any(|one| matches!(one.table, Table::Query(_)) && one.sql.mentions(name))
    };
    with.iter().any(|common| {
        let Inner::Change(change) = &common.inner else { return false };
        let once = match &**change {
            Verb::Insert(insert) => skips(insert),
            Verb::Delete(_) => true,
            Verb::Update(update) => {
                let called = called_in(update);
                let guard = Guard { sets: &update.sets, called: &called };
                update.filter.is_some_and(|filter| guard.falsified(filter))
                    || claimed(&update.with, &update.from, update.filter)
            }
            _ => false,
        };
        // A WITH entry that reads the claim passes it on.
        once && (named(&common.name)
            || with.iter().any(|other| match &other.inner {
                Inner::Query(query) => query.sql.mentions(&common.name) && named(&other.name),
                Inner::Change(_) => false,
            }))
    })
}

fn skips(insert: &Insert<'_>) -> bool {
    insert.mode == Mode::Ignore
        || insert.conflict.as_ref().is_some_and(|conflict| matches!(conflict.action, ConflictAction::Nothing))
        || matches!(&insert.source, Source::Query(query) if query.selects().iter().any(|select| {
            select.filter.is_some_and(|filter| (0..filter.len()).any(|at| filter.words(at, &["not", "exists"])))
        }))
}

/// True when the statement runs only while a marker is missing that the same script sets: `NOT EXISTS (SELECT .. FROM
/// applied ..)` with an INSERT into `applied` behind it; or when an INSERT of a known key in the same transaction before it
/// fails in a second run.
pub fn marked<'a>(context: &Context<'a>, step: &Step<'a>, target: Name<'a>, filter: Option<Sql<'a>>) -> bool {
    let probes: Vec<Name<'a>> = filter.map(probed).unwrap_or_default();
    let probes: Vec<Name<'a>> = probes.into_iter().filter(|name| !name.may_be(target)).collect();
    if !probes.is_empty() {
        let behind = context.steps.iter().skip(step.index + 1).take(200);
        let sets = behind.filter(|other| other.scope == step.scope).any(|other| match &other.verb {
            Ok(Verb::Insert(insert)) => probes.iter().any(|name| name.may_be(insert.target)),
            _ => false,
        });
        if sets {
            return true;
        }
    }
    let Some(transaction) = step.transaction else { return false };
    let before = context.steps.get(..step.index).unwrap_or_default().iter().rev().take(50);
    before.take_while(|other| other.transaction == Some(transaction)).any(|other| match &other.verb {
        Ok(Verb::Insert(insert)) => !insert.target.may_be(target) && fails_again(context, insert),
        _ => false,
    })
}

/// The tables that a NOT EXISTS or a NOT IN asks.
fn probed(filter: Sql<'_>) -> Vec<Name<'_>> {
    let mut all = Vec::new();
    for at in 0..filter.len() {
        if filter.is(at, "not") && filter.is_any(at + 1, &["exists", "in"]) && filter.kind(at + 2) == Some(Kind::Open) {
            let inside = filter.inside(at + 2);
            if let Some(from) = inside.find(0, &["from"]) {
                all.extend(inside.name(from + 1).map(|(name, _)| name));
            }
        }
    }
    all
}

/// True when running an INSERT again fails for certain: its rows are literals that fill a known, enforced key.
fn fails_again(context: &Context<'_>, insert: &Insert<'_>) -> bool {
    let Some(table) = context.table(insert.target).filter(|_| context.dialect.client.enforces_keys) else {
        return false;
    };
    if insert.mode != Mode::Into || insert.conflict.is_some() {
        return false;
    }
    let Source::Values(rows) = &insert.source else { return false };
    table.keys.iter().any(|key| {
        key.predicate.is_none()
            && key.columns.iter().all(|column| {
                let at = insert.columns.iter().position(|one| one == column);
                let at = at.or_else(|| {
                    insert.columns.is_empty().then(|| table.columns.iter().position(|one| one.name == *column))?
                });
                at.is_some_and(|at| {
                    rows.iter().all(|row| row.get(at).is_some_and(|value| value.is_literal() && !value.is(0, "null")))
                })
            })
    })
}

/// True when a query reads only what is newer than what the target holds: `d > (SELECT max(d) FROM target)`.
pub fn strict_watermark(bodies: &[&Query<'_>], target: Name<'_>) -> bool {
    let filters = bodies.iter().flat_map(|query| &query.branches).filter_map(|(_, body)| match body {
        Body::Select(select) => select.filter,
        _ => None,
    });
    filters.flat_map(Sql::conjuncts).any(|part| {
        let Some(at) = part.top().find(|at| part.symbol(*at, ">")) else { return false };
        let bound = part.from(at + 1);
        bound.mentions("max")
            && bound.names().any(|name| name.may_be(target))
            && !bound.top().any(|at| bound.symbol(at, "-"))
            && !(0..bound.len()).any(|at| bound.symbol(at, "-"))
    })
}
