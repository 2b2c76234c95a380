//! What the rules about UPDATE ask of every statement first: whether a second run changes rows again at all.

use crate::diagnostic::Severity;
use crate::lint::check::Report;
use crate::lint::context::{Context, Fresh, Step};
use crate::lint::proof::claim;
use crate::lint::proof::guard::{self, Guard};
use crate::sql::clause::Update;
use crate::sql::view::Name;

/// Why a finding about a table weighs less here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It does not.
    Full,
    /// A second run stops at this step before it comes so far.
    StopsAt(usize),
    /// A program sends it by its name behind a claim, which is that step.
    AfterClaim(usize),
    /// A second run does no harm.
    None,
}

/// How much a change of a table weighs at a step.
pub fn weight<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> Weight {
    match context.fresh(step, table) {
        _ if context.guarded(step) => Weight::None,
        None | Some(Fresh::AppendOnly) => claim::of_program(context, step).map_or(Weight::Full, Weight::AfterClaim),
        Some(Fresh::CreatedHere(at)) => Weight::StopsAt(at),
        Some(_) => Weight::None,
    }
}

/// How much an UPDATE weighs: nothing when its condition, a claim or a marker keeps a second run from changing rows again.
pub fn update<'a>(context: &Context<'a>, step: &Step<'a>, update: &Update<'a>) -> Weight {
    let table = update.table();
    let weight = weight(context, step, table);
    if weight == Weight::None {
        return weight;
    }
    let called = guard::called_in(update);
    let guard = Guard { sets: &update.sets, called: &called };
    let joined = update.from.iter().filter_map(|relation| relation.on);
    let falsified = update.filter.into_iter().chain(joined).any(|condition| guard.falsified(condition));
    if falsified
        || guard::claimed(&update.with, &update.from, update.filter)
        || guard::marked(context, step, table, update.filter)
    {
        return Weight::None;
    }
    weight
}

impl Weight {
    /// A finding with its weight: where a second run stops before, it is information and says so.
    pub fn put(self, context: &Context<'_>, table: &str, report: Report) -> Report {
        match self {
            Self::StopsAt(at) => report
                .also(context.steps[at].sql.range(), format!("a second run stops here: `{table}` exists"))
                .at_most(Severity::Info),
            Self::AfterClaim(at) => after_claim(context, at, report),
            Self::Full | Self::None => report,
        }
    }
}

/// A finding about a statement that a program sends behind a claim: it is information, as the program has to stop where the
/// claim writes no row.
pub fn after_claim(context: &Context<'_>, claim: usize, report: Report) -> Report {
    report
        .also(context.steps[claim].sql.range(), "writes no row the second time")
        .help("send it in the transaction of the claim, and only when the claim wrote a row")
        .at_most(Severity::Info)
}
