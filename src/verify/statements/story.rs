//! One scenario as it goes: statements with their values, what was done so far, and what came of it.

use super::{Fault, Lab, Statements};
use crate::dialect::Dialect;
use crate::dialect::types::Type;
use crate::engine::value::Value;
use crate::engine::{Engine, Physical, TableName, Writes};
use crate::plan::Column;
use crate::plan::statements::{Named, StatementsPlan};
use crate::sql::bind::bind;
use crate::verify::Target;
use anyhow::{Context as _, anyhow};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Barrier;

/// Why a scenario does not go on.
pub(super) enum Halt {
    /// It ended otherwise than it should.
    Fault(Fault),
    /// It cannot be played here, for this reason.
    NotRun(String),
    /// Something else failed.
    World(anyhow::Error),
}

impl From<anyhow::Error> for Halt {
    fn from(fault: anyhow::Error) -> Self {
        Self::World(fault)
    }
}

pub(super) type Told<T> = Result<T, Halt>;

/// How often a statement that the engine refuses is sent again where a retry may settle it.
const RETRIES: usize = 50;

/// The statements as they run in the schemas of a lab.
pub(super) struct Book<'a> {
    pub plan: &'a StatementsPlan,
    texts: BTreeMap<String, String>,
}

impl<'a> Book<'a> {
    pub fn new(lab: &Lab<'_>, statements: &Statements<'a>) -> Self {
        let texts = statements.texts.iter().map(|(name, text)| (name.clone(), lab.applied(text))).collect();
        Self { plan: statements.plan, texts }
    }

    pub fn dialect(&self) -> &'static Dialect {
        self.plan.plan.dialect
    }

    /// A column of the table.
    pub fn column(&self, name: &str) -> anyhow::Result<&'a Column> {
        let columns = &self.plan.table.columns;
        columns.iter().find(|column| column.name == name).with_context(|| format!("the table has no column `{name}`"))
    }

    fn named(&self, name: &str) -> anyhow::Result<&'a Named> {
        self.plan.statements.iter().find(|named| named.name == name).with_context(|| format!("no statement `{name}`"))
    }

    /// A statement with a literal for each parameter.
    fn sql(&self, name: &str, literals: &BTreeMap<String, String>) -> anyhow::Result<String> {
        let named = self.named(name)?;
        let written: Vec<String> = named.parameters.iter().map(|bound| bound.written.clone()).collect();
        if let Some(lacking) = named.parameters.iter().find(|bound| !literals.contains_key(&bound.name)) {
            return Err(anyhow!("there is no value for `{}` of `{name}`", lacking.name));
        }
        let literal = |at: usize| literals.get(&named.parameters.get(at)?.name).cloned();
        bind(&self.texts[name], self.dialect(), &written, &literal)
            .map_err(|fault| anyhow!("cannot bind the parameters of `{name}`: {}", fault.message))
    }

    /// The value that stands for a short text in a column of that type.
    pub fn value(text: &str, ty: &Type) -> anyhow::Result<Value> {
        let text = match ty {
            Type::Uuid => format!("00000000-0000-4000-8000-{:0>12}", hex(text)),
            Type::Json => format!("\"{text}\""),
            _ => text.to_owned(),
        };
        Value::parse(&text, ty)
    }

    /// The literal of a value.
    pub fn literal(&self, value: &Value, ty: &Type) -> String {
        let now = || (self.dialect().now)(ty).to_owned();
        value.literal(ty).map_or_else(now, |literal| self.dialect().literal(&literal, ty))
    }
}

/// The last bytes of a text, as digits.
fn hex(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().rev().take(6).map(|byte| format!("{byte:02x}")).collect();
    bytes.concat()
}

/// What was done in one scenario so far.
pub(super) struct Story<'b> {
    guarantee: &'static str,
    pub book: &'b Book<'b>,
    /// The steps, in words.
    steps: Vec<String>,
    /// How many statements were run.
    pub runs: usize,
    /// True where another session is in the way, so that a statement may be refused and sent again.
    pub retries: bool,
}

impl<'b> Story<'b> {
    pub fn new(guarantee: &'static str, book: &'b Book<'b>) -> Self {
        Self { guarantee, book, steps: Vec::new(), runs: 0, retries: false }
    }

    /// The story of another session beside this one.
    pub fn beside(&self) -> Self {
        Self { steps: self.steps.clone(), runs: 0, ..*self }
    }

    /// Forgets the steps up to here, of which the next ones say enough.
    pub fn forget(&mut self) {
        self.steps.clear();
    }

    /// Notes what is done.
    pub fn step(&mut self, words: impl Into<String>) {
        self.steps.push(words.into());
    }

    /// The fault of this story.
    pub fn fault(&self, found: impl Into<String>) -> Halt {
        Halt::Fault(Fault::new(self.guarantee, self.steps.join(", then "), found))
    }

    /// A fault unless what was found is what should be there.
    pub fn expect<T: PartialEq + Debug>(&self, what: &str, expected: &T, found: &T) -> Told<()> {
        if expected == found {
            return Ok(());
        }
        Err(self.fault(format!("{what}: {expected:?} expected, {found:?} found")))
    }

    /// Does a piece of work with statements of ours. What the engine refuses is a fault; where another session is in the
    /// way, when it refuses it again and again.
    pub fn attempt<T>(
        &mut self,
        session: &mut dyn Engine,
        mut work: impl FnMut(&mut Self, &mut dyn Engine) -> anyhow::Result<T>,
    ) -> Told<T> {
        let mut message = String::new();
        for _ in 0..if self.retries { RETRIES } else { 1 } {
            match work(self, session) {
                Ok(made) => return Ok(made),
                Err(fault) => message = format!("{fault:#}"),
            }
            // Often there is no transaction to end.
            let _ = session.rollback();
        }
        let again = if self.retries { ", and sending it again does not settle that" } else { "" };
        Err(self.fault(format!("the engine refused a statement{again}: {message}")))
    }

    /// Sends a statement: how many rows it wrote, where the engine says that.
    pub fn send(
        &mut self,
        session: &mut dyn Engine,
        name: &str,
        literals: &BTreeMap<String, String>,
    ) -> anyhow::Result<u64> {
        self.runs += 1;
        let sql = self.book.sql(name, literals)?;
        session.change(&sql).with_context(|| sql)
    }

    /// Sends a statement of the user's.
    pub fn perform(
        &mut self,
        session: &mut dyn Engine,
        name: &str,
        literals: &BTreeMap<String, String>,
    ) -> anyhow::Result<()> {
        self.runs += 1;
        let sql = self.book.sql(name, literals)?;
        session.execute(&sql).with_context(|| sql)
    }

    /// Runs a statement in a transaction of its own.
    pub fn run(&mut self, session: &mut dyn Engine, name: &str, literals: &BTreeMap<String, String>) -> Told<u64> {
        self.attempt(session, |story, session| story.send(session, name, literals))
    }

    /// The rows of a statement that asks.
    pub fn ask(
        &mut self,
        session: &mut dyn Engine,
        name: &str,
        literals: &BTreeMap<String, String>,
    ) -> Told<Vec<Vec<Option<String>>>> {
        self.attempt(session, |story, session| {
            story.runs += 1;
            let sql = story.book.sql(name, literals)?;
            Ok(session.query(&sql).with_context(|| sql)?.rows)
        })
    }

    /// Opens a transaction.
    pub fn begin(&self, session: &mut dyn Engine) -> anyhow::Result<()> {
        let Some(frame) = self.book.dialect().script else { return Ok(()) };
        frame.before.iter().chain([&frame.begin]).filter(|word| !word.is_empty()).try_for_each(|it| session.execute(it))
    }

    /// Commits it.
    pub fn commit(&self, session: &mut dyn Engine) -> anyhow::Result<()> {
        self.book.dialect().script.map_or(Ok(()), |frame| session.execute(frame.commit))
    }
}

/// Kills a session as a crash of its program would.
pub(super) fn kill(mut session: Box<dyn Engine>) -> anyhow::Result<()> {
    session.stopper()?()
}

/// What is stored of every target of the lab.
pub(super) fn physical(lab: &mut Lab<'_>) -> Told<Vec<Physical>> {
    let subject = lab.subject;
    let read = |target: &Target| {
        // A name without a schema is the session's to find.
        let schema = target.table.schema.as_ref().map(|_| lab.schema(&target.table));
        let name = TableName { schema: schema.as_deref(), name: &target.table.name };
        lab.session.physical(name).map_err(|why| Halt::NotRun(format!("the engine does not count its writes: {why:#}")))
    };
    subject.targets.iter().map(read).collect()
}

/// A fault when anything was written to a target since.
pub(super) fn quiet(lab: &mut Lab<'_>, story: &Story<'_>, before: &[Physical]) -> Told<()> {
    let writes: Vec<Writes> = physical(lab)?.iter().zip(before).map(|(now, then)| now.since(then)).collect();
    if writes.iter().all(Writes::is_quiet) {
        return Ok(());
    }
    let told = writes.iter().zip(&lab.subject.targets).filter(|(writes, _)| !writes.is_quiet());
    let lines: Vec<String> = told.map(|(writes, target)| format!("{}: {writes}", target.table.name)).collect();
    Err(story.fault(lines.join("\n")))
}

/// What two sessions at once come to, one turn after the other: each is called with its name and the turn, both at the same
/// moment.
pub(super) fn raced<T: Send>(
    lab: &Lab<'_>,
    story: &mut Story<'_>,
    turns: usize,
    work: impl Fn(&'static str, usize, &mut dyn Engine, &mut Story<'_>) -> Told<T> + Sync,
) -> Told<[Vec<T>; 2]> {
    let barrier = Barrier::new(2);
    let sessions = [lab.open()?, lab.open()?];
    let stories = [story.beside(), story.beside()];
    let (work, barrier) = (&work, &barrier);
    let ended = std::thread::scope(|scope| {
        let both = ["left", "right"].into_iter().zip(sessions).zip(stories).map(|((who, mut session), mut story)| {
            scope.spawn(move || {
                let mut told = Ok(Vec::new());
                for turn in 0..turns {
                    // Who has halted waits all the same: the other must not wait for ever.
                    barrier.wait();
                    told = told.and_then(|mut all| {
                        let mut own = story.beside();
                        let made = work(who, turn, &mut *session, &mut own);
                        story.runs += own.runs;
                        all.push(made?);
                        Ok(all)
                    });
                }
                (told, story.runs)
            })
        });
        let both: Vec<_> = both.collect();
        both.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let mut all = Vec::new();
    for one in ended {
        let (told, runs) = one.map_err(|_| anyhow!("a session's thread has panicked"))?;
        story.runs += runs;
        all.push(told);
    }
    let all = all.into_iter().collect::<Told<Vec<_>>>()?;
    all.try_into().map_err(|_| Halt::World(anyhow!("two sessions have two ends")))
}
