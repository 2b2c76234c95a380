//! A window, an overlap and their column must fit each other.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::diagnostic::Diagnostic;
use crate::spec::Bound;
use crate::spec::Located;
use crate::spec::OverlapWindow;
use crate::spec::Scalar;
use crate::spec::Table;
use crate::spec::column::Family;

pub(super) fn check(table: &Table, faults: &mut Vec<Diagnostic>) {
    if let Some(overlap) = &table.overlap_window {
        self::overlap(table, overlap, faults);
    }
    if let Some(window) = &table.window
        && let Some(end) = &window.end
        && let (Bound::Value(from), Bound::Value(to)) = (&window.start.value, &end.value)
        && let Some(order @ (Ordering::Greater | Ordering::Equal)) = compare(from, to)
    {
        let (message, label) = match order {
            Ordering::Greater => ("the window ends before it starts", "this is before the start"),
            _ => ("the window is empty: its end is the first value that is not loaded", "the same as the start"),
        };
        let fault = Diagnostic::error("spec-window-order", message)
            .at(end.span.clone(), label)
            .at(window.start.span.clone(), "the start");
        faults.push(fault.help("write an `end` that is after the `start`"));
    }
    if let (Some(window), None) = (&table.window, &table.incremental) {
        let fault = Diagnostic::error("spec-missing-key", "a `window` needs the column that it is a window of");
        faults.push(fault.at(window.start.span.clone(), "").help("add `incremental_column: updated_at`"));
    }
    if let (Some(initial), None) = (&table.initial_value, &table.incremental) {
        let fault = Diagnostic::error("spec-missing-key", "an `initial_value` needs the column that it is a value of");
        faults.push(fault.at(initial.span.clone(), "").help("add `incremental_column: updated_at`"));
    }
}

fn overlap(table: &Table, overlap: &Located<OverlapWindow>, faults: &mut Vec<Diagnostic>) {
    let Some(incremental) = &table.incremental else {
        let message = "an `overlap_window` needs the column that it reaches back on";
        let fault = Diagnostic::error("spec-missing-key", message).at(overlap.span.clone(), "");
        faults.push(fault.help("add `incremental_column: updated_at`, or remove `overlap_window`"));
        return;
    };
    let name = &incremental.column.value;
    let Some(column) = table.column(name) else { return };
    let (wants, help) = match (overlap.value, column.family()) {
        (OverlapWindow::Seconds(_), Some(Family::Integer)) => {
            ("a length of time", "write a whole number: how many steps of the column the window reaches back")
        }
        (OverlapWindow::Steps(steps), Some(Family::Time)) if steps > 0 => {
            ("a plain number", "write a length of time: `1 day`, `3 hours`, `15 minutes`")
        }
        (_, Some(Family::Bool | Family::Text | Family::Other | Family::Fraction)) => {
            ("an overlap", "use a column of type date, timestamp, timestamptz, smallint, int or bigint")
        }
        _ => return,
    };
    let ty = column.ty.as_ref().map(|ty| ty.value.as_str()).unwrap_or_default();
    let message = format!("{wants} cannot be subtracted from `{name}`, which is of type `{ty}`");
    let fault = Diagnostic::error("spec-overlap-type", message)
        .at(overlap.span.clone(), "")
        .at(incremental.column.span.clone(), "the column of the window");
    faults.push(fault.help(help));
}

/// Compares two literal bounds; none when their order cannot be known from here.
fn compare(a: &Scalar, b: &Scalar) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Number(a), Scalar::Number(b)) => match (a.parse::<i128>(), b.parse::<i128>()) {
            (Ok(a), Ok(b)) => Some(a.cmp(&b)),
            _ => a.parse::<f64>().ok()?.partial_cmp(&b.parse::<f64>().ok()?),
        },
        (Scalar::Text(a), Scalar::Text(b)) => match (a.parse::<Timestamp>(), b.parse::<Timestamp>()) {
            (Ok(a), Ok(b)) => Some(a.cmp(&b)),
            (Err(_), Err(_)) => Some(a.parse::<DateTime>().ok()?.cmp(&b.parse::<DateTime>().ok()?)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use super::{Scalar, compare};

    #[test]
    fn bounds_are_compared_as_numbers_days_and_instants() {
        let text = |a: &str, b: &str| compare(&Scalar::Text(a.to_owned()), &Scalar::Text(b.to_owned()));
        let number = |a: &str, b: &str| compare(&Scalar::Number(a.to_owned()), &Scalar::Number(b.to_owned()));
        assert_eq!(number("9", "10"), Some(Less));
        assert_eq!(number("1.5", "1"), Some(Greater));
        assert_eq!(text("2024-01-02", "2024-01-01"), Some(Greater));
        assert_eq!(text("2024-01-01 00:00:00", "2024-01-01"), Some(Equal));
        assert_eq!(text("2024-01-01T00:00:00+02:00", "2024-01-01T00:00:00Z"), Some(Less));
        assert_eq!(text("2024-01-01T00:00:00Z", "2024-01-01"), None);
        assert_eq!(text("abc", "abd"), None);
    }
}
