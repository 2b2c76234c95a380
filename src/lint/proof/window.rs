//! Whether a load takes a window of its source, such as the days since yesterday, and not all that there is.

use crate::lint::context::Context;
use crate::lint::proof::predicate::{Set, Term, loads};
use crate::sql::clause::Insert;
use crate::sql::view::Sql;

/// The conjunct that limits a load to a window of one of the columns that it fills; `None` when it loads everything, or
/// when the limit is of another kind: only rows that are not deleted, only those that are valid today.
pub fn window<'a>(context: &Context<'a>, insert: &Insert<'a>) -> Option<Sql<'a>> {
    let key = insert.target.last();
    // Tables that hold a window on purpose, and say so.
    let rolling = [
        "recent",
        "last",
        "latest",
        "current",
        "today",
        "yesterday",
        "rolling",
        "window",
        "snapshot",
        "live",
        "active",
        "open",
        "upcoming",
        "cache",
    ];
    if key.split('_').any(|word| rolling.contains(&word) || days(word)) {
        return None;
    }
    let incremental = context.table(insert.target).and_then(|table| table.incremental.clone());
    let mut found = None;
    for load in loads(context, insert) {
        let term = load.terms.iter().find(|term| limits(term, incremental.as_deref()))?;
        found.get_or_insert(term.sql);
    }
    found
}

/// `30d`, `d30`, `7days`
fn days(word: &str) -> bool {
    let letters: String = word.chars().filter(char::is_ascii_alphabetic).collect();
    letters.len() < word.len()
        && ["d", "day", "days", "h", "hours", "w", "weeks", "m", "months"].contains(&letters.as_str())
}

fn limits(term: &Term<'_>, incremental: Option<&str>) -> bool {
    let Some(column) = term.column() else { return false };
    // A constant of the select list limits nothing.
    if term.sql.names().next().is_none() || lasts(column) {
        return false;
    }
    let known = incremental == Some(column);
    let named = known || is_temporal_name(column);
    match &term.set {
        Set::In(values) => values.iter().all(|value| value.is_temporal() || (named && value.is_variable())),
        Set::Range(Some((low, _)), _) => {
            !low.is_floor() && (low.is_temporal() || known || (named && low.is_variable()))
        }
        _ => false,
    }
}

/// Columns that say how long a row is valid: a comparison with them chooses the rows of today, all of them.
fn lasts(column: &str) -> bool {
    let ends = ["valid", "expire", "expires", "expiry", "expiration", "effective", "end", "ends", "until", "due", "to"];
    column.split('_').any(|word| ends.contains(&word))
}

/// A name that speaks of a moment: `order_date`, `created_at`, `ts`, `day`.
pub fn is_temporal_name(column: &str) -> bool {
    let words = [
        "date",
        "day",
        "dt",
        "ts",
        "at",
        "on",
        "time",
        "timestamp",
        "datetime",
        "month",
        "week",
        "year",
        "hour",
        "d",
        "ds",
        "updated",
        "created",
        "modified",
        "loaded",
        "inserted",
        "utc",
    ];
    column.split('_').any(|word| words.contains(&word)) || column.ends_with("date") || column.ends_with("time")
}
