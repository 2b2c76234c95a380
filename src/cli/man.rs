//! `idemsql man`: the manual, one page for the program and one for each command.

use super::output::Output;
use super::{Cli, Outcome};
use anyhow::{Context as _, Result};
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use std::fs;
use std::path::PathBuf;

/// Print the manual in the format of man, or write its pages into a directory
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Write one file for each page into this directory
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let pages = pages()?;
    let Some(folder) = &arguments.out else {
        let all: Vec<String> = pages.into_iter().map(|(_, text)| text).collect();
        output.print(&all.join("\n"))?;
        return Ok(Outcome::Fine);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make the directory {}", folder.display()))?;
    for (name, text) in &pages {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    output.say(&format!("{} pages written\n", pages.len()));
    Ok(Outcome::Fine)
}

/// Every page with its file name: `idemsql.1`, `idemsql-render.1`.
fn pages() -> Result<Vec<(String, String)>> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Options that every command has are known to each command only when the whole is built.
    program.build();
    let mut pages = vec![page(program.clone())?];
    for command in program.get_subcommands() {
        let name = format!("idemsql-{}", command.get_name());
        pages.push(page(command.clone().display_name(name))?);
    }
    Ok(pages)
}

fn page(command: Command) -> Result<(String, String)> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let man = Man::new(command).title(name).source(concat!("idemsql ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((man.get_filename(), String::from_utf8(text)?))
}
