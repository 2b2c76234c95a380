//! `idemsql lint` as its user runs it: which files it takes, its settings, its exit codes. What it finds is tested elsewhere.

use crate::cli::{Desk, Ran, finish};
use std::fs;

/// A script of which no rule has anything to say.
const QUIET: &str = "SELECT 1;\n";

/// How many files a run checked, by its summary.
#[track_caller]
fn checked(ran: &Ran) -> usize {
    let line = ran.stderr.lines().find(|line| line.contains(" checked, ")).unwrap_or_else(|| panic!("{}", ran.stderr));
    line.split(' ').next().unwrap().parse().unwrap()
}

fn desk(files: &[&str]) -> Desk {
    let desk = Desk::new();
    for file in files {
        desk.write(file, QUIET);
    }
    desk
}

#[test]
fn folders_are_walked_as_ripgrep_does() {
    let desk =
        desk(&["a.sql", "sub/b.SQL", "sub/c.sql.j2", "sub/d.up.sql", ".e.sql", ".f/g.sql", "old/h.sql", "i.txt"]);
    fs::create_dir(desk.path().join(".git")).unwrap();
    desk.write(".gitignore", "old/\n");
    let ran = desk.run(&["lint"]);
    assert_eq!((ran.code, checked(&ran), ran.stdout.as_str()), (0, 4, ""), "{}", ran.stderr);
    assert_eq!(checked(&desk.run(&["lint", "."])), 4);
    assert_eq!(checked(&desk.run(&["lint", "--no-gitignore"])), 5);
    // One file that is named twice, or in two ways, is one file.
    assert_eq!(checked(&desk.run(&["lint", "sub", "./sub/b.SQL", "sub/../a.sql", "a.sql"])), 4);
    // What is named is linted, whatever it is called.
    assert_eq!(checked(&desk.run(&["lint", "i.txt", ".e.sql", "old/h.sql"])), 3);
    assert_eq!(checked(&desk.run(&["lint", ".f"])), 1);
}

#[test]
fn a_path_without_sql_is_most_likely_misspelt() {
    let desk = desk(&["db/a.sql", "docs/a.txt"]);
    let message = desk.run(&["lint", "db", "bd", "x.sql"]).failed();
    assert!(message.contains("there is no file or folder bd, x.sql"), "{message}");
    let message = desk.run(&["lint", "db", "docs"]).failed();
    assert!(message.contains("there is no SQL file in docs") && message.contains("--no-gitignore"), "{message}");
    assert!(desk.run(&["lint", "docs", "--no-gitignore", "--allow-unchecked"]).failed().contains("hidden ones"));
}

#[test]
fn globs_leave_files_out_and_are_counted() {
    let desk = desk(&["a.sql", "vendor/b.sql", "x/vendor/c.sql", "x/d.gen.sql"]);
    let ran = desk.run(&["lint", "--exclude", "vendor", "--exclude", "*.gen.sql"]);
    assert_eq!((ran.code, checked(&ran)), (0, 1));
    assert!(ran.stderr.contains("3 files excluded"), "{}", ran.stderr);
    // A hook names the changed files; those that are left out are left out then too, and that is no fault.
    let ran = desk.run(&["lint", "vendor/b.sql", "--exclude", "vendor"]);
    assert_eq!((ran.code, checked(&ran)), (0, 0));
    desk.write("idemsql.yaml", "lint: {exclude: [/x]}\n");
    assert_eq!(checked(&desk.run(&["lint"])), 2);
    let mut command = desk.command(&["lint", ".."]);
    command.current_dir(desk.path().join("x"));
    // Outside of a repository the settings of a folder above are not ours.
    assert_eq!(checked(&finish(command, "")), 4);
    assert!(desk.run(&["lint", "--exclude", "a["]).failed().contains("`a[` is not a glob"));
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_told_and_stops_nothing() {
    use std::os::unix::fs::symlink;
    let desk = desk(&["a.sql", "z/b.sql"]);
    let at = |name: &str| desk.path().join(name);
    symlink("nowhere.sql", at("broken.sql")).unwrap();
    symlink("self.sql", at("self.sql")).unwrap();
    symlink("nowhere.txt", at("broken.txt")).unwrap();
    symlink("..", at("z/up")).unwrap();
    symlink("a.sql", at("link.sql")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("pipe.sql")).status().unwrap().success());
    let ran = desk.run(&["lint"]);
    assert_eq!((ran.code, checked(&ran)), (2, 3), "{}", ran.stderr);
    for words in [
        "broken.sql is a link to a file that is not there",
        "cannot read self.sql: ",
        "pipe.sql is not a regular file, and was not read",
        "idemsql lint -",
        "3 skipped because of the problems above",
        "1 linked folder not entered",
    ] {
        assert!(ran.stderr.contains(words), "{words} is not in {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("broken.txt"), "{}", ran.stderr);
    let ran = desk.run(&["lint", "--allow-unchecked"]);
    assert_eq!((ran.code, checked(&ran)), (0, 3));
    let ran = desk.run(&["lint", "pipe.sql", "a.sql"]);
    assert_eq!((ran.code, checked(&ran)), (2, 1));
    // A folder that is named is entered, link or not.
    symlink("z", at("linked")).unwrap();
    assert_eq!(checked(&desk.run(&["lint", "linked"])), 1);
}

#[test]
#[cfg(unix)]
fn a_file_without_permission_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = desk(&["a.sql", "b.sql", "c/d.sql"]);
    for name in ["b.sql", "c"] {
        fs::set_permissions(desk.path().join(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let is_root = fs::read(desk.path().join("b.sql")).is_ok();
    let ran = desk.run(&["lint"]);
    fs::set_permissions(desk.path().join("c"), fs::Permissions::from_mode(0o755)).unwrap();
    if is_root {
        assert_eq!((ran.code, checked(&ran)), (0, 3));
        return;
    }
    assert_eq!((ran.code, checked(&ran)), (2, 1));
    assert!(ran.stderr.contains("cannot read b.sql") && ran.stderr.contains("2 skipped"), "{}", ran.stderr);
}

#[test]
fn standard_input_is_a_dash_and_may_have_a_name() {
    let desk = Desk::new();
    let ran = finish(desk.command(&["lint", "-"]), QUIET);
    assert_eq!((ran.code, checked(&ran), ran.stdout.as_str()), (0, 1, ""), "{}", ran.stderr);
    desk.write("idemsql.yaml", "lint: {per_file: [{path: \"m/*\", policy: once}], exclude: m}\n");
    let ran = finish(desk.command(&["lint", "-", "--stdin-filename", "m/a.sql"]), QUIET);
    assert_eq!((ran.code, checked(&ran)), (0, 1), "{}", ran.stderr);
    // A filter gives back what it reads.
    let ran = finish(desk.command(&["lint", "-", "--fix"]), QUIET);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, QUIET));
    assert_eq!(finish(desk.command(&["lint", "-", "--diff"]), QUIET).stdout, "");
    assert_eq!(desk.files(), ["idemsql.yaml"]);
}

#[test]
fn settings_are_found_up_to_the_root_of_the_repository() {
    let desk = desk(&["repo/db/a.sql", "repo/db/old/b.sql"]);
    let from = |arguments: &[&str]| {
        let mut command = desk.command(arguments);
        command.current_dir(desk.path().join("repo/db"));
        finish(command, "")
    };
    desk.write("idemsql.yaml", "lint: {nothing: like it}\n");
    fs::create_dir(desk.path().join("repo/.git")).unwrap();
    assert_eq!(checked(&from(&["lint"])), 2, "what stands outside of the repository is not ours");
    desk.write("repo/idemsql.yaml", "# what we say\nlint:\n  exclude: db/old\n");
    assert_eq!(checked(&from(&["lint"])), 1);
    assert_eq!(checked(&from(&["lint", "--no-config"])), 2);
    // The nearest file alone counts.
    desk.write("repo/db/idemsql.yaml", "lint:\n");
    assert_eq!(checked(&from(&["lint"])), 2);
    assert_eq!(checked(&from(&["lint", "--config", "../idemsql.yaml"])), 1);
    desk.write("repo/db/idemsql.yml", "lint:\n");
    assert!(from(&["lint"]).failed().contains("are both there: remove one"));
    assert!(from(&["lint", "--config", "no.yaml"]).failed().contains("cannot read no.yaml"));
    assert!(from(&["lint", "--config", "a", "--no-config"]).failed().contains("cannot be used with"));
}

#[test]
fn faults_of_the_settings_come_at_once_with_their_places() {
    let desk = desk(&["a.sql"]);
    desk.write("idemsql.yaml", "lint:\n  ignor: [a]\n  fail_on: errors\n");
    let message = desk.run(&["lint"]).failed();
    for words in
        ["idemsql.yaml:2:3", "did you mean `ignore`?", "idemsql.yaml:3:12", "`errors` is not a value of `fail_on`"]
    {
        assert!(message.contains(words), "{words} is not in {message}");
    }
    desk.write("idemsql.yaml", "lint:\n  dialect: postgre\n  select: [suppression-problm]\n  exclude: [\"a[\"]\n");
    let message = desk.run(&["lint"]).failed();
    for words in ["did you mean `postgres`?", "did you mean `suppression-problem`?"] {
        assert!(message.contains(words), "{words} is not in {message}");
    }
    desk.write("idemsql.yaml", "lint:\n  exclude: [b, \"a[\"]\n");
    assert!(desk.run(&["lint"]).failed().contains("idemsql.yaml:2:16"));
    desk.write("idemsql.yaml", "version: 1\ntables: []\n");
    assert!(desk.run(&["lint"]).failed().contains("this is a spec: give it another name"));
    desk.write("idemsql.yaml", "lint: [\n");
    assert!(desk.run(&["lint"]).failed().contains("a bracket is opened here"));
}

#[test]
fn files_that_the_settings_name_must_be_there() {
    let desk = desk(&["db/a.sql"]);
    desk.write("db/spec.yaml", "version: 1\ntables: [{name: a}]\n");
    for (settings, words) in [
        ("schema: no.sql", "cannot read no.sql"),
        ("specs: no.yaml", "cannot read no.yaml"),
        ("specs: db", "has no `columns`"),
        ("baseline: no.json", "cannot read the baseline no.json; write it with --write-baseline no.json"),
    ] {
        desk.write("idemsql.yaml", &format!("lint: {{{settings}}}\n"));
        let message = desk.run(&["lint"]).failed();
        assert!(message.contains(words), "{settings}: {message}");
    }
    desk.write("no.json", "{}");
    assert!(desk.run(&["lint"]).failed().contains("this is not a baseline"));
    desk.write("no.json", "{\"version\": 1, \"findings\": []}");
    assert_eq!(desk.run(&["lint"]).code, 0);
}

#[test]
fn a_baseline_is_written_whole() {
    let desk = desk(&["a.sql"]);
    let ran = desk.run(&["lint", "--write-baseline", "known.json"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", "known.json written with 0 findings\n"));
    assert_eq!(desk.read("known.json"), "{\n  \"version\": 1,\n  \"findings\": []\n}\n");
    assert_eq!(desk.files(), ["a.sql", "known.json"]);
    assert!(desk.run(&["lint", "--write-baseline", "no/known.json"]).failed().contains("cannot write no/known.json"));
    // A file that is gone takes its findings with it.
    let entry = "{\"rule\": \"IDM101\", \"path\": \"gone.sql\", \"fingerprint\": \"0\", \"count\": 2}";
    desk.write("known.json", &format!("{{\"version\": 1, \"findings\": [{entry}]}}"));
    let ran = desk.run(&["lint", "--baseline", "known.json"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("2 findings of the baseline no longer found"), "{}", ran.stderr);
}

#[test]
fn findings_go_where_they_are_asked_to() {
    let desk = desk(&["a.sql"]);
    for format in ["full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "rdjson"] {
        let ran = desk.run(&["lint", "--format", format, "--output-file", "out"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{format}");
        desk.read("out");
        assert_eq!(desk.run(&["lint", "--format", format]).stdout, desk.read("out"), "{format}");
    }
    assert_eq!(desk.run(&["lint", "--statistics"]).fine(), "");
    assert_eq!(desk.run(&["lint", "--statistics", "--format", "json"]).fine(), "[]\n");
    assert_eq!(desk.run(&["lint", "--quiet"]).stderr, "");
    assert!(desk.run(&["lint", "--output-file", "no/out"]).failed().contains("cannot write no/out"));
    assert_eq!(desk.files(), ["a.sql", "out"]);
}

#[test]
fn a_file_that_is_no_utf_8_is_read_and_left_as_it_is() {
    let desk = Desk::new();
    fs::write(desk.path().join("a.sql"), b"SELECT 'caf\xe9';\n").unwrap();
    fs::write(desk.path().join("b.sql"), b"\xef\xbb\xbfSELECT 1;\r\n").unwrap();
    let ran = desk.run(&["lint", "--fix"]);
    assert_eq!((ran.code, checked(&ran)), (0, 2), "{}", ran.stderr);
    assert_eq!(fs::read(desk.path().join("a.sql")).unwrap(), b"SELECT 'caf\xe9';\n");
    assert_eq!(fs::read(desk.path().join("b.sql")).unwrap(), b"\xef\xbb\xbfSELECT 1;\r\n");
}

#[test]
fn wrong_words_are_refused_with_the_nearest() {
    let desk = desk(&["a.sql"]);
    for (arguments, words) in [
        (&["--select", "suppresion-problem"][..], "did you mean `suppression-problem`?"),
        (&["--ignore", "IDM902,nothing like it"], "`nothing like it` is not a rule; `idemsql explain rules` lists"),
        (&["--severity", "IDM902"], "write IDM902=LEVEL"),
        (&["--severity", "IDM902=eror"], "`eror` is not error, warning or info"),
        (&["--severity", "IDM9=off"], "write --ignore IDM9"),
        (&["--dialect", "postgre"], "a similar value exists: 'postgres'"),
        (&["--fail-on", "errors"], "a similar value exists: 'error'"),
        (&["--format", "jsn"], "a similar value exists: 'json'"),
        (&["--fix", "--write-baseline", "x"], "cannot be used with"),
        (&["--policy", "twice"], "--policy <POLICY>"),
    ] {
        let message = desk.run(&[&["lint"], arguments].concat()).failed();
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    let ran =
        desk.run(&["lint", "--select", "idm9,suppression-problem", "--severity", "all=info", "--fail-on", "never"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn many_files_are_many_files() {
    let desk = Desk::new();
    for number in 0..300 {
        desk.write(&format!("d{}/f{number}.sql", number % 7), &QUIET.repeat(200));
    }
    let ran = desk.run(&["lint"]);
    assert_eq!((ran.code, checked(&ran)), (0, 300), "{}", ran.stderr);
}
