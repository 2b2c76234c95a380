//! IDM101.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Step;
use crate::lint::finding::{Edit, Safety};
use crate::lint::known::{Key, Table};
use crate::lint::proof::append::{self, Again};
use crate::lint::proof::{antijoin, changes, claim, definition, enclosed, key};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Body, Insert, Mode, Query, Source, Table as From, Verb};
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

pub(super) static RULE: Rule = Rule {
    code: "IDM101",
    name: "insert-values-without-guard",
    severity: Severity::Error,
    class: Class::Data,
    summary: "INSERT .. VALUES that adds its rows again",
    setup: "CREATE TABLE status (code text, label text); CREATE TABLE unit (code text PRIMARY KEY, label text);",
    docs: "\
## What it finds

An INSERT with its rows in the text, into a permanent table, without a conflict clause, a test or a clearing before it.

```sql,bad,adds
INSERT INTO status (code, label) VALUES ('O', 'open'), ('C', 'closed');
```

```sql,bad,fails
CREATE TABLE IF NOT EXISTS unit (code text PRIMARY KEY, label text);
INSERT INTO unit (code, label) VALUES ('kg', 'kilogram');
```

```sql,good
INSERT INTO unit (code, label) VALUES ('kg', 'kilogram')
ON CONFLICT (code) DO NOTHING;
```

```sql,good
BEGIN;
DELETE FROM status WHERE code IN ('O', 'C');
INSERT INTO status (code, label) VALUES ('O', 'open'), ('C', 'closed');
COMMIT;
```

```sql,bad,adds,mysql
INSERT INTO status (code, label) VALUES ('O', 'open');
```

```sql,good,sqlserver
IF NOT EXISTS (SELECT 1 FROM dbo.status WHERE code = 'O')
    INSERT INTO dbo.status (code, label) VALUES ('O', 'open');
```

Where the script creates the table without IF NOT EXISTS, the second run stops there: the finding is information. Where a
unique key is known that the rows fill, the second run fails: the finding is a warning. Values that the caller binds
(`$1`, `?`) are information too. Tables that grow with each run on purpose belong in `append_only` of the settings.

## Why

The second run adds every row a second time, without a word. Joins to the table then double what they join.

## Instead

With a unique key: ON CONFLICT or ON DUPLICATE KEY UPDATE; keep the row that is there where the database owns the values, set
the columns where the script does. Without one: MERGE, `INSERT .. SELECT .. WHERE NOT EXISTS`, or IF NOT EXISTS in front.
A conflict clause without a unique key protects nothing.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        if insert.conflict.is_some() || insert.mode != Mode::Into {
            continue;
        }
        let Some(count) = literal_rows(step.sql, insert) else { continue };
        if let Some(report) = judge(check, step, insert, count) {
            check.report(step, report.group(insert.target.key()));
        }
    }
}

/// How many rows the text holds; `None` when they come out of tables. 0 where they are elsewhere.
pub(super) fn literal_rows(sql: Sql<'_>, insert: &Insert<'_>) -> Option<usize> {
    match &insert.source {
        Source::Values(rows) => Some(rows.len()),
        Source::Row(_) => Some(1),
        // A procedure gives what it gives.
        Source::Elsewhere => (!sql.mentions("exec") && !sql.mentions("execute")).then_some(0),
        Source::Query(query) => constant_rows(query),
    }
}

fn constant_rows(query: &Query<'_>) -> Option<usize> {
    let mut count = 0;
    for (_, body) in &query.branches {
        count += match body {
            Body::Values(rows) => rows.len(),
            Body::Query(inner) => constant_rows(inner)?,
            Body::Select(select) => {
                let dual =
                    select.from.iter().all(|one| matches!(&one.table, From::Name(name) if name.last() == "dual"));
                let reads = select.items.iter().any(|item| item.value.mentions("select"));
                (dual && !reads).then_some(1)?
            }
            Body::Table(_) => return None,
        };
    }
    Some(count)
}

fn judge<'a>(check: &Check<'_, 'a>, step: &Step<'a>, insert: &Insert<'a>, count: usize) -> Option<Report> {
    let context = check.context;
    let target = insert.target;
    let table = context.table_of(insert);
    let enforced = context.dialect.client.enforces_keys;
    if append::skips_by_hint(step, insert) || append::clears_itself(insert) {
        return None;
    }
    let guards = antijoin::of(insert, &context.options.aliases);
    // Guards that look elsewhere are another rule's.
    if guards.guarded || !guards.all.is_empty() || enclosed::tests_variable(context, step, &insert.source, target) {
        return None;
    }
    let what = match count {
        0 => "its rows".to_owned(),
        count => append::rows(count + context.rows_left_out(step)),
    };
    let again = append::again(context, step, target);
    if again == Again::Safe {
        return None;
    }
    if let Again::Stopped(created) = again {
        let stop = append::stop(context, created, target.source());
        let created = &context.steps[created];
        return Some(
            Report::at(
                target.sql.range(),
                format!("a second run stops at {stop}; without it, it would add {what} again"),
            )
            .label(format!("adds {what}"))
            .also(created.sql.range(), "fails on the second run")
            .help("let the client stop at errors; or give both a guard, IF NOT EXISTS and a conflict clause")
            .at_most(Severity::Info),
        );
    }
    let defeated = table.filter(|_| enforced).and_then(|table| key::defeated(insert, table)).unwrap_or_default();
    if super::insert_with_volatile_key::volatile_key(&defeated).is_some() {
        // The key says more: the other rule speaks.
        return None;
    }
    let report = match table.filter(|_| enforced).and_then(|table| Some((table, key::met(insert, table)?))) {
        Some((table, key)) => fails(step, insert, table, key, context),
        None => adds(insert, &what, context, table),
    };
    if let Some(claim) = claim::of_program(context, step) {
        return Some(changes::after_claim(context, claim, report));
    }
    Some(if bound(step, insert) { report.at_most(Severity::Info) } else { report })
}

fn adds<'a>(
    insert: &Insert<'a>,
    what: &str,
    context: &crate::lint::context::Context<'a>,
    table: Option<&Table>,
) -> Report {
    let target = append::shown(insert.target);
    let fresh = first_volatile(insert, table);
    let note = fresh.as_ref().map(|(column, _)| format!(", with a new `{column}`")).unwrap_or_default();
    let mut report =
        Report::at(insert.target.sql.range(), format!("a second run adds {what} to `{target}` again{note}"))
            .label(if what.starts_with("1 ") { "nothing keeps it out" } else { "nothing keeps them out" })
            .help(append::instead(context, insert, None, table));
    if let Some((_, at)) = fresh {
        report = report.also(at.range(), "another value in each run");
    }
    report
}

/// A column that is filled with another value each time.
fn first_volatile<'a>(insert: &Insert<'a>, table: Option<&Table>) -> Option<(String, Sql<'a>)> {
    // The first column is the key nearly everywhere; a clock behind it is a time of loading.
    let column = key::columns(insert, table)?.into_iter().next()?;
    match key::reach(insert, table, std::slice::from_ref(&column), false) {
        key::Reach::Volatile(column, at) => Some((column, at)),
        _ => None,
    }
}

fn fails<'a>(
    step: &Step<'a>,
    insert: &Insert<'a>,
    table: &Table,
    key: &Key,
    context: &crate::lint::context::Context<'a>,
) -> Report {
    let target = append::shown(insert.target);
    let columns = key.columns.join(", ");
    let report = Report::at(
        insert.target.sql.range(),
        format!("a second run fails: the key `{columns}` is in `{target}` already"),
    )
    .label("supplies the same key each time")
    .help(append::instead(context, insert, Some(&key.columns), Some(table)))
    .severity(Severity::Warning);
    match conflict_clause(context, step, key) {
        Some(clause) => match rows_end(step.sql, insert) {
            Some(at) => report.fix(
                Safety::Unsafe,
                format!("keep the row that is there: add `{clause}`"),
                vec![Edit { range: at..at, text: format!("{}{clause}", context.newline()) }],
            ),
            None => report,
        },
        None => report,
    }
}

/// The conflict clause that keeps the row that is there.
pub(super) fn conflict_clause(
    context: &crate::lint::context::Context<'_>,
    step: &Step<'_>,
    key: &Key,
) -> Option<String> {
    let columns: Option<Vec<&str>> = key.columns.iter().map(|entry| key::plain(entry)).collect();
    let (columns, first) = (columns?.join(", "), key::plain(key.columns.first()?)?);
    let cased = |words| definition::cased(step, words);
    if key.deferrable {
        None
    } else if context.dialect.syntax.on_conflict {
        Some(format!("{} ({columns}) {}", cased("ON CONFLICT"), cased("DO NOTHING")))
    } else if context.dialect.syntax.on_duplicate_key {
        Some(format!("{} {first} = {first}", cased("ON DUPLICATE KEY UPDATE")))
    } else {
        None
    }
}

/// The byte behind the last row of a VALUES list.
pub(super) fn rows_end(sql: Sql<'_>, insert: &Insert<'_>) -> Option<usize> {
    let Source::Values(rows) = &insert.source else { return None };
    let last = rows.last()?.last()?.range().end;
    (0..sql.len())
        .find(|at| sql.kind(*at) == Some(Kind::Close) && sql.bytes(*at).start >= last)
        .map(|at| sql.bytes(at).end)
}

/// The caller binds the values, so that the statement is one of a program and not of a script.
fn bound(step: &Step<'_>, insert: &Insert<'_>) -> bool {
    let Source::Values(rows) = &insert.source else { return false };
    let [row] = rows.as_slice() else { return false };
    let mut values = row.iter().map(|value| value.bare()).peekable();
    values.peek().is_some()
        && row.iter().any(|value| {
            // A name is a variable of the script, unless nothing before it can have set it.
            let marks: &[char] = if step.index == 0 { &['$', '?', '%', '@', ':'] } else { &['$', '?', '%'] };
            value.len() == 1 && value.text(0).starts_with(marks)
        })
        && values.all(|value| !value.is_literal() || value.is(0, "null"))
}
