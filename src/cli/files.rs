//! Spec files: found and read.

use crate::diagnostic::{Diagnostic, Source};
use crate::spec::Spec;
use anyhow::{Context as _, Result, bail};
use ignore::WalkBuilder;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What stands for standard input on the command line.
pub(super) const STDIN: &str = "-";

/// What stands for a URL that an environment variable holds.
const ENVIRONMENT: &str = "env:";

/// The URL that was given: itself, or what `env:NAME` holds. No error holds a URL.
pub(super) fn url_of(given: &str) -> Result<String> {
    match given.split_once(ENVIRONMENT) {
        Some(("", name)) => std::env::var(name)
            .with_context(|| format!("the environment variable `{name}`, which should hold the engine's URL")),
        _ => Ok(given.to_owned()),
    }
}

/// True for what names a database: `env:NAME`, or a URL, whose scheme is a word of more letters than a drive has. So that no
/// password is taken for the name of a file and shown, whatever has `://` or `password=` in it is one.
pub(super) fn is_url(given: &str) -> bool {
    let scheme = given.split_once(':').map(|(scheme, _)| scheme).unwrap_or_default();
    if given.contains("://") || given.contains("password=") {
        return true;
    }
    scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '+')
}

/// A database as a file of ours may name it: the variable, the scheme and the path of a file as `seen` shows it, or the
/// scheme alone. What a URL says of a server is for those who may know it.
pub(super) fn url_shown(given: &str, seen: &dyn Fn(&str) -> String) -> String {
    match given.split_once(':') {
        _ if given.starts_with(ENVIRONMENT) => given.to_owned(),
        Some((scheme, rest)) if rest.starts_with("//") => format!("{scheme}://.."),
        Some((scheme, path)) => format!("{scheme}:{}", seen(path)),
        None => String::new(),
    }
}

/// The spec files below the given paths, each once: files as they are, and of each directory every `.yaml` and `.yml`
/// file that says `version:` and `tables:`.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if path.as_os_str() == STDIN || !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let found = files_below(path, &["yaml", "yml"])?.into_iter().filter(|file| looks_like_a_spec(file));
        let before = all.len();
        all.extend(found);
        if all.len() == before {
            bail!("there is no spec in {}: a spec is a YAML file with `version:` and `tables:`", path.display());
        }
    }
    let mut seen = BTreeSet::new();
    all.retain(|path| seen.insert(placed_at(path)));
    Ok(all)
}

/// Every file below a folder whose name has one of the endings, sorted; hidden files and those that git ignores are left
/// out.
pub(super) fn files_below(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in WalkBuilder::new(folder).build() {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let file = entry.path();
        let wanted = file.extension().is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted));
        if wanted && file.is_file() {
            // `.` is walked as `./spec.yaml`; people write `spec.yaml`.
            found.push(file.strip_prefix("./").unwrap_or(file).to_owned());
        }
    }
    found.sort();
    Ok(found)
}

/// True for a YAML file with the key that every spec has, at the start of a line.
fn looks_like_a_spec(file: &Path) -> bool {
    let Ok(text) = fs::read_to_string(file) else { return false };
    let has = |key: &str| text.lines().any(|line| line.trim_start_matches('\u{feff}').starts_with(key));
    // A spec without its version is a spec with a fault, and not something else.
    has("tables:")
}

/// The file's folder as the file system knows it, and the file's name: two spellings of one place are the same.
pub(super) fn placed_at(file: &Path) -> PathBuf {
    let Some(name) = file.file_name().filter(|_| file.as_os_str() != STDIN) else { return file.to_owned() };
    real_folder(folder_of(file)).join(name)
}

/// The folder of a file; `.` when its path has none.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The folder as the file system knows it, without symbolic links; one that is not there yet stands below one that is.
pub(super) fn real_folder(folder: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(folder) {
        return real;
    }
    match (folder.parent(), folder.file_name()) {
        (Some(parent), Some(name)) if parent.as_os_str().is_empty() => real_folder(Path::new(".")).join(name),
        (Some(parent), Some(name)) => real_folder(parent).join(name),
        _ => folder.to_owned(),
    }
}

/// Reads a spec file; `-` is standard input.
///
/// The inner error holds everything that is wrong with the spec.
pub(super) fn read(path: &Path) -> Result<Result<Spec, Vec<Diagnostic>>> {
    let (name, bytes) = if path.as_os_str() == STDIN {
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
    Ok(Spec::read(Arc::new(Source::new(name, text)), &files))
}

/// The fault in its spec, unless it has a place of its own, such as a seed file.
pub(super) fn placed(fault: Diagnostic, spec: &Spec) -> Diagnostic {
    if fault.source.is_some() { fault } else { fault.in_source(spec.source()) }
}
