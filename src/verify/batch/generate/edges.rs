//! The values that break a careless program or engine, type by type. Every engine that the tests run on can hold them.

use super::scale::parsed;
use crate::dialect::types::Type;
use crate::engine::value::Value;

/// Texts that break a careless program: scripts, quotes, backslashes, comment marks, template marks, what looks like null
/// or like a number, blanks, and characters beyond the first plane.
pub(super) const TEXTS: &[&str] = &[
    "paid",
    "東京都",
    "it's",
    "say \"hi\"",
    "back\\slash\\",
    "two\nlines",
    "carriage\r\nreturn\tand tab",
    "-- no; comment /* here",
    "# ${x} {{ ds }} {% raw %} $(y) $$z$$",
    "",
    " ",
    "NULL",
    "null",
    "0",
    "007",
    "1e3",
    "100%_",
    "`tick` [b] $1 ? :x @y %s",
    "''",
    "ﾊﾝｶｸ 𠮷野家",
    "👩‍👩‍👧 🇯🇵",
    "שלום",
    "\u{feff}mark",
];

/// Texts that differ by code point and that a collation may take for one: case, accents, blanks at the end, composed and
/// decomposed letters, wide and narrow ones. Neighbours are the most alike.
pub(super) const ALIKE: &[&str] =
    &["a", "A", "a ", " a", "á", "caf\u{e9}", "cafe\u{301}", "cafe", "straße", "strasse", "ア", "ｱ", "ı", "i"];

/// The values of a type at its limits and around its special cases, each once. None is null.
pub(super) fn edges(ty: &Type) -> Vec<Value> {
    let texts = |texts: &[&str]| texts.iter().map(|text| parsed(text, ty)).collect::<Vec<_>>();
    let mut values = match ty {
        Type::Bool => texts(&["true", "false"]),
        Type::SmallInt => texts(&["0", "1", "-1", "32767", "-32768"]),
        Type::Int => texts(&["0", "1", "-1", "2147483647", "-2147483648"]),
        Type::BigInt => texts(&["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993"]),
        Type::Decimal { precision, scale } => decimals(usize::from(*precision), usize::from(*scale), ty),
        // Six digits, which is what one engine prints of 32 bits.
        Type::Real => texts(&["0", "0.1", "-0.5", "16777.2", "3.40282e38", "-3.40282e38", "1.17549e-38"]),
        Type::Double => texts(&[
            "0",
            "0.1",
            "-0.5",
            "0.30000000000000004",
            "9007199254740993",
            "1.7976931348623157e308",
            "-1.7976931348623157e308",
            "2.2250738585072014e-308",
        ]),
        Type::Text => {
            let mut all = texts(TEXTS);
            all.extend(texts(ALIKE));
            all.push(Value::Text("長い 📏 ".repeat(400)));
            all
        }
        Type::Varchar(length) | Type::Char(length) => limited(usize::try_from(*length).unwrap_or(usize::MAX), ty),
        Type::Bytes => texts(&["", "00", "ff", "00ff", "27", "5c", "0d0a", "c3a9", "e6"]),
        Type::Date => texts(&[
            "1970-01-01",
            "1969-12-31",
            "2024-02-29",
            "2000-02-29",
            "1900-03-01",
            "1582-10-15",
            "0001-01-01",
            "9999-12-31",
        ]),
        Type::Time => texts(&["00:00:00", "23:59:59.999999", "12:00:00.000001", "12:00:00.1", "12:00:00"]),
        Type::Timestamp => texts(&[
            "1970-01-01 00:00:00",
            "1969-12-31 23:59:59.999999",
            "2024-02-29 12:00:00.000001",
            "2024-02-29 12:00:00",
            // Not there on a clock in Berlin, and there twice.
            "2024-03-31 02:30:00",
            "2024-10-27 02:30:00",
            "2038-01-19 03:14:08",
            "0001-01-01 00:00:00",
            "9999-12-31 23:59:59.999999",
        ]),
        Type::Timestamptz => texts(&[
            "1970-01-01 00:00:00Z",
            "1969-12-31 23:59:59.999999Z",
            // 02:30 on a clock in Berlin, for the first and for the second time; then in New York.
            "2024-10-27 00:30:00Z",
            "2024-10-27 01:30:00Z",
            "2024-11-03 05:30:00Z",
            "2024-11-03 06:30:00Z",
            "2024-03-31 01:00:00.000001Z",
            "2038-01-19 03:14:08Z",
            "0001-01-02 00:00:00Z",
            "9999-12-29 23:59:59.999999Z",
        ]),
        Type::Uuid => texts(&[
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
            "018f4e5c-7f3a-7000-8000-0000000000ff",
        ]),
        Type::Json => texts(&[
            "{}",
            "[]",
            "null",
            "true",
            "0",
            "-1.5",
            "\"\"",
            "\"it's 東京 \\\"quoted\\\" back\\\\slash\\nline\"",
            "{\"a\":1,\"b\":2}",
            "{\"a\":1,\"b\":null}",
            "{\"a\":1}",
            "{\"a\":{\"b\":[{\"c\":[]},1,\"👩‍👩‍👧\"]}}",
            "[1,[2,[3]],{}]",
            "{\"\":0,\" \":1,\"東京\":\"{{ ds }}\"}",
        ]),
        Type::Other(name) if ["json", "jsonb"].contains(&name.to_ascii_lowercase().as_str()) => edges(&Type::Json),
        // What another type of one engine takes is not known here.
        Type::Other(_) => Vec::new(),
    };
    values.retain(|value| !value.is_null());
    distinct(values)
}

/// The n-th text of those whose order is the same under every collation, because digits in front decide it.
pub(super) fn ordered_text(n: i64, ty: &Type) -> Option<Value> {
    let place = usize::try_from(n).ok()?;
    let awkward = TEXTS[place % TEXTS.len()];
    let text = format!("{:02} {awkward}", n % 100);
    match ty {
        Type::Text => Some(Value::Text(text)),
        Type::Varchar(length) | Type::Char(length) => {
            let length = usize::try_from(*length).ok()?;
            (length >= 4).then(|| parsed(&text.chars().take(length).collect::<String>(), ty))
        }
        Type::Json => Some(parsed(&serde_json::json!({"a": format!("{:02}", n % 100), "s": awkward}).to_string(), ty)),
        _ => None,
    }
}

/// Every text that fits, and texts that fill the length with characters of three and of four bytes.
fn limited(length: usize, ty: &Type) -> Vec<Value> {
    let fits = |text: &&&str| text.chars().count() <= length;
    let mut all: Vec<Value> =
        TEXTS.iter().chain(ALIKE).filter(fits).map(|text| Value::parse(text, ty).unwrap_or(Value::Null)).collect();
    let full = length.min(2000);
    all.extend(["x", "語", "😀"].map(|letter| Value::Text(letter.repeat(full))));
    all
}

/// The least step, the greatest number and their negatives.
fn decimals(precision: usize, scale: usize, ty: &Type) -> Vec<Value> {
    let pointed = |digits: &str| {
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        format!("{whole}.{fraction}")
    };
    let most = pointed(&"9".repeat(precision));
    let least = pointed("1");
    [&pointed("0"), &least, &format!("-{least}"), &most, &format!("-{most}"), &pointed("5")]
        .map(|text| parsed(text.trim_end_matches('.'), ty))
        .to_vec()
}

/// Each value once, in order.
fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}
