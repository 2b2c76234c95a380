//! Bytes of a text as lines and columns, in the unit that a format asks for.

use crate::diagnostic::{Elided, Source};
use std::ops::Range;

/// What one column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A character, as people count.
    Character,
    /// A byte of UTF-8.
    Byte,
    /// A code unit of UTF-16, as most editors count.
    Utf16,
}

/// A stretch of a text: lines and columns from one, the end behind the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
}

/// The places of a text.
pub struct Lines<'a> {
    source: &'a Source,
}

impl<'a> Lines<'a> {
    pub fn of(source: &'a Source) -> Self {
        Self { source }
    }

    /// The place of these bytes.
    pub fn place(&self, range: &Range<usize>, unit: Unit) -> Place {
        let (line, column) = self.point(range.start, unit);
        let (end_line, end_column) = self.point(range.end.max(range.start), unit);
        Place { line, column, end_line, end_column }
    }

    /// What was left out of the file inside a stretch of the text.
    pub fn left_out(&self, range: &Range<usize>) -> &'a [Elided] {
        self.source.left_out(range)
    }

    /// The line of a byte.
    pub fn line(&self, offset: usize) -> usize {
        self.source.position(offset).line
    }

    /// The bytes as text, whole characters only.
    pub fn text(&self, range: &Range<usize>) -> &'a str {
        let (start, end) = (self.whole(range.start), self.whole(range.end));
        self.source.text.get(start..end).unwrap_or_default()
    }

    fn point(&self, offset: usize, unit: Unit) -> (usize, usize) {
        let offset = self.whole(offset);
        let position = self.source.position(offset);
        // The source knows characters without reading the line again, which may be the whole text and hold many findings.
        if unit == Unit::Character {
            return (position.line, position.column);
        }
        let start = self.source.text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let before = &self.source.text[start..offset];
        let chars = before.chars().count();
        let more = match unit {
            Unit::Character => 0,
            Unit::Byte => before.len() - chars,
            Unit::Utf16 => before.chars().map(char::len_utf16).sum::<usize>() - chars,
        };
        (position.line, position.column + more)
    }

    /// The offset, or the start of the character that it is in, or the end of the text.
    fn whole(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.source.text.len());
        while !self.source.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Place, Unit};
    use crate::diagnostic::Source;

    #[test]
    fn each_unit_counts_its_own_way() {
        let source = Source::new("", "a\r\né𐐀b\n");
        let lines = Lines::of(&source);
        let b = 9..10;
        assert_eq!(lines.text(&b), "b");
        let place = |column| Place { line: 2, column, end_line: 2, end_column: column + 1 };
        assert_eq!(lines.place(&b, Unit::Character), place(3));
        assert_eq!(lines.place(&b, Unit::Utf16), place(4));
        assert_eq!(lines.place(&b, Unit::Byte), place(7));
    }

    #[test]
    fn a_place_is_where_the_source_says() {
        for text in ["", "\n", "a", "a\nb", "a\r\n\r\nb\n", "é\n日本\n", "\n\n\n"] {
            let source = Source::new("", text);
            let lines = Lines::of(&source);
            for at in (0..text.len() + 3).filter(|at| *at > text.len() || text.is_char_boundary(*at)) {
                let place = lines.place(&(at..at), Unit::Character);
                let position = source.position(at);
                assert_eq!((place.line, place.column), (position.line, position.column), "{text:?} at {at}");
                assert_eq!((place.end_line, place.end_column), (position.line, position.column));
                assert_eq!(lines.line(at), position.line);
            }
        }
    }

    #[test]
    fn no_range_makes_it_panic() {
        let source = Source::new("", "é\n𐐀");
        let lines = Lines::of(&source);
        for start in 0..10 {
            for end in 0..10 {
                let place = lines.place(&(start..end), Unit::Byte);
                assert!((place.line, place.column) <= (place.end_line, place.end_column));
                let _ = lines.text(&(start..end));
            }
        }
    }
}
