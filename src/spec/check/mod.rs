//! What can be said against a table without knowing a dialect.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::nearest;
use crate::spec::Column;
use crate::spec::Located;
use crate::spec::Table;
use crate::spec::Update;
use crate::spec::column::{Family, names_of};
use crate::spec::file::TableSpec;

mod rows;
mod window;

/// All faults of one table. `all_named` is false when a column's name could not be read, so that no name can be called
/// unknown.
pub(super) fn table(table: &Table, all_named: bool) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    duplicate_columns(table, &mut faults);
    if all_named {
        unknown_columns(table, &mut faults);
    }
    for column in &table.columns {
        self::column(table, column, &mut faults);
    }
    window::check(table, &mut faults);
    if all_named {
        rows::check(table, &mut faults);
    }
    faults
}

/// Tables of a file that would be written to the same place.
pub(super) fn tables(tables: &[TableSpec]) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        let same = |other: &&TableSpec| {
            let names = |of: &TableSpec| of.dialects().iter().map(|dialect| dialect.value.clone()).collect::<Vec<_>>();
            let (ours, theirs) = (names(table), names(other));
            let meet = ours.is_empty() || theirs.is_empty() || ours.iter().any(|dialect| theirs.contains(dialect));
            !table.name().is_empty() && other.name() == table.name() && other.place() == table.place() && meet
        };
        if let Some(first) = tables.iter().take(at).find(same) {
            let fault = Diagnostic::error("spec-twice", format!("the table `{}` is described twice", table.name()))
                .at(table.span(), "again here")
                .at(first.span(), "first here");
            faults.push(fault.help("give the two another `name` or `schema`, or remove one of them"));
        }
    }
    faults
}

fn duplicate_columns(table: &Table, faults: &mut Vec<Diagnostic>) {
    for (at, column) in table.columns.iter().enumerate() {
        let name = &column.name;
        if let Some(first) = table.columns.iter().take(at).find(|other| other.name.value == name.value)
            && !name.value.is_empty()
        {
            let fault = Diagnostic::error("spec-twice", format!("the column `{}` is described twice", name.value))
                .at(name.span.clone(), "again here")
                .at(first.name.span.clone(), "first here");
            faults.push(fault.help("remove one of the two"));
        }
    }
}

fn unknown_columns(table: &Table, faults: &mut Vec<Diagnostic>) {
    let flag = table.deletes.as_ref().and_then(|deletes| deletes.flag.as_ref());
    let incremental = table.incremental.as_ref().map(|incremental| &incremental.column);
    let named = (table.unique_key.iter().map(|name| ("unique_key", name)))
        .chain(table.group_key.iter().map(|name| ("group_key", name)))
        .chain(table.partition.iter().map(|partition| ("partition", &partition.column)))
        .chain(table.batch.iter().filter_map(|batch| Some(("batch", batch.column()?))))
        .chain(table.version.iter().map(|name| ("version", name)))
        .chain(incremental.map(|name| ("incremental_column", name)))
        .chain(flag.map(|name| ("deletes.flag", name)))
        .chain(table.missing_rows.iter().filter_map(|missing| Some(("missing_rows.flag", missing.flag.as_ref()?))));
    for (key, name) in named {
        if let Some(column) = table.column(&name.value) {
            if matches!(key, "deletes.flag" | "missing_rows.flag")
                && column.family().is_some_and(|family| family != Family::Bool)
            {
                let fault = Diagnostic::error("spec-flag-type", format!("the flag `{}` is not a bool", name.value))
                    .at(name.span.clone(), "this column is set to true for a deleted row");
                faults.push(fault.help("give the column `type: bool`"));
            }
            continue;
        }
        let message = format!("`{key}` names `{}`, which is not a column", name.value);
        faults
            .push(Diagnostic::error("spec-unknown-column", message).at(name.span.clone(), "").help(near(table, name)));
    }
}

/// The column that a name most likely meant, or all of them.
fn near(table: &Table, name: &Located<String>) -> String {
    match nearest(&name.value, table.columns.iter().map(|column| column.name.value.as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("add it to `columns`, or name one of {}", names_of(&table.columns)),
    }
}

fn column(table: &Table, column: &Column, faults: &mut Vec<Diagnostic>) {
    let name = &column.name.value;
    let key = table.unique_key.iter().find(|key| key.value == *name);
    let mut refuse = |code, message: String, span: &Located<String>, label: &str, help: &str| {
        faults.push(Diagnostic::error(code, message).at(span.span.clone(), label).help(help));
    };
    let engines = if column.generated { "generated" } else { "identity" };
    let by_engine = column.generated || column.identity;
    if column.generated && column.identity {
        let message = format!("`{name}` is both `generated` and `identity`");
        refuse(
            "spec-either-or",
            message,
            &column.name,
            "",
            "keep `identity` for a number, `generated` for an expression",
        );
    }
    for (word, given) in [("value", &column.value), ("source", &column.source)] {
        if let Some(given) = given.as_ref().filter(|_| by_engine) {
            let message = format!("`{name}` is `{engines}`, so no load may write it, but it has a `{word}`");
            let help = format!("remove `{word}`, or remove `{engines}`");
            refuse("spec-engine-column", message, given, "", &help);
        }
    }
    if let (Some(value), Some(source)) = (&column.value, &column.source) {
        let fault = Diagnostic::error("spec-either-or", format!("`{name}` has both `value` and `source`"))
            .at(value.span.clone(), "computed by the load")
            .at(source.span.clone(), "computed from the staged row");
        faults.push(fault.help("keep one of the two"));
    } else if let (Some(value), Some(key)) = (&column.value, key) {
        let message =
            format!("`{name}` is a part of the unique key, but the load computes it: every run would make a new key");
        let fault = Diagnostic::error("spec-key-value", message)
            .at(value.span.clone(), "")
            .at(key.span.clone(), "in the key here");
        faults.push(fault.help("take it from the staged row with `source`, or leave it out of `unique_key`"));
    }
    let Some(update) = &column.update else { return };
    let place = update.span.clone();
    if let Some(key) = key {
        let message = format!("`{name}` is a part of the unique key, which no update can change");
        let fault = Diagnostic::error("spec-update-key", message).at(place, "").at(key.span.clone(), "in the key here");
        faults.push(fault.help("remove `update`"));
    } else if by_engine {
        let message = format!("`{name}` is `{engines}`, so no load may update it");
        faults.push(Diagnostic::error("spec-engine-column", message).at(place, "").help("remove `update`"));
    } else if update.value == Update::Any && column.family().is_some_and(|family| family != Family::Bool) {
        let message = format!("`update: any` is the OR of truth values, but `{name}` is not a bool");
        let help = "write `update: greatest`, or give the column `type: bool`";
        faults.push(Diagnostic::error("spec-update-type", message).at(place, "").help(help));
    }
}
