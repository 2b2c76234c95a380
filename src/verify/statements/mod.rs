//! Statements by name, tried on a real engine as an application runs them: retried, raced and killed.

mod effects;
mod key_store;
mod story;

use super::judge::{Asked, Judgement, Outcome, Ran, Verdict};
use super::lab::{Lab, State};
use super::names::Table;
use super::scenario::Scenario;
use super::subject::{Subject, Target, described};
use super::tables;
use super::trial::Fault;
use crate::diagnostic::{Diagnostic, Source};
use crate::engine::Database;
use crate::engine::hand::Duration;
use crate::plan::statements::StatementsPlan;
use crate::plan::{GUARANTEES, Guarantee};
use crate::render::statements::written;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use story::{Halt, Story, Told};

/// Statements under test.
#[derive(Clone, Debug)]
pub struct Statements<'a> {
    /// What was planned.
    pub plan: &'a StatementsPlan,
    /// Their texts by their names.
    pub texts: BTreeMap<String, String>,
}

impl<'a> Statements<'a> {
    /// The statements of a plan as they are rendered.
    ///
    /// # Errors
    /// A fault here is ours and not the user's.
    pub fn rendered(plan: &'a StatementsPlan) -> Result<Self, Diagnostic> {
        let texts = written(plan)?.into_iter().map(|one| (one.name, one.sql)).collect();
        Ok(Self { plan, texts })
    }
}

/// Is told what is tried next.
type Report<'r> = &'r mut dyn FnMut(&Guarantee, &Scenario);

/// One scenario: what an application does with an empty table, and what must come of it.
struct Scene<'s> {
    name: &'static str,
    #[allow(clippy::type_complexity, reason = "it stands here alone")]
    play: Box<dyn Fn(&mut Lab<'_>, &mut Story<'_>) -> Told<()> + 's>,
}

impl<'s> Scene<'s> {
    fn new(name: &'static str, play: impl Fn(&mut Lab<'_>, &mut Story<'_>) -> Told<()> + 's) -> Self {
        Self { name, play: Box::new(play) }
    }
}

/// What there is to say of a guarantee.
enum Answer<'s> {
    /// It is not promised, for this reason.
    NotPromised(&'static str),
    /// It is promised, and these scenarios try it.
    Tried(Vec<Scene<'s>>),
}

/// Judges the store of keys in schemas that begin with the prefix, as those of a [`Lab`] do. The second result says whether
/// they could be dropped.
///
/// # Errors
/// When tables cannot be made or read, or sessions cannot be opened.
pub fn judge_key_store(
    statements: &Statements<'_>,
    database: &dyn Database,
    prefix: &str,
    asked: Asked<'_>,
    report: Report<'_>,
) -> Result<(Judgement, Result<()>)> {
    let mut subject = Subject::rendered(&statements.plan.table, "");
    // The model of loads says nothing of statements by name.
    subject.plan = None;
    let mut lab = Lab::new(database, &subject, prefix, &[])?;
    let found = judged(&mut lab, statements, asked, &key_store::answer, report);
    let dropped = lab.close();
    Ok((found?, dropped))
}

/// What the effects of events need beside the spec.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// SQL that makes the tables that they write and read, with rows.
    pub setup: &'a Arc<Source>,
    /// The values of parameters that are no columns of the table, by name; the events take several in turn.
    pub values: &'a BTreeMap<String, Vec<String>>,
    /// Columns that the engine numbers by itself: a number that is never used is not lost.
    pub numbered: Vec<(Table, String)>,
}

/// The parameters of effects that are no columns of the table, so that nobody can make a value up.
pub fn unknown_parameters(plan: &StatementsPlan) -> BTreeSet<String> {
    let of = |named: &crate::plan::statements::Named| named.parameters.clone();
    let known: Vec<_> = plan.statements.iter().filter(|named| named.name == "claim").flat_map(of).collect();
    let bound = plan.statements.iter().flat_map(of).filter(|bound| known.iter().all(|one| one.name != bound.name));
    bound.map(|bound| bound.name).collect()
}

/// How long it takes a clock that counts seconds to say another one.
const TICK: Duration = Duration::from_millis(1100);

/// Judges the effects of events as [`judge_key_store`] does its statements. The inner error is what is wrong with the set-up.
///
/// # Errors
/// As there, and when an effect fails without a marker, too.
#[allow(clippy::type_complexity, reason = "two ways to fail, of which one is the user's")]
pub fn judge_effects(
    statements: &Statements<'_>,
    prepared: &Prepared<'_>,
    database: &dyn Database,
    prefix: &str,
    asked: Asked<'_>,
    report: Report<'_>,
) -> Result<Result<(Judgement, Result<()>), Vec<Diagnostic>>> {
    let subject = match subject_of(statements, prepared) {
        Ok(subject) => subject,
        Err(faults) => return Ok(Err(faults)),
    };
    let mut subject = described(subject, database, prefix, &Scenario::nothing())?;
    subject.ignore(&prepared.numbered);
    let mut lab = Lab::new(database, &subject, prefix, &[])?;
    let alone = alone(&mut lab, statements, prepared);
    lab.close()?;
    let (effects, again, before) = alone?;
    if before == effects.once {
        let what = format!(
            "the effects of `{}` change no row of the set-up's tables, so nothing would be shown",
            statements.plan.table.table
        );
        let help = "put rows into the set-up that they change, and give values that find them: `--value sku=A`";
        return Ok(Err(vec![Diagnostic::error("verify-effect", what).help(help).in_source(prepared.setup)]));
    }
    mark_volatile(&mut subject, &effects.once, &again);
    let mut lab = Lab::new(database, &subject, prefix, &[])?;
    let kind = effects::Kind {
        purges: statements.plan.retention.is_some(),
        commutes: effects.once.content(&subject) == effects.turned.content(&subject),
    };
    let found = judged(&mut lab, statements, asked, &|guarantee| effects.answer(guarantee, kind), report);
    let dropped = lab.close();
    Ok(Ok((found?, dropped)))
}

/// What the effects alone come to, twice with a tick of the clock between, and the user's tables before them.
fn alone(
    lab: &mut Lab<'_>,
    statements: &Statements<'_>,
    prepared: &Prepared<'_>,
) -> Result<(effects::Effects, State, State)> {
    let book = story::Book::new(lab, statements);
    lab.reset(&Scenario::nothing().before, &[])?;
    let before = effects::of_the_user(&lab.state()?);
    let effects = effects::Effects::alone(lab, &book, prepared.values)?;
    std::thread::sleep(TICK);
    let again = effects.again(lab, &book)?;
    Ok((effects, again, before))
}

/// Marks the columns whose values were others the second time: two right runs may differ in them.
fn mark_volatile(subject: &mut Subject, once: &State, again: &State) {
    for ((target, one), two) in subject.targets.iter_mut().zip(&once.0).zip(&again.0) {
        for (at, column) in target.columns.iter_mut().enumerate() {
            let values = |rows: &[crate::engine::value::Row]| {
                let mut all: Vec<_> = rows.iter().map(|row| row[at].clone()).collect();
                all.sort();
                all
            };
            column.volatile |= values(one) != values(two);
        }
    }
}

/// The markers and the user's tables.
fn subject_of(statements: &Statements<'_>, prepared: &Prepared<'_>) -> Result<Subject, Vec<Diagnostic>> {
    let plan = &statements.plan.table;
    let effects: Vec<&str> = statements
        .plan
        .statements
        .iter()
        .filter(|named| named.name.starts_with("effect"))
        .filter_map(|named| statements.texts.get(&named.name).map(String::as_str))
        .collect();
    let source = Arc::new(Source::new(format!("the effects of {}", plan.table), effects.join(";\n")));
    let mut subject = Subject::given(Some(plan), &source, Some(prepared.setup), plan.dialect)?;
    // The model of loads says nothing of statements by name.
    subject.plan = None;
    subject.statements.clear();
    for table in std::mem::take(&mut subject.tables) {
        let parts: Vec<String> = table.schema.iter().chain([&table.name]).cloned().collect();
        subject.targets.push(Target { sql: tables::path(plan.dialect, &parts), table, columns: Vec::new() });
    }
    Ok(subject)
}

/// Plays the scenarios of every guarantee.
fn judged<'s>(
    lab: &mut Lab<'_>,
    statements: &Statements<'_>,
    asked: Asked<'_>,
    answer: &dyn Fn(&str) -> Answer<'s>,
    report: Report<'_>,
) -> Result<Judgement> {
    let mut verdicts = Vec::new();
    let book = story::Book::new(lab, statements);
    for guarantee in GUARANTEES {
        let mut verdict =
            Verdict { guarantee, outcome: Outcome::Held, scenarios: 0, loads: 0, rows: 0, killed_inside: 0 };
        if !asked.guarantees.is_empty() && !asked.guarantees.contains(&guarantee.name) {
            verdict.outcome = Outcome::NotRun("not asked for".to_owned());
        } else {
            match answer(guarantee.name) {
                Answer::NotPromised(why) => verdict.outcome = Outcome::NotPromised(why.to_owned()),
                Answer::Tried(scenes) => played(lab, &book, &scenes, &mut verdict, report)?,
            }
        }
        verdicts.push(verdict);
    }
    Ok(Judgement { verdicts, trials: Vec::new(), ran: Ran::Statements })
}

/// Plays scenarios up to the first that ends otherwise than it should.
fn played(
    lab: &mut Lab<'_>,
    book: &story::Book<'_>,
    scenes: &[Scene<'_>],
    verdict: &mut Verdict,
    report: Report<'_>,
) -> Result<()> {
    for scene in scenes {
        let scenario = Scenario { name: scene.name.to_owned(), ..Scenario::nothing() };
        report(&verdict.guarantee, &scenario);
        lab.reset(&scenario.before, &[])?;
        let mut story = Story::new(verdict.guarantee.name, book);
        let told = (scene.play)(lab, &mut story);
        verdict.scenarios += 1;
        verdict.loads += story.runs;
        match told {
            Ok(()) => {}
            Err(Halt::World(fault)) => return Err(fault),
            Err(Halt::NotRun(why)) => {
                verdict.outcome = Outcome::NotRun(why);
                return Ok(());
            }
            Err(Halt::Fault(fault)) => {
                verdict.outcome = Outcome::Broken { fault, scenario: Box::new(scenario) };
                return Ok(());
            }
        }
    }
    Ok(())
}
