//! `idemsql.yaml` exactly as the user wrote it, with the place of every value. A file for each section.

mod lint;
mod verify;

use std::sync::Arc;

use serde_json::Value as Json;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Source;
use crate::spec::read::Reader;
use crate::spec::schema;
use crate::spec::seed::Files;
use crate::spec::vocabulary::{Key, Vocabulary};
use crate::spec::yaml::{Entry, Value, parse};
use lint::LINT;
pub use lint::{LintSettings, PerFile, Runs};
use verify::VERIFY;
pub use verify::VerifySettings;

/// The settings file.
#[derive(Clone, Debug)]
pub struct Settings {
    source: Arc<Source>,
    /// The `lint` section; empty when there is none.
    pub lint: LintSettings,
    /// The `verify` section; empty when there is none.
    pub verify: VerifySettings,
}

impl Settings {
    /// Reads a settings file: what could be read of it, and all its faults, sorted by their place. With a fault it is good
    /// only for finding more of them.
    pub fn read(source: &Arc<Source>) -> (Self, Vec<Diagnostic>) {
        let mut made =
            Self { source: Arc::clone(source), lint: LintSettings::default(), verify: VerifySettings::default() };
        let root = match parse(&source.text) {
            Ok(root) => root,
            Err(fault) => return (made, vec![placed(fault, source)]),
        };
        let files = Files::new();
        let mut reader = Reader { dialect: "", files: &files, alone: false, faults: Vec::new() };
        let help = "write `lint:`, and the settings indented under it";
        // A file without a key, such as one of comments only, sets nothing.
        if !matches!(root.value, Value::Null)
            && let Some(entries) = reader.entries("the settings file", &root, help)
        {
            reader.mapping(entries, &root.span, &SETTINGS, &mut made);
        }
        let mut faults: Vec<Diagnostic> = reader.faults.into_iter().map(|fault| placed(fault, source)).collect();
        faults.sort_by_key(|fault| fault.labels.first().map_or(0, |label| label.span.start));
        (made, faults)
    }

    /// The text that every span points into.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }
}

/// The JSON Schema (draft 2020-12) of a settings file.
pub fn settings_schema() -> Json {
    let mut made = schema::object(&SETTINGS);
    if let Json::Object(made) = &mut made {
        made.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        made.insert("title".to_owned(), "idemsql settings".into());
    }
    made
}

/// A fault of this file, under its own name.
fn placed(fault: Diagnostic, source: &Arc<Source>) -> Diagnostic {
    Diagnostic { code: code(fault.code), ..fault }.in_source(source)
}

/// Reads a section. One without a key sets nothing.
fn section<T>(r: &mut Reader, entry: &Entry, vocabulary: &'static Vocabulary<T>, into: &mut T) {
    if matches!(entry.value.value, Value::Null) {
        return;
    }
    let help = format!("write the settings indented under `{}:`", entry.key);
    if let Some(entries) = r.entries(vocabulary.what, &entry.value, &help) {
        r.mapping(entries, &entry.key_span, vocabulary, into);
    }
}

/// The kinds of faults are those of a spec; the file is another.
fn code(spec: &'static str) -> &'static str {
    match spec {
        "spec-syntax" => "config-syntax",
        "spec-unknown-key" => "config-unknown-key",
        "spec-unknown-word" => "config-unknown-word",
        "spec-missing-key" => "config-missing-key",
        "spec-duplicate-key" | "spec-twice" => "config-twice",
        "spec-no-value" | "spec-empty-list" => "config-no-value",
        "spec-wrong-kind" => "config-wrong-kind",
        _ => "config",
    }
}

/// No key of ours has a home elsewhere.
fn nowhere(_: &str) -> Option<&'static str> {
    None
}

static SETTINGS: Vocabulary<Settings> = Vocabulary {
    what: "the settings file",
    keys: &[
        Key {
            name: "lint",
            doc: "the settings of `idemsql lint`",
            needed: None,
            schema: || schema::object(&LINT),
            read: |r, e, made| section(r, e, &LINT, &mut made.lint),
        },
        Key {
            name: "verify",
            doc: "the settings of `idemsql verify`",
            needed: None,
            schema: || schema::object(&VERIFY),
            read: |r, e, made| section(r, e, &VERIFY, &mut made.verify),
        },
    ],
    home: |key| LINT.keys.iter().any(|known| known.name == key).then_some("`lint`"),
    foreign: &[
        ("tables", "this is a spec: give it another name than that of the settings file"),
        ("version", "this is a spec, or the key is not needed: remove it, or give the file another name"),
        ("linter", "write `lint`"),
        ("rules", "write `lint: {select: [...], ignore: [...]}`"),
    ],
};

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::{Runs, Settings, settings_schema};
    use crate::diagnostic::{Severity, Source, short};
    use std::sync::Arc;

    fn read(text: &str) -> Result<Settings, String> {
        let source = Arc::new(Source::new("idemsql.yaml", text));
        let (settings, faults) = Settings::read(&source);
        if faults.is_empty() {
            return Ok(settings);
        }
        let helps: Vec<String> = faults.iter().filter_map(|fault| fault.help.clone()).collect();
        Err(short(&faults) + &helps.join("\n"))
    }

    #[test]
    fn every_key_is_read() {
        let lint = read(
            "lint:\n  dialect: ansi\n  policy: {\"migrations/**\": once, seeds: rerun}\n  select: [IDM1, IDM5]\n  ignore: \
             IDM105\n  severity: {IDM501: info}\n  fail_on: never\n  exclude: [vendor]\n  per_file:\n    - path: a/*\n      \
             policy: once\n      ignore: []\n    - {path: [b, c], in_transaction: true, severity: {all: error}}\n  schema: \
             schema.sql\n  specs: [specs]\n  append_only: [audit.*]\n  staging: []\n  load_columns: [x]\n  aliases: {v: \
             t}\n  in_transaction: false\n  guard_comments: [{begin: \"#If\", end: \"#EndIf\"}]\n  require_reason: true\n  \
             bodies: true\n  baseline: known.json\n",
        )
        .unwrap()
        .lint;
        let shown = |list: &[crate::spec::Located<String>]| {
            list.iter().map(|one| one.value.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(lint.dialect.as_ref().unwrap().value, "ansi");
        assert_eq!(lint.policy.len(), 2);
        assert_eq!((lint.policy[1].0.as_ref().unwrap().value.as_str(), lint.policy[1].1), ("seeds", Runs::Again));
        assert_eq!(shown(lint.select.as_ref().unwrap()), "IDM1 IDM5");
        assert_eq!(shown(&lint.ignore), "IDM105");
        assert_eq!(lint.severity[0].1, Severity::Info);
        assert_eq!(lint.fail_on, Some(None));
        assert_eq!(lint.per_file[0].policy, Some(Runs::Once));
        assert_eq!(shown(&lint.per_file[1].path), "b c");
        assert_eq!(lint.per_file[1].severity[0].1, Severity::Error);
        assert_eq!(lint.staging.unwrap().len(), 0);
        assert_eq!(lint.aliases[0].1.value, "t");
        assert_eq!(lint.guard_comments, [("#If".to_owned(), "#EndIf".to_owned())]);
        assert!(lint.require_reason && lint.bodies && lint.in_transaction == Some(false));
        assert_eq!(lint.baseline.unwrap().value, "known.json");
    }

    #[test]
    fn a_file_without_settings_sets_nothing() {
        for text in ["", "# later\n", "lint:\n", "lint: {}\n"] {
            assert!(read(text).unwrap().lint.select.is_none(), "{text}");
        }
    }

    #[test]
    fn faults_come_at_once_with_place_nearest_key_and_what_to_write() {
        let message =
            read("lint:\n  selct: [a]\n  polcy: once\n  fail_on: errors\n  severity: {IDM1: off}\n  bodies: yes\n")
                .unwrap_err();
        for words in [
            "idemsql.yaml:2:3: error[config-unknown-key]: `selct` is not a key of `lint`",
            "idemsql.yaml:3:3: error[config-unknown-key]: `polcy`",
            "idemsql.yaml:4:12: error[config-unknown-word]: `errors` is not a value of `fail_on`",
            "idemsql.yaml:5:20: error[config-unknown-word]: `off`",
            "idemsql.yaml:6:11: error[config-wrong-kind]: `bodies` takes `true` or `false`",
            "did you mean `select`?",
            "did you mean `policy`?",
            "did you mean `error`?",
            "write `ignore: [IDM1]`",
            "write `bodies: true`",
        ] {
            assert!(message.contains(words), "{words} is not in {message}");
        }
    }

    #[test]
    fn every_wrong_shape_is_told() {
        for (text, words) in [
            ("- a", "the settings file takes a mapping, not a list"),
            ("select: [a]", "`select` is a key of `lint`: move it there"),
            ("tables: []", "this is a spec"),
            ("lint: [a]", "`lint` takes a mapping"),
            ("lint: {lint: {}}", "`lint` is not a key of `lint`"),
            ("lint: {name: a}", "`lint` has the keys"),
            ("lint: {per_file: {a: b}}", "begin each entry with `- path"),
            ("lint: {per_file: [{ignore: a}]}", "has no `path`"),
            ("lint: {per_file: [{path: a, exclude: b}]}", "`exclude` is a key of `lint`"),
            ("lint: {guard_comments: [{begin: a}]}", "add `end: \"#EndIf\"`"),
            ("lint: {aliases: [a]}", "write `aliases: {view: table}`"),
            ("lint: {severity: {a: info, a: error}}", "`a` is given twice"),
            ("lint: {select: []}", "`select` is an empty list"),
            ("lint: {policy: often}", "`often` is not a value of `policy`"),
            ("lint: {a: [}", "error[config-syntax]"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(words), "{text}: {message}");
        }
    }

    #[test]
    fn the_schema_describes_every_key() {
        let schema = settings_schema();
        let lint = schema["properties"]["lint"]["properties"].as_object().unwrap();
        assert_eq!(lint.len(), super::LINT.keys.len());
        assert!(lint.values().all(|key| key["description"].as_str().is_some_and(|text| text.ends_with('.'))));
    }
}
