//! A text that is not YAML: the parser's complaint in words that say what to do.

use std::ops::Range;

use serde_yaml::Error;

use crate::diagnostic::Diagnostic;

/// What a part of the parser's own text means: the part, our message, what to do about it.
const COMPLAINTS: &[(&str, &str, &str)] = &[
    ("Depth", "lists and mappings stand in each other more than 32 deep", "write a flatter value"),
    ("recursion limit", "lists and mappings stand in each other more than 32 deep", "write a flatter value"),
    ("budget breached", "the file is too large for a spec", "move literal rows into a seed file: `source: {csv: ...}`"),
    ("tab", "a tab stands where YAML wants spaces", "indent with spaces, two for each level"),
    ("unclosed quote", "a quote is opened here and never closed", "close the quote"),
    ("unclosed bracket", "a bracket is opened here and never closed", "close the bracket"),
    ("misplaced bracket", "a bracket is closed here that was not opened", "remove the bracket, or open one before it"),
    (
        "illegal placement of ':'",
        "a `:` stands inside a bracket that is still open",
        "close the bracket on a line before, or put quotes around a text that holds `:`",
    ),
    ("mapping values are not allowed", "a second `: ` stands in this line", "put quotes around a text that holds `: `"),
    (
        "simple key expected",
        "this line has no `:`, so it is neither a key nor a part of the line before",
        "write `key: value`",
    ),
    (
        "did not find expected '-'",
        "this line is indented like a list, but it does not begin with `- `",
        "begin the line with `- `, or indent it like the keys that it belongs to",
    ),
    INDENTED,
    (
        "unexpected character",
        "a text cannot begin with this character unless it stands in quotes",
        "put quotes around the text",
    ),
    (
        "invalid trailing content",
        "something follows behind the closing quote",
        "put the quotes around the whole text; a quote inside '...' is written twice",
    ),
    (
        "unknown escape",
        "a backslash in \"...\" begins an escape that YAML does not know",
        "use '...', where a backslash is only a backslash",
    ),
    (
        "unknown anchor",
        "this alias names an anchor that is not defined above",
        "define it with `&name` on an earlier value",
    ),
    (
        "multiple YAML documents",
        "a second document begins here",
        "put all tables under one `tables:` list, and remove the `---`",
    ),
    ("recursive references", "this alias stands inside the value that it repeats", "write the value out"),
    ("block scalar", "something follows behind `|` or `>`", "begin the text on the next line"),
    ("alias", "the aliases of this file repeat too much", "write the values out, or use `defaults`"),
];

/// A line that fits neither the one above nor the keys beside it.
const INDENTED: (&str, &str, &str) = (
    "did not find expected key",
    "this line is indented differently from the keys beside it",
    "indent the line like its neighbours",
);

/// The one fault of a text that cannot be read as YAML; behind it the parser cannot go on.
pub(super) fn explain(text: &str, error: &Error) -> Diagnostic {
    let said = error.to_string();
    let location = error.location();
    let span = location.map_or(0..0, |location| place(text, location.line(), location.column()));
    let line = text.get(..span.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let indented = said.contains("mapping values are not allowed") && !line.contains(": ");
    let known = if indented { Some(&INDENTED) } else { COMPLAINTS.iter().find(|(part, ..)| said.contains(part)) };
    let fault = if let Some((_, message, help)) = known {
        Diagnostic::error("spec-syntax", *message).help(*help)
    } else {
        let said = said.split(" at line ").next().unwrap_or_default();
        Diagnostic::error("spec-syntax", format!("this is not YAML: {said}"))
    };
    let fault = fault.at(fitting(text, span.clone(), &said), "");
    match open_bracket(text.get(..span.start).unwrap_or_default()).filter(|_| said.contains("illegal placement")) {
        Some(at) => fault.at(at..at + 1, "opened here"),
        None => fault,
    }
}

/// The parser names the beginning of the text that a tab ends: this goes on to the tab.
fn fitting(text: &str, span: Range<usize>, said: &str) -> Range<usize> {
    let tab = text.get(span.start..).and_then(|rest| rest.find('\t')).filter(|_| said.contains("tab"));
    tab.map_or(span.clone(), |tab| span.start + tab..span.start + tab + 1)
}

/// The last bracket that a text opens and does not close; quotes hide what they hold.
fn open_bracket(text: &str) -> Option<usize> {
    let (mut open, mut quote) = (Vec::new(), None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(end), _) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => open.push(at),
            (None, ']' | '}') => drop(open.pop()),
            (None, _) => {}
        }
    }
    open.pop()
}

/// The bytes of the character at a line and a column, both counted from one.
fn place(text: &str, line: u64, column: u64) -> Range<usize> {
    let count = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut start = 0;
    for line in text.split_inclusive('\n').take(count(line)) {
        start += line.len();
    }
    let rest = text.get(start..).unwrap_or_default();
    let before: usize = rest.chars().take(count(column)).map(char::len_utf8).sum();
    let at = start + before;
    let width = text.get(at..).and_then(|rest| rest.chars().next()).filter(|c| !c.is_control() || *c == '\t');
    at..at + width.map_or(0, char::len_utf8)
}
