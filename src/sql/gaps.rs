//! Valid SQL that `sqlparser` 0.64 cannot read. Each construct is closed by one function, which takes its tokens out and
//! leaves a note that becomes a fact. A test for each asserts that `sqlparser` alone still refuses it: when a newer
//! version reads it, the test fails and the function goes.

use crate::dialect::Dialect;
use crate::sql::parse::Note;
use crate::sql::token::{self, blank, is_word, plain};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Word};
use std::ops::Range;

/// The tokens of one statement, with those that count numbered from 0.
pub(super) struct Stream<'a> {
    pub(super) tokens: Vec<TokenWithSpan>,
    pub(super) notes: Vec<Note>,
    dialect: &'a Dialect,
    /// Where the tokens that are neither space nor comment stand in `tokens`.
    solid: Vec<usize>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(tokens: Vec<TokenWithSpan>, dialect: &'a Dialect) -> Self {
        let mut stream = Self { tokens, notes: Vec::new(), dialect, solid: Vec::new() };
        stream.number();
        stream
    }

    /// Takes out whatever `sqlparser` cannot read.
    pub(super) fn close_gaps(&mut self) {
        for gap in [
            insert_alias,
            conflict_target_expressions,
            merge_target_hint,
            merge_option,
            merge_schema_evolution,
            merge_remove_duplicates,
        ] {
            gap(self);
        }
    }

    fn number(&mut self) {
        self.solid =
            self.tokens.iter().enumerate().filter(|(_, found)| !blank(&found.token)).map(|(at, _)| at).collect();
    }

    fn get(&self, at: usize) -> Option<&Token> {
        self.solid.get(at).map(|&at| &self.tokens[at].token)
    }

    fn is(&self, at: usize, token: &Token) -> bool {
        self.get(at) == Some(token)
    }

    /// True when these words stand there; `(` stands for itself.
    fn words(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(i, word)| match self.get(at + i) {
            Some(Token::LParen) => *word == "(",
            Some(found) => is_word(found, word),
            None => false,
        })
    }

    /// The first place at or after `from` where these words stand.
    fn find(&self, from: usize, words: &[&str]) -> Option<usize> {
        (from..self.solid.len()).find(|&at| self.words(at, words))
    }

    /// Where the verb stands: first, or behind the WITH queries.
    fn verb(&self, verb: &str) -> Option<usize> {
        if self.words(0, &[verb]) {
            return Some(0);
        }
        if !self.words(0, &["WITH"]) {
            return None;
        }
        let mut depth = 0_usize;
        (1..self.solid.len()).find(|&at| {
            match self.get(at) {
                Some(Token::LParen) => depth += 1,
                Some(Token::RParen) => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && self.words(at, &[verb]) && self.is(at - 1, &Token::RParen)
        })
    }

    /// Behind a name that may have dots.
    fn after_name(&self, mut at: usize) -> Option<usize> {
        loop {
            matches!(self.get(at), Some(Token::Word(_))).then_some(())?;
            at += 1;
            if !self.is(at, &Token::Period) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// The bracket that closes the one at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (open..self.solid.len()).find(|&at| {
            match self.get(at) {
                Some(Token::LParen) => depth += 1,
                Some(Token::RParen) => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    }

    fn text(&self, range: Range<usize>) -> String {
        plain(range.filter_map(|at| self.get(at)))
    }

    fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| self.solid.get(at).and_then(|&at| token::bytes(self.tokens[at].span));
        let start = place(range.start).unwrap_or_default();
        start.start..place(range.end.saturating_sub(1)).unwrap_or(start).end
    }

    /// Takes tokens out; `kept` of them is what the note says.
    fn take(&mut self, range: Range<usize>, place: &'static str, kept: Range<usize>) {
        self.notes.push(Note { place, text: self.text(kept), range: self.bytes(&range) });
        self.replace(range, None);
    }

    fn replace(&mut self, range: Range<usize>, word: Option<String>) {
        let (Some(&from), Some(&to)) = (self.solid.get(range.start), self.solid.get(range.end.saturating_sub(1)))
        else {
            return;
        };
        let span = Span::new(self.tokens[from].span.start, self.tokens[to].span.end);
        let word = word.map(|value| TokenWithSpan {
            token: Token::Word(Word { value, quote_style: None, keyword: Keyword::NoKeyword }),
            span,
        });
        self.tokens.splice(from..=to, word);
        self.number();
    }
}

/// `INSERT INTO t AS x`, where the reader knows no alias there: note `alias`.
fn insert_alias(stream: &mut Stream) {
    if (stream.dialect.parser)().supports_insert_table_alias() {
        return;
    }
    let Some(into) = stream.verb("INSERT").and_then(|verb| stream.find(verb, &["INTO"])) else { return };
    let Some(end) = stream.after_name(into + 1) else { return };
    if stream.words(end, &["AS"]) && matches!(stream.get(end + 1), Some(Token::Word(_))) {
        stream.take(end..end + 2, "alias", end + 1..end + 2);
    }
}

/// `ON CONFLICT (a, COALESCE(b, ''), c COLLATE x)`: each entry that is not a plain column becomes a column whose name is
/// the normal text of the expression.
fn conflict_target_expressions(stream: &mut Stream) {
    let mut from = 0;
    while let Some(found) = stream.find(from, &["ON", "CONFLICT", "("]) {
        from = found + 3;
        let Some(close) = stream.closing(found + 2) else { return };
        let mut entries = Vec::new();
        let (mut start, mut depth) = (from, 0_usize);
        for at in from..=close {
            match stream.get(at) {
                Some(Token::LParen) => depth += 1,
                Some(Token::RParen) if at < close => depth = depth.saturating_sub(1),
                Some(Token::Comma | Token::RParen) if depth == 0 => {
                    entries.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
        }
        // From the last, so that the places of the others stay.
        for entry in entries.into_iter().rev() {
            if entry.len() > 1 {
                let text = normal_entry(stream, entry.clone());
                stream.replace(entry, Some(text));
            }
        }
    }
}

/// The entry as `sqlparser` prints it, so that layout does not count; as its tokens where it has an operator class.
fn normal_entry(stream: &Stream, entry: Range<usize>) -> String {
    let tokens = entry.clone().filter_map(|at| stream.solid.get(at)).map(|&at| stream.tokens[at].clone()).collect();
    let bytes = stream.bytes(&entry);
    crate::sql::parse::read(tokens, bytes, stream.dialect, |parser| parser.parse_expr())
        .map_or_else(|_| stream.text(entry), |expression| expression.to_string())
}

/// `MERGE INTO t WITH (HOLDLOCK) AS t`: note `hint`.
fn merge_target_hint(stream: &mut Stream) {
    let Some(verb) = stream.verb("MERGE") else { return };
    let target = verb + 1 + usize::from(stream.words(verb + 1, &["INTO"]));
    let Some(end) = stream.after_name(target) else { return };
    if !stream.words(end, &["WITH", "("]) {
        return;
    }
    if let Some(close) = stream.closing(end + 1) {
        stream.take(end..close + 1, "hint", end + 2..close);
    }
}

/// `OPTION (LOOP JOIN)` at the end of a MERGE: note `option`.
fn merge_option(stream: &mut Stream) {
    let Some(verb) = stream.verb("MERGE") else { return };
    let Some(option) = stream.find(verb, &["OPTION", "("]) else { return };
    match stream.closing(option + 1) {
        Some(close) if close + 1 == stream.solid.len() => stream.take(option..close + 1, "option", option + 2..close),
        _ => {}
    }
}

/// `MERGE WITH SCHEMA EVOLUTION INTO t`: note `with schema evolution`.
fn merge_schema_evolution(stream: &mut Stream) {
    let Some(verb) = stream.verb("MERGE") else { return };
    if stream.words(verb + 1, &["WITH", "SCHEMA", "EVOLUTION"]) {
        stream.take(verb + 1..verb + 4, "with schema evolution", 0..0);
    }
}

/// `MERGE INTO t USING s ON .. REMOVE DUPLICATES`: note `remove duplicates`.
fn merge_remove_duplicates(stream: &mut Stream) {
    let Some(verb) = stream.verb("MERGE") else { return };
    let end = stream.solid.len();
    if end > verb + 2 && stream.words(end - 2, &["REMOVE", "DUPLICATES"]) {
        stream.take(end - 2..end, "remove duplicates", 0..0);
    }
}
