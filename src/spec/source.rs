//! The keys of `source`: where the staged rows come from.

use crate::diagnostic::Diagnostic;
use crate::spec::Column;
use crate::spec::Located;
use crate::spec::Row;
use crate::spec::Scalar;
use crate::spec::Source;
use crate::spec::column::names_of;
use crate::spec::read::{Reader, located};
use crate::spec::schema;
use crate::spec::seed;
use crate::spec::vocabulary::{Key, Vocabulary};
use crate::spec::yaml::{Entry, Node, Value};

/// What is read of a source.
pub(super) struct SourceDraft {
    /// The table's columns, which literal rows are read by.
    columns: Vec<Column>,
    /// Every source that was given; there must be one.
    given: Vec<Located<Source>>,
}

/// The keys of `source`, exactly one of which is given.
pub(super) static SOURCE: Vocabulary<SourceDraft> = Vocabulary {
    what: "`source`",
    keys: &[
        Key {
            name: "table",
            doc: "a table by its name: raw.orders",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| {
                if let Some(name) = r.text(e) {
                    draft.given.push(Located { value: Source::Table(name.value), span: name.span });
                }
            },
        },
        Key {
            name: "query",
            doc: "a SELECT, with as many joins and common table expressions as it needs",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| {
                if let Some(query) = r.text(e) {
                    draft.given.push(Located { value: Source::Query(query.value), span: query.span });
                }
            },
        },
        Key {
            name: "query_file",
            doc: "a file that holds a SELECT, by its path beside the spec",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| {
                if let Some(file) = seed::file(r, e) {
                    draft.given.push(located(Source::Query(file.text.clone()), &e.value));
                }
            },
        },
        Key {
            name: "rows",
            doc: "literal rows: a list of {column: value}, or of lists of values in the order of the columns",
            needed: None,
            schema: schema::rows,
            read: |r, e, draft| {
                if let Some(rows) = rows(r, e, &draft.columns) {
                    draft.given.push(located(Source::Rows { rows, seed: None }, &e.value));
                }
            },
        },
        Key {
            name: "csv",
            doc: "a seed file whose header names the columns, by its path beside the spec; an empty field is null, except \
                  in a text column that is not nullable; \"\" is empty text",
            needed: None,
            schema: schema::text,
            read: |r, e, draft| {
                if let Some(file) = seed::file(r, e) {
                    let rows = seed::rows(r, &file, &draft.columns);
                    draft.given.push(located(Source::Rows { rows, seed: Some(file) }, &e.value));
                }
            },
        },
        Key {
            name: "parameters",
            doc: "one row of bind parameters",
            needed: None,
            schema: schema::only_true,
            read: |r, e, draft| match r.flag(e) {
                Some(flag) if flag.value => draft.given.push(located(Source::Parameters, &e.value)),
                Some(flag) => r.fault(
                    Diagnostic::error("spec-bad-value", "`parameters: false` is no source")
                        .at(flag.span, "")
                        .help("write `parameters: true`, or remove the key"),
                ),
                None => {}
            },
        },
    ],
    home: crate::spec::file::home,
    foreign: &[
        ("name", "write `table`"),
        ("ref", "write `table` with the name of the relation"),
        ("sql", "write `query`"),
        ("select", "write `query`"),
        ("file", "write `query_file` for a SELECT, or `csv` for a seed file"),
        ("path", "write `query_file` for a SELECT, or `csv` for a seed file"),
        ("seed", "write `csv`"),
        ("values", "write `rows`"),
        ("data", "write `rows`"),
        ("params", "write `parameters: true`"),
        ("schema", "write it into the name: `table: raw.orders`"),
    ],
};

/// Reads `source`; the columns have been read before.
pub(super) fn source(r: &mut Reader, entry: &Entry, columns: &mut Vec<Column>) -> Option<Located<Source>> {
    let help = match &entry.value.value {
        Value::Text(name) if name.trim().contains(char::is_whitespace) => "write `source: {query: ...}`".to_owned(),
        Value::Text(name) => format!("write `source: {{table: {name}}}`"),
        Value::List(_) => "write the rows under `source: {rows: [...]}`".to_owned(),
        _ => "write `source: {table: raw.orders}`".to_owned(),
    };
    let entries = r.entries("`source`", &entry.value, &help)?;
    let mut draft = SourceDraft { columns: std::mem::take(columns), given: Vec::new() };
    r.mapping(entries, &entry.value.span, &SOURCE, &mut draft);
    *columns = draft.columns;
    let kinds: Vec<&Entry> =
        entries.iter().filter(|entry| SOURCE.keys.iter().any(|key| key.name == entry.key)).collect();
    match kinds.as_slice() {
        [] if entries.is_empty() => {
            let fault = Diagnostic::error("spec-missing-key", "`source` is empty").at(entry.value.span.clone(), "");
            r.fault(fault.help("write one of `table`, `query`, `query_file`, `rows`, `csv` and `parameters: true`"));
        }
        [first, rest @ ..] => {
            for second in rest.iter().filter(|second| second.key != first.key) {
                let message = format!("`source` has both `{}` and `{}`", first.key, second.key);
                let fault = Diagnostic::error("spec-either-or", message)
                    .at(second.key_span.clone(), "a second source")
                    .at(first.key_span.clone(), "the first");
                r.fault(fault.help("keep one of the two; a query may join as many tables as it likes"));
            }
        }
        [] => {}
    }
    draft.given.into_iter().next()
}

/// Literal rows of the spec.
fn rows(r: &mut Reader, entry: &Entry, columns: &[Column]) -> Option<Vec<Row>> {
    let Value::List(items) = &entry.value.value else {
        r.wrong("`rows`", "a list", &entry.value, "write one `- {column: value, ...}` for each row");
        return None;
    };
    if items.is_empty() {
        let fault = Diagnostic::error("spec-empty-list", "`rows` is an empty list").at(entry.value.span.clone(), "");
        r.fault(fault.help("write one `- {column: value, ...}` for each row"));
    }
    Some(items.iter().filter_map(|item| row(r, item, columns)).collect())
}

fn row(r: &mut Reader, item: &Node, columns: &[Column]) -> Option<Row> {
    let mut values: Vec<(Located<String>, Located<Scalar>)> = Vec::new();
    match &item.value {
        Value::Mapping(entries) => {
            for entry in entries {
                let name = Located { value: entry.key.clone(), span: entry.key_span.clone() };
                if let Some((first, _)) = values.iter().find(|(first, _)| first.value == name.value) {
                    let message = format!("the row gives `{}` twice", name.value);
                    let fault = Diagnostic::error("spec-duplicate-key", message).at(name.span, "again here");
                    r.fault(fault.at(first.span.clone(), "first here").help("remove one of the two"));
                } else {
                    values.push((name, located(any(&entry.value), &entry.value)));
                }
            }
        }
        Value::List(cells) => {
            let staged: Vec<&Column> = columns.iter().filter(|c| c.is_staged() && c.source.is_none()).collect();
            if cells.len() != staged.len() && !r.alone {
                let count = |n: usize, what| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
                let message =
                    format!("the row has {} for {}", count(cells.len(), "value"), count(staged.len(), "column"));
                let help = format!("give a value for each of {}, in this order", names_of(staged.iter().copied()));
                r.fault(Diagnostic::error("spec-ragged-row", message).at(item.span.clone(), "").help(help));
                return None;
            }
            for (column, cell) in staged.iter().zip(cells) {
                let name = Located { value: column.name.value.clone(), span: cell.span.clone() };
                values.push((name, located(any(cell), cell)));
            }
        }
        _ => {
            r.wrong("a row", "a mapping or a list", item, "write `{column: value, ...}`");
            return None;
        }
    }
    Some(Row { span: item.span.clone(), values })
}

/// Any value of YAML; a list or a mapping is meant for a json column.
fn any(node: &Node) -> Scalar {
    match &node.value {
        Value::Null => Scalar::Null,
        Value::Bool(value) => Scalar::Bool(*value),
        Value::Number(spelled) => Scalar::Number(spelled.clone()),
        Value::Text(text) => Scalar::Text(text.clone()),
        Value::List(_) | Value::Mapping(_) => Scalar::Json(json(node)),
    }
}

/// Any value of YAML as JSON.
pub(super) fn json(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        // A number beyond what JSON values hold here is kept to the last digit as text.
        Value::Number(spelled) => serde_json::from_str(spelled).unwrap_or_else(|_| spelled.as_str().into()),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Mapping(entries) => {
            serde_json::Value::Object(entries.iter().map(|entry| (entry.key.clone(), json(&entry.value))).collect())
        }
    }
}
