//! Literal rows must name columns that exist and give a value wherever the target demands one.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Source as Text;
use crate::spec::Column;
use crate::spec::Row;
use crate::spec::Scalar;
use crate::spec::Source;
use crate::spec::Table;

pub(super) fn check(table: &Table, faults: &mut Vec<Diagnostic>) {
    let Source::Rows { rows, seed } = &table.source.value else { return };
    let seed = seed.as_ref();
    let mut unknown: Vec<&Range<usize>> = Vec::new();
    for (name, value) in rows.iter().flat_map(|row| &row.values) {
        let column = table.column(&name.value);
        match column {
            Some(column) if !column.is_staged() => {
                let message = format!("the rows give `{}`, which no staged row can give", name.value);
                let help = "remove it from the rows, or remove `value`, `generated` or `identity` from the column";
                if once(&mut unknown, &name.span) {
                    faults.push(placed(Diagnostic::error("spec-row-column", message), seed, &name.span, help));
                }
            }
            Some(column) if is_needed(column) && value.value == Scalar::Null => {
                let message = format!("`{}` is not nullable, but the row gives null", name.value);
                let help = "give a value, or remove `nullable: false` from the column";
                faults.push(placed(Diagnostic::error("spec-row-null", message), seed, &value.span, help));
            }
            None if !is_mentioned(table, &name.value) && once(&mut unknown, &name.span) => {
                let message = format!("the rows name `{}`, which is not a column", name.value);
                let help = super::near(table, name);
                faults.push(placed(Diagnostic::error("spec-unknown-column", message), seed, &name.span, &help));
            }
            _ => {}
        }
    }
    for column in table.columns.iter().filter(|column| is_needed(column) && column.default.is_none()) {
        missing(column, rows, seed, faults);
    }
}

/// True the first time: every row of a seed file has the span of the same header.
fn once<'r>(seen: &mut Vec<&'r Range<usize>>, span: &'r Range<usize>) -> bool {
    let new = !seen.contains(&span);
    if new {
        seen.push(span);
    }
    new
}

/// True when every staged row must have a value of its own for the column.
fn is_needed(column: &Column) -> bool {
    column.nullable.as_ref().is_some_and(|nullable| !nullable.value) && column.is_staged() && column.source.is_none()
}

/// One fault for all rows that lack a column, at the first of them.
fn missing(column: &Column, rows: &[Row], seed: Option<&Arc<Text>>, faults: &mut Vec<Diagnostic>) {
    let name = &column.name.value;
    let mut without = rows.iter().filter(|row| !row.values.iter().any(|(given, _)| given.value == *name));
    let Some(first) = without.next() else { return };
    let message = match without.count() {
        0 => format!("the row has no `{name}`, which is not nullable and has no default"),
        more => format!("{} rows have no `{name}`, which is not nullable and has no default", more + 1),
    };
    let help = format!("give `{name}` in every row, or give the column a `default`");
    faults.push(placed(Diagnostic::error("spec-row-missing", message), seed, &first.span, &help));
}

fn placed(fault: Diagnostic, seed: Option<&Arc<Text>>, span: &Range<usize>, help: &str) -> Diagnostic {
    let fault = fault.at(span.clone(), "").help(help);
    match seed {
        Some(seed) => fault.in_source(seed),
        None => fault,
    }
}

/// True when an expression of the table uses the name: then it is a staged column that only the expression needs.
fn is_mentioned(table: &Table, name: &str) -> bool {
    let sources = table.columns.iter().filter_map(|column| column.source.as_ref());
    let when = table.deletes.as_ref().map(|deletes| &deletes.when);
    let behind = table.incremental.as_ref().and_then(|incremental| incremental.source_column.as_ref());
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    sources.chain(when).chain(behind).any(|expression| word(&expression.value))
}
