//! The tables that a load needs, made on an engine for a trial.

use super::scenario::Staging;
use super::shape::written;
use crate::dialect::Dialect;
use crate::dialect::mechanism::{Form, IndexNulls};
use crate::dialect::types::Type;
use crate::plan::{Plan, Staged};
use std::collections::BTreeSet;

/// The schemas that the tables of a trial stand in.
pub fn schemas(plan: &Plan, staging: &[Staging]) -> BTreeSet<String> {
    let target = plan.schema.iter().cloned();
    let source = match &plan.staged {
        Staged::Table { parts, .. } => parts.iter().rev().nth(1).cloned(),
        _ => None,
    };
    let staged = staging.iter().filter_map(|staging| staging.parts.iter().rev().nth(1).cloned());
    target.chain(source).chain(staged).collect()
}

/// The statement that makes the target, with the unique key where the load needs it.
pub fn target(plan: &Plan) -> String {
    let dialect = plan.dialect;
    let mut lines: Vec<String> = plan
        .columns
        .iter()
        .map(|column| {
            let null = if column.nullable || !column.is_written() { "" } else { " NOT NULL" };
            format!("  {} {}{null}", column.sql, (dialect.type_name)(&column.ty))
        })
        .collect();
    let indexed = matches!(plan.form, Form::OnConflict | Form::OnDuplicateKey);
    let nullable = written(plan).iter().any(|column| column.key && column.nullable);
    // A key in which null repeats is kept by the load alone; an index that lets it in proves nothing, and does no harm.
    if indexed || (!nullable && dialect.index_nulls != IndexNulls::NotEnforced) {
        let nulls =
            if nullable && dialect.index_nulls == IndexNulls::DistinctOrNot { " NULLS NOT DISTINCT" } else { "" };
        lines.push(format!("  UNIQUE{nulls} ({})", plan.load.key.join(", ")));
    }
    format!("CREATE TABLE {} (\n{}\n)", plan.load.target, lines.join(",\n"))
}

/// The statement that makes a staged table.
pub fn staged(dialect: &Dialect, staging: &Staging) -> String {
    let lines: Vec<String> = staging
        .columns
        .iter()
        .map(|(name, ty)| format!("  {} {}", dialect.identifier(name, false), (dialect.type_name)(ty)))
        .collect();
    format!("CREATE TABLE {} (\n{}\n)", path(dialect, &staging.parts), lines.join(",\n"))
}

/// A table's name in SQL.
pub fn path(dialect: &Dialect, parts: &[String]) -> String {
    parts.iter().map(|part| dialect.identifier(part, false)).collect::<Vec<_>>().join(".")
}

/// The type that a column of only an expression gets in a trial.
pub const UNKNOWN: Type = Type::Varchar(100);
