//! IDM303.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::merging;
use crate::lint::proof::pairs::{self, Side};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Inner, Matched, Merge, MergeAction, Select, Table, Verb};
use crate::sql::lex::Kind;
use crate::sql::view::Sql;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    code: "IDM303",
    name: "merge-on-constant",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a MERGE whose ON does not find the rows that are there",
    setup: "\
CREATE TABLE c (id int, d date);
CREATE TABLE raw_c (id int, d date);
INSERT INTO c VALUES (1, '2026-01-15');
INSERT INTO raw_c VALUES (1, '2026-01-15');",
    docs: "\
## What it finds

An ON that is never true, so that every row is inserted again:

```sql,bad,adds
MERGE INTO c AS t USING (SELECT id FROM raw_c GROUP BY id) AS s ON 1 = 0
WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);
```

A condition in ON that looks at the target alone. A row of the target that does not fulfil it is not found, and its key is
inserted a second time:

```sql,bad,adds
MERGE INTO c AS t USING (SELECT id, max(d) AS d FROM raw_c GROUP BY id) AS s ON t.id = s.id AND t.d >= DATE '2026-02-01'
WHEN MATCHED THEN UPDATE SET d = s.d
WHEN NOT MATCHED THEN INSERT (id, d) VALUES (s.id, s.d);
```

And an OR without brackets. AND binds closer, so that one side of the OR is true without the key:

```sql,bad,same
MERGE INTO c AS t USING (SELECT id, max(d) AS d FROM raw_c GROUP BY id) AS s ON t.d IS NULL OR t.d > DATE '2026-01-01' AND t.id = s.id
WHEN MATCHED THEN UPDATE SET d = s.d;
```

```sql,good
MERGE INTO c AS t USING (SELECT id, max(d) AS d FROM raw_c GROUP BY id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET d = s.d
WHEN NOT MATCHED THEN INSERT (id, d) VALUES (s.id, s.d);
```

ON FALSE together with a DELETE of the same range BY SOURCE replaces the range, and is left alone. So is a target column
that is also compared with the source, or that the INSERT sets to what ON asks for.

## Why

The statement looks like an upsert and appends.

## Instead

Compare the whole key in ON and nothing else. Filter the source inside USING.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Merge(merge) = verb else { continue };
        let weight = changes::weight(context, step, merge.target);
        if weight == Weight::None {
            continue;
        }
        let found =
            never(context, step, merge).or_else(|| precedence(merge)).or_else(|| target_only(context, step, merge));
        if let Some(report) = found {
            put(check, step, merge, weight, report);
        }
    }
}

fn put<'a>(check: &mut Check<'_, 'a>, step: &Step<'a>, merge: &Merge<'a>, weight: Weight, report: Report) {
    let report = weight.put(check.context, &merge.target.key(), report);
    check.report(step, report);
}

/// `1 = 0`, `FALSE`
fn false_for_all(on: Sql<'_>) -> bool {
    on.conjuncts().into_iter().any(|part| {
        if part.normal() == "false" {
            return true;
        }
        let Some(at) = part.top().find(|at| part.symbol(*at, "=")) else { return false };
        let (left, right) = (part.slice(0..at), part.from(at + 1));
        let plain = |sql: Sql<'_>| sql.len() == 1 && matches!(sql.kind(0), Some(Kind::Number | Kind::Text));
        plain(left) && plain(right) && left.normal() != right.normal()
    })
}

fn never<'a>(context: &Context<'a>, step: &Step<'a>, merge: &Merge<'a>) -> Option<Report> {
    if !false_for_all(merge.on) || merging::inserts(merge).is_empty() {
        return None;
    }
    let cleared = merge
        .branches
        .iter()
        .find(|branch| branch.matched == Matched::BySource && matches!(branch.action, MergeAction::Delete));
    let base = |message: &str| Report::at(merge.on.range(), message).label("never true");
    let Some(cleared) = cleared else {
        return Some(
            base("a second run inserts every row of the source again: ON is never true")
                .help("compare the key in ON: `ON t.<key> = s.<key>`"),
        );
    };
    let condition = cleared.condition?;
    let parts = |sql: Sql<'_>| sql.conjuncts().into_iter().map(Sql::unqualified).collect::<BTreeSet<_>>();
    let wanted = parts(condition);
    let filters: Vec<BTreeSet<String>> = merging::queries(context, step, merge)
        .into_iter()
        .flat_map(crate::sql::clause::Query::selects)
        .filter_map(|select| select.filter)
        .map(parts)
        .collect();
    // A table, or a query of which nobody knows the range: the DELETE may well be the same.
    if filters.is_empty() || filters.iter().any(|filter| !filter.is_disjoint(&wanted)) {
        return None;
    }
    // Only what is compared with a constant can be told apart.
    let constant =
        |sql: Sql<'_>| sql.conjuncts().into_iter().flat_map(pairs::equalities).any(|pair| pair.right.is_literal());
    if !constant(condition) {
        return None;
    }
    Some(
        base("a second run inserts the rows of the source again: the DELETE by source clears another range")
            .also(condition.range(), "what is deleted")
            .help("delete what the source's WHERE selects: write the same condition in both places"),
    )
}

/// An OR of which one side is true without comparing target and source.
fn precedence(merge: &Merge<'_>) -> Option<Report> {
    let on = merge.on.bare();
    if !on.top().any(|at| on.is(at, "or")) {
        return None;
    }
    let (target, source) = (merging::target(merge), merging::source(merge));
    let parts = on.disjuncts();
    let free = parts.iter().find(|part| {
        pairs::side(**part, &target, &source) != Side::Mixed
            && part.conjuncts().iter().all(|one| {
                pairs::equalities(*one).iter().all(|pair| {
                    pairs::side(pair.left, &target, &source) != Side::Source
                        || pairs::side(pair.right, &target, &source) != Side::Target
                })
            })
    })?;
    // Somewhere else the key is compared, so that an AND was meant.
    let compared = parts.iter().any(|part| !pairs::between(*part, &target, &source).is_empty());
    if !compared || false_for_all(*free) {
        return None;
    }
    Some(
        Report::at(
            free.range(),
            "every row that fulfils this matches every row of the source: AND binds closer than OR",
        )
        .label("true without comparing the key")
        .also(merge.on.range(), "the whole condition")
        .help("put brackets around the OR: `ON t.<key> = s.<key> AND (<this> OR <that>)`"),
    )
}

fn target_only<'a>(context: &Context<'a>, step: &Step<'a>, merge: &Merge<'a>) -> Option<Report> {
    let inserts = merging::inserts(merge);
    let (target, source) = (merging::target(merge), merging::source(merge));
    let pairs = merging::pairs(merge);
    if inserts.is_empty() || pairs.is_empty() {
        return None;
    }
    let compared: BTreeSet<String> =
        pairs.iter().filter_map(|(own, _, _)| pairs::column(*own)).map(crate::sql::view::Name::last).collect();
    for part in merge.on.conjuncts() {
        let own = |part: Sql<'_>| pairs::side(part, &target, &source) == Side::Target;
        let unread = part.mentions("select") || (0..part.len()).any(|at| part.kind(at) == Some(Kind::Hole));
        if !own(part) || unread || part.names().any(|name| compared.contains(&name.last())) {
            continue;
        }
        let Some(column) = part.names().next().map(crate::sql::view::Name::last) else { continue };
        if inserts.iter().all(|(_, columns, values)| consistent(part, &column, columns, values)) {
            continue;
        }
        if filtered_alike(context, step, merge, part) || replaces_alike(merge, part) {
            continue;
        }
        return Some(
            Report::at(
                part.range(),
                format!(
                    "a row of the target that does not fulfil `{}` is not found, and its key is inserted a second time",
                    short(part)
                ),
            )
            .label("looks at the target alone")
            .help("compare the key alone in ON, and filter the source inside USING"),
        );
    }
    None
}

fn short(sql: Sql<'_>) -> String {
    let text = sql.source().split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() > 60 { text.chars().take(57).chain("...".chars()).collect() } else { text }
}

/// True when the row that is inserted fulfils the condition, so that the next run finds it: `t.current = true` with `true`
/// in the INSERT, `t.valid_to IS NULL` with no value.
fn consistent(part: Sql<'_>, column: &str, columns: &[String], values: &[Sql<'_>]) -> bool {
    let value = columns.iter().position(|one| one == column).and_then(|at| values.get(at)).copied();
    if part.words(part.len().saturating_sub(2), &["is", "null"]) {
        return value.is_none_or(|value| value.is(0, "null")) && !columns.is_empty();
    }
    let equal = pairs::equalities(part);
    match (equal.as_slice(), value) {
        ([pair], Some(value)) => {
            pair.right.normal() == value.normal() || value.is_literal() && !pair.right.is_literal()
        }
        // The column's default decides, or the list is the source's.
        ([_], None) => true,
        ([], None) if equal.is_empty() && part.len() <= 2 => true,
        ([], Some(value)) if part.len() <= 4 && part.as_name().is_some() => value.is(0, "true") || value.text(0) == "1",
        _ => false,
    }
}

/// True when the source is filtered in the same way.
fn filtered_alike<'a>(context: &Context<'a>, step: &Step<'a>, merge: &Merge<'a>, part: Sql<'a>) -> bool {
    let wanted = part.unqualified();
    let reads_target = |select: &Select<'_>| {
        select.from.iter().any(|one| matches!(&one.table, Table::Name(name) if merge.target.may_be(*name)))
    };
    let alike = |filter: Sql<'_>| {
        filter.conjuncts().into_iter().any(|one| one.range() != part.range() && one.unqualified() == wanted)
    };
    alike(merge.on)
        || merging::queries(context, step, merge)
            .into_iter()
            .flat_map(|query| {
                let with = query.with.iter().filter_map(|common| match &common.inner {
                    Inner::Query(query) => Some(query),
                    Inner::Change(_) => None,
                });
                with.chain([query])
            })
            .flat_map(crate::sql::clause::Query::selects)
            // What the target itself is filtered by says nothing of the source.
            .filter(|select| !reads_target(select))
            .filter_map(|one| one.filter)
            .any(alike)
}

/// True when the rows that fulfil the condition are replaced as a whole: those that the source lacks are deleted.
fn replaces_alike(merge: &Merge<'_>, part: Sql<'_>) -> bool {
    let wanted = part.unqualified();
    merge.branches.iter().any(|branch| {
        branch.matched == Matched::BySource
            && matches!(branch.action, MergeAction::Delete)
            && branch.condition.is_some_and(|one| one.conjuncts().into_iter().any(|one| one.unqualified() == wanted))
    })
}
