//! Text to tokens that know their bytes: no copies, no errors, every dialect, with the syntax of clients and templates.
//!
//! `sqlparser`'s own tokens serve its parser. These serve whoever must read a script that no parser reads whole.

use crate::dialect::client::Client;
use crate::sql::hole::{self, find};
use crate::sql::lexis::Lexis;
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A keyword or a bare name.
    Word,
    /// A quoted name, with its quotes.
    Name,
    /// A string, with its prefix and its quotes.
    Text,
    /// A number.
    Number,
    /// `$tag$ .. $tag$`, with its quotes.
    Body,
    /// `$1`, `?`, `:x`, `@x`, `%s`
    Variable,
    /// What a template engine fills in, with the letters that touch it: `{{ x }}`, `stg_${x}`, `%(x)s`
    Hole,
    /// An operator.
    Symbol,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`
    Comma,
    /// `.`
    Dot,
    /// `;`
    Semicolon,
    /// What ends a statement and every block around it: a line `GO` or `/`, the word that DELIMITER set.
    Hard,
    /// A line for the client: `\set x 1`, `DELIMITER //`, `PROMPT x`
    Client,
    /// The rows behind `COPY t FROM STDIN`, with the line `\.`
    Data,
    /// `/*!40101` and the `*/` that belongs to it.
    Hint,
}

/// A token. Offsets are bytes of the text that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its first byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// For `(` and CASE: how many tokens further its `)` or END stands; 0 when it has none.
    pub pair: u32,
}

/// A comment, or a control line of a template engine, which is none of SQL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its first byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// `{% if .. %}`: what stands around it may be there or not.
    pub control: bool,
}

/// A text as tokens.
#[derive(Clone, Debug, Default)]
pub struct Lexed {
    /// The tokens, in order.
    pub tokens: Vec<Token>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// Where a string or a comment begins that never ends.
    pub open: Option<u32>,
}

/// What of the clients and the template engines is read beside SQL.
#[derive(Clone, Copy, Debug)]
pub struct Extras<'a> {
    /// The client's lines; `None` inside a body, which no client reads.
    pub client: Option<&'a Client>,
    /// `{{ x }}` and its kin are holes.
    pub templates: bool,
}

/// Reads a range of a text. The offsets of the tokens are those of the whole text.
pub fn lex(text: &str, range: Range<usize>, lexis: Lexis, extras: Extras<'_>) -> Lexed {
    // Offsets are of 32 bits; whatever lies beyond is reported as unread by whoever gave the text.
    let end = range.end.min(text.len()).min(u32::MAX as usize - 1);
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        end,
        lexis,
        extras,
        out: Lexed { tokens: Vec::with_capacity((end.saturating_sub(range.start)) / 6), ..Lexed::default() },
        statement: 0,
        delimiter: None,
    };
    let mut at = range.start;
    while at < lexer.end {
        at = lexer.next(at).max(at + 1);
    }
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    end: usize,
    lexis: Lexis,
    extras: Extras<'a>,
    out: Lexed,
    /// The number of tokens when the statement began.
    statement: usize,
    delimiter: Option<&'a str>,
}

/// The longest `%(name)s` that is looked for.
const LONGEST_NAME: usize = 256;

/// Operators of more than one character, the longest first.
const OPERATORS: [&str; 26] = [
    "->>", "#>>", "<=>", "!~*", "||=", "::", ":=", "<=", ">=", "<>", "!=", "||", "->", "=>", "==", "**", "#>", "@>",
    "<@", "~*", "!~", "&&", "+=", "-=", "*=", "/=",
];

/// Words that make one token with the string behind them.
const STRING_PREFIXES: [&str; 9] = ["e", "n", "b", "x", "r", "rb", "br", "u&", "q"];

/// Commands that the client of MySQL reads at the start of a line, with no semicolon.
const MYSQL: [&str; 9] = ["warnings", "nowarning", "source", "tee", "notee", "pager", "nopager", "prompt", "status"];

/// Marks in comments that end the statement before them: a runner cuts the file there.
const CUTS: [&str; 5] = ["+goose", "+migrate", "migrate:up", "migrate:down", "changeset "];

/// Commands of SQL*Plus that stand at the start of a line.
const SQLPLUS: [&str; 30] = [
    "prompt",
    "spool",
    "whenever",
    "define",
    "undefine",
    "undef",
    "rem",
    "remark",
    "accept",
    "column",
    "show",
    "connect",
    "conn",
    "disconnect",
    "start",
    "host",
    "pause",
    "ttitle",
    "btitle",
    "break",
    "clear",
    "variable",
    "var",
    "print",
    "exit",
    "quit",
    "exec",
    "execute",
    "desc",
    "describe",
];

fn word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte == b'#' || byte >= 0x80
}

impl Lexer<'_> {
    fn byte(&self, at: usize) -> u8 {
        if at < self.end { self.bytes[at] } else { 0 }
    }

    fn starts(&self, at: usize, what: &str) -> bool {
        self.bytes[at..self.end].starts_with(what.as_bytes())
    }

    #[allow(clippy::cast_possible_truncation)] // `lex` cuts the text at 32 bits.
    fn push(&mut self, kind: Kind, start: usize, end: usize) -> usize {
        let end = end.min(self.end);
        self.out.tokens.push(Token { kind, start: start as u32, end: end as u32, pair: 0 });
        if matches!(kind, Kind::Semicolon | Kind::Hard | Kind::Client | Kind::Data) {
            self.statement = self.out.tokens.len();
        }
        end
    }

    #[allow(clippy::cast_possible_truncation)]
    fn comment(&mut self, start: usize, end: usize, control: bool) -> usize {
        let mark = self.text.get(start..end).and_then(|text| text.strip_prefix("--")).map(str::trim_start);
        let cuts = self.extras.client.is_some()
            && self.delimiter.is_none()
            && self.statement < self.out.tokens.len()
            && mark.is_some_and(|mark| CUTS.iter().any(|cut| mark.starts_with(cut)));
        if cuts {
            // The mark itself is what ends the statement.
            return self.push(Kind::Hard, start, end);
        }
        self.out.comments.push(Comment { start: start as u32, end: end as u32, control });
        end
    }

    #[allow(clippy::cast_possible_truncation)]
    fn unclosed(&mut self, at: usize) -> usize {
        self.out.open.get_or_insert(at as u32);
        self.end
    }

    /// Reads what begins at a byte: where it ends.
    fn next(&mut self, at: usize) -> usize {
        let first = self.byte(at);
        if first == b' ' || first == b'\n' || first == b'\t' || first == b'\r' {
            return at + 1;
        }
        if let Some(end) = self.client_line(at) {
            return end;
        }
        if let Some(delimiter) = self.delimiter.filter(|delimiter| self.starts(at, delimiter)) {
            return self.push(Kind::Hard, at, at + delimiter.len());
        }
        if let Some(length) = self.wide_space(at) {
            return at + length;
        }
        let second = self.byte(at + 1);
        match first {
            b';' => self.semicolon(at),
            b'-' if second == b'-' && self.dashes(at) => self.comment(at, self.line_end(at), false),
            b'#' if self.hash_comment(at, second) => self.comment(at, self.line_end(at), false),
            b'/' if second == b'/' && self.lexis.slash_comments => self.comment(at, self.line_end(at), false),
            b'/' if second == b'*' => self.block_comment(at),
            b'*' if second == b'/' && self.lexis.comments_run => self.push(Kind::Hint, at, at + 2),
            b'\'' => self.string(at, at, self.lexis.backslash),
            b'"' => self.double_quoted(at),
            b'`' if self.lexis.backticks => self.delimited(at, b'`', Kind::Name),
            b'[' if self.lexis.brackets || self.bracket_name(at) => self.delimited(at, b']', Kind::Name),
            b'(' => self.push(Kind::Open, at, at + 1),
            b')' => self.push(Kind::Close, at, at + 1),
            b',' => self.push(Kind::Comma, at, at + 1),
            b'.' if !second.is_ascii_digit() => self.push(Kind::Dot, at, at + 1),
            b'.' | b'0'..=b'9' => self.number(at),
            b'$' => self.dollar(at),
            b'?' => self.push(Kind::Variable, at, at + 1),
            b'&' if self.extras.templates && self.value_hole(at + 1) => self.hole(at, at + 1),
            b'@' | b':' | b'&' | b'%' => self.variable(at),
            b'{' | b'<' if self.extras.templates && self.template(at) => self.hole(at, at),
            b'#' if second == b'{' && self.extras.templates => self.hole(at, at),
            _ if word_byte(first) => self.word(at),
            _ => self.operator(at),
        }
    }

    fn lenient(&self) -> bool {
        self.extras.client.is_some_and(|client| client.lenient)
    }

    /// Where the dialect is not known, only in the first column: elsewhere it may be a temporary table of T-SQL.
    fn hash_comment(&self, at: usize, second: u8) -> bool {
        let first_column = at == 0 || self.bytes[at - 1] == b'\n';
        second != b'{' && (self.lexis.hash_comments || (first_column && self.lenient()))
    }

    /// `[name]` where the dialect is not known; `a[1]` and `array[..]` are none.
    fn bracket_name(&self, at: usize) -> bool {
        let touches = self
            .out
            .tokens
            .last()
            .is_some_and(|last| last.end as usize == at && last.kind != Kind::Dot && last.kind != Kind::Open);
        let length = self.bytes[at + 1..self.end].iter().take_while(|byte| word_byte(**byte) || **byte == b' ').count();
        self.lenient()
            && !touches
            && length > 0
            && self.byte(at + 1 + length) == b']'
            && !self.byte(at + 1).is_ascii_digit()
    }

    /// The length of a space that is no ASCII, or of a byte order mark: copied from a web page or a document.
    fn wide_space(&self, at: usize) -> Option<usize> {
        if !matches!(self.byte(at), 0xc2 | 0xe1..=0xe3 | 0xef) {
            return None;
        }
        let first = self.text.get(at..self.end)?.chars().next()?;
        (first.is_whitespace() || first == '\u{feff}').then(|| first.len_utf8())
    }

    fn dashes(&self, at: usize) -> bool {
        !self.lexis.dashes_need_space || matches!(self.byte(at + 2), 0 | b' ' | b'\t' | b'\r' | b'\n')
    }

    fn line_end(&self, at: usize) -> usize {
        self.bytes[at..self.end].iter().position(|byte| *byte == b'\n').map_or(self.end, |found| at + found)
    }

    /// True when nothing but blanks stands before it on its line.
    fn first_on_line(&self, at: usize) -> bool {
        let before = &self.bytes[..at];
        !before.iter().rev().take_while(|byte| **byte != b'\n').any(|byte| !byte.is_ascii_whitespace())
    }

    fn semicolon(&mut self, at: usize) -> usize {
        let copies =
            self.extras.client.is_some_and(|client| client.copy_data || client.lenient) && self.copies_from_stdin();
        let end = self.push(Kind::Semicolon, at, at + 1);
        if !copies || end >= self.end {
            return end;
        }
        let mut line = self.line_end(end);
        loop {
            let next = self.line_end((line + 1).min(self.end));
            if line >= self.end {
                return self.push(Kind::Data, end, self.end);
            }
            if self.bytes[line + 1..next].trim_ascii_end() == b"\\." {
                return self.push(Kind::Data, end, next);
            }
            line = next;
        }
    }

    fn copies_from_stdin(&self) -> bool {
        let tokens = &self.out.tokens[self.statement..];
        let word = |token: &Token| &self.text[token.start as usize..token.end as usize];
        tokens.first().is_some_and(|first| word(first).eq_ignore_ascii_case("copy"))
            && tokens
                .windows(2)
                .any(|two| word(&two[0]).eq_ignore_ascii_case("from") && word(&two[1]).eq_ignore_ascii_case("stdin"))
    }

    fn block_comment(&mut self, at: usize) -> usize {
        if self.lexis.comments_run && self.byte(at + 2) == b'!' {
            let digits = self.bytes[at + 3..self.end].iter().take_while(|byte| byte.is_ascii_digit()).count();
            return self.push(Kind::Hint, at, at + 3 + digits);
        }
        let (mut depth, mut from) = (1, at + 2);
        while from < self.end {
            if self.starts(from, "*/") {
                (depth, from) = (depth - 1, from + 2);
                if depth == 0 {
                    return self.comment(at, from, false);
                }
            } else if self.lexis.nested_comments && self.starts(from, "/*") {
                (depth, from) = (depth + 1, from + 2);
            } else {
                from += 1;
            }
        }
        self.unclosed(at);
        self.comment(at, self.end, false)
    }

    /// A string whose quote stands at `quote` and whose prefix begins at `at`. A doubled quote is a part of it.
    fn string(&mut self, at: usize, quote: usize, backslash: bool) -> usize {
        let close = self.byte(quote);
        let triple = self.lexis.triple_quotes || (close == b'"' && self.lenient());
        if triple && self.byte(quote + 1) == close && self.byte(quote + 2) == close {
            let end = self.until(at, quote + 3, &[close; 3], backslash);
            return self.push(Kind::Text, at, end);
        }
        let mut from = quote + 1;
        loop {
            from = self.until(at, from, &[close], backslash);
            if self.byte(from) != close {
                // Where nobody knows whether a backslash escapes, no word touches the end of a string.
                let escaped = self.lenient()
                    && from > quote + 2
                    && self.bytes.get(from - 2) == Some(&b'\\')
                    && self.byte(from).is_ascii_alphanumeric();
                if escaped {
                    continue;
                }
                return self.push(Kind::Text, at, from);
            }
            from += 1;
        }
    }

    fn double_quoted(&mut self, at: usize) -> usize {
        let triple = self.lenient() && self.starts(at, "\"\"\"");
        if triple || self.lexis.double_quoted_strings {
            self.string(at, at, self.lexis.backslash)
        } else {
            self.delimited(at, b'"', Kind::Name)
        }
    }

    fn delimited(&mut self, at: usize, close: u8, kind: Kind) -> usize {
        let mut from = at + 1;
        loop {
            from = self.until(at, from, &[close], false);
            if self.byte(from) != close {
                return self.push(kind, at, from);
            }
            from += 1;
        }
    }

    /// Behind the next occurrence of an ASCII delimiter.
    fn until(&mut self, at: usize, from: usize, close: &[u8], backslash: bool) -> usize {
        let mut from = from;
        while from < self.end {
            if backslash && self.bytes[from] == b'\\' {
                from += 2;
            } else if self.bytes[from..self.end].starts_with(close) {
                return from + close.len();
            } else {
                from += 1;
            }
        }
        self.unclosed(at)
    }

    fn number(&mut self, at: usize) -> usize {
        let mut end = at;
        loop {
            let byte = self.byte(end);
            let exponent = matches!(byte, b'+' | b'-')
                && end > at
                && matches!(self.byte(end - 1), b'e' | b'E')
                && self.byte(at + 1) != b'x';
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || exponent) {
                break;
            }
            end += 1;
        }
        self.push(Kind::Number, at, end)
    }

    /// `$tag$ .. $tag$`, `$1`, `${x}`, `$(x)`, or a lone dollar sign.
    fn dollar(&mut self, at: usize) -> usize {
        if self.extras.templates && matches!(self.byte(at + 1), b'{' | b'(') {
            return self.hole(at, at);
        }
        let length = self.bytes[at + 1..self.end]
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_' || **b >= 0x80)
            .count();
        let close = at + 1 + length;
        let digits_first = self.byte(at + 1).is_ascii_digit();
        if self.lexis.dollar_quotes && !digits_first && self.byte(close) == b'$' {
            let tag = &self.bytes[at..=close];
            let found = find(&self.bytes[close + 1..self.end], tag);
            let end = match found {
                Some(found) => close + 1 + found + tag.len(),
                None => self.unclosed(at),
            };
            return self.push(Kind::Body, at, end);
        }
        self.push(if length > 0 { Kind::Variable } else { Kind::Symbol }, at, close)
    }

    fn variable(&mut self, at: usize) -> usize {
        let first = self.byte(at);
        let touches_word = self.out.tokens.last().is_some_and(|last| {
            last.end as usize == at && matches!(last.kind, Kind::Word | Kind::Name | Kind::Close | Kind::Hole)
        });
        let second = self.byte(at + 1);
        let psql = self.extras.client.is_some_and(|client| client.backslash_commands || client.lenient);
        match first {
            b':' if touches_word || second == b':' || second == b'=' => return self.operator(at),
            b':' if psql && matches!(second, b'\'' | b'"') => {
                let close = self.until(at, at + 2, &[second], false);
                return self.push(Kind::Variable, at, close);
            }
            b'%' if second == b'(' && self.extras.templates => {
                // A name is short: a long line of opening ones must not be read to its end from each.
                let near = &self.bytes[at..self.end.min(at + LONGEST_NAME)];
                let close = near.iter().take_while(|byte| **byte != b'\n').position(|byte| *byte == b')');
                if let Some(close) = close.filter(|close| matches!(self.byte(at + close + 1), b's' | b'd' | b'f')) {
                    return self.push(Kind::Hole, at, at + close + 2);
                }
                return self.operator(at);
            }
            b'%' if second == b's' && !word_byte(self.byte(at + 2)) && self.expects_operand() => {
                return self.push(Kind::Variable, at, at + 2);
            }
            b'%' => return self.operator(at),
            _ => {}
        }
        let mut name = at + 1;
        // `@@x`, `&&x`; a longer row of them is none, and must not be read anew from each.
        if matches!(self.byte(name), b'@' | b'&') {
            name += 1;
        }
        let length = self.bytes[name..self.end].iter().take_while(|byte| word_byte(**byte)).count();
        if length == 0 || (first == b':' && second.is_ascii_digit() && !self.expects_operand()) {
            return self.operator(at);
        }
        let end = name + length;
        // `&name.` of SQL*Plus ends in a full stop of its own.
        let end = end + usize::from(first == b'&' && self.byte(end) == b'.');
        self.push(Kind::Variable, at, end)
    }

    fn expects_operand(&self) -> bool {
        self.out.tokens[self.statement..].last().is_none_or(|last| match last.kind {
            Kind::Open | Kind::Comma | Kind::Symbol => true,
            Kind::Word => {
                let word = &self.text[last.start as usize..last.end as usize];
                ["and", "or", "where", "values", "in", "like", "between", "select", "set", "then", "else", "when"]
                    .iter()
                    .any(|known| word.eq_ignore_ascii_case(known))
            }
            _ => false,
        })
    }

    fn operator(&mut self, at: usize) -> usize {
        // Most operators are one character, and what follows them is none.
        let more = matches!(
            self.byte(at + 1),
            b'>' | b'<' | b'=' | b':' | b'|' | b'*' | b'&' | b'@' | b'#' | b'-' | b'!' | b'~' | b'+' | b'/'
        );
        let length = if more {
            OPERATORS.iter().find(|operator| self.starts(at, operator)).map_or(1, |operator| operator.len())
        } else {
            1
        };
        self.push(Kind::Symbol, at, at + length)
    }

    /// True when a hole or a control line of a template engine begins here.
    fn template(&self, at: usize) -> bool {
        match (self.byte(at), self.byte(at + 1)) {
            (b'<', b'%') | (b'{', b'{' | b'%' | b'#') => true,
            (b'<', _) => self.parameter(at),
            (b'{', _) => {
                let length = self.bytes[at + 1..self.end]
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                    .count();
                self.byte(at + 1 + length) == b'}'
            }
            _ => false,
        }
    }

    /// `{{ x }}` or `{x}`, which what stands before it is a part of; a control line or a comment stands by itself.
    fn value_hole(&self, at: usize) -> bool {
        self.byte(at) == b'{' && !matches!(self.byte(at + 1), b'%' | b'#') && self.template(at)
    }

    /// `<name, type, value>`: a parameter of a template of the T-SQL tools.
    fn parameter(&self, at: usize) -> bool {
        let lines = self.extras.client.is_some_and(|client| client.go_lines || client.lenient);
        let rest = &self.bytes[at + 1..self.line_end(at)];
        let inside = &rest[..rest.iter().position(|byte| matches!(byte, b'<' | b'>' | b'\'' | b'(')).unwrap_or(0)];
        lines
            && inside.first().is_some_and(u8::is_ascii_alphabetic)
            && rest.get(inside.len()) == Some(&b'>')
            && inside.split(|byte| *byte == b',').count() == 3
    }

    /// `<% name %>`: a value, and no control line.
    fn names_value(&self, hole: usize, end: usize) -> bool {
        let inside = self.text.get(hole + 2..end.saturating_sub(2)).unwrap_or_default().trim();
        !matches!(inside, "" | "end" | "else")
            && inside.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    }

    /// A hole that begins at `hole`, with the letters before it from `at` on, and those behind it.
    fn hole(&mut self, at: usize, hole: usize) -> usize {
        let close: &[u8] = match (self.byte(hole), self.byte(hole + 1)) {
            (b'{', b'{') => b"}}",
            (b'{', b'%') => b"%}",
            (b'{', b'#') => b"#}",
            (b'<', b'%') => b"%>",
            (b'<', _) => b">",
            (b'$', b'(') => b")",
            _ => b"}",
        };
        let end = self.closed(hole, close).unwrap_or_else(|| self.unclosed(hole));
        let control = close == b"%}" || (close == b"%>" && self.byte(hole + 2) != b'=' && !self.names_value(hole, end));
        if control || close == b"#}" {
            return self.comment(hole, end, control);
        }
        let mut end = end;
        loop {
            while word_byte(self.byte(end)) && !(self.byte(end) == b'$' && self.byte(end + 1) == b'{') {
                end += 1;
            }
            let again = match self.byte(end) {
                b'{' => self.value_hole(end),
                b'$' => matches!(self.byte(end + 1), b'{'),
                _ => false,
            };
            if !again {
                return self.push(Kind::Hole, at, end);
            }
            let close: &[u8] = if self.byte(end + 1) == b'{' && self.byte(end) == b'{' { b"}}" } else { b"}" };
            end = self.closed(end, close).unwrap_or(self.end);
        }
    }

    /// Where the hole ends that begins at a place. Remarks have apostrophes that are no quotes.
    fn closed(&self, hole: usize, close: &[u8]) -> Option<usize> {
        let bytes = &self.bytes[..self.end];
        if matches!(close, b"}}" | b"%}") {
            return hole::end(bytes, hole + close.len(), close);
        }
        find(&bytes[hole + 1..], close).map(|found| hole + 1 + found + close.len())
    }

    /// A word, with the string or the hole that belongs to it.
    fn word(&mut self, at: usize) -> usize {
        let mut end = at + 1;
        loop {
            let byte = self.byte(end);
            let ends = !word_byte(byte)
                || (byte == b'$' && self.byte(end + 1) == b'{')
                || (byte >= 0xc2 && self.wide_space(end).is_some());
            if ends {
                break;
            }
            end += 1;
        }
        if self.lexis.hash_comments {
            // `a#b` is a name and a comment.
            end = self.bytes[at..end].iter().position(|byte| *byte == b'#').map_or(end, |hash| at + hash.max(1));
        }
        if let Some(found) = self
            .delimiter
            .and_then(|delimiter| find(&self.bytes[at..self.end.min(end + delimiter.len())], delimiter.as_bytes()))
        {
            end = end.min(at + found.max(1));
        }
        if let Some(close) = self.identifier_call(at, end) {
            return self.push(Kind::Hole, at, close);
        }
        let next = self.byte(end);
        if next == b'\'' || (next == b'"' && self.lexis.double_quoted_strings) {
            let word = &self.bytes[at..end];
            let prefix = STRING_PREFIXES.iter().any(|one| word.eq_ignore_ascii_case(one.as_bytes()));
            let delimited =
                self.lexis.delimited_strings && (word.eq_ignore_ascii_case(b"q") || word.eq_ignore_ascii_case(b"nq"));
            if delimited {
                return self.delimited_string(at, end);
            }
            if prefix || word.first() == Some(&b'_') {
                let raw = word.to_ascii_lowercase().contains(&b'r');
                let backslash =
                    !raw && (self.lexis.backslash || (self.lexis.escape_constant && word.eq_ignore_ascii_case(b"e")));
                return self.string(at, end, backslash);
            }
        }
        if self.extras.templates && (self.value_hole(end) || next == b'$' && self.byte(end + 1) == b'{') {
            return self.hole(at, end);
        }
        self.push(Kind::Word, at, end)
    }

    /// `IDENTIFIER('db.t')`, `IDENTIFIER($name)`: a name that is put in when the statement runs. Where it ends.
    fn identifier_call(&self, at: usize, end: usize) -> Option<usize> {
        if end - at != 10 || !self.bytes[at..end].eq_ignore_ascii_case(b"identifier") {
            return None;
        }
        let rest = &self.bytes[end..self.end];
        let open = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).filter(|open| rest[*open] == b'(')?;
        let inside = rest.get(open + 1..)?;
        let first = inside.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let close = inside.iter().position(|byte| *byte == b')')?;
        let value = matches!(inside[first], b'\'' | b'$' | b':' | b'{') && !inside[..close].contains(&b',');
        value.then_some(end + open + 1 + close + 1)
    }

    /// `q'[..]'`
    fn delimited_string(&mut self, at: usize, quote: usize) -> usize {
        let Some(open) = self.text.get(quote + 1..self.end).and_then(|rest| rest.chars().next()) else {
            return self.string(at, quote, false);
        };
        let close = match open {
            '[' => ']',
            '{' => '}',
            '(' => ')',
            '<' => '>',
            other => other,
        };
        let end = self.until(at, quote + 1 + open.len_utf8(), format!("{close}'").as_bytes(), false);
        self.push(Kind::Text, at, end)
    }

    /// A line that the client reads, and not the engine.
    fn client_line(&mut self, at: usize) -> Option<usize> {
        let client = self.extras.client?;
        let first = self.byte(at);
        if first == b'\\' && (client.backslash_commands || client.lenient) {
            return Some(self.push(Kind::Client, at, self.line_end(at)));
        }
        let interesting = matches!(first, b'g' | b'G' | b'/' | b'd' | b'D' | b'.' | b'@' | b':' | b'!')
            || ((client.slash_lines || client.delimiter_lines) && first.is_ascii_alphabetic());
        if !interesting {
            return None;
        }
        if !self.first_on_line(at) {
            // `END;/`
            let ends = first == b'/'
                && client.slash_lines
                && self.out.tokens.last().is_some_and(|last| last.kind == Kind::Semicolon)
                && self.bytes[at..self.line_end(at)].trim_ascii() == b"/";
            return ends.then(|| self.push(Kind::Hard, at, at + 1));
        }
        let line = self.bytes[at..self.line_end(at)].trim_ascii();
        let fresh = self.statement == self.out.tokens.len();
        let word = &line[..line.iter().position(|byte| !word_byte(*byte)).unwrap_or(line.len())];
        let is = |what: &[u8]| word.eq_ignore_ascii_case(what);
        if (client.go_lines || client.lenient) && is(b"go") {
            let rest = line[2..].trim_ascii();
            let rest = rest.strip_suffix(b";").unwrap_or(rest);
            if rest.iter().all(u8::is_ascii_digit) || rest.starts_with(b"--") {
                return Some(self.push(Kind::Hard, at, at + line.len()));
            }
        }
        // A full stop ends what is typed in, without running it.
        if (client.slash_lines || client.lenient) && line == b"/" || client.slash_lines && line == b"." {
            return Some(self.push(Kind::Hard, at, at + 1));
        }
        // No SQL begins so, and some runners read it in every dialect.
        let short = line.len() <= word.len() + 8;
        if (client.delimiter_lines || client.lenient || short) && is(b"delimiter") && line.len() > word.len() {
            let rest = self.text.get(at + word.len()..at + line.len())?.trim();
            self.delimiter = (rest != ";" && !rest.is_empty()).then_some(rest);
            return Some(self.push(Kind::Client, at, at + line.len()));
        }
        let whole_line = fresh
            && match first {
                b'.' => client.dot_commands && line.get(1).is_some_and(u8::is_ascii_alphabetic),
                b':' => client.go_lines && line.get(1).is_some_and(u8::is_ascii_alphabetic),
                b'@' => client.slash_lines,
                // No SQL begins so: `!source file` of SnowSQL, `!ls` of SQL*Plus.
                b'!' => client.slash_lines || line.get(1).is_some_and(u8::is_ascii_alphabetic),
                _ if client.delimiter_lines => MYSQL.iter().any(|command| is(command.as_bytes())),
                _ if client.slash_lines && is(b"set") => {
                    let next = line[3..].trim_ascii_start();
                    !["transaction", "role", "constraint"].iter().any(|sql| {
                        next.get(..sql.len()).is_some_and(|start| start.eq_ignore_ascii_case(sql.as_bytes()))
                    })
                }
                _ => client.slash_lines && SQLPLUS.iter().any(|command| is(command.as_bytes())),
            };
        whole_line.then(|| self.push(Kind::Client, at, self.line_end(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Extras, lex};
    use crate::dialect;
    use crate::sql::lexis::Lexis;
    use proptest::prelude::*;

    /// The bytes that are in no token, no comment and no gap of blanks, or in two of them.
    fn lost(text: &str, dialect: &dialect::Dialect) -> Option<String> {
        let lexed =
            lex(text, 0..text.len(), Lexis::of(dialect), Extras { client: Some(&dialect.client), templates: true });
        let tokens = lexed.tokens.iter().map(|token| (token.start, token.end));
        let mut all: Vec<(u32, u32)> =
            tokens.chain(lexed.comments.iter().map(|comment| (comment.start, comment.end))).collect();
        all.sort_unstable();
        let mut at = 0;
        for (start, end) in all.into_iter().map(|(start, end)| (start as usize, end as usize)) {
            let gap = text.get(at..start).unwrap_or("two tokens share a byte");
            if !gap.trim().is_empty() || end <= start {
                return Some(gap.to_owned());
            }
            at = end;
        }
        text.get(at..).filter(|rest| !rest.trim().is_empty()).map(str::to_owned)
    }

    #[test]
    fn what_stands_before_a_control_line_is_kept() {
        for text in ["&&&{%", "&{% if x %}", "&{# x #}", "&{{ x }}", "a{% x %}", "{{ x }}{% y %}", "&{x}{%", "#{% x %}"]
        {
            for dialect in dialect::ALL {
                assert_eq!(lost(text, dialect), None, "{text} in {}", dialect.name);
            }
        }
    }

    #[test]
    fn an_apostrophe_in_a_remark_opens_no_quote() {
        let text = "{# don't #} a {# can't #}";
        let dialect = dialect::REFERENCE;
        let lexed = lex(text, 0..text.len(), Lexis::of(dialect), Extras { client: None, templates: true });
        assert_eq!((lexed.tokens.len(), lexed.comments.len()), (1, 2));
    }

    proptest! {
        #[test]
        fn no_byte_is_lost(text in r"([a-z&#$%<>{}()'@:. \n-]|\{\{|\}\}|\{%|%\}|\{#|<%|\$\{|&\{){0,24}") {
            for dialect in dialect::ALL {
                prop_assert_eq!(lost(&text, dialect), None, "{:?} in {}", text, dialect.name);
            }
        }
    }
}
