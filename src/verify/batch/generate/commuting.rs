//! Batches whose end is the same in whatever order they come.

use super::Scenario;
use super::maker::{Cells, Maker, PRESENT};
use super::random::SplitMix64;
use super::scale::{Bounds, ticks};
use crate::engine::value::{Row, Value};
use std::collections::BTreeMap;

pub(super) fn scenarios(make: &Maker<'_>, seed: u64) -> Vec<Scenario> {
    let mut random = SplitMix64::new(seed);
    let mut all = vec![spread(make)];
    all.extend((1..=4).map(|size| at_random(make, &mut random, size)));
    for scenario in &mut all {
        settle(make, scenario);
        keep_inside(make, scenario);
    }
    all
}

/// How far versions may lie behind the present so that every window reaches back to them.
fn depth(make: &Maker<'_>) -> i64 {
    match make.cursor() {
        None => 6,
        Some((_, cursor)) => match cursor.bounds {
            Bounds::Watermark(overlap) => (overlap / cursor.scale.unit).min(6),
            // The window holds eight numbers to each side of the present, or one tick alone.
            Bounds::Given(start, _) => ((cursor.scale.tick(PRESENT) - start) / cursor.scale.unit).min(6),
        },
    }
}

/// The row at the very beginning of the window, which every engine must still take.
fn first_inside(make: &Maker<'_>, key: i64) -> Option<Row> {
    let (_, cursor) = make.cursor()?;
    let present = cursor.scale.tick(PRESENT);
    let first = match cursor.bounds {
        Bounds::Watermark(overlap) => present - overlap,
        Bounds::Given(start, _) => start,
    };
    Some(make.make(Cells::of(key, PRESENT, key).shifted(first - present)))
}

/// Each key in several batches: its newest row comes first, in the middle and last; rows come twice; one batch is empty.
fn spread(make: &Maker<'_>) -> Scenario {
    let back = depth(make);
    let older = |by: i64| PRESENT - by.min(back);
    let row = |key: i64, by: i64| make.row(key, older(by), key + by);
    let mut batches = vec![
        vec![row(1, 0), row(2, 2), row(3, 1), row(4, 6), row(5, 3)],
        vec![row(1, 1), row(2, 0), row(3, 2), row(4, 4), row(5, 3), row(1, 6)],
        Vec::new(),
        vec![row(1, 2), row(2, 1), row(3, 0), row(6, 6), row(4, 5), row(3, 2)],
    ];
    // Nothing is later than the overlap allows, and this is as late as that.
    batches[0].extend(first_inside(make, 7));
    batches[3].extend(first_inside(make, 8));
    for (batch, key) in [(0, 1), (1, 1), (3, 9)] {
        let null = |key: i64, by: i64| make.with_nulls(row(key, by), |at, _| make.fields[at].key);
        let rows = [null(key, 2), null(key, i64::from(batch == 1))];
        batches[batch].extend(rows);
    }
    batches[1].push(make.without_version(5, 1));
    batches[3].push(make.without_version(5, 1));
    batches[3].push(make.without_version(10, 1));
    let before = vec![row(2, 3), row(5, 6)];
    Scenario::new("batches in any order", before, batches)
}

fn at_random(make: &Maker<'_>, random: &mut SplitMix64, size: i64) -> Scenario {
    let back = depth(make) + 1;
    let first = random.below(60);
    let row = |random: &mut SplitMix64| {
        let (key, version) = (random.below(2 + size), PRESENT - random.below(back));
        let cells = Cells::of(key, version, first + random.below(3)).at_cursor(PRESENT - random.below(back));
        let nulls: Vec<bool> = make.fields.iter().map(|_| random.below(8) == 0).collect();
        make.with_nulls(make.make(cells.marked(random.below(4))), |at, _| nulls[at])
    };
    let before = (0..size).map(|_| row(random)).collect();
    let batches = (0..2 + size).map(|_| (0..=size * 3).map(|_| row(random)).collect()).collect();
    Scenario::new(&format!("batches at random, {size}"), before, batches)
}

/// Makes every row of one key and one version the same row: the first that was made of them. The values decide and not
/// the numbers they came from, since a type of few values makes one value of several numbers.
fn settle(make: &Maker<'_>, scenario: &mut Scenario) {
    let mut first: BTreeMap<(Row, Vec<Value>), Row> = BTreeMap::new();
    scenario.before = make.one_per_key(std::mem::take(&mut scenario.before));
    for row in scenario.before.iter_mut().chain(scenario.batches.iter_mut().flatten()) {
        let versions = row.iter().zip(make.fields).filter(|(_, field)| field.version.is_some());
        let version = versions.map(|(value, _)| value.clone()).collect();
        row.clone_from(first.entry((make.key(row), version)).or_insert_with(|| row.clone()));
    }
}

/// Drops the rows that a window would not take once every other row is loaded. None falls out but where the window's column
/// has few values or is part of the key.
fn keep_inside(make: &Maker<'_>, scenario: &mut Scenario) {
    let Some((at, cursor)) = make.cursor() else { return };
    let rows = scenario.before.iter().chain(scenario.batches.iter().flatten());
    let Some(greatest) = rows.filter_map(|row| ticks(&row[at])).max() else { return };
    let is_inside = |row: &Row| {
        ticks(&row[at]).is_none_or(|tick| match cursor.bounds {
            Bounds::Watermark(overlap) => tick >= greatest - overlap,
            Bounds::Given(start, end) => tick >= start && end.is_none_or(|end| tick < end),
        })
    };
    for batch in scenario.batches.iter_mut().chain([&mut scenario.before]) {
        batch.retain(is_inside);
    }
}
