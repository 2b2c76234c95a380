//! One statement: which it is, and its clauses.

use super::Fault;
use super::change::{self, Copy, Delete, Insert, Update};
use super::cursor::Cursor;
use super::define::{self, Alter, Create, Drop};
use super::merge::{self, Merge};
use super::query::{self, Query};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Verb<'a> {
    /// INSERT, REPLACE.
    Insert(Insert<'a>),
    /// UPDATE.
    Update(Update<'a>),
    /// DELETE.
    Delete(Delete<'a>),
    /// MERGE.
    Merge(Merge<'a>),
    /// COPY, LOAD DATA, BULK INSERT into a table.
    Copy(Copy<'a>),
    /// TRUNCATE: the tables.
    Truncate(Vec<Name<'a>>),
    /// CREATE.
    Create(Create<'a>),
    /// DROP.
    Drop(Drop<'a>),
    /// ALTER.
    Alter(Alter<'a>),
    /// RENAME TABLE a TO b, `sp_rename`.
    Rename,
    /// BEGIN, COMMIT, ROLLBACK.
    Transaction(Transaction),
    /// SELECT, WITH .. SELECT, VALUES.
    Query(Box<Query<'a>>),
    /// EXECUTE of a string that is put together when it runs.
    Dynamic,
    /// Anything that changes no rows and no definitions: SET, GRANT, ANALYZE, CALL.
    Plain,
}

impl<'a> Verb<'a> {
    /// The tables and other objects that it changes or defines.
    pub fn tables(&self) -> Vec<Name<'a>> {
        match self {
            Self::Insert(insert) => vec![insert.target],
            Self::Update(update) => vec![update.table()],
            Self::Delete(delete) => vec![delete.table()],
            Self::Merge(merge) => vec![merge.target],
            Self::Copy(copy) => vec![copy.target],
            Self::Truncate(names) => names.clone(),
            Self::Create(create) => create.name.into_iter().chain(create.on).collect(),
            Self::Drop(drop) => drop.names.iter().copied().chain(drop.on).collect(),
            Self::Alter(alter) => vec![alter.name],
            Self::Rename | Self::Transaction(_) | Self::Query(_) | Self::Dynamic | Self::Plain => Vec::new(),
        }
    }
}

/// What a statement does to the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// BEGIN, START TRANSACTION.
    Begin,
    /// COMMIT, END.
    Commit,
    /// ROLLBACK, ABORT.
    Rollback,
    /// ROLLBACK TO, SAVEPOINT, RELEASE.
    Savepoint,
    /// `SET autocommit = 0`, `SET IMPLICIT_TRANSACTIONS ON`
    NoAutocommit,
}

/// First words of statements that change neither rows nor definitions.
const PLAIN: &[&str] = &[
    "set",
    "reset",
    "grant",
    "revoke",
    "deny",
    "comment",
    "analyze",
    "analyse",
    "vacuum",
    "explain",
    "show",
    "describe",
    "desc",
    "use",
    "call",
    "exec",
    "execute",
    "perform",
    "return",
    "returns",
    "raise",
    "raiserror",
    "throw",
    "print",
    "declare",
    "open",
    "close",
    "fetch",
    "deallocate",
    "prepare",
    "listen",
    "notify",
    "unlisten",
    "lock",
    "unlock",
    "reindex",
    "cluster",
    "refresh",
    "discard",
    "checkpoint",
    "load",
    "security",
    "reassign",
    "import",
    "attach",
    "detach",
    "pragma",
    "install",
    "export",
    "kill",
    "optimize",
    "msck",
    "cache",
    "uncache",
    "clear",
    "invalidate",
    "exit",
    "continue",
    "leave",
    "iterate",
    "goto",
    "break",
    "next",
    "null",
    "get",
    "put",
    "list",
    "ls",
    "remove",
    "rm",
    "undrop",
    "flush",
    "check",
    "repair",
    "system",
    "exists",
    "watch",
    "waitfor",
    "signal",
    "resignal",
    "dbcc",
    "enable",
    "disable",
    "backup",
    "restore",
    "purge",
    "flashback",
    "audit",
    "noaudit",
    "associate",
    "validate",
    "assert",
    "let",
    "do",
    "end",
    "move",
    "elsif",
    "handler",
    "delimiter",
    "go",
    "checkpoint",
    "stop",
    "start",
    "resume",
    "suspend",
    "alias",
    "unload",
    "option",
    "reconfigure",
    "pipe",
    "add",
    "unset",
    "summarize",
    "pivot",
    "from",
    "force",
    "prompt",
    "whenever",
    "spool",
    "exchange",
];

/// The place of the verb: 0, or behind the WITH list.
pub(super) fn behind_with(sql: Sql<'_>) -> usize {
    if !sql.is(0, "with") {
        return 0;
    }
    sql.find(1, &["insert", "update", "delete", "merge", "select", "replace", "values"]).unwrap_or(0)
}

/// Reads one statement.
pub fn read(sql: Sql<'_>) -> Result<Verb<'_>, Fault> {
    if let Some(fault) = unbalanced(sql) {
        return Err(fault);
    }
    // A hole at the start that is none of SQL's: `{{ config(..) }}`
    let bare = if sql.kind(0) == Some(Kind::Hole) && sql.len() > 1 { sql.from(1) } else { sql };
    if !sql.is_empty() && (0..sql.len()).all(|at| sql.kind(at) == Some(Kind::Hole)) {
        return Ok(Verb::Plain);
    }
    read_nested(bare, 0)
}

/// A bracket without its partner.
fn unbalanced(sql: Sql<'_>) -> Option<Fault> {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..sql.len() {
        match sql.kind(at) {
            Some(Kind::Open) => open.push(at),
            Some(Kind::Close) if open.pop().is_none() => {
                return Some(Fault { range: sql.bytes(at), message: "this bracket was never opened".to_owned() });
            }
            _ => {}
        }
    }
    open.pop().map(|at| Fault { range: sql.bytes(at), message: "this bracket is never closed".to_owned() })
}

/// Reads one statement inside others.
pub(super) fn read_nested(sql: Sql<'_>, depth: usize) -> Result<Verb<'_>, Fault> {
    let mut c = Cursor::new(sql);
    // `( SELECT .. )`
    if c.kind() == Some(Kind::Open) {
        return Ok(Verb::Query(Box::new(query::query(&mut c, depth)?)));
    }
    let start = c.at;
    let with = if c.is("with") { query::with(&mut c, depth)? } else { Vec::new() };
    let word = if c.kind() == Some(Kind::Word) { sql.text(c.at).to_ascii_lowercase() } else { String::new() };
    Ok(match word.as_str() {
        "insert" => Verb::Insert(change::insert(&mut c, with, depth)?),
        "replace" if c.sql.is(c.at + 1, "into") || c.sql.name(c.at + 1).is_some() => {
            Verb::Insert(change::insert(&mut c, with, depth)?)
        }
        "update" if c.sql.is_any(c.at + 1, &["statistics"]) => Verb::Plain,
        "update" => Verb::Update(change::update(&mut c, with, depth)?),
        "delete" => Verb::Delete(change::delete(&mut c, with, depth)?),
        "merge" => Verb::Merge(merge::merge(&mut c, with, depth)?),
        "select" | "values" | "from" | "table" => {
            Verb::Query(Box::new(query::query_behind_with(&mut c, start, with, depth)?))
        }
        _ if !with.is_empty() => return c.fault("SELECT, INSERT, UPDATE, DELETE or MERGE"),
        _ => return plain(&mut c, &word, depth),
    })
}

fn plain<'a>(c: &mut Cursor<'a>, word: &str, depth: usize) -> Result<Verb<'a>, Fault> {
    let sql = c.sql;
    Ok(match word {
        "create" => Verb::Create(define::create(c, depth)?),
        "drop" => Verb::Drop(define::drop(c)?),
        "alter" => define::alter(c)?.map_or(Verb::Plain, Verb::Alter),
        "copy" => change::copy(c)?.map_or(Verb::Plain, Verb::Copy),
        "load" if sql.is_any(1, &["data", "xml"]) => change::copy(c)?.map_or(Verb::Plain, Verb::Copy),
        "bulk" => change::copy(c)?.map_or(Verb::Plain, Verb::Copy),
        "truncate" => truncate(c)?,
        "rename" => Verb::Rename,
        "begin" => Verb::Transaction(Transaction::Begin),
        "start" if sql.is(1, "transaction") => Verb::Transaction(Transaction::Begin),
        "commit" => Verb::Transaction(Transaction::Commit),
        "end" if sql.len() == 1 || sql.is_any(1, &["transaction", "work"]) => Verb::Transaction(Transaction::Commit),
        "rollback" | "abort" if sql.find(1, &["to"]).is_none() => Verb::Transaction(Transaction::Rollback),
        "savepoint" | "release" | "save" | "rollback" => Verb::Transaction(Transaction::Savepoint),
        "set" if sql.is(1, "autocommit") && (sql.text(sql.len() - 1) == "0" || sql.is(sql.len() - 1, "off")) => {
            Verb::Transaction(Transaction::NoAutocommit)
        }
        "set" if sql.words(1, &["implicit_transactions", "on"]) => Verb::Transaction(Transaction::NoAutocommit),
        "exec" | "execute" | "sp_rename" if sql.mentions("sp_rename") => Verb::Rename,
        // The first statement of a batch may call a system procedure without EXEC.
        _ if word.starts_with("sp_") || word.starts_with("xp_") => Verb::Plain,
        "execute" | "exec" if dynamic(sql) => Verb::Dynamic,
        _ if PLAIN.contains(&word) => Verb::Plain,
        // An assignment of a procedural language, a call, a declaration without its word: `x := 1`, `p(1)`.
        _ if sql.symbol(1, ":=") || sql.symbol(1, "=") || sql.symbol(1, ".") => Verb::Plain,
        _ => {
            let behind = sql.name(0).map(|(_, end)| end);
            match behind {
                Some(end)
                    if end == sql.len()
                        || sql.kind(end) == Some(Kind::Open)
                        || sql.symbol(end, ":=")
                        || sql.symbol(end, "=") =>
                {
                    Verb::Plain
                }
                _ => return c.fault("a statement"),
            }
        }
    })
}

/// EXECUTE of something that is no literal and no prepared statement.
fn dynamic(sql: Sql<'_>) -> bool {
    let at = 1 + usize::from(sql.is(1, "immediate"));
    let built = sql.kind(at) == Some(Kind::Open) || sql.is(at, "format") || (0..sql.len()).any(|i| sql.symbol(i, "||"));
    let variable = sql.kind(at) == Some(Kind::Variable) && sql.is(0, "exec")
        || sql.is(1, "immediate") && sql.kind(at) != Some(Kind::Text) && sql.kind(at) != Some(Kind::Body);
    let literal = sql.kind(at) == Some(Kind::Open)
        && matches!(sql.kind(at + 1), Some(Kind::Text))
        && sql.kind(at + 2) == Some(Kind::Close);
    (built || variable || sql.is(at, "sp_executesql") && sql.kind(at + 1) == Some(Kind::Variable)) && !literal
}

fn truncate<'a>(c: &mut Cursor<'a>) -> Result<Verb<'a>, Fault> {
    c.eat("truncate");
    c.eat("table");
    c.eat_words(&["if", "exists"]);
    c.eat("only");
    let mut names = Vec::new();
    while let Some(name) = c.name() {
        names.push(name);
        if !c.eat_kind(Kind::Comma) {
            break;
        }
    }
    if names.is_empty() { c.fault("the name of a table") } else { Ok(Verb::Truncate(names)) }
}
