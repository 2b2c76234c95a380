//! The file of an imported spec. It is meant to be changed by hand, so that nothing is written over it unasked.

use crate::cli::output::Output;
use anyhow::{Context as _, Result, bail};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Writes the spec; a file with the same text is fine as it is.
pub(super) fn write(path: &Path, text: &str, force: bool, output: &mut Output) -> Result<()> {
    let shown = path.display();
    if force {
        fs::write(path, text).with_context(|| format!("cannot write {shown}"))?;
    } else {
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Err(fault) if fault.kind() == ErrorKind::AlreadyExists => {
                if fs::read_to_string(path).is_ok_and(|old| old == text) {
                    output.say(&format!("{shown} is up to date\n"));
                    return Ok(());
                }
                bail!("{shown} is there already, and is left as it is: give another name, or --force");
            }
            opened => {
                let mut file = opened.with_context(|| format!("cannot write {shown}"))?;
                file.write_all(text.as_bytes()).with_context(|| format!("cannot write {shown}"))?;
            }
        }
    }
    output.say(&format!("{shown} written; look at its guesses, then render it with: idemsql render {shown}\n"));
    Ok(())
}
