//! `rdjson`: reviewdog's diagnostic format. Its columns are bytes of UTF-8, its ends lie behind the last one.
//! <https://github.com/reviewdog/reviewdog/tree/master/proto/rdf>

use super::json::pretty;
use super::place::{Lines, Unit};
use super::{Format, Report, TOOL, escape, words};
use crate::lint::finding::{Finding, Fix};
use serde_json::{Value, json};
use std::ops::Range;

/// The format.
pub static FORMAT: Format = Format {
    name: "rdjson",
    about: "reviewdog, with suggestions for the fixes",
    for_people: false,
    whole: true,
    write,
};

fn write(report: &Report<'_>) -> String {
    let mut all = Vec::new();
    for checked in report.checked.iter().filter(|checked| !checked.findings.is_empty()) {
        let lines = Lines::of(&checked.source);
        let path = escape::path(&checked.source.name);
        all.extend(checked.findings.iter().map(|finding| diagnostic(&path, &lines, finding)));
    }
    pretty(&json!({"source": {"name": TOOL}, "diagnostics": all}))
}

fn diagnostic(path: &str, lines: &Lines<'_>, finding: &Finding) -> Value {
    let location = |span: &Range<usize>| json!({"path": path, "range": range(lines, span)});
    let mut value = json!({
        "message": words::whole(lines, finding),
        "location": location(&finding.span()),
        "severity": words::by_severity(finding.severity(), "ERROR", "WARNING", "INFO"),
        "code": {"value": finding.rule.code},
    });
    if let Some(suggestion) = finding.fix.as_ref().and_then(|fix| suggestion(lines, fix)) {
        value["suggestions"] = json!([suggestion]);
    }
    let labels = finding.diagnostic.labels.iter().skip(1);
    let labels = labels.map(|label| json!({"message": label.text, "location": location(&label.span)}));
    let more = finding.more.iter().map(|span| json!({"message": words::SAME, "location": location(span)}));
    let related: Vec<Value> = labels.chain(more).collect();
    if !related.is_empty() {
        value["related_locations"] = json!(related);
    }
    value
}

fn range(lines: &Lines<'_>, span: &Range<usize>) -> Value {
    let place = lines.place(span, Unit::Byte);
    json!({
        "start": {"line": place.line, "column": place.column},
        "end": {"line": place.end_line, "column": place.end_column},
    })
}

/// All edits of a fix as one replacement from the first to the last: several suggestions would be taken one by one.
fn suggestion(lines: &Lines<'_>, fix: &Fix) -> Option<Value> {
    let (first, last) = (fix.edits.first()?, fix.edits.last()?);
    let whole = first.range.start..last.range.end;
    let mut text = String::new();
    let mut at = whole.start;
    for edit in &fix.edits {
        text.push_str(lines.text(&(at..edit.range.start)));
        text.push_str(&edit.text);
        at = edit.range.end;
    }
    Some(json!({"range": range(lines, &whole), "text": text}))
}
