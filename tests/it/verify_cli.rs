//! `idemsql verify` as people and CI use it: hand-written SQL, formats, files to try again, other engines, and no secrets.

use crate::cli::Desk;

const SPEC: &str = "\
version: 1
tables:
  - name: orders
    source: {table: staged}
    unique_key: [id]
    version: [updated_at]
    columns:
      - {name: id, type: bigint, nullable: false}
      - {name: total, type: int}
      - {name: updated_at, type: timestamp, nullable: false}
";

/// A second run finds every row there, and older rows win.
const BROKEN: &str = "INSERT INTO orders SELECT id, total, updated_at FROM staged;";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("spec.yaml", SPEC);
    desk.write("load.sql", BROKEN);
    desk
}

#[test]
fn hand_written_sql_is_judged_and_what_breaks_can_be_tried_again() {
    let desk = desk();
    let found = desk.run(&["verify", "spec.yaml", "--sql", "load.sql", "--crash-rows", "50"]).found();
    assert!(found.contains("G1 rerun     BROKEN") && found.contains("UNIQUE constraint failed"), "{found}");
    let file = "idemsql-broken/orders-upsert-sqlite-rerun.json";
    assert!(found.contains(&format!("idemsql verify --replay {file}")), "{found}");
    // The smallest: one row, staged once.
    let document: serde_json::Value = serde_json::from_str(&desk.read(file)).unwrap();
    assert_eq!(document["scenario"]["batches"][0][0]["rows"].as_array().unwrap().len(), 1, "{document:#}");
    assert_eq!(document["scenario"]["before"]["rows"].as_array().unwrap().len(), 0);
    let sql = desk.read("idemsql-broken/orders-upsert-sqlite-rerun.sql");
    assert!(sql.contains("CREATE TABLE orders") && sql.contains(BROKEN), "{sql}");

    let again = desk.run(&["verify", "--replay", file]).found();
    assert!(again.contains("still broken"), "{again}");
    desk.write("load.sql", "INSERT INTO orders SELECT * FROM staged WHERE true ON CONFLICT (id) DO NOTHING;");
    let mended = desk.run(&["verify", "--replay", file]).fine();
    assert!(mended.contains("G1 rerun on SQLite") && mended.contains("holds now"), "{mended}");
}

#[test]
fn the_formats_for_programs_say_the_same() {
    let desk = desk();
    let command = ["verify", "spec.yaml", "--strategy", "upsert", "--crash-rows", "50", "--format"];
    let json = desk.run(&[&command[..], &["json"]].concat()).fine();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["engine"], &json["dialect"]), (&"sqlite".into(), &"sqlite".into()));
    let guarantees = json["loads"][0]["guarantees"].as_array().unwrap();
    assert_eq!(guarantees.len(), 7);
    assert!(guarantees.iter().all(|one| one["outcome"] == "held" && one["loads"].as_u64() > Some(3)), "{json:#}");

    let junit = desk.run(&[&command[..], &["junit"]].concat()).fine();
    let document = roxmltree::Document::parse(&junit).unwrap();
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("testcase")).count(), 7, "{junit}");
    assert_eq!(document.root_element().attribute("failures"), Some("0"));
}

#[test]
fn tables_may_come_from_a_set_up_alone() {
    let desk = desk();
    desk.write("setup.sql", "CREATE TABLE log (n int); CREATE TABLE s (n int); INSERT INTO s VALUES (1), (2);");
    desk.write("load.sql", "INSERT INTO log SELECT n FROM s;");
    let found = desk.run(&["verify", "--sql", "load.sql", "--setup", "setup.sql"]).found();
    assert!(found.contains("G1 rerun     BROKEN") && found.contains("G3 right     not run"), "{found}");
    desk.write("load.sql", "INSERT INTO log SELECT n FROM s WHERE n NOT IN (SELECT n FROM log);");
    let held = desk.run(&["verify", "--sql", "load.sql", "--setup", "setup.sql", "-g", "G1", "-g", "quiet"]).fine();
    assert!(held.contains("G2 quiet     held") && held.contains("G7 crash     not run"), "{held}");
}

#[test]
fn tables_that_a_set_up_leaves_empty_are_filled() {
    let desk = desk();
    desk.write("setup.sql", "CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE s (id int, v text);");
    desk.write("plain.sql", "INSERT INTO t SELECT id, MAX(v) FROM s GROUP BY id");
    let found = desk.run(&["verify", "--sql", "plain.sql", "--setup", "setup.sql", "-g", "G1", "-g", "G3"]).found();
    assert!(found.contains("the engine refused the load") && !found.contains(" 0 staged rows"), "{found}");
    desk.write(
        "safe.sql",
        "INSERT INTO t SELECT id, MAX(v) FROM s GROUP BY id HAVING TRUE ON CONFLICT (id) DO NOTHING",
    );
    let held = desk.run(&["verify", "--sql", "safe.sql", "--setup", "setup.sql"]).fine();
    assert!(held.contains("G1 rerun     held") && !held.contains(" 0 staged rows"), "{held}");
    desk.write("setup.sql", "CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE s (id int, at point NOT NULL);");
    desk.write("plain.sql", "INSERT INTO t SELECT id FROM s");
    let refused = desk.run(&["verify", "--sql", "plain.sql", "--setup", "setup.sql"]).failed();
    assert!(refused.contains("no value is known for `at` of `s`") && refused.contains("--rows"), "{refused}");
}

#[test]
fn a_table_that_is_not_made_here_is_refused_before_anything_runs() {
    let desk = desk();
    desk.write("load.sql", "DELETE FROM prod.orders;");
    let failed = desk.run(&["verify", "spec.yaml", "--sql", "load.sql"]).failed();
    assert!(failed.contains("this writes to `prod.orders`") && failed.contains("load.sql:1:13"), "{failed}");
}

#[test]
fn the_engine_comes_from_the_settings_and_no_secret_is_shown() {
    let desk = desk();
    desk.write("idemsql.yaml", "verify:\n  engine: env:IDEMSQL_NOWHERE\n");
    let failed = desk.run(&["verify", "spec.yaml"]).failed();
    assert!(failed.contains("IDEMSQL_NOWHERE"), "{failed}");
    let failed = desk.run(&["verify", "spec.yaml", "--engine", "oracle://me:s3cret@host/db"]).failed();
    assert!(failed.contains("no engine is called `oracle`") && !failed.contains("s3cret"), "{failed}");
    let fine = desk.run(&["verify", "spec.yaml", "--engine", "sqlite:", "-s", "upsert", "-g", "rerun"]).fine();
    assert!(fine.contains("G1 rerun     held"), "{fine}");
}

const KEYS: &str = "version: 1\ntables:\n  - {name: idempotency_keys, schema: app, strategy: idempotency_key}\n";

/// An event that lowers the stock, and the tables that it needs.
const EVENTS: &str = "\
version: 1
tables:
  - name: processed
    strategy: processed_marker
    source: {parameters: true}
    unique_key: [event_id]
    columns:
      - {name: event_id, type: bigint}
      - {name: processed_at, type: timestamptz, value: now}
    effect:
      - UPDATE inventory SET stock = stock - :quantity WHERE sku = :sku
      - INSERT INTO sales (event_id, sold_at) VALUES (:event_id, CURRENT_TIMESTAMP)
    retention: 30 days
";

const TABLES: &str = "\
CREATE TABLE inventory (sku text PRIMARY KEY, stock int NOT NULL);
CREATE TABLE sales (id integer PRIMARY KEY AUTOINCREMENT, event_id bigint NOT NULL, sold_at text NOT NULL);
INSERT INTO inventory VALUES ('A', 1000), ('B', 1000);
";

#[test]
fn a_key_store_is_judged_as_an_application_uses_it() {
    let desk = Desk::new();
    desk.write("keys.yaml", KEYS);
    let held = desk.run(&["verify", "keys.yaml"]).fine();
    for line in ["G1 rerun     held          3 scenarios", "G4 order     not promised", "G7 crash     held"] {
        assert!(held.contains(line), "{held}");
    }
    let json = desk.run(&["verify", "keys.yaml", "--format", "json", "-g", "together"]).fine();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let together = &json["loads"][0]["guarantees"][5];
    assert_eq!((&together["name"], &together["outcome"]), (&"together".into(), &"held".into()));
    assert!(together["statements"].as_u64() > Some(100) && together.get("loads").is_none(), "{json:#}");
    let junit = desk.run(&["verify", "keys.yaml", "--format", "junit"]).fine();
    assert!(
        junit.contains("idempotency_key") && junit.contains("failures=\"0\" errors=\"0\" skipped=\"2\""),
        "{junit}"
    );
}

#[test]
fn effects_are_judged_on_tables_of_a_set_up() {
    let desk = Desk::new();
    desk.write("events.yaml", EVENTS);
    desk.write("tables.sql", TABLES);
    let command = ["verify", "events.yaml", "--setup", "tables.sql", "--value", "sku=A", "--value", "sku=B"];
    let held = desk.run(&[&command[..], &["--value", "quantity=2"]].concat()).fine();
    for line in
        ["G1 rerun     held", "G3 right     held          2 scenarios", "G4 order     held", "G7 crash     held"]
    {
        assert!(held.contains(line), "{held}");
    }
    let lacking = desk.run(&command).failed();
    assert!(lacking.contains("bind `:quantity`: give `--value quantity=..`"), "{lacking}");
    let unknown = desk.run(&[&command[..], &["--value", "quantity=2", "--value", "n=1"]].concat());
    assert!(unknown.code == 2 && unknown.stderr.contains("no effect binds `:n`"), "{}", unknown.stderr);
    let key = desk.run(&[&command[..], &["--value", "quantity=2", "--value", "event_id=1"]].concat()).failed();
    assert!(key.contains("`event_id` is the key of an event"), "{key}");
    desk.write("elsewhere.sql", "CREATE TABLE sales (event_id bigint, sold_at text);");
    let elsewhere = ["verify", "events.yaml", "--setup", "elsewhere.sql", "--value", "sku=A", "--value", "quantity=2"];
    let failed = desk.run(&elsewhere).failed();
    assert!(failed.contains("this writes to `inventory`"), "{failed}");
}

#[test]
fn a_folder_of_specs_says_what_each_of_them_needs() {
    let desk = Desk::new();
    desk.write("specs/events.yaml", EVENTS);
    desk.write("specs/keys.yaml", KEYS);
    let batch = EVENTS
        .replace("{parameters: true}", "{table: staged}")
        .replace("    retention: 30 days\n", "")
        .replace("type: bigint}\n", "type: bigint}\n      - {name: sku, type: text, nullable: false}\n")
        .replace("- :quantity WHERE sku = :sku", "- 1 WHERE sku IN (SELECT e.sku FROM {events} AS e)")
        .replace("VALUES (:event_id, CURRENT_TIMESTAMP)", "SELECT e.event_id, 'now' FROM {events} AS e");
    desk.write("specs/batch.yaml", &batch);
    let told = desk.run(&["verify", "specs"]).found();
    assert_eq!(told.matches("give it with `--setup TABLES.sql`").count(), 2, "{told}");
    assert!(told.contains("`--value quantity=.. --value sku=..`") && told.contains("G7 crash     held"), "{told}");
    desk.write("tables.sql", TABLES);
    let held = desk.run(&[
        "verify",
        "specs",
        "--setup",
        "tables.sql",
        "--value",
        "sku=A",
        "--value",
        "quantity=2",
        "--crash-rows",
        "50",
    ]);
    let held = held.fine();
    assert_eq!(held.matches("G1 rerun     held").count(), 3, "{held}");
    assert_eq!(held.matches("G6 together  held").count(), 3, "{held}");
    // What nothing needs was meant for something.
    let refused = desk.run(&["verify", "specs/keys.yaml", "--setup", "tables.sql"]);
    assert!(refused.code == 2 && refused.stderr.contains("no spec here needs `--setup`"), "{}", refused.stderr);
}
