//! `idemsql lint`: what running a script a second time would do.

mod baseline;
mod config;
mod dbt;
mod fixing;
mod gather;
mod globs;
mod parallel;
mod place;
mod profile;
mod run;
mod script;
mod specs;
mod statistics;
pub(super) mod summary;
mod text;
mod walk;

pub(super) use self::run::run;

use super::report::{self, Format};
use super::select::one_dialect_parser;
use crate::cli::files::STDIN;
use crate::diagnostic::Severity;
use crate::dialect::Dialect;
use crate::lint::policy::Policy;
use crate::lint::rules;
use crate::lint::selector::select;
pub(super) use config::settings_near;
use profile::{Given, Named};
use std::path::{Path, PathBuf};

/// Say what running SQL scripts a second time would do
///
/// Folders are walked as ripgrep does: hidden files and those that git ignores are left out. Rules are named by code
/// (IDM101), by name, or by the beginning of a code (IDM5); `idemsql explain rules` lists them. Settings are read from
/// idemsql.yaml, in this folder or one above it in the repository.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// SQL files, or directories of them; `-` for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,

    /// The file name that standard input stands for, in messages and for settings by path
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    stdin_filename: Option<PathBuf>,

    /// Leave out files and directories that match; may be given several times
    #[arg(long, value_name = "GLOB", help_heading = "Input")]
    exclude: Vec<String>,

    /// Read files that git ignores too
    #[arg(long, help_heading = "Input")]
    no_gitignore: bool,

    /// The dialect of all files, instead of the one that settings, path and text tell
    #[arg(
        short, long, value_name = "NAME", value_parser = one_dialect_parser(), hide_possible_values = true,
        help_heading = "Input"
    )]
    dialect: Option<&'static Dialect>,

    /// How often all files are run: `once` by a runner that remembers, or again (`rerun`)
    #[arg(long, value_name = "POLICY", value_enum, hide_possible_values = true, help_heading = "Input")]
    policy: Option<Runs>,

    /// An SQL file that defines tables, so that their keys are known; may be given several times
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    schema: Vec<PathBuf>,

    /// A spec file, or a directory of them, so that the keys of its tables are known; may be given several times
    #[arg(long = "spec", value_name = "FILE", help_heading = "Input")]
    specs: Vec<PathBuf>,

    /// Read these settings instead of idemsql.yaml
    #[arg(long, value_name = "FILE", conflicts_with = "no_config", help_heading = "Input")]
    config: Option<PathBuf>,

    /// Read no settings
    #[arg(long, help_heading = "Input")]
    no_config: bool,

    /// Use only these rules, whatever the settings turn on and off for all files; several with commas
    #[arg(long, value_name = "RULE", value_parser = rule, value_delimiter = ',', help_heading = "Rules")]
    select: Vec<Named>,

    /// Do not use these rules; several with commas
    #[arg(long, value_name = "RULE", value_parser = rule, value_delimiter = ',', help_heading = "Rules")]
    ignore: Vec<Named>,

    /// Give a rule another severity: error, warning or info; several with commas
    #[arg(long, value_name = "RULE=LEVEL", value_parser = severity, value_delimiter = ',', help_heading = "Rules")]
    severity: Vec<(Named, Severity)>,

    /// Also say what could not be known
    #[arg(long, help_heading = "Rules")]
    pedantic: bool,

    /// A file of findings that are known, and left out
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    baseline: Option<PathBuf>,

    /// Write all findings into a baseline file, and exit 0
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fix", "unsafe_fixes", "diff"], help_heading = "Rules")]
    write_baseline: Option<PathBuf>,

    /// Mend what can be mended without a change of meaning, and show the rest
    #[arg(long, help_heading = "Fixes")]
    fix: bool,

    /// With --fix and --diff: also make fixes that may change what the first run does
    #[arg(long, help_heading = "Fixes")]
    unsafe_fixes: bool,

    /// Write nothing; show what --fix would do as a diff, and exit 1 if that is anything
    #[arg(long, help_heading = "Fixes")]
    diff: bool,

    /// How to write the findings
    #[arg(long, value_name = "FORMAT", value_parser = report::values(), default_value = "full", help_heading = "Output")]
    format: &'static Format,

    /// Write the findings into this file instead of to stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// The lowest severity that is shown [default: info for json, jsonl, sarif and rdjson, else warning]
    #[arg(long, value_name = "LEVEL", value_enum, hide_possible_values = true, help_heading = "Output")]
    show: Option<Level>,

    /// Count the findings of each rule instead of showing them
    #[arg(long, help_heading = "Output")]
    statistics: bool,

    /// Write no summary
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// The lowest severity that makes the exit code 1: error, warning, info or never [default: error]
    #[arg(long, value_name = "LEVEL", value_enum, hide_possible_values = true, help_heading = "Exit code")]
    fail_on: Option<FailOn>,

    /// Do not exit 2 because something could not be read
    #[arg(long, help_heading = "Exit code")]
    allow_unchecked: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Runs {
    Once,
    Rerun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Level {
    Error,
    Warning,
    Info,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

impl Level {
    fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Info => Severity::Info,
        }
    }
}

impl FailOn {
    fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Info => Some(Severity::Info),
            Self::Never => None,
        }
    }
}

impl Arguments {
    /// The path by which settings, baselines and projects know a file: standard input may go by another name.
    fn seen<'a>(&'a self, path: &'a Path) -> &'a Path {
        let named = self.stdin_filename.as_deref().filter(|_| path.as_os_str() == STDIN);
        named.unwrap_or(path)
    }

    /// What is said of all files.
    fn given(&self) -> Given {
        Given {
            dialect: self.dialect,
            policy: self.policy.map(|runs| match runs {
                Runs::Once => Policy::Once,
                Runs::Rerun => Policy::Rerun,
            }),
            select: self.select.clone(),
            ignore: self.ignore.clone(),
            severity: self.severity.clone(),
            pedantic: self.pedantic,
        }
    }

    /// The lowest severity that is shown. Programs get all and choose for themselves.
    fn show(&self) -> Severity {
        let usual = if self.format.whole { Severity::Info } else { Severity::Warning };
        self.show.map_or(usual, Level::severity)
    }

    /// True when fixes are made, or shown.
    fn mends(&self) -> bool {
        self.fix || self.diff
    }
}

/// Reads a word that names rules.
fn rule(word: &str) -> Result<Named, String> {
    select(word, rules::ALL).map(Named).map_err(|unknown| format!("`{word}` is not a rule; {}", unknown.help()))
}

/// Reads `RULE=LEVEL`.
fn severity(word: &str) -> Result<(Named, Severity), String> {
    let (name, level) = word.split_once('=').ok_or_else(|| format!("write {word}=LEVEL"))?;
    let level = <Level as clap::ValueEnum>::from_str(level, true).map_err(|_| match level {
        "off" | "none" => format!("to turn a rule off, write --ignore {name}"),
        _ => format!("`{level}` is not error, warning or info"),
    })?;
    Ok((rule(name)?, level.severity()))
}
