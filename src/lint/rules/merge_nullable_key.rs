//! IDM304.

use crate::diagnostic::Severity;
use crate::dialect::Dialect;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::finding::{Edit, Safety};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::definition;
use crate::lint::proof::growth::uncast;
use crate::lint::proof::merging;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Body, Merge, Table, Verb};
use crate::sql::view::Sql;

pub(super) static RULE: Rule = Rule {
    code: "IDM304",
    name: "merge-nullable-key",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "a MERGE that compares a column that may be null with `=`",
    setup: "\
CREATE TABLE raw_ad (ad_id int, device text, n int);
INSERT INTO raw_ad VALUES (1, NULL, 5), (1, 'phone', 7);",
    docs: "\
## What it finds

`t.k = s.k` in ON where the target's definition lets `k` be null, and nothing in the source keeps nulls out.

```sql,bad,adds
CREATE TABLE IF NOT EXISTS ad (ad_id int NOT NULL, device text, n int);
MERGE INTO ad AS t USING (SELECT ad_id, device, sum(n) AS n FROM raw_ad GROUP BY ad_id, device) AS s
ON t.ad_id = s.ad_id AND t.device = s.device
WHEN MATCHED THEN UPDATE SET n = s.n
WHEN NOT MATCHED THEN INSERT (ad_id, device, n) VALUES (s.ad_id, s.device, s.n);
```

```sql,good
CREATE TABLE IF NOT EXISTS ad (ad_id int NOT NULL, device text, n int);
MERGE INTO ad AS t USING (SELECT ad_id, device, sum(n) AS n FROM raw_ad GROUP BY ad_id, device) AS s
ON t.ad_id = s.ad_id AND t.device IS NOT DISTINCT FROM s.device
WHEN MATCHED THEN UPDATE SET n = s.n
WHEN NOT MATCHED THEN INSERT (ad_id, device, n) VALUES (s.ad_id, s.device, s.n);
```

Where the target's columns are not known, nothing is said.

## Why

Null is equal to nothing, not even to null. The row with the null is never found and comes once more with every run.

## Instead

Compare with an operator for which two nulls are equal, or declare the column NOT NULL.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Merge(merge) = verb else { continue };
        if merging::inserts(merge).is_empty() || changes::weight(context, step, merge.target) == Weight::None {
            continue;
        }
        let Some(table) = context.table(merge.target) else { continue };
        // A definition that never says NOT NULL says nothing about nulls.
        if !table.columns.iter().any(|column| column.not_null) {
            continue;
        }
        for (own, source, pair) in merging::pairs(merge) {
            let (Some(own_name), false) = (own.as_name(), pair.nulls) else { continue };
            let column = own_name.last();
            let nullable = table.columns.iter().any(|one| one.name == column && !one.not_null);
            let primary = table.keys.iter().any(|key| key.primary && key.columns.contains(&column));
            if !nullable || primary || never_null(context, step, merge, source) {
                continue;
            }
            let text = equal(context.dialect, own, source);
            let cased = [" IS NOT DISTINCT FROM ", " IS NULL AND ", " IS NULL", " OR (", " IS "]
                .iter()
                .fold(text.clone(), |text, words| text.replace(words, &definition::cased(step, words)));
            let edit = Edit { range: pair.sql.range(), text: cased };
            let report = Report::at(
                pair.sql.range(),
                format!("a row whose `{column}` is null is never found, and a second run inserts it again"),
            )
            .label(format!("`{column}` may be null"))
            .help(format!("compare so that two nulls are equal: `{text}`"))
            .fix(Safety::Unsafe, "let two nulls be equal", vec![edit]);
            check.report(step, report);
            break;
        }
    }
}

/// A comparison in which two nulls are equal.
fn equal(dialect: &Dialect, left: Sql<'_>, right: Sql<'_>) -> String {
    let (left, right) = (left.source(), right.source());
    if dialect.syntax.spaceship {
        format!("{left} <=> {right}")
    } else if dialect.syntax.is_distinct_from {
        format!("{left} IS NOT DISTINCT FROM {right}")
    } else if dialect.syntax.is_any {
        format!("{left} IS {right}")
    } else {
        format!("({left} = {right} OR ({left} IS NULL AND {right} IS NULL))")
    }
}

/// True when the source gives no null: a default stands in, a WHERE keeps it out, the rows are literals, the column is
/// declared so.
fn never_null<'a>(context: &Context<'a>, step: &Step<'a>, merge: &Merge<'a>, source: Sql<'a>) -> bool {
    let stand_in = |value: Sql<'_>| {
        value.is_any(0, &["coalesce", "ifnull", "nvl", "isnull", "count", "row_number"])
            || value.is_literal() && !value.is(0, "null")
    };
    let source = uncast(source);
    let Some(name) = source.as_name() else { return stand_in(source) };
    let mut column = name.last();
    if let Table::Name(table) = &merge.source.table {
        let known = context.table(*table);
        if known.is_some_and(|table| table.columns.iter().any(|one| one.name == column && one.not_null)) {
            return true;
        }
    }
    let kept = |filter: Sql<'_>, column: &str| {
        filter
            .conjuncts()
            .into_iter()
            .any(|part| part.words(part.len().saturating_sub(3), &["is", "not", "null"]) && part.names_column(column))
    };
    if kept(merge.on, &column) {
        return true;
    }
    for query in merging::queries(context, step, merge) {
        let Some(select) = query.select() else {
            // Rows of literals: whoever wrote NULL sees it.
            return query.branches.iter().all(|(_, body)| match body {
                Body::Values(rows) => !rows.iter().flatten().any(|value| value.is(0, "null")),
                Body::Select(select) => select.from.is_empty(),
                _ => false,
            });
        };
        if select.filter.is_some_and(|filter| kept(filter, &column)) {
            return true;
        }
        let Some(item) = select.items.iter().find(|item| item.name.as_ref() == Some(&column)) else { continue };
        let value = uncast(item.value);
        if stand_in(value) || select.from.is_empty() {
            return true;
        }
        let Some(name) = value.as_name() else { return false };
        column = name.last();
        if let [one] = select.from.as_slice()
            && let Table::Name(table) = &one.table
        {
            let known = context.table(*table);
            if known.is_some_and(|table| table.columns.iter().any(|one| one.name == column && one.not_null)) {
                return true;
            }
        }
    }
    false
}
