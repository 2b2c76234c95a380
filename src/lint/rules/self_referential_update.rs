//! IDM201.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::growth::{self, Growth};
use crate::lint::proof::{claim, guard};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::Verb;
use std::collections::HashSet;

pub(super) static RULE: Rule = Rule {
    code: "IDM201",
    name: "self-referential-update",
    severity: Severity::Error,
    class: Class::Data,
    summary: "an UPDATE that does arithmetic on the column it sets, with no condition that ends it",
    setup: "\
CREATE TABLE stock (sku text PRIMARY KEY, qty int, applied_ref text);
INSERT INTO stock VALUES ('A', 10, NULL), ('B', 4, NULL);",
    docs: "\
## What it finds

`SET qty = qty - 1`, a price raised by a tenth, a date moved by a day, where nothing in the statement becomes false once it
has run.

```sql,bad,changes
UPDATE stock SET qty = qty - 1 WHERE sku = 'A';
```

```sql,bad,changes,sqlserver
UPDATE dbo.stock SET qty -= 1 WHERE sku = 'A';
```

```sql,good
UPDATE stock SET qty = qty - 1, applied_ref = 'ord-9' WHERE sku = 'A' AND applied_ref IS DISTINCT FROM 'ord-9';
```

Functions that give the same when they read their own result (`lower`, `abs`, `greatest`, `coalesce`, `round`) are no
arithmetic. A condition that the statement itself makes false, a claim in its WITH list, and a marker that the script sets are
taken as guards. In a file of statements that a program sends by their names (`-- name: lower_stock`), what stands behind a claim,
an INSERT that writes no row for a key which is there, is information: the program has to stop where the claim wrote none.

## Why

A run that is repeated, after a crash or by mistake, counts again. Nothing fails, and nobody can tell later how often it ran.

## Instead

Set a value that does not depend on the old one, or store what was applied in the same statement and ask for it in WHERE.
",
    check,
};

/// Columns that count changes: a second run counts one more, and no other harm is done.
const VERSIONS: &[&str] = &["version", "revision", "rev", "lock_version", "row_version", "opt_lock", "optlock"];

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let reset = resets(check);
    for (step, verb) in check.verbs() {
        let Verb::Update(update) = verb else { continue };
        let table = update.table();
        let called = guard::called_in(update);
        for set in &update.sets {
            let growth = growth::growth(set, &called);
            if !matches!(growth, Growth::Adds(..)) {
                continue;
            }
            let earlier = reset.iter().any(|(at, key, column)| {
                *at < step.index && *column == set.column && crate::sql::view::same_table(key, &table.key())
            });
            let weight = changes::update(context, step, update);
            if earlier || weight == Weight::None || claim::reads_new(context, step) {
                break;
            }
            let name = table.key();
            let mut report = Report::at(set.sql.range(), format!("a second run {}", growth::deed(growth, &set.column)))
                .label("reads the column that it sets")
                .help(format!(
                    "set `{}` to a value that does not depend on the old one, or store what was applied: add `applied_ref = 'this run'` to SET and `AND {}` to WHERE",
                    set.column,
                    crate::lint::wording::differs(context.dialect, "applied_ref", "'this run'")
                ));
            if VERSIONS.contains(&set.column.as_str()) {
                report = report.severity(Severity::Warning);
            }
            check.report(step, weight.put(context, &name, report));
            break;
        }
    }
}

/// Columns that a statement sets for all rows to something that does not depend on them: (step, table, column).
fn resets(check: &Check<'_, '_>) -> HashSet<(usize, String, String)> {
    let mut all = HashSet::new();
    for (step, verb) in check.verbs() {
        let Verb::Update(update) = verb else { continue };
        if update.filter.is_none() && update.from.is_empty() && all.len() < 100 {
            for set in update.sets.iter().filter(|set| set.value.is_constant()) {
                all.insert((step.index, update.table().key(), set.column.clone()));
            }
        }
    }
    all
}
