//! IDM508.

use crate::diagnostic::Severity;
use crate::dialect::probe::Asked;
use crate::lint::check::{Check, Report};
use crate::lint::proof::definition;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Action, Create, Guard, Object, Verb};
use crate::sql::view::Name;
use std::ops::Range;

pub(super) static RULE: Rule = Rule {
    code: "IDM508",
    name: "unsupported-guard-syntax",
    severity: Severity::Warning,
    class: Class::Script,
    summary: "a guard that the dialect does not have: the first run fails already",
    setup: "CREATE TABLE orders (id int, qty int);",
    docs: "\
## What it finds

IF NOT EXISTS, IF EXISTS, OR REPLACE and OR ALTER where the dialect does not read them. Silent where the dialect is not
known.

```sql,bad,fails
ALTER TABLE orders ADD CONSTRAINT IF NOT EXISTS positive CHECK (qty > 0);
```

```sql,bad,fails
CREATE TYPE IF NOT EXISTS mood AS ENUM ('sad', 'happy');
```

```sql,bad,fails,mysql
CREATE INDEX IF NOT EXISTS ix ON orders (qty);
```

```sql,bad,fails,sqlserver
CREATE TABLE IF NOT EXISTS dbo.orders (id int);
```

## Why

The words look safe, and are a syntax error on every run. They are often copied from another dialect that has them.

## Instead

Drop the object before, or ask the catalogue:

```sql,good
ALTER TABLE orders DROP CONSTRAINT IF EXISTS positive;
ALTER TABLE orders ADD CONSTRAINT positive CHECK (qty > 0);
```
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    if context.dialect.client.lenient {
        return;
    }
    let guards = &context.dialect.client.guards;
    for step in check.steps() {
        let mut faults: Vec<(Range<usize>, String, String)> = Vec::new();
        match &step.verb {
            Ok(Verb::Create(create)) if !supported(check, create) => {
                let words = match create.guard {
                    Guard::IfExists => format!("CREATE {} IF NOT EXISTS", create.object.words()),
                    Guard::OrReplace => format!("CREATE OR REPLACE {}", create.object.words()),
                    _ => format!("CREATE OR ALTER {}", create.object.words()),
                };
                let end = create.name.map_or(step.sql.range().end, |name| name.sql.range().end);
                faults.push((step.sql.range().start..end, words, help(check, create)));
            }
            Ok(Verb::Drop(drop)) if drop.guarded => {
                let index = drop.object == Object::Index;
                if drop.object != Object::Other && !(if index { guards.drop_index } else { guards.drop }) {
                    let words = format!("DROP {} IF EXISTS", drop.object.words());
                    let name = drop.names.first().map_or("", |name| name.source());
                    let help = ask(check, drop.object.words(), name, drop.on, true);
                    faults.push((step.sql.range(), words, help));
                }
            }
            Ok(Verb::Alter(alter)) if alter.object == Object::Table => {
                for action in &alter.actions {
                    let asked =
                        |object, name: &Name<'_>, there| ask(check, object, name.source(), Some(alter.name), there);
                    let (name, words, help) = match action {
                        Action::AddColumn(name, true, ..) if !guards.add_column => {
                            (*name, "ADD COLUMN IF NOT EXISTS", asked("COLUMN", name, false))
                        }
                        Action::DropColumn(name, true, _) if !guards.drop_column => {
                            (*name, "DROP COLUMN IF EXISTS", asked("COLUMN", name, true))
                        }
                        Action::DropConstraint(name, true) if !guards.drop_constraint => {
                            (*name, "DROP CONSTRAINT IF EXISTS", asked("CONSTRAINT", name, true))
                        }
                        Action::AddConstraint(constraint) if constraint.guarded && !guards.add_constraint => {
                            let Some(name) = constraint.name else { continue };
                            let help = if guards.drop_constraint {
                                let (table, name) = (alter.name.source(), name.source());
                                format!(
                                    "write it without the guard, and put `ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name};` before it"
                                )
                            } else {
                                asked("CONSTRAINT", &name, false)
                            };
                            (name, "ADD CONSTRAINT IF NOT EXISTS", help)
                        }
                        _ => continue,
                    };
                    faults.push((name.sql.range(), words.to_owned(), help));
                }
            }
            _ => {}
        }
        if let Some((span, words, help)) = faults.into_iter().next() {
            let message =
                format!("the first run fails already: there is no `{words}` in {}", check.context.dialect.title);
            check.report(step, Report::at(span, message).label("a guard that is not read").help(help));
        }
    }
}

/// The dialect reads the guard of a CREATE, or whether it does is not known.
fn supported(check: &Check<'_, '_>, create: &Create<'_>) -> bool {
    let guards = &check.context.dialect.client.guards;
    match (create.guard, create.object) {
        (Guard::IfExists, object) => match object {
            Object::Table => guards.create_table,
            Object::Index => guards.create_index,
            Object::Schema => guards.create_schema,
            Object::Database => guards.create_database,
            Object::Sequence => guards.create_sequence || create.temporary,
            Object::View => guards.create_view,
            Object::Function | Object::Procedure => guards.create_routine,
            Object::Trigger => guards.create_trigger,
            Object::Policy => guards.create_policy,
            Object::Role | Object::User => guards.create_role,
            Object::Login => false,
            Object::Type | Object::Domain => guards.create_type,
            Object::Extension | Object::MaterializedView | Object::Other => true,
        },
        (Guard::OrReplace, Object::Table) => guards.replace_table,
        (Guard::OrReplace, Object::View) => guards.replace_view,
        (Guard::OrReplace, Object::Function | Object::Procedure) => guards.replace_routine,
        (Guard::OrReplace, Object::Trigger) => guards.replace_trigger,
        (Guard::OrAlter, Object::View | Object::Function | Object::Procedure | Object::Trigger) => guards.or_alter,
        _ => true,
    }
}

fn help(check: &Check<'_, '_>, create: &Create<'_>) -> String {
    match (create.object, create.name) {
        (Object::View | Object::Function | Object::Procedure | Object::Trigger | Object::Policy, _) | (_, None) => {
            "write it without the guard, and drop it before; or ask the catalogue whether it is there".to_owned()
        }
        (object, Some(name)) => ask(check, object.words(), name.source(), create.on, false),
    }
}

/// The order to ask first, in the words of the dialect.
fn ask(check: &Check<'_, '_>, object: &str, name: &str, of: Option<Name<'_>>, there: bool) -> String {
    let of = of.map(|of| definition::bare(of.source()));
    let asked = Asked { object, name: &definition::bare(name), of: of.as_deref(), there };
    format!("write it without the guard, and {}", check.context.dialect.client.probe.order(&asked))
}
