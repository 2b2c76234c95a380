//! IDM502.

use crate::diagnostic::Severity;
use crate::lint::check::Check;
use crate::lint::proof::definition;
use crate::lint::proof::second_run::Act;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::Object;

pub(super) static RULE: Rule = Rule {
    code: "IDM502",
    name: "drop-without-if-exists",
    severity: Severity::Warning,
    class: Class::Definition,
    summary: "DROP of an object or a constraint that a second run does not find",
    setup: "CREATE TABLE old_orders (id int); CREATE TABLE orders (id int CONSTRAINT positive CHECK (id > 0));",
    docs: "\
## What it finds

DROP without IF EXISTS, of an object that nothing in the script makes again.

```sql,bad,fails
DROP TABLE old_orders;
```

```sql,bad,fails
ALTER TABLE orders DROP CONSTRAINT positive;
```

```sql,good
DROP TABLE IF EXISTS old_orders;
ALTER TABLE orders DROP CONSTRAINT IF EXISTS positive;
```

What the script makes before or behind the DROP is there when the next run drops it:

```sql,good
CREATE TABLE work_orders (id int);
DROP TABLE work_orders;
```

## Why

The second run stops there, and what stands behind it is not done.

## Instead

Write IF EXISTS or, where the dialect has no such clause, ask the catalogue first.
",
    check,
};

fn wanted(act: Act) -> bool {
    matches!(act, Act::Drop(_) | Act::DropConstraint | Act::DropPrimaryKey | Act::DropIndex)
}

fn check(check: &mut Check<'_, '_>) {
    let guards = &check.context.dialect.client.guards;
    for (step, failure) in definition::failures(check, wanted) {
        let report = definition::report(failure);
        let (clause, words) = match failure.act {
            Act::Drop(Object::Index) => (guards.drop_index, "DROP INDEX IF EXISTS".to_owned()),
            Act::Drop(Object::Login) => (false, String::new()),
            Act::Drop(object) => (guards.drop, format!("DROP {} IF EXISTS", object.words())),
            Act::DropConstraint => (guards.drop_constraint, "DROP CONSTRAINT IF EXISTS".to_owned()),
            _ => (false, String::new()),
        };
        let report = if clause {
            let report = report.help(format!("write `{words}`"));
            // A comma before the name: the guard of the first name holds for all.
            let text = check.context.script.text;
            let first = !text[..failure.guard_at.min(text.len())].trim_end().ends_with(',');
            if first { definition::guarded(check.context, report, step, failure.guard_at, "IF EXISTS") } else { report }
        } else {
            report.help(definition::probe(check.context, failure))
        };
        check.report(step, report);
    }
}
