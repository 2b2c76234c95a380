//! Events that are claimed: what is new goes into a table of the script, and the same transaction marks it; or a program sends the
//! statements of a file by their names, and stops when the claim among them writes no row.

use super::antijoin;
use crate::lint::context::{Context, Step};
use crate::sql::clause::{Body, ConflictAction, Insert, Matched, Mode, Query, Source, Table, Verb};
use crate::sql::lex::Kind;
use crate::sql::view::Name;

/// Statements farther away are not read.
const STEPS: usize = 200;

/// True when a statement lives on rows that a second run does not find: it reads a table that the script makes of the rows
/// without a mark, and the transaction of the statement marks all of them.
pub fn reads_new<'a>(context: &Context<'a>, step: &Step<'a>) -> bool {
    let Some(transaction) = step.transaction else { return false };
    context.steps[..step.index].iter().rev().take(STEPS).any(|maker| {
        let Some((name, query)) = made(maker) else { return false };
        reads(step, name)
            && context.steps[maker.index..]
                .iter()
                .take(STEPS)
                .filter(|other| other.transaction == Some(transaction))
                .any(|other| {
                    other.index > maker.index
                        && matches!(&other.verb, Ok(Verb::Insert(mark)) if marks(context, mark, name, query))
                })
    })
}

/// The table that a statement makes of a query.
fn made<'s, 'a>(step: &'s Step<'a>) -> Option<(Name<'a>, &'s Query<'a>)> {
    match &step.verb {
        Ok(Verb::Create(create)) => Some((create.name?, create.query.as_deref()?)),
        Ok(Verb::Query(query)) => Some((query.selects().into_iter().find_map(|select| select.into)?, query)),
        _ => None,
    }
}

/// True when the text of a statement names the table as one that it reads.
fn reads<'a>(step: &Step<'a>, name: Name<'a>) -> bool {
    let last = name.last();
    (0..step.sql.len()).any(|at| step.sql.is(at, &last))
}

/// True when an INSERT takes every row of the claimed table, and the query that made it leaves out what the INSERT's target
/// holds.
fn marks<'a>(context: &Context<'a>, mark: &Insert<'a>, claimed: Name<'a>, query: &Query<'a>) -> bool {
    let Source::Query(taken) = &mark.source else { return false };
    let whole = taken.selects().into_iter().all(|select| {
        let from = matches!(select.from.as_slice(), [only] if matches!(&only.table, Table::Name(name) if name.may_be(claimed)));
        from && select.filter.is_none()
    });
    let plain = taken.branches.iter().all(|(_, body)| matches!(body, Body::Select(_)));
    let asked = Insert { with: Vec::new(), source: Source::Query(Box::new(query.clone())), ..mark.clone() };
    whole && plain && antijoin::of(&asked, &context.options.aliases).guarded
}

/// The step that claims what a statement does once, where both are statements of a program: each has a name in a comment
/// and a value that is bound, that of the claim says so (`-- name: claim`, `-- name: ClaimEvent :execrows`), and between the two
/// stand only others that change rows. That the program stops when the claim writes no row is not written there.
pub fn of_program<'a>(context: &Context<'a>, step: &Step<'a>) -> Option<usize> {
    let sent = |step: &Step<'a>| takes_values(step) && name_of(context, step).is_some();
    if !sent(step) {
        return None;
    }
    for before in context.steps[..step.index].iter().rev().take(STEPS).take_while(|before| sent(before)) {
        let Ok(verb) = &before.verb else { return None };
        let says = name_of(context, before).is_some_and(|name| name.to_lowercase().contains(CLAIM));
        if says && claims(context, verb) {
            return Some(before.index);
        }
        if !matches!(verb, Verb::Insert(_) | Verb::Update(_) | Verb::Delete(_) | Verb::Merge(_)) {
            return None;
        }
    }
    None
}

/// True when a program binds values of a statement.
fn takes_values(step: &Step<'_>) -> bool {
    (0..step.sql.len()).any(|at| matches!(step.sql.kind(at), Some(Kind::Variable | Kind::Hole)))
}

/// What the name of a claim holds. Any INSERT that leaves rows alone looks like one.
const CLAIM: &str = "claim";

/// The name that a comment between a statement and the one before it gives to it, as programs read them: `-- name: claim`,
/// `-- :name claim`.
fn name_of<'a>(context: &Context<'a>, step: &Step<'a>) -> Option<&'a str> {
    let script = context.script;
    let start = step.sql.range().start;
    let behind = step.index.checked_sub(1).map_or(0, |before| context.steps[before].sql.range().end);
    let first = script.comments.partition_point(|one| (one.start as usize) < behind);
    script.comments[first..].iter().take_while(|one| (one.start as usize) < start).find_map(|one| {
        let text = script.text[one.start as usize..one.end as usize].trim_start_matches(['-', '/', '*', ' ']);
        let name = text.strip_prefix("name:").or_else(|| text.strip_prefix(":name "))?;
        Some(name.trim()).filter(|name| !name.is_empty())
    })
}

/// True for a statement that adds rows whose key is not there, and leaves those alone whose key is.
fn claims<'a>(context: &Context<'a>, verb: &Verb<'a>) -> bool {
    match verb {
        Verb::Insert(insert) => {
            let keeps = match insert.conflict.as_ref().map(|conflict| &conflict.action) {
                Some(ConflictAction::Nothing) => true,
                // The row's own value, and not the one that was to be written: `excluded.qty`.
                Some(ConflictAction::Update(sets, _)) => sets.iter().all(|set| {
                    set.value.as_name().is_some_and(|name| {
                        let whose = name.qualifier();
                        let own =
                            |whose: &String| *whose == insert.target.last() || Some(whose) == insert.alias.as_ref();
                        name.last() == set.column && whose.as_ref().is_none_or(own)
                    })
                }),
                None => false,
            };
            keeps || insert.mode == Mode::Ignore || antijoin::of(insert, &context.options.aliases).guarded
        }
        Verb::Merge(merge) => merge.branches.iter().all(|branch| branch.matched == Matched::No),
        _ => false,
    }
}
