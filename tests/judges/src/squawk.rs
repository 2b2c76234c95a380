//! squawk: a parser of PostgreSQL's SQL that finds every fault of a file and its exact place.

use crate::reader::Fault;

/// What it cannot read.
pub fn read(text: &str) -> Vec<Fault> {
    let errors = squawk_syntax::SourceFile::parse(text).errors();
    let fault = |error: &squawk_syntax::syntax_error::SyntaxError| {
        let start = usize::from(error.range().start());
        let line = text[..start].matches('\n').count() + 1;
        let text = format!("{}: {}", error.message(), text[start..].lines().next().unwrap_or_default());
        Fault { line, text }
    };
    errors.iter().map(fault).collect()
}
