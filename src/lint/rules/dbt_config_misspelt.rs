//! IDM707.

use crate::diagnostic::{Severity, nearest};
use crate::lint::check::{Check, Report};
use crate::lint::rule::{Class, Rule};
use serde_json::Value;

pub(super) static RULE: Rule = Rule {
    code: "IDM707",
    name: "dbt-config-misspelt",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a setting of an incremental dbt model is misspelt, and dbt passes over it",
    setup: "",
    docs: "\
## What it finds

A setting of an incremental model whose name or value is nearly one that dbt knows:

```jinja,bad,adds
{{ config(materialized='incremental', unique_keys='id') }}
select id, amount from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date - 3
{% endif %}
```

```jinja,bad,same
{{ config(materialized='incremental', unique_key='id', on_schema_change='append_new_column') }}
select distinct on (id) id, amount from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date - 3
{% endif %}
order by id, paid_on desc
```

```jinja,good
{{ config(materialized='incremental', unique_key='id', on_schema_change='fail', owner='finance') }}
select distinct on (id) id, amount from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date - 3
{% endif %}
order by id, paid_on desc
```

## Why

dbt takes any setting and says nothing of those that it does not know: a misspelt key is no key, and a misspelt value is the default.

## Instead

Write the name that dbt knows. A setting of your own belongs under `meta`.
",
    check,
};

/// Settings that decide what an incremental run does.
const NAMES: &[&str] = &[
    "materialized",
    "incremental_strategy",
    "unique_key",
    "on_schema_change",
    "full_refresh",
    "incremental_predicates",
    "merge_update_columns",
    "merge_exclude_columns",
    "event_time",
    "batch_size",
    "lookback",
    "begin",
];

/// Other settings that are near to one of those and mean something else.
const OTHERS: &[&str] =
    &["predicates", "partitions", "partition_by", "merge_update_condition", "merge_insert_condition"];

/// Values of `on_schema_change`: <https://docs.getdbt.com/docs/build/incremental-models>
const CHANGES: &[&str] = &["ignore", "fail", "append_new_columns", "sync_all_columns"];

fn check(check: &mut Check<'_, '_>) {
    let Some(model) = check.context.incremental_model() else { return };
    for (name, setting) in model.config.settings() {
        let place = setting.place.clone().unwrap_or_else(|| model.config.place.clone());
        let from = setting.file.as_deref().map(|file| format!(" in {file}")).unwrap_or_default();
        let known = NAMES.contains(&name) || OTHERS.contains(&name);
        if let Some(near) = nearest(name, NAMES.iter().copied()).filter(|near| !known && *near != name) {
            let report = Report::at(place, format!("dbt does not know `{name}`{from}, and passes over it"))
                .label(format!("means `{near}`"))
                .help(format!("write `{near}`; a setting of your own belongs under `meta`"));
            check.report_file(report);
            continue;
        }
        if let ("on_schema_change", Some(Value::String(value))) = (name, &setting.value)
            && !CHANGES.contains(&value.as_str())
        {
            let report = Report::at(
                place,
                format!("dbt does not know `{value}`{from}, and takes `ignore`: a new column is not loaded"),
            )
            .label("is no value of `on_schema_change`")
            .help(format!("write one of {}", CHANGES.join(", ")));
            check.report_file(report);
        }
    }
}
