//! IDM206.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::growth::{self, Growth, Own};
use crate::lint::proof::guard::{self, Guard};
use crate::lint::proof::pairs;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Update, Verb};
use crate::sql::view::Sql;
use std::cell::Cell;
use std::collections::HashMap;

pub(super) static RULE: Rule = Rule {
    code: "IDM206",
    name: "shifting-value-remap",
    severity: Severity::Error,
    class: Class::Data,
    summary: "values that are mapped to each other, so that each run moves them one step further",
    setup: "\
CREATE TABLE ticket (id int PRIMARY KEY, state text, mig int);
INSERT INTO ticket VALUES (1, 'active', NULL), (2, 'new', NULL);",
    docs: "\
## What it finds

An UPDATE whose result an earlier one of the file takes as its input, and a CASE that does both at once.

```sql,bad,changes
UPDATE ticket SET state = 'done' WHERE state = 'active';
UPDATE ticket SET state = 'active' WHERE state = 'new';
```

```sql,bad,changes
UPDATE ticket SET state = CASE state WHEN 'active' THEN 'done' WHEN 'new' THEN 'active' ELSE state END;
```

```sql,good
UPDATE ticket SET state = 'done', mig = 42 WHERE state = 'active' AND mig IS DISTINCT FROM 42;
UPDATE ticket SET state = 'active', mig = 42 WHERE state = 'new' AND mig IS DISTINCT FROM 42;
```

In the other order nothing is found: the first run already moves all rows to the end.

## Why

The second run takes the rows that the last statement of the first run made, and moves them on.

## Instead

Mark the rows that are moved, in the same statement, and ask for the mark; or map to values that are not among the old ones.
",
    check,
};

struct Move<'s, 'a> {
    update: &'s Update<'a>,
    span: std::ops::Range<usize>,
    to: Sql<'a>,
}

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    // What earlier statements take, by table, column and literal.
    let mut inputs: HashMap<(usize, String, String, String), Vec<Move<'_, '_>>> = HashMap::new();
    for (step, verb) in check.verbs() {
        let Verb::Update(update) = verb else { continue };
        let table = update.table();
        let called = guard::called_in(update);
        for set in &update.sets {
            shifts_itself(check, step, update, set, &called);
            let (true, Some(filter)) = (set.value.is_literal(), update.filter) else { continue };
            if !update.from.is_empty() {
                continue;
            }
            let taken = taken(filter, &set.column);
            if taken.is_empty() || taken.contains(&set.value.normal()) {
                continue;
            }
            let key = |literal: String| (step.scope, table.key(), set.column.clone(), literal);
            let earlier = inputs.get(&key(set.value.normal())).into_iter().flatten();
            let found = earlier.into_iter().find(|one| overlap(one.update, update, &set.column));
            if let Some(one) = found {
                let weight = changes::weight(context, step, table);
                if weight != Weight::None {
                    let report = Report::at(
                        set.sql.range(),
                        format!(
                            "a second run moves `{}` on from `{}` to `{}` for the rows that this statement made",
                            set.column,
                            bare(set.value),
                            bare(one.to)
                        ),
                    )
                    .label("gives the value that an earlier statement takes")
                    .also(one.span.clone(), format!("takes `{}`", bare(set.value)))
                    .help("mark the rows in the same statement and ask for the mark: `SET .., migrated = 1` and `AND migrated = 0` in WHERE");
                    check.report(step, weight.put(context, &table.key(), report));
                }
            }
            for literal in taken {
                let list = inputs.entry(key(literal)).or_default();
                if list.len() < 20 {
                    list.push(Move { update, span: update.filter.map_or(set.sql.range(), Sql::range), to: set.value });
                }
            }
        }
    }
}

fn bare(literal: Sql<'_>) -> String {
    literal.source().trim_start_matches('N').trim_matches('\'').to_owned()
}

/// The literals that a condition takes a column to have.
fn taken(filter: Sql<'_>, column: &str) -> Vec<String> {
    let mut all = Vec::new();
    for part in filter.conjuncts() {
        for pair in pairs::equalities(part) {
            if pair.left.as_name().is_some_and(|name| name.last() == column) && pair.right.is_literal() {
                all.push(pair.right.normal());
            }
        }
        if part.is(1, "in") && part.slice(0..1).names_column(column) {
            all.extend(part.from(2).bare().commas().into_iter().filter(|one| one.is_literal()).map(Sql::normal));
        }
    }
    all
}

/// True when a row that the later statement wrote may fulfil the earlier one's condition.
fn overlap(earlier: &Update<'_>, later: &Update<'_>, column: &str) -> bool {
    let Some(filter) = earlier.filter else { return true };
    let others: Vec<_> = later.sets.iter().filter(|set| set.column != column).cloned().collect();
    let called = guard::called_in(earlier);
    if (Guard { sets: &others, called: &called }).falsified(filter) {
        return false;
    }
    // Another literal in another column: never the same row.
    let fixed = |filter: Sql<'_>| -> Vec<(String, String)> {
        pairs::equalities(filter)
            .into_iter()
            .filter(|pair| pair.right.is_literal())
            .filter_map(|pair| Some((pair.left.as_name()?.last(), pair.right.normal())))
            .collect()
    };
    let (one, two) = (fixed(filter), later.filter.map(fixed).unwrap_or_default());
    !one.iter().any(|(name, value)| name != column && two.iter().any(|(other, its)| other == name && its != value))
}

/// A CASE whose results are among what it takes.
fn shifts_itself<'a>(
    check: &mut Check<'_, 'a>,
    step: &crate::lint::context::Step<'a>,
    update: &Update<'a>,
    set: &crate::sql::clause::Assignment<'a>,
    called: &[String],
) {
    let left = Cell::new(growth::EFFORT);
    let own = Own { column: &set.column, called, left: &left };
    let Some(map) = growth::mapping(set.value, own) else { return };
    if !matches!(growth::of(set.value, own), Growth::None) {
        return;
    }
    let moved = map.iter().find_map(|(from, to)| {
        let next = map.iter().find(|(again, _)| again.normal() == to.normal())?;
        (from.normal() != to.normal() && next.1.normal() != to.normal()).then_some((*from, *to, next.1))
    });
    let Some((from, to, next)) = moved else { return };
    let weight = changes::update(check.context, step, update);
    if weight == Weight::None {
        return;
    }
    let report = Report::at(
        to.range(),
        format!("a second run moves `{}` on from `{}` to `{}`", set.column, bare(to), bare(next)),
    )
    .label(format!("what was `{}` is taken again", bare(from)))
    .help("mark the rows in the same statement and ask for the mark: `SET .., migrated = 1` and `WHERE migrated = 0`");
    let report = weight.put(check.context, &update.table().key(), report);
    check.report(step, report);
}
