//! The keys of one column.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::nearest;
use crate::spec::Column;
use crate::spec::Located;
use crate::spec::Table;
use crate::spec::Update;
use crate::spec::read::{Choices, Reader, list_of};
use crate::spec::schema;
use crate::spec::table;
use crate::spec::vocabulary::{Key, Vocabulary};
use crate::spec::yaml::{Entry, Node, Value};

/// The keys of a column.
pub(super) static COLUMN: Vocabulary<Column> = Vocabulary {
    what: "a column",
    keys: KEYS,
    home: crate::spec::file::home,
    foreign: &[
        ("primary_key", "name the column in the table's `unique_key`"),
        ("merge_key", "name the column in the table's `unique_key`"),
        ("unique", "name the column in the table's `unique_key`"),
        ("key", "name the column in the table's `unique_key`"),
        ("data_type", "write `type`"),
        ("datatype", "write `type`"),
        ("not_null", "write `nullable: false`"),
        ("notnull", "write `nullable: false`"),
        ("required", "write `nullable: false`"),
        ("null", "write `nullable: true` or `nullable: false`"),
        ("default_value", "write `default`"),
        ("comment", "write `description`"),
        ("doc", "write `description`"),
        ("expression", "write `source` for an expression over the staged row, or `value` for one of the load itself"),
        ("expr", "write `source` for an expression over the staged row, or `value` for one of the load itself"),
        ("sql", "write `source` for an expression over the staged row, or `value` for one of the load itself"),
        ("from", "write `source`"),
        ("source_column", "write `source`"),
        ("on_update", "write `update`"),
        ("on_conflict", "write `update`"),
        ("insert_only", "write `update: never`"),
        ("immutable", "write `update: never`"),
        ("computed", "write `generated: true`"),
        ("autoincrement", "write `identity: true`"),
        ("auto_increment", "write `identity: true`"),
        ("serial", "write `identity: true`"),
        ("ignore", "write `compare: false`"),
        ("tests", "dbt's tests belong into dbt's own properties file"),
        ("data_tests", "dbt's tests belong into dbt's own properties file"),
        ("constraints", "write `nullable: false`, or name the column in the table's `unique_key`"),
    ],
};

const UPDATES: Choices<Update> = &[
    ("always", "it takes the new value (the default)", Update::Always),
    ("never", "it is written with the first version of the row and then kept", Update::Never),
    ("if_not_null", "it takes the new value unless that is null", Update::IfNotNull),
    ("first_not_null", "it keeps the old value unless that is null", Update::FirstNotNull),
    ("greatest", "it takes the greater of the two", Update::Greatest),
    ("least", "it takes the smaller of the two", Update::Least),
    ("any", "it is true once it was true", Update::Any),
];

/// Words for a value that every run would add to again.
const COUNTERS: &[&str] = &["add", "sum", "plus", "increment", "inc", "count", "counter", "accumulate", "append"];

const KEYS: &[Key<Column>] = &[
    Key {
        name: "name",
        doc: "the column's name in the target",
        needed: Some("name: order_id"),
        schema: schema::text,
        read: |r, e, column| {
            if let Some(name) = r.text(e) {
                column.name = name;
            }
        },
    },
    Key {
        name: "type",
        doc: "one of bool, smallint, int, bigint, decimal(p,s), real, double, text, varchar(n), char(n), bytes, date, time, \
              timestamp, timestamptz, uuid or json; a type that only one database has stands under its \
              dialect: {<dialect>: <type>}",
        needed: None,
        schema: schema::type_of_column,
        read: read_type,
    },
    Key {
        name: "nullable",
        doc: "whether it may hold null; when left out, true, and false for a column of the `unique_key`",
        needed: None,
        schema: schema::flag,
        read: |r, e, column| column.nullable = r.flag(e),
    },
    Key {
        name: "default",
        doc: "the column's default in the target, an SQL expression; of a `generated` column, what it is computed by",
        needed: None,
        schema: schema::expression,
        read: |r, e, column| column.default = r.expression(e),
    },
    Key {
        name: "description",
        doc: "what it holds, for people",
        needed: None,
        schema: schema::text,
        read: |r, e, column| column.description = r.text(e).map(|text| text.value),
    },
    Key {
        name: "source",
        doc: "an SQL expression over the staged row that gives its value; the staged column of the same name when left out",
        needed: None,
        schema: schema::expression,
        read: |r, e, column| column.source = r.expression(e),
    },
    Key {
        name: "value",
        doc: "`now`, or an SQL expression that the load computes",
        needed: None,
        schema: schema::expression,
        read: |r, e, column| column.value = r.expression(e),
    },
    Key {
        name: "update",
        doc: "what happens to it when a newer row replaces an older one",
        needed: None,
        schema: || schema::choice(UPDATES),
        read: read_update,
    },
    Key {
        name: "compare",
        doc: "false when a difference in this column alone does not replace the row",
        needed: None,
        schema: schema::flag,
        read: |r, e, column| column.compare = r.flag(e),
    },
    Key {
        name: "generated",
        doc: "true when the engine computes it, so that no load may write it",
        needed: None,
        schema: schema::flag,
        read: |r, e, column| column.generated = r.flag(e).is_some_and(|flag| flag.value),
    },
    Key {
        name: "identity",
        doc: "true when the engine numbers it, so that no load may write it",
        needed: None,
        schema: schema::flag,
        read: |r, e, column| column.identity = r.flag(e).is_some_and(|flag| flag.value),
    },
];

/// A column before its keys are read.
pub(super) fn blank(span: Range<usize>) -> Column {
    Column {
        name: Located { value: String::new(), span },
        ty: None,
        ty_is_native: false,
        nullable: None,
        default: None,
        description: None,
        source: None,
        value: None,
        update: None,
        compare: None,
        generated: false,
        identity: false,
    }
}

fn read_type(r: &mut Reader, entry: &Entry, column: &mut Column) {
    let Value::Mapping(types) = &entry.value.value else {
        column.ty = r.text(entry);
        return;
    };
    column.ty_is_native = true;
    if types.is_empty() {
        let fault = Diagnostic::error("spec-empty-list", "`type` is an empty mapping").at(entry.value.span.clone(), "");
        r.fault(fault.help("write a type for each dialect: `type: {<dialect>: <type>}`"));
    }
    for (at, native) in types.iter().enumerate() {
        if let Some(first) = types.iter().take(at).find(|first| first.key == native.key) {
            r.twice(native, first);
        }
        let ty = r.text_of(&format!("the type for `{}`", native.key), &native.value);
        if native.key == r.dialect {
            column.ty = ty;
        }
    }
}

fn read_update(r: &mut Reader, entry: &Entry, column: &mut Column) {
    if let Value::Text(word) = &entry.value.value
        && (COUNTERS.contains(&word.to_ascii_lowercase().as_str()) || word.contains('+'))
    {
        let fault = Diagnostic::error(
            "spec-counter",
            format!("`update: {word}` would add the same rows again on every run"),
        )
        .at(entry.value.span.clone(), "a counter cannot be loaded twice")
        .help(
            "recompute the whole group from its source (`strategy: delete_insert` with a `group_key`), or count each \
                 event once (`strategy: processed_marker`)",
        );
        r.fault(fault);
        return;
    }
    column.update = r.choice(entry, UPDATES);
}

/// Reads the list of columns; tells whether every column has a name, so that other keys can be held against them.
pub(super) fn read_columns(r: &mut Reader, entry: &Entry) -> (Vec<Column>, bool) {
    let Value::List(items) = &entry.value.value else {
        let help = match table::entries(Some(&entry.value)).first() {
            Some(first) => format!("write a list: `- {{name: {}, type: ...}}`", first.key),
            None => "write one `- {name: ..., type: ...}` for each column".to_owned(),
        };
        r.wrong("`columns`", "a list", &entry.value, help);
        return (Vec::new(), false);
    };
    if items.is_empty() {
        let fault = Diagnostic::error("spec-empty-list", "`columns` is an empty list").at(entry.value.span.clone(), "");
        r.fault(fault.help("write one `- {name: ..., type: ...}` for each column"));
        return (Vec::new(), false);
    }
    let (mut columns, mut all_named) = (Vec::new(), true);
    for item in items {
        let mut column = blank(item.span.clone());
        match r.entries("a column", item, &example(&item.value)) {
            Some(entries) => r.mapping(entries, &item.span, &COLUMN, &mut column),
            None => all_named = false,
        }
        all_named &= !column.name.value.is_empty();
        columns.push(column);
    }
    if !r.alone {
        untyped(r, items, &columns);
    }
    (columns, all_named)
}

/// Notes the columns without a type. One of an override may be another column, misspelt.
fn untyped(r: &mut Reader, items: &[Node], columns: &[Column]) {
    for (item, column) in items.iter().zip(columns) {
        let keys = table::entries(Some(item));
        let named = !column.name.value.is_empty();
        if !named || keys.iter().any(|key| key.key == "type" || COLUMN.stands_for(key, "type")) {
            continue;
        }
        let name = &column.name.value;
        let fault = Diagnostic::error("spec-missing-key", format!("the column `{name}` has no `type`"));
        let others = columns.iter().map(|column| column.name.value.as_str()).filter(|other| other != name);
        let help = match nearest(name, others) {
            Some(near) => format!("did you mean the column `{near}`? If not, add `type: bigint`"),
            None => "add `type: bigint`".to_owned(),
        };
        r.fault(fault.at(column.name.span.clone(), "").help(help));
    }
}

fn example(value: &Value) -> String {
    match value {
        Value::Text(name) => format!("write `{{name: {name}, type: ...}}`"),
        _ => "write `{name: ..., type: ...}`".to_owned(),
    }
}

/// Two kinds of values that the spec itself must tell apart; dialects judge the rest of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Bool,
    Integer,
    /// `decimal`, `real`, `double`
    Fraction,
    Text,
    /// `date`, `timestamp`, `timestamptz`
    Time,
    /// `bytes`, `time`, `uuid`, `json`
    Other,
}

/// The kind of a type that every dialect has; none for a dialect's own type.
pub(super) fn family(ty: &str) -> Option<Family> {
    let word = ty.split('(').next().unwrap_or_default().trim().to_ascii_lowercase();
    Some(match word.as_str() {
        "bool" => Family::Bool,
        "smallint" | "int" | "bigint" => Family::Integer,
        "decimal" | "real" | "double" => Family::Fraction,
        "text" | "varchar" | "char" => Family::Text,
        "date" | "timestamp" | "timestamptz" => Family::Time,
        "bytes" | "time" | "uuid" | "json" => Family::Other,
        _ => return None,
    })
}

impl Column {
    /// The kind of its values, when the type is one that every dialect has.
    pub(super) fn family(&self) -> Option<Family> {
        self.ty.as_ref().filter(|_| !self.ty_is_native).and_then(|ty| family(&ty.value))
    }

    /// True when a staged row gives the value: not computed by the load or by the engine.
    pub(super) fn is_staged(&self) -> bool {
        self.value.is_none() && !self.generated && !self.identity
    }
}

impl Table {
    /// The column with a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.value == name)
    }

    /// Where the strategy is asked for: where the spec names it, or else where it names the table.
    pub fn asked_at(&self) -> Range<usize> {
        self.strategy.as_ref().map_or(&self.name.span, |strategy| &strategy.span).clone()
    }
}

/// The names of columns for a sentence.
pub(super) fn names_of<'c>(columns: impl IntoIterator<Item = &'c Column>) -> String {
    list_of(&columns.into_iter().map(|column| column.name.value.as_str()).collect::<Vec<_>>(), "and")
}
