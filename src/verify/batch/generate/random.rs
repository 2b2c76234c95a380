//! Rows at random: few keys, few versions and few payloads, so that they meet often.

use super::Scenario;
use super::maker::{Cells, Maker, PRESENT};
use crate::engine::value::Row;

/// How many scenarios, each larger than the one before.
const SCENARIOS: i64 = 5;

pub(super) fn scenarios(make: &Maker<'_>, seed: u64) -> Vec<Scenario> {
    let mut random = SplitMix64::new(seed);
    (1..=SCENARIOS).map(|size| at_random(make, &mut random, size)).collect()
}

fn at_random(make: &Maker<'_>, random: &mut SplitMix64, size: i64) -> Scenario {
    let keys = 2 + size;
    // The difficult values that this scenario is about.
    let first = random.below(60);
    let before = (1..=keys).step_by(2).map(|key| row(make, random, key, first)).collect();
    let batches = (0..3).map(|_| {
        (0..2 + size * 3)
            .map(|_| {
                let key = random.below(keys + 1);
                row(make, random, key, first)
            })
            .collect()
    });
    Scenario::new(&format!("at random, {size}"), before, batches.collect())
}

/// One row of that key. One cell of eight is null, where null is allowed.
fn row(make: &Maker<'_>, random: &mut SplitMix64, key: i64, first: i64) -> Row {
    let version = PRESENT - 5 + random.below(7);
    let cells = Cells::of(key, version, first + random.below(3));
    let cells = cells.at_cursor(PRESENT - 5 + random.below(7)).in_group(random.below(3)).marked(random.below(4));
    let nulls: Vec<bool> = make.fields.iter().map(|_| random.below(8) == 0).collect();
    make.with_nulls(make.make(cells), |at, _| nulls[at])
}

/// SplitMix64, by Sebastiano Vigna: small, and the same on every machine. <https://prng.di.unimi.it/splitmix64.c>
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from zero up to but without the limit, near enough to uniform for so few values.
    pub fn below(&mut self, limit: i64) -> i64 {
        let limit = u64::try_from(limit).unwrap_or(1).max(1);
        i64::try_from(self.next() % limit).unwrap_or_default()
    }
}
