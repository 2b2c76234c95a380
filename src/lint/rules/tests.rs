//! The catalogue, and every example of every page.
#![allow(clippy::unwrap_used)]

mod inserts;

use super::{ALL, find};
use crate::diagnostic::{Severity, Source};
use crate::dialect;
use crate::lint::finding::Checked;
use crate::lint::known::Known;
use crate::lint::lint;
use crate::lint::options::Options;
use crate::lint::policy::Policy;
use crate::lint::rule::{Example, examples};
use std::sync::Arc;

/// Lints a text with all rules.
pub fn check(name: &str, text: &str, dialect: Option<&str>, policy: Option<&str>) -> Checked {
    let policy = policy.map(|policy| if policy == "once" { Policy::Once } else { Policy::Rerun });
    let options = Options {
        dialect: dialect.map(|name| dialect::find(name).unwrap()),
        policy,
        ..Options::usual(ALL.iter().copied())
    };
    let source = Arc::new(Source::new(name, text));
    lint(&source, &options, &Known::default())
}

fn run(example: &Example) -> Checked {
    let file = example.file.unwrap_or(if example.is_model { "models/x.sql" } else { "x.sql" });
    check(file, example.sql, Some(example.dialect.unwrap_or("postgres")), example.policy)
}

#[test]
fn codes_and_names_are_unique_and_sorted() {
    assert!(ALL.windows(2).all(|two| two[0].code < two[1].code));
    for rule in ALL {
        assert!(rule.code.len() == 6 && rule.code.starts_with("IDM"), "{}", rule.code);
        assert!(rule.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.name);
        assert!(std::ptr::eq(find(rule.name).unwrap(), *rule), "{} is not the only `{}`", rule.code, rule.name);
        assert!(rule.summary.starts_with(char::is_lowercase) || rule.summary.starts_with(char::is_uppercase));
    }
}

#[test]
fn every_page_has_its_parts_and_examples() {
    for rule in ALL {
        let parts: Vec<&str> = rule.docs.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(parts, ["## What it finds", "## Why", "## Instead"], "{}", rule.code);
        let all = examples(rule.docs);
        assert!(all.iter().any(|one| one.bad) && all.iter().any(|one| !one.bad), "{}", rule.code);
        for one in all.iter().filter(|one| one.bad) {
            assert!(["adds", "changes", "fails", "same"].contains(&one.effect), "{}: `{}`", rule.code, one.effect);
        }
    }
}

#[test]
fn bad_examples_are_found_and_good_ones_are_clean() {
    let mut faults = Vec::new();
    for rule in ALL {
        for example in examples(rule.docs) {
            let checked = run(&example);
            let codes: Vec<&str> = checked.findings.iter().map(|finding| finding.rule.code).collect();
            if example.bad && !codes.contains(&rule.code) {
                faults.push(format!("{}: not found, but {codes:?}:\n{}", rule.code, example.sql));
            }
            let loud = checked.findings.iter().any(|finding| finding.severity() > Severity::Info);
            if !example.bad && (codes.contains(&rule.code) || loud) {
                faults.push(format!("{}: should be clean, but {codes:?}:\n{}", rule.code, example.sql));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The same for a fix: it parses, leaves no finding of its rule, and changes nothing outside its edits.
#[test]
fn fixes_of_examples_leave_no_finding() {
    for rule in ALL {
        for example in examples(rule.docs).iter().filter(|one| one.bad) {
            for finding in run(example).findings.iter().filter(|finding| finding.rule.code == rule.code) {
                let Some(fix) = &finding.fix else { continue };
                let mut text = example.sql.to_owned();
                for edit in fix.edits.iter().rev() {
                    text.replace_range(edit.range.clone(), &edit.text);
                }
                let fixed = run(&Example { sql: &text, ..*example });
                assert_eq!(fixed.unread, 0, "{}: {text}", rule.code);
                assert!(fixed.findings.iter().all(|one| one.rule.code != rule.code), "{}: {text}", rule.code);
            }
        }
    }
}
