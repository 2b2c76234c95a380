//! What neither DDL nor a catalogue says: the column that tells what is newer, and where the rows come from.

use super::column::type_of;
use super::relation::{Column, Relation, Rows, Window};
use crate::dialect::types::Type;

/// Names of a column that moves with every change of a row, the surest first.
const CHANGED: &[&str] = &[
    "updated_at",
    "modified_at",
    "changed_at",
    "last_updated_at",
    "last_modified_at",
    "last_changed_at",
    "update_time",
    "updated_time",
    "modified_time",
    "change_time",
    "last_updated",
    "last_modified",
    "updated_on",
    "modified_on",
    "changed_on",
    "date_updated",
    "date_modified",
    "updated",
    "modified",
    "updated_ts",
    "updated_date",
    "modified_date",
    "systemmodstamp",
    "updatedat",
    "modifiedat",
    "modifieddate",
    "updateddate",
    "lastmodifieddate",
    "lastupdated",
    "lastmodified",
    "gmt_modified",
];

/// The window that is guessed.
pub(super) enum Guess {
    /// This one.
    Window(Window),
    /// None, but a column comes near, and why it is not taken.
    Near(String),
    /// None.
    Nothing,
}

/// Guesses the window.
pub(super) fn window(relation: &Relation, key: &[String]) -> Guess {
    let named = |column: &&Column| CHANGED.contains(&column.name.to_lowercase().as_str());
    let mut named: Vec<&Column> = relation.columns.iter().filter(named).collect();
    named.sort_by_key(|column| CHANGED.iter().position(|name| *name == column.name.to_lowercase()));
    let mut near = Guess::Nothing;
    for column in named {
        let why = match type_of(relation.dialect, column).0 {
            _ if key.contains(&column.name) => "it is in the key",
            _ if column.generated => "the database computes it",
            Type::Timestamp | Type::Timestamptz if column.not_null => {
                return Guess::Window(Window {
                    column: column.name.clone(),
                    source_column: None,
                    overlap: None,
                    initial: None,
                    notes: vec![
                        "guess: by its name and type, this says which version of a row is newer; without it, every run \
                         reads the whole source"
                            .to_owned(),
                    ],
                });
            }
            Type::Timestamp | Type::Timestamptz => "it may be null, and no window sees such a row",
            _ => "its type is none of times",
        };
        if matches!(near, Guess::Nothing) {
            near = Guess::Near(format!("`incremental_column: {}` is not taken: {why}", column.name));
        }
    }
    near
}

/// What stands before or behind the name of a table in that of its staged rows.
const BEFORE: &[&str] = &["stg_", "stage_", "staging_", "raw_"];
const BEHIND: &[&str] = &["_staging", "_stage"];

/// The relation among these whose staged rows this one holds.
pub(super) fn target_of<'a>(staging: &Relation, all: &'a [Relation]) -> Option<&'a Relation> {
    let before = BEFORE.iter().filter_map(|part| staging.name.strip_prefix(part));
    let mut names = before.chain(BEHIND.iter().filter_map(|part| staging.name.strip_suffix(part)));
    names.find_map(|name| all.iter().find(|target| target.load.is_none() && target.name == name))
}

/// Guesses the source.
pub(super) fn rows(relation: &Relation, all: &[Relation]) -> Rows {
    let staged = all.iter().find(|other| target_of(other, std::slice::from_ref(relation)).is_some());
    if let Some(staging) = staged {
        let note = format!("guess: the staged rows are in `{}`, by its name", staging.name);
        return Rows::Table(staging.title(), vec![note]);
    }
    let staging = Relation { name: format!("stg_{}", relation.name), ..relation.clone() };
    let note = "guess: nothing says where the rows come from; name the table with the staged rows here, or a query";
    Rows::Table(staging.title(), vec![note.to_owned()])
}
