//! IDM305.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::growth::uncast;
use crate::lint::proof::guard;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Assignment, ConflictAction, Insert, Matched, MergeAction, Source, Verb};
use crate::sql::view::{Name, Sql};

pub(super) static RULE: Rule = Rule {
    code: "IDM305",
    name: "upsert-without-recency-guard",
    severity: Severity::Info,
    class: Class::Data,
    summary: "an upsert that lets an older row overwrite a newer one",
    setup: "\
CREATE TABLE c (id int PRIMARY KEY, v text, updated_at timestamptz);",
    docs: "\
## What it finds

An upsert or a MERGE that sets the column that says how new a row is (`updated_at` and its kin, or the incremental column of
a spec) from the source, and does not ask which of the two rows is newer.

```sql,bad,same
INSERT INTO c (id, v, updated_at) VALUES (1, 'x', TIMESTAMPTZ '2026-01-01 00:00:00+00')
ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v, updated_at = EXCLUDED.updated_at;
```

```sql,good
INSERT INTO c (id, v, updated_at) VALUES (1, 'x', TIMESTAMPTZ '2026-01-01 00:00:00+00')
ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v, updated_at = EXCLUDED.updated_at
WHERE c.updated_at <= EXCLUDED.updated_at;
```

## Why

Loading a batch of yesterday again, after the one of today, puts yesterday's values back.

## Instead

Update only where the row that comes is as new as the one that is there.
",
    check,
};

/// Columns that say how new a row is.
const RECENCY: &[&str] = &[
    "updated_at",
    "modified_at",
    "last_modified",
    "last_modified_at",
    "updated_on",
    "modified_on",
    "last_updated",
    "last_updated_at",
    "update_ts",
    "updated_ts",
    "modified_ts",
    "event_ts",
    "source_ts",
    "updatedat",
    "modifiedat",
    "ts",
];

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        match verb {
            Verb::Insert(insert) => {
                let Some(conflict) = &insert.conflict else { continue };
                let ConflictAction::Update(sets, guard) = &conflict.action else { continue };
                let Some(set) = recency(context, insert.target, sets) else { continue };
                if !stamped(insert, &set.column) {
                    report(check, step, insert.target, set, guard.iter().copied());
                }
            }
            Verb::Merge(merge) => {
                for branch in merge.branches.iter().filter(|branch| branch.matched == Matched::Yes) {
                    let MergeAction::Update(sets) = &branch.action else { continue };
                    if let Some(set) = recency(context, merge.target, sets) {
                        report(check, step, merge.target, set, branch.condition.into_iter().chain([merge.on]));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The assignment of the column that says how new a row is, when it takes the source's value as it is.
fn recency<'s, 'a>(context: &Context<'_>, table: Name<'_>, sets: &'s [Assignment<'a>]) -> Option<&'s Assignment<'a>> {
    let known = context.table(table).and_then(|table| table.incremental.clone());
    sets.iter().filter(|_| sets.len() > 1).find(|set| {
        let named = known.as_ref() == Some(&set.column) || known.is_none() && RECENCY.contains(&set.column.as_str());
        let value = uncast(set.value);
        let taken = value.as_name().is_some_and(|name| name.qualifier().is_some())
            || value.is(0, "values") && value.after(1) == value.len();
        named && taken
    })
}

/// True when the INSERT gives that column the clock: then the last run is the newest.
fn stamped(insert: &Insert<'_>, column: &str) -> bool {
    let Some(at) = insert.columns.iter().position(|one| one == column) else { return false };
    match &insert.source {
        Source::Values(rows) => rows.iter().any(|row| row.get(at).is_some_and(|value| guard::clock(*value))),
        Source::Query(query) => {
            query.selects().iter().any(|select| select.items.get(at).is_some_and(|item| guard::clock(item.value)))
        }
        _ => false,
    }
}

fn report<'a>(
    check: &mut Check<'_, 'a>,
    step: &Step<'a>,
    target: Name<'a>,
    set: &Assignment<'a>,
    mut conditions: impl Iterator<Item = Sql<'a>>,
) {
    if conditions.any(|condition| condition.names_column(&set.column))
        || changes::weight(check.context, step, target) == Weight::None
    {
        return;
    }
    let column = &set.column;
    let report = Report::at(
        set.sql.range(),
        format!("a run with an older batch overwrites newer rows: nothing compares `{column}`"),
    )
    .label("taken as it comes")
    .help(format!("update only where the row is as new: `{0}.{column} <= {1}`", target.last(), set.value.source()));
    check.report(step, report);
}
