//! dbt projects, linted as their authors do: `idemsql lint models`.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A project with these files.
fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The findings of a run over some paths.
fn findings(folder: &Path, paths: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_idemsql"))
        .current_dir(folder)
        .args(["lint", "--format", "json"])
        .args(paths)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|fault| panic!("{fault}: {}", String::from_utf8_lossy(&output.stderr)));
    assert!(report["findings"].is_array(), "{report:#}");
    report["findings"].as_array().unwrap().clone()
}

/// The codes of the findings, each with the name of its file.
fn codes(folder: &Path) -> BTreeSet<String> {
    let of = |finding: &Value| {
        let file = finding["path"].as_str().unwrap_or_default();
        let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        format!("{stem} {}", finding["code"].as_str().unwrap())
    };
    findings(folder, &["models"]).iter().map(of).collect()
}

/// The findings with their code and what stands at their place, from there to the end of the line.
fn places(folder: &Path, paths: &[&str]) -> Vec<String> {
    let of = |finding: &Value| {
        let file = finding["path"].as_str().unwrap();
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let number = |key: &str| usize::try_from(finding[key].as_u64().unwrap()).unwrap();
        let line = text.lines().nth(number("line") - 1).unwrap();
        let rest: String = line.chars().skip(number("column") - 1).collect();
        format!("{file} {} {rest}", finding["code"].as_str().unwrap())
    };
    findings(folder, paths).iter().map(of).collect()
}

fn set(codes: &[&str]) -> BTreeSet<String> {
    codes.iter().map(|code| (*code).to_owned()).collect()
}

const DEDUPED: &str = "select distinct on (id) id, seen from {{ ref('raw') }}\n{% if is_incremental() %}\n\
                       where seen >= (select coalesce(max(seen), timestamp '1900-01-01') - interval '3 days' from {{ this }})\n\
                       {% endif %}\norder by id, seen desc\n";

#[test]
fn the_model_that_everybody_copies_has_three_faults() {
    let model = "{{ config(materialized='incremental', unique_key='order_id', on_schema_change='sync_all_columns') }}\n\n\
                 SELECT order_id, user_id, amount, created_at\nFROM {{ source('raw', 'orders') }}\n\n\
                 {% if is_incremental() %}\nWHERE created_at >= (SELECT MAX(created_at) FROM {{ this }}) - INTERVAL '1 day'\n\
                 {% endif %}\n";
    let folder = project(&[("models/orders.sql", model)]);
    assert_eq!(codes(folder.path()), set(&["orders IDM302", "orders IDM404", "orders IDM705"]));
}

#[test]
fn each_window_without_a_floor_is_found_and_a_regular_expression_in_dollars_hides_nothing() {
    let window = "{% if is_incremental() %}\n  where ended_at > (select dateadd(day, -{{ var('lookback', 3) }}, \
                  max(ended_at)) from {{ this }})\n  {% endif %}\n";
    let model = format!(
        "{{{{ config(materialized='incremental', unique_key=['query_id', 'started_at']) }}}}\nwith finished as (\n  \
         select * from {{{{ ref('queries') }}}}\n  {window}), credits as (\n  select * from {{{{ ref('credits') }}}}\n  \
         {window})\nselect finished.query_id, finished.started_at, finished.ended_at,\n  \
         regexp_replace(finished.query_text, $$(/\\*(.|\\n)*?\\*/)|(--.*$)|'x'$$, '') as plain, credits.amount\n\
         from finished left join credits on credits.query_id = finished.query_id\n"
    );
    let folder = project(&[
        ("dbt_project.yml", "name: p\nprofile: p\n"),
        ("profiles.yml", "p:\n  target: dev\n  outputs:\n    dev: {type: snowflake}\n"),
        ("models/log.sql", &model),
    ]);
    let found = findings(folder.path(), &["models"]);
    let windows = found.iter().filter(|finding| finding["code"] == "IDM404").count();
    assert_eq!(windows, 2, "{found:?}");
    assert!(found.iter().all(|finding| finding["code"] != "IDM901"), "{found:?}");
}

#[test]
fn a_key_with_the_clock_in_it_is_found_where_nothing_else_keeps_rows_out() {
    let head = "{{ config(materialized='incremental', unique_key=['item', 'since'], incremental_strategy='delete+insert') }}\n\
                select item, max(price) as price, current_timestamp as since from {{ ref('items') }} as s\n";
    let guard = "{% if is_incremental() %}where not exists (select 1 from {{ this }} as t where t.item = s.item)\n{% endif %}\n";
    let folder = project(&[
        ("models/bare.sql", &format!("{head}group by item\n")),
        ("models/kept.sql", &format!("{head}{guard}group by item\n")),
    ]);
    let found = codes(folder.path());
    assert!(found.contains("bare IDM107") && !found.contains("kept IDM107"), "{found:?}");
}

#[test]
fn settings_of_the_project_count_and_the_nearer_one_wins() {
    let folder = project(&[
        (
            "dbt_project.yml",
            "name: shop\nprofile: shop\nmodels:\n  shop:\n    facts:\n      +materialized: incremental\n      keyed:\n        +unique_key: id\n",
        ),
        ("profiles.yml", "shop:\n  target: dev\n  outputs:\n    dev: {type: postgres}\n    prod: {type: postgres}\n"),
        ("models/facts/bare.sql", DEDUPED),
        ("models/facts/keyed/good.sql", DEDUPED),
        ("models/facts/said.sql", DEDUPED),
        ("models/facts/own.sql", &format!("{{{{ config(unique_key='id') }}}}\n{DEDUPED}")),
        ("models/facts/table.sql", &format!("{{{{ config(materialized='table') }}}}\n{DEDUPED}")),
        ("models/other.sql", DEDUPED),
        (
            "models/facts/schema.yml",
            "models:\n  - name: said\n    config: {unique_key: [id]}\n  - name: bare\n    columns: [{name: id, data_tests: [unique]}]\n",
        ),
    ]);
    assert_eq!(codes(folder.path()), set(&["bare IDM701"]));
}

#[test]
fn a_key_that_the_adapter_passes_over_is_found() {
    let model = "{{ config(materialized='incremental', unique_key='id') }}\nselect id, at from {{ ref('raw') }}\n\
                 {% if is_incremental() %}where at >= current_date{% endif %}\n";
    for (adapter, found) in [("trino", &["m IDM702"][..]), ("spark", &["m IDM702"]), ("databricks", &["m IDM302"])] {
        let profiles = format!("p:\n  target: dev\n  outputs:\n    dev: {{type: {adapter}}}\n");
        let folder = project(&[
            ("dbt_project.yml", "name: p\nprofile: p\n"),
            ("profiles.yml", &profiles),
            ("models/m.sql", model),
        ]);
        assert_eq!(codes(folder.path()), set(found), "{adapter}");
    }
}

#[test]
fn jinja_that_only_dbt_can_follow_is_no_finding() {
    let folder = project(&[
        (
            "models/loop.sql",
            "{{ config(materialized='incremental', unique_key='id') }}\n{% for t in tables %}select * from {{ t }}{% endfor %}\n",
        ),
        (
            "models/macro.sql",
            "{{ config(materialized='incremental', unique_key='id') }}\nselect * from {{ deduplicated(ref('a')) }}\n",
        ),
        ("models/open.sql", "{{ config(**settings) }}\nselect * from {{ ref('a') }}\n"),
        (
            "models/var.sql",
            "{{ config(materialized=var('kind'), unique_key=var('key')) }}\nselect * from {{ ref('a') }}\n",
        ),
        (
            "models/own.sql",
            "{{ config(materialized='incremental', incremental_strategy='ours') }}\nselect * from {{ ref('a') }}\n",
        ),
        (
            "models/batch.sql",
            "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='at', begin='2024-01-01', batch_size='day') }}\nselect * from {{ ref('a') }}\n",
        ),
        ("models/broken.sql", "{{ config(materialized='incremental'\nselect 1\n"),
        (
            "models/anti.sql",
            "{{ config(materialized='incremental') }}\nselect a.id from {{ ref('a') }} as a\n{% if is_incremental() %}left join {{ this }} as t on t.id = a.id where t.id is null{% endif %}\n",
        ),
    ]);
    let found: BTreeSet<String> = codes(folder.path()).into_iter().filter(|code| !code.contains("IDM9")).collect();
    assert_eq!(found, BTreeSet::new());
}

#[test]
fn hooks_predicates_and_misspelt_settings_are_found() {
    let start = "{{ config(materialized='incremental', unique_key='id'";
    let folder = project(&[
        ("models/hook.sql", &format!("{start}, post_hook=\"insert into audit (m) values ('hook')\") }}}}\n{DEDUPED}")),
        ("models/quiet.sql", &format!("{start}, post_hook=['analyze {{{{ this }}}}']) }}}}\n{DEDUPED}")),
        ("models/either.sql", &format!("{start}, incremental_predicates=['d > 1 or d is null']) }}}}\n{DEDUPED}")),
        ("models/near.sql", &format!("{{{{ config(materialized='incremental', unique_keys='id') }}}}\n{DEDUPED}")),
        ("models/value.sql", &format!("{start}, on_schema_change='sync') }}}}\n{DEDUPED}")),
    ]);
    let mut found = codes(folder.path());
    // Without a dialect, which strategy uses the predicates is not known.
    found.remove("either IDM706");
    assert_eq!(found, set(&["hook IDM704", "near IDM701", "near IDM707", "value IDM707"]));
}

#[test]
fn a_suppression_and_the_settings_of_the_linter_hold_in_models() {
    let model = format!("{{{{ config(materialized='incremental') }}}}\n{DEDUPED}");
    let folder = project(&[("models/a.sql", &model), ("idemsql.yaml", "lint:\n  ignore: [IDM701]\n")]);
    assert_eq!(codes(folder.path()), set(&["a IDM404"]));
}

const PROJECT: &str = r#"name: shop
profile: shop
on-run-start:
  - "create table if not exists {{ target.schema }}.audit (run text)"
  - "insert into {{ target.schema }}.audit (run) values ('{{ invocation_id }}')"
  - create table {{ target.schema }}.marks (n int)
on-run-end: |
  {% if execute %}
  update {{ target.schema }}.counters
  set n = n + 1;
  {% endif %}
models:
  shop:
    +post-hook:
      - sql: 'insert into log (m) values (''it''''s'')'
        transaction: false
    staging:
      +pre-hook: ["delete from kept", "insert into kept select * from {{ ref('a') }}"]
      +post-hook: "insert into {{ this }} values (-1, 'unknown')"
"#;

#[test]
fn commands_of_the_project_file_are_found_where_they_stand() {
    let folder = project(&[
        ("dbt_project.yml", PROJECT),
        ("models/a.sql", "select 1 as a\n"),
        ("models/schema.yml", "models:\n  - name: a\n    config:\n      post_hook: insert into log values (2)\n"),
        ("models/other.yml", "models:\n  - name: a\n    columns: [{name: a, data_tests: [unique]}]\n"),
    ]);
    let found = [
        "dbt_project.yml IDM704 {{ target.schema }}.audit (run) values ('{{ invocation_id }}')\"",
        "dbt_project.yml IDM704 {{ target.schema }}.marks (n int)",
        "dbt_project.yml IDM704 n = n + 1;",
        "dbt_project.yml IDM704 log (m) values (''it''''s'')'",
        "models/schema.yml IDM704 log values (2)",
    ];
    for paths in [&["."][..], &["models"], &["models", "dbt_project.yml"], &["dbt_project.yml", "models/schema.yml"]] {
        assert_eq!(places(folder.path(), paths), found, "{paths:?}");
    }
    assert_eq!(places(folder.path(), &["models/a.sql"]), [""; 0]);
}

#[test]
fn a_properties_file_may_use_one_part_very_often() {
    let columns = (0..200).map(|at| format!("      - {{name: c{at}, data_tests: *all}}\n")).collect::<String>();
    let text = format!(
        "parts: &all [not_null]\nmodels:\n  - name: a\n    config: {{unique_key: id}}\n    columns:\n{columns}"
    );
    let folder = project(&[
        ("dbt_project.yml", "name: shop\nmodels: {+materialized: incremental}\n"),
        ("models/a.sql", DEDUPED),
        ("models/a.yml", &text),
    ]);
    assert_eq!(codes(folder.path()), set(&[]));
}

#[test]
fn a_comment_or_a_setting_allows_a_command() {
    let text = "name: shop\non-run-end:\n  # idemsql: allow IDM704 -- a log\n  - insert into log values (1)\n  \
                - insert into audit values (1)\n  - insert into kept values (1)\n";
    let folder = project(&[
        ("dbt_project.yml", text),
        ("models/a.sql", "select 1 as a\n"),
        ("idemsql.yaml", "lint: {append_only: [audit]}\n"),
    ]);
    assert_eq!(places(folder.path(), &["."]), ["dbt_project.yml IDM704 kept values (1)"]);
}

#[test]
fn a_hook_may_change_a_table_that_is_made_anew() {
    let hooked = |kind: &str| {
        format!(
            "{{{{ config(materialized='{kind}', unique_key='id', post_hook=\"insert into {{{{ this }}}} values (-1)\") }}}}\n{DEDUPED}"
        )
    };
    let folder = project(&[("models/kept.sql", &hooked("incremental")), ("models/anew.sql", &hooked("table"))]);
    assert_eq!(codes(folder.path()), set(&["kept IDM704"]));
}

/// Macros as projects have them.
const MACROS: &[&str] = &[
    "{% macro generate_schema_name(custom_schema_name, node) -%}\n    {%- set default_schema = target.schema -%}\n    \
     {%- if custom_schema_name is none -%}\n        {{ default_schema }}\n    {%- else -%}\n        \
     {{ default_schema }}_{{ custom_schema_name | trim }}\n    {%- endif -%}\n{%- endmacro %}\n",
    "{% macro cents_to_dollars(column_name, scale=2) %}\n    ({{ column_name }} / 100)::numeric(16, {{ scale }})\n{% endmacro %}\n",
    "{% macro grant_select(schemas, role) %}\n  {% for schema in schemas %}\n    grant usage on schema {{ schema }} to {{ role }};\n    \
     grant select on all tables in schema {{ schema }} to {{ role }};\n  {% endfor %}\n{% endmacro %}\n",
    "{% macro grant_all(role) %}\n{% set sql %}\n    grant select on all tables in schema {{ target.schema }} to {{ role }};\n\
     {% endset %}\n{% do run_query(sql) %}\n{% do log(\"granted\", info=True) %}\n{% endmacro %}\n",
    "{% macro limit_in_dev() %}{% if target.name == 'dev' %}limit 100{% endif %}{% endmacro %}\n",
    "{% macro get_statuses() %}\n{% call statement('statuses', fetch_result=True) %}\n  select distinct status from {{ ref('orders') }}\n\
     {% endcall %}\n{{ return(load_result('statuses')['data']) }}\n{% endmacro %}\n",
    "{% macro get_incremental_ours_sql(arg_dict) %}\n  {% set target = arg_dict['target_relation'] %}\n  \
     delete from {{ target }} where id in (select id from {{ arg_dict['temp_relation'] }});\n  \
     insert into {{ target }} select * from {{ arg_dict['temp_relation'] }};\n{% endmacro %}\n",
    "{% macro default__copy(from, to, where) %}\n  insert into {{ to }} select * from {{ from }}\n  \
     {% if where %}where {{ where }}{% endif %}\n{% endmacro %}\n",
    "{% macro log_once(run) %}\n  {% set there = run_query(\"select 1 from audit where run = 'x'\") %}\n  {% if there | length == 0 %}\n    \
     insert into audit (run) values ('{{ run }}');\n  {% endif %}\n{% endmacro %}\n",
    "{% macro log_new(source) %}\n  insert into audit (run) select run from {{ source }} as s {{ only_new('s') }}\n{% endmacro %}\n",
    "{% macro log_filtered(filter) %}\n  insert into audit (run) select run from runs {{ filter }}\n{% endmacro %}\n",
    "{% macro reload() %}\n  {{ emptied('audit') }};\n  insert into audit (run) values ('x');\n{% endmacro %}\n",
    "{% macro replaced(run) %}\n  delete from audit where run = '{{ run }}';\n  insert into audit (run) values ('{{ run }}');\n\
     {% endmacro %}\n",
    "{% macro leaves() %}\n{% if not loaded() %}{{ return('') }}{% endif %}\ninsert into audit (run) values ('x')\n{% endmacro %}\n",
    "{% test is_even(model, column_name) %}\nselect * from {{ model }} where {{ column_name }} % 2 = 1\n{% endtest %}\n",
    "{% materialization ours, default %}\n  {% call statement('main') %}\n    insert into audit values (1)\n  {% endcall %}\n\
     {% endmaterialization %}\n",
    "{% macro upserted() %}\n  merge into dim as d using {{ ref('s') }} as s on d.id = s.id\n  when matched then update set\n  \
     {% for c in columns %}{{ c }} = s.{{ c }}{% if not loop.last %},{% endif %}{% endfor %}\n{% endmacro %}\n",
    "{%-\n  macro\n    on_lines(a,\n    b)\n-%}\n  ({{ a }} / {{ b }})\n{%-\n  endmacro\n-%}\n",
    "{% macro raw_one() %}{% raw %}insert into audit values ('{{ x }}'){% endraw %}{% endmacro %}\n",
    "{% macro open_ended() %}\ninsert into audit values (1)\n",
    "{% macro quoted() %}\n  -- don't {{ touch }} this\n  select '{{ var(\"it's\") }}' as a, \"b\" from c\n{% endmacro %}\n",
    "{% macro helper(t) %}create table if not exists {{ t }} (a int);{% endmacro %}\n\
     {% macro cleared() %}truncate audit;{% endmacro %}\n",
];

#[test]
fn macros_of_real_projects_are_quiet() {
    for text in MACROS {
        let folder = project(&[("dbt_project.yml", "name: shop\n"), ("macros/m.sql", text)]);
        assert_eq!(places(folder.path(), &["."]), [""; 0], "{text}");
        // Whoever lints one file has no project around it.
        let alone = project(&[("m.sql", text)]);
        assert_eq!(places(alone.path(), &["."]), [""; 0], "{text}");
    }
}

#[test]
fn statements_of_macros_that_add_rows_are_found() {
    let folder = project(&[
        ("dbt_project.yml", "name: shop\n"),
        (
            "macros/audit.sql",
            "{% macro log_start(run) %}\n  insert into {{ target.schema }}.audit (run, at) values ('{{ run }}', current_timestamp);\n\
             {% endmacro %}\n\n{% macro log_all() %}\n{% call statement('x') %}\n  insert into {{ target.schema }}.log select * from runs\n\
             {% endcall %}\n{% endmacro %}\n\n{% macro counted() %}\n{% do run_query(\"update counters set n = n + 1\") %}\n{% endmacro %}\n\n\
             {% macro allowed() %}\n  -- idemsql: allow IDM101 -- a log\n  insert into {{ source('a', 'b') }} values (1);\n  \
             insert into {{ source('a', 'b') }} values (2);\n{% endmacro %}\n",
        ),
    ]);
    assert_eq!(
        places(folder.path(), &["."]),
        [
            "macros/audit.sql IDM101 {{ target.schema }}.audit (run, at) values ('{{ run }}', current_timestamp);",
            "macros/audit.sql IDM102 {{ target.schema }}.log select * from runs",
            "macros/audit.sql IDM201 n = n + 1\") %}",
            "macros/audit.sql IDM101 {{ source('a', 'b') }} values (2);",
        ]
    );
}

#[test]
fn snapshots_that_record_what_did_not_change_are_found() {
    let block = |name: &str, config: &str, select: &str| {
        format!("{{% snapshot {name} %}}\n{{{{ config({config}) }}}}\n{select}\n{{% endsnapshot %}}\n")
    };
    let time = "unique_key='id', strategy='timestamp', updated_at='updated_at'";
    let all = [
        block("good", time, "select * from {{ source('s', 'orders') }}"),
        block("clock", time, "select id, now() as updated_at from {{ source('s', 'orders') }}"),
        block("of_dbt", time, "select id, {{ dbt.current_timestamp() }} as updated_at from {{ source('s', 'o') }}"),
        block("either", time, "select id, coalesce(updated_at, now()) as updated_at from {{ source('s', 'o') }}"),
        block("own", "unique_key='id', strategy='timestamp', updated_at='getdate()'", "select * from {{ ref('o') }}"),
        block("compared", "check_cols='all'", "with a as (select id, now() as at from t) select * from a"),
        block("listed", "check_cols=['id']", "with a as (select id, now() as at from t) select * from a"),
        block(
            "window",
            &format!("{time}, hard_deletes='new_record'"),
            "select * from o where seen > now() - interval '1 day'",
        ),
        block("kept", time, "select * from o where seen > now() - interval '1 day'"),
        block("loop", time, "{% for t in all %}select id, now() as updated_at from {{ t }}{% endfor %}"),
        block("fresh", "unique_key='k', strategy='check', check_cols=['a']", "select random() as k, a from o"),
    ];
    let declared = "snapshots:\n  - name: by_clock\n    relation: ref('a')\n    config:\n      updated_at: current_timestamp\n  \
                    - name: fine\n    relation: source('s', 'o')\n    config: {strategy: timestamp, updated_at: at, unique_key: id}\n  \
                    - name: clock\n    description: said of the block\n";
    let tree = "name: shop\nsnapshots:\n  +unique_key: id\n  shop:\n    by_clock: {+strategy: timestamp}\n    \
                compared: {+strategy: check}\n    listed: {+strategy: check}\n";
    let folder = project(&[
        ("dbt_project.yml", tree),
        ("snapshots/all.sql", &all.concat()),
        ("snapshots/all.yml", declared),
        ("models/a.sql", "select 1 as id\n"),
    ]);
    let found = [
        "snapshots/all.sql IDM708 now() as updated_at from {{ source('s', 'orders') }}",
        "snapshots/all.sql IDM708 {{ dbt.current_timestamp() }} as updated_at from {{ source('s', 'o') }}",
        "snapshots/all.sql IDM708 updated_at='getdate()') }}",
        "snapshots/all.sql IDM708 now() as at from t) select * from a",
        "snapshots/all.sql IDM708 seen > now() - interval '1 day'",
        "snapshots/all.sql IDM708 random() as k, a from o",
        "snapshots/all.yml IDM708 updated_at: current_timestamp",
    ];
    assert_eq!(places(folder.path(), &["."]), found);
    assert_eq!(places(folder.path(), &["snapshots"]), found);
}
