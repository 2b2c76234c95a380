//! IDM402.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step};
use crate::lint::finding::{Edit, Safety};
use crate::lint::proof::clear::{self, Clear};
use crate::lint::proof::definition;
use crate::lint::proof::predicate::{self, Load, Set};
use crate::lint::proof::range::Cover;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Insert, Mode, Source, Verb};
use std::collections::{BTreeMap, HashMap};

pub(super) static RULE: Rule = Rule {
    code: "IDM402",
    name: "delete-insert-not-atomic",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "rows are cleared in one transaction and loaded again in another",
    setup: "\
CREATE TABLE sales (day date, n int);
INSERT INTO sales (day, n) VALUES ('2026-01-01', 1);
CREATE TABLE raw_sales (day date, n int);
INSERT INTO raw_sales (day, n) VALUES ('2026-01-01', 2), ('2026-01-02', 3);
",
    docs: "\
## What it finds

A DELETE or TRUNCATE and the INSERT that fills the same rows in again, where no transaction holds both.

```sql,bad,same
DELETE FROM sales WHERE day = DATE '2026-01-01';
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day = DATE '2026-01-01';
```

```sql,bad,same
TRUNCATE TABLE sales;
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales;
```

```sql,bad,same,sqlite
DELETE FROM sales;
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales;
```

```sql,bad,same,mysql
START TRANSACTION;
TRUNCATE TABLE sales;
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales;
COMMIT;
```

```sql,good
BEGIN;
DELETE FROM sales WHERE day = DATE '2026-01-01';
INSERT INTO sales (day, n) SELECT day, n FROM raw_sales WHERE day = DATE '2026-01-01';
COMMIT;
```

In several engines TRUNCATE ends the transaction that it stands in, so that BEGIN and COMMIT around it hold nothing together.
Files that their runner wraps in a transaction are left alone, and so are tables of one load.

## Why

When the script stops between the two statements, the rows are gone until somebody runs it again, and everybody who reads the
table in between sees the hole. A run that is never repeated loses the rows for good.

## Instead

Put both in one transaction, with DELETE in place of TRUNCATE where that ends it; or replace the rows in one statement; or
load another table and swap the two.
",
    check,
};

/// A clearing and the loads behind it.
struct Pair<'s, 'a> {
    clear: Clear<'s, 'a>,
    inserts: Vec<(&'s Step<'a>, &'s Insert<'a>)>,
}

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let mut pairs: BTreeMap<usize, Pair> = BTreeMap::new();
    // Each table is looked at once: a script of seeds clears and fills one thousands of times.
    let mut passing: HashMap<String, bool> = HashMap::new();
    for (step, verb) in check.verbs() {
        let Verb::Insert(insert) = verb else { continue };
        let Some(clear) = clear::nearest(context, step, insert.target) else { continue };
        if atomic(clear.step, step) || clear.step.statement.frame != step.statement.frame {
            continue;
        }
        let mut passes = || clear::is_passing(context, step, insert.target);
        if refills(&clear, insert, &predicate::loads(context, insert))
            && !*passing.entry(insert.target.key()).or_insert_with(&mut passes)
        {
            let pair = pairs.entry(clear.step.index).or_insert_with(|| Pair { clear, inserts: Vec::new() });
            pair.inserts.push((step, insert));
        }
    }
    // BEGIN would let go of the locks that LOCK TABLES took.
    let controlled =
        context.steps.iter().any(|step| matches!(step.verb, Ok(Verb::Transaction(_))) || step.sql.is(0, "lock"));
    for pair in pairs.into_values() {
        let report = report(context, &pair, controlled);
        check.report(pair.clear.step, report);
    }
}

/// True when both are in one transaction.
fn atomic(clear: &Step<'_>, insert: &Step<'_>) -> bool {
    clear.transaction.is_some() && clear.transaction == insert.transaction
}

/// True when the INSERT puts in again what was cleared, so that both belong together.
fn refills(clear: &Clear<'_, '_>, insert: &Insert<'_>, loads: &[Load<'_>]) -> bool {
    if insert.mode == Mode::Overwrite {
        return false;
    }
    match clear.cover(loads) {
        Cover::All => true,
        Cover::Part => false,
        // The staged rows of the day that is cleared, where nothing in the load names the day; or both read one bound.
        Cover::Unknown => {
            let Some(delete) = clear.delete.filter(|delete| !delete.limited && delete.using.is_empty()) else {
                return false;
            };
            let terms = predicate::cleared(delete);
            let starts = |set: &Set<'_>| match set {
                Set::In(values) => values.iter().all(|value| value.is_temporal() || value.is_variable()),
                Set::Range(Some((value, _)), _) => value.is_temporal() || value.is_variable(),
                _ => false,
            };
            let unfiltered = match &insert.source {
                Source::Query(query) => query.selects().iter().all(|select| select.filter.is_none()),
                _ => false,
            };
            let whole_day = unfiltered && insert.conflict.is_none() && terms.iter().any(|term| starts(&term.set));
            whole_day || loads.iter().any(|load| predicate::shares_bound(&terms, load))
        }
    }
}

fn report(context: &Context<'_>, pair: &Pair<'_, '_>, controlled: bool) -> Report {
    let client = &context.dialect.client;
    let (clear, Some((first, insert))) = (&pair.clear, pair.inserts.first()) else {
        return Report::at(pair.clear.step.sql.range(), "");
    };
    let name = insert.target.shown();
    let ends = clear.delete.is_none() && !client.truncate_in_transaction;
    let lost = if clear.is_whole() { format!("`{name}` empty") } else { format!("a hole in `{name}`") };
    let message = if ends {
        format!("TRUNCATE commits by itself: a run that stops behind it leaves {lost}")
    } else {
        format!("a run that stops between {} and INSERT leaves {lost}", clear.word())
    };
    let report = Report::at(clear.step.sql.range(), message)
        .label("is committed before the rows are there again")
        .also(first.sql.bytes(0).start..insert.target.sql.range().end, "loads them in another transaction")
        .group(insert.target.key());
    let Some(script) = context.dialect.script else {
        return report
            .severity(Severity::Info)
            .help("replace the rows in one statement, or load another table and swap the two");
    };
    let begin = script.before.iter().chain([&script.begin]).map(|one| format!("{one};")).collect::<Vec<_>>().join(" ");
    let between = context.steps.get(clear.step.index..first.index).unwrap_or_default();
    let ended = between.iter().find(|step| matches!(step.verb, Ok(Verb::Transaction(_))));
    match (ends, ended) {
        (true, _) if clear.step.transaction.is_some() => {
            report.help(format!("write `DELETE FROM {name}` in place of TRUNCATE, or load another table and swap the two"))
        }
        (true, _) => report.help(format!(
            "write `DELETE FROM {name}` in place of TRUNCATE, between `{}` and `{}`; or load another table and swap the two",
            script.begin, script.commit
        )),
        (false, Some(step)) => report
            .also(step.sql.range(), "ends the transaction between them")
            .help("put both in one transaction: end it behind the INSERT"),
        (false, None) => {
            let report = report.help(format!(
                "write `{begin}` before the {}, and `{};` behind the INSERT",
                clear.word(),
                script.commit
            ));
            match edits(context, pair, &begin, script.commit).filter(|_| !controlled) {
                Some(edits) => report.fix(Safety::Safe, "put both in one transaction", edits),
                None => report,
            }
        }
    }
}

/// The words of a transaction around a pair, where nothing stands in the way.
fn edits(context: &Context<'_>, pair: &Pair<'_, '_>, begin: &str, commit: &str) -> Option<Vec<Edit>> {
    let (last, _) = pair.inserts.last()?;
    let first = pair.clear.step;
    let whole = !context.options.in_transaction.unwrap_or(false) && !context.runner.in_transaction.unwrap_or(false);
    let between = context.steps.get(first.index..=last.index)?;
    let plain = between.iter().all(|step| {
        step.statement.frame.is_none()
            && step.statement.batch == first.statement.batch
            && !step.statement.templated
            && matches!(step.verb, Ok(Verb::Insert(_) | Verb::Delete(_) | Verb::Truncate(_)))
            && (step.index == first.index
                || pair.inserts.binary_search_by_key(&step.index, |(insert, _)| insert.index).is_ok())
    });
    if !whole || !plain || first.statement.frame.is_some() {
        return None;
    }
    let text = context.script.text;
    let newline = context.newline();
    let start = first.sql.range().start;
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = text[line..start].chars().take_while(|c| c.is_whitespace()).collect::<String>();
    let end = last.sql.range().end;
    let semicolon = text[end..].trim_start().starts_with(';');
    let behind = if semicolon { text[end..].find(';').map_or(end, |at| end + at + 1) } else { end };
    let stop = if semicolon { "" } else { ";" };
    let (begin, commit) = (definition::cased(first, begin), definition::cased(first, commit));
    let begin = begin.split("; ").map(|one| one.trim_end_matches(';')).collect::<Vec<_>>();
    let opening = begin.iter().map(|one| format!("{one};{newline}{indent}")).collect();
    Some(vec![
        Edit { range: start..start, text: opening },
        Edit { range: behind..behind, text: format!("{stop}{newline}{indent}{commit};") },
    ])
}

#[cfg(test)]
mod tests {
    use crate::lint::rules::tests::check;

    /// The text after the fix; as it was where there is none.
    fn fixed(text: &str, dialect: &str) -> (usize, String) {
        let checked = check("x.sql", text, Some(dialect), None);
        let found: Vec<_> = checked.findings.iter().filter(|finding| finding.rule.code == "IDM402").collect();
        let mut out = text.to_owned();
        for edit in found.iter().filter_map(|finding| finding.fix.as_ref()).flat_map(|fix| fix.edits.iter().rev()) {
            out.replace_range(edit.range.clone(), &edit.text);
        }
        (found.len(), out)
    }

    #[test]
    fn a_pair_is_wrapped_in_the_words_of_its_dialect() {
        for (dialect, text, want) in [
            (
                "postgres",
                "DELETE FROM f;\r\nINSERT INTO f SELECT * FROM s;\r\nSELECT 1;",
                "BEGIN;\r\nDELETE FROM f;\r\nINSERT INTO f SELECT * FROM s;\r\nCOMMIT;\r\nSELECT 1;",
            ),
            (
                "sqlserver",
                "  DELETE FROM f\n  INSERT INTO f SELECT * FROM s\nGO",
                "  SET XACT_ABORT ON;\n  BEGIN TRANSACTION;\n  DELETE FROM f\n  INSERT INTO f SELECT * FROM s;\n  COMMIT TRANSACTION;\nGO",
            ),
            (
                "mysql",
                "delete from f;\ninsert into f select * from s;\n",
                "start transaction;\ndelete from f;\ninsert into f select * from s;\ncommit;\n",
            ),
            (
                "mysql",
                "TRUNCATE a;DELETE FROM f;INSERT INTO f SELECT 1;INSERT INTO f SELECT 2",
                "TRUNCATE a;START TRANSACTION;\nDELETE FROM f;INSERT INTO f SELECT 1;INSERT INTO f SELECT 2;\nCOMMIT;",
            ),
        ] {
            assert_eq!(fixed(text, dialect), (1, want.to_owned()));
        }
    }

    #[test]
    fn a_transaction_that_is_open_already_is_left_alone() {
        let pair = "DELETE FROM f;\nINSERT INTO f SELECT * FROM s;\n";
        for (dialect, before, behind, want) in [
            ("mysql", "SET autocommit = 0;\nSELECT 1;\nCOMMIT;\n", "COMMIT;", 0),
            ("sqlserver", "SET IMPLICIT_TRANSACTIONS ON;\nCOMMIT;\n", "COMMIT;", 0),
            ("oracle", "SELECT 1 FROM dual;\n", "COMMIT;", 0),
            // Of a dialect that nobody knows, in which nothing begins what is committed.
            ("ansi", "", "COMMIT;", 0),
            ("postgres", "BEGIN;\nSELECT 1;\nCOMMIT;\n", "", 1),
            // CREATE commits.
            ("mysql", "START TRANSACTION;\nCREATE TABLE x (id int);\n", "COMMIT;", 1),
            ("postgres", "START TRANSACTION;\nCREATE TABLE x (id int);\n", "COMMIT;", 0),
        ] {
            let text = format!("{before}{pair}{behind}");
            // Where the file has transactions of its own, nothing is put in.
            assert_eq!(fixed(&text, dialect), (want, text.clone()), "{dialect}");
        }
    }

    #[test]
    fn what_is_no_pair_is_left_alone() {
        for text in [
            "DELETE FROM hits WHERE ts < now() - INTERVAL '90 days';\nINSERT INTO hits SELECT * FROM raw_hits;",
            "DELETE FROM code WHERE name = 'old';\nINSERT INTO code (name) SELECT name FROM s;",
            "TRUNCATE stg_f;\nINSERT INTO stg_f SELECT * FROM s;",
            "DELETE FROM g WHERE d = :day;\nINSERT INTO g_history SELECT * FROM g;",
            "WITH gone AS (DELETE FROM f RETURNING *) INSERT INTO f SELECT * FROM gone;",
        ] {
            assert_eq!(fixed(text, "postgres"), (0, text.to_owned()));
        }
    }
}
