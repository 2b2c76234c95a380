//! Small batches made up for a table, in which every case occurs that a load can get wrong. One seed, one set of rows.

use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};
use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, Timestamp};
use std::collections::BTreeSet;

/// A column to make values for.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// True when it may be null.
    pub nullable: bool,
    /// True when it is part of the unique key.
    pub key: bool,
    /// True when it orders two versions of one key, as the incremental column does.
    pub version: bool,
}

/// A target and the batches that are loaded into it, one after the other. Rows have one value per field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// What it is about, in words.
    pub name: &'static str,
    /// The target before the first load, one row per key.
    pub before: Vec<Row>,
    /// The batches.
    pub batches: Vec<Vec<Row>>,
}

/// The version of the rows in the target; staged rows are older, equal or newer.
const PRESENT: u64 = 100;

/// Texts that break a careless program: scripts, quotes, backslashes, comment marks, template marks, what looks like null.
const TEXTS: &[&str] = &[
    "paid",
    "東京都",
    "it's",
    "say \"hi\"",
    "back\\slash\\",
    "two\nlines",
    "-- no; comment /* here",
    "{{ ds }}",
    "",
    "NULL",
    "100%_",
    "`tick` [b] $1 ? :x @y",
    "ﾊﾝｶｸ 𠮷野家 é",
];

/// Every scenario that fits the table. Those about null keys and null versions need such a column to be nullable, and
/// late rows need a column that orders versions. A late row is at most two steps behind: two of a number, two minutes of a
/// timestamp, two days of a date.
pub fn scenarios(fields: &[Field], seed: u64) -> Vec<Scenario> {
    let make = Maker { fields };
    let mut list = keyed(&make);
    if fields.iter().any(|field| field.version) {
        list.push(late(&make));
    }
    if fields.iter().any(|field| field.key && field.nullable) {
        list.push(null_keys(&make));
    }
    if fields.iter().any(|field| field.version && field.nullable) {
        list.push(null_versions(&make));
    }
    list.push(at_random(&make, seed));
    for scenario in &mut list {
        scenario.before = make.one_per_key(std::mem::take(&mut scenario.before));
    }
    list
}

/// The scenarios that fit every table with a key.
fn keyed(make: &Maker<'_>) -> Vec<Scenario> {
    vec![
        Scenario {
            name: "duplicates in an empty target",
            before: Vec::new(),
            batches: vec![vec![
                make.row(1, 5, 1),
                make.row(1, 9, 2),
                make.row(1, 7, 3),
                make.row(2, 5, 4),
                make.row(2, 5, 5),
                make.row(2, 5, 6),
                make.row(3, 5, 7),
                make.row(3, 5, 7),
            ]],
        },
        Scenario {
            name: "duplicates of keys that the target has",
            before: vec![make.row(1, PRESENT, 1), make.row(2, PRESENT, 2)],
            batches: vec![vec![
                make.row(1, PRESENT + 1, 3),
                make.row(1, PRESENT + 3, 4),
                make.row(1, PRESENT + 2, 5),
                make.row(2, PRESENT, 6),
                make.row(2, PRESENT, 7),
            ]],
        },
        Scenario {
            name: "older, equal and newer rows",
            before: (1..=6).map(|key| make.row(key, PRESENT, key)).collect(),
            batches: vec![vec![
                make.row(1, PRESENT - 1, 11),
                make.row(2, PRESENT, 2),
                make.row(3, PRESENT, 13),
                make.row(4, PRESENT + 1, 14),
                make.row(5, PRESENT + 1, 5),
                make.row(7, PRESENT + 1, 17),
            ]],
        },
        Scenario {
            name: "null payloads",
            before: vec![make.row(1, PRESENT, 1), make.without_payload(2, PRESENT), make.without_payload(3, PRESENT)],
            batches: vec![vec![
                make.without_payload(1, PRESENT + 1),
                make.row(2, PRESENT + 1, 2),
                make.without_payload(3, PRESENT),
                make.without_payload(4, PRESENT),
                make.row(4, PRESENT, 4),
            ]],
        },
        Scenario {
            name: "zero staged rows",
            before: vec![make.row(1, PRESENT, 1), make.row(2, PRESENT + 1, 2)],
            batches: vec![Vec::new(), vec![make.row(2, PRESENT + 2, 3)], Vec::new()],
        },
        Scenario { name: "zero staged rows and an empty target", before: Vec::new(), batches: vec![Vec::new()] },
        Scenario {
            name: "awkward texts",
            before: Vec::new(),
            batches: vec![(0..TEXTS.len() as u64).map(|n| make.row(n, PRESENT, n)).collect()],
        },
    ]
}

/// Batches with rows that come after newer ones.
fn late(make: &Maker<'_>) -> Scenario {
    Scenario {
        name: "late rows",
        before: vec![make.row(1, PRESENT, 1)],
        batches: vec![
            vec![make.row(2, PRESENT + 10, 2), make.row(1, PRESENT + 9, 3)],
            vec![make.row(3, PRESENT + 8, 4), make.row(4, PRESENT + 10, 5), make.row(1, PRESENT + 8, 6)],
            vec![make.row(5, PRESENT + 11, 7), make.row(2, PRESENT + 10, 8)],
        ],
    }
}

/// Keys with a null part, which is one value.
fn null_keys(make: &Maker<'_>) -> Scenario {
    Scenario {
        name: "null keys",
        before: vec![make.with_null_key(1, PRESENT, 1), make.row(1, PRESENT, 2)],
        batches: vec![vec![
            make.with_null_key(1, PRESENT + 1, 3),
            make.with_null_key(1, PRESENT + 2, 4),
            make.with_null_key(2, PRESENT, 5),
            make.with_null_key(2, PRESENT, 5),
            make.row(1, PRESENT - 1, 6),
        ]],
    }
}

/// Versions that are null, which is the oldest.
fn null_versions(make: &Maker<'_>) -> Scenario {
    Scenario {
        name: "null versions",
        before: vec![make.row(1, PRESENT, 1), make.without_version(2, 2), make.without_version(3, 3)],
        batches: vec![vec![
            make.without_version(1, 4),
            make.row(2, 1, 5),
            make.without_version(3, 6),
            make.without_version(4, 7),
            make.row(4, 1, 8),
        ]],
    }
}

/// Few keys, versions and payloads in any combination.
fn at_random(make: &Maker<'_>, seed: u64) -> Scenario {
    let mut random = SplitMix64(seed);
    let before = (1..=4).map(|key| make.row(key, PRESENT, random.below(3))).collect();
    let mut row = || make.row(1 + random.below(6), PRESENT - 2 + random.below(5), random.below(3));
    let batches = (0..3).map(|_| (0..8).map(|_| row()).collect()).collect();
    Scenario { name: "at random", before, batches }
}

/// Makes rows from small numbers: the key, the version and the payload, each of which grows with its number.
struct Maker<'a> {
    fields: &'a [Field],
}

impl Maker<'_> {
    fn row(&self, key: u64, version: u64, payload: u64) -> Row {
        let number = |field: &Field| match (field.key, field.version) {
            (true, _) => key,
            (false, true) => version,
            (false, false) => payload,
        };
        self.fields.iter().map(|field| value(&field.ty, number(field), field.key || field.version)).collect()
    }

    /// The row with null wherever the predicate holds and null is allowed.
    fn with_nulls(&self, row: Row, is_null: impl Fn(&Field) -> bool) -> Row {
        let null = |(value, field): (Value, &Field)| if field.nullable && is_null(field) { Value::Null } else { value };
        row.into_iter().zip(self.fields).map(null).collect()
    }

    fn without_payload(&self, key: u64, version: u64) -> Row {
        self.with_nulls(self.row(key, version, 0), |field| !field.key && !field.version)
    }

    fn without_version(&self, key: u64, payload: u64) -> Row {
        self.with_nulls(self.row(key, 0, payload), |field| field.version)
    }

    fn with_null_key(&self, key: u64, version: u64, payload: u64) -> Row {
        self.with_nulls(self.row(key, version, payload), |field| field.key)
    }

    /// The first row of every key. A key of few values, such as a bool, makes one value of several numbers.
    fn one_per_key(&self, rows: Vec<Row>) -> Vec<Row> {
        let mut seen = BTreeSet::new();
        let key = |row: &Row| -> Row {
            row.iter().zip(self.fields).filter(|(_, field)| field.key).map(|(value, _)| value.clone()).collect()
        };
        rows.into_iter().filter(|row| seen.insert(key(row))).collect()
    }
}

/// The n-th value of a type. Where `ordered`, a greater number is a greater value, as far as the type has values.
fn value(ty: &Type, n: u64, ordered: bool) -> Value {
    let small = i64::try_from(n % 10_000).unwrap_or_default();
    let day = Date::constant(2024, 1, 31);
    let noon = DateTime::constant(2024, 1, 31, 12, 0, 0, 500_000_000);
    match ty {
        Type::Bool => Value::Bool(n % 2 == 1),
        Type::SmallInt | Type::Int | Type::BigInt => small.into(),
        Type::Decimal { precision, scale } => {
            let digits = small % 10_i64.pow(u32::from((*precision).min(4)));
            let digits = format!("{digits:0>width$}", width = usize::from(*scale) + 1);
            let (whole, fraction) = digits.split_at(digits.len() - usize::from(*scale));
            parsed(&format!("{whole}.{fraction}"), ty)
        }
        // Halves are exact in every floating point type.
        Type::Real | Type::Double => parsed(&format!("{small}.5"), ty),
        Type::Text | Type::Other(_) => Value::Text(text(n, ordered)),
        Type::Varchar(length) | Type::Char(length) => {
            let length = usize::try_from(*length).unwrap_or(usize::MAX);
            let text: String = text(n, ordered).chars().take(length).collect();
            parsed(&text, ty)
        }
        Type::Bytes => parsed(&format!("00{small:04}ff"), ty),
        Type::Date => Value::Date(day.saturating_add(Span::new().days(small))),
        Type::Time => Value::Time(Time::midnight().saturating_add(Span::new().seconds(small))),
        Type::Timestamp => Value::Timestamp(noon.saturating_add(Span::new().minutes(small))),
        Type::Timestamptz => {
            let start = Timestamp::constant(1_706_702_400, 500_000_000);
            Value::Timestamptz(start.saturating_add(Span::new().minutes(small)).unwrap_or(start))
        }
        Type::Uuid => parsed(&format!("a0eebc99-9c0b-4ef8-bb6d-{small:012}"), ty),
        Type::Json => Value::Text(format!("{{\"n\":{small},\"s\":\"it's 東京\"}}")),
    }
}

/// The n-th text: one of the awkward ones, or one that is in order.
fn text(n: u64, ordered: bool) -> String {
    if ordered {
        return format!("k{n:04}");
    }
    let place = usize::try_from(n).unwrap_or_default() % TEXTS.len();
    TEXTS[place].to_owned()
}

/// A value from a text that this file wrote; what is no value of the type after all becomes null.
fn parsed(text: &str, ty: &Type) -> Value {
    Value::parse(text, ty).unwrap_or(Value::Null)
}

/// SplitMix64, by Sebastiano Vigna: small, and the same on every machine. <https://prng.di.unimi.it/splitmix64.c>
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below the limit, near enough to uniform for so few values.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn field(name: &str, ty: &str, nullable: bool, key: bool, version: bool) -> Field {
        Field { name: name.to_owned(), ty: Type::parse(ty).unwrap(), nullable, key, version }
    }

    fn orders() -> Vec<Field> {
        vec![
            field("tenant", "varchar(5)", true, true, false),
            field("id", "bigint", false, true, false),
            field("amount", "decimal(12,2)", true, false, false),
            field("status", "text", true, false, false),
            field("updated_at", "timestamptz", true, false, true),
        ]
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix64(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn one_seed_makes_one_set_of_rows() {
        assert_eq!(scenarios(&orders(), 7), scenarios(&orders(), 7));
        assert_ne!(scenarios(&orders(), 7), scenarios(&orders(), 8));
    }

    #[test]
    fn every_case_occurs() {
        let all = scenarios(&orders(), 1);
        let find = |name: &str| all.iter().find(|scenario| scenario.name == name).unwrap();
        let staged = || all.iter().flat_map(|scenario| scenario.batches.iter().flatten());

        let nulls = find("null keys");
        assert!(nulls.before[0][0].is_null() && nulls.batches[0].iter().filter(|row| row[0].is_null()).count() == 4);
        assert!(find("null versions").batches[0].iter().any(|row| row[4].is_null()));
        let older = find("older, equal and newer rows");
        let order: Vec<_> = older.batches[0].iter().take(5).zip(&older.before).map(|(s, t)| s[4].cmp(&t[4])).collect();
        assert_eq!(order.iter().map(|o| *o as i8).collect::<Vec<_>>(), [-1, 0, 0, 1, 1]);
        assert_eq!((&older.batches[0][1], &older.batches[0][4][3]), (&older.before[1], &older.before[4][3]));
        let twice = find("duplicates in an empty target");
        assert_eq!(twice.batches[0][6], twice.batches[0][7]);
        for text in TEXTS {
            assert!(staged().any(|row| row[3] == Value::from(*text)), "{text}");
        }
    }

    #[test]
    fn a_target_has_one_row_per_key() {
        let fields = [field("k", "bool", true, true, false), field("v", "int", false, false, false)];
        for scenario in scenarios(&fields, 3) {
            let keys: BTreeSet<_> = scenario.before.iter().map(|row| &row[0]).collect();
            assert_eq!(keys.len(), scenario.before.len(), "{}", scenario.name);
        }
    }

    #[test]
    fn a_column_that_is_not_nullable_never_is() {
        let mut fields = orders();
        for field in &mut fields {
            field.nullable = false;
        }
        for scenario in scenarios(&fields, 3) {
            let mut rows = scenario.before.iter().chain(scenario.batches.iter().flatten());
            assert!(rows.all(|row| row.iter().all(|value| !value.is_null())), "{}", scenario.name);
        }
    }

    #[test]
    fn every_type_has_values_that_grow() {
        for name in crate::dialect::types::TYPE_NAMES {
            let ty = Type::parse(&name.replace("p,s", "4,2").replace("(n)", "(8)")).unwrap();
            let values: Vec<_> = (0..3).map(|n| value(&ty, PRESENT + n, true)).collect();
            assert!(values.iter().all(|value| !value.is_null()), "{name}");
            assert!(ty == Type::Bool || values.is_sorted_by(|a, b| a < b), "{name}: {values:?}");
            for value in &values {
                let text = value.to_string();
                let text =
                    text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')).unwrap_or(&text).replace("''", "'");
                assert_eq!(Value::parse(&text, &ty).unwrap(), *value, "{name}");
            }
        }
    }
}
