//! The tables that a load needs, made on an engine for a trial.

use super::scenario::Staging;
use crate::dialect::Dialect;
use crate::dialect::mechanism::Storage;
use crate::dialect::types::Type;
use crate::plan::ddl::{definition_of_log, trial};
use crate::plan::{Plan, Staged};
use crate::render::ddl::create_table;
use std::collections::BTreeSet;

/// The schemas that the tables of a trial stand in.
pub fn schemas(plan: &Plan, staging: &[Staging]) -> BTreeSet<String> {
    let target = plan.schema.iter().cloned();
    let log = plan.log.iter().filter_map(|log| log.parts.iter().rev().nth(1).cloned());
    let source = match &plan.staged {
        Staged::Table { parts, .. } => parts.iter().rev().nth(1).cloned(),
        _ => None,
    };
    let staged = staging.iter().filter_map(|staging| staging.parts.iter().rev().nth(1).cloned());
    target.chain(log).chain(source).chain(staged).collect()
}

/// The statement that makes the target, with the unique key where the load needs it. A fault of our template is the text
/// itself, which no engine runs.
pub fn target(plan: &Plan) -> String {
    create_table(&trial(plan)).unwrap_or_else(|fault| fault)
}

/// The statement that makes the log of batches; nothing without one.
pub fn log(plan: &Plan) -> String {
    let definition = definition_of_log(plan, "");
    definition.map(|definition| create_table(&definition).unwrap_or_else(|fault| fault)).unwrap_or_default()
}

/// The statement that makes a staged table.
pub fn staged(dialect: &Dialect, staging: &Staging) -> String {
    let lines: Vec<String> = staging
        .columns
        .iter()
        .map(|(name, ty)| {
            format!("  {} {}{}", dialect.identifier(name, false), (dialect.type_name)(ty), dialect.null_column)
        })
        .collect();
    let storage = (dialect.storage)(&Storage { key: &[], nullable_key: false, version: None });
    format!("CREATE TABLE {} (\n{}\n){storage}", path(dialect, &staging.parts), lines.join(",\n"))
}

/// A table's name in SQL.
pub fn path(dialect: &Dialect, parts: &[String]) -> String {
    parts.iter().map(|part| dialect.identifier(part, false)).collect::<Vec<_>>().join(".")
}

/// The type that a column of only an expression gets in a trial.
pub const UNKNOWN: Type = Type::Varchar(100);
