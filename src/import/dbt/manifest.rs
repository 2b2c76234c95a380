//! What is read of dbt's `manifest.json` (schema v12) and `catalog.json`: <https://schemas.getdbt.com/dbt/manifest/v12.json>

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The manifest, as `dbt parse` writes it.
#[derive(Debug, Deserialize)]
pub struct Manifest {
    pub(super) metadata: Metadata,
    /// Models, tests, seeds, snapshots.
    #[serde(deserialize_with = "in_order")]
    pub(super) nodes: Vec<(String, Node)>,
    #[serde(default)]
    pub(super) sources: HashMap<String, Node>,
}

/// What made it.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    pub dbt_schema_version: String,
    #[serde(default)]
    pub adapter_type: Option<String>,
}

/// A model, a test, a source: what is not of it is left at its default.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub resource_type: String,
    pub package_name: String,
    pub name: String,
    pub original_file_path: String,
    pub database: Option<String>,
    pub schema: Option<String>,
    pub alias: Option<String>,
    /// The table's name, of a source.
    pub identifier: Option<String>,
    pub source_name: Option<String>,
    pub description: Option<String>,
    pub config: Map<String, Value>,
    /// What the user set of the configuration.
    pub unrendered_config: Map<String, Value>,
    pub columns: Map<String, Value>,
    pub constraints: Vec<Value>,
    pub raw_code: Option<String>,
    pub language: Option<String>,
    pub depends_on: DependsOn,
    /// The columns of the key that dbt infers from tests and constraints.
    pub primary_key: Option<Vec<String>>,
    pub test_metadata: Option<Test>,
    #[serde(rename = "attached_node")]
    pub attached_to: Option<String>,
    pub column_name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DependsOn {
    pub nodes: Vec<String>,
}

/// Which test it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Test {
    pub name: String,
    pub kwargs: Map<String, Value>,
}

/// `catalog.json`, as `dbt docs generate` writes it.
#[derive(Debug, Default, Deserialize)]
pub struct Catalog {
    #[serde(default)]
    pub(super) nodes: HashMap<String, CatalogTable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CatalogTable {
    pub columns: HashMap<String, CatalogColumn>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CatalogColumn {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: String,
    pub index: u64,
    pub comment: Option<String>,
}

impl Node {
    /// A value of the configuration that is there and not null.
    pub fn set(&self, key: &str) -> Option<&Value> {
        self.config.get(key).filter(|value| !value.is_null())
    }

    /// A text of the configuration.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.set(key).and_then(Value::as_str)
    }
}

/// The entries of a mapping in the order of the file.
fn in_order<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<(String, Node)>, D::Error> {
    struct Entries;
    impl<'de> serde::de::Visitor<'de> for Entries {
        type Value = Vec<(String, Node)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a mapping of nodes")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(entry) = map.next_entry()? {
                all.push(entry);
            }
            Ok(all)
        }
    }
    from.deserialize_map(Entries)
}

/// A text, or a list of them.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
