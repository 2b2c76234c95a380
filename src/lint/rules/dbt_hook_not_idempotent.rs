//! IDM704.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::dbt::Command;
use crate::lint::finding::Finding;
use crate::lint::rule::{Class, Rule};
use std::ops::Range;

pub(super) static RULE: Rule = Rule {
    code: "IDM704",
    name: "dbt-hook-not-idempotent",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "a command before or behind a dbt model, or around a run, does its work once more in each run",
    setup: "",
    docs: "\
## What it finds

A `pre_hook` or `post_hook` in which another rule about data finds something, and a command of `on-run-start` or `on-run-end` in
which a rule about data or definitions does:

```jinja,bad,adds
{{ config(materialized='table', post_hook=\"insert into audit (model) values ('payments')\") }}
select id, amount from {{ ref('payments') }}
```

```jinja,good
{{ config(materialized='table', post_hook=\"create index if not exists payments_id on {{ this }} (id)\") }}
select id, amount from {{ ref('payments') }}
```

Hooks count wherever they stand, and are judged there: in `config`, in `dbt_project.yml`, in a properties file. A hook with Jinja
that only dbt can follow is left alone, and so is one that changes `{{ this }}` of a model that each run makes anew. A log to which
each run may add is named in the settings: `append_only: [audit]`.

## Why

A hook is run with every run of its model, and again when somebody runs the model again because the last run failed.

## Instead

Write what may be run again: a row with a key and a guard, a value in place of a sum.
",
    check,
};

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for commands in &context.commands {
        for (command, finding, place) in commands.findings(context.dialect, context.options) {
            if finding.severity() >= Severity::Warning {
                check.report_file(report(command, finding, place));
            }
        }
    }
}

fn report(command: &Command, finding: Finding, place: Range<usize>) -> Report {
    let this = command.this.as_deref().unwrap_or("this");
    let named = |text: &str| text.replace("{{ this }}", this).replace("{{this}}", this);
    let message = named(&finding.diagnostic.message);
    let said = format!("the `{}` of `{}` is no command to run twice: {message}", command.setting, command.of);
    Report::at(place, said)
        .label(format!("{} ({})", finding.rule.name, finding.rule.code))
        .help(named(&finding.diagnostic.help.unwrap_or_default()))
        .around(command.place.clone())
}
