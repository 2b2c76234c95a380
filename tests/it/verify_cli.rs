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
