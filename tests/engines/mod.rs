//! The real engines that tests may ask for by environment variables, and what is expected of each.
//!
//! `IDEMSQL_TEST_NAME` asks for the engine of that name, by the URL that its script here prints. A variable that is not set says that the engine was not asked for; one that is set and does not work is a
//! failure.

mod bridge;
mod contract;
pub mod gaps;
mod jvm;
mod sessions;

use bridge::Bridge;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::sqlite::Sqlite;
use idemsql::engine::{Database, Engine};
use idemsql::sql::split::{Kind, split};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The engines that a test can run on.
pub const NAMES: &[&str] = &[
    "clickhouse",
    "databend",
    "duckdb",
    "firebird",
    "h2",
    "hsqldb",
    "mariadb",
    "mysql",
    "postgres",
    "postgres18",
    "sail",
    "spark",
    "sqlite",
];

/// Holds an engine for one test: the counters of a server count what every session writes.
pub fn alone(name: &str) -> MutexGuard<'static, ()> {
    static LOCKS: [Mutex<()>; NAMES.len()] = [const { Mutex::new(()) }; NAMES.len()];
    let at = NAMES.iter().position(|known| *known == name).unwrap();
    // A test that failed has left nothing that another one needs.
    LOCKS[at].lock().unwrap_or_else(PoisonError::into_inner)
}

/// The dialect that an engine is asked to run.
pub fn dialect_of(name: &str) -> &str {
    if let Some(product) = jvm::find(name) {
        return product.dialect;
    }
    match bridge::ALL.iter().find(|kind| kind.name == name) {
        Some(kind) => kind.dialect,
        None => name.trim_end_matches(|c: char| c.is_ascii_digit()),
    }
}

/// The dialect that an engine is asked to run, with what a stand-in must have otherwise.
pub fn spoken(name: &str) -> &'static Dialect {
    let dialect = dialect::find(dialect_of(name)).unwrap();
    let bridged = bridge::ALL.iter().find(|kind| kind.name == name).and_then(|kind| kind.otherwise);
    match bridged.or_else(|| jvm::find(name)?.otherwise) {
        Some(otherwise) => Box::leak(Box::new(otherwise(dialect))),
        None => dialect,
    }
}

/// A database of the engine, or `None` when it was not asked for. That of an embedded engine is new; on a server it is
/// what the server has, and a test makes a schema for itself.
pub fn database(name: &str) -> Option<Box<dyn Database>> {
    assert!(NAMES.contains(&name), "no engine is called {name}");
    if name == "sqlite" {
        return Some(idemsql::engine::open("sqlite:").unwrap());
    }
    let asked = std::env::var(format!("IDEMSQL_TEST_{}", name.to_uppercase())).ok()?;
    if let Some(product) = jvm::find(name) {
        return Some(Box::new(jvm::Jvm::new(product, &asked)));
    }
    Some(match bridge::ALL.iter().find(|kind| kind.name == name) {
        Some(kind) => Box::new(Bridge::new(kind, &asked).unwrap()),
        None => idemsql::engine::open(&asked).unwrap(),
    })
}

/// A new session on a database of the engine, or `None` when it was not asked for.
pub fn open(name: &str) -> Option<Box<dyn Engine>> {
    if name == "sqlite" {
        return Some(Box::new(Sqlite::in_memory().unwrap()));
    }
    let mut session = database(name)?.session().unwrap_or_else(|fault| panic!("{name}: {fault:#}"));
    if matches!(name, "mariadb" | "mysql") {
        // Temporary tables and unqualified names need a schema to be in.
        session.create_schema("main").unwrap();
        session.use_schema("main").unwrap();
    }
    Some(session)
}

/// Whether several statements can be one transaction there.
fn has_transactions(name: &str) -> bool {
    name != "spark" && bridge::ALL.iter().all(|kind| kind.name != name || kind.transactions)
}

/// The statements of a script, for a driver that takes one at a time. With `joins` INSERTs of one row each into the same
/// table are one of many rows, where each statement is a commit that takes long.
fn statements(sql: &str, dialect: &Dialect, joins: bool) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for piece in split(sql, dialect).into_iter().filter(|piece| piece.kind == Kind::Statement) {
        let statement = &sql[piece.range];
        match (row(statement).filter(|_| joins), statements.last_mut()) {
            (Some((head, values)), Some(last)) if last.starts_with(head) => {
                last.push_str(", ");
                last.push_str(values);
            }
            _ => statements.push(statement.to_owned()),
        }
    }
    statements
}

/// An INSERT of one row up to its values, and those.
fn row(statement: &str) -> Option<(&str, &str)> {
    let values = statement.find(" VALUES (")? + " VALUES ".len();
    statement.starts_with("INSERT INTO ").then(|| statement.split_at(values))
}
