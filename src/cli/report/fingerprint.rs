//! What names a finding on a server that compares runs: it stays when lines move, and changes with the statement.

use crate::lint::finding::Finding;
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
        let mut hash = Fnv::new();
        hash.part(finding.rule.code);
        hash.part(&escape::path(name));
        for word in lines.text(&finding.statement).split_whitespace() {
            hash.part(word);
        }
        let earlier = self.seen.entry(hash.0).or_default();
        if *earlier > 0 {
            hash.part(&earlier.to_string());
        }
        *earlier += 1;
        format!("{:016x}", hash.0)
    }
}

/// FNV-1a with 64 bits: the standard library's hash may change with its version.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// One part and an end that no text has, so that "ab" and "c" differ from "a" and "bc".
    fn part(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
