//! What a run of the linter as a whole has to say.

use crate::diagnostic::Severity;
use crate::lint::finding::{Checked, Safety};

/// The counts of one run. [`Run::of`] fills in what the files themselves tell; the rest is known to the command alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// How many files were checked.
    pub files: usize,
    /// In how many of them something was found.
    pub files_with_findings: usize,
    /// The files that were not checked, sorted by path.
    pub skipped: Vec<Skipped>,
    /// How many statements were read.
    pub statements: usize,
    /// How many could not be read.
    pub unread: usize,
    /// Findings of each severity.
    pub errors: usize,
    /// Findings of each severity.
    pub warnings: usize,
    /// Findings of each severity.
    pub infos: usize,
    /// Findings that are not shown because they are below the level that was asked for.
    pub hidden: usize,
    /// Findings that a comment in the file suppresses.
    pub suppressed: usize,
    /// Findings that the baseline knows.
    pub known: usize,
    /// Findings that were mended in this run.
    pub fixed: usize,
    /// Shown findings with a safe fix.
    pub fixable: usize,
    /// Shown findings with an unsafe fix.
    pub unsafely_fixable: usize,
}

/// A file that was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its name as the user gave it.
    pub path: String,
    /// Why, as it reads behind "skipped:".
    pub reason: String,
}

impl Run {
    /// Counts what the files tell.
    pub fn of(checked: &[Checked]) -> Self {
        let mut run = Self { files: checked.len(), ..Self::default() };
        for file in checked {
            run.files_with_findings += usize::from(!file.findings.is_empty());
            run.statements += file.statements;
            run.unread += file.unread;
            run.suppressed += file.suppressed;
            run.known += file.known;
            for finding in &file.findings {
                match finding.severity() {
                    Severity::Error => run.errors += 1,
                    Severity::Warning => run.warnings += 1,
                    Severity::Info => run.infos += 1,
                }
                match finding.fix.as_ref().map(|fix| fix.safety) {
                    Some(Safety::Safe) => run.fixable += 1,
                    Some(Safety::Unsafe) => run.unsafely_fixable += 1,
                    None => {}
                }
            }
        }
        run
    }

    /// Findings of every severity.
    pub fn findings(&self) -> usize {
        self.errors + self.warnings + self.infos
    }
}
