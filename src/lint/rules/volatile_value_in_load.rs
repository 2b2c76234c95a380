//! IDM601.

use crate::diagnostic::Severity;
use crate::lint::check::{Check, Report};
use crate::lint::context::{Context, Step, like};
use crate::lint::proof::clear;
use crate::lint::proof::range::reads;
use crate::lint::proof::value::reads_clock;
use crate::lint::proof::window::is_temporal_name;
use crate::lint::rule::{Class, Rule};
use crate::sql::clause::{
    Assignment, Common, ConflictAction, ConflictTarget, Inner, Insert, Matched, Merge, MergeAction, Mode, Query,
    Source, Table, Update, Verb,
};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

pub(super) static RULE: Rule = Rule {
    code: "IDM601",
    name: "volatile-value-in-load",
    severity: Severity::Warning,
    class: Class::Data,
    summary: "a load stores values, or picks rows, that are others in each run",
    setup: "\
CREATE TABLE person (id int, name text);
INSERT INTO person (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE sample (id int PRIMARY KEY, draw float);
CREATE TABLE place (pos int PRIMARY KEY, name text);
",
    docs: "\
## What it finds

A random number or a new UUID that each run stores again over the last one:

```sql,bad,changes
INSERT INTO sample (id, draw) VALUES (1, random()) ON CONFLICT (id) DO UPDATE SET draw = EXCLUDED.draw;
```

LIMIT without ORDER BY, which picks some rows, or an order by a random number:

```sql,bad,same
INSERT INTO sample (id) SELECT id FROM person LIMIT 2 ON CONFLICT DO NOTHING;
```

ROW_NUMBER without an order, which gives the numbers to any row:

```sql,bad,same
INSERT INTO place (pos, name)
SELECT row_number() OVER (), name FROM person
ON CONFLICT (pos) DO UPDATE SET name = EXCLUDED.name;
```

```sql,bad,changes,sqlserver
BEGIN TRANSACTION;
DELETE FROM dbo.Sample;
INSERT INTO dbo.Sample (Id) SELECT TOP (100) Id FROM dbo.Person ORDER BY NEWID();
COMMIT TRANSACTION;
```

```sql,good
INSERT INTO sample (id) SELECT id FROM person ORDER BY id LIMIT 2 ON CONFLICT DO NOTHING;
INSERT INTO place (pos, name)
SELECT row_number() OVER (ORDER BY name, id), name FROM person
ON CONFLICT (pos) DO UPDATE SET name = EXCLUDED.name;
```

A value that is written once and kept, as with DO NOTHING, is fine, and so is the time of the load in a column for it. A new
value in a column of the key is another rule's matter: `insert-with-volatile-key`.

## Why

Two runs over the same source leave different rows, so nobody can tell a repeated load from a changed source. What was joined
to the values of the first run no longer fits.

## Instead

Compute the value from the row: a hash of its key in place of a UUID, an order over unique columns, a sample by
`mod(id, 100) = 0`. Or write it once: DO NOTHING, or `WHERE token IS NULL`.
",
    check,
};

/// Functions that give another value at each call.
const RANDOM: &[&str] = &[
    "random",
    "rand",
    "randn",
    "randomblob",
    "newid",
    "newsequentialid",
    "uuid",
    "gen_random_uuid",
    "uuid_generate_v1",
    "uuid_generate_v1mc",
    "uuid_generate_v4",
    "uuidv4",
    "uuidv7",
    "uuid_string",
    "generate_uuid",
    "generateuuidv4",
    "generateuuidv7",
    "sys_guid",
    "gen_random_bytes",
    "crypt_gen_random",
];

/// Functions that number rows in the order of their window.
const NUMBERS: &[&str] = &["row_number", "ntile", "first_value", "last_value", "lag", "lead", "nth_value"];

fn check(check: &mut Check<'_, '_>) {
    let context = check.context;
    for (step, verb) in check.verbs() {
        let reports = match verb {
            Verb::Insert(insert) => in_insert(context, step, insert),
            Verb::Update(update) => in_update(context, update).into_iter().collect(),
            Verb::Merge(merge) => in_merge(context, merge),
            _ => Vec::new(),
        };
        let Some(table) = table_of(verb).filter(|_| !reports.is_empty()) else { continue };
        if !clear::is_passing(context, step, table) {
            for report in reports {
                check.report(step, report);
            }
        }
    }
}

/// The table whose rows a statement writes.
fn table_of<'a>(verb: &Verb<'a>) -> Option<Name<'a>> {
    match verb {
        Verb::Insert(insert) => Some(insert.target),
        Verb::Update(update) => Some(update.table()),
        Verb::Merge(merge) => Some(merge.target),
        _ => None,
    }
}

/// The call of a function that gives another value each time.
fn random(sql: Sql<'_>) -> Option<Sql<'_>> {
    // With a seed it is none.
    let seeded = |at: usize, name: &str| {
        (name.eq_ignore_ascii_case("rand") || name.eq_ignore_ascii_case("uuid")) && !sql.inside(at + 1).is_empty()
    };
    let call = sql.calls().find(|(at, name)| {
        let qualified = *at > 0 && sql.kind(*at - 1) == Some(Kind::Dot);
        !qualified && RANDOM.iter().any(|one| name.eq_ignore_ascii_case(one)) && !seeded(*at, name)
    });
    call.map(|(at, _)| sql.slice(at..sql.after(at + 1)))
}

/// A window function whose window has no order.
fn unordered(sql: Sql<'_>) -> Option<Sql<'_>> {
    sql.calls().filter(|(_, name)| NUMBERS.iter().any(|one| name.eq_ignore_ascii_case(one))).find_map(|(at, _)| {
        let over = sql.after(at + 1);
        if !sql.is(over, "over") || sql.kind(over + 1) != Some(Kind::Open) {
            return None;
        }
        let window = sql.inside(over + 1);
        let order = window.find(0, &["order"]).map(|at| window.from(at + 2));
        // `ORDER BY (SELECT NULL)` is none; another window may be meant by its name.
        let named = order.is_none() && window.kind(0) == Some(Kind::Word) && !window.is(0, "partition");
        let constant = order.is_none_or(|order| order.names().next().is_none() && !named);
        (constant && !named).then(|| sql.slice(at..sql.after(over + 1)))
    })
}

/// Whether a second run stores the values of an INSERT over those of the first, and in which columns.
enum Again {
    /// In none: the rows are kept, or another rule says that they are added again.
    No,
    /// In none, but rows that were not picked before are added.
    Picks,
    /// In all.
    All,
    /// In those that DO UPDATE takes over.
    These(Vec<String>),
}

fn again<'a>(context: &Context<'a>, step: &Step<'a>, insert: &Insert<'a>) -> Again {
    if let Some(conflict) = &insert.conflict {
        return match &conflict.action {
            ConflictAction::Nothing => Again::Picks,
            ConflictAction::Update(sets, _) => {
                let taken = sets.iter().filter(|set| {
                    let row =
                        set.value.calls_any(&["values"]) || set.value.names().any(|name| name.qualifier().is_some());
                    row && !keeps(set)
                });
                Again::These(taken.map(|set| set.column.clone()).collect())
            }
        };
    }
    match insert.mode {
        Mode::Ignore => Again::Picks,
        Mode::Replace | Mode::Overwrite => Again::All,
        Mode::Into => {
            // A load by pieces, each of the next rows that are not there, is one on purpose.
            let antijoin = matches!(&insert.source, Source::Query(query) if reads(query.sql, insert.target));
            let cleared = clear::nearest(context, step, insert.target).is_some();
            if cleared && !antijoin { Again::All } else { Again::No }
        }
    }
}

fn in_insert<'a>(context: &Context<'a>, step: &Step<'a>, insert: &Insert<'a>) -> Vec<Report> {
    let mut all = Vec::new();
    let name = &insert.target.shown();
    if let Some(conflict) = &insert.conflict
        && let ConflictAction::Update(sets, _) = &conflict.action
    {
        all.extend(sets.iter().filter_map(|set| assigned(context, set, insert.target)));
    }
    let again = again(context, step, insert);
    let stored = |column: Option<&String>| match (&again, column) {
        (Again::All, _) => true,
        (Again::These(columns), Some(column)) => columns.contains(column),
        _ => false,
    };
    let keys = key_columns(context, insert);
    for (column, value) in columns(insert) {
        let column = column.as_ref();
        if column.is_some_and(|column| loads(context, column)) {
            continue;
        }
        let key = column.is_some_and(|column| keys.contains(column));
        if let Some(call) = random(value).filter(|_| stored(column) && !key) {
            all.push(stores(call, column, name));
        } else if let Some(call) = unordered(value).filter(|_| stored(column) || (key && !matches!(again, Again::No))) {
            all.push(
                Report::at(call.range(), format!("the numbers go to other rows of `{name}` in each run"))
                    .label("has no order")
                    .help("order the window by columns that are unique together: `OVER (ORDER BY ..)`"),
            );
        } else if stored(column) && reads_clock(value) && !column.is_some_and(|column| is_temporal_name(column)) {
            let report = Report::at(
                value.range(),
                format!("a second run stores another value in `{name}`: it comes from the clock"),
            )
            .label("comes from the clock")
            .help("take the moment from the source or from a parameter")
            .severity(Severity::Info);
            all.push(report);
        }
    }
    if let (Source::Query(query), false) = (&insert.source, matches!(again, Again::No))
        && let Some(pick) = picks(query, &insert.with, 0)
    {
        all.push(
            Report::at(pick.range(), format!("each run may pick other rows for `{name}`"))
                .label("picks some of the rows, in no order")
                .help("order the rows by columns that are unique together: `ORDER BY ..`"),
        );
    }
    all.truncate(3);
    all
}

fn stores(call: Sql<'_>, column: Option<&String>, table: &str) -> Report {
    let place = column.map_or_else(|| format!("`{table}`"), |column| format!("`{column}` of `{table}`"));
    Report::at(call.range(), format!("a second run stores another value in {place}"))
        .label("is another value in each run")
        .help("compute it from the row, such as a hash of its key, or write it only where there is none")
}

/// `coalesce(t.token, gen_random_uuid())`: what is there is kept.
fn keeps(set: &Assignment<'_>) -> bool {
    let own =
        |name: Name<'_>| name.last() == set.column && name.qualifier().is_none_or(|q| q != "excluded" && q != "new");
    set.value.calls_any(&["coalesce", "ifnull", "nvl", "isnull", "case", "if", "iif"]) && set.value.names().any(own)
}

/// An assignment of a value that is another one each time.
fn assigned(context: &Context<'_>, set: &Assignment<'_>, table: Name<'_>) -> Option<Report> {
    let call = random(set.value).filter(|_| !loads(context, &set.column))?;
    (!keeps(set)).then(|| stores(call, Some(&set.column), &table.shown()))
}

fn in_update<'a>(context: &Context<'a>, update: &Update<'a>) -> Option<Report> {
    let guarded = update.filter.is_some_and(|filter| update.sets.iter().any(|set| filter.names_column(&set.column)));
    if guarded || update.limited {
        return None;
    }
    update.sets.iter().find_map(|set| assigned(context, set, update.table()))
}

fn in_merge<'a>(context: &Context<'a>, merge: &Merge<'a>) -> Vec<Report> {
    let updates = merge.branches.iter().filter(|branch| branch.matched == Matched::Yes && branch.condition.is_none());
    updates
        .filter_map(|branch| match &branch.action {
            MergeAction::Update(sets) => sets.iter().find_map(|set| assigned(context, set, merge.target)),
            _ => None,
        })
        .collect()
}

/// The columns that are filled, with their values; of VALUES, those of the first rows.
fn columns<'a>(insert: &Insert<'a>) -> Vec<(Option<String>, Sql<'a>)> {
    let named = |at: usize, name: Option<&String>| insert.columns.get(at).or(name).cloned();
    match &insert.source {
        Source::Values(rows) => {
            let rows = rows.iter().take(8).flat_map(|row| row.iter().enumerate());
            rows.map(|(at, value)| (named(at, None), *value)).collect()
        }
        Source::Query(query) => {
            let items = query.selects().into_iter().flat_map(|select| select.items.iter().enumerate());
            items.map(|(at, item)| (named(at, item.name.as_ref()), item.value)).collect()
        }
        Source::Row(sets) => sets.iter().map(|set| (Some(set.column.clone()), set.value)).collect(),
        Source::Elsewhere => Vec::new(),
    }
}

/// Columns that say which row is which: those of the conflict clause and of every key that is known.
fn key_columns(context: &Context<'_>, insert: &Insert<'_>) -> Vec<String> {
    let known = context.table(insert.target).map(|table| table.keys.as_slice()).unwrap_or_default();
    let mut all: Vec<String> = known.iter().flat_map(|key| key.columns.clone()).collect();
    if let Some(ConflictTarget::Columns(list, _)) = insert.conflict.as_ref().map(|conflict| &conflict.target) {
        all.extend(list.iter().map(|one| one.as_name().map_or_else(|| one.normal(), Name::last)));
    }
    all
}

/// A column that says when, or by which run, a row was loaded.
fn loads(context: &Context<'_>, column: &str) -> bool {
    let audit =
        ["created", "updated", "inserted", "modified", "loaded", "ingested", "batch", "run", "load", "job", "etl"];
    context.options.load_columns.iter().any(|pattern| like(column, pattern))
        || column.split('_').any(|word| audit.contains(&word))
}

/// LIMIT or TOP without an order, or with a random one, in a query or in one that it reads.
pub(super) fn picks<'a>(query: &Query<'a>, outer: &[Common<'a>], depth: usize) -> Option<Sql<'a>> {
    let order = query.order_by.filter(|order| order.names().next().is_some() || order.kind(0) == Some(Kind::Number));
    let ordered = order.is_some_and(|order| random(order).is_none());
    if !ordered {
        let top = query.selects().into_iter().find_map(|select| select.top);
        let some = |limit: &Sql<'_>| {
            let number = (0..limit.len()).find(|at| limit.kind(*at) == Some(Kind::Number));
            let all = limit.is_any(1, &["all", "null"]) || limit.is(0, "offset") && !limit.mentions("fetch");
            !all && number.is_none_or(|at| !["0", "1"].contains(&limit.text(at)))
        };
        if let Some(limit) = query.limit.or(top).filter(some) {
            return Some(query.order_by.filter(|order| random(*order).is_some()).unwrap_or(limit));
        }
    }
    if depth > 4 {
        return None;
    }
    let commons = outer.iter().chain(&query.with).filter_map(|common| match &common.inner {
        Inner::Query(query) => Some(query),
        Inner::Change(_) => None,
    });
    let relations = query.selects().into_iter().flat_map(|select| &select.from);
    let inner = relations.filter_map(|relation| match &relation.table {
        // LATERAL picks for each row, mostly the newest one; its own order tells.
        Table::Query(query) => Some(&**query),
        _ => None,
    });
    commons.chain(inner).find_map(|query| picks(query, &[], depth + 1))
}
