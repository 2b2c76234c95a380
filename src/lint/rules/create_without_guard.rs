//! IDM501.

use crate::diagnostic::Severity;
use crate::lint::check::Check;
use crate::lint::proof::definition;
use crate::lint::proof::second_run::Act;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Object, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM501",
    name: "create-without-guard",
    severity: Severity::Warning,
    class: Class::Definition,
    summary: "CREATE of a table, an index or a schema that a second run finds there",
    setup: "CREATE TABLE orders (id int, label text);",
    docs: "\
## What it finds

CREATE TABLE, INDEX, SCHEMA, DATABASE, SEQUENCE, EXTENSION or MATERIALIZED VIEW, and SELECT INTO, where the object is still
there when the script is run again.

```sql,bad,fails
CREATE TABLE status (code text PRIMARY KEY);
```

```sql,bad,fails
CREATE INDEX ix_orders_label ON orders (label);
```

```sql,good
CREATE TABLE IF NOT EXISTS status (code text PRIMARY KEY);
CREATE INDEX IF NOT EXISTS ix_orders_label ON orders (label);
```

A script that removes the object first, or drops it or renames it away at its end, can be run again:

```sql,good
DROP TABLE IF EXISTS status;
CREATE TABLE status (code text PRIMARY KEY);
CREATE INDEX ix_status ON status (code);
```

## Why

The second run stops there, and what stands behind it is not done. A run that broke off half-way cannot be started again.
Temporary tables, indexes without a name, statements in a block with a condition, and whatever is about a table whose own
CREATE is reported already are left out.

## Instead

Write IF NOT EXISTS, where the dialect has it. It keeps an object that is there as it is, even when it has other columns.
Where there is no such clause, ask the catalogue first:

```sql,bad,fails,sqlserver
CREATE TABLE dbo.status (code char(2) NOT NULL);
```

```sql,good,sqlserver
IF OBJECT_ID(N'dbo.status') IS NULL
    CREATE TABLE dbo.status (code char(2) NOT NULL);
```
",
    check,
};

fn wanted(act: Act) -> bool {
    match act {
        Act::Create(object) => matches!(
            object,
            Object::Table
                | Object::Index
                | Object::Schema
                | Object::Database
                | Object::Sequence
                | Object::Extension
                | Object::MaterializedView
        ),
        Act::AddIndex => true,
        _ => false,
    }
}

fn check(check: &mut Check<'_, '_>) {
    let guards = &check.context.dialect.client.guards;
    for (step, failure) in definition::failures(check, wanted) {
        let report = definition::report(failure);
        let Ok(Verb::Create(create)) = &step.verb else {
            check.report(step, report.help(definition::probe(check.context, failure)));
            continue;
        };
        let clause = match create.object {
            Object::Table => guards.create_table,
            Object::Index => guards.create_index,
            Object::Schema => guards.create_schema,
            Object::Database => guards.create_database,
            Object::Sequence => guards.create_sequence,
            _ => true,
        };
        let report = if create.concurrently {
            // IF NOT EXISTS would keep an index that a broken build left invalid.
            report.help(format!("drop it before: `DROP INDEX CONCURRENTLY IF EXISTS {}`", failure.name))
        } else if clause {
            let report = report.help(format!("write `CREATE {} IF NOT EXISTS`", create.object.words()));
            definition::guarded(check.context, report, step, create.guard_at, "IF NOT EXISTS")
        } else {
            report.help(definition::probe(check.context, failure))
        };
        check.report(step, report);
    }
}
