//! IDM702.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::dbt::Strategy;
use crate::lint::rule::{Class, Rule};

pub(super) static RULE: Rule = Rule {
    code: "IDM702",
    name: "dbt-unique-key-ignored",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "an incremental dbt model has a unique_key that its strategy does not look at",
    setup: "",
    docs: "\
## What it finds

A `unique_key` beside a strategy that only appends: one that the model names, or the adapter's own choice, which on Spark and
Trino is to append whatever the key:

```jinja,bad,adds
{{ config(materialized='incremental', incremental_strategy='append', unique_key='id') }}
select id, amount from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date
{% endif %}
```

```jinja,bad,adds,trino
{{ config(materialized='incremental', unique_key='id') }}
select id, amount from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date
{% endif %}
```

```jinja,good
{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}
select distinct on (id) id, amount from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date
{% endif %}
order by id, paid_on desc
```

## Why

dbt says nothing of the key that it does not use. The rows come in once more with each run, and the `unique` test fails, if
there is one.

## Instead

Name a strategy that uses the key: `merge`, or `delete+insert`.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let Some(model) = check.context.incremental_model() else { return };
    let Ok(key) = model.config.texts("unique_key") else { return };
    let strategy = model.strategy();
    if key.is_empty() || strategy.name() != Some("append") {
        return;
    }
    let (place, why) = match (&strategy, model.adapter) {
        (Strategy::Default(_), Some(adapter)) => (
            model.config.place_of("unique_key"),
            format!("the adapter `{}` appends unless the model says more", adapter.name),
        ),
        _ => (model.config.place_of("incremental_strategy"), "`append` does not look at it".to_owned()),
    };
    let report = Report::at(
        place,
        format!("the key of `{}` is not used, and each run adds its rows once more: {why}", model.name),
    )
    .label("keeps no row out")
    .help("write `incremental_strategy='merge'`, or `delete+insert` where the adapter has it");
    check.report_file(report);
}
