//! Scalars and comments of YAML.

use std::fmt::Write as _;

/// Words that YAML, or a reader of its older version, takes for something else than text.
const WORDS: &[&str] = &["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// A text as a scalar that stands anywhere, in brackets too: plain where that reads well and is safe, else in quotes.
pub(super) fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | ')' | ' '))
        && !text.ends_with(' ')
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if plain { text.to_owned() } else { quoted(text) }
}

/// A text in double quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // Line ends of Unicode and the marks that turn text around too.
            c if c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}') => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of names in brackets.
pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", names.into_iter().map(scalar).collect::<Vec<_>>().join(", "))
}

/// A mapping in braces.
pub(super) fn mapping(pairs: &[(&str, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("{{{}}}", pairs.join(", "))
}

/// The widest a comment gets.
const WIDTH: usize = 118;

/// A sentence as lines of comment.
pub(super) fn comment(indent: &str, text: &str) -> String {
    let mut out = String::new();
    let mut line = String::new();
    // A comment ends at any line end, so none may stand in it.
    for word in text.split_whitespace() {
        if !line.is_empty() && indent.len() + 3 + line.chars().count() + word.chars().count() > WIDTH {
            let _ = writeln!(out, "{indent}# {line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| {
            !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        }));
    }
    if !line.is_empty() {
        let _ = writeln!(out, "{indent}# {line}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{comment, quoted, scalar};

    #[test]
    fn what_could_be_misread_is_quoted() {
        assert_eq!(scalar("varchar(80)"), "varchar(80)");
        for (text, want) in [
            ("decimal(12,2)", "\"decimal(12,2)\""),
            ("no", "\"no\""),
            ("1a", "\"1a\""),
            ("a: b", "\"a: b\""),
            ("", "\"\""),
            ("日本", "日本"),
            ("say \"x\"", "\"say \\\"x\\\"\""),
        ] {
            assert_eq!(scalar(text), want);
        }
        assert_eq!(quoted("a\u{2028}b"), "\"a\\u2028b\"");
    }

    #[test]
    fn a_comment_cannot_be_left() {
        assert_eq!(comment("  ", "one\ntwo: x\r\n- y"), "  # one two: x - y\n");
    }
}
