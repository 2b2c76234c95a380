//! `gitlab`: a report of GitLab's Code Quality. <https://docs.gitlab.com/ci/testing/code_quality/>

use super::fingerprint::Fingerprints;
use super::json::pretty;
use super::place::{Lines, Unit};
use super::{Format, Report, escape, words};
use serde_json::{Value, json};

/// The format.
pub static FORMAT: Format =
    Format { name: "gitlab", about: "GitLab Code Quality", for_people: false, whole: false, write };

fn write(report: &Report<'_>) -> String {
    let mut fingerprints = Fingerprints::default();
    let mut all = Vec::new();
    for checked in report.checked.iter().filter(|checked| !checked.findings.is_empty()) {
        let lines = Lines::of(&checked.source);
        let path = escape::path(&checked.source.name);
        for finding in &checked.findings {
            let place = lines.place(&finding.span(), Unit::Character);
            all.push(json!({
                "description": format!("{}: {}", finding.rule.code, words::whole(&lines, finding)),
                "check_name": finding.rule.name,
                "fingerprint": fingerprints.next(&path, &lines, finding),
                "severity": words::by_severity(finding.severity(), "critical", "major", "info"),
                "location": {"path": path, "lines": {"begin": place.line, "end": place.end_line}},
            }));
        }
    }
    pretty(&Value::Array(all))
}
