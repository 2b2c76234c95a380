//! Comments that suppress findings: which findings they cover, and which comments do not do what they say.

mod directive;
mod place;
mod problem;

use crate::diagnostic::Source;
use crate::lint::finding::Finding;
use crate::lint::options::Options;
use crate::lint::rule::Rule;
use crate::lint::rules;
use crate::lint::rules::suppression_problem::RULE;
use crate::lint::selector::{Unknown, select};
use directive::{Directive, Kind, directives};
use place::Statements;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What is left of the findings.
#[derive(Clone, Debug)]
pub struct Suppressed {
    /// Those that no comment covers, in their order, and behind them those about the comments.
    pub findings: Vec<Finding>,
    /// How many a comment covers, wholly or for some of their statements.
    pub suppressed: usize,
}

/// Takes away the findings that the comments of a script suppress, and adds those about the comments. `statements` are
/// the bytes of every statement; one may stand in another, as in the body of a routine.
pub fn suppress(
    source: &Arc<Source>,
    comments: &[Range<usize>],
    statements: &[Range<usize>],
    findings: Vec<Finding>,
    options: &Options,
) -> Suppressed {
    with(rules::ALL, source, comments, statements, findings, options)
}

/// What is left of a finding when some of its statements are taken away; `None` when nothing is. The first statement that
/// is left becomes the main one.
pub fn narrow(finding: Finding, gone: impl Fn(&Range<usize>) -> bool) -> Option<Finding> {
    let Finding { rule, mut diagnostic, mut statement, more, mut fix, group, doubles } = finding;
    let mut more: Vec<Range<usize>> = more.into_iter().filter(|range| !gone(range)).collect();
    if gone(&statement) {
        if more.is_empty() {
            return None;
        }
        statement = more.remove(0);
        diagnostic.labels.clear();
        diagnostic = diagnostic.at(statement.clone(), "");
        // It was made for the statement that is gone.
        fix = None;
    }
    Some(Finding { rule, diagnostic, statement, more, fix, group, doubles })
}

/// One comment at work.
struct Allowance {
    directive: Directive,
    /// What each word names.
    rules: Vec<Result<Vec<&'static Rule>, Unknown>>,
    /// Which words suppressed something.
    used: Vec<bool>,
    /// The statement that it is for; none for a whole file, and where no statement follows.
    target: Option<usize>,
}

impl Allowance {
    /// True when it names the rule; the words that do so count as used.
    fn covers(&mut self, rule: &Rule) -> bool {
        let mut covered = false;
        for (rules, used) in self.rules.iter().zip(&mut self.used) {
            let names = rules.as_ref().is_ok_and(|rules| rules.iter().any(|one| one.code == rule.code));
            *used |= names;
            covered |= names;
        }
        covered
    }
}

/// The comments of a script that speak to us.
struct Allowances {
    all: Vec<Allowance>,
    /// Those for one statement, by its number.
    by_statement: BTreeMap<usize, Vec<usize>>,
    /// Those for the whole file.
    by_file: Vec<usize>,
    statements: Statements,
}

impl Allowances {
    fn new(text: &str, said: Vec<Directive>, statements: Statements, catalogue: &[&'static Rule]) -> Self {
        let mut made = Self { all: Vec::new(), by_statement: BTreeMap::new(), by_file: Vec::new(), statements };
        for directive in said {
            let target = match directive.kind {
                Kind::AllowFile => None,
                _ => made.statements.meant_by(text, &directive.comment),
            };
            let number = made.all.len();
            match (directive.kind, target) {
                (Kind::AllowFile, _) => made.by_file.push(number),
                (Kind::Allow | Kind::Noqa, Some(statement)) => {
                    made.by_statement.entry(statement).or_default().push(number);
                }
                _ => {}
            }
            let named =
                |word: &directive::Word| if word.is_ours { select(&word.text, catalogue) } else { Ok(Vec::new()) };
            let rules: Vec<_> = directive.words.iter().map(named).collect();
            made.all.push(Allowance { used: vec![false; rules.len()], rules, directive, target });
        }
        made
    }

    /// True when a finding of the rule at that statement is suppressed.
    fn cover(&mut self, rule: &Rule, statement: &Range<usize>) -> bool {
        let here = self.statements.around(statement.start).filter_map(|at| self.by_statement.get(&at)).flatten();
        let mut covered = false;
        for at in here.chain(&self.by_file) {
            // Each of them counts as used, so each is asked.
            covered |= self.all[*at].covers(rule);
        }
        covered
    }

    /// True when the finding is at the statement of the comment or inside it.
    fn is_at(&self, allowance: &Allowance, finding: &Finding) -> bool {
        match (allowance.directive.kind, allowance.target) {
            (Kind::AllowFile, _) => true,
            (_, Some(target)) => self.statements.around(finding.statement.start).any(|at| at == target),
            (_, None) => false,
        }
    }
}

fn with(
    catalogue: &[&'static Rule],
    source: &Arc<Source>,
    comments: &[Range<usize>],
    statements: &[Range<usize>],
    findings: Vec<Finding>,
    options: &Options,
) -> Suppressed {
    let text = source.text.as_str();
    let said: Vec<Directive> = comments.iter().flat_map(|comment| directives(text, comment)).collect();
    if said.is_empty() {
        return Suppressed { findings, suppressed: 0 };
    }
    let mut allowances = Allowances::new(text, said, Statements::new(statements), catalogue);
    let mut suppressed = 0;
    let mut left = Vec::new();
    for finding in findings {
        let rule = finding.rule;
        let places = std::iter::once(&finding.statement).chain(&finding.more);
        let covered: Vec<Range<usize>> = places.filter(|place| allowances.cover(rule, place)).cloned().collect();
        suppressed += usize::from(!covered.is_empty());
        left.extend(narrow(finding, |place| covered.contains(place)));
    }
    if let Some((_, severity)) = options.rules.iter().find(|(rule, _)| rule.code == RULE.code) {
        let problems = allowances.problems(text, &left, options);
        // `all` does not hide that there was nothing to allow.
        let named = |rules: &Vec<&Rule>| matches!(rules.as_slice(), [one] if one.code == RULE.code);
        let mut by_file = allowances.by_file.iter().flat_map(|at| &allowances.all[*at].rules);
        let allowed = by_file.any(|rules| rules.as_ref().is_ok_and(named));
        for mut problem in problems {
            if allowed {
                suppressed += 1;
                continue;
            }
            problem.diagnostic.severity = severity.unwrap_or(problem.diagnostic.severity);
            problem.diagnostic.source = Some(Arc::clone(source));
            left.push(problem);
        }
    }
    Suppressed { findings: left, suppressed }
}

#[cfg(test)]
mod tests;
