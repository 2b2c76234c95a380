//! IDM104.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::What;
use crate::lint::proof::append;
use crate::lint::proof::key::{self, Misfit};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{ConflictTarget, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM104",
    name: "conflict-target-has-no-unique-index",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "a conflict target that fits no unique key of the table",
    setup: "",
    docs: "\
## What it finds

ON CONFLICT with columns that no unique index of the table has, as far as the files that were read tell: the engine refuses
the statement. Also a partial index whose predicate the clause does not repeat, an index on an expression, and a deferrable
constraint, which cannot settle conflicts.

```sql,bad,fails
CREATE TABLE IF NOT EXISTS page (slug text NOT NULL, state text NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS ux_page_live ON page (slug) WHERE state = 'live';
INSERT INTO page (slug, state) VALUES ('a', 'live') ON CONFLICT (slug) DO NOTHING;
```

```sql,good
CREATE TABLE IF NOT EXISTS page (slug text NOT NULL, state text NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS ux_page_live ON page (slug) WHERE state = 'live';
INSERT INTO page (slug, state) VALUES ('a', 'live')
ON CONFLICT (slug) WHERE state = 'live' DO NOTHING;
```

```sql,bad,fails
CREATE TABLE IF NOT EXISTS slot (day date, pos int, UNIQUE (day, pos) DEFERRABLE);
INSERT INTO slot (day, pos) VALUES (DATE '2026-01-01', 1) ON CONFLICT DO NOTHING;
```

```sql,bad,fails,sqlite
CREATE TABLE IF NOT EXISTS category (name TEXT, kind TEXT);
INSERT INTO category (name, kind) VALUES ('food', 'expense') ON CONFLICT (name, kind) DO NOTHING;
```

The order of the columns does not matter. Where the table's definition is not among the files, nothing is said.

## Why

The first run fails already. Somebody then takes the clause away, and the next run adds the rows a second time.

## Instead

Name the columns of a unique index; repeat the predicate of a partial one; create the index if there is none.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    if !context.dialect.syntax.on_conflict {
        return;
    }
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        let Some(conflict) = insert.conflict.as_ref().filter(|conflict| !conflict.duplicate_key) else { continue };
        let Some(table) = context.table_of(insert) else { continue };
        let Some(misfit) = key::misfit(&conflict.target, table) else { continue };
        let name = append::shown(insert.target);
        let wanted = match &conflict.target {
            ConflictTarget::Columns(list, _) => list.iter().map(|one| one.source()).collect::<Vec<_>>().join(", "),
            ConflictTarget::Constraint(name) => name.source().to_owned(),
            ConflictTarget::Any => String::new(),
        };
        let has: Vec<String> = table.keys.iter().map(|key| format!("`({})`", key.columns.join(", "))).collect();
        let (message, help) = match misfit {
            Misfit::NoKey if has.is_empty() => (
                format!("this fails: `{name}` has no unique key, so none on `{wanted}`"),
                format!("create one: `CREATE UNIQUE INDEX IF NOT EXISTS .. ON {name} ({wanted})`"),
            ),
            Misfit::NoKey => (
                format!("this fails: no unique key of `{name}` is on `{wanted}`"),
                format!("name the columns of a key, {}, or create a unique index on `{wanted}`", has.join(" or ")),
            ),
            Misfit::Partial(predicate) => (
                format!("this fails: the unique index on `{wanted}` is for the rows `{predicate}` alone"),
                format!("repeat its predicate: `ON CONFLICT ({wanted}) WHERE {predicate}`"),
            ),
            Misfit::Deferrable => (
                format!("this fails: a unique constraint of `{name}` is deferrable, and cannot settle conflicts"),
                "use a constraint that is not deferrable, or a unique index".to_owned(),
            ),
        };
        let mut report = Report::at(conflict.sql.range(), message).label("fits no unique index").help(help);
        let created = context.events(step, insert.target).find(|event| matches!(event.what, What::Created { .. }));
        if let Some(created) = created {
            report = report.also(created.table.sql.range(), "the table is defined here");
        }
        check.report(step, report);
    }
}
