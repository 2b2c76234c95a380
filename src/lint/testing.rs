//! Rules and findings for the tests of what surrounds the rules.

use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::lint::check::Check;
use crate::lint::finding::{Edit, Finding, Fix, Safety};
use crate::lint::rule::{Class, Rule};
use std::ops::Range;
use std::sync::Arc;

fn silent(_: &mut Check<'_, '_>) {}

const fn rule(code: &'static str, name: &'static str, severity: Severity) -> Rule {
    Rule { code, name, severity, class: Class::Script, setup: "", summary: "", docs: "", check: silent }
}

pub static INSERT: Rule = rule("IDM101", "insert-values-without-guard", Severity::Error);
pub static UPDATE: Rule = rule("IDM201", "self-referential-update", Severity::Error);
pub static CREATE: Rule = rule("IDM501", "create-without-guard", Severity::Warning);
pub static DROP: Rule = rule("IDM502", "drop-without-if-exists", Severity::Info);
pub static UNREAD: Rule = rule("IDM901", "statement-not-checked", Severity::Warning);

/// A few rules, sorted by code.
pub static CATALOGUE: &[&Rule] =
    &[&INSERT, &UPDATE, &CREATE, &DROP, &UNREAD, &crate::lint::rules::suppression_problem::RULE];

/// A text as a file.
pub fn source(text: &str) -> Arc<Source> {
    Arc::new(Source::new("a.sql", text))
}

/// A finding that is about a whole statement.
pub fn finding(rule: &'static Rule, source: &Arc<Source>, statement: Range<usize>) -> Finding {
    let diagnostic = Diagnostic::error(rule.code, "it is wrong").at(statement.clone(), "").in_source(source);
    let diagnostic = Diagnostic { severity: rule.severity, ..diagnostic };
    Finding { rule, diagnostic, statement, more: Vec::new(), fix: None, group: None, doubles: false }
}

/// A fix of one edit.
pub fn fix(safety: Safety, range: Range<usize>, text: &str) -> Fix {
    Fix { title: "mend it".to_owned(), safety, edits: vec![Edit { range, text: text.to_owned() }] }
}
