//! A dbt project in a temporary folder, the engine that it runs on, and the tables there.

use idemsql::dialect::types::Type;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::value::Row;
use idemsql::engine::{Engine as Session, Rows, TableName};
use idemsql::plan::Plan;
use idemsql::verify::Staging;
use idemsql::verify::batch::{Batch, inserts};
use idemsql::verify::tables::{path, staged};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The schema of tables that name none.
const MAIN: &str = "main";

/// Where dbt runs.
pub enum Engine {
    /// A database of its own on a server.
    Postgres { url: String, session: Box<dyn Session>, server: Box<dyn Session> },
    /// A file, which the client of dbt's own environment reads: another version of it may not know its format.
    DuckDb { file: PathBuf },
}

/// The dbt program, when it was asked for.
fn program() -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("IDEMSQL_TEST_DBT")?))
}

impl Engine {
    /// A database of its own on the server that was asked for.
    pub fn postgres() -> Option<Self> {
        program()?;
        let server =
            std::env::var("IDEMSQL_TEST_POSTGRES").expect("dbt was asked for, and IDEMSQL_TEST_POSTGRES was not");
        let name = format!("idemsql_dbt_{}", std::process::id());
        let (head, tail) = server.rsplit_once('/').unwrap();
        let url = format!("{head}/{name}{}", tail.find('?').map_or("", |at| &tail[at..]));
        let mut server = idemsql::engine::open(&server).unwrap().session().unwrap();
        server.execute(&format!("DROP DATABASE IF EXISTS {name}")).unwrap();
        server.execute(&format!("CREATE DATABASE {name}")).unwrap();
        let session = idemsql::engine::open(&url).unwrap().session().unwrap();
        Some(Self::Postgres { url, session, server })
    }

    /// A file of its own.
    pub fn duckdb() -> Option<Self> {
        program()?;
        Some(Self::DuckDb { file: PathBuf::from("dev.duckdb") })
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Postgres { .. } => "postgres",
            Self::DuckDb { .. } => "duckdb",
        }
    }

    pub fn dialect(&self) -> &'static Dialect {
        dialect::find(self.name()).unwrap()
    }
}

/// Makes the files of a project that are not ours.
pub fn skeleton(at: &Path, profile: &str) {
    let write = |name: &str, text: &str| {
        let path = at.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("profiles.yml", &format!("p:\n  target: dev\n  outputs:\n    dev: {{{profile}}}\n"));
    write("dbt_project.yml", "name: p\nversion: '1.0'\nprofile: p\nmodel-paths: [models]\nmacro-paths: [macros]\n");
    // A schema is what a model says, and not that with the profile's before it.
    write(
        "macros/schemas.sql",
        "{% macro generate_schema_name(custom_schema_name, node) %}{{ custom_schema_name or target.schema }}{% endmacro %}\n",
    );
    let tables = ["staged_profiles", "staged_grants"].map(|name| format!("      - name: {name}\n")).concat();
    write(
        "models/staged.yml",
        &format!("version: 2\nsources:\n  - name: staged\n    schema: {MAIN}\n    tables:\n{tables}"),
    );
}

/// Renders a spec into a project, by the command that a user runs.
///
/// # Errors
/// What the command says.
pub fn rendered(spec: &Path, dialect: &str, project: &Path) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idemsql"));
    command.arg("render").arg(spec).args(["--form", "dbt", "--dialect", dialect, "--out"]).arg(project);
    let output = command.output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Runs a command of dbt on a project, and gives what it prints.
///
/// # Errors
/// What it prints when it fails.
pub fn dbt(program: &Path, project: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut dbt = Command::new(program);
    dbt.args(arguments).arg("--project-dir").arg(project).arg("--profiles-dir").arg(project);
    dbt.env("DBT_SEND_ANONYMOUS_USAGE_STATS", "false").env("DO_NOT_TRACK", "1").env("NO_COLOR", "1");
    let output = dbt.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(text) } else { Err(text) }
}

/// A dbt project.
pub struct Project {
    pub engine: Engine,
    folder: tempfile::TempDir,
    /// How often dbt ran.
    pub runs: usize,
    /// What is to be done on the engine before the next run.
    waiting: Vec<String>,
}

impl Project {
    pub fn new(mut engine: Engine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let profile = match &mut engine {
            Engine::Postgres { url, .. } => {
                let place = url.split("://").nth(1).unwrap().split(['?']).next().unwrap();
                let (user, rest) = place.split_once('@').unwrap();
                let (host, name) = rest.split_once('/').unwrap();
                let (host, port) = host.split_once(':').unwrap();
                format!(
                    "type: postgres, host: {host}, port: {port}, user: {user}, password: none, dbname: {name}, schema: {MAIN}, threads: 2"
                )
            }
            Engine::DuckDb { file } => {
                *file = at.join(&*file);
                format!(
                    "type: duckdb, path: '{}', schema: {MAIN}, threads: 1, settings: {{TimeZone: UTC}}",
                    file.display()
                )
            }
        };
        skeleton(at, &profile);
        let mut project = Self { engine, folder, runs: 0, waiting: Vec::new() };
        if let Engine::Postgres { session, .. } = &mut project.engine {
            session.create_schema(MAIN).unwrap();
            session.use_schema(MAIN).unwrap();
        }
        project
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Renders a spec into the project.
    pub fn add(&self, spec: &Path) {
        if let Err(text) = rendered(spec, self.engine.name(), self.path()) {
            panic!("{}: {text}", spec.display());
        }
    }

    /// Runs a command of dbt, and gives what it prints.
    ///
    /// # Errors
    /// What it prints when it fails.
    pub fn try_dbt(&mut self, command: &str, arguments: &[&str]) -> Result<String, String> {
        self.settle();
        self.runs += 1;
        dbt(&program().unwrap(), self.path(), &[&[command], arguments].concat())
    }

    /// Loads every table by two runs at the same time, as two schedulers would, and gives what each of them prints.
    pub fn run_twice_at_once(&mut self) -> [Result<String, String>; 2] {
        self.settle();
        self.runs += 2;
        let (program, path) = (program().unwrap(), self.path());
        // Each writes its manifest and its log into a folder of its own.
        let run = |number: u8| {
            let own = |what: &str| path.join(format!("{what}-{number}")).to_string_lossy().into_owned();
            dbt(&program, path, &["run", "--target-path", &own("target"), "--log-path", &own("logs")])
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| run(2));
            [run(1), other.join().unwrap()]
        })
    }

    /// Adds a hook that every model runs in its transaction, behind its rows.
    pub fn post_hook(&self, sql: &str) {
        let file = self.path().join("dbt_project.yml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{text}models:\n  +post-hook: \"{sql}\"\n")).unwrap();
    }

    /// Runs a command of dbt that must succeed.
    pub fn dbt(&mut self, command: &str, arguments: &[&str]) {
        if let Err(text) = self.try_dbt(command, arguments) {
            panic!("dbt {command} on {}:\n{text}", self.engine.name());
        }
    }

    /// Loads every table.
    pub fn run(&mut self, arguments: &[&str]) {
        self.dbt("run", arguments);
    }

    /// Runs statements on the engine.
    pub fn sql(&mut self, statements: impl IntoIterator<Item = String>) {
        self.waiting.extend(statements);
    }

    /// Does what waits; one process for all of it, where a process is the session.
    fn settle(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            self.ask(&waiting);
        }
    }

    /// Makes the staged tables of a batch, with its rows.
    pub fn stage(&mut self, staging: &[Staging]) {
        let dialect = self.engine.dialect();
        for one in staging {
            if let Some(schema) = one.parts.iter().rev().nth(1) {
                self.sql([format!("CREATE SCHEMA IF NOT EXISTS {}", dialect.identifier(schema, false))]);
            }
            let table = path(dialect, &one.parts);
            self.sql([format!("DROP TABLE IF EXISTS {table} CASCADE"), staged(dialect, one)]);
            self.sql(inserts(dialect, &table, &one.columns, &one.rows));
        }
    }

    /// Gives the target of a plan these rows and no others.
    pub fn fill(&mut self, plan: &Plan, rows: &Batch) {
        let target = &plan.load.target;
        self.sql([format!("DELETE FROM {target}")]);
        self.sql(inserts(plan.dialect, target, &rows.columns, &rows.rows));
    }

    /// The rows of the target, of these columns, sorted.
    pub fn rows(&mut self, plan: &Plan, columns: &[String]) -> Vec<Row> {
        let columns: Vec<_> =
            columns.iter().map(|name| plan.columns.iter().find(|column| column.name == *name).unwrap()).collect();
        let shown = columns.iter().map(|column| {
            let shown = (plan.dialect.shown)(&column.sql, &column.ty);
            match self.engine {
                Engine::Postgres { .. } => shown,
                Engine::DuckDb { .. } if column.ty == Type::Bytes => format!("hex({shown})"),
                Engine::DuckDb { .. } => format!("CAST({shown} AS VARCHAR)"),
            }
        });
        let query = format!("SELECT {} FROM {}", shown.collect::<Vec<_>>().join(", "), plan.load.target);
        self.settle();
        let found = self.ask(&[query]);
        if found.rows.is_empty() {
            return Vec::new();
        }
        let types: Vec<_> = columns.iter().map(|column| column.ty.clone()).collect();
        let mut rows = found.typed(&types).unwrap();
        rows.sort();
        rows
    }

    /// What a query gives, as texts.
    pub fn read(&mut self, query: &str) -> Vec<Vec<Option<String>>> {
        self.settle();
        self.ask(&[query.to_owned()]).rows
    }

    /// The versions of the target's rows, where the engine tells them.
    pub fn versions(&mut self, plan: &Plan) -> BTreeSet<String> {
        self.settle();
        match &mut self.engine {
            Engine::Postgres { session, .. } => {
                let schema = plan.schema.as_deref().unwrap_or(MAIN);
                session.physical(TableName { schema: Some(schema), name: &plan.name }).unwrap().versions
            }
            Engine::DuckDb { .. } => BTreeSet::new(),
        }
    }

    /// Runs statements and reads what the last one gives.
    fn ask(&mut self, statements: &[String]) -> Rows {
        match &mut self.engine {
            Engine::Postgres { session, .. } => {
                let (last, before) = statements.split_last().unwrap();
                for statement in before {
                    session.execute(statement).unwrap_or_else(|fault| panic!("{statement}: {fault:#}"));
                }
                if last.starts_with("SELECT") {
                    return session.query(last).unwrap();
                }
                session.execute(last).unwrap_or_else(|fault| panic!("{last}: {fault:#}"));
                Rows { columns: Vec::new(), rows: Vec::new() }
            }
            Engine::DuckDb { file } => {
                let python = program().unwrap().with_file_name("python");
                let mut client = Command::new(python)
                    .arg("tests/dbt/duck.py")
                    .arg(file)
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap();
                let asked = serde_json::to_vec(statements).unwrap();
                client.stdin.take().unwrap().write_all(&asked).unwrap();
                let output = client.wait_with_output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let rows: Vec<Vec<Option<String>>> = serde_json::from_slice(&output.stdout).unwrap();
                let columns = rows.first().map_or(0, Vec::len);
                Rows { columns: vec!["column".to_owned(); columns], rows }
            }
        }
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        if let Engine::Postgres { session, server, url } = &mut self.engine {
            let name = url.rsplit_once('/').unwrap().1.split('?').next().unwrap().to_owned();
            // The session holds the database that is dropped.
            drop(session.stopper().map(|stop| stop()));
            let _ = server.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        }
    }
}
