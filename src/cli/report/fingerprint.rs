//! What names a finding on a server that compares runs: it stays when lines move, and changes with the statement.

use crate::lint::finding::Finding;
use crate::sql::hash::{FNV_START, fnv};
use std::collections::HashMap;

use super::escape;
use super::place::Lines;

/// The fingerprints of one report. Equal findings are numbered, so that each has one of its own.
#[derive(Default)]
pub struct Fingerprints {
    seen: HashMap<u64, u64>,
}

impl Fingerprints {
    /// The next finding's, as sixteen hexadecimal digits: of its rule, its file, and its statement with one spacing.
    pub fn next(&mut self, name: &str, lines: &Lines<'_>, finding: &Finding) -> String {
        let file = part(part(FNV_START, finding.rule.code), &escape::path(name));
        let mut hash = lines.text(&finding.statement).split_whitespace().fold(file, part);
        let earlier = self.seen.entry(hash).or_default();
        if *earlier > 0 {
            hash = part(hash, &earlier.to_string());
        }
        *earlier += 1;
        format!("{hash:016x}")
    }
}

/// One part and an end that no text has, so that "ab" and "c" differ from "a" and "bc".
fn part(hash: u64, text: &str) -> u64 {
    fnv(hash, text.bytes().chain([0xff]))
}
