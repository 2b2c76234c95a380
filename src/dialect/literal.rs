//! Literal values as SQL, and the pieces that dialects build theirs from.

use super::Dialect;
use super::types::{Literal, Type};
use std::fmt::Write as _;

impl Dialect {
    /// The literal as SQL of this dialect. `ty` is the type of its column.
    pub fn literal(&self, value: &Literal, ty: &Type) -> String {
        match value {
            Literal::Null => "NULL".to_owned(),
            Literal::Bool(true) => self.bools.0.to_owned(),
            Literal::Bool(false) => self.bools.1.to_owned(),
            Literal::Integer(digits) | Literal::Decimal(digits) if matches!(ty, Type::Decimal { .. }) => {
                (self.decimal)(digits, ty)
            }
            Literal::Integer(digits) | Literal::Decimal(digits) => digits.clone(),
            Literal::Float(number) if *ty == Type::Real && self.real_is_short() => float(shortened(*number)),
            Literal::Float(number) => float(*number),
            Literal::Text(text) => (self.string)(text),
            Literal::Bytes(bytes) => (self.bytes)(bytes),
            Literal::Date(date) => (self.temporal)(&date.to_string(), ty),
            Literal::Time(time) => (self.temporal)(&time.to_string(), ty),
            Literal::Timestamp(at) => (self.temporal)(&at.to_string().replace('T', " "), ty),
            Literal::Timestamptz(at) => {
                let utc = at.to_string().replace('T', " ").replace('Z', "+00:00");
                (self.temporal)(&utc, ty)
            }
            Literal::Uuid(text) => (self.uuid)(text),
            Literal::Json(text) => (self.json)(text),
        }
    }

    /// True where `real` has 32 bits: some engines have one floating point type, of 64.
    fn real_is_short(&self) -> bool {
        (self.type_name)(&Type::Real) != (self.type_name)(&Type::Double)
    }
}

/// The number that a column of 32 bits keeps. Written so, the staged value equals the stored one; 0.1 would not, since the
/// two are compared with 64 bits, and the row would be written again on every run.
#[expect(clippy::cast_possible_truncation, reason = "the loss is what the column does")]
fn shortened(number: f64) -> f64 {
    f64::from(number as f32)
}

/// A floating point number in the shortest form that reads back as the same number, always with an exponent or a point.
pub fn float(number: f64) -> String {
    let plain = format!("{number:?}");
    if plain.contains(['e', '.']) { plain } else { format!("{plain}.0") }
}

/// `'text'` with quotes doubled, for engines in which a backslash is an ordinary character.
pub fn doubled(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// `'text'` with a backslash before quotes, backslashes and line ends.
pub fn backslashed(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

/// Text in pieces: a character that a client or the engine would read otherwise becomes an expression such as `CHR(38)`
/// between quoted pieces; an empty expression only breaks the text there.
pub fn pieces(text: &str, special: fn(char) -> Option<&'static str>, quoted: fn(&str) -> String) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    for c in text.chars() {
        let Some(expression) = special(c) else {
            plain.push(c);
            continue;
        };
        if !plain.is_empty() {
            pieces.push(quoted(&plain));
            plain.clear();
        }
        if !expression.is_empty() {
            pieces.push(expression.to_owned());
        }
    }
    if !plain.is_empty() || pieces.is_empty() {
        pieces.push(quoted(&plain));
    }
    pieces
}

/// The pieces as one value: `('a' || CHR(38) || 'b')`.
pub fn joined(pieces: &[String], operator: &str) -> String {
    match pieces {
        [one] => one.clone(),
        many => format!("({})", many.join(&format!(" {operator} "))),
    }
}

/// The text of an instant without its `+00:00`, for types that hold UTC and no zone.
pub fn without_zone(text: &str) -> &str {
    text.strip_suffix("+00:00").unwrap_or(text)
}

/// The text of an instant with a space before its `+00:00`.
pub fn spaced_zone(text: &str) -> String {
    text.strip_suffix("+00:00").map_or_else(|| text.to_owned(), |at| format!("{at} +00:00"))
}

/// `INTERVAL '90' MINUTE`. The standard allows two digits unless a precision says more.
pub fn interval(n: u64, unit: &str) -> String {
    let digits = n.to_string().len();
    if digits > 2 { format!("INTERVAL '{n}' {unit}({digits})") } else { format!("INTERVAL '{n}' {unit}") }
}

/// The bytes as upper-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02X}");
        out
    })
}
