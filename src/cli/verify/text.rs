//! What was found, for people: a line for each guarantee, and the smallest rows that break one.

use super::Report;
use crate::cli::output::paint;
use crate::verify::{Judgement, Outcome, Ran, Trial, Verdict};
use clap::builder::styling::AnsiColor;
use std::fmt::Write as _;

/// One load.
pub(super) fn report(report: &Report, verbose: bool) -> String {
    let mut out = String::new();
    let name = report.strategy.unwrap_or("the SQL that was given");
    let found = match &report.found {
        Err(why) => return format!("\n{name}: not run, {why}\n"),
        Ok(found) => found,
    };
    // Writing to a String cannot fail.
    let own = if report.own && report.strategy.is_some() { " (the spec's own)" } else { "" };
    let _ = writeln!(out, "\n{name}{own}");
    for note in &report.notes {
        let _ = writeln!(out, "  {note}");
    }
    if verbose {
        out.push_str(&batches(found));
    }
    for verdict in &found.verdicts {
        let _ = writeln!(out, "  {}", line(verdict, found.ran));
    }
    let _ = writeln!(out, "  in {:.1} s", report.took.as_secs_f64());
    let broken = found.verdicts.iter().filter_map(|verdict| match &verdict.outcome {
        Outcome::Broken { fault, scenario } => Some((verdict, fault, scenario)),
        _ => None,
    });
    for (at, (verdict, fault, scenario)) in broken.enumerate() {
        let guarantee = verdict.guarantee;
        let title =
            paint(AnsiColor::Red.on_default().bold(), &format!("{} {} is broken", guarantee.code, guarantee.name));
        let _ = writeln!(out, "\n  {title}: {}", guarantee.says);
        let _ = writeln!(out, "    found with `{}`: {}", scenario.name, fault.steps);
        for line in fault.found.lines() {
            let _ = writeln!(out, "    {line}");
        }
        // Statements by name have no rows to write down: the steps say it all.
        if let Some(file) = report.artifacts.get(at) {
            let _ = writeln!(out, "    the rows:  {}", file.with_extension("sql").display());
            let _ = writeln!(out, "    try again: idemsql verify --replay {}", file.display());
        }
    }
    out
}

/// One guarantee.
fn line(verdict: &Verdict, ran: Ran) -> String {
    let guarantee = verdict.guarantee;
    let (word, style, says) = match &verdict.outcome {
        Outcome::Held => ("held", AnsiColor::Green, counts(verdict, ran)),
        Outcome::Broken { .. } => ("BROKEN", AnsiColor::Red, guarantee.says.to_owned()),
        Outcome::NotPromised(why) => ("not promised", AnsiColor::Yellow, why.clone()),
        Outcome::NotRun(why) => ("not run", AnsiColor::Yellow, why.clone()),
    };
    let word = paint(style.on_default(), &format!("{word:12}"));
    format!("{} {:8}  {word}  {says}", guarantee.code, guarantee.name)
}

/// What was tried.
fn counts(verdict: &Verdict, ran: Ran) -> String {
    let some = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let scenarios = some(verdict.scenarios, "scenario", "scenarios");
    if ran == Ran::Statements {
        return format!("{scenarios}, {}", some(verdict.loads, "statement", "statements"));
    }
    let mut text = format!(
        "{scenarios}, {}, {}",
        some(verdict.loads, "load", "loads"),
        some(verdict.rows, "staged row", "staged rows")
    );
    if verdict.guarantee.name == "crash" {
        let _ = write!(text, ", {} killed in a statement", verdict.killed_inside);
    }
    text
}

/// A line for each batch: what its first run did, and the runs behind it.
fn batches(found: &Judgement) -> String {
    let mut out = format!(
        "  {:54} {:>8} {:>8} {:>8} {:>9}   again\n",
        "first run of each batch", "inserted", "updated", "deleted", "unchanged"
    );
    out.extend(found.trials.iter().map(lines));
    out
}

fn lines(trial: &Trial) -> String {
    let mut out = String::new();
    for (number, load) in trial.loads.iter().enumerate() {
        let Some((first, again)) = load.runs.split_first() else { continue };
        let batch = format!(", batch {}", number + 1);
        let name = format!("{}{}", trial.scenario, if trial.loads.len() > 1 { &batch } else { "" });
        let changed: usize = again.iter().map(|run| run.inserted + run.updated + run.deleted).sum();
        let again = match (changed, again.iter().all(|run| run.is_quiet)) {
            (0, true) => "no change, no write".to_owned(),
            (0, false) => "no change, but it wrote".to_owned(),
            (changed, _) => format!("{changed} rows changed"),
        };
        let _ = writeln!(
            out,
            "  {name:54} {:>8} {:>8} {:>8} {:>9}   {again}",
            first.inserted, first.updated, first.deleted, first.unchanged
        );
    }
    out
}
