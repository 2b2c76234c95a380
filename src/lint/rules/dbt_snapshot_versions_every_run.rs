//! IDM708.

use super::relative_window::moves;
use super::volatile_value_in_load::picks;
use crate::diagnostic::{Severity, Source};
use crate::dialect::Dialect;
use crate::lint::check::{Check, Report};
use crate::lint::dbt::Snapshot;
use crate::lint::proof::key::volatile;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Common, Inner, Query, Table, Verb, read};
use crate::sql::script::Script;
use crate::sql::view::Sql;
use serde_json::Value;
use std::ops::Range;

pub(super) static RULE: Rule = Rule {
    code: "IDM708",
    name: "dbt-snapshot-versions-every-run",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a dbt snapshot records versions of rows that did not change, or deletes of rows that are there",
    setup: "",
    docs: "\
## What it finds

A snapshot that tells versions apart by a value that is another one in each run: the clock as `updated_at`, or the clock or a random
value among the columns that `check_cols` compares:

```jinja,bad,adds
{% snapshot orders_history %}
{{ config(unique_key='id', strategy='timestamp', updated_at='updated_at') }}
select id, status, current_timestamp as updated_at from {{ source('shop', 'orders') }}
{% endsnapshot %}
```

```jinja,bad,adds
{% snapshot customers_history %}
{{ config(unique_key='id', strategy='check', check_cols='all') }}
select id, name, current_timestamp as loaded_at from {{ source('shop', 'customers') }}
{% endsnapshot %}
```

One whose key is another value in each run, so that each row is a new one:

```jinja,bad,adds
{% snapshot prices_history %}
{{ config(unique_key='row_id', strategy='check', check_cols=['price']) }}
select gen_random_uuid() as row_id, sku, price from {{ source('shop', 'prices') }}
{% endsnapshot %}
```

The clock itself as `updated_at` is looked for as a column by the second run, which fails.

And one that records deletes while its SELECT takes a window that moves with the clock, or picks some of the rows:

```jinja,bad,changes
{% snapshot stock_history %}
{{ config(unique_key='id', strategy='timestamp', updated_at='updated_at', hard_deletes='invalidate') }}
select id, amount, updated_at from {{ source('shop', 'stock') }}
where updated_at >= current_date - 3
{% endsnapshot %}
```

```jinja,good
{% snapshot orders_history %}
{{ config(unique_key='id', strategy='timestamp', updated_at='updated_at', hard_deletes='invalidate') }}
select id, status, updated_at from {{ source('shop', 'orders') }}
{% endsnapshot %}
```

## Why

A run closes the version of a row and adds another one whenever `updated_at` is newer than the version, or a compared column is
another value. With the clock in that place each run, and each retry, adds a version of every row, and what really changed is lost
among them. With deletes recorded, a row that the SELECT no longer has is one that was deleted.

## Instead

Take `updated_at` from the source. Where the source has none, compare with `check_cols` the columns that carry meaning, and keep the
time of the load out of the snapshot: it has `dbt_valid_from`. Let the SELECT of a snapshot that records deletes give all rows.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for snapshot in &context.snapshots {
        let mut reports = Vec::new();
        reports.extend(clock_setting(snapshot, context.dialect));
        if let Some(select) = &snapshot.select {
            let script = Script::read(&select.text, context.dialect);
            let verb = script.statements.first().and_then(|statement| read(script.sql(statement)).ok());
            if let Some(Verb::Query(query)) = verb {
                reports.extend(versions(snapshot, &query));
                reports.extend(deletes(snapshot, &query));
            }
        }
        for report in reports {
            check.report_file(report.around(snapshot.config.place.clone()));
        }
    }
}

/// `updated_at` is the clock itself, to which dbt gives the name of the rows that it reads: `source_data.current_timestamp`.
fn clock_setting(snapshot: &Snapshot, dialect: &'static Dialect) -> Option<Report> {
    let text = snapshot.config.text("updated_at").ok()??;
    if snapshot.config.text("strategy") != Ok(Some("timestamp")) {
        return None;
    }
    let source = Source::new("updated_at", format!("SELECT {text}"));
    let script = Script::read(&source.text, dialect);
    let value = script.sql(script.statements.first()?).from(1);
    moving(value).then(|| {
        let name = &snapshot.name;
        let place = snapshot.config.place_of("updated_at");
        Report::at(place, format!("the second run of `{name}` fails: `{text}` is looked for as a column of its rows"))
            .label("is no column")
            .help("name a column of the source that says when the row changed, or use `strategy='check'`")
            .severity(Severity::Warning)
    })
}

/// The columns by which versions are told apart.
fn versions(snapshot: &Snapshot, query: &Query<'_>) -> Vec<Report> {
    let config = &snapshot.config;
    let columns = columns(query, &[], 0);
    let named = |wanted: &str| columns.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let mut all = Vec::new();
    for key in config.texts("unique_key").unwrap_or_default() {
        if let Some((name, value)) = named(&key).filter(|(_, value)| moving(*value)) {
            let report = Report::at(
                value.range(),
                format!(
                    "each run adds every row to `{}` once more: its key `{name}` is another value each time",
                    snapshot.name
                ),
            );
            all.push(
                report
                    .label("is another value in each run")
                    .help("take the key from the row, or a hash of what names it"),
            );
        }
    }
    let compared: Vec<&(String, Sql<'_>)> = match config.text("strategy") {
        Ok(Some("timestamp")) => config.text("updated_at").ok().flatten().and_then(named).into_iter().collect(),
        Ok(Some("check")) => match config.setting("check_cols").and_then(|setting| setting.value.as_ref()) {
            Some(Value::String(word)) if word == "all" => columns.iter().collect(),
            Some(_) => config.texts("check_cols").unwrap_or_default().iter().filter_map(|one| named(one)).collect(),
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    if let Some((name, value)) = compared.into_iter().find(|(_, value)| moving(*value)).filter(|_| all.is_empty()) {
        let report = every_row(snapshot, value.range(), &format!("`{name}`"));
        let by_time = config.text("strategy") == Ok(Some("timestamp"));
        all.push(report.help(if by_time {
            "take the time from the source: the column that says when the row changed".to_owned()
        } else {
            format!("leave `{name}` out of the SELECT, or name the columns to compare in `check_cols`")
        }));
    }
    all
}

fn every_row(snapshot: &Snapshot, place: Range<usize>, what: &str) -> Report {
    let name = &snapshot.name;
    Report::at(
        place,
        format!("each run adds another version of every row to `{name}`: {what} is another value each time"),
    )
    .label("is another value in each run")
}

/// A SELECT that does not give all rows, of a snapshot that takes those that are not there for deleted.
fn deletes(snapshot: &Snapshot, query: &Query<'_>) -> Option<Report> {
    let setting = snapshot.records_deletes()?;
    let name = &snapshot.name;
    let window = query
        .selects()
        .into_iter()
        .filter_map(|select| select.filter)
        .find_map(|filter| filter.conjuncts().into_iter().find(|conjunct| moves(*conjunct)));
    let report = match (window, picks(query, &[], 0)) {
        (Some(window), _) => Report::at(
            window.range(),
            format!(
                "rows that leave the window are recorded in `{name}` as deleted: a run tomorrow has another window"
            ),
        )
        .label("moves with the clock"),
        (None, Some(pick)) => {
            Report::at(pick.range(), format!("rows that a run does not pick are recorded in `{name}` as deleted"))
                .label("picks some of the rows, in no order")
        }
        (None, None) => return None,
    };
    Some(report.help(format!("let the SELECT give all rows, or do without `{setting}`")))
}

/// A value that is another one in each run, whatever the row: the clock or a random value, and nothing of the row with it, of
/// which the value may be that of the row.
fn moving(value: Sql<'_>) -> bool {
    volatile(value, None).is_some() && value.names().next().is_none()
}

/// The columns that a query gives, each with the value that it has where it is made: a column of a WITH entry or of a query in FROM
/// has that of the inner one. None where parts are joined by UNION.
fn columns<'a>(query: &Query<'a>, outer: &[&Common<'a>], depth: usize) -> Vec<(String, Sql<'a>)> {
    let [select] = query.selects()[..] else { return Vec::new() };
    let known: Vec<&Common<'a>> = outer.iter().copied().chain(&query.with).collect();
    let mut inner = Vec::new();
    for relation in select.from.iter().filter(|_| depth < 8) {
        match &relation.table {
            Table::Query(query) => inner.extend(columns(query, &known, depth + 1)),
            Table::Name(name) => {
                let common = known.iter().rfind(|common| common.name == name.key());
                if let Some(Inner::Query(query)) = common.map(|common| &common.inner) {
                    inner.extend(columns(query, &known, depth + 1));
                }
            }
            Table::Other => {}
        }
    }
    let mut all: Vec<(String, Sql<'a>)> = Vec::new();
    for item in &select.items {
        let found = item.value.as_name().and_then(|name| inner.iter().find(|(column, _)| *column == name.last()));
        match (&item.name, found) {
            (Some(name), Some((_, value))) => all.push((name.clone(), *value)),
            (Some(name), None) => all.push((name.clone(), item.value)),
            (None, _) if item.value.source().ends_with('*') => all.extend(inner.iter().cloned()),
            (None, _) => {}
        }
    }
    all
}
