//! What a trial loads: a target before, and staged rows one batch after the other.

use super::batch::{self, Field};
use super::shape::written;
use super::tables::UNKNOWN;
use crate::diagnostic::Diagnostic;
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};
use crate::plan::{Plan, Staged, ValueFrom};
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
    /// The table's name, part by part.
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
        Staged::Rows | Staged::Parameters => Vec::new(),
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
            all.push(Staging { parts: name.split('.').map(str::to_owned).collect(), columns, rows });
        }
        batches.push(all);
    }
    if batches.is_empty() {
        batches.push(Vec::new());
    }
    Ok(Scenario { name: "the given rows".to_owned(), before, batches })
}

/// Scenarios made up for a plan from a seed.
///
/// # Errors
/// Why none can be made up.
pub fn generated(plan: &Plan, seed: u64) -> Result<Vec<Scenario>, String> {
    let mut fields: Vec<Field> = written(plan)
        .iter()
        .map(|column| Field {
            name: column.name.clone(),
            ty: column.ty.clone(),
            nullable: column.nullable,
            key: column.key,
            version: column.version,
        })
        .collect();
    let targets = fields.len();
    let staged = match &plan.staged {
        Staged::Query(_) => return Err("the source is a query: give rows of the tables that it reads".to_owned()),
        Staged::Table { parts, columns, .. } => {
            for (name, ty) in columns {
                if !fields.iter().any(|field| field.name == *name) {
                    let ty = ty.clone().unwrap_or(UNKNOWN);
                    fields.push(Field { name: name.clone(), ty, nullable: true, key: false, version: false });
                }
            }
            Some((parts, columns))
        }
        Staged::Rows | Staged::Parameters => None,
    };
    let place = |name: &str| fields.iter().position(|field| field.name == name).unwrap_or(usize::MAX);
    let typed = |at: usize| (fields[at].name.clone(), fields[at].ty.clone());
    let words = words(plan);
    let made = batch::scenarios(&fields, seed);
    Ok(made
        .into_iter()
        .map(|made| {
            let before = batch::Batch {
                columns: (0..targets).map(typed).collect(),
                rows: made.before.iter().map(|row| row[..targets].to_vec()).collect(),
            };
            let batches = made
                .batches
                .iter()
                .map(|rows| {
                    let Some((parts, columns)) = &staged else { return Vec::new() };
                    let places: Vec<usize> = columns.iter().map(|(name, _)| place(name)).collect();
                    let rows = rows
                        .iter()
                        .enumerate()
                        .map(|(number, row)| {
                            let cell = |at: &usize| if *at < targets { row[*at].clone() } else { word(&words, number) };
                            places.iter().map(cell).collect()
                        })
                        .collect();
                    vec![Staging {
                        parts: (*parts).clone(),
                        columns: places.iter().map(|at| typed(*at)).collect(),
                        rows,
                    }]
                })
                .collect();
            Scenario { name: made.name.to_owned(), before, batches }
        })
        .collect())
}

/// The texts that the expressions of a plan compare with, so that made-up rows meet them: the `D` of `op = 'D'`.
fn words(plan: &Plan) -> Vec<String> {
    let expressions = plan.load.batch.items.iter().filter(|item| !item.plain).map(|item| item.value.as_str());
    let constants = plan.columns.iter().filter_map(|column| match &column.value {
        ValueFrom::Staged(value) => Some(value.as_str()),
        _ => None,
    });
    let mut words: Vec<String> = expressions
        .chain(constants)
        .flat_map(|text| text.split('\'').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| !word.is_empty())
        .collect();
    words.sort();
    words.dedup();
    words
}

/// The value of a column that only an expression names.
fn word(words: &[String], number: usize) -> Value {
    match (number % 3, words.is_empty()) {
        (0, false) => Value::from(words[number / 3 % words.len()].as_str()),
        (1, _) => Value::from("other"),
        _ => Value::Null,
    }
}
