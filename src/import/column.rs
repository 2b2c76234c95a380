//! One column of a spec.

use super::relation::{Column, Relation};
use super::yaml::{comment, mapping, quoted, scalar};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::native::Native;
use crate::dialect::types::Type;
use std::fmt::Write as _;

/// The type of a column in a spec, and what a reader should know of it.
pub(super) fn type_of(dialect: &Dialect, column: &Column) -> (Type, Option<String>) {
    let Some(declared) = column.declared.as_deref().filter(|declared| !declared.trim().is_empty()) else {
        return (Type::Text, Some("guess: nothing says its type".to_owned()));
    };
    match (dialect.read_type)(&Native::read(declared)) {
        Some(reading) => (reading.ty, reading.note.map(|note| format!("declared as `{}`: {note}", declared.trim()))),
        None => (Type::Other(spaced(declared)), None),
    }
}

/// True for a type whose values the database makes, such as the number of a row's version.
pub(super) fn computed_type(dialect: &Dialect, declared: &str) -> bool {
    (dialect.read_type)(&Native::read(declared)).is_some_and(|reading| reading.computed)
}

/// One space where there is any.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a column.
pub(super) fn lines(relation: &Relation, column: &Column, key: &[String], notes: &mut Vec<Diagnostic>) -> String {
    let dialect = relation.dialect;
    let (ty, note) = type_of(dialect, column);
    if column.declared.is_none() {
        let message =
            format!("nothing says the type of `{}` in `{}`; `text` is a guess", column.name, relation.title());
        notes.push(Diagnostic::warning("import-type", message).help("write its type into the spec"));
    }
    let ty = match &ty {
        Type::Other(native) => mapping(&[(dialect.name, scalar(native))]),
        known => scalar(&known.to_string()),
    };
    let mut pairs = vec![("name", scalar(&column.name)), ("type", ty)];
    if column.not_null {
        pairs.push(("nullable", "false".to_owned()));
    }
    // A number that the load gives is a column like any other.
    let identity = column.numbered.is_some() && !key.contains(&column.name);
    if let Some(default) = column.default.as_deref().filter(|_| column.numbered.is_none() && !column.generated) {
        pairs.push(("default", quoted(&spaced(default))));
    }
    if column.generated {
        pairs.push(("generated", "true".to_owned()));
    }
    if identity {
        pairs.push(("identity", "true".to_owned()));
    }
    if column.kept.is_some() {
        pairs.push(("update", "never".to_owned()));
    }
    if let Some(description) = column.description.as_deref().filter(|text| !text.trim().is_empty()) {
        pairs.push(("description", quoted(&spaced(description))));
    }
    let about = note.into_iter().chain(column.kept.clone()).chain(column.notes.iter().cloned());
    let mut out: String = about.map(|note| comment("      ", &note)).collect();
    let _ = writeln!(out, "      - {}", mapping(&pairs));
    out
}
