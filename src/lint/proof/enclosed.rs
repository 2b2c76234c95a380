//! Whether the blocks around a statement keep it from running a second time, as far as the rows of one table go.

use crate::lint::context::{Context, Step};
use crate::sql::clause::{Action, Source, Verb};
use crate::sql::lex::Kind;
use crate::sql::script::{Frame, Frames};
use crate::sql::view::{Name, Sql, folded};

/// How many statements before a statement are looked at for the variable that it tests.
const BACK: usize = 24;

/// Errors that a second copy of a row raises, as handlers name them.
const DUPLICATES: &[&str] =
    &["unique_violation", "dup_val_on_index", "integrity_constraint_violation", "1062", "'23000'", "'23505'", "2627"];

/// True when a block around the statement looks at the table, at something that the block itself changes, or at nothing
/// that can be known; when a handler catches duplicate keys; between guard comments; behind `IF .. RETURN`.
pub fn keeps_out<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> bool {
    let mut blocks = false;
    let mut next = step.statement.frame;
    while let Some(at) = next {
        let frame = &context.script.frames[at];
        next = frame.parent;
        blocks |= !matches!(frame.kind, Frames::Loop | Frames::Do | Frames::Dynamic);
        if frame.handlers.as_ref().is_some_and(|handlers| catches_duplicates(context.script.view(handlers))) {
            return true;
        }
        let holds = match frame.kind {
            Frames::If => condition(context, step, at, frame, table),
            // What the condition before it asked is behind it.
            Frames::Else | Frames::Case => true,
            Frames::Loop => {
                context.script.view(&frame.head).names().any(|name| name.may_be(table))
                    && context.script.view(&frame.head).mentions("not")
            }
            _ => false,
        };
        if holds {
            return true;
        }
    }
    // Frames say nothing, so that it was guard comments.
    (context.guarded(step) && !blocks) || left_before(context, step)
}

fn catches_duplicates(handlers: Sql<'_>) -> bool {
    (0..handlers.len()).any(|at| DUPLICATES.iter().any(|one| handlers.text(at).eq_ignore_ascii_case(one)))
}

/// The condition of an IF around a statement.
fn condition(context: &Context<'_>, step: &Step<'_>, at: usize, frame: &Frame, table: Name<'_>) -> bool {
    let head = context.script.view(&frame.head);
    let reads = head.mentions("select") || head.mentions("exists");
    if !reads && !(0..head.len()).any(|i| head.kind(i) == Some(Kind::Text)) {
        // Variables, the rows that the last statement changed, a function: nothing that could be proved.
        return true;
    }
    let positive = head.is(0, "exists") || head.bare().is(0, "exists");
    let looks = head.names().any(|name| name.may_be(table));
    if looks && !positive {
        return true;
    }
    let negative = (0..head.len()).any(|i| {
        head.words(i, &["not", "exists"])
            || head.words(i, &["is", "null"])
            || (head.symbol(i, "=") && head.text(i + 1) == "0")
    });
    let last = table.last();
    if negative && texts_mention(head, &last) {
        return true;
    }
    // A marker: the block changes what the condition asks about, so that the second run skips it.
    let start = step.index.saturating_sub(BACK * 4);
    context.steps.iter().skip(start).take(BACK * 8).any(|other| {
        inside(context, other, at)
            && changes(other).is_some_and(|name| {
                let name = name.last();
                (other.index != step.index || !positive)
                    && (head.names().any(|one| one.last() == name) || texts_mention(head, &name))
            })
    })
}

/// True when a string in the condition holds the name, as in a look at a catalogue.
fn texts_mention(head: Sql<'_>, name: &str) -> bool {
    (0..head.len()).filter(|i| head.kind(*i) == Some(Kind::Text)).any(|i| {
        let text = head.text(i).trim_start_matches(['N', 'n']).trim_matches('\'').to_lowercase();
        text.rsplit('.').next().is_some_and(|last| folded(last).trim_matches('"') == name)
    })
}

fn inside(context: &Context<'_>, step: &Step<'_>, frame: usize) -> bool {
    let mut next = step.statement.frame;
    while let Some(at) = next {
        if at == frame {
            return true;
        }
        next = context.script.frames[at].parent;
    }
    false
}

/// The table that a statement changes or makes.
fn changes<'a>(step: &Step<'a>) -> Option<Name<'a>> {
    match step.verb.as_ref().ok()? {
        Verb::Insert(insert) => Some(insert.target),
        Verb::Update(update) => Some(update.table()),
        Verb::Delete(delete) => Some(delete.table()),
        Verb::Merge(merge) => Some(merge.target),
        Verb::Create(create) => create.name,
        Verb::Alter(alter) if alter.actions.iter().any(|one| !matches!(one, Action::Other(_))) => Some(alter.name),
        _ => None,
    }
}

/// `IF EXISTS (..) RETURN` before the statement, in the same block or around it.
fn left_before(context: &Context<'_>, step: &Step<'_>) -> bool {
    let start = step.index.saturating_sub(BACK);
    context.steps[start..step.index].iter().any(|other| {
        other.scope == step.scope
            && other.sql.is_any(0, &["return", "exit", "leave"])
            && context.script.frames_of(other.statement).any(|frame| frame.kind == Frames::If)
            && same_block(context, other, step)
    })
}

/// True when the block around the IF of one statement holds the other.
fn same_block(context: &Context<'_>, leaving: &Step<'_>, step: &Step<'_>) -> bool {
    let mut next = leaving.statement.frame;
    while let Some(at) = next {
        let frame = &context.script.frames[at];
        if frame.kind == Frames::If {
            return frame.parent.is_none_or(|parent| inside(context, step, parent))
                && (frame.parent.is_some() || leaving.statement.batch == step.statement.batch);
        }
        next = frame.parent;
    }
    false
}

/// True when the source of an INSERT tests a variable that a statement before it takes from the table: `WHERE @n = 0`,
/// `WHERE id > @last`.
pub fn tests_variable<'a>(context: &Context<'a>, step: &Step<'a>, source: &Source<'a>, table: Name<'a>) -> bool {
    let Source::Query(query) = source else { return false };
    let start = step.index.saturating_sub(BACK);
    let last = table.last();
    let tested: Vec<&str> = query
        .selects()
        .into_iter()
        .filter_map(|select| select.filter)
        .flat_map(|filter| {
            (0..filter.len())
                .filter(move |at| filter.kind(*at) == Some(Kind::Variable) && filter.text(*at).starts_with(['@', ':']))
                .map(move |at| filter.text(at))
        })
        .collect();
    !tested.is_empty()
        && context.steps[start..step.index].iter().any(|other| {
            let sql = other.sql;
            sql.mentions("select")
                && (0..sql.len()).any(|at| tested.iter().any(|one| one.eq_ignore_ascii_case(sql.text(at))))
                && sql.names().any(|name| name.last() == last)
        })
}
