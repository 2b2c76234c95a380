//! Small batches made up for a table, in which every case occurs that a load can get wrong. One seed, one set of rows.

use crate::dialect::types::Type;
use crate::engine::value::Row;

mod commuting;
mod deletion;
mod edges;
mod keyed;
mod maker;
mod nulls;
mod random;
mod scale;
#[cfg(test)]
mod tests;
mod window;

use maker::Maker;
pub use maker::PRESENT;
use random::SplitMix64;
pub use scale::{Bounds, Cursor, Scale, default_unit, epoch, ticks};

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
    /// Its place among the columns that order two versions of one key, counted from the least significant one.
    pub version: Option<u32>,
    /// How its values lie around the window, when the window is on it.
    pub cursor: Option<Cursor>,
    /// True when it names the group of rows that is replaced whole.
    pub group: bool,
    /// What it holds when it is none of these.
    pub content: Content,
}

/// What a column holds that is neither key, version nor group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Every value that its type makes difficult.
    Edges,
    /// Ordinary values only: the load itself makes those of a new row.
    Plain,
    /// One value for each key, which never changes.
    Fixed,
    /// What the expressions of the spec compare it with, and something else.
    Words(Vec<crate::engine::value::Value>),
}

/// A target and the batches that are loaded into it, one after the other. Rows have one value per field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// What it is about, in words.
    pub name: String,
    /// The target before the first load, one row per key.
    pub before: Vec<Row>,
    /// The batches.
    pub batches: Vec<Vec<Row>>,
}

impl Scenario {
    fn new(name: &str, before: Vec<Row>, batches: Vec<Vec<Row>>) -> Self {
        Self { name: name.to_owned(), before, batches }
    }
}

/// Every scenario that fits the table: those about null keys need a key column that may be null, those about a window need
/// a window, and so on.
pub fn scenarios(fields: &[Field], seed: u64) -> Vec<Scenario> {
    let make = Maker::new(fields);
    let mut all = keyed::scenarios(&make);
    all.extend(nulls::scenarios(&make));
    all.extend(window::scenarios(&make));
    all.extend(deletion::scenarios(&make));
    all.extend(random::scenarios(&make, seed));
    one_row_per_key(&make, all)
}

/// Scenarios whose batches end in the same rows in whatever order they are loaded, once or more often: two rows of one key
/// and one version are equal, and every row lies inside the window, wherever its watermark stands by then.
pub fn commuting(fields: &[Field], seed: u64) -> Vec<Scenario> {
    let make = Maker::new(fields);
    one_row_per_key(&make, commuting::scenarios(&make, seed))
}

/// One batch of so many rows over half as many keys, half of which the target has.
pub fn large(fields: &[Field], rows: usize, seed: u64) -> Scenario {
    let make = Maker::new(fields);
    let mut random = SplitMix64::new(seed);
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let keys = (rows / 2).max(1);
    let before = (0..keys / 2).map(|key| make.row(key, PRESENT, key)).collect();
    let batch = (0..rows).map(|n| make.row(n % keys, PRESENT - 2 + random.below(5), random.below(40))).collect();
    Scenario { name: format!("{rows} rows"), before: make.one_per_key(before), batches: vec![batch] }
}

fn one_row_per_key(make: &Maker<'_>, mut all: Vec<Scenario>) -> Vec<Scenario> {
    for scenario in &mut all {
        scenario.before = make.one_per_key(std::mem::take(&mut scenario.before));
    }
    all
}
