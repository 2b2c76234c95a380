//! IDM509.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step, like};
use crate::lint::finding::{Edit, Safety};
use crate::lint::proof::definition;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Create, Guard, Object, Verb};
use crate::sql::view::same_table;
use std::collections::HashMap;

pub(super) static RULE: Rule = Rule {
    code: "IDM509",
    name: "create-or-replace-table-drops-data",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "CREATE OR REPLACE TABLE that empties a table which the script does not fill again",
    setup: "",
    docs: "\
## What it finds

CREATE OR REPLACE TABLE with a list of columns, of a table that nothing behind it in the script fills.

```sql,bad,changes,snowflake
CREATE OR REPLACE TABLE mart.sales (day DATE, qty INT);
```

```sql,good,snowflake
CREATE TABLE IF NOT EXISTS mart.sales (day DATE, qty INT);
```

```sql,good
CREATE TABLE IF NOT EXISTS sales (day date, qty int);
```

## Why

The statement never fails, and each run throws the rows away: those that other scripts loaded since the last run. A table
that is made AS SELECT, that is temporary or transient, or that the script fills afterwards, is left out.

## Instead

Write CREATE TABLE IF NOT EXISTS, and change columns with ALTER TABLE. To make the whole table anew, fill it in the same
statement:

```sql,good,snowflake
CREATE OR REPLACE TABLE mart.sales AS SELECT day, SUM(qty) AS qty FROM raw.orders GROUP BY day;
```
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    // The last step that fills a table, by the last part of its name.
    let mut filled: HashMap<String, Vec<(usize, String)>> = HashMap::new();
    for (step, verb) in check.verbs() {
        let table = match verb {
            Verb::Insert(insert) => insert.target,
            Verb::Merge(merge) => merge.target,
            Verb::Copy(copy) => copy.target,
            _ => continue,
        };
        filled.entry(table.last()).or_default().push((step.index, table.key()));
    }
    for step in check.steps() {
        let Ok(Verb::Create(create)) = &step.verb else { continue };
        let Some(name) = create.name.filter(|_| wipes(context, step, create)) else { continue };
        let fills = filled
            .get(&name.last())
            .is_some_and(|all| all.iter().any(|(index, table)| *index > step.index && same_table(table, &name.key())));
        if fills || context.guarded(step) {
            continue;
        }
        let text = context.script.text;
        let start = create.verb_end;
        let words = &text[start..create.guard_at];
        let mut report =
            Report::at(name.sql.range(), format!("a second run empties `{}`", name.source().trim_matches('`')))
                .label("made anew, with no rows")
                .help("write `CREATE TABLE IF NOT EXISTS`, or fill it in the same statement with `AS SELECT`");
        if words.to_ascii_lowercase().split_whitespace().eq(["or", "replace", "table"]) {
            let guard = definition::cased(step, " TABLE IF NOT EXISTS ");
            let edit = Edit { range: start..create.guard_at, text: guard };
            report =
                report.fix(Safety::Unsafe, "write IF NOT EXISTS, which keeps a table of other columns too", vec![edit]);
        }
        check.report(step, report);
    }
}

/// The table keeps rows, and the statement takes them away.
fn wipes(context: &Context<'_>, step: &Step<'_>, create: &Create<'_>) -> bool {
    let Some(name) = create.name else { return false };
    if create.object != Object::Table || create.guard != Guard::OrReplace || create.temporary || create.query.is_some()
    {
        return false;
    }
    let adjectives = (0..step.sql.len()).take_while(|at| step.sql.bytes(*at).start < create.guard_at).any(|at| {
        step.sql.is_any(
            at,
            &["transient", "external", "foreign", "dynamic", "streaming", "live", "temporary", "temp", "iceberg"],
        )
    });
    // AS, CLONE and their kin fill it; a LOCATION or another engine keeps rows elsewhere.
    let elsewhere = create.rest.find(0, &["as", "clone", "copy", "location", "from", "shallow", "deep"]).is_some();
    let engine = create.rest.find(0, &["engine"]).is_some_and(|at| {
        let at = at + 1 + usize::from(create.rest.symbol(at + 1, "="));
        let engine = create.rest.text(at).to_ascii_lowercase();
        !["mergetree", "log", "innodb", "aria", "myisam"].iter().any(|end| engine.ends_with(end))
    });
    let key = name.key();
    let staging = context.options.staging.iter().any(|pattern| like(&key, pattern));
    !(adjectives || elsewhere || engine || staging)
}
