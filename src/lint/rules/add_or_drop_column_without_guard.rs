//! IDM503.

use crate::diagnostic::Severity;
use crate::lint::check::Check;
use crate::lint::proof::definition;
use crate::lint::proof::second_run::Act;
use crate::lint::rule::{Class, Rule};

pub(super) static RULE: Rule = Rule {
    code: "IDM503",
    name: "add-or-drop-column-without-guard",
    severity: Severity::Warning,
    class: Class::Definition,
    summary: "ALTER TABLE that adds a column which a second run finds there, or drops one that it does not find",
    setup: "CREATE TABLE orders (id int, old_label text);",
    docs: "\
## What it finds

ADD COLUMN (also without the word COLUMN) and DROP COLUMN without a guard.

```sql,bad,fails
ALTER TABLE orders ADD COLUMN label text;
```

```sql,bad,fails
ALTER TABLE orders DROP COLUMN old_label;
```

```sql,good
ALTER TABLE orders ADD COLUMN IF NOT EXISTS label text;
ALTER TABLE orders DROP COLUMN IF EXISTS old_label;
```

## Why

The second run stops there, and what stands behind it is not done. Columns of a table that the script itself makes anew are
left out.

## Instead

Write IF NOT EXISTS or IF EXISTS for each column or, where the dialect has no such clause, ask the catalogue first:

```sql,bad,fails,sqlserver
ALTER TABLE dbo.orders ADD label nvarchar(20) NULL;
```

```sql,good,sqlserver
IF COL_LENGTH(N'dbo.orders', N'label') IS NULL
    ALTER TABLE dbo.orders ADD label nvarchar(20) NULL;
```
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let guards = &check.context.dialect.client.guards;
    let wanted = |act| matches!(act, Act::AddColumn | Act::DropColumn);
    for (step, failure) in definition::failures(check, wanted) {
        let report = definition::report(failure);
        let (clause, words) = match failure.act {
            Act::AddColumn => (guards.add_column, "IF NOT EXISTS"),
            _ => (guards.drop_column, "IF EXISTS"),
        };
        let verb = if failure.act == Act::AddColumn { "ADD" } else { "DROP" };
        let report = if clause {
            let report = report.help(format!("write `{verb} COLUMN {words}`"));
            let before = check.context.script.text[..failure.guard_at].trim_end();
            // Behind a comma or a bracket the guard of the first column holds for all, or there is no place for one.
            let first = !before.ends_with('(') && (verb == "ADD" || !before.ends_with(','));
            if first { definition::guarded(check.context, report, step, failure.guard_at, words) } else { report }
        } else {
            report.help(definition::probe(check.context, failure))
        };
        check.report(step, report);
    }
}
