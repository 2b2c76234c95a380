//! One cell of a table, whichever engine it was read from: equal values are equal here, and every type has a total order.

use crate::dialect::types::{Literal, Type};
use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use jiff::civil;
use std::cmp::Ordering;
use std::fmt;

/// One row: a value per column.
pub type Row = Vec<Value>;

/// A value in canonical form. Null comes before every other value; two values of one column always have one variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number or a number with a fixed point.
    Number(Number),
    /// A floating point number.
    Float(Float),
    /// Characters, ordered by code point. A UUID is lower case with hyphens, JSON is compact with sorted keys, and the
    /// blanks that pad a `char(n)` are gone.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A day.
    Date(civil::Date),
    /// A time of day.
    Time(civil::Time),
    /// A day and a time of day, without a zone.
    Timestamp(civil::DateTime),
    /// An instant.
    Timestamptz(Timestamp),
    /// The clock of a load that has not run yet: what the reference model writes into an audit column.
    Now,
}

impl Value {
    /// Reads the text that an engine prints for a value, or that a fixture holds, as a value of the type.
    ///
    /// Engines differ in spelling and this takes each of them: `t`, `true` and `1`, `\x41` and `41`, `+00` and `Z`. An
    /// instant without an offset is in UTC. A text that is no value of the type is an error.
    pub fn parse(text: &str, ty: &Type) -> Result<Self> {
        Self::read(text, ty).with_context(|| format!("`{text}` is not a value of type {ty:?}"))
    }

    fn read(text: &str, ty: &Type) -> Result<Self> {
        Ok(match ty {
            Type::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "t" | "1" => Self::Bool(true),
                "false" | "f" | "0" => Self::Bool(false),
                _ => bail!("a bool is true or false"),
            },
            Type::SmallInt | Type::Int | Type::BigInt => {
                let number = Number::parse(text).context("not a number")?;
                if !number.fraction.is_empty() {
                    bail!("a whole number has no fraction");
                }
                Self::Number(number)
            }
            Type::Decimal { .. } => Self::Number(Number::parse(text).context("not a number")?),
            // Printed as the shortest text of 32 bits, so that 0.1 stays 0.1 when an engine computes in 64.
            Type::Real => Self::Float(Float::new(text.parse::<f32>()?.to_string().parse()?)),
            Type::Double => Self::Float(Float::new(text.parse()?)),
            Type::Text | Type::Varchar(_) | Type::Other(_) => Self::Text(text.to_owned()),
            Type::Char(_) => Self::Text(text.trim_end_matches(' ').to_owned()),
            Type::Bytes => Self::Bytes(bytes(text)?),
            Type::Date => Self::Date(text.parse()?),
            Type::Time => Self::Time(text.parse()?),
            Type::Timestamp => Self::Timestamp(text.parse()?),
            Type::Timestamptz => Self::Timestamptz(match text.parse::<Timestamp>() {
                Ok(at) => at,
                Err(_) => jiff::tz::Offset::UTC.to_timestamp(text.parse()?)?,
            }),
            Type::Uuid => Self::Text(uuid(text)?),
            Type::Json => Self::Text(sorted(serde_json::from_str(text)?).to_string()),
        })
    }

    /// The value as a literal for [`crate::dialect::Dialect::literal`]; `None` for [`Value::Now`], which is no literal.
    pub fn literal(&self, ty: &Type) -> Option<Literal> {
        Some(match self {
            Self::Null => Literal::Null,
            Self::Bool(value) => Literal::Bool(*value),
            Self::Number(number) if ty.is_integer() => Literal::Integer(number.to_string()),
            Self::Number(number) => Literal::Decimal(number.to_string()),
            Self::Float(float) => Literal::Float(float.0),
            Self::Text(text) => match ty {
                Type::Uuid => Literal::Uuid(text.clone()),
                Type::Json => Literal::Json(text.clone()),
                _ => Literal::Text(text.clone()),
            },
            Self::Bytes(bytes) => Literal::Bytes(bytes.clone()),
            Self::Date(date) => Literal::Date(*date),
            Self::Time(time) => Literal::Time(*time),
            Self::Timestamp(at) => Literal::Timestamp(*at),
            Self::Timestamptz(at) => Literal::Timestamptz(*at),
            Self::Now => return None,
        })
    }

    /// True for null.
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(Number::from(i128::from(number)))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Float(float) => write!(f, "{}", float.0),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Bytes(bytes) => write!(f, "\\x{}", crate::dialect::literal::hex(bytes)),
            Self::Date(date) => write!(f, "{date}"),
            Self::Time(time) => write!(f, "{time}"),
            Self::Timestamp(at) => f.write_str(&at.to_string().replace('T', " ")),
            Self::Timestamptz(at) => f.write_str(&at.to_string().replace('T', " ").replace('Z', "+00:00")),
            Self::Now => f.write_str("now"),
        }
    }
}

/// A number in decimal digits, exact at any length: engines go up to 76 digits, and a float would hide a wrong cent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    negative: bool,
    /// The digits before the point, without leading zeros; empty for zero.
    whole: String,
    /// The digits behind the point, without trailing zeros.
    fraction: String,
}

impl Number {
    /// Reads `-12.50`; `None` for anything else, exponents included.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let whole = whole.trim_start_matches('0').to_owned();
        let fraction = fraction.trim_end_matches('0').to_owned();
        let zero = whole.is_empty() && fraction.is_empty();
        Some(Self { negative: negative && !zero, whole, fraction })
    }

    /// The whole number, when there is no fraction and it fits.
    pub fn as_integer(&self) -> Option<i128> {
        if self.fraction.is_empty() { self.to_string().parse().ok() } else { None }
    }
}

impl From<i128> for Number {
    fn from(number: i128) -> Self {
        let whole = if number == 0 { String::new() } else { number.unsigned_abs().to_string() };
        Self { negative: number < 0, whole, fraction: String::new() }
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = self
            .whole
            .len()
            .cmp(&other.whole.len())
            .then_with(|| self.whole.cmp(&other.whole))
            .then_with(|| self.fraction.cmp(&other.fraction));
        match (self.negative, other.negative) {
            (false, false) => size,
            (true, true) => size.reverse(),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0" } else { &self.whole };
        let point = if self.fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{}", self.fraction)
    }
}

/// A floating point number in the total order that PostgreSQL has: NaN is the greatest and equal to itself, and there is
/// one zero. <https://www.postgresql.org/docs/current/datatype-numeric.html#DATATYPE-FLOAT>
#[derive(Clone, Copy, Debug)]
pub struct Float(f64);

impl Float {
    /// The number, with one zero and one NaN.
    pub fn new(number: f64) -> Self {
        if number.is_nan() { Self(f64::NAN) } else { Self(number + 0.0) }
    }
}

impl Ord for Float {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Float {}

/// `\x41`, `0x41` or `41` as bytes.
fn bytes(text: &str) -> Result<Vec<u8>> {
    let digits = text.strip_prefix("\\x").or_else(|| text.strip_prefix("0x")).unwrap_or(text).as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
    digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? * 16 + digit(*low)?),
            _ => None,
        })
        .collect::<Option<_>>()
        .context("bytes are written as pairs of hexadecimal digits")
}

/// A UUID in lower case with hyphens.
fn uuid(text: &str) -> Result<String> {
    let digits = text.to_ascii_lowercase().replace('-', "");
    if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        bail!("a UUID has 32 hexadecimal digits");
    }
    let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    Ok([a, b, c, d, e].join("-"))
}

/// JSON with the keys of every object in order.
fn sorted(json: serde_json::Value) -> serde_json::Value {
    match json {
        serde_json::Value::Array(items) => items.into_iter().map(sorted).collect(),
        serde_json::Value::Object(fields) => {
            let mut fields: Vec<_> = fields.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            serde_json::Value::Object(fields.into_iter().collect())
        }
        scalar => scalar,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn parse(text: &str, ty: &str) -> Value {
        Value::parse(text, &Type::parse(ty).unwrap()).unwrap()
    }

    #[test]
    fn spellings_of_one_value_are_equal() {
        for (a, b, ty) in [
            ("t", "1", "bool"),
            ("f", "FALSE", "bool"),
            ("10.50", "10.5", "decimal(12,2)"),
            ("-0", "0.00", "decimal(12,2)"),
            ("007", "7", "bigint"),
            ("-0", "0", "double"),
            ("0.1", "0.10000000149011612", "real"),
            ("x ", "x", "char(3)"),
            ("\\x41ff", "41FF", "bytes"),
            ("2024-01-31T12:30:00", "2024-01-31 12:30:00.000", "timestamp"),
            ("2024-01-31 12:30:00+00", "2024-01-31T14:30:00+02:00", "timestamptz"),
            ("2024-01-31 12:30:00", "2024-01-31 12:30:00Z", "timestamptz"),
            ("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC999C0B4EF8BB6D6BB9BD380A11", "uuid"),
            (r#"{"b": 1, "a": [true, {"d":1,"c":2}]}"#, r#"{"a":[true,{"c":2,"d":1}],"b":1}"#, "json"),
        ] {
            assert_eq!(parse(a, ty), parse(b, ty), "{ty}");
        }
    }

    #[test]
    fn numbers_are_exact_and_in_order() {
        let texts = ["-100", "-99.5", "-99.25", "-0.1", "0", "0.09", "0.1", "9", "10", "10.000000000000000000001"];
        let numbers: Vec<_> = texts.iter().map(|text| Number::parse(text).unwrap()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        assert_eq!(numbers.iter().map(ToString::to_string).collect::<Vec<_>>(), texts);
        let long = "12345678901234567890123456789012345678901234567890.5";
        assert_eq!(Number::parse(long).unwrap().to_string(), long);
        for wrong in ["", "-", ".", "1e3", "1.2.3", "+1", " 1", "x"] {
            assert_eq!(Number::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn null_is_least() {
        for (text, ty) in [("false", "bool"), ("-5", "int"), ("", "text"), ("0001-01-01", "date"), ("-inf", "double")] {
            assert!(Value::Null < parse(text, ty), "{ty}");
        }
    }

    #[test]
    fn nan_is_the_greatest_float_and_equal_to_itself() {
        assert!(parse("NaN", "double") > parse("inf", "double"));
        assert_eq!(parse("NaN", "double"), parse("-NaN", "double"));
    }

    #[test]
    fn a_text_of_another_type_is_an_error() {
        for (text, ty) in [
            ("maybe", "bool"),
            ("1.5", "int"),
            ("abc", "decimal(3,1)"),
            ("4", "bytes"),
            ("zz", "bytes"),
            ("2024-02-30", "date"),
            ("1234", "uuid"),
            ("{", "json"),
        ] {
            let ty = Type::parse(ty).unwrap();
            let error = format!("{:#}", Value::parse(text, &ty).unwrap_err());
            assert!(error.contains(&format!("`{text}` is not a value")), "{error}");
        }
    }

    #[test]
    fn a_value_goes_through_its_literal() {
        let bigint = parse("-5", "bigint").literal(&Type::BigInt);
        assert_eq!(bigint, Some(Literal::Integer("-5".to_owned())));
        let json = parse("[1, 2]", "json").literal(&Type::Json);
        assert_eq!(json, Some(Literal::Json("[1,2]".to_owned())));
        assert_eq!(Value::Now.literal(&Type::Timestamp), None);
    }
}
