//! Findings that a team knows and lives with: one entry for a rule, a file and the text of a statement, never for a line.

use crate::lint::finding::{Checked, Finding};
use crate::lint::fingerprint::fingerprint;
use crate::lint::suppress::narrow;
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

/// The version of the format.
const VERSION: u64 = 1;

/// What is known of one file: how often, by rule and fingerprint.
pub(super) type Entries = BTreeMap<(String, String), usize>;

/// A baseline, by the paths of its files as they are seen from its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    pub files: BTreeMap<String, Entries>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u64,
    findings: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: String,
    path: String,
    fingerprint: String,
    count: usize,
}

impl Baseline {
    /// Reads a baseline.
    pub fn read(text: &str) -> Result<Self> {
        let file: File =
            serde_json::from_str(text).context("this is not a baseline; write one with --write-baseline")?;
        if file.version != VERSION {
            bail!("version {} of baselines is not known; write it again with --write-baseline", file.version);
        }
        let mut made = Self::default();
        for Entry { rule, path, fingerprint, count } in file.findings {
            *made.files.entry(path).or_default().entry((rule, fingerprint)).or_default() += count;
        }
        Ok(made)
    }

    /// Takes in the findings of a file.
    pub fn add(&mut self, path: &str, checked: &Checked) {
        for finding in &checked.findings {
            for place in places(finding) {
                let entry = (finding.rule.code.to_owned(), name_of(&checked.source.text, place));
                *self.files.entry(path.to_owned()).or_default().entry(entry).or_default() += 1;
            }
        }
    }

    /// The text of the file: sorted, one entry a line, so that a change of it can be read as a diff.
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        for (path, entries) in &self.files {
            for ((rule, fingerprint), count) in entries {
                let mut line = String::new();
                // Writing to a String cannot fail.
                let _ = write!(
                    line,
                    "    {{\"rule\": {}, \"path\": {}, \"fingerprint\": {}, \"count\": {count}}}",
                    quoted(rule),
                    quoted(path),
                    quoted(fingerprint)
                );
                lines.push(line);
            }
        }
        let list = if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", lines.join(",\n")) };
        format!("{{\n  \"version\": {VERSION},\n  \"findings\": {list}\n}}\n")
    }

    /// The entries of a file.
    pub fn of(&self, path: &str) -> Entries {
        self.files.get(path).cloned().unwrap_or_default()
    }
}

/// Takes the known findings away. What is left of the entries is no longer in the file.
pub(super) fn take(mut checked: Checked, entries: Entries) -> (Checked, Entries) {
    if entries.is_empty() {
        return (checked, entries);
    }
    let entries = RefCell::new(entries);
    let mut left = Vec::new();
    for finding in std::mem::take(&mut checked.findings) {
        let code = finding.rule.code;
        let known: BTreeSet<(usize, usize)> = places(&finding)
            .filter(|place| {
                let mut entries = entries.borrow_mut();
                match entries.get_mut(&(code.to_owned(), name_of(&checked.source.text, place))) {
                    Some(count) if *count > 0 => {
                        *count -= 1;
                        true
                    }
                    _ => false,
                }
            })
            .map(|place| (place.start, place.end))
            .collect();
        checked.known += usize::from(!known.is_empty());
        if code == UNREAD {
            // Whoever writes a baseline has seen what is not read.
            checked.unread = checked.unread.saturating_sub(known.len());
        }
        left.extend(narrow(finding, |place| known.contains(&(place.start, place.end))));
    }
    checked.findings = left;
    let mut entries = entries.into_inner();
    entries.retain(|_, count| *count > 0);
    (checked, entries)
}

/// The code of the finding of a statement that could not be read.
const UNREAD: &str = "IDM901";

fn places(finding: &Finding) -> impl Iterator<Item = &Range<usize>> {
    std::iter::once(&finding.statement).chain(&finding.more)
}

fn name_of(text: &str, place: &Range<usize>) -> String {
    format!("{:016x}", fingerprint(text.get(place.clone()).unwrap_or_default()))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Baseline, take};
    use crate::lint::finding::Checked;
    use crate::lint::policy::Policy;
    use crate::lint::testing::{INSERT, UNREAD, finding, source};

    /// Every line is a statement; those with `INSERT` have a finding, and those with `?` could not be read.
    fn checked(text: &str) -> Checked {
        let source = source(text);
        let mut findings = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let statement = at..at + line.trim_end().len();
            at += line.len();
            if line.contains("INSERT") {
                findings.push(finding(&INSERT, &source, statement.clone()));
            }
            if line.contains('?') {
                findings.push(finding(&UNREAD, &source, statement));
            }
        }
        let unread = text.matches('?').count();
        let policy = Policy::Unknown;
        Checked { source, dialect: "ansi", policy, findings, statements: 0, unread, suppressed: 0, known: 0 }
    }

    fn baseline(text: &str) -> Baseline {
        let mut made = Baseline::default();
        made.add("db/a.sql", &checked(text));
        made
    }

    #[test]
    fn what_is_written_is_read_again_and_sorted() {
        let mut made = baseline("INSERT 2;\nINSERT 1;\nINSERT  1;\n");
        made.add("a \"b\".sql", &checked("INSERT 1;"));
        made.add("clean.sql", &checked("SELECT 1;"));
        let text = made.text();
        assert_eq!(text.lines().count(), 8, "{text}");
        let paths: Vec<&str> = text.lines().filter_map(|line| line.split("\"path\": ").nth(1)).collect();
        assert!(paths[0].starts_with("\"a \\\"b\\\".sql\"") && paths[1].starts_with("\"db/a.sql\""), "{text}");
        assert!(text.contains("\"count\": 2"), "{text}");
        assert_eq!(Baseline::read(&text).unwrap(), made);
        assert_eq!(Baseline::default().text(), "{\n  \"version\": 1,\n  \"findings\": []\n}\n");
    }

    #[test]
    fn known_findings_are_taken_away_wherever_they_stand_now() {
        let known = baseline("INSERT 1;\nINSERT 2;\nINSERT 2;\n").of("db/a.sql");
        let (left, stale) = take(checked("\n\nINSERT   2; -- a\nINSERT 3;\nINSERT 2;\nINSERT 2;\n"), known);
        let texts: Vec<&str> = left.findings.iter().map(|one| &left.source.text[one.statement.clone()]).collect();
        assert_eq!(texts, ["INSERT 3;", "INSERT 2;"]);
        assert_eq!((left.known, stale.len()), (2, 1));
    }

    #[test]
    fn a_finding_for_several_statements_is_known_for_each() {
        let mut one = checked("INSERT 1;\nINSERT 2;\n");
        let second = one.findings.pop().unwrap();
        one.findings[0].more = vec![second.statement];
        let known = baseline("INSERT 1;\n").of("db/a.sql");
        let (left, stale) = take(one.clone(), known);
        assert_eq!((left.findings.len(), stale.len()), (1, 0));
        assert_eq!(&left.source.text[left.findings[0].span()], "INSERT 2;");
        let mut both = Baseline::default();
        both.add("db/a.sql", &one);
        assert_eq!(take(one, both.of("db/a.sql")).0.findings.len(), 0);
    }

    #[test]
    fn a_statement_that_is_known_not_to_be_read_is_no_surprise() {
        let (left, _) = take(checked("? 1;\n? 2;\n"), baseline("? 1;\n").of("db/a.sql"));
        assert_eq!((left.unread, left.findings.len()), (1, 1));
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        for (text, words) in [
            ("", "not a baseline"),
            ("[]", "not a baseline"),
            ("{\"version\": 2, \"findings\": []}", "version 2"),
            ("{\"version\": 1, \"findings\": [], \"x\": 1}", "not a baseline"),
        ] {
            assert!(Baseline::read(text).unwrap_err().to_string().contains(words), "{text}");
        }
    }
}
