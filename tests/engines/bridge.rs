//! Engines that this program has no client for, each spoken to by `bridge.py` in a process of its own. What is particular
//! to one is in its file of `bridged/`; here is only what the program must know of it.

use super::statements;
use anyhow::{Context as _, Result, anyhow, bail};
use idemsql::dialect::mechanism::{Reduce, RowSource};
use idemsql::dialect::types::{Overlap, Type};
use idemsql::dialect::{self, Dialect};
use idemsql::engine::{Database, Engine, Physical, Rows, Stopper, TableName};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

/// An engine behind a bridge.
pub struct Bridged {
    /// What the tests call it.
    pub name: &'static str,
    /// The dialect that it is asked to run.
    pub dialect: &'static str,
    /// False when the driver takes one statement at a time.
    scripts: bool,
    /// True when each statement is a commit that takes long, so that INSERTs of one row each are sent as one of many rows.
    joins: bool,
    /// True when several statements can be one transaction.
    pub transactions: bool,
    /// True when its tables are there again after its process was killed.
    pub survives: bool,
    /// For a stand-in: the dialect with the answers that the product takes and this engine does not.
    pub otherwise: Option<fn(&'static Dialect) -> Dialect>,
    /// What it counts of the writes to a table, if anything.
    table: &'static str,
    /// What it counts of the writes of a session, if anything.
    session: &'static str,
}

/// All of them.
pub static ALL: &[Bridged] = &[
    Bridged {
        name: "clickhouse",
        dialect: "clickhouse",
        scripts: false,
        joins: true,
        transactions: false,
        survives: true,
        otherwise: None,
        table: "blocks inserted or changed",
        session: "",
    },
    Bridged {
        name: "databend",
        dialect: "snowflake",
        scripts: false,
        joins: true,
        transactions: false,
        survives: false,
        otherwise: None,
        table: "",
        session: "",
    },
    Bridged {
        name: "firebird",
        dialect: "ansi",
        scripts: false,
        joins: false,
        transactions: true,
        survives: true,
        // It has no VALUES in FROM and no intervals.
        otherwise: Some(|dialect| Dialect {
            rows: RowSource::UnionAll { from: " FROM one_row" },
            shift_back: dateadd,
            ..*dialect
        }),
        table: "",
        session: "",
    },
    Bridged {
        name: "sail",
        dialect: "databricks",
        scripts: false,
        joins: false,
        transactions: false,
        survives: true,
        // It has no QUALIFY.
        otherwise: Some(|dialect| Dialect { reduce: Reduce::RowNumber, ..*dialect }),
        table: "files added or removed",
        session: "",
    },
];

/// An expression minus an overlap, in Firebird.
fn dateadd(expression: &str, overlap: Overlap, ty: &Type) -> String {
    match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("DATEADD(DAY, -{}, {expression})", overlap.in_days()),
        ((n, unit), _) => format!("DATEADD({unit}, -{n}, {expression})"),
    }
}

/// A database of an engine: its URL, and a folder for an embedded one.
pub struct Bridge {
    kind: &'static Bridged,
    url: String,
    folder: Arc<TempDir>,
    /// The process of all its sessions, once there was one: to end one session the hard way ends them all, as a crash of
    /// the program would.
    process: Mutex<Option<Arc<Process>>>,
}

impl Bridge {
    /// A new database; on a server, what the server has.
    pub fn new(kind: &'static Bridged, url: &str) -> Result<Self> {
        let folder = Arc::new(tempfile::tempdir()?);
        Ok(Self { kind, url: url.to_owned(), folder, process: Mutex::default() })
    }
}

impl Database for Bridge {
    fn session(&self) -> Result<Box<dyn Engine>> {
        let mut known = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let process = match known.take() {
            Some(process) if !process.is_stopped()? => process,
            _ => Arc::new(Process::start(self.kind, &self.url, Arc::clone(&self.folder))?),
        };
        *known = Some(Arc::clone(&process));
        let stream = UnixStream::connect(process.sockets.path().join("socket"))?;
        let answers = BufReader::new(stream.try_clone()?);
        Ok(Box::new(Session { kind: self.kind, requests: stream, answers, process }))
    }
}

/// A process of `bridge.py`. It ends when its stdin is closed.
struct Process {
    child: Mutex<Child>,
    stdin: Option<ChildStdin>,
    stopped: AtomicBool,
    sockets: TempDir,
    /// The folder goes when no process needs it any more.
    _folder: Arc<TempDir>,
}

impl Process {
    fn start(kind: &Bridged, url: &str, folder: Arc<TempDir>) -> Result<Self> {
        let sockets = tempfile::tempdir()?;
        let mut command = Command::new(format!("{}/tests/engines/{}.sh", env!("CARGO_MANIFEST_DIR"), kind.name));
        command.env("IDEMSQL_BRIDGE", url).arg("bridge").arg(sockets.path().join("socket")).arg(folder.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let process =
            Self { child: Mutex::new(child), stdin, stopped: AtomicBool::new(false), sockets, _folder: folder };
        let mut ready = [0; 6];
        let read = stdout.context("the bridge has no stdout")?.read_exact(&mut ready);
        read.with_context(|| format!("the bridge of {} does not start", kind.name))?;
        Ok(process)
    }

    /// Ends it as a crash would.
    fn stop(&self) -> Result<()> {
        self.stopped.store(true, Ordering::SeqCst);
        Ok(self.child.lock().unwrap_or_else(PoisonError::into_inner).kill()?)
    }

    /// Whether it was stopped; then it has let go of its files.
    fn is_stopped(&self) -> Result<bool> {
        let stopped = self.stopped.load(Ordering::SeqCst);
        if stopped {
            self.child.lock().unwrap_or_else(PoisonError::into_inner).wait()?;
        }
        Ok(stopped)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // It has ended, or ends now.
        drop(self.child.lock().unwrap_or_else(PoisonError::into_inner).wait());
    }
}

/// A session: one connection to the process.
struct Session {
    kind: &'static Bridged,
    requests: UnixStream,
    answers: BufReader<UnixStream>,
    process: Arc<Process>,
}

impl Session {
    /// Has a method of the session in Python called.
    fn ask(&mut self, method: &str, arguments: &Value) -> Result<Value> {
        let ended = || format!("the session of {} has ended", self.kind.name);
        writeln!(self.requests, "{}", json!({ "do": method, "with": arguments })).with_context(ended)?;
        let mut line = String::new();
        self.answers.read_line(&mut line).with_context(ended)?;
        let answer: Value = serde_json::from_str(&line).with_context(ended)?;
        match answer["error"].as_str() {
            Some(error) => Err(anyhow!("{error}")),
            None => Ok(answer),
        }
    }

    /// Runs SQL by a method that takes a text.
    fn sql(&mut self, method: &str, sql: &str) -> Result<Rows> {
        let answer = self.ask(method, &json!([sql]))?;
        Ok(Rows {
            columns: serde_json::from_value(answer["columns"].clone())?,
            rows: serde_json::from_value(answer["rows"].clone())?,
        })
    }
}

impl Engine for Session {
    fn name(&self) -> &'static str {
        self.kind.name
    }

    fn dialect(&self) -> &'static str {
        self.kind.dialect
    }

    fn version(&mut self) -> Result<String> {
        let answer = self.ask("version", &json!([]))?;
        Ok(answer["is"].as_str().context("the engine has no version")?.to_owned())
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        if self.kind.scripts {
            return self.sql("script", sql).map(|_| ());
        }
        let dialect = dialect::find(self.kind.dialect).context("an unknown dialect")?;
        let statements = statements(sql, dialect, self.kind.joins);
        statements.iter().try_for_each(|statement| self.sql("script", statement).map(|_| ()))
    }

    fn execute(&mut self, statement: &str) -> Result<()> {
        self.sql("execute", statement).map(|_| ())
    }

    fn empty(&mut self, table: &str) -> Result<()> {
        self.ask("empty", &json!([table])).map(|_| ())
    }

    fn rollback(&mut self) -> Result<()> {
        // Without a transaction there is nothing to end.
        drop(self.ask("rollback", &json!([])));
        Ok(())
    }

    fn query(&mut self, sql: &str) -> Result<Rows> {
        self.sql("execute", sql)
    }

    fn physical(&mut self, table: TableName<'_>) -> Result<Physical> {
        let answer = self.ask("written", &json!([table.schema, table.name]))?;
        let written = &answer["is"];
        let counter =
            |name: &'static str, count: &Value| count.as_u64().map(|count| (name, count)).into_iter().collect();
        Ok(Physical {
            versions: serde_json::from_value(written["versions"].clone())?,
            table: counter(self.kind.table, &written["table"]),
            session: counter(self.kind.session, &written["session"]),
        })
    }

    fn create_schema(&mut self, name: &str) -> Result<()> {
        self.ask("create_schema", &json!([name])).map(|_| ())
    }

    fn drop_schema(&mut self, name: &str) -> Result<()> {
        self.ask("drop_schema", &json!([name])).map(|_| ())
    }

    fn use_schema(&mut self, name: &str) -> Result<()> {
        self.ask("use_schema", &json!([name])).map(|_| ())
    }

    fn use_time_zone(&mut self, hours: i8) -> Result<()> {
        self.ask("time_zone", &json!([hours])).map(|_| ())
    }

    fn stopper(&mut self) -> Result<Stopper> {
        if !self.kind.survives {
            bail!("{} forgets its tables with its process", self.kind.name);
        }
        let process = Arc::clone(&self.process);
        Ok(Box::new(move || process.stop()))
    }
}
