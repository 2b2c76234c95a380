//! A spec without faults, as the plan receives it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;

use idemsql::diagnostic::Source;
use idemsql::spec::Source as From;
use idemsql::spec::{Bound, OverlapWindow, Row, Scalar, Spec, Table, Update};

const ORDERS: &str = r#"
version: 1
defaults:
  dialects: [postgres, snowflake]
  columns:
    - {name: loaded_at, type: timestamptz, value: now}
tables:
  - name: orders
    schema: mart
    source: {table: raw.orders}
    unique_key: order_id
    incremental_column: updated_at
    overlap_window: 1 day
    columns:
      - {name: order_id,   type: bigint}
      - {name: amount,     type: "decimal(12,2)"}
      - {name: created_at, type: timestamptz, update: never}
      - {name: updated_at, type: timestamptz}
      - {name: search,     type: {postgres: tsvector, snowflake: varchar}}
    overrides:
      snowflake:
        schema: MART
        columns:
          - {name: amount, type: "number(20,2)"}
          - {name: updated_at, nullable: false}
"#;

fn read(text: &str) -> Spec {
    let files = |path: &str| match path {
        "seeds/c.csv" => Ok("code,n,note,ok\r\nDE,1.50,\"a \"\"b\"\"\",true\r\n\"\",,\"\",\r\n".to_owned()),
        "q.sql" => Ok("select 1".to_owned()),
        _ => Err(format!("{path} was not expected")),
    };
    Spec::read(Arc::new(Source::new("specs/spec.yaml", text)), &files).unwrap()
}

/// The only table of a spec that has these keys.
fn table(keys: &str) -> Table {
    read(&format!("version: 1\ntables: [{{name: t, {keys}}}]")).tables()[0].for_dialect("any").unwrap()
}

#[test]
fn a_table_is_read_for_each_dialect_with_defaults_and_overrides() {
    let spec = read(ORDERS);
    let [orders] = spec.tables() else { panic!("one table") };
    assert_eq!(orders.name(), "orders");
    assert_eq!(&ORDERS[orders.span()], "orders");
    assert_eq!(orders.dialects().iter().map(|d| d.value.as_str()).collect::<Vec<_>>(), ["postgres", "snowflake"]);

    let postgres = orders.for_dialect("postgres").unwrap();
    let names: Vec<&str> = postgres.columns.iter().map(|column| column.name.value.as_str()).collect();
    assert_eq!(names, ["order_id", "amount", "created_at", "updated_at", "search", "loaded_at"]);
    assert_eq!(postgres.schema.unwrap().value, "mart");
    assert_eq!(postgres.overlap_window.unwrap().value, OverlapWindow::Seconds(86_400));
    assert_eq!(postgres.columns[2].update.as_ref().unwrap().value, Update::Never);
    assert_eq!(&ORDERS[postgres.columns[1].ty.as_ref().unwrap().span.clone()], "\"decimal(12,2)\"");
    assert_eq!(postgres.columns[4].ty.as_ref().unwrap().value, "tsvector");
    assert!(postgres.columns[4].ty_is_native && !postgres.columns[1].ty_is_native);
    assert_eq!(postgres.columns[5].value.as_ref().unwrap().value, "now");

    let snowflake = orders.for_dialect("snowflake").unwrap();
    assert_eq!(snowflake.schema.unwrap().value, "MART");
    let amount = &snowflake.columns[1];
    assert!(amount.ty_is_native && amount.ty.as_ref().unwrap().value == "number(20,2)");
    assert!(!snowflake.columns[3].nullable.as_ref().unwrap().value);
    assert!(!snowflake.columns[3].ty_is_native);
    assert_eq!(orders.for_dialect("mysql").unwrap().columns[4].ty, None);
}

fn values(row: &Row) -> Vec<(&str, Scalar)> {
    row.values.iter().map(|(name, value)| (name.value.as_str(), value.value.clone())).collect()
}

#[test]
fn rows_keep_the_kind_and_the_spelling_of_their_values() {
    let text = |text: &str| Scalar::Text(text.to_owned());
    let table = table(
        "source: {rows: [{a: 1.50, b: no, c: {x: [1, ~]}}, [0123, true, ~], {csv: gone.csv}]}, columns: [{name: a, type: \
         int}, {name: at, type: timestamptz, value: now}, {name: b, type: text}, {name: c, type: json}, {name: csv, \
         type: text, source: csv}]",
    );
    let From::Rows { rows, seed: None } = &table.source.value else { panic!("rows") };
    let json = Scalar::Json(serde_json::json!({"x": [1, null]}));
    assert_eq!(values(&rows[0]), [("a", Scalar::Number("1.50".to_owned())), ("b", text("no")), ("c", json)]);
    assert_eq!(values(&rows[1]), [("a", text("0123")), ("b", Scalar::Bool(true)), ("c", Scalar::Null)]);
    assert_eq!(values(&rows[2]), [("csv", text("gone.csv"))], "a column, not a file");
}

#[test]
fn a_seed_file_gives_values_by_the_types_of_the_columns() {
    let text = |text: &str| Scalar::Text(text.to_owned());
    let table = table(
        "source: {csv: seeds/c.csv}, columns: [{name: code, type: text, nullable: false}, {name: n, type: \"decimal(9,2)\"}, \
         {name: note, type: text}, {name: ok, type: bool}]",
    );
    let From::Rows { rows, seed: Some(seed) } = &table.source.value else { panic!("a seed file") };
    assert_eq!(seed.name, "specs/seeds/c.csv");
    let number = Scalar::Number("1.50".to_owned());
    assert_eq!(
        values(&rows[0]),
        [("code", text("DE")), ("n", number), ("note", text("a \"b\"")), ("ok", Scalar::Bool(true))]
    );
    assert_eq!(values(&rows[1]), [("code", text("")), ("n", Scalar::Null), ("note", text("")), ("ok", Scalar::Null)]);
    assert_eq!(&seed.text[rows[0].values[2].1.span.clone()], "\"a \"\"b\"\"\"");
    assert_eq!(&seed.text[rows[1].span.clone()], "\"\",,\"\",");
}

#[test]
fn windows_overlaps_and_sources_are_read() {
    let columns = "columns: [{name: n, type: bigint}, {name: d, type: date}]";
    let one = table(&format!(
        "{columns}, source: {{query_file: q.sql}}, incremental_column: {{column: d, source_column: day}}, overlap_window: \
         2 weeks, window: {{start: \"{{{{ ds }}}}\", end: {{parameter: until}}}}"
    ));
    assert!(matches!(&one.source.value, From::Query(query) if query == "select 1"));
    assert_eq!(one.incremental.unwrap().source_column.unwrap().value, "day");
    assert_eq!(one.overlap_window.unwrap().value, OverlapWindow::Seconds(14 * 86_400));
    let window = one.window.unwrap();
    assert_eq!(window.start.value, Bound::Variable("{{ ds }}".to_owned()));
    assert_eq!(window.end.unwrap().value, Bound::Parameter("until".to_owned()));

    let two = table(&format!(
        "{columns}, source: {{parameters: true}}, incremental_column: n, overlap_window: 500, window: {{start: 7}}"
    ));
    assert!(matches!(two.source.value, From::Parameters));
    assert_eq!(two.overlap_window.unwrap().value, OverlapWindow::Steps(500));
    assert_eq!(two.window.unwrap().start.value, Bound::Value(Scalar::Number("7".to_owned())));
}
