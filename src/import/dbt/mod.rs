//! Incremental models of a dbt project: what its manifest says of them, as relations.

mod jinja;
mod lost;
mod manifest;
mod model;
mod names;
mod select;
mod window;

pub use self::manifest::{Catalog, Manifest};

use super::relation::Relation;
use crate::diagnostic::{Diagnostic, nearest};
use crate::dialect;
use manifest::Node;
use std::collections::HashMap;

/// What the tests of a project say of one model.
#[derive(Default)]
struct Tests {
    /// Columns that are tested to be not null.
    not_null: Vec<String>,
    /// Keys that are tested to be unique.
    unique: Vec<Vec<String>>,
}

/// The incremental models, those of `select` alone when it names any.
///
/// The error says why nothing of the manifest can be read.
pub fn models(
    manifest: &Manifest,
    catalog: &Catalog,
    select: &[String],
) -> Result<(Vec<Relation>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let adapter = manifest.metadata.adapter_type.as_deref().unwrap_or_default();
    let Some((dialect, adapter)) = dialect::of_adapter(adapter) else {
        let fault =
            Diagnostic::error("import-dbt-adapter", format!("the adapter `{adapter}` speaks no dialect of ours"));
        let known = dialect::ALL.iter().flat_map(|dialect| dialect.adapters()).map(|adapter| adapter.name);
        return Err(vec![fault.help(format!("use the manifest of one of {}", known.collect::<Vec<_>>().join(", ")))]);
    };
    let mut notes = Vec::new();
    let version = &manifest.metadata.dbt_schema_version;
    if !version.ends_with("/v12.json") {
        let message = format!("the manifest is not of schema v12, but of `{version}`: what it says may be misread");
        notes.push(
            Diagnostic::warning("import-dbt-version", message).help("make it with dbt 1.8 or newer: `dbt parse`"),
        );
    }
    let incremental =
        |node: &&(String, Node)| node.1.resource_type == "model" && node.1.text("materialized") == Some("incremental");
    let mut chosen: Vec<&(String, Node)> = manifest.nodes.iter().filter(incremental).collect();
    // The manifest has them in the order in which its readers were done.
    chosen.sort_by(|one, other| one.0.cmp(&other.0));
    let faults: Vec<Diagnostic> = select
        .iter()
        .filter(|name| !chosen.iter().any(|(_, node)| node.name == **name))
        .map(|name| {
            let fault = Diagnostic::error("import-dbt-select", format!("there is no incremental model `{name}`"));
            match nearest(name, chosen.iter().map(|(_, node)| node.name.as_str())) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            }
        })
        .collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    let tests = tests(manifest);
    let names = names::Relations::new(manifest);
    let mut relations = Vec::new();
    for (id, node) in chosen {
        if !select.is_empty() && !select.contains(&node.name) {
            continue;
        }
        let none = Tests::default();
        let model = model::Model {
            node,
            dialect,
            adapter,
            tests: tests.get(id.as_str()).unwrap_or(&none),
            catalog: catalog.nodes.get(id),
            names: &names,
        };
        relations.push(model.relation(&mut notes));
    }
    if relations.is_empty() {
        notes.push(
            Diagnostic::warning("import-dbt-nothing", "the manifest has no incremental model")
                .help("other models are rebuilt whole by dbt and need no spec"),
        );
    }
    Ok((relations, notes))
}

/// What the tests say, by model.
fn tests(manifest: &Manifest) -> HashMap<&str, Tests> {
    let mut all: HashMap<&str, Tests> = HashMap::new();
    for (_, node) in manifest.nodes.iter().filter(|(_, node)| node.resource_type == "test") {
        let (Some(test), Some(model)) = (&node.test_metadata, node.attached_to.as_deref()) else { continue };
        // A test of a part of the rows says nothing of the others.
        if node.set("where").is_some() || node.config.get("enabled").is_some_and(|on| on == false) {
            continue;
        }
        let tests = all.entry(model).or_default();
        match (test.name.as_str(), &node.column_name) {
            ("not_null", Some(column)) => tests.not_null.push(column.clone()),
            ("unique", Some(column)) => tests.unique.push(vec![column.clone()]),
            ("unique_combination_of_columns", _) => {
                tests.unique.push(manifest::texts(test.kwargs.get("combination_of_columns")));
            }
            _ => {}
        }
    }
    all
}
