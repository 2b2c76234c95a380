//! Statements with their places, and the first fault of one that cannot be read.

// A method of `Parser<'_>` is not general enough over its lifetime to be passed by name.
#![allow(clippy::redundant_closure_for_method_calls)]

use crate::dialect::Dialect;
use crate::sql::gaps::Stream;
use crate::sql::split::{Kind, split};
use crate::sql::token::{self, Lexeme};
use sqlparser::ast::{Expr, Query, Statement};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};
use std::ops::Range;

/// Nesting beyond this is refused. The default of 50 refuses 24 nested subqueries, which people write.
const NESTING: usize = 256;

/// Operators in one chain beyond this are refused: the tree of `a AND a AND ..` is as deep as it is long, and walking or
/// dropping it would overflow the stack, which nothing can catch.
const CHAIN: usize = 2_000;

/// A statement that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Its bytes, without the semicolon.
    pub range: Range<usize>,
    /// True when a semicolon follows.
    pub terminated: bool,
    /// What it says. Places in it are bytes: see [`token::bytes`].
    pub statement: Statement,
    /// What it says beyond that: clauses that `sqlparser` cannot hold. See [`crate::sql::facts`].
    pub notes: Vec<Note>,
    /// Its tokens as they stand in the text, without spaces and comments.
    pub tokens: Vec<Lexeme>,
}

/// A clause that `sqlparser` cannot hold, taken out before parsing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The place of the fact that it becomes: `hint`, `alias`.
    pub place: &'static str,
    /// The clause.
    pub text: String,
    /// Its bytes.
    pub range: Range<usize>,
}

/// Why a text cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFault {
    /// Bytes of the text; empty at its end.
    pub range: Range<usize>,
    /// What was expected or is wrong.
    pub message: String,
}

impl std::fmt::Display for ParseFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (byte {})", self.message, self.range.start)
    }
}

impl std::error::Error for ParseFault {}

/// Reads every statement of a script. The first that cannot be read is the error.
pub fn parse(text: &str, dialect: &Dialect) -> Result<Vec<Parsed>, ParseFault> {
    let pieces = split(text, dialect);
    let mut parsed = Vec::new();
    for (at, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.kind == Kind::Statement) {
        let terminated = pieces[at + 1..].iter().find(|next| next.kind != Kind::Gap);
        let terminated = terminated.is_some_and(|next| next.kind == Kind::Terminator);
        parsed.push(statement(text, piece.range.clone(), terminated, dialect)?);
    }
    Ok(parsed)
}

/// Reads one statement of a script; the range is that of a [`Kind::Statement`] piece.
pub fn statement(text: &str, range: Range<usize>, terminated: bool, dialect: &Dialect) -> Result<Parsed, ParseFault> {
    let tokens = tokens(text, range.clone(), dialect)?;
    let lexemes = tokens
        .iter()
        .filter(|found| !token::blank(&found.token))
        .map(|found| Lexeme { token: found.token.clone(), range: token::bytes(found.span).unwrap_or(range.clone()) })
        .collect();
    let mut stream = Stream::new(tokens, dialect);
    stream.close_gaps();
    let Stream { tokens, notes, .. } = stream;
    let statement = read(tokens, range.clone(), dialect, |parser| parser.parse_statement())?;
    Ok(Parsed { range, terminated, statement, notes, tokens: lexemes })
}

/// The tokens of a range, checked so that no later step can run out of stack.
pub(super) fn tokens(text: &str, range: Range<usize>, dialect: &Dialect) -> Result<Vec<TokenWithSpan>, ParseFault> {
    let tokens = token::tokenize(text, range.clone(), dialect)?;
    let mut depth = Depth::default();
    for found in tokens.iter().filter(|found| !token::blank(&found.token)) {
        depth.read(&found.token);
        let message = if found.token == Token::SemiColon {
            "a semicolon inside a statement".to_owned()
        } else if depth.now() > CHAIN {
            format!("more than {CHAIN} operators in one expression")
        } else {
            continue;
        };
        return Err(ParseFault { range: token::bytes(found.span).unwrap_or(range), message });
    }
    Ok(tokens)
}

/// How deep the tree of the tokens can be, from above: operators bind to the left, so that each makes what stands before
/// it deeper by one.
struct Depth {
    /// The open brackets, the innermost last.
    levels: Vec<Level>,
}

#[derive(Default)]
struct Level {
    /// Of the list item that is being read.
    item: usize,
    /// Of the deepest item before it.
    items: usize,
    /// UNION and the like: a list does not end their chain.
    branches: usize,
}

impl Default for Depth {
    fn default() -> Self {
        Self { levels: vec![Level::default()] }
    }
}

impl Depth {
    fn now(&self) -> usize {
        self.levels.last().map_or(0, |level| level.items.max(level.item) + level.branches)
    }

    fn read(&mut self, token: &Token) {
        if matches!(token, Token::LParen | Token::LBracket) {
            return self.levels.push(Level::default());
        }
        let inner = self.now();
        if matches!(token, Token::RParen | Token::RBracket) && self.levels.len() > 1 {
            self.levels.pop();
            if let Some(outer) = self.levels.last_mut() {
                outer.item = outer.item.max(inner + 1);
            }
            return;
        }
        let Some(level) = self.levels.last_mut() else { return };
        match token {
            Token::Comma => {
                level.items = level.items.max(level.item);
                level.item = 0;
            }
            Token::Word(word) if word.quote_style.is_none() => {
                let is = |words: &[&str]| words.iter().any(|one| word.value.eq_ignore_ascii_case(one));
                level.branches += usize::from(is(&["UNION", "EXCEPT", "INTERSECT", "MINUS"]));
                level.item += usize::from(is(&["AND", "OR", "IS", "NOT", "COLLATE", "LIKE", "IN", "AT"]));
            }
            Token::Word(_) | Token::Number(..) | Token::SingleQuotedString(_) | Token::Period => {}
            _ => level.item += 1,
        }
    }
}

/// Reads all of the tokens as one expression.
pub(super) fn expression(
    tokens: Vec<TokenWithSpan>,
    range: Range<usize>,
    dialect: &Dialect,
) -> Result<Expr, ParseFault> {
    read(tokens, range, dialect, |parser| parser.parse_expr())
}

/// Reads all of the tokens as one query.
pub(super) fn query(
    tokens: Vec<TokenWithSpan>,
    range: Range<usize>,
    dialect: &Dialect,
) -> Result<Box<Query>, ParseFault> {
    read(tokens, range, dialect, |parser| parser.parse_query())
}

/// Reads all of the tokens as one thing.
fn read<T>(
    tokens: Vec<TokenWithSpan>,
    range: Range<usize>,
    dialect: &Dialect,
    what: impl FnOnce(&mut Parser) -> Result<T, ParserError>,
) -> Result<T, ParseFault> {
    let reader = (dialect.parser)();
    let mut parser = Parser::new(&*reader).with_recursion_limit(NESTING).with_tokens_with_locations(tokens);
    let read = what(&mut parser).map_err(|error| fault(&error, &range))?;
    let next = parser.peek_token_ref();
    if next.token != Token::EOF {
        let at = token::bytes(next.span).unwrap_or(range);
        return Err(ParseFault { range: at, message: format!("expected the end, found: {}", next.token) });
    }
    Ok(read)
}

/// `sqlparser` tells the place in its message alone, and not always.
fn fault(error: &ParserError, range: &Range<usize>) -> ParseFault {
    let text = match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text.as_str(),
        ParserError::RecursionLimitExceeded => "it is nested too deeply",
    };
    let (message, place) = text.split_once(" at Line: 1, Column: ").unwrap_or((text, ""));
    let start =
        place.parse::<usize>().map_or(range.end, |column| column.saturating_sub(1)).clamp(range.start, range.end);
    ParseFault { range: start..range.end.max(start), message: worded(message) }
}

/// A message of `sqlparser` as ours are written: lower case, without a full stop.
pub(super) fn worded(message: &str) -> String {
    let message =
        message.trim_end_matches('.').replace("found: EOF", "found the end").replace("before EOF", "before the end");
    let mut chars = message.chars();
    let first = chars.next();
    // A word in capitals is SQL.
    let small = chars.clone().next().is_some_and(char::is_lowercase);
    first.into_iter().map(|c| if small { c.to_ascii_lowercase() } else { c }).chain(chars).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::parse;
    use crate::dialect;
    use crate::sql::conform::conform;
    use crate::sql::facts::facts;

    #[test]
    fn a_fault_has_its_place_in_bytes() {
        let postgres = dialect::find("postgres").unwrap();
        let text = "SELECT '注文';\nSELECT a FROM WHERE b;";
        let fault = parse(text, postgres).unwrap_err();
        assert_eq!(&text[fault.range.start..fault.range.start + 5], "WHERE");
        let fault = parse("DELETE FROM t WHRE id = 1", postgres).unwrap_err();
        assert_eq!(fault.range.start, 19);
        let fault = parse("SELECT 1; SELECT 'a", postgres).unwrap_err();
        assert_eq!(fault.range.start, 17);
    }

    #[test]
    fn depth_and_length_are_refused_and_never_overflow() {
        let postgres = dialect::find("postgres").unwrap();
        let deep = format!("SELECT {}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(parse(&deep, postgres).is_err());
        let long = format!("SELECT a FROM t WHERE a = 1{}", " AND a = 1".repeat(100_000));
        assert!(parse(&long, postgres).is_err());
        let calls = format!("SELECT a FROM t WHERE f(a, b){}", " OR f(a, b)".repeat(100_000));
        assert!(parse(&calls, postgres).is_err());
        let left =
            format!("SELECT {}1{}", "(".repeat(200), " + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1)".repeat(200));
        assert!(parse(&left, postgres).is_err());
        let union = format!("SELECT 1, 2{}", " UNION ALL SELECT 1, 2".repeat(100_000));
        assert!(parse(&union, postgres).is_err());
        for most in [
            format!("SELECT a FROM t WHERE a = 1{}", " AND a = 1".repeat(900)),
            format!("INSERT INTO t SELECT 1, 2{}", " UNION ALL SELECT 1, 2".repeat(1_900)),
            format!("INSERT INTO t (a, b) VALUES (1, 2){}", ", (1, 2)".repeat(20_000)),
        ] {
            let parsed = parse(&most, postgres).unwrap();
            assert_eq!(conform(&most, &parsed, postgres), []);
            assert!(!facts(&parsed[0]).lines().is_empty());
        }
    }

    #[test]
    fn what_is_read_can_be_walked_on_a_small_stack() {
        // Tests run on threads of 2 MB, and in debug builds frames are large.
        let postgres = dialect::find("postgres").unwrap();
        let whole = |sql: &str| {
            let Ok(parsed) = parse(sql, postgres) else { return false };
            assert!(conform(sql, &parsed, postgres).is_empty());
            assert!(!facts(&parsed[0]).lines().is_empty());
            true
        };
        let chain = |n: usize| format!("SELECT a FROM t WHERE a = 1{}", " OR a = 1".repeat(n));
        assert!(whole(&chain(990)) && !whole(&chain(2000)));
        let brackets = |n: usize| format!("SELECT {}1{}", "(".repeat(n), ")".repeat(n));
        let queries = |n: usize| format!("SELECT a FROM {}t{}", "(SELECT a FROM ".repeat(n), ") AS d".repeat(n));
        let cases = |n: usize| format!("SELECT {}1{}", "CASE WHEN a THEN ".repeat(n), " END".repeat(n));
        for nested in [brackets, queries, cases] {
            let most = (1..400).take_while(|n| whole(&nested(*n))).count();
            assert!((20..399).contains(&most), "{most}");
        }
    }

    #[test]
    fn statements_know_their_semicolon() {
        let parsed = parse("SELECT 1; -- x\nSELECT 2", dialect::find("postgres").unwrap()).unwrap();
        assert_eq!(parsed.iter().map(|p| p.terminated).collect::<Vec<_>>(), [true, false]);
        assert_eq!(parsed[1].range, 15..23);
    }
}
