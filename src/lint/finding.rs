//! What the linter says about one place of a script.

use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::lint::policy::Policy;
use crate::lint::rule::Rule;
use std::ops::Range;
use std::sync::Arc;

/// One finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that speaks.
    pub rule: &'static Rule,
    /// Code, severity, message, places, help and source, as everything that a user is told.
    pub diagnostic: Diagnostic,
    /// The whole statement, in bytes of the source's text: what a suppression covers and a baseline remembers.
    pub statement: Range<usize>,
    /// The places of further statements for which the same is true: one finding stands for all of them.
    pub more: Vec<Range<usize>>,
    /// An edit that mends it.
    pub fix: Option<Fix>,
    /// Findings of one rule and one group are one finding.
    pub group: Option<String>,
    /// It says that rows that are there are added again, of a rule that says other things too.
    pub doubles: bool,
}

/// Edits that mend a finding together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: "add IF NOT EXISTS".
    pub title: String,
    /// Whether it keeps what the script means.
    pub safety: Safety,
    /// Apart from each other, in the order of the text.
    pub edits: Vec<Edit>,
}

/// Whether a fix may be made without a person looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// The first run does what it did before.
    Safe,
    /// The first run may do something else than before; the title says what.
    Unsafe,
}

/// One replacement of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the source's text; empty where something is put in.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

/// What the linter says of one file.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The file's name and text.
    pub source: Arc<Source>,
    /// The name of the dialect that it was read in.
    pub dialect: &'static str,
    /// How often the file is run.
    pub policy: Policy,
    /// The findings, by place, then by code. Suppressed ones are not among them.
    pub findings: Vec<Finding>,
    /// How many statements were read.
    pub statements: usize,
    /// How many could not be read; each has a finding.
    pub unread: usize,
    /// How many findings a comment in the file suppresses.
    pub suppressed: usize,
    /// How many findings the baseline knows.
    pub known: usize,
}

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.diagnostic.severity
    }

    /// The main place, in bytes of the source's text.
    pub fn span(&self) -> Range<usize> {
        self.diagnostic.labels.first().map_or(self.statement.clone(), |label| label.span.clone())
    }
}
