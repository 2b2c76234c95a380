//! The text that is kept and the parts that are cut out of it. Places are bytes of the whole input, so that they hold
//! whatever is cut before them.

use crate::diagnostic::{Bulk, Elided, Encoding, chars};

/// How much is read at once: what fits into the cache that is nearest to one core.
pub(super) const CHUNK: usize = 256 << 10;

/// How many bytes before the next one are still there for a look back.
const HISTORY: usize = 8;

/// The bytes that are being read, and what is kept of those that were.
pub(super) struct Cutter {
    bytes: Vec<u8>,
    /// How many of `bytes` are filled.
    len: usize,
    /// The place of the first of `bytes`.
    base: u64,
    /// Before this, `bytes` are in `kept` or cut out.
    copied: usize,
    kept: Vec<u8>,
    cuts: Vec<Cut>,
    encoding: Encoding,
}

/// A part that was cut out.
struct Cut {
    from: u64,
    to: u64,
    elided: Elided,
}

impl Cutter {
    pub fn new(encoding: Encoding) -> Self {
        let bytes = vec![0; CHUNK];
        Self { bytes, len: 0, base: 0, copied: 0, kept: Vec::new(), cuts: Vec::new(), encoding }
    }

    /// What is there to be read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The place of one of `bytes`.
    pub fn place(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    /// Puts everything before `at` away; `at` moves with the bytes.
    pub fn forget(&mut self, at: &mut usize) {
        if *at > self.copied {
            self.kept.extend_from_slice(&self.bytes[self.copied..*at]);
            self.copied = *at;
        }
        let gone = at.saturating_sub(HISTORY);
        self.bytes.copy_within(gone..self.len, 0);
        self.base += gone as u64;
        self.len -= gone;
        self.copied -= gone;
        *at -= gone;
    }

    /// Where more bytes go.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.len..]
    }

    /// So many more bytes are there.
    pub fn filled(&mut self, more: usize) {
        self.len = (self.len + more).min(self.bytes.len());
    }

    /// The bytes between two places, in two pieces. Nothing may be cut out between them.
    pub fn between(&self, from: u64, to: u64) -> (&[u8], &[u8]) {
        let copied = self.place(self.copied);
        let old = if from < copied { &self.kept[self.kept_at(from)..self.kept_at(to.min(copied))] } else { &[] };
        let new = if to > copied { &self.bytes[self.index(from.max(copied))..self.index(to)] } else { &[] };
        (old, new)
    }

    /// Cuts out what stands between two places, and what was cut out of it before.
    pub fn cut(&mut self, from: u64, to: u64, what: Bulk) {
        let copied = self.place(self.copied);
        let first = self.cuts.partition_point(|cut| cut.from < from);
        let behind = self.cuts.partition_point(|cut| cut.from < to);
        if from >= copied {
            let start = self.index(from);
            self.kept.extend_from_slice(&self.bytes[self.copied..start]);
            self.copied = start;
        }
        let at = self.kept_at(from);
        let end = if to < self.place(self.copied) { self.kept_at(to) } else { self.kept.len() };
        let mut sum = match first.checked_sub(1).and_then(|last| self.cuts.get(last)) {
            // It goes on where the last one ended.
            Some(last) if last.to == from => last.elided,
            _ => Elided { at, bytes: 0, lines: 0, tail: 0, what: zero(what) },
        };
        let mut done = at;
        for inner in &self.cuts[first..behind] {
            self.weigh(&mut sum, &self.kept[done..inner.elided.at]);
            done = inner.elided.at;
            sum.bytes += inner.elided.bytes;
            sum.lines += inner.elided.lines;
            sum.tail = if inner.elided.lines > 0 { inner.elided.tail } else { sum.tail + inner.elided.tail };
        }
        self.weigh(&mut sum, &self.kept[done..end]);
        if to > self.place(self.copied) {
            let stop = self.index(to);
            self.weigh(&mut sum, &self.bytes[self.copied..stop]);
            self.copied = stop;
        }
        sum.what = add(sum.what, what);
        self.kept.drain(at..end);
        for later in &mut self.cuts[behind..] {
            later.elided.at -= end - at;
        }
        let goes_on = first > 0 && self.cuts[first - 1].to == from;
        let (start, from) = if goes_on { (first - 1, self.cuts[first - 1].from) } else { (first, from) };
        self.cuts.splice(start..behind, [Cut { from, to, elided: sum }]);
    }

    /// Counts the lines of data that end before a place and were cut out from another.
    pub fn cut_data(&mut self, from: u64, to: u64, partial: bool) {
        if from < to {
            self.cut(from, to, Bulk::Data(0));
        }
        if let Some(last) = self.cuts.last_mut()
            && let Bulk::Data(lines) = &mut last.elided.what
        {
            *lines = last.elided.lines + u64::from(partial);
        }
    }

    /// The text that is left and what was cut out.
    pub fn finish(mut self) -> (Vec<u8>, Vec<Elided>) {
        self.kept.extend_from_slice(&self.bytes[self.copied..self.len]);
        (self.kept, self.cuts.into_iter().map(|cut| cut.elided).collect())
    }

    /// Adds a piece to what is cut out.
    fn weigh(&self, sum: &mut Elided, piece: &[u8]) {
        sum.bytes += self.encoding.width(piece);
        match memchr::memrchr(b'\n', piece) {
            Some(last) => {
                sum.lines += memchr::memchr_iter(b'\n', &piece[..=last]).count() as u64;
                sum.tail = chars(&piece[last + 1..]);
            }
            None => sum.tail += chars(piece),
        }
    }

    /// Where in `kept` a place is.
    fn kept_at(&self, place: u64) -> usize {
        let last = self.cuts.iter().rev().find(|cut| cut.to <= place);
        let at = last.map_or(place, |cut| cut.elided.at as u64 + (place - cut.to));
        usize::try_from(at).unwrap_or(usize::MAX).min(self.kept.len())
    }

    /// Where in `bytes` a place is.
    fn index(&self, place: u64) -> usize {
        usize::try_from(place.saturating_sub(self.base)).unwrap_or(usize::MAX).min(self.len)
    }
}

fn zero(what: Bulk) -> Bulk {
    match what {
        Bulk::Rows(_) => Bulk::Rows(0),
        Bulk::Statements(_) => Bulk::Statements(0),
        Bulk::Data(_) => Bulk::Data(0),
    }
}

fn add(sum: Bulk, more: Bulk) -> Bulk {
    match (sum, more) {
        (Bulk::Rows(a), Bulk::Rows(b)) => Bulk::Rows(a + b),
        (Bulk::Statements(a), Bulk::Statements(b)) => Bulk::Statements(a + b),
        (Bulk::Data(a), Bulk::Data(b)) => Bulk::Data(a + b),
        (sum, _) => sum,
    }
}
