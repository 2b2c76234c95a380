//! What a user is told: one type for every message, with the place in the user's file and what to write instead.

use std::ops::Range;
use std::sync::Arc;

mod render;
mod source;

pub use self::render::{Style, render, render_noted, short};
pub(crate) use self::source::chars;
pub use self::source::{Bulk, Elided, Encoding, Origin, Position, Source};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably wrong.
    Warning,
    /// Cannot go on.
    Error,
}

impl Severity {
    /// The word in front of a message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing to tell the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A permanent name for the kind of fault, such as `spec-unknown-key`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong and why: lower case, names in backticks, no full stop.
    pub message: String,
    /// The places in the source; the first is the main one.
    pub labels: Vec<Label>,
    /// What to do, as an order with the words to write.
    pub help: Option<String>,
    /// The text that the labels point into; `None` for a fault that has no place.
    pub source: Option<Arc<Source>>,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Bytes of the source's text.
    pub span: Range<usize>,
    /// What is there; may be empty.
    pub text: String,
}

impl Diagnostic {
    /// An error without a place yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), labels: Vec::new(), help: None, source: None }
    }

    /// A warning without a place yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds a place; the first call sets the main one.
    #[must_use]
    pub fn at(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the text that the labels point into.
    #[must_use]
    pub fn in_source(mut self, source: &Arc<Source>) -> Self {
        self.source = Some(Arc::clone(source));
        self
    }
}

/// The candidate that a misspelt word most likely meant, if one is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count().max(3) / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits to turn one word into the other: insert, delete, replace, swap two neighbours; case does not count.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_misspelt_word_finds_its_neighbour() {
        assert_eq!(nearest("uniqe_key", ["unique_key", "update"]), Some("unique_key"));
        assert_eq!(nearest("upsrt", ["upsert", "merge"]), Some("upsert"));
        assert_eq!(nearest("xyz", ["upsert", "merge"]), None);
    }
}
