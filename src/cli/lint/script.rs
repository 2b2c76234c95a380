//! One script on its way through a run: read, linted, and mended where that is asked for.

use super::Arguments;
use super::baseline::{self, Entries};
use super::config::Config;
use super::dbt::Projects;
use super::fixing::mend;
use super::parallel::guarded;
use super::text::{Form, Text};
use super::walk::problem;
use crate::cli::files::STDIN;
use crate::diagnostic::{Diagnostic, Source};
use crate::lint::finding::{Checked, Finding, Safety};
use crate::lint::known::Known;
use crate::lint::options::Options;
use crate::lint::{self, Parsed};
use anyhow::{Context as _, Result};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A script that was read.
pub(super) struct Script {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// How its text stands in the file.
    pub form: Form,
    /// Its name and text.
    pub source: Arc<Source>,
    /// The settings for it.
    pub options: Options,
    /// What the baseline knows of it.
    pub entries: Entries,
}

/// A script that was linted.
pub(super) struct Done {
    /// What is said of it, as it is now.
    pub checked: Checked,
    /// How many fixes were made.
    pub applied: usize,
    /// A fix that did harm and was taken back.
    pub undone: Option<String>,
    /// What the baseline knows and the script no longer has.
    pub stale: Entries,
}

impl Script {
    /// Reads a file, or standard input, which may go by another name.
    pub fn read(path: &Path, config: &Config, projects: &Projects, arguments: &Arguments) -> Result<Self> {
        let is_stdin = path.as_os_str() == STDIN;
        let seen = arguments.seen(path);
        let name = if seen.as_os_str() == STDIN { "<stdin>".to_owned() } else { seen.to_string_lossy().into_owned() };
        let mut options = config.profile.options(&config.root.path(seen), &arguments.given());
        let text = if is_stdin {
            Text::decode(std::io::stdin(), &name, options.dialect).context("cannot read standard input")?
        } else {
            Text::read(path, options.dialect)?
        };
        options.dbt = projects.of(seen, &text.text);
        let source = Arc::new(Source::of(name, text.text, text.form.origin.clone()));
        Ok(Self { path: path.to_owned(), form: text.form, source, options, entries: Entries::new() })
    }

    /// The path by which settings and baselines know it.
    pub fn seen<'a>(&'a self, arguments: &'a Arguments) -> &'a Path {
        arguments.seen(&self.path)
    }

    /// Takes it apart. A panic is our bug, and must not cost what is found in other files.
    pub fn parse(&self) -> Result<Parsed<'_>, Diagnostic> {
        guarded(|| lint::parse(&self.source, &self.options)).map_err(|said| broke(&self.source.name, &said))
    }

    /// Lints it, as it was taken apart.
    pub fn lint(&self, parsed: &Parsed<'_>, known: &Known, arguments: &Arguments) -> Result<Done, Diagnostic> {
        guarded(|| {
            let stale = RefCell::new(Entries::new());
            let known_to = |checked: Checked| {
                let (checked, left) = baseline::take(checked, self.entries.clone());
                stale.replace(left);
                checked
            };
            let lint = |source: &Arc<Source>| known_to(lint::lint(source, &self.options, known));
            let checked = known_to(parsed.judge(&self.options, known));
            // What was left out of a large script cannot be written back by text.
            let whole = self.form.origin.elided.is_empty();
            let (checked, applied, undone) = if arguments.mends() && whole {
                let show = arguments.show();
                let wanted = |finding: &Finding| {
                    let safe = finding.fix.as_ref().is_some_and(|fix| fix.safety == Safety::Safe);
                    finding.severity() >= show && (safe || arguments.unsafe_fixes)
                };
                let mended = mend(checked, wanted, lint);
                (mended.checked, mended.applied, mended.undone)
            } else {
                (checked, 0, None)
            };
            Done { checked, applied, undone, stale: stale.into_inner() }
        })
        .map_err(|said| broke(&self.source.name, &said))
    }
}

/// What to say of a script that broke the linter.
pub(super) fn broke(name: &str, said: &str) -> Diagnostic {
    let fault = problem(&format!("{name} was not checked, because the linter broke: {said}"));
    fault.help("this is our bug: please report it with the file")
}
