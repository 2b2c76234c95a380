//! `missing_rows`: what becomes of target rows that the source no longer holds.

use super::read::Reader;
use super::schema;
use super::vocabulary::{Key, Vocabulary};
use super::window::{ACTIONS, both};
use super::yaml::Entry;
use super::{Located, MissingRows};

#[derive(Default)]
pub(super) struct Draft {
    action: Option<Located<()>>,
    flag: Option<Located<String>>,
    scope: Option<Located<String>>,
    allow_empty: Option<Located<bool>>,
}

/// The keys of `missing_rows`.
pub(super) static MISSING_ROWS: Vocabulary<Draft> = Vocabulary {
    what: "`missing_rows`",
    keys: &[
        Key {
            name: "action",
            doc: "what becomes of such a row; give this or `flag`",
            needed: None,
            schema: || schema::choice(ACTIONS),
            read: |r, e, draft| draft.action = r.choice(e, ACTIONS),
        },
        Key {
            name: "flag",
            doc: "the boolean column that is set instead of removing the row",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.flag = r.text(e),
        },
        Key {
            name: "scope",
            doc: "a predicate over the target: rows outside it never vanish; the whole table when left out",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| draft.scope = r.text(e),
        },
        Key {
            name: "allow_empty",
            doc: "true when an empty source may be meant, and every row of the scope then vanishes",
            needed: None,
            schema: schema::flag,
            read: |r, e, draft| draft.allow_empty = r.flag(e),
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("where", "write `scope`"),
        ("when", "write `scope` for the predicate over the target"),
        ("filter", "write `scope`"),
        ("column", "write `flag` for the boolean column that is set"),
        ("delete", "write `action: delete`"),
    ],
};

/// Reads `missing_rows`.
pub(super) fn missing_rows(r: &mut Reader, entry: &Entry) -> Option<MissingRows> {
    let help = "write `missing_rows: {action: delete, scope: \"region = 'eu'\"}`";
    let entries = r.entries("`missing_rows`", &entry.value, help)?;
    let mut draft = Draft::default();
    r.mapping(entries, &entry.value.span, &MISSING_ROWS, &mut draft);
    if let (Some(action), Some(flag)) = (&draft.action, &draft.flag) {
        both(r, "missing_rows", action, flag);
    }
    Some(MissingRows {
        span: entry.key_span.clone(),
        delete: draft.action.is_some(),
        flag: draft.flag,
        scope: draft.scope,
        allow_empty: draft.allow_empty.is_some_and(|allowed| allowed.value),
    })
}
