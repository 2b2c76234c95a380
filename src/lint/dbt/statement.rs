//! The statement that an incremental run makes of a model, judged by the rules for plain SQL.

use super::compile::THIS;
use super::{Model, Strategy};
use crate::diagnostic::Source;
use crate::dialect::Dialect;
use crate::lint::check::Check;
use crate::lint::context::Context;
use crate::lint::finding::Finding;
use crate::lint::known::Known;
use crate::lint::options::Options;
use crate::lint::policy::{Policy, Runner};
use crate::lint::rules::KEYLESS;
use crate::lint::wording;
use crate::sql::script::Script;
use std::ops::Range;
use std::sync::Arc;

/// The rules that say something of such a statement that its author can mend in the model.
const RULES: &[&str] = &["IDM107", "IDM109", "IDM302", "IDM404", "IDM601"];

/// The rule about keys that come twice. It argues from what it does not see, and so it needs to see everything.
const TWICE: &str = "IDM302";

/// The findings about the statement, with their places in the model.
pub fn findings(
    model: &Model,
    source: &Arc<Source>,
    dialect: &'static Dialect,
    options: &Options,
    known: &Known,
) -> Vec<Finding> {
    let Some(select) = model.select.as_ref().filter(|_| model.is_incremental()) else { return Vec::new() };
    let Some((before, behind)) = around(model) else { return Vec::new() };
    let text = format!("{before}{}{behind}", without_end(&select.text));
    let made = Arc::new(Source::new(source.name.clone(), text));
    let script = Script::read(&made.text, dialect);
    let runner = Runner { policy: Policy::Rerun, ..Runner::unknown() };
    let context = Context::new(&made, &script, dialect, runner, options, known);
    let mut all = Vec::new();
    for (rule, severity) in options.rules.iter().filter(|(rule, _)| RULES.contains(&rule.code)) {
        if rule.code == TWICE && select.has_unknown {
            continue;
        }
        let mut check = Check::new(rule, *severity, &context);
        (rule.check)(&mut check);
        all.extend(check.finish());
    }
    // Of a model without a key its own rule says it of all rows.
    if model.is_keyed() == Some(false) && options.rules.iter().any(|(rule, _)| rule.code == KEYLESS) {
        all.retain(|finding| !finding.doubles);
    }
    let places = Places { before: before.len(), length: source.text.len(), call: model.config.place.clone() };
    all.into_iter().map(|finding| placed(finding, &places, model, dialect)).collect()
}

/// What stands around the SELECT; `None` when nobody can tell which statement it is.
fn around(model: &Model) -> Option<(String, String)> {
    let key = model.config.texts("unique_key").ok()?;
    let strategy = match model.strategy() {
        // What most adapters do, and no rule asks for more, where the adapter is not known.
        Strategy::Unknown if model.config.text("incremental_strategy").is_ok() => {
            if key.is_empty() { "append" } else { "delete+insert" }.to_owned()
        }
        Strategy::Unknown => return None,
        known => known.name()?.to_owned(),
    };
    let merge = strategy == "merge";
    match strategy.as_str() {
        "append" => Some((format!("INSERT INTO {THIS}\n"), "\n;".to_owned())),
        "merge" | "delete+insert" | "delete_insert" if !key.is_empty() => {
            let same: Vec<String> = key.iter().map(|column| format!("s.{column} = d.{column}")).collect();
            let update = if merge { "WHEN MATCHED THEN UPDATE SET idemsql_any = s.idemsql_any " } else { "" };
            let behind = format!(
                "\n) AS s ON {} {update}WHEN NOT MATCHED THEN INSERT ({}) VALUES ({})\n;",
                same.join(" AND "),
                key.join(", "),
                key.iter().map(|column| format!("s.{column}")).collect::<Vec<_>>().join(", ")
            );
            Some((format!("MERGE INTO {THIS} AS d USING (\n"), behind))
        }
        _ => None,
    }
}

/// The text without a semicolon at its end, which dbt does not read either, and as long.
fn without_end(text: &str) -> String {
    match text.trim_end().strip_suffix(';') {
        Some(rest) => format!("{rest} {}", &text[rest.len() + 1..]),
        None => text.to_owned(),
    }
}

/// Where the statement stands in the model.
struct Places {
    before: usize,
    length: usize,
    call: Range<usize>,
}

impl Places {
    /// A place of the statement in the model: what dbt makes is the call of `config`.
    fn of(&self, range: &Range<usize>) -> Range<usize> {
        let inside = range.start >= self.before && range.end <= self.before + self.length;
        if inside { range.start - self.before..range.end - self.before } else { self.call.clone() }
    }
}

/// The finding as the model's author reads it.
fn placed(mut finding: Finding, places: &Places, model: &Model, dialect: &'static Dialect) -> Finding {
    let all = finding.diagnostic.labels.iter().map(|label| places.of(&label.span));
    let mut spans: Vec<Range<usize>> = all.collect();
    // All of the SELECT is no place to look at.
    if let Some(first) = spans.first_mut()
        && finding.rule.code == TWICE
    {
        *first = model.config.place_of("unique_key");
    }
    let named = |text: &str| text.replace(THIS, &model.name);
    for (label, span) in finding.diagnostic.labels.iter_mut().zip(spans) {
        label.span = span;
        label.text = named(&label.text);
    }
    finding.diagnostic.message = named(&finding.diagnostic.message);
    finding.statement = finding.span();
    finding.more.clear();
    finding.fix = None;
    let key = model.config.texts("unique_key").unwrap_or_default().join(", ");
    let help = match finding.rule.code {
        TWICE => Some(format!("keep one row of each key in the model: {}", wording::one_row(dialect, &key))),
        _ if key.is_empty() && finding.doubles => {
            Some("set `unique_key`, so that a row that is there is replaced and not added again".to_owned())
        }
        _ => None,
    };
    if let Some(help) = help {
        finding.diagnostic.help = Some(help);
    }
    finding.diagnostic.help = finding.diagnostic.help.map(|help| named(&help));
    finding
}
