//! IDM701.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::finding::{Edit, Safety};
use crate::lint::rule::{Class, Rule};

pub(super) static RULE: Rule = Rule {
    code: "IDM701",
    name: "dbt-incremental-without-unique-key",
    severity: Severity::Error,
    class: Class::Data,
    summary: "an incremental dbt model has no unique_key, so that each run adds its rows once more",
    setup: "",
    docs: "\
## What it finds

An incremental model whose strategy adds rows and that has no `unique_key`, in its own `config`, in a properties file or in
`dbt_project.yml`:

```jinja,bad,adds
{{ config(materialized='incremental') }}
select id, amount, paid_at from {{ ref('payments') }}
{% if is_incremental() %}
where paid_at >= (select coalesce(max(paid_at), timestamp '1900-01-01') from {{ this }})
{% endif %}
```

```jinja,good
{{ config(materialized='incremental', unique_key='id') }}
select distinct on (id) id, amount, paid_at from {{ ref('payments') }}
{% if is_incremental() %}
where paid_at >= (select coalesce(max(paid_at), timestamp '1900-01-01') - interval '3 days' from {{ this }})
{% endif %}
order by id, paid_at desc
```

A model that replaces a part of its table as a whole (`insert_overwrite`, `microbatch`, `replace_where`) needs no key, and is
left alone; so is a strategy of your own, and one that compares with `{{ this }}` which rows are there.

## Why

Without a key every strategy of dbt inserts what the SELECT gives. A retry, a `dbt build` behind a failed one, or an overlap
of the window doubles rows.

## Instead

Set `unique_key` to the columns that name one row, and keep one row of each key in the SELECT.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let Some(model) = check.context.incremental_model() else { return };
    if model.is_keyed() != Some(false) {
        return;
    }
    // Without an adapter that we know: what every one of them does without a key, but for those that overwrite.
    if !model.strategy().may_write_by_row() || model.config.text("incremental_strategy").is_err() {
        return;
    }
    let compares = model.select.as_ref().is_none_or(|select| compares(&select.text));
    if compares {
        return;
    }
    let place = model.config.place.clone();
    let report = Report::at(
        place.clone(),
        format!("each run adds its rows to `{}` once more: the model has no `unique_key`", model.name),
    )
    .label("is incremental and has no key");
    let tested = model.unique.first();
    let report = match tested {
        Some(key) => report.help(format!("set `unique_key={}`, which the project tests to be unique", literal(key))),
        None => report.help("set `unique_key` to the columns that name one row"),
    };
    let end = place.end.saturating_sub(2);
    let call = &check.context.source.text[place.clone()];
    let report = match (tested, call.trim_end_matches(['}', '-', ' ', '\n']).strip_suffix(')')) {
        (Some(key), Some(before)) if call.contains("config(") && end > place.start => {
            let at = place.start + before.trim_end().trim_end_matches(',').len();
            let edit = Edit { range: at..at, text: format!(", unique_key={}", literal(key)) };
            report.fix(Safety::Unsafe, "set the tested key as `unique_key`", vec![edit])
        }
        _ => report,
    };
    check.report_file(report);
}

/// True when the SELECT looks for its own rows in the model's table other than by their greatest value.
fn compares(select: &str) -> bool {
    let words: String = select.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    words.match_indices("dbt_this").any(|(at, _)| {
        let before = &words[..at];
        let from = before.rfind("select").unwrap_or_default();
        !before[from..].contains("max(") && !before[from..].contains("max (")
    })
}

/// A key as dbt reads it.
fn literal(key: &[String]) -> String {
    match key {
        [one] => format!("'{one}'"),
        all => format!("[{}]", all.iter().map(|one| format!("'{one}'")).collect::<Vec<_>>().join(", ")),
    }
}
