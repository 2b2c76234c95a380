//! Definitions: CREATE, DROP, ALTER, with their guards, and the keys that CREATE TABLE declares.

mod alter;
mod column;
mod create;
mod keys;

pub use self::column::{Numbered, Spelled, numbered};
pub use self::keys::ColumnDefinition;

pub(super) use self::alter::alter;
pub(super) use self::create::{create, drop};

use super::cursor::Cursor;
use super::query::Query;
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// What is created, dropped or altered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each is named as in SQL.
pub enum Object {
    Table,
    Index,
    Schema,
    Database,
    Sequence,
    Extension,
    View,
    MaterializedView,
    Function,
    Procedure,
    Trigger,
    Policy,
    Role,
    User,
    Login,
    Type,
    Domain,
    Other,
}

impl Object {
    /// True for whoever may sign in or be granted something.
    pub fn is_principal(self) -> bool {
        matches!(self, Self::Role | Self::User | Self::Login)
    }

    /// Its words in SQL.
    pub fn words(self) -> &'static str {
        match self {
            Self::Table => "TABLE",
            Self::Index => "INDEX",
            Self::Schema => "SCHEMA",
            Self::Database => "DATABASE",
            Self::Sequence => "SEQUENCE",
            Self::Extension => "EXTENSION",
            Self::View => "VIEW",
            Self::MaterializedView => "MATERIALIZED VIEW",
            Self::Function => "FUNCTION",
            Self::Procedure => "PROCEDURE",
            Self::Trigger => "TRIGGER",
            Self::Policy => "POLICY",
            Self::Role => "ROLE",
            Self::User => "USER",
            Self::Login => "LOGIN",
            Self::Type => "TYPE",
            Self::Domain => "DOMAIN",
            Self::Other => "OBJECT",
        }
    }
}

/// What a definition says about an object that is there, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Nothing: it fails.
    None,
    /// IF NOT EXISTS, IF EXISTS.
    IfExists,
    /// OR REPLACE.
    OrReplace,
    /// OR ALTER.
    OrAlter,
}

/// CREATE.
#[derive(Clone, Debug)]
pub struct Create<'a> {
    /// What is created.
    pub object: Object,
    /// Its guard.
    pub guard: Guard,
    /// Its name; `None` where the engine makes one up.
    pub name: Option<Name<'a>>,
    /// The table that an index, a trigger or a policy is for.
    pub on: Option<Name<'a>>,
    /// TEMP, a local or a transient name.
    pub temporary: bool,
    /// UNIQUE, of an index.
    pub unique: bool,
    /// CONCURRENTLY, of an index.
    pub concurrently: bool,
    /// What stands in the brackets: the columns of a table, the columns of an index.
    pub list: Option<Sql<'a>>,
    /// The predicate of a partial index.
    pub predicate: Option<Sql<'a>>,
    /// The query of CREATE .. AS.
    pub query: Option<Box<Query<'a>>>,
    /// The tokens of the guard or, where there is none, the empty place where IF NOT EXISTS would stand.
    pub guard_at: usize,
    /// The bytes behind the word CREATE, where OR REPLACE would stand.
    pub verb_end: usize,
    /// Everything behind the name.
    pub rest: Sql<'a>,
}

/// DROP.
#[derive(Clone, Debug)]
pub struct Drop<'a> {
    /// What is dropped.
    pub object: Object,
    /// IF EXISTS.
    pub guarded: bool,
    /// The names.
    pub names: Vec<Name<'a>>,
    /// The table that an index, a trigger or a policy is for.
    pub on: Option<Name<'a>>,
    /// CONCURRENTLY.
    pub concurrently: bool,
    /// The byte where IF EXISTS would stand.
    pub guard_at: usize,
    /// TEMPORARY.
    pub temporary: bool,
}

/// ALTER.
#[derive(Clone, Debug)]
pub struct Alter<'a> {
    /// What is altered.
    pub object: Object,
    /// `ALTER TABLE IF EXISTS`
    pub guarded: bool,
    /// Its name.
    pub name: Name<'a>,
    /// The actions, in order.
    pub actions: Vec<Action<'a>>,
}

/// What an action of ALTER does.
#[derive(Clone, Debug)]
pub enum Action<'a> {
    /// ADD COLUMN: its name, whether it has IF NOT EXISTS, and the byte where that would stand.
    AddColumn(Name<'a>, bool, usize, Sql<'a>),
    /// DROP COLUMN.
    DropColumn(Name<'a>, bool, usize),
    /// ADD CONSTRAINT, ADD PRIMARY KEY and the like.
    AddConstraint(Constraint<'a>),
    /// DROP CONSTRAINT, DROP FOREIGN KEY, DROP CHECK.
    DropConstraint(Name<'a>, bool),
    /// ADD INDEX, ADD KEY: its name, whether it has IF NOT EXISTS.
    AddIndex(Name<'a>, bool),
    /// DROP INDEX, DROP KEY: its name, whether it has IF EXISTS.
    DropIndex(Name<'a>, bool),
    /// DROP PRIMARY KEY.
    DropPrimaryKey,
    /// RENAME COLUMN a TO b, CHANGE a b: from, to.
    RenameColumn(Name<'a>, Name<'a>),
    /// RENAME CONSTRAINT, INDEX or VALUE: what it is, and its old name, which may be a string.
    RenamePart(Sql<'a>, Sql<'a>),
    /// RENAME TO.
    RenameTo(Name<'a>),
    /// ADD VALUE of an enumeration.
    AddValue(bool, usize),
    /// UPDATE of ClickHouse: an assignment list, and DELETE.
    Mutation(Sql<'a>),
    /// Anything else: all of it.
    Other(Sql<'a>),
}

/// A constraint that ALTER TABLE adds.
#[derive(Clone, Debug)]
pub struct Constraint<'a> {
    /// Its name.
    pub name: Option<Name<'a>>,
    /// `ADD CONSTRAINT IF NOT EXISTS`
    pub guarded: bool,
    /// The unique key that it is.
    pub key: Option<TableKey<'a>>,
    /// All of the action.
    pub sql: Sql<'a>,
}

/// A unique key as a definition declares it.
#[derive(Clone, Debug)]
pub struct TableKey<'a> {
    /// The name of the constraint.
    pub name: Option<Name<'a>>,
    /// PRIMARY KEY.
    pub primary: bool,
    /// The columns as they are compared.
    pub columns: Vec<String>,
    /// All of the declaration.
    pub sql: Sql<'a>,
}

pub(super) fn object(c: &mut Cursor<'_>) -> Option<Object> {
    let (object, words) = match () {
        () if c.words(&["materialized", "view"]) => (Object::MaterializedView, 2),
        () if c.words(&["foreign", "table"]) || c.words(&["external", "table"]) => (Object::Table, 2),
        () if c.is("table") => (Object::Table, 1),
        () if c.is("index") => (Object::Index, 1),
        () if c.is("schema") => (Object::Schema, 1),
        () if c.is("database") && c.sql.is_any(c.at + 1, &["link", "scoped", "audit", "encryption"]) => return None,
        () if c.words(&["user", "mapping"]) => return None,
        () if c.is("database") => (Object::Database, 1),
        () if c.is("sequence") => (Object::Sequence, 1),
        () if c.is("extension") => (Object::Extension, 1),
        () if c.is("view") => (Object::View, 1),
        () if c.is("function") => (Object::Function, 1),
        () if c.is_any(&["procedure", "proc"]) => (Object::Procedure, 1),
        () if c.is("trigger") => (Object::Trigger, 1),
        () if c.is("policy") => (Object::Policy, 1),
        () if c.is_any(&["role", "group"]) => (Object::Role, 1),
        () if c.is("user") => (Object::User, 1),
        () if c.is("login") => (Object::Login, 1),
        () if c.is("type") => (Object::Type, if c.sql.is(c.at + 1, "body") { 2 } else { 1 }),
        () if c.is("domain") => (Object::Domain, 1),
        () => return None,
    };
    c.at += words;
    Some(object)
}

/// The name of a role, which is a string in some dialects: `'app'@'%'`.
pub(super) fn principal<'a>(c: &mut Cursor<'a>) -> Option<Name<'a>> {
    if c.kind() != Some(Kind::Text) {
        return c.name();
    }
    let name = Name { sql: c.sql.slice(c.at..c.at + 1) };
    c.at += 1;
    if c.sql.symbol(c.at, "@") {
        c.at += 2;
    } else if c.kind() == Some(Kind::Variable) {
        c.at += 1;
    }
    Some(name)
}

/// What a statement renames, other than ALTER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each is named as in SQL.
pub enum Renamed {
    Table,
    Column,
    Index,
}

/// The names of `RENAME TABLE a TO b, c TO d` and of `sp_rename 'a', 'b'`, as they stand in the text: old and new, and
/// what they are the names of.
pub fn renames(sql: Sql<'_>) -> Vec<(Sql<'_>, Sql<'_>, Renamed)> {
    if sql.is(0, "rename") {
        let at = 1 + usize::from(sql.is_any(1, &["table", "tables"]));
        let at = at + if sql.words(at, &["if", "exists"]) { 2 } else { 0 };
        let mut pairs = Vec::new();
        for part in sql.from(at).commas() {
            let to = part.find(0, &["to"]).and_then(|to| part.name(to + 1));
            if let (Some((from, _)), Some((to, _))) = (part.name(0), to) {
                pairs.push((from.sql, to.sql, Renamed::Table));
            }
        }
        return pairs;
    }
    let texts: Vec<usize> = (0..sql.len()).filter(|at| sql.kind(*at) == Some(Kind::Text)).collect();
    match texts[..] {
        [from, to, ref more @ ..] => {
            let kind = more.first().map(|at| sql.text(*at).to_ascii_lowercase()).unwrap_or_default();
            let renamed = match () {
                () if kind.contains("column") => Renamed::Column,
                () if kind.contains("index") => Renamed::Index,
                () => Renamed::Table,
            };
            vec![(sql.slice(from..from + 1), sql.slice(to..to + 1), renamed)]
        }
        _ => Vec::new(),
    }
}
