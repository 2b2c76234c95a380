//! Second readers of the golden SQL: parsers that share no code and no author with the one that proves it.
//!
//! Every file of `fixtures/load` is read by sqruff in its dialect, and those of PostgreSQL by squawk too. A place that a
//! reader cannot read is a fault of ours, or one of theirs that stands in [`exceptions::ALL`] with its reason. An exception
//! that nothing needs any more is a fault as well.
//!
//! usage: `cargo run --locked --manifest-path tests/judges/Cargo.toml [PART OF A PATH]`

mod exceptions;

use exceptions::{ALL, Exception};
use sqruff_lib_core::dialects::Dialect;
use sqruff_lib_core::dialects::init::DialectKind;
use sqruff_lib_core::dialects::syntax::SyntaxKind;
use sqruff_lib_core::parser::Parser;
use sqruff_lib_core::parser::lexer::Lexer;
use sqruff_lib_core::parser::segments::Tables;
use sqruff_lib_dialects::kind_to_dialect;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a reader cannot read in a file.
struct Fault {
    reader: &'static str,
    /// The dialect and the file below `fixtures/load`.
    dialect: String,
    file: PathBuf,
    line: usize,
    text: String,
}

/// sqruff's name of each dialect of ours.
const KINDS: &[(&str, DialectKind)] = &[
    ("ansi", DialectKind::Ansi),
    ("bigquery", DialectKind::Bigquery),
    ("clickhouse", DialectKind::Clickhouse),
    ("databricks", DialectKind::Databricks),
    ("duckdb", DialectKind::Duckdb),
    ("mariadb", DialectKind::Mariadb),
    ("mysql", DialectKind::Mysql),
    ("oracle", DialectKind::Oracle),
    ("postgres", DialectKind::Postgres),
    ("redshift", DialectKind::Redshift),
    ("snowflake", DialectKind::Snowflake),
    ("sqlite", DialectKind::Sqlite),
    ("sqlserver", DialectKind::Tsql),
    ("trino", DialectKind::Trino),
];

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/load");
    let files: Vec<PathBuf> =
        sql_files(&root).into_iter().filter(|file| file.to_string_lossy().contains(&wanted)).collect();
    let faults = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            // The grammars are deep: a long expression takes more stack than a thread has by itself.
            let worker = std::thread::Builder::new().stack_size(256 << 20);
            worker
                .spawn_scoped(scope, || {
                    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let found = read(&root, file);
                        faults.lock().unwrap().extend(found);
                    }
                })
                .unwrap();
        }
    });
    let faults = faults.into_inner().unwrap();
    report(&files, &faults, wanted.is_empty())
}

/// Prints what is left over, and fails when there is any.
fn report(files: &[PathBuf], faults: &[Fault], all: bool) -> ExitCode {
    let mut used = vec![0_usize; ALL.len()];
    let mut left = 0;
    for fault in faults {
        match ALL.iter().position(|exception| excuses(exception, fault)) {
            Some(at) => used[at] += 1,
            None => {
                left += 1;
                let first: String = fault.text.lines().take(3).collect::<Vec<_>>().join("\n    ");
                println!("{} cannot read {}:{}\n    {first}", fault.reader, fault.file.display(), fault.line);
            }
        }
    }
    for (exception, _) in ALL.iter().zip(&used).filter(|(_, used)| all && **used == 0) {
        left += 1;
        println!("no file needs this exception any more: {} {} `{}`", exception.reader, exception.dialect, exception.text);
    }
    println!("{} files, {} places excused, {left} faults", files.len(), used.iter().sum::<usize>());
    if left == 0 && !files.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn excuses(exception: &Exception, fault: &Fault) -> bool {
    exception.reader == fault.reader && exception.dialect == fault.dialect && fault.text.contains(exception.text)
}

/// Everything that the readers cannot read in a file.
fn read(root: &Path, file: &Path) -> Vec<Fault> {
    let text = std::fs::read_to_string(root.join(file)).unwrap();
    let dialect = file.file_stem().unwrap().to_string_lossy().into_owned();
    let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == dialect) else {
        panic!("{}: there is no dialect {dialect}", file.display());
    };
    let grammar = kind_to_dialect(kind, None).unwrap();
    let mut found = sqruff(&text, &grammar);
    if *kind == DialectKind::Postgres {
        found.extend(squawk(&text));
    }
    let fault = |(reader, line, text)| Fault { reader, dialect: dialect.clone(), file: file.to_owned(), line, text };
    found.into_iter().map(fault).collect()
}

/// The reader, the line and the text from there on.
type Found = (&'static str, usize, String);

fn sqruff(text: &str, grammar: &Dialect) -> Vec<Found> {
    let tables = Tables::default();
    let (tokens, errors) = Lexer::from(grammar).lex(&tables, text);
    let mut found: Vec<Found> = errors.iter().map(|error| ("sqruff", 0, format!("{error:?}"))).collect();
    match Parser::from(grammar).parse(&tables, &tokens) {
        Err(error) => found.push(("sqruff", 0, error.description)),
        Ok(None) => found.push(("sqruff", 0, "nothing was read".to_owned())),
        Ok(Some(tree)) => {
            let unread = tree.recursive_crawl_all(false).into_iter().filter(|part| part.is_type(SyntaxKind::Unparsable));
            found.extend(unread.map(|part| {
                let line = part.get_position_marker().map_or(0, |marker| marker.line_no());
                ("sqruff", line, part.raw().to_string())
            }));
        }
    }
    found
}

fn squawk(text: &str) -> Vec<Found> {
    let errors = squawk_syntax::SourceFile::parse(text).errors();
    let found = errors.iter().map(|error| {
        let start = usize::from(error.range().start());
        let line = text[..start].lines().count();
        ("squawk", line, format!("{}: {}", error.message(), text[start..].lines().next().unwrap_or_default()))
    });
    found.collect()
}

/// Every SQL file below a folder, sorted, without the folder.
fn sql_files(root: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for case in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in std::fs::read_dir(case).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|ending| ending == "sql") {
                all.push(file.strip_prefix(root).unwrap().to_owned());
            }
        }
    }
    all.sort();
    all
}
