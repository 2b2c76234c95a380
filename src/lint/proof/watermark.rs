//! High watermarks: predicates that take the rows behind the greatest one that the target has.

use crate::lint::context::Context;
use crate::sql::clause::{Common, Inner, Query, Relation, Select, Table, Verb};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};
use std::collections::HashMap;

/// `ts > (SELECT max(ts) FROM target)`
#[derive(Clone, Debug)]
pub struct Watermark<'a> {
    /// The conjunct.
    pub sql: Sql<'a>,
    /// The column that is compared, as it is compared.
    pub column: String,
    /// `>`, not `>=`.
    pub strict: bool,
    /// Something stands in for the maximum of an empty table.
    pub floor: bool,
    /// The bound lies before the maximum: `max(ts) - INTERVAL '3 days'`.
    pub overlap: bool,
}

/// The values of variables that hold a maximum: `DECLARE @from datetime = (SELECT max(ts) FROM f)`.
pub struct Variables<'a>(HashMap<String, Sql<'a>>);

impl<'a> Variables<'a> {
    /// None: only what is computed in the statement itself counts.
    pub fn none() -> Self {
        Self(HashMap::new())
    }

    /// Those of a script.
    pub fn of(context: &Context<'a>) -> Self {
        let mut all = HashMap::new();
        for step in &context.steps {
            let sql = step.sql;
            if !sql.is_any(0, &["declare", "set", "select", "let"]) || !sql.mentions("max") {
                continue;
            }
            let name = (0..sql.len()).find(|at| sql.kind(*at) == Some(Kind::Variable)).or_else(|| {
                // `DECLARE w TIMESTAMP DEFAULT (SELECT ..)`
                (sql.is_any(0, &["declare", "set", "let"]) && sql.kind(1) == Some(Kind::Word)).then_some(1)
            });
            if let Some(at) = name {
                all.insert(sql.text(at).to_lowercase(), sql);
            }
        }
        Self(all)
    }
}

/// The watermarks of a query on a target: in its own WHERE, and in those of the queries that it reads.
pub fn watermarks<'a>(
    query: &Query<'a>,
    outer: &[Common<'a>],
    target: Name<'_>,
    variables: &Variables<'a>,
) -> Vec<Watermark<'a>> {
    let mut all = Vec::new();
    let mut scope: Vec<&[Common<'a>]> = vec![outer];
    for common in outer.iter().chain(&query.with) {
        if let Inner::Query(inner) = &common.inner {
            in_query(inner, &[outer, &query.with], target, variables, &mut all, 0);
        }
    }
    scope.push(&query.with);
    in_query(query, &scope, target, variables, &mut all, 0);
    all
}

fn in_query<'a>(
    query: &Query<'a>,
    scope: &[&[Common<'a>]],
    target: Name<'_>,
    variables: &Variables<'a>,
    all: &mut Vec<Watermark<'a>>,
    depth: usize,
) {
    for select in query.selects() {
        for conjunct in select.filter.into_iter().chain(select.from.iter().filter_map(|one| one.on)) {
            for conjunct in conjunct.conjuncts() {
                let parts = conjunct.disjuncts();
                for part in &parts {
                    all.extend(watermark(*part, select, scope, target, variables).map(|mut found| {
                        // `OR NOT EXISTS (SELECT 1 FROM target)` lets an empty target load.
                        found.floor |= parts.len() > 1;
                        found
                    }));
                }
            }
        }
        for relation in &select.from {
            if let Table::Query(inner) = &relation.table
                && depth < 8
            {
                in_query(inner, scope, target, variables, all, depth + 1);
            }
        }
    }
}

fn watermark<'a>(
    sql: Sql<'a>,
    select: &Select<'a>,
    scope: &[&[Common<'a>]],
    target: Name<'_>,
    variables: &Variables<'a>,
) -> Option<Watermark<'a>> {
    let operators = ["<", ">", "<=", ">="];
    let mut found = sql.top().filter(|at| operators.iter().any(|one| sql.symbol(*at, one)));
    let (Some(at), None) = (found.next(), found.next()) else { return None };
    let (left, right) = (sql.slice(0..at), sql.from(at + 1));
    let (side, bound) = if sql.symbol(at, ">") || sql.symbol(at, ">=") { (left, right) } else { (right, left) };
    let column = side.names().next()?.last();
    let all = bound_text(bound, select, scope, variables);
    // Everything that the bound is made of, the queries behind its names among them.
    let whole = || all.iter().copied();
    let max = whole().any(|sql| sql.calls().any(|(_, name)| name.eq_ignore_ascii_case("max")));
    if side.mentions("select") || !max || !whole().any(|sql| super::range::reads(sql, target)) {
        return None;
    }
    let floors = ["coalesce", "ifnull", "nvl", "isnull", "greatest", "zeroifnull", "nvl2", "iif", "case", "if"];
    let shifts = [
        "dateadd",
        "date_add",
        "date_sub",
        "timestamp_sub",
        "datetime_sub",
        "timestampadd",
        "date_trunc",
        "add_months",
        "subtractdays",
        "subdate",
        "timestamp_trunc",
        "datetime_trunc",
        "trunc",
    ];
    let minus = |sql: Sql<'_>| {
        (0..sql.len()).any(|at| {
            let sign = sql.symbol(at, "-") && at > 0 && sql.kind(at - 1) != Some(Kind::Open);
            let comma = at > 0 && sql.kind(at - 1) == Some(Kind::Comma);
            sign && !comma
        })
    };
    Some(Watermark {
        sql,
        column,
        strict: sql.symbol(at, ">") || sql.symbol(at, "<"),
        floor: whole().any(|sql| sql.calls().any(|(_, name)| floors.iter().any(|one| name.eq_ignore_ascii_case(one))))
            || whole().any(|sql| sql.mentions("case")),
        overlap: whole().any(|sql| minus(sql) || sql.calls_any(&shifts)),
    })
}

/// A bound with what its names stand for: queries of the WITH list, relations beside it, variables.
fn bound_text<'a>(
    bound: Sql<'a>,
    select: &Select<'a>,
    scope: &[&[Common<'a>]],
    variables: &Variables<'a>,
) -> Vec<Sql<'a>> {
    let mut all = vec![bound];
    let common = |name: &str| {
        scope.iter().flat_map(|list| list.iter()).find(|one| one.name == name).and_then(|one| match &one.inner {
            Inner::Query(query) => Some(query.sql),
            Inner::Change(_) => None,
        })
    };
    for at in 0..bound.len() {
        if matches!(bound.kind(at), Some(Kind::Variable | Kind::Word)) {
            all.extend(variables.0.get(&bound.text(at).to_lowercase()));
        }
    }
    for name in bound.names() {
        all.extend(common(&name.key()));
        let relation = |relation: &&Relation<'a>| relation.called() == name.qualifier() && name.qualifier().is_some();
        match select.from.iter().find(relation).map(|relation| &relation.table) {
            Some(Table::Query(query)) => all.push(query.sql),
            Some(Table::Name(table)) => all.extend(common(&table.key())),
            _ => {}
        }
    }
    all
}

/// The query that a statement loads from.
pub fn source<'s, 'a>(verb: &'s Verb<'a>) -> Option<(&'s Query<'a>, &'s [Common<'a>], Name<'a>)> {
    match verb {
        Verb::Insert(insert) => match &insert.source {
            crate::sql::clause::Source::Query(query) => Some((query, &insert.with, insert.target)),
            _ => None,
        },
        Verb::Merge(merge) => match &merge.source.table {
            Table::Query(query) => Some((query, &merge.with, merge.target)),
            _ => None,
        },
        _ => None,
    }
}
