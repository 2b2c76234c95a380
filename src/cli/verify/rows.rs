//! The rows that a load is tried with: a folder of the user's, and those that are made up.

use super::Faults;
use crate::diagnostic::{Diagnostic, Source};
use crate::import::{self, Column, Key, Relation};
use crate::plan::Plan;
use crate::verify::{Declared, DeclaredColumn, Given, Scenario, Scenarios, Subject, Table, given, source_tables};
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The scenarios of a plan, and why none could be made up. The inner error holds what is wrong with the user's rows.
pub(super) fn scenarios(
    plan: &Plan,
    folder: &Path,
    seed: u64,
    crash_rows: usize,
) -> Result<Result<(Scenarios, Option<String>), Faults>> {
    let own = if folder.is_dir() {
        match given(plan, &read(folder, &source_tables(plan))?) {
            Ok(scenario) => Some(scenario),
            Err(faults) => return Ok(Err(faults)),
        }
    } else {
        None
    };
    Ok(Ok(Scenarios::made(plan, seed, crash_rows, own)))
}

/// The scenarios of SQL of which only the tables are known: the user's rows.
pub(super) fn without_a_plan(subject: &Subject, given: &Given) -> Result<Scenarios, Faults> {
    let scenario = Scenario::of_tables(subject, given)?;
    let several = scenario.batches.len() > 1;
    Ok(Scenarios {
        plain: vec![scenario.clone()],
        commuting: if several { vec![scenario.clone()] } else { Vec::new() },
        large: Some(scenario),
        given: false,
        missing: Some("it needs more than one batch: give `--rows` with batch-1, batch-2".to_owned()),
    })
}

/// The same where the user gave none: what the set-up puts there, and made-up rows for what it leaves empty.
pub(super) fn made_up(
    subject: &Subject,
    source: &Arc<Source>,
    seed: u64,
    crash_rows: usize,
) -> Result<Scenarios, Faults> {
    // What cannot be read of it is nothing that rows can be made for.
    let (relations, _) = import::tables(std::slice::from_ref(source), subject.dialect);
    let declared: Vec<Declared> = relations.iter().map(declared).collect();
    Scenarios::unplanned(subject, &declared, seed, crash_rows).map_err(|faults| {
        let help = "put rows into the table in the set-up, or give them with `--rows`";
        let fault = |what: String| Diagnostic::error("verify-rows", what).help(help).in_source(source);
        faults.into_iter().map(fault).collect()
    })
}

/// A table of the set-up.
fn declared(relation: &Relation) -> Declared {
    let writable = |column: &&Column| !column.generated && column.numbered != Some(true);
    let columns = relation.columns.iter().filter(writable).map(|column| DeclaredColumn {
        name: column.name.clone(),
        ty: relation.type_of(column),
        nullable: !column.not_null,
    });
    let whole = |key: &Key| if key.partial { None } else { key.columns.iter().cloned().collect::<Option<Vec<_>>>() };
    Declared {
        table: Table { schema: relation.schema.clone(), name: relation.name.clone() },
        columns: columns.collect(),
        keys: relation.keys.iter().filter_map(whole).collect(),
    }
}

/// Reads a folder of rows: `before.csv`, and `batch-1`, `batch-2`.. with a file for each staged table.
fn read(folder: &Path, tables: &[String]) -> Result<Given> {
    let mut given = Given { before: text(&folder.join("before.csv"))?, batches: Vec::new() };
    for batch in batches(folder) {
        let mut staged = BTreeMap::new();
        for table in tables {
            let file = batch.join(format!("{table}.csv"));
            let text =
                text(&file)?.with_context(|| format!("there is no {}, which the source reads", file.display()))?;
            staged.insert(table.clone(), text);
        }
        given.batches.push(staged);
    }
    Ok(given)
}

/// The same when nobody says which tables are staged: every file of a batch is one.
pub(super) fn read_any(folder: &Path) -> Result<Given> {
    let mut given = Given { before: text(&folder.join("before.csv"))?, batches: Vec::new() };
    for batch in batches(folder) {
        let mut staged = BTreeMap::new();
        let entries = fs::read_dir(&batch).with_context(|| format!("cannot read {}", batch.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".csv"));
            if let Some(name) = name {
                staged.insert(name.to_owned(), text(&path)?.unwrap_or_default());
            }
        }
        given.batches.push(staged);
    }
    Ok(given)
}

/// The folders of the batches, in order.
fn batches(folder: &Path) -> impl Iterator<Item = PathBuf> {
    (1..).map(move |number| folder.join(format!("batch-{number}"))).take_while(|batch| batch.is_dir())
}

/// A file's text; none when it is not there.
fn text(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(fault).with_context(|| format!("cannot read {}", path.display())),
    }
}
