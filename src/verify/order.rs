//! G4: batches in any order, and old batches again after newer ones, end in the same rows.

use super::agree::same_end;
use super::lab::{Lab, State};
use super::scenario::{Scenario, Staging};
use super::trial::Fault;
use anyhow::Result;

/// What came of loading the same rows in several ways.
#[derive(Default)]
pub struct Compared {
    /// How many loads were run.
    pub loads: usize,
    /// How many ways ended in the same rows. Of the others the model says that they need not.
    pub ends: usize,
    /// The first fault.
    pub faults: Vec<Fault>,
}

/// How many batches are put into every order; of more, only some orders are tried.
const ALL_ORDERS: usize = 3;

/// How many rotations of many batches are tried, and how many of them are loaded once more.
const SOME: usize = 5;

/// Loads the batches of a scenario in other orders than their own, and compares. What the model does not promise either is no
/// fault.
///
/// # Errors
/// When the tables cannot be made or read.
pub fn order(lab: &mut Lab<'_>, scenario: &Scenario) -> Result<Compared> {
    let own: Vec<usize> = (0..scenario.batches.len()).collect();
    let mut all = Compared { loads: own.len(), ..Compared::default() };
    let fault = |order: &[usize], found: String| vec![Fault::new("order", told(order), found)];
    let expected = match loaded(lab, scenario, &own)? {
        Ok(state) => state.content(lab.subject),
        Err(message) => return Ok(Compared { faults: fault(&own, message), ..all }),
    };
    for order in orders(own.len()) {
        all.loads += order.len();
        let found = match loaded(lab, scenario, &order)? {
            Ok(state) => state.content(lab.subject),
            Err(message) => return Ok(Compared { faults: fault(&order, message), ..all }),
        };
        if found != expected {
            let of = |order: &[usize]| -> Vec<Vec<Staging>> {
                order.iter().map(|batch| scenario.batches[*batch].clone()).collect()
            };
            if !same_end(lab, scenario, &of(&own), &of(&order))? {
                continue;
            }
            let difference = expected.difference(&found, lab.subject, true);
            let found = format!("rows (- of {}, + of this order):\n{difference}", told(&own));
            return Ok(Compared { faults: fault(&order, found), ..all });
        }
        all.ends += 1;
    }
    Ok(all)
}

/// What the targets hold after the batches in that order, or the engine's message.
pub(super) fn loaded(lab: &mut Lab<'_>, scenario: &Scenario, order: &[usize]) -> Result<Result<State, String>> {
    lab.reset(&scenario.before, scenario.batches.first().map_or(&[][..], Vec::as_slice))?;
    for batch in order {
        let staging = &scenario.batches[*batch];
        lab.stage(staging)?;
        for script in lab.scripts(staging)? {
            if let Err(message) = lab.run(&script) {
                return Ok(Err(format!("the engine refused batch {}: {message}", batch + 1)));
            }
        }
    }
    lab.state().map(Ok)
}

/// The orders to try: every order of few batches, the reverse and the rotations of many; and the own order with each old
/// batch again at its end.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let own: Vec<usize> = (0..count).collect();
    let mut all = if count <= ALL_ORDERS {
        permutations(&own)
    } else {
        let rotated = |by: usize| own.iter().cycle().skip(by * count / (SOME + 1)).take(count).copied().collect();
        let reverse = own.iter().rev().copied().collect();
        std::iter::once(reverse).chain((1..=SOME).map(rotated)).collect()
    };
    all.retain(|order| *order != own);
    let again = |old: usize| own.iter().copied().chain([old]).collect::<Vec<_>>();
    all.extend((0..count.saturating_sub(1)).take(SOME).map(again));
    all.push(own.iter().chain(&own).copied().collect());
    all.sort();
    all.dedup();
    all
}

/// Every order of the items.
fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, rest)) = items.split_first() else { return vec![Vec::new()] };
    let shorter = permutations(rest);
    let with_first = |order: &Vec<usize>| -> Vec<Vec<usize>> {
        (0..=order.len())
            .map(|at| {
                let mut order = order.clone();
                order.insert(at, *first);
                order
            })
            .collect()
    };
    shorter.iter().flat_map(with_first).collect()
}

/// An order for people.
fn told(order: &[usize]) -> String {
    let numbers: Vec<String> = order.iter().map(|batch| (batch + 1).to_string()).collect();
    format!("the batches {}", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::orders;

    #[test]
    fn few_batches_come_in_every_order_and_old_ones_again() {
        let three = orders(3);
        assert_eq!(three.len(), 5 + 2 + 1);
        assert!(three.contains(&vec![2, 0, 1]) && three.contains(&vec![0, 1, 2, 0]) && !three.contains(&vec![0, 1, 2]));
        assert_eq!(orders(1), [[0, 0]]);
        assert_eq!(orders(6).len(), 1 + 5 + 5 + 1);
    }
}
