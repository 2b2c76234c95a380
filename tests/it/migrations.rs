//! Definitions as the files of migration tools, and two tools that run them.
//!
//! `IDEMSQL_TEST_DBMATE` is the path of dbmate, which `tests/migrations/dbmate.sh` installs, and `IDEMSQL_TEST_LIQUIBASE` that of
//! Liquibase. Without them nothing runs the tools.

use crate::cli::Desk;
use crate::ddl::planned;
use crate::engines::alone;
use crate::support::{Golden, spec_in};
use idemsql::dialect;
use idemsql::engine::look;
use idemsql::plan::plan;
use idemsql::render::migration::{Migration, RUNNERS};
use idemsql::render::render;
use std::process::Command;

const ROOT: &str = "fixtures/migration";

#[test]
fn every_tool_gets_the_files_that_it_reads() {
    let mut golden = Golden::new(ROOT);
    let header = ["idemsql: a test".to_owned()];
    for runner in RUNNERS {
        for (root, case, dialect, allow_drop) in [
            ("fixtures/ddl", "defaults", "postgres", false),
            ("fixtures/ddl", "defaults", "postgres", true),
            ("fixtures/ddl", "defaults", "oracle", true),
            ("fixtures/ddl", "change_append", "sqlite", true),
            ("fixtures/ddl", "change_sync", "postgres", true),
            ("fixtures/load", "readings_once", "mysql", true),
        ] {
            let dialect = dialect::find(dialect).unwrap();
            let table = spec_in(root, case).tables()[0].for_dialect(dialect.name).unwrap();
            let files = if runner.is_repeatable() {
                let plan = plan(&table, dialect, None).unwrap();
                runner.repeatable(&plan, render(&plan, &header).unwrap()).unwrap()
            } else {
                let older = crate::ddl::older(case).map(|old| old.tables()[0].for_dialect(dialect.name).unwrap());
                let ddl = match &older {
                    Some(old) => {
                        let old = planned(old, None, dialect).unwrap();
                        planned(&table, None, dialect).unwrap().change_from(&old, true).unwrap()
                    }
                    None => planned(&table, None, dialect).unwrap(),
                };
                let name = if older.is_some() { "change_orders" } else { "create_orders" };
                let (version, name) = ("7", name.to_owned());
                runner.files(&Migration { tables: vec![&ddl], version, name, allow_drop }, &header).unwrap()
            };
            let kind = if allow_drop && !runner.is_repeatable() { ".drops" } else { "" };
            for file in files {
                golden.file(&format!("{}/{}{kind}/{}", runner.name, dialect.name, file.name), &file.text);
            }
        }
    }
    golden.finish(|_| true);
}

const SPEC: &str = "\
version: 1
defaults: {dialects: [sqlite], on_schema_change: append_new_columns}
tables:
  - name: orders
    source: {table: raw_orders}
    unique_key: [id]
    columns:
      - {name: id, type: bigint}
      - {name: label, type: varchar(20), default: \"'a;b'\"}
  - name: lines
    source: {table: raw_lines}
    unique_key: [id]
    columns: [{name: id, type: bigint}]
";

/// The spec, and one with a column more.
fn desk() -> Desk {
    desk_of("sqlite")
}

/// The same for a dialect.
fn desk_of(dialect: &str) -> Desk {
    let desk = Desk::new();
    let spec = SPEC.replace("[sqlite]", &format!("[{dialect}]"));
    desk.write("old.yaml", &spec);
    desk.write(
        "new.yaml",
        &spec.replace("      - {name: label", "      - {name: note, type: text}\n      - {name: label"),
    );
    desk
}

/// Writes both migrations for a tool: the second changes what the first makes.
fn write_both(desk: &Desk, runner: &str) {
    for arguments in [
        &["old.yaml", "--migration-version", "1", "--allow-drop"][..],
        &["new.yaml", "--migration-version", "2", "--from", "old.yaml"],
    ] {
        let ran = desk.run(&[&["render", "--form", runner, "--out", "migrations"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

#[test]
fn a_migration_has_a_version_and_does_not_change_when_it_may_have_run() {
    let desk = desk();
    let told = |arguments: &[&str]| {
        let ran = desk.run(&[&["render", "old.yaml"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stdout);
        ran.stderr
    };
    assert!(told(&["--form", "goose"]).contains("give `--migration-version 1`"));
    assert!(told(&["--form", "goose", "--migration-version", "v1"]).contains("`v1` is no version for goose"));
    assert!(told(&["--form", "ddl", "--migration-version", "1"]).contains("is for the form of a migration tool"));
    assert!(told(&["--form", "ddl", "--allow-drop"]).contains("is for the form of a migration tool"));
    assert!(told(&["--form", "sql", "--from", "old.yaml"]).contains("--from is for definitions"));
    let render = ["render", "old.yaml", "--form", "sqlx", "--migration-version", "1"];
    assert_eq!(desk.run(&render).stderr, "2 files written, 0 up to date\n");
    let first = desk.read("1_create_orders_and_1_more.up.sql");
    assert_eq!(desk.run(&render).stderr, "0 files written, 2 up to date\n");
    assert_eq!(desk.run(&[&render[..], &["--check"]].concat()).code, 0);
    desk.write("old.yaml", &SPEC.replace("varchar(20)", "bigint").replace(", default: \"'a;b'\"", ""));
    let ran = desk.run(&render);
    assert_eq!(
        (ran.code, ran.stderr.contains("a migration that may have run does not change")),
        (2, true),
        "{}",
        ran.stderr
    );
    assert_eq!(desk.read("1_create_orders_and_1_more.up.sql"), first);
}

#[test]
fn two_migrations_of_a_folder_never_have_one_version() {
    let desk = desk();
    let render = |form: &str, version: &str, spec: &str| {
        desk.run(&["render", spec, "--form", form, "--migration-version", version, "--out", form])
    };
    desk.write("other.yaml", &SPEC.replace("name: orders", "name: parcels"));
    for (form, first, second, third) in
        [("goose", "5", "05", "6"), ("flyway", "1.2", "1.02", "1.3"), ("sqlx", "7", "7", "8")]
    {
        assert_eq!(render(form, first, "old.yaml").code, 0);
        let ran = render(form, second, "other.yaml");
        assert!(ran.code == 2 && ran.stderr.contains("has the version of"), "{form}: {}", ran.stderr);
        assert_eq!(render(form, third, "other.yaml").code, 0);
        // Those of this run are no others.
        assert_eq!(render(form, first, "old.yaml").code, 0);
    }
    let ran = render("goose", "0", "old.yaml");
    assert!(ran.code == 2 && ran.stderr.contains("count from 1"), "{}", ran.stderr);
}

#[test]
fn two_tables_never_share_the_name_of_an_index() {
    let desk = Desk::new();
    desk.write(
        "spec.yaml",
        "\
version: 1
defaults: {dialects: [sqlite]}
tables:
  - name: orders_order
    source: {table: staged}
    unique_key: [id_region]
    columns: [{name: id_region, type: int}]
  - name: orders
    source: {table: staged}
    unique_key: [order_id, region]
    columns: [{name: order_id, type: int}, {name: region, type: int}]
",
    );
    let ran = desk.run(&["render", "spec.yaml", "--form", "ddl", "--stdout"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("would both be called `orders_order_id_region_key`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_definition_that_is_left_over_is_told_and_a_migration_is_not() {
    let desk = desk();
    for arguments in [
        &["--form", "ddl"][..],
        &["--form", "ddl", "--dialect", "postgres", "--from", "old.yaml"],
        &["--form", "dbmate", "--migration-version", "1"],
    ] {
        let ran = desk.run(&[&["render", "old.yaml"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let kept: String = SPEC.split("  - name: lines").next().unwrap().to_owned();
    desk.write("old.yaml", &kept);
    let ran = desk.run(&["render", "--check", "old.yaml", "--form", "ddl"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("lines.sqlite.ddl.sql: no spec makes this file any more"), "{}", ran.stdout);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
}

#[test]
fn engines_dbmate_runs_its_migrations_twice_and_back() {
    let Ok(program) = std::env::var("IDEMSQL_TEST_DBMATE") else {
        eprintln!("dbmate: not run, nobody asked for it");
        return;
    };
    let desk = desk();
    write_both(&desk, "dbmate");
    let database = desk.path().join("x.db");
    let dbmate = |what: &str| {
        let url = format!("sqlite:{}", database.display());
        let mut command = Command::new(&program);
        command.args(["--url", &url, "--migrations-dir", "migrations", "--no-dump-schema", what]);
        let output = command.current_dir(desk.path()).output().unwrap();
        assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let has = |query: &str| look(&format!("sqlite:{}", database.display())).unwrap().query(query).is_ok();
    dbmate("up");
    dbmate("up");
    assert!(has("SELECT note, label FROM orders") && has("SELECT id FROM lines"));
    // What undoes the second one drops nothing, and it can be done again: this script has no guard on SQLite.
    dbmate("rollback");
    assert!(has("SELECT note FROM orders"));
    dbmate("rollback");
    assert!(!has("SELECT id FROM orders") && !has("SELECT id FROM lines"));
    dbmate("up");
    assert!(has("SELECT note, label FROM orders"));
}

#[test]
fn engines_liquibase_runs_its_changelogs_twice_and_back() {
    let asked = std::env::var("IDEMSQL_TEST_LIQUIBASE").ok().zip(std::env::var("IDEMSQL_TEST_POSTGRES").ok());
    let Some((program, url)) = asked else {
        eprintln!("liquibase: not run, nobody asked for it with a PostgreSQL");
        return;
    };
    // Other tests count what the server writes.
    let _alone = alone("postgres");
    let desk = desk_of("postgres");
    write_both(&desk, "liquibase");
    desk.write(
        "all.xml",
        "<databaseChangeLog xmlns=\"http://www.liquibase.org/xml/ns/dbchangelog\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"http://www.liquibase.org/xml/ns/dbchangelog \
         http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-latest.xsd\"><includeAll path=\"migrations\"/></databaseChangeLog>",
    );
    let schema = format!("idemsql_liquibase_{}", std::process::id());
    let mut session = look(&url).unwrap();
    session.create_schema(&schema).unwrap();
    session.use_schema(&schema).unwrap();
    // The test server asks for no password.
    let (user, place) = url.strip_prefix("postgres://").and_then(|rest| rest.split_once('@')).unwrap();
    let place = format!("jdbc:postgresql://{place}&currentSchema={schema}");
    let liquibase = |what: &[&str]| {
        let mut command = Command::new(&program);
        command.args(["--show-banner=false", "--changelog-file=all.xml", "--password=none"]);
        command.args([format!("--url={place}"), format!("--username={user}")]).args(what);
        let output = command.current_dir(desk.path()).output().unwrap();
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told).into_owned();
        assert!(output.status.success(), "{what:?}: {told}");
        told
    };
    let mut has = |query: &str| session.query(query).is_ok();
    liquibase(&["update"]);
    assert!(liquibase(&["update"]).contains("no changesets to execute"));
    assert!(has("SELECT note, label FROM orders") && has("SELECT id FROM lines"));
    // What undoes the second one drops nothing, and it can be done again.
    liquibase(&["rollback-count", "1"]);
    assert!(has("SELECT note FROM orders"));
    liquibase(&["rollback-count", "4"]);
    assert!(!has("SELECT id FROM orders") && !has("SELECT id FROM lines"));
    liquibase(&["update"]);
    assert!(has("SELECT note, label FROM orders"));
    session.drop_schema(&schema).unwrap();
}
