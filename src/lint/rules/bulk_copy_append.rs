//! IDM110.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::known::Table;
use crate::lint::proof::append::{self, Again};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Copy, Verb};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

pub(super) static RULE: Rule = Rule {
    code: "IDM110",
    name: "bulk-copy-append",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a bulk load straight into a final table",
    setup: "CREATE TABLE sales (id int PRIMARY KEY, amount int); CREATE TABLE reading (place text, value int);",
    docs: "\
## What it finds

COPY, `\\copy`, LOAD DATA, BULK INSERT, and COPY INTO with FORCE, into a permanent table that nothing clears before.

```sql,bad,adds
COPY reading (place) FROM PROGRAM 'echo roof';
```

```sql,good
CREATE TEMP TABLE in_sales (id int, amount int);
COPY in_sales (id) FROM PROGRAM 'echo 1';
INSERT INTO sales SELECT id, amount FROM in_sales ON CONFLICT (id) DO NOTHING;
DROP TABLE in_sales;
```

```sql,bad,adds,mysql
LOAD DATA LOCAL INFILE '/data/sales.csv' INTO TABLE sales FIELDS TERMINATED BY ',';
```

```sql,bad,adds,snowflake
COPY INTO mart.sales FROM @landing/sales FILE_FORMAT = (TYPE = CSV) FORCE = TRUE;
```

```sql,good,snowflake
COPY INTO mart.sales FROM @landing/sales FILE_FORMAT = (TYPE = CSV);
```

An engine that remembers the files that it loaded refuses the second load by itself, unless it is forced.

## Why

The rows of the file are added again. With a unique key the second load fails; most tables that are loaded in bulk get their
keys later, or never.

## Instead

Load into a temporary table and upsert from there, or clear what is loaded in the same transaction.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let client = &context.dialect.client;
    for (step, verb) in check.verbs() {
        let Verb::Copy(copy) = verb else { continue };
        if copy.replaces || (client.load_history && !copy.forced && copy.verb == "COPY INTO") {
            continue;
        }
        let name = append::shown(copy.target);
        let again = append::again(context, step, copy.target);
        if again == Again::Safe {
            continue;
        }
        let place = copy.target.sql.range();
        let help = "load into a temporary table and upsert from there, or clear what is loaded in the same transaction";
        if let Again::Stopped(created) = again {
            let report = Report::at(
                place,
                format!(
                    "a second run stops at {}; without it, it would load the rows again",
                    append::stop(context, created, &name)
                ),
            )
            .label("appends")
            .also(context.steps[created].sql.range(), "fails on the second run")
            .help("let the client stop at errors")
            .at_most(Severity::Info);
            check.report(step, report.group(copy.target.key()));
            continue;
        }
        let met =
            context.table(copy.target).filter(|_| client.enforces_keys).and_then(|table| key(step.sql, copy, table));
        let report = match met {
            // IGNORE skips the rows that are there; so does a load from the client.
            Some(_) if copy.ignores || step.sql.mentions("local") => continue,
            Some(columns) => {
                Report::at(place, format!("a second run fails: the keys `{columns}` are in `{name}` already"))
                    .label("supplies the same keys each time")
                    .severity(Severity::Warning)
                    .help(help)
            }
            None if copy.forced => Report::at(place, format!("a second run loads the same files into `{name}` again"))
                .label("FORCE passes over what was loaded before")
                .help("take FORCE away, so that files that were loaded are passed over"),
            None => Report::at(place, format!("a second run loads the same rows into `{name}` again"))
                .label(format!("{} appends", copy.verb))
                .help(help),
        };
        check.report(step, report.group(copy.target.key()));
    }
}

/// The unique key that the load fills.
fn key(sql: Sql<'_>, copy: &Copy<'_>, table: &Table) -> Option<String> {
    let target = copy.target.sql.range().end;
    let list = (0..sql.len())
        .find(|at| sql.bytes(*at).start >= target)
        .filter(|at| sql.kind(*at) == Some(Kind::Open))
        .map(|at| sql.inside(at).commas().into_iter().filter_map(Sql::as_name).map(Name::last).collect::<Vec<_>>());
    let filled = |column: &String| list.as_ref().is_none_or(|list| list.contains(column));
    let key = table.keys.iter().find(|key| key.predicate.is_none() && key.columns.iter().all(filled))?;
    Some(key.columns.join(", "))
}
