//! A script as the linter reads it: decoded, and without its bulk when it is large.

use crate::diagnostic::{Encoding, Origin, Source};
use crate::sql::condense::Condenser;
use crate::sql::decode::{Decoded, Note, Units, ascii, decode, sniff};
use crate::sql::lexis::Lexis;

/// Files up to this size are taken as they are: to read them costs little, and every row in them may count.
pub const WHOLE: usize = 64 << 10;

/// What is made ready at first: most scripts are no larger.
const SMALL: usize = 8 << 10;

/// A script that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Its text, or what is left of it without its bulk.
    pub text: String,
    /// How the text came out of the file.
    pub origin: Origin,
    /// What a user should know about its bytes.
    pub note: Option<Note>,
    /// How many bytes the file has.
    pub bytes: u64,
}

impl Loaded {
    /// The text under a name.
    pub fn source(self, name: impl Into<String>) -> Source {
        Source::of(name, self.text, self.origin)
    }
}

/// Reads a script. `next` fills a part of what it is given and says how much, like `read` of a file: nothing is the end.
/// `choose` says the lexical rules for a script that begins so; it is not asked about a script that is taken whole.
pub fn read<E>(
    mut next: impl FnMut(&mut [u8]) -> Result<usize, E>,
    choose: impl FnOnce(&[u8]) -> Lexis,
) -> Result<Loaded, E> {
    let mut first = vec![0; SMALL];
    let mut filled = 0;
    while filled <= WHOLE {
        if filled == first.len() {
            first.resize(WHOLE + 1, 0);
        }
        match next(&mut first[filled..])?.min(first.len() - filled) {
            0 => break,
            more => filled += more,
        }
    }
    if filled <= WHOLE {
        first.truncate(filled);
        // Thousands of small files may be held at once.
        first.shrink_to_fit();
        let Decoded { text, origin, note } = decode(first);
        return Ok(Loaded { text, origin, note, bytes: filled as u64 });
    }
    let (encoding, mark) = sniff(&first);
    if encoding == Encoding::Utf8 {
        narrow(&first, mark, next, choose)
    } else {
        wide(&first, encoding, mark, next, choose)
    }
}

/// Goes on with a script in which ASCII stands for itself.
fn narrow<E>(
    first: &[u8],
    mark: &'static [u8],
    mut next: impl FnMut(&mut [u8]) -> Result<usize, E>,
    choose: impl FnOnce(&[u8]) -> Lexis,
) -> Result<Loaded, E> {
    let text = &first[mark.len()..];
    let mut condenser = Condenser::new(choose(text), Encoding::Utf8);
    give(&mut condenser, text);
    let mut bytes = first.len() as u64;
    loop {
        let more = next(condenser.room())?;
        if more == 0 {
            break;
        }
        condenser.filled(more);
        bytes += more as u64;
    }
    let (text, elided) = condenser.finish();
    let Decoded { text, origin, note } = ascii(text, mark, elided);
    Ok(Loaded { text, origin, note, bytes })
}

/// Goes on with a script in UTF-16.
fn wide<E>(
    first: &[u8],
    encoding: Encoding,
    mark: &'static [u8],
    mut next: impl FnMut(&mut [u8]) -> Result<usize, E>,
    choose: impl FnOnce(&[u8]) -> Lexis,
) -> Result<Loaded, E> {
    let mut units = Units::new(encoding);
    let mut text = Vec::new();
    units.push(&first[mark.len()..], &mut text);
    let mut condenser = Condenser::new(choose(&text), encoding);
    let mut buffer = first.to_vec();
    let mut bytes = first.len() as u64;
    loop {
        give(&mut condenser, &text);
        text.clear();
        let more = next(&mut buffer)?.min(buffer.len());
        if more == 0 {
            break;
        }
        units.push(&buffer[..more], &mut text);
        bytes += more as u64;
    }
    let note = units.finish(&mut text);
    give(&mut condenser, &text);
    let (text, elided) = condenser.finish();
    let Decoded { text, origin, .. } = ascii(text, mark, elided).encoded(encoding);
    Ok(Loaded { text, origin, note, bytes })
}

fn give(condenser: &mut Condenser, bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let room = condenser.room();
        let (now, later) = rest.split_at(rest.len().min(room.len()));
        room[..now.len()].copy_from_slice(now);
        condenser.filled(now.len());
        rest = later;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{Loaded, WHOLE, read};
    use crate::diagnostic::{Encoding, Position};
    use crate::dialect;
    use crate::sql::decode::{Note, Unwritable, apply, patches};
    use crate::sql::lexis::Lexis;

    fn load(bytes: &[u8], size: usize) -> Loaded {
        let mut rest = bytes;
        let next = |room: &mut [u8]| {
            let (now, later) = rest.split_at(room.len().min(rest.len()).min(size));
            room[..now.len()].copy_from_slice(now);
            rest = later;
            Ok::<_, &str>(now.len())
        };
        read(next, |_| Lexis::of(dialect::find("postgres").unwrap())).unwrap()
    }

    /// A script of so many rows whose last statement is short and simple.
    fn script(rows: usize) -> String {
        let rows: Vec<String> = (0..rows).map(|n| format!("  ({n}, 'é 𐍈')")).collect();
        format!("-- é\nINSERT INTO t VALUES\n{}\nON CONFLICT DO NOTHING;\nDROP TABLE é;\n", rows.join(",\n"))
    }

    type Encode = fn(&str) -> Vec<u8>;

    const ENCODINGS: [(Encoding, Encode); 5] = [
        (Encoding::Utf8, |text| text.as_bytes().to_vec()),
        (Encoding::Utf8, |text| [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        (Encoding::Utf16Le, |text| format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()),
        (Encoding::Utf16Be, |text| text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        (Encoding::Windows1252, |text| text.replace('𐍈', "ü").chars().map(|one| one as u8).collect()),
    ];

    #[test]
    fn an_edit_of_a_large_script_changes_nothing_else() {
        let whole = script(20_000);
        for (encoding, encode) in ENCODINGS {
            let bytes = encode(&whole);
            let loaded = load(&bytes, usize::MAX);
            assert_eq!(load(&bytes, 999), loaded);
            assert_eq!((loaded.bytes, loaded.origin.encoding), (bytes.len() as u64, encoding));
            assert!(loaded.text.len() < 300, "{}", loaded.text);
            assert_eq!(loaded.note.is_some(), encoding == Encoding::Windows1252);
            let source = loaded.source("a.sql");
            let at = source.text.find("TABLE").unwrap();
            assert_eq!(source.position(at), Position { line: 20_004, column: 6 });
            let edits = patches(&source, &[(0..2, "--"), (at + 5..at + 5, " IF EXISTS é")]).unwrap();
            assert_eq!(apply(&bytes, &edits), encode(&whole.replace("DROP TABLE", "DROP TABLE IF EXISTS é")));
            let all = patches(&source, &[(0..source.text.len(), "")]);
            assert_eq!(all, Err(Unwritable::LeftOut));
            let twice = patches(&source, &[(at..at + 2, "a"), (at + 1..at + 3, "b")]);
            assert_eq!(twice, Err(Unwritable::Overlap));
        }
    }

    #[test]
    fn a_small_script_is_taken_as_it_is() {
        let text = script(900);
        let loaded = load(text.as_bytes(), 77);
        assert_eq!((loaded.text.as_str(), loaded.origin.elided.len()), (text.as_str(), 0));
        let least = "x".repeat(WHOLE);
        assert_eq!(load(least.as_bytes(), 1000).text, least);
        let more = least + "x";
        assert_eq!(load(more.as_bytes(), 1000).text, more);
    }

    #[test]
    fn a_byte_that_is_not_utf8_has_its_place_in_the_file() {
        let mut bytes = script(20_000).into_bytes();
        let at = bytes.len() as u64;
        bytes.extend(b"\xe9\n");
        assert_eq!(load(&bytes, 5000).note, Some(Note::NotUtf8(at)));
    }

    #[test]
    fn a_fault_of_the_file_is_handed_on() {
        let choose = |_: &[u8]| Lexis::default();
        assert_eq!(read(|_| Err("gone"), choose), Err("gone"));
        let mut left = WHOLE + 9;
        let next = |room: &mut [u8]| {
            let now = room.len().min(left);
            left -= now;
            if now == 0 { Err("gone") } else { Ok(now) }
        };
        assert_eq!(read(next, choose), Err("gone"));
    }
}
