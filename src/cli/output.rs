//! What people and programs see: results on stdout, messages on stderr.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::{Style, render};
use anstream::{AutoStream, ColorChoice};
use anyhow::Result;
use clap::builder::styling::{AnsiColor, Style as Paint};
use std::io::{self, Write as _};

/// When to use colours. The values need no words of their own in the help: those of `--color` say all.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Colour {
    Auto,
    Always,
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

    /// A result, byte by byte: an escape character in a user's literal is part of it.
    pub fn print(&mut self, text: &str) -> Result<()> {
        self.stdout.as_inner().write_all(text.as_bytes())?;
        Ok(())
    }

    /// A result for people, whose colours are dropped where they are not wanted.
    pub fn print_styled(&mut self, text: &str) -> Result<()> {
        self.stdout.write_all(text.as_bytes())?;
        Ok(())
    }

    /// Makes sure that every result has left, so that a full disk is noticed.
    pub fn flush(&mut self) -> Result<()> {
        self.stdout.flush()?;
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
        let red = AnsiColor::Red.on_default().bold();
        self.say(&format!("{red}error{red:#}: {fault:#}\n"));
    }
}

/// The text in a style; plain where colours are not wanted.
pub(super) fn paint(style: Paint, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// True when whoever reads our output has gone, as `head` does.
pub(super) fn is_broken_pipe(fault: &anyhow::Error) -> bool {
    let mut io = fault.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io.any(|io| io.kind() == io::ErrorKind::BrokenPipe)
}
