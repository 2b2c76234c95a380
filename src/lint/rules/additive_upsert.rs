//! IDM301.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Step;
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::growth::{self, Growth};
use crate::lint::proof::guard::{self, Guard};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{
    Assignment, Common, ConflictAction, Inner, Insert, Matched, MergeAction, Query, Source, Table, Verb,
};
use crate::sql::view::{Name, Sql};

pub(super) static RULE: Rule = Rule {
    code: "IDM301",
    name: "additive-upsert",
    severity: Severity::Error,
    class: Class::Data,
    summary: "an upsert or a MERGE that adds to the value that is there",
    setup: "CREATE TABLE daily (d date PRIMARY KEY, n int, last_batch int);",
    docs: "\
## What it finds

`n = daily.n + EXCLUDED.n`, `ON DUPLICATE KEY UPDATE n = n + 1`, `WHEN MATCHED THEN UPDATE SET n = t.n + s.n`, and lists or
texts that grow in the same way.

```sql,bad,changes
INSERT INTO daily (d, n) VALUES (DATE '2026-01-01', 5)
ON CONFLICT (d) DO UPDATE SET n = daily.n + EXCLUDED.n;
```

```sql,bad,changes,mysql
INSERT INTO daily (d, n) VALUES ('2026-01-01', 5) ON DUPLICATE KEY UPDATE n = n + VALUES(n);
```

```sql,good
INSERT INTO daily (d, n) VALUES (DATE '2026-01-01', 5)
ON CONFLICT (d) DO UPDATE SET n = EXCLUDED.n;
```

```sql,good
INSERT INTO daily (d, n, last_batch) VALUES (DATE '2026-01-01', 5, 17)
ON CONFLICT (d) DO UPDATE SET n = daily.n + EXCLUDED.n, last_batch = EXCLUDED.last_batch
WHERE daily.last_batch < EXCLUDED.last_batch;
```

`greatest`, `least` and `coalesce` of both values are no sums. With a strict watermark, `d > (SELECT max(d) ..)`, it is a
warning: it is right as long as nothing is read twice.

## Why

The same batch loaded twice counts twice. The upsert looks safe because nothing fails.

## Instead

Compute the whole value from the source and set it, or keep the last batch beside the sum and add only newer ones.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    for (step, verb) in check.verbs() {
        match verb {
            Verb::Insert(insert) => {
                let Some(conflict) = &insert.conflict else { continue };
                let ConflictAction::Update(sets, guard) = &conflict.action else { continue };
                let called = guard::called(insert.target, insert.alias.as_ref());
                let strict = match &insert.source {
                    Source::Query(query) => guard::strict_watermark(&queries(query, &insert.with), insert.target),
                    _ => false,
                };
                let kept: Vec<&Assignment<'_>> = sets.iter().filter(|set| !document(insert, &set.column)).collect();
                judge(check, step, insert.target, &kept, sets, *guard, &called, strict);
            }
            Verb::Merge(merge) => {
                let called = guard::called(merge.target, merge.alias.as_ref());
                let mut all: Vec<&Query<'_>> = Vec::new();
                if let Table::Query(query) = &merge.source.table {
                    all.extend(queries(query, &merge.with));
                } else {
                    all.extend(commons(&merge.with));
                }
                let strict = guard::strict_watermark(&all, merge.target);
                for branch in merge.branches.iter().filter(|branch| branch.matched == Matched::Yes) {
                    if let MergeAction::Update(sets) = &branch.action {
                        let all: Vec<&Assignment<'_>> = sets.iter().collect();
                        judge(check, step, merge.target, &all, sets, branch.condition, &called, strict);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The query and those of the WITH lists.
fn queries<'s, 'a>(query: &'s Query<'a>, with: &'s [Common<'a>]) -> Vec<&'s Query<'a>> {
    let mut all = vec![query];
    all.extend(commons(&query.with));
    all.extend(commons(with));
    all
}

fn commons<'s, 'a>(with: &'s [Common<'a>]) -> impl Iterator<Item = &'s Query<'a>> {
    with.iter().filter_map(|common| match &common.inner {
        Inner::Query(query) => Some(query),
        Inner::Change(_) => None,
    })
}

/// True when the new value is a document with keys: joining it with the old one again changes nothing.
fn document(insert: &Insert<'_>, column: &str) -> bool {
    let Some(at) = insert.columns.iter().position(|one| one == column) else { return false };
    let document = |value: &Sql<'_>| {
        let text = value.source().trim_start_matches('\'').trim_start();
        text.starts_with('{') && text.contains(':') || value.mentions("jsonb") || value.mentions("jsonb_build_object")
    };
    match &insert.source {
        Source::Values(rows) => !rows.is_empty() && rows.iter().all(|row| row.get(at).is_some_and(document)),
        Source::Query(query) => {
            query.select().is_some_and(|select| select.items.get(at).is_some_and(|item| document(&item.value)))
        }
        _ => false,
    }
}

#[allow(clippy::too_many_arguments)] // The parts of two statements that have no common type.
fn judge<'a>(
    check: &mut Check<'_, 'a>,
    step: &Step<'a>,
    target: Name<'a>,
    judged: &[&Assignment<'a>],
    sets: &[Assignment<'a>],
    condition: Option<Sql<'a>>,
    called: &[String],
    strict: bool,
) {
    let found = judged.iter().find_map(|set| {
        let growth = growth::growth(set, called);
        (!growth.is_none()).then_some((*set, growth))
    });
    let Some((set, growth)) = found else { return };
    let guard = Guard { sets, called };
    let weight = changes::weight(check.context, step, target);
    if weight == Weight::None
        || condition.is_some_and(|condition| guard.falsified(condition))
        || guard::marked(check.context, step, target, None)
    {
        return;
    }
    let deed = growth::deed(growth, &set.column);
    let message = if strict {
        format!("a run that reads a row again {deed}: this is right only as long as the watermark never overlaps")
    } else {
        format!("a second run {deed}")
    };
    let help = match growth {
        Growth::Toggles => "set the value that is wanted".to_owned(),
        _ => format!(
            "compute the whole value and set it: `{0} = <new {0}>`, or add only batches that are newer than one that is stored beside it",
            set.column
        ),
    };
    let mut report = Report::at(set.sql.range(), message).label("builds on the value that is there").help(help);
    if strict {
        report = report.severity(Severity::Warning);
    }
    let report = weight.put(check.context, &target.key(), report);
    check.report(step, report);
}
