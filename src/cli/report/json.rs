//! `json`: everything, as one document. `version` changes when a key changes its meaning or goes.

use super::fingerprint::Fingerprints;
use super::place::{Lines, Place, Unit};
use super::{Format, Report, Run, TOOL, VERSION, escape, words};
use crate::lint::finding::{Checked, Edit, Finding, Fix, Safety};
use serde_json::{Value, json};
use std::ops::Range;

/// The format.
pub static FORMAT: Format =
    Format { name: "json", about: "Everything, as one JSON document", for_people: false, whole: true, write };

/// The version of the keys, which `jsonl` shares.
pub(super) const KEYS: u32 = 1;

fn write(report: &Report<'_>) -> String {
    let files: Vec<Value> = report.checked.iter().map(file).collect();
    let skipped: Vec<Value> =
        report.run.skipped.iter().map(|one| json!({"path": one.path, "reason": one.reason})).collect();
    pretty(&json!({
        "version": KEYS,
        "tool": tool(),
        "summary": summary(report.run),
        "files": files,
        "skipped": skipped,
        "findings": findings(report),
    }))
}

/// A document with line ends, the last one included.
pub(super) fn pretty(value: &Value) -> String {
    escape::json(&format!("{value:#}\n"))
}

/// The program.
pub(super) fn tool() -> Value {
    json!({"name": TOOL, "version": VERSION})
}

/// The counts.
pub(super) fn summary(run: &Run) -> Value {
    json!({
        "files": run.files,
        "files_with_findings": run.files_with_findings,
        "skipped": run.skipped.len(),
        "statements": run.statements,
        "unread": run.unread,
        "findings": run.findings(),
        "errors": run.errors,
        "warnings": run.warnings,
        "infos": run.infos,
        "hidden": run.hidden,
        "suppressed": run.suppressed,
        "known": run.known,
        "fixed": run.fixed,
        "fixable": run.fixable,
        "unsafely_fixable": run.unsafely_fixable,
    })
}

fn file(checked: &Checked) -> Value {
    json!({
        "path": checked.source.name,
        "dialect": checked.dialect,
        "policy": checked.policy.name(),
        "statements": checked.statements,
        "unread": checked.unread,
        "findings": checked.findings.len(),
        "suppressed": checked.suppressed,
        "known": checked.known,
    })
}

/// Every finding, in order.
pub(super) fn findings(report: &Report<'_>) -> Vec<Value> {
    let mut fingerprints = Fingerprints::default();
    let mut all = Vec::new();
    for checked in report.checked.iter().filter(|checked| !checked.findings.is_empty()) {
        let lines = Lines::of(&checked.source);
        let name = &checked.source.name;
        all.extend(
            checked.findings.iter().map(|one| finding(name, &lines, one, &fingerprints.next(name, &lines, one))),
        );
    }
    all
}

fn finding(path: &str, lines: &Lines<'_>, finding: &Finding, fingerprint: &str) -> Value {
    let span = finding.span();
    let place = lines.place(&span, Unit::Character);
    let labels = finding.diagnostic.labels.iter().map(|label| {
        let mut value = range(lines, &label.span);
        value["text"] = json!(label.text);
        value
    });
    json!({
        "code": finding.rule.code,
        "name": finding.rule.name,
        "severity": finding.severity().name(),
        "path": path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "message": finding.diagnostic.message,
        "help": finding.diagnostic.help,
        "statement": range(lines, &finding.statement),
        "labels": labels.collect::<Vec<_>>(),
        "more": finding.more.iter().map(|one| range(lines, one)).collect::<Vec<_>>(),
        "fix": finding.fix.as_ref().map(|one| fix(lines, one)),
        "fingerprint": fingerprint,
        "doc": words::page(finding),
    })
}

/// A place with columns in characters.
fn range(lines: &Lines<'_>, range: &Range<usize>) -> Value {
    let Place { line, column, end_line, end_column } = lines.place(range, Unit::Character);
    json!({"line": line, "column": column, "end_line": end_line, "end_column": end_column})
}

fn fix(lines: &Lines<'_>, fix: &Fix) -> Value {
    let safety = match fix.safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    };
    // The bytes are those of the text in UTF-8, without a byte order mark.
    let edit = |edit: &Edit| {
        let mut value = range(lines, &edit.range);
        value["start_byte"] = json!(edit.range.start);
        value["end_byte"] = json!(edit.range.end);
        value["text"] = json!(edit.text);
        value
    };
    json!({"title": fix.title, "safety": safety, "edits": fix.edits.iter().map(edit).collect::<Vec<_>>()})
}
