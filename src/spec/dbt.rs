//! The keys of `dbt`: what a dbt model needs to know beyond its table.

use crate::diagnostic::Diagnostic;
use crate::spec::read::{Choices, Reader, located};
use crate::spec::schema;
use crate::spec::source::json;
use crate::spec::vocabulary::{Key, Vocabulary};
use crate::spec::yaml::{Entry, Value};
use crate::spec::{Dbt, OnSchemaChange};

/// What dbt does when the columns of a model are no longer those of its table.
pub(super) const CHANGES: Choices<OnSchemaChange> = &[
    ("fail", "the run fails, and a change is refused with the differences (the default)", OnSchemaChange::Fail),
    (
        "ignore",
        "nothing is compared: our own strategy then fails in the database, and those of dbt leave new columns out",
        OnSchemaChange::Ignore,
    ),
    (
        "append_new_columns",
        "new columns are added, with null or their default in the rows that are there, as the engine does it; those that are gone stay",
        OnSchemaChange::AppendNewColumns,
    ),
    (
        "sync_all_columns",
        "new columns are added, those that are gone are dropped with all their values, and a type that grows is changed",
        OnSchemaChange::SyncAllColumns,
    ),
];

/// Reads `dbt`.
pub(super) fn dbt(r: &mut Reader, entry: &Entry) -> Option<Dbt> {
    let entries = r.entries("`dbt`", &entry.value, "write `dbt: {ref: stg_orders}`, or `dbt: {source: raw.orders}`")?;
    let mut dbt = Dbt::default();
    r.mapping(entries, &entry.value.span, &DBT, &mut dbt);
    if let (Some(source), Some(model)) = (&dbt.source, &dbt.model) {
        r.fault(
            Diagnostic::error("spec-either-or", "`dbt` has both `source` and `ref`")
                .at(source.span.clone(), "a table that dbt does not make")
                .at(model.span.clone(), "a model of the project")
                .help("keep one of the two"),
        );
    }
    if let Some(source) = dbt.source.as_ref().filter(|source| source.value.split('.').count() != 2) {
        let fault = format!("`source` takes the name of a source and of a table, not `{}`", source.value);
        r.fault(
            Diagnostic::error("spec-dbt-source", fault).at(source.span.clone(), "").help("write `source: raw.orders`"),
        );
    }
    Some(dbt)
}

/// The keys of `dbt`.
pub(super) static DBT: Vocabulary<Dbt> = Vocabulary {
    what: "`dbt`",
    keys: &[
        Key {
            name: "source",
            doc: "the source and the table in it that the rows come from, when the project declares it: raw.orders",
            needed: None,
            schema: schema::text,
            read: |r, e, dbt| dbt.source = r.text(e),
        },
        Key {
            name: "ref",
            doc: "the model of the project that the rows come from",
            needed: None,
            schema: schema::text,
            read: |r, e, dbt| dbt.model = r.text(e),
        },
        Key {
            name: "adapter",
            doc: "the adapter, for a dialect that has more than one: spark or athena in the place of the usual one",
            needed: None,
            schema: schema::text,
            read: |r, e, dbt| dbt.adapter = r.text(e),
        },
        Key {
            name: "tags",
            doc: "the tags of the model",
            needed: None,
            schema: schema::names,
            read: |r, e, dbt| dbt.tags = r.names(e),
        },
        Key {
            name: "meta",
            doc: "what else stands in the `meta` of the model, such as its owner",
            needed: None,
            schema: schema::any_mapping,
            read: |r, e, dbt| dbt.meta = meta(r, e),
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("table", "write `source: raw.orders` for a source, or `ref: stg_orders` for a model"),
        ("model", "write `ref`"),
        ("sources", "write `source`"),
        ("alias", "write the table's `name`"),
        ("materialized", "every table here is incremental: remove the key"),
        ("incremental_strategy", "write the table's `strategy`"),
        ("tests", "the tests follow from `unique_key` and `nullable`: remove the key"),
        ("data_tests", "the tests follow from `unique_key` and `nullable`: remove the key"),
        ("config", "write `tags` or `meta`; the rest follows from the table"),
    ],
};

/// A mapping whose keys are the user's.
fn meta(r: &mut Reader, entry: &Entry) -> Option<crate::spec::Located<serde_json::Value>> {
    let help = "write `meta: {owner: ...}`";
    let entries = r.entries("`meta`", &entry.value, help)?;
    if let Some(ours) = entries.iter().find(|entry| entry.key == "idemsql") {
        r.fault(
            Diagnostic::error("spec-dbt-meta", "`idemsql` in `meta` is what our macro reads")
                .at(ours.key_span.clone(), "")
                .help("give the key another name"),
        );
    }
    for (at, again) in entries.iter().enumerate() {
        if let Some(first) = entries.iter().take(at).find(|first| first.key == again.key) {
            r.twice(again, first);
        }
    }
    matches!(entry.value.value, Value::Mapping(_)).then(|| located(json(&entry.value), &entry.value))
}
