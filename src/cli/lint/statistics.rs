//! `--statistics`: how often each rule speaks.

use crate::lint::finding::Checked;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How often each rule has a finding, and how many of them can be mended.
type Counts = BTreeMap<&'static str, (&'static str, usize, usize)>;

fn counts(checked: &[Checked]) -> Counts {
    let mut all = Counts::new();
    for finding in checked.iter().flat_map(|one| &one.findings) {
        let (_, count, fixable) = all.entry(finding.rule.code).or_insert((finding.rule.name, 0, 0));
        *count += 1;
        *fixable += usize::from(finding.fix.is_some());
    }
    all
}

/// For people: the most frequent rule first.
pub(super) fn text(checked: &[Checked]) -> String {
    let counts = counts(checked);
    let width = counts.values().map(|(_, count, _)| count.to_string().len()).max().unwrap_or(0);
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|(code, (_, count, _))| (std::cmp::Reverse(*count), *code));
    let mut out = String::new();
    for (code, (name, count, fixable)) in rows {
        // Writing to a String cannot fail.
        let _ = write!(out, "{count:width$}  {code}  {name}");
        let _ = if fixable > 0 { writeln!(out, "  ({fixable} with a fix)") } else { writeln!(out) };
    }
    out
}

/// For programs: one JSON array, sorted by code.
pub(super) fn json(checked: &[Checked]) -> String {
    let rows: Vec<_> = counts(checked)
        .into_iter()
        .map(|(code, (name, count, fixable))| json!({"rule": code, "name": name, "count": count, "fixable": fixable}))
        .collect();
    format!("{}\n", serde_json::Value::from(rows))
}

#[cfg(test)]
mod tests {
    use super::{json, text};
    use crate::lint::finding::{Checked, Safety};
    use crate::lint::policy::Policy;
    use crate::lint::testing::{CREATE, INSERT, finding, fix, source};

    #[test]
    fn rules_are_counted() {
        let source = source("abcdefghijkl");
        let mut findings: Vec<_> = (0..10).map(|at| finding(&CREATE, &source, at..at + 1)).collect();
        findings[0].fix = Some(fix(Safety::Safe, 0..1, ""));
        findings.push(finding(&INSERT, &source, 10..11));
        let policy = Policy::Unknown;
        let one =
            Checked { source, dialect: "ansi", policy, findings, statements: 0, unread: 0, suppressed: 0, known: 0 };
        assert_eq!(
            text(std::slice::from_ref(&one)),
            "10  IDM501  create-without-guard  (1 with a fix)\n 1  IDM101  insert-values-without-guard\n"
        );
        assert!(
            json(&[one])
                .starts_with(r#"[{"rule":"IDM101","name":"insert-values-without-guard","count":1,"fixable":0},"#)
        );
        assert_eq!((text(&[]), json(&[])), (String::new(), "[]\n".to_owned()));
    }
}
