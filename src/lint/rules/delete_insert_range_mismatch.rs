//! IDM401.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Context;
use crate::lint::proof::antijoin;
use crate::lint::proof::clear::{self, Clear};
use crate::lint::proof::predicate;
use crate::lint::proof::range::{self, Cover, brief};
use crate::lint::proof::watermark::{Variables, watermarks};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Insert, Merge, Mode, Source, Verb};
use crate::sql::view::Sql;

pub(super) static RULE: Rule = Rule {
    code: "IDM401",
    name: "delete-insert-range-mismatch",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a DELETE clears other rows than the INSERT behind it loads",
    setup: "\
CREATE TABLE sales (day date, n int);
CREATE TABLE raw_sales (day date, n int);
INSERT INTO raw_sales (day, n) VALUES ('2026-01-01', 1), ('2026-01-02', 2), ('2026-01-03', 3);
CREATE TABLE frame (code text, price int);
",
    docs: "\
## What it finds

A DELETE and an INSERT into the same table where the predicate of the DELETE lets rows stand that the INSERT loads again.

```sql,bad,adds
BEGIN;
DELETE FROM sales WHERE day = DATE '2026-01-02';
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day >= DATE '2026-01-01';
COMMIT;
```

```sql,bad,adds
BEGIN;
DELETE FROM frame WHERE code = 'oak';
INSERT INTO frame (code, price) VALUES ('oak', 10), ('pine', 12);
COMMIT;
```

```sql,bad,adds,sqlserver
BEGIN TRANSACTION;
DELETE FROM dbo.Sales WHERE Day = '20260101';
INSERT INTO dbo.Sales (Day, N) SELECT Day, N FROM stg.Sales WHERE Day IN ('20260101', '20260102');
COMMIT TRANSACTION;
```

A bound that both read from the target, too: the DELETE moves it, and the INSERT begins earlier.

```sql,bad,adds
BEGIN;
DELETE FROM sales WHERE day >= (SELECT MAX(day) - 1 FROM sales);
INSERT INTO sales (day, n)
SELECT day, n FROM raw_sales WHERE day >= (SELECT COALESCE(MAX(day) - 1, DATE '2000-01-01') FROM sales);
COMMIT;
```

```sql,good
BEGIN;
DELETE FROM sales WHERE day >= DATE '2026-01-01';
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day >= DATE '2026-01-01';
COMMIT;
```

The predicates are compared after each source column is given the name of the target's column that it fills. A DELETE that
clears more than is loaded is fine, and so is one by the keys of the staged rows. Where the texts do not tell, such as two
parameters of different names, nothing is said.

## Why

Delete and insert is safe to run again because the rows of the first run are gone before they are added once more. Rows that
the DELETE leaves out are there twice after the second run, and no key or error tells of it.

## Instead

Write the same predicate in both statements, and let both take their bounds from the same parameters.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        if let Verb::Merge(merge) = verb
            && let Some(report) = in_merge(merge)
        {
            check.report(step, report);
        }
        let Verb::Insert(insert) = verb else { continue };
        let Some(nearest) = clear::nearest(context, step, insert.target) else { continue };
        if nearest.step.statement.frame != step.statement.frame {
            continue;
        }
        if let Some(report) = moved(context, insert, &nearest)
            && !clear::is_passing(context, step, insert.target)
        {
            check.report(step, report);
            continue;
        }
        if guards_itself(insert) {
            continue;
        }
        let loads = predicate::loads(context, insert);
        if nearest.cover(&loads) != Cover::Part {
            continue;
        }
        let clears = clear::before(context, step, insert.target);
        if clear::together(&clears, &loads) == Cover::Part && !clear::is_passing(context, step, insert.target) {
            let report = report(context, insert, &clears[0]);
            check.report(step, report);
        }
    }
}

/// A MERGE that matches no row and replaces a range: it deletes what its branch says and inserts its source.
fn in_merge(merge: &Merge<'_>) -> Option<Report> {
    if !["false", "1 = 0", "0 = 1", "1 = 2"].contains(&merge.on.normal().as_str()) {
        return None;
    }
    let (delete, load) = predicate::replaced(merge)?;
    let filter = delete.filter?;
    let name = merge.target.shown();
    (range::cover(&delete, &[load]) == Cover::Part).then(|| {
        Report::at(filter.range(), format!("a second run adds rows to `{name}` again that the DELETE does not clear"))
            .label("clears only these rows")
            .also(merge.source.sql.range(), "loads others")
            .help("write the same range in both: in the source and in WHEN NOT MATCHED BY SOURCE")
    })
}

/// True when the INSERT itself looks for the rows that are there.
fn guards_itself(insert: &Insert<'_>) -> bool {
    let reads = match &insert.source {
        Source::Query(query) => range::reads(query.sql, insert.target),
        _ => false,
    };
    insert.conflict.is_some() || insert.mode != Mode::Into || reads
}

/// An INSERT that asks the target how far it has come, behind a DELETE that did so too and took the greatest rows: the bound
/// is another one by then, and the load begins before the rows that were cleared.
fn moved<'a>(context: &Context<'a>, insert: &Insert<'a>, clear: &Clear<'_, 'a>) -> Option<Report> {
    let Source::Query(query) = &insert.source else { return None };
    let filter = clear.delete.filter(|delete| !delete.limited && delete.using.is_empty())?.filter?;
    if insert.mode != Mode::Into || insert.conflict.is_some() || antijoin::of(insert, &context.options.aliases).guarded
    {
        return None;
    }
    let bounded = |column: &str| {
        filter.conjuncts().into_iter().any(|part| {
            let at = part.top().find(|at| [">", ">="].iter().any(|sign| part.symbol(*at, sign)));
            at.is_some_and(|at| {
                let (side, bound) = (part.slice(0..at), part.from(at + 1));
                side.as_name().is_some_and(|name| name.last() == column)
                    && bound.calls_any(&["max"])
                    && range::reads(bound, insert.target)
            })
        })
    };
    // Behind the greatest row that is left nothing was cleared twice: `>` without an overlap is right. So is a variable.
    let again = watermarks(query, &insert.with, insert.target, &Variables::none())
        .into_iter()
        .find(|mark| (mark.overlap || !mark.strict) && bounded(&mark.column))?;
    let name = insert.target.shown();
    let report = Report::at(
        again.sql.range(),
        format!(
            "adds rows to `{name}` again: the DELETE has lowered the greatest `{}` that this bound is read from",
            again.column
        ),
    )
    .label("is another bound than the one of the DELETE")
    .also(clear.step.sql.range(), "clears from the bound before")
    .help("read the bound once, before the DELETE, and use it in both: a variable, or a temporary table of one row");
    Some(report.group(insert.target.key()))
}

fn report<'a>(context: &Context<'a>, insert: &Insert<'a>, clear: &Clear<'_, 'a>) -> Report {
    let name = insert.target.shown();
    let cleared = clear.delete.and_then(|delete| delete.filter).map(brief).unwrap_or_default();
    let stopped = matches!(insert.source, Source::Values(_)) && stops(context, insert);
    let effect = if stopped {
        format!("a second run fails: the DELETE does not clear every row that is added to `{name}`")
    } else {
        format!("a second run adds rows to `{name}` again that the DELETE does not clear")
    };
    let help = match loaded(insert) {
        Some(filter) => format!("let the DELETE clear what is loaded: `WHERE {}`", brief(filter)),
        None => "name the keys of all rows that are added in the DELETE".to_owned(),
    };
    let report = Report::at(insert.target.sql.range(), effect)
        .label("loads more than was cleared")
        .also(clear.step.sql.range(), format!("clears only `{cleared}`"))
        .help(help)
        .group(insert.target.key());
    if stopped { report.severity(Severity::Warning) } else { report }
}

/// The predicate of the load, where it is one.
fn loaded<'a>(insert: &Insert<'a>) -> Option<Sql<'a>> {
    match &insert.source {
        Source::Query(query) => query.select().and_then(|select| select.filter),
        _ => None,
    }
}

/// True when an enforced key is filled by the rows, so that the row that is there stops the second run.
fn stops(context: &Context<'_>, insert: &Insert<'_>) -> bool {
    let keys = context.table(insert.target).map(|table| table.keys.as_slice()).unwrap_or_default();
    context.dialect.client.enforces_keys
        && keys
            .iter()
            .any(|key| key.predicate.is_none() && key.columns.iter().all(|column| insert.columns.contains(column)))
}
