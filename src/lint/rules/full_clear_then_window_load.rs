//! IDM403.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::clear::{self, Clear};
use crate::lint::proof::range::brief;
use crate::lint::proof::window::window;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::Verb;
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    code: "IDM403",
    name: "full-clear-then-window-load",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a table is cleared whole and only a window of it is loaded again",
    setup: "\
CREATE TABLE sales (day date, n int);
CREATE TABLE raw_sales (day date, n int);
INSERT INTO raw_sales (day, n) VALUES ('2026-01-01', 1), ('2026-01-02', 2);
CREATE TABLE member (id int, deleted boolean);
CREATE TABLE live_member (id int);
",
    docs: "\
## What it finds

TRUNCATE, or DELETE without WHERE, and behind it an INSERT that loads the rows since some day, or of one day, alone.

```sql,bad,same
BEGIN;
TRUNCATE TABLE sales;
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day >= DATE '2026-01-02';
COMMIT;
```

```sql,bad,same,sqlserver
BEGIN TRANSACTION;
DELETE FROM dbo.Sales;
INSERT INTO dbo.Sales (Day, N) SELECT Day, N FROM stg.Sales WHERE Day >= DATEADD(day, -3, CAST(GETDATE() AS date));
COMMIT TRANSACTION;
```

```sql,good
BEGIN;
DELETE FROM sales WHERE day >= DATE '2026-01-02';
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day >= DATE '2026-01-02';
COMMIT;
```

```sql,good
BEGIN;
TRUNCATE TABLE live_member;
INSERT INTO live_member (id) SELECT id FROM member WHERE deleted = false;
COMMIT;
```

A window is a bound on a column that the table itself has and that holds a moment. Another condition, such as `deleted = false`,
is part of what the table is. Nothing is said of temporary and staging tables, of tables whose name says that they hold a
window (`recent_orders`, `sales_30d`), or where several INSERTs fill the table.

## Why

Every run throws away what lies before the window. The table is full after the first load of history and nearly empty after
the next run, and no error tells of it.

## Instead

Clear the window that is loaded, with the same predicate. If the table is meant to hold the window alone, name it so, or
allow the rule with the reason.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    // The loads behind one clearing: where there are several, together they may load all that was cleared.
    let mut loads: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        let Some(clear) = clear::nearest(context, step, insert.target).filter(Clear::is_whole) else { continue };
        loads.entry(clear.step.index).or_default().push((step, insert, clear));
    }
    for (step, insert, clear) in loads.into_values().filter(|all| all.len() == 1).flatten() {
        if clear::is_passing(context, step, insert.target) || clear.step.statement.frame != step.statement.frame {
            continue;
        }
        let Some(window) = window(context, insert) else { continue };
        let name = insert.target.shown();
        let report = Report::at(
            clear.step.sql.range(),
            format!("each run removes all rows of `{name}` and loads those of a window alone: the others are lost"),
        )
        .label("removes every row")
        .also(window.range(), "loads these rows alone")
        .help(format!("clear the window that is loaded: `DELETE FROM {name} WHERE {}`", brief(window)))
        .group(insert.target.key());
        check.report(clear.step, report);
    }
}
