//! Scenarios about null: in the content, in the key, in the version.

use super::maker::{Maker, PRESENT};
use super::{Field, Scenario};

pub(super) fn scenarios(make: &Maker<'_>) -> Vec<Scenario> {
    let places = |is: fn(&Field) -> bool| {
        let found = make.fields.iter().enumerate().filter(move |(_, field)| field.nullable && is(field));
        found.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let keys = places(|field| field.key);
    let versions = places(|field| field.version.is_some());
    let mut all = Vec::new();
    if !places(Field::is_content).is_empty() {
        all.push(payloads(make));
    }
    for columns in alone_and_together(&keys) {
        all.push(null_keys(make, &columns));
    }
    for columns in alone_and_together(&versions) {
        all.push(null_versions(make, &columns));
    }
    all
}

/// Each of the columns alone, and all of them.
fn alone_and_together(columns: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = columns.iter().map(|at| vec![*at]).collect();
    if columns.len() > 1 {
        all.push(columns.to_vec());
    }
    all
}

/// What the columns are called in the name of a scenario.
fn called(make: &Maker<'_>, columns: &[usize]) -> String {
    columns.iter().map(|at| make.fields[*at].name.as_str()).collect::<Vec<_>>().join(", ")
}

fn payloads(make: &Maker<'_>) -> Scenario {
    Scenario::new(
        "null payloads",
        vec![make.row(1, PRESENT, 1), make.without_payload(2, PRESENT), make.without_payload(3, PRESENT)],
        vec![vec![
            make.without_payload(1, PRESENT + 1),
            make.row(2, PRESENT + 1, 2),
            make.without_payload(3, PRESENT),
            make.without_payload(4, PRESENT),
            make.row(4, PRESENT, 4),
        ]],
    )
}

/// Keys with null in these columns, which is one value.
fn null_keys(make: &Maker<'_>, columns: &[usize]) -> Scenario {
    let null = |key, version, payload| make.with_nulls(make.row(key, version, payload), |at, _| columns.contains(&at));
    Scenario::new(
        &format!("null keys: {}", called(make, columns)),
        vec![null(1, PRESENT, 1), make.row(1, PRESENT, 2)],
        vec![
            vec![
                null(1, PRESENT + 1, 3),
                null(1, PRESENT + 2, 4),
                null(9, PRESENT, 5),
                null(9, PRESENT, 5),
                make.row(1, PRESENT - 1, 6),
            ],
            vec![null(1, PRESENT + 1, 7), null(9, PRESENT + 3, 8), make.row(1, PRESENT + 3, 9)],
        ],
    )
}

/// Versions with null in these columns, which is the oldest.
fn null_versions(make: &Maker<'_>, columns: &[usize]) -> Scenario {
    let null = |key, version, payload| make.with_nulls(make.row(key, version, payload), |at, _| columns.contains(&at));
    let p = PRESENT;
    Scenario::new(
        &format!("null versions: {}", called(make, columns)),
        vec![make.row(1, p, 1), null(2, p, 2), null(3, p, 3), null(4, p, 4), null(5, p, 5)],
        vec![
            vec![
                null(1, p, 11),
                make.row(2, p - 3, 12),
                null(3, p, 13),
                null(4, p, 4),
                null(5, p + 3, 15),
                null(5, p - 3, 16),
                null(6, p, 17),
                make.row(6, p - 4, 18),
                null(7, p, 19),
                null(7, p, 20),
            ],
            vec![null(1, p + 3, 21), null(2, p, 22), make.row(7, p - 2, 23)],
        ],
    )
}
