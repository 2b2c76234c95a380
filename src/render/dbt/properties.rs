//! The properties of a dbt model and of its source: descriptions, types, tests.

use super::jinja::escaped;
use crate::plan::dbt::{DbtPlan, Rows};
use serde_json::{Map, Value, json};

/// The top of a file that declares a source.
pub(super) const SOURCE_HEADER: &str = "\
# idemsql: a source of its models; one file for each table.
# Do not edit; `idemsql render --form dbt` writes it. To declare the source yourself: `dbt: {source: ..}` in the spec.
";

/// True when dbt's own `unique` does not say what the key says: it knows one column, and passes over null.
pub(super) fn needs_test(plan: &DbtPlan) -> bool {
    let mut keys = plan.plan.columns.iter().filter(|column| column.key);
    let plain = matches!((keys.next(), keys.next()), (Some(only), None) if !only.nullable);
    !plain || !plan.plan.dialect.read_hint.is_empty()
}

/// The properties of the model.
pub(super) fn model(plan: &DbtPlan) -> Value {
    let load = &plan.plan.load;
    let by_test = needs_test(plan);
    let columns = plan.plan.columns.iter().zip(&plan.descriptions).map(|(column, description)| {
        let mut out = Map::new();
        out.insert("name".to_owned(), column.name.as_str().into());
        if column.sql != column.name {
            out.insert("quote".to_owned(), true.into());
        }
        if let Some(text) = description {
            out.insert("description".to_owned(), escaped(text).into());
        }
        out.insert("data_type".to_owned(), escaped(&(plan.plan.dialect.type_name)(&column.ty)).into());
        let mut tests = Vec::new();
        if !column.nullable {
            tests.push("not_null");
        }
        if column.key && !by_test {
            tests.push("unique");
        }
        if !tests.is_empty() {
            out.insert("data_tests".to_owned(), json!(tests));
        }
        Value::Object(out)
    });
    let mut out = Map::new();
    out.insert("name".to_owned(), plan.model.as_str().into());
    if let Some(text) = &plan.description {
        out.insert("description".to_owned(), escaped(text).into());
    }
    if by_test {
        let mut arguments = Map::new();
        arguments.insert("columns".to_owned(), load.key.iter().map(|key| escaped(key)).collect());
        if !plan.plan.dialect.read_hint.is_empty() {
            arguments.insert("read".to_owned(), plan.plan.dialect.read_hint.into());
        }
        out.insert("data_tests".to_owned(), json!([{"idemsql_one_row_per_key": {"arguments": arguments}}]));
    }
    out.insert("columns".to_owned(), columns.collect());
    json!({"version": 2, "models": [out]})
}

/// The declaration of the source.
pub(super) fn source(plan: &DbtPlan) -> Value {
    let Some(Rows::Source { source, table, catalog, .. }) = &plan.rows else { return Value::Null };
    let mut out = Map::new();
    out.insert("name".to_owned(), source.as_str().into());
    if let Some(catalog) = catalog {
        out.insert("database".to_owned(), catalog.as_str().into());
    }
    out.insert("schema".to_owned(), source.as_str().into());
    out.insert("tables".to_owned(), json!([{"name": table}]));
    json!({"version": 2, "sources": [out]})
}

/// A name of a file.
pub(super) fn file(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

/// A value as YAML, in block style.
pub(super) fn yaml(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

fn block(value: &Value, depth: usize, out: &mut String) {
    let pad = " ".repeat(depth);
    match value {
        Value::Object(entries) => {
            for (at, (key, value)) in entries.iter().enumerate() {
                // The first key of an item stands behind its dash.
                let before = if at == 0 && out.ends_with("- ") { "" } else { pad.as_str() };
                out.extend([before, &scalar(key), ":"]);
                below(value, depth + 2, out);
            }
        }
        Value::Array(items) => {
            for item in items {
                out.extend([pad.as_str(), "- "]);
                match item {
                    Value::Object(_) => block(item, depth + 2, out),
                    item => out.extend([flat(item).as_str(), "\n"]),
                }
            }
        }
        other => out.extend([pad.as_str(), &flat(other), "\n"]),
    }
}

fn below(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(_) | Value::Array(_) => {
            out.push('\n');
            block(value, depth, out);
        }
        other => out.extend([" ", &flat(other), "\n"]),
    }
}

fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        other => other.to_string(),
    }
}

/// A text as a scalar: bare where no reader takes it for anything else, and in quotes as JSON, which YAML takes.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_. (),-".contains(c);
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let bare = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(plain)
        && !text.ends_with(' ')
        && !reserved.contains(&text.to_ascii_lowercase().as_str());
    if bare { text.to_owned() } else { Value::from(text).to_string() }
}
