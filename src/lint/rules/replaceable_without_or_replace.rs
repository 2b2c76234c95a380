//! IDM506.

use crate::diagnostic::Severity;
use crate::lint::check::Check;
use crate::lint::proof::definition;
use crate::lint::proof::second_run::Act;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Object, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM506",
    name: "replaceable-without-or-replace",
    severity: Severity::Warning,
    class: Class::Definition,
    summary: "CREATE VIEW, FUNCTION or PROCEDURE that a second run finds there, without OR REPLACE",
    setup: "CREATE TABLE orders (id int, qty int);",
    docs: "\
## What it finds

Views and routines that are made without OR REPLACE (or OR ALTER), and not dropped before.

```sql,bad,fails
CREATE VIEW large_orders AS SELECT id FROM orders WHERE qty > 10;
```

```sql,bad,fails
CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';
```

```sql,good
CREATE OR REPLACE VIEW large_orders AS SELECT id FROM orders WHERE qty > 10;
```

## Why

The second run stops there, and what stands behind it is not done.

## Instead

Write OR REPLACE, or OR ALTER where the dialect has that. A view that loses a column, or a function that returns another
type, can often not be replaced: drop it before.

```sql,good
DROP VIEW IF EXISTS large_orders;
CREATE VIEW large_orders AS SELECT id FROM orders WHERE qty > 10;
```
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let guards = &check.context.dialect.client.guards;
    let wanted = |act| matches!(act, Act::Create(Object::View | Object::Function | Object::Procedure));
    for (step, failure) in definition::failures(check, wanted) {
        let report = definition::report(failure);
        let Ok(Verb::Create(create)) = &step.verb else { continue };
        let view = create.object == Object::View;
        let words = create.object.words();
        let replace = if view { guards.replace_view } else { guards.replace_routine };
        let keep = if view { guards.create_view } else { guards.create_routine };
        let report = if replace {
            let report = report.help(format!("write `CREATE OR REPLACE {words}`"));
            definition::behind_create(report, step, create.verb_end, "OR REPLACE")
        } else if guards.or_alter {
            let report = report.help(format!("write `CREATE OR ALTER {words}`"));
            definition::behind_create(report, step, create.verb_end, "OR ALTER")
        } else if guards.drop {
            // IF NOT EXISTS would keep an old definition, so a DROP is the better advice.
            let name = &failure.name;
            let or = if keep { format!(", or write `CREATE {words} IF NOT EXISTS`") } else { String::new() };
            report.help(format!("put `DROP {words} IF EXISTS {name}` before it{or}"))
        } else {
            report.help(definition::probe(check.context, failure))
        };
        check.report(step, report);
    }
}
