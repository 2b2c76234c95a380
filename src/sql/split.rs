//! A script cut into statements, by its characters alone: a statement that nobody can parse spoils no other one.

use crate::dialect::Dialect;
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
/// order. An open quote or comment runs to the end of the text.
pub fn split(text: &str, dialect: &Dialect) -> Vec<Piece> {
    let lexer = Lexer::new(text, dialect);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut statement: Option<Range<usize>> = None;
    let mut gap_from = 0;
    let mut at = 0;
    while at < text.len() {
        let (run, end) = lexer.next(at);
        match run {
            Run::Blank => {}
            Run::Code => {
                if statement.is_none() {
                    push(&mut pieces, Kind::Gap, gap_from..at);
                }
                let start = statement.take().map_or(at, |range| range.start);
                statement = Some(start..end);
            }
            Run::Semicolon => {
                if let Some(range) = statement.take() {
                    gap_from = range.end;
                    push(&mut pieces, Kind::Statement, range);
                }
                push(&mut pieces, Kind::Gap, gap_from..at);
                push(&mut pieces, Kind::Terminator, at..end);
                gap_from = end;
            }
        }
        at = end;
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

enum Run {
    Blank,
    Code,
    Semicolon,
}

/// The lexical rules of a dialect that decide where a semicolon counts.
struct Lexer<'a> {
    text: &'a str,
    /// A backslash in `'..'` takes the next character with it.
    backslash: bool,
    /// `E'..'` has backslashes where `'..'` has none.
    escape_constant: bool,
    /// `"..."` is a string.
    double_quoted_strings: bool,
    backticks: bool,
    brackets: bool,
    dollar_quotes: bool,
    triple_quotes: bool,
    /// `q'[..]'`
    delimited_strings: bool,
    nested_comments: bool,
    hash_comments: bool,
    /// What stands in `/*! .. */` is run.
    comments_run: bool,
    /// `--` opens a comment only before a space.
    dashes_need_space: bool,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, dialect: &Dialect) -> Self {
        let reader = (dialect.parser)();
        Self {
            text,
            backslash: reader.supports_string_literal_backslash_escape(),
            escape_constant: reader.supports_string_escape_constant(),
            double_quoted_strings: !dialect.syntax.double_quote_names,
            backticks: reader.is_delimited_identifier_start('`'),
            brackets: dialect.syntax.bracket_names,
            dollar_quotes: !reader.supports_dollar_placeholder(),
            triple_quotes: reader.supports_triple_quoted_string(),
            delimited_strings: reader.supports_quote_delimited_string(),
            nested_comments: reader.supports_nested_comments(),
            hash_comments: reader.supports_hash_comment(),
            comments_run: reader.supports_multiline_comment_hints(),
            dashes_need_space: reader.requires_single_line_comment_whitespace(),
        }
    }

    /// The run that begins at a byte, and where it ends: always after at least one character.
    fn next(&self, at: usize) -> (Run, usize) {
        let rest = &self.text[at..];
        let mut chars = rest.chars();
        let first = chars.next().unwrap_or(' ');
        let second = chars.next().unwrap_or('\0');
        match (first, second) {
            (';', _) => (Run::Semicolon, at + 1),
            ('-', '-') if !self.dashes_need_space || rest[2..].chars().next().is_none_or(char::is_whitespace) => {
                (Run::Blank, self.line_end(at))
            }
            ('#', _) if self.hash_comments => (Run::Blank, self.line_end(at)),
            ('/', '*') if self.comments_run && rest.starts_with("/*!") => (Run::Code, self.comment_end(at)),
            ('/', '*') => (Run::Blank, self.comment_end(at)),
            ('\'', _) => (Run::Code, self.quoted(at, self.backslash)),
            ('"', _) => (Run::Code, self.quoted(at, self.backslash && self.double_quoted_strings)),
            ('`', _) if self.backticks => (Run::Code, self.delimited(at, '`')),
            ('[', _) if self.brackets => (Run::Code, self.delimited(at, ']')),
            ('$', _) if self.dollar_quotes => (Run::Code, self.dollar_quoted(at)),
            ('\u{feff}', _) if at == 0 => (Run::Blank, first.len_utf8()),
            _ if first.is_whitespace() => (Run::Blank, at + first.len_utf8()),
            _ if first.is_alphanumeric() || first == '_' => (Run::Code, self.word(at)),
            _ => (Run::Code, at + first.len_utf8()),
        }
    }

    fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |found| at + found + 1)
    }

    fn comment_end(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let (mut depth, mut at) = (1, at + 2);
        while at < bytes.len() {
            if bytes[at..].starts_with(b"*/") {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            } else if self.nested_comments && bytes[at..].starts_with(b"/*") {
                depth += 1;
                at += 2;
            } else {
                at += 1;
            }
        }
        self.text.len()
    }

    /// The end of a string or name whose quote stands at `at`. A doubled quote ends one and begins the next, which comes
    /// to the same.
    fn quoted(&self, at: usize, backslash: bool) -> usize {
        let quote = self.text.as_bytes()[at];
        let triple = [quote; 3];
        if self.triple_quotes && self.text.as_bytes()[at..].starts_with(&triple) {
            return self.until(at + 3, &triple, backslash);
        }
        self.until(at + 1, &[quote], backslash)
    }

    fn delimited(&self, at: usize, close: char) -> usize {
        self.until(at + 1, close.to_string().as_bytes(), false)
    }

    /// After the next occurrence of an ASCII delimiter.
    fn until(&self, from: usize, close: &[u8], backslash: bool) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            if backslash && bytes[at] == b'\\' {
                at += 1;
                // The character behind it may be longer than a byte.
                at += self.text[at..].chars().next().map_or(0, char::len_utf8);
            } else if bytes[at..].starts_with(close) {
                return at + close.len();
            } else {
                at += 1;
            }
        }
        self.text.len()
    }

    /// `$tag$ .. $tag$`, or a lone dollar sign.
    fn dollar_quoted(&self, at: usize) -> usize {
        let inner = &self.text[at + 1..];
        let length = inner.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(inner.len());
        let digits_first = inner.starts_with(|c: char| c.is_ascii_digit());
        if digits_first || !inner[length..].starts_with('$') {
            return at + 1;
        }
        let tag = &self.text[at..at + length + 2];
        let body = at + tag.len();
        self.text[body..].find(tag).map_or(self.text.len(), |found| body + found + tag.len())
    }

    /// A word, with the string that belongs to it: `E'..'`, `q'[..]'`. A dollar sign inside is a part of the word.
    fn word(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        let (word, end) = (&rest[..length], at + length);
        if !rest[length..].starts_with('\'') {
            return end;
        }
        if self.escape_constant && word.eq_ignore_ascii_case("e") {
            return self.quoted(end, true);
        }
        let delimited = self.delimited_strings && (word.eq_ignore_ascii_case("q") || word.eq_ignore_ascii_case("nq"));
        if let Some(open) = rest[length + 1..].chars().next().filter(|_| delimited) {
            let close = match open {
                '[' => ']',
                '{' => '}',
                '(' => ')',
                '<' => '>',
                other => other,
            };
            return self.until(end + 1 + open.len_utf8(), format!("{close}'").as_bytes(), false);
        }
        end
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
