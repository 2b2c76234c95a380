//! Where a script keeps one row of a table for each value of a key: whoever writes that knows that there are several.

use super::Column;
use super::rows::row_number;
use crate::lint::context::{Context, Step};
use crate::lint::proof::range::reads;
use crate::sql::clause::{Distinct, Query, Select, Source, Table, Verb, read};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// The DISTINCT ON or the ROW_NUMBER by which another statement than `step` reduces a table to one row for a key.
pub fn reduced<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'_>, key: &[Column]) -> Option<Sql<'a>> {
    let others = context.steps.iter().filter(|other| other.index != step.index);
    others.filter(|other| reads(other.sql, table)).find_map(|other| {
        let own = other.verbs().filter_map(|verb| match verb {
            Verb::Insert(insert) => match &insert.source {
                Source::Query(query) => in_query(query, table, key),
                _ => None,
            },
            Verb::Create(create) => create.query.as_deref().and_then(|query| in_query(query, table, key)),
            _ => None,
        });
        let opens = (0..other.sql.len()).filter(|at| other.sql.kind(*at) == Some(Kind::Open));
        let inner = opens.map(|at| other.sql.inside(at)).filter(|inner| inner.is_any(0, &["select", "with"]));
        let inner = inner.filter_map(|inner| match read(inner) {
            Ok(Verb::Query(query)) => in_query(&query, table, key),
            _ => None,
        });
        own.chain(inner).next()
    })
}

fn in_query<'a>(query: &Query<'a>, table: Name<'_>, key: &[Column]) -> Option<Sql<'a>> {
    query.selects().into_iter().find_map(|select| in_select(select, table, key))
}

fn in_select<'a>(select: &Select<'a>, table: Name<'_>, key: &[Column]) -> Option<Sql<'a>> {
    let [one] = select.from.as_slice() else { return None };
    if !matches!(&one.table, Table::Name(name) if name.may_be(table)) {
        return None;
    }
    let is_key = |list: Vec<Sql<'a>>| {
        let named =
            |column: &Column| list.iter().any(|one| one.as_name().is_some_and(|name| name.last() == column.name));
        list.len() == key.len() && key.iter().all(named)
    };
    if let Distinct::On(list) = select.distinct
        && is_key(list.commas())
    {
        return Some(list);
    }
    let numbers = select.items.iter().map(|item| item.value).chain(select.qualify.into_iter().flat_map(numbered));
    numbers.into_iter().find(|value| row_number(*value).is_some_and(is_key))
}

/// The numbers that QUALIFY compares.
fn numbered(qualify: Sql<'_>) -> Vec<Sql<'_>> {
    let calls = (0..qualify.len()).filter(|at| qualify.is(*at, "row_number") && qualify.is(at + 3, "over"));
    calls.map(|at| qualify.slice(at..qualify.after(at + 4))).collect()
}
