//! G5: one full load leaves what any sequence of incremental loads leaves.

use super::agree::same_end;
use super::lab::{Lab, State};
use super::order::{Compared, loaded};
use super::scenario::{Scenario, Staging};
use super::trial::Fault;
use crate::engine::value::Row;
use anyhow::Result;

/// Loads everything that a scenario stages at once, then piece by piece, and compares. What the model does not promise either
/// is no fault: a query that adds up rows makes something else of some of them.
///
/// Pieces come in the order of the batches, each alone and as a source that keeps what it had; and each row by itself.
///
/// # Errors
/// When the tables cannot be made or read.
pub fn split(lab: &mut Lab<'_>, scenario: &Scenario) -> Result<Compared> {
    let first = pieces(lab, scenario)?;
    if scenario.before.rows.is_empty() || !first.faults.is_empty() {
        return Ok(first);
    }
    // What the target has moves the window; from an empty one everything is loaded.
    let mut emptied = scenario.clone();
    emptied.before.rows.clear();
    let mut second = pieces(lab, &emptied)?;
    for fault in &mut second.faults {
        fault.steps = format!("into an empty target, {}", fault.steps);
    }
    Ok(Compared { loads: first.loads + second.loads, ends: first.ends + second.ends, faults: second.faults })
}

/// One full load, and the same in pieces.
fn pieces(lab: &mut Lab<'_>, scenario: &Scenario) -> Result<Compared> {
    let whole = with(scenario, vec![joined(&scenario.batches)]);
    let mut all = Compared { loads: 1, ..Compared::default() };
    let fault = |told: &str, found: String| vec![Fault::new("split", told, found)];
    let expected = match run(lab, &whole)? {
        Ok(state) => state.content(lab.subject),
        Err(message) => return Ok(Compared { faults: fault("one full load", message), ..all }),
    };
    let growing = (1..=scenario.batches.len()).map(|count| joined(&scenario.batches[..count])).collect();
    for (told, batches) in [
        ("the batches one by one", scenario.batches.clone()),
        ("the batches one by one from a source that keeps its rows", growing),
        ("one load for each staged row", singles(&scenario.batches)),
    ] {
        if batches.is_empty() {
            // What is loaded stands in the SQL itself.
            continue;
        }
        let pieces = with(scenario, batches);
        all.loads += pieces.batches.len();
        let found = match run(lab, &pieces)? {
            Ok(state) => state.content(lab.subject),
            Err(message) => return Ok(Compared { faults: fault(told, message), ..all }),
        };
        if found != expected {
            if !same_end(lab, scenario, &whole.batches, &pieces.batches)? {
                continue;
            }
            let difference = expected.difference(&found, lab.subject, true);
            let found = format!("rows (- of one full load, + of {told}):\n{difference}");
            return Ok(Compared { faults: fault(told, found), ..all });
        }
        all.ends += 1;
    }
    Ok(all)
}

fn run(lab: &mut Lab<'_>, scenario: &Scenario) -> Result<Result<State, String>> {
    loaded(lab, scenario, &(0..scenario.batches.len()).collect::<Vec<_>>())
}

/// The scenario with other batches.
fn with(scenario: &Scenario, batches: Vec<Vec<Staging>>) -> Scenario {
    Scenario { batches, ..scenario.clone() }
}

/// All batches as one.
fn joined(batches: &[Vec<Staging>]) -> Vec<Staging> {
    let mut all: Vec<Staging> = batches.first().cloned().unwrap_or_default();
    for staging in batches.iter().skip(1) {
        for (whole, piece) in all.iter_mut().zip(staging) {
            whole.rows.extend(piece.rows.iter().cloned());
        }
    }
    all
}

/// A batch for each row of the first staged table, beside all rows of the others.
fn singles(batches: &[Vec<Staging>]) -> Vec<Vec<Staging>> {
    let single = |staging: &Vec<Staging>| {
        let (first, others) = staging.split_first()?;
        let one = |row: &Row| {
            let alone = Staging { rows: vec![row.clone()], ..first.clone() };
            std::iter::once(alone).chain(others.iter().cloned()).collect()
        };
        Some(first.rows.iter().map(one).collect::<Vec<_>>())
    };
    batches.iter().filter_map(single).flatten().collect()
}
