//! Which statement a comment is for.

use std::ops::Range;

/// The statements of a script in order, each with the one that it stands in, as in the body of a routine.
pub(super) struct Statements {
    ranges: Vec<Range<usize>>,
    outer: Vec<Option<usize>>,
}

impl Statements {
    pub fn new(ranges: &[Range<usize>]) -> Self {
        let mut ranges = ranges.to_vec();
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        ranges.dedup();
        let mut outer = Vec::with_capacity(ranges.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, range) in ranges.iter().enumerate() {
            while open.last().is_some_and(|last| ranges[*last].end < range.end) {
                open.pop();
            }
            outer.push(open.last().copied());
            open.push(at);
        }
        Self { ranges, outer }
    }

    /// The innermost statement around a byte and those around it.
    pub fn around(&self, byte: usize) -> impl Iterator<Item = usize> + '_ {
        self.chain(byte).filter(move |at| byte < self.ranges[*at].end)
    }

    /// The last statement that begins at a byte or before it, and those around that one.
    fn chain(&self, byte: usize) -> impl Iterator<Item = usize> + '_ {
        let begun = self.ranges.partition_point(|range| range.start <= byte);
        std::iter::successors(begun.checked_sub(1), |at| self.outer[*at])
    }

    /// The statement that a comment is for: the one that ends on the same line before it, the one that it stands in, or
    /// the next one. A comment that has a line for itself in a statement of several is for the next of these.
    pub fn meant_by(&self, text: &str, comment: &Range<usize>) -> Option<usize> {
        let between = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let ended = |at: &usize| {
            let end = self.ranges[*at].end;
            end <= comment.start
                && between(end, comment.start).chars().all(|c| c == ';' || (c.is_whitespace() && c != '\n'))
        };
        if let Some(at) = self.chain(comment.start).find(ended) {
            return Some(at);
        }
        let inside = self.around(comment.start).next();
        let next = self.ranges.partition_point(|range| range.start < comment.end);
        let next = (next < self.ranges.len()).then_some(next);
        let Some(inside) = inside else { return next };
        let line = text.get(..comment.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        let nested = next.filter(|next| self.ranges[*next].end <= self.ranges[inside].end);
        if line.trim().is_empty() { nested.or(Some(inside)) } else { Some(inside) }
    }
}

#[cfg(test)]
mod tests {
    use super::Statements;
    use std::ops::Range;

    /// The text of the statement that the comment `--x` is for. Statements are `<..>`, which may stand in each other.
    fn meant(text: &str) -> Option<&str> {
        let (mut open, mut ranges): (Vec<usize>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
        for (at, c) in text.char_indices() {
            match c {
                '<' => open.push(at),
                '>' => ranges.push(open.pop().unwrap_or_default()..at + 1),
                _ => {}
            }
        }
        let comment = text.find("--x").unwrap_or_default();
        let statements = Statements::new(&ranges);
        let at = statements.meant_by(text, &(comment..comment + 3))?;
        Some(&text[statements.ranges[at].clone()])
    }

    #[test]
    fn a_comment_is_for_the_statement_behind_it_around_it_or_before_it_on_its_line() {
        assert_eq!(meant("<a>;\n--x\n<b>;"), Some("<b>"));
        assert_eq!(meant("<a>; --x\n<b>;"), Some("<a>"));
        assert_eq!(meant("<a>; <b>; --x\n<c>;"), Some("<b>"));
        assert_eq!(meant("<a --x\n b>;\n<c>"), Some("<a --x\n b>"));
        assert_eq!(meant("<a\n--x\nb>;\n<c>"), Some("<a\n--x\nb>"));
        assert_eq!(meant("<a>;\n--x\n"), None);
        assert_eq!(meant("--x\n"), None);
    }

    #[test]
    fn in_a_body_it_is_for_one_statement_of_the_body() {
        assert_eq!(meant("<do\n--x\n<a>; <b>; end>;"), Some("<a>"));
        assert_eq!(meant("<do\n<a>; --x\n<b>; end>;"), Some("<a>"));
        assert_eq!(meant("<do --x\n<a>; end>;"), Some("<do --x\n<a>; end>"));
        assert_eq!(meant("<do\n<a>;\n--x\nend>;\n<c>;"), Some("<do\n<a>;\n--x\nend>"));
        assert_eq!(meant("<do\n<a>; end>; --x"), Some("<do\n<a>; end>"));
        assert_eq!(meant("--x\n<do\n<a>; end>;"), Some("<do\n<a>; end>"));
    }
}
