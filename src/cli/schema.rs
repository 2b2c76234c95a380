//! `idemsql schema`: the JSON Schema of specs, for editors and other programs.

use super::Outcome;
use super::output::Output;
use anyhow::Result;

/// Print the JSON Schema of specs
///
/// Give it to your editor and it completes and checks specs. With the YAML language server, write as the first line of a
/// spec: `# yaml-language-server: $schema=idemsql.schema.json`
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, output: &mut Output) -> Result<Outcome> {
    output.print(&format!("{}\n", serde_json::to_string_pretty(&crate::spec::schema())?))?;
    Ok(Outcome::Fine)
}
