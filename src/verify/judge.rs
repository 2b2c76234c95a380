//! All guarantees of one load, judged on one engine.

use super::crash::crash;
use super::lab::Lab;
use super::names::Table;
use super::order::{Compared, order};
use super::scenario::{Scenario, commuting, generated, large};
use super::shrink::shrink;
use super::split::split;
use super::together::together;
use super::trial::{Fault, Trial, trial};
use crate::plan::{GUARANTEES, Guarantee, Plan};
use anyhow::Result;

/// What a load is tried with.
#[derive(Clone, Debug, Default)]
pub struct Scenarios {
    /// For a load, its second run and the model: G1, G2, G3.
    pub plain: Vec<Scenario>,
    /// Batches whose order does not matter where the load keeps its promise: G4, G5, G6.
    pub commuting: Vec<Scenario>,
    /// True when the first plain one is the user's: for G4 and G5 where the model says that order and pieces make no difference.
    pub given: bool,
    /// One that takes an engine a while, for kills: G7.
    pub large: Option<Scenario>,
    /// Why there are none of the made-up ones, when there are none.
    pub missing: Option<String>,
}

impl Scenarios {
    /// Scenarios made up for a plan, behind the one that the user gave. Also why none could be made up.
    pub fn made(plan: &Plan, seed: u64, crash_rows: usize, given: Option<Scenario>) -> (Self, Option<String>) {
        let mut all = Self { given: given.is_some(), plain: given.into_iter().collect(), ..Self::default() };
        match generated(plan, seed) {
            Ok(made) => all.plain.extend(made),
            Err(why) => {
                // The user's rows can be killed and loaded twice at once.
                all.large = all.plain.first().cloned();
                all.missing = Some(why.clone());
                return (all, Some(why));
            }
        }
        all.large = large(plan, crash_rows, seed).ok();
        match commuting(plan, seed) {
            Ok(made) => all.commuting = made,
            Err(why) => all.missing = Some(why),
        }
        (all, None)
    }

    /// Every staged table that any of them fills.
    pub fn tables(&self) -> Vec<Table> {
        let all = self.plain.iter().chain(&self.commuting).chain(&self.large);
        let staged = all.flat_map(|scenario| scenario.batches.iter().flatten());
        let mut tables: Vec<Table> =
            staged.filter(|staging| !staging.parts.is_empty()).map(|staging| Table::of(&staging.parts)).collect();
        tables.sort();
        tables.dedup();
        tables
    }
}

/// How a load is judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// The names of the guarantees; none for all.
    pub guarantees: &'a [&'a str],
    /// False for the scenario that broke a guarantee as it is; true for a smaller one, which takes many loads to find.
    pub shrink: bool,
}

/// What was found of one guarantee.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// What was found.
    pub outcome: Outcome,
    /// How many scenarios were tried.
    pub scenarios: usize,
    /// How many loads were run, or how many statements where those are judged one by one.
    pub loads: usize,
    /// How many rows were staged in those scenarios.
    pub rows: usize,
    /// How many of the loads were killed while a statement was running. Zero for every guarantee but the last.
    pub killed_inside: usize,
}

/// What can be found of a guarantee.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Every scenario ended as it should.
    Held,
    /// One did not: the smallest that was found.
    Broken {
        /// What was done and what came of it.
        fault: Fault,
        /// The target before, and the batches.
        scenario: Box<Scenario>,
    },
    /// The load does not promise it, for this reason.
    NotPromised(String),
    /// It was not tried, for this reason.
    NotRun(String),
}

/// What was found of a load.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// One for each guarantee, in order.
    pub verdicts: Vec<Verdict>,
    /// The loads of the plain scenarios.
    pub trials: Vec<Trial>,
    /// What was run.
    pub ran: Ran,
}

/// What was run to judge a guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// Loads.
    Loads,
    /// Statements by name.
    Statements,
}

impl Judgement {
    /// True when no promise was broken.
    pub fn holds(&self) -> bool {
        !self.verdicts.iter().any(|verdict| matches!(verdict.outcome, Outcome::Broken { .. }))
    }
}

/// One attempt at a guarantee: how many loads it took, how many ways of loading were compared, how many loads were killed in
/// a statement, and the first fault.
struct Tried {
    loads: usize,
    compared: usize,
    inside: usize,
    faults: Vec<Fault>,
}

/// Judges the load of a lab. `report` is told what is tried next: the guarantee and the scenario.
///
/// # Errors
/// When tables cannot be made or read, or sessions cannot be opened.
pub fn judge(
    lab: &mut Lab<'_>,
    scenarios: &Scenarios,
    asked: Asked<'_>,
    report: &mut dyn FnMut(&Guarantee, &Scenario),
) -> Result<Judgement> {
    let mut trials = Vec::new();
    let mut verdicts: Vec<Verdict> = Vec::new();
    let base = plain(lab, scenarios, report, &mut trials)?;
    for guarantee in GUARANTEES {
        let mut verdict =
            Verdict { guarantee, outcome: Outcome::Held, scenarios: 0, loads: 0, rows: 0, killed_inside: 0 };
        verdict.outcome = if !asked.guarantees.is_empty() && !asked.guarantees.contains(&guarantee.name) {
            Outcome::NotRun("not asked for".to_owned())
        } else if let Some(promise) = lab.subject.promise(guarantee.name).filter(|promise| !promise.given) {
            Outcome::NotPromised(promise.because.clone())
        } else {
            found(lab, scenarios, &base, asked, &mut verdict, report)?
        };
        verdicts.push(verdict);
    }
    Ok(Judgement { verdicts, trials, ran: Ran::Loads })
}

/// The plain scenarios: what each showed.
fn plain(
    lab: &mut Lab<'_>,
    scenarios: &Scenarios,
    report: &mut dyn FnMut(&Guarantee, &Scenario),
    trials: &mut Vec<Trial>,
) -> Result<Vec<(Scenario, Vec<Fault>)>> {
    let mut all = Vec::new();
    for scenario in &scenarios.plain {
        report(&GUARANTEES[0], scenario);
        let trial = trial(lab, scenario)?;
        all.push((scenario.clone(), faults(&trial)));
        trials.push(trial);
    }
    Ok(all)
}

/// Every fault of a trial, with its batch.
fn faults(trial: &Trial) -> Vec<Fault> {
    let several = trial.loads.len() > 1;
    let loads = trial.loads.iter().enumerate();
    loads
        .flat_map(|(batch, load)| load.runs.iter().flat_map(move |run| run.faults.iter().map(move |f| (batch, f))))
        .map(|(batch, fault)| {
            let place = if several { format!("batch {}, {}", batch + 1, fault.steps) } else { fault.steps.clone() };
            Fault { steps: place, ..fault.clone() }
        })
        .collect()
}

/// How many scenarios are loaded in two sessions at once: each takes dozens of loads.
const AT_ONCE: usize = 2;

/// What is found of one guarantee that the load is held to.
fn found(
    lab: &mut Lab<'_>,
    scenarios: &Scenarios,
    base: &[(Scenario, Vec<Fault>)],
    asked: Asked<'_>,
    verdict: &mut Verdict,
    report: &mut dyn FnMut(&Guarantee, &Scenario),
) -> Result<Outcome> {
    let guarantee = verdict.guarantee;
    let name = guarantee.name;
    // What the engine refuses is wrong whatever it should do.
    let refused = base.iter().any(|(_, faults)| faults.iter().any(|fault| fault.guarantee == name));
    if lab.subject.plan.is_none() && name == "right" && !refused {
        return Ok(Outcome::NotRun("nobody said what the load should do: give a spec".to_owned()));
    }
    if let "rerun" | "quiet" | "right" = name {
        if base.is_empty() {
            return Ok(Outcome::NotRun("there are no rows to load".to_owned()));
        }
        verdict.scenarios = base.len();
        verdict.rows = base.iter().map(|(scenario, _)| staged(scenario)).sum();
        verdict.loads = base.iter().map(|(scenario, _)| scenario.batches.len() * 3).sum();
        let Some((scenario, fault)) = base.iter().find_map(|(scenario, faults)| {
            faults.iter().find(|fault| fault.guarantee == name).map(|fault| (scenario, fault))
        }) else {
            return Ok(Outcome::Held);
        };
        return Ok(smallest(lab, scenario, fault, asked));
    }
    let mut chosen: Vec<&Scenario> = match name {
        // Many rows take an engine long enough to be killed in a statement; a user's own may be what a kill spoils.
        "crash" => scenarios.large.iter().chain(scenarios.plain.first()).collect(),
        // Two sessions end as one even where the order of the two matters.
        "together" if scenarios.commuting.is_empty() => scenarios.plain.iter().take(1).collect(),
        "together" => scenarios.commuting.iter().take(AT_ONCE).collect(),
        _ => scenarios.commuting.iter().collect(),
    };
    let mut why = scenarios.missing.clone();
    if let ("order" | "split", Some(given)) = (name, scenarios.plain.first().filter(|_| scenarios.given)) {
        if name == "order" && given.batches.len() < 2 {
            why = why.map(|_| "it needs more than one batch of rows: batch-1, batch-2".to_owned());
        } else {
            chosen.insert(0, given);
        }
    }
    if chosen.is_empty() {
        return Ok(Outcome::NotRun(why.unwrap_or_else(|| "there are no rows to load".to_owned())));
    }
    let mut compared = 0;
    for scenario in chosen {
        report(&guarantee, scenario);
        let tried = tried(name, lab, scenario)?;
        verdict.scenarios += 1;
        verdict.rows += staged(scenario);
        verdict.loads += tried.loads;
        verdict.killed_inside += tried.inside;
        compared += tried.compared;
        if let Some(fault) = tried.faults.into_iter().next() {
            return Ok(smallest(lab, scenario, &fault, asked));
        }
    }
    if compared == 0 {
        return Ok(Outcome::NotRun(DISAGREES.to_owned()));
    }
    Ok(Outcome::Held)
}

/// Why a user's rows say nothing of an order.
const DISAGREES: &str = "the given rows end otherwise in another order or in other pieces by the model, too: two rows of one \
                         key and one version differ, a row lies outside the window once a newer one is loaded, or the query \
                         puts several rows into one";

/// Tries one of the guarantees that need several loads.
fn tried(guarantee: &str, lab: &mut Lab<'_>, scenario: &Scenario) -> Result<Tried> {
    let of = |all: Compared| Tried { loads: all.loads, compared: all.ends, inside: 0, faults: all.faults };
    match guarantee {
        "order" => order(lab, scenario).map(of),
        "split" => split(lab, scenario).map(of),
        "together" => together(lab, scenario).map(|(loads, faults)| Tried { loads, compared: 1, inside: 0, faults }),
        _ => crash(lab, scenario).map(|crashes| Tried {
            loads: crashes.loads,
            compared: 1,
            inside: crashes.inside,
            faults: crashes.faults,
        }),
    }
}

/// Tries one guarantee in one scenario: the first fault, if any. What a replay does.
///
/// # Errors
/// As [`judge`].
pub fn attempt(guarantee: &str, lab: &mut Lab<'_>, scenario: &Scenario) -> Result<Option<Fault>> {
    match guarantee {
        "rerun" | "quiet" | "right" => {
            Ok(faults(&trial(lab, scenario)?).into_iter().find(|fault| fault.guarantee == guarantee))
        }
        _ => Ok(tried(guarantee, lab, scenario)?.faults.into_iter().next()),
    }
}

/// The smallest scenario that shows the same, when that was asked for.
fn smallest(lab: &mut Lab<'_>, scenario: &Scenario, fault: &Fault, asked: Asked<'_>) -> Outcome {
    if !asked.shrink {
        return Outcome::Broken { fault: fault.clone(), scenario: Box::new(scenario.clone()) };
    }
    let guarantee = fault.guarantee;
    let again = |lab: &mut Lab<'_>, scenario: &Scenario| attempt(guarantee, lab, scenario);
    let (scenario, fault) = shrink(lab, scenario.clone(), fault.clone(), &again);
    Outcome::Broken { fault, scenario: Box::new(scenario) }
}

/// How many rows a scenario stages.
fn staged(scenario: &Scenario) -> usize {
    scenario.batches.iter().flatten().map(|staging| staging.rows.len()).sum()
}
