//! The proof of a rendered text: it is read back, it conforms to its dialect, and its facts are those of the plan.

use super::bug;
use super::expected::expected;
use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::sql::conform::conform;
use crate::sql::facts::{Facts, facts};
use crate::sql::parse::parse;
use crate::sql::split::{Kind, split};

/// Reads the SQL back and compares it with the plan: exactly its statements, and of each the target, the sources, the
/// columns, the values, the conflict target or merge condition, the guard.
///
/// # Errors
/// What differs. It is always a fault of ours.
pub fn prove(plan: &Plan, sql: &str) -> Result<(), Diagnostic> {
    let ours = |what: String| bug(plan, &format!("{what}\nThe SQL:\n{sql}"));
    let parsed = parse(sql, plan.dialect).map_err(|fault| {
        ours(format!("It cannot be read back: {} at `{}`", fault.message, excerpt(sql, fault.range.start)))
    })?;
    if let Some(fault) = conform(sql, &parsed, plan.dialect).first() {
        let place = excerpt(sql, fault.range.start);
        return Err(ours(format!("{} does not have it: {} at `{place}`", plan.dialect.title, fault.message)));
    }
    let expected = expected(plan).map_err(|fault| ours(format!("The plan cannot be read: {fault}")))?;
    if parsed.len() != expected.len() {
        return Err(ours(format!("It has {} statements where {} were planned", parsed.len(), expected.len())));
    }
    // A text is put behind another one, and clients cut it at its semicolons.
    let semicolons = split(sql, plan.dialect).iter().filter(|piece| piece.kind == Kind::Terminator).count();
    if semicolons != parsed.len() || !parsed.iter().all(|statement| statement.terminated) {
        return Err(ours(format!("It has {semicolons} semicolons for {} statements", parsed.len())));
    }
    for (number, (parsed, expected)) in parsed.iter().zip(&expected).enumerate() {
        if let Some(difference) = Facts::difference(expected, &facts(parsed)) {
            return Err(ours(format!("Statement {} differs (- planned, + written):\n{difference}", number + 1)));
        }
    }
    Ok(())
}

/// The line of the text at a place.
fn excerpt(text: &str, at: usize) -> &str {
    text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default()
}
