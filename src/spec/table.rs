//! The keys of one table, and of the defaults and overrides that are laid under and over it.

use std::ops::Range;

use crate::spec::Concurrency;
use crate::spec::Located;
use crate::spec::OutputForm;
use crate::spec::Source;
use crate::spec::Table;
use crate::spec::batch;
use crate::spec::column;
use crate::spec::dbt;
use crate::spec::history;
use crate::spec::missing;
use crate::spec::partition;
use crate::spec::read::{Choices, Reader};
use crate::spec::schema;
use crate::spec::source;
use crate::spec::vocabulary::{Key, Vocabulary};
use crate::spec::window;
use crate::spec::yaml::{Entry, Node, Value};

/// What is read of a table.
pub(super) struct Draft {
    pub table: Table,
    pub dialects: Vec<Located<String>>,
    /// True when every column has a name, so that other keys can be held against the columns.
    pub all_named: bool,
}

/// The keys of a table.
pub(super) static TABLE: Vocabulary<Draft> =
    Vocabulary { what: "a table", keys: KEYS, home: crate::spec::file::home, foreign: FOREIGN };

/// The keys of an override: those of a table but for the two that say what it overrides.
pub(super) static OVERRIDE: Vocabulary<Draft> = Vocabulary {
    what: "an override",
    keys: KEYS.split_at(KEYS.len() - 2).0,
    home: crate::spec::file::home,
    foreign: &[
        ("dialects", "remove the key: an override is for the one dialect that it stands under"),
        ("overrides", "remove the key: an override is for the one dialect that it stands under"),
    ],
};

/// What other tools call the same thing.
const FOREIGN: &[(&str, &str)] = &[
    ("table", "write `name` for the target, or `source: {table: ...}` for where the rows come from"),
    ("table_name", "write `name`"),
    ("target", "write `name`"),
    ("alias", "write `name`"),
    ("identifier", "write `name`"),
    ("model", "write `name`"),
    ("dataset", "write `schema`"),
    ("database", "write `catalog`"),
    ("project", "write `catalog`"),
    ("dialect", "write `dialects: [...]`"),
    ("primary_key", "write `unique_key`: the columns that name one row"),
    (
        "merge_key",
        "write `unique_key`: the columns that name one row; or `group_key` for a group that is replaced whole",
    ),
    ("key", "write `unique_key`"),
    ("keys", "write `unique_key`"),
    ("grain", "write `unique_key`"),
    ("grains", "write `unique_key`"),
    ("key_properties", "write `unique_key`"),
    ("conflict_target", "write `unique_key`"),
    ("on_conflict", "write `unique_key` for the columns, and `strategy` for what happens"),
    ("cursor", "write `incremental_column`"),
    ("cursor_path", "write `incremental_column`"),
    ("cursor_field", "write `incremental_column`"),
    ("watermark", "write `incremental_column`"),
    ("time_column", "write `incremental_column`"),
    ("event_time", "write `incremental_column`"),
    ("replication_key", "write `incremental_column`"),
    ("update_key", "write `incremental_column`"),
    ("incremental", "write `incremental_column`"),
    ("lookback", "write `overlap_window`"),
    ("lag", "write `overlap_window`"),
    ("overlap", "write `overlap_window`"),
    ("begin", "write `initial_value`"),
    ("start", "write `window: {start: ...}`, or `initial_value` for the floor of an empty target"),
    ("updated_at", "write `version: [updated_at]`"),
    ("tie_break", "write `version`: the columns that order two versions of one key"),
    ("tiebreak", "write `version`: the columns that order two versions of one key"),
    ("order_by", "write `version`: the columns that order two versions of one key"),
    ("dedup_sort", "write `version`: the columns that order two versions of one key"),
    ("partition_by", "write `partition: column` for `strategy: replace_partition`, or remove the key"),
    ("partitioned_by", "write `partition: column` for `strategy: replace_partition`, or remove the key"),
    ("materialized", "every table here is loaded incrementally; write `strategy` for how"),
    ("incremental_strategy", "write `strategy`"),
    ("write_disposition", "write `strategy`"),
    ("mode", "write `strategy`"),
    ("method", "write `strategy`"),
    ("kind", "write `strategy`"),
    ("incremental_predicates", "write `target_filter`"),
    ("merge_filter", "write `target_filter`"),
    ("merge_update_columns", "write `update: never` at the columns that are not updated"),
    ("merge_exclude_columns", "write `update: never` at those columns"),
    ("hard_delete", "write `deletes: {when: ..., action: delete}`"),
    ("hard_deletes", "write `deletes: {when: ..., action: delete}`"),
    ("soft_delete", "write `deletes: {when: ..., flag: is_deleted}`"),
    ("query", "write `source: {query: ...}`"),
    ("query_file", "write `source: {query_file: ...}`"),
    ("sql", "write `source: {query: ...}`"),
    ("select", "write `source: {query: ...}`"),
    ("from", "write `source: {table: ...}`"),
    ("rows", "write `source: {rows: [...]}`"),
    ("csv", "write `source: {csv: ...}`"),
    ("seed", "write `source: {csv: ...}`"),
    ("parameters", "write `source: {parameters: true}`"),
    ("fields", "write `columns`"),
    ("quoting", "write `quote: always`"),
    ("lock", "write `concurrency: single`"),
    ("comment", "write `description`"),
];

const QUOTES: Choices<bool> = &[
    ("needed", "names are quoted where the dialect needs it (the default)", false),
    ("always", "every name is quoted", true),
];

const TIES: Choices<bool> = &[
    ("replace", "an equal version with another content replaces the row (the default)", false),
    ("keep", "only a greater version replaces the row", true),
];

const WRITERS: Choices<Concurrency> = &[
    ("single", "one session at a time, and a lock in the script makes sure", Concurrency::Single),
    ("many", "any number of sessions", Concurrency::Many),
];

/// What a table can be rendered to: its name, what it is, and the form.
pub const FORMS: &[(&str, &str, OutputForm)] = &[
    ("sql", "a script of plain SQL (the default)", OutputForm::Sql),
    ("dbt", "a dbt model with its properties", OutputForm::Dbt),
    ("ddl", "a script that makes the table, and that can run again", OutputForm::Ddl),
];

/// The columns come before the source, because literal rows are read by them. The last two are no keys of an override.
const KEYS: &[Key<Draft>] = &[
    Key {
        name: "name",
        doc: "the target table",
        needed: Some("name: orders"),
        schema: schema::text,
        read: |r, e, draft| {
            if let Some(name) = r.text(e) {
                draft.table.name = name;
            }
        },
    },
    Key {
        name: "schema",
        doc: "the target's schema",
        needed: None,
        schema: schema::text,
        read: |r, e, draft| draft.table.schema = r.text(e),
    },
    Key {
        name: "catalog",
        doc: "the target's catalog: a database, or a project",
        needed: None,
        schema: schema::text,
        read: |r, e, draft| draft.table.catalog = r.text(e),
    },
    Key {
        name: "quote",
        doc: "which names are quoted",
        needed: None,
        schema: || schema::choice(QUOTES),
        read: |r, e, draft| draft.table.quote_always = r.choice(e, QUOTES).is_some_and(|quote| quote.value),
    },
    Key {
        name: "description",
        doc: "what the table holds, for people",
        needed: None,
        schema: schema::text,
        read: |r, e, draft| draft.table.description = r.text(e).map(|text| text.value),
    },
    Key {
        name: "strategy",
        doc: "how the target is loaded; `upsert` when left out and there is a `unique_key`",
        needed: None,
        schema: schema::text,
        read: |r, e, draft| draft.table.strategy = r.text(e),
    },
    Key {
        name: "columns",
        doc: "the target's columns, in order",
        needed: Some("columns: [{name: ..., type: ...}]"),
        schema: schema::columns,
        read: |r, e, draft| (draft.table.columns, draft.all_named) = column::read_columns(r, e),
    },
    Key {
        name: "source",
        doc: "where the staged rows come from: one of table, query, query_file, rows, csv and parameters",
        needed: Some("source: {table: raw.orders}"),
        schema: || schema::object(&source::SOURCE),
        read: |r, e, draft| {
            if let Some(source) = source::source(r, e, &mut draft.table.columns) {
                draft.table.source = source;
            }
        },
    },
    Key {
        name: "unique_key",
        doc: "the columns that name one row; null is a value in them",
        needed: None,
        schema: schema::names,
        read: |r, e, draft| draft.table.unique_key = r.names(e),
    },
    Key {
        name: "group_key",
        doc: "for delete_insert: the columns that name the group of rows that is replaced whole",
        needed: None,
        schema: schema::names,
        read: |r, e, draft| draft.table.group_key = r.names(e),
    },
    Key {
        name: "partition",
        doc: "for replace_partition: the column whose values are the partitions, each of which is replaced whole",
        needed: None,
        schema: schema::name_or_partition,
        read: |r, e, draft| draft.table.partition = partition::partition(r, e),
    },
    Key {
        name: "batch",
        doc: "for batch_once: the column that names the batch of a row, or `{content: true}`; each batch is appended once",
        needed: None,
        schema: schema::name_or_batch,
        read: |r, e, draft| draft.table.batch = batch::batch(r, e),
    },
    Key {
        name: "incremental_column",
        doc: "the column of the window; the whole source is read when left out",
        needed: None,
        schema: schema::name_or_incremental,
        read: |r, e, draft| draft.table.incremental = window::incremental(r, e),
    },
    Key {
        name: "overlap_window",
        doc: "how far the window reaches behind the greatest value in the target: 1 day, 3 hours, 15 minutes, or a whole \
              number for an integer column",
        needed: None,
        schema: schema::overlap,
        read: |r, e, draft| draft.table.overlap_window = window::overlap(r, e),
    },
    Key {
        name: "initial_value",
        doc: "where the window begins when the target is empty; everything is read when left out",
        needed: None,
        schema: schema::scalar,
        read: |r, e, draft| draft.table.initial_value = r.scalar("`initial_value`", &e.value),
    },
    Key {
        name: "window",
        doc: "a window that the caller gives, from `start` up to but without `end`",
        needed: None,
        schema: || schema::object(&window::WINDOW),
        read: |r, e, draft| draft.table.window = window::window(r, e),
    },
    Key {
        name: "version",
        doc: "the columns that order two versions of one key, most significant first; the incremental column when left out",
        needed: None,
        schema: schema::names,
        read: |r, e, draft| draft.table.version = r.names(e),
    },
    Key {
        name: "on_tie",
        doc: "what an equal version does",
        needed: None,
        schema: || schema::choice(TIES),
        read: |r, e, draft| draft.table.keep_on_tie = r.choice(e, TIES).is_some_and(|keep| keep.value),
    },
    Key {
        name: "deletes",
        doc: "which staged rows are deletions, and what they do",
        needed: None,
        schema: || schema::object(&window::DELETES),
        read: |r, e, draft| draft.table.deletes = window::deletes(r, e),
    },
    Key {
        name: "missing_rows",
        doc: "for mirror: what becomes of target rows that the source no longer holds",
        needed: None,
        schema: || schema::object(&missing::MISSING_ROWS),
        read: |r, e, draft| draft.table.missing_rows = missing::missing_rows(r, e),
    },
    Key {
        name: "history",
        doc: "for history: what the columns are called that the load adds to the declared ones",
        needed: None,
        schema: || schema::object(&history::HISTORY),
        read: |r, e, draft| draft.table.history = history::history(r, e),
    },
    Key {
        name: "target_filter",
        doc: "a predicate on the target that narrows what is searched; only on columns that never change",
        needed: None,
        schema: schema::text,
        read: |r, e, draft| draft.table.target_filter = r.text(e),
    },
    Key {
        name: "concurrency",
        doc: "how many sessions may load the table at once",
        needed: None,
        schema: || schema::choice(WRITERS),
        read: |r, e, draft| draft.table.concurrency = r.choice(e, WRITERS),
    },
    Key {
        name: "effect",
        doc: "for processed_marker: the statements that run once for each event, with `:name` for its values, or `{events}` for a \
              batch of them",
        needed: None,
        schema: schema::texts,
        read: |r, e, draft| {
            draft.table.effect = r.texts(e, "UPDATE stock SET level = level - :quantity WHERE sku = :sku");
        },
    },
    Key {
        name: "retention",
        doc: "for processed_marker and idempotency_key: how long a marker or a key is kept, 24 hours or 30 days",
        needed: None,
        schema: schema::overlap,
        read: |r, e, draft| draft.table.retention = window::length(r, e, "24 hours"),
    },
    Key {
        name: "lease",
        doc: "for idempotency_key: how long a claim holds when nobody completes it, 1 minute when left out",
        needed: None,
        schema: schema::overlap,
        read: |r, e, draft| draft.table.lease = window::length(r, e, "1 minute"),
    },
    Key {
        name: "on_schema_change",
        doc: "for dbt models and for `render --form ddl --from`: what happens when the columns of the spec are no longer those \
              of the table",
        needed: None,
        schema: || schema::choice(dbt::CHANGES),
        read: |r, e, draft| draft.table.on_schema_change = r.choice(e, dbt::CHANGES),
    },
    Key {
        name: "dbt",
        doc: "for dbt models: where their rows come from, and what else stands in their configuration",
        needed: None,
        schema: || schema::object(&dbt::DBT),
        read: |r, e, draft| draft.table.dbt = dbt::dbt(r, e),
    },
    Key {
        name: "forms",
        doc: "what is rendered",
        needed: None,
        schema: || schema::some_of(FORMS),
        read: |r, e, draft| draft.table.forms = r.some_of(e, FORMS),
    },
    Key {
        name: "dialects",
        doc: "the databases that SQL is written for",
        needed: None,
        schema: schema::names,
        read: |r, e, draft| draft.dialects = r.names(e),
    },
    Key {
        name: "overrides",
        doc: "by dialect: any key of a table, laid over the table's own; columns are merged by their names",
        needed: None,
        schema: schema::overrides,
        read: |r, e, _| overrides(r, e),
    },
];

impl Draft {
    /// A table before its keys are read.
    pub fn blank(span: &Range<usize>) -> Self {
        let table = Table {
            name: Located { value: String::new(), span: span.clone() },
            schema: None,
            catalog: None,
            quote_always: false,
            description: None,
            strategy: None,
            source: Located { value: Source::Parameters, span: span.clone() },
            columns: Vec::new(),
            unique_key: Vec::new(),
            group_key: Vec::new(),
            partition: None,
            batch: None,
            incremental: None,
            overlap_window: None,
            initial_value: None,
            window: None,
            version: Vec::new(),
            keep_on_tie: false,
            deletes: None,
            missing_rows: None,
            history: None,
            target_filter: None,
            concurrency: None,
            effect: Vec::new(),
            retention: None,
            lease: None,
            on_schema_change: None,
            dbt: None,
            forms: Vec::new(),
        };
        Self { table, dialects: Vec::new(), all_named: false }
    }
}

/// Reads every override by itself, for its faults.
fn overrides(r: &mut Reader, entry: &Entry) {
    let help = "write `overrides: {<dialect>: {...}}`";
    let Some(dialects) = r.entries("`overrides`", &entry.value, help) else { return };
    for (at, dialect) in dialects.iter().enumerate() {
        if let Some(first) = dialects.iter().take(at).find(|first| first.key == dialect.key) {
            r.twice(dialect, first);
        }
        let what = format!("the override for `{}`", dialect.key);
        layer(r, &what, &dialect.value, &OVERRIDE);
    }
}

/// Reads a layer by itself, for its faults; what it lacks may stand in another layer.
pub(super) fn layer(r: &mut Reader, what: &str, node: &Node, words: &Vocabulary<Draft>) {
    let outer = std::mem::replace(&mut r.alone, true);
    if let Some(entries) = r.entries(what, node, "write the keys of a table here, one a line") {
        r.mapping(entries, &node.span, words, &mut Draft::blank(&node.span));
    }
    r.alone = outer;
}

/// Finds the keys under a key of a mapping.
pub(super) fn under<'n>(entries: &'n [Entry], key: &str) -> Option<&'n Node> {
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
}

/// The entries of a mapping; none for anything else.
pub(super) fn entries(node: Option<&Node>) -> &[Entry] {
    match node.map(|node| &node.value) {
        Some(Value::Mapping(entries)) => entries,
        _ => &[],
    }
}
