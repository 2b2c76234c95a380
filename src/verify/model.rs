//! The reference model: what a load means, as a plain function from target rows and staged rows to target rows. Every
//! engine's answer is compared with it, so it is written to be read and knows nothing of SQL.

use crate::dialect::types::Overlap;
use crate::engine::value::{Row, Value};
use jiff::SignedDuration;
use jiff::civil::Time;
use std::cmp::Ordering;

/// Everything of a plan that decides which rows a load leaves.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The target's columns, in the order of a target row.
    pub columns: Vec<Column>,
    /// The unique key: places in `columns`. Null is a value in it.
    pub key: Vec<usize>,
    /// The columns that order two versions of one key, most significant first: places in `columns`. May be empty.
    pub version: Vec<usize>,
    /// True when an equal version does not replace.
    pub keep_on_tie: bool,
    /// True when a staged row replaces the target's, whichever of the two is newer.
    pub any_version: bool,
    /// Which staged rows are deletions; `None` when none is.
    pub deletes: Option<Deletes>,
    /// Which staged rows are taken at all; `None` takes every one.
    pub window: Option<Window>,
    /// How the taken rows meet the target.
    pub strategy: Strategy,
}

/// One column of the target.
#[derive(Clone, Debug)]
pub struct Column {
    /// Where a new value comes from.
    pub origin: Origin,
    /// What becomes of the old value when the row is replaced.
    pub update: Update,
    /// False when a difference in it alone does not replace the row.
    pub compare: bool,
}

/// Where the new value of a column comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// That cell of the staged row.
    Staged(usize),
    /// The clock of the load, shown as [`Value::Now`].
    Now,
    /// One value for every row.
    Constant(Value),
    /// Whether the staged row is a deletion: the flag of deletions that keep their row.
    Deleted,
    /// The versions of the key: a column of [`Strategy::History`].
    Period,
}

/// What becomes of a column when its row is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It takes the new value.
    Always,
    /// It keeps the old value.
    Never,
    /// It takes the new value unless that is null.
    IfNotNull,
    /// It keeps the old value unless that is null.
    FirstNotNull,
    /// It takes the greater value; null loses.
    Greatest,
    /// It takes the smaller value; null loses.
    Least,
    /// It is true once it was true; null loses.
    Any,
}

/// Which staged rows are deletions.
#[derive(Clone, Copy, Debug)]
pub struct Deletes {
    /// The cell of the staged row that says so. Only true does; null does not.
    pub cell: usize,
    /// True when the row is removed. False when a column of [`Origin::Deleted`] marks it.
    pub hard: bool,
}

/// The window of an incremental load. A staged row whose incremental cell is null is always taken.
#[derive(Clone, Debug)]
pub struct Window {
    /// The incremental column in the target: a place in `columns`.
    pub column: usize,
    /// The cell of the staged row that is compared with the bounds.
    pub cell: usize,
    /// Its bounds.
    pub bounds: Bounds,
}

/// The bounds of a window.
#[derive(Clone, Debug)]
pub enum Bounds {
    /// From the greatest value in the target, before the load, minus the overlap.
    Watermark {
        /// How far the window reaches behind the watermark.
        overlap: Overlap,
        /// The first value inside when the target has no value; everything is inside when there is none.
        initial: Option<Value>,
    },
    /// Half-open, as the caller said.
    Given {
        /// The first value inside.
        start: Value,
        /// The first value behind it; when there is none, the window ends at the greatest staged value.
        end: Option<Value>,
    },
}

/// How the taken rows meet the target.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// A row is inserted when its key is absent. Nothing is ever replaced.
    InsertIgnore,
    /// Every row whose batch is not in the log is appended, as often as it is staged.
    BatchOnce {
        /// The column that names the batch: a place in `columns`.
        batch: usize,
        /// The batches that are in the log.
        logged: Vec<Value>,
    },
    /// Every row is appended, unless the log has these very rows as a batch.
    ContentOnce {
        /// True when it has.
        is_logged: bool,
    },
    /// A row is inserted when its key is absent, and replaces the target's row when it is newer or corrected.
    Upsert,
    /// As `Upsert`, and target rows in the scope whose keys are not staged vanish.
    DeleteInsert {
        /// Where rows vanish. Nothing vanishes when no row was staged.
        scope: Scope,
        /// True when a target row stays whose version is greater than that of every staged row of the scope.
        keep_newer: bool,
    },
    /// Every version of a key is a row. `key` holds the beginning of the period, so that two versions have two keys.
    History {
        /// The beginning of the period: the version.
        from: usize,
        /// Its end: the next version of the key, null for the last one.
        to: usize,
        /// Whether it is the last one, and no deletion; none where there is no such column.
        current: Option<usize>,
    },
    /// As `Upsert`, and these target rows vanish where their keys are not staged.
    Mirror {
        /// The target rows of the scope.
        scope: Vec<Row>,
        /// The column that is set to true instead of removing the row: a place in `columns`.
        flag: Option<usize>,
        /// True when they vanish even if no row was staged.
        allow_empty: bool,
    },
}

/// Where `delete_insert` removes target rows that are not staged.
#[derive(Clone, Debug)]
pub enum Scope {
    /// Inside the window: from its lower bound to the greatest staged value, or to its end when that is given.
    Window,
    /// In the groups that have a staged row: equal values, null included, in these places of `columns`.
    Group(Vec<usize>),
}

/// A staged row on its way into the target.
struct Candidate {
    /// As it would be inserted.
    row: Row,
    /// True when the staged row is a deletion.
    deleted: bool,
    /// The incremental cell, or null when there is no window.
    incremental: Value,
    /// The whole staged row, for the last tie-break.
    staged: Row,
}

/// The target after a load, from the target before it and the staged rows, in the order of all columns.
///
/// `target` holds rows of `shape.columns`, one per key. `batch` holds staged rows, which may have more cells than the
/// target has columns.
pub fn apply(shape: &Shape, target: &[Row], batch: &[Row]) -> Vec<Row> {
    let lower = shape.window.as_ref().and_then(|window| lower_bound(window, target));
    let taken: Vec<Candidate> = batch
        .iter()
        .filter(|staged| shape.window.as_ref().is_none_or(|window| is_inside(window, lower.as_ref(), staged)))
        .map(|staged| candidate(shape, staged))
        .collect();
    if let Strategy::BatchOnce { .. } | Strategy::ContentOnce { .. } = &shape.strategy {
        let is_new = |row: &Row| match &shape.strategy {
            Strategy::BatchOnce { batch, logged } => !logged.contains(&row[*batch]),
            Strategy::ContentOnce { is_logged } => !is_logged,
            _ => false,
        };
        let new = taken.into_iter().map(|candidate| candidate.row).filter(is_new);
        let mut result: Vec<Row> = target.iter().cloned().chain(new).collect();
        result.sort();
        return result;
    }
    let candidates = reduce(shape, taken);
    if let Strategy::History { from, to, current } = shape.strategy {
        return history(shape, from, to, current, target, candidates);
    }

    let mut result = target.to_vec();
    // Staged at all, inside the window or not: the target may hold a newer version than the source.
    let staged: Vec<Row> = batch.iter().map(|staged| candidate(shape, staged).row).collect();
    let is_staged = |row: &Row| staged.iter().any(|new| same(&shape.key, row, new));
    if let Strategy::DeleteInsert { scope, keep_newer } = &shape.strategy {
        result.retain(|row| is_staged(row) || !vanishes(shape, scope, *keep_newer, lower.as_ref(), row, &candidates));
    }
    if let Strategy::Mirror { scope, flag, allow_empty } = &shape.strategy
        && (*allow_empty || !batch.is_empty())
    {
        let missing = |row: &Row| scope.contains(row) && !is_staged(row);
        match flag {
            None => result.retain(|row| !missing(row)),
            Some(flag) => {
                for row in result.iter_mut().filter(|row| missing(row)) {
                    let flagged = flagged(shape, row, *flag);
                    replace(shape, row, &flagged);
                }
            }
        }
    }
    for new in candidates {
        let hard = new.deleted && shape.deletes.is_some_and(|deletes| deletes.hard);
        let Some(place) = result.iter().position(|old| same(&shape.key, old, &new.row)) else {
            if !hard {
                result.push(new.row);
            }
            continue;
        };
        if matches!(shape.strategy, Strategy::InsertIgnore) {
            continue;
        }
        let versions = compare(&shape.version, &new.row, &result[place]);
        let versions = if shape.any_version { Ordering::Greater } else { versions };
        if hard && versions.is_ge() {
            result.remove(place);
        } else if !hard && (versions.is_gt() || versions.is_eq() && !shape.keep_on_tie) {
            replace(shape, &mut result[place], &new.row);
        }
    }
    result.sort();
    result
}

/// The target after a load of versions: those that are staged, each in its place among those of its key that are there. The
/// rows of keys that are not staged stay as they are.
fn history(
    shape: &Shape,
    from: usize,
    to: usize,
    current: Option<usize>,
    target: &[Row],
    candidates: Vec<Candidate>,
) -> Vec<Row> {
    let one: Vec<usize> = shape.key.iter().copied().filter(|place| *place != from).collect();
    let mut versions: Vec<Row> = candidates.into_iter().map(|new| new.row).collect();
    let staged = versions.clone();
    let beside = |row: &&Row| {
        staged.iter().any(|new| same(&one, row, new)) && !staged.iter().any(|new| same(&shape.key, row, new))
    };
    versions.extend(target.iter().filter(beside).map(|row| computed_again(shape, row)));
    let deleted = shape.columns.iter().position(|column| column.origin == Origin::Deleted);
    let next = |row: &Row| {
        versions
            .iter()
            .filter(|other| same(&one, row, other))
            .map(|other| &other[from])
            .filter(|at| **at > row[from])
            .min()
    };
    let with_period = |row: &Row| {
        let mut row = row.clone();
        let end = next(&row).cloned();
        if let Some(current) = current {
            let is_deleted = deleted.is_some_and(|flag| row[flag] == Value::Bool(true));
            row[current] = Value::Bool(end.is_none() && !is_deleted);
        }
        row[to] = end.unwrap_or(Value::Null);
        row
    };
    let mut result = target.to_vec();
    for new in versions.iter().map(with_period) {
        match result.iter_mut().find(|old| same(&shape.key, old, &new)) {
            Some(old) => replace(shape, old, &new),
            None => result.push(new),
        }
    }
    result.sort();
    result
}

/// A target row with new values where the load computes them.
fn computed_again(shape: &Shape, row: &Row) -> Row {
    let value = |(place, column): (usize, &Column)| match &column.origin {
        Origin::Now => Value::Now,
        Origin::Constant(value) if !shape.key.contains(&place) => value.clone(),
        _ => row[place].clone(),
    };
    shape.columns.iter().enumerate().map(value).collect()
}

/// Whether the window of a load takes a staged row, by the target before the load.
pub fn takes(shape: &Shape, target: &[Row], staged: &Row) -> bool {
    shape.window.as_ref().is_none_or(|window| is_inside(window, lower_bound(window, target).as_ref(), staged))
}

/// The first value inside the window; `None` when everything is.
fn lower_bound(window: &Window, target: &[Row]) -> Option<Value> {
    match &window.bounds {
        Bounds::Given { start, .. } => Some(start.clone()),
        Bounds::Watermark { overlap, initial } => {
            match target.iter().map(|row| &row[window.column]).filter(|value| !value.is_null()).max() {
                Some(watermark) => shift_back(watermark, *overlap),
                None => initial.clone(),
            }
        }
    }
}

/// The value minus the overlap; `None` when that is before every value of the type.
fn shift_back(value: &Value, overlap: Overlap) -> Option<Value> {
    match (value, overlap) {
        (Value::Number(number), Overlap::Steps(steps)) => {
            let shifted = number.as_integer()?.checked_sub(i128::from(steps))?;
            Some(Value::Number(shifted.into()))
        }
        (_, Overlap::Steps(_)) => None,
        (_, Overlap::Seconds(seconds)) => {
            let length = SignedDuration::from_secs(i64::try_from(seconds).ok()?);
            match value {
                Value::Date(date) => {
                    let at = date.to_datetime(Time::midnight()).checked_sub(length).ok()?;
                    // The first day whose midnight is not before that moment.
                    let whole = at.time() == Time::midnight();
                    Some(Value::Date(if whole { at.date() } else { at.date().tomorrow().ok()? }))
                }
                Value::Timestamp(at) => Some(Value::Timestamp(at.checked_sub(length).ok()?)),
                Value::Timestamptz(at) => Some(Value::Timestamptz(at.checked_sub(length).ok()?)),
                _ => None,
            }
        }
    }
}

/// Whether a staged row is taken.
fn is_inside(window: &Window, lower: Option<&Value>, staged: &Row) -> bool {
    let value = &staged[window.cell];
    let before_end = match &window.bounds {
        Bounds::Given { end: Some(end), .. } => value < end,
        _ => true,
    };
    value.is_null() || (lower.is_none_or(|lower| value >= lower) && before_end)
}

/// The staged row as a row of the target.
fn candidate(shape: &Shape, staged: &Row) -> Candidate {
    let deleted = shape.deletes.is_some_and(|deletes| staged[deletes.cell] == Value::Bool(true));
    let new_value = |column: &Column| match &column.origin {
        Origin::Staged(cell) => staged[*cell].clone(),
        Origin::Now => Value::Now,
        Origin::Constant(value) => value.clone(),
        Origin::Deleted => Value::Bool(deleted),
        Origin::Period => Value::Null,
    };
    Candidate {
        row: shape.columns.iter().map(new_value).collect(),
        deleted,
        incremental: shape.window.as_ref().map_or(Value::Null, |window| staged[window.cell].clone()),
        staged: staged.clone(),
    }
}

/// One candidate per key: the greatest in the version order, a deletion before another row of the same version, then the
/// greatest in the tie-break.
fn reduce(shape: &Shape, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let tie_break = tie_break(shape);
    let order = |a: &Candidate, b: &Candidate| {
        compare(&shape.version, &a.row, &b.row)
            .then_with(|| a.deleted.cmp(&b.deleted))
            .then_with(|| compare(&tie_break, &a.row, &b.row))
            .then_with(|| a.staged.cmp(&b.staged))
    };
    let mut kept: Vec<Candidate> = Vec::new();
    for new in candidates {
        match kept.iter_mut().find(|old| same(&shape.key, &old.row, &new.row)) {
            Some(old) if order(&new, old).is_gt() => *old = new,
            Some(_) => {}
            None => kept.push(new),
        }
    }
    kept
}

/// The columns that order two staged rows of one key and one version: the compared ones in their order, then the other
/// staged ones. What then still differs is in cells that the target does not have.
fn tie_break(shape: &Shape) -> Vec<usize> {
    let (compared, rest): (Vec<_>, Vec<_>) = (0..shape.columns.len()).partition(|place| is_compared(shape, *place));
    let staged = |place: &usize| matches!(shape.columns[*place].origin, Origin::Staged(_) | Origin::Deleted);
    compared.into_iter().chain(rest.into_iter().filter(staged)).collect()
}

/// Whether a difference in the column replaces the row.
fn is_compared(shape: &Shape, place: usize) -> bool {
    let column = &shape.columns[place];
    let staged = matches!(column.origin, Origin::Staged(_) | Origin::Deleted | Origin::Period);
    let differs = staged && !shape.key.contains(&place) && column.update != Update::Never && column.compare;
    differs || shape.version.contains(&place)
}

/// A target row with its flag set, and new values where the load computes them.
fn flagged(shape: &Shape, row: &Row, flag: usize) -> Row {
    let mut flagged = computed_again(shape, row);
    flagged[flag] = Value::Bool(true);
    flagged
}

/// Replaces the row's content by the new one's, under the rules of its columns, when a compared column differs.
fn replace(shape: &Shape, old: &mut Row, new: &Row) {
    let merged: Row = (0..shape.columns.len())
        .map(|place| updated(shape.columns[place].update, &old[place], &new[place]).clone())
        .collect();
    if (0..shape.columns.len()).any(|place| is_compared(shape, place) && merged[place] != old[place]) {
        *old = merged;
    }
}

/// The value of a column whose row is replaced.
fn updated<'a>(update: Update, old: &'a Value, new: &'a Value) -> &'a Value {
    let by_null = match (old.is_null(), new.is_null()) {
        (true, _) => new,
        (false, true) => old,
        (false, false) => match update {
            Update::Greatest | Update::Any => old.max(new),
            Update::Least => old.min(new),
            Update::FirstNotNull => old,
            _ => new,
        },
    };
    match update {
        Update::Always => new,
        Update::Never => old,
        _ => by_null,
    }
}

/// Whether `delete_insert` removes a target row.
fn vanishes(
    shape: &Shape,
    scope: &Scope,
    keep_newer: bool,
    lower: Option<&Value>,
    row: &Row,
    candidates: &[Candidate],
) -> bool {
    if candidates.iter().any(|new| same(&shape.key, row, &new.row)) {
        return false;
    }
    let peers: Vec<&Candidate> = match scope {
        Scope::Group(group) => candidates.iter().filter(|new| same(group, row, &new.row)).collect(),
        Scope::Window if in_scope(shape, lower, row, candidates) => candidates.iter().collect(),
        Scope::Window => Vec::new(),
    };
    let spared = keep_newer && peers.iter().all(|new| compare(&shape.version, row, &new.row).is_gt());
    !peers.is_empty() && !spared
}

/// Whether a target row lies between the bounds inside which rows vanish.
fn in_scope(shape: &Shape, lower: Option<&Value>, row: &Row, candidates: &[Candidate]) -> bool {
    let Some(window) = &shape.window else { return false };
    let value = &row[window.column];
    let before_end = match &window.bounds {
        Bounds::Given { end: Some(end), .. } => value < end,
        _ => candidates.iter().any(|new| *value <= new.incremental),
    };
    !value.is_null() && lower.is_none_or(|lower| value >= lower) && before_end
}

/// Compares two rows by some of their columns, most significant first. Null is the least value.
fn compare(places: &[usize], a: &Row, b: &Row) -> Ordering {
    places.iter().map(|place| a[*place].cmp(&b[*place])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Whether two rows agree in some of their columns. Null is a value.
fn same(places: &[usize], a: &Row, b: &Row) -> bool {
    compare(places, a, b).is_eq()
}

#[cfg(test)]
mod tests;
