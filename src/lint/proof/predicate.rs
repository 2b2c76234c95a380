//! Predicates on the columns of a target: those of the rows that a load adds, and those that a DELETE clears.
//!
//! A load's predicate is on columns of its source. Each of them gets the name of the target's column that it fills, through
//! WITH lists and queries in FROM, so that the two can be compared.

use crate::lint::context::Context;
use crate::lint::proof::value::Value;
use crate::sql::clause::{
    Body, Common, Delete, Inner, Insert, Join, Matched, Merge, MergeAction, Query, Select, Source, Table,
};
use crate::sql::view::{Name, Sql};

/// A conjunct of a predicate on the target's columns.
#[derive(Clone, Debug)]
pub struct Term<'a> {
    /// What is compared, or the whole conjunct.
    pub(super) on: Vec<Piece>,
    /// What is true of it.
    pub set: Set<'a>,
    /// All of it.
    pub sql: Sql<'a>,
}

/// An end of a range; true where it belongs to the range.
pub type Bound<'a> = (Value<'a>, bool);

/// What is true of the left side of a conjunct.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // There are a handful for each statement.
pub enum Set<'a> {
    /// It is one of these values.
    In(Vec<Value<'a>>),
    /// It lies between these.
    Range(Option<Bound<'a>>, Option<Bound<'a>>),
    /// The conjunct holds, whatever it says.
    Holds,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A column of the target.
    Column(String),
    /// A name that is no column that the load fills: another column of the source, or a variable.
    Loose(String),
    /// A column of the source that goes elsewhere.
    Other(Option<String>, String),
    Word(String),
}

/// The rows that one branch of an INSERT adds.
#[derive(Clone, Debug, Default)]
pub struct Load<'a> {
    /// What is true of them.
    pub terms: Vec<Term<'a>>,
    /// The tables that it reads.
    pub(super) sources: Vec<Read<'a>>,
}

/// A table that a load reads.
#[derive(Clone, Debug)]
pub(super) struct Read<'a> {
    pub table: Name<'a>,
    /// Its columns, each with the target's column that it fills.
    pub columns: Vec<(String, String)>,
    /// The others fill the column of their own name.
    pub star: bool,
}

impl Term<'_> {
    /// The target's column that is compared, alone or inside of an expression.
    pub fn column(&self) -> Option<&str> {
        self.on.iter().find_map(|piece| match piece {
            Piece::Column(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

/// The rows that an INSERT adds, one entry for each branch of its query.
pub fn loads<'a>(context: &Context<'a>, insert: &Insert<'a>) -> Vec<Load<'a>> {
    let known = context.table(insert.target);
    let column = |at: usize, name: Option<&str>| {
        let listed = insert.columns.get(at).cloned();
        let placed = || known.and_then(|table| table.columns.get(at)).map(|column| column.name.clone());
        listed.or_else(placed).or_else(|| name.map(str::to_owned))
    };
    match &insert.source {
        Source::Values(rows) => vec![values(rows, &column)],
        Source::Query(query) => {
            let mut all = Vec::new();
            branches(query, &[&insert.with], &column, &mut all, 0);
            all
        }
        _ => Vec::new(),
    }
}

/// What becomes of a column, given by its qualifier and its name.
pub(super) type Lift<'f> = &'f dyn Fn(Option<String>, String) -> Piece;

/// The rows that a MERGE adds, whatever its condition finds, and the DELETE that its branch for rows without a source row
/// is when no row ever matches.
pub fn replaced<'a>(merge: &Merge<'a>) -> Option<(Delete<'a>, Load<'a>)> {
    let clear = merge.branches.iter().find_map(|branch| {
        (branch.matched == Matched::BySource && matches!(branch.action, MergeAction::Delete))
            .then_some(branch.condition)
    })?;
    let (columns, values) = merge.branches.iter().find_map(|branch| match &branch.action {
        MergeAction::Insert(columns, values) if branch.matched == Matched::No => Some((columns, values)),
        _ => None,
    })?;
    let (Table::Query(query), Some(called)) = (&merge.source.table, merge.source.called()) else { return None };
    let lift = |qualifier: Option<String>, last: String| {
        let here = |value: &Sql<'_>| {
            value.as_name().is_some_and(|name| {
                name.last() == last
                    && name.qualifier().unwrap_or(called.clone()) == qualifier.clone().unwrap_or(called.clone())
            })
        };
        let target = values.iter().position(here).and_then(|at| columns.get(at));
        target.map_or(Piece::Other(qualifier.clone(), last.clone()), |column| Piece::Column(column.clone()))
    };
    let mut load = Load::default();
    into_relation(query, &called, &[&merge.with], &lift, &mut load, 0);
    let delete = Delete {
        with: Vec::new(),
        target: merge.target,
        alias: merge.alias.clone(),
        using: Vec::new(),
        filter: clear,
        limited: false,
    };
    Some((delete, load))
}

/// What an INSERT names for the column at a place: the target's column.
type Columns<'f> = &'f dyn Fn(usize, Option<&str>) -> Option<String>;

fn values<'a>(rows: &[Vec<Sql<'a>>], column: Columns<'_>) -> Load<'a> {
    let mut load = Load::default();
    let Some(first) = rows.first() else { return load };
    for (at, value) in first.iter().enumerate() {
        let all: Option<Vec<Value>> = rows.iter().map(|row| row.get(at).and_then(|sql| Value::of(*sql))).collect();
        if let (Some(all), Some(name)) = (all, column(at, None)) {
            load.terms.push(Term { on: vec![Piece::Column(name)], set: Set::In(all), sql: *value });
        }
    }
    load
}

fn branches<'a>(query: &Query<'a>, with: &[&[Common<'a>]], column: Columns<'_>, all: &mut Vec<Load<'a>>, depth: usize) {
    if depth > 8 {
        return;
    }
    let mut with = with.to_vec();
    with.push(&query.with);
    for (word, body) in &query.branches {
        // What EXCEPT and INTERSECT take away only makes less of it.
        if !word.is_empty() && word != "union" {
            continue;
        }
        match body {
            Body::Select(one) => {
                let mut load = Load::default();
                select(one, &with, column, &mut load, depth);
                all.push(load);
            }
            Body::Query(inner) => branches(inner, &with, column, all, depth + 1),
            Body::Values(rows) => all.push(values(rows, column)),
            Body::Table(_) => all.push(Load::default()),
        }
    }
}

fn select<'a>(one: &Select<'a>, with: &[&[Common<'a>]], column: Columns<'_>, load: &mut Load<'a>, depth: usize) {
    let single = one.from.len() == 1;
    let star = one.items.iter().any(|item| item.value.symbol(item.value.len().saturating_sub(1), "*"));
    let filled: Vec<(Option<String>, Sql<'a>)> = one
        .items
        .iter()
        .enumerate()
        .map(|(at, item)| (column(if star { usize::MAX } else { at }, item.name.as_deref()), item.value))
        .collect();
    let lift = |qualifier: Option<String>, last: String| -> Piece {
        for (target, value) in &filled {
            let (Some(target), Some(item)) = (target, value.as_name()) else { continue };
            let other = item.qualifier();
            if item.last() == last && (other == qualifier || (single && (other.is_none() || qualifier.is_none()))) {
                return Piece::Column(target.clone());
            }
        }
        let taken = filled.iter().any(|(target, _)| target.as_ref() == Some(&last));
        match () {
            () if star && !taken => Piece::Column(last),
            () if taken => Piece::Other(qualifier, last),
            () => Piece::Loose(last),
        }
    };
    for (target, value) in &filled {
        let Some(target) = target else { continue };
        if let Some(value) = Value::of(*value).filter(|_| !value.symbol(0, "*")) {
            load.terms.push(Term {
                on: vec![Piece::Column(target.clone())],
                sql: value.sql,
                set: Set::In(vec![value]),
            });
        }
    }
    let joined = one.from.iter().filter(|one| matches!(one.join, Join::None | Join::Inner)).filter_map(|one| one.on);
    for conjunct in one.filter.into_iter().chain(joined).flat_map(Sql::conjuncts) {
        load.terms.push(term(conjunct, &lift));
    }
    for relation in &one.from {
        let Some(called) = relation.called() else { continue };
        match &relation.table {
            Table::Query(inner) if depth < 8 => into_relation(inner, &called, with, &lift, load, depth),
            Table::Name(name) => {
                let common = with.iter().rev().flat_map(|list| list.iter()).find(|common| common.name == name.key());
                if let Some(Common { inner: Inner::Query(inner), .. }) = common.filter(|_| depth < 8) {
                    into_relation(inner, &called, with, &lift, load, depth);
                } else {
                    let own = filled.iter().filter_map(|(target, value)| {
                        let name = value.as_name()?;
                        let here = name.qualifier().map_or(single, |qualifier| qualifier == called);
                        here.then(|| Some((name.last(), target.clone()?))).flatten()
                    });
                    load.sources.push(Read { table: *name, columns: own.collect(), star });
                }
            }
            _ => {}
        }
    }
}

/// What is true of the rows of a query in FROM, in the target's columns.
fn into_relation<'a>(
    inner: &Query<'a>,
    called: &str,
    with: &[&[Common<'a>]],
    lift: Lift<'_>,
    load: &mut Load<'a>,
    depth: usize,
) {
    let Some(one) = inner.select() else { return };
    let mut with = with.to_vec();
    with.push(&inner.with);
    let column = |_: usize, name: Option<&str>| match lift(Some(called.to_owned()), name?.to_owned()) {
        Piece::Column(target) => Some(target),
        _ => None,
    };
    select(one, &with, &column, load, depth + 1);
}

/// A conjunct as a term.
pub(super) fn term<'a>(sql: Sql<'a>, lift: Lift<'_>) -> Term<'a> {
    let sql = sql.bare();
    let on = |side: Sql<'a>| pieces(side, lift);
    let holds = || Term { on: pieces(sql, lift), set: Set::Holds, sql };
    if sql.is(0, "not") || sql.top().any(|at| sql.is_any(at, &["or", "not"])) {
        return holds();
    }
    let operators = ["=", "==", "<", ">", "<=", ">=", "<>", "!="];
    let mut found = sql.top().filter(|at| operators.iter().any(|operator| sql.symbol(*at, operator)));
    if let (Some(at), None) = (found.next(), found.next()) {
        let (left, right) = (sql.slice(0..at), sql.from(at + 1));
        let (side, value, flipped) = match (Value::of(left), Value::of(right)) {
            (None, Some(value)) => (left, value, false),
            (Some(value), None) => (right, value, true),
            _ => return holds(),
        };
        if side.mentions("select") {
            return holds();
        }
        let set = match (sql.text(at), flipped) {
            ("=" | "==", _) => Set::In(vec![value]),
            (">", false) | ("<", true) => Set::Range(Some((value, false)), None),
            (">=", false) | ("<=", true) => Set::Range(Some((value, true)), None),
            ("<", false) | (">", true) => Set::Range(None, Some((value, false))),
            ("<=", false) | (">=", true) => Set::Range(None, Some((value, true))),
            _ => return holds(),
        };
        return Term { on: on(side), set, sql };
    }
    if let Some(at) = sql.find(0, &["between"]) {
        let ends = sql.find(at, &["and"]).map(|and| (Value::of(sql.slice(at + 1..and)), Value::of(sql.from(and + 1))));
        if let Some((Some(low), Some(high))) = ends {
            return Term { on: on(sql.slice(0..at)), set: Set::Range(Some((low, true)), Some((high, true))), sql };
        }
    }
    if let Some(at) = sql.find(0, &["in"]).filter(|at| sql.after(at + 1) == sql.len()) {
        let all: Option<Vec<Value>> = sql.inside(at + 1).commas().into_iter().map(Value::of).collect();
        if let Some(all) = all.filter(|all| !all.is_empty()) {
            return Term { on: on(sql.slice(0..at)), set: Set::In(all), sql };
        }
    }
    holds()
}

pub(super) fn pieces(sql: Sql<'_>, lift: Lift<'_>) -> Vec<Piece> {
    let sql = sql.bare();
    let mut names = sql.names().peekable();
    let mut all = Vec::new();
    let mut at = 0;
    while at < sql.len() {
        if let Some(name) = names.peek().filter(|name| name.sql.range().start == sql.bytes(at).start) {
            all.push(lift(name.qualifier(), name.last()));
            at += name.sql.len();
            names.next();
        } else {
            all.push(Piece::Word(sql.slice(at..at + 1).normal()));
            at += 1;
        }
    }
    all
}

pub(super) fn same(load: &[Piece], clear: &[Piece]) -> bool {
    load.len() == clear.len()
        && load.iter().zip(clear).all(|(one, two)| match (one, two) {
            // A variable of a procedure looks like a column on both sides.
            (Piece::Loose(name), Piece::Column(other)) => name == other,
            _ => one == two,
        })
}

/// What is true of the rows that a DELETE clears.
pub fn cleared<'a>(delete: &Delete<'a>) -> Vec<Term<'a>> {
    let lift = |_: Option<String>, last: String| Piece::Column(last);
    delete.filter.into_iter().flat_map(Sql::conjuncts).map(|sql| term(sql, &lift)).collect()
}

/// True when a condition of a DELETE and one of a load read the same bound of the same column from a table, so that they are
/// one window: `day >= (SELECT day FROM low)`.
pub fn shares_bound(cleared: &[Term<'_>], load: &Load<'_>) -> bool {
    let bounds = |term: &&Term<'_>| matches!(term.set, Set::Holds) && term.sql.mentions("select");
    cleared.iter().filter(bounds).any(|clear| {
        let compared = matches!(clear.on.first(), Some(Piece::Column(_)))
            && matches!(clear.on.get(1), Some(Piece::Word(sign)) if [">", ">=", "<", "<=", "=", "in"].contains(&sign.as_str()));
        compared && load.terms.iter().filter(bounds).any(|term| same(&term.on, &clear.on))
    })
}
