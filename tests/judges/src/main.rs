//! Second readers of the golden SQL: parsers that share no code and no author with the one that proves it.
//!
//! Every file of `fixtures/load` is read by sqruff in its dialect, and those of PostgreSQL by squawk too. A place that a
//! reader cannot read is a fault of ours, unless it is one of theirs that stands in [`exceptions::ALL`] with its reason. An
//! exception that nothing needs any more is a fault as well.
//!
//! `cargo test` reads them all; `cargo run -- PART` those whose path has that part.

mod exceptions;

use exceptions::ALL;
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
    line: usize,
    text: String,
}

/// A file that was read.
struct Read {
    file: PathBuf,
    faults: Vec<Fault>,
    /// The exceptions that its text had.
    excused: Vec<usize>,
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
    if judge(&wanted) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads every file with this part in its path, prints what is wrong and says how much it is.
fn judge(wanted: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/load");
    let files: Vec<PathBuf> =
        sql_files(&root).into_iter().filter(|file| file.to_string_lossy().contains(wanted)).collect();
    let all = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            // The grammars are deep: a long expression takes more stack than a thread has by itself.
            let worker = std::thread::Builder::new().stack_size(256 << 20);
            let work = || {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let read = read(&root, file);
                    all.lock().unwrap().push(read);
                }
            };
            worker.spawn_scoped(scope, work).unwrap();
        }
    });
    let mut all = all.into_inner().unwrap();
    all.sort_by(|a, b| a.file.cmp(&b.file));
    report(&root, &all, wanted.is_empty())
}

/// Prints what is wrong and counts it.
fn report(root: &Path, all: &[Read], every_file: bool) -> usize {
    let mut wrong = 0;
    for read in all {
        for fault in &read.faults {
            wrong += 1;
            let first: Vec<&str> = fault.text.lines().take(4).collect();
            println!(
                "{} cannot read {}:{}\n    {}",
                fault.reader,
                read.file.display(),
                fault.line,
                first.join("\n    ")
            );
        }
    }
    for (at, exception) in ALL.iter().enumerate().filter(|_| every_file) {
        for dialect in exception.dialects {
            let file = all.iter().find(|read| read.excused.contains(&at) && dialect_of(&read.file) == *dialect);
            let needed =
                file.is_some_and(|read| !sqruff(&excused(root, &read.file, Some(at)).0, grammar(dialect)).is_empty());
            if !needed {
                wrong += 1;
                println!(
                    "nothing in {dialect} needs this exception any more: `{}` ({})",
                    exception.text, exception.because
                );
            }
        }
    }
    println!("{} files read, {wrong} faults", all.len());
    // Nothing read proves nothing.
    wrong + usize::from(all.is_empty())
}

/// Everything that the readers cannot read in a file.
fn read(root: &Path, file: &Path) -> Read {
    let dialect = dialect_of(file);
    let (text, exceptions) = excused(root, file, None);
    let mut faults = sqruff(&text, grammar(&dialect));
    if dialect == "postgres" {
        faults.extend(squawk(&std::fs::read_to_string(root.join(file)).unwrap()));
    }
    Read { file: file.to_owned(), faults, excused: exceptions }
}

fn dialect_of(file: &Path) -> String {
    file.file_stem().unwrap().to_string_lossy().into_owned()
}

fn grammar(dialect: &str) -> Dialect {
    let kind = KINDS.iter().find(|(name, _)| *name == dialect).map(|(_, kind)| kind);
    kind_to_dialect(kind.unwrap_or_else(|| panic!("there is no dialect {dialect}")), None).unwrap()
}

/// The text of a file with its exceptions replaced, all but one, and which there were.
fn excused(root: &Path, file: &Path, without: Option<usize>) -> (String, Vec<usize>) {
    let dialect = dialect_of(file);
    let mut text = std::fs::read_to_string(root.join(file)).unwrap();
    let mut found = Vec::new();
    for (at, exception) in ALL.iter().enumerate() {
        if exception.dialects.contains(&dialect.as_str()) && Some(at) != without {
            let replaced = replaced(&text, exception.text, exception.instead);
            if replaced != text {
                found.push(at);
                text = replaced;
            }
        }
    }
    (text, found)
}

/// Replaces every occurrence of a pattern that may hold one `*`.
fn replaced(text: &str, pattern: &str, instead: &str) -> String {
    let Some((before, behind)) = pattern.split_once('*') else { return text.replace(pattern, instead) };
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(before) {
        let inner = &rest[start + before.len()..];
        let line = inner.find('\n').unwrap_or(inner.len());
        match inner[..line].find(behind) {
            Some(end) => {
                out.push_str(&rest[..start]);
                out.push_str(&instead.replace('*', &inner[..end]));
                rest = &inner[end + behind.len()..];
            }
            None => {
                out.push_str(&rest[..start + before.len()]);
                rest = inner;
            }
        }
    }
    out + rest
}

fn sqruff(text: &str, grammar: Dialect) -> Vec<Fault> {
    let fault = |line: usize, text: String| Fault { reader: "sqruff", line, text };
    let tables = Tables::default();
    let (tokens, errors) = Lexer::from(&grammar).lex(&tables, text);
    let message = |error: String| error.split(", position_marker").next().unwrap_or_default().to_owned();
    let mut found: Vec<Fault> = errors.iter().map(|error| fault(0, message(format!("{error:?}")))).collect();
    match Parser::from(&grammar).parse(&tables, &tokens) {
        Err(error) => found.push(fault(0, error.description)),
        Ok(None) => found.push(fault(0, "nothing was read".to_owned())),
        Ok(Some(tree)) => {
            let unread =
                tree.recursive_crawl_all(false).into_iter().filter(|part| part.is_type(SyntaxKind::Unparsable));
            found.extend(unread.map(|part| {
                let line = part.get_position_marker().map_or(0, |marker| marker.line_no());
                fault(line, part.raw().to_string())
            }));
        }
    }
    found
}

fn squawk(text: &str) -> Vec<Fault> {
    let errors = squawk_syntax::SourceFile::parse(text).errors();
    let fault = |error: &squawk_syntax::syntax_error::SyntaxError| {
        let start = usize::from(error.range().start());
        let line = text[..start].matches('\n').count() + 1;
        let text = format!("{}: {}", error.message(), text[start..].lines().next().unwrap_or_default());
        Fault { reader: "squawk", line, text }
    };
    errors.iter().map(fault).collect()
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

#[cfg(test)]
mod tests {
    use super::{ALL, KINDS, grammar, judge, replaced, sqruff, squawk};

    #[test]
    fn every_golden_file_is_read() {
        assert_eq!(judge(""), 0, "see above");
    }

    #[test]
    fn a_star_stands_for_the_shortest_text_of_a_line() {
        assert_eq!(replaced("LOCK a IN X; LOCK b.c IN X;\nLOCK d", "LOCK * IN X;", "(*)"), "(a) (b.c)\nLOCK d");
        assert_eq!(replaced("LOCK a\n IN X;", "LOCK * IN X;", ""), "LOCK a\n IN X;");
    }

    #[test]
    fn the_readers_refuse_what_is_broken() {
        for (dialect, _) in KINDS {
            assert!(!sqruff("INSERT INTO t (a VALUES (1);", grammar(dialect)).is_empty(), "{dialect}");
            assert!(sqruff("SELECT a FROM t;", grammar(dialect)).is_empty(), "{dialect}");
        }
        assert!(!squawk("INSERT INTO t (a VALUES (1);").is_empty());
    }

    #[test]
    fn every_exception_is_explained() {
        assert!(ALL.iter().all(|exception| exception.because.len() > 20 && !exception.dialects.is_empty()));
    }
}
