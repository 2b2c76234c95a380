//! IDM108.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::antijoin::{self, AntiJoin, AntiJoins, Form};
use crate::lint::proof::append::{self, Again};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Mode, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM108",
    name: "antijoin-other-table",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a guard that looks at another table than the one that is filled, or compares a column with itself",
    setup: "CREATE TABLE plan (id int); CREATE TABLE raw_plan (id int); CREATE TABLE old_plan (id int);
            INSERT INTO raw_plan VALUES (1), (2);",
    docs: "\
## What it finds

An INSERT .. SELECT with NOT EXISTS, LEFT JOIN .. IS NULL, EXCEPT or NOT IN, none of which looks at the target.

```sql,bad,adds
INSERT INTO plan (id)
SELECT p.id FROM raw_plan AS p
WHERE NOT EXISTS (SELECT 1 FROM old_plan AS o WHERE o.id = p.id);
```

```sql,good
INSERT INTO plan (id)
SELECT p.id FROM raw_plan AS p
WHERE NOT EXISTS (SELECT 1 FROM plan AS t WHERE t.id = p.id);
```

It also finds a guard that compares a column with itself, since a name without its table is the inner one's. As soon as
the table holds a row, no other one is ever added.

```sql,bad,same
INSERT INTO plan (id)
SELECT id FROM raw_plan
WHERE NOT EXISTS (SELECT 1 FROM plan AS t WHERE t.id = id);
```

A name without a schema may be the target's. A view of the target can be told by `aliases` in the settings.

## Why

The guard lets the same rows pass in each run: the table that it looks at is not the one that changes. Often it is what is
left of a copied statement.

## Instead

Look at the target. A filter by another table may stay, beside the guard.
",
    check,
};

/// The guard that leads nowhere: none looks at the target, and this one does not pick among the source's own rows either.
pub(super) fn misled<'r, 'a>(guards: &'r AntiJoins<'a>) -> Option<&'r AntiJoin<'a>> {
    if guards.guarded {
        return None;
    }
    guards.all.iter().find(|one| !one.target && !one.source && one.form != Form::Watermark && one.table.is_some())
}

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        if insert.conflict.is_some() || insert.mode != Mode::Into {
            continue;
        }
        let guards = antijoin::of(insert, &context.options.aliases);
        let name = append::shown(insert.target);
        if let Some((one, part)) = guards.all.iter().filter(|one| one.target).find_map(|one| Some((one, one.itself?))) {
            let report = Report::at(
                part.range(),
                format!(
                    "as soon as `{name}` holds a row, no run adds another: `{}` compares a column with itself",
                    part.source()
                ),
            )
            .label("both sides are the inner table's")
            .also(one.sql.range(), "true of no row or of all")
            .help("give the source an alias, and write it in front of the column")
            .severity(Severity::Warning);
            check.report(step, report);
            continue;
        }
        let Some(one) = misled(&guards) else { continue };
        let Some(table) = one.table else { continue };
        if append::again(context, step, insert.target) != Again::Adds
            || append::clears_itself(insert)
            || append::moves(context, step, &guards.sources)
            || append::streams(context, &guards.sources)
            || append::marks(context, step, table)
        {
            continue;
        }
        let report = Report::at(
            one.sql.range(),
            format!(
                "a second run adds the same rows to `{name}` again: {} looks at `{}`",
                one.form.words(),
                table.source()
            ),
        )
        .label(format!("does not look at `{name}`"))
        .also(insert.target.sql.range(), "this table is filled")
        .help(format!("look at the target: `NOT EXISTS (SELECT 1 FROM {name} AS t WHERE t.id = s.id)`"));
        check.report(step, report);
    }
}
