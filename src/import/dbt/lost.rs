//! What a spec cannot say of a model.

use crate::diagnostic::Diagnostic;

/// What a spec cannot say of a model: comments of its table, and warnings.
pub(super) struct Lost<'w> {
    pub title: String,
    pub warnings: &'w mut Vec<Diagnostic>,
    pub notes: Vec<String>,
}

impl Lost<'_> {
    /// A comment and a warning.
    pub fn say(&mut self, what: &str, help: &str) {
        self.notes.push(format!("warning: {what}"));
        self.warn(what, help);
    }

    /// A warning alone.
    pub fn warn(&mut self, what: &str, help: &str) {
        let message = format!("model `{}`: {}", self.title, what.split_whitespace().collect::<Vec<_>>().join(" "));
        self.warnings.push(Diagnostic::warning("import-dbt", message).help(help.to_owned()));
    }
}
