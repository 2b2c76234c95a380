//! `idemsql render`: spec to SQL files, parsed back before a byte is written.

mod check;
mod place;
mod write;

use super::Outcome;
use super::output::Output;
use super::select::Selection;
use crate::render;
use anyhow::Result;
use place::{Place, file_of, header};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Render specs to SQL files, parsed back before a byte is written
///
/// Each table and dialect becomes one file beside its spec, `mart.orders.DIALECT.sql`. Nothing is
/// written when any table has a fault, and a file that is up to date is left alone.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// Write the files into this directory instead of beside their specs
    #[arg(short, long, value_name = "DIR", conflicts_with = "stdout")]
    out: Option<PathBuf>,

    /// Print the SQL instead of writing files
    #[arg(long)]
    stdout: bool,

    /// Write nothing; show as a diff what is stale, name files that no spec makes any more, and exit 1 for either
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
}

/// The files of one run, by path.
type Files = BTreeMap<PathBuf, String>;

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let Some(planned) = arguments.selection.plans(output)? else { return Ok(Outcome::Failed) };
    let mut made = Vec::new();
    let mut faults = Vec::new();
    for one in &planned {
        let place = if arguments.stdout {
            Place::Stdout
        } else {
            Place::File(file_of(one, arguments.out.as_deref(), !arguments.selection.strategies.is_empty()))
        };
        match render::render(&one.plan, &header(one, &place, arguments)) {
            Ok(sql) => made.push((place, one, sql)),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        output.diagnostics(&faults);
        return Ok(Outcome::Failed);
    }
    if arguments.stdout {
        let all: Vec<String> = made.into_iter().map(|(_, _, sql)| sql).collect();
        output.print(&all.join("\n"))?;
        return Ok(Outcome::Fine);
    }
    let mut files = Files::new();
    let mut makers: BTreeMap<String, String> = BTreeMap::new();
    for (place, one, sql) in made {
        let Place::File(path) = place else { continue };
        let maker = format!("`{}` of {}", one.plan.table, one.spec.display());
        // Some file systems take `Orders` and `orders` for one name.
        if let Some(first) = makers.insert(path.to_string_lossy().to_lowercase(), maker.clone()) {
            anyhow::bail!(
                "{first} and {maker} would both be written to {}: rename one, or render them into two directories",
                path.display()
            );
        }
        files.insert(path, sql);
    }
    if arguments.check { check::run(&files, arguments, output) } else { write::run(&files, output) }
}
