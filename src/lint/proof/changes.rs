//! What the rules about UPDATE ask of every statement first: whether a second run changes rows again at all.

use crate::diagnostic::Severity;
use crate::lint::check::Report;
use crate::lint::context::{Context, Fresh, Step};
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
    /// A second run does no harm.
    None,
}

/// How much a change of a table weighs at a step.
pub fn weight<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> Weight {
    match context.fresh(step, table) {
        _ if context.guarded(step) => Weight::None,
        None | Some(Fresh::AppendOnly) => Weight::Full,
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
            _ => report,
        }
    }
}
