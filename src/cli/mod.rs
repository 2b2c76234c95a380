//! The command line: one file per command. The only place with files, stdout, environment and exit codes.

mod completions;
mod explain;
mod files;
mod import;
mod init;
mod lint;
mod man;
mod output;
mod plan;
mod render;
mod report;
mod schema;
mod select;
mod verify;

use anyhow::Result;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use output::Output;
use std::process::ExitCode;

/// Write the table spec once; get load SQL that you can run twice
#[derive(Debug, Parser)]
#[command(name = "idemsql", version, max_term_width = 100, arg_required_else_help = true, after_help = AFTER)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colours; `auto` is on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = output::Colour::Auto)]
    color: output::Colour,
}

/// What stands below the list of commands.
const AFTER: &str = "\
Begin with:
  idemsql init spec.yaml      write an example spec
  idemsql render spec.yaml    write its SQL beside it
  idemsql lint                say what running your SQL again would do

Results go to stdout, messages to stderr. The exit code is 0 when all is well, 1 when the command
found something (SQL is stale, a promise is broken), and 2 when it could not do its work.";

#[derive(Debug, Subcommand)]
enum Command {
    Render(render::Arguments),
    Plan(plan::Arguments),
    Verify(verify::Arguments),
    Lint(Box<lint::Arguments>),
    Explain(explain::Arguments),
    Import(import::Arguments),
    Init(init::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// What a command found, as the exit code tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing to complain about.
    Fine,
    /// The command did its work and found something: stale SQL, a broken guarantee.
    Findings,
    /// The command could not do its work; the reasons are printed.
    Failed,
}

/// The whole program: reads the arguments, runs the command, gives the exit code.
pub fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(fault) => fault.exit(),
    };
    let mut output = Output::new(cli.color);
    let ran = run(&cli.command, &mut output).and_then(|outcome| output.flush().map(|()| outcome));
    match ran {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::Failed) => ExitCode::from(2),
        Err(fault) if output::is_broken_pipe(&fault) => ExitCode::SUCCESS,
        Err(fault) => {
            output.error(&fault);
            ExitCode::from(2)
        }
    }
}

fn run(command: &Command, output: &mut Output) -> Result<Outcome> {
    match command {
        Command::Render(arguments) => render::run(arguments, output),
        Command::Plan(arguments) => plan::run(arguments, output),
        Command::Verify(arguments) => verify::run(arguments, output),
        Command::Lint(arguments) => lint::run(arguments, output),
        Command::Explain(arguments) => explain::run(arguments, output),
        Command::Import(arguments) => import::run(arguments, output),
        Command::Init(arguments) => init::run(arguments, output),
        Command::Schema(arguments) => schema::run(arguments, output),
        Command::Completions(arguments) => completions::run(arguments, output),
        Command::Man(arguments) => man::run(arguments, output),
    }
}
