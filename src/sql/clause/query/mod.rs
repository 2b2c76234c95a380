//! Queries: WITH, SELECT, set operations, VALUES, and the relations that they read.

mod read;
mod relation;
mod select;

pub(super) use self::read::{query, query_behind_with, rows, with};
pub(super) use self::relation::{relation, relations};

use super::statement::Verb;
use crate::sql::view::{Name, Sql};

/// A query with its WITH list, its set operations and its tail.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// Everything that it is.
    pub sql: Sql<'a>,
    /// The WITH list.
    pub with: Vec<Common<'a>>,
    /// The parts that UNION, EXCEPT and INTERSECT join; the word before each, lower case, empty for the first.
    pub branches: Vec<(String, Body<'a>)>,
    /// ORDER BY behind all of them.
    pub order_by: Option<Sql<'a>>,
    /// LIMIT, OFFSET, FETCH behind all of them.
    pub limit: Option<Sql<'a>>,
}

/// A part of a query.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// SELECT.
    Select(Box<Select<'a>>),
    /// VALUES: the rows, each with its values.
    Values(Vec<Vec<Sql<'a>>>),
    /// A query in brackets.
    Query(Box<Query<'a>>),
    /// `TABLE t`
    Table(Name<'a>),
}

/// One entry of a WITH list.
#[derive(Clone, Debug)]
pub struct Common<'a> {
    /// Its name as it is compared.
    pub name: String,
    /// The names that it gives its columns, as they are compared; empty when it lists none.
    pub columns: Vec<String>,
    /// What it is.
    pub inner: Inner<'a>,
}

/// What stands in the brackets of a WITH entry.
#[derive(Clone, Debug)]
pub enum Inner<'a> {
    /// A query.
    Query(Query<'a>),
    /// A statement that changes rows.
    Change(Box<Verb<'a>>),
}

/// DISTINCT.
#[derive(Clone, Copy, Debug)]
pub enum Distinct<'a> {
    /// None.
    No,
    /// `DISTINCT`
    Rows,
    /// `DISTINCT ON (..)`: the list.
    On(Sql<'a>),
}

/// One SELECT.
#[derive(Clone, Debug)]
pub struct Select<'a> {
    /// Everything that it is.
    pub sql: Sql<'a>,
    /// DISTINCT.
    pub distinct: Distinct<'a>,
    /// TOP.
    pub top: Option<Sql<'a>>,
    /// The select list.
    pub items: Vec<Item<'a>>,
    /// `INTO t` of SELECT INTO.
    pub into: Option<Name<'a>>,
    /// The relations of FROM, in order.
    pub from: Vec<Relation<'a>>,
    /// WHERE.
    pub filter: Option<Sql<'a>>,
    /// GROUP BY.
    pub group_by: Option<Sql<'a>>,
    /// HAVING.
    pub having: Option<Sql<'a>>,
    /// QUALIFY.
    pub qualify: Option<Sql<'a>>,
}

/// One entry of a select list.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// The expression, without its alias.
    pub value: Sql<'a>,
    /// The name that the column gets, as it is compared: its alias, or the column's own name.
    pub name: Option<String>,
}

/// How a relation is joined to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// The first one, or behind a comma.
    None,
    /// JOIN, INNER JOIN, CROSS JOIN, APPLY.
    Inner,
    /// LEFT JOIN, LEFT ANTI JOIN.
    Left,
    /// RIGHT JOIN.
    Right,
    /// FULL JOIN.
    Full,
    /// LEFT ANTI JOIN of Spark, ANTI JOIN of DuckDB and ClickHouse.
    Anti,
}

/// What a relation is.
#[derive(Clone, Debug)]
pub enum Table<'a> {
    /// A table, a view or a WITH entry.
    Name(Name<'a>),
    /// A query in brackets.
    Query(Box<Query<'a>>),
    /// A function, UNNEST, PIVOT, a stage: anything else.
    Other,
}

/// One relation of FROM, USING or MERGE.
#[derive(Clone, Debug)]
pub struct Relation<'a> {
    /// Everything that it is, with its alias, without its join condition.
    pub sql: Sql<'a>,
    /// How it is joined.
    pub join: Join,
    /// What it is.
    pub table: Table<'a>,
    /// Its alias as it is compared.
    pub alias: Option<String>,
    /// The join condition.
    pub on: Option<Sql<'a>>,
    /// The columns of `USING (..)`.
    pub using: Option<Sql<'a>>,
}

impl Relation<'_> {
    /// What its columns are qualified by, as it is compared.
    pub fn called(&self) -> Option<String> {
        match (&self.alias, &self.table) {
            (Some(alias), _) => Some(alias.clone()),
            (None, Table::Name(name)) => Some(name.last()),
            _ => None,
        }
    }
}

impl<'a> Query<'a> {
    /// The SELECT that the query is, when it is one and no more.
    pub fn select(&self) -> Option<&Select<'a>> {
        match self.branches.as_slice() {
            [(_, Body::Select(select))] => Some(select),
            [(_, Body::Query(inner))] => inner.select(),
            _ => None,
        }
    }

    /// Every SELECT of its branches, in brackets too, but not those of subqueries.
    pub fn selects(&self) -> Vec<&Select<'a>> {
        let mut all = Vec::new();
        for (_, body) in &self.branches {
            match body {
                Body::Select(select) => all.push(&**select),
                Body::Query(inner) => all.extend(inner.selects()),
                _ => {}
            }
        }
        all
    }

    /// The WITH entry of that name.
    pub fn common(&self, name: &str) -> Option<&Common<'a>> {
        self.with.iter().find(|common| common.name == name)
    }
}
