//! IDM202.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::growth::{self, Growth};
use crate::lint::proof::guard;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::Verb;

pub(super) static RULE: Rule = Rule {
    code: "IDM202",
    name: "self-append-update",
    severity: Severity::Error,
    class: Class::Data,
    summary: "an UPDATE that puts something to the text or the list that is there",
    setup: "\
CREATE TABLE doc (id int PRIMARY KEY, tags text[] NOT NULL, body text NOT NULL);
INSERT INTO doc VALUES (1, ARRAY['old'], 'a');",
    docs: "\
## What it finds

`array_append`, `||`, `concat`, `+` between texts, and appends to JSON lists, on the column that is set.

```sql,bad,changes
UPDATE doc SET tags = array_append(tags, 'new') WHERE id = 1;
UPDATE doc SET body = body || ' (seen)';
```

```sql,good
UPDATE doc SET tags = array_append(tags, 'new') WHERE id = 1 AND NOT ('new' = ANY (tags));
UPDATE doc SET body = body || ' (seen)' WHERE body NOT LIKE '% (seen)';
```

Setting keys of a JSON document with `||` is no append: a second run sets the same keys.

## Why

The list or the text grows with every run, and nothing says that it did.

## Instead

Ask in WHERE whether it is there already, or write the whole value.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Update(update) = verb else { continue };
        let called = guard::called_in(update);
        for set in &update.sets {
            let growth = growth::growth(set, &called);
            let Growth::Appends(_) = growth else { continue };
            let weight = changes::update(context, step, update);
            if weight == Weight::None {
                break;
            }
            let report = Report::at(set.sql.range(), format!("a second run {}", growth::deed(growth, &set.column)))
                .label("builds on the value that is there")
                .help(format!("ask in WHERE whether `{}` holds it already, or set the whole value", set.column));
            check.report(step, weight.put(context, &update.table().key(), report));
            break;
        }
    }
}
