//! What the rules about definitions share: which failures are theirs, how they say them, and the words that mend them.

use super::second_run::{Act, Failure};
use crate::dialect::probe::Asked;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::finding::{Edit, Safety};
use crate::lint::policy::Policy;
use crate::sql::clause::Object;

/// The rule about definitions in files that their runner runs again.
pub const ONE_SHOT: &str = "IDM801";

/// The failures that a rule is about; those that belong to [`ONE_SHOT`] in this file are left out.
pub fn failures<'c, 'a>(check: &Check<'c, 'a>, wanted: fn(Act) -> bool) -> Vec<(&'c Step<'a>, &'c Failure)> {
    let context = check.context;
    let all = context.failures().iter().map(|failure| (&context.steps[failure.step], failure));
    all.filter(|(step, failure)| wanted(failure.act) && !one_shot(context, step, failure.act)).collect()
}

/// True when the runner itself runs the statement again, and it changes a table that holds rows.
pub fn one_shot(context: &Context<'_>, step: &Step<'_>, act: Act) -> bool {
    let table = !matches!(act, Act::Create(object) if object != Object::Table)
        && !matches!(act, Act::Drop(_) | Act::AddValue)
        && !matches!(act, Act::Rename(object) if object != Object::Table);
    table
        && context.runner.repeats
        && step.policy == Policy::Rerun
        && context.options.rules.iter().any(|(rule, _)| rule.code == ONE_SHOT)
}

/// What it is that a failure is about, in SQL's words.
pub fn object(act: Act) -> &'static str {
    match act {
        Act::Create(object) | Act::Drop(object) | Act::Rename(object) => object.words(),
        Act::AddColumn | Act::DropColumn | Act::RenameColumn => "COLUMN",
        Act::AddConstraint | Act::DropConstraint => "CONSTRAINT",
        Act::AddPrimaryKey | Act::DropPrimaryKey => "PRIMARY KEY",
        Act::AddIndex | Act::DropIndex => "INDEX",
        Act::AddValue => "VALUE",
        Act::RenamePart => "OBJECT",
    }
}

/// What a second run does.
pub fn message(failure: &Failure) -> String {
    let kind = object(failure.act).to_lowercase();
    let of = failure.table.as_deref().map(|of| of.trim_matches('`'));
    if failure.doubles {
        return format!(
            "a second run adds the same constraint to `{}` again, under another name",
            of.unwrap_or_default()
        );
    }
    let what = match (failure.act, of) {
        (Act::AddPrimaryKey, Some(of)) => return format!("a second run fails: `{of}` has a primary key"),
        (Act::DropPrimaryKey, Some(of)) => return format!("a second run fails: `{of}` has no primary key any more"),
        (Act::RenamePart, Some(of)) => format!("{} of `{of}`", shown(&failure.name)),
        (Act::Create(Object::Index | Object::Trigger | Object::Policy) | Act::Drop(_), Some(of)) => {
            format!("{kind} {} on `{of}`", shown(&failure.name))
        }
        (Act::Create(_) | Act::Drop(_) | Act::Rename(_), _) | (_, None) => format!("{kind} {}", shown(&failure.name)),
        (_, Some(of)) => format!("{kind} {} of `{of}`", shown(&failure.name)),
    };
    let state = match (failure.exists, failure.act) {
        (true, _) => "exists",
        (false, Act::Rename(_) | Act::RenameColumn | Act::RenamePart) => "has its new name",
        (false, _) => "does not exist any more",
    };
    format!("a second run fails: {what} {state}")
}

/// A name between backticks, which may be quoted with backticks itself.
fn shown(name: &str) -> String {
    format!("`{}`", name.trim_matches('`'))
}

/// A finding at a failure.
pub fn report(failure: &Failure) -> Report {
    let label = if failure.exists { "made here without a check" } else { "expected here without a check" };
    let report = Report::at(failure.span.clone(), message(failure)).label(label);
    match (failure.swap, &failure.table) {
        (Some(first), _) => report.group(format!("swap {first}")),
        // What is added and what is dropped ask for other words, so that one help does not do for both.
        (None, Some(table)) => report.group(format!("{} {:?}", table.to_lowercase(), failure.act)),
        (None, None) => report,
    }
}

/// The order to ask first, in the words of the file's dialect.
pub fn probe(context: &Context<'_>, failure: &Failure) -> String {
    let (name, of) = (bare(&failure.name), failure.table.as_deref().map(bare));
    let name = if failure.act == Act::AddPrimaryKey { "" } else { name.as_str() };
    let asked = Asked {
        object: object(failure.act),
        name,
        of: of.as_deref(),
        // Of a rename, `exists` says that the new name is taken, and the name is the new one.
        there: !failure.exists,
    };
    context.dialect.client.probe.order(&asked)
}

/// A name without its quotes.
pub fn bare(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '"' | '`' | '[' | ']' | '\'')).collect()
}

/// Keywords in the case of the statement's own.
pub fn cased(step: &Step<'_>, words: &str) -> String {
    let own = step.sql.text(0);
    if own.chars().any(char::is_lowercase) && !own.chars().any(char::is_uppercase) {
        words.to_lowercase()
    } else {
        words.to_owned()
    }
}

/// Puts a guard where it belongs. The first run does what it did: it found nothing there, or found it.
pub fn guarded(context: &Context<'_>, report: Report, step: &Step<'_>, at: usize, words: &str) -> Report {
    let text = format!("{} ", cased(step, words));
    let (safety, title) = match context.dialect.client.guards.since {
        // An older engine would stop at it in the first run.
        Some(version) => (Safety::Unsafe, format!("add {words}, which there is from {version} on")),
        None => (Safety::Safe, format!("add {words}")),
    };
    report.fix(safety, title, vec![Edit { range: at..at, text }])
}

/// Puts OR REPLACE or its kin behind CREATE.
pub fn behind_create(report: Report, step: &Step<'_>, at: usize, words: &str) -> Report {
    let text = format!(" {}", cased(step, words));
    report.fix(Safety::Safe, format!("add {words}"), vec![Edit { range: at..at, text }])
}
