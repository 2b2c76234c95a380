//! What a load means, rule by rule: target, staged rows and the rows that must come out, all written by hand.
//!
//! A row is a line of words: `-` is null, `true`, `false` and `now` are themselves, digits are a number, the rest is text.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::dialect::types::Type;
use crate::engine::value::Number;

fn value(word: &str) -> Value {
    match word {
        "-" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "now" => Value::Now,
        word => Number::parse(word).map_or_else(|| word.into(), Value::Number),
    }
}

fn rows(lines: &[&str]) -> Vec<Row> {
    lines.iter().map(|line| line.split_whitespace().map(value).collect()).collect()
}

fn column(origin: Origin, update: Update) -> Column {
    Column { origin, update, compare: true }
}

/// An upsert by `(cell 0)` with the last of `width` staged cells as the version; all cells are columns.
fn upsert(width: usize) -> Shape {
    Shape {
        columns: (0..width).map(|cell| column(Origin::Staged(cell), Update::Always)).collect(),
        key: vec![0],
        version: vec![width - 1],
        keep_on_tie: false,
        any_version: false,
        deletes: None,
        window: None,
        strategy: Strategy::Upsert,
    }
}

/// As [`upsert`] of `id amount updated`, with a rule on `amount`.
fn with_rule(update: Update) -> Shape {
    let mut shape = upsert(3);
    shape.columns[1].update = update;
    shape
}

/// `id amount updated`, where a fourth staged cell says that the row is a deletion.
fn with_hard_deletes() -> Shape {
    Shape { deletes: Some(Deletes { cell: 3, hard: true }), ..upsert(3) }
}

/// `id amount updated is_deleted`, where a fourth staged cell sets the flag.
fn with_flag() -> Shape {
    let mut shape = Shape { deletes: Some(Deletes { cell: 3, hard: false }), ..upsert(3) };
    shape.columns.push(column(Origin::Deleted, Update::Always));
    shape
}

/// `id amount updated` with a window on `updated`.
fn with_window(bounds: Bounds) -> Shape {
    Shape { window: Some(Window { column: 2, cell: 2, bounds }), ..upsert(3) }
}

fn watermark(steps: u64) -> Bounds {
    Bounds::Watermark { overlap: Overlap::Steps(steps), initial: None }
}

fn given(start: &str, end: Option<&str>) -> Bounds {
    Bounds::Given { start: value(start), end: end.map(value) }
}

fn replacing(scope: Scope, shape: Shape) -> Shape {
    Shape { strategy: Strategy::DeleteInsert { scope, keep_newer: false }, ..shape }
}

/// Loads once and compares; then loads the same batch again, after which nothing may have changed.
#[track_caller]
fn check(shape: &Shape, target: &[&str], batch: &[&str], expected: &[&str]) {
    let once = apply(shape, &rows(target), &rows(batch));
    assert_eq!(once, rows(expected), "the first load");
    assert_eq!(apply(shape, &once, &rows(batch)), once, "the second load");
}

// One row per key.

#[test]
fn an_empty_target_takes_every_key() {
    check(&upsert(3), &[], &["2 b 5", "1 a 5"], &["1 a 5", "2 b 5"]);
}

#[test]
fn zero_staged_rows_change_nothing() {
    check(&upsert(3), &["1 a 5"], &[], &["1 a 5"]);
}

#[test]
fn the_newest_of_duplicates_wins_wherever_it_stands() {
    check(&upsert(3), &[], &["1 old 5", "1 new 9", "1 mid 7"], &["1 new 9"]);
    check(&upsert(3), &[], &["1 new 9", "1 mid 7", "1 old 5"], &["1 new 9"]);
}

#[test]
fn exact_duplicates_are_one_row() {
    check(&upsert(3), &[], &["1 a 5", "1 a 5"], &["1 a 5"]);
}

#[test]
fn duplicates_of_one_version_are_decided_by_the_greatest_content() {
    check(&upsert(3), &[], &["1 a 5", "1 c 5", "1 b 5"], &["1 c 5"]);
}

#[test]
fn a_null_loses_the_tie_break() {
    check(&upsert(3), &[], &["1 - 5", "1 a 5"], &["1 a 5"]);
    check(&upsert(3), &[], &["1 a 5", "1 - 5"], &["1 a 5"]);
}

#[test]
fn compared_columns_break_a_tie_before_the_others() {
    // `first` is insert-only and so not compared: `second` decides although it stands behind.
    let mut shape = upsert(4);
    shape.columns[1].update = Update::Never;
    check(&shape, &[], &["1 z a 5", "1 a z 5"], &["1 a z 5"]);
}

#[test]
fn columns_that_are_not_compared_break_the_last_ties() {
    let mut shape = upsert(4);
    shape.columns[1].compare = false;
    check(&shape, &[], &["1 a x 5", "1 z x 5"], &["1 z x 5"]);
}

#[test]
fn a_null_version_is_the_oldest_duplicate() {
    check(&upsert(3), &[], &["1 z -", "1 a 0"], &["1 a 0"]);
}

#[test]
fn without_a_version_the_greatest_content_wins() {
    let shape = Shape { version: vec![], ..upsert(3) };
    check(&shape, &[], &["1 a 9", "1 b 1"], &["1 b 1"]);
}

// The version order against the target.

#[test]
fn a_newer_row_replaces() {
    check(&upsert(3), &["1 a 5"], &["1 b 6"], &["1 b 6"]);
}

#[test]
fn an_older_row_changes_nothing() {
    check(&upsert(3), &["1 a 5"], &["1 b 4"], &["1 a 5"]);
}

#[test]
fn an_equal_version_with_other_content_is_a_correction() {
    check(&upsert(3), &["1 z 5"], &["1 a 5"], &["1 a 5"]);
}

#[test]
fn keep_on_tie_demands_a_greater_version() {
    let shape = Shape { keep_on_tie: true, ..upsert(3) };
    check(&shape, &["1 z 5", "2 z 5"], &["1 a 5", "2 a 6"], &["1 z 5", "2 a 6"]);
}

#[test]
fn a_newer_version_of_the_same_content_moves_the_version() {
    check(&upsert(3), &["1 a 5"], &["1 a 6"], &["1 a 6"]);
}

#[test]
fn a_null_version_does_not_replace_a_known_one() {
    check(&upsert(3), &["1 a 5"], &["1 b -"], &["1 a 5"]);
}

#[test]
fn any_version_replaces_a_null_one() {
    check(&upsert(3), &["1 a -"], &["1 b 0"], &["1 b 0"]);
}

#[test]
fn two_null_versions_are_a_tie() {
    check(&upsert(3), &["1 a -"], &["1 b -"], &["1 b -"]);
    let keep = Shape { keep_on_tie: true, ..upsert(3) };
    check(&keep, &["1 a -"], &["1 b -"], &["1 a -"]);
}

#[test]
fn a_tie_replaces_or_keeps_and_the_same_content_does_neither() {
    let mut audited = upsert(3);
    audited.columns.push(column(Origin::Now, Update::Always));
    let keeping = Shape { keep_on_tie: true, ..audited.clone() };
    let target = ["1 a 5 before", "2 a 5 before", "3 a 5 before", "4 - 5 before"];
    let batch = ["1 a 5", "2 b 5", "3 - 5", "4 b 5"];
    check(&audited, &target, &batch, &["1 a 5 before", "2 b 5 now", "3 - 5 now", "4 b 5 now"]);
    check(&keeping, &target, &batch, &target);
}

#[test]
fn a_null_version_loses_against_every_other_in_one_batch_and_across_batches() {
    check(&upsert(3), &["1 a -10"], &["1 z -"], &["1 a -10"]);
    check(&upsert(3), &["1 a -"], &["1 z -10", "1 y -"], &["1 z -10"]);
    let keep = Shape { keep_on_tie: true, ..upsert(3) };
    check(&keep, &["1 a -"], &["1 z -10"], &["1 z -10"]);
}

#[test]
fn a_null_in_a_later_version_column_is_the_oldest_of_an_equal_first() {
    let shape = Shape { version: vec![2, 3], ..upsert(4) };
    check(&shape, &["1 a 5 1"], &["1 b 5 -"], &["1 a 5 1"]);
    check(&shape, &["1 a 5 -"], &["1 b 5 1"], &["1 b 5 1"]);
    check(&shape, &["1 a 5 9"], &["1 b 6 -"], &["1 b 6 -"]);
    check(&shape, &["1 a - 9"], &["1 b 0 -"], &["1 b 0 -"]);
    check(&shape, &[], &["1 a - 9", "1 b 0 -"], &["1 b 0 -"]);
}

#[test]
fn the_first_version_column_decides_before_the_second() {
    let shape = Shape { version: vec![2, 3], ..upsert(4) };
    check(&shape, &["1 a 5 9"], &["1 b 6 1"], &["1 b 6 1"]);
    check(&shape, &["1 a 5 9"], &["1 b 4 99"], &["1 a 5 9"]);
}

#[test]
fn the_second_version_column_decides_when_the_first_is_equal_or_null() {
    let shape = Shape { version: vec![2, 3], ..upsert(4) };
    check(&shape, &["1 a 5 2"], &["1 b 5 1", "1 c 5 3"], &["1 c 5 3"]);
    check(&shape, &["1 a - 2"], &["1 b - 1"], &["1 a - 2"]);
    check(&shape, &["1 a - 2"], &["1 b - 3"], &["1 b - 3"]);
}

#[test]
fn without_a_version_any_difference_replaces() {
    let shape = Shape { version: vec![], ..upsert(3) };
    check(&shape, &["1 a 9", "2 b 9"], &["1 a 1", "2 b 9"], &["1 a 1", "2 b 9"]);
}

#[test]
fn null_replaces_a_value_and_a_value_replaces_null() {
    check(&upsert(3), &["1 a 5", "2 - 5"], &["1 - 5", "2 b 5"], &["1 - 5", "2 b 5"]);
}

// Keys.

#[test]
fn null_is_one_value_of_a_key() {
    check(&upsert(3), &["- a 5"], &["- b 6", "1 c 6"], &["- b 6", "1 c 6"]);
}

#[test]
fn a_null_part_of_a_key_differs_from_every_value() {
    let shape = Shape { key: vec![0, 1], ..upsert(4) };
    check(&shape, &["1 - a 5"], &["1 - b 6", "1 x c 6", "- - d 6"], &["- - d 6", "1 - b 6", "1 x c 6"]);
}

#[test]
fn duplicates_with_null_key_parts_are_reduced() {
    let shape = Shape { key: vec![0, 1], ..upsert(4) };
    check(&shape, &[], &["1 - a 5", "1 - b 7", "1 - c 6"], &["1 - b 7"]);
}

#[test]
fn a_key_of_all_columns_only_inserts() {
    let shape = Shape { key: vec![0, 1, 2], version: vec![], ..upsert(3) };
    check(&shape, &["1 a 5"], &["1 a 5", "1 a 6"], &["1 a 5", "1 a 6"]);
}

// insert_ignore.

#[test]
fn insert_ignore_never_replaces() {
    let shape = Shape { strategy: Strategy::InsertIgnore, ..upsert(3) };
    check(&shape, &["1 a 5", "- n 5"], &["1 b 9", "2 c 1", "- m 9"], &["- n 5", "1 a 5", "2 c 1"]);
}

#[test]
fn insert_ignore_reduces_the_staged_rows() {
    let shape = Shape { strategy: Strategy::InsertIgnore, ..upsert(3) };
    check(&shape, &[], &["1 a 5", "1 b 6"], &["1 b 6"]);
}

// Rules of columns.

#[test]
fn never_keeps_the_first_value() {
    check(&with_rule(Update::Never), &["1 a 5"], &["1 b 6", "2 c 6"], &["1 a 6", "2 c 6"]);
}

#[test]
fn a_difference_in_an_insert_only_column_replaces_nothing() {
    check(&with_rule(Update::Never), &["1 a 5"], &["1 b 5"], &["1 a 5"]);
}

#[test]
fn if_not_null_keeps_the_old_value_when_the_new_one_is_null() {
    let shape = with_rule(Update::IfNotNull);
    check(&shape, &["1 a 5", "2 a 5", "3 - 5"], &["1 - 6", "2 b 6", "3 - 6"], &["1 a 6", "2 b 6", "3 - 6"]);
}

#[test]
fn first_not_null_keeps_the_old_value_once_there_is_one() {
    let shape = with_rule(Update::FirstNotNull);
    check(&shape, &["1 a 5", "2 - 5", "3 - 5"], &["1 b 6", "2 b 6", "3 - 6"], &["1 a 6", "2 b 6", "3 - 6"]);
}

#[test]
fn greatest_takes_the_greater_value_and_null_loses() {
    let shape = with_rule(Update::Greatest);
    let target = ["1 10 5", "2 10 5", "3 10 5", "4 - 5"];
    check(&shape, &target, &["1 9 6", "2 11 6", "3 - 6", "4 1 6"], &["1 10 6", "2 11 6", "3 10 6", "4 1 6"]);
}

#[test]
fn least_takes_the_smaller_value_and_null_loses() {
    let shape = with_rule(Update::Least);
    let target = ["1 10 5", "2 10 5", "3 10 5", "4 - 5"];
    check(&shape, &target, &["1 9 6", "2 11 6", "3 - 6", "4 1 6"], &["1 9 6", "2 10 6", "3 10 6", "4 1 6"]);
}

#[test]
fn any_stays_true() {
    let shape = with_rule(Update::Any);
    let target = ["1 true 5", "2 false 5", "3 - 5", "4 true 5", "5 - 5"];
    let batch = ["1 false 6", "2 true 6", "3 false 6", "4 - 6", "5 - 6"];
    check(&shape, &target, &batch, &["1 true 6", "2 true 6", "3 false 6", "4 true 6", "5 - 6"]);
}

/// Loads one row `1 NEW 6` onto `1 OLD 5` under each rule, for every pair of values, null among them.
#[test]
fn every_rule_says_what_becomes_of_every_pair() {
    // old, new, then what is left by: always, never, if_not_null, first_not_null, greatest, least
    let pairs = [
        ("1", "2", ["2", "1", "2", "1", "2", "1"]),
        ("2", "1", ["1", "2", "1", "2", "2", "1"]),
        ("1", "1", ["1", "1", "1", "1", "1", "1"]),
        ("-", "1", ["1", "-", "1", "1", "1", "1"]),
        ("1", "-", ["-", "1", "1", "1", "1", "1"]),
        ("-", "-", ["-", "-", "-", "-", "-", "-"]),
    ];
    let rules =
        [Update::Always, Update::Never, Update::IfNotNull, Update::FirstNotNull, Update::Greatest, Update::Least];
    for (old, new, left) in pairs {
        for (rule, left) in rules.into_iter().zip(left) {
            let (target, batch) = (format!("1 {old} 5"), format!("1 {new} 6"));
            check(&with_rule(rule), &[&target], &[&batch], &[&format!("1 {left} 6")]);
        }
    }
    let any = [
        ("true", "true", "true"),
        ("true", "false", "true"),
        ("true", "-", "true"),
        ("false", "true", "true"),
        ("false", "false", "false"),
        ("false", "-", "false"),
        ("-", "true", "true"),
        ("-", "false", "false"),
        ("-", "-", "-"),
    ];
    for (old, new, left) in any {
        let (target, batch) = (format!("1 {old} 5"), format!("1 {new} 6"));
        check(&with_rule(Update::Any), &[&target], &[&batch], &[&format!("1 {left} 6")]);
    }
}

#[test]
fn a_new_row_takes_its_values_under_every_rule() {
    for rule in [Update::Never, Update::IfNotNull, Update::FirstNotNull, Update::Greatest, Update::Least, Update::Any] {
        check(&with_rule(rule), &[], &["1 a 5", "2 - 5"], &["1 a 5", "2 - 5"]);
    }
}

#[test]
fn an_older_row_gives_no_value_to_any_rule() {
    for rule in [Update::IfNotNull, Update::FirstNotNull, Update::Greatest, Update::Least] {
        check(&with_rule(rule), &["1 - 5", "2 5 5"], &["1 7 4", "2 9 4", "2 1 4"], &["1 - 5", "2 5 5"]);
    }
}

#[test]
fn a_rule_that_keeps_the_old_value_still_moves_with_a_newer_row() {
    // The version differs, so the row is replaced; the rule decides about its own column alone.
    check(&with_rule(Update::FirstNotNull), &["1 a 5"], &["1 b 6"], &["1 a 6"]);
    check(&with_rule(Update::IfNotNull), &["1 a 5"], &["1 - 5"], &["1 a 5"]);
}

#[test]
fn the_reduction_takes_one_row_whole_and_merges_none() {
    // The newest row has no phone, and the older one in the same batch gives it none.
    check(&with_rule(Update::IfNotNull), &[], &["1 a 5", "1 - 6"], &["1 - 6"]);
    check(&with_rule(Update::Greatest), &[], &["1 9 5", "1 3 6"], &["1 3 6"]);
}

#[test]
fn the_rule_is_applied_before_the_comparison() {
    // The staged amount differs, but what would be written does not: the audit column stays.
    let mut shape = with_rule(Update::Greatest);
    shape.columns.push(column(Origin::Now, Update::Always));
    check(&shape, &["1 10 5 before"], &["1 9 5"], &["1 10 5 before"]);
}

#[test]
fn a_column_that_is_not_compared_moves_only_along() {
    let mut shape = upsert(4);
    shape.columns[1].compare = false;
    check(&shape, &["1 a x 5", "2 a x 5"], &["1 b x 5", "2 b y 5"], &["1 a x 5", "2 b y 5"]);
}

#[test]
fn the_version_is_compared_whatever_its_column_says() {
    let mut shape = upsert(3);
    shape.columns[2].compare = false;
    check(&shape, &["1 a 5"], &["1 a 6"], &["1 a 6"]);
}

#[test]
fn an_audit_column_moves_only_when_the_row_changes() {
    let mut shape = upsert(3);
    shape.columns.push(column(Origin::Now, Update::Always));
    let target = ["1 a 5 before", "2 a 5 before", "3 a 5 before"];
    let batch = ["1 a 5", "2 b 6", "3 b 4", "4 n 1"];
    check(&shape, &target, &batch, &["1 a 5 before", "2 b 6 now", "3 a 5 before", "4 n 1 now"]);
}

#[test]
fn an_insert_only_audit_column_keeps_the_first_moment() {
    let mut shape = upsert(3);
    shape.columns.push(column(Origin::Now, Update::Never));
    check(&shape, &["1 a 5 before"], &["1 b 6", "2 c 6"], &["1 b 6 before", "2 c 6 now"]);
}

#[test]
fn a_constant_is_written_with_the_row_and_is_no_reason_to_write() {
    let mut shape = upsert(3);
    shape.columns.push(column(Origin::Constant("shop".into()), Update::Always));
    check(&shape, &["1 a 5 old", "2 a 5 old"], &["1 a 5", "2 b 6"], &["1 a 5 old", "2 b 6 shop"]);
}

// Deletions.

#[test]
fn a_deletion_removes_an_older_or_equal_row() {
    let shape = with_hard_deletes();
    check(&shape, &["1 a 5", "2 a 5", "3 a 5"], &["1 - 6 true", "2 a 5 true"], &["3 a 5"]);
}

#[test]
fn a_deletion_does_not_remove_a_newer_row() {
    check(&with_hard_deletes(), &["1 a 5"], &["1 a 4 true"], &["1 a 5"]);
}

#[test]
fn a_deletion_of_an_absent_key_inserts_nothing() {
    check(&with_hard_deletes(), &[], &["1 a 5 true", "2 b 5 false"], &["2 b 5"]);
}

#[test]
fn a_null_deletion_mark_is_no_deletion() {
    check(&with_hard_deletes(), &["1 a 5"], &["1 b 6 -", "2 c 6 -"], &["1 b 6", "2 c 6"]);
}

#[test]
fn a_deletion_meets_an_older_an_equal_and_a_newer_row() {
    let (target, batch) = (["1 a 4", "2 a 5", "3 a 6"], ["1 - 5 true", "2 - 5 true", "3 - 5 true", "4 - 5 true"]);
    check(&with_hard_deletes(), &target, &batch, &["3 a 6"]);
    let flagged = target.map(|row| format!("{row} false"));
    let flagged = flagged.each_ref().map(String::as_str);
    check(&with_flag(), &flagged, &batch, &["1 - 5 true", "2 - 5 true", "3 a 6 false", "4 - 5 true"]);
    let keeping = Shape { keep_on_tie: true, ..with_flag() };
    check(&keeping, &flagged, &batch, &["1 - 5 true", "2 a 5 false", "3 a 6 false", "4 - 5 true"]);
}

#[test]
fn a_row_comes_back_after_its_deletion() {
    // What was removed left no version behind, so whatever comes is new. A flag keeps the version.
    check(&with_hard_deletes(), &[], &["1 a 4 false"], &["1 a 4"]);
    check(&with_flag(), &["1 a 5 true"], &["1 b 4 false"], &["1 a 5 true"]);
    check(&with_flag(), &["1 a 5 true"], &["1 b 5 false"], &["1 b 5 false"]);
    check(&with_flag(), &["1 a 5 true"], &["1 b 6 false"], &["1 b 6 false"]);
}

#[test]
fn a_deletion_and_an_insert_of_one_key_are_reduced_to_the_newer_and_to_the_deletion_on_a_tie() {
    for (batch, removed, marked) in [
        (["1 b 6 false", "1 - 5 true"], &["1 b 6"][..], "1 b 6 false"),
        (["1 b 5 false", "1 - 6 true"], &[], "1 - 6 true"),
        (["1 b 6 false", "1 - 6 true"], &[], "1 - 6 true"),
    ] {
        check(&with_hard_deletes(), &["1 a 4"], &batch, removed);
        check(&with_hard_deletes(), &[], &batch, removed);
        check(&with_flag(), &["1 a 4 false"], &batch, &[marked]);
        check(&with_flag(), &[], &batch, &[marked]);
    }
}

#[test]
fn insert_ignore_flags_a_new_row_and_leaves_one_that_is_there() {
    let shape = Shape { strategy: Strategy::InsertIgnore, ..with_flag() };
    check(&shape, &["1 a 5 false"], &["1 - 6 true", "2 - 6 true"], &["1 a 5 false", "2 - 6 true"]);
}

#[test]
fn a_deletion_with_a_null_version_is_the_oldest() {
    check(&with_hard_deletes(), &["1 a 5", "2 a -"], &["1 a - true", "2 a - true"], &["1 a 5"]);
}

#[test]
fn a_deletion_removes_on_a_tie_even_when_ties_keep() {
    let shape = Shape { keep_on_tie: true, ..with_hard_deletes() };
    check(&shape, &["1 a 5"], &["1 a 5 true"], &[]);
}

#[test]
fn the_newest_of_a_row_and_its_deletion_wins() {
    let shape = with_hard_deletes();
    check(&shape, &["1 a 5"], &["1 b 7 false", "1 a 6 true"], &["1 b 7"]);
    check(&shape, &["1 a 5"], &["1 b 6 false", "1 b 7 true"], &[]);
}

#[test]
fn a_deletion_wins_the_last_tie_break() {
    check(&with_hard_deletes(), &["1 a 5"], &["1 a 6 true", "1 a 6 false"], &[]);
}

#[test]
fn without_a_version_every_deletion_removes() {
    let shape = Shape { version: vec![], ..with_hard_deletes() };
    check(&shape, &["1 a 5", "2 a 5"], &["1 a 1 true"], &["2 a 5"]);
}

#[test]
fn a_flag_marks_the_row_and_comes_off_again() {
    let target = ["1 a 5 false", "2 a 5 true", "3 a 5 true"];
    let batch = ["1 a 6 true", "2 a 6 false", "3 a 6 -"];
    check(&with_flag(), &target, &batch, &["1 a 6 true", "2 a 6 false", "3 a 6 false"]);
}

#[test]
fn a_flag_alone_is_a_difference() {
    check(&with_flag(), &["1 a 5 false"], &["1 a 5 true"], &["1 a 5 true"]);
}

#[test]
fn an_older_flag_changes_nothing_and_an_absent_key_is_inserted_with_it() {
    check(&with_flag(), &["1 a 5 false"], &["1 a 4 true", "2 b 5 true"], &["1 a 5 false", "2 b 5 true"]);
}

// The window.

#[test]
fn the_window_reaches_back_by_the_overlap_and_includes_its_bound() {
    let shape = with_window(watermark(3));
    check(&shape, &["1 a 10"], &["2 in 7", "3 out 6"], &["1 a 10", "2 in 7"]);
}

#[test]
fn without_an_overlap_the_watermark_itself_is_inside() {
    let shape = with_window(watermark(0));
    check(&shape, &["1 a 10"], &["2 in 10", "3 out 9"], &["1 a 10", "2 in 10"]);
}

#[test]
fn a_null_in_the_incremental_column_is_always_taken() {
    check(&with_window(watermark(0)), &["1 a 10"], &["2 b -"], &["1 a 10", "2 b -"]);
    check(&with_window(given("5", Some("8"))), &["1 a 10"], &["2 b -"], &["1 a 10", "2 b -"]);
}

#[test]
fn an_empty_target_takes_everything_or_begins_at_the_initial_value() {
    let batch = ["1 a 1", "2 b 5"];
    assert_eq!(apply(&with_window(watermark(0)), &[], &rows(&batch)), rows(&batch));
    let bounds = Bounds::Watermark { overlap: Overlap::Steps(3), initial: Some(value("5")) };
    check(&with_window(bounds.clone()), &[], &batch, &["2 b 5"]);
    // Nulls alone are no watermark.
    check(&with_window(bounds), &["3 c -"], &batch[..1], &["3 c -"]);
}

#[test]
fn a_given_window_is_half_open() {
    let shape = with_window(given("5", Some("8")));
    check(&shape, &["9 z 20"], &["1 a 4", "2 b 5", "3 c 7", "4 d 8"], &["2 b 5", "3 c 7", "9 z 20"]);
}

#[test]
fn rows_outside_the_window_do_not_take_part_in_the_reduction() {
    let shape = with_window(given("5", Some("8")));
    check(&shape, &[], &["1 newest 9", "1 inside 6"], &["1 inside 6"]);
}

#[test]
fn the_window_begins_at_its_bound_for_every_type_of_cursor() {
    let (steps, day) = (Overlap::Steps(3), Overlap::Seconds(86_400));
    // the greatest value of the target, the first value inside, the last one before it
    for (ty, overlap, watermark, inside, outside) in [
        ("smallint", steps, "10", "7", "6"),
        ("int", steps, "-10", "-13", "-14"),
        ("bigint", steps, "9223372036854775807", "9223372036854775804", "9223372036854775803"),
        ("date", day, "2024-03-01", "2024-02-29", "2024-02-28"),
        ("timestamp", day, "2024-03-31 12:00:00", "2024-03-30 12:00:00", "2024-03-30 11:59:59.999999"),
        // The clocks of Berlin and of New York change in between; a day is 24 hours all the same.
        ("timestamptz", day, "2024-03-31 12:00:00+02", "2024-03-30 11:00:00+01", "2024-03-30 10:59:59.999999+01"),
        ("timestamptz", day, "2024-11-03 12:00:00-05", "2024-11-02 13:00:00-04", "2024-11-02 12:59:59.999999-04"),
    ] {
        let ty = Type::parse(ty).unwrap();
        let row = |key: i64, at: &str| vec![key.into(), "x".into(), Value::parse(at, &ty).unwrap()];
        let shape = with_window(Bounds::Watermark { overlap, initial: None });
        let target = [row(1, watermark)];
        let batch = [row(2, inside), row(3, outside), row(4, watermark)];
        assert_eq!(apply(&shape, &target, &batch), [row(1, watermark), row(2, inside), row(4, watermark)], "{ty:?}");
        // The same rows by a window that the caller gives, which ends before its end.
        let bounds = Bounds::Given {
            start: Value::parse(inside, &ty).unwrap(),
            end: Some(Value::parse(watermark, &ty).unwrap()),
        };
        assert_eq!(apply(&with_window(bounds), &[], &batch), [row(2, inside)], "{ty:?}");
    }
}

#[test]
fn the_watermark_is_read_once_before_the_load() {
    // The staged row of 100 moves no bound for the row of 8.
    check(&with_window(watermark(3)), &["1 a 10"], &["2 new 100", "3 late 8"], &["1 a 10", "2 new 100", "3 late 8"]);
}

#[test]
fn the_second_run_of_a_load_may_read_less_and_finds_what_the_first_one_left() {
    let shape = with_window(watermark(3));
    let batch = rows(&["1 a 10", "2 b 4"]);
    let once = apply(&shape, &[], &batch);
    assert_eq!(once, rows(&["1 a 10", "2 b 4"]), "an empty target takes everything");
    assert_eq!(apply(&shape, &once, &batch), once);
}

#[test]
fn a_cursor_that_is_no_version_may_lower_the_watermark() {
    // `id day version`: the newest day moves back, and the row that came too late before is read by the next run. This is
    // why such a load promises no second run without a change.
    let mut shape = upsert(3);
    shape.window = Some(Window { column: 1, cell: 1, bounds: watermark(2) });
    let batch = rows(&["1 8 6", "2 6 1"]);
    let once = apply(&shape, &rows(&["1 10 5"]), &batch);
    assert_eq!(once, rows(&["1 8 6"]));
    assert_eq!(apply(&shape, &once, &batch), rows(&["1 8 6", "2 6 1"]));
}

#[test]
fn overlaps_are_subtracted_from_times() {
    let day = Overlap::Seconds(86_400);
    for (ty, watermark, lower) in [
        (Type::Date, "2024-03-01", "2024-02-29"),
        (Type::Timestamp, "2024-03-01 00:30:00.5", "2024-02-29 00:30:00.5"),
        (Type::Timestamptz, "2024-03-01 00:30:00+00", "2024-02-29 01:30:00+01"),
    ] {
        let parse = |text| Value::parse(text, &ty).unwrap();
        assert_eq!(shift_back(&parse(watermark), day), Some(parse(lower)));
    }
    let first = Value::parse("-009999-01-01", &Type::Date).unwrap();
    assert_eq!(shift_back(&first, day), None);
}

// delete_insert.

#[test]
fn rows_of_the_window_that_are_not_staged_vanish() {
    let shape = replacing(Scope::Window, with_window(watermark(5)));
    let target = ["1 a 4", "2 b 6", "3 c 8", "4 d 10"];
    check(&shape, &target, &["3 x 8", "4 d 10"], &["1 a 4", "3 x 8", "4 d 10"]);
}

#[test]
fn rows_newer_than_every_staged_row_do_not_vanish() {
    let shape = replacing(Scope::Window, with_window(watermark(5)));
    check(&shape, &["1 a 6", "2 b 9", "3 c 10"], &["4 d 8"], &["2 b 9", "3 c 10", "4 d 8"]);
}

#[test]
fn nothing_vanishes_when_nothing_is_staged() {
    let shape = replacing(Scope::Window, with_window(watermark(5)));
    check(&shape, &["1 a 8", "2 b 10"], &[], &["1 a 8", "2 b 10"]);
    check(&shape, &["1 a 8", "2 b 10"], &["3 late 1"], &["1 a 8", "2 b 10"]);
    let shape = replacing(Scope::Window, with_window(given("5", Some("9"))));
    check(&shape, &["1 a 8"], &["3 outside 9"], &["1 a 8"]);
}

#[test]
fn a_row_whose_staged_version_is_before_the_window_does_not_vanish() {
    // The window begins at 5. A first load moved it; the source still holds the older version of key 1.
    let shape = replacing(Scope::Window, with_window(watermark(5)));
    check(&shape, &["1 a 8", "2 b 10"], &["1 old 4", "2 b 10"], &["1 a 8", "2 b 10"]);
}

#[test]
fn an_older_staged_row_keeps_the_target_row_from_vanishing_and_from_being_replaced() {
    let shape = replacing(Scope::Window, with_window(watermark(5)));
    check(&shape, &["1 a 8", "2 b 10"], &["1 old 7", "2 b 10"], &["1 a 8", "2 b 10"]);
}

#[test]
fn a_given_window_empties_up_to_its_end() {
    let shape = replacing(Scope::Window, with_window(given("5", Some("9"))));
    let target = ["1 a 4", "2 b 5", "3 c 8", "4 d 9", "5 e -"];
    check(&shape, &target, &["6 f 6"], &["1 a 4", "4 d 9", "5 e -", "6 f 6"]);
}

#[test]
fn a_given_window_without_an_end_goes_to_the_greatest_staged_value() {
    let shape = replacing(Scope::Window, with_window(given("5", None)));
    check(&shape, &["1 a 5", "2 b 6", "3 c 7"], &["4 d 6"], &["3 c 7", "4 d 6"]);
}

#[test]
fn a_group_is_replaced_whole() {
    // `id group updated`
    let shape = replacing(Scope::Group(vec![1]), upsert(3));
    let target = ["1 a 5", "2 a 5", "3 b 5", "4 - 5", "5 - 5"];
    check(&shape, &target, &["2 a 6", "5 - 5"], &["2 a 6", "3 b 5", "5 - 5"]);
}

#[test]
fn an_empty_batch_replaces_no_group() {
    let shape = replacing(Scope::Group(vec![1]), upsert(3));
    check(&shape, &["1 a 5", "2 - 5"], &[], &["1 a 5", "2 - 5"]);
}

#[test]
fn a_group_is_emptied_but_for_its_staged_rows_whatever_their_versions() {
    let shape = replacing(Scope::Group(vec![1]), upsert(3));
    // Key 1 is staged with an older version and stays as it is; key 2 is not staged and goes, although it is newer.
    check(&shape, &["1 a 5", "2 a 9"], &["1 a 4"], &["1 a 5"]);
    // A null version is staged as well as any.
    check(&shape, &["1 a 5", "2 a 9"], &["1 a -"], &["1 a 5"]);
}

#[test]
fn a_group_of_two_columns_is_one_group_by_both() {
    // `id region shop updated`
    let shape = replacing(Scope::Group(vec![1, 2]), upsert(4));
    let target = ["1 x 1 5", "2 x 2 5", "3 y 1 5", "4 x - 5"];
    check(&shape, &target, &["5 x 1 6", "6 x - 6"], &["2 x 2 5", "3 y 1 5", "5 x 1 6", "6 x - 6"]);
}

#[test]
fn delete_insert_follows_the_rules_of_columns_and_deletions() {
    // A key that stays is updated as by an upsert; a staged deletion is no row of its group.
    let mut shape = replacing(Scope::Group(vec![1]), upsert(4));
    shape.columns[2].update = Update::IfNotNull;
    check(&shape, &["1 a x 5", "2 a y 5"], &["1 a - 6", "2 a z 6"], &["1 a x 6", "2 a z 6"]);
    let shape = Shape { deletes: Some(Deletes { cell: 3, hard: true }), ..replacing(Scope::Group(vec![1]), upsert(3)) };
    check(&shape, &["1 a 5", "2 a 5", "3 b 5"], &["1 a 6 true", "2 a 6 false"], &["2 a 6", "3 b 5"]);
}

#[test]
fn a_row_that_leaves_its_group_is_replaced_and_not_lost() {
    let shape = replacing(Scope::Group(vec![1]), upsert(3));
    check(&shape, &["1 a 5", "2 b 5"], &["1 b 6", "2 b 5"], &["1 b 6", "2 b 5"]);
}

#[test]
fn keep_newer_spares_rows_newer_than_their_staged_group() {
    let mut shape = replacing(Scope::Group(vec![1]), upsert(3));
    check(&shape, &["1 a 5", "2 a 9"], &["3 a 6"], &["3 a 6"]);
    shape.strategy = Strategy::DeleteInsert { scope: Scope::Group(vec![1]), keep_newer: true };
    check(&shape, &["1 a 5", "2 a 9"], &["3 a 6"], &["2 a 9", "3 a 6"]);
}

#[test]
fn delete_insert_keeps_insert_only_values_and_does_not_touch_equal_rows() {
    let mut shape = replacing(Scope::Group(vec![1]), upsert(4));
    shape.columns[2].update = Update::Never;
    shape.columns.push(column(Origin::Now, Update::Always));
    let target = ["1 a first 5 before", "2 a first 5 before", "3 a first 5 before"];
    check(&shape, &target, &["1 a second 5", "2 a second 6"], &["1 a first 5 before", "2 a first 6 now"]);
}

// replace_partition.

fn partitioned() -> Shape {
    // `id partition updated`
    Shape { any_version: true, ..replacing(Scope::Group(vec![1]), upsert(3)) }
}

#[test]
fn a_partition_becomes_what_is_staged_whatever_is_newer() {
    let target = ["1 a 9", "2 a 9", "3 b 5", "4 - 5"];
    check(&partitioned(), &target, &["1 a 4", "5 a 1"], &["1 a 4", "3 b 5", "4 - 5", "5 a 1"]);
    check(&partitioned(), &target, &["6 - -"], &["1 a 9", "2 a 9", "3 b 5", "6 - -"]);
    check(&partitioned(), &target, &[], &target);
}

#[test]
fn a_key_that_is_staged_for_another_partition_moves_there_and_is_in_none_twice() {
    // Its old partition is not staged, and keeps its other rows.
    check(&partitioned(), &["1 a 9", "2 a 5", "3 b 5"], &["1 b 4", "3 b 5"], &["1 b 4", "2 a 5", "3 b 5"]);
    // Its old partition is staged too.
    check(&partitioned(), &["1 a 9", "2 a 5"], &["1 b 4", "3 a 5"], &["1 b 4", "3 a 5"]);
    // It is staged for both: the newer row is loaded, and the partition of the other is staged by nothing else.
    check(&partitioned(), &["1 a 5", "2 a 5"], &["1 a 6", "1 b 7"], &["1 b 7", "2 a 5"]);
}

// batch_once.

#[test]
fn every_row_of_a_new_batch_is_appended_and_none_of_an_old_one() {
    // `id batch`: rows without a key, of which two may be the same.
    let load = |logged: &[&str], target: &[&str], batch: &[&str], expected: &[&str]| {
        let logged = logged.iter().map(|name| value(name)).collect();
        let strategy = Strategy::BatchOnce { batch: 1, logged };
        let shape = Shape { key: Vec::new(), version: Vec::new(), strategy, ..upsert(2) };
        assert_eq!(apply(&shape, &rows(target), &rows(batch)), rows(expected), "{batch:?}");
    };
    let target = ["1 a", "1 a"];
    load(&["a"], &target, &["1 a", "3 a", "2 b", "2 b"], &["1 a", "1 a", "2 b", "2 b"]);
    load(&[], &[], &["1 a", "1 a"], &["1 a", "1 a"]);
    load(&["a", "b"], &target, &["4 a", "5 b"], &target);
}

// What follows from the rules.

#[test]
fn batches_in_any_order_end_in_the_same_state() {
    let batches = [rows(&["1 a 5", "2 b 3"]), rows(&["1 c 7", "3 d 1"]), rows(&["2 e 4", "1 f 6"])];
    let load = |order: [usize; 3]| order.iter().fold(Vec::new(), |target, i| apply(&upsert(3), &target, &batches[*i]));
    let expected = rows(&["1 c 7", "2 e 4", "3 d 1"]);
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(load(order), expected, "{order:?}");
    }
}

fn mirroring(scope: &[&str], flag: Option<usize>, allow_empty: bool, shape: Shape) -> Shape {
    Shape { strategy: Strategy::Mirror { scope: rows(scope), flag, allow_empty }, ..shape }
}

#[test]
fn what_a_scope_no_longer_holds_vanishes_and_nothing_else() {
    let target = ["1 10 1", "2 20 9", "3 30 1"];
    let shape = mirroring(&["1 10 1", "2 20 9"], None, false, upsert(3));
    assert_eq!(apply(&shape, &rows(&target), &rows(&["4 40 1"])), rows(&["3 30 1", "4 40 1"]));
    // A newer target row whose key is staged is there and stays.
    assert_eq!(apply(&shape, &rows(&target), &rows(&["2 21 5"])), rows(&["2 20 9", "3 30 1"]));
    assert_eq!(apply(&shape, &rows(&target), &[]), rows(&target));
    let shape = mirroring(&["1 10 1", "2 20 9"], None, true, upsert(3));
    assert_eq!(apply(&shape, &rows(&target), &[]), rows(&["3 30 1"]));
}

#[test]
fn a_missing_row_is_flagged_once_and_loses_the_flag_when_it_comes_back() {
    let mut shape = upsert(3);
    shape.columns.push(column(Origin::Constant(Value::Bool(false)), Update::Always));
    shape.columns.push(column(Origin::Now, Update::Always));
    shape.columns[3].origin = Origin::Staged(3);
    let target = ["1 10 1 false 0", "2 20 1 true 0"];
    let shape = mirroring(&target, Some(3), false, shape);
    let staged = rows(&["3 30 1 false"]);
    assert_eq!(apply(&shape, &rows(&target), &staged), rows(&["1 10 1 true now", "2 20 1 true 0", "3 30 1 false now"]));
    let back = rows(&["2 20 1 false"]);
    assert_eq!(apply(&shape, &rows(&target), &back), rows(&["1 10 1 true now", "2 20 1 false now"]));
}

#[test]
fn a_full_refresh_takes_the_staged_row_whichever_is_newer() {
    let target = ["1 10 9", "2 20 1"];
    let shape = Shape { any_version: true, ..mirroring(&target, None, false, upsert(3)) };
    assert_eq!(apply(&shape, &rows(&target), &rows(&["1 11 5", "1 12 4"])), rows(&["1 11 5"]));
}

// Every version of a key is a row: `id city version`, then the period: from, to, whether it is the last one.

/// A history of `id city version`, where a fourth staged cell says that the row is a deletion.
fn versions() -> Shape {
    let mut shape = with_flag();
    // The flag stands behind the three; the period behind the flag.
    shape.columns.push(column(Origin::Staged(2), Update::Always));
    shape.columns.push(column(Origin::Period, Update::Always));
    shape.columns.push(column(Origin::Period, Update::Always));
    Shape { key: vec![0, 4], strategy: Strategy::History { from: 4, to: 5, current: Some(6) }, ..shape }
}

#[test]
fn each_version_ends_where_the_next_one_of_its_key_begins() {
    let staged = ["1 b 5 false", "1 a 3 false", "2 x 4 false", "1 c 9 false"];
    let expected = ["1 a 3 false 3 5 false", "1 b 5 false 5 9 false", "1 c 9 false 9 - true", "2 x 4 false 4 - true"];
    check(&versions(), &[], &staged, &expected);
}

#[test]
fn a_version_that_comes_late_takes_its_place() {
    let target = ["1 a 3 false 3 9 false", "1 c 9 false 9 - true"];
    let between = ["1 a 3 false 3 5 false", "1 b 5 false 5 9 false", "1 c 9 false 9 - true"];
    check(&versions(), &target, &["1 b 5 false"], &between);
    let before = ["1 a 3 false 3 9 false", "1 c 9 false 9 - true", "1 z 1 false 1 3 false"];
    check(&versions(), &target, &["1 z 1 false"], &before);
}

#[test]
fn neighbours_of_equal_content_stay_two_rows() {
    let target = ["1 a 3 false 3 - true"];
    check(&versions(), &target, &["1 a 7 false"], &["1 a 3 false 3 7 false", "1 a 7 false 7 - true"]);
}

#[test]
fn a_version_that_comes_again_is_corrected_in_place_and_its_neighbours_stay() {
    let target = ["1 a 3 false 3 7 false", "1 b 7 false 7 - true"];
    check(&versions(), &target, &["1 A 3 false"], &["1 A 3 false 3 7 false", "1 b 7 false 7 - true"]);
    check(&versions(), &target, &["1 a 3 false", "1 b 3 false"], &["1 b 3 false 3 7 false", "1 b 7 false 7 - true"]);
}

#[test]
fn a_deletion_is_a_version_that_ends_the_one_before_and_is_not_current() {
    let target = ["1 a 3 false 3 - true"];
    let deleted = ["1 a 3 false 3 6 false", "1 a 6 true 6 - false"];
    check(&versions(), &target, &["1 a 6 true"], &deleted);
    // It comes back, and a late version lies before the deletion.
    let back = ["1 a 3 false 3 5 false", "1 a 6 true 6 8 false", "1 b 5 false 5 6 false", "1 c 8 false 8 - true"];
    check(&versions(), &deleted, &["1 c 8 false", "1 b 5 false"], &back);
    // Of a deletion and another row of one version, the deletion is the version.
    check(&versions(), &[], &["1 z 6 false", "1 a 6 true"], &["1 a 6 true 6 - false"]);
}

#[test]
fn keys_that_are_not_staged_keep_what_they_have() {
    let target = ["1 a 3 false 3 - true", "2 wrong 1 false 1 1 true"];
    let expected = ["1 a 3 false 3 4 false", "1 b 4 false 4 - true", "2 wrong 1 false 1 1 true"];
    check(&versions(), &target, &["1 b 4 false"], &expected);
}

#[test]
fn the_clock_of_the_load_moves_with_the_rows_that_change() {
    let mut shape = versions();
    shape.columns.push(column(Origin::Now, Update::Always));
    shape.columns.push(column(Origin::Now, Update::Never));
    let target = ["1 a 3 false 3 5 false 0 0", "1 b 5 false 5 - true 0 0"];
    let expected = ["1 a 3 false 3 5 false 0 0", "1 b 5 false 5 8 false now 0", "1 c 8 false 8 - true now now"];
    assert_eq!(apply(&shape, &rows(&target), &rows(&["1 c 8 false", "1 a 3 false"])), rows(&expected));
}

#[test]
fn a_window_leaves_staged_versions_out_and_forgets_none_of_the_target() {
    let mut shape = versions();
    shape.window = Some(Window { column: 2, cell: 2, bounds: watermark(2) });
    let target = ["1 a 3 false 3 9 false", "1 c 9 false 9 - true"];
    let expected = ["1 a 3 false 3 8 false", "1 b 8 false 8 9 false", "1 c 9 false 9 - true"];
    check(&shape, &target, &["1 b 8 false", "1 y 5 false"], &expected);
}

#[test]
fn versions_in_any_order_make_one_history() {
    let batches = [
        rows(&["1 a 5 false", "2 b 3 false"]),
        rows(&["1 c 7 false", "3 d 1 true", "1 a 5 false"]),
        rows(&["2 e 4 true", "1 f 6 false"]),
    ];
    let load = |order: &[usize]| order.iter().fold(Vec::new(), |target, i| apply(&versions(), &target, &batches[*i]));
    let expected = load(&[0, 1, 2]);
    assert_eq!(apply(&versions(), &[], &batches.concat()), expected);
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(load(&order), expected, "{order:?}");
    }
    assert_eq!(load(&[0, 1, 2, 0, 1]), expected);
}
