//! Values of a spec or a seed file, checked against the type of their column.

use crate::diagnostic::Diagnostic;
use crate::dialect::types::{Literal, Type};
use crate::spec::Scalar;
use jiff::{Timestamp, civil};
use std::ops::Range;

/// Why a value is not one of its type, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    what: String,
    help: String,
}

impl Wrong {
    fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }

    /// The fault of the value of `owner`, which stands at a place.
    pub fn at(self, owner: &str, span: Range<usize>) -> Diagnostic {
        Diagnostic::error("plan-value", format!("{owner}: {}", self.what)).at(span, "").help(self.help)
    }
}

/// The value as a literal of the type.
///
/// # Errors
/// The words for the user: what the value is not, and what to write.
pub(super) fn literal(value: &Scalar, ty: &Type) -> Result<Literal, Wrong> {
    let text = match value {
        Scalar::Null => return Ok(Literal::Null),
        Scalar::Bool(flag) => match ty {
            Type::Bool => return Ok(Literal::Bool(*flag)),
            _ => flag.to_string(),
        },
        Scalar::Json(json) => match ty {
            Type::Json => return Ok(Literal::Json(json.to_string())),
            _ => {
                return Err(Wrong::new(
                    "a list or a mapping fits a json column only",
                    "write a single value, or make it `type: json`",
                ));
            }
        },
        Scalar::Number(text) | Scalar::Text(text) => text.clone(),
    };
    if text.contains('\0') {
        return Err(Wrong::new("the character NUL cannot stand in SQL text", "remove it, or make it `type: bytes`"));
    }
    match ty {
        Type::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" => Ok(Literal::Bool(true)),
            "false" | "f" | "0" => Ok(Literal::Bool(false)),
            _ => Err(Wrong::new(format!("`{text}` is not a bool"), "write true or false")),
        },
        Type::SmallInt => integer(&text, i64::from(i16::MIN), i64::from(i16::MAX)),
        Type::Int => integer(&text, i64::from(i32::MIN), i64::from(i32::MAX)),
        Type::BigInt => integer(&text, i64::MIN, i64::MAX),
        Type::Decimal { precision, scale } => decimal(&text, usize::from(*precision), usize::from(*scale)),
        Type::Real | Type::Double => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Literal::Float(number)),
            _ => Err(Wrong::new(format!("`{text}` is not a finite number"), "write a number like 1.5 or 1e-7")),
        },
        Type::Varchar(length) | Type::Char(length) if text.chars().count() > *length as usize => {
            let found = text.chars().count();
            Err(Wrong::new(
                format!("it is {found} characters long and the column takes {length}"),
                "shorten it, or give the column a longer type",
            ))
        }
        Type::Text | Type::Varchar(_) | Type::Char(_) | Type::Other(_) => Ok(Literal::Text(text)),
        Type::Bytes => bytes(&text),
        Type::Date => text
            .parse::<civil::Date>()
            .ok()
            .filter(|_| text.len() == 10)
            .map(Literal::Date)
            .ok_or_else(|| Wrong::new(format!("`{text}` is not a date"), "write it like 2024-01-31")),
        Type::Time => text
            .parse::<civil::Time>()
            .map(Literal::Time)
            .map_err(|_| Wrong::new(format!("`{text}` is not a time of day"), "write it like 12:30:00"))
            .and_then(microseconds),
        Type::Timestamp => {
            if text.parse::<Timestamp>().is_ok() {
                return Err(Wrong::new(
                    format!("`{text}` has a zone and the column has none"),
                    "leave the zone out, or make it `type: timestamptz`",
                ));
            }
            text.parse::<civil::DateTime>()
                .map(Literal::Timestamp)
                .map_err(|_| Wrong::new(format!("`{text}` is not a timestamp"), "write it like 2024-01-31 12:30:00"))
                .and_then(microseconds)
        }
        Type::Timestamptz => text
            .parse::<Timestamp>()
            .map(Literal::Timestamptz)
            .map_err(|_| {
                if text.parse::<civil::DateTime>().is_ok() {
                    Wrong::new(
                        format!("`{text}` has no zone, so it is another instant in every session"),
                        format!("write {text}Z for UTC, or {text}+09:00 for another zone"),
                    )
                } else {
                    Wrong::new(format!("`{text}` is not an instant"), "write it like 2024-01-31T12:30:00Z")
                }
            })
            .and_then(microseconds),
        Type::Uuid => uuid(&text),
        Type::Json => serde_json::from_str::<serde_json::Value>(&text).map(|_| Literal::Json(text)).map_err(|fault| {
            Wrong::new(format!("it is not JSON: {fault}"), "quote its names with \"; for a mere string write '\"..\"'")
        }),
    }
}

fn integer(text: &str, least: i64, greatest: i64) -> Result<Literal, Wrong> {
    match text.parse::<i64>() {
        Ok(number) if (least..=greatest).contains(&number) => Ok(Literal::Integer(number.to_string())),
        Ok(_) => Err(Wrong::new(
            format!("`{text}` is outside the range of the type, {least} to {greatest}"),
            "give the column a wider type, or correct the value",
        )),
        Err(_) => Err(Wrong::new(
            format!("`{text}` is not a whole number of at most 64 bits"),
            "write digits alone, or give the column another type",
        )),
    }
}

fn decimal(text: &str, precision: usize, scale: usize) -> Result<Literal, Wrong> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) || digits.ends_with('.') {
        return Err(Wrong::new(format!("`{text}` is not a decimal number"), "write it like -12.50"));
    }
    let whole = whole.trim_start_matches('0');
    if fraction.trim_end_matches('0').len() > scale {
        return Err(Wrong::new(
            format!("`{text}` has more than {scale} digits behind the point, which the engine would round"),
            "round it here, or give the column more digits",
        ));
    }
    if whole.len() > precision - scale {
        return Err(Wrong::new(
            format!("`{text}` has more than {} digits before the point", precision - scale),
            "give the column more digits, or correct the value",
        ));
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    Ok(Literal::Decimal(if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }))
}

fn bytes(text: &str) -> Result<Literal, Wrong> {
    let fault =
        || Wrong::new(format!("`{text}` is not bytes"), "write pairs of hexadecimal digits behind 0x, like 0x00FF");
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("\\x")).ok_or_else(fault)?;
    if digits.len() % 2 == 1 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(fault());
    }
    let pairs = (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16));
    pairs.collect::<Result<_, _>>().map(Literal::Bytes).map_err(|_| fault())
}

fn uuid(text: &str) -> Result<Literal, Wrong> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    if digits.len() != 32 || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(Wrong::new(
            format!("`{text}` is not a UUID"),
            "write its 32 hexadecimal digits, with or without `-`",
        ));
    }
    let digits = digits.to_ascii_lowercase();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(Literal::Uuid(parts.join("-")))
}

/// Refuses a time with nanoseconds: the engines keep microseconds and would round it.
fn microseconds(value: Literal) -> Result<Literal, Wrong> {
    let nanoseconds = match &value {
        Literal::Time(at) => at.subsec_nanosecond(),
        Literal::Timestamp(at) => at.subsec_nanosecond(),
        Literal::Timestamptz(at) => at.subsec_nanosecond(),
        _ => 0,
    };
    if nanoseconds % 1_000 == 0 {
        Ok(value)
    } else {
        Err(Wrong::new(
            "it has more than six digits behind the second, which the engine would round",
            "cut it to six digits here",
        ))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn text(value: &str, ty: &Type) -> Result<Literal, String> {
        literal(&Scalar::Text(value.to_owned()), ty).map_err(|wrong| format!("{}; {}", wrong.what, wrong.help))
    }

    #[test]
    fn a_value_that_the_engine_would_change_is_refused() {
        let money = Type::Decimal { precision: 4, scale: 2 };
        assert_eq!(text("1.50", &money), Ok(Literal::Decimal("1.50".to_owned())));
        assert!(text("1.505", &money).unwrap_err().contains("round"));
        assert!(text("123", &money).unwrap_err().contains("before the point"));
        assert!(text("40000", &Type::SmallInt).unwrap_err().contains("outside"));
        assert!(text("1.5", &Type::Int).unwrap_err().contains("whole number"));
        assert!(text("abc", &Type::Varchar(2)).unwrap_err().contains("3 characters"));
        assert!(text("日本", &Type::Varchar(2)).is_ok());
        assert!(text("12:00:00.1234567", &Type::Time).unwrap_err().contains("six digits"));
    }

    #[test]
    fn an_instant_needs_a_zone_and_a_wall_clock_has_none() {
        assert!(text("2024-01-01 00:00:00", &Type::Timestamptz).unwrap_err().contains("2024-01-01 00:00:00Z"));
        assert!(text("2024-01-01T00:00:00Z", &Type::Timestamp).unwrap_err().contains("zone"));
        let at = text("2024-01-01T02:00:00+02:00", &Type::Timestamptz).unwrap();
        assert_eq!(at, text("2024-01-01T00:00:00Z", &Type::Timestamptz).unwrap());
    }

    #[test]
    fn other_types_read_their_usual_forms() {
        assert_eq!(text("0x00fF", &Type::Bytes), Ok(Literal::Bytes(vec![0, 255])));
        assert!(text("00ff", &Type::Bytes).is_err());
        assert!(text("0x+f", &Type::Bytes).is_err());
        assert!(text("{\"a\": 1}", &Type::Json).is_ok());
        assert!(text("{a: 1}", &Type::Json).is_err());
        assert!(text("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", &Type::Uuid).is_ok());
        assert!(text("2024-02-30", &Type::Date).is_err());
    }
}
