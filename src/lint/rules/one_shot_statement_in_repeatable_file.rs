//! IDM801.

use crate::diagnostic::Severity;
use crate::lint::check::Check;
use crate::lint::proof::definition;
use crate::lint::rule::{Class, Rule};

pub(super) static RULE: Rule = Rule {
    code: "IDM801",
    name: "one-shot-statement-in-repeatable-file",
    severity: Severity::Warning,
    class: Class::Definition,
    summary: "a change to a table that can be made once, in a file that its runner runs again",
    setup: "CREATE TABLE orders (id int, a int);",
    docs: "\
## What it finds

CREATE TABLE, ALTER TABLE and RENAME without a guard in a file that the runner itself runs again: a repeatable migration, a
script after each deployment, a change set that runs whenever it changes.

```sql,bad,fails,file=db/R__orders.sql
ALTER TABLE orders ADD COLUMN label text;
```

```sql,bad,fails,file=db/R__status.sql
CREATE TABLE status (code text PRIMARY KEY);
```

```sql,good,file=db/R__orders.sql
CREATE OR REPLACE VIEW all_orders AS SELECT id FROM orders;
```

## Why

The runner runs the file again as soon as anybody edits it, and then it stops at this statement. What can be done once
belongs in a file that is run once.

## Instead

Move the statement to a versioned migration. Or guard it, so that each run gets past it:

```sql,good,file=db/R__orders.sql
ALTER TABLE orders ADD COLUMN IF NOT EXISTS label text;
```
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let runner = context.runner.name.unwrap_or("the runner");
    for failure in context.failures() {
        let step = &context.steps[failure.step];
        if failure.doubles || !definition::one_shot(context, step, failure.act) {
            continue;
        }
        let report = definition::report(failure)
            .label(format!("{runner} runs this file again"))
            .help("move it to a migration that is run once, or guard it");
        check.report(step, report);
    }
}
