//! IDM407.

use crate::diagnostic::Severity;
use crate::dialect::client::Client;
use crate::lint::check::{Check, Report};
use crate::lint::context::Step;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{Transaction, Verb};
use crate::sql::script::Frames;

pub(super) static RULE: Rule = Rule {
    code: "IDM407",
    name: "transaction-left-open",
    severity: Severity::Error,
    class: Class::Script,
    summary: "a transaction that the script begins and never ends, or ends and never began",
    setup: "\
CREATE TABLE item (id int, a int);
INSERT INTO item (id, a) VALUES (1, 0);
",
    docs: "\
## What it finds

BEGIN without COMMIT at the end of the script:

```sql,bad,same
BEGIN;
UPDATE item SET a = 1 WHERE a IS DISTINCT FROM 1;
```

COMMIT without BEGIN:

```sql,bad,fails,sqlserver
UPDATE dbo.Item SET A = 1 WHERE A <> 1;
COMMIT TRANSACTION;
```

A temporary table that goes with its transaction, where each statement is its own one:

```sql,bad,fails
CREATE TEMP TABLE pick (id int) ON COMMIT DROP;
INSERT INTO pick (id) SELECT id FROM item;
```

```sql,good
BEGIN;
UPDATE item SET a = 1 WHERE a IS DISTINCT FROM 1;
COMMIT;
```

Files that their runner wraps in a transaction are left alone, and so are clients that begin one by themselves, where COMMIT
alone is usual. A COMMIT in a branch or in an error handler counts as one that may end the transaction.

## Why

When the session ends, what was not committed is rolled back: the script ran without an error and nothing is kept. Until then
its locks stay. And a COMMIT without BEGIN shows that the statements before it were meant to be one transaction and are not.

## Instead

End what you begin, with COMMIT, in the same script.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    let client = &context.dialect.client;
    let wrapped = context.options.in_transaction.or(context.runner.in_transaction).unwrap_or(false);
    // A BEGIN or a COMMIT that a template leaves out is not to be counted.
    if wrapped || context.script.comments.iter().any(|comment| comment.control) {
        return;
    }
    gone_at_once(check);
    if !client.autocommit {
        return;
    }
    let mut open: Option<&Step<'_>> = None;
    // A COMMIT of which nobody knows whether a BEGIN came before it.
    let mut usual = client.lenient;
    let mut changes = 0;
    let mut alone = Vec::new();
    for step in check.steps().filter(|step| step.scope == 0 && !step.statement.quoted) {
        let Ok(Verb::Transaction(what)) = &step.verb else {
            changes += usize::from(matches!(
                step.verb,
                Ok(Verb::Insert(_) | Verb::Update(_) | Verb::Delete(_) | Verb::Merge(_))
            ));
            if ends_by_itself(client, step) && open.take().is_some() {
                usual = true;
            }
            continue;
        };
        let branch = context.frames(step).any(|frame| {
            matches!(frame.kind, Frames::If | Frames::Else | Frames::Case | Frames::Handler | Frames::Loop)
        });
        match what {
            Transaction::Begin => {
                open = open.or(Some(step));
                usual |= branch;
            }
            Transaction::NoAutocommit => usual = true,
            Transaction::Commit | Transaction::Rollback => {
                let chain = step.sql.find(0, &["chain"]).is_some_and(|at| step.sql.is(at - 1, "and"));
                // A lone END may be that of a block whose BEGIN was not read.
                let end = step.sql.is(0, "end");
                if open.is_none() && !usual && !branch && !end && *what == Transaction::Commit {
                    alone.push((step, changes));
                }
                if !chain {
                    open = None;
                }
                usual |= branch || chain;
                changes = 0;
            }
            Transaction::Savepoint => {}
        }
    }
    let script = context.dialect.script;
    let commit = script.map_or("COMMIT", |script| script.commit);
    if let Some(step) = open {
        let report = Report::at(
            step.sql.range(),
            "nothing from here on is kept: the script ends without a COMMIT, and the session rolls back",
        )
        .label("begins a transaction")
        .help(format!("write `{commit};` at the end"));
        check.report(step, report);
    }
    let begin = script.map_or("BEGIN", |script| script.begin);
    for (step, changes) in alone {
        // With one statement before it, nothing would be another way with BEGIN.
        let severity = if changes > 1 || client.commit_alone_fails { Severity::Warning } else { Severity::Info };
        let message = if client.commit_alone_fails {
            "this fails: no transaction is open, and each statement before it committed by itself"
        } else {
            "no transaction is open: each statement before it committed by itself"
        };
        let report = Report::at(step.sql.range(), message)
            .label("ends nothing")
            .help(format!("write `{begin};` before the statements that belong together"))
            .severity(severity);
        check.report(step, report);
    }
}

/// A definition or a TRUNCATE, where the engine commits before it.
fn ends_by_itself(client: &Client, step: &Step<'_>) -> bool {
    match &step.verb {
        Ok(Verb::Create(create)) => !client.ddl_in_transaction && !create.temporary,
        Ok(Verb::Drop(drop)) => !client.ddl_in_transaction && !drop.temporary,
        Ok(Verb::Alter(_) | Verb::Rename) => !client.ddl_in_transaction,
        Ok(Verb::Truncate(_)) => !client.truncate_in_transaction,
        _ => false,
    }
}

/// `CREATE TEMP TABLE .. ON COMMIT DROP` where the statement is its own transaction.
fn gone_at_once(check: &mut Check<'_, '_>) {
    let autocommit = check.context.dialect.client.autocommit;
    for (step, verb) in check.verbs() {
        let Verb::Create(create) = verb else { continue };
        let drops = (0..create.rest.len()).any(|at| create.rest.words(at, &["on", "commit", "drop"]));
        if let (true, true, None, false, Some(name)) =
            (autocommit, create.temporary && drops, step.transaction, step.defined, create.name)
        {
            let name_text = name.shown();
            let report = Report::at(
                name.sql.range(),
                format!("`{name_text}` is gone as soon as it is made: no transaction is open that it could live in"),
            )
            .label("is dropped when this statement commits")
            .help("write `BEGIN;` before it and `COMMIT;` behind its last use, or leave out ON COMMIT DROP")
            .severity(Severity::Warning);
            check.report(step, report);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::rules::tests::check;

    fn lines(text: &str, dialect: &str) -> Vec<usize> {
        let checked = check("x.sql", text, Some(dialect), None);
        let found = checked.findings.iter().filter(|finding| finding.rule.code == "IDM407");
        found.map(|finding| checked.source.position(finding.statement.start).line).collect()
    }

    #[test]
    fn what_may_end_a_transaction_ends_it() {
        for (dialect, text, want) in [
            ("postgres", "BEGIN;\nSELECT 1;", vec![1]),
            ("postgres", "BEGIN;\nSAVEPOINT a;\nROLLBACK TO a;", vec![1]),
            ("postgres", "BEGIN;\nCOMMIT AND CHAIN;\nSELECT 1;", vec![1]),
            ("postgres", "{% if x %}\nBEGIN;\n{% endif %}\nSELECT 1;", vec![]),
            ("postgres", "CREATE TEMP TABLE a (b int) ON COMMIT DROP;", vec![1]),
            ("postgres", "BEGIN;\nCREATE TEMP TABLE a (b int) ON COMMIT DROP;\nEND;", vec![]),
            ("sqlserver", "BEGIN TRAN\nIF @@ERROR <> 0 ROLLBACK ELSE COMMIT\nGO", vec![]),
            ("sqlserver", "UPDATE t SET a = 1\nCOMMIT\nGO", vec![2]),
            // The definition committed, so that nothing is open at the end.
            ("mysql", "START TRANSACTION;\nCREATE TABLE a (b int);\nSELECT 1;", vec![]),
            ("mysql", "SET autocommit = 0;\nUPDATE t SET a = 1;\nCOMMIT;", vec![]),
            ("oracle", "UPDATE t SET a = 1;\nCOMMIT;", vec![]),
            ("ansi", "UPDATE t SET a = 1;\nCOMMIT;", vec![]),
        ] {
            assert_eq!(lines(text, dialect), want, "{text}");
        }
    }
}
