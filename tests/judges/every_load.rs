//! Writes every fixture by every strategy in every dialect, and the tables that each load needs, for the second readers.
//!
//! `cargo run --example every_load -- FOLDER` makes `FOLDER/<case>/<strategy>.<dialect>.sql` and, beside them,
//! `tables.<dialect>.sql`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)]
#[path = "../it/support.rs"]
mod support;

use idemsql::dialect::{self, Dialect};
use idemsql::plan::{Plan, plan};
use idemsql::render::render;
use idemsql::strategy;
use idemsql::verify::{Given, given, source_tables, tables};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use support::{cases, spec};

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("usage: every_load FOLDER"));
    for case in cases("fixtures/load") {
        fs::create_dir_all(folder.join(&case)).unwrap();
        for dialect in dialect::ALL {
            for (name, text) in files(&case, dialect) {
                fs::write(folder.join(&case).join(format!("{name}.{}.sql", dialect.name)), text).unwrap();
            }
        }
    }
}

/// The files of one case in one dialect: a strategy that is refused for any of its tables has none.
fn files(case: &str, dialect: &'static Dialect) -> BTreeMap<&'static str, String> {
    let mut files = BTreeMap::new();
    let mut needed = BTreeSet::new();
    for strategy in strategy::ALL {
        let mut texts = Vec::new();
        for table in spec(case).tables() {
            let made = table.for_dialect(dialect.name).and_then(|table| plan(&table, dialect, Some(strategy)));
            let Ok(plan) = made else { continue };
            needed.extend(statements(case, &plan));
            texts.push(render(&plan, &[]).unwrap_or_else(|fault| panic!("{case}: {}", fault.message)));
        }
        if !texts.is_empty() {
            files.insert(strategy.name, texts.join("\n"));
        }
    }
    if !needed.is_empty() {
        files.insert("tables", needed.into_iter().map(|statement| format!("{statement};\n")).collect());
    }
    files
}

/// The statements that make the tables of a load. What a query reads has the columns of the case's own rows.
fn statements(case: &str, plan: &Plan) -> Vec<String> {
    let rows = Path::new("fixtures/load").join(case).join("rows/batch-1");
    let read = |table: String| fs::read_to_string(rows.join(format!("{table}.csv"))).map(|text| (table, text)).unwrap();
    let batch = source_tables(plan).into_iter().map(read).collect();
    let scenario = given(plan, &Given { before: None, batches: vec![batch] })
        .unwrap_or_else(|faults| panic!("{case}: {faults:#?}"));
    // Bind parameters have no table.
    let staged = scenario.batches[0].iter().filter(|staging| !staging.parts.is_empty());
    let staged = staged.map(|staging| tables::staged(plan.dialect, staging));
    let log = Some(tables::log(plan)).filter(|log| !log.is_empty());
    std::iter::once(tables::target(plan)).chain(log).chain(staged).collect()
}
