//! Bind parameters replaced by literals, for an engine session that cannot bind.

use crate::dialect::Dialect;
use crate::sql::parse::ParseFault;
use crate::sql::token::{bytes, tokenize};
use sqlparser::tokenizer::Token;
use std::ops::Range;

/// The text with a literal for each bind parameter: `?` in the order in which they stand, others by how they are written.
///
/// `written` holds the parameters by their place, as [`Dialect::parameter`] writes them. `literal` gives the literal of a
/// place, from 0; none leaves the parameter as it stands.
///
/// # Errors
/// When the text cannot be split into tokens.
pub fn bind(
    text: &str,
    dialect: &Dialect,
    written: &[String],
    literal: &dyn Fn(usize) -> Option<String>,
) -> Result<String, ParseFault> {
    let mut out = String::new();
    let mut end = 0;
    let mut question = 0;
    for found in tokenize(text, 0..text.len(), dialect)? {
        let Some(range) = bytes(found.span).filter(|range| range.start >= end) else { continue };
        let (place, length) = match &found.token {
            Token::Placeholder(name) if name == "?" => {
                question += 1;
                (Some(question - 1), name.len())
            }
            Token::Placeholder(name) => (written.iter().position(|known| known == name), name.len()),
            // `{name:Type}` is several tokens, and so is `:name` in some dialects.
            Token::LBrace | Token::Colon => {
                let place = written.iter().position(|known| text[range.start..].starts_with(known.as_str()));
                (place, place.map_or(0, |place| written[place].len()))
            }
            _ => continue,
        };
        let Some(value) = place.and_then(literal) else { continue };
        out.push_str(&text[end..range.start]);
        out.push_str(&value);
        end = range.start + length;
    }
    out.push_str(&text[end..]);
    Ok(out)
}

/// The places of `:name`, with the names. The second half of `::type` is none, and neither is what stands directly behind a
/// name, a number or a bracket: `payload:path`, `list[1:n]`.
///
/// # Errors
/// When the text cannot be split into tokens.
pub fn named(text: &str, dialect: &Dialect) -> Result<Vec<(Range<usize>, String)>, ParseFault> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for token in tokenize(text, 0..text.len(), dialect)? {
        let Some(range) = bytes(token.span) else { continue };
        let begins = match &token.token {
            Token::Placeholder(name) => name.starts_with(':'),
            Token::Colon => true,
            _ => false,
        };
        let stands_alone = !text[..range.start].ends_with(|c: char| is_name(c) || "])\"`".contains(c));
        if !begins || !stands_alone {
            continue;
        }
        let rest = &text[range.start + 1..];
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            found.push((range.start..range.start + 1 + name.len(), name.to_owned()));
        }
    }
    Ok(found)
}

/// The first bind parameter that is not `:name`: `?`, `$1`, `:1`, `@name`.
///
/// # Errors
/// When the text cannot be split into tokens.
pub fn unnamed(text: &str, dialect: &Dialect) -> Result<Option<String>, ParseFault> {
    let ours = named(text, dialect)?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for token in tokenize(text, 0..text.len(), dialect)? {
        let Some(range) = bytes(token.span).filter(|range| !ours.iter().any(|(ours, _)| ours.start == range.start))
        else {
            continue;
        };
        let rest = &text[range.start..];
        let stands_alone = !text[..range.start].ends_with(|c: char| is_name(c) || "])\"`:".contains(c));
        let begins = match &token.token {
            Token::Placeholder(_) => true,
            // What is bound to a number, and not the second half of a slice or a type.
            Token::Colon => rest[1..].starts_with(|c: char| c.is_ascii_digit()) && stands_alone,
            Token::AtSign => rest[1..].starts_with(is_name) && stands_alone,
            Token::Word(word) => {
                word.quote_style.is_none() && word.value.starts_with('@') && !word.value.starts_with("@@")
            }
            _ => false,
        };
        if begins {
            let length = 1 + rest[1..].find(|c| !is_name(c)).unwrap_or(rest.len() - 1);
            return Ok(Some(rest[..length].to_owned()));
        }
    }
    Ok(None)
}

/// The places of a name in braces, `{name}`, outside texts, names in quotes and comments.
///
/// # Errors
/// When the text cannot be split into tokens.
pub fn braced(text: &str, braced: &str, dialect: &Dialect) -> Result<Vec<Range<usize>>, ParseFault> {
    let tokens = tokenize(text, 0..text.len(), dialect)?;
    let places = tokens.iter().filter(|found| found.token == Token::LBrace).filter_map(|found| bytes(found.span));
    let places = places.filter(|range| text[range.start..].starts_with(braced));
    Ok(places.map(|range| range.start..range.start + braced.len()).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{bind, braced, named, unnamed};
    use crate::dialect;
    use crate::dialect::types::Type;

    #[test]
    fn parameters_become_literals_and_texts_stay() {
        let value = |at: usize| ["1", "'?'"].get(at).map(|text| (*text).to_owned());
        for (dialect, text, expected) in [
            ("sqlite", "VALUES (?, ?, '?')", "VALUES (1, '?', '?')"),
            ("postgres", "VALUES ($2, $1, '$1', $3)", "VALUES ('?', 1, '$1', $3)"),
            ("oracle", "VALUES (:b, :a, ':a', :c)", "VALUES ('?', 1, ':a', :c)"),
            ("clickhouse", "SELECT {b:Nullable(Int32)}, {a:Nullable(Int32)}, '{'", "SELECT '?', 1, '{'"),
        ] {
            let dialect = dialect::find(dialect).unwrap();
            let written = [(1, "a"), (2, "b")].map(|(at, name)| dialect.parameter(at, name, &Type::Int));
            assert_eq!(bind(text, dialect, &written, &value).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_bound_without_a_name_is_found() {
        for (dialect, text, found) in [
            ("postgres", "UPDATE t SET a = $1 WHERE b = :b", Some("$1")),
            ("sqlite", "UPDATE t SET a = ? WHERE b = :b", Some("?")),
            ("mysql", "UPDATE t SET a = @a WHERE b = :b", Some("@a")),
            ("sqlserver", "UPDATE t SET a = @b WHERE b = :b", Some("@b")),
            ("oracle", "UPDATE t SET a = :1 WHERE b = :b", Some(":1")),
            ("postgres", "UPDATE t SET a = b[1:2], c = d::int, e = '$1 ? @x :1' WHERE f @> :g", None),
            ("sqlserver", "UPDATE t SET a = @@ROWCOUNT, b = '@x' WHERE c = :c -- ?", None),
            ("sqlite", "UPDATE t SET a = 'a@b ?', \"x?\" = :x", None),
        ] {
            let dialect = dialect::find(dialect).unwrap();
            assert_eq!(unnamed(text, dialect).unwrap().as_deref(), found, "{}: {text}", dialect.name);
        }
    }

    #[test]
    fn a_name_in_braces_is_found_in_every_dialect_and_not_in_a_text() {
        let text = "INSERT INTO t SELECT '{events}' FROM {events} AS e /* {events} */";
        for dialect in dialect::ALL {
            let found: Vec<usize> = braced(text, "{events}", dialect).unwrap().into_iter().map(|at| at.start).collect();
            assert_eq!(found, [37], "{}", dialect.name);
        }
    }

    #[test]
    fn a_name_behind_a_colon_is_found_in_every_dialect_and_not_in_a_text() {
        let text = "UPDATE t SET n = n - :quantity, s = ':no', d = CAST(:day AS DATE) WHERE id = :id -- :neither";
        for dialect in dialect::ALL {
            let names: Vec<String> = named(text, dialect).unwrap().into_iter().map(|(_, name)| name).collect();
            assert_eq!(names, ["quantity", "day", "id"], "{}", dialect.name);
        }
        let postgres = dialect::find("postgres").unwrap();
        assert!(named("SELECT a::int, b[1:n] FROM t", postgres).unwrap().is_empty());
    }
}
