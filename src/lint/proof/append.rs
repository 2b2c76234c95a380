//! What rows that are added again do to a table: what INSERT and the bulk loads have in common.

use super::antijoin::{null_test, subquery};
use super::enclosed;
use crate::lint::context::{Context, Fresh, Step, What};
use crate::lint::known;
use crate::sql::clause::{Assignment, Body, Inner, Insert, Object, Query, Relation, Source, Table, Verb};
use crate::sql::view::{Name, Sql};

/// What a second run of a statement that only adds rows does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// Nothing that matters: the context takes care of it.
    Safe,
    /// It is never reached, for the script stops at CREATE TABLE: the step.
    Stopped(usize),
    /// It adds the rows.
    Adds,
}

/// The statement at which a second run stops: `CREATE TABLE` of the table, or `CREATE SCHEMA` of its schema.
pub fn stop(context: &Context<'_>, created: usize, table: &str) -> String {
    match &context.steps[created].verb {
        Ok(Verb::Create(create)) if create.object == Object::Schema => {
            format!("CREATE SCHEMA `{}`", create.name.map(Name::shown).unwrap_or_default())
        }
        _ => format!("CREATE TABLE `{table}`"),
    }
}

/// What a second run of a statement that adds rows to a table does, as far as the context tells.
pub fn again<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> Again {
    match context.fresh(step, table) {
        Some(Fresh::CreatedHere(created)) => return Again::Stopped(created),
        Some(_) => return Again::Safe,
        None => {}
    }
    if TOOLS.contains(&table.last().as_str()) {
        return Again::Safe;
    }
    if enclosed::keeps_out(context, step, table) || emptied_behind(context, step, table) || merges(context, step, table)
    {
        return Again::Safe;
    }
    Again::Adds
}

/// Tables in which migration tools note what they ran: keyed by the migration, and nobody else's to fill twice.
const TOOLS: &[&str] = &[
    "__efmigrationshistory",
    "__diesel_schema_migrations",
    "_sqlx_migrations",
    "alembic_version",
    "databasechangelog",
    "django_migrations",
    "flyway_schema_history",
    "goose_db_version",
    "schema_migrations",
];

/// True when the script empties the table behind the statement: it holds the rows of one load.
fn emptied_behind<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> bool {
    context
        .events(step, table)
        .any(|event| event.step > step.index && matches!(event.what, What::Truncated | What::Deleted(None)))
}

/// True when the engine keeps one row per key by itself, later: `ReplacingMergeTree`.
fn merges<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> bool {
    context.events(step, table).any(|event| match &context.steps[event.step].verb {
        Ok(Verb::Create(create)) if create.object == Object::Table => {
            (0..create.rest.len()).any(|at| create.rest.text(at).ends_with("ReplacingMergeTree"))
        }
        _ => false,
    })
}

/// True when the statement itself, in its WITH list, deletes from the table.
pub fn clears_itself(insert: &Insert<'_>) -> bool {
    let query = match &insert.source {
        Source::Query(query) => query.with.as_slice(),
        _ => &[],
    };
    insert.with.iter().chain(query).any(|common| match &common.inner {
        Inner::Change(verb) => matches!(&**verb, Verb::Delete(delete) if delete.table().may_be(insert.target)),
        Inner::Query(_) => false,
    })
}

/// True when a hint says that rows whose key is there are skipped. Hints are comments to everybody but one engine.
pub fn skips_by_hint<'a>(step: &Step<'a>, insert: &Insert<'a>) -> bool {
    let head = step.sql.range().start..insert.target.sql.range().start;
    step.sql.whole_text().get(head).is_some_and(|text| text.to_ascii_lowercase().contains("ignore_row_on_dupkey_index"))
}

/// True when the rows come out of a stream, which gives each change once: reading it in a write moves its offset.
pub fn streams(context: &Context<'_>, sources: &[Name<'_>]) -> bool {
    context.dialect.client.load_history
        && sources.iter().any(|source| {
            let name = source.last();
            ["stream", "_strm"].iter().any(|end| name.ends_with(end))
        })
}

/// True when the script itself adds to a table at or behind the statement: a marker that says that it was run.
pub fn marks<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> bool {
    context.steps.iter().skip(step.index + 1).take(50).any(|other| {
        other.scope == step.scope
            && match &other.verb {
                Ok(Verb::Insert(insert)) => insert.target.may_be(table),
                Ok(Verb::Update(update)) => update.table().may_be(table),
                _ => false,
            }
    })
}

/// True when every row hangs on a note that the script closes behind the statement, in its transaction: `EXISTS (SELECT ..
/// FROM log .. WHERE c IS NULL)`, and then an UPDATE of `log` that sets `c` where it is null.
pub fn closes<'a>(context: &Context<'a>, step: &Step<'a>, insert: &Insert<'a>) -> bool {
    let Source::Query(query) = &insert.source else { return false };
    let Some(transaction) = step.transaction else { return false };
    let behind = context.steps.iter().skip(step.index + 1).take_while(|other| other.transaction == Some(transaction));
    let closed = |(log, column): (Name<'a>, String)| {
        behind.clone().any(|other| match &other.verb {
            Ok(Verb::Update(update)) if update.table().may_be(log) => {
                let sets = |set: &Assignment<'a>| set.column == column && !set.value.is(0, "null");
                let open = update.filter.into_iter().flat_map(Sql::conjuncts).filter_map(null_test);
                update.sets.iter().any(sets) && open.into_iter().any(|name| name.last() == column)
            }
            _ => false,
        })
    };
    hangs(query, &mut |filter| filter.conjuncts().into_iter().filter_map(open_note).any(closed))
}

/// True when every row of a query passes a filter of which that is true, here or in the only relation of its FROM.
fn hangs<'a>(query: &Query<'a>, on: &mut dyn FnMut(Sql<'a>) -> bool) -> bool {
    query.branches.iter().all(|(_, body)| {
        let Body::Select(select) = body else { return false };
        select.filter.is_some_and(&mut *on)
            || matches!(select.from.as_slice(), [only] if matches!(&only.table, Table::Query(inner) if hangs(inner, on)))
    })
}

/// The table and the column of `EXISTS (SELECT .. FROM table WHERE .. AND column IS NULL)`.
fn open_note(part: Sql<'_>) -> Option<(Name<'_>, String)> {
    if !part.is(0, "exists") || part.after(1) != part.len() {
        return None;
    }
    let query = subquery(part.inside(1))?;
    let [select] = query.selects()[..] else { return None };
    let [Relation { table: Table::Name(table), .. }] = select.from.as_slice() else { return None };
    let open = select.filter?.conjuncts().into_iter().find_map(null_test)?;
    Some((*table, open.last()))
}

/// True when the script takes the source's rows away behind the statement and does not fill it before: a move.
pub fn moves<'a>(context: &Context<'a>, step: &Step<'a>, sources: &[Name<'a>]) -> bool {
    sources.iter().any(|source| {
        let emptied = context.events(step, *source).any(|event| {
            event.step > step.index && matches!(event.what, What::Truncated | What::Deleted(_) | What::Dropped)
        });
        emptied && !filled_before(context, step, *source)
    })
}

fn filled_before<'a>(context: &Context<'a>, step: &Step<'a>, table: Name<'a>) -> bool {
    let created =
        context.events(step, table).any(|event| event.step < step.index && matches!(event.what, What::Created { .. }));
    created
        || context.steps[step.index.saturating_sub(200)..step.index].iter().any(|other| match &other.verb {
            Ok(Verb::Insert(insert)) => insert.target.may_be(table),
            Ok(Verb::Copy(copy)) => copy.target.may_be(table),
            _ => false,
        })
}

/// A name for a message, which stands in backticks already.
pub fn shown(name: Name<'_>) -> String {
    name.source().replace('`', "")
}

/// `3 rows`, `1 row`
pub fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

/// What to write so that an INSERT may be run again, in the words of the dialect.
pub fn instead(
    context: &Context<'_>,
    insert: &Insert<'_>,
    key: Option<&[String]>,
    table: Option<&known::Table>,
) -> String {
    let syntax = &context.dialect.syntax;
    // It stands between backticks itself.
    let target = shown(insert.target);
    let columns = key.map_or_else(|| "..".to_owned(), |key| key.join(", "));
    let probe = match key {
        Some(key) => key.iter().map(|column| format!("t.{column} = ..")).collect::<Vec<_>>().join(" AND "),
        None => "..".to_owned(),
    };
    // Where the table has no key to run into, no conflict clause can help.
    let no_key = key.is_none() && table.is_some_and(|table| table.complete);
    let index = if key.is_none() { ", over a unique key" } else { "" };
    if context.dialect.client.lenient {
        // Nobody told the dialect, so the advice names what there is.
        format!(
            "say what becomes of a row that is there: `ON CONFLICT ({columns}) DO NOTHING` or `DO UPDATE SET ..`, `ON DUPLICATE \
             KEY UPDATE ..`, or `WHERE NOT EXISTS (SELECT 1 FROM {target} AS t WHERE {probe})`{index}"
        )
    } else if syntax.on_conflict && context.dialect.client.enforces_keys && !no_key {
        format!(
            "add `ON CONFLICT ({columns}) DO NOTHING`, or `ON CONFLICT ({columns}) DO UPDATE SET ..` where the script's \
             values shall win{index}"
        )
    } else if syntax.on_duplicate_key && !no_key {
        let first = key.and_then(|key| key.first()).map_or("..", String::as_str);
        format!(
            "add `ON DUPLICATE KEY UPDATE {first} = {first}` to keep the row that is there, or set the other columns where \
             the script's values shall win{index}"
        )
    } else if context.dialect.client.optional_semicolons && matches!(insert.source, Source::Query(_)) {
        format!("add `WHERE NOT EXISTS (SELECT 1 FROM {target} AS t WHERE {probe})` to the query, or use MERGE")
    } else if context.dialect.client.optional_semicolons {
        format!("put `IF NOT EXISTS (SELECT 1 FROM {target} AS t WHERE {probe})` in front, or use MERGE")
    } else if syntax.merge.is_some() && !syntax.on_conflict {
        format!(
            "use `MERGE INTO {target} .. WHEN NOT MATCHED THEN INSERT ..`, with `WHEN MATCHED THEN UPDATE SET ..` where the \
             script's values shall win"
        )
    } else {
        format!("use `INSERT INTO {target} .. SELECT .. WHERE NOT EXISTS (SELECT 1 FROM {target} AS t WHERE {probe})`")
    }
}
