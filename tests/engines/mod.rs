//! The real engines that tests may ask for by environment variables, and what is expected of each.
//!
//! `IDEMSQL_TEST_POSTGRES` is a URL, `IDEMSQL_TEST_MARIADB` and `IDEMSQL_TEST_DUCKDB` are the paths of the scripts here
//! that open a session. A variable that is not set says that the engine was not asked for; one that is set and does not
//! work is a failure.

mod bridge;
mod contract;

use bridge::Bridge;
use idemsql::engine::Engine;
use idemsql::engine::sqlite::Sqlite;

/// The engines that a test can run on, by the names of their dialects.
pub const NAMES: &[&str] = &["duckdb", "mariadb", "postgres", "sqlite"];

/// A new session on the engine, or `None` when it was not asked for. On `duckdb` and `sqlite` it has a database of its
/// own; on the others sessions share one server, and a test makes a schema for itself.
pub fn open(name: &str) -> Option<Box<dyn Engine>> {
    let asked = std::env::var(format!("IDEMSQL_TEST_{}", name.to_uppercase()));
    match name {
        "sqlite" => Some(Box::new(Sqlite::in_memory().unwrap())),
        "postgres" => asked.ok().map(|url| idemsql::engine::connect(&url).unwrap()),
        "mariadb" => asked.ok().map(|script| Box::new(Bridge::mariadb(&script)) as Box<dyn Engine>),
        "duckdb" => asked.ok().map(|script| Box::new(Bridge::duckdb(&script)) as Box<dyn Engine>),
        other => panic!("no engine is called {other}"),
    }
}
