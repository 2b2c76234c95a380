//! Relations to YAML, with a comment at every guess.

use super::column;
use super::guess::{self, Guess};
use super::key::{self, Chosen};
use super::relation::{Relation, Rows, Window};
use super::source;
use super::yaml::{comment, list, mapping, quoted, scalar};
use crate::diagnostic::Diagnostic;
use std::fmt::Write as _;

/// The spec of the relations; empty when none of them can stand in one.
pub(super) fn write(relations: &[Relation], origin: &str, notes: &mut Vec<Diagnostic>) -> String {
    let mut tables = String::new();
    for relation in relations {
        if relation.load.is_none()
            && let Some(target) = guess::target_of(relation, relations)
        {
            tables.push_str(&comment(
                "  ",
                &format!(
                    "guess: `{}` holds the staged rows of `{}`, and is no target",
                    relation.title(),
                    target.title()
                ),
            ));
            continue;
        }
        if relation.columns.is_empty() {
            tables.push_str(&comment("  ", &format!("`{}` is left out: its columns are not known", relation.title())));
            relation.notes.iter().for_each(|note| tables.push_str(&comment("  ", note)));
            continue;
        }
        tables.push_str(&table(relation, relations, notes));
    }
    let Some(first) = relations.iter().find(|relation| !relation.columns.is_empty()) else { return String::new() };
    let mut out = comment("", &format!("A table spec of idemsql, imported from {origin}."));
    out.push_str(&comment("", "A comment that begins with `guess` marks what is not said there: check each of them."));
    let _ = writeln!(out, "version: 1\ndefaults:\n  dialects: {}\ntables:", list([first.dialect.name]));
    out + &tables
}

/// One table.
fn table(relation: &Relation, all: &[Relation], notes: &mut Vec<Diagnostic>) -> String {
    let mut out = String::new();
    relation.notes.iter().for_each(|note| out.push_str(&comment("  ", note)));
    let _ = writeln!(out, "  - name: {}", scalar(&relation.name));
    if let Some(schema) = &relation.schema {
        line(&mut out, "schema", &scalar(schema), &[]);
    }
    if let Some(catalog) = &relation.catalog {
        line(&mut out, "catalog", &scalar(catalog), &[]);
    }
    if relation.quote_always {
        line(&mut out, "quote", "always", &[]);
    }
    if let Some(text) = relation.description.as_deref().filter(|text| !text.trim().is_empty()) {
        line(&mut out, "description", &quoted(&text.split_whitespace().collect::<Vec<_>>().join(" ")), &[]);
    }
    let load = relation.load.as_ref();
    if let Some((strategy, why)) = load.and_then(|load| load.strategy.as_ref()) {
        line(&mut out, "strategy", strategy, std::slice::from_ref(why));
    }
    let rows = load.map_or_else(|| guess::rows(relation, all), |load| load.rows.clone());
    let (value, about) = match &rows {
        Rows::Table(name, about) => (mapping(&[("table", scalar(name))]), about),
        Rows::Query(query, about) => (source::block(query), about),
    };
    line(&mut out, "source", &value, about);
    let chosen = match load {
        Some(load) if !load.key.0.is_empty() => {
            Chosen { columns: load.key.0.clone(), notes: load.key.1.clone(), missing: None }
        }
        Some(load) if !load.key.1.is_empty() => Chosen { missing: Some(load.key.1.join("; ")), ..Chosen::default() },
        _ => key::choose(relation),
    };
    if chosen.columns.is_empty() {
        let why = chosen.missing.unwrap_or_default();
        let names = list(relation.columns.iter().take(1).map(|column| column.name.as_str()));
        out.push_str(&comment("    ", &format!("missing: {why}. Name the columns that tell one row from another:")));
        out.push_str(&comment("    ", &format!("unique_key: {names}")));
        notes.push(
            Diagnostic::warning("import-no-key", format!("`{}` has no key to load by: {why}", relation.title()))
                .help("write `unique_key: [..]` into the spec: without it no load of the table can be run twice"),
        );
    } else {
        line(&mut out, "unique_key", &list(chosen.columns.iter().map(String::as_str)), &chosen.notes);
    }
    let window = match load {
        Some(load) => load.window.clone().map_or(Guess::Nothing, Guess::Window),
        None => guess::window(relation, &chosen.columns),
    };
    match window {
        Guess::Window(window) => windowed(&window, &mut out),
        Guess::Near(why) => out.push_str(&comment("    ", &why)),
        Guess::Nothing => {}
    }
    if let Some(change) = load.and_then(|load| load.on_schema_change.as_ref()) {
        line(&mut out, "on_schema_change", change, &[]);
    }
    out.push_str("    columns:\n");
    for column in &relation.columns {
        out.push_str(&column::lines(relation, column, &chosen.columns, notes));
    }
    out
}

/// The lines of the window.
fn windowed(window: &Window, out: &mut String) {
    let value = match &window.source_column {
        None => scalar(&window.column),
        Some(source) => mapping(&[("column", scalar(&window.column)), ("source_column", scalar(source))]),
    };
    line(out, "incremental_column", &value, &window.notes);
    match &window.overlap {
        Some(overlap) => line(out, "overlap_window", overlap, &[]),
        None => line(out, "overlap_window", "1 day", &["guess: how late a row may come".to_owned()]),
    }
    if let Some(initial) = &window.initial {
        line(out, "initial_value", &quoted(initial), &[]);
    }
}

/// A line of a table, below its comments.
fn line(out: &mut String, key: &str, value: &str, about: &[String]) {
    for note in about {
        out.push_str(&comment("    ", note));
    }
    let _ = writeln!(out, "    {key}:{}{value}", if value.starts_with('\n') { "" } else { " " });
}
