//! What an engine says of the tables that are there. Each engine asks its own catalogue, by two queries of one shape.

use super::Rows;
use anyhow::{Result, bail};

/// One table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Its schema; none where there is one alone.
    pub schema: Option<String>,
    /// Its name.
    pub name: String,
    /// Its comment.
    pub description: Option<String>,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// Its unique keys, the primary key first.
    pub keys: Vec<Key>,
}

/// One column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, as the engine writes it.
    pub declared: String,
    /// It cannot be null.
    pub not_null: bool,
    /// Its default, an expression.
    pub default: Option<String>,
    /// The engine computes it.
    pub generated: bool,
    /// The engine numbers it; true when a statement cannot give it a number.
    pub numbered: Option<bool>,
    /// Its comment.
    pub description: Option<String>,
}

/// One unique key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// It is the primary key.
    pub primary: bool,
    /// It holds for a part of the rows alone.
    pub partial: bool,
    /// Two nulls are the same in it: a unique index that was made so.
    pub nulls_equal: bool,
    /// Its columns; one is `None` where an expression stands.
    pub columns: Vec<Option<String>>,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A table, as the catalogue spells its schema and its name.
    Table {
        /// The schema; none where there is one alone.
        schema: Option<String>,
        /// The name.
        name: String,
    },
    /// Something else: `a view`.
    Other(String),
    /// Nothing, in a schema that is there.
    Nothing,
    /// Nothing, and the schema is not there either.
    NoSchema,
}

/// What two answers find: the first has a row with schema, name and kind of what has the name, `table` or words such as
/// `a view`; the second has a row where the schema is there.
#[cfg(any(feature = "duckdb", feature = "mysql", feature = "postgres"))]
pub(super) fn found(named: Rows, schemas: &Rows) -> Result<Found> {
    let Some(row) = named.rows.into_iter().next() else {
        return Ok(if schemas.rows.is_empty() { Found::NoSchema } else { Found::Nothing });
    };
    let Ok([schema, name, kind]) = <[Option<String>; 3]>::try_from(row) else {
        bail!("the catalogue's names are not those that were asked for");
    };
    let (name, kind) = (name.unwrap_or_default(), kind.unwrap_or_default());
    Ok(if kind == TABLE { Found::Table { schema, name } } else { Found::Other(kind) })
}

/// A query about a name, both parts of it literals. In one pass: a name may look like another's place.
#[cfg(any(feature = "duckdb", feature = "mysql", feature = "postgres"))]
pub(super) fn about(sql: &str, schema: &str, name: &str) -> String {
    sql.split("{schema}").map(|part| part.replace("{name}", name)).collect::<Vec<_>>().join(schema)
}

/// The kind of what we can make and change.
pub(super) const TABLE: &str = "table";

/// The tables of two answers.
///
/// The first has a row for each column, those of a table together and in order: schema, table, its comment, column, type,
/// not null, default, generated, numbered (`d` where a row gives no number, `a` always), comment. The second has a row for
/// each column of each unique key, those of a key together and in order: schema, table, key, primary, partial, nulls equal,
/// column. Yes is `1` or `true`.
pub(super) fn tables(columns: Rows, keys: Rows) -> Result<Vec<Table>> {
    let mut tables: Vec<Table> = Vec::new();
    for row in columns.rows {
        let Ok([schema, table, comment, name, declared, not_null, default, generated, numbered, description]) =
            <[Option<String>; 10]>::try_from(row)
        else {
            bail!("the catalogue's columns are not those that were asked for");
        };
        let name_of_table = table.unwrap_or_default();
        if tables.last().is_none_or(|last| last.schema != schema || last.name != name_of_table) {
            let description = comment.filter(|text| !text.is_empty());
            tables.push(Table { schema, name: name_of_table, description, ..Table::default() });
        }
        let column = Column {
            name: name.unwrap_or_default(),
            declared: declared.unwrap_or_default(),
            not_null: yes(not_null.as_deref()),
            default,
            generated: yes(generated.as_deref()),
            numbered: numbered.filter(|numbered| !numbered.is_empty()).map(|numbered| numbered == "a"),
            description: description.filter(|text| !text.is_empty()),
        };
        tables.last_mut().into_iter().for_each(|last| last.columns.push(column.clone()));
    }
    for row in keys.rows {
        let Ok([schema, table, name, primary, partial, nulls, column]) = <[Option<String>; 7]>::try_from(row) else {
            bail!("the catalogue's keys are not those that were asked for");
        };
        let (table, name) = (table.unwrap_or_default(), name.unwrap_or_default());
        let Some(table) = tables.iter_mut().find(|known| known.schema == schema && known.name == table) else {
            continue;
        };
        if table.keys.last().is_none_or(|last| last.name != name) {
            let [primary, partial, nulls_equal] = [primary, partial, nulls].map(|cell| yes(cell.as_deref()));
            table.keys.push(Key { name, primary, partial, nulls_equal, columns: Vec::new() });
        }
        table.keys.last_mut().into_iter().for_each(|last| last.columns.push(column.clone()));
    }
    Ok(tables)
}

fn yes(cell: Option<&str>) -> bool {
    matches!(cell, Some("1" | "true" | "t"))
}

/// A text as a literal of standard SQL, or NULL.
#[cfg(any(feature = "duckdb", feature = "mysql", feature = "postgres"))]
pub(super) fn text(value: Option<&str>) -> String {
    value.map_or_else(|| "NULL".to_owned(), |value| format!("'{}'", value.replace('\'', "''")))
}
