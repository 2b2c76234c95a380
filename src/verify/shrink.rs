//! A scenario that breaks a guarantee, made as small as it can be and still break it.

use super::lab::Lab;
use super::scenario::Scenario;
use super::trial::Fault;
use anyhow::Result;

/// Tries a scenario: the fault that it shows, if any.
pub type Attempt<'a> = &'a dyn Fn(&mut Lab<'_>, &Scenario) -> Result<Option<Fault>>;

/// How many smaller scenarios are tried at most.
const ATTEMPTS: usize = 250;

/// The smallest scenario that was found to show a fault of the same guarantee, and that fault.
///
/// Batches go first, then rows in halves, quarters and so on, until no single one can go.
pub fn shrink(lab: &mut Lab<'_>, scenario: Scenario, fault: Fault, attempt: Attempt<'_>) -> (Scenario, Fault) {
    let mut best = (scenario, fault);
    let mut left = ATTEMPTS;
    loop {
        let size = size(&best.0);
        for place in places(&best.0) {
            less(lab, &mut best, place, &mut left, attempt);
        }
        if self::size(&best.0) == size || left == 0 {
            return best;
        }
    }
}

/// A list of things that may be fewer.
#[derive(Clone, Copy)]
enum Place {
    Batches,
    Before,
    Staged { batch: usize, table: usize },
}

fn places(scenario: &Scenario) -> Vec<Place> {
    let staged = scenario
        .batches
        .iter()
        .enumerate()
        .flat_map(|(batch, tables)| (0..tables.len()).map(move |table| Place::Staged { batch, table }));
    [Place::Batches, Place::Before].into_iter().chain(staged).collect()
}

/// How many things there are in a place.
fn count(scenario: &Scenario, place: Place) -> usize {
    match place {
        Place::Batches => scenario.batches.len(),
        Place::Before => scenario.before.rows.len(),
        Place::Staged { batch, table } => {
            scenario.batches.get(batch).and_then(|tables| tables.get(table)).map_or(0, |staging| staging.rows.len())
        }
    }
}

/// The scenario without some things of a place.
fn without(scenario: &Scenario, place: Place, from: usize, length: usize) -> Scenario {
    let mut less = scenario.clone();
    match place {
        Place::Batches => drop(less.batches.drain(from..from + length)),
        Place::Before => drop(less.before.rows.drain(from..from + length)),
        Place::Staged { batch, table } => drop(less.batches[batch][table].rows.drain(from..from + length)),
    }
    less
}

fn size(scenario: &Scenario) -> usize {
    places(scenario).into_iter().map(|place| count(scenario, place)).sum()
}

/// Takes away what can go from one place.
fn less(lab: &mut Lab<'_>, best: &mut (Scenario, Fault), place: Place, left: &mut usize, attempt: Attempt<'_>) {
    let mut length = count(&best.0, place);
    // The last batch stays: without one there is no load.
    if matches!(place, Place::Batches) {
        length = length.saturating_sub(1);
    }
    while length > 0 {
        let mut from = 0;
        while from + length <= count(&best.0, place) && *left > 0 {
            let smaller = without(&best.0, place, from, length);
            *left -= 1;
            // An engine that cannot go on with a smaller scenario has not shown the fault.
            match attempt(lab, &smaller) {
                Ok(Some(fault)) if fault.guarantee == best.1.guarantee && !smaller.batches.is_empty() => {
                    *best = (smaller, fault);
                }
                _ => from += length,
            }
        }
        length /= 2;
    }
}
