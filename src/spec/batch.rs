//! `batch`: what names the batches of `batch_once`, and where those that were loaded are noted.

use super::Located;
use super::read::Reader;
use super::schema;
use super::vocabulary::{Key, Vocabulary};
use super::yaml::{Entry, Value};
use super::{Batch, BatchBy};
use crate::diagnostic::Diagnostic;

#[derive(Default)]
pub(super) struct Draft {
    column: Option<Located<String>>,
    content: Option<Located<bool>>,
    log: Option<Located<String>>,
}

/// The keys of `batch` as a mapping.
pub(super) static BATCH: Vocabulary<Draft> = Vocabulary {
    what: "`batch`",
    keys: &[
        Key {
            name: "column",
            doc: "the column that names the batch of a row, such as the file that it came in; never null",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.column = r.text(e),
        },
        Key {
            name: "content",
            doc: "true: in place of `column`, all staged rows are one batch, and a digest of them is its name",
            needed: None,
            schema: schema::flag,
            read: |r, e, draft| draft.content = r.flag(e),
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
        ("hash", "write `content: true`"),
        ("digest", "write `content: true`"),
        ("fingerprint", "write `content: true`"),
    ],
};

/// Reads `batch`: a column, or what names a batch and the log.
pub(super) fn batch(r: &mut Reader, entry: &Entry) -> Option<Batch> {
    let Value::Mapping(entries) = &entry.value.value else {
        return r.text(entry).map(|column| Batch { by: BatchBy::Column(column), log: None });
    };
    let mut draft = Draft::default();
    r.mapping(entries, &entry.value.span, &BATCH, &mut draft);
    let by = match (draft.column, draft.content.filter(|content| content.value)) {
        (Some(column), None) => BatchBy::Column(column),
        (None, Some(content)) => BatchBy::Content(content.span),
        (Some(column), Some(content)) => {
            let fault = Diagnostic::error("spec-either-or", "`batch` has a `column` and `content: true`")
                .at(column.span, "names the batch of a row")
                .at(content.span, "makes one batch of all rows");
            r.fault(fault.help("keep one of the two"));
            return None;
        }
        // A value of the wrong kind was told, and a word that stands for one of the two.
        (None, None) if entries.iter().all(|entry| entry.key == "log") => {
            let fault = Diagnostic::error("spec-missing-key", "`batch` does not say what names a batch");
            let help = "add `column: file_name`, or `content: true` for a digest of all staged rows";
            r.fault(fault.at(entry.value.span.clone(), "").help(help));
            return None;
        }
        (None, None) => return None,
    };
    Some(Batch { by, log: draft.log })
}
