//! `history`: what the columns are called that hold the period of a version.

use super::read::Reader;
use super::schema;
use super::vocabulary::{Key, Vocabulary};
use super::yaml::Entry;
use super::{History, Located, Table};

/// What `valid_from` is called where the spec does not say.
pub const VALID_FROM: &str = "valid_from";

impl Table {
    /// True when the spec's own strategy keeps every version of a key.
    pub fn is_history(&self) -> bool {
        self.strategy.as_ref().is_some_and(|strategy| strategy.value == "history")
    }

    /// The column of a history that tells the versions of a key apart.
    pub fn valid_from(&self) -> Option<&str> {
        let written = self.history.as_ref().and_then(|history| history.valid_from.as_ref());
        self.is_history().then(|| written.map_or(VALID_FROM, |name| name.value.as_str()))
    }
}

#[derive(Default)]
pub(super) struct Draft {
    valid_from: Option<Located<String>>,
    valid_to: Option<Located<String>>,
    is_current: Option<Located<String>>,
}

/// The keys of `history`.
pub(super) static HISTORY: Vocabulary<Draft> = Vocabulary {
    what: "`history`",
    keys: &[
        Key {
            name: "valid_from",
            doc: "the column with the first moment of a version; `valid_from` when left out",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.valid_from = r.text(e),
        },
        Key {
            name: "valid_to",
            doc: "the column with the first moment behind a version, null for the last one; `valid_to` when left out",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.valid_to = r.text(e),
        },
        Key {
            name: "is_current",
            doc: "the column that is true for the last version; `is_current` when left out, `none` for no such column",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.is_current = r.text(e),
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("dbt_valid_from", "write `valid_from`"),
        ("dbt_valid_to", "write `valid_to`"),
        ("start", "write `valid_from`"),
        ("end", "write `valid_to`"),
        ("valid_from_name", "write `valid_from`"),
        ("valid_to_name", "write `valid_to`"),
        ("current", "write `is_current`"),
        ("updated_at", "leave it out: the periods come from `version: [updated_at]`"),
    ],
};

/// Reads `history`.
pub(super) fn history(r: &mut Reader, entry: &Entry) -> Option<History> {
    let help = "write `history: {valid_from: valid_from, valid_to: valid_to, is_current: is_current}`";
    let entries = r.entries("`history`", &entry.value, help)?;
    let mut draft = Draft::default();
    r.mapping(entries, &entry.value.span, &HISTORY, &mut draft);
    Some(History {
        span: entry.key_span.clone(),
        valid_from: draft.valid_from,
        valid_to: draft.valid_to,
        is_current: draft.is_current,
    })
}
