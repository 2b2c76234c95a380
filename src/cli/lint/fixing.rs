//! Fixes, put in and linted again until nothing more is to be done.

use crate::diagnostic::Source;
use crate::lint::finding::{Checked, Finding, Fix};
use crate::lint::fix::apply;
use std::sync::Arc;

/// A fix may make room for another; more rounds than these mean that two of them undo each other.
const ROUNDS: usize = 10;

/// A file after its fixes.
#[derive(Debug)]
pub(super) struct Mended {
    /// What is said of the text as it is now.
    pub checked: Checked,
    /// How many fixes were made.
    pub applied: usize,
    /// Why some fixes were taken back: our bug.
    pub undone: Option<String>,
}

/// Makes every fix that is `wanted`. A round of fixes after which less can be read, or after which as much is to be fixed
/// as before, is taken back.
pub(super) fn mend(
    mut checked: Checked,
    wanted: impl Fn(&Finding) -> bool,
    lint: impl Fn(&Arc<Source>) -> Checked,
) -> Mended {
    let mut total = 0;
    for _ in 0..ROUNDS {
        let fixes = fixes(&checked, &wanted);
        let made = apply(&checked.source.text, &fixes);
        if made.applied == 0 || made.text == checked.source.text {
            break;
        }
        let count = fixes.len();
        let first = fixes.first().map_or_else(String::new, |fix| fix.title.clone());
        let next = lint(&Arc::new(Source::new(checked.source.name.clone(), made.text)));
        let why = if next.unread > checked.unread {
            "a statement cannot be read after it"
        } else if self::fixes(&next, &wanted).len() >= count {
            "it does not mend its finding"
        } else {
            total += made.applied;
            checked = next;
            continue;
        };
        let undone = Some(format!("a fix (`{first}`) was taken back: {why}"));
        return Mended { checked, applied: total, undone };
    }
    Mended { checked, applied: total, undone: None }
}

fn fixes<'c>(checked: &'c Checked, wanted: &impl Fn(&Finding) -> bool) -> Vec<&'c Fix> {
    checked.findings.iter().filter(|finding| wanted(finding)).filter_map(|finding| finding.fix.as_ref()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Mended, mend};
    use crate::diagnostic::Source;
    use crate::lint::finding::{Checked, Safety};
    use crate::lint::policy::Policy;
    use crate::lint::testing::{CREATE, finding, fix, source};
    use std::sync::Arc;

    /// A linter that has a finding for every `from`, with the fix to write `to`; `?` cannot be read.
    fn lint(from: &'static str, to: &'static str) -> impl Fn(&Arc<Source>) -> Checked {
        move |source| {
            let places = source.text.match_indices(from).map(|(at, text)| at..at + text.len());
            let findings = places.map(|place| {
                let mut one = finding(&CREATE, source, place.clone());
                one.fix = Some(fix(Safety::Safe, place, to));
                one
            });
            Checked {
                source: Arc::clone(source),
                dialect: "ansi",
                policy: Policy::Unknown,
                findings: findings.collect(),
                statements: 1,
                unread: source.text.matches('?').count(),
                suppressed: 0,
                known: 0,
            }
        }
    }

    fn mended(text: &str, from: &'static str, to: &'static str) -> Mended {
        let lint = lint(from, to);
        mend(lint(&source(text)), |_| true, lint)
    }

    #[test]
    fn fixes_are_made_until_none_is_left() {
        let done = mended("aab", "aa", "a");
        assert_eq!((done.checked.source.text.as_str(), done.applied), ("ab", 1));
        // Each round makes room for the next.
        let done = mended("aaaa", "aa", "a");
        assert_eq!((done.checked.source.text.as_str(), done.applied), ("a", 3));
        assert!(done.undone.is_none() && done.checked.findings.is_empty());
        assert_eq!(mended("b", "a", "x").applied, 0);
    }

    #[test]
    fn a_fix_that_does_harm_is_taken_back() {
        let done = mended("a a", "a", "?");
        assert_eq!((done.checked.source.text.as_str(), done.applied), ("a a", 0));
        assert!(done.undone.is_some_and(|why| why.contains("cannot be read after it")));
        let done = mended("a", "a", "aa");
        assert_eq!((done.checked.source.text.as_str(), done.applied), ("a", 0));
        assert!(done.undone.is_some_and(|why| why.contains("does not mend")));
    }

    #[test]
    fn only_what_is_wanted_is_mended() {
        let lint = lint("a", "b");
        let done = mend(lint(&source("a")), |_| false, lint);
        assert_eq!((done.checked.source.text.as_str(), done.applied), ("a", 0));
    }
}
