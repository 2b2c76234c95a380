//! IDM705.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::rule::{Class, Rule};

pub(super) static RULE: Rule = Rule {
    code: "IDM705",
    name: "dbt-schema-change-loses-data",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "an incremental dbt model drops columns, or empties them, when its SELECT no longer has them",
    setup: "",
    docs: "\
## What it finds

`on_schema_change='sync_all_columns'`, which drops a column that the SELECT no longer has, with all of its values; a column
that gets another name is dropped, too:

```jinja,bad,changes
{{ config(materialized='incremental', unique_key='id', on_schema_change='sync_all_columns') }}
select distinct on (id) id, amount from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date - 3
{% endif %}
order by id, paid_on desc
```

As an information also `append_new_columns`: a row that is loaded again loses its value of a column that is no longer selected.

```jinja,good
{{ config(materialized='incremental', unique_key='id', on_schema_change='fail') }}
select distinct on (id) id, amount from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date - 3
{% endif %}
order by id, paid_on desc
```

## Why

Nothing asks before the column goes, the run ends well, and what an incremental model has kept is often nowhere else.

## Instead

Let the run fail, and change the table by a migration that somebody has read.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let Some(model) = check.context.incremental_model() else { return };
    let Ok(Some(value)) = model.config.text("on_schema_change") else { return };
    let place = model.config.place_of("on_schema_change");
    let name = &model.name;
    let report = match value {
        "sync_all_columns" => Report::at(
            place,
            format!(
                "a column that the SELECT of `{name}` no longer has is dropped, with all values of the rows that are not loaded again"
            ),
        ),
        "append_new_columns" => Report::at(
            place,
            format!("a row of `{name}` that is loaded again loses its value of a column that is no longer selected"),
        )
        .severity(Severity::Info),
        _ => return,
    };
    check.report_file(
        report.label("loses values").help("write `on_schema_change='fail'`, and change the table by a migration"),
    );
}
