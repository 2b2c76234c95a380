//! What people and programs see: results on stdout, messages on stderr.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::{Style, render};
use anstream::{AutoStream, ColorChoice};
use anyhow::Result;
use std::io::{self, Write as _};

/// When to use colours.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The two streams.
pub(super) struct Output {
    stdout: AutoStream<io::Stdout>,
    stderr: AutoStream<io::Stderr>,
}

impl Output {
    pub fn new(colour: Colour) -> Self {
        let choice = |auto| match colour {
            Colour::Auto => auto,
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        };
        Self {
            stdout: AutoStream::new(io::stdout(), choice(AutoStream::choice(&io::stdout()))),
            stderr: AutoStream::new(io::stderr(), choice(AutoStream::choice(&io::stderr()))),
        }
    }

    /// A result.
    pub fn print(&mut self, text: &str) -> Result<()> {
        self.stdout.write_all(text.as_bytes())?;
        Ok(())
    }

    /// A message for people.
    pub fn say(&mut self, text: &str) {
        // Nobody is left to tell when stderr is gone.
        let _ = self.stderr.write_all(text.as_bytes());
    }

    /// Everything that a user may have caused.
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        self.say(&render(diagnostics, Style::Colour));
    }

    /// What the world did.
    pub fn error(&mut self, fault: &anyhow::Error) {
        let red = clap::builder::styling::AnsiColor::Red.on_default().bold();
        self.say(&format!("{red}error{red:#}: {fault:#}\n"));
    }
}

/// True when whoever reads our output has gone, as `head` does.
pub(super) fn is_broken_pipe(fault: &anyhow::Error) -> bool {
    let io = fault.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io.into_iter().any(|io| io.kind() == io::ErrorKind::BrokenPipe)
}
