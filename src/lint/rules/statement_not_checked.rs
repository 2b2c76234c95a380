//! IDM901.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::Verb;

pub(super) static RULE: Rule = Rule {
    code: "IDM901",
    name: "statement-not-checked",
    severity: Severity::Warning,
    class: Class::Script,
    summary: "a statement that could not be read, so that no rule looked at it",
    setup: "",
    docs: "\
## What it finds

A statement whose clauses could not be told apart: a misspelt keyword, a bracket without its partner, a string that never
ends. The other statements of the file are checked all the same. With `--pedantic` also EXECUTE of a string that is put
together when it runs, and statements around template control lines, of which nobody knows what they will be.

```sql,bad,fails
CREATE TABEL orders (id int);
```

```sql,good
CREATE TABLE IF NOT EXISTS orders (id int);
```

## Why

What was not read was not checked, and a linter that says nothing about it looks like one that found nothing. The exit code
is 2 unless `--allow-unchecked` is given.

## Instead

Mend the statement. If the database accepts it, say which dialect the file is in with `--dialect`, or with a comment in its
first lines: `-- idemsql: dialect NAME`.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for step in &context.steps {
        match &step.verb {
            Err(fault) => {
                let words = step.sql.source().split_whitespace().take(2).collect::<Vec<_>>().join(" ");
                let report =
                    Report::at(fault.range.clone(), format!("this statement was not checked: {}", fault.message))
                        .also(
                            step.sql.bytes(0),
                            format!("`{}` begins here", words.chars().take(40).collect::<String>()),
                        )
                        .help(if context.dialect.client.lenient {
                            "mend it or, if the database accepts it, name the dialect: `--dialect NAME`"
                        } else {
                            "mend it; if your database accepts it as it is, please report it"
                        });
                check.report(step, report);
            }
            Ok(Verb::Dynamic) if context.options.pedantic && !step.defined => {
                let report = Report::at(
                    step.sql.range(),
                    "this statement was not checked: its text is put together when it runs",
                )
                .help("check the text that it runs, or write the statement out")
                .severity(Severity::Info);
                check.report(step, report);
            }
            Ok(_) if step.statement.templated && context.options.pedantic => {
                let report = Report::at(
                    step.sql.range(),
                    "this statement was not checked: template control lines stand inside it",
                )
                .help("lint what the template engine makes of it")
                .severity(Severity::Info);
                check.report(step, report);
            }
            Ok(_) => {}
        }
    }
    if let Some(at) = context.script.open {
        let report = Report::at(at..at + 1, "what begins here never ends, so that nothing behind it was checked")
            .help("close the string, the name or the comment");
        check.report_file(report);
    }
}
