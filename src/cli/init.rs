//! `idemsql init`: an example spec, commented, that renders for every dialect.

use super::Outcome;
use super::output::Output;
use super::select::{Dialects, dialect_parser};
use crate::dialect::mechanism::Proof;
use crate::dialect::{self, Dialect};
use anyhow::{Context as _, Result};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;

/// Write a commented example spec
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file to write, which must not be there yet; `-` for stdout
    #[arg(value_name = "FILE", default_value = "spec.yaml")]
    file: PathBuf,

    /// Write the spec for this dialect, or `all`; may be given several times
    #[arg(short, long = "dialect", value_name = "NAME", value_parser = dialect_parser(), hide_possible_values = true)]
    dialects: Vec<Dialects>,
}

/// The example, with the words that the dialects' list fills in.
const EXAMPLE: &str = include_str!("init.yaml");

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let mut dialects: Vec<&Dialect> = Vec::new();
    for dialect in arguments.dialects.iter().flat_map(|given| given.0) {
        if !dialects.iter().any(|known| known.name == dialect.name) {
            dialects.push(dialect);
        }
    }
    if dialects.is_empty() {
        // Whoever has not said which gets those that we know most about.
        dialects = dialect::ALL.iter().copied().filter(|one| matches!(one.proof, Proof::Executed(_))).collect();
    }
    let text = example(&dialects);
    if arguments.file.as_os_str() == "-" {
        output.print(&text)?;
        return Ok(Outcome::Fine);
    }
    let path = arguments.file.display();
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&arguments.file) {
        Err(fault) if fault.kind() == ErrorKind::AlreadyExists => {
            anyhow::bail!(
                "{path} is there already, and is left as it is: give another name, or `-` to print the example"
            )
        }
        opened => opened.with_context(|| format!("cannot write {path}"))?,
    };
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {path}"))?;
    output.say(&format!("{path} written; render it with: idemsql render {path}\n"));
    Ok(Outcome::Fine)
}

/// The example for these dialects.
pub(super) fn example(dialects: &[&Dialect]) -> String {
    let names = |dialects: &[&Dialect]| dialects.iter().map(|dialect| dialect.name).collect::<Vec<_>>().join(", ");
    let all: Vec<String> = dialect::ALL.chunks(8).map(|some| format!("  #   {}", names(some))).collect();
    EXAMPLE.replace("{chosen}", &names(dialects)).replace("{all}", &all.join(",\n"))
}
