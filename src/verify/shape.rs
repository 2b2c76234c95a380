//! A plan as the reference model sees it.

use super::model::{self, Bounds, Deletes, Scope, Shape, Strategy};
use crate::dialect::types::{Literal, Type};
use crate::engine::value::Value;
use crate::plan::{Column, Plan, PlannedBounds, PlannedWindow, Update, ValueFrom};

/// The written columns of a plan, in the order of the target rows that the model works on.
pub(super) fn written(plan: &Plan) -> Vec<&Column> {
    plan.columns.iter().filter(|column| column.is_written()).collect()
}

/// The shape of a plan. The staged rows of the model are the items of its batch, and behind them the value that is compared
/// with the window when there is one.
///
/// # Errors
/// When the plan depends on a value that is not known before it runs.
pub(super) fn shape(plan: &Plan) -> Result<Shape, String> {
    let written = written(plan);
    let place = |index: usize| written.iter().position(|column| column.name == plan.columns[index].name);
    let cell = |name: &str| plan.load.batch.items.iter().position(|item| item.name == name);
    let flag = plan.deletion_column.map(|index| plan.columns[index].name.as_str());
    let columns = written
        .iter()
        .map(|column| model::Column {
            origin: match &column.value {
                _ if Some(column.name.as_str()) == flag => model::Origin::Deleted,
                ValueFrom::Staged(_) => model::Origin::Staged(cell(&column.sql).unwrap_or(usize::MAX)),
                ValueFrom::Load(text) => constant(text, &column.ty).map_or(model::Origin::Now, model::Origin::Constant),
                // The beginning of a period is the version, which the staged rows hold.
                ValueFrom::Period(_) if column.key => {
                    let version = plan.version.first().and_then(|index| cell(&plan.columns[*index].sql));
                    model::Origin::Staged(version.unwrap_or(usize::MAX))
                }
                ValueFrom::Period(_) => model::Origin::Period,
                ValueFrom::Engine => model::Origin::Constant(Value::Null),
            },
            update: match column.update {
                Update::Always => model::Update::Always,
                Update::Never => model::Update::Never,
                Update::IfNotNull => model::Update::IfNotNull,
                Update::FirstNotNull => model::Update::FirstNotNull,
                Update::Greatest => model::Update::Greatest,
                Update::Least => model::Update::Least,
                Update::Any => model::Update::Any,
            },
            compare: column.compared,
        })
        .collect();
    let hard = plan.load.deletion.as_ref().and_then(|deletion| cell(&deletion.flag));
    let soft = flag
        .and_then(|name| plan.columns.iter().find(|column| column.name == name))
        .and_then(|column| cell(&column.sql));
    let window = plan.window.as_ref().map(|window| window_of(plan, window)).transpose()?;
    Ok(Shape {
        key: (0..written.len()).filter(|at| written[*at].key).collect(),
        version: plan.version.iter().filter_map(|index| place(*index)).collect(),
        keep_on_tie: plan.keep_on_tie,
        any_version: plan.strategy.takes_any_version(),
        deletes: match (hard, soft) {
            (Some(cell), _) => Some(Deletes { cell, hard: true }),
            (None, Some(cell)) => Some(Deletes { cell, hard: false }),
            (None, None) => None,
        },
        strategy: if let Some(log) = &plan.log {
            // What is in the log is filled in by whoever can read it.
            match log.batch {
                Some(batch) => Strategy::BatchOnce { batch: place(batch).unwrap_or(usize::MAX), logged: Vec::new() },
                None => Strategy::ContentOnce { is_logged: false },
            }
        } else if plan.strategy.insert_only {
            Strategy::InsertIgnore
        } else if plan.strategy.versions {
            history(&written)
        } else if let Some(missing) = &plan.missing {
            // The scope is filled in by whoever can read it of the target.
            Strategy::Mirror { scope: Vec::new(), flag: missing.flag.and_then(place), allow_empty: missing.allow_empty }
        } else if plan.strategy.replaces() {
            let group: Vec<usize> = plan.group.iter().filter_map(|index| place(*index)).collect();
            let scope = if group.is_empty() { Scope::Window } else { Scope::Group(group) };
            Strategy::DeleteInsert { scope, keep_newer: false }
        } else {
            Strategy::Upsert
        },
        // The rows of whole groups are chosen before the model sees them.
        window: if plan.group.is_empty() { window } else { None },
        columns,
    })
}

/// The columns of the period.
fn history(written: &[&Column]) -> Strategy {
    let mut period = (0..written.len()).filter(|at| written[*at].is_period());
    let mut next = || period.next().unwrap_or(usize::MAX);
    let (from, to) = (next(), next());
    Strategy::History { from, to, current: period.next() }
}

/// The window of a plan as the model sees it.
pub(super) fn window_of(plan: &Plan, window: &PlannedWindow) -> Result<model::Window, String> {
    let column = &plan.columns[window.column];
    Ok(model::Window {
        column: written(plan).iter().position(|other| other.name == column.name).unwrap_or(usize::MAX),
        cell: plan.load.batch.items.len(),
        bounds: bounds(&window.bounds, &column.ty)?,
    })
}

/// The bounds of a window as values.
fn bounds(bounds: &PlannedBounds, ty: &Type) -> Result<Bounds, String> {
    let unknown = || "the window's bounds are known only when the load runs".to_owned();
    Ok(match bounds {
        PlannedBounds::Watermark { overlap, initial } => {
            Bounds::Watermark { overlap: *overlap, initial: initial.as_ref().and_then(|literal| value(literal, ty)) }
        }
        PlannedBounds::Given { start, end } => Bounds::Given {
            start: start.as_ref().and_then(|literal| value(literal, ty)).ok_or_else(unknown)?,
            end: match end {
                None => None,
                Some(end) => Some(end.as_ref().and_then(|literal| value(literal, ty)).ok_or_else(unknown)?),
            },
        },
    })
}

/// A literal as a value.
pub(super) fn value(literal: &Literal, ty: &Type) -> Option<Value> {
    let text = match literal {
        Literal::Null => return Some(Value::Null),
        Literal::Bool(flag) => flag.to_string(),
        Literal::Integer(text)
        | Literal::Decimal(text)
        | Literal::Text(text)
        | Literal::Json(text)
        | Literal::Uuid(text) => text.clone(),
        Literal::Float(number) => number.to_string(),
        Literal::Bytes(bytes) => crate::dialect::literal::hex(bytes),
        Literal::Date(date) => date.to_string(),
        Literal::Time(time) => time.to_string(),
        Literal::Timestamp(at) => at.to_string(),
        Literal::Timestamptz(at) => at.to_string(),
    };
    Value::parse(&text, ty).ok()
}

/// The value of a text that is a plain literal; none for the clock and other expressions, which the model shows as now.
fn constant(text: &str, ty: &Type) -> Option<Value> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return Value::parse(&inner.replace("''", "'"), ty).ok();
    }
    if text.eq_ignore_ascii_case("null") {
        return Some(Value::Null);
    }
    Value::parse(text, ty).ok().filter(|_| !text.contains('('))
}
