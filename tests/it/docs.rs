//! The documentation is true: what is made from the program is compared with it, and every command that a page shows is
//! run. `UPDATE=1 cargo test` rewrites the pages.

use crate::architecture::LAYERS;
use crate::support::files_below;
use idemsql::lint::rules;
use idemsql::plan::GUARANTEES;
use idemsql::{dialect, spec, strategy};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Pages that people write, in which we run the commands and fill in the marked parts.
const WRITTEN: &[&str] =
    &["README.md", "CONTRIBUTING.md", "docs/cost.md", "docs/idempotency.md", "docs/plan.md", "docs/lint.md"];

/// Shell commands that a page may show in a `sh` block and that this test does not run: they would run the test itself,
/// or install. Every other one is run.
const NOT_RUN: &[&str] = &[
    "./tests/all",
    "fuzz/seeds",
    "RUSTC_BOOTSTRAP=1 cargo fuzz run TARGET -s none -- -dict=fuzz/sql.dict -max_len=4096 -timeout=5 -max_total_time=600",
    "python3 benches/lint/peers.py FOLDER --idemsql target/release/idemsql",
    "python3 benches/cost/run.py postgres 1000000 --idemsql target/release/idemsql --reps 3",
    "python3 benches/cost/run.py postgres 100000 --idemsql target/release/idemsql --keys none --movers",
    "cargo build --release",
    "python3 benches/dbt.py 1000 --idemsql target/release/idemsql --dbt DBT",
    "python3 benches/cost/run.py postgres 1000000 --idemsql target/release/idemsql",
    "python3 benches/cost/run.py mariadb 100000 --idemsql target/release/idemsql",
    "python3 benches/cost/run.py duckdb 200000 --idemsql target/release/idemsql",
    "python3 benches/cost/run.py sqlite 100000 --idemsql target/release/idemsql",
    "cargo bench",
    "cargo install --path .",
    "cargo test",
    "cargo test --test it docs",
    "UPDATE=1 cargo test",
    "tests/engines/libduckdb.sh install",
    "eval \"$(tests/engines/libduckdb.sh env)\"",
    "cargo test --features postgres,mysql,duckdb",
    "idemsql verify spec.yaml --engine postgres://me@localhost/dev",
    "idemsql verify spec.yaml --sql load.sql",
    "idemsql import db sqlite:shop.db --table orders --out orders.yaml",
    "idemsql import db env:SHOP_URL --schema mart",
    "idemsql render spec.yaml --form ddl --from env:SHOP_URL",
    "idemsql render spec.yaml --form dbmate --migration-version 20240601120000 --from postgres://me@localhost/shop",
    "idemsql import dbt target/manifest.json --catalog target/catalog.json --select orders",
    "idemsql verify --sql load.sql --setup schema.sql --rows rows",
];

const PROGRAM: &str = env!("CARGO_BIN_EXE_idemsql");

/// What the program prints, with all that could make it print anything else taken away.
fn program(arguments: &[&str]) -> String {
    let output = quiet(Command::new(PROGRAM).args(arguments)).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn quiet(command: &mut Command) -> &mut Command {
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "UPDATE"] {
        command.env_remove(variable);
    }
    command.env("LC_ALL", "C").stdin(Stdio::null())
}

/// Compares a page with what it must say, or writes it.
#[track_caller]
fn page(path: &str, text: &str) {
    let old = fs::read_to_string(path).unwrap_or_default();
    if old == text {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(Path::new(path).parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        return;
    }
    let diff = similar::TextDiff::from_lines(old.as_str(), text);
    panic!("{path} is stale; rewrite it with UPDATE=1:\n{}", diff.unified_diff().context_radius(2));
}

/// The note at the top of a page that is made.
fn made(title_page: &str) -> String {
    let (title, rest) = title_page.split_once('\n').unwrap();
    format!("{title}\n\n<!-- Made by the tests: UPDATE=1 cargo test -->\n{rest}")
}

/// The overview of a catalogue and the pages of its entries, one heading lower.
fn catalogue(overview: &str, names: impl Iterator<Item = &'static str>) -> String {
    let mut out = made(&program(&["explain", overview]));
    for name in names {
        // The page becomes a section of this one.
        write!(out, "\n#{}", program(&["explain", name]).replace("\n## ", "\n### ")).unwrap();
    }
    out
}

#[test]
fn pages_on_strategies_dialects_guarantees_and_rules() {
    page("docs/strategies.md", &catalogue("strategies", strategy::ALL.iter().map(|one| one.name)));
    page("docs/dialects.md", &catalogue("dialects", dialect::ALL.iter().map(|one| one.name)));
    let found = format!("{RUN}{}", crate::proof::tables());
    let guarantees = catalogue("guarantees", GUARANTEES.iter().map(|one| one.code));
    page("docs/guarantees.md", &format!("{}\n\n{}", guarantees.trim_end(), found.trim_end()));
    page("docs/rules.md", &catalogue("rules", rules::ALL.iter().map(|one| one.code)));
}

/// The commands of a list in a help.
fn commands(list: &str) -> Vec<&str> {
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").collect()
}

#[test]
fn the_page_on_the_command_line_is_its_help() {
    let help = program(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let mut out = made("# The command line\n\nThe help of every command.\n");
    let mut block = |command: &str| {
        let arguments: Vec<&str> = command.split(' ').skip(1).collect();
        write!(out, "\n## {command}\n\n```text\n{}```\n", program(&[&arguments[..], &["--help"]].concat())).unwrap();
    };
    block("idemsql");
    for command in commands(list) {
        block(&format!("idemsql {command}"));
        let help = program(&[command, "--help"]);
        let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
        for part in list.map(commands).unwrap_or_default() {
            block(&format!("idemsql {command} {part}"));
        }
    }
    page("docs/cli.md", &out);
}

#[test]
fn the_page_on_the_spec_has_every_key() {
    let schema = spec::schema();
    let mut out = made(
        "# The table spec\n\nA spec is a YAML file with one or more tables. Unknown and duplicate keys are errors, and all \
         errors of a file come in one run. This page is made from the same list of keys that reads a spec; `idemsql \
         schema` prints it as JSON Schema, for editors.\n",
    );
    write!(out, "\nAn example, which `idemsql init` writes:\n\n```yaml\n{}```\n", program(&["init", "-"])).unwrap();
    let mut section = |title: &str, about: &str, object: &Value| {
        writeln!(out, "\n## {title}\n\n{about}\n\n| key | value | meaning |\n|---|---|---|").unwrap();
        let required: Vec<&str> = object["required"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
        for (key, value) in object["properties"].as_object().unwrap() {
            let needed = if required.contains(&key.as_str()) { " **Needed.**" } else { "" };
            let meaning = value["description"].as_str().unwrap().replace('|', "\\|").replace('<', "\\<");
            assert!(meaning.len() > 5, "{key} is not described");
            writeln!(out, "| `{key}` | {} | {meaning}{needed} |", kind(value)).unwrap();
        }
    };
    let definitions = &schema["$defs"];
    let table = &definitions["table"]["properties"];
    let mapping = |value: &Value| -> Value {
        let all = value["oneOf"].as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        all.into_iter().find(|one| one["type"] == "object").unwrap()
    };
    section("The file", "The keys at the top of a file.", &schema);
    section(
        "A table",
        "`tables` is a list of these. Any of them may stand in `defaults` as well.",
        &definitions["table"],
    );
    section("A column", "`columns` is a list of these.", &definitions["column"]);
    section("source", "Exactly one of these.", &table["source"]);
    section("incremental_column", "A plain name, or a mapping:", &mapping(&table["incremental_column"]));
    section("window", "A half-open range, which the caller gives.", &table["window"]);
    section("A bind parameter", "In place of a value of `window`.", &mapping(&table["window"]["properties"]["start"]));
    section("deletes", "`when`, and one of the other two.", &table["deletes"]);
    section(
        "partition",
        "For `replace_partition`: a plain name, or a mapping. A part of a value, such as the month of a time, is no \
         partition yet: load a column that holds it.",
        &mapping(&table["partition"]),
    );
    section("batch", "For `batch_once`: a plain name, or a mapping.", &mapping(&table["batch"]));
    section(
        "missing_rows",
        "For `mirror`, `action` or `flag`, and `scope` where the source holds a part of the table; for `full_refresh` \
         `allow_empty` alone.",
        &table["missing_rows"],
    );
    section("history", "For `history`: the names of the columns that the load adds.", &table["history"]);
    section(
        "dbt",
        "What a dbt model needs to know beyond the table; all of it can be left out. Without `source` and `ref` the \
         table `raw.orders` of the table's `source` is `source('raw', 'orders')`, and the files declare that source.",
        &table["dbt"],
    );
    let mut known = vec![
        "source",
        "incremental_column",
        "window",
        "deletes",
        "partition",
        "batch",
        "missing_rows",
        "history",
        "dbt",
    ];
    let nested = |value: &Value| value.to_string().contains("\"properties\"");
    known.retain(|key| nested(&table[*key]));
    let all = table.as_object().unwrap().iter().filter(|(_, value)| nested(value)).count();
    assert_eq!(all, known.len(), "a mapping inside a table has no section here");
    page("docs/spec.md", &out);
}

#[test]
fn the_page_on_the_settings_has_every_key() {
    let mut out = made(
        "# The settings file\n\n`idemsql lint` reads `idemsql.yaml`, in the folder in which it runs or in one above it, up to \
         the root of the repository. Unknown keys are errors. Paths and globs are seen from the folder of the file; a glob \
         without `/` matches at any depth, and a folder stands for everything below it. This page is made from the same \
         list of keys that reads the file; `idemsql schema settings` prints it as JSON Schema, for editors.\n",
    );
    write!(out, "\nAn example:\n\n```yaml\n{SETTINGS}```\n").unwrap();
    let desk = tempfile::tempdir().unwrap();
    fs::write(desk.path().join("idemsql.yaml"), SETTINGS).unwrap();
    fs::write(desk.path().join("a.sql"), "SELECT 1;\n").unwrap();
    let ran = quiet(Command::new(PROGRAM).arg("lint").current_dir(desk.path())).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let schema = spec::settings_schema();
    let lint = &schema["properties"]["lint"];
    let mut section = |title: &str, about: &str, object: &Value| {
        writeln!(out, "\n## {title}\n\n{about}\n\n| key | value | meaning |\n|---|---|---|").unwrap();
        for (key, value) in object["properties"].as_object().unwrap() {
            let meaning = value["description"].as_str().unwrap().replace('|', "\\|").replace('<', "\\<");
            writeln!(out, "| `{key}` | {} | {meaning} |", kind(value)).unwrap();
        }
    };
    section("lint", "All keys may be left out.", lint);
    section(
        "per_file",
        "`path`, and what differs for the files that it matches.",
        &lint["properties"]["per_file"]["items"],
    );
    let guards = &lint["properties"]["guard_comments"]["items"];
    section("guard_comments", "Both are needed.", guards);
    page("docs/settings.md", &out);
}

/// Settings that show most keys.
const SETTINGS: &str = "\
lint:
  dialect: postgres
  policy: {\"migrations/**\": once, \"seeds/**\": rerun}
  exclude: [vendor, \"*.generated.sql\"]
  severity: {suppression-problem: info}
  append_only: [audit.*, etl_log]
  aliases: {mart.v_orders: mart.orders}
  require_reason: true
  per_file:
    - path: legacy
      ignore: [IDM9]
";

/// What a key's value looks like.
fn kind(value: &Value) -> String {
    if let Some(words) = value["enum"].as_array() {
        return words.iter().map(|word| format!("`{}`", word.as_str().unwrap())).collect::<Vec<_>>().join(", ");
    }
    if let Some(only) = value.get("const") {
        return format!("`{only}`");
    }
    if let Some(ways) = value["oneOf"].as_array() {
        return ways.iter().map(kind).collect::<Vec<_>>().join(", or ");
    }
    if value.get("$ref").is_some() {
        return "keys of a table".to_owned();
    }
    let word = |kind: &str| {
        match kind {
            "string" => "text",
            "integer" => "whole number",
            "boolean" => "true or false",
            "array" => "list",
            "object" => "mapping",
            other => other,
        }
        .to_owned()
    };
    match &value["type"] {
        Value::String(kind) => word(kind),
        Value::Array(kinds) => kinds.iter().map(|kind| word(kind.as_str().unwrap())).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

#[test]
#[cfg(unix)]
fn every_command_of_a_page_prints_what_the_page_says() {
    for path in WRITTEN {
        let text = fs::read_to_string(path).unwrap();
        page(path, &filled(&text));
    }
    let generated = ["cli", "coverage", "dialects", "guarantees", "rules", "settings", "spec", "strategies"]
        .map(|name| format!("docs/{name}.md"));
    for path in files_below(Path::new("docs")) {
        assert!(WRITTEN.contains(&path.as_str()) || generated.contains(&path), "{path} is in no list of this test");
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    for path in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(str::to_owned)
        .into_iter()
        .chain(files_below(Path::new("docs")))
    {
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let file = link.split('#').next().unwrap();
            if !link.contains("://") && !file.is_empty() {
                let target = Path::new(&path).parent().unwrap().join(file);
                assert!(target.exists(), "{path} links to {link}");
            }
        }
    }
}

/// The page with its commands run and its marked parts filled in.
fn filled(text: &str) -> String {
    let desk = Desk::new();
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let until = match line {
            "```console" | "```sh" => "```".to_owned(),
            _ if line.starts_with("<!-- begin ") => line.replace("begin", "end"),
            "```bash" | "```shell" => panic!("write `console` for a command and its output, or `sh`: {line}"),
            _ => continue,
        };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != until).collect();
        match line {
            "```console" => out.push_str(&desk.console(&inside)),
            "```sh" => {
                for command in inside {
                    if command.starts_with("cargo run --release -- ") {
                        let (printed, code) = desk.shell(command);
                        assert_eq!(code, 0, "{command}: {printed}");
                        writeln!(out, "{command}").unwrap();
                        continue;
                    }
                    let command_alone = command.split(" #").next().unwrap().trim_end();
                    assert!(
                        NOT_RUN.contains(&command_alone),
                        "nothing runs `{command}`: write it into a console block"
                    );
                    writeln!(out, "{command}").unwrap();
                }
            }
            "<!-- begin layers -->" => out.push_str(&layers()),
            "<!-- begin dialects -->" => out.push_str(&dialects()),
            other => panic!("nothing fills {other}"),
        }
        writeln!(out, "{until}").unwrap();
    }
    out
}

/// The table of the architecture test.
fn layers() -> String {
    let mut out = "| folder in `src/` | what lives here | may name |\n|---|---|---|\n".to_owned();
    for layer in LAYERS {
        let names = match layer.may_name {
            [] => "nothing of ours".to_owned(),
            names => format!("`{}`", names.join(" ")),
        };
        writeln!(out, "| `{}` | {} | {names} |", layer.folder, layer.holds).unwrap();
    }
    out
}

/// The table of the dialects alone.
fn dialects() -> String {
    let page = program(&["explain", "dialects"]);
    page.lines().filter(|line| line.starts_with('|')).fold(String::new(), |all, line| all + line + "\n")
}

/// What stands above the tables of what was found.
const RUN: &str = "\
## What was run

Each table is made by the test that ran it: every fixture of `fixtures/load` by every strategy that its dialect has, on made-up
rows and on its own. The numbers count loads (a fixture by a strategy): a promise that was broken anywhere would have failed the
test. *Not promised* has its reason above; *not run* says that the engine or the source cannot be tried so: a query's rows are
the user's, and a bridge to an engine without a driver has one session. What an engine cannot run, and what was tried with less,
stands below its table.

";

/// What `verify` prints, with the same time and the same luck on every run.
fn steady(printed: &str) -> String {
    let line = |line: &str| {
        let (start, end) = (line.trim_start(), " killed in a statement");
        match line.strip_suffix(end).and_then(|rest| rest.rsplit_once(' ')) {
            Some((rest, _)) => format!("{rest} 3{end}\n"),
            None if start.starts_with("in ") && start.ends_with(" s") => "  in 0.5 s\n".to_owned(),
            None => format!("{line}\n"),
        }
    };
    printed.lines().map(line).collect()
}

/// A copy of the fixtures, in which the commands of one page run.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        for path in files_below(Path::new("fixtures/load")) {
            let copy = desk.0.path().join(&path);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            // Pages render into these folders; our golden files would be taken for files of someone else.
            if Path::new(&path).extension().is_none_or(|ending| ending != "sql")
                || !fs::read_to_string(&path).unwrap().starts_with("-- ")
            {
                fs::copy(&path, copy).unwrap();
            }
        }
        desk
    }

    /// A block of commands, each behind `$ `, with the output that they have now.
    fn console(&self, block: &[&str]) -> String {
        let commands: Vec<&str> = block.iter().filter_map(|line| line.strip_prefix("$ ")).collect();
        assert!(!commands.is_empty() && block[0].starts_with("$ "), "a console block begins with `$ `: {block:?}");
        let mut out = String::new();
        let mut code = 0;
        for command in commands {
            writeln!(out, "$ {command}").unwrap();
            if command == "echo $?" {
                writeln!(out, "{code}").unwrap();
                continue;
            }
            let (printed, exit) = self.shell(command);
            let printed = if command.contains("verify") { steady(&printed) } else { printed };
            code = exit;
            assert!(code < 3, "`{command}` ends with {code}: {printed}");
            out.push_str(printed.trim_end_matches('\n'));
            if !printed.is_empty() {
                out.push('\n');
            }
        }
        out
    }

    /// What a command prints on both streams, in order, and its exit code.
    fn shell(&self, command: &str) -> (String, i32) {
        let command = command.replace("cargo run --release -- ", "idemsql ");
        let folder = Path::new(PROGRAM).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut shell = Command::new("sh");
        quiet(&mut shell).arg("-c").arg(&command).current_dir(self.0.path()).env("PATH", path);
        let mut child = shell.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
        // Our own ends of the pipe must close, or it never ends.
        drop(shell);
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        let status = child.wait().unwrap();
        (printed, status.code().unwrap())
    }
}
