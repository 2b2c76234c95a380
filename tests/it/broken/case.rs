//! One folder of `fixtures/broken`, read: the spec, the loads, and what `breaks.txt` says of them.

use crate::support::spec_in;
use idemsql::dialect::{self, Dialect};
use idemsql::plan::{Plan, plan};
use idemsql::render::render;
use idemsql::verify::{Given, Scenarios, given, source_tables};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the cases are.
pub const ROOT: &str = "fixtures/broken";

/// How many rows the load has that is killed half way.
const CRASH_ROWS: usize = 60;

/// The guarantees, by the names that `Fault::guarantee` gives them.
pub const GUARANTEES: [(&str, &str); 7] = [
    ("G1", "rerun"),
    ("G2", "quiet"),
    ("G3", "right"),
    ("G4", "order"),
    ("G5", "split"),
    ("G6", "together"),
    ("G7", "crash"),
];

/// What one folder says.
pub struct Case {
    /// The folder's name.
    pub name: String,
    /// The guarantees that are broken, by dialect.
    pub breaks: BTreeMap<String, BTreeSet<String>>,
    /// Texts that the message of a guarantee must have, of one dialect or of all.
    pub shows: Vec<Shown>,
    /// The linter's rules that name the fault.
    pub lint: BTreeSet<String>,
    /// Other rules of the linter that have something to say of these loads.
    pub also: BTreeSet<String>,
    /// True when made-up rows would not fit, because the load keeps a table beside the target.
    pub rows_only: bool,
    /// True when our own SQL stops with an error on these rows and leaves the target as it was, which is right there.
    pub twin_refuses: bool,
    /// True when our own SQL, too, runs on the target of the case's setup.
    pub twin_on_setup: bool,
    /// Why it is broken, in sentences.
    pub why: String,
}

/// A text that the message of a guarantee must have.
pub struct Shown {
    pub dialect: Option<String>,
    pub guarantee: String,
    pub text: String,
}

impl Case {
    /// Reads `breaks.txt` and checks that every line means something, and that each dialect named has its load.
    pub fn read(name: &str) -> Self {
        let mut case = Self {
            name: name.to_owned(),
            breaks: BTreeMap::new(),
            shows: Vec::new(),
            lint: BTreeSet::new(),
            also: BTreeSet::new(),
            rows_only: false,
            twin_refuses: false,
            twin_on_setup: false,
            why: String::new(),
        };
        let text = case.file("breaks.txt").unwrap_or_else(|| panic!("{name} has no breaks.txt"));
        let mut why = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let (word, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{name}: {line}"));
            match (word, rest) {
                ("#", rest) => why.push(rest),
                ("lint" | "also", "none") => {}
                ("lint", codes) => case.lint.extend(codes.split(' ').map(str::to_owned)),
                ("also", codes) => case.also.extend(codes.split(' ').map(str::to_owned)),
                ("rows", "only") => case.rows_only = true,
                ("twin", "refuses") => case.twin_refuses = true,
                ("twin", "on setup") => case.twin_on_setup = true,
                ("shows", rest) => case.shows.push(Shown::read(rest)),
                (dialect, guarantees) => {
                    let all: BTreeSet<String> = guarantees.split(' ').map(str::to_owned).collect();
                    assert!(dialect::find(dialect).is_some(), "{name}: `{line}` begins with no dialect");
                    let known = |name: &String| GUARANTEES.iter().any(|(code, _)| code == name);
                    assert!(all.iter().all(known), "{name}: `{line}` names no guarantee");
                    assert!(case.breaks.insert(dialect.to_owned(), all).is_none(), "{name}: {dialect} stands twice");
                }
            }
        }
        case.why = why.join(" ");
        let said = case.breaks.values().flatten().any(|code| ["G1", "G2", "G3"].contains(&code.as_str()));
        assert!(
            !said || !case.shows.is_empty(),
            "{name}: say what a message shows, so that it is found for its reason"
        );
        let loads: BTreeSet<String> = case.dialects("load").into_iter().collect();
        assert_eq!(loads, case.breaks.keys().cloned().collect(), "{name}: loads, and lines of breaks.txt");
        assert!(!loads.is_empty() && case.why.ends_with('.'), "{name} has a load, and sentences that say why");
        assert!(
            text.lines().any(|line| line.starts_with("lint ")),
            "{name}: say what the linter finds, or `lint none`"
        );
        case
    }

    /// The dialects that the folder has such a file for: `load.<dialect>.sql`.
    pub fn dialects(&self, kind: &str) -> Vec<String> {
        let files = fs::read_dir(self.folder()).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let dialect =
            |name: String| name.strip_prefix(&format!("{kind}."))?.strip_suffix(".sql").map(ToOwned::to_owned);
        let mut all: Vec<String> = names.filter_map(dialect).collect();
        all.sort();
        all
    }

    /// The text of one of its files, if there is one.
    pub fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder().join(name)).ok()
    }

    /// The folder.
    pub fn folder(&self) -> PathBuf {
        Path::new(ROOT).join(&self.name)
    }

    /// The plan of its spec.
    pub fn plan(&self, dialect: &'static Dialect) -> Plan {
        let spec = spec_in(ROOT, &self.name);
        let table = &spec.tables()[0];
        let table = table.for_dialect(dialect.name).unwrap_or_else(|faults| panic!("{}: {faults:#?}", self.name));
        plan(&table, dialect, None).unwrap_or_else(|faults| panic!("{}, {}: {faults:#?}", self.name, dialect.name))
    }

    /// Our own SQL for its spec.
    pub fn rendered(&self, plan: &Plan) -> String {
        render(plan, &[]).unwrap_or_else(|fault| panic!("{}: {}", self.name, fault.message))
    }

    /// Its own rows, and rows that are made up.
    pub fn scenarios(&self, plan: &Plan) -> Scenarios {
        let own = self.folder().join("rows").is_dir().then(|| {
            let rows = self.rows(&source_tables(plan));
            given(plan, &rows).unwrap_or_else(|faults| panic!("{}: {faults:#?}", self.name))
        });
        let all = match (self.rows_only, own) {
            (true, Some(own)) => {
                let (plain, commuting) = (vec![own.clone()], vec![own.clone()]);
                Scenarios { plain, commuting, large: Some(own), given: false, missing: None }
            }
            (_, own) => Scenarios::made(plan, 1, CRASH_ROWS, own).0,
        };
        assert!(!all.plain.is_empty(), "{} has no rows, and none can be made up", self.name);
        all
    }

    /// `rows/`: the target before, when it is not empty, and for each batch the staged tables.
    fn rows(&self, tables: &[String]) -> Given {
        let batches = (1..).map(|number| format!("rows/batch-{number}"));
        let batches = batches.take_while(|batch| self.folder().join(batch).is_dir());
        let read = |batch: String| {
            let text = |table: &String| {
                let file = format!("{batch}/{table}.csv");
                (table.clone(), self.file(&file).unwrap_or_else(|| panic!("{} has no {file}", self.name)))
            };
            tables.iter().map(text).collect()
        };
        Given { before: self.file("rows/before.csv"), batches: batches.map(read).collect() }
    }
}

impl Shown {
    /// `[dialect] GUARANTEE TEXT`.
    fn read(text: &str) -> Self {
        let (first, rest) = text.split_once(' ').unwrap();
        let (dialect, (guarantee, text)) = match dialect::find(first) {
            Some(dialect) => (Some(dialect.name.to_owned()), rest.split_once(' ').unwrap()),
            None => (None, (first, rest)),
        };
        Self { dialect, guarantee: guarantee.to_owned(), text: text.to_owned() }
    }
}
