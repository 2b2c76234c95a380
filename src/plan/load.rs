//! Everything that a template may read: strings that are quoted and checked already, in the order in which they stand.

use serde::Serialize;

/// A load, ready to be written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Load {
    /// The target as it is named in FROM and INTO: `mart.orders`.
    pub target: String,
    /// What the relations are called.
    pub names: Aliases,
    /// What the columns of the target are called by in the statement that writes it: `t`, or `orders`.
    pub me: String,
    /// The alias behind the target where it is written, with a space before it, or nothing.
    pub alias: String,
    /// What stands between a relation and its alias: `AS ` or nothing.
    pub as_word: String,
    /// What stands behind the target where it is probed for a key, with a space before it, or nothing.
    pub probe_hint: String,
    /// How rows are chosen whose key is not there: `not_exists` or `left_join`.
    pub absent: &'static str,

    /// The frame around the statements.
    pub frame: Frame,
    /// The columns that are written, in order.
    pub columns: Vec<String>,
    /// The value of each of `columns` for a new row, from the reduced batch `b`.
    pub inserts: Vec<String>,
    /// The value of each of `columns` for literal rows that are written as VALUES; empty for every other source.
    pub rows: Vec<Vec<String>>,
    /// The unique key.
    pub key: Vec<String>,
    /// What the probe for a key reads of the target: the key, and the columns of the target's filter.
    pub probe: Vec<String>,
    /// What the proposed rows `b` are ordered by.
    pub key_order: Vec<String>,
    /// The reduced batch.
    pub batch: Batch,

    /// The same key: the target as `o` and the batch as `b`.
    pub same_key_probe: Vec<String>,
    /// The same key: the target as it is written and the batch as `b`.
    pub same_key: Vec<String>,
    /// True for a batch row that has no target row, after a LEFT JOIN of the target as `o`.
    pub missing: String,
    /// The row-change guard: the target as `o`, the batch as `b`.
    pub change_probe: Vec<String>,
    /// The row-change guard: the target as it is written, the proposed row as `EXCLUDED` or `b`.
    pub change: Vec<String>,
    /// What a changed row assigns; empty when a row that is there is never changed.
    pub updates: Vec<Assignment>,

    /// Staged rows that delete.
    pub deletion: Option<Deletion>,
    /// Target rows that are no longer staged.
    pub vanished: Option<Vanished>,
    /// The periods of the versions, where each version has a row of its own.
    pub history: Option<History>,
    /// The temporary table of the batch.
    pub staging: Option<Staged>,
    /// How UPDATE and DELETE read the temporary table.
    pub script: Option<ScriptShape>,
    /// What happens once for the new events.
    pub effects: Vec<String>,
    /// The log of batches.
    pub once: Option<Once>,
    /// The pieces of a MERGE.
    pub merge: Option<MergeShape>,
    /// A column that marks that a row was found, where a miss gives defaults and not nulls.
    pub hit: String,
}

/// What each relation is called. The documentation of a load, and of its fields, calls them by the letters of the fields.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Aliases {
    /// The target where it is written.
    pub t: String,
    /// The staged rows.
    pub s: String,
    /// The staged rows where they are read a second time.
    pub w: String,
    /// The staged rows with their rank.
    pub d: String,
    /// The batch: the staged rows, one per key.
    pub b: String,
    /// The target where it is probed.
    pub o: String,
    /// The target where its high watermark is read.
    pub h: String,
    /// The batch where its groups are read.
    pub g: String,
    /// The staged versions, and those of the target that have their keys.
    pub u: String,
    /// The batch as the WITH of a MERGE.
    pub batch: String,
}

/// A column and the value that it takes.
#[derive(Clone, Debug, Serialize)]
pub struct Assignment {
    /// The column.
    pub column: String,
    /// Its value.
    pub value: String,
}

/// Statements around the ones that load.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Frame {
    /// Before everything.
    pub open: Vec<String>,
    /// Behind the temporary table and before the first write.
    pub begin: Vec<String>,
    /// Behind the last write.
    pub close: Vec<String>,
}

/// The staged rows, reduced to one per unique key.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Batch {
    /// What stands in FROM, alias included: `s`, or `b` when the relation is the batch as it stands.
    pub source: String,
    /// True when `source` is the batch already: literal rows or parameters that need no work.
    pub bare: bool,
    /// The columns of the batch, in order.
    pub items: Vec<Item>,
    /// Which staged rows are taken: predicates joined by AND.
    pub filter: Vec<String>,
    /// How they are reduced; none when there is one row per key already.
    pub reduce: Option<Reduction>,
}

/// One column of the batch.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// The expression over the staged row.
    pub value: String,
    /// The column's name in the batch.
    pub name: String,
    /// True when the expression is the column of that name itself, so that it needs no alias.
    pub plain: bool,
}

/// How the staged rows are reduced.
#[derive(Clone, Debug, Serialize)]
pub struct Reduction {
    /// `distinct_on`, `qualify`, `row_number` or `limit_by`.
    pub how: &'static str,
    /// The key.
    pub by: Vec<String>,
    /// The version order, greatest first.
    pub order: Vec<String>,
    /// The name of the row number.
    pub rank: String,
}

/// Staged rows that delete their target row.
#[derive(Clone, Debug, Serialize)]
pub struct Deletion {
    /// The batch column that is 1 for a deletion.
    pub flag: String,
    /// True when the deletion is not older than the target row; empty without a version.
    pub not_older: Vec<String>,
}

/// Target rows of the replaced part that are no longer staged.
#[derive(Clone, Debug, Serialize)]
pub struct Vanished {
    /// The batch column that is 1 for such a row, in a MERGE; empty when such rows are flagged: they come in among the staged
    /// ones, with the flag set, and `scope` and `absent` then call the target `o`.
    pub flag: String,
    /// The replaced part: predicates over the target as `o` in a MERGE, as it is written in a script.
    pub scope: Vec<String>,
    /// True for a row of that part that is no longer staged: a predicate over the target, called as in `scope`.
    pub absent: String,
    /// For each column of the batch its value for such a row, from the target as `o`.
    pub items: Vec<Item>,
    /// Where the batch may be named once in a statement: the group of the staged groups as `g` is that of the target, called
    /// as in `absent`.
    pub same_group: Vec<String>,
    /// The temporary table of those groups; empty for none.
    pub groups: String,
    /// Statements that read the bounds into variables and the groups into their table, where the DELETE itself cannot.
    pub bounds: Vec<String>,
}

/// What makes a history of the batch: the staged rows, and with them the target rows of their keys, each with its period.
#[derive(Clone, Debug, Serialize)]
pub struct History {
    /// The columns of the whole, over those rows as `u`.
    pub items: Vec<Item>,
    /// For each column of the batch its value for a target row, from the target as `o`.
    pub stored: Vec<String>,
    /// Which target rows: those whose key is staged, and whose version is not.
    pub beside: Vec<String>,
}

/// The temporary table of the batch.
#[derive(Clone, Debug, Serialize)]
pub struct Staged {
    /// What stands before its name where it is created; empty for `SELECT .. INTO`.
    pub create: String,
    /// Its name.
    pub name: String,
}

/// How UPDATE and DELETE read the temporary table.
#[derive(Clone, Debug, Serialize)]
pub struct ScriptShape {
    /// `from`, `join` or `alias_from`.
    pub update: &'static str,
    /// `exists`, `join` or `alias_exists`.
    pub delete: &'static str,
}

/// The log of batches that are appended once.
#[derive(Clone, Debug, Serialize)]
pub struct Once {
    /// The log.
    pub log: String,
    /// Its columns that a note fills.
    pub columns: Vec<String>,
    /// Their values: the name of the target, and the batch of the staged row `s`, or the name `d` of all rows.
    pub values: Vec<String>,
    /// True for the note, as `o`, of that batch.
    pub noted: Vec<String>,
    /// True for the note, as `o`, of a batch that this run appends.
    pub open: Vec<String>,
    /// How the name of a batch is made of its rows; none where a column names it.
    pub content: Option<Content>,
    /// True for the notes of this run, in the log as it is written.
    pub closes: Vec<String>,
    /// The column that says when a batch was loaded: null while it is.
    pub loaded: String,
    /// The clock.
    pub now: String,
}

/// How the name of all staged rows is made: a digest of each row of the batch `b`, and one of those of all, as `w`.
#[derive(Clone, Debug, Serialize)]
pub struct Content {
    /// The digest of a row.
    pub of_row: String,
    /// What it is called.
    pub row: String,
    /// The digest of all rows.
    pub value: String,
    /// What it is called; the whole is `d`.
    pub id: String,
}

/// The pieces of a MERGE.
#[derive(Clone, Debug, Serialize)]
pub struct MergeShape {
    /// `and`, `where` or `none`.
    pub condition: &'static str,
    /// The hint between the target and its alias, with a space before it, or nothing.
    pub hint: String,
    /// `WHEN NOT MATCHED` or `WHEN NOT MATCHED BY TARGET`.
    pub not_matched: &'static str,
    /// True when WITH stands before the MERGE.
    pub with_before: bool,
}
