//! IDM205.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::pairs;
use crate::lint::proof::unique::{Column, Doubt, Env, Prover, Rows, keyish, reduced};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Relation, Table, Update, Verb};
use crate::sql::view::Sql;

pub(super) static RULE: Rule = Rule {
    code: "IDM205",
    name: "update-from-duplicated-source",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "an UPDATE .. FROM whose source may have several rows for one row of the target",
    setup: "\
CREATE SCHEMA stg;
CREATE TABLE cust (id int PRIMARY KEY, tier text);
CREATE TABLE stg.tiers (cust_id int, tier text, ts timestamptz, seq int);
CREATE TABLE stg.levels (id int, tier text, ts timestamptz);
INSERT INTO stg.levels VALUES (1, 'a', '2026-01-01'), (1, 'b', '2026-01-02');
INSERT INTO cust VALUES (1, NULL);
INSERT INTO stg.tiers VALUES (1, 'a', '2026-01-01', 1), (1, 'b', '2026-01-02', 2);",
    docs: "\
## What it finds

An UPDATE that takes values from a source in which the compared column is no key: a history, the rows of several queries put
together, a table that refers to the target, a table of which another statement of the script takes one row of each key.

```sql,bad,same
UPDATE cust AS c SET tier = s.tier FROM stg.tiers AS s WHERE s.cust_id = c.id;
```

```sql,bad,same
UPDATE cust AS c SET tier = s.tier FROM stg.levels AS s WHERE s.id = c.id;
INSERT INTO cust (id, tier)
SELECT DISTINCT ON (id) id, tier FROM stg.levels ORDER BY id, ts DESC
ON CONFLICT (id) DO NOTHING;
```

```sql,good
UPDATE cust AS c SET tier = s.tier
FROM (SELECT DISTINCT ON (cust_id) cust_id, tier FROM stg.tiers ORDER BY cust_id, ts DESC, seq DESC) AS s
WHERE s.cust_id = c.id;
```

Where nothing is known of a source and it is joined by what looks like its own key, nothing is said.

## Why

The engine takes one of the rows, and does not say which. Another plan, another order on disk, another winner.

## Instead

Keep one row of each key, and say in ORDER BY which one.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Update(update) = verb else { continue };
        if update.from.is_empty() || changes::weight(context, step, update.table()) == Weight::None {
            continue;
        }
        let (relations, target) = relations(update);
        // Where the target itself is among what is put together, its rows are those that the statement finds.
        let prover = Prover::new(context, step).finding(update.table(), compared(update, &relations[target]));
        let env = Env { with: &update.with, outer: None };
        for (at, rows, key) in prover.join(env, &relations, update.filter, target) {
            let relation = &relations[at];
            let Some(called) = relation.called() else { continue };
            let read =
                update.sets.iter().any(|set| set.value.names().any(|name| name.qualifier().as_ref() == Some(&called)));
            if !read || key.is_empty() {
                continue;
            }
            let doubt = match rows {
                Rows::Once | Rows::Doubt(Doubt::Opaque) => continue,
                Rows::Twice(..) => None,
                Rows::Doubt(doubt) => Some(doubt),
            };
            let columns = key.iter().map(|column| column.name.clone()).collect::<Vec<_>>().join(", ");
            let mut elsewhere = None;
            let why = match &doubt {
                None => "two rows of the list have the same key".to_owned(),
                Some(Doubt::Table(name)) => {
                    elsewhere = reduced(context, step, *name, &key);
                    if elsewhere.is_none() && !foreign(update, &key, &called, &name.last()) {
                        continue;
                    }
                    match elsewhere {
                        Some(_) => format!("another statement takes one row of each `{columns}` of `{}`", name.key()),
                        None => format!(
                            "`{}` refers to the target, so that several rows may have one `{columns}`",
                            name.key()
                        ),
                    }
                }
                Some(Doubt::Key(name, known)) => {
                    format!("the key of `{}` is `{}`, and `{columns}` alone is none", name.key(), known.join(", "))
                }
                Some(Doubt::Distinct(_)) => format!("DISTINCT keeps rows that differ in more than `{columns}`"),
                Some(Doubt::Union(_)) => {
                    format!("a `{columns}` may stand in several of the queries that are put together")
                }
                Some(Doubt::Group(_)) => format!("it is grouped by more than `{columns}`"),
                Some(Doubt::Opaque) => continue,
            };
            let mut report = Report::at(
                relation.sql.range(),
                format!("which row of `{called}` wins may change from run to run: {why}"),
            )
            .label("may have several rows for one row of the target")
            .help(format!("keep one row of each key: {}", crate::lint::wording::one_row(context.dialect, &columns)));
            if let Some(reduction) = elsewhere {
                report = report.also(reduction.range(), "takes one row of each");
            }
            check.report(step, report);
            break;
        }
    }
}

/// All relations, the target among them, and which that is.
fn relations<'a>(update: &Update<'a>) -> (Vec<Relation<'a>>, usize) {
    let mut all = update.from.clone();
    let called = update.target.key();
    let found = all.iter().position(|one| {
        one.alias.as_ref() == Some(&called)
            || matches!(&one.table, Table::Name(name) if one.alias.is_none() && name.key() == called)
    });
    let at = found.unwrap_or_else(|| {
        all.insert(
            0,
            Relation {
                sql: update.target.sql,
                join: crate::sql::clause::Join::None,
                table: Table::Name(update.target),
                alias: update.alias.clone(),
                on: None,
                using: None,
            },
        );
        0
    });
    (all, at)
}

/// The columns by which the statement finds rows of its target.
fn compared(update: &Update<'_>, target: &Relation<'_>) -> Vec<String> {
    let conditions = update.filter.into_iter().chain(update.from.iter().filter_map(|one| one.on));
    let sides = conditions.flat_map(pairs::equalities).flat_map(|pair| [pair.left, pair.right]);
    let named = sides.filter_map(pairs::column).filter(|name| name.qualifier() == target.called());
    named.map(crate::sql::view::Name::last).collect()
}

/// True when the source's column is no key of its own table by its name, and is compared with what looks like the key of
/// the target: `s.cust_id = c.id`.
fn foreign(update: &Update<'_>, key: &[Column], called: &str, table: &str) -> bool {
    let conditions = update.filter.into_iter().chain(update.from.iter().filter_map(|one| one.on));
    let mut found = false;
    for pair in conditions.flat_map(pairs::equalities) {
        let of = |side: Sql<'_>| pairs::column(side).map(|name| (name.qualifier(), name.last()));
        let (Some(left), Some(right)) = (of(pair.left), of(pair.right)) else { continue };
        let (own, other) = if left.0.as_deref() == Some(called) {
            (left.1, right.1)
        } else if right.0.as_deref() == Some(called) {
            (right.1, left.1)
        } else {
            continue;
        };
        if keyish(&own, table) || own == other {
            return false;
        }
        found |= own.ends_with("id") && keyish(&other, &update.table().last());
    }
    found && key.len() == 1
}
