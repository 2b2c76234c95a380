//! `render --check`: what is stale, and what no spec makes any more.

use super::place::Header;
use super::write::{read, same};
use super::{Arguments, Asked, Files};
use crate::cli::Outcome;
use crate::cli::files::{files_below, find, folder_of, placed_at};
use crate::cli::output::{Output, diff};
use crate::dialect::Dialect;
use anyhow::Result;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The endings of what we write.
const ENDINGS: &[&str] = &["sql", "yml"];

pub(super) fn run(
    files: &Files,
    arguments: &Arguments,
    only: Option<&'static Dialect>,
    output: &mut Output,
) -> Result<Outcome> {
    let mut stale = 0;
    for (path, sql) in files {
        let old = read(path)?;
        if old.as_deref().is_some_and(|old| same(old, sql)) {
            continue;
        }
        stale += 1;
        let name = path.to_string_lossy();
        let before = if old.is_some() { &*name } else { "/dev/null" };
        let old = old.unwrap_or_default();
        output.print_styled(&diff(before, &name, &old, sql))?;
    }
    let left_over = left_over(files, arguments, only)?;
    for path in &left_over {
        output.print_styled(&format!("{}: no spec makes this file any more; delete it\n", path.display()))?;
    }
    let all = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    if stale == 0 && left_over.is_empty() {
        output.say(&format!("{all} up to date\n"));
        return Ok(Outcome::Fine);
    }
    output.say(&format!("of {all}, {stale} stale; {} left over\n", left_over.len()));
    Ok(Outcome::Findings)
}

/// Files of ours that a spec of this run does not make any more, or whose spec is gone. Only files that a run with the
/// same options would have made: one that was rendered with another `--dialect`, `--strategy` or `--out` is another
/// run's business.
/// `only` is the dialect of the database that the run looked at.
fn left_over(files: &Files, arguments: &Arguments, only: Option<&'static Dialect>) -> Result<Vec<PathBuf>> {
    let given: BTreeSet<PathBuf> = find(&arguments.selection.specs)?.iter().map(|spec| placed_at(spec)).collect();
    let made: BTreeSet<PathBuf> = files.keys().map(|path| placed_at(path)).collect();
    let dialects = only.map_or_else(|| arguments.selection.dialects(), |only| vec![only]);
    let strategies = &arguments.selection.strategies;
    let mut found = Vec::new();
    for path in candidates(files, arguments)? {
        if made.contains(&placed_at(&path)) {
            continue;
        }
        let Some(header) = fs::read_to_string(&path).ok().and_then(|text| Header::read(&path, &text)) else { continue };
        let forms = &arguments.forms;
        let same_options = (forms.is_empty()
            || forms.iter().any(|form| matches!(form, Asked::Form(form) if *form == header.form)))
            && header.by_out == arguments.out.is_some()
            && header.by_from == arguments.from.is_some()
            && header.by_strategy != strategies.is_empty()
            && (dialects.is_empty() || dialects.iter().any(|dialect| dialect.name == header.dialect))
            && (strategies.is_empty() || strategies.iter().any(|strategy| strategy.name == header.strategy));
        if same_options && header.spec.is_some_and(|spec| given.contains(&spec) || !spec.exists()) {
            found.push(path);
        }
    }
    Ok(found)
}

/// The SQL files in the directories that were written to and, when files go beside their specs, below those that were
/// given: the last spec of a folder may be gone.
fn candidates(files: &Files, arguments: &Arguments) -> Result<BTreeSet<PathBuf>> {
    let mut all = BTreeSet::new();
    let folders: BTreeSet<&Path> = files.keys().map(|path| folder_of(path)).collect();
    for folder in folders {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let names = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)));
        all.extend(names.map(|path| path.strip_prefix("./").map(Path::to_owned).unwrap_or(path)));
    }
    if arguments.out.is_none() {
        for folder in arguments.selection.specs.iter().filter(|path| path.is_dir()) {
            all.extend(files_below(folder, ENDINGS)?);
        }
    }
    Ok(all)
}
