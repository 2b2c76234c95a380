//! Puts fixes into a text. Every byte outside an edit stays as it is.

use crate::lint::finding::Fix;
use std::collections::BTreeMap;
use std::ops::Range;

/// A text with fixes in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The text.
    pub text: String,
    /// How many fixes are in it.
    pub applied: usize,
    /// How many would have touched the place of another one, or fit no place of the text. Lint again for these.
    pub left: usize,
}

/// Makes the edits of all fixes that keep out of each other's way. Where two meet, the one that begins first in the text
/// wins, and with it all its edits; a fix is made whole or not at all.
pub fn apply(text: &str, fixes: &[&Fix]) -> Applied {
    let mut ordered: Vec<&Fix> = fixes.to_vec();
    ordered.sort_by_key(|fix| fix.edits.first().map_or(0, |edit| edit.range.start));
    let mut taken = Taken::default();
    let (mut applied, mut left) = (0, 0);
    for fix in ordered {
        if taken.has(fix) {
            applied += 1;
        } else if fits(text, fix) && fix.edits.iter().all(|edit| taken.is_free(&edit.range)) {
            taken.add(fix);
            applied += 1;
        } else {
            left += 1;
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, (end, new)) in taken.edits {
        out.push_str(text.get(at..start).unwrap_or_default());
        out.push_str(new);
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Applied { text: out, applied, left }
}

/// The edits that are decided, by where they begin.
#[derive(Default)]
struct Taken<'f> {
    edits: BTreeMap<usize, (usize, &'f str)>,
}

impl<'f> Taken<'f> {
    /// True when every edit of the fix is made already: two findings may ask for the same.
    fn has(&self, fix: &Fix) -> bool {
        let same = |edit: &crate::lint::finding::Edit| {
            self.edits.get(&edit.range.start).is_some_and(|(end, new)| *end == edit.range.end && *new == edit.text)
        };
        !fix.edits.is_empty() && fix.edits.iter().all(same)
    }

    /// True when no edit overlaps the range. One that puts text in at a place needs the place for itself, because two
    /// such have no order.
    fn is_free(&self, range: &Range<usize>) -> bool {
        let before = self.edits.range(..=range.start).next_back();
        let before_ends = before.is_none_or(|(start, (end, _))| {
            *end <= range.start && !((*start == *end || range.is_empty()) && *end == range.start)
        });
        let after = self.edits.range(range.start..).next();
        before_ends
            && after.is_none_or(|(start, (end, _))| *start >= range.end && !(start == end && *start == range.end))
    }

    fn add(&mut self, fix: &'f Fix) {
        for edit in &fix.edits {
            self.edits.insert(edit.range.start, (edit.range.end, edit.text.as_str()));
        }
    }
}

/// True when the fix has edits, in order and apart, between characters of the text.
fn fits(text: &str, fix: &Fix) -> bool {
    let mut at = None;
    for edit in &fix.edits {
        let ordered = at.is_none_or(|at| edit.range.start > at || (edit.range.start == at && !edit.range.is_empty()));
        if !ordered || text.get(edit.range.clone()).is_none() {
            return false;
        }
        at = Some(edit.range.end);
    }
    at.is_some()
}

#[cfg(test)]
mod tests {
    use super::{Applied, apply};
    use crate::lint::finding::{Edit, Fix, Safety};
    use crate::lint::testing::fix;
    use std::ops::Range;

    fn one(range: Range<usize>, text: &str) -> Fix {
        fix(Safety::Safe, range, text)
    }

    #[track_caller]
    fn is(text: &str, fixes: &[Fix], result: &str, applied: usize, left: usize) {
        let fixes: Vec<&Fix> = fixes.iter().collect();
        assert_eq!(apply(text, &fixes), Applied { text: result.to_owned(), applied, left });
    }

    #[test]
    fn edits_are_made_and_other_bytes_kept() {
        is("a\r\nb é c", &[], "a\r\nb é c", 0, 0);
        is("a\r\nb é c", &[one(8..9, "d"), one(0..0, "x ")], "x a\r\nb é d", 2, 0);
        is("abc", &[one(1..2, "")], "ac", 1, 0);
        is("ab", &[one(2..2, ";")], "ab;", 1, 0);
        is("abcd", &[one(0..2, "x"), one(2..4, "y")], "xy", 2, 0);
    }

    #[test]
    fn of_two_that_meet_the_first_wins_and_the_other_is_left() {
        is("abcd", &[one(1..3, "y"), one(0..2, "x")], "xcd", 1, 1);
        is("abcd", &[one(0..4, "x"), one(1..2, "y")], "x", 1, 1);
        is("abcd", &[one(1..1, "x"), one(1..1, "y")], "axbcd", 1, 1);
        is("abcd", &[one(0..2, "x"), one(2..2, "y")], "xcd", 1, 1);
        is("abcd", &[one(2..2, "y"), one(2..4, "x")], "abycd", 1, 1);
        is("abcd", &[one(1..2, "y"), one(1..2, "y")], "aycd", 2, 0);
    }

    #[test]
    fn a_fix_is_made_whole_or_not_at_all() {
        let edit = |range: Range<usize>, text: &str| Edit { range, text: text.to_owned() };
        let around = Fix {
            title: "wrap it".to_owned(),
            safety: Safety::Safe,
            edits: vec![edit(0..0, "BEGIN;\n"), edit(3..3, "\nCOMMIT;")],
        };
        is("abc", &[around.clone(), one(2..3, "x")], "BEGIN;\nabc\nCOMMIT;", 1, 1);
        is("abc", &[around.clone(), one(1..2, "x")], "BEGIN;\naxc\nCOMMIT;", 2, 0);
        let backwards = Fix { edits: vec![edit(2..3, "x"), edit(0..1, "y")], ..around.clone() };
        is("abc", &[backwards], "abc", 0, 1);
        is("abc", &[Fix { edits: Vec::new(), ..around }], "abc", 0, 1);
    }

    #[test]
    fn a_place_outside_the_text_or_inside_a_character_is_left() {
        is("é", &[one(1..2, "x")], "é", 0, 1);
        is("é", &[one(0..9, "x")], "é", 0, 1);
    }
}
