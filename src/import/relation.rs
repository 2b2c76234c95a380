//! What is known of one table: the shape that DDL, a database and a dbt manifest fill.

use super::column::type_of;
use crate::dialect::Dialect;
use crate::dialect::types::Type;

/// One table, as far as it is known.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The dialect that its types are of.
    pub dialect: &'static Dialect,
    /// Its catalog.
    pub catalog: Option<String>,
    /// Its schema.
    pub schema: Option<String>,
    /// Its name, as a spec writes it.
    pub name: String,
    /// True when every name must be quoted to mean the same.
    pub quote_always: bool,
    /// What it holds, for people.
    pub description: Option<String>,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// Its unique keys, in order.
    pub keys: Vec<Key>,
    /// How it is loaded, where that is known.
    pub load: Option<Load>,
    /// What a reader of the spec should know, a sentence each.
    pub notes: Vec<String>,
}

/// One column, as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Its name, as a spec writes it.
    pub name: String,
    /// Its type as it is declared; none when nothing says it.
    pub declared: Option<String>,
    /// It cannot be null.
    pub not_null: bool,
    /// Its default, an expression.
    pub default: Option<String>,
    /// The engine computes it.
    pub generated: bool,
    /// The engine numbers it; true when a statement cannot give it a number.
    pub numbered: Option<bool>,
    /// What it holds, for people.
    pub description: Option<String>,
    /// It keeps its first value, and why.
    pub kept: Option<String>,
    /// What a reader of the spec should know, a sentence each.
    pub notes: Vec<String>,
}

/// One unique key.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// Its columns; one is `None` where an expression stands.
    pub columns: Vec<Option<String>>,
    /// It is the primary key.
    pub primary: bool,
    /// It holds for a part of the rows alone.
    pub partial: bool,
    /// What declares it, for a comment: `the primary key`, `unique index orders_key`.
    pub from: String,
}

/// How a table is loaded.
#[derive(Clone, Debug)]
pub struct Load {
    /// The strategy, and why; none where the spec's default is meant.
    pub strategy: Option<(&'static str, String)>,
    /// The columns of the key, and why they are; empty when nothing says them.
    pub key: (Vec<String>, Vec<String>),
    /// The window.
    pub window: Option<Window>,
    /// What becomes of a change of the columns, where it is not the usual.
    pub on_schema_change: Option<String>,
    /// Where the rows come from.
    pub rows: Rows,
}

/// The window of an incremental load.
#[derive(Clone, Debug)]
pub struct Window {
    /// The target's column.
    pub column: String,
    /// The staged column, when it differs.
    pub source_column: Option<String>,
    /// The overlap, as a spec writes it; none when nothing says it.
    pub overlap: Option<String>,
    /// Where it begins on an empty target.
    pub initial: Option<String>,
    /// Where it was found, a sentence each.
    pub notes: Vec<String>,
}

/// Where the staged rows come from.
#[derive(Clone, Debug)]
pub enum Rows {
    /// A table, by its name.
    Table(String, Vec<String>),
    /// A SELECT.
    Query(String, Vec<String>),
}

impl Relation {
    /// A table of which only its name is known.
    pub fn named(dialect: &'static Dialect, name: String) -> Self {
        Self {
            dialect,
            catalog: None,
            schema: None,
            name,
            quote_always: false,
            description: None,
            columns: Vec::new(),
            keys: Vec::new(),
            load: None,
            notes: Vec::new(),
        }
    }

    /// The type of one of its columns: text where nothing says it.
    pub fn type_of(&self, column: &Column) -> Type {
        type_of(self.dialect, column).0
    }

    /// Its name with its schema, for messages.
    pub fn title(&self) -> String {
        let parts = [self.catalog.as_deref(), self.schema.as_deref(), Some(&*self.name)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(".")
    }

    /// The column of that name, in any case: keys are often spelled otherwise than columns.
    pub fn column(&self, name: &str) -> Option<&Column> {
        let exact = self.columns.iter().find(|column| column.name == name);
        exact.or_else(|| self.columns.iter().find(|column| column.name.to_lowercase() == name.to_lowercase()))
    }
}
