//! Statements that change rows: INSERT, UPDATE, DELETE, and the bulk loads.

use super::Fault;
use super::cursor::Cursor;
use super::query::{self, Common, Query, Relation};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql, folded};

/// How an INSERT treats the rows that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `INSERT INTO`
    Into,
    /// `INSERT IGNORE`, `INSERT OR IGNORE`
    Ignore,
    /// `REPLACE INTO`, `INSERT OR REPLACE`
    Replace,
    /// `INSERT OVERWRITE`, `INSERT INTO t REPLACE WHERE`
    Overwrite,
}

/// INSERT and REPLACE.
#[derive(Clone, Debug)]
pub struct Insert<'a> {
    /// The WITH list before it.
    pub with: Vec<Common<'a>>,
    /// How it treats the rows that are there.
    pub mode: Mode,
    /// The table.
    pub target: Name<'a>,
    /// Its alias as it is compared.
    pub alias: Option<String>,
    /// The columns, as they are compared; empty when the statement lists none.
    pub columns: Vec<String>,
    /// Where a column list ends, or would stand: behind the table's name.
    pub partition: Option<Sql<'a>>,
    /// The rows.
    pub source: Source<'a>,
    /// ON CONFLICT, ON DUPLICATE KEY UPDATE.
    pub conflict: Option<Conflict<'a>>,
}

/// Where the rows of an INSERT come from.
#[derive(Clone, Debug)]
pub enum Source<'a> {
    /// VALUES: the rows, each with its values.
    Values(Vec<Vec<Sql<'a>>>),
    /// A query.
    Query(Box<Query<'a>>),
    /// `DEFAULT VALUES`, `SET a = 1`: one row.
    Row(Vec<Assignment<'a>>),
    /// A procedure, a file, the rows behind the statement: nothing that stands in it.
    Elsewhere,
}

/// `column = value`
#[derive(Clone, Debug)]
pub struct Assignment<'a> {
    /// The column's last name as it is compared.
    pub column: String,
    /// The value.
    pub value: Sql<'a>,
    /// All of it.
    pub sql: Sql<'a>,
}

/// What happens to a row whose key is there.
#[derive(Clone, Debug)]
pub struct Conflict<'a> {
    /// All of the clause.
    pub sql: Sql<'a>,
    /// ON DUPLICATE KEY UPDATE, and not ON CONFLICT.
    pub duplicate_key: bool,
    /// Which key is meant.
    pub target: ConflictTarget<'a>,
    /// What is done.
    pub action: ConflictAction<'a>,
}

/// Which key an ON CONFLICT clause means.
#[derive(Clone, Debug)]
pub enum ConflictTarget<'a> {
    /// Any.
    Any,
    /// The one with these columns (or expressions), with its predicate.
    Columns(Vec<Sql<'a>>, Option<Sql<'a>>),
    /// The constraint of that name.
    Constraint(Name<'a>),
}

/// What a conflict clause does.
#[derive(Clone, Debug)]
pub enum ConflictAction<'a> {
    /// Nothing.
    Nothing,
    /// Sets columns, where the guard holds.
    Update(Vec<Assignment<'a>>, Option<Sql<'a>>),
}

/// UPDATE.
#[derive(Clone, Debug)]
pub struct Update<'a> {
    /// The WITH list before it.
    pub with: Vec<Common<'a>>,
    /// The table, or its alias where FROM or a join says which table that is.
    pub target: Name<'a>,
    /// Its alias as it is compared.
    pub alias: Option<String>,
    /// The relations of FROM and of joins.
    pub from: Vec<Relation<'a>>,
    /// SET.
    pub sets: Vec<Assignment<'a>>,
    /// WHERE.
    pub filter: Option<Sql<'a>>,
    /// LIMIT or TOP.
    pub limited: bool,
}

/// DELETE.
#[derive(Clone, Debug)]
pub struct Delete<'a> {
    /// The WITH list before it.
    pub with: Vec<Common<'a>>,
    /// The table.
    pub target: Name<'a>,
    /// Its alias as it is compared.
    pub alias: Option<String>,
    /// The relations of USING, FROM and joins.
    pub using: Vec<Relation<'a>>,
    /// WHERE.
    pub filter: Option<Sql<'a>>,
    /// LIMIT or TOP.
    pub limited: bool,
}

/// COPY, LOAD DATA, BULK INSERT: rows of a file into a table.
#[derive(Clone, Debug)]
pub struct Copy<'a> {
    /// The table.
    pub target: Name<'a>,
    /// The words for it: `COPY`, `LOAD DATA`.
    pub verb: &'static str,
    /// The rows stand behind the statement, in the script itself.
    pub inline: bool,
    /// It says that what is there is replaced: `OVERWRITE`, `REPLACE`.
    pub replaces: bool,
    /// It says that rows whose key is there are skipped: `IGNORE`.
    pub ignores: bool,
    /// It says that a file that was loaded before is loaded again: `FORCE = TRUE`.
    pub forced: bool,
}

/// Reads INSERT or REPLACE behind its WITH list.
pub(super) fn insert<'a>(c: &mut Cursor<'a>, with: Vec<Common<'a>>, depth: usize) -> Result<Insert<'a>, Fault> {
    let mut mode = if c.eat("replace") { Mode::Replace } else { Mode::Into };
    c.eat("insert");
    while c.eat_any(&["low_priority", "delayed", "high_priority"]) {}
    if c.eat("ignore") {
        mode = Mode::Ignore;
    }
    if c.eat("or") {
        mode = match c.sql.text(c.at).to_ascii_lowercase().as_str() {
            "ignore" => Mode::Ignore,
            "replace" => Mode::Replace,
            _ => Mode::Into,
        };
        c.at += 1;
    }
    if c.eat("top") {
        c.brackets();
    }
    // Oracle and Snowflake: INSERT ALL INTO a .. INTO b .. SELECT; the first table stands for all.
    let many = c.is_any(&["all", "first"]);
    if c.is("overwrite") && c.sql.is_any(c.at + 1, &["all", "first"]) {
        mode = Mode::Overwrite;
        c.at += 2;
    } else if many {
        c.at += 1;
    }
    if many && c.is("when") {
        c.until(&["into"]);
    }
    if c.eat("overwrite") {
        mode = Mode::Overwrite;
        c.eat_any(&["into", "table", "directory", "local"]);
        c.eat("table");
    } else if c.eat("into") {
        c.eat_any(&["table", "function"]);
    }
    let Some(target) = c.name() else { return c.fault("the name of a table") };
    let mut insert = Insert {
        with,
        mode,
        target,
        alias: None,
        columns: Vec::new(),
        partition: None,
        source: Source::Elsewhere,
        conflict: None,
    };
    before_source(c, &mut insert)?;
    insert.source = source(c, depth, many)?;
    behind_source(c, &mut insert)?;
    Ok(insert)
}

fn before_source<'a>(c: &mut Cursor<'a>, insert: &mut Insert<'a>) -> Result<(), Fault> {
    loop {
        let query = c.sql.inside(c.at).bare().is_any(0, &["select", "with", "values", "from"]);
        if c.kind() == Some(Kind::Open) && !query {
            let Some(list) = c.brackets() else { continue };
            insert.columns =
                list.commas().into_iter().map(|one| one.as_name().map_or_else(|| one.normal(), Name::last)).collect();
        } else if c.eat("partition") {
            insert.partition = c.brackets();
            c.eat_words(&["if", "not", "exists"]);
        } else if c.is("replace") && c.sql.is_any(c.at + 1, &["where", "using", "on"]) {
            insert.mode = Mode::Overwrite;
            c.at += 2;
            insert.partition = Some(c.until(&["select", "with", "values", "table", "from"]));
        } else if c.is("overriding") {
            c.at += 3;
        } else if c.eat("output") {
            c.until(&["select", "values", "with", "exec", "execute", "default", "from"]);
        } else if c.eat_words(&["by", "name"]) || c.eat_words(&["by", "position"]) {
        } else if c.is("with") && c.sql.kind(c.at + 1) == Some(Kind::Open) {
            c.at += 1;
            c.brackets();
        } else if c.is_any(&["settings", "format"]) && c.sql.kind(c.at + 1) == Some(Kind::Word) {
            c.at += 1;
            c.until(&["select", "values", "with", "format"]);
        } else if c.eat("as") {
            insert.alias = c.name().map(Name::last);
        } else if insert.alias.is_none()
            && insert.columns.is_empty()
            && c.kind() == Some(Kind::Word)
            && !c.is_any(SOURCES)
        {
            insert.alias = c.name().map(Name::last);
            if c.done() {
                return c.fault("VALUES or SELECT");
            }
        } else {
            return Ok(());
        }
    }
}

/// Words that begin the rows of an INSERT, or end the statement without any.
const SOURCES: &[&str] = &[
    "values",
    "value",
    "select",
    "with",
    "from",
    "table",
    "default",
    "set",
    "exec",
    "execute",
    "call",
    "on",
    "format",
    "replace",
    "partition",
    "output",
    "overriding",
    "by",
    "returning",
];

fn source<'a>(c: &mut Cursor<'a>, depth: usize, many: bool) -> Result<Source<'a>, Fault> {
    if many {
        c.until(&["select", "with"]);
    }
    if c.eat_any(&["values", "value"]) {
        let rows = query::rows(c);
        if rows.is_empty() && matches!(c.kind(), Some(Kind::Variable | Kind::Hole)) {
            c.at += 1;
            return Ok(Source::Elsewhere);
        }
        // A comma behind the last row is none of ours to judge; `VALUES` alone takes its rows from the connection.
        return Ok(if rows.is_empty() { Source::Elsewhere } else { Source::Values(rows) });
    }
    if c.eat_words(&["default", "values"]) {
        return Ok(Source::Row(Vec::new()));
    }
    if c.eat("set") {
        return Ok(Source::Row(assignments(c, &["on", "as", "returning"])));
    }
    if c.is_any(&["exec", "execute", "call", "format"]) || matches!(c.kind(), Some(Kind::Hole | Kind::Variable)) {
        c.rest();
        return Ok(Source::Elsewhere);
    }
    if c.is_any(&["select", "with", "from", "table"]) || c.kind() == Some(Kind::Open) {
        return Ok(Source::Query(Box::new(query::query(c, depth)?)));
    }
    c.fault("VALUES or SELECT")
}

fn behind_source<'a>(c: &mut Cursor<'a>, insert: &mut Insert<'a>) -> Result<(), Fault> {
    if c.is("as") && matches!(c.sql.kind(c.at + 1), Some(Kind::Word | Kind::Name)) {
        c.at += 2;
        c.brackets();
    }
    while c.is("on") {
        let start = c.at;
        c.at += 1;
        if c.eat("conflict") {
            let read = on_conflict(c, start)?;
            insert.conflict.get_or_insert(read);
        } else if c.eat_words(&["duplicate", "key", "update"]) {
            let sets = assignments(c, &["returning"]);
            let sql = c.sql.slice(start..c.at);
            let action = ConflictAction::Update(sets, None);
            insert.conflict = Some(Conflict { sql, duplicate_key: true, target: ConflictTarget::Any, action });
        } else {
            return c.fault("CONFLICT or DUPLICATE KEY UPDATE");
        }
    }
    if c.eat("returning") || c.is_any(&["log", "settings", "format", "option"]) {
        c.rest();
    }
    if c.done() { Ok(()) } else { c.fault("the end of the statement") }
}

fn on_conflict<'a>(c: &mut Cursor<'a>, start: usize) -> Result<Conflict<'a>, Fault> {
    let mut target = ConflictTarget::Any;
    if let Some(list) = c.brackets() {
        let predicate = c.eat("where").then(|| c.until(&["do"]));
        target = ConflictTarget::Columns(list.commas(), predicate);
    } else if c.eat_words(&["on", "constraint"]) {
        match c.name() {
            Some(name) => target = ConflictTarget::Constraint(name),
            None => return c.fault("the name of a constraint"),
        }
    }
    if !c.eat("do") {
        return c.fault("DO");
    }
    let action = if c.eat("nothing") {
        ConflictAction::Nothing
    } else if c.eat_words(&["update", "set"]) {
        let sets = assignments(c, &["where", "returning", "on"]);
        let guard = c.eat("where").then(|| c.until(&["returning", "on"]));
        ConflictAction::Update(sets, guard)
    } else {
        return c.fault("NOTHING or UPDATE SET");
    };
    Ok(Conflict { sql: c.sql.slice(start..c.at), duplicate_key: false, target, action })
}

/// The list behind SET, up to one of the words.
pub(super) fn assignments<'a>(c: &mut Cursor<'a>, stops: &[&str]) -> Vec<Assignment<'a>> {
    let start = c.at;
    loop {
        c.until(stops);
        // An operator or a name of the same spelling.
        if c.done() || c.at == start || !c.is("on") || c.sql.is_any(c.at + 1, &["conflict", "duplicate"]) {
            break;
        }
        c.at += 1;
    }
    let mut all = Vec::new();
    for sql in c.sql.slice(start..c.at).commas() {
        let signs = ["=", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];
        let equals = sql.top().find(|at| signs.iter().any(|sign| sql.symbol(*at, sign)));
        let Some(equals) = equals else { continue };
        let (left, value) = (sql.slice(0..equals), sql.from(equals + 1));
        if left.kind(0) == Some(Kind::Open) {
            pairs(left.bare(), value, sql, &mut all);
            continue;
        }
        // `SET @x = column = value` of T-SQL.
        let inner = value.top().find(|at| value.symbol(*at, "=")).filter(|_| left.kind(0) == Some(Kind::Variable));
        let (left, value) = inner.map_or((left, value), |at| (value.slice(0..at), value.from(at + 1)));
        if let Some(name) = left.as_name() {
            // `x += 1` is an assignment whose value begins with the column.
            let value = if sql.symbol(equals, "=") || sql.symbol(equals, ":=") { value } else { sql };
            all.push(Assignment { column: name.last(), value, sql });
        } else if let Some((name, _)) = left.name(0) {
            // An element of an array or a document: `a[1] = 2`, `doc.field = 2`.
            all.push(Assignment { column: name.last(), value, sql });
        }
    }
    all
}

/// `(a, b) = (1, 2)`; with a query on the right, each column gets all of it.
fn pairs<'a>(left: Sql<'a>, value: Sql<'a>, sql: Sql<'a>, all: &mut Vec<Assignment<'a>>) {
    let columns = left.commas();
    let value = if value.is(0, "row") { value.from(1) } else { value };
    let values = value.bare().commas();
    let query = value.bare().is_any(0, &["select", "with"]);
    for (at, column) in columns.iter().enumerate() {
        let Some(name) = column.as_name() else { continue };
        let value = if query || values.len() != columns.len() { value } else { values[at] };
        all.push(Assignment { column: name.last(), value, sql });
    }
}

/// Reads UPDATE behind its WITH list.
pub(super) fn update<'a>(c: &mut Cursor<'a>, with: Vec<Common<'a>>, depth: usize) -> Result<Update<'a>, Fault> {
    c.eat("update");
    let mut limited = false;
    if c.eat("top") {
        limited = true;
        if c.brackets().is_none() {
            c.at += 1;
        }
        c.eat("percent");
    }
    c.eat_any(&["low_priority", "ignore", "only"]);
    if c.eat("or") {
        c.at += 1;
    }
    let mut from = query::relations(c, depth)?;
    let first = from.remove(0);
    let query::Table::Name(target) = first.table else { return c.fault("the name of a table") };
    // ClickHouse: ALTER TABLE t UPDATE; Redshift and T-SQL may say FROM before SET.
    if c.eat("from") {
        from.extend(query::relations(c, depth)?);
    }
    if !c.eat("set") {
        return c.fault("SET");
    }
    let sets = assignments(c, &["from", "where", "returning", "order", "limit", "output", "option"]);
    if sets.is_empty() {
        return c.fault("`column = value`");
    }
    if c.eat("output") {
        c.until(&["from", "where", "option"]);
    }
    if c.eat("from") {
        from.extend(query::relations(c, depth)?);
    }
    let filter = c.eat("where").then(|| c.until(&["returning", "order", "limit", "option", "output"]));
    limited |= c.is("limit") || (c.is("order") && c.sql.find(c.at, &["limit"]).is_some());
    c.rest();
    Ok(Update { with, target, alias: first.alias, from, sets, filter, limited })
}

/// Reads DELETE behind its WITH list.
pub(super) fn delete<'a>(c: &mut Cursor<'a>, with: Vec<Common<'a>>, depth: usize) -> Result<Delete<'a>, Fault> {
    c.eat("delete");
    let mut limited = false;
    if c.eat("top") {
        limited = true;
        if c.brackets().is_none() {
            c.at += 1;
        }
        c.eat("percent");
    }
    while c.eat_any(&["low_priority", "quick", "ignore"]) {}
    c.eat("from");
    c.eat("only");
    let mut using = query::relations(c, depth)?;
    let first = using.remove(0);
    let query::Table::Name(target) = first.table else { return c.fault("the name of a table") };
    if c.eat("output") {
        c.until(&["from", "where", "using"]);
    }
    if c.eat("from") || c.eat("using") {
        using.extend(query::relations(c, depth)?);
    }
    let filter = c.eat("where").then(|| c.until(&["returning", "order", "limit", "option", "output"]));
    limited |= c.is("limit") || (c.is("order") && c.sql.find(c.at, &["limit"]).is_some());
    c.rest();
    Ok(Delete { with, target, alias: first.alias, using, filter, limited })
}

/// Reads COPY, `\copy`, LOAD DATA and BULK INSERT; `None` when the statement takes rows out of a table.
pub(super) fn copy<'a>(c: &mut Cursor<'a>) -> Result<Option<Copy<'a>>, Fault> {
    let all = c.sql;
    let flag = |word: &str| {
        (0..all.len()).any(|at| {
            all.is(at, word) && (all.symbol(at + 1, "=") || all.symbol(at + 1, "=>")) && all.is(at + 2, "true")
        })
    };
    let forced = flag("force");
    let load = |target, verb, inline, replaces, ignores| Copy { target, verb, inline, replaces, ignores, forced };
    if c.eat_words(&["bulk", "insert"]) {
        return match c.name() {
            Some(target) => Ok(Some(load(target, "BULK INSERT", false, false, false))),
            None => c.fault("the name of a table"),
        };
    }
    if c.eat("load") {
        let begin = c.at;
        c.until(&["into", "overwrite"]);
        let words = all.slice(begin..c.at);
        let mut overwrite = c.eat("overwrite");
        c.eat("into");
        overwrite |= c.eat("overwrite");
        c.eat_any(&["table"]);
        return match c.name() {
            Some(target) => {
                let replace = overwrite || words.mentions("replace");
                Ok(Some(load(target, "LOAD DATA", false, replace, words.mentions("ignore"))))
            }
            None => c.fault("the name of a table"),
        };
    }
    c.eat("copy");
    let into = c.eat("into");
    if c.kind() == Some(Kind::Open) {
        return Ok(None);
    }
    let Some(target) = c.name() else { return Ok(None) };
    if c.kind() == Some(Kind::Open) {
        c.brackets();
    }
    // `COPY INTO @stage FROM t` and `COPY t TO 'file'` take rows out.
    let out = target.source().starts_with('@') || target.sql.kind(0) == Some(Kind::Text) || !c.eat("from");
    if out {
        return Ok(None);
    }
    let verb = if into { "COPY INTO" } else { "COPY" };
    Ok(Some(load(target, verb, c.is("stdin"), false, false)))
}

/// The columns of a list as they are compared.
pub(super) fn columns(list: Sql<'_>) -> Vec<String> {
    let name =
        |one: Sql<'_>| one.name(0).filter(|(_, end)| one.kind(*end) != Some(Kind::Open)).map(|(name, _)| name.last());
    list.commas().into_iter().map(|one| name(one).unwrap_or_else(|| folded(&one.normal()).into_owned())).collect()
}

/// The table that a name means where it may be the alias of a relation: `UPDATE t SET .. FROM dbo.orders AS t`.
fn resolve<'a>(target: Name<'a>, relations: &[Relation<'a>]) -> Name<'a> {
    let called = target.key();
    let aliased = relations.iter().find_map(|relation| match relation.table {
        query::Table::Name(name) if relation.alias.as_ref() == Some(&called) => Some(name),
        _ => None,
    });
    aliased.unwrap_or(target)
}

impl<'a> Update<'a> {
    /// The table that is changed.
    pub fn table(&self) -> Name<'a> {
        resolve(self.target, &self.from)
    }
}

impl<'a> Delete<'a> {
    /// The table that rows are deleted from.
    pub fn table(&self) -> Name<'a> {
        resolve(self.target, &self.using)
    }
}
