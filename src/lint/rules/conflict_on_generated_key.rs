//! IDM103.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::known::Table;
use crate::lint::proof::append::{self, Again};
use crate::lint::proof::key::{self, Reach, Supplied};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{ConflictTarget, Insert, Mode, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM103",
    name: "conflict-on-generated-key",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a conflict clause that never fires, for the INSERT supplies no unique key",
    setup: "CREATE TABLE invoice (id serial PRIMARY KEY, customer int, amount int); CREATE TABLE note (body text);
            CREATE TABLE bill (id text PRIMARY KEY, customer int, amount int);",
    docs: "\
## What it finds

ON CONFLICT on a key that the statement leaves to the engine, which makes a new one for each row; and ON CONFLICT DO NOTHING,
ON DUPLICATE KEY UPDATE, INSERT IGNORE or REPLACE into a table whose unique keys are all known, none of which is supplied.

```sql,bad,adds
INSERT INTO invoice (customer, amount) VALUES (7, 10)
ON CONFLICT (id) DO NOTHING;
```

```sql,bad,adds
CREATE TABLE IF NOT EXISTS note (body text);
INSERT INTO note (body) VALUES ('hello') ON CONFLICT DO NOTHING;
```

```sql,good
INSERT INTO bill (id, customer, amount) VALUES ('inv-7-1', 7, 10)
ON CONFLICT (id) DO NOTHING;
```

```sql,bad,adds,mysql
CREATE TABLE IF NOT EXISTS note (id INT AUTO_INCREMENT PRIMARY KEY, body VARCHAR(20));
INSERT INTO note (body) VALUES ('hello') ON DUPLICATE KEY UPDATE body = VALUES(body);
```

## Why

The clause looks like a guard and is none: no row ever has the key that is made for the new one, so each run adds its rows.

## Instead

Supply the key, or put a unique index on the columns that tell one row from another and name those.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        if let Some(report) = judge(check.context, step, insert) {
            check.report(step, report.group(insert.target.key()));
        }
    }
}

/// True when the INSERT says what becomes of a row whose key is there.
pub(super) fn skips(insert: &Insert<'_>) -> bool {
    insert.conflict.is_some() || matches!(insert.mode, Mode::Ignore | Mode::Replace)
}

fn judge<'a>(context: &Context<'a>, step: &Step<'a>, insert: &Insert<'a>) -> Option<Report> {
    if !skips(insert) || !context.dialect.client.enforces_keys {
        return None;
    }
    let again = append::again(context, step, insert.target);
    if again == Again::Safe || append::clears_itself(insert) {
        return None;
    }
    let table = context.table_of(insert);
    let message = message(insert, table)?;
    let guards = crate::lint::proof::antijoin::of(insert, &context.options.aliases);
    if guards.guarded {
        return None;
    }
    let place = insert.conflict.as_ref().map_or(insert.target.sql.range(), |conflict| conflict.sql.range());
    let mut report = Report::at(place, message)
        .label("never fires")
        .help("supply the key, or name the columns that tell one row from another, over a unique index");
    if let Again::Stopped(created) = again {
        report = report.also(context.steps[created].sql.range(), "fails on the second run").at_most(Severity::Info);
    }
    Some(report)
}

/// Why no unique key can meet the new rows, or `None`. A key with another value each time is another rule's.
fn message(insert: &Insert<'_>, table: Option<&Table>) -> Option<String> {
    let name = append::shown(insert.target);
    let target = insert.conflict.as_ref().map_or(&ConflictTarget::Any, |conflict| &conflict.target);
    let Some(columns) = key::conflict_columns(target, table) else {
        if matches!(target, ConflictTarget::Constraint(_)) {
            return None;
        }
        let defeated = key::defeated(insert, table?)?;
        if defeated.iter().any(|one| matches!(one, Reach::Volatile(..))) {
            return None;
        }
        return Some(if defeated.is_empty() {
            format!("a second run adds the rows to `{name}` again: it has no unique key that could stop them")
        } else {
            format!("a second run adds the rows to `{name}` again: they supply none of its unique keys")
        });
    };
    match key::reach(insert, table, &columns, false) {
        Reach::Generated(column) => Some(format!(
            "a second run adds the rows to `{name}` again: `{column}` is not supplied and new for each row"
        )),
        Reach::Null(column) => {
            let equal = table?.keys.iter().any(|key| key.nulls_equal && key.columns.contains(&column));
            (!equal).then(|| {
                format!(
                    "a second run adds the rows to `{name}` again: `{column}` is null, which is never the same as null"
                )
            })
        }
        Reach::Unknown => unknown(insert, table, &columns, &name),
        _ => None,
    }
}

/// Nothing is known of the table; a key that is called like one that the engine makes, and is not supplied, is one.
fn unknown(insert: &Insert<'_>, table: Option<&Table>, columns: &[String], name: &str) -> Option<String> {
    let absent = |column: &String| matches!(key::supplied(insert, table, column), Supplied::Nothing);
    let known = |column: &String| table.is_some_and(|table| table.columns.iter().any(|one| one.name == *column));
    if !columns.iter().all(|column| absent(column) && !known(column)) {
        return None;
    }
    let column = columns.iter().find(|column| {
        ["id", "uuid", "guid", "pk", "rowid", "oid"].contains(&column.as_str())
            || ["_id", "_uuid", "_guid", "_pk"].iter().any(|end| column.ends_with(end))
    })?;
    Some(format!(
        "a second run adds the rows to `{name}` again: `{column}` is not supplied, so that it is new for each row"
    ))
}
