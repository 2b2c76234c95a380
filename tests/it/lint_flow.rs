//! `idemsql lint` from the script to the exit code: what is found, shown, suppressed, known, mended.

use crate::cli::{Desk, Ran, finish};
use serde_json::Value;
use std::fs;

/// An error in any file: a second run adds the row again.
const INSERT: &str = "INSERT INTO ref.status (code, label) VALUES ('O', 'open');\n";

/// A warning in a file that is run again, with a safe fix.
const DROP: &str = "DROP TABLE old_status;\n";

/// What the fix makes of it.
const DROPPED: &str = "DROP TABLE IF EXISTS old_status;\n";

fn desk(files: &[(&str, &str)]) -> Desk {
    let desk = Desk::new();
    for (file, text) in files {
        desk.write(file, text);
    }
    desk
}

/// A run for files that are run again, in a dialect that has every guard.
fn lint(desk: &Desk, arguments: &[&str]) -> Ran {
    desk.run(&[&["lint", "--policy", "rerun", "--dialect", "postgres"], arguments].concat())
}

/// The lines of the findings as `file:line:code`, whatever a report is made of.
fn found(desk: &Desk, arguments: &[&str]) -> Vec<String> {
    let ran = lint(desk, &[&["--format", "concise"], arguments].concat());
    let place = |line: &str| {
        let code = line.split(['[', ']', ' ']).find(|word| word.starts_with("IDM"))?;
        let mut parts = line.split(':');
        Some(format!("{}:{}:{}", parts.next()?, parts.next()?, code.trim_end_matches(':')))
    };
    ran.stdout.lines().filter_map(place).collect()
}

#[test]
fn a_finding_has_its_place_and_its_exit_code() {
    let desk = desk(&[("a.sql", INSERT), ("b.sql", DROP), ("c.sql", "SELECT 1;\n")]);
    let ran = lint(&desk, &[]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    for words in ["IDM101", "a.sql:1:1", "IDM502", "b.sql:1:1"] {
        assert!(ran.stdout.contains(words), "{words} is not in {}", ran.stdout);
    }
    assert!(
        ran.stderr.starts_with("3 files checked, 0 skipped; 3 statements read, 0 not read: 1 error, 1 warning\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("1 can be mended with --fix"), "{}", ran.stderr);
    assert_eq!(found(&desk, &[]), ["a.sql:1:IDM101", "b.sql:1:IDM502"]);
    // What fails is a matter of the level.
    for (level, file, code) in [
        ("error", "a.sql", 1),
        ("error", "b.sql", 0),
        ("warning", "b.sql", 1),
        ("warning", "c.sql", 0),
        ("info", "c.sql", 0),
        ("never", "a.sql", 0),
    ] {
        assert_eq!(lint(&desk, &["--fail-on", level, file]).code, code, "{level} {file}");
    }
}

#[test]
fn what_is_not_shown_is_counted_and_weighs() {
    let desk = desk(&[("a.sql", INSERT), ("b.sql", DROP)]);
    let ran = lint(&desk, &["--show", "error", "--fail-on", "warning", "b.sql"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("1 finding not shown; --show warning shows them"), "{}", ran.stderr);
    // In a run-once file it is information: programs are shown it, people are not.
    let once = ["lint", "--policy", "once", "--dialect", "postgres", "a.sql"];
    let ran = desk.run(&once);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let ran = desk.run(&[&once[..], &["--format", "json"]].concat());
    assert!(ran.code == 0 && ran.stdout.contains("IDM101"), "{}", ran.stdout);
}

#[test]
fn rules_are_selected_ignored_and_given_other_severities() {
    let desk = desk(&[("a.sql", INSERT), ("b/b.sql", DROP), ("b/c.sql", INSERT)]);
    assert_eq!(found(&desk, &["--select", "IDM5"]), ["b/b.sql:1:IDM502"]);
    assert_eq!(found(&desk, &["--ignore", "drop-without-if-exists"]), ["a.sql:1:IDM101", "b/c.sql:1:IDM101"]);
    assert_eq!(lint(&desk, &["--severity", "all=warning"]).code, 0);
    assert_eq!(lint(&desk, &["--severity", "IDM5=error", "--select", "IDM5"]).code, 1);
    desk.write(
        "idemsql.yaml",
        "lint: {fail_on: warning, per_file: [{path: b, ignore: IDM101, severity: {IDM5: info}}]}\n",
    );
    assert_eq!(found(&desk, &["--show", "info"]), ["a.sql:1:IDM101", "b/b.sql:1:IDM502"]);
    assert_eq!((lint(&desk, &["b"]).code, lint(&desk, &["a.sql"]).code), (0, 1));
    // What differs for a path also holds for standard input by that name.
    let with = |name| finish(desk.command(&["lint", "--policy", "rerun", "-", "--stdin-filename", name]), INSERT).code;
    assert_eq!((with("b/x.sql"), with("x.sql")), (0, 1));
}

#[test]
fn comments_suppress_and_are_told_when_they_do_not() {
    let desk = desk(&[
        ("a.sql", &format!("-- idemsql: allow insert-values-without-guard -- a log\n{INSERT}")),
        ("b.sql", &format!("{} -- noqa: IDM101\n", INSERT.trim_end())),
        ("c.sql", &format!("{INSERT}-- idemsql: allow-file IDM1\n")),
        ("d.sql", &format!("SELECT 1;\n-- idemsql: allow IDM101\n{DROP}")),
    ]);
    assert_eq!(found(&desk, &[]), ["d.sql:2:IDM902", "d.sql:3:IDM502"]);
    assert!(lint(&desk, &[]).stderr.contains("3 suppressed"));
    assert_eq!(lint(&desk, &["--fix"]).code, 0);
    assert_eq!(desk.read("d.sql"), format!("SELECT 1;\n{DROPPED}"), "the comment goes with its line");
    desk.write("idemsql.yaml", "lint: {require_reason: true}\n");
    assert_eq!(found(&desk, &[]), ["b.sql:1:IDM902", "c.sql:2:IDM902"]);
}

#[test]
fn a_baseline_knows_statements_and_not_lines() {
    let desk = desk(&[("db/a.sql", INSERT), ("db/b.sql", DROP)]);
    assert_eq!(lint(&desk, &["--write-baseline", "known.json"]).code, 0);
    let known = desk.read("known.json");
    assert!(known.contains("\"path\": \"db/a.sql\"") && !known.contains("line"), "{known}");
    let ran = lint(&desk, &["--baseline", "known.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("2 known to the baseline"), "{}", ran.stderr);
    // Moved and spread over lines it is the same; another one is new.
    let moved = INSERT.replace(" VALUES", "\n  VALUES");
    let other = INSERT.replace("'O'", "'C'");
    desk.write("db/a.sql", &format!("-- moved\n\n{moved}{other}"));
    desk.write("idemsql.yaml", "lint: {baseline: known.json}\n");
    assert_eq!(found(&desk, &[]), ["db/a.sql:5:IDM101"]);
    // It sees paths from its own folder, wherever the command runs.
    let mut command = desk.command(&["lint", "--policy", "rerun", "--config", "../idemsql.yaml", "b.sql"]);
    command.current_dir(desk.path().join("db"));
    assert_eq!(finish(command, "").stdout, "");
    // What was mended is told, so that the file can shrink.
    desk.write("db/b.sql", DROPPED);
    assert!(lint(&desk, &["db/b.sql"]).stderr.contains("1 finding of the baseline no longer found"));
    // A new one has everything again.
    lint(&desk, &["--write-baseline", "known.json"]);
    assert_eq!(found(&desk, &[]), [] as [&str; 0]);
}

#[test]
fn fixes_keep_every_other_byte() {
    let desk = Desk::new();
    let path = desk.path().join("a.sql");
    let before = "\u{feff}-- é\r\nDROP  TABLE old_status ; -- why\r\n\r\n";
    fs::write(&path, before).unwrap();
    let ran = lint(&desk, &["--diff"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("--- a.sql\n+++ a.sql\n@@"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n+DROP  TABLE IF EXISTS old_status ; -- why"), "{}", ran.stdout);
    assert!(ran.stderr.contains("1 fix would be made"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    let ran = lint(&desk, &["--fix"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 fix made"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), before.replace("DROP  TABLE", "DROP  TABLE IF EXISTS"));
    let ran = lint(&desk, &["--diff"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(desk.files(), ["a.sql"], "nothing is left beside it");
}

#[test]
fn only_what_is_shown_is_mended() {
    let desk = desk(&[("a.sql", DROP)]);
    for arguments in [&["--show", "error"][..], &["--ignore", "IDM502"], &["--severity", "IDM502=info"]] {
        let ran = lint(&desk, &[&["--fix"], arguments].concat());
        assert_eq!((ran.code, desk.read("a.sql").as_str()), (0, DROP), "{arguments:?}");
    }
    // A migration that has run must not change, or its runner refuses it.
    desk.run(&["lint", "--policy", "once", "--dialect", "postgres", "--fix"]);
    assert_eq!(desk.read("a.sql"), DROP);
    desk.run(&["lint", "--policy", "rerun", "--dialect", "postgres", "--write-baseline", "known.json"]);
    lint(&desk, &["--fix", "--baseline", "known.json"]);
    assert_eq!(desk.read("a.sql"), DROP, "what is known is left alone");
}

#[test]
fn standard_input_is_mended_to_standard_output() {
    let desk = Desk::new();
    let arguments = ["lint", "-", "--policy", "rerun", "--dialect", "postgres", "--fix"];
    let ran = finish(desk.command(&arguments), &format!("{DROP}{INSERT}"));
    assert_eq!((ran.code, ran.stdout.as_str()), (1, format!("{DROPPED}{INSERT}").as_str()));
    assert!(ran.stderr.contains("IDM101") && ran.stderr.contains("<stdin>:2"), "{}", ran.stderr);
}

#[test]
#[cfg(unix)]
fn a_link_stays_a_link() {
    let desk = desk(&[("real/a.sql", DROP)]);
    std::os::unix::fs::symlink("real/a.sql", desk.path().join("b.sql")).unwrap();
    assert_eq!(lint(&desk, &["b.sql", "--fix"]).code, 0);
    assert!(fs::symlink_metadata(desk.path().join("b.sql")).unwrap().is_symlink());
    assert_eq!(desk.read("real/a.sql"), DROPPED);
}

#[test]
fn what_could_not_be_read_weighs_more_than_what_was_found() {
    let desk = desk(&[("a.sql", "CREATE TABEL t (a int);\n"), ("b.sql", INSERT)]);
    let ran = lint(&desk, &[]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("IDM901") && ran.stdout.contains("IDM101"), "one fault does not hide the next");
    assert!(ran.stderr.contains("1 not read"), "{}", ran.stderr);
    assert_eq!(lint(&desk, &["--allow-unchecked"]).code, 1);
    assert_eq!(lint(&desk, &["--allow-unchecked", "a.sql"]).code, 0);
    // A team that knows it writes it down.
    assert_eq!(lint(&desk, &["--write-baseline", "known.json"]).code, 0);
    assert_eq!(lint(&desk, &["--baseline", "known.json"]).code, 0);
}

#[test]
fn keys_are_known_from_other_files_schemas_and_specs() {
    let upsert = "INSERT INTO mart.codes (code, label) VALUES ('a', 'A') ON CONFLICT (label) DO NOTHING;\n";
    let table = "CREATE TABLE IF NOT EXISTS mart.codes (code text PRIMARY KEY, label text NOT NULL);\n";
    let desk = desk(&[("load.sql", upsert), ("ddl/table.txt", table)]);
    let select = ["--select", "IDM104", "load.sql"];
    assert_eq!(found(&desk, &select), [] as [&str; 0], "nobody knows the keys");
    assert_eq!(found(&desk, &[&select[..], &["--schema", "ddl/table.txt"]].concat()), ["load.sql:1:IDM104"]);
    assert_eq!(found(&desk, &[&select[..], &["ddl/table.txt"]].concat()), ["load.sql:1:IDM104"]);
}

#[test]
fn statistics_count_rules() {
    let desk = desk(&[("a.sql", INSERT), ("b.sql", &format!("{DROP}DROP TABLE x;\n"))]);
    let ran = lint(&desk, &["--statistics"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("IDM101  insert-values-without-guard"), "{}", ran.stdout);
    let json: Value = serde_json::from_str(&lint(&desk, &["--statistics", "--format", "json"]).stdout).unwrap();
    assert_eq!(json[0]["rule"], "IDM101");
    assert_eq!(json[1]["name"], "drop-without-if-exists");
}

#[test]
fn output_is_sorted_and_the_same_on_every_run() {
    let desk = Desk::new();
    for number in 0..200 {
        let text = format!("{INSERT}-- {number}\n").repeat(20);
        desk.write(&format!("d{}/f{number:03}.sql", number % 5), &text);
    }
    let first = lint(&desk, &["--format", "concise"]);
    let files: Vec<&str> = first.stdout.lines().filter_map(|line| line.split(':').next()).collect();
    assert!(files.len() >= 200 && files.is_sorted(), "{}", files.len());
    for _ in 0..3 {
        let again = lint(&desk, &["--format", "concise"]);
        assert_eq!((again.stdout, again.stderr), (first.stdout.clone(), first.stderr.clone()));
    }
}
