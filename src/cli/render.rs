//! `idemsql render`: spec to SQL files, parsed back before a byte is written.

use super::Outcome;
use super::files::{Planned, dialect_argument, plans, strategy_argument};
use super::output::Output;
use crate::dialect::Dialect;
use crate::plan::Plan;
use crate::render;
use crate::strategy::Strategy;
use anyhow::{Context as _, Result};
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// What every file of ours begins with.
const MARK: &str = "-- idemsql: ";

/// Render specs to SQL files, parsed back before a byte is written
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Spec files, or directories of them; `-` for standard input
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,

    /// Render for this dialect instead of those of the spec; may be given several times
    #[arg(short, long = "dialect", value_name = "NAME", value_parser = dialect_argument)]
    dialects: Vec<&'static Dialect>,

    /// Render this strategy instead of the one of the spec; may be given several times
    #[arg(short, long = "strategy", value_name = "NAME", value_parser = strategy_argument)]
    strategies: Vec<&'static Strategy>,

    /// Write the files into this directory instead of beside their specs
    #[arg(short, long, value_name = "DIR", conflicts_with = "stdout")]
    out: Option<PathBuf>,

    /// Print the SQL instead of writing files
    #[arg(long)]
    stdout: bool,

    /// Write nothing; show as a diff what is stale, name files that no spec makes any more, and exit 1 for either
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let Some(planned) = plans(&arguments.specs, &arguments.dialects, &arguments.strategies, output)? else {
        return Ok(Outcome::Failed);
    };
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut faults = Vec::new();
    for one in &planned {
        let path = path_of(one, arguments);
        match render::render(&one.plan, &header(one, arguments)) {
            Ok(sql) if arguments.stdout => {
                output.print(&sql)?;
                if planned.len() > 1 {
                    output.print("\n")?;
                }
            }
            Ok(sql) => {
                if files.insert(path.clone(), sql).is_some() {
                    anyhow::bail!(
                        "two tables would be written to {}: give their specs one directory each, or render them one by one",
                        path.display()
                    );
                }
            }
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        output.diagnostics(&faults);
        return Ok(Outcome::Failed);
    }
    if arguments.stdout {
        return Ok(Outcome::Fine);
    }
    if arguments.check { check(&files, arguments, output) } else { write(&files, output) }
}

/// Where the SQL of a plan goes: a name that is stable, so that a diff shows what changed and nothing else.
fn path_of(planned: &Planned, arguments: &Arguments) -> PathBuf {
    let beside = || match planned.spec.parent() {
        Some(folder) if planned.spec.as_os_str() != "-" => folder.to_owned(),
        _ => PathBuf::new(),
    };
    let folder = arguments.out.clone().unwrap_or_else(beside);
    let strategy =
        if arguments.strategies.is_empty() { String::new() } else { format!(".{}", planned.plan.strategy.name) };
    let stem = file_name(&planned.plan.table);
    folder.join(format!("{stem}{strategy}.{}.sql", planned.plan.dialect.name))
}

/// The table's name with everything that a file system may not take replaced.
fn file_name(table: &str) -> String {
    table.chars().map(|c| if c.is_control() || "/\\:*?\"<>| ".contains(c) { '_' } else { c }).collect()
}

/// The comment at the top: which spec, and how to render it again. No version, date or hash: they would change the file
/// when the SQL does not.
fn header(planned: &Planned, arguments: &Arguments) -> Vec<String> {
    let Plan { table, strategy, dialect, needs, .. } = &planned.plan;
    let spec = planned.spec.to_string_lossy().replace('\\', "/");
    let quoted = if spec.contains(char::is_whitespace) { format!("'{spec}'") } else { spec.clone() };
    let mut again = format!("idemsql render {quoted} --dialect {}", dialect.name);
    if !arguments.strategies.is_empty() {
        again.push_str(&format!(" --strategy {}", strategy.name));
    }
    if let Some(out) = &arguments.out {
        again.push_str(&format!(" --out {}", out.to_string_lossy()));
    }
    let mut lines = vec![
        format!("idemsql: {table}, {}, {}, from {spec}", strategy.name, dialect.name),
        format!("Do not edit; render it again with: {again}"),
    ];
    lines.extend(needs.iter().map(|need| format!("Needs {need}.")));
    lines
}

/// Writes what changed, each file whole or not at all.
fn write(files: &BTreeMap<PathBuf, String>, output: &mut Output) -> Result<Outcome> {
    let mut written = 0;
    for (path, sql) in files {
        if fs::read_to_string(path).is_ok_and(|old| old == *sql) {
            continue;
        }
        write_whole(path, sql)?;
        written += 1;
    }
    output.say(&format!("{written} of {} files written, the others were up to date\n", files.len()));
    Ok(Outcome::Fine)
}

/// Writes a file beside its place and then moves it there.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make the directory {}", folder.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let result = fs::File::create(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&beside, path));
    if result.is_err() {
        let _ = fs::remove_file(&beside);
    }
    result.with_context(|| format!("cannot write {}", path.display()))
}

/// Compares the files with what would be written.
fn check(files: &BTreeMap<PathBuf, String>, arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let mut stale = 0;
    for (path, sql) in files {
        let name = path.to_string_lossy();
        let old = match fs::read_to_string(path) {
            Ok(old) => old,
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(fault) => return Err(fault).with_context(|| format!("cannot read {name}")),
        };
        if old != *sql {
            stale += 1;
            let diff = TextDiff::from_lines(old.as_str(), sql.as_str());
            output.print(
                &diff.unified_diff().context_radius(3).header(&name, &format!("{name} (rendered)")).to_string(),
            )?;
        }
    }
    let orphans = orphans(files, arguments)?;
    for orphan in &orphans {
        output.print(&format!("{}: no spec makes this file any more; delete it\n", orphan.display()))?;
    }
    if stale == 0 && orphans.is_empty() {
        output.say(&format!("{} files are up to date\n", files.len()));
        return Ok(Outcome::Fine);
    }
    output.say(&format!("{stale} of {} files are stale, {} are left over\n", files.len(), orphans.len()));
    Ok(Outcome::Findings)
}

/// Files of ours, in the directories that are written to, that no spec made. Only when every dialect of the specs was
/// rendered: else the files of the others would seem to be left over.
fn orphans(files: &BTreeMap<PathBuf, String>, arguments: &Arguments) -> Result<Vec<PathBuf>> {
    if !arguments.dialects.is_empty() || !arguments.strategies.is_empty() {
        return Ok(Vec::new());
    }
    // A file beside specs that were not given may be made by one of them.
    let given: BTreeSet<String> =
        super::files::find(&arguments.specs)?.iter().map(|spec| spec.to_string_lossy().replace('\\', "/")).collect();
    let folders: BTreeSet<&Path> = files.keys().filter_map(|path| path.parent()).collect();
    let mut found = Vec::new();
    for folder in folders {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let path = if folder == Path::new(".") { PathBuf::from(entry.file_name()) } else { entry.path() };
            let ours = path.extension().is_some_and(|ending| ending == "sql") && !files.contains_key(&path);
            let Some(text) = ours.then(|| fs::read_to_string(&path).ok()).flatten() else { continue };
            let spec = text
                .lines()
                .next()
                .and_then(|line| line.strip_prefix(MARK))
                .and_then(|line| line.rsplit_once(" from "));
            if spec.is_some_and(|(_, spec)| given.contains(spec) || !Path::new(spec).exists()) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
