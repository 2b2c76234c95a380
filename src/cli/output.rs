//! What people and programs see: results on stdout, messages on stderr.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::{Style, render};
use anstream::{AutoStream, ColorChoice};
use anyhow::Result;
use clap::builder::styling::{AnsiColor, Style as Paint};
use similar::TextDiff;
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

/// The unified diff of two texts, in the colours that people know.
pub(super) fn diff(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let diff = diff.unified_diff().context_radius(3).header(old_name, new_name).to_string();
    let line = |line: &str| {
        let style = match line.as_bytes().first() {
            Some(b'+') => AnsiColor::Green.on_default(),
            Some(b'-') => AnsiColor::Red.on_default(),
            Some(b'@') => AnsiColor::Cyan.on_default(),
            _ => return line.to_owned(),
        };
        match line.strip_suffix('\n') {
            Some(text) => paint(style, text) + "\n",
            None => paint(style, line),
        }
    };
    diff.split_inclusive('\n').map(line).collect()
}

/// True when whoever reads our output has gone, as `head` does.
pub(super) fn is_broken_pipe(fault: &anyhow::Error) -> bool {
    let mut io = fault.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io.any(|io| io.kind() == io::ErrorKind::BrokenPipe)
}
