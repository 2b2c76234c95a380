//! Comments that speak to the linter, as they are written: `-- idemsql: allow rule, rule -- reason`, `-- noqa: IDM101`.

use crate::diagnostic::nearest;
use std::ops::Range;

/// What a comment says to the linter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    pub kind: Kind,
    /// The words that name rules, and in `noqa` those that are codes of other linters.
    pub words: Vec<Word>,
    /// Something stands behind `--`.
    pub has_reason: bool,
    /// The whole comment.
    pub comment: Range<usize>,
    /// What the comment says to us, from its first word to its last.
    pub said: Range<usize>,
}

/// One word that names rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    /// False for a code of another linter.
    pub is_ours: bool,
    pub span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `allow`, for one statement.
    Allow,
    /// `allow-file`
    AllowFile,
    /// `noqa: IDM101`, for one statement.
    Noqa,
    /// `noqa` without codes, which we do not follow.
    BareNoqa,
    /// Another word behind `idemsql:`, which is nearly one of ours.
    Misspelt,
}

/// The orders that we know, and words of other tools for them.
const ORDERS: &[(&str, Kind)] = &[("allow", Kind::Allow), ("allow-file", Kind::AllowFile)];
const FOREIGN: &[&str] =
    &["ignore", "ignore-file", "disable", "disable-file", "suppress", "skip", "off", "nolint", "noqa"];

/// Everything that one comment says to us. A comment over several lines may say something in each of them.
pub(super) fn directives(text: &str, comment: &Range<usize>) -> Vec<Directive> {
    let whole = text.get(comment.clone()).unwrap_or_default();
    // Most comments say nothing to us, and a file may have very many.
    if !contains(whole, "idemsql:") && !contains(whole, "noqa") {
        return Vec::new();
    }
    let trimmed = whole.trim_end();
    let comment = comment.start..comment.start + trimmed.len();
    let mut found = Vec::new();
    let mut start = comment.start;
    for line in trimmed.split_inclusive('\n') {
        let said = inside(line, start);
        found.extend(directive(text, said, &comment));
        start += line.len();
    }
    found
}

/// True when the text has the word, in any case.
fn contains(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// What a line of a comment says, without the signs of the comment.
fn inside(line: &str, start: usize) -> Range<usize> {
    let signs = |c: char| c.is_whitespace() || matches!(c, '-' | '/' | '*' | '#' | '!' | '+' | '{');
    let first = line.len() - line.trim_start_matches(signs).len();
    let last = line.trim_end();
    // Of SQL, or of a template.
    let last = last.strip_suffix("*/").or(last.strip_suffix("#}")).unwrap_or(last).trim_end().len();
    start + first..start + last.max(first)
}

fn directive(text: &str, said: Range<usize>, comment: &Range<usize>) -> Option<Directive> {
    let line = text.get(said.clone())?;
    let starts = |word: &str| line.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word));
    let (kind, at) = if starts("idemsql:") {
        let rest = &line["idemsql:".len()..];
        let order = rest.split_whitespace().next().unwrap_or_default();
        let at = line.len() - rest.trim_start().len() + order.len();
        (self::order(order)?, at)
    } else if starts("noqa") {
        let rest = &line["noqa".len()..];
        match rest.trim_start().strip_prefix(':') {
            Some(codes) if !codes.trim().is_empty() => (Kind::Noqa, line.len() - codes.len()),
            _ if rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_') => return None,
            _ => (Kind::BareNoqa, line.len()),
        }
    } else {
        return None;
    };
    let rest = line.get(at..).unwrap_or_default();
    let (names, reason) = rest.split_once("--").unwrap_or((rest, ""));
    let words = words(names, said.start + at, kind == Kind::Noqa);
    if kind == Kind::Noqa && !words.iter().any(|word| word.is_ours) {
        return None;
    }
    Some(Directive { kind, words, has_reason: !reason.trim().is_empty(), comment: comment.clone(), said })
}

/// The order that a word gives. The headers of rendered files begin with `idemsql:` too, and give none.
fn order(word: &str) -> Option<Kind> {
    let lower = word.to_ascii_lowercase();
    if let Some((_, kind)) = ORDERS.iter().find(|(name, _)| *name == lower) {
        return Some(*kind);
    }
    let is_word =
        !lower.is_empty() && lower.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'));
    let near = FOREIGN.contains(&lower.as_str()) || nearest(&lower, ORDERS.iter().map(|(name, _)| *name)).is_some();
    (is_word && near).then_some(Kind::Misspelt)
}

/// Words between commas or blanks. With `shared` the list is one of several linters, in which ours begin with `IDM`.
fn words(names: &str, start: usize, shared: bool) -> Vec<Word> {
    let mut all = Vec::new();
    let mut at = start;
    for part in names.split_inclusive([',', ' ', '\t']) {
        let word = part.trim_end_matches([',', ' ', '\t']);
        if !word.is_empty() {
            let is_ours = !shared || word.get(..3).is_some_and(|first| first.eq_ignore_ascii_case("IDM"));
            all.push(Word { text: word.to_owned(), is_ours, span: at..at + word.len() });
        }
        at += part.len();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Kind, directives};

    /// Each directive as its kind, its words and `why` when it has a reason.
    fn said(comment: &str) -> Vec<String> {
        let text = format!("x {comment} y");
        let found = directives(&text, &(2..2 + comment.len()));
        found
            .iter()
            .map(|one| {
                let ours = one.words.iter().filter(|word| word.is_ours);
                let words: Vec<&str> = ours.map(|word| &text[word.span.clone()]).collect();
                let why = if one.has_reason { " why" } else { "" };
                format!("{:?} {}{why}", one.kind, words.join(" "))
            })
            .collect()
    }

    #[test]
    fn orders_are_read_in_every_kind_of_comment() {
        for (comment, is) in [
            ("-- idemsql: allow IDM101", "Allow IDM101"),
            ("--idemsql:allow IDM101,IDM5 -- it is a log", "Allow IDM101 IDM5 why"),
            ("-- IDEMSQL: ALLOW all, create-without-guard --", "Allow all create-without-guard"),
            ("# idemsql: allow-file IDM101 -- why", "AllowFile IDM101 why"),
            ("/* idemsql: allow IDM101 -- why */", "Allow IDM101 why"),
            ("/*idemsql: allow IDM101*/", "Allow IDM101"),
            ("{# idemsql: allow IDM101 -- why #}", "Allow IDM101 why"),
            ("-- idemsql: allow", "Allow "),
            ("-- noqa: IDM101,LT01", "Noqa IDM101"),
            ("--noqa:idm101", "Noqa idm101"),
            ("-- noqa", "BareNoqa "),
            ("-- NOQA:", "BareNoqa "),
            ("-- idemsql: ignore IDM101", "Misspelt IDM101"),
            ("-- idemsql: alow IDM101", "Misspelt IDM101"),
        ] {
            assert_eq!(said(comment), [is], "{comment}");
        }
        assert_eq!(
            said("/* a\n * idemsql: allow IDM101\r\n * noqa: IDM5 -- why\n */"),
            ["Allow IDM101", "Noqa IDM5 why"]
        );
    }

    #[test]
    fn other_comments_say_nothing_to_us() {
        for comment in [
            "-- idemsql: mart.orders, upsert, ansi, from spec.yaml",
            "-- idemsql: ",
            "-- see idemsql: allow IDM101",
            "-- noqa: LT01",
            "-- noqa: disable=all",
            "-- noqas",
            "-- a plain one",
            "--",
            "/**/",
        ] {
            assert_eq!(said(comment), [] as [&str; 0], "{comment}");
        }
    }

    #[test]
    fn the_places_are_those_of_the_text() {
        let text = "  -- idemsql: allow a,\tb  -- why \n";
        let one = &directives(text, &(2..text.len()))[0];
        assert_eq!(one.kind, Kind::Allow);
        assert_eq!(&text[one.comment.clone()], "-- idemsql: allow a,\tb  -- why");
        assert_eq!(&text[one.said.clone()], "idemsql: allow a,\tb  -- why");
        assert_eq!(one.words.iter().map(|word| &text[word.span.clone()]).collect::<Vec<_>>(), ["a", "b"]);
    }
}
