//! ALTER and its actions.

use super::keys::table_key;
use super::{Action, Alter, Constraint, Object, object};
use crate::sql::clause::Fault;
use crate::sql::clause::cursor::Cursor;
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

/// Words that begin an action of ALTER.
pub(super) const ALTER_VERBS: &[&str] = &[
    "add",
    "drop",
    "alter",
    "modify",
    "change",
    "rename",
    "set",
    "reset",
    "enable",
    "disable",
    "attach",
    "detach",
    "validate",
    "owner",
    "inherit",
    "no",
    "cluster",
    "replica",
    "convert",
    "engine",
    "auto_increment",
    "comment",
    "default",
    "order",
    "force",
    "partition",
    "truncate",
    "update",
    "delete",
    "materialize",
    "algorithm",
    "lock",
    "row_format",
    "with",
    "nocheck",
    "check",
    "switch",
    "rebuild",
    "swap",
    "alias",
    "first",
    "after",
    "character",
    "collate",
    "exchange",
    "unset",
    "recluster",
    "resume",
    "suspend",
    "restart",
];

/// Reads ALTER; `None` for what changes no definition that matters here.
pub(in crate::sql::clause) fn alter<'a>(c: &mut Cursor<'a>) -> Result<Option<Alter<'a>>, Fault> {
    c.eat("alter");
    c.eat_any(&["online", "offline", "ignore", "foreign", "external"]);
    let Some(found) = object(c) else {
        c.rest();
        return Ok(None);
    };
    let guarded = c.eat_words(&["if", "exists"]);
    c.eat("only");
    let Some(name) = c.name() else {
        // `ALTER USER CURRENT_USER`, `ALTER DATABASE SET`
        if found == Object::Table {
            return c.fault("the name of a table");
        }
        c.rest();
        return Ok(None);
    };
    if c.kind() == Some(Kind::Open) && found != Object::Table {
        c.brackets();
    }
    if c.is("on") {
        c.until(&["rename", "add", "drop", "set", "using", "to", "rebuild", "with"]);
    }
    while c.is("with") && c.sql.is_any(c.at + 1, &["check", "nocheck"]) {
        c.at += 2;
    }
    let mut previous: &[&str] = &[];
    let mut actions = Vec::new();
    for part in c.rest().commas() {
        // `ADD a int, b int` and `DROP COLUMN a, b` of T-SQL and MySQL: the verb holds for what follows it.
        if part.is_any(0, ALTER_VERBS) {
            previous = match () {
                () if part.words(0, &["add"]) => &["add"],
                () if part.words(0, &["drop", "column"]) => &["drop", "column"],
                () if part.words(0, &["drop", "constraint"]) => &["drop", "constraint"],
                () => &[],
            };
            match listed(part, found) {
                Some(all) => actions.extend(all),
                None => actions.push(action(part, found)),
            }
        } else if !previous.is_empty() && !part.is_empty() {
            let guarded = match actions.last() {
                Some(Action::DropColumn(_, guarded, _) | Action::DropConstraint(_, guarded)) => *guarded,
                _ => false,
            };
            actions.push(action_behind(previous, part, guarded));
        } else {
            actions.push(Action::Other(part));
        }
    }
    Ok(Some(Alter { object: found, guarded, name, actions }))
}

pub(super) fn action(sql: Sql<'_>, object: Object) -> Action<'_> {
    let mut c = Cursor::new(sql);
    if c.eat("add") {
        if c.eat("value") {
            let at = sql.bytes(c.at).start;
            return Action::AddValue(c.words(&["if", "not", "exists"]), at);
        }
        return if object == Object::Table { add(c) } else { Action::Other(sql) };
    }
    if c.eat("drop") && object == Object::Table {
        return remove(c);
    }
    if c.eat("rename") {
        let column = c.eat("column");
        if c.eat("to") || c.eat("as") {
            return c.name().map_or(Action::Other(sql), Action::RenameTo);
        }
        if c.is_any(&["constraint", "index", "key", "attribute", "value"]) && sql.find(0, &["to"]).is_some() {
            return Action::RenamePart(sql.slice(c.at..c.at + 1), sql.slice(c.at + 1..c.at + 2));
        }
        if c.is("partition") || (object != Object::Table && !column) {
            return Action::Other(sql);
        }
        let from = c.name();
        c.eat_any(&["to", "as"]);
        return match (from, c.name()) {
            (Some(from), Some(to)) => Action::RenameColumn(from, to),
            _ => Action::Other(sql),
        };
    }
    if c.eat("change") && object == Object::Table {
        c.eat("column");
        return match (c.name(), c.name()) {
            (Some(from), Some(to)) if from.last() != to.last() => Action::RenameColumn(from, to),
            _ => Action::Other(sql),
        };
    }
    if sql.is_any(0, &["update", "delete"]) && object == Object::Table {
        return Action::Mutation(sql);
    }
    Action::Other(sql)
}

/// Columns in brackets, as Oracle, MySQL and Spark write them: `ADD (a NUMBER, b NUMBER)`, `DROP COLUMNS (a, b)`.
pub(super) fn listed(part: Sql<'_>, object: Object) -> Option<Vec<Action<'_>>> {
    if object != Object::Table || !part.is_any(0, &["add", "drop"]) {
        return None;
    }
    let at = 1 + usize::from(part.is_any(1, &["column", "columns"]));
    let guarded = part.words(at, &["if", "exists"]);
    let at = at + if guarded { 2 } else { 0 };
    if part.kind(at) != Some(Kind::Open) {
        return None;
    }
    let parts = part.inside(at).commas();
    if part.is(0, "add") {
        return Some(parts.into_iter().map(|part| add(Cursor::new(part))).collect());
    }
    let mut drops = Vec::new();
    for part in parts {
        let (name, _) = part.name(0)?;
        drops.push(Action::DropColumn(name, guarded, part.bytes(0).start));
    }
    Some(drops)
}

/// What a comma joins to the action before it, whose guard holds for it too.
pub(super) fn action_behind<'a>(verb: &[&str], sql: Sql<'a>, guarded: bool) -> Action<'a> {
    let mut c = Cursor::new(sql);
    if verb == ["add"] {
        return add(c);
    }
    if c.is_any(&["constraint", "column"]) {
        return remove(c);
    }
    let at = sql.bytes(0).start;
    let guarded = c.eat_words(&["if", "exists"]) || guarded;
    match c.name() {
        Some(name) if verb == ["drop", "column"] => Action::DropColumn(name, guarded, at),
        Some(name) => Action::DropConstraint(name, guarded),
        None => Action::Other(sql),
    }
}

/// Behind ADD.
pub(super) fn add(mut c: Cursor<'_>) -> Action<'_> {
    let sql = c.sql;
    let column = c.eat("column");
    let at = c.sql.bytes(c.at).start;
    let guarded = c.eat_words(&["if", "not", "exists"]);
    let key = c.is_any(&["primary", "unique", "check", "foreign", "exclude"]);
    if !column && (c.is("constraint") || key) {
        let named = c.eat("constraint");
        let guarded = guarded || c.eat_words(&["if", "not", "exists"]);
        let name = if named { c.name() } else { None };
        let key = table_key(c.sql.from(c.at), name);
        return Action::AddConstraint(Constraint { name, guarded, key, sql });
    }
    let (at_index, kind) = (c.at, c.is_any(&["fulltext", "spatial"]));
    c.at += usize::from(kind);
    if !column && c.eat_any(&["index", "key"]) {
        let guarded = c.eat_words(&["if", "not", "exists"]);
        // `ADD INDEX (a)` has no name; `ADD key int` adds a column.
        if let Some(name) = c.name().filter(|_| kind || c.kind() == Some(Kind::Open) || c.is("using")) {
            return Action::AddIndex(name, guarded);
        }
    }
    c.at = at_index;
    if !column && c.is_any(&["index", "key", "partition", "period", "projection", "statistics", "default"]) {
        return Action::Other(sql);
    }
    match c.name() {
        Some(name) => Action::AddColumn(name, guarded, at, sql),
        None => Action::Other(sql),
    }
}

/// Behind DROP.
pub(super) fn remove(mut c: Cursor<'_>) -> Action<'_> {
    let sql = c.sql;
    if c.eat("constraint") {
        let guarded = c.eat_words(&["if", "exists"]);
        return c.name().map_or(Action::Other(sql), |name| Action::DropConstraint(name, guarded));
    }
    if c.words(&["primary", "key"]) {
        return Action::DropPrimaryKey;
    }
    let foreign = c.eat_words(&["foreign", "key"]);
    if foreign || c.eat("check") {
        let guarded = c.eat_words(&["if", "exists"]);
        return c.name().map_or(Action::Other(sql), |name| Action::DropConstraint(name, guarded));
    }
    if c.eat_any(&["index", "key"]) {
        let guarded = c.eat_words(&["if", "exists"]);
        return c.name().map_or(Action::Other(sql), |name| Action::DropIndex(name, guarded));
    }
    if c.is_any(&[
        "primary",
        "foreign",
        "index",
        "key",
        "partition",
        "check",
        "default",
        "period",
        "projection",
        "tag",
        "row",
        "policy",
    ]) {
        return Action::Other(sql);
    }
    c.eat("column");
    let at = sql.bytes(c.at).start;
    let guarded = c.eat_words(&["if", "exists"]);
    if c.kind() == Some(Kind::Open) {
        c = Cursor::new(sql.inside(c.at));
    }
    c.name().map_or(Action::Other(sql), |name| Action::DropColumn(name, guarded, at))
}
