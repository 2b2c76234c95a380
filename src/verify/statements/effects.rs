//! The statements of `processed_marker` for one event: an effect once for each event, however often it is delivered.

use super::story::{Book, Story, Told, kill, physical, quiet, raced};
use super::{Answer, Lab, Scene};
use crate::dialect::types::{Overlap, Type};
use crate::engine::Engine;
use crate::engine::value::{Number, Value};
use crate::plan::{Column, ValueFrom};
use crate::verify::lab::State;
use crate::verify::scenario::large;
use anyhow::{Context as _, Result, anyhow, bail};
use std::collections::BTreeMap;

/// How many rows are made up for events. Half of them are events, the others the same ones again.
const ROWS: usize = 40;

/// East of Greenwich, where events are delivered again.
const ELSEWHERE: i8 = 9;

/// The values of the parameters of one event, as literals.
type Event = BTreeMap<String, String>;

/// What events should come to.
pub(super) struct Effects {
    events: Vec<Event>,
    /// The user's tables after the effects of every event, once each, in order.
    pub once: State,
    /// The same in the other order of events.
    pub turned: State,
}

/// What kind of effects they are.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// Their markers are forgotten after a while.
    pub purges: bool,
    /// They end the same in another order.
    pub commutes: bool,
}

/// The names of the statements that are effects.
fn effects<'a>(book: &Book<'a>) -> impl Iterator<Item = &'a str> {
    book.plan.statements.iter().map(|named| named.name.as_str()).filter(|name| name.starts_with("effect"))
}

impl Effects {
    /// What the effects alone come to, without a marker.
    ///
    /// # Errors
    /// When no event can be made up, or the engine refuses an effect.
    pub fn alone(lab: &mut Lab<'_>, book: &Book<'_>, values: &BTreeMap<String, Vec<String>>) -> Result<Self> {
        let events = events(book, values)?;
        let once = run_alone(lab, book, &mut events.iter())?;
        let turned = run_alone(lab, book, &mut events.iter().rev())?;
        Ok(Self { events, once, turned })
    }

    /// The effects once more. What is not as it was the first time depends on the clock or on chance.
    pub fn again(&self, lab: &mut Lab<'_>, book: &Book<'_>) -> Result<State> {
        run_alone(lab, book, &mut self.events.iter())
    }

    /// What there is to say of a guarantee.
    pub fn answer<'s>(&'s self, guarantee: &str, kind: Kind) -> Answer<'s> {
        Answer::Tried(match guarantee {
            "rerun" => vec![Scene::new("every event again", |lab, story| self.again_without(lab, story))],
            "quiet" => vec![Scene::new("every event again", |lab, story| self.again_quietly(lab, story))],
            "right" => {
                let mut all = vec![Scene::new("every event once", |lab, story| {
                    self.deliver_all(lab, story, &mut (0..self.events.len()))?;
                    self.had_once(lab, story)
                })];
                if kind.purges {
                    all.push(Scene::new("a retention that is over", |lab, story| self.purged(lab, story)));
                }
                all
            }
            "order" if !kind.commutes => {
                return Answer::NotPromised(
                    "the effects alone end otherwise in another order, which no marker can change",
                );
            }
            "order" => vec![Scene::new("every event in another order, and old ones again", |lab, story| {
                self.deliver_all(lab, story, &mut (0..self.events.len()).rev())?;
                for at in 0..self.events.len() {
                    self.deliver(story, &mut *lab.session, at, false)?;
                }
                self.had_once(lab, story)
            })],
            "split" => return Answer::NotPromised("an event is one row, which has no pieces"),
            "together" => {
                vec![Scene::new("two sessions that deliver the same events", |lab, story| self.at_once(lab, story))]
            }
            _ => vec![
                Scene::new("killed before it commits, then delivered again", |lab, story| {
                    self.killed(lab, story, false)
                }),
                Scene::new("killed behind its commit, then delivered again", |lab, story| {
                    self.killed(lab, story, true)
                }),
            ],
        })
    }

    /// Delivers an event as an application does: the claim, and the effects when it wrote a row, in one transaction. It must
    /// have its effect now, or have had it.
    fn deliver(&self, story: &mut Story<'_>, session: &mut dyn Engine, at: usize, expected: bool) -> Told<()> {
        story.forget();
        story.step(format!("event {}{}", at + 1, if expected { "" } else { ", which has had its effect" }));
        let had = self.delivered(story, session, at)?;
        story.expect("whether the claim wrote a row", &expected, &had)
    }

    /// Whether the event had its effect now.
    fn delivered(&self, story: &mut Story<'_>, session: &mut dyn Engine, at: usize) -> Told<bool> {
        story.attempt(session, |story, session| {
            let had = self.half(story, session, at, usize::MAX)?;
            story.commit(session)?;
            Ok(had)
        })
    }

    /// A delivery up to its commit, with so many of its effects.
    fn half(&self, story: &mut Story<'_>, session: &mut dyn Engine, at: usize, effects_: usize) -> Result<bool> {
        let event = &self.events[at];
        story.begin(session)?;
        if story.send(session, "claim", event)? == 0 {
            return Ok(false);
        }
        for name in effects(story.book).take(effects_) {
            story.perform(session, name, event)?;
        }
        Ok(true)
    }

    fn deliver_all(
        &self,
        lab: &mut Lab<'_>,
        story: &mut Story<'_>,
        order: &mut dyn Iterator<Item = usize>,
    ) -> Told<()> {
        for at in order {
            self.deliver(story, &mut *lab.session, at, true)?;
        }
        Ok(())
    }

    /// Every event is marked, and the user's tables are as the effects alone leave them.
    fn had_once(&self, lab: &mut Lab<'_>, story: &Story<'_>) -> Told<()> {
        let state = lab.state()?;
        let marked = state.0.first().map_or(0, Vec::len);
        story.expect("how many events are marked", &self.events.len(), &marked)?;
        let found = of_the_user(&state);
        let (once, found) = (self.once.content(lab.subject), found.content(lab.subject));
        if once == found {
            return Ok(());
        }
        let rows = once.difference(&found, lab.subject, true);
        Err(story.fault(format!("rows (- of the effects alone, once for each event, + of this):\n{rows}")))
    }

    fn again_without(&self, lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
        self.deliver_all(lab, story, &mut (0..self.events.len()))?;
        let before = lab.state()?;
        let mut session = lab.open()?;
        session.use_time_zone(ELSEWHERE)?;
        for at in 0..self.events.len() {
            self.deliver(story, &mut *session, at, false)?;
            let now = lab.state()?;
            if before != now {
                return Err(story.fault(before.difference(&now, lab.subject, false)));
            }
        }
        Ok(())
    }

    fn again_quietly(&self, lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
        self.deliver_all(lab, story, &mut (0..self.events.len()))?;
        let before = physical(lab)?;
        for at in 0..self.events.len() {
            self.delivered(story, &mut *lab.session, at)?;
        }
        story.forget();
        story.step("every event, then every event again");
        quiet(lab, story, &before)
    }

    /// Markers are forgotten when their retention is over, and not before.
    fn purged(&self, lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
        self.deliver_all(lab, story, &mut (0..self.events.len()))?;
        let book = story.book;
        let retention = book.plan.retention.unwrap_or_default();
        let clock = book.plan.table.columns.iter().find(|column| {
            matches!(column.ty, Type::Timestamptz | Type::Timestamp)
                && column.value == ValueFrom::Load((book.dialect().now)(&column.ty).to_owned())
        });
        let clock = clock.context("no column says when an event was marked")?;
        for (seconds, left) in [(retention / 2, self.events.len()), (retention + retention / 2 + 1, 0)] {
            story.step(format!("{seconds} seconds later, `purge`"));
            let past =
                (book.dialect().shift_back)((book.dialect().now)(&clock.ty), Overlap::Seconds(seconds), &clock.ty);
            let table = lab.applied(&book.plan.table.load.target);
            lab.session.execute(&format!("UPDATE {table} SET {} = {past}", clock.sql))?;
            story.run(&mut *lab.session, "purge", &Event::new())?;
            let marked = lab.state()?.0.first().map_or(0, Vec::len);
            story.expect("how many events are marked", &left, &marked)?;
        }
        Ok(())
    }

    fn at_once(&self, lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
        story.retries = true;
        story.step("two sessions deliver each event at the same moment");
        let had = raced(lab, story, self.events.len(), |_, turn, session, story| self.delivered(story, session, turn))?;
        for (turn, (left, right)) in had[0].iter().zip(&had[1]).enumerate() {
            let times = usize::from(*left) + usize::from(*right);
            story.expect(&format!("how often event {} had its effect", turn + 1), &1, &times)?;
        }
        self.had_once(lab, story)
    }

    /// Kills deliveries at every step, each of another event, and delivers it again.
    fn killed(&self, lab: &mut Lab<'_>, story: &mut Story<'_>, commits: bool) -> Told<()> {
        story.retries = true;
        let points = effects(story.book).count() + 1;
        for at in 0..self.events.len() {
            let dies = at < points;
            if dies {
                let mut dying = lab.open()?;
                story.forget();
                let done = if commits { points } else { at };
                story.step(format!("event {}, killed behind its claim and {} effects", at + 1, done.min(points - 1)));
                story.attempt(&mut *dying, |story, session| {
                    self.half(story, session, at, done)?;
                    if commits { story.commit(session) } else { Ok(()) }
                })?;
                kill(dying)?;
            }
            self.deliver(story, &mut *lab.session, at, !(dies && commits))?;
            self.deliver(story, &mut *lab.session, at, false)?;
        }
        self.had_once(lab, story)
    }
}

/// The effects of events and nothing else, each event in a transaction.
fn run_alone(lab: &mut Lab<'_>, book: &Book<'_>, events: &mut dyn Iterator<Item = &Event>) -> Result<State> {
    lab.reset(&crate::verify::Scenario::nothing().before, &[])?;
    let mut story = Story::new("right", book);
    for event in events {
        story.begin(&mut *lab.session)?;
        for name in effects(book) {
            if let Err(fault) = story.perform(&mut *lab.session, name, event) {
                let _ = lab.session.rollback();
                return Err(fault.context("an effect fails without any marker, too"));
            }
        }
        story.commit(&mut *lab.session)?;
    }
    Ok(of_the_user(&lab.state()?))
}

/// The state without the markers.
pub(super) fn of_the_user(state: &State) -> State {
    let mut state = state.clone();
    if let Some(markers) = state.0.first_mut() {
        markers.clear();
    }
    state
}

/// Events with made-up keys. A value that is given for a parameter stands in it, several in turn.
fn events(book: &Book<'_>, values: &BTreeMap<String, Vec<String>>) -> Result<Vec<Event>> {
    let plan = &book.plan.plan;
    let made = large(plan, ROWS, 1).map_err(|why| anyhow!("no event can be made up: {why}"))?;
    // Each row of bind parameters is a load of its own.
    let rows = made.batches.iter().flatten().flat_map(|staged| staged.rows.iter().map(|row| (row, &staged.columns)));
    let is_key = |name: &str| plan.columns.iter().any(|column| column.key && column.name == name);
    let mut keys: Vec<Vec<Value>> = Vec::new();
    let mut events = Vec::new();
    for (row, columns) in rows {
        let cells = row.iter().zip(columns);
        let key: Vec<Value> =
            cells.clone().filter(|(_, (name, _))| is_key(name)).map(|(value, _)| value.clone()).collect();
        if keys.contains(&key) || key.contains(&Value::Null) {
            continue;
        }
        keys.push(key);
        let mut event: Event = cells.map(|(value, (name, ty))| (name.clone(), book.literal(value, ty))).collect();
        for (name, given) in values {
            let text = &given[events.len() % given.len()];
            let column = plan.columns.iter().find(|column| column.name == *name);
            event.insert(name.clone(), literal(book, column, text)?);
        }
        events.push(event);
    }
    if events.len() < 2 {
        bail!("no two events can be made up");
    }
    Ok(events)
}

/// A text of the user as a literal: of the type of its column where there is one, else a number when it reads as one.
fn literal(book: &Book<'_>, column: Option<&Column>, text: &str) -> Result<String> {
    if let Some(column) = column {
        let value = Value::parse(text, &column.ty).with_context(|| format!("no value of `{}`", column.name))?;
        return Ok(book.literal(&value, &column.ty));
    }
    let quoted = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    Ok(match quoted {
        None if Number::parse(text).is_some() => text.to_owned(),
        quoted => (book.dialect().string)(quoted.unwrap_or(text)),
    })
}
