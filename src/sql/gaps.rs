//! Valid SQL that `sqlparser` 0.64 cannot read. Each construct is closed by one function, which takes its tokens out and
//! leaves a note that becomes a fact. `tests/it/conformance_gaps.rs` asserts for each that `sqlparser` alone still
//! refuses it: when a newer version reads it, the test fails and the function goes.

mod define;

use crate::dialect::Dialect;
use crate::dialect::mechanism::{Form, Support};
use crate::sql::parse::{self, Note};
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
            do_expression,
            variable,
            insert_settings,
            define::table_tail,
            define::interval_column,
            define::column_called_key,
            define::comment_on,
            define::computed_column,
            define::identity_numbers,
            define::add_column_guard,
            define::alter_column_type,
        ] {
            gap(self);
        }
        self.close_inner_gaps();
    }

    /// The same for an expression or a query alone.
    pub(super) fn close_inner_gaps(&mut self) {
        final_table(self);
        interval_type(self);
        char_semantics(self);
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

    /// Puts another token in the place of one.
    fn set(&mut self, at: usize, token: Token) {
        if let Some(&at) = self.solid.get(at) {
            self.tokens[at].token = token;
        }
    }

    /// Puts one word, or nothing, in the place of tokens.
    fn replace(&mut self, range: Range<usize>, word: Option<String>) {
        if range.is_empty() {
            return;
        }
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
    parse::expression(tokens, bytes, stream.dialect)
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

/// `DO RELEASE_LOCK('x')`, a SELECT without a result: note `do`.
fn do_expression(stream: &mut Stream) {
    if stream.words(0, &["DO"])
        && !matches!(stream.get(1), Some(Token::SingleQuotedString(_) | Token::DollarQuotedString(_)))
    {
        stream.notes.push(Note { place: "do", text: String::new(), range: stream.bytes(&(0..1)) });
        stream.set(0, Token::make_keyword("SELECT"));
    }
}

/// `SET VAR x = ..` and `DECLARE OR REPLACE VARIABLE x type DEFAULT ..`, read as `SET x = ..`. The fact of such a
/// statement is its own words, so nothing gets lost.
fn variable(stream: &mut Stream) {
    if stream.words(0, &["SET", "VAR"]) || stream.words(0, &["SET", "VARIABLE"]) {
        if matches!(stream.get(2), Some(Token::Word(_))) {
            stream.replace(1..2, None);
        }
        return;
    }
    let name = match stream.find(0, &["VARIABLE"]) {
        Some(at @ (1 | 3)) if stream.words(0, &["DECLARE"]) => at + 1,
        _ => return,
    };
    let end = stream.solid.len();
    let value = (name + 1..end).find(|&at| stream.words(at, &["DEFAULT"]) || stream.is(at, &Token::Eq));
    let equals = value.unwrap_or(name + 1);
    if equals >= end {
        return;
    }
    stream.set(equals, Token::Eq);
    if value.is_none() {
        stream.replace(equals + 1..end, None);
        let span = stream.tokens[stream.solid[equals]].span;
        stream.tokens.push(TokenWithSpan { token: Token::make_keyword("NULL"), span });
    }
    stream.replace(name + 1..equals, None);
    stream.replace(1..name, None);
    stream.set(0, Token::make_keyword("SET"));
}

/// `INSERT INTO t (a) SETTINGS x = 1 SELECT ..`: note `insert settings`.
fn insert_settings(stream: &mut Stream) {
    let Some(end) = stream
        .verb("INSERT")
        .and_then(|verb| stream.find(verb, &["INTO"]))
        .and_then(|into| stream.after_name(into + 1))
    else {
        return;
    };
    let start = if stream.is(end, &Token::LParen) { stream.closing(end).map_or(end, |close| close + 1) } else { end };
    if !stream.words(start, &["SETTINGS"]) {
        return;
    }
    let source = (start..stream.solid.len())
        .find(|&at| ["SELECT", "VALUES", "WITH"].iter().any(|word| stream.words(at, &[word])));
    if let Some(source) = source {
        stream.take(start..source, "insert settings", start + 1..source);
    }
}

/// `FROM t FINAL` (which `sqlparser` takes for an alias) and `FROM t AS x FINAL` (which it refuses), both read as
/// `FROM t WITH (FINAL)`; the facts write it back.
fn final_table(stream: &mut Stream) {
    if stream.dialect.upsert != Support::Yes(Form::AppendVersion) {
        return;
    }
    let mut from = 2;
    while let Some(found) = stream.find(from, &["FINAL"]) {
        from = found + 1;
        let behind_table = ["AS", "FROM", "JOIN"].iter().any(|word| stream.words(found - 2, &[word]))
            || stream.is(found - 2, &Token::Period);
        let behind_name = matches!(stream.get(found - 1), Some(Token::Word(_))) && !stream.words(found - 1, &["AS"]);
        let ends = match stream.get(found + 1) {
            None | Some(Token::RParen | Token::Comma) => true,
            Some(Token::Word(word)) => word.keyword != Keyword::NoKeyword,
            _ => false,
        };
        if behind_table && behind_name && ends {
            let at = stream.solid[found];
            let span = stream.tokens[at].span;
            let hint = [Token::make_keyword("WITH"), Token::LParen, Token::make_word("FINAL", None), Token::RParen];
            stream.tokens.splice(at..=at, hint.map(|token| TokenWithSpan { token, span }));
            stream.number();
            from += 3;
        }
    }
}

/// `CAST(x AS INTERVAL DAY(0) TO SECOND(6))`: the type becomes one word.
fn interval_type(stream: &mut Stream) {
    let mut from = 0;
    while let Some(found) = stream.find(from, &["AS", "INTERVAL"]) {
        from = found + 2;
        let behind_field = |at: usize| match stream.get(at + 1) {
            Some(Token::LParen) => stream.closing(at + 1).map(|close| close + 1),
            _ => Some(at + 1),
        };
        let Some(to) = behind_field(from).filter(|&to| stream.words(to, &["TO"])) else { continue };
        if let Some(end) = behind_field(to + 1) {
            let text = stream.text(found + 1..end);
            stream.replace(found + 1..end, Some(text));
        }
    }
}

/// The type `CHAR(2 CHAR)`: one word of that text. (`VARCHAR2(2 CHAR)` is read.)
fn char_semantics(stream: &mut Stream) {
    let mut from = 0;
    while let Some(found) = stream.find(from, &["CHAR", "("]) {
        from = found + 1;
        let unit = ["CHAR", "BYTE"].iter().any(|unit| stream.words(found + 3, &[unit]));
        if unit && stream.is(found + 4, &Token::RParen) {
            let text = stream.text(found..found + 5);
            stream.replace(found..found + 5, Some(text));
        }
    }
}
