//! IDM706.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::rule::{Class, Rule};
use crate::sql::script::Script;

pub(super) static RULE: Rule = Rule {
    code: "IDM706",
    name: "dbt-predicates-hide-rows",
    severity: Severity::Error,
    class: Class::Data,
    summary: "the incremental_predicates of a dbt model hide rows of the table from the key, or delete rows of other keys",
    setup: "",
    docs: "\
## What it finds

`incremental_predicates` with an OR. dbt's `delete+insert` pastes them behind AND without brackets, so that what stands behind the
OR deletes rows whatever their key:

```jinja,bad,changes
{{ config(materialized='incremental', unique_key='id', incremental_strategy='delete+insert',
    incremental_predicates=[\"paid_on >= current_date - 3 or paid_on is null\"]) }}
select distinct on (id) id, amount, paid_on from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date - 3
{% endif %}
order by id, paid_on desc
```

As a warning also the others: they filter the table and not the staged rows, so that a row outside of them is not found by its
key and is added once more.

```jinja,good
{{ config(materialized='incremental', unique_key='id', incremental_strategy='delete+insert') }}
select distinct on (id) id, amount, paid_on from {{ ref('payments') }}
{% if is_incremental() %}
where paid_on >= current_date - 3
{% endif %}
order by id, paid_on desc
```

## Why

The predicates are there for speed. What they hide from the key is, for the load, not there.

## Instead

Leave them out, or filter by a column that never changes for a key, in brackets, and the staged rows by the same.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let Some(model) = context.incremental_model() else { return };
    let name = if model.config.setting("predicates").is_some() { "predicates" } else { "incremental_predicates" };
    let (Ok(predicates), Some(true)) = (model.config.texts(name), model.is_keyed()) else { return };
    if predicates.is_empty() || !model.strategy().uses_key() {
        return;
    }
    let has_or = predicates.iter().any(|predicate| {
        let script = Script::read(predicate, context.dialect);
        script.statements.iter().any(|statement| {
            let sql = script.sql(statement);
            sql.top().any(|at| sql.is(at, "or"))
        })
    });
    let place = model.config.place_of(name);
    let report = if has_or {
        Report::at(place, format!("rows of `{}` are deleted or matched whatever their key: dbt puts the OR behind its own AND without brackets", model.name))
            .label("has an OR outside of brackets")
            .help("put brackets around it: `(a or b)`")
    } else {
        Report::at(
            place,
            format!(
                "a row of `{}` outside of these predicates is not found by its key, and is added once more",
                model.name
            ),
        )
        .label("filters the table and not the staged rows")
        .severity(Severity::Warning)
        .help("leave them out, or filter by a column that never changes for a key, and the SELECT by the same")
    };
    check.report_file(report);
}
