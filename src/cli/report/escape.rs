//! Text that others wrote, made harmless for what it is written into.

use std::fmt::Write as _;

/// True for a character that a terminal obeys or that changes how its neighbours look, instead of being seen.
fn unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// On one line: whatever would not be seen stands there as Rust writes it, `\n` or `\u{1b}`.
pub fn line(text: &str) -> String {
    spell(text, |_| false)
}

/// The same, with the line ends kept.
pub fn lines(text: &str) -> String {
    spell(text, |character| character == '\n')
}

fn spell(text: &str, keep: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if !unseen(character) || keep(character) {
            out.push(character);
        } else if matches!(character, '\n' | '\r' | '\t') {
            out.extend(character.escape_default());
        } else {
            out.extend(character.escape_unicode());
        }
    }
    out
}

/// A document of JSON whose strings have no character that is not seen: `serde_json` escapes only the first 32 of them.
pub fn json(document: &str) -> String {
    if !document.contains(|character| character != '\n' && unseen(character)) {
        return document.to_owned();
    }
    let mut out = String::with_capacity(document.len() + 16);
    for character in document.chars() {
        if character != '\n' && unseen(character) {
            // All of them have one unit.
            let _ = write!(out, "\\u{:04x}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// Text or the value of an attribute in XML. Most control characters cannot stand in XML at all, so they are spelled.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            _ if unseen(character) || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                out.extend(character.escape_unicode());
            }
            _ => out.push(character),
        }
    }
    out
}

/// A path as servers know it: from the root of the repository, with slashes.
pub fn path(name: &str) -> String {
    let slashes = if std::path::MAIN_SEPARATOR == '\\' { name.replace('\\', "/") } else { name.to_owned() };
    let mut path = slashes.as_str();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    path.to_owned()
}

/// A path as a URI reference, and whether it is relative.
pub fn uri(name: &str) -> (String, bool) {
    let path = path(name);
    let drive = matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    let absolute = path.starts_with('/') || (drive && std::path::MAIN_SEPARATOR == '\\');
    let mut out = String::from(match (absolute, drive) {
        (true, true) => "file:///",
        (true, false) => "file://",
        (false, _) => "",
    });
    for (at, byte) in path.bytes().enumerate() {
        // A colon would make the first folder a scheme; behind a drive's letter it stays one.
        let plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) || (absolute && drive && at == 1);
        if plain {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    (out, !absolute)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{json, line, lines, path, uri, xml};

    #[test]
    fn what_is_not_seen_is_spelled() {
        let text = "a\u{1b}[1m\n\t\u{9b}\u{202e}é\u{fffd}";
        assert_eq!(line(text), "a\\u{1b}[1m\\n\\t\\u{9b}\\u{202e}é\u{fffd}");
        assert_eq!(lines("a\nb\rc"), "a\nb\\rc");
        assert_eq!(
            xml("<a b=\"c\" & \u{1b}\n\t\r\u{ffff}>"),
            "&lt;a b=&quot;c&quot; &amp; \\u{1b}&#10;&#9;&#13;\\u{ffff}&gt;"
        );
        let string = serde_json::to_string(text).unwrap();
        let escaped = json(&string);
        assert!(escaped.chars().all(|character| !super::unseen(character)), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
        assert_eq!(json("{\n}"), "{\n}");
    }

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(path("././a/b.sql"), "a/b.sql");
        assert_eq!(uri("./a b/é%#?.sql"), ("a%20b/%C3%A9%25%23%3F.sql".to_owned(), true));
        assert_eq!(uri("a:b"), ("a%3Ab".to_owned(), true));
        assert_eq!(uri("/a\n\"<"), ("file:///a%0A%22%3C".to_owned(), false));
        assert_eq!(uri("../x.sql"), ("../x.sql".to_owned(), true));
    }
}
