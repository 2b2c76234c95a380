//! IDM405.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::value::{has_variable, reads_clock};
use crate::lint::proof::watermark::source;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Common, Inner, Query, Table};
use crate::sql::view::Sql;

pub(super) static RULE: Rule = Rule {
    code: "IDM405",
    name: "relative-window",
    severity: Severity::Info,
    class: Class::Data,
    summary: "the window of a load comes from the clock, so that a run tomorrow loads another one",
    setup: "\
CREATE TABLE sales (day date, n int);
CREATE TABLE raw_sales (day date, n int);
INSERT INTO raw_sales (day, n) VALUES (CURRENT_DATE - 1, 1), (CURRENT_DATE, 2), ('2026-01-01', 3);
",
    docs: "\
## What it finds

A load whose rows are chosen by CURRENT_DATE, `now()` or their kin.

```sql,bad,same
BEGIN;
DELETE FROM sales WHERE day = CURRENT_DATE - 1;
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day = CURRENT_DATE - 1;
COMMIT;
```

```sql,good
BEGIN;
DELETE FROM sales WHERE day = DATE '2026-01-01';
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day = DATE '2026-01-01';
COMMIT;
```

A parameter or a template's field in the predicate is taken for the day that is wanted, and an upper bound alone, such as
`day <= CURRENT_DATE`, for a check of the data.

## Why

A run that failed yesterday and is repeated today loads today's window, and yesterday's stays empty. No day of the past can be
loaded again without changing the script.

## Instead

Give the script the day that it loads: `WHERE day = :'day'`, `{{ ds }}`, `@day`. The scheduler knows it, also for a repeat.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    for (step, verb) in check.verbs() {
        let Some((query, with, target)) = source(verb) else { continue };
        let mut found = Found::default();
        for common in with {
            if let Inner::Query(inner) = &common.inner {
                look(inner, &mut found, 0);
            }
        }
        look(query, &mut found, 0);
        if let Some(sql) = found.moving.filter(|_| !found.given) {
            let report = Report::at(
                sql.range(),
                format!("a run tomorrow loads other rows into `{}` than one today", target.shown()),
            )
            .label("moves with the clock")
            .help("take the day that is loaded from a parameter, so that it can be loaded again")
            .group(target.key());
            check.report(step, report);
        }
    }
}

/// What the predicates of a load say.
#[derive(Default)]
struct Found<'a> {
    /// The first conjunct that moves with the clock.
    moving: Option<Sql<'a>>,
    /// A parameter decides the window.
    given: bool,
}

fn look<'a>(query: &Query<'a>, found: &mut Found<'a>, depth: usize) {
    let inner = query.with.iter().filter_map(|Common { inner, .. }| match inner {
        Inner::Query(query) => Some(query),
        Inner::Change(_) => None,
    });
    let mut queries: Vec<&Query<'a>> = inner.collect();
    for select in query.selects() {
        if let Some(filter) = select.filter {
            found.given |= has_variable(filter);
            let moving = || filter.conjuncts().into_iter().find(|conjunct| moves(*conjunct));
            found.moving = found.moving.or_else(moving);
        }
        queries.extend(select.from.iter().filter_map(|relation| match &relation.table {
            Table::Query(query) => Some(&**query),
            _ => None,
        }));
    }
    if depth < 8 {
        for query in queries {
            look(query, found, depth + 1);
        }
    }
}

/// `x = CURRENT_DATE`, `x >= now() - ..`, `x BETWEEN ..`: a column against the clock, from below or exactly.
pub(super) fn moves(sql: Sql<'_>) -> bool {
    let sql = sql.bare();
    if !reads_clock(sql) || sql.mentions("select") || sql.is(0, "not") {
        return false;
    }
    if let Some(at) = sql.find(0, &["between", "in"]) {
        return reads_clock(sql.from(at + 1));
    }
    let at = sql.top().find(|at| ["=", ">", ">=", "<", "<="].iter().any(|one| sql.symbol(*at, one)));
    let Some(at) = at else { return false };
    let (left, right) = (sql.slice(0..at), sql.from(at + 1));
    let column = |side: Sql<'_>| !reads_clock(side) && side.names().next().is_some();
    // `valid_to > now()` asks what is valid, and loads no window.
    let ends = |side: Sql<'_>| {
        side.names().any(|name| {
            let ends = ["valid", "expires", "expire", "expiry", "end", "ends", "until", "due"];
            name.last().split('_').any(|word| ends.contains(&word))
        })
    };
    match sql.text(at) {
        "=" => (column(left) && reads_clock(right)) || (column(right) && reads_clock(left)),
        ">" | ">=" => column(left) && reads_clock(right) && !ends(left),
        _ => column(right) && reads_clock(left) && !ends(right),
    }
}
