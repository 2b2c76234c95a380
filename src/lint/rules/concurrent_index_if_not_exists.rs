//! IDM510.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Guard, Object, Verb};
use crate::sql::view::same_table;
use std::collections::HashMap;

pub(super) static RULE: Rule = Rule {
    code: "IDM510",
    name: "concurrent-index-if-not-exists",
    severity: Severity::Info,
    class: Class::Definition,
    summary: "CREATE INDEX CONCURRENTLY IF NOT EXISTS is content with an invalid index that a broken run left",
    setup: "CREATE TABLE orders (id int);",
    docs: "\
## What it finds

CREATE INDEX CONCURRENTLY IF NOT EXISTS of an index that the script does not drop before.

```sql,bad,same
CREATE INDEX CONCURRENTLY IF NOT EXISTS ix_orders_id ON orders (id);
```

```sql,good
DROP INDEX CONCURRENTLY IF EXISTS ix_orders_id;
CREATE INDEX CONCURRENTLY ix_orders_id ON orders (id);
```

## Why

A concurrent build that breaks off (a deadlock, a duplicate, a timeout) leaves an index that is marked invalid: no query
uses it, and every write pays for it. IF NOT EXISTS looks at the name alone, so the next run says that all is well.

## Instead

Drop the index before, or ask `pg_index.indisvalid` in a DO block and drop it only when it is invalid.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let asked = context.script.text.to_ascii_lowercase().contains("indisvalid");
    let mut dropped: HashMap<String, Vec<String>> = HashMap::new();
    for step in check.steps() {
        match &step.verb {
            Ok(Verb::Drop(drop)) if drop.object == Object::Index => {
                for name in &drop.names {
                    dropped.entry(name.last()).or_default().push(name.key());
                }
            }
            Ok(Verb::Create(create))
                if create.object == Object::Index && create.concurrently && create.guard == Guard::IfExists =>
            {
                let Some(name) = create.name else { continue };
                let before =
                    dropped.get(&name.last()).is_some_and(|all| all.iter().any(|one| same_table(one, &name.key())));
                if before || asked || context.guarded(step) {
                    continue;
                }
                let message = format!("a second run keeps `{}` even if the first one left it invalid", name.source());
                let report = Report::at(name.sql.range(), message)
                    .label("only the name is looked at")
                    .help(format!("put `DROP INDEX CONCURRENTLY IF EXISTS {};` before it", name.source()));
                check.report(step, report);
            }
            _ => {}
        }
    }
}
