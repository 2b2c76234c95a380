//! The service on PostgreSQL: `DATABASE_URL=postgres://.. cargo run --example idempotency_key_postgres --features postgres`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used, missing_docs)]

mod service;

use postgres::types::ToSql;
use postgres::{Client, NoTls, SimpleQueryMessage};
use service::{Database, Fault, INVENTORY, Row, Value, serve};

struct Postgres(Client);

/// The values as the driver takes them.
fn bound<'a>(values: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    let one = |value: &'a Value<'a>| -> &'a (dyn ToSql + Sync) {
        match value {
            Value::Text(text) => text,
            Value::Int(number) => number,
        }
    };
    values.iter().map(one).collect()
}

impl Database for Postgres {
    fn statements(&self) -> &'static str {
        include_str!("sql/idempotency_keys.postgres.sql")
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Fault> {
        Ok(self.0.execute(sql, &bound(values))?)
    }

    fn row(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>, Fault> {
        let Some(row) = self.0.query_opt(sql, &bound(values))? else { return Ok(None) };
        let text = |at: usize| -> Result<Option<String>, postgres::Error> {
            if *row.columns()[at].type_() == postgres::types::Type::INT4 {
                return Ok(row.try_get::<_, Option<i32>>(at)?.map(|number| number.to_string()));
            }
            row.try_get(at)
        };
        Ok(Some((0..row.len()).map(text).collect::<Result<_, _>>()?))
    }

    fn begin(&mut self) -> Result<(), Fault> {
        Ok(self.0.batch_execute("BEGIN")?)
    }

    fn commit(&mut self) -> Result<(), Fault> {
        Ok(self.0.batch_execute("COMMIT")?)
    }

    fn rollback(&mut self) {
        // Without a transaction the server only warns.
        drop(self.0.batch_execute("ROLLBACK"));
    }

    fn take(&mut self, pieces: i32) -> Result<u64, Fault> {
        let pieces = Value::Int(pieces);
        self.execute("UPDATE inventory SET stock = stock - $1 WHERE sku = 'A' AND stock >= $1", &[pieces])
    }

    fn stock(&mut self) -> Result<String, Fault> {
        let rows = self.0.simple_query("SELECT stock FROM inventory")?;
        let first = rows.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(first.ok_or("there is no stock")?.to_owned())
    }
}

fn open(url: &str) -> Result<Box<dyn Database>, Fault> {
    // No error of the driver holds the URL, which has a password in it.
    Ok(Box::new(Postgres(Client::connect(url, NoTls)?)))
}

/// Makes the tables. Two sessions that make one table at once can fail, so this is done before the workers connect.
fn prepare(url: &str) -> Result<(), Fault> {
    let mut client = Client::connect(url, NoTls)?;
    client.batch_execute("SELECT pg_advisory_lock(1)")?;
    client.batch_execute(include_str!("sql/idempotency_keys.postgres.ddl.sql"))?;
    client.batch_execute(INVENTORY)?;
    Ok(())
}

fn main() -> Result<(), Fault> {
    let url =
        std::env::var("DATABASE_URL").map_err(|_| "set DATABASE_URL to postgres://USER:PASSWORD@HOST/DATABASE")?;
    prepare(&url)?;
    serve(|| open(&url))
}
