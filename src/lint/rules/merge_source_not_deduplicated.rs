//! IDM302.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::proof::changes::{self, Weight};
use crate::lint::proof::merging;
use crate::lint::proof::pairs;
use crate::lint::proof::unique::{Env, Prover, Rows};
use crate::lint::rule::{Class, Rule};
use crate::lint::wording;
use crate::sql::clause::{Matched, MergeAction, Verb};

pub(super) static RULE: Rule = Rule {
    code: "IDM302",
    name: "merge-source-not-deduplicated",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "a MERGE whose source may hold a key twice",
    setup: "\
CREATE TABLE c (id int, v text);
CREATE TABLE raw_c (id int, v text, seen timestamptz, seq int);
INSERT INTO raw_c VALUES (1, 'a', '2026-01-01', 1), (1, 'b', '2026-01-02', 2);",
    docs: "\
## What it finds

A MERGE from a table or a query of which nothing shows that the compared columns stand in one row: no GROUP BY, DISTINCT ON or
`ROW_NUMBER() = 1` on them, no known unique key, or literal rows that repeat a key. `SELECT DISTINCT` shows it only where
it selects the key alone.

```sql,bad,fails
MERGE INTO c AS t USING raw_c AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);
```

```sql,good
MERGE INTO c AS t
USING (SELECT DISTINCT ON (id) id, v FROM raw_c ORDER BY id, seen DESC, seq DESC) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);
```

A condition behind WHEN MATCHED is no cure: some engines count the matches before they look at it.

## Why

A key that comes twice is inserted twice when the target does not have it. When it does, the engine stops, or one of the two
rows wins and nobody says which. The first run may pass and the second fail.

## Instead

Keep one row of each key in USING, and say in ORDER BY which one.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let Verb::Merge(merge) = verb else { continue };
        let deletes = merge.branches.iter().all(|branch| {
            branch.matched != Matched::Yes && !matches!(branch.action, MergeAction::Insert(..))
                || matches!(branch.action, MergeAction::Delete | MergeAction::Nothing)
        });
        if merge.removes_duplicates || deletes || changes::weight(context, step, merge.target) == Weight::None {
            continue;
        }
        let Some(key) = merging::key(merge) else { continue };
        let found = merging::pairs(merge)
            .into_iter()
            .filter_map(|(own, _, _)| pairs::column(own))
            .map(crate::sql::view::Name::last);
        let prover = Prover::new(context, step).finding(merge.target, found.collect());
        let env = Env { with: &merge.with, outer: None };
        let columns = merging::listed(&key);
        let inserts = !merging::inserts(merge).is_empty();
        let updates = merge.branches.iter().any(|branch| branch.matched == Matched::Yes);
        let what = match (inserts, updates) {
            (true, false) => "both rows are inserted",
            (_, true) => wording::twice(context.dialect),
            _ => continue,
        };
        let report = match prover.relation(env, &merge.source, &key) {
            Rows::Once => continue,
            Rows::Twice(first, second) => Report::at(
                second.range(),
                format!("`{columns}` = `{}` stands twice in the list: {what}", second.source()),
            )
            .label("the second row of this key")
            .also(first.range(), "the first row of this key")
            .help("remove one of the rows"),
            Rows::Doubt(doubt) => {
                let Some(reason) = merging::reason(&doubt, &columns) else { continue };
                let named = if columns.is_empty() { "<key>" } else { columns.as_str() };
                Report::at(merge.source.sql.range(), format!("where a key comes twice, {what}: {reason}"))
                    .label("may hold a key twice")
                    .help(format!("keep one row of each key in USING: {}", wording::one_row(context.dialect, named)))
            }
        };
        check.report(step, report);
    }
}
