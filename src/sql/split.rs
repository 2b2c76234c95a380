//! A script cut into statements, by its characters alone: a statement that nobody can parse spoils no other one.

use crate::dialect::Dialect;
use crate::sql::lex::{self, Extras, lex};
use crate::sql::lexis::Lexis;
use std::ops::Range;

/// What a stretch of a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A statement without its semicolon, from its first to its last word.
    Statement,
    /// Spaces and comments between statements.
    Gap,
    /// The semicolon.
    Terminator,
}

/// A stretch of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// Cuts a script into statements, the gaps around them and their semicolons. Every byte is in exactly one piece, in
/// order. An open quote or comment runs to the end of the text. What clients and template engines would read is code.
pub fn split(text: &str, dialect: &Dialect) -> Vec<Piece> {
    let lexed = lex(text, 0..text.len(), Lexis::of(dialect), Extras { client: None, templates: false });
    let mut pieces: Vec<Piece> = Vec::new();
    let mut statement: Option<Range<usize>> = None;
    let mut gap_from = 0;
    for token in lexed.tokens {
        let (start, end) = (token.start as usize, token.end as usize);
        if token.kind == lex::Kind::Semicolon {
            if let Some(range) = statement.take() {
                gap_from = range.end;
                push(&mut pieces, Kind::Statement, range);
            }
            push(&mut pieces, Kind::Gap, gap_from..start);
            push(&mut pieces, Kind::Terminator, start..end);
            gap_from = end;
        } else if let Some(range) = &mut statement {
            range.end = end;
        } else {
            push(&mut pieces, Kind::Gap, gap_from..start);
            statement = Some(start..end);
        }
    }
    if let Some(range) = statement {
        gap_from = range.end;
        push(&mut pieces, Kind::Statement, range);
    }
    push(&mut pieces, Kind::Gap, gap_from..text.len());
    pieces
}

fn push(pieces: &mut Vec<Piece>, kind: Kind, range: Range<usize>) {
    if !range.is_empty() {
        pieces.push(Piece { kind, range });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{Kind, split};
    use crate::dialect;
    use proptest::prelude::*;

    fn statements<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
        split(text, dialect::find(name).unwrap())
            .into_iter()
            .filter(|piece| piece.kind == Kind::Statement)
            .map(|piece| &text[piece.range])
            .collect()
    }

    #[test]
    fn a_semicolon_counts_only_outside_quotes_and_comments() {
        let text = "-- a;\nSELECT 'x;''y;', \"a;b\" /* ; /* ; */ ; */ ;; SELECT $f$ ; $$ ; $f$ -- ;\n; SELECT E'\\';' ; -- end";
        assert_eq!(
            statements(text, "postgres"),
            ["SELECT 'x;''y;', \"a;b\"", "SELECT $f$ ; $$ ; $f$", "SELECT E'\\';'"]
        );
        assert_eq!(statements("SELECT '\\'; SELECT $1", "postgres"), ["SELECT '\\'", "SELECT $1"]);
    }

    #[test]
    fn an_open_quote_runs_to_the_end() {
        assert_eq!(statements("SELECT 1; SELECT 'a; SELECT 2", "postgres"), ["SELECT 1", "SELECT 'a; SELECT 2"]);
        assert_eq!(statements("  /* nothing", "postgres"), [] as [&str; 0]);
    }

    proptest! {
        #[test]
        fn no_byte_is_lost(text in r#"([a-zé'"`;$\\\[\]/*\n #eEqQ(){}-]|--|/\*|\*/|\$\$|q'\[|E'|'''){0,40}"#) {
            for dialect in dialect::ALL {
                let mut at = 0;
                for piece in split(&text, dialect) {
                    prop_assert_eq!(piece.range.start, at);
                    prop_assert!(text.is_char_boundary(piece.range.end));
                    at = piece.range.end;
                }
                prop_assert_eq!(at, text.len());
            }
        }
    }
}
