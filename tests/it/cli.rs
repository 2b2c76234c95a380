//! The program as its user runs it: every command, its exit code, and what goes to which stream.

use idemsql::dialect;
use idemsql::lint::rules;
use idemsql::strategy;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What a run of the program left behind.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// A run that did its work and found nothing: its stdout.
    #[track_caller]
    pub fn fine(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self.stdout
    }

    /// A run that could not do its work: its stderr. Nothing is on stdout then.
    #[track_caller]
    pub fn found(self) -> String {
        assert_eq!(self.code, 1, "{}{}", self.stdout, self.stderr);
        self.stdout
    }

    pub fn failed(self) -> String {
        assert_eq!(self.code, 2, "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        self.stderr
    }
}

/// An empty directory in which the program runs.
pub struct Desk(TempDir);

impl Desk {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A directory with one spec of two tables for two dialects.
    fn with_spec() -> Self {
        let desk = Self::new();
        desk.write("specs/spec.yaml", SPEC);
        desk
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|fault| panic!("{name}: {fault}"))
    }

    /// Every file below the directory.
    pub fn files(&self) -> Vec<String> {
        let root = format!("{}/", self.path().to_string_lossy().replace('\\', "/"));
        crate::support::files_below(self.path()).iter().map(|path| path.replacen(&root, "", 1)).collect()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idemsql"));
        command.current_dir(self.path()).args(arguments).stdin(Stdio::null());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        finish(self.command(arguments), "")
    }
}

/// Runs a command that reads `input`.
pub fn finish(mut command: Command, input: &str) -> Ran {
    use std::io::Write as _;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: out.status.code().unwrap(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

const SPEC: &str = "\
version: 1
defaults: {dialects: [postgres, sqlite]}
tables:
  - name: orders
    schema: mart
    source: {table: raw.orders}
    unique_key: [id]
    incremental_column: updated_at
    columns: [{name: id, type: int}, {name: total, type: int}, {name: updated_at, type: timestamptz, nullable: false}]
  - name: codes
    source: {rows: [{code: a, label: A}]}
    unique_key: [code]
    columns: [{name: code, type: varchar(9)}, {name: label, type: varchar(9)}]
";

const MADE: [&str; 4] = [
    "specs/codes.postgres.sql",
    "specs/codes.sqlite.sql",
    "specs/mart.orders.postgres.sql",
    "specs/mart.orders.sqlite.sql",
];

#[test]
fn render_writes_one_file_per_table_and_dialect_and_leaves_fresh_ones_alone() {
    let desk = Desk::with_spec();
    let ran = desk.run(&["render", "specs"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(ran.stderr, "4 files written, 0 up to date\n");
    assert_eq!(desk.files(), [&MADE[..], &["specs/spec.yaml"]].concat());
    let sql = desk.read(MADE[2]);
    assert!(sql.starts_with(
        "-- idemsql: mart.orders, upsert, postgres, from spec.yaml\n\
         -- Do not edit; render again in this directory with: idemsql render spec.yaml --dialect postgres\n\
         -- Needs a unique index on mart.orders (id).\n\nINSERT INTO mart.orders"
    ));
    // The second run touches nothing: a build tool looks at the times.
    let time = |name: &str| fs::metadata(desk.path().join(name)).unwrap().modified().unwrap();
    let before = MADE.map(time);
    desk.write(MADE[0], "-- idemsql: codes, upsert, postgres, from spec.yaml\n");
    assert_eq!(desk.run(&["render", "specs"]).stderr, "1 file written, 3 up to date\n");
    assert_eq!(MADE.map(time)[1..], before[1..]);
    // The command in the header, run where it says, makes the same file.
    fs::remove_file(desk.path().join(MADE[2])).unwrap();
    let again = sql.lines().nth(1).unwrap().split_once("with: idemsql ").unwrap().1.to_owned();
    let mut command = desk.command(&again.split(' ').collect::<Vec<_>>());
    command.current_dir(desk.path().join("specs"));
    assert_eq!(finish(command, "").code, 0);
    assert_eq!(desk.read(MADE[2]), sql);
}

#[test]
fn a_rendered_file_does_not_depend_on_where_the_command_ran() {
    let desk = Desk::with_spec();
    desk.run(&["render", "specs/spec.yaml"]).fine();
    let absolute = desk.path().join("specs/spec.yaml");
    for (folder, spec) in [
        ("", "specs"),
        ("", "./specs/spec.yaml"),
        ("specs", "spec.yaml"),
        ("specs", ".."),
        ("", absolute.to_str().unwrap()),
    ] {
        let mut command = desk.command(&["render", "--check", spec]);
        command.current_dir(desk.path().join(folder));
        let ran = finish(command, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{folder} {spec} {}", ran.stderr);
        assert_eq!(ran.stderr, "4 files up to date\n");
    }
    // The output directory may be inside that of the specs, and may not be there yet.
    desk.run(&["render", "specs", "--out", "specs/out/sql"]).fine();
    let sql = desk.read("specs/out/sql/codes.sqlite.sql");
    assert!(sql.contains("from ../../spec.yaml\n"), "{sql}");
    assert!(sql.contains("idemsql render ../../spec.yaml --dialect sqlite --out .\n"), "{sql}");
    assert_eq!(desk.run(&["render", absolute.to_str().unwrap(), "--check", "--out", "specs/out/sql"]).code, 0);
    assert_eq!(desk.run(&["render", "specs", "--check"]).code, 0, "files of --out are another run's business");
}

#[test]
fn check_shows_what_is_stale_and_what_is_left_over_and_writes_nothing() {
    let desk = Desk::with_spec();
    let ran = desk.run(&["render", "specs", "--check"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("--- /dev/null\n+++ specs/codes.postgres.sql\n@@ -0,0 +1,"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "of 4 files, 4 stale; 0 left over\n");
    assert_eq!(desk.files(), ["specs/spec.yaml"]);

    desk.run(&["render", "specs"]).fine();
    let fresh = desk.run(&["render", "specs", "--check"]);
    assert_eq!((fresh.code, fresh.stdout.as_str(), fresh.stderr.as_str()), (0, "", "4 files up to date\n"));

    let sql = desk.read(MADE[2]);
    let edited = sql.replace("total = EXCLUDED.total", "total = 0");
    assert_ne!(edited, sql);
    desk.write(MADE[2], &edited);
    let ran = desk.run(&["render", "specs", "--check"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("--- specs/mart.orders.postgres.sql\n+++ specs/mart.orders.postgres.sql\n@@ "));
    assert!(ran.stdout.contains("\n-  total = 0,\n+  total = EXCLUDED.total,\n"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "of 4 files, 1 stale; 0 left over\n");
    assert_eq!(desk.read(MADE[2]), edited);

    // Line ends of another system are no difference.
    desk.write(MADE[2], &sql.replace('\n', "\r\n"));
    assert_eq!(desk.run(&["render", "specs", "--check"]).code, 0);
}

#[test]
fn check_names_files_that_no_spec_makes_any_more() {
    let desk = Desk::with_spec();
    desk.write("specs/gone/spec.yaml", &SPEC.replace("mart", "old"));
    desk.write("specs/hand_written.sql", "SELECT 1;\n");
    desk.run(&["render", "specs"]).fine();
    desk.run(&["render", "specs/spec.yaml", "--strategy", "merge", "-d", "duckdb"]).fine();
    assert_eq!(
        desk.run(&["render", "specs", "--check"]).code,
        0,
        "a strategy of the command line is another run's business"
    );

    let one_table = SPEC.split("  - name: codes").next().unwrap().replace("[postgres, sqlite]", "[postgres]");
    desk.write("specs/spec.yaml", &one_table);
    fs::remove_file(desk.path().join("specs/gone/spec.yaml")).unwrap();
    let ran = desk.run(&["render", "specs", "--check"]);
    assert_eq!(ran.code, 1);
    let left: Vec<&str> = ran.stdout.lines().map(|line| line.split(": ").next().unwrap()).collect();
    let gone = ["codes.postgres.sql", "codes.sqlite.sql", "old.orders.postgres.sql", "old.orders.sqlite.sql"];
    let mut expected: Vec<String> = gone.iter().map(|name| format!("specs/gone/{name}")).collect();
    expected.extend([MADE[0], MADE[1], MADE[3]].map(str::to_owned));
    expected.sort();
    assert_eq!(left, expected);
    assert!(ran.stdout.contains("specs/codes.sqlite.sql: no spec makes this file any more; delete it\n"));
    assert_eq!(ran.stderr, "of 1 file, 0 stale; 7 left over\n");
    // With one dialect asked for, only its files are looked at.
    let ran = desk.run(&["render", "specs/spec.yaml", "--check", "-d", "postgres"]);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
}

#[test]
fn nothing_is_written_when_any_table_has_a_fault_and_all_faults_come_in_one_run() {
    let desk = Desk::with_spec();
    desk.write("specs/b.yaml", &SPEC.replace("unique_key: [code]", "uniqe_key: [code]"));
    desk.write("specs/c.yaml", &SPEC.replace("type: int}", "type: integer}"));
    let message = desk.run(&["render", "specs", "no-such.yaml"]).failed();
    assert!(
        message.contains("`uniqe_key` is not a key of a table") && message.contains("did you mean `unique_key`?"),
        "{message}"
    );
    assert!(message.contains("specs/b.yaml:12:"), "{message}");
    assert!(message.contains("specs/c.yaml:"), "{message}");
    assert!(message.contains("cannot read no-such.yaml"), "{message}");
    assert_eq!(message.matches("`integer` is").count(), 2, "what is wrong for every dialect is said once: {message}");
    assert_eq!(desk.files(), ["specs/b.yaml", "specs/c.yaml", "specs/spec.yaml"]);
    let message = desk.run(&["render", "specs", "--stdout"]).failed();
    assert!(message.contains("uniqe_key"));

    // A dialect that cannot do it refuses the whole run.
    let message = desk.run(&["render", "specs/spec.yaml", "-s", "merge", "-d", "all", "--stdout"]).failed();
    assert!(message.contains("ClickHouse has no MERGE"), "{message}");
}

#[test]
fn two_tables_never_share_a_file() {
    let desk = Desk::new();
    let table = |name: &str| {
        format!("  - {{name: \"{name}\", source: {{table: s}}, unique_key: [a], columns: [{{name: a, type: int}}]}}\n")
    };
    desk.write("a.yaml", &format!("version: 1\ntables:\n{}{}", table("a b"), table("a/b")));
    let message = desk.run(&["render", "a.yaml", "-d", "ansi"]).failed();
    assert!(message.contains("`a b` of a.yaml and `a/b` of a.yaml would both be written to a_b.ansi.sql"), "{message}");
    // On some systems these two are one name.
    desk.write("a.yaml", &format!("version: 1\ntables:\n{}", table("Codes")));
    desk.write("b.yaml", &format!("version: 1\ntables:\n{}", table("codes")));
    assert!(desk.run(&["render", ".", "-d", "ansi"]).failed().contains("would both be written to"));
    assert_eq!(desk.files(), ["a.yaml", "b.yaml"]);
    // One spec named twice is one spec.
    desk.run(&["render", "b.yaml", "./b.yaml", "-d", "ansi"]).fine();
    assert_eq!(desk.files(), ["a.yaml", "b.yaml", "codes.ansi.sql"]);
}

#[test]
fn a_file_of_someone_else_is_not_overwritten() {
    let desk = Desk::with_spec();
    desk.write(MADE[2], "SELECT 'mine';\n");
    let message = desk.run(&["render", "specs"]).failed();
    assert!(message.contains("specs/mart.orders.postgres.sql was not written by idemsql"), "{message}");
    assert_eq!(desk.files(), [MADE[2], "specs/spec.yaml"]);
    assert_eq!(desk.read(MADE[2]), "SELECT 'mine';\n");
}

#[test]
fn standard_input_and_output_are_a_dash_and_a_flag() {
    let desk = Desk::new();
    let ran = finish(desk.command(&["render", "-", "-d", "sqlite", "--stdout"]), SPEC);
    let sql = ran.fine();
    assert!(sql.starts_with(
        "-- idemsql: mart.orders, upsert, sqlite, from standard input\n\
         -- Do not edit; render again with: idemsql render - --dialect sqlite --stdout\n"
    ));
    assert!(sql.contains(";\n\n-- idemsql: codes, upsert, sqlite"), "{sql}");
    assert_eq!(desk.files(), [] as [&str; 0]);
    finish(desk.command(&["render", "-", "-d", "sqlite"]), SPEC).fine();
    assert_eq!(desk.files(), ["codes.sqlite.sql", "mart.orders.sqlite.sql"]);
    assert_eq!(finish(desk.command(&["render", "-", "-d", "sqlite", "--check"]), SPEC).code, 0);
    let message = finish(desk.command(&["render", "-"]), "tables: []").failed();
    assert!(message.contains("<stdin>:1:"), "{message}");
}

#[test]
fn an_escape_character_of_a_literal_reaches_stdout() {
    let desk = Desk::new();
    let spec = SPEC.replace("label: A}", "label: \"\\e[31mred\"}");
    let sql = finish(desk.command(&["render", "-", "-d", "sqlite", "--stdout"]), &spec).fine();
    assert!(sql.contains("\u{1b}[31mred"), "{sql}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let desk = Desk::with_spec();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = desk.command(&["render", "specs", "-d", "all", "--stdout"]);
    let out = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!((out.status.code(), String::from_utf8(out.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn plan_is_for_people_and_for_programs() {
    let desk = Desk::with_spec();
    let text = desk.run(&["plan", "specs", "-d", "postgres"]).fine();
    assert!(text.starts_with("mart.orders: upsert for PostgreSQL"), "{text}");
    for word in ["form ", "INSERT .. ON CONFLICT", "needs ", "a unique index on codes (code)", "G2 quiet     yes  "] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
    let json: Value = serde_json::from_str(&desk.run(&["plan", "specs", "--format", "json"]).fine()).unwrap();
    let plans = json.as_array().unwrap();
    assert_eq!(plans.len(), 4);
    let keys: Vec<&String> = plans[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["spec", "table", "dialect", "strategy", "form", "columns", "decisions", "needs", "promises"],
        "programs rely on these; docs/plan.md describes them"
    );
    assert_eq!(plans[0]["form"], "on_conflict");
    assert_eq!(plans[0]["columns"][1]["name"], "total");
    assert_eq!(plans[0]["columns"][1]["compared"], true);
    assert_eq!(plans[0]["promises"].as_array().unwrap().len(), 7);
    assert_eq!(desk.files(), ["specs/spec.yaml"]);
}

#[test]
fn verify_runs_every_strategy_and_says_what_each_run_did() {
    let desk = Desk::with_spec();
    let text = desk.run(&["verify", "specs"]).fine();
    for words in
        ["orders on SQLite 3.", "\nupsert (the spec's own)\n", "\nmerge\n", "\ninsert_ignore\n", "G2 quiet     held"]
    {
        assert!(text.contains(words), "{words} is not in {text}");
    }
    assert!(!text.contains("BROKEN"), "{text}");
    let one = desk.run(&["verify", "specs", "--strategy", "merge"]).fine();
    assert!(one.contains("\nmerge\n") && !one.contains("upsert"), "{one}");
    desk.write("bad.yaml", &SPEC.replace("unique_key", "uniqe_key"));
    assert!(desk.run(&["verify", "bad.yaml"]).failed().contains("did you mean `unique_key`?"));
    assert_eq!(desk.files(), ["bad.yaml", "specs/spec.yaml"], "nothing is left behind");
}

#[test]
fn explain_lists_and_prints_pages_and_helps_with_a_misspelt_name() {
    let desk = Desk::new();
    let list = desk.run(&["explain"]).fine();
    let names = list.lines().filter(|line| line.starts_with("  ")).map(|line| line.split_whitespace().next().unwrap());
    let mut count = 0;
    for name in names {
        let page = desk.run(&["explain", name]).fine();
        assert!(page.starts_with("# "), "{name}: {page}");
        count += 1;
    }
    assert_eq!(count, dialect::ALL.len() + strategy::ALL.len() + 7 + rules::ALL.len() + 4);
    assert_eq!(desk.run(&["explain", "suppression-problem"]).fine(), desk.run(&["explain", "idm902"]).fine());
    assert_eq!(desk.run(&["explain", "rerun"]).fine(), desk.run(&["explain", "g1"]).fine());
    assert!(desk.run(&["explain", "upsrt"]).failed().contains("did you mean `upsert`?"));
    assert!(desk.run(&["explain", "nothing like it"]).failed().contains("`idemsql explain` lists all of them"));
}

#[test]
fn the_example_of_init_renders_for_every_dialect() {
    let desk = Desk::new();
    let ran = desk.run(&["init", "example.yaml", "--dialect", "all"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(ran.stderr, "example.yaml written; render it with: idemsql render example.yaml\n");
    desk.run(&["render", "example.yaml"]).fine();
    assert_eq!(desk.files().len(), 1 + 2 * dialect::ALL.len());
    // Whatever was there is kept.
    desk.write("spec.yaml", "mine");
    assert!(desk.run(&["init"]).failed().contains("spec.yaml is there already, and is left as it is"));
    assert_eq!(desk.read("spec.yaml"), "mine");
    assert_eq!(desk.run(&["init", "-", "-d", "all"]).fine(), desk.read("example.yaml"));
    // Without a dialect it is written for those that are executed, and has no mark left to fill in.
    let example = desk.run(&["init", "-"]).fine();
    assert!(
        example.contains("  dialects: [") && !example.contains("{all}") && !example.contains("{chosen}"),
        "{example}"
    );
    finish(desk.command(&["render", "-", "--stdout"]), &example).fine();
}

#[test]
fn schema_completions_and_man_go_to_stdout() {
    let desk = Desk::new();
    let schema: Value = serde_json::from_str(&desk.run(&["schema"]).fine()).unwrap();
    assert_eq!(schema, idemsql::spec::schema());
    let settings: Value = serde_json::from_str(&desk.run(&["schema", "settings"]).fine()).unwrap();
    assert_eq!(settings, idemsql::spec::settings_schema());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = desk.run(&["completions", shell]).fine();
        assert!(text.contains("idemsql") && text.contains("render"), "{shell}");
    }
    assert!(desk.run(&["completions", "bash"]).fine().contains("snowflake"), "names of dialects are completed");
    let manual = desk.run(&["man"]).fine();
    let ran = desk.run(&["man", "--out", "man"]);
    let help = desk.run(&["--help"]).fine();
    let commands = help.split("Commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    // A longer description goes on in lines of its own.
    let commands = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).count();
    // A page for the program and for each command but `help`.
    assert_eq!(desk.files().len(), commands);
    assert_eq!(ran.stderr, format!("{commands} pages written\n"));
    for page in desk.files() {
        assert!(manual.contains(&desk.read(&page)), "{page}");
    }
    assert!(desk.read("man/idemsql-render.1").contains("\\-\\-check"));
}

#[test]
fn wrong_arguments_exit_2_and_say_what_is_near() {
    let desk = Desk::new();
    for (arguments, words) in [
        (&["render"][..], "<SPEC>..."),
        (&["rendr", "x"], "tip: a similar subcommand exists: 'render'"),
        (&["render", "x", "-d", "postgre"], "tip: a similar value exists: 'postgres'"),
        (&["render", "x", "-s", "upsrt"], "tip: a similar value exists: 'upsert'"),
        (&["render", "x", "--stdout", "--check"], "cannot be used with"),
        (&["render", "."], "there is no spec in ."),
        (&["completions", "tcsh"], "possible values: bash"),
    ] {
        let message = desk.run(arguments).failed();
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    assert_eq!(desk.run(&["--version"]).fine(), format!("idemsql {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn colours_are_for_terminals_unless_asked_for() {
    let desk = Desk::with_spec();
    desk.write("bad.yaml", "version: 2\n");
    let coloured = |arguments: &[&str], variable: Option<(&str, &str)>| {
        let mut command = desk.command(arguments);
        command.envs(variable);
        let ran = finish(command, "");
        (ran.stdout.contains('\u{1b}'), ran.stderr.contains('\u{1b}'))
    };
    let check = ["render", "specs", "--check", "--color"];
    let with = |when: &'static str| [&check[..], &[when]].concat();
    assert_eq!(coloured(&check[..3], None), (false, false));
    assert_eq!(coloured(&with("auto"), None), (false, false));
    assert_eq!(coloured(&with("always"), None), (true, false));
    assert_eq!(
        coloured(&with("always"), Some(("NO_COLOR", "1"))),
        (true, false),
        "an option says more than a variable"
    );
    assert_eq!(coloured(&with("never"), Some(("CLICOLOR_FORCE", "1"))), (false, false));
    assert_eq!(coloured(&check[..3], Some(("CLICOLOR_FORCE", "1"))), (true, false));
    assert_eq!(coloured(&["render", "bad.yaml"], None), (false, false));
    assert_eq!(coloured(&["render", "bad.yaml", "--color", "always"], None), (false, true));
    assert_eq!(coloured(&["render", "specs", "--stdout", "--color", "always"], None), (false, false), "SQL is SQL");
}
