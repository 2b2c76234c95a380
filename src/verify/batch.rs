//! Rows for the loads that are verified: read from CSV, made up from a seed, and written as INSERT statements.

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};

mod generate;

pub use generate::{
    Bounds, Content, Cursor, Field, PRESENT, Scale, Scenario, commuting, default_unit, epoch, large, scenarios, ticks,
};

/// Rows and what their cells are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The name and the type of each column.
    pub columns: Vec<(String, Type)>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// Reads the text of a CSV file.
///
/// A column of the header is a name and a type, `id:bigint` or `"amount:decimal(12,2)"`, or a name alone when `known`
/// has its type. An empty cell is null, with or without quotes. A text may be written as in SQL, between apostrophes
/// that are doubled inside, and so `''` is the empty text. Every fault is reported, at its line.
pub fn read(text: &str, known: &[(String, Type)]) -> Result<Batch, Vec<Diagnostic>> {
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let mut faults = Vec::new();
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => return Err(vec![Diagnostic::error("rows-csv", error.to_string())]),
    };
    let mut columns = Vec::new();
    for name in &header {
        match typed(name, known) {
            Some(column) if columns.iter().any(|(other, _)| *other == column.0) => {
                faults.push(Diagnostic::error("rows-csv", format!("line 1: the column `{}` stands twice", column.0)));
            }
            Some(column) => columns.push(column),
            None => faults.push(
                Diagnostic::error("rows-csv", format!("line 1: the column `{name}` has no type"))
                    .help(format!("write `{name}:text`, or another type of a table spec")),
            ),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                faults.push(Diagnostic::error("rows-csv", error.to_string()));
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        let mut row = Row::new();
        for (cell, (name, ty)) in record.iter().zip(&columns) {
            match value(cell, ty) {
                Ok(value) => row.push(value),
                Err(error) => {
                    let message = format!("line {line}, column `{name}`: {error}");
                    faults.push(Diagnostic::error("rows-csv", message));
                }
            }
        }
        rows.push(row);
    }
    if faults.is_empty() { Ok(Batch { columns, rows }) } else { Err(faults) }
}

/// The name and the type of a header cell.
fn typed(cell: &str, known: &[(String, Type)]) -> Option<(String, Type)> {
    if let Some((name, ty)) = cell.rsplit_once(':')
        && let Some(ty) = Type::parse(ty)
    {
        return Some((name.trim().to_owned(), ty));
    }
    known.iter().find(|(name, _)| name == cell).cloned()
}

/// The value of a cell, or what is wrong with it.
fn value(cell: &str, ty: &Type) -> Result<Value, String> {
    if cell.is_empty() {
        return Ok(Value::Null);
    }
    let read = match cell.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inside) if ty.is_text() => Value::parse(&inside.replace("''", "'"), ty),
        _ => Value::parse(cell, ty),
    };
    read.map_err(|error| format!("{error:#}"))
}

/// The statements that put the rows into a table, one INSERT per row because every engine takes that.
///
/// `table` stands as it is. Names and values are written as the dialect wants them.
pub fn inserts(dialect: &Dialect, table: &str, columns: &[(String, Type)], rows: &[Row]) -> Vec<String> {
    let names: Vec<_> = columns.iter().map(|(name, _)| dialect.identifier(name, false)).collect();
    let names = names.join(", ");
    let insert = |row: &Row| {
        let values: Vec<_> = row.iter().zip(columns).map(|(value, (_, ty))| written(dialect, value, ty)).collect();
        format!("INSERT INTO {table} ({names}) VALUES ({})", values.join(", "))
    };
    rows.iter().map(insert).collect()
}

/// The value in SQL: a literal, or the clock.
fn written(dialect: &Dialect, value: &Value, ty: &Type) -> String {
    value.literal(ty).map_or_else(|| (dialect.now)(ty).to_owned(), |literal| dialect.literal(&literal, ty))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::engine::Engine as _;
    use crate::engine::sqlite::Sqlite;

    #[test]
    fn a_header_carries_the_types() {
        let text = "id:bigint,\"amount:decimal(12,2)\",at:timestamp,note\n1,10.50,2024-01-31 12:00:00,x\n2,,,\n";
        let batch = read(text, &[("note".to_owned(), Type::Varchar(9))]).unwrap();
        assert_eq!(batch.columns[1], ("amount".to_owned(), Type::Decimal { precision: 12, scale: 2 }));
        assert_eq!(batch.columns[3], ("note".to_owned(), Type::Varchar(9)));
        let at = Value::parse("2024-01-31 12:00", &Type::Timestamp).unwrap();
        let amount = Value::parse("10.5", &Type::Decimal { precision: 12, scale: 2 }).unwrap();
        assert_eq!(batch.rows[0], [1.into(), amount, at, "x".into()]);
        assert_eq!(batch.rows[1], [2.into(), Value::Null, Value::Null, Value::Null]);
    }

    #[test]
    fn an_empty_cell_is_null_and_apostrophes_make_a_text() {
        let batch = read("n:int,t:text\n1,\n2,\"\"\n3,''\n4,'it''s'\n5,it's\n6,' '\n7,'\n", &[]).unwrap();
        let texts: Vec<_> = batch.rows.iter().map(|row| row[1].clone()).collect();
        assert_eq!(texts, [Value::Null, Value::Null, "".into(), "it's".into(), "it's".into(), " ".into(), "'".into()]);
    }

    #[test]
    fn every_fault_is_reported_at_its_line() {
        let messages = |text| -> Vec<String> {
            read(text, &[]).unwrap_err().into_iter().map(|fault: Diagnostic| fault.message).collect()
        };
        assert_eq!(
            messages("id,v:blob,k:int,k:int\n"),
            [
                "line 1: the column `id` has no type",
                "line 1: the column `v:blob` has no type",
                "line 1: the column `k` stands twice",
            ]
        );
        let faults = messages("id:int,ok:bool\nx,true\n1,true,1\n2,maybe\n");
        assert_eq!(faults.len(), 3);
        assert!(faults[0].starts_with("line 2, column `id`: `x` is not a value"), "{}", faults[0]);
        assert!(faults[1].contains("line: 3"), "{}", faults[1]);
        assert!(faults[2].starts_with("line 4, column `ok`"), "{}", faults[2]);
    }

    #[test]
    fn values_are_written_as_the_dialect_wants_them() {
        let dialect = crate::dialect::ALL[0];
        let columns =
            [("order".to_owned(), Type::BigInt), ("名前".to_owned(), Type::Text), ("at".to_owned(), Type::Date)];
        let rows = vec![vec![1.into(), "it's 東京".into(), Value::Null], vec![Value::Null, "".into(), Value::Now]];
        let statements = inserts(dialect, "mart.t", &columns, &rows);
        let names = ["order", "名前", "at"].map(|name| dialect.identifier(name, false)).join(", ");
        let text = (dialect.string)("it's 東京");
        assert_eq!(statements[0], format!("INSERT INTO mart.t ({names}) VALUES (1, {text}, NULL)"));
        let (empty, now) = ((dialect.string)(""), (dialect.now)(&Type::Date));
        assert_eq!(statements[1], format!("INSERT INTO mart.t ({names}) VALUES (NULL, {empty}, {now})"));
    }

    #[test]
    fn rows_go_into_an_engine_and_come_back() {
        // The embedded engine reads the literals of every dialect in which a backslash is an ordinary character.
        let mut dialects = crate::dialect::ALL.iter().filter(|dialect| (dialect.string)("\\\n") == "'\\\n'");
        let batch = read("k:bigint,v:text\n1,'it''s 東京'\n2,\n3,''\n4,\"a\\b\n\"\"c\"\"\"\n", &[]).unwrap();
        let mut engine = Sqlite::in_memory().unwrap();
        engine.run_script("CREATE TABLE t (k INTEGER, v TEXT)").unwrap();
        engine.run_script(&inserts(dialects.next().unwrap(), "t", &batch.columns, &batch.rows).join(";")).unwrap();
        let types: Vec<_> = batch.columns.iter().map(|(_, ty)| ty.clone()).collect();
        assert_eq!(engine.query("SELECT * FROM t ORDER BY k").unwrap().typed(&types).unwrap(), batch.rows);
    }
}
