//! IDM306.

use super::unguarded_volatile_timestamp_update::stamped;
use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::Context;
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::guard::{self, Guard};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Matched, MergeAction, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM306",
    name: "merge-volatile-touch",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "a MERGE that stamps every matched row with the clock",
    setup: "\
CREATE TABLE c (id int PRIMARY KEY, v text, updated_at timestamptz);
CREATE TABLE raw_c (id int, v text);
INSERT INTO raw_c VALUES (1, 'a');",
    docs: "\
## What it finds

WHEN MATCHED THEN UPDATE that sets a column to the current time for every row that is matched, changed or not.

```sql,bad,changes
MERGE INTO c AS t USING (SELECT id, max(v) AS v FROM raw_c GROUP BY id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v, updated_at = now()
WHEN NOT MATCHED THEN INSERT (id, v, updated_at) VALUES (s.id, s.v, now());
```

```sql,good
MERGE INTO c AS t USING (SELECT id, max(v) AS v FROM raw_c GROUP BY id) AS s ON t.id = s.id
WHEN MATCHED AND t.v IS DISTINCT FROM s.v THEN UPDATE SET v = s.v, updated_at = now()
WHEN NOT MATCHED THEN INSERT (id, v, updated_at) VALUES (s.id, s.v, now());
```

Columns that say when a row was loaded (`load_columns` in the settings) are left alone.

## Why

Every run rewrites every row and makes it look changed, for indexes, replicas and whoever reads only what is new.

## Instead

Compare the columns that are set with the source's in the branch's condition.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Merge(merge) = verb else { continue };
        if changes::weight(context, step, merge.target) == Weight::None {
            continue;
        }
        for branch in merge.branches.iter().filter(|branch| branch.matched == Matched::Yes) {
            let MergeAction::Update(sets) = &branch.action else { continue };
            let Some(stamp) = stamped(context, sets) else { continue };
            let called = guard::called(merge.target, merge.alias.as_ref());
            let guard = Guard { sets, called: &called };
            if branch.condition.is_some_and(|condition| guard.sees_change(condition)) {
                continue;
            }
            let alias = called.first().cloned().unwrap_or_default();
            let other = sets.iter().find(|set| !guard::clock(set.value) && set.value.as_name().is_some());
            let report = Report::at(
                stamp.sql.range(),
                format!("a second run writes every matched row again and sets `{}` to another time", stamp.column),
            )
            .label("the clock, whether anything changes or not")
            .help(match other {
                Some(other) => only_changes(context, &format!("{alias}.{}", other.column), other.value.source()),
                None => "write only rows that change: compare them in the condition of WHEN MATCHED".to_owned(),
            });
            check.report(step, report);
        }
    }
}

/// The condition of the branch, in the place that the dialect has for it.
fn only_changes(context: &Context<'_>, column: &str, value: &str) -> String {
    let condition = crate::lint::wording::differs(context.dialect, column, value);
    let merge = context.dialect.syntax.merge;
    let form = match merge {
        Some(merge) if !merge.condition && merge.branch_where => format!("UPDATE SET .. WHERE {condition}"),
        Some(merge) if !merge.condition => {
            return format!("leave rows that do not change out of USING: keep those where `{condition}`");
        }
        _ => format!("WHEN MATCHED AND {condition} THEN UPDATE"),
    };
    format!("write only rows that change: `{form}`, with an OR for each further column")
}
