//! Ordered columns: how the small numbers of a scenario become values that grow with them.

use crate::dialect::types::Type;
use crate::engine::value::Value;
use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, Timestamp};

/// Values on a line of ticks: whole numbers, days of a date, microseconds of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The tick of number zero.
    pub zero: i64,
    /// Ticks from one number to the next.
    pub unit: i64,
}

/// The column that a window is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Its values.
    pub scale: Scale,
    /// Where the window begins and ends.
    pub bounds: Bounds,
}

/// The bounds of a window, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// So many ticks behind the greatest value of the target.
    Watermark(i64),
    /// From the first tick up to but without the second, if there is a second.
    Given(i64, Option<i64>),
}

/// Ticks of one second.
const SECOND: i64 = 1_000_000;

/// Ticks of one day.
const DAY: i64 = 86_400 * SECOND;

impl Scale {
    /// The scale of a column that no window is on.
    pub fn of(ty: &Type) -> Self {
        Self { zero: epoch(ty), unit: default_unit(ty) }
    }

    /// The tick of a number.
    pub fn tick(&self, number: i64) -> i64 {
        self.zero.saturating_add(number.saturating_mul(self.unit))
    }
}

/// An ordinary tick of the type: the last day of a month, at noon and half a second.
pub fn epoch(ty: &Type) -> i64 {
    match ty {
        // 2024-01-31
        Type::Date => 19_753,
        Type::Timestamp | Type::Timestamptz => 19_753 * DAY + DAY / 2 + SECOND / 2,
        _ => 0,
    }
}

/// The distance of two numbers when nothing asks for another.
pub fn default_unit(ty: &Type) -> i64 {
    match ty {
        Type::Timestamp | Type::Timestamptz => 60 * SECOND,
        Type::Time => SECOND,
        _ => 1,
    }
}

/// The least distance that every engine keeps apart when it moves a watermark: one of them rounds down to whole seconds.
pub fn smallest_step(ty: &Type) -> i64 {
    if matches!(ty, Type::Timestamp | Type::Timestamptz) { SECOND } else { 1 }
}

/// The tick of a value; none for a type that has no ticks.
pub fn ticks(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => i64::try_from(number.as_integer()?).ok(),
        Value::Date(date) => date.since(Date::constant(1970, 1, 1)).ok().map(|span| i64::from(span.get_days())),
        Value::Timestamp(at) => jiff::tz::Offset::UTC.to_timestamp(*at).ok().map(Timestamp::as_microsecond),
        Value::Timestamptz(at) => Some(at.as_microsecond()),
        _ => None,
    }
}

/// The value at a tick. A greater tick is a greater value, as far as the type has values; beyond its last one it stays
/// there.
pub fn at(ty: &Type, tick: i64) -> Value {
    let instant = |tick| Timestamp::from_microsecond(tick).unwrap_or(Timestamp::UNIX_EPOCH);
    match ty {
        Type::Bool => Value::Bool(tick % 2 != 0),
        Type::SmallInt => tick.clamp(i16::MIN.into(), i16::MAX.into()).into(),
        Type::Int => tick.clamp(i32::MIN.into(), i32::MAX.into()).into(),
        Type::BigInt => tick.into(),
        Type::Decimal { precision, scale } => {
            let most = 10_i64.pow(u32::from(*precision).min(18)) - 1;
            decimal(tick.clamp(-most, most), *scale)
        }
        // Halves are exact in every floating point type.
        Type::Real | Type::Double => parsed(&format!("{tick}.5"), ty),
        Type::Text | Type::Other(_) => Value::Text(word(tick, 9)),
        Type::Varchar(length) | Type::Char(length) => Value::Text(word(tick, *length)),
        Type::Bytes => parsed(&format!("00{:08x}ff", tick.max(0)), ty),
        Type::Date => {
            let days = Span::new().try_days(tick).unwrap_or_default();
            Value::Date(Date::constant(1970, 1, 1).saturating_add(days))
        }
        Type::Time => {
            let length = Span::new().try_microseconds(tick.clamp(0, DAY - 1)).unwrap_or_default();
            Value::Time(Time::midnight().saturating_add(length))
        }
        Type::Timestamp => {
            let length = Span::new().try_microseconds(tick).unwrap_or_default();
            Value::Timestamp(DateTime::constant(1970, 1, 1, 0, 0, 0, 0).saturating_add(length))
        }
        Type::Timestamptz => Value::Timestamptz(instant(tick)),
        Type::Uuid => parsed(&format!("a0eebc99-9c0b-4ef8-bb6d-{:012}", tick.max(0)), ty),
        Type::Json => parsed(&format!("{{\"k\":\"{}\"}}", word(tick, 9)), ty),
    }
}

/// A number from its digits with the point left out.
fn decimal(digits: i64, scale: u8) -> Value {
    let scale = usize::from(scale);
    let text = format!("{:0>width$}", digits.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = text.split_at(text.len() - scale);
    let sign = if digits < 0 { "-" } else { "" };
    crate::engine::value::Number::parse(&format!("{sign}{whole}.{fraction}")).map_or(Value::Null, Value::Number)
}

/// A word that grows with the tick under every collation: digits, behind a letter where they fit.
fn word(tick: i64, length: u32) -> String {
    let tick = tick.max(0);
    if length >= 9 {
        return format!("k{tick:08}");
    }
    let length = usize::try_from(length).unwrap_or(1);
    let digits = format!("{tick:0>length$}");
    digits[digits.len() - length..].to_owned()
}

/// A value from a text that this folder wrote; what is no value of the type after all becomes null.
pub fn parsed(text: &str, ty: &Type) -> Value {
    Value::parse(text, ty).unwrap_or(Value::Null)
}
