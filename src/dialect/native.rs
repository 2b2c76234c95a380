//! Types as a database declares them, read back into the words of a spec: the inverse of `Dialect::type_name`.

use super::types::Type;

/// A declared type, taken apart: `DECIMAL(10, 2)`, `timestamp(6) with time zone`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// Its words, lower case, with one space between two: `timestamp with time zone`.
    pub words: String,
    /// What stands in its brackets, as it is written: `6`, `4000 CHAR`, `Nullable(Int32)`.
    pub arguments: Vec<String>,
}

/// What a declared type is in a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The type of the spec.
    pub ty: Type,
    /// What that type does not say of the declared one; `None` where both say the same.
    pub note: Option<&'static str>,
    /// True when the database makes the values, and no statement can.
    pub computed: bool,
}

impl Native {
    /// Takes a declared type apart.
    pub fn read(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut arguments = Vec::new();
        let mut word = String::new();
        let mut argument = String::new();
        let mut depth = 0_usize;
        for c in text.chars() {
            match (c, depth) {
                ('(', 0) => {
                    words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                    depth = 1;
                }
                (')', 1) => {
                    arguments.push(std::mem::take(&mut argument).trim().to_owned());
                    depth = 0;
                }
                (',', 1) => arguments.push(std::mem::take(&mut argument).trim().to_owned()),
                (c, 0) if c.is_whitespace() => {
                    words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                }
                (c, 0) => word.extend(c.to_lowercase()),
                (c, _) => {
                    match c {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    argument.push(c);
                }
            }
        }
        words.extend((!word.is_empty()).then_some(word));
        Self { words: words.join(" "), arguments }
    }

    /// The words.
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    /// The arguments as whole numbers, those that are some: `varchar(80 char)` has 80.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let first = |text: &String| text.split_whitespace().next().and_then(|number| number.parse().ok());
        self.arguments.iter().filter_map(first).collect()
    }
}

/// The same type.
#[allow(clippy::unnecessary_wraps)] // It is an answer of `Dialect::read_type`.
pub(super) fn same(ty: Type) -> Option<Reading> {
    Some(Reading { ty, note: None, computed: false })
}

/// A type that comes near, and what it does not say.
#[allow(clippy::unnecessary_wraps)] // It is an answer of `Dialect::read_type`.
pub(super) fn near(ty: Type, note: &'static str) -> Option<Reading> {
    Some(Reading { ty, note: Some(note), computed: false })
}

/// A type of times, which a spec keeps to the microsecond.
pub(super) fn timed(ty: Type, digits: Option<u32>) -> Option<Reading> {
    match digits {
        None | Some(6) => same(ty),
        Some(0..=5) => near(ty, "it keeps fewer digits of a second than 6"),
        Some(_) => near(ty, "it keeps more digits of a second than 6"),
    }
}

/// A number with a fixed point, when a spec has one of that size.
pub(super) fn decimal(precision: u32, scale: u32) -> Option<Reading> {
    let (precision, scale) = (u8::try_from(precision).ok()?, u8::try_from(scale).ok()?);
    (scale <= precision && (1..=38).contains(&precision)).then_some(())?;
    same(Type::Decimal { precision, scale })
}

/// Why a whole number is read as a larger one.
pub(super) const WIDER: &str = "a spec has no smaller type that holds all its numbers";

/// The names that standard SQL and nearly every dialect read alike. A dialect asks this for what it does not read otherwise.
pub(super) fn standard(native: &Native) -> Option<Reading> {
    let numbers = native.numbers();
    if numbers.len() < native.arguments.len() {
        return None;
    }
    match (native.words(), numbers.as_slice()) {
        ("bool" | "boolean", []) => same(Type::Bool),
        ("smallint" | "int2", []) => same(Type::SmallInt),
        ("int" | "integer" | "int4", []) => same(Type::Int),
        ("bigint" | "int8", []) => same(Type::BigInt),
        ("tinyint", []) => near(Type::SmallInt, WIDER),
        ("decimal" | "numeric" | "dec" | "number", [precision]) => decimal(*precision, 0),
        ("decimal" | "numeric" | "dec" | "number", [precision, scale]) => decimal(*precision, *scale),
        ("real" | "float4", []) => same(Type::Real),
        ("double precision" | "double" | "float8" | "float", []) => same(Type::Double),
        ("float", [1..=24]) => same(Type::Real),
        ("float", [25..=53]) => same(Type::Double),
        ("text" | "varchar" | "character varying" | "char varying" | "string", []) => same(Type::Text),
        ("varchar" | "character varying" | "char varying" | "nvarchar", [length @ 1..=u32::MAX]) => {
            same(Type::Varchar(*length))
        }
        ("char" | "character" | "nchar" | "bpchar", [length @ 1..=u32::MAX]) => same(Type::Char(*length)),
        ("char" | "character", []) => same(Type::Char(1)),
        ("varbinary" | "binary varying" | "blob" | "bytes", []) => same(Type::Bytes),
        ("varbinary" | "binary varying" | "binary", [_]) => near(Type::Bytes, "its length is not kept"),
        ("date", []) => same(Type::Date),
        ("time" | "time without time zone", digits @ ([] | [_])) => timed(Type::Time, digits.first().copied()),
        ("timestamp" | "timestamp without time zone", digits @ ([] | [_])) => {
            timed(Type::Timestamp, digits.first().copied())
        }
        ("timestamptz" | "timestamp with time zone", digits @ ([] | [_])) => {
            timed(Type::Timestamptz, digits.first().copied())
        }
        ("uuid", []) => same(Type::Uuid),
        ("json", []) => same(Type::Json),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::dialect;

    #[test]
    fn a_declared_type_is_taken_apart() {
        let native = Native::read("Interval DAY(0)  TO SECOND(6)");
        assert_eq!((native.words(), native.numbers()), ("interval day to second", vec![0, 6]));
        let native = Native::read("LowCardinality(Nullable(Decimal(10, 2)))");
        assert_eq!(native.words(), "lowcardinality");
        assert_eq!(native.arguments, ["Nullable(Decimal(10, 2))"]);
    }

    /// The types that a spec can name, with some lengths.
    fn types() -> Vec<Type> {
        let mut all: Vec<Type> =
            "bool smallint int bigint real double text bytes date time timestamp timestamptz uuid json"
                .split(' ')
                .map(|name| Type::parse(name).unwrap())
                .collect();
        for (precision, scale) in [(1, 0), (5, 0), (10, 0), (12, 2), (19, 0), (20, 0), (38, 0), (38, 9), (38, 38)] {
            all.push(Type::Decimal { precision, scale });
        }
        for length in [1, 9, 36, 80, 255, 4000, 4001, 16_383, 16_384] {
            all.extend([Type::Varchar(length), Type::Char(length)]);
        }
        all
    }

    #[test]
    fn every_dialect_reads_back_the_names_that_it_writes() {
        let mut faults = Vec::new();
        for dialect in dialect::ALL {
            for ty in types() {
                let name = (dialect.type_name)(&ty);
                // What has no reading keeps its own name in the spec, so that nothing is lost.
                let read = (dialect.read_type)(&Native::read(&name)).map_or(Type::Other(name.clone()), |read| read.ty);
                // Several types may share a name: the one that is read back has the same. A length in bytes is not one
                // in characters.
                let shared = (dialect.type_name)(&read) == name;
                let in_bytes = matches!(read, Type::Varchar(_)) && dialect.name == "redshift";
                if read != ty && !shared && !in_bytes {
                    faults.push(format!("{}: {ty} is `{name}`, which is read as {read}", dialect.name));
                }
            }
        }
        assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    }

    #[test]
    fn names_that_a_dialect_does_not_write_are_read_too() {
        for (dialect, name, want) in [
            ("postgres", "character varying(80)", "varchar(80)"),
            ("postgres", "int8", "bigint"),
            ("postgres", "timestamp(3) with time zone", "timestamptz"),
            ("postgres", "numeric", "-"),
            ("postgres", "json", "-"),
            ("postgres", "integer[]", "-"),
            ("postgres", "bigserial", "bigint"),
            ("mysql", "int(10) unsigned", "bigint"),
            ("mysql", "bigint(20) unsigned", "decimal(20,0)"),
            ("mysql", "tinyint(1)", "bool"),
            ("mysql", "tinyint(4)", "smallint"),
            ("mysql", "enum('a','b')", "-"),
            ("mariadb", "uuid", "uuid"),
            ("sqlserver", "[nvarchar](50)", "varchar(50)"),
            ("sqlserver", "varchar(max)", "text"),
            ("sqlserver", "timestamp", "rowversion"),
            ("sqlserver", "money", "decimal(19,4)"),
            ("oracle", "VARCHAR2(80 BYTE)", "varchar(80)"),
            ("oracle", "NUMBER", "-"),
            ("snowflake", "NUMBER(38,0)", "decimal(38,0)"),
            ("snowflake", "TIMESTAMP_LTZ(9)", "timestamptz"),
            ("bigquery", "INTEGER", "bigint"),
            ("bigquery", "ARRAY<STRING>", "-"),
            ("clickhouse", "LowCardinality(Nullable(String))", "text"),
            ("clickhouse", "UInt32", "bigint"),
            ("duckdb", "HUGEINT", "-"),
            ("duckdb", "TIMESTAMP WITH TIME ZONE", "timestamptz"),
            ("databricks", "bigint", "bigint"),
            ("trino", "timestamp(3)", "timestamp"),
            ("redshift", "character varying(256)", "varchar(256)"),
            ("sqlite", "VARCHAR(80)", "varchar(80)"),
            ("sqlite", "DATETIME", "timestamp"),
        ] {
            let known = dialect::find(dialect).unwrap();
            let read = (known.read_type)(&Native::read(name)).map_or("-".to_owned(), |read| read.ty.to_string());
            assert_eq!(read, want, "{dialect}: {name}");
        }
    }
}
