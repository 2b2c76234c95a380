//! The window of a load: from the high watermark of the target, or as the caller gives it.

use super::column::{Column, ValueFrom};
use super::expression;
use super::planner::Planner;
use super::value;
use super::{PlannedBounds, PlannedWindow};
use crate::diagnostic::Diagnostic;
use crate::dialect::types::{Literal, Overlap, Type};
use crate::spec::{Bound, Located, OverlapWindow, Source};

/// The window of a load, as expressions.
pub(super) struct Window {
    /// The first value inside.
    pub low: String,
    /// The first value behind it, when the caller gives one.
    pub end: Option<String>,
    /// The value of the staged row that is compared with it.
    pub staged: String,
    /// True when that value may be null.
    pub nullable: bool,
}

impl Planner<'_> {
    /// The window of the incremental column; none when the whole source is loaded.
    pub(super) fn window(&mut self) -> Option<Window> {
        if matches!(self.table.source.value, Source::Rows { .. } | Source::Parameters) {
            return None;
        }
        let incremental = self.table.incremental.as_ref()?;
        let index = self.place(&incremental.column.value)?;
        let column = self.columns[index].clone();
        let staged = match (&incremental.source_column, &column.value) {
            (Some(written), _) => {
                match expression::qualified(written, "`source_column`", &self.load.names.s, self.dialect) {
                    Ok(text) => text,
                    Err(fault) => {
                        self.faults.push(fault);
                        return None;
                    }
                }
            }
            (None, ValueFrom::Staged(value)) => value.clone(),
            (None, _) => {
                self.faults.push(
                    Diagnostic::error("plan-window", format!("the staged rows do not hold `{}`", column.name))
                        .at(incremental.column.span.clone(), "its value comes from elsewhere")
                        .help(
                            "name the staged column to compare: `incremental_column: {column: .., source_column: ..}`",
                        ),
                );
                return None;
            }
        };
        let nullable = column.nullable;
        let planned = |bounds| PlannedWindow { column: index, staged: staged.clone(), bounds };
        if let Some(window) = &self.table.window {
            let (start, end) = (window.start.clone(), window.end.clone());
            let known = |bound: &Located<Bound>| match &bound.value {
                Bound::Value(scalar) => value::literal(scalar, &column.ty).ok(),
                Bound::Variable(_) | Bound::Parameter(_) => None,
            };
            let bounds = PlannedBounds::Given { start: known(&start), end: end.as_ref().map(known) };
            self.window = Some(planned(bounds));
            let low = self.bound(&start, &column);
            let end = end.map(|end| self.bound(&end, &column));
            return Some(Window { low, end, staged, nullable });
        }
        let (low, bounds) = self.high_watermark(&column)?;
        self.window = Some(planned(bounds));
        Some(Window { low, end: None, staged, nullable })
    }

    /// The high watermark of the target minus the overlap, or the floor when the target is empty.
    fn high_watermark(&mut self, column: &Column) -> Option<(String, PlannedBounds)> {
        let overlap = self.table.overlap_window.as_ref();
        let shift = match overlap.map(|overlap| overlap.value) {
            Some(OverlapWindow::Seconds(seconds)) => Overlap::Seconds(seconds),
            Some(OverlapWindow::Steps(steps)) => Overlap::Steps(steps),
            None if column.ty.is_integer() => Overlap::Steps(0),
            None => Overlap::Seconds(0),
        };
        let span = overlap.map_or(column.span.clone(), |overlap| overlap.span.clone());
        let is_utc = self.table.incremental.as_ref().is_some_and(|incremental| incremental.is_utc);
        let fits = match (&column.ty, shift) {
            // When the clocks go back, an hour of local time comes twice, and a later row may carry an earlier time.
            (Type::Timestamp, Overlap::Seconds(seconds)) if seconds < 3_600 && !is_utc => Err((
                format!(
                    "`{}` has no zone, and on a local clock an hour comes twice a year: rows of it would be missed",
                    column.name
                ),
                "write `overlap_window: 1 hour` or more, or `incremental_column: {column: .., zone: utc}`, or make it timestamptz",
            )),
            (Type::Timestamp | Type::Timestamptz, Overlap::Seconds(_)) => Ok(()),
            (Type::Date, Overlap::Seconds(seconds)) if seconds % 86_400 == 0 => Ok(()),
            (Type::Date, Overlap::Seconds(_)) => Err(("a date has no hours".to_owned(), "write whole days: `1 day`")),
            (ty, Overlap::Steps(_)) if ty.is_integer() => Ok(()),
            (_, shift) if shift.is_zero() => Ok(()),
            _ => Err((
                format!("nothing can be subtracted from `{}`, whose type is of one engine alone", column.name),
                "use a column of type date, timestamp, timestamptz, smallint, int or bigint",
            )),
        };
        if let Err((fault, help)) = fits {
            let fault = Diagnostic::error("plan-overlap", format!("`overlap_window`: {fault}"));
            self.faults.push(fault.at(span, "").help(help));
            return None;
        }
        let mut first = None;
        let floor = match &self.table.initial_value {
            Some(initial) => match value::literal(&initial.value, &column.ty) {
                Ok(literal) => {
                    first = Some(literal.clone());
                    Some(self.dialect.literal(&literal, &column.ty))
                }
                Err(wrong) => {
                    self.faults.push(wrong.at("`initial_value`", initial.span.clone()));
                    return None;
                }
            },
            None => (self.dialect.floor)(&column.ty),
        };
        let Some(floor) = floor else {
            self.faults.push(
                Diagnostic::error(
                    "plan-window",
                    format!("a window on `{}` needs a floor for the empty target", column.name),
                )
                .at(column.span.clone(), "its type has no least value that every engine agrees on")
                .help("write `initial_value: ..`, a value that no staged row is below"),
            );
            return None;
        };
        let h = &self.load.names.h;
        let greatest = format!("{}({})", self.dialect.max, column.of(h));
        let shifted = if shift.is_zero() { greatest } else { (self.dialect.shift_back)(&greatest, shift, &column.ty) };
        let as_ = self.dialect.table_alias;
        let query = format!("(\n  SELECT COALESCE({shifted}, {floor})\n  FROM {} {as_}{h}\n)", self.load.target);
        Some((query, PlannedBounds::Watermark { overlap: shift, initial: first }))
    }

    /// One end of a window that the caller gives.
    fn bound(&mut self, bound: &Located<Bound>, column: &Column) -> String {
        match &bound.value {
            Bound::Variable(text) => {
                if text.contains(['\'', '\\', '\n', '\r']) {
                    let fault = "a variable stands inside a text, which its quote or backslash would end";
                    self.faults.push(
                        Diagnostic::error("plan-window", format!("`window`: {fault}"))
                            .at(bound.span.clone(), "")
                            .help("write the variable alone, like \"{{ ds }}\", and compute it before"),
                    );
                }
                (self.dialect.temporal)(text, &column.ty)
            }
            Bound::Parameter(name) => {
                self.parameters += 1;
                let parameter = self.dialect.parameter(self.parameters, name, &column.ty);
                self.dialect.cast(&parameter, &column.ty)
            }
            Bound::Value(scalar) => match value::literal(scalar, &column.ty) {
                Ok(Literal::Null) => {
                    self.faults.push(
                        Diagnostic::error("plan-window", "a window has no end at null").at(bound.span.clone(), ""),
                    );
                    String::new()
                }
                Ok(literal) => self.dialect.literal(&literal, &column.ty),
                Err(wrong) => {
                    self.faults.push(wrong.at("`window`", bound.span.clone()));
                    String::new()
                }
            },
        }
    }
}
