//! IDM107.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::proof::antijoin;
use crate::lint::proof::append::{self, Again};
use crate::lint::proof::key::{self, Reach};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Body, ConflictTarget, Inner, Insert, Matched, Merge, MergeAction, Table, Verb};
use crate::sql::view::Sql;

pub(super) static RULE: Rule = Rule {
    code: "IDM107",
    name: "insert-with-volatile-key",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a key that is filled by a random value, a sequence or the clock",
    setup: "CREATE TABLE job (job_id text PRIMARY KEY, name text); CREATE TABLE version (id int, valid_from timestamptz, UNIQUE (id, valid_from));
            CREATE TABLE ticket (id bigint PRIMARY KEY, title text); CREATE SEQUENCE ticket_seq;",
    docs: "\
## What it finds

A column of the key on which a conflict clause or a MERGE relies, or of every unique key of a known table, that gets another
value in each run: a random UUID, the next number of a sequence, the wall clock, one more than the greatest.

```sql,bad,adds
INSERT INTO job (job_id, name) VALUES (gen_random_uuid(), 'nightly')
ON CONFLICT (job_id) DO NOTHING;
```

```sql,bad,adds
INSERT INTO version (id, valid_from) VALUES (7, clock_timestamp())
ON CONFLICT (id, valid_from) DO NOTHING;
```

```sql,good
INSERT INTO job (job_id, name) VALUES ('00000000-0000-4000-8000-000000000001', 'nightly')
ON CONFLICT (job_id) DO NOTHING;
```

```sql,good
INSERT INTO job (job_id, name)
SELECT gen_random_uuid(), 'nightly' WHERE NOT EXISTS (SELECT 1 FROM job AS t WHERE t.name = 'nightly');
```

```sql,bad,adds,oracle
MERGE INTO job t USING (SELECT SYS_GUID() AS job_id, 'nightly' AS name FROM dual) s ON (t.job_id = s.job_id)
WHEN NOT MATCHED THEN INSERT (job_id, name) VALUES (s.job_id, s.name);
```

A hash of the row (`uuid_generate_v5`, `md5`) stays the same and is fine; so is the clock in a column outside the key, or cut
to the day. An INSERT without any conflict clause is IDM101 or IDM102.

## Why

No row that is there ever has the new key, so the conflict clause never fires and every run adds its rows.

## Instead

Write the key down, make it from the row's own values, or guard by another key, the one by which people know the row.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    for (step, verb) in check.verbs() {
        let report = match verb {
            Verb::Insert(insert) => of_insert(check.context, step, insert),
            Verb::Merge(merge) => of_merge(check.context, step, merge),
            _ => None,
        };
        if let Some((report, table)) = report {
            check.report(step, report.group(table));
        }
    }
}

/// The column that defeats every key, where one of them is defeated by a value that changes.
pub(super) fn volatile_key<'r, 'a>(defeated: &'r [Reach<'a>]) -> Option<(&'r str, Sql<'a>)> {
    defeated.iter().find_map(|one| match one {
        Reach::Volatile(column, at) => Some((column.as_str(), *at)),
        _ => None,
    })
}

fn of_insert<'a>(context: &Context<'a>, step: &Step<'a>, insert: &Insert<'a>) -> Option<(Report, String)> {
    let table = context.table_of(insert);
    let enforced = context.dialect.client.enforces_keys;
    let skips = super::conflict_on_generated_key::skips(insert);
    if insert.mode == crate::sql::clause::Mode::Overwrite || !enforced {
        return None;
    }
    let target = insert.conflict.as_ref().map_or(&ConflictTarget::Any, |conflict| &conflict.target);
    let named = key::conflict_columns(target, table);
    let (column, at) = if let Some(columns) = &named {
        let Reach::Volatile(column, at) = key::reach(insert, table, columns, false) else { return None };
        (column, at)
    } else {
        let defeated = key::defeated(insert, table?)?;
        volatile_key(&defeated).map(|(column, at)| (column.to_owned(), at))?
    };
    let again = append::again(context, step, insert.target);
    if again == Again::Safe || append::clears_itself(insert) || antijoin::of(insert, &context.options.aliases).guarded {
        return None;
    }
    let name = append::shown(insert.target);
    let other = table.filter(|_| named.is_some()).and_then(|table| key::met(insert, table));
    let message = match other {
        Some(key) => format!(
            "a second run fails: `{column}` is new, so that ON CONFLICT does not fire, but `{}` is in `{name}` already",
            key.columns.join(", ")
        ),
        None => format!("a second run adds the rows to `{name}` again: `{column}` is another one in each run"),
    };
    let mut report = Report::at(at.range(), message)
        .label("another value in each run")
        .help(help(&column, other.map(|key| key.columns.as_slice())));
    if let Some(conflict) = insert.conflict.as_ref().filter(|_| skips) {
        report = report.also(conflict.sql.range(), "never fires");
    }
    if other.is_some() {
        report = report.severity(Severity::Warning);
    }
    if let Again::Stopped(created) = again {
        report = report.also(context.steps[created].sql.range(), "fails on the second run").at_most(Severity::Info);
    }
    Some((report, insert.target.key()))
}

fn help(column: &str, other: Option<&[String]>) -> String {
    match other {
        Some(key) => format!("name the key that stays the same: `ON CONFLICT ({})`", key.join(", ")),
        None => format!("write `{column}` down, make it from the row's own values, or guard by another key"),
    }
}

fn of_merge<'a>(context: &Context<'a>, step: &Step<'a>, merge: &Merge<'a>) -> Option<(Report, String)> {
    let adds = |one: &crate::sql::clause::Branch<'a>| {
        one.matched == Matched::No && matches!(one.action, MergeAction::Insert(..))
    };
    if !merge.branches.iter().any(adds) || append::again(context, step, merge.target) == Again::Safe {
        return None;
    }
    if left_out(merge) {
        return None;
    }
    for part in merge.on.conjuncts() {
        let Some(equals) = part.top().find(|at| part.symbol(*at, "=") || part.symbol(*at, "<=>")) else { continue };
        for side in [part.slice(0..equals), part.from(equals + 1)] {
            let found = key::volatile(side, None)
                .or_else(|| source_values(merge, side).into_iter().find_map(|value| key::volatile(value, None)));
            let Some(at) = found else { continue };
            let name = append::shown(merge.target);
            let report = Report::at(
                at.range(),
                format!("a second run adds the rows to `{name}` again: `{}` is another one in each run", side.source()),
            )
            .label("another value in each run")
            .also(part.range(), "is never true")
            .help("merge on a key that stays the same from run to run");
            return Some((report, merge.target.key()));
        }
    }
    None
}

/// True when the source of a MERGE leaves out by itself what the target holds: `NOT EXISTS (SELECT .. FROM target ..)`.
fn left_out(merge: &Merge<'_>) -> bool {
    let Table::Query(query) = &merge.source.table else { return false };
    let looks = |part: Sql<'_>| antijoin::negative(part.bare()).is_some() && part.mentions(&merge.target.last());
    query.branches.iter().any(|(_, body)| match body {
        Body::Select(select) => select.filter.into_iter().flat_map(Sql::conjuncts).any(looks),
        _ => false,
    })
}

/// What the source of a MERGE puts into a column of its own.
fn source_values<'a>(merge: &Merge<'a>, side: Sql<'a>) -> Vec<Sql<'a>> {
    let Some(name) = side.as_name() else { return Vec::new() };
    if name.qualifier().is_none() || name.qualifier() != merge.source.called() {
        return Vec::new();
    }
    let scope: Vec<_> = merge.with.iter().collect();
    let column = name.last();
    match &merge.source.table {
        Table::Query(query) => key::item_values(query, &scope, usize::MAX, Some(&column), 8),
        Table::Name(name) => match antijoin::common(*name, &scope).map(|common| &common.inner) {
            Some(Inner::Query(query)) => key::item_values(query, &scope, usize::MAX, Some(&column), 8),
            _ => Vec::new(),
        },
        Table::Other => Vec::new(),
    }
}
