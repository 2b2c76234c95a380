//! A text that a user wrote, and where each of its bytes stands in the file: line, column and byte, also when the text
//! is decoded and leaves parts of the file out.

use std::ops::Range;
use std::sync::OnceLock;

/// A text that a user wrote, and what to call it.
#[derive(Debug)]
pub struct Source {
    /// The file's name as the user gave it.
    pub name: String,
    /// The text: the whole of it, or what `origin` leaves of it.
    pub text: String,
    origin: Origin,
    index: OnceLock<Index>,
}

/// How a text came out of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// How the file writes its characters.
    pub encoding: Encoding,
    /// The byte order mark at the beginning of the file, which the text has not; empty when there is none.
    pub mark: &'static [u8],
    /// What the text leaves out, in order.
    pub elided: Vec<Elided>,
}

/// How a file writes its characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// One byte a character; every byte is one.
    Windows1252,
}

/// A part of the file that the text leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elided {
    /// Where in the text: between the byte before and the byte at this place.
    pub at: usize,
    /// How many bytes of the file.
    pub bytes: u64,
    /// How many ends of lines are in it.
    pub lines: u64,
    /// How many characters stand behind the last of them; all of them when there is none. Too few in Windows-1252 where
    /// bytes from 0x80 to 0xbf are among them: the encoding is known only when all is read.
    pub tail: u64,
    /// What it is.
    pub what: Bulk,
}

/// What can be left out of a text, because more of the same says nothing new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bulk {
    /// That many rows of a list of rows.
    Rows(u64),
    /// That many statements that differ only in their rows.
    Statements(u64),
    /// That many lines of data, which are no SQL.
    Data(u64),
}

/// A place in a text as people count it: both from one, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

/// What makes questions for places cheap: made at the first one.
#[derive(Debug)]
struct Index {
    marks: Vec<Mark>,
    /// The lines and the bytes of everything that is left out, up to each of them and with it.
    sums: Vec<(u64, u64)>,
}

/// What is counted up to the beginning of a block of the text, so that a place costs no walk through the whole.
#[derive(Debug)]
struct Mark {
    lines: usize,
    /// Where the line begins that goes on in this block.
    line_start: usize,
    chars: u64,
    /// Bytes of the file, without a byte order mark and what is left out.
    file: u64,
}

/// Small enough to count in half a microsecond, large enough that the marks weigh nothing.
const BLOCK: usize = 4096;

impl Encoding {
    /// How many bytes the file needs for a text in UTF-8.
    pub fn width(self, text: &[u8]) -> u64 {
        match self {
            Self::Utf8 => text.len() as u64,
            Self::Windows1252 => chars(text),
            // The characters of four bytes in UTF-8 are those of two units in UTF-16.
            Self::Utf16Le | Self::Utf16Be => {
                2 * (chars(text) + count(text, |eight| (eight >> 7) & (eight >> 6) & (eight >> 5) & (eight >> 4)))
            }
        }
    }
}

/// How many characters; every one has one byte that does not continue another.
pub(crate) fn chars(text: &[u8]) -> u64 {
    text.len() as u64 - count(text, |eight| (eight >> 7) & !(eight >> 6))
}

/// How many bytes are wanted; `wanted` is asked about eight at once, and answers in the lowest bit of each.
fn count(text: &[u8], wanted: impl Fn(u64) -> u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = text.as_chunks::<8>();
    let mut sum = 0;
    // Each of the eight sums fits into its byte.
    for some in words.chunks(255) {
        let sums = some.iter().fold(0, |sums, word| sums + (wanted(u64::from_le_bytes(*word)) & ONES));
        let pairs = (sums & 0x00ff_00ff_00ff_00ff) + ((sums >> 8) & 0x00ff_00ff_00ff_00ff);
        sum += pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48;
    }
    sum + rest.iter().map(|byte| wanted(u64::from(*byte)) & 1).sum::<u64>()
}

impl Source {
    /// A text that is the whole of its file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of(name, text, Origin::default())
    }

    /// A text that was decoded, or that leaves parts of its file out.
    pub fn of(name: impl Into<String>, text: impl Into<String>, origin: Origin) -> Self {
        Self { name: name.into(), text: text.into(), origin, index: OnceLock::new() }
    }

    /// How the text came out of its file.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The line and the column of a byte in the file; of the end when the byte is beyond it.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let (lines, start, chars) = self.counted(offset);
        let before = self.before(offset);
        let (left_out, _) = self.sums(before.len());
        let mut column = None;
        let mut beside = 0;
        for one in before.iter().rev().take_while(|one| one.at >= start) {
            beside += one.tail;
            if one.lines > 0 {
                column = Some(beside + chars - self.counted(one.at).2);
                break;
            }
        }
        let column = column.unwrap_or_else(|| beside + chars - self.counted(start).2);
        Position { line: lines + 1 + small(left_out), column: small(column) + 1 }
    }

    /// The byte of the file at which a byte of the text stands.
    pub fn offset(&self, offset: usize) -> u64 {
        let offset = offset.min(self.text.len());
        self.written(offset) + self.sums(self.before(offset).len()).1
    }

    /// The bytes of the file that a stretch of the text stands for; `None` when parts of the file are left out in the
    /// midst of it.
    pub fn file_range(&self, range: &Range<usize>) -> Option<Range<u64>> {
        let (start, end) = (range.start.min(self.text.len()), range.end.min(self.text.len()));
        let behind = self.origin.elided.partition_point(|one| one.at <= start);
        let split = self.origin.elided.get(behind).is_some_and(|one| one.at < end);
        let from = self.offset(start);
        (!split && start <= end).then(|| from..from + (self.written(end) - self.written(start)))
    }

    /// What is left out inside a stretch of the text.
    pub fn left_out(&self, range: &Range<usize>) -> &[Elided] {
        let elided = &self.origin.elided;
        let start = elided.partition_point(|one| one.at <= range.start);
        let end = elided.partition_point(|one| one.at < range.end);
        elided.get(start..end).unwrap_or_default()
    }

    /// What is left out before a byte.
    fn before(&self, offset: usize) -> &[Elided] {
        let elided = &self.origin.elided;
        &elided[..elided.partition_point(|one| one.at <= offset)]
    }

    /// The bytes of the file up to a byte of the text, without what is left out.
    fn written(&self, offset: usize) -> u64 {
        let bom = self.origin.mark.len() as u64;
        if self.origin.encoding == Encoding::Utf8 {
            return bom + offset as u64;
        }
        let (mark, rest) = self.mark(offset);
        bom + mark.map_or(0, |mark| mark.file) + self.origin.encoding.width(rest)
    }

    /// Ends of lines before a byte of the text, the beginning of its line, and the characters before it.
    fn counted(&self, offset: usize) -> (usize, usize, u64) {
        let (mark, rest) = self.mark(offset);
        let (lines, line_start, before) = mark.map_or((0, 0, 0), |mark| (mark.lines, mark.line_start, mark.chars));
        let start = memchr::memrchr(b'\n', rest).map_or(line_start, |at| offset - rest.len() + at + 1);
        (lines + memchr::memchr_iter(b'\n', rest).count(), start, before + chars(rest))
    }

    /// The lines and the bytes of the first few of what is left out.
    fn sums(&self, first: usize) -> (u64, u64) {
        first.checked_sub(1).and_then(|last| self.index().sums.get(last)).copied().unwrap_or_default()
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let total = self.origin.elided.iter().scan((0, 0), |(lines, bytes), one| {
                *lines += one.lines;
                *bytes += one.bytes;
                Some((*lines, *bytes))
            });
            Index { marks: marks(self.text.as_bytes(), self.origin.encoding), sums: total.collect() }
        })
    }

    /// The mark before a byte, and the text from there to the byte.
    fn mark(&self, offset: usize) -> (Option<&Mark>, &[u8]) {
        let text = self.text.as_bytes();
        let marks = &self.index().marks;
        let block = (offset / BLOCK).min(marks.len().saturating_sub(1));
        (marks.get(block), text.get(block * BLOCK..offset).unwrap_or_default())
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text == other.text && self.origin == other.origin
    }
}

impl Eq for Source {}

fn marks(text: &[u8], encoding: Encoding) -> Vec<Mark> {
    let mut marks = Vec::with_capacity(text.len() / BLOCK + 1);
    let (mut lines, mut line_start, mut before, mut file) = (0, 0, 0, 0);
    for (number, block) in text.chunks(BLOCK).enumerate() {
        marks.push(Mark { lines, line_start, chars: before, file });
        lines += memchr::memchr_iter(b'\n', block).count();
        line_start = memchr::memrchr(b'\n', block).map_or(line_start, |at| number * BLOCK + at + 1);
        before += chars(block);
        file += encoding.width(block);
    }
    marks
}

fn small(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Bulk, Elided, Encoding, Origin, Position, Source};
    use proptest::prelude::*;

    fn position(text: &str, offset: usize) -> Position {
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Position { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }

    #[test]
    fn a_place_in_a_long_text_is_counted_from_its_beginning() {
        let text = "é\nab\n".repeat(5000) + &"日x".repeat(9000);
        let source = Source::new("a", text.clone());
        for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)).step_by(37) {
            assert_eq!(source.position(offset), position(&text, offset), "{offset}");
            assert_eq!(source.offset(offset), offset as u64);
        }
        assert_eq!(source.position(text.len() + 9), position(&text, text.len()));
    }

    proptest! {
        #[test]
        fn what_is_left_out_counts(file in "([a-cé日𐍈]|\n){0,60}", cuts in proptest::collection::vec(0..60usize, 0..6)) {
            for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Windows1252] {
                // Two characters out of each pair of cuts.
                let mut cuts: Vec<usize> = cuts.iter().copied().filter(|at| file.is_char_boundary(*at)).collect();
                cuts.sort_unstable();
                cuts.dedup();
                let (mut text, mut elided, mut kept) = (String::new(), Vec::new(), Vec::new());
                let mut from = 0;
                for pair in cuts.chunks_exact(2) {
                    kept.extend((from..pair[0]).map(|at| (text.len() + at - from, at)));
                    text.push_str(&file[from..pair[0]]);
                    let out = &file[pair[0]..pair[1]];
                    let tail = out.rsplit('\n').next().unwrap_or(out).chars().count() as u64;
                    let lines = out.matches('\n').count() as u64;
                    let bytes = encoding.width(out.as_bytes());
                    elided.push(Elided { at: text.len(), bytes, lines, tail, what: Bulk::Rows(1) });
                    from = pair[1];
                }
                kept.extend((from..=file.len()).map(|at| (text.len() + at - from, at)));
                text.push_str(&file[from..]);
                let source = Source::of("a", text, Origin { encoding, mark: b"abc", elided });
                for (at, real) in kept.into_iter().filter(|(_, real)| file.is_char_boundary(*real)) {
                    prop_assert_eq!(source.position(at), position(&file, real));
                    let written = 3 + encoding.width(&file.as_bytes()[..real]);
                    prop_assert_eq!(source.offset(at), written);
                }
            }
        }
    }
}
