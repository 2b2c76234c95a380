//! sqruff: grammars of every dialect, ported from those of sqlfluff.

use crate::reader::Fault;
use sqruff_lib_core::dialects::Dialect;
use sqruff_lib_core::dialects::init::DialectKind;
use sqruff_lib_core::dialects::syntax::SyntaxKind;
use sqruff_lib_core::parser::Parser;
use sqruff_lib_core::parser::lexer::Lexer;
use sqruff_lib_core::parser::segments::Tables;
use sqruff_lib_dialects::kind_to_dialect;

/// The dialects that it reads, by our names.
pub const DIALECTS: &[&str] = &[
    "ansi",
    "bigquery",
    "clickhouse",
    "databricks",
    "duckdb",
    "mariadb",
    "mysql",
    "oracle",
    "postgres",
    "redshift",
    "snowflake",
    "sqlite",
    "sqlserver",
    "trino",
];

/// Dialects of whose definitions (`ALTER COLUMN`, comments, guards) and of whose bind parameters its grammar knows too little. Another
/// reader has them, or an engine that runs them.
pub const LOADS_ALONE: &[&str] = &["ansi", "bigquery", "clickhouse", "mariadb", "mysql", "sqlserver"];

/// Its grammar of a dialect.
pub fn grammar(dialect: &str) -> Result<Dialect, String> {
    let theirs = if dialect == "sqlserver" { "tsql" } else { dialect };
    let kind: DialectKind = theirs.parse().map_err(|_| format!("it has no grammar of {dialect}"))?;
    kind_to_dialect(&kind, None).ok_or_else(|| format!("it has no grammar of {dialect}"))
}

/// What it cannot read.
pub fn read(text: &str, grammar: &Dialect) -> Vec<Fault> {
    let fault = |line: usize, text: String| Fault { line, text };
    let tables = Tables::default();
    let (tokens, errors) = Lexer::from(grammar).lex(&tables, text);
    let message = |error: String| error.split(", position_marker").next().unwrap_or_default().to_owned();
    let mut found: Vec<Fault> = errors.iter().map(|error| fault(0, message(format!("{error:?}")))).collect();
    match Parser::from(grammar).parse(&tables, &tokens) {
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
