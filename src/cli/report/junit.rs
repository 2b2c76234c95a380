//! `junit`: XML for servers that show tests. A file is a suite, a finding a failed case.

use super::escape::xml;
use super::place::{Lines, Unit};
use super::run::Skipped;
use super::{Format, Report, TOOL, words};
use crate::lint::finding::{Checked, Finding};
use std::fmt::Write as _;

/// The format.
pub static FORMAT: Format = Format { name: "junit", about: "JUnit XML", for_people: false, whole: false, write };

fn write(report: &Report<'_>) -> String {
    let failures: usize = report.checked.iter().map(|checked| checked.findings.len()).sum();
    let skipped = &report.run.skipped;
    let passed = report.checked.iter().filter(|checked| checked.findings.is_empty()).count();
    let tests = failures + passed + skipped.len();
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{}\"", skipped.len());
    let mut out = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{TOOL}\" {counts}>\n");
    for checked in report.checked {
        suite(&mut out, checked);
    }
    for skipped in skipped {
        suite_of_skipped(&mut out, skipped);
    }
    out + "</testsuites>\n"
}

fn suite(out: &mut String, checked: &Checked) {
    let path = xml(&checked.source.name);
    let failures = checked.findings.len();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{path}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">",
        failures.max(1)
    );
    if checked.findings.is_empty() {
        let _ = writeln!(out, "    <testcase classname=\"{path}\" name=\"no findings\" file=\"{path}\"/>");
    } else {
        let lines = Lines::of(&checked.source);
        for finding in &checked.findings {
            case(out, &path, &lines, finding);
        }
    }
    out.push_str("  </testsuite>\n");
}

fn case(out: &mut String, path: &str, lines: &Lines<'_>, finding: &Finding) {
    let place = lines.place(&finding.span(), Unit::Character);
    let rule = finding.rule;
    // Servers leave out a case whose name another one of the suite has, so the name has its place.
    let _ = writeln!(
        out,
        "    <testcase classname=\"{path}\" name=\"{} {} at {}:{}\" file=\"{path}\" line=\"{}\">",
        xml(rule.code),
        xml(rule.name),
        place.line,
        place.column,
        place.line
    );
    let place = format!("{path}:{}:{}", place.line, place.column);
    // Between tags a line end may stand as it is, and is read more easily.
    let text = xml(&format!("{}\n{}", words::whole(lines, finding), words::page(finding))).replace("&#10;", "\n");
    let _ = writeln!(
        out,
        "      <failure type=\"{}\" message=\"{}\">{place}\n{text}</failure>",
        finding.severity().name(),
        xml(&finding.diagnostic.message)
    );
    out.push_str("    </testcase>\n");
}

fn suite_of_skipped(out: &mut String, skipped: &Skipped) {
    let (path, reason) = (xml(&skipped.path), xml(&skipped.reason));
    let _ = writeln!(
        out,
        "  <testsuite name=\"{path}\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\">\n    <testcase \
         classname=\"{path}\" name=\"not checked\" file=\"{path}\">\n      <skipped message=\"{reason}\"/>\n    \
         </testcase>\n  </testsuite>"
    );
}
