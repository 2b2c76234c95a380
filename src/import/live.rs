//! The catalogue of a live database.

use super::column::computed_type;
use super::relation::{Column, Key, Relation};
use crate::dialect::Dialect;
use crate::engine::catalogue::Table;

/// The tables of a catalogue, in its order.
pub fn relations(tables: Vec<Table>, dialect: &'static Dialect) -> Vec<Relation> {
    tables.into_iter().map(|table| relation(table, dialect)).collect()
}

fn relation(table: Table, dialect: &'static Dialect) -> Relation {
    let columns = table.columns.into_iter().map(|column| {
        let computed = computed_type(dialect, &column.declared);
        Column {
            name: column.name,
            declared: Some(column.declared).filter(|declared| !declared.is_empty()),
            not_null: column.not_null,
            default: column.default,
            generated: column.generated || computed,
            numbered: column.numbered,
            description: column.description,
            ..Column::default()
        }
    });
    let keys = table.keys.into_iter().map(|key| Key {
        from: if key.primary { "the primary key".to_owned() } else { format!("unique index {}", key.name) },
        columns: key.columns,
        primary: key.primary,
        partial: key.partial,
    });
    let (columns, keys) = (columns.collect(), keys.collect());
    Relation {
        schema: table.schema,
        description: table.description,
        columns,
        keys,
        ..Relation::named(dialect, table.name)
    }
}
