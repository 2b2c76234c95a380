//! The keys that a mapping may have, each with its documentation and its reader; and what to say about any other key.

use serde_json::Value as Json;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::nearest;
use crate::spec::read::{Reader, list_of};
use crate::spec::yaml::{Entry, Value};

/// One key of a mapping that is read into a `T`. The JSON Schema is made from the same entry.
pub(super) struct Key<T: 'static> {
    pub name: &'static str,
    /// What it means, for the schema.
    pub doc: &'static str,
    /// What to add when it is missing; none for a key that may be missing.
    pub needed: Option<&'static str>,
    /// The JSON Schema of its values.
    pub schema: fn() -> Json,
    pub read: fn(&mut Reader, &Entry, &mut T),
}

/// The keys of one kind of mapping.
pub(super) struct Vocabulary<T: 'static> {
    /// What the mapping is called in messages: `a table`.
    pub what: &'static str,
    pub keys: &'static [Key<T>],
    /// The kind of mapping of the same format that a key belongs to, for a key that stands in another kind.
    pub home: fn(&str) -> Option<&'static str>,
    /// Words that other tools use for the same thing, and what to write instead.
    pub foreign: &'static [(&'static str, &'static str)],
}

impl<T> Vocabulary<T> {
    /// What to say about a key that is not in the vocabulary. `all` are the entries of its mapping.
    pub fn unknown(&self, entry: &Entry, all: &[Entry]) -> Diagnostic {
        let key = entry.key.as_str();
        if let Some((owner, before)) = cut_text(entry, all) {
            let message = format!("the `,` ends `{owner}: {before}`, because the value has no quotes");
            let span = entry.key_span.clone();
            return Diagnostic::error("spec-unquoted-comma", message)
                .at(span, "read as a key of its own")
                .help(format!("write `{owner}: \"{before},{key}\"`"));
        }
        let fault = Diagnostic::error("spec-unknown-key", format!("`{key}` is not a key of {}", self.what));
        fault.at(entry.key_span.clone(), "").help(self.instead(entry))
    }

    /// True when an unknown key most likely stands for `meant`, so that `meant` need not be called missing too.
    pub fn stands_for(&self, entry: &Entry, meant: &str) -> bool {
        let known = self.keys.iter().any(|key| key.name == entry.key);
        let instead = self.instead(entry);
        !known
            && (instead.starts_with("write") || instead.starts_with("did"))
            && instead.contains(&format!("`{meant}`"))
    }

    fn instead(&self, entry: &Entry) -> String {
        let key = entry.key.as_str();
        if let Some((_, instead)) = self.foreign.iter().find(|(word, _)| word.eq_ignore_ascii_case(key)) {
            return (*instead).to_owned();
        }
        let names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
        if let Some(home) = (self.home)(key) {
            return format!("`{key}` is a key of {home}: move it there");
        }
        match nearest(key, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("{} has the keys {}", self.what, list_of(&names, "and")),
        }
    }
}

/// The text that an unquoted `,` inside `{...}` has cut in two, as in `{type: decimal(12,2)}`: its key and its first half.
fn cut_text<'n>(entry: &Entry, all: &'n [Entry]) -> Option<(&'n str, &'n str)> {
    let at = all.iter().position(|other| other.key_span == entry.key_span)?;
    let before = all.get(at.checked_sub(1)?)?;
    match (&entry.value.value, &before.value.value) {
        (Value::Null, Value::Text(text)) if text.contains('(') && !text.contains(')') && entry.key.contains(')') => {
            Some((&before.key, text))
        }
        _ => None,
    }
}
