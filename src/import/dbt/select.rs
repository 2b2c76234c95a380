//! What the SELECT of a model is, read by the clause reader that the linter reads scripts with.

use crate::dialect::Dialect;
use crate::sql::clause::{Body, Distinct, Item, Query, Select, Table, Verb, read};
use crate::sql::script::Script;

/// Does something with the one SELECT that a query is.
fn with_select<T>(query: &str, dialect: &'static Dialect, ask: impl FnOnce(&Query<'_>, &Select<'_>) -> T) -> Option<T> {
    let script = Script::read(query, dialect);
    let [statement] = script.statements.as_slice() else { return None };
    let Ok(Verb::Query(query)) = read(script.sql(statement)) else { return None };
    match query.branches.first() {
        Some((_, Body::Select(select))) => Some(ask(&query, select)),
        _ => None,
    }
}

/// The names of the select list; `None` when one of its columns has none, such as `*`.
pub(super) fn items(query: &str, dialect: &'static Dialect) -> Option<Vec<String>> {
    with_select(query, dialect, |_, select| {
        let name = |item: &Item<'_>| item.name.clone().filter(|name| name != "*");
        select.items.iter().map(name).collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
    })?
}

/// True when the query does no more than read columns of one table by their names.
pub(super) fn plain(query: &str, dialect: &'static Dialect) -> bool {
    let found = with_select(query, dialect, |query, select| {
        let named = select.items.iter().all(|item| {
            let own = item.value.as_name().is_some_and(|name| Some(name.last()) == item.name);
            own || item.value.source() == "*"
        });
        let one = select.from.len() == 1 && matches!(select.from[0].table, Table::Name(_));
        let more = [select.filter, select.group_by, select.having, select.qualify].iter().any(Option::is_some);
        named
            && one
            && !more
            && matches!(select.distinct, Distinct::No)
            && select.top.is_none()
            && query.with.is_empty()
            && query.branches.len() == 1
            && query.order_by.is_none()
            && query.limit.is_none()
    });
    found == Some(true)
}
