//! Every example of every rule's page, run twice on a real engine: what the page says of the second run is what happens.

use crate::engines;
use idemsql::diagnostic::Source;
use idemsql::dialect;
use idemsql::engine::{self, Engine};
use idemsql::lint::known::Known;
use idemsql::lint::options::Options;
use idemsql::lint::rule::{Example, Rule, examples};
use idemsql::lint::{lint, parse, rules};
use idemsql::sql::script::Script;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The rows of every table, by its name.
type Content = BTreeMap<String, Vec<String>>;

/// How tables are listed, how a row becomes text, and how everything is thrown away.
struct Ways {
    tables: &'static str,
    row: fn(&str) -> String,
    clear: &'static str,
}

const POSTGRES: Ways = Ways {
    tables: "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', \
             'information_schema') AND schemaname NOT LIKE 'pg_temp%' ORDER BY 1",
    row: |table| format!("SELECT t::text FROM {table} AS t ORDER BY 1"),
    clear: "DO $$ DECLARE s text; BEGIN FOR s IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND \
            nspname <> 'information_schema' LOOP EXECUTE format('DROP SCHEMA %I CASCADE', s); END LOOP; END $$; CREATE SCHEMA \
            public; SET client_min_messages = warning",
};

const SQLITE: Ways = Ways {
    tables: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1",
    row: |table| format!("SELECT json_array(t.*) FROM (SELECT * FROM {table}) AS t"),
    clear: "SELECT 1",
};

/// A session of its own; on a server, in a database of its own, where everything may be thrown away.
fn open(name: &str) -> Option<Box<dyn Engine>> {
    static DATABASE: OnceLock<Option<String>> = OnceLock::new();
    if name != "postgres" {
        return engines::open(name);
    }
    let url = DATABASE.get_or_init(|| {
        let mut server = engines::open(name)?;
        server.run_script("DROP DATABASE IF EXISTS idemsql_rerun").unwrap();
        server.run_script("CREATE DATABASE idemsql_rerun").unwrap();
        let url = std::env::var("IDEMSQL_TEST_POSTGRES").unwrap();
        let (place, _) = url.rsplit_once('/').unwrap();
        Some(format!("{place}/idemsql_rerun"))
    });
    url.as_ref().map(|url| engine::open(url).unwrap().session().unwrap())
}

fn content(engine: &mut dyn Engine, ways: &Ways) -> Content {
    let tables = engine.query(ways.tables).unwrap().rows.into_iter().flatten().flatten();
    let names: Vec<String> = tables.collect();
    let text = |engine: &mut dyn Engine, table: &str| {
        if engine.name() == "sqlite" {
            let mut rows: Vec<String> = engine
                .query(&format!("SELECT * FROM {table}"))
                .unwrap()
                .rows
                .iter()
                .map(|row| format!("{row:?}"))
                .collect();
            rows.sort();
            return rows;
        }
        engine.query(&(ways.row)(table)).unwrap().rows.into_iter().flatten().flatten().collect()
    };
    names.into_iter().map(|name| (name.clone(), text(engine, &name))).collect()
}

/// Runs a script as a client in autocommit does: statement by statement, up to the first that fails.
fn run(engine: &mut dyn Engine, sql: &str, dialect: &str) -> Result<(), String> {
    let script = Script::read(sql, dialect::find(dialect).unwrap());
    for statement in script.statements.iter().filter(|statement| statement.frame.is_none() && !statement.quoted) {
        let mut range = script.sql(statement).range();
        // What stands in a body is a part of its statement.
        let next = script.statements.iter().filter(|other| other.frame.is_none() && !other.quoted);
        let end = next.map(|other| script.sql(other).range().start).find(|start| *start > range.start);
        range.end = end.unwrap_or(sql.len());
        engine.run_script(&sql[range]).map_err(|fault| format!("{fault:#}"))?;
    }
    Ok(())
}

/// What is wrong with what a page says of an example.
fn judge(rule: &'static Rule, example: &Example, name: &str, ways: &Ways) -> Option<String> {
    // Temporary tables and open transactions end with the session; the second run has one of its own. SQLite's database
    // is in memory, and goes with its session.
    let mut engine = open(name)?;
    engine.run_script(ways.clear).unwrap();
    if let Err(fault) = run(&mut *engine, rule.setup, name) {
        return Some(format!("its setup fails: {fault}"));
    }
    let first = run(&mut *engine, example.sql, name);
    if name != "sqlite" {
        engine = open(name)?;
    }
    let before = content(&mut *engine, ways);
    let second = run(&mut *engine, example.sql, name);
    if name != "sqlite" {
        engine = open(name)?;
    }
    let after = content(&mut *engine, ways);
    let count = |content: &Content| content.values().map(Vec::len).sum::<usize>();
    let growth = count(&after).saturating_sub(count(&before));
    let happened = match (&first, &second) {
        (_, Err(_)) => "fails",
        _ if growth > 0 => "adds",
        _ if before != after => "changes",
        _ => "same",
    };
    if !example.bad {
        let clean = first.is_ok() && happened == "same";
        return (!clean)
            .then(|| format!("a good example: first run {first:?}, second run {second:?}, then it {happened}"));
    }
    if let Some(told) = told_rows(rule, example).filter(|told| *told != growth) {
        return Some(format!("the linter says that {told} rows are added, and it were {growth}"));
    }
    (happened != example.effect)
        .then(|| format!("the page says `{}`, and it `{happened}`: first {first:?}, second {second:?}", example.effect))
}

/// How many rows a second run adds, by the words of the finding: "a second run adds 2 rows".
fn told_rows(rule: &'static Rule, example: &Example) -> Option<usize> {
    let dialect = example.dialect.and_then(dialect::find).unwrap_or(dialect::REFERENCE);
    let options = Options { dialect: Some(dialect), ..Options::usual([rule]) };
    let source = Arc::new(Source::new("example.sql", example.sql));
    let mut known = Known::default();
    let setup = Arc::new(Source::new("setup.sql", rule.setup));
    parse(&setup, &options).teach(&mut known);
    let found = lint(&source, &options, &known).findings;
    let message =
        found.iter().map(|finding| finding.diagnostic.message.as_str()).find(|text| text.contains(" adds "))?;
    message.split(" adds ").nth(1)?.split(' ').next()?.parse().ok()
}

fn every_example(name: &str, dialect: Option<&str>, ways: &Ways) {
    if open(name).is_none() {
        eprintln!("not run: the examples of the linter's rules on {name}, which was not asked for");
        return;
    }
    let mut faults = Vec::new();
    let mut seen = 0;
    for rule in rules::ALL {
        // A model is run by dbt alone.
        for example in examples(rule.docs).iter().filter(|one| one.dialect == dialect && !one.is_model) {
            seen += 1;
            if let Some(fault) = judge(rule, example, name, ways) {
                faults.push(format!("{}: {fault}\n{}", rule.code, example.sql));
            }
        }
    }
    assert!(seen > 0);
    assert!(faults.is_empty(), "\n{}\n{} of {seen} examples", faults.join("\n"), faults.len());
}

#[test]
fn on_postgres_a_second_run_does_what_the_pages_say() {
    let _alone = engines::alone("postgres");
    every_example("postgres", None, &POSTGRES);
}

#[test]
fn on_sqlite_a_second_run_does_what_the_pages_say() {
    every_example("sqlite", Some("sqlite"), &SQLITE);
}
