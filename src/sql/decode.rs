//! Bytes of a file to text, and edits of the text to bytes: nothing but the edits ever changes.

use crate::diagnostic::{Elided, Encoding, Origin, Source};
use std::fmt;
use std::ops::Range;

/// A text out of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// How the file writes it.
    pub origin: Origin,
    /// What a user should know about it.
    pub note: Option<Note>,
}

/// What is unusual about the bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It is not UTF-8 because of the byte at this place, and is read as Windows-1252.
    NotUtf8(u64),
    /// It is UTF-16 with halves of characters, which the text shows as `\u{fffd}`.
    Halves,
}

/// A replacement of bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The bytes of the file.
    pub range: Range<u64>,
    /// What stands there afterwards.
    pub bytes: Vec<u8>,
}

/// Why a text cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// The encoding of the file has no such character.
    Character(char),
    /// The file has halves of characters, which are not in the text.
    Halves,
    /// A part of what is replaced is not in the text.
    LeftOut,
    /// Two edits change the same bytes, or are not in order.
    Overlap,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8(at) => {
                write!(f, "not UTF-8: the byte at {at} begins no character; read as Windows-1252")
            }
            Self::Halves => write!(f, "UTF-16 with halves of characters, which are read as `\u{fffd}`"),
        }
    }
}

impl std::error::Error for Unwritable {}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(one) => write!(f, "the encoding of the file has no `{one}`"),
            Self::Halves => write!(f, "the file has halves of characters, which would be lost"),
            Self::LeftOut => write!(f, "the edit replaces rows that were not read"),
            Self::Overlap => write!(f, "two edits change the same place"),
        }
    }
}

/// The encoding of a file that begins so, and its byte order mark. `Utf8` means any encoding in which ASCII stands for
/// itself; which one, only the whole file tells.
pub fn sniff(first: &[u8]) -> (Encoding, &'static [u8]) {
    const MARKS: [(Encoding, &[u8]); 3] =
        [(Encoding::Utf8, b"\xef\xbb\xbf"), (Encoding::Utf16Le, b"\xff\xfe"), (Encoding::Utf16Be, b"\xfe\xff")];
    if let Some(found) = MARKS.into_iter().find(|(_, mark)| first.starts_with(mark)) {
        return found;
    }
    // In UTF-16 every other byte of what is ASCII is NUL, and few characters have a NUL on the other side.
    let units = first[..first.len().min(4096)].as_chunks::<2>().0;
    let nuls = |side: usize| units.iter().filter(|unit| unit[side] == 0).count();
    let most = |nuls: usize| nuls * 2 > units.len();
    let few = |nuls: usize| nuls * 8 < units.len();
    let encoding = match (nuls(0), nuls(1)) {
        (high, low) if most(high) && few(low) => Encoding::Utf16Be,
        (high, low) if few(high) && most(low) => Encoding::Utf16Le,
        _ => Encoding::Utf8,
    };
    (encoding, b"")
}

/// The text of a file.
pub fn decode(bytes: Vec<u8>) -> Decoded {
    let (encoding, mark) = sniff(&bytes);
    if encoding == Encoding::Utf8 {
        let mut bytes = bytes;
        bytes.drain(..mark.len());
        return ascii(bytes, mark, Vec::new());
    }
    let mut units = Units::new(encoding);
    let mut text = Vec::with_capacity(bytes.len());
    units.push(&bytes[mark.len()..], &mut text);
    let note = units.finish(&mut text);
    Decoded { note, ..ascii(text, mark, Vec::new()).encoded(encoding) }
}

/// The text of bytes in which ASCII stands for itself: UTF-8 if they are, and otherwise Windows-1252, in which nothing
/// is a fault.
pub(super) fn ascii(bytes: Vec<u8>, mark: &'static [u8], mut elided: Vec<Elided>) -> Decoded {
    let fault = match String::from_utf8(bytes) {
        Ok(text) => {
            let origin = Origin { encoding: Encoding::Utf8, mark, elided };
            return Decoded { text, origin, note: None };
        }
        Err(fault) => fault,
    };
    let at = fault.utf8_error().valid_up_to();
    let bytes = fault.into_bytes();
    let left_out: u64 = elided.iter().take_while(|one| one.at <= at).map(|one| one.bytes).sum();
    let note = Some(Note::NotUtf8(mark.len() as u64 + at as u64 + left_out));
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let mut from = 0;
    for one in &mut elided {
        text.extend(bytes[from..one.at].iter().copied().map(character));
        from = one.at;
        one.at = text.len();
    }
    text.extend(bytes[from..].iter().copied().map(character));
    Decoded { text, origin: Origin { encoding: Encoding::Windows1252, mark, elided }, note }
}

impl Decoded {
    /// The same text out of another encoding.
    pub(super) fn encoded(mut self, encoding: Encoding) -> Self {
        self.origin.encoding = encoding;
        self
    }

    /// A text as this file would have it: for the unchanged text, the very bytes that it was read from. A text that
    /// leaves parts of its file out is only written by [`patches`].
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, Unwritable> {
        if !self.origin.elided.is_empty() {
            return Err(Unwritable::LeftOut);
        }
        if self.note == Some(Note::Halves) {
            return Err(Unwritable::Halves);
        }
        let mut bytes = self.origin.mark.to_vec();
        bytes.extend(encode(text, self.origin.encoding)?);
        Ok(bytes)
    }
}

/// A text in an encoding.
pub fn encode(text: &str, encoding: Encoding) -> Result<Vec<u8>, Unwritable> {
    match encoding {
        Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
        Encoding::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        Encoding::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        Encoding::Windows1252 => text.chars().map(|one| byte(one).ok_or(Unwritable::Character(one))).collect(),
    }
}

/// Edits of a text as replacements in its file. They are in order and apart from each other.
pub fn patches(source: &Source, edits: &[(Range<usize>, &str)]) -> Result<Vec<Patch>, Unwritable> {
    let mut end = 0;
    let mut all = Vec::with_capacity(edits.len());
    for (range, text) in edits {
        let range = source.file_range(range).ok_or(Unwritable::LeftOut)?;
        if range.start < end {
            return Err(Unwritable::Overlap);
        }
        end = range.end;
        all.push(Patch { range, bytes: encode(text, source.origin().encoding)? });
    }
    Ok(all)
}

/// A file with replacements, which are in order.
pub fn apply(original: &[u8], patches: &[Patch]) -> Vec<u8> {
    let mut all = Vec::with_capacity(original.len() + patches.iter().map(|patch| patch.bytes.len()).sum::<usize>());
    let mut from = 0;
    let index = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(original.len());
    for patch in patches {
        all.extend_from_slice(original.get(from..index(patch.range.start)).unwrap_or_default());
        all.extend_from_slice(&patch.bytes);
        from = index(patch.range.end).max(from);
    }
    all.extend_from_slice(&original[from..]);
    all
}

/// UTF-16 to UTF-8, piece by piece.
pub(super) struct Units {
    big: bool,
    /// The first byte of a unit whose second one is not there yet.
    half: Option<u8>,
    /// The first unit of a character whose second one is not there yet.
    high: Option<u16>,
    halves: bool,
}

impl Units {
    pub fn new(encoding: Encoding) -> Self {
        Self { big: encoding == Encoding::Utf16Be, half: None, high: None, halves: false }
    }

    /// Adds the characters of a piece.
    pub fn push(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        let mut bytes = bytes;
        if let (Some(first), Some((second, rest))) = (self.half, bytes.split_first()) {
            self.half = None;
            self.unit([first, *second], into);
            bytes = rest;
        }
        let (units, rest) = bytes.as_chunks::<2>();
        for unit in units {
            self.unit(*unit, into);
        }
        self.half = rest.first().copied().or(self.half);
    }

    /// Nothing follows: adds what was begun, and says whether something was half.
    pub fn finish(mut self, into: &mut Vec<u8>) -> Option<Note> {
        if self.high.take().is_some() {
            self.put(char::REPLACEMENT_CHARACTER, into);
            self.halves = true;
        }
        // Half a unit is no character: the text does not show it, and what is written keeps it.
        (self.halves || self.half.is_some()).then_some(Note::Halves)
    }

    fn unit(&mut self, bytes: [u8; 2], into: &mut Vec<u8>) {
        let unit = if self.big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) };
        if unit < 0x80 && self.high.is_none() {
            into.push(bytes[usize::from(self.big)]);
            return;
        }
        if let Some(high) = self.high.take() {
            if let Some(Ok(one)) = char::decode_utf16([high, unit]).next() {
                // With a first unit before it, the second belongs to it, or the first is alone.
                self.put(one, into);
                return;
            }
            self.halves = true;
            self.put(char::REPLACEMENT_CHARACTER, into);
        }
        match char::from_u32(u32::from(unit)) {
            Some(one) => self.put(one, into),
            None if unit < 0xdc00 => self.high = Some(unit),
            None => {
                self.halves = true;
                self.put(char::REPLACEMENT_CHARACTER, into);
            }
        }
    }

    #[allow(clippy::unused_self)]
    fn put(&self, one: char, into: &mut Vec<u8>) {
        into.extend_from_slice(one.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// The characters of the bytes from 0x80 to 0x9f in Windows-1252; the five that it leaves open stand for themselves, as
/// browsers have it.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn character(byte: u8) -> char {
    if (0x80..0xa0).contains(&byte) { HIGH[usize::from(byte - 0x80)] } else { char::from(byte) }
}

fn byte(one: char) -> Option<u8> {
    match u8::try_from(u32::from(one)) {
        Ok(byte) if !(0x80..0xa0).contains(&byte) => Some(byte),
        _ => HIGH.iter().zip(0x80..).find(|(high, _)| **high == one).map(|(_, byte)| byte),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{Note, Unwritable, apply, decode, encode, patches};
    use crate::diagnostic::{Encoding, Source};
    use proptest::prelude::*;

    fn units(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn every_encoding_gives_its_bytes_back() {
        let text = "INSERT INTO t VALUES ('é€ 𐍈');\r\n";
        let with = |mark: &[u8], bytes: Vec<u8>| [mark, &bytes].concat();
        let cases = [
            (text.as_bytes().to_vec(), Encoding::Utf8, false),
            (with(b"\xef\xbb\xbf", text.as_bytes().to_vec()), Encoding::Utf8, true),
            (with(b"\xff\xfe", units(text, false)), Encoding::Utf16Le, true),
            (with(b"\xfe\xff", units(text, true)), Encoding::Utf16Be, true),
            (units(text, false), Encoding::Utf16Le, false),
            (units(text, true), Encoding::Utf16Be, false),
        ];
        for (bytes, encoding, bom) in cases {
            let decoded = decode(bytes.clone());
            assert_eq!((decoded.text.as_str(), decoded.origin.encoding), (text, encoding));
            assert_eq!((!decoded.origin.mark.is_empty(), decoded.note), (bom, None));
            assert_eq!(decoded.encode(text).unwrap(), bytes);
        }
        let all: Vec<u8> = (1..=255).collect();
        let decoded = decode(all.clone());
        assert_eq!(decoded.note, Some(Note::NotUtf8(127)));
        assert_eq!(decoded.encode(&decoded.text).unwrap(), all);
        assert_eq!(decoded.encode("日"), Err(Unwritable::Character('日')));
        assert_eq!(decode(Vec::new()).text, "");
    }

    #[test]
    fn halves_are_shown_and_kept() {
        let mut bytes = units("a", false);
        bytes.extend([0x00, 0xd8, b'b', 0, 0x00, 0xdc, 0x01, 0xd8, 7]);
        let bytes = [b"\xff\xfe", bytes.as_slice()].concat();
        let decoded = decode(bytes.clone());
        assert_eq!((decoded.text.as_str(), decoded.note), ("a\u{fffd}b\u{fffd}\u{fffd}", Some(Note::Halves)));
        assert_eq!(decoded.encode(&decoded.text), Err(Unwritable::Halves));
        let source = Source::of("a", decoded.text, decoded.origin);
        let edits = patches(&source, &[(4..5, "cd")]).unwrap();
        let after = apply(&bytes, &edits);
        assert_eq!(after, [&bytes[..6], b"c\0d\0", &bytes[8..]].concat());
    }

    proptest! {
        #[test]
        fn an_edit_changes_nothing_else(bytes in prop::collection::vec(any::<u8>(), 0..40), from in 0..40usize, to in 0..40usize) {
            for mark in [&b""[..], b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"] {
                let bytes = [mark, &bytes].concat();
                let decoded = decode(bytes.clone());
                if decoded.note != Some(Note::Halves) {
                    prop_assert_eq!(&decoded.encode(&decoded.text).unwrap(), &bytes);
                }
                let text = decoded.text.clone();
                let source = Source::of("a", decoded.text, decoded.origin);
                let whole = |at: usize| text.char_indices().map(|(at, _)| at).find(|start| *start >= at).unwrap_or(text.len());
                let range = whole(from.min(to))..whole(from.max(to));
                let edits = patches(&source, &[(range.clone(), "xy")]).unwrap();
                let after = apply(&bytes, &edits);
                let (start, end) = (source.offset(range.start), source.offset(range.end));
                let (start, end) = (usize::try_from(start).unwrap(), usize::try_from(end).unwrap());
                let xy = encode("xy", source.origin().encoding).unwrap();
                prop_assert_eq!(&after, &[&bytes[..start], &xy, &bytes[end..]].concat());
            }
        }
    }
}
