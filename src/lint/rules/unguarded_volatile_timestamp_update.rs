//! IDM204.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, like};
use crate::lint::finding::{Edit, Safety};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::definition;
use crate::lint::proof::guard::{self, Guard};
use crate::lint::proof::pairs;
use crate::lint::proof::unique::keyish;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Assignment, Update, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM204",
    name: "unguarded-volatile-timestamp-update",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "an UPDATE that stamps rows with the clock although nothing in them may have changed",
    setup: "\
CREATE TABLE price (id int PRIMARY KEY, currency text NOT NULL, changed_at timestamptz);
INSERT INTO price VALUES (1, 'EUR', NULL), (2, 'ATS', NULL);",
    docs: "\
## What it finds

`updated_at = now()` beside other columns, or for all rows, where no condition asks whether anything changes.

```sql,bad,changes
UPDATE price SET currency = 'EUR', changed_at = now();
```

```sql,good
UPDATE price SET currency = 'EUR', changed_at = now() WHERE currency IS DISTINCT FROM 'EUR';
```

A heartbeat of one row, and columns that say when a row was loaded (`load_columns` in the settings), are left alone.

## Why

Every run writes every row again and makes it look fresh: whoever reads what changed since yesterday reads everything.

## Instead

Compare the columns that are set with their new values in WHERE.
",
    check,
};

/// An assignment of the clock to a column that is no load column; one that keeps a value that is there is none.
pub(super) fn stamped<'s, 'a>(context: &Context<'_>, sets: &'s [Assignment<'a>]) -> Option<&'s Assignment<'a>> {
    sets.iter().find(|set| {
        guard::clock(set.value)
            && !set.value.names_column(&set.column)
            && !set.value.mentions("select")
            && !context.options.load_columns.iter().any(|pattern| like(&set.column, pattern))
    })
}

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Update(update) = verb else { continue };
        let Some(stamp) = stamped(context, &update.sets) else { continue };
        let others: Vec<&Assignment<'_>> = update.sets.iter().filter(|set| !guard::clock(set.value)).collect();
        if others.is_empty() && (update.filter.is_some() || !update.from.is_empty()) {
            continue;
        }
        let table = update.table();
        let called = guard::called_in(update);
        let guard = Guard { sets: &update.sets, called: &called };
        let conditions: Vec<_> = update.filter.into_iter().chain(update.from.iter().filter_map(|one| one.on)).collect();
        let weight = changes::update(context, step, update);
        if weight == Weight::None || update.limited || conditions.iter().any(|one| guard.sees_change(*one)) {
            continue;
        }
        let mut report = Report::at(
            stamp.sql.range(),
            format!("a second run writes the same rows again and sets `{}` to another time", stamp.column),
        )
        .label("the clock, whether anything changes or not");
        let text = difference(context, &others, &called);
        report = match &text {
            Some(text) => report.help(format!("add a condition that is true only where something changes: `{text}`")),
            None => report.help("add a condition that is true only where something changes"),
        };
        if let (Some(text), Some(filter)) = (text, update.filter.filter(|_| context.dialect.syntax.is_distinct_from)) {
            let (range, either) = (filter.range(), filter.top().any(|at| filter.is(at, "or")));
            let text = if others.len() > 1 { format!("AND ({text})") } else { format!("AND {text}") };
            // The words of ours stand between blanks, in capitals.
            let text = ["AND ", " OR ", " IS DISTINCT FROM "]
                .iter()
                .fold(text, |text, words| text.replace(words, &definition::cased(step, words)));
            let text = format!(" {text}");
            let mut edits = Vec::new();
            if either {
                edits.push(Edit { range: range.start..range.start, text: "(".to_owned() });
            }
            let close = if either { ")" } else { "" };
            edits.push(Edit { range: range.end..range.end, text: format!("{close}{text}") });
            report = report.fix(Safety::Unsafe, "write only rows that change", edits);
        }
        if one_row(context, update) {
            report = report.at_most(Severity::Info);
        }
        check.report(step, weight.put(context, &table.key(), report));
    }
}

/// The condition that is true where one of the columns changes.
fn difference(context: &Context<'_>, others: &[&Assignment<'_>], called: &[String]) -> Option<String> {
    let simple = |set: &&&Assignment<'_>| !set.value.mentions("select") && set.value.source().len() <= 60;
    if others.is_empty() || others.len() > 6 || !others.iter().all(|set| simple(&set)) {
        return None;
    }
    let qualified = others.iter().any(|set| set.value.names().any(|name| name.qualifier().is_some()));
    let prefix = called.first().filter(|_| qualified).map(|name| format!("{name}.")).unwrap_or_default();
    let parts = others.iter().map(|set| {
        crate::lint::wording::differs(context.dialect, &format!("{prefix}{}", set.column), set.value.source())
    });
    Some(parts.collect::<Vec<_>>().join(" OR "))
}

/// True when the condition gives one row: its key is compared with a constant.
fn one_row(context: &Context<'_>, update: &Update<'_>) -> bool {
    let table = update.table();
    let name = table.last();
    let columns: Vec<String> = update
        .filter
        .map(pairs::equalities)
        .unwrap_or_default()
        .into_iter()
        .filter(|pair| pair.right.is_constant())
        .filter_map(|pair| pair.left.as_name().map(crate::sql::view::Name::last))
        .collect();
    let known = context
        .table(table)
        .is_some_and(|table| table.keys.iter().any(|key| key.columns.iter().all(|column| columns.contains(column))));
    known || columns.iter().any(|column| keyish(column, &name))
}
