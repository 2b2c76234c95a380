//! What holds for the whole of the source: who may name whom, and what stands nowhere.

use crate::support::files_below;
use idemsql::dialect;
use idemsql::render::TEMPLATES;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// One folder of `src`: what lives there and which others it may name. The README shows this table.
pub struct Layer {
    pub folder: &'static str,
    pub holds: &'static str,
    pub may_name: &'static [&'static str],
}

/// From the command line down.
pub const LAYERS: &[Layer] = &[
    Layer {
        folder: "cli",
        holds: "one file per command; the only place with clap, files, stdout, environment and exit codes",
        may_name: &[
            "import",
            "verify",
            "engine",
            "lint",
            "render",
            "plan",
            "strategy",
            "spec",
            "sql",
            "dialect",
            "diagnostic",
        ],
    },
    Layer {
        folder: "import",
        holds: "DDL, a live database or a dbt manifest made into a spec",
        may_name: &["spec", "sql", "dialect", "engine", "diagnostic"],
    },
    Layer {
        folder: "verify",
        holds: "the guarantees: scenarios, the reference model, the comparison",
        may_name: &["render", "plan", "strategy", "sql", "dialect", "engine", "diagnostic"],
    },
    Layer {
        folder: "engine",
        holds: "one file per real engine: connect, run a script, read rows back, count physical writes",
        may_name: &["dialect", "diagnostic"],
    },
    Layer {
        folder: "lint",
        holds: "the runner, context, suppressions, fixes; `lint/rules/` has one file per rule",
        may_name: &["sql", "dialect", "diagnostic"],
    },
    Layer {
        folder: "render",
        holds: "runs a template on a plan, then proves the SQL against the plan",
        may_name: &["plan", "strategy", "sql", "dialect", "diagnostic"],
    },
    Layer {
        folder: "plan",
        holds: "spec, dialect and strategy made into everything that a template may read, or refused",
        may_name: &["spec", "strategy", "sql", "dialect", "diagnostic"],
    },
    Layer {
        folder: "strategy",
        holds: "one file per strategy: what it promises, what it needs, its form in a dialect",
        may_name: &["dialect", "diagnostic"],
    },
    Layer {
        folder: "spec",
        holds: "the YAML exactly as the user wrote it, with places for messages",
        may_name: &["diagnostic"],
    },
    Layer {
        folder: "sql",
        holds: "SQL text to statements to facts: splitting, parsing, what a dialect accepts",
        may_name: &["dialect", "diagnostic"],
    },
    Layer {
        folder: "dialect",
        holds: "one file per dialect; `mechanism.rs` names the ways in which a dialect can do a thing",
        may_name: &[],
    },
    Layer {
        folder: "diagnostic",
        holds: "one type for everything that a user is told, with spans and help",
        may_name: &[],
    },
];

/// A source file.
struct File {
    path: String,
    text: String,
    /// The text without its comments and its test module, with the strings in place.
    code: String,
}

fn sources() -> Vec<File> {
    let rust = files_below(Path::new("src")).into_iter().filter(|path| is_rust(path));
    rust.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let all_tests = path.ends_with("/tests.rs") || path.contains("/tests/") || path.ends_with("/testing.rs");
        let tests = if all_tests { Some(0) } else { text.find("#[cfg(test)]\nmod tests {") }.unwrap_or(text.len());
        // The fence of an example in a page names the dialect of the example.
        let lines =
            text[..tests].lines().filter(|line| !line.trim_start().starts_with("//") && !line.starts_with("```"));
        let code = lines.collect::<Vec<_>>().join("\n");
        File { path, text, code }
    })
    .collect()
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "rs")
}

/// The folder of `src` that a file is in, or the name of a file in `src` itself.
fn module(path: &str) -> &str {
    let inside = path.strip_prefix("src/").unwrap();
    inside.split('/').next().unwrap().trim_end_matches(".rs")
}

/// The words of a text: letters, digits and underscores.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Fails with one line for each fault.
#[track_caller]
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_folder_has_a_row_and_every_row_a_folder() {
    let folders: BTreeSet<String> = fs::read_dir("src")
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let rows: BTreeSet<String> = LAYERS.iter().map(|layer| layer.folder.to_owned()).collect();
    assert_eq!(folders, rows);
    let mut above = BTreeSet::new();
    for layer in LAYERS {
        above.insert(layer.folder);
        // Nobody names what stands above it, so there is no circle.
        none(&layer.may_name.iter().filter(|name| above.contains(*name)).map(|n| (*n).to_owned()).collect::<Vec<_>>());
    }
}

#[test]
fn a_module_names_only_what_its_row_allows() {
    let mut faults = Vec::new();
    for file in sources() {
        let from = module(&file.path);
        let Some(layer) = LAYERS.iter().find(|layer| layer.folder == from) else { continue };
        for rest in file.code.split("crate::").skip(1) {
            let name = words(rest).next().unwrap_or_default();
            // `$crate`, `self::` and the like do not reach another module.
            let known = LAYERS.iter().any(|layer| layer.folder == name);
            if known && name != from && !layer.may_name.contains(&name) {
                faults.push(format!("{}: `{from}` may not name `{name}`", file.path));
            }
        }
    }
    none(&faults);
}

#[test]
fn an_import_names_one_module_and_no_path_climbs_twice() {
    let mut faults = Vec::new();
    for file in sources() {
        for forbidden in ["use crate::{", "super::super"] {
            if file.text.contains(forbidden) {
                faults.push(format!("{}: `{forbidden}`", file.path));
            }
        }
    }
    none(&faults);
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut files = files_below(Path::new("src"));
    files.extend(files_below(Path::new("tests")));
    let rust = files.into_iter().filter(|path| is_rust(path) && !path.contains("/target/"));
    let silent: Vec<String> = rust.filter(|path| !fs::read_to_string(path).unwrap().starts_with("//! ")).collect();
    none(&silent);
}

#[test]
fn every_file_of_a_catalogue_is_in_its_list() {
    // Files of a catalogue's folder that are not entries.
    let helpers = [
        (
            "dialect",
            &[
                "adapter",
                "client",
                "ddl",
                "digest",
                "literal",
                "mechanism",
                "mod",
                "mysql_family",
                "name",
                "native",
                "parameter",
                "probe",
                "reserved",
                "syntax",
                "tests",
                "types",
            ][..],
        ),
        ("strategy", &["mod"][..]),
        ("engine", &["catalogue", "hand", "mod", "stop", "tls", "value"][..]),
        ("cli/report", &["escape", "fingerprint", "mod", "place", "run", "statistics", "summary", "words"][..]),
        ("lint/rules", &["mod"][..]),
    ];
    let mut faults = Vec::new();
    for (folder, helpers) in helpers {
        let list = fs::read_to_string(format!("src/{folder}/mod.rs")).unwrap();
        let start = list.find("pub static ALL").unwrap_or_else(|| panic!("src/{folder}/mod.rs has no list"));
        let list = &list[start..start + list[start..].find("];").unwrap()];
        for path in files_below(&Path::new("src").join(folder)) {
            let name = path.strip_prefix(&format!("src/{folder}/")).unwrap().trim_end_matches(".rs");
            if !name.starts_with("tests") && !helpers.contains(&name) && !list.contains(&format!("&{name}::")) {
                faults.push(format!("{path} is not in the list of src/{folder}/mod.rs"));
            }
        }
    }
    for path in files_below(Path::new("templates")) {
        let name = path.strip_prefix("templates/").unwrap();
        if !TEMPLATES.iter().any(|(known, _)| *known == name) {
            faults.push(format!("{path} is not in render::TEMPLATES"));
        }
    }
    none(&faults);
}

#[test]
fn no_dialect_is_named_outside_its_file() {
    let names: Vec<&str> = dialect::ALL.iter().map(|dialect| dialect.name).collect();
    let mut faults = Vec::new();
    for file in sources() {
        if matches!(module(&file.path), "dialect" | "engine") {
            continue;
        }
        for (at, line) in file.code.lines().enumerate() {
            // An engine has the name of the dialect that it speaks.
            let engines = line.replace("engine::", "engine:: ");
            let mut before = "";
            for word in words(&engines) {
                if names.contains(&word) && before != "engine" && before != "feature" {
                    faults.push(format!("{}: `{word}` in line {} of its code: {}", file.path, at + 1, line.trim()));
                }
                before = word;
            }
        }
    }
    for path in files_below(Path::new("templates")) {
        let text = fs::read_to_string(&path).unwrap().to_lowercase();
        faults.extend(words(&text).filter(|word| names.contains(word)).map(|word| format!("{path}: `{word}`")));
    }
    none(&faults);
}

#[test]
fn the_library_touches_the_world_in_few_places() {
    let mut faults = Vec::new();
    for file in sources() {
        if matches!(module(&file.path), "cli" | "engine" | "main") {
            continue;
        }
        for world in ["std::fs", "std::env", "std::io", "std::process", "std::net", "std::time::", "println!", "clap"] {
            if file.code.contains(world) {
                faults.push(format!("{}: `{world}`", file.path));
            }
        }
    }
    none(&faults);
}
