//! Scripts of every shape, and what the linter must say of each: `fixtures/lint`.

use idemsql::diagnostic::Source;
use idemsql::dialect;
use idemsql::lint::known::Known;
use idemsql::lint::options::Options;
use idemsql::lint::{lint, rules};
use idemsql::sql::decode::decode;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// `fixtures/lint/<case>/`: scripts, and `verdict.txt` with what must be said of each: see CONTRIBUTING.
///
/// `LINT_CASE=idm101 cargo test --test it verdicts` runs the cases whose name holds the text.
#[test]
fn the_linter_says_what_the_verdicts_say() {
    let only = std::env::var("LINT_CASE").unwrap_or_default();
    let mut faults = Vec::new();
    let mut cases: Vec<_> = fs::read_dir("fixtures/lint").unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|case| case.is_dir());
    cases.sort();
    for case in cases.iter().filter(|case| case.to_string_lossy().contains(&only)) {
        let verdict = fs::read_to_string(case.join("verdict.txt")).unwrap();
        let lines = verdict.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in lines {
            let (file, rest) = line.split_once(' ').unwrap();
            let (file, at) = file.split_once(':').map_or((file, ""), |(file, _)| (file, &line[file.len() + 1..]));
            files.entry(file).or_default().push(if at.is_empty() { rest } else { at });
        }
        for (file, wants) in files {
            faults.extend(verdict_of(case, file, &wants));
        }
    }
    assert!(faults.is_empty(), "\n{}\n{} faults", faults.join("\n"), faults.len());
}

fn verdict_of(case: &Path, file: &str, wants: &[&str]) -> Vec<String> {
    let bytes = fs::read(case.join(file)).unwrap();
    let text = decode(bytes).text;
    let dialect = wants.iter().find_map(|want| want.strip_prefix("dialect "));
    let options = Options {
        dialect: dialect.map(|name| dialect::find(name).unwrap()),
        ..Options::usual(rules::ALL.iter().copied())
    };
    let checked = lint(&Arc::new(Source::new(file, text)), &options, &Known::default());
    let found: Vec<String> = checked
        .findings
        .iter()
        .map(|finding| {
            let line = checked.source.position(finding.statement.start).line;
            format!("{line} {} {}", finding.rule.code, finding.severity().name())
        })
        .collect();
    let place = format!("{}/{file}", case.file_name().unwrap().to_string_lossy());
    let quiet = wants.contains(&"quiet");
    let wanted: Vec<(&str, bool)> = wants
        .iter()
        .filter(|want| want.starts_with(|c: char| c.is_ascii_digit()))
        .map(|want| (want.trim_end_matches('?').trim(), want.ends_with('?')))
        .collect();
    let meets = |want: &str, one: &str| {
        want.split(' ').zip(one.split(' ')).all(|(want, one)| want.split('|').any(|choice| choice == one))
    };
    let missing = wanted.iter().filter(|(want, may)| !may && !found.iter().any(|one| meets(want, one)));
    let mut faults: Vec<String> =
        missing.map(|(want, _)| format!("{place}: missing {want} (found {found:?})")).collect();
    for one in &found {
        if !wanted.iter().any(|(want, _)| meets(want, one)) && (quiet || !one.ends_with("info")) {
            faults.push(format!("{place}: too much: {one}"));
        }
    }
    faults
}
