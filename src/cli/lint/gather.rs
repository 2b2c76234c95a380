//! What is known of tables before the first script is linted: from schema files, from specs, and from the scripts.

use super::config::Config;
use super::specs;
use super::text::Text;
use crate::cli::files;
use crate::diagnostic::{Diagnostic, Source};
use crate::lint::known::Known;
use crate::lint::{self, Parsed};
use anyhow::Result;
use std::sync::Arc;

/// Gathers it. A schema file or a spec that cannot be read stops the command: without it, the findings would be others. The
/// inner error holds what is wrong with the specs.
pub(super) fn gather(
    config: &Config,
    scripts: &[Result<Parsed<'_>, Diagnostic>],
) -> Result<Result<Known, Vec<Diagnostic>>> {
    let mut known = Known::default();
    for path in &config.schema {
        let options = config.profile.options(&config.root.path(path), &super::Given::default());
        let text = Text::read(path, options.dialect)?;
        let source = Arc::new(Source::of(path.to_string_lossy(), text.text, text.form.origin));
        lint::parse(&source, &options).teach(&mut known);
    }
    for script in scripts.iter().flatten() {
        script.teach(&mut known);
    }
    let mut faults = Vec::new();
    if !config.specs.is_empty() {
        for path in files::find(&config.specs)? {
            match files::read(&path)? {
                Ok(spec) => specs::learn(&mut known, &spec),
                Err(found) => faults.extend(found),
            }
        }
    }
    Ok(if faults.is_empty() { Ok(known) } else { Err(faults) })
}
