//! Every format on the same findings, against `fixtures/report/` (`UPDATE=1 cargo test` rewrites it), and on names and
//! texts that try to break it.
#![allow(clippy::unwrap_used)]

use super::{ALL, Format, Report, Run, Skipped, find, values};
use crate::diagnostic::{Diagnostic, Severity, Source, Style};
use crate::lint::finding::{Checked, Edit, Finding, Fix, Safety};
use crate::lint::policy::Policy;
use crate::lint::rule::{Class, Rule};
use clap::Parser as _;
use clap::builder::TypedValueParser as _;
use serde_json::Value;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

static INSERT: Rule = Rule {
    code: "IDM101",
    name: "insert-values-without-guard",
    severity: Severity::Error,
    class: Class::Data,
    setup: "",
    summary: "a row is inserted again",
    docs: "## What it finds\n\nAn INSERT that adds\nits rows again.\n\n```sql,bad\nINSERT INTO t VALUES (1);\n```\n\n## Why\n\n\
           Because.\n\n## Instead\n\n```sql,good,mysql\nINSERT IGNORE INTO t VALUES (1);\n```\n",
    check: |_| {},
};

static CREATE: Rule = Rule {
    code: "IDM501",
    name: "create-without-guard",
    severity: Severity::Info,
    class: Class::Definition,
    setup: "",
    summary: "a table is created without a guard",
    docs: "",
    check: |_| {},
};

/// The bytes of the nth place of a text.
fn nth(text: &str, part: &str, n: usize) -> Range<usize> {
    let (start, _) = text.match_indices(part).nth(n).unwrap();
    start..start + part.len()
}

fn finding(rule: &'static Rule, text: &str, part: &str, message: &str) -> Finding {
    let span = nth(text, part, 0);
    let end = text[span.start..].find(';').map_or(text.len(), |at| span.start + at);
    let mut diagnostic = Diagnostic::error(rule.code, message).at(span.clone(), "");
    diagnostic.severity = rule.severity;
    Finding { rule, diagnostic, statement: span.start..end, more: Vec::new(), fix: None, group: None, doubles: false }
}

fn checked(name: &str, text: &str, findings: Vec<Finding>) -> Checked {
    Checked {
        source: Arc::new(Source::new(name, text)),
        dialect: "postgres",
        policy: Policy::Rerun,
        statements: text.matches(';').count(),
        unread: 0,
        suppressed: 0,
        known: 0,
        findings,
    }
}

const SEED: &str = "CREATE TABLE ref.t (id int, name text);\r\nINSERT INTO ref.t\r\nVALUES (1, 'é𐐀'), (2, 'b');\r\n\
                    INSERT INTO ref.t VALUES (1);\r\nINSERT INTO ref.t  VALUES (1);\r\n-- é𐐀 \
                    /* */ INSERT INTO u\r\n";

/// A file with everything, one without a finding, one with two equal findings.
fn sample() -> Vec<Checked> {
    let mut insert =
        finding(&INSERT, SEED, "INSERT INTO ref.t\r\nVALUES (1, 'é𐐀')", "a second run adds the rows again");
    insert.diagnostic =
        insert.diagnostic.at(nth(SEED, "ref.t", 0), "the table: `{0}`, 100 %").help("add:\n  ON CONFLICT DO NOTHING");
    insert.more = vec![nth(SEED, "INSERT", 1)];
    let end = nth(SEED, ";", 1);
    insert.fix = Some(Fix {
        title: "add ON CONFLICT".to_owned(),
        safety: Safety::Unsafe,
        edits: vec![
            Edit { range: nth(SEED, "b'", 0), text: String::new() },
            Edit { range: end.start..end.start, text: "\nON CONFLICT DO NOTHING".to_owned() },
        ],
    });
    let mut create = finding(&CREATE, SEED, "CREATE TABLE", "a second run fails: `ref.t` exists");
    let at = nth(SEED, " ref.t", 0).start;
    create.fix = Some(Fix {
        title: "add IF NOT EXISTS".to_owned(),
        safety: Safety::Safe,
        edits: vec![Edit { range: at..at, text: " IF NOT EXISTS".to_owned() }],
    });
    let wide = finding(&INSERT, SEED, "INSERT INTO u", "a second run adds the rows again");
    let twice = "insert INTO a;\ninsert  INTO a;\n";
    let mut again = finding(&INSERT, twice, "insert  INTO", "a second run adds the row again");
    again.diagnostic.severity = Severity::Warning;
    let first = finding(&INSERT, twice, "insert INTO", "a second run adds the row again");
    vec![
        checked("./db/my seed.sql", SEED, vec![create, insert, wide]),
        Checked { suppressed: 2, known: 1, unread: 1, ..checked("db/quiet.sql", "SELECT 1;\n", Vec::new()) },
        checked("db/twice.sql", twice, vec![first, again]),
    ]
}

fn sample_run(checked: &[Checked]) -> Run {
    let skipped = Skipped { path: "db/picture.sql".to_owned(), reason: "it is not text".to_owned() };
    Run { skipped: vec![skipped], hidden: 4, fixed: 1, ..Run::of(checked) }
}

/// Names and texts that others chose.
fn hostile() -> Vec<Checked> {
    let text = "-- \u{1b}[31m\t\u{9b}1m ]]> <!-- \u{202e}\r\nINSERT INTO \"a<&>\u{1b}\"\t VALUES ('\u{0}é\u{fffe}');\nINSERT INTO c";
    let names = [
        "a\nb\r.sql",
        "a\"b'<c>&d.sql",
        "\u{1b}[2J.sql",
        "\u{fffd}\u{9b}31m.sql",
        "t\tab.sql",
        "::error::x,y:z%0A.sql",
        "日本 語.sql",
        "/abs/é.sql",
        "-",
        "",
    ];
    names
        .into_iter()
        .map(|name| {
            let message = format!("`{name}` \u{1b}[1m ::error::\r\n ]]> {{0}} \"<&>' \u{7f}\u{85}\u{2028}\u{ffff}");
            let mut one = finding(&INSERT, text, "INSERT INTO \"a<&>\u{1b}\"\t", &message);
            one.diagnostic = one.diagnostic.at(0..4, message.clone()).at(7..text.len() + 9, "").help(message.clone());
            one.more = vec![nth(text, "INSERT", 1), text.len() + 5..text.len() + 7];
            one.fix = Some(Fix {
                title: message,
                safety: Safety::Safe,
                edits: vec![Edit { range: 5..6, text: "\u{1b}\u{0}".to_owned() }],
            });
            let mut placeless = finding(&CREATE, text, "INSERT", "");
            placeless.diagnostic.labels.clear();
            checked(name, text, vec![one, placeless])
        })
        .collect()
}

fn written(format: &Format, checked: &[Checked], run: &Run) -> String {
    (format.write)(&Report { checked, run, style: Style::Plain })
}

fn all_cases() -> Vec<(Vec<Checked>, Run)> {
    let sample = sample();
    let hostile = hostile();
    let run = sample_run(&sample);
    let path = hostile[2].source.name.clone();
    let skipped = vec![Skipped { path: path.clone(), reason: path }];
    let hostile_run = Run { skipped, ..Run::of(&hostile) };
    vec![(sample, run), (hostile, hostile_run), (Vec::new(), Run::default())]
}

/// Compares with a file of `fixtures/report/`, or rewrites it.
#[track_caller]
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/report").join(name);
    let text = text.replace(&format!("\"{}\"", super::VERSION), "\"VERSION\"");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
}

#[test]
fn the_formats_write_what_is_expected() {
    let checked = sample();
    let run = sample_run(&checked);
    for format in ALL {
        let ending = match format.name {
            "json" | "gitlab" | "rdjson" | "sarif" => "json",
            "junit" => "xml",
            "jsonl" => "jsonl",
            _ => "txt",
        };
        let text = written(format, &checked, &run);
        golden(&format!("{}.{ending}", format.name), &text);
        assert_eq!(text, written(format, &checked, &run));
    }
}

#[test]
fn every_expected_file_is_written_by_a_format() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/report");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(find(stem).is_some(), "{}", path.display());
    }
}

#[derive(clap::Parser)]
struct Arguments {
    #[arg(long, value_parser = values(), default_value = "full")]
    format: &'static Format,
}

#[test]
fn the_command_line_lists_every_format() {
    let names: Vec<String> = values().possible_values().unwrap().map(|value| value.get_name().to_owned()).collect();
    assert_eq!(names, ALL.iter().map(|format| format.name).collect::<Vec<_>>());
    assert_eq!(Arguments::try_parse_from(["x"]).unwrap().format.name, "full");
    assert_eq!(Arguments::try_parse_from(["x", "--format", "sarif"]).unwrap().format.name, "sarif");
    assert!(Arguments::try_parse_from(["x", "--format", "xml"]).is_err());
}

#[test]
fn no_format_prints_what_a_terminal_obeys() {
    for (checked, run) in all_cases() {
        for format in ALL {
            let text = written(format, &checked, &run);
            let bad = text.chars().find(|character| character.is_control() && *character != '\n');
            assert_eq!(bad, None, "{}: {text}", format.name);
            assert!(!text.contains('\u{202e}'), "{}", format.name);
        }
    }
}

#[test]
fn full_has_colours_when_asked() {
    let checked = sample();
    let run = sample_run(&checked);
    let text = (super::full::FORMAT.write)(&Report { checked: &checked, run: &run, style: Style::Colour });
    assert!(text.contains("\u{1b}["));
}

#[test]
fn full_stays_short_on_a_long_file() {
    let row = "INSERT INTO t VALUES (1);\n";
    let text = row.repeat(100_000);
    let source = Arc::new(Source::new("long.sql", text.clone()));
    let findings = (0..400).map(|number| {
        let start = number * 200 * row.len();
        let diagnostic = Diagnostic::error("x", "m").at(start..text.len(), "").at(0..6, "first");
        Finding {
            rule: &INSERT,
            diagnostic,
            statement: start..text.len(),
            more: Vec::new(),
            fix: None,
            group: None,
            doubles: false,
        }
    });
    let all = vec![Checked { source, ..checked("", "", findings.collect()) }];
    let text = written(&super::full::FORMAT, &all, &Run::of(&all));
    assert!(text.len() < 400 * 1000, "{}", text.len());
}

#[test]
fn concise_and_github_write_one_line_a_finding() {
    for (checked, run) in all_cases() {
        let concise = written(&super::concise::FORMAT, &checked, &run);
        assert_eq!(concise.lines().count(), run.findings(), "{concise}");
        let github = written(&super::github::FORMAT, &checked, &run);
        assert_eq!(github.lines().count(), run.findings(), "{github}");
        for line in github.lines() {
            // The command and its properties end at the first "::" behind them.
            let (properties, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
            let (command, properties) = properties.split_once(' ').unwrap();
            assert!(["error", "warning", "notice"].contains(&command));
            let keys: Vec<&str> = properties.split(',').map(|one| one.split_once('=').unwrap().0).collect();
            assert!(
                keys == ["file", "line", "col", "endLine", "endColumn", "title"]
                    || keys == ["file", "line", "endLine", "title"]
            );
            assert!(!message.contains('\r'));
        }
    }
}

#[test]
fn json_says_the_same_in_both_forms() {
    for (checked, run) in all_cases() {
        let whole: Value = serde_json::from_str(&written(&super::json::FORMAT, &checked, &run)).unwrap();
        let findings = whole["findings"].as_array().unwrap();
        assert_eq!(findings.len(), run.findings());
        let lines = written(&super::jsonl::FORMAT, &checked, &run);
        let mut lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let last = lines.pop().unwrap();
        assert_eq!(last["type"], "summary");
        for (key, value) in whole["summary"].as_object().unwrap() {
            assert_eq!(&last[key], value, "{key}");
        }
        for (finding, line) in findings.iter().zip(&mut lines) {
            assert_eq!(line["type"], "finding");
            line.as_object_mut().unwrap().shift_remove("type");
            assert_eq!(finding, line);
        }
        // A path is in there as it is, whatever it has.
        let paths: Vec<&str> =
            whole["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
        assert_eq!(paths, checked.iter().map(|one| one.source.name.as_str()).collect::<Vec<_>>());
    }
}

#[test]
fn fingerprints_differ_and_stay_when_lines_move() {
    let prints = |checked: &[Checked]| {
        let text = written(&super::gitlab::FORMAT, checked, &Run::of(checked));
        let all: Vec<Value> = serde_json::from_str(&text).unwrap();
        all.iter().map(|one| one["fingerprint"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (checked, _) in all_cases() {
        let mut all = prints(&checked);
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }
    let at = |text: &str| vec![checked("a.sql", text, vec![finding(&INSERT, text, "INSERT", "m")])];
    let before = prints(&at("INSERT INTO t\n  VALUES (1);"));
    assert_eq!(before, prints(&at("\n\n-- moved\nINSERT  INTO t VALUES (1);\nSELECT 1;")));
    assert_ne!(before, prints(&at("INSERT INTO t VALUES (2);")));
}

/// The schema of SARIF 2.1.0 as the package `serde-sarif` carries it.
fn schema() -> Value {
    let cargo = |arguments: &[&str]| {
        let program = std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
        let output = Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // Packages of other machines may never have been fetched.
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata = cargo(&["metadata", "--format-version", "1", "--offline", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let package = metadata["packages"].as_array().unwrap().iter().find(|one| one["name"] == "serde-sarif").unwrap();
    let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
    let schema = std::fs::read_to_string(folder.join("src/schema.json")).unwrap();
    // An early copy of it has a pattern with a bracket too many, which is no regular expression; the published one has not.
    serde_json::from_str(&schema.replace("[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?", "[a-zA-Z]{2}(-[a-zA-Z]{2})?"))
        .unwrap()
}

#[test]
fn sarif_keeps_to_its_schema() {
    let validator = jsonschema::options().should_validate_formats(true).build(&schema()).unwrap();
    assert!(!validator.is_valid(&serde_json::json!({"version": "2.1.0", "runs": [{}]})), "the schema refuses nothing");
    for (checked, run) in all_cases() {
        let log: Value = serde_json::from_str(&written(&super::sarif::FORMAT, &checked, &run)).unwrap();
        let faults: Vec<String> =
            validator.iter_errors(&log).map(|fault| format!("{fault} at {}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        serde_json::from_value::<serde_sarif::sarif::Sarif>(log.clone()).unwrap();
        let run = &log["runs"][0];
        for result in run["results"].as_array().unwrap() {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
    }
}

#[test]
fn junit_is_xml_and_counts_right() {
    for (checked, run) in all_cases() {
        let text = written(&super::junit::FORMAT, &checked, &run);
        let document = roxmltree::Document::parse(&text).unwrap();
        let root = document.root_element();
        let count = |node: roxmltree::Node<'_, '_>, tag: &str| {
            node.descendants().filter(|one| one.has_tag_name(tag)).count().to_string()
        };
        for suite in root.children().filter(roxmltree::Node::is_element).chain([root]) {
            assert_eq!(suite.attribute("tests"), Some(count(suite, "testcase").as_str()));
            assert_eq!(suite.attribute("failures"), Some(count(suite, "failure").as_str()));
            assert_eq!(suite.attribute("skipped"), Some(count(suite, "skipped").as_str()));
        }
        assert_eq!(count(root, "failure"), run.findings().to_string());
    }
}

#[test]
fn rdjson_counts_bytes_and_joins_edits() {
    let checked = sample();
    let log: Value = serde_json::from_str(&written(&super::rdjson::FORMAT, &checked, &sample_run(&checked))).unwrap();
    let insert = &log["diagnostics"][1];
    assert_eq!(insert["location"]["range"]["end"], serde_json::json!({"line": 3, "column": 21}));
    assert_eq!(insert["suggestions"][0]["text"], ")\nON CONFLICT DO NOTHING");
}
