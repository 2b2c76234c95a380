//! Events that are claimed: what is new goes into a table of the script, and the same transaction marks it.

use super::antijoin;
use crate::lint::context::{Context, Step};
use crate::sql::clause::{Body, Insert, Query, Source, Table, Verb};
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
