//! IDM109.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Fresh;
use crate::lint::finding::{Edit, Safety};
use crate::lint::proof::antijoin::{self, Form};
use crate::lint::proof::append;
use crate::lint::proof::definition;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Relation, Select, Table, Verb, read};
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

pub(super) static RULE: Rule = Rule {
    code: "IDM109",
    name: "not-in-null-trap",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "NOT IN over a column of the target that may be null: one null, and nothing is loaded any more",
    setup: "CREATE TABLE city (id int); CREATE TABLE raw_city (id int); INSERT INTO raw_city VALUES (1), (2);",
    docs: "\
## What it finds

A guard `x NOT IN (SELECT y FROM target)` where `y` is not known to be never null.

```sql,bad,same
INSERT INTO city (id)
SELECT id FROM raw_city WHERE id NOT IN (SELECT id FROM city);
```

```sql,good
INSERT INTO city (id)
SELECT s.id FROM raw_city AS s
WHERE NOT EXISTS (SELECT 1 FROM city AS t WHERE t.id = s.id);
```

```sql,good
INSERT INTO city (id)
SELECT id FROM raw_city WHERE id NOT IN (SELECT id FROM city WHERE id IS NOT NULL);
```

## Why

With one null in the list, NOT IN is true of no value: nothing fails, and no row is loaded from then on.

## Instead

NOT EXISTS, or `IS NOT NULL` in the inner query, or NOT NULL on the column.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        if matches!(context.fresh(step, insert.target), Some(Fresh::Temporary | Fresh::Staging)) {
            continue;
        }
        for one in antijoin::of(insert, &context.options.aliases).all {
            if one.form != Form::NotIn || !one.target {
                continue;
            }
            let Some(inner) = inner(one.sql) else { continue };
            let Ok(Verb::Query(query)) = read(inner) else { continue };
            let Some(select) = query.select() else { continue };
            let table = context.table_of(insert);
            let nullable = select.items.iter().find_map(|item| {
                let name = item.value.as_name()?.last();
                let known = table.and_then(|table| table.columns.iter().find(|column| column.name == name));
                (!known.is_some_and(|column| column.not_null) && !never_null(select, &name)).then_some(item.value)
            });
            let Some(column) = nullable else { continue };
            let name = append::shown(insert.target);
            let mut report = Report::at(
                one.sql.range(),
                format!("one null in `{}` of `{name}`, and no run adds a row any more", column.source()),
            )
            .label("NOT IN is true of no value then")
            .help(format!("use NOT EXISTS, or add `WHERE {} IS NOT NULL` inside", column.source()));
            if let Some(mut edit) = edit(select, column, inner) {
                for words in [" WHERE ", " AND ", " IS NOT NULL"] {
                    edit.text = edit.text.replace(words, &definition::cased(step, words));
                }
                report = report.fix(Safety::Unsafe, "leave nulls out of the list", vec![edit]);
            }
            check.report(step, report);
        }
    }
}

/// What stands in the brackets behind IN or ALL.
fn inner(part: Sql<'_>) -> Option<Sql<'_>> {
    let mut sql = part.bare();
    loop {
        let open = sql.top().filter(|at| sql.kind(*at) == Some(Kind::Open)).last()?;
        sql = sql.inside(open).bare();
        if sql.is_any(0, &["select", "with"]) {
            return Some(sql);
        }
    }
}

/// The inner query leaves nulls out itself.
fn never_null(select: &Select<'_>, column: &str) -> bool {
    // A derived table may have left them out.
    let inner = match select.from.as_slice() {
        [Relation { table: Table::Query(query), .. }] => query.select(),
        _ => None,
    };
    if inner.is_some_and(|inner| never_null(inner, column)) {
        return true;
    }
    let parts = select.filter.map(Sql::conjuncts).unwrap_or_default();
    parts.iter().any(|part| {
        part.name(0).is_some_and(|(name, end)| {
            // Any comparison drops nulls too.
            name.last() == column && (part.words(end, &["is", "not", "null"]) || part.kind(end) == Some(Kind::Symbol))
        })
    })
}

/// `IS NOT NULL` behind the condition of a plain query over one table.
fn edit<'a>(select: &Select<'a>, column: Sql<'a>, inner: Sql<'a>) -> Option<Edit> {
    let [one] = select.from.as_slice() else { return None };
    if !matches!(one.table, Table::Name(_)) || select.group_by.is_some() || select.sql.range() != inner.range() {
        return None;
    }
    let column = column.source();
    match select.filter {
        None => {
            let at = one.sql.range().end;
            (at == inner.range().end).then(|| Edit { range: at..at, text: format!(" WHERE {column} IS NOT NULL") })
        }
        Some(filter) if filter.top().any(|at| filter.is(at, "or")) => None,
        Some(filter) => {
            let at = filter.range().end;
            Some(Edit { range: at..at, text: format!(" AND {column} IS NOT NULL") })
        }
    }
}
