//! A spec file: its tables, each ready to be read for any dialect.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Source;
use crate::diagnostic::nearest;
use crate::spec::Located;
use crate::spec::Table;
use crate::spec::check;
use crate::spec::column::COLUMN;
use crate::spec::dbt::DBT;
use crate::spec::layer::effective;
use crate::spec::read::Reader;
use crate::spec::schema;
use crate::spec::seed::Files;
use crate::spec::source::SOURCE;
use crate::spec::table::{Draft, TABLE, entries, layer, under};
use crate::spec::vocabulary::{Key, Vocabulary};
use crate::spec::yaml::{Entry, Node, Value, parse};

/// A spec file that can be read for any dialect.
#[derive(Clone, Debug)]
pub struct Spec {
    source: Arc<Source>,
    tables: Vec<TableSpec>,
}

/// One table of a spec, before a dialect is chosen.
#[derive(Clone, Debug)]
pub struct TableSpec {
    name: String,
    span: Range<usize>,
    dialects: Vec<Located<String>>,
    file: Arc<File>,
    keys: Vec<Entry>,
    /// The table for each dialect that was read to find its faults.
    read: BTreeMap<String, Table>,
}

/// What the tables of a file share.
#[derive(Debug)]
struct File {
    source: Arc<Source>,
    defaults: Vec<Entry>,
    files: Files,
}

/// The keys of the file.
pub(super) static SPEC: Vocabulary<SpecDraft> = Vocabulary {
    what: "a spec",
    keys: &[
        Key {
            name: "version",
            doc: "the version of this format: 1",
            needed: Some("version: 1"),
            schema: schema::version,
            read: |r, e, _| version(r, e),
        },
        Key {
            name: "defaults",
            doc: "any keys of a table, laid under every table of the file",
            needed: None,
            schema: schema::defaults,
            read: |r, e, draft| {
                layer(r, "`defaults`", &e.value, &TABLE);
                draft.defaults = entries(Some(&e.value)).to_vec();
            },
        },
        Key {
            name: "tables",
            doc: "the tables of the file",
            needed: Some("tables: [{name: ..., source: ..., columns: [...]}]"),
            schema: schema::tables,
            read: tables,
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("models", "write `tables`"),
        ("table", "write `tables`, a list"),
        ("default", "write `defaults`"),
        ("sources", "write `source` at each table"),
        ("dialect", "write `defaults: {dialects: [...]}`"),
        ("dialects", "write `defaults: {dialects: [...]}`"),
    ],
};

#[derive(Default)]
pub(super) struct SpecDraft {
    defaults: Vec<Entry>,
    tables: Vec<Node>,
}

impl Spec {
    /// Reads a spec.
    ///
    /// `files` reads a file that the spec names, by its path beside the spec, or says why it cannot. All faults of the
    /// spec come at once, sorted by their place; a spec without faults can be read for each of its dialects.
    pub fn read(source: Arc<Source>, files: &dyn Fn(&str) -> Result<String, String>) -> Result<Self, Vec<Diagnostic>> {
        let root = match parse(&source.text) {
            Ok(root) => root,
            Err(fault) => return Err(vec![fault.in_source(&source)]),
        };
        let mut named = Files::new();
        load(&root, &source, files, &mut named);
        let mut reader = Reader { dialect: "", files: &named, alone: false, faults: Vec::new() };
        let mut draft = SpecDraft::default();
        match misplaced(&root) {
            Some(fault) => reader.fault(fault),
            None => reader.mapping(entries(Some(&root)), &root.span, &SPEC, &mut draft),
        }
        let mut faults = reader.faults;
        let file = Arc::new(File { source: Arc::clone(&source), defaults: draft.defaults, files: named });
        let mut tables: Vec<TableSpec> = draft.tables.iter().map(|node| TableSpec::new(&file, node)).collect();
        for table in &mut tables {
            faults.extend(table.faults());
        }
        faults.extend(check::tables(&tables));
        let faults = tidy(faults, &source);
        if faults.is_empty() { Ok(Self { source, tables }) } else { Err(faults) }
    }

    /// The tables in the order of the file.
    pub fn tables(&self) -> &[TableSpec] {
        &self.tables
    }

    /// The text that every span of the spec points into, unless a span says otherwise.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }
}

impl TableSpec {
    fn new(file: &Arc<File>, node: &Node) -> Self {
        let keys = entries(Some(node)).to_vec();
        let all = effective(&file.defaults, &keys, "");
        let (name, span) = match under(&all, "name") {
            Some(Node { value: Value::Text(name), span, .. }) => (name.clone(), span.clone()),
            _ => (String::new(), node.span.clone()),
        };
        let mut dialects = Vec::new();
        if let Some(entry) = all.iter().find(|entry| entry.key == "dialects") {
            // Its faults were noted when the layer was read by itself.
            dialects = Reader { dialect: "", files: &file.files, alone: true, faults: Vec::new() }.names(entry);
        }
        Self { name, span, dialects, file: Arc::clone(file), keys, read: BTreeMap::new() }
    }

    /// The target's name, without the overrides of a dialect.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the name stands in the spec's text.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The dialects that SQL is written for; empty when neither the table nor the defaults name any.
    pub fn dialects(&self) -> &[Located<String>] {
        &self.dialects
    }

    /// The table for one dialect: defaults, then the table, then the dialect's overrides.
    pub fn for_dialect(&self, dialect: &str) -> Result<Table, Vec<Diagnostic>> {
        self.read.get(dialect).map_or_else(|| self.resolve(dialect), |table| Ok(table.clone()))
    }

    fn resolve(&self, dialect: &str) -> Result<Table, Vec<Diagnostic>> {
        let mut reader = Reader { dialect, files: &self.file.files, alone: false, faults: Vec::new() };
        let mut draft = Draft::blank(&self.span);
        reader.mapping(&effective(&self.file.defaults, &self.keys, dialect), &self.span, &TABLE, &mut draft);
        let mut faults = reader.faults;
        faults.extend(check::table(&draft.table, draft.all_named));
        let faults = tidy(faults, &self.file.source);
        if faults.is_empty() { Ok(draft.table) } else { Err(faults) }
    }

    /// The target's schema and catalog, without the overrides of a dialect.
    pub(super) fn place(&self) -> [Option<String>; 2] {
        let all = effective(&self.file.defaults, &self.keys, "");
        ["schema", "catalog"].map(|key| match under(&all, key).map(|node| &node.value) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        })
    }

    /// All faults of the table for every dialect that it names.
    fn faults(&mut self) -> Vec<Diagnostic> {
        let overridden = entries(under(&self.keys, "overrides"));
        let mut faults = Vec::new();
        let mut dialects: Vec<&str> = self.dialects.iter().map(|dialect| dialect.value.as_str()).collect();
        for entry in overridden {
            if self.dialects.is_empty() {
                dialects.push(&entry.key);
            } else if !dialects.contains(&entry.key.as_str()) {
                let message = format!("the override for `{}` is never used: it is not one of the dialects", entry.key);
                let help = match nearest(&entry.key, dialects.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("add `{}` to `dialects`, or remove the override", entry.key),
                };
                faults
                    .push(Diagnostic::error("spec-unused-override", message).at(entry.key_span.clone(), "").help(help));
            }
        }
        if dialects.is_empty() {
            dialects.push("");
        }
        let mut read = BTreeMap::new();
        for dialect in dialects {
            match self.resolve(dialect) {
                Ok(table) => drop(read.insert(dialect.to_owned(), table)),
                Err(found) => faults.extend(found),
            }
        }
        self.read = read;
        faults
    }
}

/// A file that is no spec at all, so that its keys need not be judged one by one.
fn misplaced(root: &Node) -> Option<Diagnostic> {
    let example = "write `version: 1`, and under it `tables:` with a list of tables";
    let (message, help) = match &root.value {
        Value::Null => ("the file is empty", example),
        Value::List(_) => ("the file is a list, but a spec has the keys `version` and `tables`", example),
        Value::Mapping(keys) => {
            let one_table = under(keys, "tables").is_none() && under(keys, "columns").is_some();
            let message = "the table stands at the top of the file, but a spec is a list of tables";
            return one_table.then(|| {
                let fault = Diagnostic::error("spec-no-tables", message).at(root.span.clone(), "");
                fault.help("write `version: 1` and `tables:` above it, and put it into the list: `  - name: ...`")
            });
        }
        _ => ("the file is a single value, but a spec has the keys `version` and `tables`", example),
    };
    Some(Diagnostic::error("spec-no-tables", message).at(root.span.clone(), "").help(help))
}

/// Sorted by place, each fault once: a fault of the defaults is found again with every table.
fn tidy(mut faults: Vec<Diagnostic>, source: &Arc<Source>) -> Vec<Diagnostic> {
    for fault in &mut faults {
        fault.source.get_or_insert_with(|| Arc::clone(source));
    }
    let place = |fault: &Diagnostic| {
        let file = fault.source.as_ref().map(|text| text.name.clone()).filter(|name| *name != source.name);
        let span = fault.labels.first().map_or(0..0, |label| label.span.clone());
        (file, span.start, span.end, fault.code, fault.message.clone())
    };
    faults.sort_by_cached_key(place);
    faults.dedup_by_key(|fault| place(fault));
    faults
}

/// Reads the files that `query_file` and `csv` name in any `source` of the spec.
fn load(node: &Node, spec: &Source, files: &dyn Fn(&str) -> Result<String, String>, into: &mut Files) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| load(item, spec, files, into)),
        Value::Mapping(keys) => {
            for entry in keys {
                if entry.key != "source" {
                    load(&entry.value, spec, files, into);
                    continue;
                }
                // Not deeper: a literal row may have a column of that name.
                for key in ["query_file", "csv"] {
                    if let Some(Value::Text(path)) = under(entries(Some(&entry.value)), key).map(|node| &node.value) {
                        into.entry(path.clone()).or_insert_with(|| {
                            let name = Path::new(&spec.name).with_file_name(path).display().to_string();
                            files(path).map(|text| Arc::new(Source::new(name, text)))
                        });
                    }
                }
            }
        }
        _ => {}
    }
}

fn version(r: &mut Reader, entry: &Entry) {
    match &entry.value.value {
        Value::Number(number) if number == "1" => {}
        Value::Number(number) | Value::Text(number) if number != "1" => {
            let fault = Diagnostic::error("spec-version", format!("version `{number}` of the format is not known"));
            r.fault(fault.at(entry.value.span.clone(), "").help("write `version: 1`"));
        }
        _ => r.wrong("`version`", "the number 1", &entry.value, "write `version: 1`"),
    }
}

fn tables(r: &mut Reader, entry: &Entry, draft: &mut SpecDraft) {
    let Value::List(items) = &entry.value.value else {
        let help = match entries(Some(&entry.value)).first() {
            Some(first) => format!("write a list: begin this table with `- name: {}`", first.key),
            None => "begin each table with `- name: ...`".to_owned(),
        };
        r.wrong("`tables`", "a list", &entry.value, help);
        return;
    };
    if items.is_empty() {
        let fault = Diagnostic::error("spec-empty-list", "`tables` is an empty list").at(entry.value.span.clone(), "");
        r.fault(fault.help("begin each table with `- name: ...`"));
    }
    for item in items {
        layer(r, "a table", item, &TABLE);
        if matches!(item.value, Value::Mapping(_)) {
            draft.tables.push(item.clone());
        }
    }
}

/// The kind of mapping that a key belongs to, for a key that stands in another kind.
pub(super) fn home(key: &str) -> Option<&'static str> {
    fn has<T>(words: &Vocabulary<T>, key: &str) -> bool {
        words.keys.iter().any(|known| known.name == key)
    }
    if has(&TABLE, key) {
        Some("a table")
    } else if has(&COLUMN, key) {
        Some("a column")
    } else if has(&SOURCE, key) {
        Some("`source`")
    } else if has(&DBT, key) {
        Some("`dbt`")
    } else {
        None
    }
}
