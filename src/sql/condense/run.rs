//! A run of INSERTs that differ only in their rows, and what is kept of it.

use super::FIRST;
use super::cut::Cutter;
use crate::diagnostic::Bulk;

/// No INSERT that a program writes has a longer head; longer ones are kept.
const LONGEST: u64 = 16 << 10;

/// The statements of a run as far as it is read.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// From INSERT to VALUES.
    head: Vec<u8>,
    /// From behind the last row to the semicolon.
    tail: Vec<u8>,
    /// How many are complete; none when there is no run.
    statements: u64,
    /// How many are cut out.
    cut: u64,
    /// Where the next cut begins: the first statement behind those that are kept.
    from: u64,
    /// Where the latest complete statement begins.
    last: u64,
}

/// The places of a statement: its first byte, behind VALUES, behind its last row, its end.
pub(super) type Places = (u64, u64, u64, u64);

impl Run {
    /// The head that the next statement has if it goes on with the run.
    pub fn head(&self) -> Option<&[u8]> {
        (self.statements > 0).then_some(&self.head)
    }

    /// A statement with rows is complete. `known` says that its head was found to be that of the run.
    pub fn add(&mut self, places: Places, known: bool, cutter: &mut Cutter) {
        let (start, values, rows, end) = places;
        let (head, tail) = (cutter.between(start, values), cutter.between(rows, end));
        let goes_on = self.statements > 0 && (known || same(head, &self.head)) && same(tail, &self.tail);
        if !goes_on {
            let short = values - start <= LONGEST && end - rows <= LONGEST;
            let mut next = Self { head: std::mem::take(&mut self.head), tail: std::mem::take(&mut self.tail), ..*self };
            if short {
                put(head, &mut next.head);
                put(tail, &mut next.tail);
            }
            self.end(cutter);
            *self = Self { statements: u64::from(short), cut: 0, from: 0, last: start, ..next };
            return;
        }
        self.statements += 1;
        self.last = start;
        if self.statements == FIRST + 1 {
            self.from = start;
        }
    }

    /// Cuts out what is between the first statements and the latest.
    pub fn settle(&mut self, cutter: &mut Cutter) {
        let out = self.statements.saturating_sub(FIRST + 1);
        if out > self.cut {
            cutter.cut(self.from, self.last, Bulk::Statements(out - self.cut));
            self.cut = out;
            self.from = self.last;
        }
    }

    /// The run is over.
    pub fn end(&mut self, cutter: &mut Cutter) {
        self.settle(cutter);
        self.statements = 0;
        self.cut = 0;
    }
}

fn same((old, new): (&[u8], &[u8]), whole: &[u8]) -> bool {
    whole.len() == old.len() + new.len() && whole.starts_with(old) && whole.ends_with(new)
}

fn put((old, new): (&[u8], &[u8]), into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(old);
    into.extend_from_slice(new);
}
