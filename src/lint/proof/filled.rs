//! What a table holds that the script itself makes and fills before a statement.

use crate::lint::context::{Context, Step, What};
use crate::sql::clause::{Common, Query, Source, Verb};
use crate::sql::view::{Name, Sql};

/// What one statement put into an empty table.
#[derive(Clone, Debug)]
pub enum Filled<'s, 'a> {
    /// The rows of a query, with the WITH list before it and the columns that they are put in; none are named where the
    /// query names them.
    Query(&'s [Common<'a>], &'s Query<'a>, Vec<String>),
    /// Rows that are written down, and their columns.
    Values(&'s [Vec<Sql<'a>>], Vec<String>),
    /// One row.
    Row,
    /// Rows were removed by a condition behind the filling.
    Trimmed,
}

/// Statements beyond this are not read.
const STEPS: usize = 2_000;

/// What fills a table between the last time when it is empty and a statement; `None` where the script does not make it,
/// or several statements fill it, or one of which nobody knows what it brings.
pub fn of<'s, 'a>(context: &'s Context<'a>, step: &'s Step<'a>, name: Name<'a>) -> Option<Filled<'s, 'a>> {
    let index = step.index;
    let mut from = None;
    for event in context.events(step, name).take_while(|event| event.step < index) {
        match event.what {
            What::Created { .. } | What::Truncated | What::Deleted(None) => from = Some(event.step),
            What::Deleted(Some(_)) if from.is_some() => return Some(Filled::Trimmed),
            // It removes the duplicates of a table that was there before.
            What::Deleted(Some(filter)) if filter.mentions("row_number") || filter.mentions("ctid") => {
                return Some(Filled::Trimmed);
            }
            _ => {}
        }
    }
    let from = from?;
    let mut found = None;
    for step in context.steps.get(from..index)?.iter().take(STEPS) {
        let filling = match &step.verb {
            Ok(Verb::Create(create)) if step.index == from => {
                create.query.as_deref().map(|query| Filled::Query(&[], query, Vec::new()))
            }
            Ok(Verb::Insert(insert)) if insert.target.may_be(name) => {
                let columns = if insert.columns.is_empty() {
                    context.table(name)?.columns.iter().map(|one| one.name.clone()).collect()
                } else {
                    insert.columns.clone()
                };
                match &insert.source {
                    Source::Query(query) => Some(Filled::Query(&insert.with, query, columns)),
                    Source::Values(rows) => Some(Filled::Values(rows, columns)),
                    Source::Row(_) => Some(Filled::Row),
                    Source::Elsewhere => return None,
                }
            }
            Ok(Verb::Copy(copy)) if copy.target.may_be(name) => return None,
            Ok(Verb::Merge(merge)) if merge.target.may_be(name) => return None,
            _ => None,
        };
        if filling.is_some() {
            if found.is_some() {
                return None;
            }
            found = filling;
        }
    }
    found
}
