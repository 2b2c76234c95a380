//! G1, G2 and G3: a load, the identical runs behind it, and the reference model beside each.

use super::lab::{Lab, State, parameters, shown};
use super::model::{self, Shape};
use super::scenario::{Scenario, Staging};
use super::shape::{shape, window_of};
use super::subject::Subject;
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};
use crate::engine::{Physical, TableName, Writes};
use crate::plan::{LINE_END, Plan};
use anyhow::{Context as _, Result};

/// What happened to one load on one engine in one scenario.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What the scenario is about.
    pub scenario: String,
    /// The loads, in order.
    pub loads: Vec<Load>,
    /// The columns of the first target that the load writes from staged rows, in the order of the spec.
    pub columns: Vec<String>,
    /// The rows of the first target after the last run, of those columns, sorted.
    pub rows: Vec<Row>,
}

/// One batch: its first run and the identical runs behind it.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// The runs; the first is the load, the others must change nothing.
    pub runs: Vec<Run>,
}

/// One run of the SQL.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Keys that are new.
    pub inserted: usize,
    /// Keys whose row is another.
    pub updated: usize,
    /// Keys that are gone.
    pub deleted: usize,
    /// Keys whose row is the same.
    pub unchanged: usize,
    /// True when nothing was written to the target, by the engine's own count.
    pub is_quiet: bool,
    /// What was written.
    pub writes: String,
    /// Growth of the counters of the whole session or server, such as bytes of the log. Other sessions count too.
    pub session: Vec<(&'static str, u64)>,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// A guarantee that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name of the guarantee.
    pub guarantee: &'static str,
    /// What was done, in words.
    pub steps: String,
    /// What came of it: rows, writes or the engine's message.
    pub found: String,
}

impl Fault {
    /// A fault.
    pub fn new(guarantee: &'static str, steps: impl Into<String>, found: impl Into<String>) -> Self {
        Self { guarantee, steps: steps.into(), found: found.into() }
    }
}

/// How often each batch is run. The last run is in a session of another time zone.
const RUNS: usize = 3;

/// That other zone, in hours east of Greenwich: far enough for another day.
const ELSEWHERE: i8 = 9;

/// Runs every batch of a scenario several times, and compares.
///
/// # Errors
/// When the tables cannot be made or read, and when the plan cannot be tried without more input. What the engine says of
/// the load itself is a fault.
pub fn trial(lab: &mut Lab<'_>, scenario: &Scenario) -> Result<Trial> {
    let shape = lab.subject.plan.as_ref().map(shape).transpose().map_err(anyhow::Error::msg)?;
    let first = scenario.batches.first().map_or(&[][..], Vec::as_slice);
    lab.reset(&scenario.before, first)?;
    let mut trial = Trial { scenario: scenario.name.clone(), loads: Vec::new(), columns: Vec::new(), rows: Vec::new() };
    for staging in &scenario.batches {
        lab.stage(staging)?;
        let load = load(lab, shape.as_ref(), staging)?;
        let failed = load.runs.iter().any(|run| !run.faults.is_empty());
        trial.loads.push(load);
        if failed {
            break;
        }
    }
    if let Some(target) = lab.subject.targets.first() {
        let staged: Vec<usize> = (0..target.columns.len()).filter(|at| !target.columns[*at].volatile).collect();
        trial.columns = staged.iter().map(|at| target.columns[*at].name.clone()).collect();
        let rows = lab.state()?.0.into_iter().next().unwrap_or_default();
        trial.rows = rows.iter().map(|row| staged.iter().map(|at| row[*at].clone()).collect()).collect();
        trial.rows.sort();
    }
    Ok(trial)
}

/// One batch, run several times.
fn load(lab: &mut Lab<'_>, shape: Option<&Shape>, staging: &[Staging]) -> Result<Load> {
    let subject = lab.subject;
    let scripts = lab.scripts(staging)?;
    let mut load = Load::default();
    for number in 0..RUNS {
        let before = lab.state()?;
        let physical = physical(lab)?;
        let expected = match (shape, &subject.plan) {
            (Some(shape), Some(plan)) => Some((expected(lab, plan, shape, staging, &before)?, clock(lab, plan)?)),
            _ => None,
        };
        let zone = number + 1 == RUNS;
        if zone {
            lab.session.use_time_zone(ELSEWHERE)?;
        }
        let outcome = scripts.iter().try_for_each(|script| lab.run(script));
        if zone {
            lab.session.use_time_zone(0)?;
        }
        let steps = match number {
            0 => "the first run".to_owned(),
            _ if zone => format!("run {}, in another time zone", number + 1),
            _ => format!("run {}", number + 1),
        };
        if let Err(message) = outcome {
            let guarantee = if number == 0 { "right" } else { "rerun" };
            let found = format!("the engine refused the load: {message}");
            load.runs.push(Run { faults: vec![Fault::new(guarantee, steps, found)], ..Run::default() });
            break;
        }
        let after = lab.state()?;
        let writes = writes(lab, &physical)?;
        let mut run = shape.map_or_else(Run::default, |shape| counted(shape, &before.0[0], &after.0[0]));
        run.is_quiet = writes.iter().all(Writes::is_quiet);
        run.writes = writes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        run.session = writes.first().map(|writes| writes.session.clone()).unwrap_or_default();
        if number > 0 && subject.promises("rerun") && before != after {
            run.faults.push(Fault::new("rerun", steps.clone(), before.difference(&after, subject, false)));
        }
        if number > 0 && subject.promises("quiet") && !run.is_quiet {
            run.faults.push(Fault::new("quiet", steps.clone(), run.writes.clone()));
        }
        if let Some((expected, clock)) = expected
            && let Some(found) = unlike(subject, &clock, &expected, &after.0[0])
        {
            run.faults.push(Fault::new("right", steps, found));
        }
        load.runs.push(run);
    }
    Ok(load)
}

/// What is stored of each target.
fn physical(lab: &mut Lab<'_>) -> Result<Vec<Physical>> {
    let subject = lab.subject;
    let read = |target: &super::subject::Target| {
        // A name without a schema is the session's to find.
        let schema = target.table.schema.as_ref().map(|_| lab.schema(&target.table));
        lab.session.physical(TableName { schema: schema.as_deref(), name: &target.table.name })
    };
    subject.targets.iter().map(read).collect()
}

/// What was written to each target since.
fn writes(lab: &mut Lab<'_>, before: &[Physical]) -> Result<Vec<Writes>> {
    Ok(physical(lab)?.iter().zip(before).map(|(now, then)| now.since(then)).collect())
}

/// The target's rows that the model makes of what is staged.
pub(super) fn expected(
    lab: &mut Lab<'_>,
    plan: &Plan,
    shape: &Shape,
    staging: &[Staging],
    before: &State,
) -> Result<Vec<Row>> {
    let mut rows = before.0[0].clone();
    let mut shape = scoped(lab, plan, shape, &rows)?;
    // The second column of the log is the batch.
    let mut notes = before.0.iter().skip(1).flatten().filter_map(|note| note.get(1));
    match &mut shape.strategy {
        model::Strategy::BatchOnce { logged, .. } => *logged = notes.cloned().collect(),
        model::Strategy::ContentOnce { is_logged } => {
            let digest = content_digest(lab, plan)?;
            *is_logged = notes.any(|note| *note == digest);
        }
        _ => {}
    }
    let shape = &shape;
    match parameters(staging) {
        None => {
            let staged = staged_rows(lab, plan, shape, &rows, None)?;
            rows = model::apply(shape, &rows, &staged);
        }
        Some(all) => {
            for row in &all.rows {
                let staged = staged_rows(lab, plan, shape, &rows, Some((&all.columns, row)))?;
                rows = model::apply(shape, &rows, &staged);
            }
        }
    }
    Ok(rows)
}

/// What the engine calls the staged rows in the log of batches.
fn content_digest(lab: &mut Lab<'_>, plan: &Plan) -> Result<Value> {
    let (load, as_word) = (&plan.load, &plan.load.as_word);
    let content = load.once.as_ref().and_then(|once| once.content.as_ref()).context("no content names a batch")?;
    let items: Vec<String> = load.batch.items.iter().map(|item| format!("{} AS {}", item.value, item.name)).collect();
    let staged = format!("(SELECT {} FROM {}) {as_word}{}", items.join(", "), load.batch.source, load.names.b);
    let rows = format!("(SELECT {} AS {} FROM {staged}) {as_word}{}", content.of_row, content.row, load.names.w);
    let query = format!("SELECT {} AS c0 FROM {rows}", content.value).replace(LINE_END, "\n");
    let rows = lab.query(&query).context("cannot read the digest of the staged rows")?.typed(&[Type::Text])?;
    Ok(rows.into_iter().flatten().next().unwrap_or(Value::Null))
}

/// The shape with the target rows of its scope, which is a predicate in SQL.
fn scoped(lab: &mut Lab<'_>, plan: &Plan, shape: &Shape, target: &[Row]) -> Result<Shape> {
    let mut shape = shape.clone();
    if let model::Strategy::Mirror { scope, .. } = &mut shape.strategy {
        *scope = match plan.missing.as_ref().and_then(|missing| missing.scope.as_ref()) {
            None => target.to_vec(),
            Some(predicate) => lab.rows_where(predicate, &plan.load.names.o)?,
        };
    }
    Ok(shape)
}

/// The staged rows as the plan projects them, before it filters and reduces them. `parameters` is the row that is bound.
fn staged_rows(
    lab: &mut Lab<'_>,
    plan: &Plan,
    shape: &Shape,
    target: &[Row],
    parameters: Option<(&[(String, Type)], &Row)>,
) -> Result<Vec<Row>> {
    let batch = &plan.load.batch;
    let mut items: Vec<String> = batch.items.iter().map(|item| item.value.clone()).collect();
    let mut types: Vec<Type> = batch
        .items
        .iter()
        .map(|item| {
            plan.columns.iter().find(|column| column.sql == item.name).map_or(Type::Int, |column| column.ty.clone())
        })
        .collect();
    if let Some(window) = &plan.window {
        items.push(window.staged.clone());
        types.push(plan.columns[window.column].ty.clone());
    }
    let items: Vec<String> = items
        .iter()
        .zip(&types)
        .enumerate()
        // In a bare batch the items are columns of b; the numbered names keep the engine from merging equal ones.
        .map(|(at, (item, ty))| {
            let item = if batch.bare { item.replacen("s.", "b.", 1) } else { item.clone() };
            format!("{} AS c{at}", (plan.dialect.shown)(&item, ty))
        })
        .collect();
    let filter = plan.staged_filter.as_ref().map(|filter| format!(" WHERE {filter}")).unwrap_or_default();
    let mut query = format!("SELECT {} FROM {}{filter}", items.join(", "), batch.source).replace(LINE_END, "\n");
    if let Some((columns, row)) = parameters {
        query = lab.bound(&query, columns, row)?;
    }
    let mut rows = lab.query(&query).context("cannot read the staged rows")?.typed(&types)?;
    if let Some(deletes) = shape.deletes.filter(|deletes| deletes.hard) {
        for row in &mut rows {
            row[deletes.cell] = Value::Bool(row[deletes.cell] == Value::from(1));
        }
    }
    if !plan.group.is_empty() {
        rows = whole_groups(plan, shape, rows, target);
    }
    Ok(rows)
}

/// The rows of every group of which a row is in the window; the model takes all rows that it is given.
fn whole_groups(plan: &Plan, shape: &Shape, rows: Vec<Row>, target: &[Row]) -> Vec<Row> {
    let Some(window) = &plan.window else { return rows };
    let windowed = Shape { window: window_of(plan, window).ok(), ..shape.clone() };
    let group: Vec<usize> = plan
        .group
        .iter()
        .filter_map(|index| plan.load.batch.items.iter().position(|item| item.name == plan.columns[*index].sql))
        .collect();
    let of = |row: &Row| group.iter().map(|cell| row[*cell].clone()).collect::<Vec<_>>();
    let inside: Vec<Vec<Value>> = rows.iter().filter(|row| model::takes(&windowed, target, row)).map(of).collect();
    rows.into_iter().filter(|row| inside.contains(&of(row))).collect()
}

/// Counts what one run did, by key.
fn counted(shape: &Shape, before: &[Row], after: &[Row]) -> Run {
    if shape.key.is_empty() {
        return Run { inserted: after.len().saturating_sub(before.len()), unchanged: before.len(), ..Run::default() };
    }
    let key = |row: &Row| shape.key.iter().map(|place| row[*place].clone()).collect::<Vec<_>>();
    let old = |row: &Row| before.iter().find(|old| key(old) == key(row));
    let mut run = Run::default();
    for row in after {
        match old(row) {
            None => run.inserted += 1,
            Some(old) if old == row => run.unchanged += 1,
            Some(_) => run.updated += 1,
        }
    }
    run.deleted = before.iter().filter(|old| !after.iter().any(|row| key(row) == key(old))).count();
    run
}

/// What the clock of the engine says before a run, once for each column.
fn clock(lab: &mut Lab<'_>, plan: &Plan) -> Result<Row> {
    let types: Vec<Type> = lab.subject.targets[0].columns.iter().map(|column| column.ty.clone()).collect();
    let times: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(at, ty)| match ty {
            Type::Date | Type::Timestamp | Type::Timestamptz => format!("{} AS c{at}", (plan.dialect.now)(ty)),
            _ => format!("NULL AS c{at}"),
        })
        .collect();
    // Not every engine has a SELECT without FROM, and this is one row in each.
    let alias = plan.dialect.table_alias;
    let one = format!("(SELECT COUNT(*) AS n FROM {}) {alias}one", plan.load.target);
    let rows = lab.query(&format!("SELECT {} FROM {one}", times.join(", ")))?.typed(&types)?;
    Ok(rows.into_iter().next().unwrap_or_default())
}

/// The first differences between what the model and the engine made of the same rows.
fn unlike(subject: &Subject, clock: &Row, expected: &[Row], found: &[Row]) -> Option<String> {
    let names: Vec<&str> = subject.targets[0].columns.iter().map(|column| column.name.as_str()).collect();
    let same = |expected: &Row, found: &Row| {
        expected.iter().zip(found).zip(clock).all(|((expected, value), clock)| match expected {
            Value::Now => value >= clock && !value.is_null(),
            expected => expected == value,
        })
    };
    let mut left: Vec<&Row> = found.iter().collect();
    let mut missing = Vec::new();
    for row in expected {
        match left.iter().position(|found| same(row, found)) {
            Some(at) => drop(left.remove(at)),
            None => missing.push(row),
        }
    }
    if missing.is_empty() && left.is_empty() {
        return None;
    }
    let line = |mark: &str, row: &Row| format!("{mark} {}", shown(&names, row));
    let lines: Vec<String> =
        missing.iter().map(|row| line("-", row)).chain(left.iter().map(|row| line("+", row))).take(8).collect();
    Some(format!("rows (- expected, + found):\n{}", lines.join("\n")))
}
