//! A list of rows: the loop that reads most of every dump, and what is kept of it.

use super::cut::Cutter;
use super::lexeme::{Mode, backslash, is_space};
use super::{Condenser, FIRST, Part};
use crate::diagnostic::Bulk;
use memchr::{memchr, memchr2};

/// The rows of a list as far as it is read.
#[derive(Debug, Default)]
pub(super) struct List {
    /// How many began.
    pub rows: u64,
    /// How many are cut out.
    cut: u64,
    /// Where the next cut begins: the first row behind those that are kept.
    from: u64,
    /// Where the latest row begins.
    last: u64,
    /// Where the latest row ends.
    pub end: u64,
}

impl List {
    /// A row begins.
    pub fn row(&mut self, place: u64) {
        self.rows += 1;
        self.last = place;
        if self.rows == FIRST + 1 {
            self.from = place;
        }
    }

    /// Cuts out what is between the first rows and the latest.
    pub fn settle(&mut self, cutter: &mut Cutter) {
        let out = self.rows.saturating_sub(FIRST + 1);
        if out > self.cut {
            cutter.cut(self.from, self.last, Bulk::Rows(out - self.cut));
            self.cut = out;
            self.from = self.last;
        }
    }

    /// The list is over.
    pub fn close(&mut self, cutter: &mut Cutter) {
        self.settle(cutter);
        self.cut = self.rows;
    }
}

impl Condenser {
    /// Reads in rows, and from one row to the next where nothing but a comma and spaces stands between.
    pub(super) fn row(&mut self, stop: usize) {
        let bytes = self.cutter.bytes();
        let table = &self.in_row;
        // Most strings end where the next quote is.
        let plain = !(self.lexis.triple_quotes || self.lexis.delimited_strings);
        let mut at = self.at;
        loop {
            let Some(next) = bytes[at..stop].iter().position(|byte| table[usize::from(*byte)]) else {
                self.at = stop;
                return;
            };
            at += next;
            match bytes[at] {
                b'(' => {
                    self.depth += 1;
                    at += 1;
                }
                b')' if self.depth > 1 => {
                    self.depth -= 1;
                    at += 1;
                }
                b')' => {
                    at += 1;
                    self.list.end = self.cutter.place(at);
                    let next = bytes[at..stop].iter().position(|byte| *byte != b',' && !is_space(*byte));
                    let next = next.map_or(stop, |next| at + next);
                    let comma = bytes[at..next].first() == Some(&b',') && !bytes[at + 1..next].contains(&b',');
                    if !(comma && next < stop && bytes[next] == b'(') {
                        self.depth = 0;
                        self.part = Part::AfterRow;
                        self.at = at;
                        return;
                    }
                    self.list.row(self.cutter.place(next));
                    at = next + 1;
                }
                quote @ b'\'' if plain => {
                    let backslash = backslash(self.lexis, &bytes[..at], quote);
                    match string(bytes, at + 1, backslash) {
                        Some(end) if end < stop => at = end,
                        _ => {
                            self.mode = Mode::Quoted { quote, backslash, triple: false };
                            self.at = at + 1;
                            return;
                        }
                    }
                }
                b';' => {
                    self.at = at;
                    self.semicolon();
                    return;
                }
                // The sign of a number.
                b'-' if bytes.get(at + 1) != Some(&b'-') => at += 1,
                _ => {
                    self.at = at;
                    self.open();
                    return;
                }
            }
            if at >= stop {
                self.at = at;
                return;
            }
        }
    }
}

/// Behind the string whose first character is at `from`, if its end is there.
fn string(bytes: &[u8], from: usize, backslash: bool) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        let next = if backslash { memchr2(b'\'', b'\\', rest)? } else { memchr(b'\'', rest)? };
        at += next;
        if bytes[at] == b'\'' {
            return Some(at + 1);
        }
        // A backslash hides what follows it.
        at += 2;
    }
}
