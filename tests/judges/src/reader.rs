//! The second readers: parsers that share no code and no author with the one that proves our SQL.

use crate::program;
use crate::{sqruff, squawk};

/// A parser of other people.
pub struct Reader {
    /// What exceptions and messages call it.
    pub name: &'static str,
    /// What the docs call it.
    pub title: &'static str,
    /// The dialects that it reads.
    pub dialects: &'static [&'static str],
    /// Makes it ready to read a dialect.
    pub open: fn(&str) -> Result<Open, String>,
}

/// Reads a text, given the statements that make its tables, and gives what it could not read; an error when the reader
/// itself failed.
pub type Open = Box<dyn FnMut(&str, Option<&str>) -> Result<Vec<Fault>, String>>;

/// What a reader cannot read.
#[derive(Debug, serde::Deserialize)]
pub struct Fault {
    /// The line, from 1; 0 where the reader does not say.
    pub line: usize,
    /// What is wrong, or the text that cannot be read.
    pub text: String,
}

/// Every reader. Where several read a dialect, the first is the nearest to the engine, and the docs name it.
pub const ALL: &[Reader] = &[
    Reader {
        name: "scriptdom",
        title: "ScriptDom 15.0, Microsoft's parser, by SQL Server 2016's grammar",
        dialects: &["sqlserver"],
        open: |_| program::open(&["python", "sqlserver.py", "scriptdom"]),
    },
    Reader {
        name: "zetasql",
        title: "ZetaSQL, Google's parser and resolver",
        dialects: &["bigquery"],
        open: |_| program::open(&["python", "bigquery.py"]),
    },
    Reader {
        name: "pglast",
        title: "the parser of PostgreSQL 18",
        dialects: &["postgres", "redshift"],
        open: |_| program::open(&["python", "postgres.py"]),
    },
    Reader { name: "antlr", title: "the PL/SQL grammar of ANTLR", dialects: &["oracle"], open: grammar },
    Reader { name: "workbench", title: "the grammar of MySQL Workbench 8.0", dialects: &["mysql"], open: grammar },
    Reader {
        name: "dt-sql-parser",
        title: "the Trino grammar of dt-sql-parser 4.5",
        dialects: &["trino"],
        open: grammar,
    },
    Reader {
        name: "dt-sql-parser",
        title: "the Spark grammar of dt-sql-parser 4.5",
        dialects: &["databricks"],
        open: grammar,
    },
    Reader {
        name: "squawk",
        title: "squawk 2.68",
        dialects: &["postgres"],
        open: |_| Ok(Box::new(|sql, _| Ok(squawk::read(sql)))),
    },
    Reader {
        name: "sqruff",
        title: "sqruff 0.44",
        dialects: sqruff::DIALECTS,
        open: |dialect| {
            let grammar = sqruff::grammar(dialect)?;
            Ok(Box::new(move |sql, _| Ok(sqruff::read(sql, &grammar))))
        },
    },
];

fn grammar(dialect: &str) -> Result<Open, String> {
    program::open(&["node", "grammars.mjs", "modules", dialect])
}
