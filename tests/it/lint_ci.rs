//! The hook and the workflow that users copy, run as they stand.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a line of a workflow or a hook in a folder, with this build of the program in front of the path.
fn shell(line: &str, folder: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_idemsql"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", path).output().unwrap()
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("migrations/V1__orders.sql", "CREATE TABLE orders (id int PRIMARY KEY);\n"),
        ("seeds/status.sql", "INSERT INTO status (code) VALUES ('O');\n"),
    ] {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

/// What stands behind `key: ` in a YAML file, line by line.
fn values(text: &str, key: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.trim().trim_start_matches("- "));
    lines.filter_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_owned()).collect()
}

#[test]
fn the_workflow_fails_on_the_seed_and_writes_its_reports() {
    let folder = repository();
    let workflow = fs::read_to_string("examples/ci/github-actions.yml").unwrap();
    let runs = values(&workflow, "run:");
    let ours: Vec<&String> = runs.iter().filter(|line| line.starts_with("idemsql ")).collect();
    assert_eq!(ours.len(), 2, "{runs:?}");
    let linted = shell(ours[0], folder.path());
    let told = String::from_utf8_lossy(&linted.stdout).into_owned();
    assert_eq!(linted.status.code(), Some(1), "{told}");
    assert!(told.contains("::error file=seeds/status.sql,line=1"), "{told}");
    assert!(!told.contains("migrations/"), "a run-once migration must be quiet: {told}");
    let scanned = shell(ours[1], folder.path());
    assert_eq!(scanned.status.code(), Some(0));
    let sarif = fs::read_to_string(folder.path().join("idemsql.sarif")).unwrap();
    assert!(sarif.contains("\"2.1.0\"") && sarif.contains("seeds/status.sql"), "{sarif}");
}

#[test]
fn the_hooks_check_the_files_that_they_are_given() {
    let folder = repository();
    let hooks = fs::read_to_string(".pre-commit-hooks.yaml").unwrap();
    let (ids, entries) = (values(&hooks, "id:"), values(&hooks, "entry:"));
    assert_eq!(ids, ["idemsql-lint", "idemsql-lint-fix"]);
    for entry in &entries {
        assert_eq!(shell(&format!("{entry} seeds/status.sql"), folder.path()).status.code(), Some(1), "{entry}");
        assert_eq!(
            shell(&format!("{entry} migrations/V1__orders.sql"), folder.path()).status.code(),
            Some(0),
            "{entry}"
        );
    }
    let config = fs::read_to_string("examples/ci/pre-commit-config.yaml").unwrap();
    assert!(ids.contains(&values(&config, "id:")[0]));
}
