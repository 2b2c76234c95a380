//! `concise`: one line for each finding, for people and for editors that jump to a place.

use super::place::{Lines, Unit};
use super::{Format, Report, escape, words};
use std::fmt::Write as _;

/// The format.
pub static FORMAT: Format = Format {
    name: "concise",
    about: "One line for each finding: `path:line:column: severity[CODE name]: message`",
    for_people: true,
    whole: false,
    write,
};

fn write(report: &Report<'_>) -> String {
    let mut out = String::new();
    for checked in report.checked.iter().filter(|checked| !checked.findings.is_empty()) {
        let lines = Lines::of(&checked.source);
        let path = escape::line(&checked.source.name);
        for finding in &checked.findings {
            let place = lines.place(&finding.span(), Unit::Character);
            let severity = finding.severity().name();
            let more = words::more(&lines, finding).map_or_else(String::new, |more| format!(" ({more})"));
            let _ = writeln!(
                out,
                "{path}:{}:{}: {severity}[{} {}]: {}{more}",
                place.line,
                place.column,
                finding.rule.code,
                finding.rule.name,
                escape::line(&finding.diagnostic.message)
            );
        }
    }
    out
}
