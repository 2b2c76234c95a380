//! One incremental model: its key, columns, window and source, and a comment for what a spec cannot say.

use super::lost::Lost;
use super::manifest::{CatalogTable, Node, texts};
use super::names::Relations;
use super::select::{items, plain};
use super::{Tests, jinja, window};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::adapter::Adapter;
use crate::dialect::mechanism::Support;
use crate::import::relation::{Column, Load, Relation, Rows, Window};
use serde_json::Value;

/// A model, and what is known around it.
pub(super) struct Model<'m> {
    pub node: &'m Node,
    pub dialect: &'static Dialect,
    pub adapter: &'static Adapter,
    pub tests: &'m Tests,
    pub catalog: Option<&'m CatalogTable>,
    pub names: &'m Relations<'m>,
}

/// Keys of the configuration that are carried over or say nothing of a load.
const CARRIED: &[&str] = &[
    "enabled",
    "alias",
    "schema",
    "database",
    "tags",
    "meta",
    "group",
    "materialized",
    "incremental_strategy",
    "batch_size",
    "lookback",
    "begin",
    "persist_docs",
    "quoting",
    "column_types",
    "full_refresh",
    "unique_key",
    "on_schema_change",
    "on_configuration_change",
    "grants",
    "packages",
    "docs",
    "contract",
    "event_time",
    "concurrent_batches",
    "access",
    "freshness",
    "merge_update_columns",
    "merge_exclude_columns",
    "unlogged",
    "indexes",
    "static_analysis",
    "functions",
];

impl Model<'_> {
    /// The relation. What cannot be carried over is a comment of it, and a warning.
    pub fn relation(&self, warnings: &mut Vec<Diagnostic>) -> Relation {
        let node = self.node;
        let mut lost = Lost { title: node.name.clone(), warnings, notes: Vec::new() };
        lost.notes.push(format!("model `{}` of dbt, {}", node.name, node.original_file_path));
        let query = self.select(&mut lost);
        let mut relation = Relation::named(self.dialect, node.alias.clone().unwrap_or_else(|| node.name.clone()));
        relation.schema.clone_from(&node.schema);
        relation.description.clone_from(&node.description);
        relation.columns = self.columns(query.as_deref(), &mut lost);
        let key = self.key(&relation, &mut lost);
        let strategy = self.strategy(!key.0.is_empty(), &mut lost);
        let window = self.window(&mut relation, &mut lost);
        self.update_rules(&mut relation, &key.0, window.as_ref(), &mut lost);
        let rows = self.rows(query, &relation, &mut lost);
        let on_schema_change = self.schema_change(&mut lost);
        self.the_rest(&mut lost);
        relation.load = Some(Load { strategy, key, window, on_schema_change, rows });
        relation.notes = lost.notes;
        relation
    }

    /// The SELECT of the first run.
    fn select(&self, lost: &mut Lost<'_>) -> Option<String> {
        let code = self.node.raw_code.as_deref()?;
        if self.node.language.as_deref().is_some_and(|language| language != "sql") {
            lost.say("it is not written in SQL", "write its source into the spec as a table");
            return None;
        }
        match jinja::first_run(code, self.names.called_by(self.node), &self.node.name, self.dialect) {
            Ok(query) => Some(query),
            Err(fault) => {
                let help = "check `source`, or write the SELECT there as `query`";
                lost.say(&format!("its Jinja cannot be followed: {fault}"), help);
                None
            }
        }
    }

    /// The columns: of the catalogue where there is one, else of the properties and the SELECT.
    fn columns(&self, query: Option<&str>, lost: &mut Lost<'_>) -> Vec<Column> {
        let declared = |name: &str| {
            let same = |entry: &(&String, &Value)| entry.0.to_lowercase() == name.to_lowercase();
            self.node.columns.iter().find(same).map(|(_, column)| column)
        };
        let text = |column: Option<&Value>, key: &str| {
            column.and_then(|column| column.get(key)).and_then(Value::as_str).map(str::to_owned)
        };
        let mut columns: Vec<Column> = Vec::new();
        if let Some(table) = self.catalog {
            let mut all: Vec<_> = table.columns.iter().collect();
            all.sort_by_key(|(_, column)| column.index);
            for (name, column) in all {
                let name = if column.name.is_empty() { name } else { &column.name };
                let description = text(declared(name), "description").or_else(|| column.comment.clone());
                let declared = Some(column.ty.clone());
                columns.push(Column { name: self.folded(name), declared, description, ..Column::default() });
            }
        } else {
            let listed = query.and_then(|query| items(query, self.dialect));
            let own = || self.node.columns.keys().cloned().collect::<Vec<_>>();
            let names = listed.clone().unwrap_or_else(own);
            // A select list is read in lower case; the properties have the letters.
            let keys = || self.node.columns.keys();
            for name in names.iter().map(|name| keys().find(|key| key.to_lowercase() == *name).unwrap_or(name)) {
                let (declared, description) = (text(declared(name), "data_type"), text(declared(name), "description"));
                columns.push(Column { name: self.folded(name), declared, description, ..Column::default() });
            }
            if listed.is_none() {
                let help = "run `dbt docs generate`, and give its catalog.json with --catalog";
                let what = if columns.is_empty() {
                    "its columns are not known: no properties name them, and the SELECT does not list them"
                } else {
                    "only the columns of its properties are known, and the SELECT may have more"
                };
                lost.say(what, help);
            }
        }
        for column in &mut columns {
            let properties = declared(&column.name);
            let constraints = properties.and_then(|one| one.get("constraints")).and_then(Value::as_array);
            let constrained = constraints
                .into_iter()
                .flatten()
                .any(|one| matches!(one.get("type").and_then(Value::as_str), Some("not_null" | "primary_key")));
            let enforced = self.node.set("contract").and_then(|contract| contract.get("enforced"));
            if constrained && enforced.is_some_and(|enforced| enforced == true) {
                column.not_null = true;
            } else if self.tests.not_null.iter().any(|name| name.to_lowercase() == column.name.to_lowercase()) {
                column.not_null = true;
                column.notes.push("guess: not null, by a test of dbt".to_owned());
            }
        }
        columns
    }

    /// A name without quotes, as a spec writes it: the catalogue shows those of an engine that folds to upper case so.
    fn folded(&self, name: &str) -> String {
        let upper = self.dialect.fold == crate::dialect::name::Fold::Upper;
        if upper && !name.chars().any(char::is_lowercase) { name.to_lowercase() } else { name.to_owned() }
    }

    /// The key, and where it is from.
    fn key(&self, relation: &Relation, lost: &mut Lost<'_>) -> (Vec<String>, Vec<String>) {
        let own = texts(self.node.set("unique_key"));
        let inferred = self.node.primary_key.clone().unwrap_or_default();
        let mut tested = self.tests.unique.clone();
        tested.extend((!inferred.is_empty() && inferred.len() > 1).then_some(inferred.clone()));
        let spelled = |names: &[String]| -> Vec<String> {
            names
                .iter()
                .map(|name| relation.column(name).map_or_else(|| name.clone(), |one| one.name.clone()))
                .collect()
        };
        let same = |one: &[String], other: &[String]| {
            let sorted = |names: &[String]| {
                let mut names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
                names.sort();
                names
            };
            sorted(one) == sorted(other)
        };
        if own.is_empty() {
            let Some(key) = tested.first().or(Some(&inferred)).filter(|key| !key.is_empty()) else {
                return (Vec::new(), vec!["the model has no unique_key, and no test says what is unique".to_owned()]);
            };
            lost.say(
                &format!("it has no unique_key; the key ({}) is from its tests", key.join(", ")),
                "check that these columns tell one row from another",
            );
            return (spelled(key), vec!["guess: by a test of dbt; the model has no unique_key".to_owned()]);
        }
        let unknown: Vec<&String> = own.iter().filter(|name| relation.column(name).is_none()).collect();
        if !unknown.is_empty() && !relation.columns.is_empty() {
            let why = format!("its unique_key ({}) is not a list of its columns", own.join(", "));
            lost.say(&why, "name the columns of the key");
            return (Vec::new(), vec![why]);
        }
        let mut notes = Vec::new();
        if tested.iter().any(|key| same(key, &own)) {
            notes.push("unique_key of the model, and a test says that it is unique".to_owned());
        } else if let Some(key) = tested.first() {
            lost.say(
                &format!(
                    "its unique_key is ({}), and its tests say that ({}) is unique",
                    own.join(", "),
                    key.join(", ")
                ),
                "keep the one that tells one row from another",
            );
            notes.push(format!("guess: unique_key of the model; a test says that ({}) is unique", key.join(", ")));
        } else {
            notes.push(
                "guess: unique_key of the model; no test says that it is unique. If several rows share it, write \
                 `strategy: delete_insert`, these columns as `group_key`, and what tells one row from another here"
                    .to_owned(),
            );
        }
        (spelled(&own), notes)
    }

    /// The strategy, and what dbt does.
    fn strategy(&self, keyed: bool, lost: &mut Lost<'_>) -> Option<(&'static str, String)> {
        let named = self.node.text("incremental_strategy");
        let has_key = !texts(self.node.set("unique_key")).is_empty();
        let default = if has_key { self.adapter.keyed } else { self.adapter.keyless };
        let theirs = named.unwrap_or(default);
        let by = if named.is_some() { "" } else { " (the default of its adapter)" };
        match theirs {
            "append" | "legacy" if has_key => lost.say(
                &format!("dbt appends{by}, and does not look at the unique_key: a second run adds every row again"),
                "if that is meant, this table cannot have a spec: a load that can be run twice needs its key",
            ),
            "append" | "legacy" => lost.say(
                &format!("dbt appends{by}: a second run adds every row of the window again"),
                "the spec replaces rows of the same key instead",
            ),
            "insert_overwrite" | "replace_where" | "microbatch" => lost.say(
                &format!("dbt replaces whole partitions or batches ({theirs}{by}): rows that left them are removed"),
                "the spec replaces rows by their key and removes none; `strategy: delete_insert` removes those of the window",
            ),
            _ => {}
        }
        let merge = matches!(self.dialect.merge, Support::Yes(_));
        let about =
            format!("dbt: {theirs}{by}; rows of one key are replaced by the newest, and two of them are made one");
        (keyed && merge).then_some(("merge", about))
    }

    /// The window.
    fn window(&self, relation: &mut Relation, lost: &mut Lost<'_>) -> Option<Window> {
        if self.node.text("incremental_strategy") == Some("microbatch") {
            return self.batches(lost);
        }
        let found = if let Ok(found) = window::find(self.node.raw_code.as_deref().unwrap_or_default(), self.dialect) {
            found?
        } else {
            let what = "it has code for incremental runs that is not understood: no window is taken over";
            lost.say(what, "write `incremental_column` and `overlap_window`, or leave them out to read everything");
            return None;
        };
        let mut notes = vec!["guess: found in the code of the model; confirm that this is its window".to_owned()];
        if relation.column(&found.column).is_none() {
            let what = format!("its window is over `{}`, which is not one of its known columns", found.column);
            lost.say(&what, "write `incremental_column` and `overlap_window`");
            return None;
        }
        if found.strict {
            notes.push("dbt reads with `>`, which loses rows of the same time; the spec reads with `>=`".to_owned());
        }
        notes.extend(found.calendar);
        let column = relation.column(&found.column).map(|column| column.name.clone())?;
        let compared = found.compared.filter(|name| name.to_lowercase() != column.to_lowercase());
        Some(Window { column, source_column: compared, overlap: found.overlap, initial: None, notes })
    }

    /// The batches of `microbatch` as a window.
    fn batches(&self, lost: &mut Lost<'_>) -> Option<Window> {
        let column = self.node.text("event_time")?.to_owned();
        let seconds = match self.node.text("batch_size") {
            Some("hour") => 3_600,
            Some("day") | None => 86_400,
            Some("month") => 31 * 86_400,
            Some("year") => 366 * 86_400,
            Some(_) => return None,
        };
        let lookback = self.node.set("lookback").and_then(Value::as_u64).unwrap_or(1);
        // The batch of the greatest value is loaded again, and so many before it.
        let overlap = Some(window::length(seconds * (lookback + 1)));
        if self.node.set("begin").is_some() {
            lost.notes
                .push("dbt counts its batches by the clock; the spec goes back from the greatest value".to_owned());
        }
        let notes = vec!["guess: event_time, with batch_size and lookback as the overlap".to_owned()];
        let initial = self.node.text("begin").map(str::to_owned);
        Some(Window { column, source_column: None, overlap, initial, notes })
    }

    /// `merge_update_columns` and `merge_exclude_columns`: what keeps its first value.
    fn update_rules(&self, relation: &mut Relation, key: &[String], window: Option<&Window>, lost: &mut Lost<'_>) {
        let (updated, excluded) =
            (texts(self.node.set("merge_update_columns")), texts(self.node.set("merge_exclude_columns")));
        let known: Vec<String> = relation.columns.iter().map(|column| column.name.to_lowercase()).collect();
        for name in updated.iter().chain(&excluded).filter(|name| !known.contains(&name.to_lowercase())) {
            lost.say(
                &format!("it names a column `{name}` that it does not have"),
                "write `update: never` where it is meant",
            );
        }
        let has = |names: &[String], column: &Column| {
            names.iter().any(|name| name.to_lowercase() == column.name.to_lowercase())
        };
        for column in &mut relation.columns {
            let kept = has(&excluded, column) || (!updated.is_empty() && !has(&updated, column));
            if !kept || key.contains(&column.name) {
                continue;
            }
            if window.is_some_and(|window| window.column == column.name) {
                lost.warn(
                    &format!("dbt keeps the first value of `{}`, which is its window", column.name),
                    "the spec moves it: otherwise an older row could replace a newer one",
                );
                column.notes.push("dbt keeps its first value; here it says what is newer, and has to move".to_owned());
                continue;
            }
            let setting = if has(&excluded, column) { "merge_exclude_columns" } else { "merge_update_columns" };
            column.kept = Some(format!("by {setting} of the model"));
        }
    }

    /// Where the rows come from.
    fn rows(&self, query: Option<String>, relation: &Relation, lost: &mut Lost<'_>) -> Rows {
        let read = self.names.read_by(self.node);
        let first = || read.first().cloned().unwrap_or_else(|| format!("stg_{}", relation.name));
        let Some(query) = query else {
            return Rows::Table(first(), vec!["guess: the first relation that the model reads".to_owned()]);
        };
        if read.len() == 1 && plain(&query, self.dialect) {
            return Rows::Table(first(), Vec::new());
        }
        if read.is_empty() {
            lost.warn("it reads no ref() and no source()", "check its `source`");
        }
        Rows::Query(query, vec!["the SELECT of the model, as on its first run".to_owned()])
    }

    /// What becomes of a change of the columns. `ignore` is what dbt does where nobody asks, and is not taken over: it leaves
    /// new columns out without a word.
    fn schema_change(&self, lost: &mut Lost<'_>) -> Option<String> {
        let value = self.node.text("on_schema_change").filter(|value| *value != "ignore")?;
        match value {
            "fail" | "append_new_columns" => {}
            "sync_all_columns" => lost.warn(
                "`on_schema_change: sync_all_columns` drops columns with their values",
                "write `fail`, and change the table by hand when its columns change",
            ),
            other => {
                lost.say(&format!("dbt does not know `on_schema_change: {other}`"), "write the value that is meant");
                return None;
            }
        }
        Some(value.to_owned())
    }

    /// What a spec has no word for.
    fn the_rest(&self, lost: &mut Lost<'_>) {
        let node = self.node;
        for predicate in texts(node.set("incremental_predicates").or_else(|| node.set("predicates"))) {
            lost.say(
                &format!("its incremental predicate is not carried over: {predicate}"),
                "if it is on columns that never change, write it as `target_filter`",
            );
        }
        for (key, value) in node.config.iter().filter(|(_, value)| !empty(value)) {
            let hook = matches!(key.as_str(), "pre-hook" | "post-hook");
            if matches!(key.as_str(), "incremental_predicates" | "predicates") || CARRIED.contains(&key.as_str()) {
                continue;
            }
            let sql = if hook { hooks(value) } else { value.to_string() };
            lost.say(&format!("`{key}` is not carried over: {sql}"), "do it beside the load, where it is still wanted");
        }
    }
}

/// The SQL of hooks.
fn hooks(value: &Value) -> String {
    let sql = |hook: &Value| hook.get("sql").or(Some(hook)).and_then(Value::as_str).unwrap_or_default().to_owned();
    value.as_array().map_or_else(|| sql(value), |all| all.iter().map(sql).collect::<Vec<_>>().join("; "))
}

fn empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Number(_) => false,
    }
}
