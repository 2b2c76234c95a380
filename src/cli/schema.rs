//! `idemsql schema`: the JSON Schema of specs and settings, for editors and other programs.

use super::Outcome;
use super::output::Output;
use anyhow::Result;

/// Print the JSON Schema of specs, or of the settings file
///
/// Give it to your editor and it completes and checks specs. With the YAML language server, write as the first line of a
/// spec: `# yaml-language-server: $schema=idemsql.schema.json`
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The kind of file: a spec, or idemsql.yaml
    #[arg(value_enum, value_name = "KIND", default_value_t = Kind::Spec)]
    kind: Kind,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    Spec,
    Settings,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let schema = match arguments.kind {
        Kind::Spec => crate::spec::schema(),
        Kind::Settings => crate::spec::settings_schema(),
    };
    output.print(&format!("{}\n", serde_json::to_string_pretty(&schema)?))?;
    Ok(Outcome::Fine)
}
