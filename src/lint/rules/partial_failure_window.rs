//! IDM802.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::policy::Policy;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Action, Alter, Guard, Object, Verb};
use std::collections::HashSet;

pub(super) static RULE: Rule = Rule {
    code: "IDM802",
    name: "partial-failure-window",
    severity: Severity::Warning,
    class: Class::Script,
    summary: "a script that no transaction can hold together, and that cannot go on where it broke off",
    setup: "CREATE TABLE item (id int);\n",
    docs: "\
## What it finds

A statement that cannot run in a transaction, such as CREATE INDEX CONCURRENTLY or VACUUM, together with definitions that fail
when they are there already.

```sql,bad,fails
ALTER TABLE item ADD COLUMN size int;
CREATE INDEX CONCURRENTLY item_size ON item (size);
```

```sql,good
ALTER TABLE item ADD COLUMN IF NOT EXISTS size int;
DROP INDEX CONCURRENTLY IF EXISTS item_size;
CREATE INDEX CONCURRENTLY item_size ON item (size);
```

On engines where each definition commits by itself, two definitions without a guard are enough. Nearly every script is such
there, so it is said as information, and not of files that are run once.

```sql,bad,fails,mysql
ALTER TABLE item ADD COLUMN size INT;
ALTER TABLE shelf ADD COLUMN width INT;
```

```sql,good,mysql
ALTER TABLE item ADD COLUMN size INT;
```

## Why

When such a script breaks off half-way, what ran before stays. The next run stops at the first of those statements and never
reaches the one that failed: somebody has to repair the database by hand.

## Instead

Give each definition its guard, so that the script can be run from the start, or put the statement that needs no transaction in
a file of its own.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let transactional = context.dialect.client.ddl_in_transaction;
    let mut gone = HashSet::new();
    let mut made = HashSet::new();
    let mut first: Option<&Step<'_>> = None;
    for step in check.steps().filter(|step| step.scope == 0) {
        let outside = is_outside(step);
        let repeats = unguarded(context, step, &mut gone, &mut made);
        let found = match first {
            Some(first) if transactional && (outside || is_outside(first)) => Some((first, Severity::Warning)),
            Some(first) if !transactional && repeats && step.policy != Policy::Once => Some((first, Severity::Info)),
            _ => None,
        };
        if let Some((first, severity)) = found {
            let (at, words) = if transactional && !outside { (first, step) } else { (step, first) };
            let report = Report::at(
                at.sql.range(),
                "when the script breaks off half-way, the next run stops at what is done already",
            )
            .label(if transactional { "cannot run in a transaction" } else { "commits by itself" })
            .also(words.sql.range(), if is_outside(first) { "may fail behind it" } else { "fails when it is run again" })
            .help(if transactional {
                "guard each definition with IF [NOT] EXISTS, or move the statement that needs no transaction to a file of its own"
            } else {
                "guard each definition, so that the script can be run from its start"
            })
            .severity(severity);
            check.report(step, report);
            return;
        }
        if repeats {
            first = first.or(Some(step));
        }
    }
}

/// A statement that the engine refuses inside a transaction.
fn is_outside(step: &Step<'_>) -> bool {
    match &step.verb {
        Ok(Verb::Create(create)) => create.concurrently || create.object == Object::Database,
        Ok(Verb::Drop(drop)) => drop.concurrently || drop.object == Object::Database,
        Ok(Verb::Plain) => {
            step.sql.is(0, "vacuum")
                || step.sql.words(0, &["alter", "system"])
                || (step.sql.is(0, "reindex") && step.sql.mentions("concurrently"))
        }
        _ => false,
    }
}

/// True for a definition that fails when it is run again. Remembers what is dropped and made, since that guards what
/// follows.
fn unguarded<'a>(
    context: &Context<'a>,
    step: &Step<'a>,
    gone: &mut HashSet<String>,
    made: &mut HashSet<String>,
) -> bool {
    let guarded = context.guarded(step) || step.statement.quoted;
    match &step.verb {
        Ok(Verb::Create(create)) => {
            let Some(name) = create.name else { return false };
            let dropped = gone.contains(&name.last());
            if create.guard != Guard::IfExists || dropped {
                made.insert(name.last());
            }
            let kinds = [Object::Function, Object::Procedure, Object::Other, Object::Database];
            create.guard == Guard::None && !create.temporary && !dropped && !guarded && !kinds.contains(&create.object)
        }
        Ok(Verb::Drop(drop)) => {
            let known = drop.names.iter().all(|name| made.contains(&name.last()));
            gone.extend(drop.names.iter().map(|name| name.last()));
            !drop.guarded && !known && !guarded && !drop.temporary && drop.object != Object::Database
        }
        Ok(Verb::Alter(alter)) => {
            for action in &alter.actions {
                if let Action::DropConstraint(name, _) | Action::DropColumn(name, ..) = action {
                    gone.insert(name.last());
                }
            }
            // A table that this script makes is new each time that this is reached.
            !guarded && !made.contains(&alter.name.last()) && fails_again(alter, gone)
        }
        _ => false,
    }
}

fn fails_again(alter: &Alter<'_>, gone: &HashSet<String>) -> bool {
    alter.actions.iter().any(|action| match action {
        Action::AddColumn(name, guarded, ..) => !guarded && !gone.contains(&name.last()),
        Action::DropColumn(_, guarded, _) | Action::DropConstraint(_, guarded) | Action::AddValue(guarded, _) => {
            !guarded
        }
        Action::AddConstraint(constraint) => {
            !constraint.guarded && constraint.name.is_some_and(|name| !gone.contains(&name.last()))
        }
        Action::AddIndex(name, guarded) => !guarded && !gone.contains(&name.last()),
        Action::DropIndex(_, guarded) => !guarded,
        Action::RenameColumn(..) | Action::RenameTo(_) | Action::RenamePart(..) | Action::DropPrimaryKey => true,
        Action::Mutation(_) | Action::Other(_) => false,
    })
}
