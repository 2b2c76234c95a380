//! What a trial loads: a target before, and staged rows one batch after the other.

use super::batch;
use super::layout::Layout;
use super::names::Table;
use super::subject::Subject;
use super::tables::UNKNOWN;
use crate::diagnostic::Diagnostic;
use crate::dialect::types::Type;
use crate::engine::value::Row;
use crate::plan::{Plan, Staged};
use crate::sql::expression::tables_read;
use std::collections::BTreeMap;

/// A target and the batches that are loaded into it.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is about.
    pub name: String,
    /// The target before: rows of these columns.
    pub before: batch::Batch,
    /// The batches: for each the staged tables.
    pub batches: Vec<Vec<Staging>>,
}

/// The rows of one staged table.
#[derive(Clone, Debug)]
pub struct Staging {
    /// The table's name, part by part; no part for rows of bind parameters.
    pub parts: Vec<String>,
    /// Its columns.
    pub columns: Vec<(String, Type)>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// The rows of a user, as texts of CSV files.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The target before; empty for an empty one.
    pub before: Option<String>,
    /// For each batch the staged tables: name and text.
    pub batches: Vec<BTreeMap<String, String>>,
}

/// The staged tables that a plan reads, each by its name as the spec or the query spells it.
pub fn source_tables(plan: &Plan) -> Vec<String> {
    match &plan.staged {
        Staged::Table { parts, .. } => vec![parts.join(".")],
        Staged::Query(text) => tables_read(text, plan.dialect).unwrap_or_default(),
        // A load that takes bind parameters is run once for each row of them.
        Staged::Parameters => vec![PARAMETERS.to_owned()],
        Staged::Rows => Vec::new(),
    }
}

/// What stands for a table where the rows are those of bind parameters.
const PARAMETERS: &str = "parameters";

/// The staged tables that a plan reads, part by part.
pub(super) fn source_paths(plan: &Plan) -> Vec<Vec<String>> {
    match &plan.staged {
        Staged::Parameters | Staged::Rows => Vec::new(),
        _ => source_tables(plan).iter().map(|name| name.split('.').map(str::to_owned).collect()).collect(),
    }
}

impl Scenario {
    /// The empty one: an empty target, and nothing staged.
    pub fn nothing() -> Self {
        let before = batch::Batch { columns: Vec::new(), rows: Vec::new() };
        Self { name: "nothing".to_owned(), before, batches: vec![Vec::new()] }
    }

    /// The scenario of a user's rows in tables of which no plan says anything.
    ///
    /// # Errors
    /// Every fault of the CSV files. A column needs its type in the header: `id:bigint`.
    pub fn of_tables(subject: &Subject, given: &Given) -> Result<Self, Vec<Diagnostic>> {
        let mut made = Self::nothing();
        "the given rows".clone_into(&mut made.name);
        made.batches.clear();
        if let Some(text) = &given.before {
            made.before = batch::read(text, &[])?;
        }
        for tables in &given.batches {
            let mut all = Vec::new();
            for (name, text) in tables {
                let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
                let table = Table::of(&parts);
                if !subject.tables.contains(&table) && subject.targets.iter().all(|target| target.table != table) {
                    let what = format!("the set-up makes no table `{name}`, of which there are rows");
                    return Err(vec![Diagnostic::error("rows-csv", what)]);
                }
                let batch::Batch { columns, rows } = batch::read(text, &[])?;
                all.push(Staging { parts, columns, rows });
            }
            made.batches.push(all);
        }
        if made.batches.is_empty() {
            made.batches.push(Vec::new());
        }
        Ok(made)
    }
}

/// The scenario of a user's own rows.
///
/// # Errors
/// Every fault of the CSV files.
pub fn given(plan: &Plan, given: &Given) -> Result<Scenario, Vec<Diagnostic>> {
    let columns: Vec<(String, Type)> =
        plan.columns.iter().map(|column| (column.name.clone(), column.ty.clone())).collect();
    let before = match &given.before {
        Some(text) => batch::read(text, &columns)?,
        None => batch::Batch { columns: Vec::new(), rows: Vec::new() },
    };
    let known: Vec<(String, Type)> = match &plan.staged {
        Staged::Table { columns, .. } => {
            columns.iter().map(|(name, ty)| (name.clone(), ty.clone().unwrap_or(UNKNOWN))).collect()
        }
        _ => columns,
    };
    let mut batches = Vec::new();
    for tables in &given.batches {
        let mut all = Vec::new();
        for (name, text) in tables {
            let batch::Batch { columns, rows } = batch::read(text, &known)?;
            let parts = if matches!(plan.staged, Staged::Parameters) {
                Vec::new()
            } else {
                name.split('.').map(str::to_owned).collect()
            };
            all.push(Staging { parts, columns, rows });
        }
        batches.push(all);
    }
    if batches.is_empty() {
        batches.push(Vec::new());
    }
    Ok(Scenario { name: "the given rows".to_owned(), before, batches: batches.into_iter().flat_map(loads).collect() })
}

/// A batch as loads: each row of bind parameters is one.
pub(super) fn loads(batch: Vec<Staging>) -> Vec<Vec<Staging>> {
    match batch.as_slice() {
        [rows] if rows.parts.is_empty() => {
            let one = |row: &Row| vec![Staging { rows: vec![row.clone()], ..rows.clone() }];
            rows.rows.iter().map(one).collect()
        }
        _ => vec![batch],
    }
}

/// Scenarios made up for a plan from a seed: whatever a load can get wrong.
///
/// # Errors
/// Why none can be made up.
pub fn generated(plan: &Plan, seed: u64) -> Result<Vec<Scenario>, String> {
    let layout = Layout::of(plan)?;
    let mut all: Vec<Scenario> =
        batch::scenarios(&layout.fields, seed).into_iter().map(|made| layout.scenario(made)).collect();
    if matches!(plan.staged, Staged::Rows) {
        // What is staged stands in the SQL, so that targets alone differ.
        let mut seen = Vec::new();
        all.retain(|scenario| {
            !seen.contains(&scenario.before.rows) && {
                seen.push(scenario.before.rows.clone());
                true
            }
        });
    }
    Ok(all)
}

/// Scenarios whose batches may be loaded in any order and again, and whose end must be the same each time when the load
/// promises that: no two rows of one key and one version differ, and every row lies inside the window whatever was loaded
/// before. A row lies at the very beginning of the window.
///
/// # Errors
/// Why none can be made up.
pub fn commuting(plan: &Plan, seed: u64) -> Result<Vec<Scenario>, String> {
    let layout = Layout::of(plan)?;
    layout.is_plain()?;
    Ok(batch::commuting(&layout.fields, seed).into_iter().map(|made| layout.scenario(made)).collect())
}

/// One batch of so many rows over half as many keys, of which the target has every second one.
///
/// # Errors
/// Why it cannot be made up.
pub fn large(plan: &Plan, rows: usize, seed: u64) -> Result<Scenario, String> {
    let layout = Layout::of(plan)?;
    Ok(layout.scenario(batch::large(&layout.fields, rows, seed)))
}
