//! IDM505.

use crate::diagnostic::Severity;
use crate::lint::check::Check;
use crate::lint::proof::definition;
use crate::lint::proof::second_run::Act;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Object, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM505",
    name: "type-or-enum-without-guard",
    severity: Severity::Warning,
    class: Class::Definition,
    summary: "CREATE TYPE, CREATE DOMAIN or ALTER TYPE ADD VALUE of something that a second run finds there",
    setup: "CREATE TYPE weather AS ENUM ('wet', 'dry');",
    docs: "\
## What it finds

Types, domains and values of enumerations that are made without a guard.

```sql,bad,fails
ALTER TYPE weather ADD VALUE 'calm';
```

```sql,bad,fails
CREATE TYPE mood AS ENUM ('sad', 'happy');
```

```sql,good
ALTER TYPE weather ADD VALUE IF NOT EXISTS 'calm';
```

## Why

The second run stops there, and what stands behind it is not done.

## Instead

ADD VALUE has IF NOT EXISTS. CREATE TYPE and CREATE DOMAIN often have none, and dropping a type first takes the columns
that have it along; ask the catalogue:

```sql,good
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_type WHERE typname = 'mood') THEN
        CREATE TYPE mood AS ENUM ('sad', 'happy');
    END IF;
END $$;
```
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let guards = &check.context.dialect.client.guards;
    let wanted = |act| matches!(act, Act::AddValue | Act::Create(Object::Type | Object::Domain));
    for (step, failure) in definition::failures(check, wanted) {
        let report = definition::report(failure);
        let report = match &step.verb {
            Ok(Verb::Create(create)) if guards.create_type && create.object == Object::Type => {
                let report = report.help("write `CREATE TYPE IF NOT EXISTS`");
                definition::guarded(check.context, report, step, create.guard_at, "IF NOT EXISTS")
            }
            _ if failure.act == Act::AddValue => {
                let report = report.help("write `ADD VALUE IF NOT EXISTS`");
                definition::guarded(check.context, report, step, failure.guard_at, "IF NOT EXISTS")
            }
            _ => report.help(definition::probe(check.context, failure)),
        };
        check.report(step, report);
    }
}
