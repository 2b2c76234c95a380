//! The service on SQLite: `cargo run --example idempotency_key_sqlite -- shop.db`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used, missing_docs)]

mod service;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use service::{Database, Fault, INVENTORY, Row, Value, serve};
use std::time::Duration;

struct Sqlite(Connection);

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Int(number) => ToSqlOutput::Owned(i64::from(*number).into()),
        })
    }
}

impl Database for Sqlite {
    fn statements(&self) -> &'static str {
        include_str!("sql/idempotency_keys.sqlite.sql")
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Fault> {
        Ok(u64::try_from(self.0.execute(sql, params_from_iter(values))?)?)
    }

    fn row(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>, Fault> {
        let mut statement = self.0.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(values))?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let text = |at| -> rusqlite::Result<Option<String>> {
            Ok(match row.get_ref(at)? {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                other => Some(other.as_str()?.to_owned()),
            })
        };
        Ok(Some((0..columns).map(text).collect::<Result<_, _>>()?))
    }

    fn begin(&mut self) -> Result<(), Fault> {
        // A transaction that begins as a reader cannot wait for another writer when it becomes one.
        Ok(self.0.execute_batch("BEGIN IMMEDIATE")?)
    }

    fn commit(&mut self) -> Result<(), Fault> {
        Ok(self.0.execute_batch("COMMIT")?)
    }

    fn rollback(&mut self) {
        if !self.0.is_autocommit() {
            drop(self.0.execute_batch("ROLLBACK"));
        }
    }

    fn take(&mut self, pieces: i32) -> Result<u64, Fault> {
        let pieces = Value::Int(pieces);
        self.execute("UPDATE inventory SET stock = stock - ?1 WHERE sku = 'A' AND stock >= ?1", &[pieces])
    }

    fn stock(&mut self) -> Result<String, Fault> {
        Ok(self.0.query_row("SELECT stock FROM inventory", [], |row| row.get::<_, i64>(0))?.to_string())
    }
}

fn open(path: &str) -> Result<Box<dyn Database>, Fault> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.execute_batch("PRAGMA journal_mode = WAL")?;
    connection.execute_batch(include_str!("sql/idempotency_keys.sqlite.ddl.sql"))?;
    connection.execute_batch(INVENTORY)?;
    Ok(Box::new(Sqlite(connection)))
}

fn main() -> Result<(), Fault> {
    let path = std::env::args().nth(1).ok_or("give the path of a database file")?;
    serve(|| open(&path))
}
