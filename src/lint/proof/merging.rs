//! What the rules about MERGE ask of a statement.

use crate::lint::context::{Context, Step};
use crate::lint::proof::filled::{self, Filled};
use crate::lint::proof::guard;
use crate::lint::proof::pairs::{self, Pair};
use crate::lint::proof::unique::{Column, Doubt};
use crate::sql::clause::{
    Branch, Common, Inner, Item, Join, Matched, Merge, MergeAction, Query, Relation, Select, Table,
};
use crate::sql::view::Sql;

/// What the target is called, as it is compared.
pub(crate) fn target(merge: &Merge<'_>) -> Vec<String> {
    match &merge.alias {
        // With an alias, the table's own name means it no longer, unless the source has another one.
        Some(alias) => vec![alias.clone()],
        None => guard::called(merge.target, None),
    }
}

/// What the source is called, as it is compared.
pub(crate) fn source(merge: &Merge<'_>) -> Vec<String> {
    merge.source.called().into_iter().collect()
}

/// The comparisons of target and source in ON: (target, source, comparison).
pub(crate) fn pairs<'a>(merge: &Merge<'a>) -> Vec<(Sql<'a>, Sql<'a>, Pair<'a>)> {
    pairs::between(merge.on, &target(merge), &source(merge))
}

/// The source's columns that ON fixes for one row of the target; `None` where it compares nothing that says it.
pub(crate) fn key(merge: &Merge<'_>) -> Option<Vec<Column>> {
    let own = source(merge);
    let pairs = pairs(merge);
    if pairs.is_empty() {
        return None;
    }
    let mut key: Vec<Column> = pairs
        .iter()
        .filter_map(|(_, source, _)| pairs::column(*source))
        .map(|name| Column::named(name.last()))
        .collect();
    for pair in pairs::equalities(merge.on) {
        for (side, other) in [(pair.left, pair.right), (pair.right, pair.left)] {
            if other.is_constant() {
                let name = side.as_name().filter(|name| name.qualifier().is_some_and(|name| own.contains(&name)));
                key.extend(name.map(|name| Column::named(name.last())));
            }
        }
    }
    Some(key)
}

/// The columns of a key as a list.
pub(crate) fn listed(key: &[Column]) -> String {
    let mut names: Vec<&str> = key.iter().map(|column| column.name.as_str()).collect();
    names.dedup();
    names.join(", ")
}

/// The branches for rows that are not in the target and are inserted.
pub(crate) fn inserts<'s, 'a>(merge: &'s Merge<'a>) -> Vec<(&'s Branch<'a>, &'s [String], &'s [Sql<'a>])> {
    merge
        .branches
        .iter()
        .filter(|branch| branch.matched == Matched::No)
        .filter_map(|branch| match &branch.action {
            MergeAction::Insert(columns, values) => Some((branch, columns.as_slice(), values.as_slice())),
            _ => None,
        })
        .collect()
}

/// The query that is merged: the one in brackets, the WITH entry that is named, or the one that filled a table which the
/// script makes; and so on inwards while a query reads nothing but another one.
pub(crate) fn queries<'s, 'a>(
    context: &'s Context<'a>,
    step: &'s Step<'a>,
    merge: &'s Merge<'a>,
) -> Vec<&'s Query<'a>> {
    let mut all: Vec<&'s Query<'a>> = Vec::new();
    let mut filling: &[Common<'a>] = &[];
    let mut next = Some(&merge.source.table);
    while let Some(table) = next.take() {
        let query = match table {
            Table::Query(query) => Some(&**query),
            Table::Name(name) => {
                let lists = all.iter().flat_map(|query| &query.with).chain(filling).chain(&merge.with);
                let mut found = lists.filter(|common| name.sql.len() == 1 && common.name == name.last());
                match found.next().map(|common| &common.inner) {
                    Some(Inner::Query(query)) => Some(query),
                    Some(Inner::Change(_)) => None,
                    None => match filled::of(context, step, *name) {
                        Some(Filled::Query(with, query, _)) => {
                            filling = with;
                            Some(query)
                        }
                        _ => None,
                    },
                }
            }
            Table::Other => None,
        };
        let Some(query) = query.filter(|_| all.len() < 20) else { break };
        all.push(query);
        next = query.select().and_then(passed_on).map(|relation| &relation.table);
    }
    all
}

/// The relation whose rows and columns a SELECT passes on: the only one, or the one of which it selects all, with others
/// looked up: `SELECT b.* FROM batch AS b LEFT JOIN t ON ..`.
fn passed_on<'s, 'a>(select: &'s Select<'a>) -> Option<&'s Relation<'a>> {
    let (first, others) = select.from.split_first()?;
    let star = |item: &Item<'a>| {
        item.value.name(0).is_some_and(|(name, end)| {
            Some(name.last()) == first.called() && item.value.symbol(end + 1, "*") && item.value.len() == end + 2
        })
    };
    let looked_up = others.iter().all(|one| matches!(one.join, Join::Left | Join::Anti));
    (others.is_empty() || looked_up && matches!(select.items.as_slice(), [item] if star(item))).then_some(first)
}

/// Why a key may stand twice in what is merged, as the end of a sentence.
pub(crate) fn reason(doubt: &Doubt<'_>, key: &str) -> Option<String> {
    if key.is_empty() {
        // Columns that are computed have no name to speak of.
        return None;
    }
    Some(match doubt {
        Doubt::Table(name) => format!("nothing shows that `{key}` stands once in `{}`", name.key()),
        Doubt::Key(name, known) => {
            format!("the key of `{}` is `{}`, and `{key}` alone is none", name.key(), known.join(", "))
        }
        Doubt::Distinct(_) => format!("DISTINCT keeps rows that differ in more than `{key}`"),
        Doubt::Union(_) => format!("`{key}` may stand in several of the queries that are put together"),
        Doubt::Group(_) => format!("the rows are grouped by more than `{key}`"),
        Doubt::Opaque => return None,
    })
}
