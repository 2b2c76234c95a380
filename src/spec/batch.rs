//! `batch`: what names the batches of `batch_once`, and where those that were loaded are noted.

use super::Batch;
use super::Located;
use super::read::Reader;
use super::schema;
use super::vocabulary::{Key, Vocabulary};
use super::yaml::{Entry, Value};

#[derive(Default)]
pub(super) struct Draft {
    column: Option<Located<String>>,
    log: Option<Located<String>>,
}

/// The keys of `batch` as a mapping.
pub(super) static BATCH: Vocabulary<Draft> = Vocabulary {
    what: "`batch`",
    keys: &[
        Key {
            name: "column",
            doc: "the column that names the batch of a row, such as the file that it came in; never null",
            needed: Some("column: file_name"),
            schema: schema::text,
            read: |r, e, draft| draft.column = r.text(e),
        },
        Key {
            name: "log",
            doc: "the table that notes which batches were loaded; `idemsql_batches` beside the target when left out",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.log = r.text(e),
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("id", "write `column`: the staged rows must hold the name of their batch, such as the file that they came in"),
        ("parameter", "stage the name of the batch with its rows, and write `column`"),
        ("name", "write `column`"),
        ("table", "write `log`"),
    ],
};

/// Reads `batch`: a column, or a column and the log.
pub(super) fn batch(r: &mut Reader, entry: &Entry) -> Option<Batch> {
    let Value::Mapping(entries) = &entry.value.value else {
        return r.text(entry).map(|column| Batch { column, log: None });
    };
    let mut draft = Draft::default();
    r.mapping(entries, &entry.value.span, &BATCH, &mut draft);
    Some(Batch { column: draft.column?, log: draft.log })
}
