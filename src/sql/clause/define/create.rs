//! CREATE and DROP.

use super::{Create, Drop, Guard, Object, object, principal};
use crate::sql::clause::Fault;
use crate::sql::clause::cursor::Cursor;
use crate::sql::clause::query::{self, Query};
use crate::sql::lex::Kind;
use crate::sql::view::Sql;

/// Reads CREATE.
pub(in crate::sql::clause) fn create<'a>(c: &mut Cursor<'a>, depth: usize) -> Result<Create<'a>, Fault> {
    let mut create = Create {
        object: Object::Other,
        guard: Guard::None,
        name: None,
        on: None,
        temporary: false,
        unique: false,
        concurrently: false,
        list: None,
        predicate: None,
        query: None,
        guard_at: 0,
        verb_end: c.sql.bytes(c.at).end,
        rest: Sql::empty(c.sql.whole_text()),
    };
    c.eat("create");
    let start = c.at;
    // Adjectives stand before the object: a definer, ALGORITHM, UNIQUE, TEMP.
    let found = loop {
        // A stream on a table is no table.
        if c.is_any(&["stream", "task", "pipe", "stage", "rule", "statistics", "publication", "subscription"])
            || c.is_any(&["secret", "agent", "image", "integration", "remote", "service", "connection"])
        {
            break None;
        }
        if let Some(found) = object(c) {
            break Some(found);
        }
        if c.eat_words(&["or", "replace"]) {
            create.guard = Guard::OrReplace;
        } else if c.eat_words(&["or", "alter"]) || c.eat_words(&["or", "refresh"]) {
            create.guard = Guard::OrAlter;
        } else {
            if c.kind() == Some(Kind::Open) || c.is_any(NO_ADJECTIVES) {
                break None;
            }
            create.temporary |= c.is_any(&["temp", "temporary", "volatile"]);
            create.unique |= c.is("unique");
            if c.done() || c.at > start + 16 {
                break None;
            }
            c.at += 1;
        }
    };
    let Some(found) = found else {
        // An object that needs no rules of its own: a stage, a publication, a cast.
        c.at = start;
        if c.eat_words(&["or", "replace"]) {
            create.guard = Guard::OrReplace;
        }
        let known =
            c.is_any(OTHER_OBJECTS) || c.sql.is_any(c.at + 1, OTHER_OBJECTS) || c.sql.is_any(c.at + 2, OTHER_OBJECTS);
        if !known {
            c.at = start;
            return c.fault("what to create");
        }
        create.rest = c.rest();
        return Ok(create);
    };
    create.object = found;
    if c.eat("concurrently") {
        create.concurrently = true;
    }
    create.guard_at = c.sql.bytes(c.at).start;
    if c.eat_words(&["if", "not", "exists"]) {
        create.guard = Guard::IfExists;
    }
    if found == Object::Index && c.is("on") {
        // PostgreSQL makes up a name.
    } else {
        create.name = if found.is_principal() { principal(c) } else { c.name() };
        if create.name.is_none() && found != Object::Schema {
            return c.fault("a name");
        }
        if c.eat_words(&["if", "not", "exists"]) {
            create.guard = Guard::IfExists;
        }
    }
    let local = create.name.is_some_and(|name| {
        name.sql.text(name.sql.len() - 1).starts_with(['#', '@'])
            || name.parts().iter().any(|part| part == "pg_temp" || part == "temp" || part == "tempdb")
    });
    create.temporary |= local;
    create.rest = c.sql.from(c.at);
    behind_name(c, &mut create, depth)?;
    c.rest();
    Ok(create)
}

/// What stands behind the name of something that is created.
pub(super) fn behind_name<'a>(c: &mut Cursor<'a>, create: &mut Create<'a>, depth: usize) -> Result<(), Fault> {
    match create.object {
        Object::Table => table(c, create, depth)?,
        Object::View | Object::MaterializedView => {
            let body = c.sql.from(c.at);
            if let Some(query) = as_query(body, depth) {
                create.query = Some(query);
            }
        }
        Object::Index => {
            c.until(&["on"]);
            c.eat("on");
            c.eat("only");
            create.on = c.name();
            if c.eat("using") {
                c.at += 1;
            }
            create.list = c.brackets();
            c.until(&["where"]);
            create.predicate = c.eat("where").then(|| c.rest());
        }
        Object::Trigger | Object::Policy => {
            c.until(&["on"]);
            c.eat("on");
            create.on = c.name();
        }
        _ => {}
    }
    Ok(())
}

/// Words that begin another object, behind which the words of a known one may follow: FILE FORMAT f TYPE = CSV.
pub(super) const NO_ADJECTIVES: &[&str] = &[
    "file",
    "data",
    "stage",
    "pipe",
    "stream",
    "task",
    "warehouse",
    "event",
    "server",
    "operator",
    "aggregate",
    "cast",
    "publication",
    "subscription",
    "statistics",
    "rule",
    "synonym",
    "integration",
    "package",
];

/// What else can be created, and is left alone.
pub(super) const OTHER_OBJECTS: &[&str] = &[
    "publication",
    "subscription",
    "cast",
    "operator",
    "aggregate",
    "rule",
    "server",
    "statistics",
    "collation",
    "conversion",
    "language",
    "tablespace",
    "access",
    "transform",
    "stage",
    "pipe",
    "stream",
    "task",
    "warehouse",
    "file",
    "tag",
    "masking",
    "event",
    "package",
    "synonym",
    "directory",
    "link",
    "context",
    "profile",
    "library",
    "macro",
    "secret",
    "model",
    "catalog",
    "connection",
    "share",
    "reservation",
    "assignment",
    "search",
    "dictionary",
    "quota",
    "row",
    "settings",
    "certificate",
    "assembly",
    "partition",
    "queue",
    "service",
    "contract",
    "message",
    "broker",
    "credential",
    "key",
    "symmetric",
    "asymmetric",
    "fulltext",
    "xml",
    "default",
    "resource",
    "workload",
    "application",
    "storage",
    "integration",
    "alert",
    "network",
    "password",
    "session",
    "compute",
    "live",
    "streaming",
    "flow",
    "volume",
    "recipient",
    "endpoint",
    "audit",
    "security",
    "external",
    "snapshot",
    "dynamic",
    "hybrid",
    "text",
    "cluster",
    "edition",
    "event",
    "constraint",
    "projection",
    "named",
    "capacity",
    "java",
    "outline",
    "dimension",
    "materialized",
    "spatial",
    "bitmap",
    "user",
    "mapping",
    "vector",
    "owned",
    "database",
    "data",
    "image",
    "agent",
    "semantic",
    "git",
    "notebook",
    "streamlit",
    "artifact",
    "gateway",
    "managed",
    "organization",
    "listing",
    "route",
    "column",
    "login",
    "availability",
];

pub(super) fn table<'a>(c: &mut Cursor<'a>, create: &mut Create<'a>, depth: usize) -> Result<(), Fault> {
    if c.kind() == Some(Kind::Open) && !c.sql.inside(c.at).bare().is_any(0, &["select", "with"]) {
        create.list = c.brackets();
    } else if c.eat("of") {
        // The type has the columns; constraints and defaults may stand behind its name.
        if c.name().is_none() {
            return c.fault("the type of the table's rows");
        }
        create.list = c.brackets();
        return Ok(());
    }
    let body = c.sql.from(c.at);
    if let Some(query) = as_query(body, depth) {
        create.query = Some(query);
    }
    if create.list.is_none() && create.query.is_none() && c.done() {
        return c.fault("the columns of the table");
    }
    Ok(())
}

/// The query behind AS, or behind the options; `None` when there is none that can be read.
pub(super) fn as_query(body: Sql<'_>, depth: usize) -> Option<Box<Query<'_>>> {
    let at = body.top().find(|at| {
        let behind_as = body.is(*at, "as")
            && (body.is_any(at + 1, &["select", "with", "values", "table"]) || body.kind(at + 1) == Some(Kind::Open));
        behind_as || body.is(*at, "select")
    })?;
    let mut c = Cursor::new(body.from(if body.is(at, "as") { at + 1 } else { at }));
    query::query(&mut c, depth + 1).ok().map(Box::new)
}

/// Reads DROP.
pub(in crate::sql::clause) fn drop<'a>(c: &mut Cursor<'a>) -> Result<Drop<'a>, Fault> {
    c.eat("drop");
    let start = c.at;
    let mut temporary = false;
    while c.is_any(&["temporary", "temp", "external", "foreign"]) {
        temporary |= c.is_any(&["temporary", "temp"]);
        c.at += 1;
    }
    let found = object(c);
    if found.is_none() {
        c.at = start;
        if !(c.is_any(OTHER_OBJECTS) || c.sql.is_any(c.at + 1, OTHER_OBJECTS)) {
            return c.fault("what to drop");
        }
        let guarded = (0..c.sql.len()).any(|at| c.sql.words(at, &["if", "exists"]));
        let guard_at = c.sql.bytes(c.at).start;
        c.rest();
        return Ok(Drop {
            object: Object::Other,
            guarded,
            names: Vec::new(),
            on: None,
            concurrently: false,
            guard_at,
            temporary,
        });
    }
    let concurrently = c.eat("concurrently");
    let guard_at = c.sql.bytes(c.at).start;
    let guarded = c.eat_words(&["if", "exists"]);
    let mut names = Vec::new();
    while let Some(name) = if found.is_some_and(Object::is_principal) { principal(c) } else { c.name() } {
        names.push(name);
        c.brackets();
        if !c.eat_kind(Kind::Comma) {
            break;
        }
    }
    if names.is_empty() {
        return c.fault("a name");
    }
    let on = c.eat("on").then(|| c.name()).flatten();
    let guarded = guarded || c.words(&["if", "exists"]);
    let local = names.iter().all(|name| name.sql.text(name.sql.len() - 1).starts_with('#'));
    c.rest();
    let object = found.unwrap_or(Object::Other);
    Ok(Drop { object, guarded, names, on, concurrently, guard_at, temporary: temporary || local })
}
