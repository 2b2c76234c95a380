//! `idemsql plan`: every decision about a load, and why.

use super::Outcome;
use super::output::{Output, paint};
use super::select::{Planned, Selection};
use crate::plan::Plan;
use crate::render::template_of;
use anyhow::Result;
use clap::builder::styling::{AnsiColor, Effects, Style};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Show every decision made for a spec, and why
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// How to print it: for people, or one JSON array for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let Some(planned) = arguments.selection.plans(output)? else { return Ok(Outcome::Failed) };
    match arguments.format {
        Format::Text => {
            let all: Vec<String> = planned.iter().map(|planned| text(&planned.plan)).collect();
            output.print_styled(&all.join("\n"))?;
        }
        Format::Json => {
            let all: Vec<Value> = planned.iter().map(as_json).collect();
            output.print(&format!("{}\n", serde_json::to_string_pretty(&all)?))?;
        }
    }
    Ok(Outcome::Fine)
}

/// The width at which reasons are wrapped. SQL and names are left in one piece.
const WIDTH: usize = 100;

/// The plan for people.
fn text(plan: &Plan) -> String {
    let bold = Style::new().effects(Effects::BOLD);
    let dim = Style::new().effects(Effects::DIMMED);
    let mut out = String::new();
    // Writing to a String cannot fail.
    let title = format!("{}: {} for {}", plan.table, plan.strategy.name, plan.dialect.title);
    let _ = writeln!(out, "{}\n", paint(bold, &title));
    let topics = plan.decisions.iter().map(|decision| decision.topic.chars().count());
    let width = topics.max().unwrap_or(0).max("needs".len());
    for decision in &plan.decisions {
        let _ = writeln!(out, "  {:width$}  {}", decision.topic, decision.choice);
        for line in wrapped(&decision.why, WIDTH.saturating_sub(width + 4)) {
            let _ = writeln!(out, "  {:width$}  {}", "", paint(dim, &line));
        }
    }
    for need in &plan.needs {
        let _ = writeln!(out, "  {:width$}  {need}", "needs");
    }
    let _ = writeln!(out, "\n  promises");
    for promise in &plan.promises {
        let (word, colour) = if promise.given { ("yes", AnsiColor::Green) } else { ("no ", AnsiColor::Yellow) };
        let guarantee = promise.guarantee;
        let mut lines = wrapped(&promise.because, WIDTH - 21).into_iter();
        let first = lines.next().unwrap_or_default();
        let word = paint(colour.on_default(), word);
        let _ = writeln!(out, "    {} {:8}  {word}  {first}", guarantee.code, guarantee.name);
        for line in lines {
            let _ = writeln!(out, "{:21}{line}", "");
        }
    }
    out
}

/// The words of a text in lines of at most `width` characters; a longer word has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The plan for programs. Keys are only ever added; `docs/plan.md` describes them.
fn as_json(planned: &Planned) -> Value {
    let plan = &planned.plan;
    let columns = plan.columns.iter().map(|column| {
        json!({
            "name": column.name,
            "sql": column.sql,
            "type": (plan.dialect.type_name)(&column.ty),
            "nullable": column.nullable,
            "key": column.key,
            "version": column.version,
            "compared": column.is_compared(),
            "updated": column.is_updated(),
            "written": column.is_written(),
        })
    });
    let decisions = plan
        .decisions
        .iter()
        .map(|decision| json!({"topic": decision.topic, "choice": decision.choice, "why": decision.why}));
    let promises = plan.promises.iter().map(|promise| {
        json!({
            "guarantee": promise.guarantee.code,
            "name": promise.guarantee.name,
            "promised": promise.given,
            "because": promise.because,
        })
    });
    json!({
        "spec": planned.spec.to_string_lossy(),
        "table": plan.table,
        "dialect": plan.dialect.name,
        "strategy": plan.strategy.name,
        "form": template_of(plan.form).trim_end_matches(".sql"),
        "columns": columns.collect::<Vec<_>>(),
        "decisions": decisions.collect::<Vec<_>>(),
        "needs": plan.needs,
        "promises": promises.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn reasons_are_wrapped_at_words() {
        assert_eq!(wrapped("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrapped("enormous a", 3), ["enormous", "a"]);
    }
}
