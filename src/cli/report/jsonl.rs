//! `jsonl`: the same as `json`, one value a line, for programs that read as they go.

use super::{Format, Report, escape, json};
use serde_json::{Value, json};

/// The format.
pub static FORMAT: Format = Format {
    name: "jsonl",
    about: "One JSON value a line: the findings, then a summary",
    for_people: false,
    whole: true,
    write,
};

fn write(report: &Report<'_>) -> String {
    let findings = json::findings(report).into_iter().map(|finding| typed("finding", finding));
    let skipped = report.run.skipped.iter();
    let skipped = skipped.map(|one| typed("skipped", json!({"path": one.path, "reason": one.reason})));
    let mut last = json!({"version": json::KEYS, "tool": json::tool()});
    if let (Value::Object(last), Value::Object(summary)) = (&mut last, json::summary(report.run)) {
        last.extend(summary);
    }
    let lines = findings.chain(skipped).chain([typed("summary", last)]);
    lines.map(|line| escape::json(&line.to_string()) + "\n").collect()
}

/// The value with a first key that says what it is.
fn typed(what: &str, value: Value) -> Value {
    let mut typed = json!({"type": what});
    if let (Value::Object(typed), Value::Object(value)) = (&mut typed, value) {
        typed.extend(value);
    }
    typed
}
