//! `render --form ddl --from URL`: after the script has run there is no difference, on every engine that was asked for; and
//! what a database has otherwise is changed, left or told.

use crate::cli::{Desk, Ran};
use crate::ddl::older;
use crate::engines::{NAMES, alone, dialect_of};
use crate::import::write_duckdb;
use crate::support::cases;
use idemsql::engine::look;
use std::fs;
use std::path::Path;

/// The word for nothing in a script.
const NOTHING: &str = "-- Nothing to do.";

/// A database of an engine, a directory beside it, and a schema of our own where there are schemas.
struct Ground {
    engine: &'static str,
    desk: Desk,
    url: String,
    schema: Option<String>,
}

impl Ground {
    /// None for an engine that nobody asked for.
    fn new(engine: &str) -> Option<Self> {
        let engine = NAMES.iter().find(|known| **known == engine).unwrap();
        let desk = Desk::new();
        let (url, schema) = if *engine == "sqlite" {
            ("sqlite:shop.db".to_owned(), None)
        } else {
            let Ok(url) = std::env::var(format!("IDEMSQL_TEST_{}", engine.to_uppercase())) else {
                eprintln!("{engine}: not run, nobody asked for it");
                return None;
            };
            let url = if *engine == "duckdb" { "duckdb:shop.db".to_owned() } else { url };
            (url, Some(format!("idemsql_live_{}", std::process::id())))
        };
        Some(Self { engine, desk, url, schema })
    }

    fn dialect(&self) -> &'static str {
        dialect_of(self.engine)
    }

    /// An empty schema, or an empty file.
    fn clear(&self) {
        match (self.engine, &self.schema) {
            ("sqlite" | "duckdb", _) => {
                let _ = fs::remove_file(self.desk.path().join("shop.db"));
                self.run(&self.schema.as_ref().map_or(String::new(), |name| format!("CREATE SCHEMA {name};")));
                // A file of SQLite without a table is no database yet.
                if self.engine == "sqlite" {
                    self.run("CREATE TABLE t (a); DROP TABLE t;");
                }
            }
            (_, Some(schema)) => {
                let mut session = look(&self.url).unwrap();
                session.drop_schema(schema).unwrap();
                session.create_schema(schema).unwrap();
            }
            _ => unreachable!(),
        }
    }

    #[track_caller]
    fn run(&self, script: &str) {
        if let Err(fault) = self.tried(script) {
            panic!("{}: {fault}\n{script}", self.engine);
        }
    }

    fn tried(&self, script: &str) -> Result<(), String> {
        let path = self.desk.path().join("shop.db");
        match self.engine {
            "sqlite" => {
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.execute_batch(script).map_err(|fault| fault.to_string())
            }
            "duckdb" => {
                write_duckdb(&path, script);
                Ok(())
            }
            _ => {
                let mut session = look(&self.url).unwrap();
                session.use_schema(self.schema.as_ref().unwrap()).unwrap();
                session.run_script(script).map_err(|fault| format!("{fault:#}"))
            }
        }
    }

    /// The rows of a query.
    #[track_caller]
    fn rows(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        let url = match self.url.split_once(':') {
            Some((scheme, "shop.db")) => format!("{scheme}:{}", self.desk.path().join("shop.db").display()),
            _ => self.url.clone(),
        };
        look(&url).unwrap().query(sql).unwrap_or_else(|fault| panic!("{}: {fault:#}\n{sql}", self.engine)).rows
    }

    /// A table with its schema.
    fn table(&self, name: &str) -> String {
        self.schema.as_ref().map_or_else(|| name.to_owned(), |schema| format!("{schema}.{name}"))
    }

    /// A spec whose tables stand in our schema.
    fn moved(&self, spec: &str) -> String {
        let lines = spec.lines().filter_map(|line| match (line.starts_with("    schema: "), &self.schema) {
            (false, _) => Some(line.to_owned()),
            (true, Some(schema)) => Some(format!("    schema: {schema}")),
            (true, None) => None,
        });
        lines.collect::<Vec<_>>().join("\n") + "\n"
    }

    /// `idemsql render spec.yaml --form ddl` and more.
    fn render(&self, more: &[&str]) -> Ran {
        self.desk.run(&[&["render", "spec.yaml", "--form", "ddl", "--stdout"], more].concat())
    }

    /// The script that makes the tables, from nothing; none where they cannot be made.
    fn made(&self) -> Option<String> {
        let ran = self.render(&["--dialect", self.dialect()]);
        (ran.code == 0).then_some(ran.stdout)
    }

    /// The URL for the program, which begins in our schema.
    fn begins_at(&self) -> String {
        match (self.dialect(), &self.schema) {
            ("mysql" | "mariadb", Some(schema)) => format!("{}{schema}", self.url),
            ("postgres", Some(schema)) => {
                let sign = if self.url.contains('?') { '&' } else { '?' };
                format!("{}{sign}options=-csearch_path%3D{schema}", self.url)
            }
            _ => self.url.clone(),
        }
    }

    /// The same from the database.
    fn from(&self) -> Ran {
        self.render(&["--dialect", self.dialect(), "--from", &self.begins_at()])
    }

    /// What is wrong when the tables of the database are not those of the spec.
    fn differs(&self) -> Option<String> {
        let ran = self.from();
        let statements = ran.stdout.lines().any(|line| !line.is_empty() && !line.starts_with("--"));
        let told = ran.stderr.contains("plan-ddl-change") || ran.stderr.contains("render-database");
        (ran.code != 0 || statements || told || !ran.stdout.contains(NOTHING))
            .then(|| format!("{}{}", ran.stdout, ran.stderr))
    }

    #[track_caller]
    fn spec(&self, text: &str) {
        self.desk.write("spec.yaml", &self.moved(text));
    }

    fn drop(&self) {
        if let (Some(schema), false) = (&self.schema, self.engine == "duckdb") {
            look(&self.url).unwrap().drop_schema(schema).unwrap();
        }
    }
}

/// The folder of a case, with its spec in our schema.
fn copied(ground: &Ground, root: &str, case: &str) {
    for path in crate::support::files_below(&Path::new(root).join(case)) {
        let name = path.strip_prefix(&format!("{root}/{case}/")).unwrap().to_owned();
        if let Ok(text) = fs::read_to_string(&path) {
            let text = if Path::new(&name).extension().is_some_and(|ending| ending == "yaml") {
                ground.moved(&text)
            } else {
                text
            };
            ground.desk.write(&name, &text);
        }
    }
}

/// Makes the tables of every fixture twice, and looks at them. Those whose types the catalogue does not show as they were
/// written are told, and nothing else is.
fn every_definition(engine: &str) {
    let Some(ground) = Ground::new(engine) else { return };
    let _alone = alone(engine);
    let own = cases("fixtures/ddl").into_iter().map(|case| ("fixtures/ddl", case));
    let own = own.filter(|(root, case)| Path::new(root).join(case).join("spec.yaml").exists());
    let statements = cases("fixtures/statements").into_iter().map(|case| ("fixtures/statements", case));
    let all = cases("fixtures/load").into_iter().map(|case| ("fixtures/load", case)).chain(statements).chain(own);
    let (mut faults, mut same) = (Vec::new(), 0);
    for (root, case) in all {
        copied(&ground, root, &case);
        let Some(script) = ground.made() else { continue };
        ground.clear();
        let empty = ground.from();
        // The header says how to make it again.
        let bare = |text: &str| text.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
        if empty.code != 0 || bare(&empty.stdout) != bare(&script) {
            faults.push(format!("{case}, nothing there: {}{}", empty.stdout, empty.stderr));
            continue;
        }
        let ran = ground.tried(&script).and_then(|()| ground.tried(&script));
        match ran.err().or_else(|| ground.differs()) {
            Some(fault) => faults.push(format!("{case}: {fault}\n{script}")),
            None => same += 1,
        }
    }
    ground.drop();
    assert!(faults.is_empty(), "{engine}: {} differ, {same} do not\n{}", faults.len(), faults.join("\n\n"));
    eprintln!("{engine}: the tables of {same} cases are those of their specs after their scripts ran twice");
    assert!(same > 25, "{same}");
}

#[test]
fn a_table_that_was_made_has_no_difference_on_sqlite() {
    every_definition("sqlite");
}

#[test]
fn engines_a_table_that_was_made_has_no_difference_on_duckdb() {
    every_definition("duckdb");
}

#[test]
fn engines_a_table_that_was_made_has_no_difference_on_postgres() {
    every_definition("postgres");
}

#[test]
fn engines_a_table_that_was_made_has_no_difference_on_postgres18() {
    every_definition("postgres18");
}

#[test]
fn engines_a_table_that_was_made_has_no_difference_on_mariadb() {
    every_definition("mariadb");
}

#[test]
fn engines_a_table_that_was_made_has_no_difference_on_mysql() {
    every_definition("mysql");
}

/// The table of an older spec with a row in it is changed into that of a newer one from what the database says: twice where
/// a script can run again, and else by a migration, once.
fn every_change(engine: &str) {
    let Some(ground) = Ground::new(engine) else { return };
    let _alone = alone(engine);
    let (mut changed, mut once, mut listed) = (0, 0, 0);
    for case in cases("fixtures/ddl").into_iter().filter(|case| older(case).is_some()) {
        copied(&ground, "fixtures/ddl", &case);
        let new = ground.desk.read("spec.yaml");
        let old = ground.desk.read("old.yaml");
        ground.desk.write("spec.yaml", &old);
        ground.clear();
        ground.run(&ground.made().unwrap());
        let table = if case == "change_append" { "Order" } else { "orders" };
        let quote = if matches!(engine, "mariadb" | "mysql") { '`' } else { '"' };
        let table = ground.table(&format!("{quote}{table}{quote}"));
        let values: Vec<String> = old
            .lines()
            .filter(|line| line.contains("type: "))
            .map(|line| match line {
                line if line.contains("timestamp") => "'2024-05-01 00:00:00'".to_owned(),
                line if line.contains("varchar") => "'x'".to_owned(),
                _ => "7".to_owned(),
            })
            .collect();
        ground.run(&format!("INSERT INTO {table} VALUES ({})", values.join(", ")));
        ground.desk.write("spec.yaml", &new);
        let ran = ground.from();
        match case.as_str() {
            "change_fail" => {
                let says = ran.failed();
                let same = if matches!(engine, "sqlite" | "duckdb") {
                    "of the database is not that of"
                } else {
                    "`label` takes null"
                };
                assert!(
                    says.contains("`note` is new") && says.contains("`gone` is not in the spec") && says.contains(same),
                    "{says}"
                );
                listed += 1;
                continue;
            }
            "change_refused" => {
                let says = ran.failed();
                assert!(says.contains("takes null in the database, and in the spec it does not"), "{says}");
                listed += 1;
                continue;
            }
            "change_ignore" => {
                assert!(ran.fine().contains(NOTHING));
                continue;
            }
            _ => {}
        }
        if ran.code == 0 {
            let script = ran.fine();
            assert!(script.contains("ALTER TABLE"), "{script}");
            ground.run(&script);
            ground.run(&script);
            changed += 1;
        } else {
            // What no script can do twice, a migration does once.
            let _ = fs::remove_dir_all(ground.desk.path().join("migrations"));
            let render = ["render", "spec.yaml", "--form", "sqlx", "--migration-version", "1", "--out", "migrations"];
            let more = ["--dialect", ground.dialect(), "--from", &ground.begins_at()];
            let migration = ground.desk.run(&[&render[..], &more].concat());
            if migration.code != 0 {
                assert_eq!(engine, "sqlite", "{case}: {}{}", ran.stderr, migration.stderr);
                assert!(migration.stderr.contains("SQLite changes no column"), "{}", migration.stderr);
                continue;
            }
            let up = ground.desk.files().into_iter().find(|file| file.ends_with(".up.sql")).unwrap();
            ground.run(&ground.desk.read(&up));
            once += 1;
        }
        assert_eq!(ground.differs(), None, "{engine}, {case}");
        let kept = ground.rows(&format!("SELECT * FROM {table}"));
        assert_eq!((kept.len(), kept[0][0].as_deref()), (1, Some("7")), "{engine}, {case}: {kept:?}");
        // Nothing is left to migrate, so there is no migration.
        let left = ["render", "spec.yaml", "--form", "sqlx", "--migration-version", "2", "--stdout"];
        let more = ["--dialect", ground.dialect(), "--from", &ground.begins_at()];
        assert_eq!(ground.desk.run(&[&left[..], &more].concat()).fine(), "", "{engine}, {case}");
    }
    ground.drop();
    eprintln!("{engine}: {changed} changed twice, {once} once, {listed} refused");
    assert!(changed + once > 0 && listed == 2, "{changed} {once} {listed}");
}

#[test]
fn a_table_of_an_older_spec_is_changed_from_the_database_on_sqlite() {
    every_change("sqlite");
}

#[test]
fn engines_a_table_of_an_older_spec_is_changed_from_the_database_on_duckdb() {
    every_change("duckdb");
}

#[test]
fn engines_a_table_of_an_older_spec_is_changed_from_the_database_on_postgres() {
    every_change("postgres");
}

#[test]
fn engines_a_table_of_an_older_spec_is_changed_from_the_database_on_postgres18() {
    every_change("postgres18");
}

#[test]
fn engines_a_table_of_an_older_spec_is_changed_from_the_database_on_mariadb() {
    every_change("mariadb");
}

#[test]
fn engines_a_table_of_an_older_spec_is_changed_from_the_database_on_mysql() {
    every_change("mysql");
}

/// A spec with more at its table.
fn spec(policy: &str, columns: &str) -> String {
    format!(
        "version: 1\ntables:\n  - name: orders\n    schema: mart\n    source: {{table: raw_orders}}\n    unique_key: [id]\n    \
         on_schema_change: {policy}\n    columns:\n      - {{name: id, type: bigint}}\n{columns}"
    )
}

#[test]
fn what_a_database_says_is_told_on_sqlite() {
    let ground = Ground::new("sqlite").unwrap();
    let columns = "      - {name: label, type: varchar(20)}\n      - {name: price, type: \"decimal(10,2)\"}\n";
    ground.spec(&spec("fail", columns));
    ground.clear();
    let from = ["--from", "sqlite:shop.db"];
    // The dialect is that of the engine, where neither the spec nor the command line names one.
    let made = ground.render(&from).fine();
    assert!(made.contains("CREATE TABLE IF NOT EXISTS orders (") && made.contains("--from sqlite:shop.db"), "{made}");
    // Other words for the same types are the same types.
    ground.run(
        "CREATE TABLE Orders (ID bigint NOT NULL PRIMARY KEY, label character varying(20), price DECIMAL(10, 2)); \
         INSERT INTO orders VALUES (7, 'x', 1.5)",
    );
    assert_eq!(ground.differs(), None);
    // One that no spec has a word for is told, and left.
    ground.run("ALTER TABLE orders DROP COLUMN label; ALTER TABLE orders ADD COLUMN label POINT");
    let ran = ground.from();
    assert!(
        ran.stderr.contains("`label` is `POINT` in the database, which is no type that a spec has a word for"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("spec.yaml:") && ran.fine().contains(NOTHING));
    // Null may stand in a primary key that is not the number of the row, and an index of another collation keeps other keys apart.
    let ids = [
        ("id bigint PRIMARY KEY", "", "`id` takes null in the database"),
        ("id text NOT NULL", "CREATE UNIQUE INDEX i ON orders (id COLLATE NOCASE);", "has no unique index over (id)"),
        ("id text COLLATE NOCASE PRIMARY KEY NOT NULL", "", "has no unique index over (id)"),
    ];
    for (id, index, says) in ids {
        ground.run(&format!(
            "DROP TABLE orders; CREATE TABLE orders ({id}, label varchar(20), price decimal(10, 2)); {index}"
        ));
        let told = ground.from().failed();
        assert!(told.contains(says), "{id}: {told}");
    }
    // Every difference is listed, and nothing is written.
    ground.run("DROP TABLE orders; CREATE TABLE orders (id bigint NOT NULL, label varchar(20) NOT NULL, old int)");
    let says = ground.from().failed();
    for part in [
        "`price` is new",
        "`label` takes null in the spec, and in the database it does not",
        "`old` is not in the spec",
        "the database has no unique index over (id)",
    ] {
        assert!(says.contains(part), "{part}: {says}");
    }
    // The index is made, as for a new table.
    ground.spec(&spec("append_new_columns", "      - {name: label, type: varchar(20), nullable: false}\n"));
    let ran = ground.from();
    assert!(ran.stderr.contains("fails where two rows have the same key"), "{}", ran.stderr);
    let script = ran.fine();
    assert!(script.contains("CREATE UNIQUE INDEX IF NOT EXISTS") && !script.contains("TABLE"), "{script}");
    ground.run(&script);
    ground.run(&script);
    assert_eq!(ground.differs(), None);
    // Unless something else has its name.
    ground.run("DROP INDEX orders_id_key; CREATE INDEX orders_id_key ON orders (label)");
    let says = ground.from().failed();
    assert!(
        says.contains("and an index has the name of ours") && says.contains("CREATE UNIQUE INDEX .. ON orders (id)"),
        "{says}"
    );
    // A view is no table.
    ground.run("DROP TABLE orders; CREATE VIEW orders AS SELECT 1 AS id");
    assert!(ground.from().failed().contains("`orders` of the database is a view, and no table that can be changed"));
    // A file has no schemas.
    ground.desk.write("spec.yaml", &spec("fail", ""));
    assert!(ground.from().failed().contains("a file of SQLite has no schemas"));
}

#[test]
fn a_database_and_the_dialects_agree() {
    let ground = Ground::new("sqlite").unwrap();
    ground.spec(&spec("fail", ""));
    ground.clear();
    let from = ["--from", "sqlite:shop.db"];
    let says = ground.render(&[&from[..], &["--dialect", "postgres"]].concat()).failed();
    assert!(says.contains("the database of --from speaks `sqlite`, and --dialect asks for `postgres`"), "{says}");
    ground.render(&[&from[..], &["--dialect", "all"]].concat()).failed();
    // Of the dialects of a spec, that of the database.
    let spec = ground.desk.read("spec.yaml");
    let named =
        |dialects: &str| spec.replace("version: 1", &format!("version: 1\ndefaults: {{dialects: [{dialects}]}}"));
    ground.desk.write("spec.yaml", &named("postgres, sqlite"));
    assert_eq!(ground.render(&from).fine().matches("CREATE TABLE").count(), 1);
    ground.desk.write("spec.yaml", &named("postgres, duckdb"));
    let says = ground.render(&from).failed();
    assert!(says.contains("speaks `sqlite`, and `orders` is for `postgres`, `duckdb`"), "{says}");
    // A URL is no path, and what is not a database is told without what may be a password.
    for url in
        ["dbase://me:s3cret@host/db", "sqlite:nowhere.db", "env:IDEMSQL_NOT_SET", "postgres://me:s3cret@127.0.0.1:1/db"]
    {
        let says = ground.render(&["--from", url]).failed();
        assert!(!says.contains("s3cret"), "{says}");
    }
    let says = ground.desk.run(&["render", "spec.yaml", "--form", "sql", "--from", "sqlite:shop.db"]).failed();
    assert!(says.contains("--from is for definitions"), "{says}");
}

#[test]
fn a_change_of_a_database_is_checked_like_any_file() {
    let ground = Ground::new("sqlite").unwrap();
    ground.spec(&spec("append_new_columns", ""));
    ground.clear();
    ground.run("CREATE TABLE orders (id bigint NOT NULL)");
    let run = |more: &[&str]| {
        let mut command =
            ground.desk.command(&[&["render", "spec.yaml", "--form", "ddl", "--from", "env:SHOP"], more].concat());
        command.env("SHOP", "sqlite:shop.db");
        crate::cli::finish(command, "")
    };
    assert_eq!(run(&["--check"]).code, 1);
    assert_eq!(run(&[]).code, 0);
    let file = ground.desk.read("orders.sqlite.change.sql");
    assert!(file.contains("--form ddl --from env:SHOP\n") && file.contains("CREATE UNIQUE INDEX"), "{file}");
    assert_eq!(run(&["--check"]).code, 0);
    // What has run is stale, and is nothing then.
    ground.run(&file);
    let ran = run(&["--check"]);
    assert!(ran.code == 1 && ran.stdout.contains(NOTHING), "{}", ran.stdout);
}

#[test]
fn a_log_of_batches_is_made_where_it_is_missing() {
    let ground = Ground::new("sqlite").unwrap();
    copied(&ground, "fixtures/load", "events_once");
    ground.clear();
    let script = ground.made().unwrap();
    ground.run(&script);
    assert_eq!(ground.differs(), None);
    ground.run("DROP TABLE idemsql_batches");
    let again = ground.from().fine();
    assert_eq!(again.matches("CREATE TABLE IF NOT EXISTS idemsql_batches").count(), 1, "{again}");
    assert_eq!(again.matches("CREATE").count(), 1, "{again}");
    ground.run("CREATE TABLE idemsql_batches (target_table TEXT, batch_id TEXT)");
    assert!(ground.from().failed().contains("is no log of batches: it lacks the column `loaded_at`"));
}

#[test]
fn engines_what_a_database_says_is_told_on_postgres() {
    let Some(ground) = Ground::new("postgres") else { return };
    let _alone = alone("postgres");
    ground.clear();
    let table = ground.table("orders");
    let columns = "      - {name: label, type: varchar(20)}\n      - {name: count, type: int}\n";
    ground.spec(&spec("sync_all_columns", columns));
    // Another unique index over the key does, whatever it is called, and so does a number that rows may give.
    ground.run(&format!(
        "CREATE TABLE {table} (id bigserial PRIMARY KEY, label character varying(20), count int4); \
         INSERT INTO {table} VALUES (7, 'x', 1); CREATE VIEW {table}_view AS SELECT * FROM {table}"
    ));
    assert_eq!(ground.differs(), None);
    // What a spec has no word for is left, also where other columns are changed.
    ground.run(&format!("DROP VIEW {table}_view; ALTER TABLE {table} ADD COLUMN place point"));
    ground.spec(&spec("sync_all_columns", &columns.replace("int}", "bigint}\n      - {name: place, type: text}")));
    let ran = ground.from();
    assert!(ran.stderr.contains("`place` is `point` in the database"), "{}", ran.stderr);
    let script = ran.fine();
    assert!(script.contains("ALTER COLUMN count TYPE bigint") && !script.contains("place"), "{script}");
    assert!(script.contains(" --from postgres://.. "), "{script}");
    ground.run(&script);
    ground.run(&script);
    assert_eq!(
        ground.rows(&format!("SELECT id, count, pg_typeof(count) FROM {table}"))[0][2].as_deref(),
        Some("bigint")
    );
    // A key in which null is a value needs an index that says so; one that does not may have its name.
    let nullable =
        spec("append_new_columns", "      - {name: area, type: text, nullable: true}\n").replace("[id]", "[id, area]");
    ground.run(&format!("DROP TABLE {table}; CREATE TABLE {table} (id bigint NOT NULL, area text, UNIQUE (id, area))"));
    ground.spec(&nullable);
    let ran = ground.from();
    if ground.made().unwrap().contains("NULLS NOT DISTINCT") {
        let says = ran.failed();
        assert!(says.contains("in which null is a value, and an index has the name of ours"), "{says}");
        ground.run(&format!("ALTER TABLE {table} DROP CONSTRAINT orders_id_area_key"));
        ground.run(&ground.from().fine());
    }
    assert_eq!(ground.differs(), None);
    // Numbers that no load can write.
    ground
        .run(&format!("DROP TABLE {table}; CREATE TABLE {table} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)"));
    ground.spec(&spec("sync_all_columns", ""));
    assert!(ground.from().failed().contains("`id` is computed by the engine in another way"));
    // What is no table, and a schema that is not there.
    ground.run(&format!("DROP TABLE {table}; CREATE MATERIALIZED VIEW {table} AS SELECT 1 AS id"));
    assert!(ground.from().failed().contains("is a materialized view, and no table"));
    ground.desk.write("spec.yaml", &spec("fail", "").replace("schema: mart", "schema: idemsql_not_there"));
    let ran = ground.from();
    assert!(ran.stderr.contains("the schema `idemsql_not_there` is not in the database"), "{}", ran.stderr);
    assert!(ran.fine().contains("CREATE TABLE IF NOT EXISTS idemsql_not_there.orders"));
    ground.drop();
}

/// What both of the family do.
fn on_the_family(engine: &str) {
    let Some(ground) = Ground::new(engine) else { return };
    let _alone = alone(engine);
    ground.clear();
    let table = ground.table("orders");
    let columns = "      - {name: label, type: varchar(20)}\n      - {name: count, type: bigint}\n";
    ground.spec(&spec("sync_all_columns", columns));
    ground.run(&format!(
        "CREATE TABLE {table} (id bigint(20) NOT NULL PRIMARY KEY, label varchar(20) DEFAULT 'new', count int unsigned); \
         INSERT INTO {table} VALUES (7, 'x', 1)"
    ));
    // A type that a spec comes near to is told, and left.
    let ran = ground.from();
    assert!(ran.stderr.contains("`count` is `int"), "{}", ran.stderr);
    assert!(ran.fine().contains(NOTHING));
    // MODIFY says the whole column anew, and would lose what the spec does not know.
    ground.spec(&spec("sync_all_columns", &columns.replace("varchar(20)", "varchar(80)")));
    let says = ground.from().failed();
    assert!(says.contains("without the default that it has in the database"), "{says}");
    ground.spec(&spec("sync_all_columns", &columns.replace("varchar(20)", "varchar(80), default: \"'new'\"")));
    let script = ground.from().fine();
    ground.run(&script);
    ground.run(&script);
    assert!(ground.from().fine().contains(NOTHING));
    // Nothing adds a unique key that can run again, and this load needs one.
    ground.run(&format!("ALTER TABLE {table} DROP PRIMARY KEY"));
    let says = ground.from().failed();
    assert!(says.contains("the database has no unique index over (id)"), "{says}");
    ground.run(&format!("CREATE UNIQUE INDEX by_hand ON {table} (id)"));
    assert!(ground.from().fine().contains(NOTHING));
    ground.run(&format!("DROP TABLE {table}; CREATE VIEW {table} AS SELECT 1 AS id"));
    assert!(ground.from().failed().contains("is a view, and no table"));
    // One who may do nothing with a table is not told that it is missing.
    ground.run(&format!("DROP VIEW {table}; CREATE TABLE {table} (id bigint PRIMARY KEY)"));
    let schema = ground.schema.clone().unwrap();
    let user = format!("live_{}", std::process::id());
    ground.run(&format!(
        "CREATE TABLE {schema}.other (id bigint); CREATE USER {user} IDENTIFIED BY 's3cret'; GRANT SELECT ON {schema}.other TO {user}"
    ));
    let (_, host) = ground.url.split_once('@').unwrap();
    let ran = ground.render(&["--from", &format!("mysql://{user}:s3cret@{host}{schema}")]);
    ground.run(&format!("DROP USER {user}"));
    let says = ran.failed();
    assert!(says.contains("this user may not see whether the table is there") && !says.contains("s3cret"), "{says}");
    // Without a database, a table without a schema is in none.
    ground.desk.write("spec.yaml", &spec("fail", "").replace("    schema: mart\n", ""));
    assert!(ground.render(&["--from", &ground.url]).failed().contains("no database is chosen"));
    ground.drop();
}

#[test]
fn engines_what_a_database_says_is_told_on_mariadb() {
    on_the_family("mariadb");
}

#[test]
fn engines_what_a_database_says_is_told_on_mysql() {
    on_the_family("mysql");
}

#[test]
fn engines_what_a_database_says_is_told_on_duckdb() {
    let Some(ground) = Ground::new("duckdb") else { return };
    ground.clear();
    let table = ground.table("orders");
    let columns = "      - {name: label, type: varchar(20)}\n      - {name: count, type: bigint}\n";
    ground.spec(&spec("sync_all_columns", columns));
    ground.run(&format!(
        "CREATE TABLE {table} (ID int8 NOT NULL PRIMARY KEY, label text, count int4, gone HUGEINT); \
         INSERT INTO {table} VALUES (7, 'x', 1, 2)"
    ));
    let ran = ground.from();
    assert!(ran.stderr.contains("drops the column `gone`"), "{}", ran.stderr);
    let script = ran.fine();
    ground.run(&script);
    ground.run(&script);
    assert_eq!(ground.differs(), None);
    assert_eq!(ground.rows(&format!("SELECT * FROM {table}")).len(), 1);
    ground.run(&format!("DROP TABLE {table}; CREATE VIEW {table} AS SELECT 1 AS id"));
    assert!(ground.from().failed().contains("is a view, and no table"));
}
