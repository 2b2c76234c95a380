//! `idemsql plan`: every decision about a load, and why.

use super::Outcome;
use super::files::{Planned, dialect_argument, plans, strategy_argument};
use super::output::Output;
use crate::dialect::Dialect;
use crate::plan::Plan;
use crate::strategy::Strategy;
use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Show every decision made for a spec, and why
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Spec files, or directories of them; `-` for standard input
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,

    /// Plan for this dialect instead of those of the spec
    #[arg(short, long = "dialect", value_name = "NAME", value_parser = dialect_argument)]
    dialects: Vec<&'static Dialect>,

    /// Plan this strategy instead of the one of the spec
    #[arg(short, long = "strategy", value_name = "NAME", value_parser = strategy_argument)]
    strategies: Vec<&'static Strategy>,

    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs: one JSON array
    Json,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let Some(planned) = plans(&arguments.specs, &arguments.dialects, &arguments.strategies, output)? else {
        return Ok(Outcome::Failed);
    };
    let text = match arguments.format {
        Format::Text => planned.iter().map(|planned| text(&planned.plan)).collect::<Vec<_>>().join("\n"),
        Format::Json => {
            let all: Vec<Value> = planned.iter().map(as_json).collect();
            format!("{}\n", serde_json::to_string_pretty(&all)?)
        }
    };
    output.print(&text)?;
    Ok(Outcome::Fine)
}

/// The plan for people.
fn text(plan: &Plan) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{}: {} for {}", plan.table, plan.strategy.name, plan.dialect.title);
    let width = plan.decisions.iter().map(|decision| decision.topic.len()).max().unwrap_or(0);
    for decision in &plan.decisions {
        let _ = writeln!(out, "  {:width$}  {}", decision.topic, decision.choice);
        let _ = writeln!(out, "  {:width$}  because {}", "", decision.why);
    }
    for need in &plan.needs {
        let _ = writeln!(out, "  {:width$}  {need}", "needs");
    }
    let _ = writeln!(out, "  promises");
    for promise in &plan.promises {
        let given = if promise.given { "yes" } else { "no " };
        let guarantee = promise.guarantee;
        let _ = writeln!(out, "    {} {:8}  {given}  {}", guarantee.code, guarantee.name, promise.because);
    }
    out
}

/// The plan for programs.
fn as_json(planned: &Planned) -> Value {
    let plan = &planned.plan;
    let columns: Vec<Value> = plan
        .columns
        .iter()
        .map(|column| {
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
        })
        .collect();
    json!({
        "spec": planned.spec.to_string_lossy(),
        "table": plan.table,
        "dialect": plan.dialect.name,
        "strategy": plan.strategy.name,
        "form": format!("{:?}", plan.form),
        "columns": columns,
        "decisions": plan.decisions.iter().map(|d| json!({"topic": d.topic, "choice": d.choice, "why": d.why})).collect::<Vec<_>>(),
        "needs": plan.needs,
        "promises": plan.promises.iter().map(|p| json!({
            "guarantee": p.guarantee.code, "name": p.guarantee.name, "promised": p.given, "because": p.because,
        })).collect::<Vec<_>>(),
    })
}
