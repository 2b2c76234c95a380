//! The relations that models read, by the names that they call them.

use super::jinja::Names;
use super::manifest::{Manifest, Node};
use std::collections::HashMap;

/// Every relation of a manifest, by its id.
pub(super) struct Relations<'m> {
    by_id: HashMap<&'m str, &'m Node>,
}

impl<'m> Relations<'m> {
    pub fn new(manifest: &'m Manifest) -> Self {
        let nodes = manifest.nodes.iter().map(|(id, node)| (id.as_str(), node));
        let sources = manifest.sources.iter().map(|(id, node)| (id.as_str(), node));
        Self { by_id: nodes.chain(sources).collect() }
    }

    /// The relations that a model reads, each with its name in a spec.
    pub fn read_by(&self, node: &Node) -> Vec<String> {
        let nodes = node.depends_on.nodes.iter().filter_map(|id| self.by_id.get(id.as_str()));
        nodes.filter(|other| other.resource_type != "test").map(|other| path(other, node)).collect()
    }

    /// The names that the code of a model calls them by.
    pub fn called_by(&self, node: &Node) -> Names {
        let mut names = Names::default();
        for other in node.depends_on.nodes.iter().filter_map(|id| self.by_id.get(id.as_str())) {
            let path = path(other, node);
            match &other.source_name {
                Some(source) => names.sources.insert(format!("{source}.{}", other.name), path),
                None => names.refs.insert(other.name.clone(), path),
            };
        }
        names
    }
}

/// The name of a relation, without the database where it is that of the model.
fn path(other: &Node, model: &Node) -> String {
    let database = other.database.as_deref().filter(|_| other.database != model.database);
    let name = other.identifier.as_deref().or(other.alias.as_deref()).unwrap_or(&other.name);
    [database, other.schema.as_deref(), Some(name)].into_iter().flatten().collect::<Vec<_>>().join(".")
}
