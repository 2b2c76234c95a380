//! IDM106.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Fresh;
use crate::lint::proof::append;
use crate::lint::proof::key;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Mode, Source, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM106",
    name: "replace-into-rewrites-row",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "REPLACE INTO, which deletes the row and makes a new one",
    setup: "",
    docs: "\
## What it finds

`REPLACE INTO` and `INSERT OR REPLACE` that leave out columns of the table, or into a table that others refer to.

```sql,bad,same,mysql
REPLACE INTO account (id, email) VALUES (7, 'a@example.org');
```

```sql,good,mysql
INSERT INTO account (id, email) VALUES (7, 'a@example.org')
ON DUPLICATE KEY UPDATE email = VALUES(email);
```

```sql,bad,same,sqlite
CREATE TABLE IF NOT EXISTS profile (id INTEGER PRIMARY KEY, nick TEXT, joined TEXT);
INSERT OR REPLACE INTO profile (id, nick) VALUES (1, 'ann');
```

```sql,good,sqlite
CREATE TABLE IF NOT EXISTS profile (id INTEGER PRIMARY KEY, nick TEXT, joined TEXT);
INSERT INTO profile (id, nick) VALUES (1, 'ann') ON CONFLICT (id) DO UPDATE SET nick = excluded.nick;
```

## Why

The old row is deleted and a new one is made in each run: columns that are not listed go back to their defaults, a generated
number is spent, triggers fire, and rows that refer to the old one with ON DELETE CASCADE go with it.

## Instead

Update the row that is there: ON DUPLICATE KEY UPDATE, ON CONFLICT DO UPDATE.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        if insert.mode != Mode::Replace
            || matches!(context.fresh(step, insert.target), Some(Fresh::Temporary | Fresh::Staging | Fresh::Recreated))
        {
            continue;
        }
        let table = context.table_of(insert);
        if table.is_some_and(|table| key::defeated(insert, table).is_some()) {
            continue;
        }
        let referenced = table.is_some_and(|table| table.referenced);
        // Without a list of columns, all of them are filled.
        let listed = match &insert.source {
            Source::Row(sets) => sets.iter().map(|set| set.column.clone()).collect(),
            _ => insert.columns.clone(),
        };
        let left_out: Vec<&str> = table
            .map(|table| table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>())
            .unwrap_or_default()
            .into_iter()
            .filter(|column| !listed.iter().any(|one| one == column))
            .collect();
        let all = listed.is_empty() || table.is_some_and(|table| !table.columns.is_empty()) && left_out.is_empty();
        if all && !referenced {
            continue;
        }
        let name = append::shown(insert.target);
        let harm = if referenced {
            format!("each run deletes the row of `{name}` and makes it anew, and rows that refer to it may go with it")
        } else if let Some(column) = left_out.first() {
            format!("each run deletes the row of `{name}` and makes it anew, and `{column}` goes back to its default")
        } else {
            format!(
                "each run deletes the row of `{name}` and makes it anew, and columns not listed go back to their defaults"
            )
        };
        let words = if context.dialect.syntax.on_duplicate_key {
            "INSERT .. ON DUPLICATE KEY UPDATE .. = VALUES(..)"
        } else {
            "INSERT .. ON CONFLICT (..) DO UPDATE SET x = excluded.x"
        };
        let report = Report::at(insert.target.sql.range(), harm)
            .label("deleted and made anew")
            .help(format!("update the row that is there: `{words}`"))
            .group(insert.target.key());
        check.report(step, report);
    }
}
