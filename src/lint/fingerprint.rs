//! A short name for a statement that stays the same when comments, spaces or its place in the file change.

use crate::sql::hash::{FNV_START, fnv};

/// The fingerprint of a statement: FNV-1a, 64 bits, of its text without comments and with one space for each run of blanks
/// outside of quotes; of a comment alone, of the comment. The same on every machine and in every version: baselines hold it.
pub fn fingerprint(statement: &str) -> u64 {
    let plain = plain(statement);
    let hashed = if plain.is_empty() { statement.trim() } else { &plain };
    fnv(FNV_START, hashed.bytes())
}

/// The text that is hashed. It need not follow the lexical rules of any one dialect; it must only never change.
fn plain(statement: &str) -> String {
    let mut out = String::with_capacity(statement.len());
    let mut rest = statement;
    let mut blank = false;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("--") {
            blank = true;
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            blank = true;
            rest.get(2..).and_then(|inside| inside.find("*/")).map_or(rest.len(), |end| end + 4)
        } else if first.is_whitespace() {
            blank = true;
            first.len_utf8()
        } else {
            if blank && !out.is_empty() {
                out.push(' ');
            }
            blank = false;
            let length = match first {
                // A quote that is written twice ends one text and begins the next.
                '\'' | '"' | '`' => {
                    rest.get(1..).and_then(|inside| inside.find(first)).map_or(rest.len(), |end| end + 2)
                }
                _ => first.len_utf8(),
            };
            out.push_str(rest.get(..length).unwrap_or(rest));
            length
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    let end = out.trim_end_matches([';', ' ']).len();
    out.truncate(end);
    out
}

#[cfg(test)]
mod tests {
    use super::{fingerprint, plain};

    #[test]
    fn comments_and_blanks_do_not_count_and_texts_do() {
        for (text, is) in [
            ("INSERT  INTO t\r\n\tVALUES (1) ;\n", "INSERT INTO t VALUES (1)"),
            ("-- idemsql: allow all\nINSERT INTO t -- x", "INSERT INTO t"),
            ("a/* b\n */c", "a c"),
            ("'a  -- b' \"c  d\" `e /* f */`", "'a  -- b' \"c  d\" `e /* f */`"),
            ("'it''s  so'  x", "'it''s  so' x"),
            ("'open", "'open"),
            ("/* open", ""),
            ("", ""),
            ("é  ü;", "é ü"),
        ] {
            assert_eq!(plain(text), is);
        }
    }

    #[test]
    fn the_hash_is_the_one_that_baselines_hold() {
        assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fingerprint("INSERT INTO t\nVALUES (1);"), fingerprint("INSERT INTO t VALUES (1) -- again"));
        assert_ne!(fingerprint("INSERT INTO t VALUES (1)"), fingerprint("INSERT INTO t VALUES (2)"));
        assert_ne!(fingerprint("-- idemsql: allow a"), fingerprint("-- idemsql: allow b"));
    }
}
