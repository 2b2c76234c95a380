//! IDM703.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::rule::{Class, Rule};

pub(super) static RULE: Rule = Rule {
    code: "IDM703",
    name: "dbt-incremental-without-filter",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "an incremental dbt model reads all of its source in each run",
    setup: "",
    docs: "\
## What it finds

An incremental model with no branch of `is_incremental()`: each run reads the whole source, and writes every row of it again.

```jinja,bad,same
{{ config(materialized='incremental', unique_key='id') }}
select distinct on (id) id, amount, paid_at from {{ ref('payments') }}
order by id, paid_at desc
```

```jinja,good
{{ config(materialized='incremental', unique_key='id') }}
select distinct on (id) id, amount, paid_at from {{ ref('payments') }}
{% if is_incremental() %}
where paid_at >= (select coalesce(max(paid_at), timestamp '1900-01-01') - interval '3 days' from {{ this }})
{% endif %}
order by id, paid_at desc
```

What is wrong with the filter itself, such as a bound that is null for an empty table, says
`watermark-without-overlap-or-dedupe` (IDM404). A model by `microbatch` is filtered by dbt, and one by `insert_overwrite`
replaces what it reads; both are left alone.

## Why

dbt's `merge` and `delete+insert` write every row that they are given, changed or not. A load that reads all costs as much as
a rebuild and does less: rows that left the source stay.

## Instead

Read what is new and a little more, or say `materialized='table'`.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let Some(model) = check.context.incremental_model() else { return };
    let filters = model.select.as_ref().is_none_or(|select| select.has_branch || select.has_unknown);
    if filters || !model.strategy().may_write_by_row() || model.config.is_open {
        return;
    }
    // Without a key, IDM701 says worse of it.
    if model.is_keyed() != Some(true) {
        return;
    }
    let report = Report::at(
        model.config.place.clone(),
        format!("each run reads all of the source and writes every row of `{}` again", model.name),
    )
    .label("is incremental and has no `is_incremental()`")
    .help("filter what an incremental run reads, in `{% if is_incremental() %}`, or write `materialized='table'`");
    check.report_file(report);
}
