//! The texts that are read: golden files, every load that can be rendered, and pieces of each dialect of which we know
//! whether its engine takes them.

use std::path::{Path, PathBuf};

/// One SQL text.
pub struct Text {
    /// Where it stands: a path, or the name of a piece.
    pub name: String,
    /// The dialect, by our name.
    pub dialect: String,
    /// The SQL.
    pub sql: String,
    /// The statements that make the tables it names, where they are known.
    pub tables: Option<String>,
    /// What it is.
    pub kind: Kind,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A golden file of `fixtures/load`.
    Golden,
    /// A load by another strategy than the spec's own.
    Load,
    /// A piece that the engine takes.
    Good,
    /// A piece that the engine refuses.
    Bad,
    /// A golden file of definitions, or of statements for an application.
    Other,
}

/// Every text. `loads` is the folder that the example `every_load` wrote.
pub fn all(loads: &Path) -> Vec<Text> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let golden = repository.join("fixtures/load");
    let mut all = Vec::new();
    for (case, file) in sql_files(&golden) {
        let dialect = stem(&file);
        let tables = loads.join(&case).join(format!("tables.{dialect}.sql"));
        let tables = Some(read(&tables));
        let name = format!("{case}/{dialect}.sql");
        all.push(Text { name, sql: read(&file), tables, dialect, kind: Kind::Golden });
    }
    // What their statements name stands in files of its own, or is made by them.
    for folder in ["ddl", "statements"] {
        for (case, file) in sql_files(&repository.join("fixtures").join(folder)) {
            let (dialect, sql) = (stem(&file), read(&file));
            let name = format!("{folder}/{case}/{dialect}.sql");
            // "Nothing to do" is a comment.
            if sql.lines().any(|line| !line.is_empty() && !line.starts_with("--")) {
                all.push(Text { name, sql, tables: None, dialect, kind: Kind::Other });
            }
        }
    }
    for (case, file) in sql_files(loads) {
        let stem = stem(&file);
        let (strategy, dialect) = stem.split_once('.').expect("a file of every_load has a strategy and a dialect");
        if strategy == "tables" {
            continue;
        }
        let tables = loads.join(&case).join(format!("tables.{dialect}.sql"));
        let name = format!("{case}/{strategy}.{dialect}.sql");
        let sql = read(&file);
        let known = |text: &Text| text.dialect == dialect && same(&text.sql, &sql);
        if !all.iter().any(known) {
            let (tables, dialect) = (Some(read(&tables)), dialect.to_owned());
            all.push(Text { name, dialect, sql, tables, kind: Kind::Load });
        }
    }
    let conform = repository.join("fixtures/conform");
    let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, kind) in [
        (conform.join("accept.sql"), Kind::Good),
        (conform.join("reject.sql"), Kind::Bad),
        (ours.join("bad.sql"), Kind::Bad),
    ] {
        all.extend(pieces(&read(&file), kind));
    }
    all
}

/// The same statements, whatever the comments at the top say.
fn same(one: &str, other: &str) -> bool {
    let statements =
        |text: &str| text.lines().skip_while(|line| line.starts_with("--") || line.is_empty()).collect::<String>();
    statements(one) == statements(other)
}

/// The pieces of a file: each stands below a line `--@ name | dialect`. The statements that make its tables may stand
/// before it, ended by a line `--`.
pub fn pieces(text: &str, kind: Kind) -> Vec<Text> {
    let mut pieces: Vec<Text> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("--@ ") {
            let (name, dialect) =
                head.split_once(" | ").unwrap_or_else(|| panic!("{line}: name and dialect are missing"));
            let (name, dialect) = (name.to_owned(), dialect.to_owned());
            pieces.push(Text { name, dialect, sql: String::new(), tables: None, kind });
        } else {
            let piece = pieces.last_mut().unwrap_or_else(|| panic!("{line}: this stands before the first name"));
            if line == "--" {
                piece.tables = Some(std::mem::take(&mut piece.sql));
            } else {
                piece.sql.push_str(line);
                piece.sql.push('\n');
            }
        }
    }
    pieces
}

/// Every SQL file in the folders of a folder, sorted, with the name of its folder.
fn sql_files(root: &Path) -> Vec<(String, PathBuf)> {
    let entries = |folder: &Path| {
        let all = std::fs::read_dir(folder).unwrap_or_else(|fault| panic!("{}: {fault}", folder.display()));
        all.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for case in entries(root).into_iter().filter(|path| path.is_dir()) {
        for file in entries(&case).into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "sql")) {
            all.push((case.file_name().unwrap().to_string_lossy().into_owned(), file));
        }
    }
    all.sort();
    all
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap().to_string_lossy().into_owned()
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()))
}
