//! A digest of a set of rows: the same for the same rows in any order and any session, another one for other rows.

use super::types::Type;

/// How a dialect takes a digest of rows. Each row has one, and of these two sums are taken, so that a set of any size needs the
/// memory of one row and is in no order.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    /// SHA-256 of a row in hex, from its values and their types. Null is told apart from every value, and what a setting of the
    /// session shows in another way (a time zone, the digits of a float) is written in one way.
    pub row: fn(&[(&str, &Type)]) -> String,
    /// 15 hex digits as an exact number.
    pub number: fn(&str) -> String,
}

impl Digest {
    /// The digest of all rows, where each has one that is called `row`: how many there are, and the sums of two parts of
    /// 60 bits of their digests. Two sets of rows with one digest come by chance once in 2^120.
    pub fn whole(&self, row: &str) -> String {
        let sum = |from: usize| format!("SUM({})", (self.number)(&format!("SUBSTR({row}, {from}, 15)")));
        format!("CONCAT(\n  COUNT(*),\n  '-',\n  {},\n  '-',\n  {}\n)", sum(1), sum(16))
    }
}
