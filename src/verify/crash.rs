//! G7: a load that is killed at any point, and then run again, ends as if it had never been killed.

use super::lab::{Lab, run};
use super::scenario::{Scenario, Staging};
use super::trial::Fault;
use crate::engine::hand::{Duration, Hand};
use anyhow::Result;

/// At which parts of the time that a statement takes it is killed.
const INSIDE: [u32; 3] = [10, 45, 80];

/// How long a statement may take at most.
const LONG: Duration = Duration::from_secs(120);

/// How often a load is run again after a kill before its error counts: what the killed session held may be released late.
const RETRIES: usize = 5;

/// What was tried.
#[derive(Clone, Debug, Default)]
pub struct Crashes {
    /// How many loads were run.
    pub loads: usize,
    /// How many were killed before a statement or behind the last.
    pub between: usize,
    /// How many were killed while a statement was running.
    pub inside: usize,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// Kills a load of the first batch before each statement, and in the middle of each, and runs it again.
///
/// # Errors
/// When the tables cannot be made or read, or a session cannot be opened or killed.
pub fn crash(lab: &mut Lab<'_>, scenario: &Scenario) -> Result<Crashes> {
    let mut crashes = Crashes::default();
    let Some(staging) = scenario.batches.first() else { return Ok(crashes) };
    prepare(lab, scenario, staging)?;
    let script = lab.scripts(staging)?.concat();
    let whole = timed(lab, &script)?;
    crashes.loads += 1;
    let times = match whole {
        Ok(times) => times,
        Err(message) => {
            crashes.faults.push(Fault::new("crash", "a load that nothing killed", message));
            return Ok(crashes);
        }
    };
    let expected = lab.state()?.content(lab.subject);
    let before = (0..=script.len()).map(|at| (at, None));
    let inside = (0..script.len()).flat_map(|at| INSIDE.map(|percent| (at, Some(percent))));
    for (at, percent) in before.chain(inside) {
        prepare(lab, scenario, staging)?;
        let hit = killed(lab, &script, at, percent.map(|percent| times[at] * percent / 100))?;
        crashes.loads += 2;
        let steps = match percent {
            None if at == script.len() => "killed behind the last statement, then run again".to_owned(),
            None => format!("killed before statement {}, then run again", at + 1),
            Some(percent) => format!("killed in statement {} after {percent} % of its time, then run again", at + 1),
        };
        crashes.between += usize::from(percent.is_none());
        crashes.inside += usize::from(percent.is_some() && hit);
        let outcome = again(lab, &script)?;
        if let Err(message) = outcome {
            crashes.faults.push(Fault::new("crash", steps, message));
            return Ok(crashes);
        }
        let found = lab.state()?.content(lab.subject);
        if found != expected {
            let rows = expected.difference(&found, lab.subject, true);
            let found = format!("rows (- of a load that was not killed, + of this):\n{rows}");
            crashes.faults.push(Fault::new("crash", steps, found));
            return Ok(crashes);
        }
    }
    Ok(crashes)
}

fn prepare(lab: &mut Lab<'_>, scenario: &Scenario, staging: &[Staging]) -> Result<()> {
    lab.reset(&scenario.before, staging)?;
    lab.stage(staging)
}

/// Runs a script in a session of its own, and says how long each statement took.
fn timed(lab: &Lab<'_>, script: &[String]) -> Result<Result<Vec<Duration>, String>> {
    let mut hand = Hand::new(lab.open()?, None);
    let mut times = Vec::new();
    for statement in script {
        hand.start(statement)?;
        let Some(answer) = hand.wait(LONG)? else { return Ok(Err("a statement takes too long".to_owned())) };
        if let Err(message) = answer.outcome {
            return Ok(Err(message));
        }
        times.push(answer.took);
    }
    Ok(Ok(times))
}

/// Runs a script in a session that is killed before a statement, or that long after it began. True when the statement had
/// not ended by then.
fn killed(lab: &Lab<'_>, script: &[String], at: usize, after: Option<Duration>) -> Result<bool> {
    let mut session = lab.open()?;
    let stopper = session.stopper()?;
    let mut hand = Hand::new(session, Some(stopper));
    for statement in &script[..at] {
        hand.start(statement)?;
        if hand.wait(LONG)?.is_none_or(|answer| answer.outcome.is_err()) {
            break;
        }
    }
    let Some(after) = after else {
        hand.stop()?;
        return Ok(false);
    };
    hand.start(&script[at])?;
    let early = hand.wait(after)?;
    hand.stop()?;
    if early.is_some() {
        return Ok(false);
    }
    // What came through in spite of the kill was not hit.
    Ok(hand.wait(LONG)?.is_none_or(|answer| answer.outcome.is_err()))
}

/// Runs a whole script in a new session, again while that fails.
fn again(lab: &Lab<'_>, script: &[String]) -> Result<Result<(), String>> {
    let mut outcome = Ok(());
    for _ in 0..RETRIES {
        outcome = run(&mut *lab.open()?, script);
        if outcome.is_ok() {
            break;
        }
    }
    Ok(outcome.map_err(|message| format!("the load fails when it is run again: {message}")))
}
