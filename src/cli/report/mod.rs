//! What `idemsql lint` found, as bytes for whoever reads it: one file per format, each a pure function.

mod concise;
mod escape;
mod fingerprint;
mod full;
mod github;
mod gitlab;
mod json;
mod jsonl;
mod junit;
mod place;
mod rdjson;
mod run;
mod sarif;
#[cfg(test)]
mod tests;
mod words;

pub use self::escape::xml;
pub use self::run::{Run, Skipped};

use crate::diagnostic::Style;
use crate::lint::finding::Checked;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Everything that a format may tell.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The files, sorted by path; the findings of each sorted by place.
    pub checked: &'a [Checked],
    /// What the run as a whole has to say.
    pub run: &'a Run,
    /// Whether the formats for people carry colours. The formats for programs never do.
    pub style: Style,
}

/// One format: a plain struct, one `static` in a file of its own.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for the help.
    pub about: &'static str,
    /// True when a person reads it, so that a summary may follow in the same stream.
    pub for_people: bool,
    /// True when a program reads it that can choose for itself, so that it gets the findings of every severity.
    pub whole: bool,
    /// Writes it.
    pub write: fn(&Report<'_>) -> String,
}

/// Every format: those for people first, then by name.
pub static ALL: &[&Format] = &[
    &full::FORMAT,
    &concise::FORMAT,
    &github::FORMAT,
    &gitlab::FORMAT,
    &json::FORMAT,
    &jsonl::FORMAT,
    &junit::FORMAT,
    &rdjson::FORMAT,
    &sarif::FORMAT,
];

/// The format of that name.
pub fn find(name: &str) -> Option<&'static Format> {
    ALL.iter().copied().find(|format| format.name == name)
}

/// What the command line takes as a format.
pub fn values() -> impl TypedValueParser<Value = &'static Format> {
    let values = ALL.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    // The parser has refused every other name by then.
    PossibleValuesParser::new(values).map(|name| find(&name).unwrap_or(&full::FORMAT))
}

/// The name of the program, as reports give it.
const TOOL: &str = "idemsql";

/// The version of the program, as reports give it.
const VERSION: &str = env!("CARGO_PKG_VERSION");
