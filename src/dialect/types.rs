//! Column types and literal values, as every dialect is asked to write them.

use jiff::Timestamp;
use jiff::civil;
use std::fmt;

/// The type of a column, in the words of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`
    Bool,
    /// `smallint`, 16 bits
    SmallInt,
    /// `int`, 32 bits
    Int,
    /// `bigint`, 64 bits
    BigInt,
    /// `decimal(precision, scale)`
    Decimal {
        /// All digits.
        precision: u8,
        /// Digits behind the point.
        scale: u8,
    },
    /// `real`, 32 bits
    Real,
    /// `double`, 64 bits
    Double,
    /// `text`, of any length
    Text,
    /// `varchar(n)`, at most n characters
    Varchar(u32),
    /// `char(n)`, exactly n characters
    Char(u32),
    /// `bytes`
    Bytes,
    /// `date`
    Date,
    /// `time`, without a zone
    Time,
    /// `timestamp`, without a zone
    Timestamp,
    /// `timestamptz`, an instant
    Timestamptz,
    /// `uuid`
    Uuid,
    /// `json`
    Json,
    /// A type of one dialect, written as it stands: `type: {postgres: tsvector}`.
    Other(String),
}

/// The names that [`Type::parse`] reads, for messages.
pub const TYPE_NAMES: &[&str] = &[
    "bool",
    "smallint",
    "int",
    "bigint",
    "decimal(p,s)",
    "real",
    "double",
    "text",
    "varchar(n)",
    "char(n)",
    "bytes",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "uuid",
    "json",
];

impl fmt::Display for Type {
    /// The type as a spec writes it; a type of one dialect as it stands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::SmallInt => "smallint",
            Self::Int => "int",
            Self::BigInt => "bigint",
            Self::Decimal { precision, scale } => return write!(f, "decimal({precision},{scale})"),
            Self::Real => "real",
            Self::Double => "double",
            Self::Text => "text",
            Self::Varchar(length) => return write!(f, "varchar({length})"),
            Self::Char(length) => return write!(f, "char({length})"),
            Self::Bytes => "bytes",
            Self::Date => "date",
            Self::Time => "time",
            Self::Timestamp => "timestamp",
            Self::Timestamptz => "timestamptz",
            Self::Uuid => "uuid",
            Self::Json => "json",
            Self::Other(name) => name,
        })
    }
}

impl Type {
    /// Reads a type as a spec writes it, `decimal(12,2)` or `text`; `None` for a word that is not one of
    /// [`TYPE_NAMES`] or for arguments that do not fit it.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (word, arguments) = match text.split_once('(') {
            Some((word, rest)) => (word.trim(), Some(rest.strip_suffix(')')?)),
            None => (text.as_str(), None),
        };
        let numbers: Vec<u32> = match arguments {
            Some(list) => list.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?,
            None => Vec::new(),
        };
        Some(match (word, numbers.as_slice()) {
            ("bool", []) => Self::Bool,
            ("smallint", []) => Self::SmallInt,
            ("int", []) => Self::Int,
            ("bigint", []) => Self::BigInt,
            ("decimal", [precision, scale]) if scale <= precision && (1..=38).contains(precision) => {
                Self::Decimal { precision: u8::try_from(*precision).ok()?, scale: u8::try_from(*scale).ok()? }
            }
            ("real", []) => Self::Real,
            ("double", []) => Self::Double,
            ("text", []) => Self::Text,
            ("varchar", [length]) if *length > 0 => Self::Varchar(*length),
            ("char", [length]) if *length > 0 => Self::Char(*length),
            ("bytes", []) => Self::Bytes,
            ("date", []) => Self::Date,
            ("time", []) => Self::Time,
            ("timestamp", []) => Self::Timestamp,
            ("timestamptz", []) => Self::Timestamptz,
            ("uuid", []) => Self::Uuid,
            ("json", []) => Self::Json,
            _ => return None,
        })
    }

    /// True for the whole numbers, which a plain number can be subtracted from.
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::SmallInt | Self::Int | Self::BigInt)
    }

    /// The least value of a whole number's type, in digits.
    pub fn least_integer(&self) -> Option<&'static str> {
        match self {
            Self::SmallInt => Some("-32768"),
            Self::Int => Some("-2147483648"),
            Self::BigInt => Some("-9223372036854775808"),
            _ => None,
        }
    }

    /// True when every value of another type is one of this type, too.
    pub fn holds(&self, old: &Self) -> bool {
        let digits = |ty: &Self| match ty {
            Self::SmallInt => Some((5, 0)),
            Self::Int => Some((10, 0)),
            Self::BigInt => Some((19, 0)),
            Self::Decimal { precision, scale } => Some((precision - scale, *scale)),
            _ => None,
        };
        let length = |ty: &Self| match ty {
            Self::Varchar(length) => Some(*length),
            Self::Text => Some(u32::MAX),
            _ => None,
        };
        match (old, self) {
            (old, new) if old == new => true,
            (Self::Decimal { .. }, new) if new.is_integer() => false,
            (old, new) if old.is_integer() && new.is_integer() => digits(old) <= digits(new),
            (Self::Real, Self::Double) => true,
            (old, new) => match (digits(old), digits(new)) {
                (Some((before, behind)), Some((wide, deep))) => before <= wide && behind <= deep,
                _ => length(old).zip(length(new)).is_some_and(|(old, new)| old <= new),
            },
        }
    }

    /// True for types of characters.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Varchar(_) | Self::Char(_))
    }
}

/// One value of a row that stands in a spec or a seed file, already checked against its column's type.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number, in decimal digits with an optional `-`.
    Integer(String),
    /// A number with a fixed point: digits, an optional `-`, at most one `.`.
    Decimal(String),
    /// A floating point number.
    Float(f64),
    /// Characters.
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
    /// A UUID, in lower case with hyphens.
    Uuid(String),
    /// JSON text.
    Json(String),
}

/// How far back a window reaches behind the high watermark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// A length of time, in seconds. Days are 24 hours.
    Seconds(u64),
    /// A distance on an integer cursor.
    Steps(u64),
}

impl Overlap {
    /// True when the window starts at the high watermark itself.
    pub fn is_zero(self) -> bool {
        matches!(self, Self::Seconds(0) | Self::Steps(0))
    }

    /// Whole days that cover the length, for a column of dates, which has no smaller step.
    pub fn in_days(self) -> u64 {
        match self {
            Self::Steps(n) => n,
            Self::Seconds(n) => n.div_ceil(86_400),
        }
    }

    /// The largest unit that divides the length and does not depend on a time zone: a day across a change of the clocks
    /// is not 24 hours, so an instant is moved by hours.
    pub fn in_fixed_units(self) -> (u64, &'static str) {
        match self.in_units() {
            (n, "DAY") => (n * 24, "HOUR"),
            other => other,
        }
    }

    /// The largest unit that divides the length: (1, `DAY`), (90, `MINUTE`). Steps have the unit `STEP`.
    pub fn in_units(self) -> (u64, &'static str) {
        match self {
            Self::Steps(n) => (n, "STEP"),
            Self::Seconds(n) if n % 86_400 == 0 => (n / 86_400, "DAY"),
            Self::Seconds(n) if n % 3_600 == 0 => (n / 3_600, "HOUR"),
            Self::Seconds(n) if n % 60 == 0 => (n / 60, "MINUTE"),
            Self::Seconds(n) => (n, "SECOND"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn types_read_their_arguments() {
        assert_eq!(Type::parse("decimal(12, 2)"), Some(Type::Decimal { precision: 12, scale: 2 }));
        assert_eq!(Type::parse(" VARCHAR(10)"), Some(Type::Varchar(10)));
        for wrong in ["decimal", "decimal(2,12)", "varchar", "varchar(0)", "int(4)", "blob", "text(", "char(x)"] {
            assert_eq!(Type::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_type_holds_the_values_of_a_narrower_one() {
        let holds = |new: &str, old: &str| Type::parse(new).unwrap().holds(&Type::parse(old).unwrap());
        for (new, old) in [
            ("bigint", "int"),
            ("int", "smallint"),
            ("decimal(10,0)", "int"),
            ("decimal(12,4)", "decimal(10,2)"),
            ("double", "real"),
            ("varchar(20)", "varchar(10)"),
            ("text", "varchar(10)"),
            ("uuid", "uuid"),
        ] {
            assert!(holds(new, old), "{old} to {new}");
            assert!(new == old || !holds(old, new), "{new} to {old}");
        }
        for (new, old) in [
            ("decimal(9,0)", "int"),
            ("decimal(12,6)", "decimal(10,2)"),
            ("bigint", "decimal(5,0)"),
            ("text", "int"),
            ("varchar(10)", "char(10)"),
            ("timestamp", "date"),
            ("double", "int"),
        ] {
            assert!(!holds(new, old), "{old} to {new}");
        }
    }

    #[test]
    fn overlap_uses_the_largest_whole_unit() {
        assert_eq!(Overlap::Seconds(86_400).in_units(), (1, "DAY"));
        assert_eq!(Overlap::Seconds(5_400).in_units(), (90, "MINUTE"));
        assert_eq!(Overlap::Seconds(61).in_units(), (61, "SECOND"));
    }
}
