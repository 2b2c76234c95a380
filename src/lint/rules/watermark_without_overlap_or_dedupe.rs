//! IDM404.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::proof::clear;
use crate::lint::proof::watermark::{Variables, Watermark, source, watermarks};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Mode, Verb};
use crate::sql::view::{Name, Sql};

pub(super) static RULE: Rule = Rule {
    code: "IDM404",
    name: "watermark-without-overlap-or-dedupe",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "a load takes the rows behind the target's greatest one, and misses or doubles those at the boundary",
    setup: "\
CREATE TABLE event (id int PRIMARY KEY, ts timestamp);
INSERT INTO event (id, ts) VALUES (1, '2026-01-01'), (2, '2026-01-01');
CREATE TABLE log_copy (id int, ts timestamp);
INSERT INTO log_copy (id, ts) VALUES (1, '2026-01-01');
CREATE TABLE raw_event (id int, ts timestamp);
INSERT INTO raw_event (id, ts) VALUES (1, '2026-01-01'), (2, '2026-01-01'), (3, '2026-01-02');
",
    docs: "\
## What it finds

A load that asks the target how far it has come, in one of three ways that go wrong.

With `>=` or an overlap, and without anything that keeps a row out that is there, each run adds the rows at the boundary again:

```sql,bad,adds
INSERT INTO log_copy (id, ts)
SELECT id, ts FROM raw_event WHERE ts >= (SELECT coalesce(max(ts), TIMESTAMP '2000-01-01') FROM log_copy);
```

With `>`, a row that arrives late, or has the same time as the last one, is never loaded:

```sql,bad,same
INSERT INTO log_copy (id, ts)
SELECT id, ts FROM raw_event WHERE ts > (SELECT coalesce(max(ts), TIMESTAMP '2000-01-01') FROM log_copy);
```

Without COALESCE, an empty target has no greatest row, the comparison is null, and nothing is ever loaded:

```sql,bad,same
INSERT INTO event (id, ts)
SELECT id, ts FROM raw_event WHERE ts >= (SELECT max(ts) - INTERVAL '3 days' FROM event)
ON CONFLICT (id) DO NOTHING;
```

```sql,bad,same,sqlserver
DECLARE @from datetime2 = (SELECT COALESCE(MAX(Ts), '20000101') FROM dbo.Event);
INSERT INTO dbo.Event (Id, Ts) SELECT Id, Ts FROM stg.Event WHERE Ts > @from;
```

```sql,good
INSERT INTO event (id, ts)
SELECT id, ts
FROM raw_event
WHERE ts >= (SELECT coalesce(max(ts), TIMESTAMP '2000-01-01') - INTERVAL '3 days' FROM event)
ON CONFLICT (id) DO NOTHING;
```

A conflict clause, an anti-join on the target, MERGE, and a DELETE of the window before the load all keep rows from being
doubled. A number that is given out in order, such as `id > (SELECT max(id) ..)`, has no ties, so `>` is right for it.

## Why

The clock of a source is not the order in which its rows arrive: transactions that take long, time zones and retries put rows
behind a boundary that the load has passed.

## Instead

Read a little more than is missing, with COALESCE for the first run, and let the unique key keep out what is there.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let variables = Variables::of(context);
    for (step, verb) in check.verbs() {
        let Some((query, with, target)) = source(verb) else { continue };
        let found = watermarks(query, with, target, &variables);
        if found.is_empty() {
            continue;
        }
        let dedupes = dedupes(context, step, verb, &found);
        let mut reports = Vec::new();
        for one in &found {
            reports.extend(boundary(context, one, target, dedupes));
            reports.extend((!one.floor).then(|| empty(one, target)));
        }
        for report in reports {
            check.report(step, report);
        }
    }
}

/// True when something keeps a row out that is there.
fn dedupes<'a>(context: &Context<'a>, step: &Step<'a>, verb: &Verb<'a>, found: &[Watermark<'_>]) -> bool {
    let Some((query, _, target)) = source(verb) else { return true };
    match verb {
        Verb::Insert(insert) => {
            insert.conflict.is_some()
                || insert.mode != Mode::Into
                || clear::nearest(context, step, target).is_some()
                || antijoin(query.sql, found, target)
        }
        _ => true,
    }
}

/// True when this rule says which rows the load adds again, so that no other rule has to say it of all of them.
pub(super) fn speaks<'a>(context: &Context<'a>, step: &Step<'a>, verb: &Verb<'a>, variables: &Variables<'a>) -> bool {
    if !context.options.rules.iter().any(|(rule, _)| rule.code == RULE.code) {
        return false;
    }
    let Some((query, with, target)) = source(verb) else { return false };
    let found = watermarks(query, with, target, variables);
    found.iter().any(|one| one.overlap || !one.strict) && !dedupes(context, step, verb, &found)
}

/// True when the target is read once more than the watermarks read it.
fn antijoin(query: Sql<'_>, found: &[Watermark<'_>], target: Name<'_>) -> bool {
    let mut at = 0;
    while at < query.len() {
        let inside = found.iter().any(|one| one.sql.range().contains(&query.bytes(at).start));
        let relation = at > 0 && query.is_any(at - 1, &["from", "join", "table"]);
        match query.name(at) {
            Some((name, end)) => {
                let maximum =
                    (0..at).rev().take(24).take_while(|at| !query.is(*at, "select")).any(|at| query.is(at, "max"));
                if relation && !inside && !maximum && name.may_be(target) {
                    return true;
                }
                at = end;
            }
            None => at += 1,
        }
    }
    false
}

/// Numbers that are given out in order: no two rows have the same, and none comes late.
fn is_counter(column: &str) -> bool {
    column == "id"
        || ["_id", "_no", "_number", "seq", "sequence", "lsn", "offset", "rowid", "rowversion"]
            .iter()
            .any(|end| column.ends_with(end))
}

fn boundary(context: &Context<'_>, one: &Watermark<'_>, target: Name<'_>, dedupes: bool) -> Option<Report> {
    let name = target.shown();
    let column = &one.column;
    if !dedupes && (one.overlap || !one.strict) {
        let which = if one.overlap { "the rows of the overlap" } else { "the rows at the boundary" };
        let keyed = context.dialect.client.enforces_keys
            && context.table(target).is_some_and(|table| table.keys.iter().any(|key| key.predicate.is_none()));
        let (message, severity) = if keyed {
            (format!("a second run fails: {which} are in `{name}` and would be added again"), Severity::Warning)
        } else {
            (format!("each run adds {which} to `{name}` once more"), Severity::Error)
        };
        let words = if context.dialect.syntax.on_conflict {
            "ON CONFLICT (key) DO NOTHING".to_owned()
        } else {
            format!("AND NOT EXISTS (SELECT 1 FROM {name} AS t WHERE t.key = s.key)")
        };
        return Some(
            Report::at(one.sql.range(), message)
                .label("takes rows that are there")
                .help(format!("keep out what is there: `{words}`, with the unique key of the rows"))
                .severity(severity)
                .doubles(!keyed),
        );
    }
    (one.strict && !one.overlap && !is_counter(column)).then(|| {
        let report = Report::at(
            one.sql.range(),
            format!("rows that arrive late, or with the same `{column}` as the last one, are never loaded into `{name}`"),
        )
        .label("takes only what is newer than everything that is there");
        report.help(if dedupes {
            format!("read again what may be late: `>=`, and some days taken off `max({column})`")
        } else {
            format!(
                "read again what may be late, with some days taken off `max({column})`, and keep out what is there by its unique key"
            )
        })
    })
}

fn empty(one: &Watermark<'_>, target: Name<'_>) -> Report {
    let (name, column) = (target.shown(), &one.column);
    Report::at(one.sql.range(), format!("while `{name}` is empty, nothing is ever loaded into it: its maximum is null"))
        .label("is never true for an empty table")
        .help(format!("write a first bound: `coalesce(max({column}), ..)`"))
}
