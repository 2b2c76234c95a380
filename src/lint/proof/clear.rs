//! Which clearing of a table belongs to a load of it: the DELETE or TRUNCATE before the INSERT.

use crate::lint::context::{Context, Fresh, Step, What, like};
use crate::lint::proof::predicate::Load;
use crate::lint::proof::range::{Cover, cover};
use crate::sql::clause::{Delete, Guard, Verb};
use crate::sql::view::Name;

/// Statements that are looked at before a load; a table that is cleared more often is another kind of script.
const NEAR: usize = 32;

/// A statement that removes rows of a table before a load of it.
#[derive(Clone, Copy)]
pub struct Clear<'s, 'a> {
    /// The step.
    pub step: &'s Step<'a>,
    /// The DELETE; `None` for TRUNCATE.
    pub delete: Option<&'s Delete<'a>>,
}

impl<'a> Clear<'_, 'a> {
    /// True when it removes all rows.
    pub fn is_whole(&self) -> bool {
        self.delete.is_none_or(|delete| delete.filter.is_none() && delete.using.is_empty() && !delete.limited)
    }

    /// What it clears of a load.
    pub fn cover(&self, loads: &[Load<'a>]) -> Cover {
        self.delete.map_or(Cover::All, |delete| cover(delete, loads))
    }

    /// Its word in SQL.
    pub fn word(&self) -> &'static str {
        if self.delete.is_some() { "DELETE" } else { "TRUNCATE" }
    }
}

/// The clearings of a table before a step in the same run, the nearest first.
pub fn before<'s, 'a>(context: &'s Context<'a>, step: &'s Step<'a>, table: Name<'s>) -> Vec<Clear<'s, 'a>> {
    some_before(context, step, table, NEAR)
}

/// The nearest of them.
pub fn nearest<'s, 'a>(context: &'s Context<'a>, step: &'s Step<'a>, table: Name<'s>) -> Option<Clear<'s, 'a>> {
    some_before(context, step, table, 1).pop()
}

fn some_before<'s, 'a>(
    context: &'s Context<'a>,
    step: &'s Step<'a>,
    table: Name<'s>,
    most: usize,
) -> Vec<Clear<'s, 'a>> {
    let mut all = Vec::new();
    for event in context.events_before(step, table).take(most) {
        let at = &context.steps[event.step];
        match event.what {
            What::Truncated => all.push(Clear { step: at, delete: None }),
            What::Deleted(_) => {
                let delete = at.verbs().into_iter().find_map(|verb| match verb {
                    Verb::Delete(delete) if delete.table().may_be(table) => Some(delete),
                    _ => None,
                });
                all.extend(delete.map(|delete| Clear { step: at, delete: Some(delete) }));
            }
            _ => break,
        }
    }
    all
}

/// What the clearings before a load cover of it together.
pub fn together<'a>(clears: &[Clear<'_, 'a>], loads: &[Load<'a>]) -> Cover {
    let all: Vec<Cover> = clears.iter().map(|clear| clear.cover(loads)).collect();
    match () {
        () if all.is_empty() || all.contains(&Cover::Unknown) && !all.contains(&Cover::All) => Cover::Unknown,
        () if all.contains(&Cover::All) => Cover::All,
        // Several that each clear a part may clear all of it together.
        () if all.len() > 1 => Cover::Unknown,
        () => Cover::Part,
    }
}

/// True when nobody minds what becomes of the rows of a table: it is temporary, of one load, made anew in this script, or
/// a log.
pub fn is_passing<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> bool {
    let key = table.key();
    if context.options.staging.iter().chain(&context.options.append_only).any(|pattern| like(&key, pattern)) {
        return true;
    }
    let kept = matches!(context.fresh(step, table), None | Some(Fresh::Cleared(_)));
    let made = context.events_before(step, table).any(|event| match event.what {
        What::Created { temporary: true, .. } | What::Dropped | What::Renamed => true,
        What::Created { guard, .. } => guard != Guard::IfExists && !context.guarded(&context.steps[event.step]),
        _ => false,
    });
    !kept || made
}
