//! The `lint` section: what a team says about its scripts.

use super::nowhere;
use crate::diagnostic::{Diagnostic, Severity};
use crate::spec::Located;
use crate::spec::read::{Choices, Reader};
use crate::spec::schema;
use crate::spec::vocabulary::{Key, Vocabulary};
use crate::spec::yaml::{Entry, Node, Value};
use serde_json::{Value as Json, json};
use std::ops::Range;

/// The `lint` section. Names of rules and dialects are not looked up here.
#[derive(Clone, Debug, Default)]
pub struct LintSettings {
    /// The dialect of files of which nothing else says it.
    pub dialect: Option<Located<String>>,
    /// How often files are run: for all (`None`), or for those that a glob matches. A later one beats an earlier one.
    pub policy: Vec<(Option<Located<String>>, Runs)>,
    /// The rules that are on; none for all.
    pub select: Option<Vec<Located<String>>>,
    /// The rules that are off.
    pub ignore: Vec<Located<String>>,
    /// The severities that differ.
    pub severity: Vec<(Located<String>, Severity)>,
    /// The lowest severity that makes the command fail; the inner `None` is never.
    pub fail_on: Option<Option<Severity>>,
    /// Globs of files that are left out.
    pub exclude: Vec<Located<String>>,
    /// What differs for some files, in order.
    pub per_file: Vec<PerFile>,
    /// SQL files with the definitions of tables.
    pub schema: Vec<Located<String>>,
    /// Spec files, or folders of them.
    pub specs: Vec<Located<String>>,
    /// Tables to which every run may append.
    pub append_only: Vec<Located<String>>,
    /// Tables that hold rows for one load only; none for our own list.
    pub staging: Option<Vec<Located<String>>>,
    /// Columns that say when a row was loaded; none for our own list.
    pub load_columns: Option<Vec<Located<String>>>,
    /// Other names of tables: (name, table).
    pub aliases: Vec<(Located<String>, Located<String>)>,
    /// The runner wraps each file in a transaction.
    pub in_transaction: Option<bool>,
    /// Comments that guard what stands between them: (begin, end).
    pub guard_comments: Vec<(String, String)>,
    /// A suppression needs a reason.
    pub require_reason: bool,
    /// Bodies of routines are linted too.
    pub bodies: bool,
    /// The baseline file.
    pub baseline: Option<Located<String>>,
}

/// What differs for some files.
#[derive(Clone, Debug, Default)]
pub struct PerFile {
    /// Globs of the files.
    pub path: Vec<Located<String>>,
    /// Their dialect.
    pub dialect: Option<Located<String>>,
    /// How often they are run.
    pub policy: Option<Runs>,
    /// Of the rules that are on, those that are on for them.
    pub select: Option<Vec<Located<String>>>,
    /// The rules that are off for them.
    pub ignore: Vec<Located<String>>,
    /// The severities that differ.
    pub severity: Vec<(Located<String>, Severity)>,
    /// The runner wraps each of them in a transaction.
    pub in_transaction: Option<bool>,
}

/// How often a file is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// `once`
    Once,
    /// `rerun`
    Again,
}

const LEVELS: Choices<Severity> = &[
    ("error", "a second run leaves wrong data", Severity::Error),
    ("warning", "it fails, or works by luck", Severity::Warning),
    ("info", "worth knowing", Severity::Info),
];

const FAIL_ON: Choices<Option<Severity>> = &[
    ("error", "errors (the default)", Some(Severity::Error)),
    ("warning", "errors and warnings", Some(Severity::Warning)),
    ("info", "any finding", Some(Severity::Info)),
    ("never", "no finding", None),
];

const RUNS: Choices<Runs> = &[
    ("once", "a runner runs it once and remembers that it did", Runs::Once),
    ("rerun", "a runner or a person runs it again", Runs::Again),
];

pub(super) static LINT: Vocabulary<LintSettings> = Vocabulary {
    what: "`lint`",
    keys: &[
        Key {
            name: "dialect",
            doc: "the dialect of files of which nothing else says it",
            needed: None,
            schema: schema::text,
            read: |r, e, lint| lint.dialect = r.text(e),
        },
        Key {
            name: "policy",
            doc: "how often files are run: `once` or `rerun`, or a mapping from globs to these",
            needed: None,
            schema: || json!({"oneOf": [schema::choice(RUNS), by_name(&schema::choice(RUNS))]}),
            read: |r, e, lint| lint.policy = policy(r, e),
        },
        Key {
            name: "select",
            doc: "the rules that are on, by code, name or the beginning of a code; all when left out",
            needed: None,
            schema: schema::names,
            read: |r, e, lint| lint.select = Some(r.names(e)),
        },
        Key {
            name: "ignore",
            doc: "the rules that are off",
            needed: None,
            schema: list_schema,
            read: |r, e, lint| lint.ignore = list(r, e),
        },
        Key {
            name: "severity",
            doc: "a mapping from rules to `error`, `warning` or `info`",
            needed: None,
            schema: || by_name(&schema::choice(LEVELS)),
            read: |r, e, lint| lint.severity = severity(r, e),
        },
        Key {
            name: "fail_on",
            doc: "the lowest severity of a finding that makes the command fail",
            needed: None,
            schema: || schema::choice(FAIL_ON),
            read: |r, e, lint| lint.fail_on = r.choice(e, FAIL_ON).map(|level| level.value),
        },
        Key {
            name: "exclude",
            doc: "globs of files and folders that are left out",
            needed: None,
            schema: list_schema,
            read: |r, e, lint| lint.exclude = list(r, e),
        },
        Key {
            name: "per_file",
            doc: "what differs for some files; a later entry beats an earlier one",
            needed: None,
            schema: || json!({"type": "array", "items": schema::object(&PER_FILE)}),
            read: |r, e, lint| lint.per_file = per_file(r, e),
        },
        Key {
            name: "schema",
            doc: "SQL files that define tables, so that their keys are known",
            needed: None,
            schema: list_schema,
            read: |r, e, lint| lint.schema = list(r, e),
        },
        Key {
            name: "specs",
            doc: "spec files, or folders of them, so that the keys of their tables are known",
            needed: None,
            schema: list_schema,
            read: |r, e, lint| lint.specs = list(r, e),
        },
        Key {
            name: "append_only",
            doc: "tables to which every run may append, such as logs; `*` stands for any characters",
            needed: None,
            schema: list_schema,
            read: |r, e, lint| lint.append_only = list(r, e),
        },
        Key {
            name: "staging",
            doc: "tables that hold rows for one load only, in place of our own list (`stg_*`, `tmp_*`, ..)",
            needed: None,
            schema: list_schema,
            read: |r, e, lint| lint.staging = Some(list(r, e)),
        },
        Key {
            name: "load_columns",
            doc: "columns that say when a row was loaded, in place of our own list (`*_loaded_at`, `etl_*`, ..)",
            needed: None,
            schema: list_schema,
            read: |r, e, lint| lint.load_columns = Some(list(r, e)),
        },
        Key {
            name: "aliases",
            doc: "a mapping from views and synonyms to the tables that they show",
            needed: None,
            schema: || by_name(&schema::text()),
            read: |r, e, lint| lint.aliases = aliases(r, e),
        },
        Key {
            name: "in_transaction",
            doc: "whether the runner wraps each file in one transaction",
            needed: None,
            schema: schema::flag,
            read: |r, e, lint| lint.in_transaction = r.flag(e).map(|flag| flag.value),
        },
        Key {
            name: "guard_comments",
            doc: "comments that guard what stands between them, as first words: a list of `begin` and `end`",
            needed: None,
            schema: || json!({"type": "array", "items": schema::object(&GUARD)}),
            read: |r, e, lint| lint.guard_comments = guards(r, e),
        },
        Key {
            name: "require_reason",
            doc: "whether a comment that suppresses a finding must say why, behind ` -- `",
            needed: None,
            schema: schema::flag,
            read: |r, e, lint| lint.require_reason = r.flag(e).is_some_and(|flag| flag.value),
        },
        Key {
            name: "bodies",
            doc: "whether bodies of functions and procedures are linted too, as if each call were a run",
            needed: None,
            schema: schema::flag,
            read: |r, e, lint| lint.bodies = r.flag(e).is_some_and(|flag| flag.value),
        },
        Key {
            name: "baseline",
            doc: "a file of findings that are known, which `--write-baseline` writes",
            needed: None,
            schema: schema::text,
            read: |r, e, lint| lint.baseline = r.text(e),
        },
    ],
    home: nowhere,
    foreign: &[
        ("rules", "write `select` for the rules that are on, and `ignore` for those that are off"),
        ("enable", "write `select`"),
        ("extend_select", "write `select`"),
        ("disable", "write `ignore`"),
        ("excluded_rules", "write `ignore`"),
        ("exclude_rules", "write `ignore`"),
        ("excluded_paths", "write `exclude`"),
        ("exclude_paths", "write `exclude`"),
        ("severities", "write `severity`"),
        ("levels", "write `severity`"),
        ("fail-on", "write `fail_on`"),
        ("per-file", "write `per_file`"),
        ("per_file_ignores", "write `per_file: [{path: ..., ignore: [...]}]`"),
        ("per-file-ignores", "write `per_file: [{path: ..., ignore: [...]}]`"),
        ("overrides", "write `per_file: [{path: ..., ...}]`"),
        ("files", "write `per_file: [{path: ..., ...}]`, or give the paths on the command line"),
        ("append-only", "write `append_only`"),
        ("audit_tables", "write `append_only`"),
        ("assume_in_transaction", "write `in_transaction`"),
        ("assume-in-transaction", "write `in_transaction`"),
        ("synonyms", "write `aliases`"),
        ("views", "write `aliases`"),
        ("spec", "write `specs`"),
        ("schemas", "write `schema`"),
    ],
};

static PER_FILE: Vocabulary<PerFile> = Vocabulary {
    what: "an entry of `per_file`",
    keys: &[
        Key {
            name: "path",
            doc: "a glob of the files, or a list of them, seen from the folder of this file",
            needed: Some("path: \"migrations/**\""),
            schema: schema::names,
            read: |r, e, one| one.path = r.names(e),
        },
        Key {
            name: "dialect",
            doc: "their dialect",
            needed: None,
            schema: schema::text,
            read: |r, e, one| one.dialect = r.text(e),
        },
        Key {
            name: "policy",
            doc: "how often they are run",
            needed: None,
            schema: || schema::choice(RUNS),
            read: |r, e, one| one.policy = r.choice(e, RUNS).map(|runs| runs.value),
        },
        Key {
            name: "select",
            doc: "of the rules that are on, those that are on for them",
            needed: None,
            schema: schema::names,
            read: |r, e, one| one.select = Some(r.names(e)),
        },
        Key {
            name: "ignore",
            doc: "the rules that are off for them",
            needed: None,
            schema: list_schema,
            read: |r, e, one| one.ignore = list(r, e),
        },
        Key {
            name: "severity",
            doc: "a mapping from rules to severities",
            needed: None,
            schema: || by_name(&schema::choice(LEVELS)),
            read: |r, e, one| one.severity = severity(r, e),
        },
        Key {
            name: "in_transaction",
            doc: "whether the runner wraps each of them in one transaction",
            needed: None,
            schema: schema::flag,
            read: |r, e, one| one.in_transaction = r.flag(e).map(|flag| flag.value),
        },
    ],
    home: |key| LINT.keys.iter().any(|known| known.name == key).then_some("`lint`"),
    foreign: &[
        ("paths", "write `path`: one glob, or a list of them"),
        ("files", "write `path`"),
        ("glob", "write `path`"),
        ("rules", "write `select` or `ignore`"),
    ],
};

static GUARD: Vocabulary<[Option<String>; 2]> = Vocabulary {
    what: "an entry of `guard_comments`",
    keys: &[
        Key {
            name: "begin",
            doc: "how the comment begins that opens the guarded part",
            needed: Some("begin: \"#If\""),
            schema: schema::text,
            read: |r, e, [begin, _]| *begin = r.text(e).map(|text| text.value),
        },
        Key {
            name: "end",
            doc: "how the comment begins that closes it",
            needed: Some("end: \"#EndIf\""),
            schema: schema::text,
            read: |r, e, [_, end]| *end = r.text(e).map(|text| text.value),
        },
    ],
    home: nowhere,
    foreign: &[("start", "write `begin`"), ("stop", "write `end`")],
};

/// A mapping from names to values of one schema.
fn by_name(values: &Json) -> Json {
    json!({"type": "object", "additionalProperties": values})
}

/// A list of names that may be empty, or one plain name.
fn list_schema() -> Json {
    json!({"oneOf": [schema::text(), {"type": "array", "items": schema::text(), "uniqueItems": true}]})
}

/// A list of names that may be empty, or one plain name.
fn list(r: &mut Reader, entry: &Entry) -> Vec<Located<String>> {
    match &entry.value.value {
        Value::List(items) if items.is_empty() => Vec::new(),
        _ => r.names(entry),
    }
}

/// The entries of a mapping from names of the user's, each name once.
fn named<'n>(r: &mut Reader, entry: &'n Entry, help: &str) -> Vec<&'n Entry> {
    let mut all: Vec<&Entry> = Vec::new();
    for one in r.entries(&format!("`{}`", entry.key), &entry.value, help).unwrap_or_default() {
        match all.iter().find(|first| first.key == one.key) {
            Some(first) => r.twice(one, first),
            None => all.push(one),
        }
    }
    all
}

fn key_of(entry: &Entry) -> Located<String> {
    Located { value: entry.key.clone(), span: entry.key_span.clone() }
}

fn policy(r: &mut Reader, entry: &Entry) -> Vec<(Option<Located<String>>, Runs)> {
    if !matches!(entry.value.value, Value::Mapping(_)) {
        return r.choice(entry, RUNS).map(|runs| (None, runs.value)).into_iter().collect();
    }
    let all = named(r, entry, "write `once` or `rerun`");
    all.into_iter().filter_map(|one| Some((Some(key_of(one)), r.choice(one, RUNS)?.value))).collect()
}

fn severity(r: &mut Reader, entry: &Entry) -> Vec<(Located<String>, Severity)> {
    let all = named(r, entry, "write `severity: {RULE: warning}`");
    all.into_iter()
        .filter_map(|one| {
            if let Value::Text(word) = &one.value.value
                && matches!(word.as_str(), "off" | "none" | "never" | "ignore")
            {
                let message = format!("`{word}` is not a value of `{}`", one.key);
                let fault = Diagnostic::error("spec-unknown-word", message).at(one.value.span.clone(), "");
                r.fault(fault.help(format!("write `ignore: [{}]` beside `severity` to turn the rule off", one.key)));
                return None;
            }
            Some((key_of(one), r.choice(one, LEVELS)?.value))
        })
        .collect()
}

fn aliases(r: &mut Reader, entry: &Entry) -> Vec<(Located<String>, Located<String>)> {
    let all = named(r, entry, "write `aliases: {view: table}`");
    all.into_iter().filter_map(|one| Some((key_of(one), r.text(one)?))).collect()
}

/// Each item of a list of mappings with a vocabulary.
fn items<T>(
    r: &mut Reader,
    entry: &Entry,
    words: &Vocabulary<T>,
    example: &str,
    blank: impl Fn() -> T,
) -> Vec<(T, Range<usize>)> {
    let Value::List(list) = &entry.value.value else {
        r.wrong(&format!("`{}`", entry.key), "a list", &entry.value, format!("begin each entry with `- {example}`"));
        return Vec::new();
    };
    let read = |r: &mut Reader, item: &Node| {
        let entries = r.entries(words.what, item, &format!("write `- {example}`"))?;
        let mut one = blank();
        r.mapping(entries, &item.span, words, &mut one);
        Some((one, item.span.clone()))
    };
    list.iter().filter_map(|item| read(r, item)).collect()
}

fn per_file(r: &mut Reader, entry: &Entry) -> Vec<PerFile> {
    let all = items(r, entry, &PER_FILE, "path: \"migrations/**\"", PerFile::default);
    all.into_iter().map(|(one, _)| one).collect()
}

fn guards(r: &mut Reader, entry: &Entry) -> Vec<(String, String)> {
    let all = items(r, entry, &GUARD, "begin: \"#If\"", || [None, None]);
    all.into_iter().filter_map(|([begin, end], _)| Some((begin?, end?))).collect()
}
