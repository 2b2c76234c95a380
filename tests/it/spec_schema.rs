//! The JSON Schema and the reader are made from the same keys: what one takes the other takes.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use idemsql::diagnostic::{Source, Style, render};
use idemsql::spec::{Spec, schema};
use serde_json::Value;

/// A spec that uses every key of the format.
const EVERY_KEY: &str = r#"
version: 1
defaults:
  catalog: main
  quote: needed
  columns:
    - {name: loaded_at, type: timestamptz, value: now, compare: false}
tables:
  - name: orders
    schema: mart
    description: One row per order, newest version.
    dialects: [postgres, snowflake]
    forms: [sql, dbt]
    on_schema_change: append_new_columns
    dbt: {source: raw.orders, adapter: postgres, tags: [daily], meta: {owner: shop}}
    strategy: upsert
    source: {table: raw.orders}
    unique_key: [order_id]
    group_key: user_id
    partition: {column: created_at, grain: day}
    batch: {column: status, log: etl.batches}
    incremental_column: {column: updated_at, source_column: changed_at, zone: utc}
    overlap_window: 1 day
    initial_value: 2020-01-01
    window: {start: "{{ ds }}", end: {parameter: until}}
    version: [updated_at]
    on_tie: keep
    deletes: {when: "op = 'D'", flag: is_deleted}
    missing_rows: {flag: is_gone, scope: "user_id > 0", allow_empty: true}
    history: {valid_from: since, valid_to: until, is_current: is_last}
    target_filter: "created_at >= '2024-01-01'"
    concurrency: single
    columns:
      - {name: order_id, type: bigint, nullable: false}
      - {name: user_id, type: bigint, description: who bought}
      - {name: status, type: "varchar(20)", default: "'new'", source: lower(state)}
      - {name: search, type: {postgres: tsvector, snowflake: varchar}, generated: true}
      - {name: row_id, type: bigint, identity: true}
      - {name: created_at, type: timestamptz, update: never}
      - {name: updated_at, type: timestamptz}
      - {name: is_deleted, type: bool, default: false}
      - {name: is_gone, type: bool}
    overrides:
      snowflake: {schema: MART, columns: [{name: status, type: text}]}
  - name: countries
    source: {rows: [{code: DE, title: Germany}, [FR, France]]}
    unique_key: code
    columns: [{name: code, type: char(2)}, {name: title, type: text}]
  - name: regions
    source: {csv: regions.csv}
    deletes: {when: code is null, action: delete}
    unique_key: code
    columns: [{name: code, type: int}]
  - name: a
    source: {query: select 1 as n}
    forms: dbt
    dbt: {ref: stg_a}
    columns: [{name: n, type: int}]
  - name: b
    source: {query_file: b.sql}
    batch: {content: true}
    columns: [{name: n, type: int}]
  - name: c
    source: {parameters: true}
    effect: UPDATE d SET n = n + :n
    retention: 1 day
    lease: 1 minute
    columns: [{name: n, type: int}]
"#;

fn read(text: &str) -> Result<Spec, String> {
    let files = |path: &str| match path {
        "regions.csv" => Ok("code\n1\n".to_owned()),
        "b.sql" => Ok("select 1 as n".to_owned()),
        _ => Err("there is no such file".to_owned()),
    };
    let source = Source::new("spec.yaml", text);
    Spec::read(Arc::new(source), &files).map_err(|faults| render(&faults, Style::Plain))
}

/// The words of JSON Schema that ours uses; any other makes the test fail.
fn fits(schema: &Value, value: &Value, root: &Value) -> Result<(), String> {
    let fail = |why: String| Err(format!("{why}: {value}"));
    for (word, rule) in schema.as_object().unwrap() {
        let list = || rule.as_array().unwrap();
        let size = rule.as_u64().map(|n| usize::try_from(n).unwrap());
        match word.as_str() {
            "$schema" | "$defs" | "title" | "description" | "examples" => {}
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                fits(&root["$defs"][name], value, root)?;
            }
            "type" => {
                let kind = match value {
                    Value::Null => "null",
                    Value::Bool(_) => "boolean",
                    Value::Number(n) if n.is_f64() => "number",
                    Value::Number(_) => "integer",
                    Value::String(_) => "string",
                    Value::Array(_) => "array",
                    Value::Object(_) => "object",
                };
                let allowed = |rule: &Value| rule == kind || (rule == "number" && kind == "integer");
                if !allowed(rule) && !rule.as_array().is_some_and(|kinds| kinds.iter().any(allowed)) {
                    return fail(format!("is not {rule}"));
                }
            }
            "const" if rule != value => return fail(format!("is not {rule}")),
            "enum" if !list().contains(value) => return fail(format!("is not in {rule}")),
            "const" | "enum" | "properties" => {}
            "oneOf" => {
                let fitting = list().iter().filter(|one| fits(one, value, root).is_ok()).count();
                if fitting != 1 {
                    return fail(format!("fits {fitting} of {rule}"));
                }
            }
            "minLength" if value.as_str().unwrap().len() < size.unwrap() => return fail("is too short".to_owned()),
            "minItems" if value.as_array().is_some_and(|v| v.len() < size.unwrap()) => {
                return fail("is empty".to_owned());
            }
            "minProperties" if value.as_object().is_some_and(|v| v.len() < size.unwrap()) => {
                return fail("is empty".to_owned());
            }
            "uniqueItems" => {
                let items = value.as_array().unwrap();
                if items.iter().enumerate().any(|(at, item)| items[..at].contains(item)) {
                    return fail("repeats".to_owned());
                }
            }
            "minLength" | "minItems" | "minProperties" => {}
            "items" => value.as_array().into_iter().flatten().try_for_each(|item| fits(rule, item, root))?,
            "required" => {
                if let Some(missing) = list().iter().find(|key| value.get(key.as_str().unwrap()).is_none()) {
                    return fail(format!("has no {missing}"));
                }
            }
            "additionalProperties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    match schema.get("properties").and_then(|known| known.get(key)) {
                        Some(known) => fits(known, value, root)?,
                        None if rule == false => return fail(format!("does not know `{key}`")),
                        None => fits(rule, value, root)?,
                    }
                }
            }
            word => panic!("the test does not know `{word}`"),
        }
    }
    Ok(())
}

fn judged(text: &str) -> Result<(), String> {
    let options = serde_yaml::options! { strict_booleans: true };
    let value: Value = serde_yaml::from_str_with_options(text, options).map_err(|error| error.to_string())?;
    let schema = schema();
    fits(&schema, &value, &schema)
}

/// Every name of a property in the schema.
fn properties(schema: &Value, into: &mut BTreeSet<String>) {
    match schema {
        Value::Object(words) => {
            for (word, rule) in words {
                if word == "properties" {
                    for (name, rule) in rule.as_object().unwrap() {
                        into.insert(name.clone());
                        let described = rule["description"].as_str().unwrap();
                        assert!(described.len() > 10 && described.ends_with('.'), "{name}: {described}");
                        properties(rule, into);
                    }
                } else {
                    properties(rule, into);
                }
            }
        }
        Value::Array(rules) => rules.iter().for_each(|rule| properties(rule, into)),
        _ => {}
    }
}

#[test]
fn a_spec_with_every_key_is_read_and_fits_the_schema() {
    let spec = read(EVERY_KEY).unwrap_or_else(|message| panic!("{message}"));
    assert_eq!(spec.tables().len(), 6);
    judged(EVERY_KEY).unwrap();
    let mut names = BTreeSet::new();
    properties(&schema(), &mut names);
    let unused: Vec<_> = names.iter().filter(|name| !EVERY_KEY.contains(&format!("{name}:"))).collect();
    assert!(unused.is_empty(), "no example of {unused:?}");
}

#[test]
fn the_schema_refuses_what_the_reader_refuses_by_its_shape() {
    let shapes = ["spec-unknown-key", "spec-unknown-word", "spec-no-value", "spec-no-tables"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/spec-errors");
    let mut refused = 0;
    for case in fs::read_dir(root).unwrap() {
        let case = case.unwrap().path();
        let text = fs::read_to_string(case.join("spec.yaml")).unwrap();
        let message = read(&text).unwrap_err();
        if shapes.iter().any(|code| message.contains(&format!("[{code}]"))) {
            assert!(judged(&text).is_err(), "the schema takes {}", case.display());
            refused += 1;
        }
    }
    assert!(refused >= 15, "only {refused} cases");
}

#[test]
fn the_schema_completes_keys_and_words() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let table = &schema["$defs"]["table"];
    assert_eq!(table["additionalProperties"], false);
    assert_eq!(table["properties"]["concurrency"]["enum"], serde_json::json!(["single", "many"]));
    let overridden = schema["$defs"]["override"]["properties"].as_object().unwrap();
    assert!(!overridden.contains_key("overrides") && !overridden.contains_key("dialects"));
}
