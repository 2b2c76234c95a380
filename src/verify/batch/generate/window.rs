//! Scenarios about when rows come: late, at the edge of the window, and into another part of the table.

use super::Scenario;
use super::maker::{Cells, Maker, PRESENT};
use super::scale::{Bounds, Cursor, smallest_step};
use crate::dialect::types::Type;
use crate::engine::value::Row;

pub(super) fn scenarios(make: &Maker<'_>) -> Vec<Scenario> {
    let mut all = Vec::new();
    if make.has_version() || make.cursor().is_some() {
        all.push(late(make));
    }
    if let Some((at, cursor)) = make.cursor() {
        all.push(edges(make, &make.fields[at].ty, &cursor));
        all.push(moved(make));
    }
    if make.fields.iter().any(|field| field.group) {
        all.push(other_group(make));
    }
    all
}

/// Batches with rows that come after newer ones, some of them later than the window reaches back.
fn late(make: &Maker<'_>) -> Scenario {
    let p = PRESENT;
    Scenario::new(
        "late rows",
        vec![make.row(1, p, 1)],
        vec![
            vec![make.row(2, p + 6, 2), make.row(1, p + 5, 3)],
            vec![make.row(3, p + 4, 4), make.row(4, p + 6, 5), make.row(1, p + 4, 6), make.row(6, p, 9)],
            vec![make.row(5, p + 7, 7), make.row(2, p + 6, 8), make.row(7, p + 2, 10), make.row(8, p + 5, 11)],
        ],
    )
}

/// Rows exactly at the ends of the window, one step before them and one step behind. What the target holds already lies
/// there too, for a load that removes what is not staged.
fn edges(make: &Maker<'_>, ty: &Type, cursor: &Cursor) -> Scenario {
    let present = cursor.scale.tick(PRESENT);
    let row = |(key, tick): (i64, i64), payload| make.make(Cells::of(key, PRESENT, payload).shifted(tick - present));
    let rows = |ticks: &[i64], first: i64, payload: i64| -> Vec<Row> {
        ticks.iter().zip(first..).map(|(tick, key)| row((key, *tick), payload)).collect()
    };
    let step = smallest_step(ty);
    let (ticks, mut before) = match cursor.bounds {
        Bounds::Watermark(overlap) => {
            let low = present - overlap;
            let ticks = vec![low - step, low, low + step, present - step, present, present + step];
            (ticks, vec![row((1, present), 1)])
        }
        // A bound that stands in the SQL is compared as it is.
        Bounds::Given(start, end) => {
            let mut ticks = vec![start - 1, start, start + 1];
            ticks.extend(end.map(|end| [end - 1, end, end + 1]).into_iter().flatten());
            (ticks, Vec::new())
        }
    };
    let second = rows(&ticks, 12, 3);
    before.extend(rows(&ticks[..3], 22, 4));
    Scenario::new("rows at the edges of the window", before, vec![rows(&ticks, 2, 2), second])
}

/// Rows that leave the window or come into it with a newer version.
fn moved(make: &Maker<'_>) -> Scenario {
    let p = PRESENT;
    let at = |key, version, cursor, payload| make.make(Cells::of(key, version, payload).at_cursor(cursor));
    Scenario::new(
        "rows that move to another window",
        vec![at(1, p - 12, p - 12, 1), at(2, p - 1, p - 1, 2), at(3, p, p, 3), at(4, p - 12, p - 12, 4)],
        vec![
            vec![at(1, p + 1, p + 1, 11), at(2, p + 2, p - 12, 12), at(3, p, p, 3)],
            vec![at(1, p + 2, p + 12, 21), at(3, p + 3, p + 2, 23), at(4, p + 4, p + 11, 24)],
            vec![at(1, p + 1, p + 1, 11), at(2, p + 5, p + 12, 32)],
        ],
    )
}

/// Rows that leave their group, groups that are staged whole, in part, and not at all.
fn other_group(make: &Maker<'_>) -> Scenario {
    let p = PRESENT;
    let row = |key, group, version, payload| make.make(Cells::of(key, version, payload).in_group(group));
    Scenario::new(
        "rows that move to another group",
        (1..=6).map(|key| row(key, key / 2, p, key)).collect(),
        vec![
            vec![row(2, 1, p, 2), row(3, 2, p + 1, 13), row(4, 2, p - 1, 14)],
            vec![row(6, 3, p, 6)],
            Vec::new(),
            vec![row(3, 1, p + 2, 23), row(7, 3, p + 2, 27)],
        ],
    )
}
