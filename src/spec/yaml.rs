//! A YAML text as a tree in which every key and every value knows its bytes, so that all faults of a file can be told
//! in one run and each at its place.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_yaml::{Location, Spanned};

use crate::diagnostic::Diagnostic;

/// A value and its bytes. A list or a mapping in block style has the bytes of its first line.
#[derive(Clone, Debug)]
pub struct Node {
    pub value: Value,
    pub span: Range<usize>,
    /// True for `{{ ds }}` without quotes: a template to its author, a mapping of a mapping to YAML.
    pub template: bool,
}

#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    /// A number as it is spelled, except that hexadecimal and octal are written in decimal.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// The entries in order; a key may stand there twice.
    Mapping(Vec<Entry>),
}

/// One key of a mapping with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub key_span: Range<usize>,
    pub value: Node,
}

/// What the visitor makes of one node before the text is at hand.
enum Raw {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Spanned<Raw>>),
    Mapping(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Raw;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("any YAML value")
            }
            fn visit_unit<E>(self) -> Result<Raw, E> {
                Ok(Raw::Null)
            }
            fn visit_none<E>(self) -> Result<Raw, E> {
                Ok(Raw::Null)
            }
            fn visit_bool<E>(self, v: bool) -> Result<Raw, E> {
                Ok(Raw::Bool(v))
            }
            fn visit_i64<E>(self, v: i64) -> Result<Raw, E> {
                Ok(Raw::Number(v.to_string()))
            }
            fn visit_u64<E>(self, v: u64) -> Result<Raw, E> {
                Ok(Raw::Number(v.to_string()))
            }
            fn visit_f64<E>(self, v: f64) -> Result<Raw, E> {
                Ok(Raw::Number(v.to_string()))
            }
            fn visit_str<E>(self, v: &str) -> Result<Raw, E> {
                Ok(Raw::Text(v.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Raw::List(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Raw::Mapping(entries))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Reads a text as one YAML 1.2 document: `no` and `0123` are text, a repeated key is kept for the reader to refuse.
pub fn parse(text: &str) -> Result<Node, Diagnostic> {
    let options = serde_yaml::options! {
        // A spec is about ten levels deep. Each level is a few calls, and a thread of 2 MB must do.
        budget: serde_yaml::budget! { max_depth: 32 },
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
    };
    match serde_yaml::from_str_with_options::<Spanned<Raw>>(text, options) {
        Ok(raw) => Ok(place(text, raw)),
        Err(error) => Err(super::syntax::explain(text, error.without_snippet())),
    }
}

/// Gives every node its bytes and every number its spelling.
fn place(text: &str, raw: Spanned<Raw>) -> Node {
    let mut span = bytes(text, raw.defined);
    let value = match raw.value {
        Raw::Null => Value::Null,
        Raw::Bool(value) => Value::Bool(value),
        Raw::Number(value) => Value::Number(spelling(text, &span).unwrap_or(value)),
        // A number too great for a float comes as `.inf`; a text that was written so looks the same in the file.
        Raw::Text(value) if matches!(value.as_str(), ".inf" | "-.inf") => match spelling(text, &span) {
            Some(number) => Value::Number(number),
            None => Value::Text(value),
        },
        Raw::Text(value) => Value::Text(value),
        Raw::List(items) => {
            let items: Vec<Node> = items.into_iter().map(|item| place(text, item)).collect();
            span = whole(text, span, items.last().map(|item| &item.span));
            Value::List(items)
        }
        Raw::Mapping(entries) => {
            let entries: Vec<Entry> = entries.into_iter().map(|(key, value)| entry(text, key, value)).collect();
            span = whole(text, span, entries.last().map(|entry| &entry.value.span));
            Value::Mapping(entries)
        }
    };
    let template = matches!(value, Value::Mapping(_)) && text.get(span.start..).is_some_and(|at| at.starts_with("{{"));
    Node { value, span, template }
}

/// One entry; a key that is no text is kept as it is spelled, so that it is refused by that name.
fn entry(text: &str, key: Spanned<Raw>, value: Spanned<Raw>) -> Entry {
    let key_span = bytes(text, key.defined);
    let key = match key.value {
        Raw::Text(key) => key,
        _ => text.get(key_span.clone()).unwrap_or_default().to_owned(),
    };
    Entry { key, key_span, value: place(text, value) }
}

/// The bytes of a location, cut to what is written: the parser counts the line break behind a block of text.
fn bytes(text: &str, location: Location) -> Range<usize> {
    let span = location.span();
    let number = |value: Option<u64>| value.and_then(|value| usize::try_from(value).ok()).unwrap_or(0);
    let start = number(span.byte_offset()).min(text.len());
    let end = start.saturating_add(number(span.byte_len())).min(text.len());
    let written = text.get(start..end).unwrap_or_default().trim_end();
    start..start + written.len()
}

/// The parser places a list or a mapping at its first character only: this reaches to the closing bracket, or to the
/// end of the first line in block style.
fn whole(text: &str, start: Range<usize>, last: Option<&Range<usize>>) -> Range<usize> {
    let rest = text.get(start.start..).unwrap_or_default();
    if start.is_empty() {
        let line = rest.lines().next().unwrap_or_default();
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        return start.start..start.start + line.len();
    }
    // An alias stands elsewhere in the file; then the search begins at the opening bracket.
    let from = last.map_or(start.end, |last| last.end).max(start.end);
    match text.get(from..).and_then(|rest| rest.find([']', '}'])) {
        Some(at) => start.start..from + at + 1,
        None => start,
    }
}

/// The number as the file spells it, when that is a decimal number that SQL reads too.
fn spelling(text: &str, span: &Range<usize>) -> Option<String> {
    let written = text.get(span.clone())?;
    is_decimal(written).then(|| written.to_owned())
}

/// True for `12`, `-1.50`, `+3`, `2e10`.
pub fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(fraction) && digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::{Node, Value, parse};

    /// The tree in one line, and each span's text.
    fn shown(text: &str, node: &Node) -> String {
        let at = &text[node.span.clone()];
        match &node.value {
            Value::Null => format!("null@{at:?}"),
            Value::Bool(value) => format!("{value}@{at:?}"),
            Value::Number(value) => format!("number {value}@{at:?}"),
            Value::Text(value) => format!("{value:?}@{at:?}"),
            Value::List(items) => {
                format!("list@{at:?}[{}]", items.iter().map(|item| shown(text, item)).collect::<Vec<_>>().join(", "))
            }
            Value::Mapping(entries) => format!(
                "mapping@{at:?}{{{}}}",
                entries
                    .iter()
                    .map(|e| format!("{}@{:?}: {}", e.key, &text[e.key_span.clone()], shown(text, &e.value)))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        }
    }

    #[track_caller]
    fn is(text: &str, tree: &str) {
        assert_eq!(shown(text, &parse(text).unwrap()), tree);
    }

    #[test]
    fn scalars_follow_yaml_1_2_and_keep_their_spelling() {
        is("no", r#""no"@"no""#);
        is("0123", r#""0123"@"0123""#);
        is("1_000", r#""1_000"@"1_000""#);
        is("1.50", r#"number 1.50@"1.50""#);
        is(
            "123456789012345678901234567890",
            r#"number 123456789012345678901234567890@"123456789012345678901234567890""#,
        );
        is("0x1F", r#"number 31@"0x1F""#);
        is("1e999", r#"number 1e999@"1e999""#);
        is("'.inf'", r#"".inf"@"'.inf'""#);
        is("TRUE", r#"true@"TRUE""#);
        is("~", r#"null@"~""#);
        is("'no'", r#""no"@"'no'""#);
    }

    #[test]
    fn every_key_and_value_has_its_bytes() {
        is(
            "{a: [x, 'é'], b: }",
            r#"mapping@"{a: [x, 'é'], b: }"{a@"a": list@"[x, 'é']"["x"@"x", "é"@"'é'"], b@"b": null@""}"#,
        );
        is(
            "a:\n  - b: 1 # c\n    d: 2\n",
            r#"mapping@"a:"{a@"a": list@"- b: 1"[mapping@"b: 1"{b@"b": number 1@"1", d@"d": number 2@"2"}]}"#,
        );
        is("a: |\n  b\n  c\nd: 1\n", r#"mapping@"a: |"{a@"a": "b\nc\n"@"b\n  c", d@"d": number 1@"1"}"#);
        is("1: {null: x}", r#"mapping@"1: {null: x}"{1@"1": mapping@"{null: x}"{null@"null": "x"@"x"}}"#);
    }

    #[test]
    fn repeated_keys_and_aliases_reach_the_reader() {
        is("{a: 1, a: 2}", r#"mapping@"{a: 1, a: 2}"{a@"a": number 1@"1", a@"a": number 2@"2"}"#);
        is(
            "{a: &k {z: 1}, b: {<<: *k, y: 2}}",
            r#"mapping@"{a: &k {z: 1}, b: {<<: *k, y: 2}}"{a@"a": mapping@"{z: 1}"{z@"z": number 1@"1"}, b@"b": mapping@"{<<: *k, y: 2}"{y@"y": number 2@"2", z@"z": number 1@"1"}}"#,
        );
    }
}
