//! One load on one engine: run, run again, and compared with the reference model after every run.

use super::batch::{self, inserts};
use super::model::{self, Shape};
use super::scenario::Scenario;
use super::shape::{shape, window_of, written};
use super::tables;
use crate::dialect::Dialect;
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};
use crate::engine::{Engine, TableName};
use crate::plan::{Column, Plan, Staged};
use crate::sql::bind::bind;
use anyhow::{Context as _, Result, bail};

/// What happened to one load on one engine in one scenario.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What the scenario is about.
    pub scenario: String,
    /// The loads, in order.
    pub loads: Vec<Load>,
    /// The columns that the load writes from staged rows, in the order of the spec.
    pub columns: Vec<String>,
    /// The target's rows after the last run, of those columns, sorted.
    pub rows: Vec<Row>,
}

/// One batch: its first run and the identical runs behind it.
#[derive(Clone, Debug)]
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

/// A promise that a run broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// G1: a row is another after an identical run.
    Rerun(String),
    /// G2: an identical run wrote to the target.
    Quiet(String),
    /// G3: the rows are not those of the model.
    Right(String),
}

impl Fault {
    /// The name of the guarantee that is broken.
    pub fn guarantee(&self) -> &'static str {
        match self {
            Self::Rerun(_) => "rerun",
            Self::Quiet(_) => "quiet",
            Self::Right(_) => "right",
        }
    }
}

/// How often each batch is run.
const RUNS: usize = 3;

/// Runs the SQL of a plan in a scenario. The engine must be empty: tables are made in it.
///
/// `sql` is the rendered text. Bind parameters get the values of a staged row.
///
/// # Errors
/// When the engine refuses a statement, with the statement, or when the plan cannot be tried without more input.
pub fn run(plan: &Plan, sql: &str, scenario: &Scenario, engine: &mut dyn Engine) -> Result<Trial> {
    let shape = shape(plan).map_err(anyhow::Error::msg)?;
    let first = scenario.batches.first().map_or(&[][..], Vec::as_slice);
    for schema in tables::schemas(plan, first) {
        engine.create_schema(&schema)?;
    }
    execute(engine, &tables::target(plan))?;
    for staging in first {
        execute(engine, &tables::staged(plan.dialect, staging))?;
    }
    fill(engine, plan.dialect, &plan.load.target, &scenario.before)?;
    let mut trial = Trial { scenario: scenario.name.clone(), loads: Vec::new(), columns: Vec::new(), rows: Vec::new() };
    for staging in &scenario.batches {
        for staged in staging {
            let path = tables::path(plan.dialect, &staged.parts);
            execute(engine, &format!("DELETE FROM {path}"))?;
            let rows = batch::Batch { columns: staged.columns.clone(), rows: staged.rows.clone() };
            fill(engine, plan.dialect, &path, &rows)?;
        }
        trial.loads.push(load(plan, &shape, sql, engine)?);
    }
    let staged: Vec<&Column> = plan.columns.iter().filter(|column| column.is_staged()).collect();
    trial.columns = staged.iter().map(|column| column.name.clone()).collect();
    trial.rows = target_rows(plan, &staged, engine)?;
    trial.rows.sort();
    Ok(trial)
}

/// The target's rows, of these columns.
fn target_rows(plan: &Plan, columns: &[&Column], engine: &mut dyn Engine) -> Result<Vec<Row>> {
    let names: Vec<&str> = columns.iter().map(|column| column.sql.as_str()).collect();
    let types: Vec<Type> = columns.iter().map(|column| column.ty.clone()).collect();
    engine.query(&format!("SELECT {} FROM {}", names.join(", "), plan.load.target))?.typed(&types)
}

/// One batch, run several times.
fn load(plan: &Plan, shape: &Shape, sql: &str, engine: &mut dyn Engine) -> Result<Load> {
    let written = written(plan);
    let types: Vec<Type> = written.iter().map(|column| column.ty.clone()).collect();
    let names: Vec<&str> = written.iter().map(|column| column.sql.as_str()).collect();
    let table = TableName { schema: plan.schema.as_deref(), name: &plan.name };
    let sql = bound(plan, sql)?;
    let mut runs = Vec::new();
    for number in 0..RUNS {
        let before = target_rows(plan, &written, engine)?;
        let physical = engine.physical(table)?;
        let staged = staged_rows(plan, shape, &before, engine)?;
        let clock = clock(plan, &types, engine)?;
        engine.run_script(&sql).with_context(|| format!("the engine refused this SQL:\n{sql}"))?;
        let after = target_rows(plan, &written, engine)?;
        let writes = engine.physical(table)?.since(&physical);
        let mut run = counted(shape, &before, &after);
        run.is_quiet = writes.is_quiet();
        run.writes = writes.to_string();
        run.session.clone_from(&writes.session);
        if number > 0 && run.inserted + run.updated + run.deleted > 0 {
            run.faults.push(Fault::Rerun(differing(&names, &before, &after)));
        }
        if number > 0 && promised(plan, "quiet") && !writes.is_quiet() {
            run.faults.push(Fault::Quiet(writes.to_string()));
        }
        let expected = model::apply(shape, &before, &staged);
        if let Some(fault) = unlike(&names, &clock, &expected, &after) {
            run.faults.push(Fault::Right(fault));
        }
        runs.push(run);
    }
    Ok(Load { runs })
}

/// Whether the plan gives a promise.
fn promised(plan: &Plan, name: &str) -> bool {
    plan.promises.iter().any(|promise| promise.guarantee.name == name && promise.given)
}

/// The staged rows as the plan projects them, before it filters and reduces them.
fn staged_rows(plan: &Plan, shape: &Shape, target: &[Row], engine: &mut dyn Engine) -> Result<Vec<Row>> {
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
        .enumerate()
        // In a bare batch the items are columns of b; the numbered names keep the engine from merging equal ones.
        .map(|(at, item)| format!("{} AS c{at}", if batch.bare { item.replacen("s.", "b.", 1) } else { item.clone() }))
        .collect();
    let filter = plan.staged_filter.as_ref().map(|filter| format!(" WHERE {filter}")).unwrap_or_default();
    let query = format!("SELECT {} FROM {}{filter}", items.join(", "), batch.source);
    let query = bound(plan, &query.replace(crate::plan::LINE_END, "\n"))?;
    let mut rows =
        engine.query(&query).with_context(|| format!("cannot read the staged rows:\n{query}"))?.typed(&types)?;
    if let Some(deletes) = shape.deletes.filter(|deletes| deletes.hard) {
        for row in &mut rows {
            row[deletes.cell] = Value::Bool(row[deletes.cell] == Value::from(1));
        }
    }
    if plan.strategy.replaces && !plan.group.is_empty() {
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

/// The SQL with a value for every bind parameter.
fn bound(plan: &Plan, sql: &str) -> Result<String> {
    if !matches!(plan.staged, Staged::Parameters) {
        return Ok(sql.to_owned());
    }
    let staged: Vec<_> = plan.columns.iter().filter(|column| column.is_staged()).collect();
    let value = |number: usize| {
        let column = staged.get(number)?;
        let text = match &column.ty {
            ty if ty.is_integer() => "7",
            Type::Bool => "true",
            Type::Date => "2024-05-01",
            Type::Timestamp => "2024-05-01 10:00:00",
            Type::Timestamptz => "2024-05-01T10:00:00Z",
            Type::Uuid => "00000000-0000-4000-8000-000000000001",
            Type::Json => "{\"a\": [1, \"it's\"]}",
            Type::Bytes => "0x00ff",
            Type::Time => "10:00:00",
            Type::Decimal { .. } | Type::Real | Type::Double => "1.5",
            _ => "it's 東京",
        };
        let value = Value::parse(text, &column.ty).ok()?;
        Some(plan.dialect.literal(&value.literal(&column.ty)?, &column.ty))
    };
    bind(sql, plan.dialect, &value).map_err(|fault| anyhow::anyhow!("cannot bind the parameters: {}", fault.message))
}

/// Counts what one run did, by key.
fn counted(shape: &Shape, before: &[Row], after: &[Row]) -> Run {
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
fn clock(plan: &Plan, types: &[Type], engine: &mut dyn Engine) -> Result<Row> {
    let times: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(at, ty)| match ty {
            Type::Date | Type::Timestamp | Type::Timestamptz => format!("{} AS c{at}", (plan.dialect.now)(ty)),
            _ => format!("NULL AS c{at}"),
        })
        .collect();
    let rows = engine.query(&format!("SELECT {}", times.join(", ")))?.typed(types)?;
    Ok(rows.into_iter().next().unwrap_or_default())
}

/// The first difference between what the model and the engine made of the same rows.
fn unlike(names: &[&str], clock: &Row, expected: &[Row], found: &[Row]) -> Option<String> {
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
    let line = |mark: &str, row: &Row| format!("{mark} {}", shown(names, row));
    let lines: Vec<String> =
        missing.iter().map(|row| line("-", row)).chain(left.iter().map(|row| line("+", row))).take(8).collect();
    Some(format!("rows (- expected, + found):\n{}", lines.join("\n")))
}

/// The rows that an identical run changed.
fn differing(names: &[&str], before: &[Row], after: &[Row]) -> String {
    let gone = before.iter().filter(|row| !after.contains(row)).map(|row| format!("- {}", shown(names, row)));
    let new = after.iter().filter(|row| !before.contains(row)).map(|row| format!("+ {}", shown(names, row)));
    gone.chain(new).take(8).collect::<Vec<_>>().join("\n")
}

/// A row for people.
fn shown(names: &[&str], row: &Row) -> String {
    names.iter().zip(row).map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

fn fill(engine: &mut dyn Engine, dialect: &Dialect, table: &str, rows: &batch::Batch) -> Result<()> {
    for insert in inserts(dialect, table, &rows.columns, &rows.rows) {
        execute(engine, &insert)?;
    }
    Ok(())
}

fn execute(engine: &mut dyn Engine, sql: &str) -> Result<()> {
    if sql.is_empty() {
        bail!("there is no statement to run");
    }
    engine.run_script(sql).with_context(|| format!("the engine refused:\n{sql}"))
}
