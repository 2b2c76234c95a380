//! `github`: workflow commands, which GitHub shows as annotations beside the lines.
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

use super::place::{Lines, Unit};
use super::{Format, Report, TOOL, escape, words};
use std::fmt::Write as _;

/// The format.
pub static FORMAT: Format =
    Format { name: "github", about: "Annotations for GitHub Actions", for_people: false, whole: false, write };

fn write(report: &Report<'_>) -> String {
    let mut out = String::new();
    for checked in report.checked.iter().filter(|checked| !checked.findings.is_empty()) {
        let lines = Lines::of(&checked.source);
        let file = property(&escape::path(&checked.source.name));
        for finding in &checked.findings {
            let span = finding.span();
            // A line end at the end of the span would move the annotation to the line behind it.
            let end = span.start + lines.text(&span).trim_end().len();
            let place = lines.place(&(span.start..end), Unit::Character);
            let command = words::by_severity(finding.severity(), "error", "warning", "notice");
            let _ = write!(out, "::{command} file={file},line={}", place.line);
            // Columns of different lines are refused.
            let _ = if place.line == place.end_line {
                write!(out, ",col={},endLine={},endColumn={}", place.column, place.end_line, place.end_column)
            } else {
                write!(out, ",endLine={}", place.end_line)
            };
            let title = property(&format!("{TOOL} {} {}", finding.rule.code, finding.rule.name));
            let _ = writeln!(out, ",title={title}::{}", data(&words::whole(&lines, finding)));
        }
    }
    out
}

/// The text of a command.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    escape::line(&text)
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
