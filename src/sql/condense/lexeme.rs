//! Strings, quoted names and comments: where they open, and how their ends are found at the speed of memory.

use super::{Condenser, Flow, Table};
use crate::sql::lexis::Lexis;
use memchr::{memchr, memchr2, memmem};

/// Inside of what the next byte is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Of nothing that hides it.
    Code,
    /// Of a string; a doubled quote ends one and begins the next, which comes to the same.
    Quoted { quote: u8, backslash: bool, triple: bool },
    /// Of a name that ends with this byte.
    Delimited(u8),
    /// Of something that ends with these bytes.
    Until(Vec<u8>),
    /// Of a comment up to the end of the line, or of a line that a client reads.
    Line,
    /// Of comments, so many of them.
    Comment(u32),
    /// Of a word that is too long to mean anything.
    Word,
    /// Of the line of a COPY, behind which the data begin.
    CopyLine,
    /// Of the data of a COPY: up to a line `\.`, or the end of the file, which is how a client reads them.
    Data,
}

/// What opens at a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    Nothing,
    Comment,
    Code,
}

/// The bytes at which something may open under these rules, and some more.
pub(super) fn table(lexis: Lexis, more: &[u8]) -> Table {
    let mut table = [false; 256];
    let also =
        [(lexis.backticks, b'`'), (lexis.brackets, b'['), (lexis.dollar_quotes, b'$'), (lexis.hash_comments, b'#')];
    let also = also.iter().filter(|(wanted, _)| *wanted).map(|(_, byte)| byte);
    for byte in b"'\"-/".iter().chain(more).chain(also) {
        table[usize::from(*byte)] = true;
    }
    table
}

/// Letters, digits, underscores and everything that is not ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

impl Condenser {
    /// Opens what the next byte opens, and steps over the byte.
    pub(super) fn open(&mut self) -> Opened {
        let at = self.at;
        let bytes = self.cutter.bytes();
        let after = |more: usize| bytes.get(at + more).copied();
        let (mode, opened, length) = match bytes[at] {
            quote @ (b'\'' | b'"') => {
                let triple = self.lexis.triple_quotes && after(1) == Some(quote) && after(2) == Some(quote);
                if let Some(close) = delimited(self.lexis, &bytes[..at], quote, after(1)) {
                    (Mode::Until(close), Opened::Code, 2)
                } else {
                    let backslash = backslash(self.lexis, &bytes[..at], quote);
                    (Mode::Quoted { quote, backslash, triple }, Opened::Code, if triple { 3 } else { 1 })
                }
            }
            b'`' if self.lexis.backticks => (Mode::Delimited(b'`'), Opened::Code, 1),
            b'[' if self.lexis.brackets => (Mode::Delimited(b']'), Opened::Code, 1),
            b'-' if after(1) == Some(b'-') && (!self.lexis.dashes_need_space || after(2).is_none_or(is_space)) => {
                (Mode::Line, Opened::Comment, 2)
            }
            b'#' if self.lexis.hash_comments => (Mode::Line, Opened::Comment, 1),
            b'/' if after(1) == Some(b'*') => {
                let run = self.lexis.comments_run && after(2) == Some(b'!');
                (Mode::Comment(1), if run { Opened::Code } else { Opened::Comment }, 2)
            }
            b'$' if self.lexis.dollar_quotes => match tag(bytes, at) {
                Some(tag) => (Mode::Until(tag.to_vec()), Opened::Code, tag.len()),
                None => (Mode::Code, Opened::Nothing, 1),
            },
            _ => (Mode::Code, Opened::Nothing, 1),
        };
        self.mode = mode;
        self.at += length;
        opened
    }

    /// Goes to the end of what is open, or as far as there are bytes.
    pub(super) fn lexeme(&mut self, all: bool) -> Flow {
        let bytes = self.cutter.bytes();
        let rest = &bytes[self.at..];
        // How many bytes are read, and whether the end was among them.
        let (read, done) = match &mut self.mode {
            Mode::Code => (0, true),
            Mode::Quoted { quote, backslash, triple } => quoted(rest, *quote, *backslash, *triple, all),
            Mode::Delimited(close) => found(memchr(*close, rest), 1, rest.len()),
            Mode::Until(close) => match memmem::find(rest, close) {
                Some(at) => (at + close.len(), true),
                None if all => (rest.len(), false),
                None => (rest.len().saturating_sub(close.len() - 1), false),
            },
            Mode::Line | Mode::CopyLine => found(memchr(b'\n', rest), 1, rest.len()),
            Mode::Comment(depth) => comment(rest, depth, self.lexis.nested_comments, all),
            Mode::Word => found(rest.iter().position(|byte| !is_word(*byte) && *byte != b'$'), 0, rest.len()),
            Mode::Data => data(bytes, self.at, all),
        };
        self.at += read;
        if !done {
            return Flow::Wait;
        }
        let before = std::mem::replace(&mut self.mode, Mode::Code);
        let here = self.cutter.place(self.at);
        match before {
            Mode::Line => self.fresh = true,
            Mode::CopyLine => {
                self.mode = Mode::Data;
                self.data = here;
            }
            Mode::Data => {
                self.cutter.cut_data(self.data, here, false);
                self.mode = Mode::Line;
            }
            _ => {}
        }
        Flow::On
    }
}

fn found(at: Option<usize>, length: usize, len: usize) -> (usize, bool) {
    at.map_or((len, false), |at| (at + length, true))
}

/// Whether a backslash hides a quote in the string that opens behind `before`.
pub(super) fn backslash(lexis: Lexis, before: &[u8], quote: u8) -> bool {
    if quote == b'"' {
        return lexis.backslash && lexis.double_quoted_strings;
    }
    lexis.backslash || (lexis.escape_constant && matches!(before.last(), Some(b'e' | b'E')) && prefixed(before, b"e"))
}

/// Whether the word directly before is this one, given in lower case.
fn prefixed(before: &[u8], word: &[u8]) -> bool {
    let Some((rest, last)) = before.split_at_checked(before.len().saturating_sub(word.len())) else { return false };
    last.eq_ignore_ascii_case(word) && !rest.last().is_some_and(|byte| is_word(*byte) || *byte == b'$')
}

/// What ends a string such as `q'[..]'`.
fn delimited(lexis: Lexis, before: &[u8], quote: u8, open: Option<u8>) -> Option<Vec<u8>> {
    let opens = lexis.delimited_strings && quote == b'\'' && (prefixed(before, b"q") || prefixed(before, b"nq"));
    let close = match open.filter(|_| opens)? {
        b'[' => b']',
        b'{' => b'}',
        b'(' => b')',
        b'<' => b'>',
        other => other,
    };
    Some(vec![close, b'\''])
}

/// `$tag$` at a dollar sign that is not inside of a word.
fn tag(bytes: &[u8], at: usize) -> Option<&[u8]> {
    if at > 0 && is_word(bytes[at - 1]) {
        return None;
    }
    let inner = &bytes[at + 1..bytes.len().min(at + super::AHEAD)];
    let length = inner.iter().position(|byte| !is_word(*byte))?;
    let begins = inner[length] == b'$' && !inner[0].is_ascii_digit();
    begins.then(|| &bytes[at..at + length + 2])
}

/// How far a string goes, and whether it ends there.
fn quoted(rest: &[u8], quote: u8, backslash: bool, triple: bool, all: bool) -> (usize, bool) {
    let mut at = 0;
    loop {
        let next = if backslash { memchr2(quote, b'\\', &rest[at..]) } else { memchr(quote, &rest[at..]) };
        let Some(next) = next else { return (rest.len(), false) };
        at += next;
        let needs = if triple { 3 } else { 2 };
        let short = rest.len() - at < needs && (triple || rest[at] == b'\\');
        if short {
            return (if all { rest.len() } else { at }, false);
        }
        if rest[at] == b'\\' && backslash {
            at += 2;
        } else if !triple {
            return (at + 1, true);
        } else if rest[at + 1] == quote && rest[at + 2] == quote {
            return (at + 3, true);
        } else {
            at += 1;
        }
    }
}

/// How far comments go, and whether the outermost ends there.
fn comment(rest: &[u8], depth: &mut u32, nested: bool, all: bool) -> (usize, bool) {
    let mut at = 0;
    while let Some(next) = memchr2(b'*', b'/', &rest[at..]) {
        at += next;
        let Some(second) = rest.get(at + 1) else { return (if all { rest.len() } else { at }, false) };
        match (rest[at], *second) {
            (b'*', b'/') => {
                *depth -= 1;
                at += 2;
                if *depth == 0 {
                    return (at, true);
                }
            }
            (b'/', b'*') if nested => {
                *depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    (rest.len(), false)
}

/// How far the data of a COPY go: up to a line `\.`, which is not part of them.
fn data(bytes: &[u8], at: usize, all: bool) -> (usize, bool) {
    // The byte before is the end of the line of the COPY, or was read here before.
    let mut from = at.saturating_sub(1);
    while let Some(next) = memmem::find(&bytes[from..], b"\n\\.") {
        let line = from + next + 1;
        match (bytes.get(line + 2), bytes.get(line + 3)) {
            (Some(b'\n'), _) | (Some(b'\r'), Some(b'\n')) => return (line - at, true),
            (None, _) | (Some(b'\r'), None) if all => return (line - at, true),
            (None, _) | (Some(b'\r'), None) => return (line.saturating_sub(1).max(at) - at, false),
            _ => from = line,
        }
    }
    let end = if all { bytes.len() } else { bytes.len().saturating_sub(2).max(at) };
    (end - at, false)
}
