//! Writes diagnostics as text for people: the message, its place, the line of the file, and what to do.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Label, Severity, Source};

/// Whether the text carries the escape codes of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text only.
    Plain,
    /// With colours.
    Colour,
}

/// All diagnostics, sorted by file and place, each with the lines that it is about; an empty line between two.
pub fn render(diagnostics: &[Diagnostic], style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let texts: Vec<String> = sorted(diagnostics).into_iter().map(|one| renderer.render(&[group(one)]) + "\n").collect();
    texts.join("\n")
}

/// All diagnostics, sorted by file and place, one a line: `file:line:column: error[code]: message`.
pub fn short(diagnostics: &[Diagnostic]) -> String {
    let line = |one: &Diagnostic| {
        let place = one.source.as_ref().map_or_else(String::new, |source| match one.labels.first() {
            Some(label) => {
                let position = source.position(label.span.start);
                format!("{}:{}:{}: ", source.name, position.line, position.column)
            }
            None => format!("{}: ", source.name),
        });
        format!("{place}{}[{}]: {}\n", one.severity.name(), one.code, one.message)
    };
    sorted(diagnostics).into_iter().map(line).collect()
}

/// Those without a file first, then by file and by the place of the main label.
fn sorted(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut all: Vec<&Diagnostic> = diagnostics.iter().collect();
    all.sort_by_key(|one| {
        (one.source.as_ref().map(|source| source.name.as_str()), one.labels.first().map(|label| label.span.start))
    });
    all
}

fn group(one: &Diagnostic) -> Group<'_> {
    let level = match one.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let mut group = Group::with_title(level.primary_title(&one.message).id(one.code));
    match (&one.source, one.labels.as_slice()) {
        (Some(source), [_, ..]) => group = group.element(snippet(source, &one.labels)),
        (Some(source), []) => group = group.element(annotate_snippets::Origin::path(&source.name)),
        (None, _) => {}
    }
    match &one.help {
        Some(help) => group.element(Level::HELP.message(help)),
        None => group,
    }
}

/// The lines from the first label to the last. Only these are handed on, because the writer walks the whole text that it
/// is given.
fn snippet<'a>(source: &'a Source, labels: &'a [Label]) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = &source.text;
    let spans: Vec<Range<usize>> = labels.iter().map(|label| clamp(text, &label.span)).collect();
    let first = spans.iter().map(|span| span.start).min().unwrap_or(0);
    let last = spans.iter().map(|span| span.end).max().unwrap_or(0);
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    let annotations = labels.iter().zip(spans).enumerate().map(|(index, (label, span))| {
        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = (!label.text.is_empty()).then_some(label.text.as_str());
        kind.span(span.start - start..span.end - start).label(label)
    });
    Snippet::source(&text[start..end])
        .line_start(source.position(start).line)
        .path(&source.name)
        .annotations(annotations)
}

/// The span as whole characters inside the text: the writer panics on any other.
fn clamp(text: &str, span: &Range<usize>) -> Range<usize> {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Style, render, short};
    use crate::diagnostic::{Diagnostic, Source};

    fn source(text: &str) -> Arc<Source> {
        Arc::new(Source { name: "dir/a.yaml".to_owned(), text: text.to_owned() })
    }

    #[test]
    fn a_diagnostic_shows_its_place_and_its_help() {
        let source = source("a: 1\nb: é x\n");
        let late =
            Diagnostic::error("some-code", "`b` is wrong").at(8..10, "here").help("write `c`").in_source(&source);
        let early = Diagnostic::warning("other-code", "`a` is odd").at(0..1, "").in_source(&source);
        let placeless = Diagnostic::error("third-code", "nothing to show");
        let all = [late, early, placeless];
        assert_eq!(
            render(&all, Style::Plain),
            "error[third-code]: nothing to show\n\nwarning[other-code]: `a` is odd\n --> dir/a.yaml:1:1\n  |\n1 | a: 1\n  \
             | ^\n\nerror[some-code]: `b` is wrong\n --> dir/a.yaml:2:4\n  |\n2 | b: é x\n  |    ^ here\n  |\n  = help: \
             write `c`\n"
        );
        assert_eq!(
            short(&all),
            "error[third-code]: nothing to show\ndir/a.yaml:1:1: warning[other-code]: `a` is odd\ndir/a.yaml:2:4: \
             error[some-code]: `b` is wrong\n"
        );
        assert!(render(&all, Style::Colour).contains("\u{1b}["));
    }

    #[test]
    fn no_span_makes_it_panic() {
        for text in ["", "é", "a\r\nb", "日本\n語\n", "\t\u{1b}[1m"] {
            for start in 0..text.len() + 3 {
                for end in 0..text.len() + 3 {
                    let one = Diagnostic::error("c", "m").at(start..end, "x").at(end..start, "y");
                    let all = [one.in_source(&source(text))];
                    assert!(render(&all, Style::Plain).starts_with("error[c]: m\n"));
                    assert!(short(&all).starts_with("dir/a.yaml:"));
                }
            }
        }
    }
}
