//! Whether a relation has at most one row for each value of some of its columns.
//!
//! Proved downwards: a query has one row for a key when its grouping, its DISTINCT or its ROW_NUMBER says so, or when the key
//! settles one row of each relation that it joins.

mod compared;
mod disjoint;
mod joins;
mod reduced;
mod rows;

#[cfg(test)]
mod tests;

use self::joins::{Joins, Wanted};
pub use self::reduced::reduced;
use self::rows::{
    SET_RETURNING, aggregates, alias_columns, item_names, literal_rows, one_row, row_number, starred, unites_all, wide,
};
pub use self::rows::{listed, placed};
use crate::lint::context::{Context, Step};
use crate::lint::proof::filled::{self, Filled};
use crate::sql::clause::{Body, Common, Distinct, Inner, Query, Relation, Select, Table};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};
use std::cell::Cell;
use std::collections::HashSet;

/// A column that a relation gives: by its name or, where the names are given from outside, by its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name as it is compared.
    pub name: String,
    /// The place in the select list.
    pub at: Option<usize>,
}

impl Column {
    /// A column by its name.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), at: None }
    }
}

/// What is known of the rows for one value of a key.
#[derive(Clone, Debug)]
pub enum Rows<'a> {
    /// There is at most one.
    Once,
    /// Two rows of the text hold the same key: where the first and the second stand.
    Twice(Sql<'a>, Sql<'a>),
    /// There may be several.
    Doubt(Doubt<'a>),
}

/// Why there may be several rows.
#[derive(Clone, Debug)]
pub enum Doubt<'a> {
    /// Nothing is known of the keys of this table.
    Table(Name<'a>),
    /// This table's key has these columns, and not all of them are compared.
    Key(Name<'a>, Vec<String>),
    /// DISTINCT looks at more columns than the key.
    Distinct(Sql<'a>),
    /// Rows of several queries are put together.
    Union(Sql<'a>),
    /// It is grouped by more than the key.
    Group(Sql<'a>),
    /// A function, a template, a parameter: whoever fills it knows.
    Opaque,
}

/// The WITH lists that a query sees.
#[derive(Clone, Copy)]
pub struct Env<'s, 'a> {
    /// The nearest list.
    pub with: &'s [Common<'a>],
    /// The lists around it.
    pub outer: Option<&'s Env<'s, 'a>>,
}

impl<'s, 'a> Env<'s, 'a> {
    /// The WITH entry that a name means, and the lists that its own query sees.
    fn entry(self, name: Name<'a>) -> Option<(&'s Common<'a>, Self)> {
        let mut look = Some(self).filter(|_| name.sql.len() == 1);
        let called = name.last();
        while let Some(env) = look {
            if let Some(at) = env.with.iter().position(|common| common.name == called) {
                return Some((&env.with[at], Env { with: &env.with[..at], outer: env.outer }));
            }
            look = env.outer.copied();
        }
        None
    }
}

/// True when a column is called like the key of a table: `id`, `uuid`, `order_id` of `orders`.
pub fn keyish(column: &str, table: &str) -> bool {
    if matches!(column, "id" | "uuid" | "guid" | "key" | "pk" | "_id") {
        return true;
    }
    let plain = |name: &str| name.replace('_', "").trim_end_matches('s').to_owned();
    let stem = ["_id", "_key", "_code", "_uuid", "_no", "id", "key"].iter().find_map(|end| column.strip_suffix(end));
    stem.is_some_and(|stem| !plain(stem).is_empty() && plain(table).ends_with(&plain(stem)))
}

/// Proves it for one statement.
pub struct Prover<'c, 'a> {
    context: &'c Context<'a>,
    step: &'c Step<'a>,
    fuel: Cell<u32>,
    /// The table that is written, with the columns by which its rows are found: one row for each of them is what the
    /// statement itself takes for granted.
    target: Option<(Name<'a>, Vec<String>)>,
}

impl<'c, 'a> Prover<'c, 'a> {
    /// For a statement of a script.
    pub fn new(context: &'c Context<'a>, step: &'c Step<'a>) -> Self {
        Self { context, step, fuel: Cell::new(2_000), target: None }
    }

    /// The table that is written is read too: these columns find one row of it.
    #[must_use]
    pub fn finding(mut self, target: Name<'a>, columns: Vec<String>) -> Self {
        self.target = Some((target, columns));
        self
    }

    /// Counts a step of the proof; true when there were too many.
    fn tired(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left == 0
    }

    /// The rows of a relation for one value of some of its columns.
    pub fn relation(&self, env: Env<'_, 'a>, relation: &Relation<'a>, key: &[Column]) -> Rows<'a> {
        if self.tired() {
            return Rows::Doubt(Doubt::Opaque);
        }
        let names = alias_columns(relation);
        let key = placed(key, &names);
        match &relation.table {
            Table::Query(query) => self.query(env, query, &key),
            Table::Name(name) => self.named(env, *name, &key),
            Table::Other => Rows::Doubt(Doubt::Opaque),
        }
    }

    fn named(&self, env: Env<'_, 'a>, name: Name<'a>, key: &[Column]) -> Rows<'a> {
        if let Some((common, inner)) = env.entry(name) {
            return match &common.inner {
                // A recursive query walks where nobody can follow.
                Inner::Query(query) if query.sql.mentions(&common.name) => Rows::Doubt(Doubt::Opaque),
                Inner::Query(query) => self.query(inner, query, &placed(key, &common.columns)),
                Inner::Change(_) => Rows::Doubt(Doubt::Opaque),
            };
        }
        self.base(name, key)
    }

    fn base(&self, name: Name<'a>, key: &[Column]) -> Rows<'a> {
        if name.sql.len() == 1 && name.sql.kind(0) == Some(Kind::Hole) {
            return Rows::Doubt(Doubt::Opaque);
        }
        if name.last() == "dual" {
            return Rows::Once;
        }
        let known = self.context.table(name);
        let covered = |columns: &[String]| columns.iter().all(|column| key.iter().any(|one| one.name == *column));
        if let Some(table) = known
            && table.keys.iter().any(|one| one.predicate.is_none() && covered(&one.columns))
        {
            return Rows::Once;
        }
        if self
            .target
            .as_ref()
            .is_some_and(|(target, columns)| !columns.is_empty() && target.may_be(name) && covered(columns))
        {
            return Rows::Once;
        }
        if let Some(rows) = self.filled(name, key) {
            return rows;
        }
        match known {
            Some(table) if table.complete && !table.keys.is_empty() => {
                Rows::Doubt(Doubt::Key(name, table.keys[0].columns.clone()))
            }
            _ => Rows::Doubt(Doubt::Table(name)),
        }
    }

    /// The rows of a table that the script itself makes and fills before the statement.
    fn filled(&self, name: Name<'a>, key: &[Column]) -> Option<Rows<'a>> {
        Some(match filled::of(self.context, self.step, name)? {
            // Whoever deletes by a condition from what was just loaded makes it fit.
            Filled::Trimmed | Filled::Row => Rows::Once,
            Filled::Query(with, query, columns) => self.query(Env { with, outer: None }, query, &placed(key, &columns)),
            Filled::Values(rows, columns) => listed(rows.iter().map(Vec::as_slice), &placed(key, &columns)),
        })
    }

    /// The rows of a query for one value of some of its columns.
    pub fn query(&self, env: Env<'_, 'a>, query: &Query<'a>, key: &[Column]) -> Rows<'a> {
        let env = Env { with: &query.with, outer: Some(&env) };
        if query.limit.is_some_and(one_row) {
            return Rows::Once;
        }
        if let Some(rows) = literal_rows(query) {
            let names = item_names(query);
            let found = listed(rows.iter().map(Vec::as_slice), &placed(key, &names));
            let once = query.branches.len() > 1 && !unites_all(query) && matches!(found, Rows::Twice(..));
            return if once { Rows::Doubt(Doubt::Opaque) } else { found };
        }
        let [(_, first), others @ ..] = query.branches.as_slice() else { return Rows::Doubt(Doubt::Opaque) };
        if others.is_empty() {
            return self.body(env, first, key);
        }
        // What a set operation takes away makes nothing double.
        if others.iter().all(|(word, _)| word != "union") {
            let rows = self.body(env, first, key);
            return if matches!(rows, Rows::Once) || wide(first).is_some_and(|n| n <= key.len()) {
                Rows::Once
            } else {
                rows
            };
        }
        let columns = wide(first);
        if !unites_all(query) && columns.is_some_and(|columns| columns <= key.len()) {
            return Rows::Once;
        }
        let key = placed(key, &item_names(query));
        let once = |(_, body): &(String, Body<'a>)| matches!(self.body(env, body, &key), Rows::Once);
        if (tagged(query, &key) || self.disjoint(env, query, &key)) && query.branches.iter().all(once) {
            return Rows::Once;
        }
        Rows::Doubt(Doubt::Union(query.sql))
    }

    fn body(&self, env: Env<'_, 'a>, body: &Body<'a>, key: &[Column]) -> Rows<'a> {
        match body {
            Body::Select(select) => self.select(env, select, key),
            Body::Values(rows) => listed(rows.iter().map(Vec::as_slice), key),
            Body::Query(query) => self.query(env, query, key),
            Body::Table(name) => self.named(env, *name, key),
        }
    }

    fn select(&self, env: Env<'_, 'a>, select: &Select<'a>, key: &[Column]) -> Rows<'a> {
        if select.top.is_some_and(|top| top.bare().normal() == "1") {
            return Rows::Once;
        }
        let sets = select.items.iter().any(|item| item.value.calls_any(SET_RETURNING));
        if sets {
            return Rows::Doubt(Doubt::Opaque);
        }
        let no_table = select.from.iter().all(|one| matches!(&one.table, Table::Name(name) if name.last() == "dual"));
        if no_table || select.group_by.is_none() && select.items.iter().any(|item| aggregates(item.value)) {
            return Rows::Once;
        }
        let joins = Joins::new(self, env, select);
        let wanted = joins.wanted(key);
        let settled = joins.settle(&wanted);
        if let Some(group) = select.group_by {
            if group.is_any(0, &["rollup", "cube", "grouping"]) || group.mentions("rollup") || group.mentions("cube") {
                return Rows::Doubt(Doubt::Group(group));
            }
            let items: Vec<Sql<'_>> = if group.is(0, "all") {
                select.items.iter().map(|item| item.value).filter(|value| !aggregates(*value)).collect()
            } else {
                group.commas()
            };
            let all = items.into_iter().all(|one| joins.determined(one, &wanted, &settled));
            return if all { Rows::Once } else { Rows::Doubt(Doubt::Group(group)) };
        }
        let mut doubt = None;
        match select.distinct {
            Distinct::On(list) => {
                if list.commas().into_iter().all(|one| joins.determined(one, &wanted, &settled)) {
                    return Rows::Once;
                }
                doubt = Some(Doubt::Distinct(list));
            }
            Distinct::Rows => {
                let star = select.items.iter().any(|item| starred(item.value));
                if !star && select.items.iter().all(|item| joins.determined(item.value, &wanted, &settled)) {
                    return Rows::Once;
                }
                doubt = Some(Doubt::Distinct(select.sql));
            }
            Distinct::No => {}
        }
        let mut numbers: Vec<Sql<'a>> = wanted.values.clone();
        numbers.extend(select.qualify.into_iter().flat_map(|qualify| joins.numbered(qualify)));
        for number in numbers {
            if let Some(partition) = row_number(number)
                && partition.into_iter().all(|one| joins.determined(one, &wanted, &settled))
            {
                return Rows::Once;
            }
        }
        match joins.open(&settled) {
            None => Rows::Once,
            Some(found) => Rows::Doubt(doubt.unwrap_or(found)),
        }
    }

    /// The first of some relations of which a row of the others may meet several; the relations before `from` are taken as
    /// one row. For UPDATE: the target is the first.
    pub fn join(
        &self,
        env: Env<'_, 'a>,
        relations: &[Relation<'a>],
        filter: Option<Sql<'a>>,
        target: usize,
    ) -> Vec<(usize, Rows<'a>, Vec<Column>)> {
        let joins = Joins { prover: self, env, select: None, relations, filter };
        let constant = joins.start(&Wanted::default());
        let mut settled = joins.start(&Wanted::default());
        settled.relations.insert(target);
        joins.spread(&mut settled);
        (0..relations.len())
            .filter(|at| !settled.relations.contains(at))
            .map(|at| {
                let key = settled.columns(at);
                let rows = self.relation(env, &relations[at], &key);
                // The two rows need not be those that a constant picks.
                let picked = matches!(rows, Rows::Twice(..)) && constant.nodes.iter().any(|node| node.0 == at);
                (at, if picked { Rows::Doubt(Doubt::Opaque) } else { rows }, key)
            })
            .collect()
    }
}

/// True when a column of the key is another literal in each branch.
fn tagged(query: &Query<'_>, key: &[Column]) -> bool {
    key.iter().filter_map(|one| one.at).any(|at| {
        let mut seen = HashSet::new();
        query.branches.iter().all(|(_, body)| match body {
            Body::Select(select) => {
                select.items.get(at).is_some_and(|item| item.value.is_literal() && seen.insert(item.value.normal()))
            }
            _ => false,
        })
    })
}
