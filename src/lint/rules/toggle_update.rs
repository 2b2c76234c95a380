//! IDM203.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::growth::{self, Growth};
use crate::lint::proof::guard;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Update, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM203",
    name: "toggle-update",
    severity: Severity::Error,
    class: Class::Data,
    summary: "an UPDATE that flips a value, or swaps two columns",
    setup: "\
CREATE TABLE feature (name text PRIMARY KEY, enabled boolean NOT NULL);
INSERT INTO feature VALUES ('x', false), ('y', true);",
    docs: "\
## What it finds

`SET enabled = NOT enabled`, `1 - flag`, a CASE that swaps two values, two columns that change places.

```sql,bad,changes
UPDATE feature SET enabled = NOT enabled WHERE name = 'x';
```

```sql,good
UPDATE feature SET enabled = true WHERE name = 'x' AND NOT enabled;
```

## Why

The second run puts back what the first one changed.

## Instead

Write the value that is wanted.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Update(update) = verb else { continue };
        let called = guard::called_in(update);
        let flips = update.sets.iter().find(|set| matches!(growth::growth(set, &called), Growth::Toggles));
        let swap = swapped(update);
        let Some(set) = flips.or(swap) else { continue };
        let weight = changes::update(context, step, update);
        if weight == Weight::None {
            continue;
        }
        let message = match flips {
            Some(_) => format!("a second run turns `{}` back", set.column),
            None => format!("a second run swaps `{}` and `{}` back", set.column, set.value.normal()),
        };
        let report = Report::at(set.sql.range(), message)
            .label("depends on the value that is there")
            .help(format!("set `{}` to the value that is wanted", set.column));
        check.report(step, weight.put(context, &update.table().key(), report));
    }
}

/// A column that takes another's value while that one takes its own.
fn swapped<'s, 'a>(update: &'s Update<'a>) -> Option<&'s crate::sql::clause::Assignment<'a>> {
    if !update.from.is_empty() {
        return None;
    }
    let reads = |column: &str, other: &str| {
        update
            .sets
            .iter()
            .any(|set| set.column == column && set.value.as_name().is_some_and(|name| name.last() == other))
    };
    update.sets.iter().find(|set| {
        set.value.as_name().is_some_and(|name| name.last() != set.column && reads(&name.last(), &set.column))
    })
}
