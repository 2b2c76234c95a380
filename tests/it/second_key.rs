//! A second unique index on the target, which the spec knows nothing of: a row that it refuses must fail the load as a
//! whole, or the header of the SQL must ask for no such index.

use crate::engines::open;
use idemsql::diagnostic::Source;
use idemsql::dialect;
use idemsql::dialect::mechanism::Form;
use idemsql::engine::Engine;
use idemsql::plan::{Plan, plan};
use idemsql::render::render;
use idemsql::spec::Spec;
use idemsql::strategy;
use idemsql::verify::tables;
use std::sync::Arc;

const SPEC: &str = "\
version: 1
tables:
  - name: second_key
    source: {table: second_key_staged}
    unique_key: [id]
    version: [revision]
    columns:
      - {name: id, type: int}
      - {name: email, type: varchar(40), nullable: false}
      - {name: revision, type: int, nullable: false}
";

/// The plans of every strategy that the dialect has for the table.
fn plans(name: &str) -> Vec<Plan> {
    let none = |_: &str| Err("there is no file".to_owned());
    let spec = Spec::read(Arc::new(Source::new("spec.yaml", SPEC)), &none).unwrap();
    let table = spec.tables()[0].for_dialect(name).unwrap();
    let dialect = dialect::find(name).unwrap();
    strategy::ALL.iter().filter_map(|strategy| plan(&table, dialect, Some(strategy)).ok()).collect()
}

fn asks_for_no_other(plan: &Plan) -> bool {
    plan.needs.iter().any(|need| need.ends_with("and no other unique index"))
}

fn rows(engine: &mut dyn Engine) -> Vec<Vec<Option<String>>> {
    engine.query("SELECT id, email, revision FROM second_key ORDER BY id").unwrap().rows
}

/// Loads a newer row, one as it is, a new one, and one whose email is that of the second.
fn fails_cleanly(name: &str, engine: &mut dyn Engine) {
    for plan in plans(name) {
        let sql = render(&plan, &[]).unwrap();
        engine.run_script("DROP TABLE IF EXISTS second_key; DROP TABLE IF EXISTS second_key_staged").unwrap();
        engine.run_script(&tables::target(&plan)).unwrap();
        engine.run_script("CREATE UNIQUE INDEX second_key_email ON second_key (email)").unwrap();
        engine.run_script("CREATE TABLE second_key_staged (id int, email varchar(40), revision int)").unwrap();
        engine.run_script("INSERT INTO second_key VALUES (1, 'a', 1), (2, 'b', 1)").unwrap();
        engine
            .run_script("INSERT INTO second_key_staged VALUES (1, 'c', 2), (2, 'b', 1), (3, 'd', 1), (4, 'b', 2)")
            .unwrap();
        let before = rows(engine);
        let outcome = engine.run_script(&sql);
        let place = format!("{name}, {}: {outcome:?}\n{sql}", plan.strategy.name);
        if asks_for_no_other(&plan) {
            continue;
        }
        assert!(outcome.is_err(), "{place}");
        assert_eq!(rows(engine), before, "{place}");
        // Without the row that has another's email it goes through.
        engine.run_script("DELETE FROM second_key_staged WHERE id = 4").unwrap();
        engine.run_script(&sql).unwrap();
        assert_eq!(rows(engine).len(), 3, "{place}");
    }
    engine.run_script("DROP TABLE second_key; DROP TABLE second_key_staged").unwrap();
}

#[test]
fn a_second_unique_index_fails_the_load_and_changes_nothing_on_sqlite() {
    fails_cleanly("sqlite", &mut *open("sqlite").unwrap());
}

#[test]
fn engines_a_second_unique_index_fails_the_load_and_changes_nothing() {
    for name in ["postgres", "mariadb", "duckdb"] {
        let Some(mut engine) = open(name) else {
            eprintln!("{name}: not run, nobody asked for it");
            continue;
        };
        if name != "duckdb" {
            engine.drop_schema("second_key").unwrap();
            engine.create_schema("second_key").unwrap();
            engine.use_schema("second_key").unwrap();
        }
        fails_cleanly(name, &mut *engine);
        if name != "duckdb" {
            engine.drop_schema("second_key").unwrap();
        }
    }
}

#[test]
fn only_a_form_that_any_unique_index_fires_asks_for_no_other() {
    for dialect in dialect::ALL {
        for plan in plans(dialect.name) {
            let fires = plan.form == Form::OnDuplicateKey;
            assert_eq!(asks_for_no_other(&plan), fires, "{}, {}", dialect.name, plan.strategy.name);
        }
    }
}
