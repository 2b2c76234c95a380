//! Scenarios that fit every table with a key.

use super::Scenario;
use super::edges::ALIKE;
use super::maker::{Cells, Maker, PRESENT};
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};

pub(super) fn scenarios(make: &Maker<'_>) -> Vec<Scenario> {
    let p = PRESENT;
    let mut all = vec![
        Scenario::new(
            "duplicates in an empty target",
            Vec::new(),
            vec![vec![
                make.row(1, p - 4, 1),
                make.row(1, p, 2),
                make.row(1, p - 2, 3),
                make.row(2, p, 4),
                make.row(2, p, 5),
                make.row(2, p, 6),
                make.row(3, p, 7),
                make.row(3, p, 7),
            ]],
        ),
        Scenario::new(
            "duplicates of keys that the target has",
            vec![make.row(1, p, 1), make.row(2, p, 2)],
            vec![vec![
                make.row(1, p + 1, 3),
                make.row(1, p + 3, 4),
                make.row(1, p + 2, 5),
                make.row(2, p, 6),
                make.row(2, p, 7),
            ]],
        ),
        Scenario::new(
            "rows of equal version",
            (1..=4).map(|key| make.row(key, p, key)).collect(),
            vec![vec![
                make.row(1, p, 1),
                make.row(2, p, 12),
                make.row(3, p, 3),
                make.row(3, p, 13),
                make.row(4, p, 14),
                make.row(4, p, 15),
                make.row(5, p, 16),
                make.row(5, p, 17),
                make.row(5, p, 17),
            ]],
        ),
        Scenario::new(
            "older, equal and newer rows",
            (1..=6).map(|key| make.row(key, p, key)).collect(),
            vec![vec![
                make.row(1, p - 1, 11),
                make.row(2, p, 2),
                make.row(3, p, 13),
                make.row(4, p + 1, 14),
                make.row(5, p + 1, 5),
                make.row(7, p + 1, 17),
            ]],
        ),
        Scenario::new("zero staged rows", vec![make.row(1, p, 1), make.row(2, p + 1, 2)], {
            vec![Vec::new(), vec![make.row(2, p + 2, 3)], Vec::new()]
        }),
        Scenario::new("zero staged rows and an empty target", Vec::new(), vec![Vec::new()]),
    ];
    all.extend(limits(make));
    all.extend(one_column(make));
    all.extend(key_limits(make));
    all.extend(key_columns(make));
    all.extend(alike_keys(make));
    all.extend(version_limits(make));
    all.extend(spelled_otherwise(make));
    all
}

/// Every difficult value of every type: inserted, then replaced by its neighbour, which is the one most like it.
fn limits(make: &Maker<'_>) -> Option<Scenario> {
    let most = make.fields.iter().zip(&make.edges).filter(|(field, _)| field.is_content());
    let most = i64::try_from(most.map(|(_, edges)| edges.len()).max()?).ok()?;
    let batch = |version, by| (0..most).map(|n| make.exact(Cells::of(n, version, n + by))).collect();
    Some(Scenario::new(
        "values at the limits of their types",
        Vec::new(),
        vec![batch(PRESENT, 0), batch(PRESENT + 1, 1)],
    ))
}

/// Rows of equal version that differ from the target in one column alone: from null, to null, and from one difficult value
/// to its neighbour.
fn one_column(make: &Maker<'_>) -> Option<Scenario> {
    let (mut before, mut batch) = (Vec::new(), Vec::new());
    let mut key = 0;
    for (at, field) in make.fields.iter().enumerate().filter(|(_, field)| field.is_content()) {
        let mut values: Vec<Value> = make.edges[at].clone();
        if values.is_empty() {
            values = (1..4).map(|n| field.ordinary(n)).collect();
        }
        if field.nullable {
            values.insert(0, Value::Null);
        }
        let first = values[0].clone();
        for pair in values.windows(2).map(|pair| (&pair[0], &pair[1])).chain([(&values[values.len() - 1], &first)]) {
            key += 1;
            let with = |value: &Value| {
                let mut row = make.row(key, PRESENT, 1);
                row[at].clone_from(value);
                row
            };
            before.push(with(pair.0));
            batch.push(with(pair.1));
        }
    }
    (!before.is_empty()).then(|| Scenario::new("rows that differ in one column", before, vec![batch]))
}

/// Keys at the limits of their types.
fn key_limits(make: &Maker<'_>) -> Option<Scenario> {
    let is_key = |at: &usize| make.fields[*at].key && make.fields[*at].cursor.is_none();
    let places: Vec<usize> = (0..make.fields.len()).filter(is_key).collect();
    let most = i64::try_from(places.iter().map(|at| make.edges[*at].len()).max()?).ok()?;
    let row = |n: i64, version, payload| {
        let mut row = make.row(n, version, payload);
        for at in &places {
            let edges: Vec<&Value> = make.edges[*at].iter().filter(|value| !is_alike(value)).collect();
            if let Ok(length) = i64::try_from(edges.len())
                && length > 0
            {
                row[*at].clone_from(edges[usize::try_from(n % length).unwrap_or_default()]);
            }
        }
        row
    };
    let before: Vec<Row> = (0..most).step_by(2).map(|n| row(n, PRESENT, 1)).collect();
    let batch = (0..most).flat_map(|n| [row(n, PRESENT + 1, 2), row(n, PRESENT + 1, 2), row(n, PRESENT, 3)]).collect();
    Some(Scenario::new("keys at the limits of their types", before, vec![batch]))
}

fn is_alike(value: &Value) -> bool {
    matches!(value, Value::Text(text) if ALIKE.contains(&text.as_str()))
}

/// Keys of which one column alone differs.
fn key_columns(make: &Maker<'_>) -> Option<Scenario> {
    let places: Vec<usize> = (0..make.fields.len()).filter(|at| make.fields[*at].key).collect();
    if places.len() < 2 {
        return None;
    }
    let row = |changed: Option<usize>, version, payload| {
        let mut row = make.row(0, version, payload);
        if let Some(at) = changed {
            row[at] = make.fields[at].ordinary(3);
        }
        row
    };
    let changed = |version, payload| places.iter().map(|at| row(Some(*at), version, payload)).collect::<Vec<_>>();
    let mut before = changed(PRESENT, 1);
    before.pop();
    let mut batch = changed(PRESENT + 1, 2);
    batch.push(row(None, PRESENT + 1, 3));
    Some(Scenario::new("keys that differ in one column", before, vec![batch]))
}

/// Keys that a collation may take for one. Every engine must be told to compare them by code point.
fn alike_keys(make: &Maker<'_>) -> Option<Scenario> {
    let is_wide = |ty: &Type| matches!(ty, Type::Text | Type::Varchar(10..));
    let at = make.fields.iter().position(|field| field.key && is_wide(&field.ty))?;
    let rows = |version, payload: i64| {
        let row = |(text, n): (&&str, i64)| {
            let mut row = make.row(0, version, payload + n);
            row[at] = Value::from(*text);
            row
        };
        ALIKE.iter().zip(0..).map(row).collect::<Vec<_>>()
    };
    let before = rows(PRESENT, 0).into_iter().step_by(2).collect();
    Some(Scenario::new("text keys that look alike", before, vec![rows(PRESENT + 1, 20)]))
}

/// Versions at the limits of their types, in one column at a time: each value meets the next greater one, from below and
/// from above. Texts are left out, since a collation orders them, and so is the column of a window, which would move it.
fn version_limits(make: &Maker<'_>) -> Option<Scenario> {
    let (mut before, mut batch) = (Vec::new(), Vec::new());
    let mut key = 0;
    for (at, field) in make.fields.iter().enumerate() {
        if field.version.is_none() || field.cursor.is_some() || field.ty.is_text() || field.ty == Type::Json {
            continue;
        }
        let mut values = make.edges[at].clone();
        values.sort();
        for pair in values.windows(2) {
            let mut add = |was: &Value, is: &Value| {
                key += 1;
                for (rows, value, payload) in [(&mut before, was, 1), (&mut batch, is, 2)] {
                    let mut row = make.row(key, PRESENT, payload);
                    row[at].clone_from(value);
                    rows.push(row);
                }
            };
            add(&pair[0], &pair[1]);
            add(&pair[1], &pair[0]);
        }
    }
    (!before.is_empty()).then(|| Scenario::new("versions at the limits of their types", before, vec![batch]))
}

/// JSON with other spaces than the target has, which is the same value.
fn spelled_otherwise(make: &Maker<'_>) -> Option<Scenario> {
    let is_json = |at: &usize| make.fields[*at].ty == Type::Json && make.fields[*at].is_content();
    let places: Vec<usize> = (0..make.fields.len()).filter(is_json).collect();
    let most = i64::try_from(places.iter().map(|at| make.edges[*at].len()).max()?).ok()?;
    let rows = |spell: fn(&str) -> Option<String>| {
        let spelled = |n| {
            let mut row = make.row(n, PRESENT, 1);
            for at in &places {
                if let Value::Text(text) = make.edge(*at, n)
                    && let Some(text) = spell(&text)
                {
                    row[*at] = Value::Text(text);
                }
            }
            row
        };
        (0..most).map(spelled).collect::<Vec<Row>>()
    };
    let pretty = |text: &str| {
        let json: serde_json::Value = serde_json::from_str(text).ok()?;
        serde_json::to_string_pretty(&json).ok()
    };
    Some(Scenario::new(
        "JSON that is spelled otherwise",
        rows(|text| Some(text.to_owned())),
        vec![rows(pretty), rows(|text| Some(text.to_owned()))],
    ))
}
