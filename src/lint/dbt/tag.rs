//! The tags of a template: what stands in `{{ }}`, `{% %}` and `{# #}`.

use crate::sql::hole;
use std::ops::Range;

/// What a tag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `{{ value }}`
    Value,
    /// `{% if .. %}`
    Control,
    /// `{# remark #}`
    Remark,
}

/// One tag.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub kind: Kind,
    /// Its bytes, braces included.
    pub range: Range<usize>,
    /// What stands inside, without the signs that take blanks away, and without blanks.
    pub inner: Range<usize>,
}

/// The tags of a text, in order; `None` when one of them has no end, or when `{% raw %}` makes text of tags.
pub(super) fn tags(text: &str) -> Option<Vec<Tag>> {
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find('{') {
        let start = from + found;
        let (kind, close) = match text.as_bytes().get(start + 1) {
            Some(b'{') => (Kind::Value, "}}"),
            Some(b'%') => (Kind::Control, "%}"),
            Some(b'#') => (Kind::Remark, "#}"),
            _ => {
                from = start + 1;
                continue;
            }
        };
        let body = start + 2;
        let end = match kind {
            Kind::Remark => body + text[body..].find(close)?,
            _ => hole::end(text.as_bytes(), body, close.as_bytes())? - close.len(),
        };
        let inner = trimmed(text, body..end);
        if kind == Kind::Control && text[inner.clone()].starts_with("raw") {
            return None;
        }
        from = end + 2;
        all.push(Tag { kind, range: start..from, inner });
    }
    Some(all)
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let begin = inside.strip_prefix(['-', '+']).unwrap_or(inside);
    let begin = begin.trim_start();
    let start = range.end - begin.len();
    let end = begin.trim_end();
    let end = end.strip_suffix('-').unwrap_or(end).trim_end();
    start..start + end.len()
}

/// The parts of a text between commas that stand in no quotes and no brackets, each with its place in the text.
pub(super) fn parts(text: &str) -> Vec<Range<usize>> {
    let (mut all, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote = None;
    let mut letters = text.char_indices();
    while let Some((at, c)) = letters.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                all.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(from..text.len());
    let filled = |part: &Range<usize>| !text[part.clone()].trim().is_empty();
    all.into_iter().filter(filled).map(|part| trimmed_blanks(text, part)).collect()
}

fn trimmed_blanks(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.end - inside.trim_start().len();
    start..start + inside.trim().len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{parts, tags};

    fn inner(text: &str) -> Vec<&str> {
        tags(text).unwrap().into_iter().map(|tag| &text[tag.inner]).collect()
    }

    #[test]
    fn tags_end_outside_of_quotes() {
        assert_eq!(
            inner("{{ config(a='}}', b={'x': {}}) }} {%- if x -%}{# }} #}"),
            ["config(a='}}', b={'x': {}})", "if x", "}}"]
        );
        assert!(tags("{{ a").is_none());
        assert!(tags("{% raw %}{{{% endraw %}").is_none());
        assert!(inner("a { b } c").is_empty());
    }

    #[test]
    fn commas_in_brackets_part_nothing() {
        let text = " a=[1, 2], b='x,y' , c=f(1, 2), ";
        assert_eq!(
            parts(text).into_iter().map(|part| &text[part]).collect::<Vec<_>>(),
            ["a=[1, 2]", "b='x,y'", "c=f(1, 2)"]
        );
    }
}
