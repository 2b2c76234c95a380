//! IDM504.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Step;
use crate::lint::finding::{Edit, Safety};
use crate::lint::proof::definition;
use crate::lint::proof::second_run::{Act, Failure};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Object, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM504",
    name: "add-constraint-without-guard",
    severity: Severity::Warning,
    class: Class::Definition,
    summary: "ADD CONSTRAINT, CREATE TRIGGER, CREATE POLICY or CREATE ROLE of something that a second run finds there",
    setup: "CREATE TABLE orders (id int, qty int); CREATE TABLE invoice (id int, owner text);",
    docs: "\
## What it finds

Constraints, triggers, policies and roles that are made without a guard. Most dialects have no IF NOT EXISTS for them.

```sql,bad,fails
ALTER TABLE orders ADD CONSTRAINT positive CHECK (qty > 0);
```

```sql,bad,fails
CREATE POLICY own_rows ON invoice USING (owner = current_user);
```

```sql,good
ALTER TABLE orders DROP CONSTRAINT IF EXISTS positive;
ALTER TABLE orders ADD CONSTRAINT positive CHECK (qty > 0);
DROP POLICY IF EXISTS own_rows ON invoice;
CREATE POLICY own_rows ON invoice USING (owner = current_user);
```

## Why

The second run stops there, and what stands behind it is not done. A constraint without a name does not fail on some
engines: it is made a second time, which costs and confuses.

## Instead

Drop it before, or ask the catalogue:

```sql,good
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = 'positive') THEN
        ALTER TABLE orders ADD CONSTRAINT positive CHECK (qty > 0);
    END IF;
END $$;
```

Dropping and adding a constraint checks the whole table again, and nothing is checked in between; asking does not.
",
    check,
};

fn wanted(act: Act) -> bool {
    matches!(
        act,
        Act::AddConstraint
            | Act::AddPrimaryKey
            | Act::Create(Object::Trigger | Object::Policy | Object::Role | Object::User | Object::Login)
    )
}

fn check(check: &mut Check<'_, '_>) {
    let guards = &check.context.dialect.client.guards;
    let newline = check.context.newline();
    for (step, failure) in definition::failures(check, wanted) {
        let mut report = definition::report(failure);
        if failure.doubles {
            report = report.at_most(Severity::Info).help("give it a name, and drop that with IF EXISTS before");
            check.report(step, report);
            continue;
        }
        report = match (failure.act, &step.verb) {
            (Act::Create(Object::Trigger), Ok(Verb::Create(create))) if guards.replace_trigger && !constraint(step) => {
                let report = report.help("write `CREATE OR REPLACE TRIGGER`");
                definition::behind_create(report, step, create.verb_end, "OR REPLACE")
            }
            (Act::Create(Object::Trigger), Ok(Verb::Create(create))) if guards.create_trigger => {
                let report = report.help("write `CREATE TRIGGER IF NOT EXISTS`");
                definition::guarded(check.context, report, step, create.guard_at, "IF NOT EXISTS")
            }
            (Act::Create(Object::Trigger), Ok(Verb::Create(create))) if guards.or_alter => {
                let report = report.help("write `CREATE OR ALTER TRIGGER`");
                definition::behind_create(report, step, create.verb_end, "OR ALTER")
            }
            (Act::Create(Object::Role | Object::User), Ok(Verb::Create(create))) if guards.create_role => {
                let report = report.help("write `IF NOT EXISTS` before its name");
                definition::guarded(check.context, report, step, create.guard_at, "IF NOT EXISTS")
            }
            (Act::Create(Object::Policy | Object::Trigger), _) if guards.drop => {
                let kind = definition::object(failure.act);
                let on = failure.table.as_deref().map(|table| format!(" ON {table}")).unwrap_or_default();
                dropped(report, step, &format!("DROP {kind} IF EXISTS {}{on}", failure.name), newline)
            }
            (Act::AddConstraint, _) if guards.drop_constraint => {
                let table = failure.table.as_deref().unwrap_or_default();
                let statement = format!("ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {}", failure.name);
                dropped(report, step, &statement, newline)
            }
            _ => report.help(asked(check, failure)),
        };
        check.report(step, report);
    }
}

fn asked(check: &Check<'_, '_>, failure: &Failure) -> String {
    definition::probe(check.context, failure)
}

/// A constraint trigger, which cannot be replaced.
fn constraint(step: &Step<'_>) -> bool {
    step.sql.is_any(1, &["constraint"])
}

fn dropped(report: Report, step: &Step<'_>, statement: &str, newline: &str) -> Report {
    let at = step.sql.range().start;
    let report = report.help(format!("put `{statement};` before it"));
    // In a string, quotes in the name would have to be doubled.
    if step.statement.quoted {
        return report;
    }
    let text = format!("{};{newline}", cased_statement(step, statement));
    report.fix(Safety::Unsafe, "drop it before, and check the table again", vec![Edit { range: at..at, text }])
}

/// The keywords in the statement's own case; names as they are.
fn cased_statement(step: &Step<'_>, statement: &str) -> String {
    let keywords = ["ALTER", "TABLE", "DROP", "CONSTRAINT", "IF", "EXISTS", "POLICY", "TRIGGER", "ON"];
    let words = statement
        .split(' ')
        .map(|word| if keywords.contains(&word) { definition::cased(step, word) } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}
