//! Whether queries that are put together give no key twice between them: one of each two leaves out, by an anti-join on
//! columns of the key, what the other one reads.

use super::compared::{Compared, correlated, joined, listed, narrowed};
use super::joins::{Joins, Node};
use super::rows::{item_names, wide};
use super::{Column, Env, Prover, placed};
use crate::lint::proof::antijoin::{Form, negative, null_test, subquery};
use crate::sql::clause::{Body, Distinct, Inner, Join, Query, Relation, Select, Table};
use crate::sql::view::{Name, Sql};
use std::ops::Range;

/// Each branch is compared with each other one: beyond this many, nobody has written anti-joins.
const BRANCHES: usize = 12;

/// WITH entries behind WITH entries beyond this are left alone.
const HOPS: usize = 12;

/// A relation, so that two uses of it are known to be the same.
#[derive(Clone, PartialEq)]
enum Place {
    /// The query of a WITH entry, by its bytes.
    Entry(Range<usize>),
    /// A table by its whole name.
    Table(String),
    /// Rows that stand in the text, by that.
    Rows(String),
}

/// Rows that a query leaves out: those whose columns of the key are in a relation.
struct Absent {
    place: Place,
    /// The numbers of columns of the key, and which columns of the relation they are compared with. Fewer than the whole
    /// key leave out more.
    columns: Vec<(usize, String)>,
    /// Where not every row of the relation counts: what those that do are called, and what they have.
    narrowed: Option<(String, Vec<String>)>,
}

impl Absent {
    fn whole(place: Place, columns: Vec<(usize, String)>) -> Self {
        Self { place, columns, narrowed: None }
    }
}

/// A key on its way inwards: the columns that are still known, by their number.
type Key = Vec<(usize, Column)>;

impl<'a> Prover<'_, 'a> {
    /// True when a key of one branch of a UNION cannot stand in another one.
    pub(super) fn disjoint(&self, env: Env<'_, 'a>, query: &Query<'a>, key: &[Column]) -> bool {
        let branches = &query.branches;
        if branches.len() > BRANCHES || branches.iter().skip(1).any(|(word, _)| word != "union") {
            return false;
        }
        let key: Key = key.iter().cloned().enumerate().collect();
        let absent: Vec<Vec<Absent>> = branches.iter().map(|(_, body)| self.absent(env, body, &key)).collect();
        let leaves_out = |one: usize, other: usize| {
            absent[one].iter().any(|absent| self.reads(env, &branches[other].1, &key, absent))
        };
        (1..branches.len()).all(|at| (0..at).all(|before| leaves_out(at, before) || leaves_out(before, at)))
    }

    /// What the rows of a body are known not to be.
    fn absent(&self, env: Env<'_, 'a>, body: &Body<'a>, key: &[(usize, Column)]) -> Vec<Absent> {
        match body {
            _ if self.tired() => Vec::new(),
            Body::Select(select) => self.absent_select(env, select, key),
            Body::Query(query) => self.absent_query(env, query, key),
            Body::Table(name) => self.absent_named(env, *name, key),
            Body::Values(_) => Vec::new(),
        }
    }

    fn absent_named(&self, env: Env<'_, 'a>, name: Name<'a>, key: &[(usize, Column)]) -> Vec<Absent> {
        match env.entry(name) {
            Some((common, inner)) => match &common.inner {
                Inner::Query(query) => self.absent_query(inner, query, &renamed(key, &common.columns)),
                Inner::Change(_) => Vec::new(),
            },
            None => Vec::new(),
        }
    }

    fn absent_query(&self, env: Env<'_, 'a>, query: &Query<'a>, key: &[(usize, Column)]) -> Vec<Absent> {
        let env = Env { with: &query.with, outer: Some(&env) };
        let Some(((_, first), others)) = query.branches.split_first() else { return Vec::new() };
        if others.iter().any(|(word, _)| word == "union") {
            return Vec::new();
        }
        let key = renamed(key, &item_names(query));
        let mut all = self.absent(env, first, &key);
        // Whole rows are taken away: they are keys when all of their columns are.
        for (_, body) in others.iter().filter(|(word, _)| word != "intersect") {
            let Body::Select(select) = body else { continue };
            let (Some(width), [_]) = (wide(body), select.from.as_slice()) else { continue };
            let asked: Option<Vec<_>> = (0..width)
                .map(|at| {
                    let number = key.iter().find(|(_, column)| column.at == Some(at))?.0;
                    Some((number, select.items.get(at)?.value.as_name()?.last()))
                })
                .collect();
            if let Some(asked) = asked.filter(|_| plain(select) && select.filter.is_none()) {
                all.extend(self.looked_at(env, &select.from[0], asked));
            }
        }
        all
    }

    fn absent_select(&self, env: Env<'_, 'a>, select: &Select<'a>, key: &[(usize, Column)]) -> Vec<Absent> {
        let joins = Joins::new(self, env, select);
        let origins = origins(&joins, key);
        // The numbers of the key's columns for those that are compared; one that is no column of the key leaves out less.
        let numbered = |compared: Compared| {
            let number = |node: &Node| origins.iter().find(|(_, origin)| origin == node).map(|(number, _)| *number);
            compared.into_iter().map(|(node, column)| Some((number(&node)?, column))).collect::<Option<Vec<_>>>()
        };
        let mut all = Vec::new();
        let inner = select.from.iter().filter(|one| one.join == Join::Inner).filter_map(|one| one.on);
        for part in select.filter.into_iter().chain(inner).flat_map(Sql::conjuncts) {
            if let Some((form, inside)) = negative(part.bare()) {
                let Some(query) = subquery(inside) else { continue };
                let env = Env { with: &query.with, outer: Some(&env) };
                let Some(looked) = whole(&query) else { continue };
                let compared = match form {
                    Form::NotExists => correlated(&joins, looked),
                    Form::Count if looked.items.iter().all(|item| item.value.normal() == "count ( * )") => {
                        correlated(&joins, looked)
                    }
                    Form::NotIn => listed(&joins, part, looked),
                    _ => None,
                };
                if let Some(asked) = compared.and_then(&numbered) {
                    all.extend(self.looked_at(env, &looked.from[0], asked));
                } else if form == Form::NotExists {
                    let outer: Vec<String> = select.from.iter().filter_map(Relation::called).collect();
                    let found = narrowed(&joins, looked, &outer);
                    let found = found.and_then(|(compared, rest)| Some((numbered(compared)?, rest)));
                    let is_table = matches!(&looked.from[0].table, Table::Name(name) if env.entry(*name).is_none());
                    let found = found.filter(|_| is_table);
                    all.extend(found.and_then(|(asked, rest)| some_rows(&looked.from[0], asked, rest)));
                }
            }
        }
        for (at, relation) in select.from.iter().enumerate() {
            let null = || {
                let parts = select.filter.into_iter().flat_map(Sql::conjuncts);
                let mut tests = parts.filter(|part| part.is(part.len().saturating_sub(1), "null"));
                let compared = joined(&joins, at, relation).unwrap_or_default();
                // A column that is compared is null where nothing was found, and nowhere else.
                tests.any(|part| {
                    null_test(part).is_some_and(|name| {
                        name.qualifier().is_some_and(|qualifier| relation.called() == Some(qualifier))
                            && compared.iter().any(|(_, column)| *column == name.last())
                    })
                })
            };
            if relation.join == Join::Anti || relation.join == Join::Left && keeps(&select.from, at, true) && null() {
                if let Some(asked) = joined(&joins, at, relation).and_then(&numbered) {
                    all.extend(self.looked_at(env, relation, asked));
                }
            } else if keeps(&select.from, at, false) {
                let key = of_relation(&origins, at, relation);
                if key.is_empty() {
                    continue;
                }
                all.extend(match &relation.table {
                    Table::Query(query) => self.absent_query(env, query, &key),
                    Table::Name(name) if !self.tired() => self.absent_named(env, *name, &key),
                    _ => Vec::new(),
                });
            }
        }
        all
    }

    /// The relation that an anti-join looks at, and what it passes on whole: a WITH entry that keeps each row of a table
    /// leaves out what the table has.
    fn looked_at(&self, env: Env<'_, 'a>, relation: &Relation<'a>, asked: Vec<(usize, String)>) -> Vec<Absent> {
        let mut all = Vec::new();
        self.look(env, relation, asked, HOPS, &mut all);
        all
    }

    fn look(
        &self,
        env: Env<'_, 'a>,
        relation: &Relation<'a>,
        asked: Vec<(usize, String)>,
        hops: usize,
        all: &mut Vec<Absent>,
    ) {
        if of_another_time(relation) {
            return;
        }
        let (query, env, names) = match &relation.table {
            Table::Query(query) => {
                if stands_in_text(query) {
                    all.push(Absent::whole(Place::Rows(query.sql.normal()), asked.clone()));
                }
                (&**query, env, Vec::new())
            }
            Table::Name(name) => {
                let Some((common, inner)) = env.entry(*name) else {
                    all.push(Absent::whole(Place::Table(name.key()), asked));
                    return;
                };
                let Inner::Query(query) = &common.inner else { return };
                all.push(Absent::whole(Place::Entry(query.sql.range()), asked.clone()));
                (query, inner, common.columns.clone())
            }
            Table::Other => return,
        };
        let Some(select) = whole(query).filter(|_| hops > 0) else { return };
        if select.filter.is_some() {
            return;
        }
        let env = Env { with: &query.with, outer: Some(&env) };
        let joins = Joins::new(self, env, select);
        let key: Key = asked.into_iter().map(|(number, column)| (number, Column::named(column))).collect();
        let origins = origins(&joins, &renamed(&key, &names));
        if origins.len() == key.len() {
            let asked = origins.into_iter().map(|(number, node)| (number, node.1)).collect();
            self.look(env, &select.from[0], asked, hops - 1, all);
        }
    }

    /// True when each row of a body comes from a row of the relation that holds the compared columns of its key.
    fn reads(&self, env: Env<'_, 'a>, body: &Body<'a>, key: &[(usize, Column)], absent: &Absent) -> bool {
        match body {
            _ if self.tired() => false,
            Body::Select(select) => {
                let joins = Joins::new(self, env, select);
                let origins = origins(&joins, key);
                select.from.iter().enumerate().any(|(at, relation)| {
                    let key = of_relation(&origins, at, relation);
                    let has = |number: usize| key.iter().any(|(one, _)| *one == number);
                    keeps(&select.from, at, false)
                        && !of_another_time(relation)
                        && absent.columns.iter().all(|(number, _)| has(*number))
                        && match &relation.table {
                            Table::Name(name)
                                if env.entry(*name).is_none() && !narrows_alike(select, relation, absent) =>
                            {
                                false
                            }
                            Table::Query(query) => {
                                (stands_in_text(query)
                                    && absent.narrowed.is_none()
                                    && is_place(&Place::Rows(query.sql.normal()), &key, absent))
                                    || self.reads_query(env, query, &key, absent)
                            }
                            Table::Name(name) => self.reads_named(env, *name, &key, absent),
                            Table::Other => false,
                        }
                })
            }
            Body::Query(query) => self.reads_query(env, query, key, absent),
            Body::Table(name) => absent.narrowed.is_none() && self.reads_named(env, *name, key, absent),
            Body::Values(_) => false,
        }
    }

    fn reads_named(&self, env: Env<'_, 'a>, name: Name<'a>, key: &[(usize, Column)], absent: &Absent) -> bool {
        let same = |place: &Place| is_place(place, key, absent);
        match env.entry(name) {
            Some((common, inner)) => match &common.inner {
                Inner::Query(query) => {
                    same(&Place::Entry(query.sql.range()))
                        || self.reads_query(inner, query, &renamed(key, &common.columns), absent)
                }
                Inner::Change(_) => false,
            },
            None => same(&Place::Table(name.key())),
        }
    }

    fn reads_query(&self, env: Env<'_, 'a>, query: &Query<'a>, key: &[(usize, Column)], absent: &Absent) -> bool {
        let env = Env { with: &query.with, outer: Some(&env) };
        let key = renamed(key, &item_names(query));
        // EXCEPT and INTERSECT leave rows of what stands before them.
        query
            .branches
            .iter()
            .filter(|(word, _)| word.is_empty() || word == "union")
            .all(|(_, body)| self.reads(env, body, &key, absent))
    }
}

/// True when the relation is the one that is left out, and gives the key by the columns that are compared.
fn is_place(place: &Place, key: &[(usize, Column)], absent: &Absent) -> bool {
    let column = |number: usize| key.iter().find(|(one, _)| *one == number).map(|(_, column)| &column.name);
    *place == absent.place && absent.columns.iter().all(|(number, name)| column(*number) == Some(name))
}

/// The rows of a table that are left out: those that have the rest.
fn some_rows(relation: &Relation<'_>, asked: Vec<(usize, String)>, rest: Vec<String>) -> Option<Absent> {
    let Table::Name(name) = &relation.table else { return None };
    let absent = Absent::whole(Place::Table(name.key()), asked);
    (!of_another_time(relation)).then_some(Absent { narrowed: Some((relation.called()?, rest)), ..absent })
}

/// True when a SELECT takes no other rows of the relation than those that are left out.
fn narrows_alike(select: &Select<'_>, relation: &Relation<'_>, absent: &Absent) -> bool {
    let Some((called, rest)) = &absent.narrowed else { return true };
    let taken: Vec<String> = select.filter.into_iter().flat_map(Sql::conjuncts).map(Sql::normal).collect();
    let alone = select.from.len() == 1 && relation.called().as_ref() == Some(called);
    alone && rest.iter().all(|part| taken.contains(part))
}

/// True for rows that are written out, so that the same text is the same rows.
fn stands_in_text(query: &Query<'_>) -> bool {
    query.limit.is_none()
        && query.with.is_empty()
        && query.branches.iter().all(|(_, body)| match body {
            Body::Values(_) => true,
            Body::Select(select) => select
                .from
                .iter()
                .all(|one| matches!(&one.table, Table::Name(name) if name.sql.len() == 1 && name.last() == "dual")),
            Body::Query(_) | Body::Table(_) => false,
        })
}

/// The same columns at the places that a list of names gives them.
fn renamed(key: &[(usize, Column)], names: &[String]) -> Key {
    key.iter()
        .filter_map(|(number, column)| placed(std::slice::from_ref(column), names).pop().map(|c| (*number, c)))
        .collect()
}

/// Which columns of the relations the key is.
fn origins(joins: &Joins<'_, '_, '_>, key: &[(usize, Column)]) -> Vec<(usize, Node)> {
    key.iter().filter_map(|(number, column)| Some((*number, joins.origin(column)?))).collect()
}

/// The columns of the key that one relation gives.
fn of_relation(origins: &[(usize, Node)], at: usize, relation: &Relation<'_>) -> Key {
    let own = origins.iter().filter(|(_, node)| node.0 == at);
    let key: Key = own.map(|(number, node)| (*number, Column::named(node.1.clone()))).collect();
    renamed(&key, &super::alias_columns(relation))
}

/// True when each row of a join has a row of the relation; `looked_up`: when an outer join fills it up with nulls at most
/// by itself.
fn keeps(relations: &[Relation<'_>], at: usize, looked_up: bool) -> bool {
    let own = matches!(relations[at].join, Join::None | Join::Inner | Join::Right) || looked_up;
    own && !relations.iter().skip(at + 1).any(|later| matches!(later.join, Join::Right | Join::Full))
}

/// True when a relation may hold other rows than the table of its name: a sample, what the table held at another time.
fn of_another_time(relation: &Relation<'_>) -> bool {
    let inside = matches!(relation.table, Table::Query(_));
    !inside && relation.sql.top().any(|at| relation.sql.is_any(at, &["tablesample", "sample", "of", "at", "before"]))
}

/// True when a query gives a row for each row of one relation that its WHERE keeps: it may put equal ones together.
fn plain(select: &Select<'_>) -> bool {
    select.from.len() == 1
        && select.top.is_none()
        && select.having.is_none()
        && select.qualify.is_none()
        && !matches!(select.distinct, Distinct::On(_))
}

/// The SELECT of a query that is plain and has no LIMIT.
fn whole<'s, 'a>(query: &'s Query<'a>) -> Option<&'s Select<'a>> {
    match query.branches.as_slice() {
        [(_, Body::Select(select))] if query.limit.is_none() && plain(select) => Some(select),
        _ => None,
    }
}
