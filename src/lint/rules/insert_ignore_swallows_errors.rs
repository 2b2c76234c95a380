//! IDM105.

use super::insert_values_without_guard::{conflict_clause, rows_end};
use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Fresh;
use crate::lint::finding::{Edit, Safety};
use crate::lint::proof::append;
use crate::lint::proof::key;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Insert, Mode, Verb};
use crate::sql::view::Sql;
use std::ops::Range;

pub(super) static RULE: Rule = Rule {
    code: "IDM105",
    name: "insert-ignore-swallows-errors",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "INSERT IGNORE, which hides other errors than duplicate keys",
    setup: "",
    docs: "\
## What it finds

`INSERT IGNORE` and `INSERT OR IGNORE`.

```sql,bad,same,mysql
INSERT IGNORE INTO country (code, name) VALUES ('AT', 'Austria');
```

```sql,good,mysql
INSERT INTO country (code, name) VALUES ('AT', 'Austria') ON DUPLICATE KEY UPDATE code = code;
```

```sql,bad,same,sqlite
CREATE TABLE IF NOT EXISTS kind (code TEXT PRIMARY KEY, label TEXT NOT NULL);
INSERT OR IGNORE INTO kind (code, label) VALUES ('h', 'herb');
```

```sql,good,sqlite
CREATE TABLE IF NOT EXISTS kind (code TEXT PRIMARY KEY, label TEXT NOT NULL);
INSERT INTO kind (code, label) VALUES ('h', 'herb') ON CONFLICT (code) DO NOTHING;
```

A table of which the statement fills nothing but its key, such as a link table, is left alone.

## Why

The second run adds nothing, which is what was wanted. But every other fault of a row is hidden too: a text that is cut, a
date that is none, a missing parent, a null where none may be. The load says that it worked, and rows are missing or bent.

## Instead

Say which conflict is meant: ON CONFLICT (key) DO NOTHING, or ON DUPLICATE KEY UPDATE with a column set to itself.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        if insert.mode != Mode::Ignore || insert.conflict.is_some() {
            continue;
        }
        if matches!(context.fresh(step, insert.target), Some(Fresh::Temporary | Fresh::Staging)) {
            continue;
        }
        let table = context.table_of(insert);
        let columns = key::columns(insert, table).unwrap_or_default();
        let link = |keys: &[String]| !columns.is_empty() && columns.iter().all(|column| keys.contains(column));
        // Where no key can be met, the rows are added again, which another rule says.
        if table.is_some_and(|table| {
            table.keys.iter().any(|key| link(&key.columns)) || key::defeated(insert, table).is_some()
        }) {
            continue;
        }
        let name = append::shown(insert.target);
        let syntax = &context.dialect.syntax;
        let (hidden, clause) = if syntax.on_duplicate_key {
            ("cut texts, wrong dates and missing parents", "ON DUPLICATE KEY UPDATE .. = ..")
        } else {
            ("nulls and failed checks", "ON CONFLICT (..) DO NOTHING")
        };
        let place = ignore(step.sql, insert).unwrap_or_else(|| insert.target.sql.range());
        let met = table.and_then(|table| key::met(insert, table)).and_then(|key| conflict_clause(context, step, key));
        let words = met.as_deref().unwrap_or(clause);
        let mut report = Report::at(
            place.clone(),
            format!("a second run adds nothing to `{name}`, but {hidden} are passed over in every run without a word"),
        )
        .label("hides more than duplicate keys")
        .help(format!("take IGNORE away and add `{words}`"))
        .group(insert.target.key());
        if let (Some(clause), Some(end)) = (&met, rows_end(step.sql, insert)) {
            let behind =
                insert.target.sql.whole_text()[place.end..].bytes().take_while(u8::is_ascii_whitespace).count();
            report = report.fix(
                Safety::Unsafe,
                format!("fail on other errors: add `{clause}` instead of IGNORE"),
                vec![
                    Edit { range: place.start..place.end + behind, text: String::new() },
                    Edit { range: end..end, text: format!("{}{clause}", context.newline()) },
                ],
            );
        }
        check.report(step, report);
    }
}

/// The bytes of `IGNORE` or `OR IGNORE`.
fn ignore(sql: Sql<'_>, insert: &Insert<'_>) -> Option<Range<usize>> {
    let target = insert.target.sql.range().start;
    let at = (0..sql.len()).take_while(|at| sql.bytes(*at).start < target).filter(|at| sql.is(*at, "ignore")).last()?;
    let from = if at > 0 && sql.is(at - 1, "or") { at - 1 } else { at };
    Some(sql.bytes(from).start..sql.bytes(at).end)
}
