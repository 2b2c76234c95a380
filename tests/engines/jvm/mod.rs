//! Engines that live in a Java process, where `Bridge.java` gives them any number of sessions: H2, HSQLDB and Spark.
//!
//! `IDEMSQL_TEST_H2`, `IDEMSQL_TEST_HSQLDB` and `IDEMSQL_TEST_SPARK` are the URLs that the scripts beside this folder
//! print: `h2://127.0.0.1:PORT/FOLDER`.

mod contract;
mod log;

use super::statements;
use anyhow::{Context as _, Result, bail};
use idemsql::dialect::mechanism::Reduce;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::{Database, Engine, Physical, Rows, Stopper, TableName};
use log::Log;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What an engine is, and whose SQL it runs here.
pub struct Product {
    pub name: &'static str,
    pub dialect: &'static str,
    /// For a stand-in: the dialect with the answers that the product takes and this engine does not.
    pub otherwise: Option<fn(&'static Dialect) -> Dialect>,
}

static ALL: [Product; 3] = [
    Product { name: "h2", dialect: "ansi", otherwise: None },
    Product { name: "hsqldb", dialect: "ansi", otherwise: None },
    Product {
        name: SPARK,
        dialect: "databricks",
        // QUALIFY came to Spark later than 3.5, so that staged rows are reduced in the way of other dialects.
        otherwise: Some(|dialect| Dialect { reduce: Reduce::RowNumber, ..*dialect }),
    },
];

/// The one that is no JDBC database.
const SPARK: &str = "spark";

/// The engine of that name, when it is one of these.
pub fn find(name: &str) -> Option<&'static Product> {
    ALL.iter().find(|product| product.name == name)
}

/// The database that a Java process keeps.
pub struct Jvm {
    product: &'static Product,
    address: String,
    /// The log of HSQLDB. The other engines have none that can be read.
    log: Arc<Mutex<Log>>,
}

impl Jvm {
    /// The database of a URL.
    pub fn new(product: &'static Product, url: &str) -> Self {
        let rest = url.strip_prefix(product.name).and_then(|rest| rest.strip_prefix("://"));
        let (address, folder) = rest.and_then(|rest| rest.split_once('/')).expect("a URL as the script prints it");
        let log = Log::new(PathBuf::from(format!("/{folder}/db.log")));
        Self { product, address: address.to_owned(), log: Arc::new(Mutex::new(log)) }
    }
}

impl Database for Jvm {
    fn session(&self) -> Result<Box<dyn Engine>> {
        let stream = TcpStream::connect(&self.address)
            .with_context(|| format!("cannot connect to {} at {}", self.product.name, self.address))?;
        stream.set_nodelay(true)?;
        let dialect = dialect::find(self.product.dialect).context("there is no such dialect")?;
        let stream = BufReader::new(stream);
        let (stopped, log) = (Arc::default(), Arc::clone(&self.log));
        Ok(Box::new(Session { product: self.product, dialect, stream, stopped, log }))
    }
}

/// One connection to the Java process.
pub struct Session {
    product: &'static Product,
    dialect: &'static Dialect,
    stream: BufReader<TcpStream>,
    stopped: Arc<AtomicBool>,
    log: Arc<Mutex<Log>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        // The Java process closes its end when the last statement has ended and is rolled back, and not before: a statement
        // that it had begun must not be seen to commit later.
        let stream = self.stream.get_ref();
        if stream.shutdown(Shutdown::Write).and_then(|()| stream.set_read_timeout(Some(PATIENCE))).is_ok() {
            drop(self.stream.read_to_end(&mut Vec::new()));
        }
    }
}

/// How long a session may take to end.
const PATIENCE: Duration = Duration::from_secs(120);

impl Session {
    /// The first column of the first row.
    fn one(&mut self, sql: &str) -> Result<String> {
        let rows = self.query(sql)?.rows;
        rows.into_iter().flatten().flatten().next().with_context(|| format!("no answer to {sql}"))
    }

    /// The first column of a query.
    fn column(&mut self, sql: &str) -> Result<Vec<String>> {
        Ok(self.query(sql)?.rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
    }

    /// A name as the engine's catalogue has it: with quotes as it stands between them, without in upper case.
    fn stored(&self, name: &str) -> String {
        let written = self.dialect.identifier(name, false);
        match written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(quoted) => quoted.replace("\"\"", "\""),
            None => written.to_uppercase(),
        }
    }

    /// The schema of a table, in the same spelling.
    fn schema(&mut self, table: TableName<'_>) -> Result<String> {
        match table.schema {
            Some(schema) => Ok(self.stored(schema)),
            None => self.one("VALUES (CURRENT_SCHEMA)"),
        }
    }

    /// A table's name in the SQL of the dialect.
    fn path(&self, table: TableName<'_>) -> String {
        let parts = table.schema.into_iter().chain([table.name]);
        parts.map(|part| self.dialect.identifier(part, false)).collect::<Vec<_>>().join(".")
    }

    /// Counters of H2, which are ours: its tables are made by `H2Tables.java`.
    fn counted_by_h2(&mut self, table: TableName<'_>) -> Result<Vec<(&'static str, u64)>> {
        let (schema, name) = (self.schema(table)?, self.stored(table.name));
        let call = |how| format!("public.rows_written('{schema}', '{name}', {how})");
        let answer = self.query(&format!("VALUES ({}, {}, {})", call(0), call(1), call(2)))?;
        let names = ["rows inserted", "rows updated", "rows deleted"];
        let counts = answer.rows.into_iter().flatten().flatten();
        names.into_iter().zip(counts).map(|(name, count)| Ok((name, count.parse()?))).collect()
    }

    /// Counters of HSQLDB: the rows inserted and deleted that its log names. An update is one of each, also when the row
    /// stays as it was. <https://hsqldb.org/doc/2.0/guide/management-chapt.html#mtc_database_files>
    fn counted_by_hsqldb(&mut self, table: TableName<'_>) -> Result<Vec<(&'static str, u64)>> {
        let schema = self.schema(table)?;
        let [inserted, deleted] = self.log.lock().unwrap().rows(&schema, &self.stored(table.name))?;
        Ok(vec![("rows inserted in the log", inserted), ("rows deleted in the log", deleted)])
    }

    /// Counters of Iceberg, from the snapshots of the table. A MERGE that changes nothing makes a snapshot too, an empty
    /// one: it writes no row, and the number of snapshots is counted apart.
    /// <https://iceberg.apache.org/spec/#optional-snapshot-summary-fields>
    fn counted_by_iceberg(&mut self, table: TableName<'_>) -> Result<[Vec<(&'static str, u64)>; 2]> {
        let sum = |field| format!("COALESCE(SUM(CAST(summary['{field}'] AS BIGINT)), 0)");
        let fields = ["added-records", "deleted-records", "added-position-deletes", "added-data-files"];
        let sums = fields.map(sum).join(", ");
        // A name of two parts would be a table in a schema.
        let schema = match table.schema {
            Some(_) => String::new(),
            None => format!("{}.", self.one("SELECT current_schema()")?),
        };
        let answer = self.query(&format!("SELECT {sums}, COUNT(*) FROM {schema}{}.snapshots", self.path(table)))?;
        let counts: Vec<u64> =
            answer.rows.into_iter().flatten().flatten().map(|cell| cell.parse()).collect::<Result<_, _>>()?;
        let [added, deleted, positions, files, snapshots] = counts[..] else { bail!("no counters of {table:?}") };
        let counted =
            [("rows added", added), ("rows deleted", deleted + positions), ("data files added", files)].to_vec();
        Ok([counted, vec![("snapshots", snapshots)]])
    }

    /// Sends each statement of a script.
    fn statements(&mut self, sql: &str) -> Result<()> {
        // A commit takes Spark as long for a hundred rows as for one.
        let all = statements(sql, self.dialect, self.product.name == SPARK);
        all.iter().try_for_each(|statement| self.query(statement).map(|_| ()))
    }
}

impl Engine for Session {
    fn name(&self) -> &'static str {
        self.product.name
    }

    fn dialect(&self) -> &'static str {
        self.product.dialect
    }

    fn version(&mut self) -> Result<String> {
        match self.product.name {
            "h2" => self.one("VALUES (H2VERSION())"),
            "hsqldb" => self.one("VALUES (DATABASE_VERSION())"),
            _ => Ok(self.one("SELECT version()")?.split(' ').next().unwrap_or_default().to_owned()),
        }
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        let outcome = self.statements(sql);
        if outcome.is_err() {
            self.rollback()?;
        }
        outcome
    }

    fn execute(&mut self, statement: &str) -> Result<()> {
        self.statements(statement)
    }

    fn change(&mut self, statement: &str) -> Result<u64> {
        self.one(statement)?.parse().with_context(|| format!("{} counts no rows that it writes", self.product.name))
    }

    fn rollback(&mut self) -> Result<()> {
        // Spark has no transactions.
        if self.product.name == SPARK { Ok(()) } else { self.query("ROLLBACK").map(|_| ()) }
    }

    fn query(&mut self, sql: &str) -> Result<Rows> {
        let sql = sql.trim_end().trim_end_matches(';');
        writeln!(self.stream.get_mut(), "{}", serde_json::json!({ "sql": sql }))?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        if self.stopped.load(Ordering::SeqCst) {
            bail!("this session was stopped");
        }
        let answer: serde_json::Value = serde_json::from_str(&line)
            .with_context(|| format!("the connection to {} has ended", self.product.name))?;
        if let Some(error) = answer["error"].as_str() {
            bail!("{error}");
        }
        Ok(Rows {
            columns: serde_json::from_value(answer["columns"].clone())?,
            rows: serde_json::from_value(answer["rows"].clone())?,
        })
    }

    fn physical(&mut self, table: TableName<'_>) -> Result<Physical> {
        // What says which stored row it is: H2's row number, Iceberg's file and place. HSQLDB has nothing that SQL can see.
        let (place, [counted, session]) = match self.product.name {
            "h2" => ("_ROWID_, ", [self.counted_by_h2(table)?, Vec::new()]),
            "hsqldb" => ("", [self.counted_by_hsqldb(table)?, Vec::new()]),
            _ => ("_file, _pos, ", self.counted_by_iceberg(table)?),
        };
        let rows = self.query(&format!("SELECT {place}t.* FROM {} AS t", self.path(table)))?.rows;
        Ok(Physical { versions: rows.iter().map(|row| format!("{row:?}")).collect(), table: counted, session })
    }

    fn create_schema(&mut self, name: &str) -> Result<()> {
        self.execute(&format!("CREATE SCHEMA IF NOT EXISTS {}", self.dialect.identifier(name, false)))
    }

    fn drop_schema(&mut self, name: &str) -> Result<()> {
        if self.product.name == SPARK {
            // CASCADE is refused by Iceberg's catalogue of folders.
            if self.column("SHOW SCHEMAS")?.iter().any(|schema| schema == name) {
                for row in self.query(&format!("SHOW TABLES IN {name}"))?.rows {
                    let table = row.get(1).cloned().flatten().context("SHOW TABLES gave no name")?;
                    self.execute(&format!("DROP TABLE {name}.`{table}`"))?;
                }
                self.execute(&format!("DROP SCHEMA {name}"))?;
            }
            return Ok(());
        }
        self.execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.dialect.identifier(name, false)))
    }

    fn use_schema(&mut self, name: &str) -> Result<()> {
        let verb = if self.product.name == SPARK { "USE" } else { "SET SCHEMA" };
        self.execute(&format!("{verb} {}", self.dialect.identifier(name, false)))
    }

    fn use_time_zone(&mut self, hours: i8) -> Result<()> {
        match self.product.name {
            SPARK => self.execute(&format!("SET TIME ZONE '{hours:+03}:00'")),
            _ => self.execute(&format!("SET TIME ZONE INTERVAL '{hours:+}:00' HOUR TO MINUTE")),
        }
    }

    fn stopper(&mut self) -> Result<Stopper> {
        // The Java process stops what the session of a closed connection runs, and rolls back.
        let (stream, stopped) = (self.stream.get_ref().try_clone()?, Arc::clone(&self.stopped));
        Ok(Box::new(move || {
            stopped.store(true, Ordering::SeqCst);
            Ok(stream.shutdown(Shutdown::Write)?)
        }))
    }
}
