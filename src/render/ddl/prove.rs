//! The proof of a definition: each statement is read back, and says what its plan says.

use crate::dialect::Dialect;
use crate::plan::ddl::{Action, DefinedColumn, Definition};
use crate::sql::conform::conform;
use crate::sql::facts::{Facts, facts};
use crate::sql::parse::parse;
use crate::sql::split::{Kind, split};

/// The fact of an identity whose numbers `sqlparser` cannot hold.
const NOTED: &str = "identity";

/// The script holds those statements, in that order, and comments.
///
/// # Errors
/// What else it holds, or lacks.
pub(super) fn script(text: &str, statements: &[String], dialect: &Dialect) -> Result<(), String> {
    let mut rest = text;
    let mut gaps = String::new();
    for statement in statements {
        let (before, behind) = rest
            .split_once(statement.as_str())
            .ok_or_else(|| format!("It lacks the statement\n{statement}\n{text}"))?;
        gaps.push_str(before);
        rest = behind;
    }
    gaps.push_str(rest);
    let found = split(&gaps, dialect).into_iter().find(|piece| piece.kind != Kind::Gap);
    found.map_or(Ok(()), |piece| Err(format!("`{}` was not planned\n{text}", &gaps[piece.range])))
}

/// The statement says what was planned.
///
/// # Errors
/// What differs.
pub(super) fn statement(action: &Action, sql: &str, dialect: &Dialect) -> Result<(), String> {
    let found = read(sql, dialect)?;
    let expected = expected(action, dialect)?;
    match Facts::difference(&expected, &found) {
        None => Ok(()),
        Some(difference) => Err(format!("It differs (- planned, + written):\n{difference}\n{sql}")),
    }
}

/// The facts of one statement.
fn read(sql: &str, dialect: &Dialect) -> Result<Facts, String> {
    let parsed = parse(sql, dialect).map_err(|fault| format!("It cannot be read back: {fault}\n{sql}"))?;
    if let Some(fault) = conform(sql, &parsed, dialect).first() {
        return Err(format!("{} does not have it: {}\n{sql}", dialect.title, fault.message));
    }
    match parsed.as_slice() {
        [only] if !only.terminated => Ok(facts(only)),
        _ => Err(format!("It has {} statements where one was planned\n{sql}", parsed.len())),
    }
}

/// The facts that the plan asks for.
fn expected(action: &Action, dialect: &Dialect) -> Result<Facts, String> {
    let mut out = Facts::default();
    match action {
        Action::CreateTable(definition) => return created(definition, dialect),
        Action::CreateIndex { guard, name, table, columns, nulls } => {
            out.push("create index", format!("UNIQUE {guard}{name}"));
            out.push("on", table.clone());
            out.push("key", columns.join(", "));
            if !nulls.is_empty() {
                out.push("nulls", nulls.trim());
            }
        }
        Action::Comment { on, text } => out.push("statement", format!("COMMENT ON {on} IS {text}")),
        Action::DropTable { guard, table } => out.push("statement", format!("DROP TABLE {guard}{table}")),
        Action::Forget { log, column, value } => {
            out.push("delete", log.clone());
            out.push("where", format!("{column} = {value}"));
        }
        Action::AddColumn { table, words, column } => {
            out.push("alter table", table.clone());
            out.push("add column", column.name.clone());
            out.extend(&defined(column, dialect)?);
            if words.contains("IF NOT EXISTS") {
                out.push("if not exists", "");
            }
        }
        Action::DropColumn { table, guard, name } => {
            out.push("alter table", table.clone());
            out.push("drop column", name.clone());
            if !guard.is_empty() {
                out.push("if exists", "");
            }
        }
        Action::AlterColumn { table, before, name, behind } => {
            out.push("alter table", table.clone());
            out.extend(&altered(before, name, behind, dialect)?);
        }
    }
    Ok(out)
}

/// The facts of CREATE TABLE, put together from its parts.
fn created(definition: &Definition, dialect: &Dialect) -> Result<Facts, String> {
    let Definition { table, guard, columns, constraints, storage } = definition;
    let mut out = Facts::default();
    out.push("create table", format!("{guard}{table}"));
    for column in columns {
        out.push("column", column.name.clone());
        out.extend(&defined(column, dialect)?);
    }
    for constraint in constraints {
        out.push("constraint", constraint.clone());
    }
    // What stands behind the brackets, alone behind others.
    let alone = read(&format!("CREATE TABLE t (c INT){storage}"), dialect)?;
    out.extend(&alone.lines().iter().skip(3).cloned().collect());
    // What the reader cannot hold comes last.
    let (noted, read) = out.lines().iter().cloned().partition::<Vec<_>, _>(|fact| fact.place == NOTED);
    Ok(read.into_iter().chain(noted).collect())
}

/// The facts of a column's type and options, each read alone, so that none can hide in another.
fn defined(column: &DefinedColumn, dialect: &Dialect) -> Result<Facts, String> {
    let mut out = Facts::default();
    let typed = column.words.first().filter(|word| !word.starts_with("AS "));
    // The facts of a column of no type, and of one of this type: one may bring options, such as a collation.
    let mut behind = 2;
    if let Some(ty) = typed {
        let alone = read(&format!("CREATE TABLE t (c {ty})"), dialect)?;
        out.extend(&alone.lines().iter().skip(behind).cloned().collect());
        behind = alone.lines().len();
    }
    for option in column.words.iter().skip(usize::from(typed.is_some())) {
        let ty = typed.map_or("", String::as_str);
        let alone = read(&format!("CREATE TABLE t (c {ty} {option})"), dialect)?;
        out.extend(&alone.lines().iter().skip(behind).cloned().collect());
    }
    Ok(out)
}

/// The facts of a change of a column, by its words.
fn altered(before: &str, name: &str, behind: &str, dialect: &Dialect) -> Result<Facts, String> {
    let alone = read(&format!("ALTER TABLE t {before} {name}{behind}"), dialect)?;
    Ok(alone.lines().iter().skip(1).cloned().collect())
}
