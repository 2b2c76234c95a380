//! `render --form flyway` and its kin: one migration for all tables of a run.

use super::place::{header, root_of, spec_seen};
use super::write::{read, same};
use super::{Arguments, Asked, Form, Made};
use crate::cli::files::folder_of;
use crate::cli::select::Planned;
use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::plan::ddl::DdlPlan;
use crate::render;
use crate::render::migration::{Migration, RUNNERS, Runner, plain};
use crate::spec::OutputForm;
use anyhow::{Context as _, Result, bail};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Refuses a migration without a version, and a version without a migration.
pub(super) fn check_arguments(arguments: &Arguments) -> Result<()> {
    let versioned = arguments.forms.iter().find_map(|form| match form {
        Asked::Runner(runner) if !runner.is_repeatable() => Some(*runner),
        _ => None,
    });
    match (versioned, &arguments.migration_version) {
        (Some(runner), None) => bail!(
            "a migration for {} needs its version: give `--migration-version 1`, or a time such as 20240501120000; no clock \
             is asked, so that a second run writes the same file",
            runner.name
        ),
        (Some(runner), Some(version)) => runner.version_fault(version).map_or(Ok(()), |fault| bail!("{fault}")),
        (None, Some(_)) => bail!("--migration-version is for the form of a migration tool, such as `--form dbmate`"),
        (None, None) if arguments.allow_drop => {
            bail!("--allow-drop is for the form of a migration tool, such as `--form dbmate`")
        }
        (None, None) => Ok(()),
    }
}

/// The files of the migrations of a run, one for each tool and dialect.
pub(super) fn made(planned: &[Planned<Form>], arguments: &Arguments) -> Result<Vec<Made>, Diagnostic> {
    let mut all = Vec::new();
    for runner in RUNNERS {
        let parts: Vec<(&Path, &DdlPlan)> = planned
            .iter()
            .filter_map(|one| match &one.plan {
                Form::Migration(of, ddl) if of.name == runner.name => Some((one.spec.as_path(), &**ddl)),
                _ => None,
            })
            .collect();
        let mut dialects: Vec<&str> = parts.iter().map(|(_, ddl)| ddl.plan.dialect.name).collect();
        dialects.sort_unstable();
        dialects.dedup();
        for dialect in dialects {
            let parts = parts.iter().filter(|(_, ddl)| ddl.plan.dialect.name == dialect).copied().collect::<Vec<_>>();
            all.extend(migration(runner, &parts, arguments)?);
        }
    }
    Ok(all)
}

fn migration(
    runner: &'static Runner,
    parts: &[(&Path, &DdlPlan)],
    arguments: &Arguments,
) -> Result<Vec<Made>, Diagnostic> {
    let changes: Vec<_> = parts.iter().filter(|(_, ddl)| !ddl.steps.is_empty()).copied().collect();
    let Some((spec, first)) = changes.first().copied() else { return Ok(Vec::new()) };
    let what = if arguments.from.is_some() { "change" } else { "create" };
    let tables: Vec<&str> = changes.iter().map(|(_, ddl)| ddl.plan.table.as_str()).collect();
    let more = if tables.len() > 1 { format!("_and_{}_more", tables.len() - 1) } else { String::new() };
    let version = arguments.migration_version.as_deref().unwrap_or_default();
    let migration = Migration {
        tables: changes.iter().map(|(_, ddl)| *ddl).collect(),
        version,
        name: format!("{what}_{}{more}", plain(tables.first().copied().unwrap_or_default())),
        allow_drop: arguments.allow_drop,
    };
    let root = root_of(spec, arguments.out.as_deref());
    let mut specs: Vec<String> = changes.iter().map(|(spec, _)| spec_seen(spec, root)).collect();
    specs.dedup();
    let lines = [
        format!(
            "idemsql: {what} {}, for {}, version {version} for {}",
            tables.join(", "),
            first.plan.dialect.name,
            runner.name
        ),
        format!(
            "Do not edit; made from {}. A migration that has run does not change: render the next one.",
            specs.join(", ")
        ),
    ];
    let files = runner.files(&migration, &lines)?;
    Ok(files.into_iter().map(|file| file_of(root, file, &first.plan, true)).collect())
}

/// The file of a load that a tool runs again when it changes.
pub(super) fn load(runner: &Runner, spec: &Path, plan: &Plan, arguments: &Arguments) -> Result<Vec<Made>, Diagnostic> {
    let root = root_of(spec, arguments.out.as_deref());
    let folder = (!arguments.stdout).then_some(if root.as_os_str().is_empty() { Path::new(".") } else { root });
    let lines = header(spec, plan, OutputForm::Sql, folder, arguments);
    let files = runner.repeatable(plan, render::render(plan, &lines)?)?;
    Ok(files.into_iter().map(|file| file_of(root, file, plan, false)).collect())
}

fn file_of(root: &Path, file: render::migration::MigrationFile, plan: &Plan, fixed: bool) -> Made {
    Made {
        path: root.join(file.name),
        text: file.text,
        shared: false,
        maker: format!("the migration of `{}`", plan.table),
        project: Some(plan.dialect.name),
        fixed,
    }
}

/// Refuses to write over a migration with another text: it may have run.
pub(super) fn unchanged(all: &[Made]) -> Result<()> {
    for one in all.iter().filter(|one| one.fixed) {
        if read(&one.path)?.is_some_and(|old| !same(&old, &one.text)) {
            bail!(
                "{} is there and says something else, and nothing was written: a migration that may have run does not change; \
                 give the next --migration-version, with `--from` the spec as it was",
                one.path.display()
            );
        }
        if let Some(other) = same_version(one, all)? {
            bail!(
                "{} has the version of {}, and nothing was written: a tool runs one migration of a version; give the next \
                 --migration-version, or delete the other file if it never ran",
                other.display(),
                one.path.display()
            );
        }
    }
    Ok(())
}

/// A file beside a migration that has its version and is none of this run.
fn same_version(one: &Made, all: &[Made]) -> Result<Option<PathBuf>> {
    let folder = folder_of(&one.path);
    let Some(version) = version_of(&one.path) else { return Ok(None) };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(None),
        Err(fault) => return Err(fault).with_context(|| format!("cannot read the folder {}", folder.display())),
    };
    for entry in entries {
        let name = entry.with_context(|| format!("cannot read the folder {}", folder.display()))?.file_name();
        let ours = all.iter().any(|made| made.path.file_name() == Some(name.as_os_str()));
        if !ours && version_of(Path::new(&name)).as_ref() == Some(&version) {
            return Ok(Some(folder.join(name)));
        }
    }
    Ok(None)
}

/// The version of a migration by the name of its file, part by part without leading zeros: `V1.02__x.sql` is of 1.2.
fn version_of(path: &Path) -> Option<Vec<String>> {
    let name = path.file_name()?.to_str()?.strip_suffix(".sql")?;
    let text = match name.strip_prefix('V') {
        Some(name) => name.split_once("__")?.0,
        None => &name[..name.find(|c: char| !c.is_ascii_digit() && !".-".contains(c)).unwrap_or(name.len())],
    };
    let parts = text.split(['.', '_', '-']).filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(|part| part.trim_start_matches('0').to_owned()).collect();
    (!parts.is_empty()).then_some(parts)
}
