//! What a YAML file of a dbt project gives dbt to run.

use crate::lint::dbt::{Command, Commands, Document, Settings, Snapshot};
use crate::spec::yaml::{self, Entry, Node, Value};
use std::path::Path;

/// Reads a file; one that is no YAML gives nothing to run.
pub(super) fn read(text: &str, file: &Path, said: &dyn Fn(&str) -> Settings) -> Document {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut reader = Reader { text, name: &name, document: Document::default() };
    if let Ok(root) = yaml::parse(text) {
        // https://docs.getdbt.com/reference/project-configs/on-run-start-on-run-end
        reader.group(&root, &["on-run-start", "on-run-end"]);
        let trees = entries(&root).iter().filter(|one| ["models", "seeds", "snapshots"].contains(&one.key.as_str()));
        trees.for_each(|tree| reader.hooks(&tree.value));
        for entry in entries(&root).iter().filter(|entry| entry.key == "snapshots") {
            let Value::List(all) = &entry.value.value else { continue };
            reader.document.snapshots.extend(all.iter().filter_map(|one| snapshot(one, said)));
        }
    }
    reader.document
}

/// True for a file whose values can be told with their places.
pub(super) fn is_read(text: &str) -> bool {
    yaml::parse(text).is_ok()
}

struct Reader<'t> {
    text: &'t str,
    name: &'t str,
    document: Document,
}

/// In the order in which they are run: <https://docs.getdbt.com/reference/resource-configs/pre-hook-post-hook>
const HOOKS: &[&str] = &["pre-hook", "pre_hook", "post-hook", "post_hook"];

impl Reader<'_> {
    /// The hooks below a node, whatever folder or resource they are for.
    fn hooks(&mut self, node: &Node) {
        if let Value::List(all) = &node.value {
            for one in all {
                self.hooks(one);
            }
        }
        self.group(node, HOOKS);
        for entry in entries(node).iter().filter(|entry| !["meta", "vars", "columns"].contains(&name(entry))) {
            if !HOOKS.contains(&name(entry)) {
                self.hooks(&entry.value);
            }
        }
    }

    /// The commands of a mapping that belong together.
    fn group(&mut self, node: &Node, settings: &[&str]) {
        let mut all = Vec::new();
        for setting in settings {
            let said = entries(node).iter().filter(|entry| name(entry) == *setting);
            said.for_each(|entry| self.commands(setting, &entry.value, &mut all));
        }
        if !all.is_empty() {
            self.document.commands.push(Commands(all));
        }
    }

    /// The commands of a setting: one, a list of them, or mappings that say more of each.
    fn commands(&self, setting: &str, node: &Node, into: &mut Vec<Command>) {
        match &node.value {
            Value::Text(text) => {
                let command = Command::of_document(setting, self.name, text.clone(), self.text, node.span.clone());
                into.push(command);
            }
            Value::List(all) => all.iter().for_each(|one| self.commands(setting, one, into)),
            Value::Mapping(all) => {
                let sql = all.iter().filter(|entry| entry.key == "sql");
                sql.for_each(|entry| self.commands(setting, &entry.value, into));
            }
            _ => {}
        }
    }
}

/// A snapshot of a relation, which has no SELECT of its own: <https://docs.getdbt.com/docs/build/snapshots>
fn snapshot(node: &Node, said: &dyn Fn(&str) -> Settings) -> Option<Snapshot> {
    let entry = |key: &str| entries(node).iter().find(|entry| entry.key == key);
    entry("relation")?;
    let name = entry("name")?;
    let Value::Text(text) = &name.value.value else { return None };
    let config = entry("config").map_or(&[][..], |config| entries(&config.value));
    let own = config.iter().map(|one| {
        let place = one.key_span.start..one.value.span.end.max(one.key_span.end);
        (one.key.replace('-', "_"), plain(&one.value), place)
    });
    Some(Snapshot::declared(text, name.value.span.clone(), own.collect(), said(text)))
}

/// A value; `None` when dbt makes it.
fn plain(node: &Node) -> Option<serde_json::Value> {
    Some(match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(text) => serde_json::from_str(text).ok()?,
        Value::Text(text) if text.contains("{{") => return None,
        Value::Text(text) => text.as_str().into(),
        Value::List(all) => all.iter().map(plain).collect::<Option<Vec<_>>>()?.into(),
        Value::Mapping(_) => return None,
    })
}

/// A key without the plus that marks a setting.
fn name(entry: &Entry) -> &str {
    entry.key.trim_start_matches('+')
}

fn entries(node: &Node) -> &[Entry] {
    match &node.value {
        Value::Mapping(all) => all,
        _ => &[],
    }
}
