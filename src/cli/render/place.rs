//! Where rendered SQL goes, and the comment at its top: both the same on every machine and on every run, so that a diff
//! shows what changed and nothing else.

use super::Arguments;
use crate::cli::files::{STDIN, folder_of, is_url, placed_at, real_folder, url_shown};
use crate::plan::Plan;
use crate::spec::OutputForm;
use std::path::{Component, Path, PathBuf};

/// What the header of every file begins with.
const MARK: &str = "idemsql: ";

/// What the command of a dbt model has.
const BY_DBT: &str = " --form dbt";

/// What the command of a definition has.
const BY_DDL: &str = " --form ddl";

/// What stands before the older spec of a change.
const FROM: &str = " --from ";

/// What stands for the spec that came by standard input.
const NO_FILE: &str = "standard input";

/// The folder of a plan's files: `out`, or else that of its spec.
pub(super) fn root_of<'a>(spec: &'a Path, out: Option<&'a Path>) -> &'a Path {
    let beside = if spec.as_os_str() == STDIN { None } else { spec.parent() };
    out.or(beside).unwrap_or(Path::new(""))
}

/// The file of a plan: in `out`, or else beside its spec. `by_strategy` adds the strategy, for those that are not the
/// spec's own.
pub(super) fn file_of(spec: &Path, plan: &Plan, out: Option<&Path>, by_strategy: bool, ending: &str) -> PathBuf {
    let strategy = if by_strategy { format!(".{}", plan.strategy.name) } else { String::new() };
    root_of(spec, out).join(format!("{}{strategy}.{}.{ending}", file_name(&plan.table), plan.dialect.name))
}

/// The table's name with everything replaced that a file system may not take.
fn file_name(table: &str) -> String {
    let plain: String =
        table.chars().map(|c| if c.is_control() || "/\\:*?\"<>| ".contains(c) { '_' } else { c }).collect();
    // Windows takes such a name for a device, whatever stands behind its first dot.
    let first = plain.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered =
        |word: &str| first.strip_prefix(word).is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit());
    let device = matches!(first.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt");
    if device || plain.starts_with('.') { format!("_{plain}") } else { plain }
}

/// The comment at the top: which spec, and how to render it again. No version, date or hash: they would change the file
/// when the SQL does not. The spec's path is the one from the file's own directory, so that it does not depend on the
/// directory in which the command ran.
///
/// `folder` is where the command runs again; none when the SQL is printed.
pub(super) fn header(
    spec: &Path,
    plan: &Plan,
    form: OutputForm,
    folder: Option<&Path>,
    arguments: &Arguments,
) -> Vec<String> {
    let Plan { table, strategy, dialect, needs, .. } = plan;
    let (spec, here) = match folder {
        _ if spec.as_os_str() == STDIN => (STDIN.to_owned(), ""),
        None => (spelled(spec), ""),
        Some(folder) => match seen_from(folder, spec) {
            Some(path) => {
                (path, if form == OutputForm::Dbt { " in the project's directory" } else { " in this directory" })
            }
            None => (spelled(spec), ""),
        },
    };
    let mut again = format!("idemsql render {} --dialect {}", quoted(&spec), dialect.name);
    match form {
        OutputForm::Sql => {}
        OutputForm::Dbt => again.push_str(BY_DBT),
        OutputForm::Ddl => again.push_str(BY_DDL),
    }
    if let (OutputForm::Ddl, Some(older)) = (form, &arguments.from) {
        let seen = |path: &str| {
            let path = Path::new(path);
            folder.and_then(|folder| seen_from(folder, path)).unwrap_or_else(|| spelled(path))
        };
        let shown = if is_url(older) { url_shown(older, &seen) } else { seen(older) };
        again.extend([FROM, &quoted(&shown)]);
    }
    if !arguments.selection.strategies.is_empty() {
        again.extend([" --strategy ", strategy.name]);
    }
    match (folder, &arguments.out) {
        (None, _) => again.push_str(" --stdout"),
        (Some(_), Some(_)) if !here.is_empty() => again.push_str(" --out ."),
        (Some(_), Some(out)) => again.extend([" --out ", &quoted(&spelled(out))]),
        (Some(_), None) => {}
    }
    let from = if spec == STDIN { NO_FILE } else { &spec };
    let mut lines = vec![
        format!("{MARK}{table}, {}, {}, from {from}", strategy.name, dialect.name),
        format!("Do not edit; render again{here} with: {again}"),
    ];
    // dbt makes the table itself, and so does a definition.
    let needs = needs.iter().filter(|_| form == OutputForm::Sql);
    lines.extend(needs.map(|need| format!("Needs {need}.")));
    lines
}

/// A spec as it is seen from the folder of what is made of it.
pub(super) fn spec_seen(spec: &Path, folder: &Path) -> String {
    if spec.as_os_str() == STDIN {
        return NO_FILE.to_owned();
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    seen_from(folder, spec).unwrap_or_else(|| spelled(spec))
}

/// True for a text that we wrote. A changelog begins with a line that its tool wants.
pub(super) fn is_ours(text: &str) -> bool {
    text.lines().take(2).filter_map(uncommented).any(|line| line.starts_with(MARK))
}

/// A comment without its mark.
fn uncommented(line: &str) -> Option<&str> {
    line.strip_prefix("-- ").or_else(|| line.strip_prefix("# "))
}

/// What the header of a file of ours says.
pub(super) struct Header {
    /// The spec as the file system knows it; none when it came by standard input.
    pub spec: Option<PathBuf>,
    pub strategy: String,
    pub dialect: String,
    /// It was rendered with `--strategy`.
    pub by_strategy: bool,
    /// It was rendered with `--out`.
    pub by_out: bool,
    /// It was rendered with `--from`.
    pub by_from: bool,
    /// What it is.
    pub form: OutputForm,
}

impl Header {
    /// Reads the header of the file at `path`; `None` when the text is not ours.
    pub fn read(path: &Path, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (what, spec) = uncommented(lines.next()?)?.strip_prefix(MARK)?.split_once(", from ")?;
        let mut words = what.rsplitn(3, ", ");
        let (dialect, strategy) = (words.next()?.to_owned(), words.next()?.to_owned());
        let again = lines.next().unwrap_or_default();
        let form = match again {
            again if again.contains(BY_DBT) => OutputForm::Dbt,
            again if again.contains(BY_DDL) => OutputForm::Ddl,
            _ => OutputForm::Sql,
        };
        let folder = match form {
            OutputForm::Sql | OutputForm::Ddl => folder_of(path),
            // The project is above the folder of the models.
            OutputForm::Dbt => folder_of(folder_of(path)),
        };
        let spec = (spec != NO_FILE).then(|| placed_at(&folder.join(spec)));
        Some(Self {
            spec,
            strategy,
            dialect,
            by_strategy: again.contains(" --strategy "),
            by_out: again.contains(" --out "),
            by_from: again.contains(FROM),
            form,
        })
    }
}

/// The path from a folder to a file, with `/` between its parts; `None` when there is none, as between two drives.
fn seen_from(folder: &Path, file: &Path) -> Option<String> {
    if folder == folder_of(file) {
        return Some(file.file_name()?.to_string_lossy().into_owned());
    }
    let (folder, file) = (real_folder(folder), placed_at(file));
    let from: Vec<Component> = folder.components().collect();
    let to: Vec<Component> = file.components().collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return None;
    }
    let up = from.iter().skip(shared).map(|_| "..".to_owned());
    let down = to.iter().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// The path as it was given, with `/` between its parts.
fn spelled(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    let path = if path.starts_with('-') && path != STDIN { format!("./{path}") } else { path.to_owned() };
    let plain = |c: char| c.is_alphanumeric() || "_-./@%+=:,".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::{file_name, quoted};

    #[test]
    fn a_file_name_is_one_on_every_system() {
        for (table, name) in [
            ("mart.orders", "mart.orders"),
            ("a/b\\c:d e", "a_b_c_d_e"),
            ("con", "_con"),
            ("COM1.orders", "_COM1.orders"),
            ("console", "console"),
            (".hidden", "_.hidden"),
            ("注文", "注文"),
        ] {
            assert_eq!(file_name(table), name);
        }
    }

    #[test]
    fn a_path_is_quoted_for_a_shell() {
        for (path, word) in
            [("a/b.yaml", "a/b.yaml"), ("-x", "./-x"), ("-", "-"), ("it's", r"'it'\''s'"), ("$x", "'$x'")]
        {
            assert_eq!(quoted(path), word);
        }
    }
}
