//! `idemsql completions`: what a shell needs to complete our commands.

use super::output::Output;
use super::{Cli, Outcome};
use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::Shell;

/// Print the completions for a shell
///
/// For bash: idemsql completions bash > ~/.local/share/bash-completion/completions/idemsql
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "idemsql", &mut text);
    output.print(&String::from_utf8(text)?)?;
    Ok(Outcome::Fine)
}
