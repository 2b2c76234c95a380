//! Suppressions on whole texts: what is left, what is said of the comments, and what their fixes make of the text.

#![allow(clippy::unwrap_used)]

use super::{narrow, with};
use crate::diagnostic::{Severity, Source};
use crate::lint::finding::Finding;
use crate::lint::fix::apply;
use crate::lint::options::Options;
use crate::lint::testing::{CATALOGUE, CREATE, INSERT, UNREAD, finding, source};
use std::ops::Range;
use std::sync::Arc;

/// Every statement begins at `INSERT` or `CREATE` and goes to its `;`; every `INSERT` has a finding, and so has `CREATE x`.
struct Case {
    source: Arc<Source>,
    comments: Vec<Range<usize>>,
    statements: Vec<Range<usize>>,
    findings: Vec<Finding>,
}

fn case(text: &str) -> Case {
    let source = source(text);
    let mut comments = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("--").map(|found| at + found) {
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        comments.push(start..end);
        at = end;
    }
    let mut statements = Vec::new();
    let mut findings = Vec::new();
    for word in ["INSERT", "CREATE"] {
        for (start, _) in text.match_indices(word) {
            let end = start + text[start..].find(';').unwrap() + 1;
            statements.push(start..end);
            if word == "INSERT" {
                findings.push(finding(&INSERT, &source, start..end));
            } else if text[start..].starts_with("CREATE x") {
                findings.push(finding(&CREATE, &source, start..end));
            }
        }
    }
    Case { source, comments, statements, findings }
}

fn options() -> Options {
    Options { rules: CATALOGUE.iter().map(|rule| (*rule, None)).collect(), ..Options::default() }
}

/// Code and first words of what is left.
fn left(text: &str, options: &Options) -> Vec<String> {
    let Case { source, comments, statements, findings } = case(text);
    let all = with(CATALOGUE, &source, &comments, &statements, findings, options);
    all.findings.iter().map(|one| format!("{} {}", one.rule.code, &source.text[one.span()])).collect()
}

/// The text after the fixes of all that is said about comments.
fn mended(text: &str) -> String {
    let Case { source, comments, statements, findings } = case(text);
    let all = with(CATALOGUE, &source, &comments, &statements, findings, &options());
    let fixes: Vec<_> = all.findings.iter().filter_map(|one| one.fix.as_ref()).collect();
    apply(text, &fixes).text
}

#[test]
fn a_comment_covers_one_statement_or_the_file() {
    for text in [
        "-- idemsql: allow IDM101\nINSERT 1;\n",
        "-- idemsql: allow insert-values-without-guard -- a log\n\n-- more\nINSERT 1;\n",
        "INSERT 1; -- idemsql: allow IDM1\n",
        "INSERT -- idemsql: allow all\n1;\n",
        "INSERT 1; -- noqa: LT01,IDM101\n",
        "-- idemsql: allow-file IDM101\nINSERT 1;\nINSERT 2;\n",
        "INSERT 1;\nINSERT 2;\n-- idemsql: allow-file IDM\n",
    ] {
        assert_eq!(left(text, &options()), [] as [&str; 0], "{text}");
    }
    assert_eq!(left("-- idemsql: allow IDM101\nINSERT 1;\nINSERT 2;", &options()), ["IDM101 INSERT 2;"]);
    assert_eq!(left("INSERT 1;\n-- idemsql: allow IDM101\nINSERT 2;", &options()), ["IDM101 INSERT 1;"]);
    assert_eq!(left("-- just a comment\nINSERT 1;", &options()), ["IDM101 INSERT 1;"]);
}

#[test]
fn a_comment_that_does_nothing_is_told() {
    for (text, is) in [
        ("-- idemsql: allow IDM501\nINSERT 1;", &["IDM101 INSERT 1;", "IDM902 IDM501"][..]),
        ("-- idemsql: allow IDM101, IDM501\nINSERT 1;", &["IDM902 IDM501"]),
        ("-- idemsql: allow IDM101 because\nINSERT 1;", &["IDM902 because"]),
        ("-- idemsql: allow\nCREATE;", &["IDM902 idemsql: allow"]),
        ("-- idemsql: ignore IDM101\nCREATE;", &["IDM902 idemsql: ignore IDM101"]),
        ("-- idemsql: allow-file all\nCREATE;", &["IDM902 all"]),
        ("CREATE;\n-- idemsql: allow IDM101\n", &["IDM902 IDM101"]),
        ("CREATE; -- noqa: IDM101\n", &["IDM902 IDM101"]),
        ("CREATE; -- noqa\n", &[]),
        ("INSERT 1; -- noqa\n", &["IDM101 INSERT 1;", "IDM902 noqa"]),
        ("-- idemsql: allow-file IDM902\n-- idemsql: allow IDM101\nCREATE;", &[]),
    ] {
        assert_eq!(left(text, &options()), is, "{text}");
    }
}

#[test]
fn a_rule_that_is_off_leaves_its_suppression_in_peace() {
    let mut off = options();
    off.rules.retain(|(rule, _)| rule.code != "IDM501");
    assert_eq!(left("-- idemsql: allow IDM501\nCREATE;", &off), [] as [&str; 0]);
    assert_eq!(left("-- idemsql: allow IDM5\nCREATE;", &off), [] as [&str; 0]);
    assert_eq!(left("-- idemsql: allow all\nCREATE;", &off), [] as [&str; 0]);
    // The rule about comments may be off, and may have another severity.
    off.rules.retain(|(rule, _)| rule.code != "IDM902");
    assert_eq!(left("-- idemsql: allow IDM101, no\nCREATE;", &off), [] as [&str; 0]);
    let mut strict = options();
    strict.rules.iter_mut().for_each(|(_, severity)| *severity = Some(Severity::Error));
    let Case { source, comments, statements, findings } = case("-- idemsql: allow IDM101\nCREATE;");
    let all = with(CATALOGUE, &source, &comments, &statements, findings, &strict);
    assert_eq!(all.findings[0].severity(), Severity::Error);
}

#[test]
fn a_statement_that_was_not_read_keeps_its_suppression() {
    let mut case = case("-- idemsql: allow IDM101\nCREATE;");
    case.findings.push(finding(&UNREAD, &case.source, case.statements[0].clone()));
    let all = with(CATALOGUE, &case.source, &case.comments, &case.statements, case.findings, &options());
    assert_eq!(all.findings.iter().map(|one| one.rule.code).collect::<Vec<_>>(), ["IDM901"]);
}

#[test]
fn a_reason_can_be_asked_for() {
    let strict = Options { require_reason: true, ..options() };
    assert_eq!(left("-- idemsql: allow IDM101\nINSERT 1;", &strict), ["IDM902 idemsql: allow IDM101"]);
    assert_eq!(left("-- idemsql: allow IDM101 -- why\nINSERT 1;", &strict), [] as [&str; 0]);
    assert_eq!(left("INSERT 1; -- noqa: IDM101\n", &strict), ["IDM902 noqa: IDM101"]);
}

#[test]
fn what_is_not_needed_is_removed_and_nothing_else() {
    for (text, is) in [
        ("CREATE;\r\n  -- idemsql: allow IDM101\r\nCREATE;\r\n", "CREATE;\r\nCREATE;\r\n"),
        ("CREATE;  -- idemsql: allow IDM101 -- why\nCREATE;\n", "CREATE;\nCREATE;\n"),
        ("CREATE;\n-- idemsql: allow IDM101", "CREATE;\n"),
        ("-- idemsql: allow IDM501, IDM101 -- why\nINSERT 1;\n", "-- idemsql: allow IDM101 -- why\nINSERT 1;\n"),
        ("CREATE; -- noqa: LT01, IDM101\n", "CREATE; -- noqa: LT01\n"),
        ("CREATE; -- noqa: IDM101\n", "CREATE;\n"),
        ("-- idemsql: allow no-such\nCREATE;\n", "-- idemsql: allow no-such\nCREATE;\n"),
        ("-- idemsql: allow no-such, IDM101\nCREATE;\n", "-- idemsql: allow no-such\nCREATE;\n"),
    ] {
        assert_eq!(mended(text), is, "{text}");
    }
}

#[test]
fn a_comment_between_words_leaves_them_apart() {
    for (text, is) in [
        ("CREATE/* idemsql: allow IDM101 */x ;", "CREATE x ;"),
        ("CREATE /* idemsql: allow IDM101 */ x ;", "CREATE x ;"),
        ("/* idemsql: allow IDM101 */ CREATE;", "CREATE;"),
        ("/* a table\n idemsql: allow IDM101 */ CREATE;", "/* a table\n idemsql: allow IDM101 */ CREATE;"),
    ] {
        let source = source(text);
        let comment = text.find("/*").unwrap()..text.find("*/").unwrap() + 2;
        let start = text.find("CREATE").unwrap();
        let statement = start..text.len();
        let statements = std::slice::from_ref(&statement);
        let all = with(CATALOGUE, &source, &[comment], statements, Vec::new(), &options());
        let fixes: Vec<_> = all.findings.iter().filter_map(|one| one.fix.as_ref()).collect();
        assert_eq!(all.findings.len(), 1);
        assert_eq!(apply(text, &fixes).text, is);
    }
}

#[test]
fn a_finding_for_several_statements_is_narrowed() {
    let text = "INSERT 1;\nINSERT 2; -- idemsql: allow IDM101\nINSERT 3;";
    let mut case = case(text);
    let mut one = case.findings.remove(0);
    one.more = case.statements[1..].to_vec();
    let all = with(CATALOGUE, &case.source, &case.comments, &case.statements, vec![one.clone()], &options());
    assert_eq!((all.findings.len(), all.suppressed), (1, 1));
    assert_eq!(all.findings[0].statement, case.statements[0]);
    assert_eq!(all.findings[0].more, [case.statements[2].clone()]);
    // The next one takes the place of the main one.
    let next = narrow(one.clone(), |range| *range == case.statements[0]).unwrap();
    assert_eq!((next.span(), next.more.len()), (case.statements[1].clone(), 1));
    assert!(narrow(one, |_| true).is_none());
}

#[test]
fn thousands_of_comments_are_no_matter() {
    let text = "-- idemsql: allow IDM101\nINSERT 1;\n".repeat(5000);
    let started = std::time::Instant::now();
    assert_eq!(left(&text, &options()), [] as [&str; 0]);
    assert!(started.elapsed().as_secs() < 5);
}
