//! MERGE.

use super::Fault;
use super::change::{Assignment, assignments, columns};
use super::cursor::Cursor;
use super::query::{self, Common, Relation};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// MERGE.
#[derive(Clone, Debug)]
pub struct Merge<'a> {
    /// The WITH list before it.
    pub with: Vec<Common<'a>>,
    /// The table.
    pub target: Name<'a>,
    /// Its alias as it is compared.
    pub alias: Option<String>,
    /// What is merged.
    pub source: Relation<'a>,
    /// The merge condition.
    pub on: Sql<'a>,
    /// The branches in order.
    pub branches: Vec<Branch<'a>>,
    /// `REMOVE DUPLICATES` of Redshift.
    pub removes_duplicates: bool,
}

/// Which rows a branch is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// WHEN MATCHED
    Yes,
    /// WHEN NOT MATCHED [BY TARGET]
    No,
    /// WHEN NOT MATCHED BY SOURCE
    BySource,
}

/// One WHEN branch.
#[derive(Clone, Debug)]
pub struct Branch<'a> {
    /// All of it.
    pub sql: Sql<'a>,
    /// Which rows it is for.
    pub matched: Matched,
    /// The condition behind AND, or behind WHERE in Oracle.
    pub condition: Option<Sql<'a>>,
    /// What it does.
    pub action: MergeAction<'a>,
}

/// What a branch does.
#[derive(Clone, Debug)]
pub enum MergeAction<'a> {
    /// UPDATE SET; empty for `UPDATE SET *`.
    Update(Vec<Assignment<'a>>),
    /// INSERT: the columns (empty when none are listed) and the values (empty for `INSERT *`).
    Insert(Vec<String>, Vec<Sql<'a>>),
    /// DELETE
    Delete,
    /// DO NOTHING
    Nothing,
}

/// Reads MERGE behind its WITH list.
pub(super) fn merge<'a>(c: &mut Cursor<'a>, with: Vec<Common<'a>>, depth: usize) -> Result<Merge<'a>, Fault> {
    c.eat("merge");
    c.eat_words(&["with", "schema", "evolution"]);
    if c.eat("top") {
        c.brackets();
    }
    c.eat("into");
    let target = query::relation(c, depth)?;
    let query::Table::Name(name) = target.table else { return c.fault("the name of a table") };
    if !c.eat("using") {
        return c.fault("USING");
    }
    let source = query::relation(c, depth)?;
    if !c.eat("on") {
        return c.fault("ON");
    }
    let on = c.until(&["when", "remove"]);
    if on.is_empty() {
        return c.fault("a condition");
    }
    let removes_duplicates = c.eat_words(&["remove", "duplicates"]);
    let mut branches = Vec::new();
    while c.is("when") {
        branches.push(branch(c)?);
    }
    if branches.is_empty() && !removes_duplicates {
        return c.fault("WHEN MATCHED or WHEN NOT MATCHED");
    }
    c.rest();
    Ok(Merge { with, target: name, alias: target.alias, source, on, branches, removes_duplicates })
}

fn branch<'a>(c: &mut Cursor<'a>) -> Result<Branch<'a>, Fault> {
    let start = c.at;
    c.eat("when");
    let not = c.eat("not");
    if !c.eat("matched") {
        return c.fault("MATCHED");
    }
    let mut matched = if not { Matched::No } else { Matched::Yes };
    if c.eat_words(&["by", "source"]) {
        matched = Matched::BySource;
    } else {
        c.eat_words(&["by", "target"]);
    }
    let mut condition = c.eat("and").then(|| c.until(&["then"]));
    if !c.eat("then") {
        return c.fault("THEN");
    }
    let ends = ["when", "where", "delete", "returning", "output", "option", "log"];
    let action = if c.eat("update") {
        if c.eat("set") && c.kind() == Some(Kind::Symbol) {
            c.at += 1;
            MergeAction::Update(Vec::new())
        } else {
            MergeAction::Update(assignments(c, &ends))
        }
    } else if c.eat("insert") {
        insert(c)
    } else if c.eat("delete") {
        MergeAction::Delete
    } else if c.eat_words(&["do", "nothing"]) {
        MergeAction::Nothing
    } else {
        return c.fault("UPDATE, INSERT, DELETE or DO NOTHING");
    };
    if c.eat("where") {
        condition = Some(c.until(&["when", "delete", "returning", "output", "option", "log"]));
    }
    // `UPDATE .. DELETE WHERE` of Oracle.
    if c.is("delete") && c.sql.is(c.at + 1, "where") {
        c.until(&["when", "returning", "output", "option", "log"]);
    }
    if !c.is("when") && c.is_any(&["returning", "output", "option", "log"]) {
        let sql = c.sql.slice(start..c.at);
        c.rest();
        return Ok(Branch { sql, matched, condition, action });
    }
    let sql = c.sql.slice(start..c.at);
    if c.is("when") || c.done() {
        Ok(Branch { sql, matched, condition, action })
    } else {
        c.fault("WHEN or the end of the statement")
    }
}

fn insert<'a>(c: &mut Cursor<'a>) -> MergeAction<'a> {
    if c.kind() == Some(Kind::Symbol) || c.eat("row") {
        c.at += usize::from(c.kind() == Some(Kind::Symbol));
        return MergeAction::Insert(Vec::new(), Vec::new());
    }
    c.eat_words(&["by", "name"]);
    let list = c.brackets().map(columns).unwrap_or_default();
    c.eat_words(&["overriding", "system", "value"]);
    if c.eat("default") {
        c.eat("values");
    }
    let values = if c.eat("values") { c.brackets().map(Sql::commas).unwrap_or_default() } else { Vec::new() };
    c.eat("row");
    MergeAction::Insert(list, values)
}
