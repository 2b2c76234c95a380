//! `full`: for people at a terminal, with the lines of the file.

use super::place::Lines;
use super::{Format, Report, escape, words};
use crate::diagnostic::{Diagnostic, Source, render_noted};
use crate::lint::finding::{Checked, Finding};
use std::ops::Range;
use std::sync::Arc;

/// The format.
pub static FORMAT: Format = Format {
    name: "full",
    about: "Each finding with the lines of its file and what to do",
    for_people: true,
    whole: false,
    write,
};

fn write(report: &Report<'_>) -> String {
    let mut texts = Vec::new();
    for checked in report.checked.iter().filter(|checked| !checked.findings.is_empty()) {
        let lines = Lines::of(&checked.source);
        let source = shown(checked);
        for finding in &checked.findings {
            let diagnostic = diagnostic(finding, &source);
            let text = render_noted(&diagnostic, &notes(&lines, finding), report.style);
            // The renderer replaces the first 32 control characters; the next 32 can be an escape sequence as well.
            texts.push(text.replace(|character| matches!(character, '\u{80}'..='\u{9f}'), "\u{fffd}"));
        }
    }
    // What follows, such as the summary, stands apart.
    texts.into_iter().map(|text| text + "\n").collect()
}

/// The file under a name that a terminal shows and does not obey.
fn shown(checked: &Checked) -> Arc<Source> {
    let name = escape::line(&checked.source.name);
    if name == checked.source.name {
        return Arc::clone(&checked.source);
    }
    Arc::new(Source::of(name, checked.source.text.clone(), checked.source.origin().clone()))
}

fn diagnostic(finding: &Finding, source: &Arc<Source>) -> Diagnostic {
    let mut diagnostic = finding.diagnostic.clone();
    diagnostic.code = finding.rule.code;
    diagnostic.message = escape::line(&diagnostic.message);
    diagnostic.help = diagnostic.help.as_deref().map(escape::lines);
    for label in &mut diagnostic.labels {
        label.text = escape::line(&label.text);
        label.span = shortened(&source.text, &label.span);
    }
    if diagnostic.labels.is_empty() {
        diagnostic = diagnostic.at(finding.span(), "");
    }
    diagnostic.in_source(source)
}

/// How many bytes a marked place may have.
const LONG: usize = 4096;

/// The span, or its first line where it is too long to be read: an INSERT with a million rows.
fn shortened(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = span.start;
    let marked = text.as_bytes().get(start..span.end.min(text.len())).unwrap_or_default();
    if marked.len() <= LONG {
        return span.clone();
    }
    let marked = &marked[..LONG];
    let end = marked.iter().position(|byte| *byte == b'\n').unwrap_or(LONG);
    start..start + marked[..end].trim_ascii_end().len()
}

fn notes(lines: &Lines<'_>, finding: &Finding) -> Vec<(&'static str, String)> {
    let more = words::more(lines, finding).map(|more| ("note", more));
    let fix = finding
        .fix
        .as_ref()
        .map(|fix| ("fix", format!("{} (fixable with `{}`)", escape::line(&fix.title), words::option(fix))));
    let rule = ("rule", format!("{}: `{}`", finding.rule.name, words::page(finding)));
    [more, fix, Some(rule)].into_iter().flatten().collect()
}
