//! What is wrong with a comment that is to suppress findings.

use super::directive::{Directive, Kind};
use super::{Allowance, Allowances};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::finding::{Edit, Finding, Fix, Safety};
use crate::lint::options::Options;
use crate::lint::rule::Rule;
use crate::lint::rules::suppression_problem::RULE;
use crate::lint::selector::ALL;
use std::ops::Range;

/// The code of the finding of a statement that could not be read.
const UNREAD: &str = "IDM901";

impl Allowances {
    /// What is wrong with each comment. `left` are the findings that none of them covers.
    pub(super) fn problems(&self, text: &str, left: &[Finding], options: &Options) -> Vec<Finding> {
        let of = |allowance: &Allowance| {
            let mut here = left.iter().filter(|finding| self.is_at(allowance, finding));
            match allowance.directive.kind {
                Kind::Misspelt => vec![allowance.misspelt()],
                // Another linter may be meant, so this is said only where it could be taken for ours.
                Kind::BareNoqa => here.next().map(|finding| allowance.bare(finding.rule)).into_iter().collect(),
                Kind::Allow | Kind::AllowFile if allowance.directive.words.is_empty() => vec![allowance.empty()],
                Kind::Allow | Kind::AllowFile | Kind::Noqa => {
                    let mut found = allowance.unknown();
                    found.extend(allowance.without_reason(options));
                    // What would be found in a statement that was not read, nobody knows.
                    if !here.any(|finding| finding.rule.code == UNREAD) {
                        found.extend(allowance.unused(text, options));
                    }
                    found
                }
            }
        };
        self.all.iter().flat_map(of).collect()
    }
}

impl Allowance {
    fn misspelt(&self) -> Finding {
        let help = "write `idemsql: allow RULE -- reason`, or `idemsql: allow-file RULE -- reason` for the whole file";
        self.problem(&self.directive.said, "this comment is not understood, and suppresses nothing", help)
    }

    fn bare(&self, rule: &Rule) -> Finding {
        let help = format!("write `-- idemsql: allow {} -- reason`", rule.name);
        let mut problem =
            self.problem(&self.directive.said, "`noqa` without codes suppresses none of our findings", help);
        problem.diagnostic.severity = Severity::Info;
        problem
    }

    fn empty(&self) -> Finding {
        let help = "write the rules behind it, by name or code, or `all`";
        self.problem(&self.directive.said, "this comment names no rule, and suppresses nothing", help)
    }

    fn unknown(&self) -> Vec<Finding> {
        let words = self.directive.words.iter().zip(&self.rules);
        let unknown = words.filter_map(|(word, rules)| rules.as_ref().err().map(|unknown| (word, unknown)));
        unknown
            .map(|(word, unknown)| {
                let message = format!("`{}` is not a rule, and suppresses nothing", word.text);
                self.problem(&word.span, message, unknown.help())
            })
            .collect()
    }

    fn without_reason(&self, options: &Options) -> Option<Finding> {
        if self.directive.has_reason || !options.require_reason {
            return None;
        }
        let words: Vec<&str> = self.directive.words.iter().map(|word| word.text.as_str()).collect();
        let order = match self.directive.kind {
            Kind::AllowFile => "idemsql: allow-file ",
            Kind::Noqa => "noqa: ",
            _ => "idemsql: allow ",
        };
        let help = format!("write `{order}{} -- ` and why", words.join(", "));
        Some(self.problem(&self.directive.said, "this suppression gives no reason", help))
    }

    /// The words that suppressed nothing although all their rules are on.
    fn unused(&self, text: &str, options: &Options) -> Option<Finding> {
        let Directive { kind, words, .. } = &self.directive;
        let is_on = |rule: &&Rule| options.rules.iter().any(|(on, _)| on.code == rule.code);
        let is_unused = |at: &usize| {
            let rules = self.rules[*at].as_deref().unwrap_or_default();
            !self.used[*at] && !rules.is_empty() && rules.iter().all(is_on)
        };
        let unused: Vec<usize> = (0..words.len()).filter(is_unused).collect();
        let span = words[*unused.first()?].span.start..words[*unused.last()?].span.end;
        let names = unused.iter().map(|at| match words[*at].text.as_str() {
            word if word.eq_ignore_ascii_case(ALL) => "any rule".to_owned(),
            word => format!("`{word}`"),
        });
        let place = match kind {
            Kind::AllowFile => "in this file",
            _ if self.target.is_none() => "here, because no statement follows",
            _ => "in the statement that this comment is for",
        };
        let message = format!("there is nothing to suppress of {} {place}", names.collect::<Vec<_>>().join(", "));
        let help = if unused.len() == words.len() { "remove the comment" } else { "remove what is not needed" };
        let mut problem = self.problem(&span, message, help);
        problem.fix = self.removal(text, &unused);
        Some(problem)
    }

    /// The fix that takes the unused words away, and with the last of them the comment.
    fn removal(&self, text: &str, unused: &[usize]) -> Option<Fix> {
        let Directive { words, comment, said, .. } = &self.directive;
        let kept: Vec<&str> =
            (0..words.len()).filter(|at| !unused.contains(at)).map(|at| words[at].text.as_str()).collect();
        let edit = if kept.is_empty() {
            // A comment that says more than this is left to a person.
            let more = [comment.start..said.start, said.end..comment.end];
            if more.into_iter().any(|part| text.get(part).is_none_or(|part| part.contains(char::is_alphanumeric))) {
                return None;
            }
            without(text, comment)
        } else {
            let list = words.first()?.span.start..words.last()?.span.end;
            Edit { range: list, text: kept.join(", ") }
        };
        let title = if kept.is_empty() { "remove the comment" } else { "remove what is not needed" };
        Some(Fix { title: title.to_owned(), safety: Safety::Safe, edits: vec![edit] })
    }

    /// A finding about a place in the comment.
    fn problem(&self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Finding {
        let diagnostic = Diagnostic::error(RULE.code, message).at(span.clone(), "").help(help);
        Finding {
            rule: &RULE,
            diagnostic: Diagnostic { severity: RULE.severity, ..diagnostic },
            statement: self.directive.comment.clone(),
            more: Vec::new(),
            fix: None,
            group: None,
            doubles: false,
        }
    }
}

/// The edit that removes a comment: with its whole line when it stands alone there, else with the blanks before it.
fn without(text: &str, comment: &Range<usize>) -> Edit {
    let before = text.get(..comment.start).unwrap_or_default();
    let after = text.get(comment.end..).unwrap_or_default();
    let blank = |c: char| c == ' ' || c == '\t';
    let start = before.trim_end_matches(blank).len();
    let rest = after.trim_start_matches(blank);
    let line_ends = ["\r\n", "\n"].into_iter().find(|end| rest.starts_with(end));
    let begins_line = start == 0 || before[..start].ends_with('\n');
    let new = |range, text: &str| Edit { range, text: text.to_owned() };
    match line_ends {
        Some(end) if begins_line => new(start..text.len() - rest.len() + end.len(), ""),
        Some(_) => new(start..text.len() - rest.len(), ""),
        None if rest.is_empty() => new(start..text.len(), ""),
        // In the middle of a line the words around it must stay apart.
        None if begins_line => new(comment.start..text.len() - rest.len(), ""),
        None => new(start..text.len() - rest.len(), " "),
    }
}
