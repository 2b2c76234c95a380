//! Tokens with their place in bytes, and token text with one spacing.

use crate::dialect::Dialect;
use crate::sql::parse::{ParseFault, worded};
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Tokenizer, Whitespace};
use std::ops::Range;

/// A token that is neither space nor comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// The token.
    pub token: Token,
    /// Its bytes in the whole text.
    pub range: Range<usize>,
}

/// Tokens of `text[range]`. Their spans are rewritten: line 1, and as column the byte offset in the whole text plus one,
/// so that every place that `sqlparser` reports from here on is a byte offset.
///
/// Strings and quoted names keep their escapes: printing them gives the source again, and two literals that differ never
/// print alike.
pub(super) fn tokenize(text: &str, range: Range<usize>, dialect: &Dialect) -> Result<Vec<TokenWithSpan>, ParseFault> {
    let reader = (dialect.parser)();
    let piece = &text[range.clone()];
    let mut tokens = Vec::new();
    let outcome = Tokenizer::new(&*reader, piece).with_unescape(false).tokenize_with_location_into_buf(&mut tokens);
    let mut places = Places::new(piece, range.start);
    if let Err(fault) = outcome {
        let at = places.byte(fault.location);
        return Err(ParseFault { range: at..range.end.max(at), message: worded(&fault.message) });
    }
    for token in &mut tokens {
        let start = places.byte(token.span.start);
        let end = places.byte(token.span.end);
        token.span = Span::new(location(start), location(end));
    }
    Ok(tokens)
}

/// A byte offset as a place.
fn location(byte: usize) -> Location {
    Location::new(1, byte as u64 + 1)
}

/// The bytes of a place in an AST made of the tokens of `tokenize`; `None` where the parser left none.
pub fn bytes(span: Span) -> Option<Range<usize>> {
    (span.start.line == 1).then(|| byte(span.start)..byte(span.end))
}

fn byte(location: Location) -> usize {
    usize::try_from(location.column.saturating_sub(1)).unwrap_or(usize::MAX)
}

/// Turns lines and columns (counted in characters, from 1) into bytes; cheap when asked in order.
struct Places<'a> {
    text: &'a str,
    base: usize,
    line: u64,
    column: u64,
    at: usize,
}

impl<'a> Places<'a> {
    fn new(text: &'a str, base: usize) -> Self {
        Self { text, base, line: 1, column: 1, at: 0 }
    }

    fn byte(&mut self, place: Location) -> usize {
        if (place.line, place.column) < (self.line, self.column) {
            (self.line, self.column, self.at) = (1, 1, 0);
        }
        for c in self.text[self.at..].chars() {
            if (place.line, place.column) <= (self.line, self.column) {
                break;
            }
            self.at += c.len_utf8();
            if c == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else {
                self.column += 1;
            }
        }
        self.base + self.at
    }
}

/// True for spaces and comments.
pub(super) fn blank(token: &Token) -> bool {
    matches!(token, Token::Whitespace(_))
}

/// True for comments.
pub(super) fn comment(token: &Token) -> bool {
    matches!(token, Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)))
}

/// True when the token is this keyword or bare word, in any case.
pub fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(found) if found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word))
}

/// Words that are no functions: a space stands between them and a bracket.
const BEFORE_BRACKET: [&str; 32] = [
    "all",
    "and",
    "any",
    "as",
    "by",
    "case",
    "default",
    "else",
    "except",
    "exists",
    "from",
    "in",
    "intersect",
    "into",
    "is",
    "join",
    "lateral",
    "not",
    "on",
    "option",
    "or",
    "over",
    "select",
    "set",
    "some",
    "then",
    "union",
    "using",
    "values",
    "when",
    "where",
    "with",
];

/// Token text with one spacing, however the source was laid out: comments are dropped, brackets hug their contents.
pub fn plain<'t>(tokens: impl IntoIterator<Item = &'t Token>) -> String {
    let mut out = String::new();
    let mut before: Option<&Token> = None;
    for token in tokens.into_iter().filter(|token| !blank(token)) {
        let tight = match (before, token) {
            (None, _) => true,
            (Some(Token::LParen | Token::LBracket | Token::Period | Token::DoubleColon), _) => true,
            (_, Token::RParen | Token::RBracket | Token::LBracket | Token::Comma | Token::Period) => true,
            (_, Token::SemiColon | Token::DoubleColon) => true,
            (Some(word @ Token::Word(_)), Token::LParen) => !BEFORE_BRACKET.iter().any(|before| is_word(word, before)),
            _ => false,
        };
        if !tight {
            out.push(' ');
        }
        out.push_str(&token.to_string());
        before = Some(token);
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{bytes, plain, tokenize};
    use crate::dialect;

    #[test]
    fn spans_are_bytes_of_the_whole_text() {
        let text = "-- 注文\r\nSELECT '😀' AS \"列\",\n\tx FROM t";
        let tokens = tokenize(text, 0..text.len(), dialect::find("postgres").unwrap()).unwrap();
        for token in &tokens {
            let range = bytes(token.span).unwrap();
            if !super::blank(&token.token) {
                assert_eq!(&text[range], token.token.to_string());
            }
        }
        assert_eq!(plain(tokens.iter().map(|token| &token.token)), "SELECT '😀' AS \"列\", x FROM t");
    }

    #[test]
    fn layout_does_not_change_the_text() {
        let postgres = dialect::find("postgres").unwrap();
        let text = |sql: &str| plain(tokenize(sql, 0..sql.len(), postgres).unwrap().iter().map(|t| &t.token));
        assert_eq!(
            text("SELECT pg_advisory_xact_lock ( hashtextextended('a.b' , 0) )"),
            text("SELECT\n  pg_advisory_xact_lock(hashtextextended('a.b', 0)) -- one at a time")
        );
        assert_ne!(text("SELECT 'a  b'"), text("SELECT 'a b'"));
    }
}
