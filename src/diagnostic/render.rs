//! Writes diagnostics as text for people: the message, its place, the line of the file, and what to do.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Elided, Label, Severity, Source};

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
    let renderer = renderer(style);
    let texts: Vec<String> = sorted(diagnostics).into_iter().map(|one| renderer.render(&[group(one)]) + "\n").collect();
    texts.join("\n")
}

/// One diagnostic with further lines below its help, each a word and a text: `= note: and at line 3`.
pub fn render_noted(diagnostic: &Diagnostic, notes: &[(&str, String)], style: Style) -> String {
    let group = notes
        .iter()
        .fold(group(diagnostic), |group, (word, text)| group.element(Level::NOTE.with_name(*word).message(text)));
    renderer(style).render(&[group]) + "\n"
}

fn renderer(style: Style) -> Renderer {
    match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    }
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
        (Some(source), [_, ..]) => group = group.elements(snippets(source, &one.labels)),
        (Some(source), []) => group = group.element(annotate_snippets::Origin::path(&source.name)),
        (None, _) => {}
    }
    match &one.help {
        Some(help) => group.element(Level::HELP.message(help)),
        None => group,
    }
}

/// How many bytes may lie between two labels before each is shown by itself.
const NEAR: usize = 1 << 14;

/// The lines from the first label to the last, in one piece unless lines of the file are left out between them; the piece
/// with the main label is the first. Only these lines are handed on, because the writer walks the whole text that it is
/// given.
fn snippets<'a>(source: &'a Source, labels: &'a [Label]) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let text = &source.text;
    let mut pieces: Vec<(Range<usize>, Spans)> = Vec::new();
    for (index, label) in labels.iter().enumerate() {
        let span = clamp(text, &label.span);
        let around = unbroken(source, span.start);
        let span = span.start..span.end.clamp(span.start, around.end.max(span.start));
        // What lies far away is shown by itself.
        let near = |spans: &Spans| spans.iter().all(|(_, one)| one.start.abs_diff(span.start) <= NEAR);
        match pieces.iter_mut().find(|(piece, spans)| *piece == around && near(spans)) {
            Some((_, spans)) => spans.push((index, span)),
            None => pieces.push((around, vec![(index, span)])),
        }
    }
    pieces.into_iter().map(|(around, spans)| snippet(source, labels, &around, spans)).collect()
}

/// Labels by their number, with what they span in one piece.
type Spans = Vec<(usize, Range<usize>)>;

/// The stretch of the text around a byte from which no line of the file is left out.
fn unbroken(source: &Source, at: usize) -> Range<usize> {
    let elided = &source.origin().elided;
    let behind = elided.partition_point(|one| one.at <= at);
    let breaks = |one: &&Elided| one.lines > 0;
    let start = elided[..behind].iter().rev().find(breaks).map_or(0, |one| one.at);
    let end = elided[behind..].iter().find(breaks).map_or(source.text.len(), |one| {
        // The indent of what is left out shows nothing.
        source.text.get(start..one.at).map_or(one.at, |text| start + text.trim_end().len())
    });
    start..end
}

fn snippet<'a>(
    source: &'a Source,
    labels: &'a [Label],
    around: &Range<usize>,
    spans: Spans,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = &source.text;
    let first = spans.iter().map(|(_, span)| span.start).min().unwrap_or(0);
    let last = spans.iter().map(|(_, span)| span.end).max().unwrap_or(0);
    let line = text[..first].rfind('\n').map_or(0, |at| at + 1);
    // Where a line goes on behind what is left out, its indent is that of another line, and as good.
    let indent = line < around.start && text[line..around.start].trim_start().is_empty();
    let start = if indent { line } else { line.max(around.start) };
    let end = text[last..around.end.max(last)].find('\n').map_or(around.end.max(last), |at| last + at + 1);
    let annotations = spans.into_iter().map(|(index, span)| {
        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = labels.get(index).map(|label| label.text.as_str()).filter(|text| !text.is_empty());
        kind.span(span.start - start..span.end - start).label(label)
    });
    Snippet::source(&text[start..end])
        .line_start(source.position(first).line)
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

    use super::{Style, render, render_noted, short};
    use crate::diagnostic::{Bulk, Diagnostic, Elided, Origin, Source};

    fn source(text: &str) -> Arc<Source> {
        Arc::new(Source::new("dir/a.yaml", text))
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
    fn notes_stand_below_the_help() {
        let one =
            Diagnostic::error("some-code", "`a` is wrong").at(0..1, "").help("write `c`").in_source(&source("a: 1\n"));
        assert_eq!(
            render_noted(&one, &[("note", "and at line 3".to_owned()), ("rule", "some".to_owned())], Style::Plain),
            "error[some-code]: `a` is wrong\n --> dir/a.yaml:1:1\n  |\n1 | a: 1\n  | ^\n  |\n  = help: write `c`\n  = \
             note: and at line 3\n  = rule: some\n"
        );
    }

    #[test]
    fn places_far_apart_are_shown_by_themselves() {
        let text = format!("a: 1\n{}b: 2\n", "x\n".repeat(super::NEAR));
        let end = text.len() - 5;
        let one = Diagnostic::error("some-code", "m").at(end..end + 1, "").at(0..1, "here").in_source(&source(&text));
        assert_eq!(
            render(&[one], Style::Plain),
            "error[some-code]: m\n     --> dir/a.yaml:16386:1\n      |\n16386 | b: 2\n      | ^\n      |\n     ::: \
             dir/a.yaml:1:1\n      |\n    1 | a: 1\n      | - here\n"
        );
    }

    #[test]
    fn lines_are_those_of_the_file_where_some_are_left_out() {
        let text = "INSERT INTO t VALUES\n  (1),\n  (9)\nON CONFLICT DO NOTHING;\n";
        let at = text.find("(9)").unwrap_or_default();
        let elided = Elided { at, bytes: 48, lines: 6, tail: 2, what: Bulk::Rows(6) };
        let origin = Origin { elided: vec![elided], ..Origin::default() };
        let source = Arc::new(Source::of("a.sql", text, origin));
        let one = Diagnostic::error("c", "m").at(at..at + 3, "here").at(0..text.len(), "all").in_source(&source);
        assert_eq!(
            render(std::slice::from_ref(&one), Style::Plain),
            "error[c]: m\n --> a.sql:9:3\n  |\n9 |     (9)\n  |     ^^^ here\n  |\n ::: a.sql:1:1\n  |\n1 | / INSERT \
             INTO t VALUES\n2 | |   (1),\n  | |______- all\n"
        );
        assert_eq!(short(&[one]), "a.sql:9:3: error[c]: m\n");
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
                    for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                        let elided =
                            [0, 1].map(|lines| Elided { at: cut, bytes: 9, lines, tail: 1, what: Bulk::Data(1) });
                        let origin = Origin { elided: elided.to_vec(), ..Origin::default() };
                        let source = Arc::new(Source::of("a", text, origin));
                        let one =
                            Diagnostic::error("c", "m").at(start..end, "x").at(end..start, "y").in_source(&source);
                        assert!(render(&[one], Style::Plain).starts_with("error[c]: m\n"));
                    }
                }
            }
        }
    }
}
