//! IDM406.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::clear;
use crate::lint::proof::range::brief;
use crate::lint::proof::window::window;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Mode, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM406",
    name: "unscoped-overwrite",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "INSERT OVERWRITE replaces the whole table by a window of its rows",
    setup: "",
    docs: "\
## What it finds

INSERT OVERWRITE without PARTITION or REPLACE WHERE, of a query that is limited to a day or a window of days.

```sql,bad,same,databricks
INSERT OVERWRITE TABLE sales SELECT day, n FROM raw_sales WHERE day = '2026-01-01';
```

```sql,bad,same,snowflake
INSERT OVERWRITE INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day >= '2026-01-01';
```

```sql,good,databricks
INSERT OVERWRITE TABLE sales PARTITION (day = '2026-01-01') SELECT n FROM raw_sales WHERE day = '2026-01-01';
```

```sql,good,databricks
INSERT INTO TABLE sales REPLACE WHERE day = '2026-01-01' SELECT day, n FROM raw_sales WHERE day = '2026-01-01';
```

Nothing is said where the query loads everything, nor where the same script sets the dynamic mode of partition overwrite.

## Why

Without a scope the statement removes every row first. All days but those of the window are lost, and a run for another day
leaves that day alone.

## Instead

Name the partition, or the predicate, that is replaced.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let mut dynamic = None;
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        let files = insert.target.sql.range().start > 0 && step.sql.is_any(2, &["directory", "local"]);
        if insert.mode != Mode::Overwrite || insert.partition.is_some() || files {
            continue;
        }
        let dynamic = dynamic.get_or_insert_with(|| {
            let modes = context.steps.iter().map(|step| step.sql).filter(|sql| sql.is(0, "set"));
            modes.map(|sql| sql.source().to_ascii_lowercase()).any(|text| {
                (text.contains("partitionoverwritemode") && text.contains("dynamic"))
                    || (text.contains("dynamic.partition") && text.contains("nonstrict"))
            })
        });
        if *dynamic || clear::is_passing(context, step, insert.target) {
            continue;
        }
        let Some(window) = window(context, insert) else { continue };
        let name = insert.target.shown();
        let scope = if context.dialect.client.autocommit && context.dialect.script.is_none() {
            format!("write `INSERT INTO {name} REPLACE WHERE {} SELECT ..`, or name the PARTITION", brief(window))
        } else {
            format!("write `DELETE FROM {name} WHERE {}` and `INSERT INTO {name}`, in one transaction", brief(window))
        };
        let report = Report::at(
            insert.target.sql.range(),
            format!("each run replaces all rows of `{name}` by those of a window: the others are lost"),
        )
        .label("is replaced whole")
        .also(window.range(), "loads these rows alone")
        .help(scope)
        .group(insert.target.key());
        check.report(step, report);
    }
}
