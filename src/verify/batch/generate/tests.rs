//! What the made-up rows hold, so that no scenario quietly stops being about what its name says.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::edges::{ALIKE, TEXTS, edges};
use super::scale::{at, parsed};
use super::*;
use crate::dialect::types::TYPE_NAMES;
use crate::engine::value::Value;
use std::collections::{BTreeMap, BTreeSet};

fn field(name: &str, ty: &str, nullable: bool) -> Field {
    let ty = Type::parse(ty).unwrap();
    let content = Content::Edges;
    Field { name: name.to_owned(), ty, nullable, key: false, version: None, cursor: None, group: false, content }
}

/// `tenant id amount status op updated_at`, with a window of 400 ticks on `updated_at`.
fn orders() -> Vec<Field> {
    let scale = Scale { zero: 0, unit: 100 };
    let words = ["D", "other"].map(Value::from).into_iter().chain([Value::Null]).collect();
    vec![
        Field { key: true, ..field("tenant", "varchar(12)", true) },
        Field { key: true, ..field("id", "bigint", false) },
        field("amount", "decimal(12,2)", true),
        field("status", "text", true),
        Field { content: Content::Words(words), ..field("op", "varchar(5)", true) },
        Field {
            version: Some(0),
            cursor: Some(Cursor { scale, bounds: super::Bounds::Watermark(400) }),
            ..field("updated_at", "bigint", true)
        },
    ]
}

fn find<'a>(all: &'a [Scenario], name: &str) -> &'a Scenario {
    all.iter().find(|scenario| scenario.name == name).unwrap_or_else(|| panic!("no scenario is about {name}"))
}

fn rows(scenario: &Scenario) -> impl Iterator<Item = &Row> {
    scenario.before.iter().chain(scenario.batches.iter().flatten())
}

#[test]
fn the_generator_is_the_published_one() {
    let mut random = SplitMix64::new(1_234_567);
    assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
}

#[test]
fn one_seed_makes_one_set_of_rows() {
    for make in [scenarios, commuting] {
        assert_eq!(make(&orders(), 7), make(&orders(), 7));
        assert_ne!(make(&orders(), 7), make(&orders(), 8));
    }
    assert_eq!(large(&orders(), 100, 7), large(&orders(), 100, 7));
}

#[test]
fn every_scenario_has_a_name_of_its_own() {
    for all in [scenarios(&orders(), 1), commuting(&orders(), 1)] {
        let names: BTreeSet<_> = all.iter().map(|scenario| &scenario.name).collect();
        assert_eq!(names.len(), all.len(), "{names:?}");
    }
}

#[test]
fn older_equal_and_newer_rows_are_staged() {
    let all = scenarios(&orders(), 1);
    let older = find(&all, "older, equal and newer rows");
    let order: Vec<_> =
        older.batches[0].iter().take(5).zip(&older.before).map(|(s, t)| s[5].cmp(&t[5]) as i8).collect();
    assert_eq!(order, [-1, 0, 0, 1, 1]);
    assert_eq!(older.batches[0][1], older.before[1]);
    assert_eq!(older.batches[0][4][3], older.before[4][3]);
    let ties = find(&all, "rows of equal version");
    assert!(rows(ties).all(|row| row[5] == ties.before[0][5]));
    assert_eq!(ties.batches[0][7], ties.batches[0][8], "everything is equal");
}

#[test]
fn every_null_occurs_alone_and_with_the_others() {
    let all = scenarios(&orders(), 1);
    let keys = find(&all, "null keys: tenant");
    assert!(keys.before[0][0].is_null() && keys.batches[0].iter().filter(|row| row[0].is_null()).count() == 4);
    assert!(find(&all, "null versions: updated_at").batches[0].iter().any(|row| row[5].is_null()));
    assert!(find(&all, "null payloads").batches[0].iter().any(|row| row[2].is_null()));

    let mut fields = orders();
    fields[1].nullable = true;
    let names: Vec<_> = scenarios(&fields, 1).into_iter().map(|scenario| scenario.name).collect();
    for name in ["null keys: tenant", "null keys: id", "null keys: tenant, id"] {
        assert!(names.iter().any(|found| found == name), "{name}");
    }
}

#[test]
fn every_edge_of_every_type_is_loaded_and_replaced() {
    for name in TYPE_NAMES {
        let name = name.replace("p,s", "4,2").replace("(n)", "(8)");
        let fields = [
            Field { key: true, ..field("k", "int", false) },
            field("v", &name, true),
            Field { version: Some(0), ..field("at", "int", false) },
        ];
        let all = scenarios(&fields, 1);
        let limits = find(&all, "values at the limits of their types");
        let one = find(&all, "rows that differ in one column");
        for value in edges(&fields[1].ty) {
            for batch in &limits.batches {
                assert!(batch.iter().any(|row| row[1] == value), "{name}: {value}");
            }
            assert!(one.before.iter().any(|row| row[1] == value), "{name}: {value}");
        }
        assert!(one.before.iter().zip(&one.batches[0]).all(|(was, is)| was[0] == is[0] && was[2] == is[2]));
        assert!(one.before.iter().zip(&one.batches[0]).all(|(was, is)| was[1] != is[1]), "{name}");
        assert!(one.before.iter().any(|row| row[1].is_null()) && one.batches[0].iter().any(|row| row[1].is_null()));
    }
}

#[test]
fn every_text_is_a_value_of_a_text_column() {
    let values = edges(&Type::Text);
    for text in TEXTS.iter().chain(ALIKE) {
        assert!(values.contains(&Value::from(*text)), "{text}");
    }
    // The limit of a length is met exactly, with letters of one, three and four bytes.
    for ty in [Type::Varchar(10), Type::Char(2)] {
        let (Type::Varchar(length) | Type::Char(length)) = ty else { unreachable!() };
        let count = |value: &Value| matches!(value, Value::Text(text) if text.chars().count() == length as usize);
        assert!(edges(&ty).iter().filter(|value| count(value)).count() >= 3, "{ty:?}");
    }
}

#[test]
fn every_type_has_its_limits() {
    for (ty, limits) in [
        ("smallint", &["-32768", "32767"][..]),
        ("bigint", &["-9223372036854775808", "9223372036854775807"]),
        ("decimal(4,2)", &["99.99", "-99.99", "0.01", "0"]),
        ("decimal(3,0)", &["999", "-999", "1"]),
        ("decimal(2,2)", &["0.99", "-0.99", "0.01"]),
        ("bytes", &["", "00", "ff"]),
        ("date", &["0001-01-01", "9999-12-31", "2024-02-29"]),
        ("json", &["null", "{}"]),
    ] {
        let ty = Type::parse(ty).unwrap();
        for limit in limits {
            assert!(edges(&ty).contains(&parsed(limit, &ty)), "{ty:?}: {limit}");
        }
    }
}

#[test]
fn ordered_values_grow_and_read_back() {
    for name in TYPE_NAMES {
        let ty = Type::parse(&name.replace("p,s", "4,2").replace("(n)", "(8)")).unwrap();
        let values: Vec<_> = (0..3).map(|n| at(&ty, Scale::of(&ty).tick(PRESENT + n))).collect();
        assert!(values.iter().all(|value| !value.is_null()), "{name}");
        assert!(ty == Type::Bool || values.is_sorted_by(|a, b| a < b), "{name}: {values:?}");
        for value in values.iter().chain(&edges(&ty)) {
            let text = value.to_string();
            let text = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')).unwrap_or(&text).replace("''", "'");
            assert_eq!(Value::parse(&text, &ty).unwrap(), *value, "{name}");
        }
    }
    for ty in [Type::SmallInt, Type::Int, Type::BigInt, Type::Date, Type::Timestamp, Type::Timestamptz] {
        assert_eq!(ticks(&at(&ty, 12_345)), Some(12_345), "{ty:?}");
    }
}

#[test]
fn rows_lie_at_the_edges_of_the_window() {
    let all = scenarios(&orders(), 1);
    let edges = find(&all, "rows at the edges of the window");
    let watermark = ticks(&edges.before[0][5]).unwrap();
    let distances: Vec<_> = edges.batches[0].iter().map(|row| watermark - ticks(&row[5]).unwrap()).collect();
    assert_eq!(distances, [401, 400, 399, 1, 0, -1]);

    let mut fields = orders();
    fields[5].cursor =
        Some(Cursor { scale: Scale { zero: 0, unit: 100 }, bounds: super::Bounds::Given(9_200, Some(10_800)) });
    let all = scenarios(&fields, 1);
    let edges = find(&all, "rows at the edges of the window");
    let found: Vec<_> = edges.batches[0].iter().map(|row| ticks(&row[5]).unwrap()).collect();
    assert_eq!(found, [9_199, 9_200, 9_201, 10_799, 10_800, 10_801]);
}

#[test]
fn a_deletion_meets_every_row() {
    let all = scenarios(&orders(), 1);
    let deletions = find(&all, "deletions of older and newer rows");
    let target = |row: &Row| deletions.before.iter().find(|old| old[..2] == row[..2]);
    let marked = || deletions.batches[0].iter().filter(|row| row[4] == Value::from("D"));
    assert!(marked().any(|row| target(row).is_none()));
    for order in [-1, 0, 1] {
        let meets = |row: &&Row| target(row).is_some_and(|old| row[5].cmp(&old[5]) as i8 == order);
        assert!(marked().any(|row| meets(&row)), "{order}");
        let beside = |row: &&Row| {
            let mut others = deletions.batches[0].iter().filter(|other| other[..2] == row[..2] && other[4] != row[4]);
            others.any(|other| row[5].cmp(&other[5]) as i8 == order)
        };
        assert!(marked().any(|row| beside(&row)), "{order}");
    }
}

#[test]
fn a_target_has_one_row_per_key() {
    let bools = [Field { key: true, ..field("k", "bool", true) }, field("v", "int", false)];
    for (fields, width) in [(&bools[..], 1), (&orders(), 2)] {
        for scenario in scenarios(fields, 3).iter().chain(&commuting(fields, 3)) {
            let keys: BTreeSet<_> = scenario.before.iter().map(|row| &row[..width]).collect();
            assert_eq!(keys.len(), scenario.before.len(), "{}", scenario.name);
        }
    }
}

#[test]
fn versions_meet_their_neighbours_at_the_limits() {
    let fields =
        [Field { key: true, ..field("k", "int", false) }, Field { version: Some(0), ..field("at", "double", false) }];
    let all = scenarios(&fields, 1);
    let limits = find(&all, "versions at the limits of their types");
    let order: BTreeSet<_> =
        limits.before.iter().zip(&limits.batches[0]).map(|(was, is)| is[1].cmp(&was[1]) as i8).collect();
    assert_eq!(order, BTreeSet::from([-1, 1]));
}

#[test]
fn json_is_spelled_otherwise_and_means_the_same() {
    let fields = [Field { key: true, ..field("k", "int", false) }, field("v", "json", true)];
    let all = scenarios(&fields, 1);
    let json = find(&all, "JSON that is spelled otherwise");
    let read = |row: &Row| match &row[1] {
        Value::Text(text) => parsed(text, &Type::Json),
        other => other.clone(),
    };
    let pairs = || json.before.iter().zip(&json.batches[0]);
    assert!(pairs().all(|(was, is)| read(was) == read(is)) && pairs().any(|(was, is)| was != is));
}

#[test]
fn the_columns_of_a_key_vary_by_themselves() {
    let mut fields = orders();
    fields[2].key = true;
    let all = scenarios(&fields, 1);
    let random = find(&all, "at random, 5");
    let pairs: BTreeSet<_> = random.batches.iter().flatten().map(|row| &row[..3]).collect();
    for at in 0..3 {
        let others =
            |row: &[Value]| (0..3).filter(|place| *place != at).map(|place| row[place].clone()).collect::<Vec<_>>();
        let alone = pairs.iter().any(|a| pairs.iter().any(|b| a[at] != b[at] && others(a) == others(b)));
        assert!(alone, "column {at} never differs alone");
    }
}

#[test]
fn a_column_that_is_not_nullable_never_is() {
    let mut fields = orders();
    for field in &mut fields {
        field.nullable = false;
        field.content = Content::Edges;
    }
    for scenario in scenarios(&fields, 3).iter().chain(&commuting(&fields, 3)) {
        assert!(rows(scenario).all(|row| row.iter().all(|value| !value.is_null())), "{}", scenario.name);
    }
}

#[test]
fn rows_of_one_key_and_version_are_equal_in_batches_that_commute() {
    let few = [
        Field { key: true, ..field("k", "bool", true) },
        field("v", "int", true),
        Field { version: Some(1), ..field("a", "bool", true) },
        Field { version: Some(0), ..field("b", "char(1)", true) },
    ];
    for (fields, key, version) in [(orders(), 0..2, 5..6), (few.to_vec(), 0..1, 2..4)] {
        for scenario in commuting(&fields, 5) {
            assert!(scenario.batches.len() >= 3, "{}", scenario.name);
            let mut seen = BTreeMap::new();
            for row in rows(&scenario) {
                let first = *seen.entry((&row[key.clone()], &row[version.clone()])).or_insert(row);
                assert_eq!(first, row, "{}", scenario.name);
            }
            let in_several = scenario.before.len() + scenario.batches.iter().map(Vec::len).sum::<usize>() > seen.len();
            assert!(in_several, "{}", scenario.name);
        }
    }
}

#[test]
fn batches_that_commute_use_the_whole_overlap_and_no_more() {
    for overlap in [0, 3, 400] {
        let mut fields = orders();
        let bounds = super::Bounds::Watermark(overlap);
        fields[5].cursor = Some(Cursor { scale: Scale { zero: 0, unit: (overlap / 4).max(1) }, bounds });
        let all = commuting(&fields, 5);
        for scenario in &all {
            let ticks: Vec<_> = rows(scenario).filter_map(|row| ticks(&row[5])).collect();
            let (least, greatest) = (*ticks.iter().min().unwrap(), *ticks.iter().max().unwrap());
            assert!(greatest - least <= overlap, "{}", scenario.name);
        }
        let spread = find(&all, "batches in any order");
        let late = |batch: usize| spread.batches[batch].iter().filter_map(|row| ticks(&row[5])).min().unwrap();
        let greatest = rows(spread).filter_map(|row| ticks(&row[5])).max().unwrap();
        assert_eq!((late(0), late(3)), (greatest - overlap, greatest - overlap));
        assert!(rows(spread).any(|row| row[0].is_null()) && rows(spread).any(|row| row[5].is_null()));
    }
}

#[test]
fn a_large_batch_has_half_as_many_keys_as_rows() {
    let made = large(&orders(), 400, 1);
    let keys: BTreeSet<_> = made.batches[0].iter().map(|row| &row[..2]).collect();
    assert_eq!((made.before.len(), made.batches[0].len(), keys.len()), (100, 400, 200));
    assert!(made.before.iter().all(|row| keys.contains(&row[..2])));
}
