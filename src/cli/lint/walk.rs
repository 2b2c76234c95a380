//! The SQL files below the paths of the command line, and the YAML files by which dbt runs SQL: walked like ripgrep does,
//! sorted, and nothing passed over in silence.

use super::dbt::Projects;
use super::globs::Globs;
use super::place::Place;
use crate::cli::files::{STDIN, placed_at};
use crate::diagnostic::Diagnostic;
use anyhow::{Result, bail};
use ignore::WalkBuilder;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What stands in front of `sql` in the endings of SQL files: `.sql`, `.pgsql`, `.tsql`.
const BEFORE_SQL: &[&str] = &["", "p", "pg", "pl", "my", "t"];

/// Other endings of SQL files: lower case, without the dot.
const ENDINGS: &[&str] = &["ddl", "dml", "hql", "prc", "pks", "pkb"];

/// Endings behind those: templates, and the directions of migrations.
const BEHIND: &[&str] = &["j2", "jinja", "jinja2", "tmpl", "tpl", "up", "down"];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The files, sorted by path, each once.
    pub files: Vec<PathBuf>,
    /// What could not be looked at.
    pub problems: Vec<Diagnostic>,
    /// How many SQL files the globs leave out.
    pub excluded: usize,
    /// How many linked folders were not entered.
    pub links: usize,
}

/// Which files are left out.
pub(super) struct Rules<'a> {
    /// Globs, each with the folder that its paths are seen from.
    pub exclude: &'a [(Globs, Place)],
    /// Files that git ignores are read too.
    pub no_gitignore: bool,
}

/// True for the name of an SQL file.
fn is_sql(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()) else { return false };
    let Some((first, ending)) = name.rsplit_once('.') else { return false };
    let before = BEHIND.contains(&ending).then(|| first.rsplit_once('.')).flatten().map(|(_, before)| before);
    let ending = before.unwrap_or(ending);
    ENDINGS.contains(&ending) || ending.strip_suffix("sql").is_some_and(|before| BEFORE_SQL.contains(&before))
}

/// The files of the given paths. A path that is not there, or holds no SQL file, stops the command: it is most likely
/// misspelt.
pub(super) fn find(paths: &[PathBuf], rules: &Rules<'_>, projects: &mut Projects) -> Result<Found> {
    let missing: Vec<String> = paths
        .iter()
        .filter(|path| path.as_os_str() != STDIN)
        .filter(|path| fs::symlink_metadata(path).is_err_and(|fault| fault.kind() == ErrorKind::NotFound))
        .map(|path| path.display().to_string())
        .collect();
    if !missing.is_empty() {
        bail!("there is no file or folder {}", missing.join(", "));
    }
    let mut found = Found::default();
    for path in paths {
        let before = (found.files.len(), found.problems.len(), found.excluded);
        if path.is_dir() {
            walk(path, rules, projects, &mut found);
            if before == (found.files.len(), found.problems.len(), found.excluded) {
                let hint =
                    if rules.no_gitignore { "" } else { ", and those that git ignores (--no-gitignore reads them)" };
                bail!(
                    "there is no SQL file in {}: files are found by their ending, such as .sql; hidden ones are left \
                     out{hint}",
                    path.display()
                );
            }
        } else if path.as_os_str() == STDIN {
            found.files.push(path.clone());
        } else {
            take(path, rules, &mut found);
        }
    }
    projects.read(found.files.iter().map(PathBuf::as_path));
    if paths.iter().any(|path| path.is_dir()) {
        // Whoever reads a folder of a project means what runs around its models too.
        let same =
            |file: &Path, root: &Path| file.file_name() == root.file_name() && placed_at(file) == placed_at(root);
        let is_new = |root: &PathBuf| !found.files.iter().any(|file| same(file, root));
        let roots: Vec<PathBuf> = projects.roots().filter(is_new).collect();
        for root in &roots {
            take(root, rules, &mut found);
        }
    }
    found.files.sort();
    found.files.dedup();
    if paths.len() > 1 {
        // Two spellings of one file are one file.
        let mut seen = std::collections::BTreeSet::new();
        found.files.retain(|path| seen.insert(placed_at(path)));
    }
    Ok(found)
}

fn walk(folder: &Path, rules: &Rules<'_>, projects: &mut Projects, found: &mut Found) {
    let git = !rules.no_gitignore;
    let mut walk = WalkBuilder::new(folder);
    walk.ignore(git).git_ignore(git).git_global(git).git_exclude(git).parents(git);
    for entry in walk.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(fault) => {
                found.problems.push(problem(&fault.to_string()));
                continue;
            }
        };
        if let Some(fault) = entry.error() {
            found.problems.push(problem(&format!("an ignore file is not understood: {fault}")));
        }
        let path = entry.path();
        // `.` is walked as `./a.sql`; people write `a.sql`.
        let path = path.strip_prefix("./").unwrap_or(path);
        let Some(kind) = entry.file_type() else { continue };
        if kind.is_symlink() && path.is_dir() {
            found.links += usize::from(entry.depth() > 0);
        } else if !kind.is_dir() && (is_sql(path) || projects.holds(path)) {
            take(path, rules, found);
        }
    }
}

/// Takes one file, unless it is left out or is none.
fn take(path: &Path, rules: &Rules<'_>, found: &mut Found) {
    if rules.exclude.iter().any(|(globs, from)| globs.matches(&from.path(path))) {
        found.excluded += 1;
        return;
    }
    match fs::metadata(path) {
        Ok(about) if about.is_file() => found.files.push(path.to_owned()),
        Ok(_) => {
            let fault = problem(&format!("{} is not a regular file, and was not read", path.display()));
            let help = "to lint what it gives, write `idemsql lint -` and send it there";
            found.problems.push(fault.help(help));
        }
        Err(fault) if fault.kind() == ErrorKind::NotFound => {
            found.problems.push(problem(&format!("{} is a link to a file that is not there", path.display())));
        }
        Err(fault) => found.problems.push(problem(&format!("cannot read {}: {fault}", path.display()))),
    }
}

/// Something that was not looked at.
pub(super) fn problem(message: &str) -> Diagnostic {
    Diagnostic::error("lint-not-read", message)
}

#[cfg(test)]
mod tests {
    use super::is_sql;
    use std::path::Path;

    #[test]
    fn sql_files_are_known_by_their_endings() {
        for name in [
            "a.sql",
            "a.SQL",
            "a.ddl",
            "V1__x.sql",
            "a.up.sql",
            "a.sql.up",
            "a.sql.j2",
            "a.sql.jinja",
            "a.pkb",
            "a.pgsql",
            "a.tsql",
            "x/a.hql",
            ".a.sql",
            "a.down.sql",
        ] {
            assert!(is_sql(Path::new(name)), "{name}");
        }
        for name in ["sql", "a.sqlite", "a.ksql", "a.j2", "a.py.j2", "a.up", "a.sql.bak", "a", ".sql/x", "a.sql."] {
            assert!(!is_sql(Path::new(name)), "{name}");
        }
    }
}
