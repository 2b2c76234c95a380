//! Writes what changed: every file, or none.

use super::Files;
use super::place::is_ours;
use crate::cli::Outcome;
use crate::cli::files::folder_of;
use crate::cli::output::Output;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn run(files: &Files, output: &mut Output) -> Result<Outcome> {
    let mut stale = Vec::new();
    for (path, sql) in files {
        let old = read(path)?;
        if old.as_deref().is_some_and(|old| same(old, sql)) {
            continue;
        }
        if old.is_some_and(|old| !old.trim().is_empty() && !is_ours(&old)) {
            bail!(
                "{} was not written by idemsql and nothing was written: move it away, or render into another directory \
                 with --out",
                path.display()
            );
        }
        stale.push((path, sql));
    }
    let mut written = Written::default();
    for (path, sql) in &stale {
        written.beside(path, sql)?;
    }
    written.move_in()?;
    let count = |n: usize| if n == 1 { "1 file".to_owned() } else { format!("{n} files") };
    output.say(&format!("{} written, {} up to date\n", count(stale.len()), files.len() - stale.len()));
    Ok(Outcome::Fine)
}

/// The text of a file; none when it is not there.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(fault).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// True when the file says the same; git may have checked it out with the line ends of Windows.
pub(super) fn same(old: &str, sql: &str) -> bool {
    old == sql || (!sql.contains('\r') && old.contains('\r') && old == sql.replace('\n', "\r\n"))
}

/// Files that wait beside their places until all of them are written; dropped, they are gone.
#[derive(Default)]
struct Written {
    waiting: Vec<(PathBuf, PathBuf)>,
}

impl Written {
    /// Writes a file beside its place.
    fn beside(&mut self, path: &Path, text: &str) -> Result<()> {
        let folder = folder_of(path);
        fs::create_dir_all(folder).with_context(|| format!("cannot make the directory {}", folder.display()))?;
        let beside = folder.join(format!(".idemsql.{}.{}.tmp", std::process::id(), self.waiting.len()));
        self.waiting.push((beside.clone(), path.to_owned()));
        fs::write(&beside, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Moves every file to its place.
    fn move_in(&mut self) -> Result<()> {
        while let Some((beside, path)) = self.waiting.pop() {
            let moved = fs::rename(&beside, &path);
            if moved.is_err() {
                let _ = fs::remove_file(&beside);
            }
            moved.with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        for (beside, _) in &self.waiting {
            let _ = fs::remove_file(beside);
        }
    }
}
