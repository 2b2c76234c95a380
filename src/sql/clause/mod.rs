//! Statements to clauses: what is changed, from what, on which condition. Reads every dialect by its words and brackets.
//!
//! `sqlparser` reads a statement wholly or not at all, and refuses valid ones (T-SQL's hints, Oracle's blocks, names that a
//! template fills in). A linter needs the clauses of each statement and no more: what stands inside an expression is for
//! the database to judge. What is missing or cannot be placed is a fault with its place.

mod change;
mod cursor;
mod define;
mod merge;
mod query;
mod statement;

pub use self::change::{
    Assignment, Conflict, ConflictAction, ConflictTarget, Copy, Delete, Insert, Mode, Source, Update,
};
pub use self::define::{
    Action, Alter, ColumnDefinition, Constraint, Create, Drop, Guard, Numbered, Object, Renamed, Spelled, TableKey,
    numbered, renames,
};
pub use self::merge::{Branch, Matched, Merge, MergeAction};
pub use self::query::{Body, Common, Distinct, Inner, Item, Join, Query, Relation, Select, Table};
pub use self::statement::{Transaction, Verb, read};

use std::ops::Range;

/// Why a statement cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What was expected, or what is wrong.
    pub message: String,
}

#[cfg(test)]
mod tests;
