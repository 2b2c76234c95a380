//! Whether the reference model itself ends in the same rows, however they are ordered and cut: only then must a load.

use super::lab::{Lab, State};
use super::scenario::{Scenario, Staging};
use super::shape::shape;
use super::trial::expected;
use anyhow::Result;

/// Whether the model makes the same rows of both sequences of batches, into the target of the scenario. True without a plan,
/// and so without a model.
///
/// # Errors
/// When the tables cannot be made or read.
pub fn same_end(lab: &mut Lab<'_>, scenario: &Scenario, one: &[Vec<Staging>], other: &[Vec<Staging>]) -> Result<bool> {
    Ok(end(lab, scenario, one)? == end(lab, scenario, other)?)
}

/// What the target holds behind the batches, by the model; none without a plan.
fn end(lab: &mut Lab<'_>, scenario: &Scenario, batches: &[Vec<Staging>]) -> Result<Option<State>> {
    let Some(plan) = &lab.subject.plan else { return Ok(None) };
    let shape = shape(plan).map_err(anyhow::Error::msg)?;
    lab.reset(&scenario.before, batches.first().map_or(&[][..], Vec::as_slice))?;
    let mut state = lab.state()?;
    for staging in batches {
        lab.stage(staging)?;
        let mut rows = expected(lab, plan, &shape, staging, &state)?;
        rows.sort();
        state = State(vec![rows]);
    }
    Ok(Some(state.content(lab.subject)))
}
