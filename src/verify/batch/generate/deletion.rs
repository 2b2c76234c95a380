//! Scenarios about staged rows that the spec's own words tell from others: deletions above all.

use super::maker::{Cells, Maker, PRESENT};
use super::{Content, Scenario};

/// What the expression that tells a deletion compares with is known only as a list of values, so each case is made with
/// each of them: one of them deletes. None when no expression tells rows from others.
pub(super) fn scenarios(make: &Maker<'_>) -> Option<Scenario> {
    let words = make.fields.iter().filter_map(|field| match &field.content {
        Content::Words(words) => i64::try_from(words.len()).ok(),
        _ => None,
    });
    let marks = words.max()?.min(4);
    let p = PRESENT;
    let (mut before, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    for mark in 0..marks {
        let key = |case: i64| 1 + case * marks + mark;
        let deletion = |case, version| make.make(Cells::of(key(case), version, 2).marked(mark));
        let other = |case, version| make.make(Cells::of(key(case), version, 3).marked(mark + 1));
        let target = |case| make.row(key(case), p, 1);
        // An absent row is deleted, and then comes with an older, an equal and a newer version.
        first.extend([deletion(0, p), deletion(1, p), deletion(2, p)]);
        second.extend([other(0, p - 1), other(1, p), other(2, p + 1)]);
        // The deletion is newer than the row, of the same version, and older; then the row comes again.
        before.extend([target(3), target(4), target(5)]);
        first.extend([deletion(3, p + 1), deletion(4, p), deletion(5, p - 1)]);
        second.extend([target(3), target(4), other(5, p + 2)]);
        // Another row of the key stands in the same batch: older, equal and newer.
        before.extend([target(6), target(7), target(8)]);
        first.extend([deletion(6, p + 2), other(6, p + 1), deletion(7, p + 2), other(7, p + 2)]);
        first.extend([other(8, p + 3), deletion(8, p + 2)]);
        second.extend([other(6, p + 3), target(7), deletion(8, p + 1)]);
    }
    Some(Scenario::new("deletions of older and newer rows", before, vec![first, second]))
}
