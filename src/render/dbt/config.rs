//! The configuration of a dbt model: what dbt reads, and under `meta` what our macro reads.

use super::jinja::{line, literal};
use crate::dialect::mechanism::Form;
use crate::plan::dbt::{DbtPlan, OnSchemaChange, STRATEGY};
use crate::plan::load::Aliases;
use serde_json::{Map, Value, json};

/// A configuration: its keys and their values, in order.
pub(super) type Config = Vec<(&'static str, Argument)>;

/// The value of a key.
pub(super) enum Argument {
    /// A value.
    Value(Value),
    /// A literal of the adapter.
    Literal(String),
}

/// The configuration of a model.
pub(super) fn config(plan: &DbtPlan) -> Config {
    let mut all: Config = Vec::new();
    let mut add = |key, value: Value| all.push((key, Argument::Value(value)));
    add("materialized", "incremental".into());
    add("incremental_strategy", plan.strategy.into());
    if !plan.unique_key.is_empty() {
        add("unique_key", json!(plan.unique_key));
    }
    // Where rows carry a mark, our macro compares the columns.
    let change = if plan.is_marked() { OnSchemaChange::Ignore } else { plan.change };
    add("on_schema_change", word(change).into());
    let optional = [("database", &plan.catalog), ("schema", &plan.plan.schema), ("alias", &plan.alias)];
    for (key, value) in optional {
        if let Some(value) = value {
            add(key, value.as_str().into());
        }
    }
    if !plan.tags.is_empty() {
        add("tags", json!(plan.tags));
    }
    let mut meta = plan.meta.as_object().cloned().unwrap_or_default();
    if plan.is_ours() {
        meta.insert(STRATEGY.to_owned(), Value::Object(load(plan)));
    }
    if !meta.is_empty() {
        add("meta", Value::Object(meta));
    }
    let own = plan.config.iter().map(|(key, literal)| (*key, Argument::Literal(literal.clone())));
    all.extend(own);
    all
}

/// The configuration as it stands in the model.
pub(super) fn text(config: &Config) -> String {
    let lines: Vec<String> = config
        .iter()
        .map(|(key, argument)| match argument {
            Argument::Value(value) => format!("  {key}={}", literal(value, 2)),
            Argument::Literal(text) => format!("  {key}={text}"),
        })
        .collect();
    format!("{{{{ config(\n{}\n) }}}}", lines.join(",\n"))
}

fn word(change: OnSchemaChange) -> &'static str {
    match change {
        OnSchemaChange::Fail => "fail",
        OnSchemaChange::Ignore => "ignore",
        OnSchemaChange::AppendNewColumns => "append_new_columns",
        OnSchemaChange::SyncAllColumns => "sync_all_columns",
    }
}

/// What our macro reads, as ready SQL: what is usual is left out.
fn load(plan: &DbtPlan) -> Map<String, Value> {
    let load = &plan.plan.load;
    let Aliases { b, o, .. } = &load.names;
    let lines = |all: &[String]| Value::from(all.iter().map(|text| line(text)).collect::<Vec<_>>());
    let mut out = Map::new();
    let mut add = |key: &str, value: Value| out.insert(key.to_owned(), value);
    let merges = plan.plan.form == Form::Merge;
    add("form", if merges { "merge" } else { "update_insert" }.into());
    if !load.frame.begin.is_empty() {
        add("first", lines(&load.frame.begin));
    }
    if plan.is_marked() && plan.change == OnSchemaChange::Fail {
        add("columns", plan.plan.columns.iter().map(|column| column.name.as_str()).collect());
    }
    // The usual letters, but where columns have their names.
    for (usual, name) in [("b", b), ("o", o), ("t", &load.me)] {
        let is_used = usual != "t" || merges;
        if is_used && name != usual && !(usual == "o" && merges) {
            add(usual, name.as_str().into());
        }
    }
    add("on", lines(&load.same_key));
    let mut deletes: Vec<Value> = Vec::new();
    let mut insert_when: Vec<String> = Vec::new();
    if let Some(vanished) = &load.vanished {
        deletes.push(json!([format!("{b}.{} = 1", vanished.flag)]));
        insert_when.push(format!("{b}.{} = 0", vanished.flag));
    }
    if let Some(deletion) = &load.deletion {
        let when = std::iter::once(format!("{b}.{} = 1", deletion.flag)).chain(deletion.not_older.iter().cloned());
        deletes.push(lines(&when.collect::<Vec<_>>()));
        insert_when.push(format!("{b}.{} = 0", deletion.flag));
    }
    if !deletes.is_empty() {
        add("delete", deletes.into());
    }
    if !load.updates.is_empty() {
        let deletion = load.deletion.iter().filter(|_| merges).map(|deletion| format!("{b}.{} = 0", deletion.flag));
        add("change", lines(&deletion.chain(load.change.iter().cloned()).collect::<Vec<_>>()));
        add("set", load.updates.iter().map(|update| json!([update.column, line(&update.value)])).collect());
    }
    add("insert", load.columns.iter().zip(&load.inserts).map(|(name, value)| json!([name, line(value)])).collect());
    if !insert_when.is_empty() {
        add("insert_when", json!(insert_when));
    }
    if merges {
        let shape = load.merge.as_ref();
        if let Some(hint) = shape.map(|merge| &merge.hint).filter(|hint| !hint.is_empty()) {
            add("hint", hint.as_str().into());
        }
        if let Some(not_matched) = shape.map(|merge| merge.not_matched).filter(|words| *words != "WHEN NOT MATCHED") {
            add("not_matched", not_matched.into());
        }
        if plan.plan.dialect.syntax.merge.is_some_and(|merge| merge.semicolon) {
            add("end", ";".into());
        }
    } else {
        add("probe", lines(&load.same_key_probe));
        add("probed", json!(load.probe));
        add("hit", load.hit.as_str().into());
    }
    out
}
