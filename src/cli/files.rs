//! Spec files: found, read, and resolved for the dialects that were asked for.

use super::output::Output;
use crate::diagnostic::{Diagnostic, Source, nearest};
use crate::dialect::{self, Dialect};
use crate::plan::{Plan, plan};
use crate::spec::Spec;
use crate::strategy::{self, Strategy};
use anyhow::{Context as _, Result, bail};
use ignore::WalkBuilder;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A plan and the spec file that it is from.
pub(super) struct Planned {
    /// The spec file as it was given or found.
    pub spec: PathBuf,
    /// The plan.
    pub plan: Plan,
}

/// The spec files below the given paths: files as they are, and of each directory every `.yaml` and `.yml` file that says
/// `version:` and `tables:`.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" || !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let before = all.len();
        let mut found = Vec::new();
        for entry in WalkBuilder::new(path).build() {
            let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
            let file = entry.path();
            let yaml = file.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
            if yaml && file.is_file() && looks_like_a_spec(file) {
                found.push(file.to_owned());
            }
        }
        found.sort();
        all.extend(found);
        if all.len() == before {
            bail!("there is no spec in {}: a spec is a YAML file with `version:` and `tables:`", path.display());
        }
    }
    Ok(all)
}

/// True for a YAML file with the two keys that every spec has, at the start of a line.
fn looks_like_a_spec(file: &Path) -> bool {
    let Ok(text) = fs::read_to_string(file) else { return false };
    let has = |key: &str| text.lines().any(|line| line.trim_start_matches('\u{feff}').starts_with(key));
    has("version:") && has("tables:")
}

/// Reads a spec file; `-` is standard input.
///
/// The inner error holds everything that is wrong with the spec.
pub(super) fn read(path: &Path) -> Result<Result<Spec, Vec<Diagnostic>>> {
    let (name, bytes) = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        ("<stdin>".to_owned(), bytes)
    } else {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        (path.to_string_lossy().into_owned(), bytes)
    };
    let text = String::from_utf8(bytes).map_err(|fault| {
        anyhow::anyhow!("{name} is not UTF-8: the byte at {} begins no character", fault.utf8_error().valid_up_to())
    })?;
    let beside = path.parent().unwrap_or(Path::new("")).to_owned();
    let files = move |file: &str| {
        let path = beside.join(file);
        fs::read_to_string(&path).map_err(|fault| format!("cannot read {}: {fault}", path.display()))
    };
    Ok(Spec::read(Arc::new(Source { name, text }), &files))
}

/// Every table of the specs, planned for every dialect that is asked for. Faults are printed, all of them; `None` when
/// there are any.
pub(super) fn plans(
    specs: &[PathBuf],
    dialects: &[&'static Dialect],
    strategies: &[&'static Strategy],
    output: &mut Output,
) -> Result<Option<Vec<Planned>>> {
    let mut planned = Vec::new();
    let mut faults = Vec::new();
    for path in find(specs)? {
        let spec = match read(&path)? {
            Ok(spec) => spec,
            Err(found) => {
                faults.extend(found);
                continue;
            }
        };
        for table in spec.tables() {
            for dialect in wanted(&spec, table, dialects, &mut faults) {
                let resolved = match table.for_dialect(dialect.name) {
                    Ok(resolved) => resolved,
                    Err(found) => {
                        faults.extend(found);
                        continue;
                    }
                };
                let each: Vec<Option<&'static Strategy>> =
                    if strategies.is_empty() { vec![None] } else { strategies.iter().copied().map(Some).collect() };
                for strategy in each {
                    match plan(&resolved, dialect, strategy) {
                        Ok(plan) => planned.push(Planned { spec: path.clone(), plan }),
                        Err(found) => faults.extend(found.into_iter().map(|fault| placed(fault, &spec))),
                    }
                }
            }
        }
    }
    faults.dedup();
    if faults.is_empty() {
        return Ok(Some(planned));
    }
    output.diagnostics(&faults);
    Ok(None)
}

/// The fault in its spec, unless it has a place of its own, such as a seed file.
pub(super) fn placed(fault: Diagnostic, spec: &Spec) -> Diagnostic {
    if fault.source.is_some() { fault } else { fault.in_source(spec.source()) }
}

/// The dialects of a table: those of the command line, or else those of the spec.
fn wanted(
    spec: &Spec,
    table: &crate::spec::TableSpec,
    given: &[&'static Dialect],
    faults: &mut Vec<Diagnostic>,
) -> Vec<&'static Dialect> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let names = || dialect::ALL.iter().map(|dialect| dialect.name);
    let mut all = Vec::new();
    for written in table.dialects() {
        match dialect::find(&written.value) {
            Some(dialect) => all.push(dialect),
            None => {
                let help = match nearest(&written.value, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("use one of {}", names().collect::<Vec<_>>().join(", ")),
                };
                faults.push(
                    Diagnostic::error("spec-dialect", format!("`{}` is not a dialect", written.value))
                        .at(written.span.clone(), "")
                        .help(help)
                        .in_source(spec.source()),
                );
            }
        }
    }
    if table.dialects().is_empty() {
        faults.push(
            Diagnostic::error("spec-dialect", format!("no dialect is named for table `{}`", table.name()))
                .at(table.span(), "this table")
                .help("write `dialects: [..]` into the spec, or give --dialect")
                .in_source(spec.source()),
        );
    }
    all
}

/// Reads the name of a dialect from the command line.
pub(super) fn dialect_argument(name: &str) -> Result<&'static Dialect, String> {
    dialect::find(name).ok_or_else(|| unknown("dialect", name, dialect::ALL.iter().map(|dialect| dialect.name)))
}

/// Reads the name of a strategy from the command line.
pub(super) fn strategy_argument(name: &str) -> Result<&'static Strategy, String> {
    strategy::find(name).ok_or_else(|| unknown("strategy", name, strategy::ALL.iter().map(|strategy| strategy.name)))
}

/// What to say of a name that is none of ours.
pub(super) fn unknown<'a>(what: &str, name: &str, all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.collect();
    match nearest(name, all.iter().copied()) {
        Some(near) => format!("`{name}` is not a {what}; did you mean `{near}`?"),
        None => format!("`{name}` is not a {what}; there are {}", all.join(", ")),
    }
}
