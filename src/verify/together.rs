//! G6: two sessions that load at once end as one after the other would have: in steps that are put between each other, and
//! at full speed.

use super::lab::{Lab, State, run};
use super::scenario::{Scenario, Staging};
use super::trial::Fault;
use crate::engine::hand::{Answer, Duration, Hand, Instant};
use anyhow::{Result, bail};

/// How long a statement may take before it counts as waiting for the other session: as long as both loads took one after the
/// other, within these bounds. A slow statement that is taken for a waiting one only makes another order of steps.
const WAITS: [Duration; 2] = [Duration::from_millis(4), Duration::from_millis(15)];

/// How long two sessions may wait for each other before they count as stuck.
const STUCK: Duration = Duration::from_secs(60);

/// How often a session that failed is run again before its error counts as one that a retry does not settle.
const RETRIES: usize = 3;

/// How many times both sessions start at once.
const ROUNDS: usize = 4;

/// Runs the load in two sessions at once, with the same batch and with two batches. Gives the number of loads too.
///
/// # Errors
/// When the tables cannot be made or read, or a session cannot be opened.
pub fn together(lab: &mut Lab<'_>, scenario: &Scenario) -> Result<(usize, Vec<Fault>)> {
    let mut loads = 0;
    let Some(first) = scenario.batches.first() else { return Ok((0, Vec::new())) };
    let same = Pair { first, second: first, other: false };
    let other = scenario.batches.get(1).map(|second| Pair { first, second, other: true });
    let other = other.filter(|pair| pair.second.iter().all(|staging| staging.parts.len() != 1));
    for pair in std::iter::once(same).chain(other) {
        let (one, took) = pair.serial(lab, scenario, false)?;
        let (other, _) = pair.serial(lab, scenario, true)?;
        let (serial, waits) = ([one, other], took.clamp(WAITS[0], WAITS[1]));
        loads += 4;
        let count = pair.scripts(lab)?.map(|script| script.len());
        for plan in schedules(count).into_iter().map(Some).chain((0..ROUNDS).map(|_| None)) {
            loads += 2;
            pair.prepare(lab, scenario)?;
            let scripts = pair.scripts(lab)?;
            let told = plan.as_ref().map_or("both at full speed".to_owned(), |plan| told(plan));
            let steps = format!("{} in two sessions, {told}", pair.told());
            let outcome = at_once(lab, &scripts, plan.as_deref(), waits)?;
            if let Err(message) = outcome {
                return Ok((loads, vec![Fault::new("together", steps, message)]));
            }
            let state = lab.state()?.content(lab.subject);
            if !serial.contains(&state) {
                let found = format!(
                    "rows (- of one session after the other, + of both at once):\n{}",
                    serial[0].difference(&state, lab.subject, true)
                );
                return Ok((loads, vec![Fault::new("together", steps, found)]));
            }
        }
    }
    Ok((loads, Vec::new()))
}

/// What the two sessions load.
struct Pair<'a> {
    first: &'a [Staging],
    second: &'a [Staging],
    /// True when the second has a batch of its own.
    other: bool,
}

impl Pair<'_> {
    fn told(&self) -> &'static str {
        if self.other { "two batches" } else { "the same batch" }
    }

    fn prepare(&self, lab: &mut Lab<'_>, scenario: &Scenario) -> Result<()> {
        lab.reset(&scenario.before, self.first)?;
        lab.stage(self.first)?;
        if self.other { lab.stage_other(self.second) } else { Ok(()) }
    }

    /// The statements of each session.
    fn scripts(&self, lab: &Lab<'_>) -> Result<[Vec<String>; 2]> {
        let second = if self.other { lab.other_scripts(self.second)? } else { lab.scripts(self.second)? };
        Ok([lab.scripts(self.first)?.concat(), second.concat()])
    }

    /// The rows of one session after the other, and how long both took.
    fn serial(&self, lab: &mut Lab<'_>, scenario: &Scenario, reverse: bool) -> Result<(State, Duration)> {
        self.prepare(lab, scenario)?;
        let mut scripts = self.scripts(lab)?;
        if reverse {
            scripts.reverse();
        }
        let start = Instant::now();
        for script in &scripts {
            // A load that one session alone cannot do is the fault of another guarantee.
            let _ = lab.run(script);
        }
        let took = start.elapsed();
        Ok((lab.state()?.content(lab.subject), took))
    }
}

/// The orders in which two scripts take turns: the second as a whole between any two steps of the first, step by step in
/// turn, and each with the other. A script of one statement is also held open in a transaction.
fn schedules(count: [usize; 2]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for who in [0, 1] {
        let (one, two) = (count[who], count[1 - who]);
        for steps in 1..=one {
            let mut plan = vec![who; steps];
            plan.extend(vec![1 - who; two]);
            plan.extend(vec![who; one - steps]);
            all.push(plan);
        }
    }
    all.push((0..count[0].max(count[1])).flat_map(|_| [0, 1]).collect());
    all.push((0..count[0].max(count[1])).flat_map(|_| [0, 0, 1, 1]).collect());
    all.dedup();
    all
}

/// A schedule for people: `A1 A2 B1 B2 A3`.
fn told(plan: &[usize]) -> String {
    let mut steps = [0, 0];
    let names: Vec<String> = plan
        .iter()
        .map(|who| {
            steps[*who] += 1;
            format!("{}{}", ["A", "B"][*who], steps[*who])
        })
        .collect();
    format!("steps {}", names.join(" "))
}

/// Runs two scripts in two sessions, in that order of steps or at full speed. A session that fails is run again when both
/// are through; the error is the message that even that did not settle. A statement that takes longer than `waits` counts as one
/// that waits.
fn at_once(
    lab: &mut Lab<'_>,
    scripts: &[Vec<String>; 2],
    plan: Option<&[usize]>,
    waits: Duration,
) -> Result<Result<(), String>> {
    let mut sides = Vec::new();
    for script in scripts {
        // Held open, a single statement lets the other session see what is not committed.
        let script = match (&lab.subject.dialect.script, plan) {
            (Some(frame), Some(_)) if !lab.subject.has_transaction() && script.len() == 1 => {
                vec![frame.begin.to_owned(), script[0].clone(), frame.commit.to_owned()]
            }
            _ => script.clone(),
        };
        sides.push(Side { hand: Hand::new(lab.open()?, None), script, next: 0, error: None });
    }
    match plan {
        Some(plan) => {
            for who in plan {
                // A session that waits already is only looked at: its turn is lost.
                let patience = if sides[*who].hand.is_busy() { Duration::ZERO } else { waits };
                sides[*who].step(patience)?;
            }
        }
        None => {
            for side in &mut sides {
                side.begin()?;
            }
        }
    }
    let mut waited = Duration::ZERO;
    let mut moved = true;
    while sides.iter().any(Side::works) {
        // As long as one of them gets on, the other one waits for it and is only looked at.
        let patience = if moved { Duration::ZERO } else { waits };
        moved = false;
        for side in sides.iter_mut().filter(|side| side.works()) {
            moved |= side.step(if side.hand.is_busy() { patience } else { waits })?;
        }
        waited = if moved { Duration::ZERO } else { waited + 2 * waits };
        if waited > STUCK {
            return Ok(Err("both sessions wait for each other, and no end is in sight".to_owned()));
        }
    }
    let errors: Vec<Option<String>> = sides.iter().map(|side| side.error.clone()).collect();
    drop(sides);
    for (script, error) in scripts.iter().zip(errors) {
        let Some(mut error) = error else { continue };
        let mut settled = false;
        for _ in 0..RETRIES {
            match run(&mut *lab.open()?, script) {
                Ok(()) => {
                    settled = true;
                    break;
                }
                Err(message) => error = message,
            }
        }
        if !settled {
            return Ok(Err(format!("a session failed, and running it again did not settle it: {error}")));
        }
    }
    Ok(Ok(()))
}

/// One of the two sessions.
struct Side {
    hand: Hand,
    script: Vec<String>,
    next: usize,
    error: Option<String>,
}

impl Side {
    /// True while there is something to do or to wait for.
    fn works(&self) -> bool {
        self.hand.is_busy() || (self.error.is_none() && self.next < self.script.len())
    }

    /// Begins the next statement, unless one is running or none is left.
    fn begin(&mut self) -> Result<()> {
        if !self.hand.is_busy() && self.error.is_none() && self.next < self.script.len() {
            self.next += 1;
            self.hand.start(&self.script[self.next - 1])?;
        }
        Ok(())
    }

    /// Begins the next statement and waits for it a moment. True when a statement ended.
    fn step(&mut self, patience: Duration) -> Result<bool> {
        self.begin()?;
        if !self.hand.is_busy() {
            return Ok(false);
        }
        let Some(Answer { outcome, .. }) = self.hand.wait(patience)? else { return Ok(false) };
        if let Err(message) = outcome {
            self.error = Some(message);
            self.hand.rollback(STUCK)?;
            if self.hand.is_busy() {
                bail!("a transaction that failed cannot be rolled back");
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::{schedules, told};

    #[test]
    fn one_script_goes_between_any_two_steps_of_the_other() {
        let plans = schedules([2, 1]);
        assert!(plans.contains(&vec![0, 1, 0]) && plans.contains(&vec![1, 0, 0]) && plans.contains(&vec![0, 1, 0, 1]));
        assert_eq!(told(&[0, 1, 0]), "steps A1 B1 A2");
    }
}
