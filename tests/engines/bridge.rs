//! A session on an engine that this program has no client for: `bridge.py` in a process of its own.

use anyhow::{Context as _, Result, bail};
use idemsql::engine::{Engine, Physical, Rows, TableName};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// The process and its two pipes. It ends when its stdin is closed.
pub struct Bridge {
    name: &'static str,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// The folder of an embedded engine's database file.
    folder: Option<TempDir>,
}

impl Bridge {
    /// A session on the server that the script has started.
    pub fn mariadb(script: &str) -> Self {
        Self::start("mariadb", Command::new(script).arg("bridge"), None)
    }

    /// A session on a new database, in a file because only a file has a log whose growth can be read.
    pub fn duckdb(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::start("duckdb", Command::new(script).arg("bridge").arg(folder.path().join("db")), Some(folder))
    }

    fn start(name: &'static str, command: &mut Command, folder: Option<TempDir>) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut bridge = Self { name, child, stdin, stdout, folder };
        bridge.query("SELECT 1").unwrap();
        bridge
    }

    fn log(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.path().join("db.wal"))
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        drop(self.stdin.take());
        self.child.wait().unwrap();
    }
}

impl Engine for Bridge {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&mut self) -> Result<String> {
        let version = self.query("SELECT version()")?.rows.into_iter().flatten().flatten().next();
        version.context("the engine has no version")
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        self.query(sql).map(|_| ())
    }

    fn query(&mut self, sql: &str) -> Result<Rows> {
        let stdin = self.stdin.as_mut().context("the bridge is closed")?;
        writeln!(stdin, "{}", serde_json::json!({ "sql": sql }))?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        let answer: serde_json::Value =
            serde_json::from_str(&line).with_context(|| format!("the bridge of {} has ended", self.name))?;
        if let Some(error) = answer["error"].as_str() {
            bail!("{error}");
        }
        Ok(Rows {
            columns: serde_json::from_value(answer["columns"].clone())?,
            rows: serde_json::from_value(answer["rows"].clone())?,
        })
    }

    fn physical(&mut self, table: TableName<'_>) -> Result<Physical> {
        // DuckDB numbers stored rows and gives a row that is written again a new number. MariaDB has no such number, and
        // counts the rows changed in each table, which `userstat` switches on:
        // https://mariadb.com/docs/server/reference/system-tables/information-schema/information-schema-tables/information-schema-table_statistics-table
        let (sql, counted) = if self.name == "duckdb" {
            (format!("SELECT rowid, * FROM {}", table.quoted()), None)
        } else {
            let schema = table.schema.map_or("DATABASE()".to_owned(), |schema| format!("'{schema}'"));
            let counter = format!(
                "SELECT SUM(rows_changed) FROM information_schema.table_statistics \
                 WHERE table_schema = {schema} AND table_name = '{}'",
                table.name
            );
            let cell = self.query(&counter)?.rows.into_iter().flatten().flatten().next();
            // A table that nobody wrote to is not listed.
            let changed = cell.map_or(Ok(0), |text| text.parse())?;
            (format!("SELECT * FROM {}", table.quoted().replace('"', "`")), Some(("rows changed", changed)))
        };
        let versions = self.query(&sql)?.rows.iter().map(|row| format!("{row:?}")).collect();
        let bytes = self.log().map(|log| ("bytes of WAL", std::fs::metadata(log).map_or(0, |file| file.len())));
        Ok(Physical { versions, table: counted.into_iter().collect(), session: bytes.into_iter().collect() })
    }

    fn create_schema(&mut self, name: &str) -> Result<()> {
        self.run_script(&format!("CREATE SCHEMA IF NOT EXISTS {name}"))
    }
}
