//! `partition`: the column whose values `replace_partition` replaces whole.

use super::Located;
use super::Partition;
use super::read::{Choices, Reader};
use super::schema;
use super::vocabulary::{Key, Vocabulary};
use super::yaml::{Entry, Value};

/// What one partition holds of a column of times; false for those that are not supported yet.
const GRAINS: Choices<bool> = &[
    ("day", "a day: for a column of type `date`, each of whose values is one", true),
    ("hour", "not supported yet", false),
    ("month", "not supported yet", false),
    ("year", "not supported yet", false),
];

#[derive(Default)]
pub(super) struct Draft {
    column: Option<Located<String>>,
    grain: Option<Located<bool>>,
}

/// The keys of `partition` as a mapping.
pub(super) static PARTITION: Vocabulary<Draft> = Vocabulary {
    what: "`partition`",
    keys: &[
        Key {
            name: "column",
            doc: "the column: each of its values is a partition, null too",
            needed: Some("column: sale_date"),
            schema: schema::text,
            read: |r, e, draft| draft.column = r.text(e),
        },
        Key {
            name: "grain",
            doc: "what one partition holds; the value itself when left out",
            needed: None,
            schema: || schema::choice(GRAINS),
            read: |r, e, draft| draft.grain = r.choice(e, GRAINS),
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("immutable", "put the column into `unique_key`: a key then never moves to another partition"),
        ("name", "write `column`"),
        ("field", "write `column`"),
        ("granularity", "write `grain`"),
        ("data_type", "write it as the `type` of the column"),
    ],
};

/// Reads `partition`: a name, or a name and its grain.
pub(super) fn partition(r: &mut Reader, entry: &Entry) -> Option<Partition> {
    let Value::Mapping(entries) = &entry.value.value else {
        return r.text(entry).map(|column| Partition { column, grain: None });
    };
    let mut draft = Draft::default();
    r.mapping(entries, &entry.value.span, &PARTITION, &mut draft);
    Some(Partition { column: draft.column?, grain: draft.grain })
}
