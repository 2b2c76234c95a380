//! What people ran into with hand-written loads, other generators and other movers, and what ours does instead.
//!
//! `docs/coverage.md` names for every such case the test that covers it, or the capability that it waits for.

use crate::support::files_below;
use idemsql::diagnostic::{Diagnostic, Source, Style, render as shown};
use idemsql::dialect::types::Type;
use idemsql::dialect::{self, Dialect};
use idemsql::plan::{Plan, plan};
use idemsql::render::render;
use idemsql::spec::Spec;
use idemsql::strategy;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Plans a table; the keys are those of a spec, one a line.
fn planned(dialect: &str, keys: &str) -> Result<Plan, String> {
    let indented = keys.trim_matches('\n').replace('\n', "\n    ");
    let text = format!("version: 1\ntables:\n  - name: orders\n    {indented}\n");
    let source = Arc::new(Source::new("spec.yaml", text));
    let told = |faults: &[Diagnostic]| {
        let placed: Vec<Diagnostic> = faults.iter().map(|fault| fault.clone().in_source(&source)).collect();
        shown(&placed, Style::Plain)
    };
    let spec = Spec::read(Arc::clone(&source), &|_| Err("no file".to_owned())).map_err(|faults| told(&faults))?;
    let table = spec.tables()[0].for_dialect(dialect).map_err(|faults| told(&faults))?;
    plan(&table, dialect::find(dialect).unwrap(), None).map_err(|faults| told(&faults))
}

/// The proved SQL of a table.
fn sql(dialect: &str, keys: &str) -> String {
    let plan = planned(dialect, keys).unwrap_or_else(|told| panic!("{dialect} refuses it:\n{told}"));
    render(&plan, &[]).unwrap_or_else(|fault| panic!("{dialect}: {}", fault.message))
}

/// What is said against a table.
fn refusal(dialect: &str, keys: &str) -> String {
    planned(dialect, keys).map(|plan| render(&plan, &[]).unwrap()).expect_err("it is planned")
}

/// The SQL of every dialect that has the load, at least `least` of them.
fn each(keys: &str, least: usize, check: impl Fn(&Dialect, &str)) {
    let mut loads = 0;
    for dialect in dialect::ALL {
        let Ok(plan) = planned(dialect.name, keys) else { continue };
        let sql = render(&plan, &[]).unwrap_or_else(|fault| panic!("{}: {}", dialect.name, fault.message));
        check(dialect, &sql);
        loads += 1;
    }
    assert!(loads >= least, "only {loads} dialects have this load");
}

/// Fails, showing the SQL, unless the text stands in it, whatever its layout is.
#[track_caller]
fn says(sql: &str, text: &str) {
    assert!(one_line(sql).contains(text), "`{text}` is missing in\n{sql}");
}

#[track_caller]
fn says_not(sql: &str, text: &str) {
    assert!(!one_line(sql).contains(text), "`{text}` stands in\n{sql}");
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")")
}

/// The text of every golden file of a dialect, of all when it is empty.
fn golden(dialect: &str) -> Vec<(String, String)> {
    let ending = format!("{dialect}.sql");
    let files = files_below(Path::new("fixtures/load")).into_iter().filter(|file| file.ends_with(&ending));
    let all: Vec<(String, String)> = files.map(|file| (file.clone(), fs::read_to_string(&file).unwrap())).collect();
    assert!(all.len() > 10, "{all:?}");
    all
}

const PLAIN: &str = "
source: {table: staged}
unique_key: [id]
incremental_column: updated_at
overlap_window: 3 days
columns:
  - {name: id, type: int}
  - {name: name, type: varchar(20)}
  - {name: updated_at, type: timestamptz, nullable: false}
";

// ---- aliases

#[test]
fn no_alias_is_the_name_of_a_column_or_a_table() {
    let keys = "
source: {query: \"SELECT id, T, o, seen, x AS W, s FROM landing.batch\"}
unique_key: [id]
incremental_column: seen
deletes: {when: G = 1, action: delete}
columns:
  - {name: id, type: int}
  - {name: T, type: int}
  - {name: o, type: int, source: B + s}
  - {name: seen, type: timestamptz, nullable: false}
";
    each(keys, 13, |dialect, sql| {
        let names = planned(dialect.name, keys).unwrap().load.names;
        let changed = [&names.t, &names.o, &names.w, &names.s, &names.g, &names.b, &names.batch];
        assert_eq!(changed.map(String::as_str), ["t_", "o_", "w_", "s_", "g_", "b_", "batch_"]);
        assert_eq!([&names.d, &names.h].map(String::as_str), ["d", "h"]);
        for alias in ["t", "o", "s", "b"] {
            says_not(sql, &format!(" AS {alias} "));
            says_not(sql, &format!(" {alias}."));
        }
        says(sql, " s_");
    });
    each(PLAIN, 14, |_, sql| says_not(sql, "_."));
}

// ---- one row per key

#[test]
fn a_key_that_is_staged_twice_is_reduced_to_its_newest_row_first() {
    each(PLAIN, 14, |dialect, sql| {
        let reduced = ["DISTINCT ON (s.id)", "PARTITION BY s.id", "LIMIT 1 BY s.id"];
        assert!(reduced.iter().any(|words| sql.contains(words)), "{}:\n{sql}", dialect.name);
        // Two rows of one key and one time are told apart by their content, so that the winner never depends on chance.
        says(sql, "s.updated_at DESC, s.name DESC");
    });
}

#[test]
fn distinct_is_never_the_cure_for_a_source_with_several_rows_a_key() {
    for (file, sql) in golden("") {
        // Of the groups that are staged, and of the batches that are noted, each is wanted once; those are no rows.
        let names = ["idemsql_batch_group AS SELECT DISTINCT", "SELECT DISTINCT 'mart.events', s.file_name"];
        let text = names.iter().fold(one_line(&sql), |text, names| text.replace(names, ""));
        assert!(!text.contains("SELECT DISTINCT ") || text.contains("SELECT DISTINCT ON ("), "{file}");
    }
    let joined = PLAIN.replace(
        "source: {table: staged}",
        "source: {query: \"SELECT e.id, d.name, d.updated_at FROM emp e JOIN dept d ON d.id = e.dept_id\"}",
    );
    says(&sql("oracle", &joined), "ROW_NUMBER() OVER (PARTITION BY s.id ORDER BY s.updated_at DESC");
}

#[test]
fn filters_and_the_reduction_stand_inside_using_and_never_only_in_a_branch() {
    let sql = sql("databricks", PLAIN);
    let (using, branches) = sql.split_once("WHEN MATCHED").unwrap();
    says(using, "WHERE s.updated_at >= (");
    says(using, "QUALIFY ROW_NUMBER()");
    says_not(branches, "rn");
}

#[test]
fn nulls_are_the_oldest_version_on_every_engine() {
    let keys = PLAIN.replace("timestamptz, nullable: false", "timestamptz");
    each(&keys, 14, |dialect, sql| {
        // Where DESC begins with nulls, by the engine's manual; the others end with them.
        let first = ["postgres", "oracle", "snowflake", "redshift", "ansi"].contains(&dialect.name);
        let last = one_line(sql).contains("s.updated_at DESC NULLS LAST");
        assert!(last || !first, "{}:\n{sql}", dialect.name);
        // A target row without a version gives way, and a staged row without one replaces nothing that has one.
        let guards = ["IS NULL OR b.updated_at >=", "IS NULL OR EXCLUDED.updated_at >="];
        assert!(guards.iter().any(|guard| sql.contains(guard)), "{}:\n{sql}", dialect.name);
    });
}

#[test]
fn a_second_column_decides_between_rows_of_one_time() {
    let keys = "
source: {table: staged}
unique_key: [id]
version: [changed_at, lsn]
deletes: {when: \"op = 'D'\", action: delete}
columns:
  - {name: id, type: int}
  - {name: make, type: varchar(20)}
  - {name: changed_at, type: timestamptz, nullable: false}
  - {name: lsn, type: bigint, nullable: false}
";
    each(keys, 13, |_, sql| {
        says(sql, "s.changed_at DESC, s.lsn DESC");
        // Nothing deletes a row that is newer than the deletion, and no deletion comes in as a row.
        assert!(one_line(sql).replace("( ", "(").contains("b.is_deletion = 1 AND (b.changed_at >"), "{sql}");
        says(sql, "b.is_deletion = 0");
    });
    assert!(refusal("clickhouse", keys).contains("deleting rows is not possible"));
}

// ---- keys

#[test]
fn a_conflict_target_is_named_and_its_index_is_demanded() {
    for dialect in ["postgres", "sqlite", "duckdb", "mysql", "mariadb"] {
        let plan = planned(dialect, PLAIN).unwrap();
        // ON DUPLICATE KEY UPDATE takes the row of any unique index.
        let other = if matches!(dialect, "mysql" | "mariadb") { ", and no other unique index" } else { "" };
        assert_eq!(plan.needs[0], format!("a unique index on orders (id){other}"), "{dialect}");
    }
    for (file, sql) in golden("") {
        let text = one_line(&sql);
        let bare = ["ON CONFLICT DO", "INSERT IGNORE", "INSERT OR", "REPLACE INTO"];
        assert!(!bare.iter().any(|words| text.contains(words)), "{file} hides other violations:\n{sql}");
    }
}

const NULLABLE: &str = "
source: {table: staged}
unique_key: [kind, code]
columns:
  - {name: kind, type: varchar(10)}
  - {name: code, type: varchar(10), nullable: true}
  - {name: amount, type: int}
";

#[test]
fn null_is_a_value_in_a_key_or_the_key_is_refused() {
    each(NULLABLE, 14, |dialect, sql| {
        let plan = planned(dialect.name, NULLABLE).unwrap();
        let index = plan.needs.iter().any(|need| need.starts_with("a unique index NULLS NOT DISTINCT on"));
        let sorted = plan.needs.iter().any(|need| need.contains("ReplacingMergeTree"));
        let text = one_line(sql);
        assert!(!text.contains("ON CONFLICT") || index, "{}: its index lets (a, null) in again\n{sql}", dialect.name);
        assert!(!text.contains("ON DUPLICATE KEY"), "{}: its index lets (a, null) in again\n{sql}", dialect.name);
        let null_safe = ["code IS NOT DISTINCT FROM", "code <=> ", "code IS b.code", "DECODE(", "code IS NULL AND"];
        assert!(null_safe.iter().any(|words| text.contains(words)) || sorted, "{}:\n{sql}", dialect.name);
    });
    // A key that is never null is compared plainly, so that the engine can use its index.
    let plain = NULLABLE.replace(", nullable: true", "");
    each(&plain, 14, |_, sql| says_not(sql, "code IS NOT DISTINCT FROM"));
}

#[test]
fn a_load_whose_columns_are_all_in_the_key_updates_nothing() {
    let keys = "
source: {table: staged}
unique_key: [scope_id, role_id]
columns:
  - {name: scope_id, type: int}
  - {name: role_id, type: int}
";
    each(keys, 14, |_, sql| {
        says_not(sql, "UPDATE SET");
        says_not(sql, "WHEN MATCHED THEN");
        says_not(sql, "UPDATE orders");
    });
    says(&sql("postgres", keys), "ON CONFLICT (scope_id, role_id) DO NOTHING;");
    says(&sql("snowflake", keys), "WHEN NOT MATCHED THEN INSERT");
}

#[test]
fn the_first_load_into_an_empty_target_has_one_row_a_key_already() {
    // The reduction does not depend on what the target holds.
    each(&PLAIN.replace("overlap_window: 3 days\n", ""), 14, |_, sql| says(sql, "s.updated_at DESC, s.name DESC"));
}

#[test]
fn a_computed_key_is_computed_once_and_compared_as_computed() {
    let keys = "
source: {table: staged}
unique_key: [pk]
incremental_column: inserted_at
columns:
  - {name: pk, type: varchar(32), source: \"md5(slot || '-' || request)\"}
  - {name: slot, type: varchar(10)}
  - {name: inserted_at, type: timestamptz, nullable: false}
  - {name: first_loaded_at, type: timestamptz, value: now, update: never}
  - {name: loaded_at, type: timestamptz, value: now}
";
    let sql = sql("snowflake", keys);
    says(&sql, "PARTITION BY md5(s.slot || '-' || s.request)");
    says(&sql, "ON t.pk = b.pk");
    let (matched, not_matched) = sql.split_once("WHEN NOT MATCHED").unwrap();
    says_not(matched, "first_loaded_at");
    says(not_matched, "first_loaded_at");
    let volatile = keys.replace("md5(slot || '-' || request)", "uuid_string()");
    assert!(refusal("snowflake", &volatile).contains("`uuid_string` gives another value on every run"));
}

// ---- names and columns

const NAMES: &str = "
source: {table: staged}
unique_key: [order]
columns:
  - {name: order, type: int}
  - {name: Group, type: varchar(20)}
  - {name: e-mail, type: varchar(20)}
  - {name: unit price, type: int}
  - {name: select, type: int}
  - {name: _airbyte_id, type: int}
";

#[test]
fn a_name_that_needs_quotes_has_them_in_every_place() {
    each(NAMES, 14, |dialect, sql| {
        let open = dialect.quotes.open;
        for name in ["order", "Group", "e-mail", "unit price", "select"] {
            let spelled = dialect.identifier(name, false);
            let inner = spelled.trim_matches(|c| c == open || c == dialect.quotes.close);
            assert!(spelled.starts_with(open), "{}: {spelled}", dialect.name);
            // Key match, list of the INSERT, SET left and right, reduction, order.
            let qualified = sql.match_indices(&format!(".{inner}")).count();
            assert_eq!(qualified, 0, "{}: `{name}` stands bare behind a point in\n{sql}", dialect.name);
            assert!(sql.matches(&spelled).count() >= 3, "{}: {spelled}\n{sql}", dialect.name);
        }
    });
    // What the engine folds to upper case is quoted in upper case, because that is how it was created.
    says(&sql("oracle", NAMES), "\"ORDER\"");
    says(&sql("oracle", NAMES), "\"_AIRBYTE_ID\"");
    says(&sql("snowflake", NAMES), "\"ORDER\"");
}

#[test]
fn a_quote_inside_a_name_is_doubled() {
    let keys = NAMES.replace("{name: e-mail,", "{name: 'say \"hi\"',");
    says(&sql("postgres", &keys), "\"say \"\"hi\"\"\"");
    says(&sql("sqlserver", &keys), "[say \"hi\"]");
    says(&sql("mysql", &keys), "`say \"hi\"`");
}

#[test]
fn texts_that_look_like_sql_stay_names_and_values() {
    let table = PLAIN.replace("{table: staged}", "{table: \"raw.orders; DROP TABLE orders\"}");
    says(&sql("postgres", &table), "FROM raw.\"orders; DROP TABLE orders\" AS s");
    let window = |start: &str| PLAIN.replace("overlap_window: 3 days", &format!("window: {{start: \"{start}\"}}"));
    says(&sql("postgres", &window("{{ ds }}")), "TIMESTAMPTZ '{{ ds }}'");
    let told = refusal("postgres", &window("{{ ds }}' OR '1' = '1"));
    assert!(told.contains("its quote or backslash would end"), "{told}");
}

#[test]
fn what_the_engine_computes_is_never_written() {
    let keys = "
source: {table: staged}
unique_key: [code]
columns:
  - {name: row_no, type: bigint, identity: true}
  - {name: code, type: varchar(10)}
  - {name: width, type: int}
  - {name: area, type: int, generated: true}
";
    each(keys, 14, |_, sql| {
        says_not(sql, "row_no");
        says_not(sql, "area");
    });
    assert!(refusal("postgres", &keys.replace("[code]", "[row_no]")).contains("the engine computes the key column"));
}

// ---- what is compared

#[test]
fn a_type_without_equality_is_compared_in_another_form() {
    let keys = "
source: {table: staged}
unique_key: [id]
columns:
  - {name: id, type: int}
  - {name: body, type: {postgres: json}}
  - {name: place, type: {postgres: point}}
";
    let json = sql("postgres", keys);
    says(&json, "(t.body::jsonb, t.place::text) IS DISTINCT FROM (EXCLUDED.body::jsonb, EXCLUDED.place::text)");
    says(&json, "s.body::jsonb DESC NULLS LAST");
    says(&json, "body = EXCLUDED.body,");
    // The json of a spec is the type of the engine that has an equality.
    says(&sql("postgres", &keys.replace("{postgres: json}", "json")), "(t.body, t.place::text) IS DISTINCT FROM");
}

#[test]
fn what_did_not_change_is_not_written_and_a_change_to_or_from_null_is_one() {
    each(PLAIN, 14, |dialect, sql| {
        let text = one_line(sql);
        let null_safe = ["IS DISTINCT FROM", "<=>", "IS NOT b.", "EXCEPT", "DECODE(", "IS NULL) <> ("];
        assert!(null_safe.iter().any(|words| text.contains(words)), "{}:\n{sql}", dialect.name);
    });
    // A guard in DO UPDATE alone would still lock the rows: those that change nothing are not even proposed.
    says(&sql("postgres", PLAIN), "LEFT JOIN orders AS o ON o.id = b.id WHERE o.id IS NULL OR (");
}

#[test]
fn load_metadata_is_not_compared_and_moves_with_a_change_alone() {
    let keys = format!(
        "{}  - {{name: loaded_at, type: timestamptz, value: now}}\n",
        PLAIN.trim_end_matches('\n').to_owned() + "\n"
    );
    each(&keys, 14, |_, sql| {
        let text = one_line(sql);
        for compared in
            ["loaded_at IS DISTINCT", "loaded_at <=>", "loaded_at IS NOT", "DECODE(t.loaded_at", "loaded_at <>"]
        {
            assert!(!text.contains(compared), "{sql}");
        }
    });
    let staged = keys.replace("value: now", "compare: false");
    says(&sql("postgres", &staged), "(t.name, t.updated_at) IS DISTINCT FROM (EXCLUDED.name, EXCLUDED.updated_at)");
    says(&sql("postgres", &staged), "loaded_at = EXCLUDED.loaded_at");
}

#[test]
fn a_late_copy_of_an_old_row_changes_nothing() {
    let keys = PLAIN.replace("columns:", "deletes: {when: \"op = 'D'\", flag: gone}\ncolumns:")
        + "  - {name: gone, type: bool, nullable: false}\n";
    says(&sql("postgres", &keys), "WHERE EXCLUDED.updated_at >= t.updated_at AND (");
    says(&sql("snowflake", &keys), "WHEN MATCHED AND b.updated_at >= t.updated_at AND (");
    let strict = keys.replace("columns:", "on_tie: keep\ncolumns:");
    says(&sql("postgres", &strict), "WHERE EXCLUDED.updated_at > t.updated_at");
    // The flag is a part of the row, so an older row does not bring the record back.
    says(&sql("postgres", &keys), "gone = EXCLUDED.gone");
}

#[test]
fn an_update_can_keep_and_combine_but_never_count() {
    let keys = |rule: &str| PLAIN.to_owned() + &format!("  - {{name: hits, type: int, update: {rule}}}\n");
    says(&sql("postgres", &keys("if_not_null")), "hits = COALESCE(EXCLUDED.hits, t.hits)");
    says(&sql("postgres", &keys("first_not_null")), "hits = COALESCE(t.hits, EXCLUDED.hits)");
    says(&sql("postgres", &keys("greatest")), "EXCLUDED.hits > t.hits");
    let told = refusal("postgres", &keys("\"hits + excluded.hits\""));
    assert!(told.contains("spec-counter") || told.contains("twice"), "{told}");
}

// ---- the window

#[test]
fn an_empty_target_has_a_floor_outside_the_subtraction() {
    each(PLAIN, 14, |dialect, sql| {
        let text = one_line(sql);
        let from = text.find("SELECT COALESCE(").unwrap_or_else(|| panic!("{}:\n{sql}", dialect.name));
        let window = &text[from..from + text[from..].find(" FROM orders ").unwrap()];
        let greatest = window.find("h.updated_at").unwrap();
        let floor = window.rfind(", ").unwrap();
        assert!(greatest < floor, "{}: {window}", dialect.name);
        // Three days before the least timestamp would be none at all.
        let shifted = ["INTERVAL", "-3", "-72", "'-3 day'"];
        assert!(shifted.iter().any(|words| window[..floor].contains(words)), "{}: {window}", dialect.name);
    });
}

#[test]
fn the_window_takes_rows_of_the_last_time_again() {
    each(PLAIN, 14, |_, sql| {
        says(sql, "s.updated_at >= ");
        says_not(sql, "s.updated_at > ");
    });
}

#[test]
fn an_overlap_is_a_length_that_no_session_zone_changes() {
    says(&sql("postgres", PLAIN), "MAX(h.updated_at) - INTERVAL '72 hours'");
    says(&sql("redshift", PLAIN), "DATEADD(HOUR, -72,");
    // A literal bound carries its zone.
    let given =
        PLAIN.replace("overlap_window: 3 days", "window: {start: 2024-06-01T00:00:00Z, end: 2024-06-02T00:00:00Z}");
    says(&sql("postgres", &given), "TIMESTAMPTZ '2024-06-01 00:00:00+00:00'");
    let naive = given.replace("00:00:00Z", "00:00:00");
    assert!(refusal("postgres", &naive).contains("has no zone, so it is another instant in every session"));
}

#[test]
fn a_row_without_a_value_of_the_incremental_column_is_loaded() {
    each(&PLAIN.replace("timestamptz, nullable: false", "timestamptz"), 14, |_, sql| {
        says(sql, "OR s.updated_at IS NULL");
    });
    each(PLAIN, 14, |_, sql| says_not(sql, "OR s.updated_at IS NULL"));
}

#[test]
fn the_column_of_the_window_may_be_another_than_the_key_and_the_staged_one() {
    let keys = "
source:
  query: |
    SELECT h.query_id, h.start_time, h.end_time, e.warehouse
    FROM history AS h
    JOIN enriched AS e ON e.query_id = h.query_id
unique_key: [query_id, start_time]
incremental_column: end_time
overlap_window: 3 days
columns:
  - {name: query_id, type: varchar(40)}
  - {name: start_time, type: timestamptz}
  - {name: end_time, type: timestamptz, nullable: false}
  - {name: warehouse, type: varchar(40)}
";
    let sql = sql("snowflake", keys);
    says(&sql, "WHERE s.end_time >= (SELECT COALESCE(DATEADD(HOUR, -72, MAX(h.end_time))");
    says(&sql, "ON t.query_id = b.query_id AND t.start_time = b.start_time");
    let renamed =
        keys.replace("end_time\noverlap", "{column: end_time, source_column: \"COALESCE(ended, started)\"}\noverlap");
    says(&self::sql("snowflake", &renamed), "COALESCE(s.ended, s.started) >= (");
}

#[test]
fn a_replaced_window_is_replaced_as_a_whole_or_not_at_all() {
    let keys = format!("strategy: delete_insert\n{}", PLAIN.trim_start());
    each(&keys, 13, |dialect, sql| {
        let merge = one_line(sql).matches("MERGE INTO").count() == 1;
        let begins = ["BEGIN", "START TRANSACTION", "SET TRANSACTION"].iter().any(|words| sql.contains(words));
        let commits = sql.contains("COMMIT");
        assert!(merge || (begins && commits), "{}:\n{sql}", dialect.name);
        // Redshift's TRUNCATE commits; no engine needs it.
        says_not(sql, "TRUNCATE");
    });
}

#[test]
fn a_group_is_replaced_whole() {
    let keys = "
strategy: delete_insert
source: {table: staged}
unique_key: [id, line]
group_key: [id]
columns:
  - {name: id, type: int}
  - {name: line, type: int}
  - {name: amount, type: int}
";
    says(&sql("postgres", keys), "WHERE EXISTS (SELECT 1 FROM batch AS g WHERE g.id = o.id)");
    assert!(refusal("postgres", &keys.replace("group_key: [id]\n", "")).contains("must know which part"));
}

const SALES: &str = "
strategy: replace_partition
source: {table: staged}
unique_key: [id]
partition: day
columns:
  - {name: id, type: int}
  - {name: day, type: date}
  - {name: amount, type: int}
";

#[test]
fn a_partition_is_replaced_in_place_so_that_grants_views_and_identities_survive() {
    each(SALES, 13, |dialect, sql| {
        let merge = one_line(sql).matches("MERGE INTO").count() == 1;
        let begins = ["BEGIN", "START TRANSACTION", "SET TRANSACTION"].iter().any(|words| sql.contains(words));
        assert!(merge || (begins && sql.contains("COMMIT")), "{}:\n{sql}", dialect.name);
        for words in ["TRUNCATE", "RENAME", "ALTER TABLE", "EXCHANGE", "OVERWRITE"] {
            says_not(sql, words);
        }
    });
    says(&sql("postgres", SALES), "WHERE EXISTS (SELECT 1 FROM batch AS g WHERE g.day IS NOT DISTINCT FROM o.day)");
    assert!(refusal("postgres", &SALES.replace("partition: day\n", "")).contains("must know what a partition is"));
    assert!(refusal("postgres", &SALES.replace("unique_key: [id]\n", "")).contains("needs a unique key"));
}

#[test]
fn a_key_that_leaves_its_partition_moves_and_is_never_there_twice() {
    // By the key alone a row is found, in whatever partition it stands, and takes the new one.
    let moves = sql("postgres", SALES);
    says(&moves, "ON t.id = b.id WHEN MATCHED");
    says(&moves, "day = b.day");
    // With the column in the key a row of another partition is another row.
    let stays = sql("postgres", &SALES.replace("unique_key: [id]", "unique_key: [id, day]"));
    says_not(&stays, "day = b.day,");
    let kept = SALES.replace("type: date}", "type: date, update: never}");
    assert!(refusal("postgres", &kept).contains("does not fit the partition column"));
}

const BATCHES: &str = "
strategy: batch_once
source: {table: staged}
batch: file_name
columns:
  - {name: file_name, type: varchar(99), nullable: false}
  - {name: amount, type: int}
";

#[test]
fn a_keyless_batch_is_noted_and_appended_in_one_transaction_or_refused() {
    each(BATCHES, 11, |dialect, sql| {
        let begins = ["BEGIN", "START TRANSACTION", "SET TRANSACTION"].iter().any(|words| sql.contains(words));
        assert!(begins && sql.contains("COMMIT"), "{}:\n{sql}", dialect.name);
        says(sql, "SELECT DISTINCT");
        // No row is compared with another, so that two that are the same are both appended.
        says_not(sql, "ROW_NUMBER");
        says_not(sql, "MERGE");
    });
    let sql = sql("postgres", BATCHES);
    says(
        &sql,
        "WHERE NOT EXISTS (SELECT 1 FROM idemsql_batches AS o WHERE o.target_table = 'orders' AND o.batch_id = s.file_name)",
    );
    says(&sql, "AND o.loaded_at IS NULL)");
    let named = BATCHES.replace("batch: file_name", "batch: {column: file_name, log: etl.batches}");
    says(
        &self::sql("postgres", &named),
        "UPDATE etl.batches SET loaded_at = LOCALTIMESTAMP WHERE target_table = 'orders'",
    );
    assert!(refusal("trino", BATCHES).contains("no transaction"));
    assert!(refusal("postgres", &BATCHES.replace("batch: file_name\n", "")).contains("must know which batch"));
}

// ---- filters on the target

const FILTERED: &str = "
strategy: merge
source: {table: staged}
unique_key: [id]
target_filter: \"day >= '2024-02-01' OR day IS NULL\"
columns:
  - {name: id, type: int}
  - {name: day, type: date, update: never}
  - {name: amount, type: int}
";

#[test]
fn a_filter_on_the_target_is_bracketed_and_holds_for_the_staged_rows_too() {
    let sql = sql("postgres", FILTERED);
    says(&sql, "WHERE (s.day >= '2024-02-01' OR s.day IS NULL)");
    says(&sql, "ON t.id = b.id AND (t.day >= '2024-02-01' OR t.day IS NULL)");
}

#[test]
fn a_filter_on_a_column_that_can_move_is_refused() {
    let told = refusal("postgres", &FILTERED.replace(", update: never", ""));
    assert!(told.contains("a row that moved out of the filter would be inserted a second time"), "{told}");
}

// ---- what engines want

#[test]
fn a_merge_of_sql_server_holds_its_range_and_ends_in_a_semicolon() {
    let sql = sql("sqlserver", &format!("strategy: merge\n{}", PLAIN.trim_start()));
    // The hint stands before the alias: behind it, as some parsers want it, T-SQL has a syntax error.
    says(&sql, "MERGE INTO orders WITH (HOLDLOCK) AS t USING (");
    assert!(sql.trim_end().ends_with(';'));
}

#[test]
fn a_row_with_every_kind_of_rule_loads_by_one_merge_on_sql_server() {
    let keys = "
strategy: merge
source: {table: '#source'}
unique_key: [organization_id]
deletes: {when: \"cohort_id IS NULL\", action: delete}
columns:
  - {name: organization_id, type: uuid}
  - {name: cohort_id, type: uuid}
  - {name: created_at, type: timestamptz, update: never}
";
    let sql = sql("sqlserver", keys);
    says(&sql, "CASE WHEN s.cohort_id IS NULL THEN 1 ELSE 0 END AS is_deletion");
    says(&sql, "WHEN MATCHED AND b.is_deletion = 1 THEN DELETE");
    says(&sql, "EXISTS (SELECT b.cohort_id EXCEPT SELECT t.cohort_id)");
    says(&sql, "THEN UPDATE SET cohort_id = b.cohort_id WHEN NOT MATCHED");
}

#[test]
fn a_load_of_redshift_is_one_transaction_without_truncate_and_without_a_target_alias() {
    for (file, sql) in golden("redshift") {
        says_not(&sql, "TRUNCATE");
        says_not(&sql, "ON CONFLICT");
        let writes = ["UPDATE ", "DELETE ", "INSERT "]
            .iter()
            .map(|verb| sql.matches(&format!("\n{verb}")).count())
            .sum::<usize>();
        assert!(writes < 2 || (sql.contains("BEGIN;") && sql.contains("COMMIT;")), "{file}:\n{sql}");
    }
    says(&sql("redshift", PLAIN), "UPDATE orders SET");
}

#[test]
fn no_on_conflict_follows_a_from_that_could_take_it_for_a_join() {
    for (file, sql) in golden("sqlite") {
        let text = one_line(&sql);
        let Some((before, _)) = text.split_once(" ON CONFLICT ") else { continue };
        let closed = before.contains(" ORDER BY b") || before.contains(") VALUES ") || before.contains(" WHERE true");
        assert!(closed, "{file}:\n{sql}");
    }
}

#[test]
fn two_writers_wait_for_each_other_or_the_plan_says_that_they_must_not_meet() {
    for dialect in dialect::ALL {
        for strategy in strategy::ALL {
            let keys = format!("strategy: {}\n{}", strategy.name, PLAIN.trim_start());
            let Ok(plan) = planned(dialect.name, &keys) else { continue };
            let together = plan.promises.iter().find(|promise| promise.guarantee.code == "G6").unwrap();
            let sql = render(&plan, &[]).unwrap();
            let locks = ["LOCK", "lock", "ON CONFLICT", "ON DUPLICATE KEY", "HOLDLOCK", "BEGIN IMMEDIATE"];
            let held = locks.iter().any(|words| sql.contains(words));
            let own = together.because.contains("the engine") || together.because.contains("readers that use FINAL");
            assert!(!together.given || held || own, "{} {}: {}\n{sql}", dialect.name, strategy.name, together.because);
        }
    }
}

#[test]
fn a_misspelt_key_is_refused_with_the_nearest_word() {
    let told = refusal("postgres", &PLAIN.replace("unique_key: [id]", "unique_keys: id"));
    assert!(told.contains("unique_keys") && told.contains("did you mean `unique_key`"), "{told}");
}

#[test]
fn what_is_not_there_yet_is_refused_by_name() {
    // A conflict target that is a partial index, a window for each group.
    for key in ["conflict_where: \"stream_id IS NOT NULL\"", "watermark_by: [platform]"] {
        let told = refusal("postgres", &format!("{key}\n{}", PLAIN.trim_start()));
        assert!(told.contains(key.split(':').next().unwrap()), "{told}");
    }
}

// ---- histories

#[test]
fn a_history_takes_its_periods_from_the_version_and_never_from_the_clock() {
    let keys = "
strategy: history
source: {table: landing.products}
unique_key: [product_id]
version: [changed_at]
history: {valid_from: since, valid_to: until, is_current: none}
columns:
  - {name: product_id, type: int}
  - {name: title, type: varchar(40)}
  - {name: changed_at, type: timestamp, nullable: false}
";
    each(keys, 13, |dialect, sql| {
        says(sql, "LEAD(u.changed_at) OVER (PARTITION BY u.product_id ORDER BY u.changed_at) AS until");
        // A version of the target that is staged again is that of the source.
        says(sql, "AND s.changed_at = o.since");
        says_not(sql, "is_current");
        for type_of_clock in [Type::Timestamp, Type::Timestamptz, Type::Date] {
            says_not(sql, (dialect.now)(&type_of_clock));
        }
        let plan = planned(dialect.name, keys).unwrap();
        assert_eq!(plan.load.key.len(), 2, "{}: a version has a row of its own", dialect.name);
    });
}

// ---- the list of cases

#[test]
fn every_test_that_the_coverage_names_exists() {
    let text = fs::read_to_string("docs/coverage.md").unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| case |"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 60, "only {} cases", rows.len());
    let mut used = 0;
    for row in &rows {
        let [case, tests, waits] = row[..] else { panic!("three columns are wanted: {row:?}") };
        assert!(!tests.is_empty() || !waits.is_empty(), "`{case}` has no test and waits for nothing");
        for test in tests.split(',').map(|test| test.trim().trim_matches('`')).filter(|test| !test.is_empty()) {
            let (module, name) = test.split_once("::").unwrap_or_else(|| panic!("`{test}` names no module"));
            let source = fs::read_to_string(format!("tests/it/{module}.rs")).unwrap_or_default();
            let lines: Vec<&str> = source.lines().map(str::trim).collect();
            let test_fn = |pair: &[&str]| pair[0] == "#[test]" && pair[1].starts_with(&format!("fn {name}("));
            assert!(lines.windows(2).any(test_fn), "`{case}` names `{test}`, which is no test");
            used += 1;
        }
    }
    assert!(used > 50, "only {used} tests are named");
}
