//! IDM308.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Context;
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::merging;
use crate::lint::proof::unique::{self, Column, Env, Prover, Rows};
use crate::lint::rule::{Class, Rule};
use crate::lint::wording;
use crate::sql::clause::{Conflict, ConflictAction, ConflictTarget, Insert, Source, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM308",
    name: "upsert-batch-has-duplicates",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "an upsert whose rows may hold a key twice",
    setup: "\
CREATE TABLE c (id int PRIMARY KEY, v text);
CREATE TABLE raw_c (id int, v text, seen timestamptz, seq int);
INSERT INTO raw_c VALUES (1, 'a', '2026-01-01', 1), (1, 'b', '2026-01-02', 2);",
    docs: "\
## What it finds

`INSERT .. SELECT .. ON CONFLICT DO UPDATE` where nothing shows that the conflict columns stand once in what is selected, and
literal rows that repeat a key.

```sql,bad,fails
INSERT INTO c (id, v) SELECT id, v FROM raw_c ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v;
```

```sql,good
INSERT INTO c (id, v) SELECT DISTINCT ON (id) id, v FROM raw_c ORDER BY id, seen DESC, seq DESC
ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v;
```

DO NOTHING takes duplicates, and so is left alone.

## Why

Some engines refuse to update a row twice in one statement, and nothing is loaded; others keep the first or the last row.

## Instead

Keep one row of each key, and say in ORDER BY which one.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        let Some(conflict) = &insert.conflict else { continue };
        let ConflictAction::Update(..) = conflict.action else { continue };
        if changes::weight(context, step, insert.target) == Weight::None {
            continue;
        }
        let Some(key) = key(context, insert, conflict) else { continue };
        let env = Env { with: &insert.with, outer: None };
        let rows = match &insert.source {
            Source::Query(query) => {
                let names = key.iter().map(|column| column.name.clone()).collect();
                Prover::new(context, step).finding(insert.target, names).query(env, query, &key)
            }
            Source::Values(rows) => unique::listed(rows.iter().map(Vec::as_slice), &key),
            _ => continue,
        };
        let columns = merging::listed(&key);
        let what = wording::twice(context.dialect);
        let report = match rows {
            Rows::Once => continue,
            Rows::Twice(first, second) => Report::at(
                second.range(),
                format!("`{columns}` = `{}` stands twice in the list: {what}", second.source()),
            )
            .label("the second row of this key")
            .also(first.range(), "the first row of this key")
            .help("remove one of the rows"),
            Rows::Doubt(doubt) => {
                let Some(reason) = merging::reason(&doubt, &columns) else { continue };
                let Source::Query(query) = &insert.source else { continue };
                let place = query.select().and_then(|select| select.from.first()).map_or(query.sql, |one| one.sql);
                Report::at(place.range(), format!("where a key comes twice, {what}: {reason}"))
                    .label("may hold a key twice")
                    .also(conflict.sql.range(), "updates the row of the key")
                    .help(format!("keep one row of each key: {}", wording::one_row(context.dialect, &columns)))
            }
        };
        check.report(step, report);
    }
}

/// The columns of the key that conflicts, with their places in the rows; `None` where nobody knows them or the rows do not
/// give them.
fn key(context: &Context<'_>, insert: &Insert<'_>, conflict: &Conflict<'_>) -> Option<Vec<Column>> {
    let table = context.table_of(insert);
    let names: Vec<String> = match &conflict.target {
        ConflictTarget::Columns(columns, _) => {
            columns.iter().map(|one| one.as_name().map(crate::sql::view::Name::last)).collect::<Option<_>>()?
        }
        ConflictTarget::Constraint(name) => {
            table?.keys.iter().find(|key| key.name.as_ref() == Some(&name.last()))?.columns.clone()
        }
        ConflictTarget::Any => match table?.keys.as_slice() {
            [one] if one.predicate.is_none() => one.columns.clone(),
            _ => return None,
        },
    };
    let columns = if insert.columns.is_empty() {
        let known = table.map(|table| table.columns.iter().map(|one| one.name.clone()).collect::<Vec<_>>());
        match (known, &insert.source) {
            (Some(known), _) if !known.is_empty() => known,
            // The names of a query stand for the columns.
            (_, Source::Query(_)) => Vec::new(),
            _ => return None,
        }
    } else {
        insert.columns.clone()
    };
    let key: Vec<Column> = names.iter().map(Column::named).collect();
    let key = unique::placed(&key, &columns);
    (columns.is_empty() || key.iter().all(|column| column.at.is_some())).then_some(key)
}
