//! IDM102.

use super::insert_values_without_guard::literal_rows;
use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Step;
use crate::lint::proof::append::{self, Again};
use crate::lint::proof::watermark::Variables;
use crate::lint::proof::{antijoin, claim, enclosed, key};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Insert, Mode, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM102",
    name: "insert-select-append",
    severity: Severity::Error,
    class: Class::Data,
    summary: "INSERT .. SELECT that loads the same rows again",
    setup: "CREATE TABLE sales (id int, day date, amount int); CREATE TABLE raw_sales (id int, day date, amount int);
            CREATE TABLE load_log (day date, loaded_at timestamp);
            INSERT INTO raw_sales VALUES (1, '2026-01-01', 5), (2, '2026-01-01', 7);",
    docs: "\
## What it finds

A load that appends what its query finds, and finds the same rows in the next run.

```sql,bad,adds
INSERT INTO sales (id, day, amount)
SELECT id, day, amount FROM raw_sales WHERE day = DATE '2026-01-01';
```

```sql,good
INSERT INTO sales (id, day, amount)
SELECT s.id, s.day, s.amount FROM raw_sales AS s
WHERE s.day = DATE '2026-01-01'
  AND NOT EXISTS (SELECT 1 FROM sales AS t WHERE t.id = s.id);
```

```sql,good
BEGIN;
DELETE FROM sales WHERE day = DATE '2026-01-01';
INSERT INTO sales (id, day, amount)
SELECT id, day, amount FROM raw_sales WHERE day = DATE '2026-01-01';
COMMIT;
```

```sql,good
BEGIN;
INSERT INTO load_log (day)
SELECT DISTINCT s.day FROM raw_sales AS s
WHERE NOT EXISTS (SELECT 1 FROM load_log AS o WHERE o.day = s.day);
INSERT INTO sales (id, day, amount)
SELECT s.id, s.day, s.amount FROM raw_sales AS s
WHERE EXISTS (SELECT 1 FROM load_log AS o WHERE o.day = s.day AND o.loaded_at IS NULL);
UPDATE load_log SET loaded_at = CURRENT_TIMESTAMP WHERE loaded_at IS NULL;
COMMIT;
```

```sql,good,snowflake
INSERT OVERWRITE INTO mart.sales SELECT id, day, amount FROM land.sales;
```

Every form of an anti-join against the target counts as a guard: NOT EXISTS, LEFT JOIN .. IS NULL, ANTI JOIN, EXCEPT, NOT IN,
a count that is zero, also behind WITH entries; so does a strict high watermark, a DELETE in the WITH list, a claim that gives
its row once, a note in a log that the same transaction closes afterwards, and a source that the script empties. DISTINCT is none: it looks at the source alone.

## Why

A load is run again after a crash, after a late file, by a scheduler that retries. Rows that it adds twice are counted twice.

## Instead

Leave out what is there (ON CONFLICT with a unique key, MERGE, NOT EXISTS), or clear the range that is loaded in the same
transaction.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let variables = Variables::of(check.context);
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        if insert.conflict.is_some() || insert.mode != Mode::Into || literal_rows(step.sql, insert).is_some() {
            continue;
        }
        if super::watermark_without_overlap_or_dedupe::speaks(check.context, step, verb, &variables) {
            continue;
        }
        if let Some(report) = judge(check, step, insert) {
            check.report(step, report.group(insert.target.key()));
        }
    }
}

fn judge<'a>(check: &Check<'_, 'a>, step: &Step<'a>, insert: &Insert<'a>) -> Option<Report> {
    let context = check.context;
    let target = insert.target;
    let name = append::shown(target);
    let guards = antijoin::of(insert, &context.options.aliases);
    if guards.guarded || super::antijoin_other_table::misled(&guards).is_some() {
        return None;
    }
    if append::clears_itself(insert)
        || append::skips_by_hint(step, insert)
        || append::moves(context, step, &guards.sources)
        || append::streams(context, &guards.sources)
        || append::closes(context, step, insert)
        || claim::reads_new(context, step)
        || enclosed::tests_variable(context, step, &insert.source, target)
    {
        return None;
    }
    let created = match append::again(context, step, target) {
        Again::Safe => return None,
        Again::Stopped(created) => Some(created),
        Again::Adds => None,
    };
    if let Some(created) = created {
        let message = format!(
            "a second run stops at {}; without it, it would load the same rows again",
            append::stop(context, created, &name)
        );
        return Some(
            Report::at(target.sql.range(), message)
                .label("appends what the query finds")
                .also(context.steps[created].sql.range(), "fails on the second run")
                .help("let the client stop at errors; or give both a guard, IF NOT EXISTS and one for the rows")
                .at_most(Severity::Info),
        );
    }
    let table = context.table_of(insert);
    let enforced = table.filter(|_| context.dialect.client.enforces_keys);
    let defeated = enforced.and_then(|table| key::defeated(insert, table)).unwrap_or_default();
    if super::insert_with_volatile_key::volatile_key(&defeated).is_some() {
        return None;
    }
    if let Some(key) = enforced.and_then(|table| key::met(insert, table)) {
        let columns = key.columns.join(", ");
        return Some(
            Report::at(target.sql.range(), format!("a second run fails: the keys `{columns}` are in `{name}` already"))
                .label("supplies the same keys each time")
                .help(append::instead(context, insert, Some(&key.columns), table))
                .severity(Severity::Warning),
        );
    }
    let itself = guards.sources.iter().find(|source| source.may_be(target) && source.sql.range() != target.sql.range());
    let report = match itself {
        Some(source) => Report::at(
            target.sql.range(),
            format!("a second run finds the rows of `{name}` that the first one added, and adds them again"),
        )
        .label("adds to the table that it reads")
        .also(source.sql.range(), "reads it here"),
        None => Report::at(target.sql.range(), format!("a second run adds the same rows to `{name}` again"))
            .label("appends what the query finds"),
    };
    Some(report.help(format!(
        "{}; or delete the rows of the same range first, in one transaction",
        append::instead(context, insert, None, table)
    )))
}
