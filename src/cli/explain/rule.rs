//! The pages of the linter's rules.

use super::table;
use crate::diagnostic::{Source, Style, render};
use crate::dialect;
use crate::lint::known::Known;
use crate::lint::lint;
use crate::lint::options::Options;
use crate::lint::policy::Policy;
use crate::lint::rule::{Class, Example, Rule, examples};
use crate::lint::rules::ALL;
use std::fmt::Write as _;
use std::sync::Arc;

/// The page of one rule, with what the linter says of each bad example.
pub(super) fn page(rule: &'static Rule) -> String {
    let Rule { code, name, severity, summary, docs, class, .. } = rule;
    let elsewhere = match class {
        Class::Data => "information in a file that is run once",
        Class::Definition => {
            "information where nothing says that the file is run again, silent in one that is run once"
        }
        Class::Script => "the same in every file",
    };
    let mut out = format!("# {code} {name}\n\nFinds: {summary}. Severity: {}; {elsewhere}.\n\n", severity.name());
    let mut rest = docs.trim_end();
    for example in examples(docs) {
        let Some(at) = rest.find(example.sql) else { continue };
        let end = at + example.sql.len() + 3;
        out.push_str(&plain_fence(&rest[..end.min(rest.len())], &example));
        rest = rest.get(end..).unwrap_or("");
        if example.bad {
            // Writing to a String cannot fail.
            let _ = write!(out, "\n\n```text\n{}```", said(rule, &example));
        }
    }
    out.push_str(rest);
    let _ =
        writeln!(out, "\n\nTo allow it for one statement, write in front of it: `-- idemsql: allow {name} -- reason`");
    out
}

/// The text up to an example, with plain words in the place of those behind `sql` in its fence.
fn plain_fence(text: &str, example: &Example<'_>) -> String {
    let Some((before, behind)) = text.rsplit_once("```sql,") else { return text.to_owned() };
    let body = behind.split_once('\n').map_or("", |(_, body)| body);
    let mut about = Vec::new();
    about.extend(example.dialect.map(|name| format!("in `{name}`")));
    about.extend(example.file.map(|path| format!("in the file `{path}`")));
    about.extend(example.policy.map(|policy| format!("in a file with `policy: {policy}`")));
    let about = if about.is_empty() { String::new() } else { format!("The same {}:\n\n", about.join(", ")) };
    format!("{before}{}```sql\n{body}", about.replacen("The same in", "In", 1))
}

/// What the linter says of an example.
fn said(rule: &'static Rule, example: &Example<'_>) -> String {
    let options = Options {
        dialect: Some(example.dialect.and_then(dialect::find).unwrap_or(dialect::REFERENCE)),
        policy: example.policy.map(|policy| if policy == "once" { Policy::Once } else { Policy::Rerun }),
        ..Options::usual([rule])
    };
    let source = Arc::new(Source::new(example.file.unwrap_or("example.sql"), example.sql));
    let found = lint(&source, &options, &Known::default()).findings;
    let own: Vec<_> = found.into_iter().filter(|one| one.rule.code == rule.code).map(|one| one.diagnostic).collect();
    render(&own, Style::Plain)
}

/// The table of all rules.
pub(super) fn overview() -> String {
    let rows = ALL.iter().map(|rule| {
        [rule.code.to_owned(), format!("`{}`", rule.name), rule.severity.name().to_owned(), rule.summary.to_owned()]
    });
    let mut out = "# Rules\n\nWhat `idemsql lint` looks for. ".to_owned();
    out.push_str(
        "An error leaves wrong data when the script runs a second time, a warning fails, works by luck or rewrites what \
         did not change, and an info is worth knowing. The severity is that in a file of which nothing is known; a file \
         that is run once, or again, may change it.\n\n",
    );
    out.push_str(&table(["code", "name", "severity", "what it finds"], rows));
    out
}
