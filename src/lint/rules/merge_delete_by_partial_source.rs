//! IDM307.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::merging;
use crate::lint::proof::pairs;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Matched, Merge, MergeAction, Verb};
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

pub(super) static RULE: Rule = Rule {
    code: "IDM307",
    name: "merge-delete-by-partial-source",
    severity: Severity::Error,
    class: Class::Data,
    summary: "a MERGE that deletes what its source does not hold, while the source holds only a part",
    setup: "",
    docs: "\
## What it finds

WHEN NOT MATCHED BY SOURCE THEN DELETE without a condition, from a source that is filtered to a window or cut by TOP or LIMIT.

```sql,bad,same,sqlserver
MERGE dbo.f AS t USING (SELECT id, MAX(n) AS n FROM stg.f WHERE d >= '20260101' GROUP BY id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = s.n
WHEN NOT MATCHED BY SOURCE THEN DELETE;
```

```sql,good,sqlserver
MERGE dbo.f AS t USING (SELECT id, MAX(n) AS n FROM stg.f WHERE d >= '20260101' GROUP BY id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = s.n
WHEN NOT MATCHED BY SOURCE AND t.d >= '20260101' THEN DELETE;
```

As information it also says where such a MERGE has no WHEN MATCHED: a row that was corrected in the source is never updated.

## Why

Everything outside the window is not in the source, and so it is deleted: all of history, in one run.

## Instead

Repeat the window as a condition on the target, or merge the whole source.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Merge(merge) = verb else { continue };
        let delete = merge
            .branches
            .iter()
            .find(|branch| branch.matched == Matched::BySource && matches!(branch.action, MergeAction::Delete));
        let Some(delete) = delete else { continue };
        let weight = changes::weight(context, step, merge.target);
        if weight == Weight::None {
            continue;
        }
        if delete.condition.is_none()
            && let Some((window, severity)) = window(context, step, merge)
        {
            let report = Report::at(delete.sql.range(), "every row of the target outside the source's window is deleted")
                    .label("deletes what the source does not hold")
                    .also(window.range(), "the source holds only this part")
                    .help("add the window as a condition on the target: `WHEN NOT MATCHED BY SOURCE AND t.<column> .. THEN DELETE`")
                    .severity(severity);
            check.report(step, weight.put(context, &merge.target.key(), report));
            continue;
        }
        if stale(merge) {
            let report = Report::at(
                delete.sql.range(),
                "a row that was corrected in the source is never updated: there is no WHEN MATCHED",
            )
            .label("removes and inserts rows, and updates none")
            .help("add `WHEN MATCHED AND <a column differs> THEN UPDATE SET ..`")
            .severity(Severity::Info);
            check.report(step, report);
        }
    }
}

/// What cuts the source down to a part, and how sure it is.
fn window<'a>(context: &Context<'a>, step: &Step<'a>, merge: &Merge<'a>) -> Option<(Sql<'a>, Severity)> {
    let mut weak = None;
    for query in merging::queries(context, step, merge) {
        if let Some(limit) = query.limit {
            return Some((limit, Severity::Error));
        }
        for select in query.selects() {
            if let Some(top) = select.top {
                return Some((top, Severity::Error));
            }
            for part in select.filter.into_iter().flat_map(Sql::conjuncts) {
                match cut(part) {
                    Some(Severity::Error) => return Some((part, Severity::Error)),
                    Some(severity) => weak = weak.or(Some((part, severity))),
                    None => {}
                }
            }
        }
    }
    weak
}

/// Whether a condition takes a window out of a table: a range, a day, a variable. What picks valid rows is none.
fn cut(part: Sql<'_>) -> Option<Severity> {
    if part.mentions("exists") || part.top().any(|at| part.is_any(at, &["or", "not", "is", "like"])) {
        return None;
    }
    let range =
        part.top().any(|at| ["<", ">", "<=", ">="].iter().any(|sign| part.symbol(at, sign)) || part.is(at, "between"));
    if range {
        // `rn <= 1`, `price > 0`
        let trivial = part.len() == 3 && matches!(part.text(2), "0" | "1");
        return (!trivial).then_some(Severity::Error);
    }
    let pair = pairs::equalities(part).into_iter().next()?;
    let value = pair.right;
    if !value.is_constant() && !value.calls_any(&["current_date", "getdate", "now", "dateadd", "cast", "date"]) {
        return None;
    }
    let column = pair.left.names().next().map(crate::sql::view::Name::last).unwrap_or_default();
    let dated = ["date", "day", "dt", "month", "year", "period", "week", "partition", "time", "batch"]
        .iter()
        .any(|word| column.contains(word));
    let text = value.source();
    let day = text.contains("20") && text.chars().filter(char::is_ascii_digit).count() >= 6;
    let variable = (0..value.len()).any(|at| matches!(value.kind(at), Some(Kind::Variable | Kind::Hole)));
    if dated || day || variable {
        return Some(Severity::Error);
    }
    // A flag, a version, a rank.
    (value.kind(0) == Some(Kind::Text)
        && !["status", "state", "active", "deleted", "flag", "type"].iter().any(|word| column.contains(word)))
    .then_some(Severity::Warning)
}

/// True when rows are inserted and deleted but never updated, although they have columns beside the key.
fn stale(merge: &Merge<'_>) -> bool {
    let inserts = merging::inserts(merge);
    let pairs = merging::pairs(merge);
    let updates = merge.branches.iter().any(|branch| branch.matched == Matched::Yes);
    if updates || inserts.is_empty() || pairs.is_empty() {
        return false;
    }
    let key: Vec<String> =
        pairs.iter().filter_map(|(own, _, _)| pairs::column(*own)).map(crate::sql::view::Name::last).collect();
    inserts.iter().any(|(_, columns, _)| columns.iter().any(|column| !key.contains(column)))
}
