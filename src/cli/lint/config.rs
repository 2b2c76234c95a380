//! The settings of a run: the settings file, found and read, and what of the command line takes its place.

use super::Arguments;
use super::globs::Globs;
use super::place::Place;
use super::profile::Profile;
use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::lint::rules;
use crate::spec::{Located, Settings};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The names of the settings file.
const NAMES: [&str; 2] = ["idemsql.yaml", "idemsql.yml"];

/// What holds for the whole run.
pub(super) struct Config {
    /// The options for each file.
    pub profile: Profile,
    /// The folder of the settings file; that in which the command runs when there is none.
    pub root: Place,
    /// Globs of files that are left out, each with the folder that paths are seen from.
    pub exclude: Vec<(Globs, Place)>,
    /// The lowest severity that makes the command fail.
    pub fail_on: Option<Severity>,
    /// SQL files with the definitions of tables.
    pub schema: Vec<PathBuf>,
    /// Spec files, or folders of them.
    pub specs: Vec<PathBuf>,
    /// The baseline.
    pub baseline: Option<PathBuf>,
}

/// Finds and reads the settings. The inner error holds everything that is wrong with them.
pub(super) fn load(arguments: &Arguments, here: &Path) -> Result<Result<Config, Vec<Diagnostic>>> {
    let file = match (&arguments.config, arguments.no_config) {
        (Some(file), _) => Some(file.clone()),
        (None, true) => None,
        (None, false) => find(here)?,
    };
    let (settings, faults) = match &file {
        Some(file) => {
            let (settings, faults) = read(file, here)?;
            (Some(settings), faults)
        }
        None => (None, Vec::new()),
    };
    let profile = match Profile::new(settings.as_ref(), faults, rules::ALL) {
        Ok(profile) => profile,
        Err(faults) => return Ok(Err(faults)),
    };
    let folder = file.as_deref().map_or(here, crate::cli::files::folder_of);
    let root = Place::new(here, folder);
    let exclude = vec![(globs(&arguments.exclude)?, Place::new(here, here)), (profile.exclude.clone(), root.clone())];
    let mut made = Config {
        profile,
        fail_on: Some(Severity::Error),
        schema: Vec::new(),
        specs: Vec::new(),
        baseline: None,
        exclude,
        root,
    };
    if let Some(settings) = &settings {
        let lint = &settings.lint;
        let beside = |all: &[Located<String>]| all.iter().map(|one| shown(here, &made.root.join(&one.value))).collect();
        made.schema = beside(&lint.schema);
        made.specs = beside(&lint.specs);
        made.baseline = lint.baseline.as_ref().map(|one| shown(here, &made.root.join(&one.value)));
        made.fail_on = lint.fail_on.unwrap_or(made.fail_on);
    }
    made.schema.extend(arguments.schema.iter().cloned());
    made.specs.extend(arguments.specs.iter().cloned());
    made.baseline = arguments.baseline.clone().or(made.baseline);
    made.fail_on = arguments.fail_on.map_or(made.fail_on, super::FailOn::severity);
    Ok(Ok(made))
}

/// Reads a settings file: what could be read, and what is wrong with it.
fn read(file: &Path, here: &Path) -> Result<(Settings, Vec<Diagnostic>)> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok(Settings::read(&Arc::new(Source::new(Place::new(here, here).path(file), text))))
}

/// The settings of the folder in which the command runs; none when there is no file. The inner error holds everything that
/// is wrong with them.
pub(in crate::cli) fn settings_near() -> Result<Result<Option<Settings>, Vec<Diagnostic>>> {
    let here = std::env::current_dir().context("the current folder is gone")?;
    let Some(file) = find(&here)? else { return Ok(Ok(None)) };
    let (settings, faults) = read(&file, &here)?;
    Ok(if faults.is_empty() { Ok(Some(settings)) } else { Err(faults) })
}

/// The settings file of the folder or of one above it, up to the root of the repository. Outside of a repository no folder
/// above is looked at: it is anybody's.
fn find(here: &Path) -> Result<Option<PathBuf>> {
    let root = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(here);
    for folder in here.ancestors() {
        let there: Vec<PathBuf> = NAMES.iter().map(|name| folder.join(name)).filter(|file| file.is_file()).collect();
        match there.as_slice() {
            [] => {}
            [file] => return Ok(Some(file.clone())),
            [first, second, ..] => bail!("{} and {} are both there: remove one", first.display(), second.display()),
        }
        if folder == root {
            break;
        }
    }
    Ok(None)
}

/// A path as it reads from the folder in which the command runs.
fn shown(here: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(here).unwrap_or(path).to_owned()
}

/// The globs of the command line.
fn globs(patterns: &[String]) -> Result<Globs> {
    Globs::new(patterns.iter().map(String::as_str)).map_err(|(number, why)| {
        let pattern = patterns.get(number).map_or("", String::as_str);
        anyhow::anyhow!("`{pattern}` is not a glob: {why}")
    })
}
