//! Phrases that several formats share.

use crate::diagnostic::Bulk;
use crate::diagnostic::Severity;
use crate::lint::finding::{Finding, Fix, Safety};

use super::place::Lines;

/// How many lines are named before the rest is only counted.
const NAMED: usize = 10;

/// What is said at a further place of a finding.
pub const SAME: &str = "the same is true here";

/// A number and its noun: "1 file", "2 files".
pub fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The further places that a finding stands for: "and at 3 more places: lines 12, 19, 24".
pub fn more(lines: &Lines<'_>, finding: &Finding) -> Option<String> {
    let places = counted(finding.more.len() + unseen(lines, finding), "more place");
    let mut numbers: Vec<usize> = finding.more.iter().map(|range| lines.line(range.start)).collect();
    numbers.dedup();
    let named: Vec<String> = numbers.iter().take(NAMED).map(ToString::to_string).collect();
    let rest = numbers.len().saturating_sub(NAMED);
    let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let line = if numbers.len() == 1 { "line" } else { "lines" };
    (!numbers.is_empty()).then(|| format!("and at {places}: {line} {}{rest}", named.join(", ")))
}

/// How many statements of a long run of like ones were left out among those of a finding.
fn unseen(lines: &Lines<'_>, finding: &Finding) -> usize {
    let Some(last) = finding.more.last() else { return 0 };
    let between = lines.left_out(&(finding.statement.start..last.end));
    let statements = between.iter().map(|one| match one.what {
        Bulk::Statements(count) => usize::try_from(count).unwrap_or(usize::MAX),
        _ => 0,
    });
    statements.sum()
}

/// Message, help and further places, a line each: for formats that have one text only.
pub fn whole(lines: &Lines<'_>, finding: &Finding) -> String {
    let help = finding.diagnostic.help.as_ref().map(|help| format!("help: {help}"));
    let parts = [Some(finding.diagnostic.message.clone()), more(lines, finding), help];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The option that makes a fix.
pub fn option(fix: &Fix) -> &'static str {
    match fix.safety {
        Safety::Safe => "--fix",
        Safety::Unsafe => "--unsafe-fixes",
    }
}

/// One of three words, by severity.
pub fn by_severity(severity: Severity, error: &'static str, warning: &'static str, info: &'static str) -> &'static str {
    match severity {
        Severity::Error => error,
        Severity::Warning => warning,
        Severity::Info => info,
    }
}

/// The command that shows a rule's page.
pub fn page(finding: &Finding) -> String {
    format!("idemsql explain {}", finding.rule.code)
}

#[cfg(test)]
mod tests {
    use super::{Finding, Lines};
    use crate::diagnostic::{Diagnostic, Severity, Source};
    use crate::lint::rule::{Class, Rule};

    static RULE: Rule = Rule {
        code: "IDM101",
        name: "some-rule",
        severity: Severity::Error,
        class: Class::Data,
        setup: "",
        summary: "",
        docs: "",
        check: |_| {},
    };

    #[test]
    fn many_places_are_counted_and_few_named() {
        let source = Source::new("", "a\n".repeat(30));
        let said = |places: &[usize]| {
            let more = places.iter().map(|line| line * 2 - 2..line * 2 - 1).collect();
            let diagnostic = Diagnostic::error("IDM101", "");
            super::more(
                &Lines::of(&source),
                &Finding { rule: &RULE, diagnostic, statement: 0..1, more, fix: None, group: None, doubles: false },
            )
        };
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[12]).as_deref(), Some("and at 1 more place: line 12"));
        assert_eq!(said(&[12, 19, 24]).as_deref(), Some("and at 3 more places: lines 12, 19, 24"));
        assert_eq!(said(&[3, 3]).as_deref(), Some("and at 2 more places: line 3"));
        let all: Vec<usize> = (2..=14).collect();
        assert_eq!(
            said(&all).as_deref(),
            Some("and at 13 more places: lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more")
        );
    }
}
