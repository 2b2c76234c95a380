//! The table spec exactly as the user wrote it, with the place of every value. What it means is `plan`'s business.

use std::ops::Range;
use std::sync::Arc;

mod batch;
mod check;
mod column;
mod dbt;
mod file;
mod history;
mod key_store;
mod layer;
mod missing;
mod partition;
mod read;
mod schema;
mod seed;
mod settings;
mod source;
mod syntax;
mod table;
mod vocabulary;
mod window;
pub(crate) mod yaml;

pub use self::file::{Spec, TableSpec};
pub use self::history::VALID_FROM;
pub use self::schema::schema;
pub use self::settings::{LintSettings, PerFile, Runs, Settings, VerifySettings, settings_schema};
pub use self::table::FORMS;

/// A value and the bytes of the spec file that it stands at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its bytes in the spec's text.
    pub span: Range<usize>,
}

/// One table of a spec, with the file's defaults and the overrides of one dialect applied.
#[derive(Clone, Debug)]
pub struct Table {
    /// The target's name.
    pub name: Located<String>,
    /// The target's schema.
    pub schema: Option<Located<String>>,
    /// The target's catalog.
    pub catalog: Option<Located<String>>,
    /// `quote: always`.
    pub quote_always: bool,
    /// What the table holds, for people.
    pub description: Option<String>,
    /// The strategy's name; none when it was left out.
    pub strategy: Option<Located<String>>,
    /// Where the staged rows come from.
    pub source: Located<Source>,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// The columns of the unique key.
    pub unique_key: Vec<Located<String>>,
    /// The columns of the group that `delete_insert` replaces whole.
    pub group_key: Vec<Located<String>>,
    /// The partitions that `replace_partition` replaces.
    pub partition: Option<Partition>,
    /// What names the batches that `batch_once` appends.
    pub batch: Option<Batch>,
    /// The column of the window.
    pub incremental: Option<Incremental>,
    /// How far the window reaches behind the high watermark.
    pub overlap_window: Option<Located<OverlapWindow>>,
    /// The floor of the window when the target is empty.
    pub initial_value: Option<Located<Scalar>>,
    /// A window that the caller gives.
    pub window: Option<Window>,
    /// The columns that order two versions of one key, most significant first.
    pub version: Vec<Located<String>>,
    /// `on_tie: keep`: an equal version does not replace.
    pub keep_on_tie: bool,
    /// Which staged rows are deletions.
    pub deletes: Option<Deletes>,
    /// What becomes of target rows that the source no longer holds.
    pub missing_rows: Option<MissingRows>,
    /// What the columns of a history are called.
    pub history: Option<History>,
    /// A pruning predicate on the target.
    pub target_filter: Option<Located<String>>,
    /// How many writers there are; none when it was left out.
    pub concurrency: Option<Located<Concurrency>>,
    /// What happens once for each event, statement by statement.
    pub effect: Vec<Located<String>>,
    /// How long markers and keys are kept, in seconds.
    pub retention: Option<Located<u64>>,
    /// How long a claim holds without an answer, in seconds.
    pub lease: Option<Located<u64>>,
    /// What happens when the columns change; none when it was left out.
    pub on_schema_change: Option<Located<OnSchemaChange>>,
    /// What a dbt model needs to know beyond the table.
    pub dbt: Option<Dbt>,
    /// What is rendered; empty when it was left out.
    pub forms: Vec<Located<OutputForm>>,
}

/// What names the batches of a table.
#[derive(Clone, Debug)]
pub struct Batch {
    /// What names a batch.
    pub by: BatchBy,
    /// The table that notes which batches were loaded.
    pub log: Option<Located<String>>,
}

/// What names the batches of a table.
#[derive(Clone, Debug)]
pub enum BatchBy {
    /// A column: a batch is all rows with one value of it.
    Column(Located<String>),
    /// The content: a batch is all rows that are staged, and a digest of them is its name. The place is where that is asked for.
    Content(Range<usize>),
}

impl Batch {
    /// The column that names the batch of a row; none where the content does.
    pub fn column(&self) -> Option<&Located<String>> {
        match &self.by {
            BatchBy::Column(column) => Some(column),
            BatchBy::Content(_) => None,
        }
    }

    /// Where the spec says what names a batch.
    pub fn span(&self) -> &Range<usize> {
        match &self.by {
            BatchBy::Column(column) => &column.span,
            BatchBy::Content(span) => span,
        }
    }
}

/// The column whose values are the partitions of a table.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The column.
    pub column: Located<String>,
    /// What one partition holds, when it was said: true where that is a day.
    pub grain: Option<Located<bool>>,
}

/// What a table can be rendered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// A script of plain SQL.
    Sql,
    /// A dbt model with its properties.
    Dbt,
    /// A script that makes the table.
    Ddl,
}

/// What happens when the columns of a spec are no longer those of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSchemaChange {
    /// The run of dbt fails, and no change is rendered.
    Fail,
    /// New columns are not loaded.
    Ignore,
    /// New columns are added.
    AppendNewColumns,
    /// New columns are added, and those that are gone are dropped.
    SyncAllColumns,
}

/// What a dbt model needs to know beyond its table.
#[derive(Clone, Debug, Default)]
pub struct Dbt {
    /// The source that the rows come from, `raw.orders`, when the project declares it.
    pub source: Option<Located<String>>,
    /// The model that the rows come from.
    pub model: Option<Located<String>>,
    /// The adapter, for a dialect with more than one.
    pub adapter: Option<Located<String>>,
    /// The tags of the model.
    pub tags: Vec<Located<String>>,
    /// What else stands in the `meta` of the model.
    pub meta: Option<Located<serde_json::Value>>,
}

/// Where the staged rows come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A table, by its name: `raw.orders`.
    Table(String),
    /// A SELECT, from the spec or from the file that `query_file` names.
    Query(String),
    /// Literal rows, from the spec or from the seed file that `csv` names. In a seed file an empty field is null, except
    /// in a text column that is not nullable, where it is empty text; `""` is empty text in any text column.
    Rows {
        /// The rows, in order.
        rows: Vec<Row>,
        /// The seed file, when the rows and their spans are of one.
        seed: Option<Arc<crate::diagnostic::Source>>,
    },
    /// One row of bind parameters.
    Parameters,
}

impl Source {
    /// True for one row of bind parameters.
    pub fn is_parameters(&self) -> bool {
        matches!(self, Self::Parameters)
    }
}

/// One literal row: a value per column, by the column's name.
#[derive(Clone, Debug)]
pub struct Row {
    /// Where the row begins.
    pub span: Range<usize>,
    /// The values that were given.
    pub values: Vec<(Located<String>, Located<Scalar>)>,
}

/// A value of YAML.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// `null` or `~`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it is spelled.
    Number(String),
    /// Text.
    Text(String),
    /// A list or a mapping, for json columns.
    Json(serde_json::Value),
}

/// One column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: Located<String>,
    /// Its type as written, for the dialect at hand; none when only other dialects have one.
    pub ty: Option<Located<String>>,
    /// True when `type` was a mapping by dialect, so that the type is the dialect's own text.
    pub ty_is_native: bool,
    /// `nullable`, when it was given.
    pub nullable: Option<Located<bool>>,
    /// The default of the column in the target, as an expression.
    pub default: Option<Located<String>>,
    /// What it holds, for people.
    pub description: Option<String>,
    /// An expression over the staged row that gives its value.
    pub source: Option<Located<String>>,
    /// `now`, or an expression computed by the load.
    pub value: Option<Located<String>>,
    /// What happens to it when the row is replaced.
    pub update: Option<Located<Update>>,
    /// False when a difference in it alone does not replace the row.
    pub compare: Option<Located<bool>>,
    /// The engine computes it.
    pub generated: bool,
    /// The engine numbers it.
    pub identity: bool,
}

/// What happens to a column when a newer row replaces an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It takes the new value.
    Always,
    /// It keeps its first value.
    Never,
    /// It takes the new value unless that is null.
    IfNotNull,
    /// It keeps the old value unless that is null.
    FirstNotNull,
    /// It takes the greater value; null loses.
    Greatest,
    /// It takes the smaller value; null loses.
    Least,
    /// It is true once it was true.
    Any,
}

/// The column of the window.
#[derive(Clone, Debug)]
pub struct Incremental {
    /// The target's column.
    pub column: Located<String>,
    /// The staged column or expression that is compared with the window, when it differs.
    pub source_column: Option<Located<String>>,
    /// A timestamp without a zone is in UTC.
    pub is_utc: bool,
}

/// The overlap as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapWindow {
    /// A length of time in seconds.
    Seconds(u64),
    /// A distance on an integer cursor.
    Steps(u64),
}

/// A half-open window that the caller gives.
#[derive(Clone, Debug)]
pub struct Window {
    /// The first value inside.
    pub start: Located<Bound>,
    /// The first value behind it.
    pub end: Option<Located<Bound>>,
}

/// One end of a window.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A literal value.
    Value(Scalar),
    /// A template variable of the scheduler, copied into a literal: `{{ ds }}`.
    Variable(String),
    /// A bind parameter, by name.
    Parameter(String),
}

/// Which staged rows are deletions and what they do.
#[derive(Clone, Debug)]
pub struct Deletes {
    /// A predicate over the staged row.
    pub when: Located<String>,
    /// The boolean column that is set instead of deleting the row.
    pub flag: Option<Located<String>>,
}

/// What becomes of target rows that the source no longer holds.
#[derive(Clone, Debug)]
pub struct MissingRows {
    /// Where the spec says it.
    pub span: Range<usize>,
    /// They are deleted.
    pub delete: bool,
    /// The boolean column that is set instead.
    pub flag: Option<Located<String>>,
    /// Where they vanish: a predicate over the target; the whole target when it was left out.
    pub scope: Option<Located<String>>,
    /// An empty source makes every row of the scope vanish.
    pub allow_empty: bool,
}

/// What the columns are called that hold the period of a version.
#[derive(Clone, Debug)]
pub struct History {
    /// Where the spec says it.
    pub span: Range<usize>,
    /// The first moment of a version.
    pub valid_from: Option<Located<String>>,
    /// The first moment behind a version.
    pub valid_to: Option<Located<String>>,
    /// Whether a version is the last one; `none` for no such column.
    pub is_current: Option<Located<String>>,
}

/// How many sessions may load the table at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// One, and a lock in the script makes sure.
    Single,
    /// Any number.
    Many,
}
