//! The comparisons of a load: the same key, a newer version, a difference.

use super::column::Column;
use crate::dialect::Dialect;
use crate::dialect::mechanism::{Differs, NullSafe};
use crate::dialect::types::Type;

/// Builds the predicates that compare a row of one relation with a row of another.
pub(super) struct Compare<'a> {
    pub dialect: &'a Dialect,
    pub key: Vec<&'a Column>,
    /// Most significant first.
    pub version: Vec<&'a Column>,
    pub compared: Vec<&'a Column>,
    pub keep_on_tie: bool,
}

impl Compare<'_> {
    /// The predicates that hold when both rows have the same key, null being a value.
    pub fn same_key(&self, a: &str, b: &str) -> Vec<String> {
        let mut all = Vec::new();
        for column in &self.key {
            if let (Some(a), Some(b)) = (self.hashed(column, a), self.hashed(column, b)) {
                all.push(format!("{a} = {b}"));
            }
            all.push(self.equal(column, a, b));
        }
        all
    }

    /// The order in which rows of a relation are proposed: the same for every session, so that two do not wait for each
    /// other in a circle.
    ///
    /// What is hashed comes first. The reduced rows come in the order of the key already, and if that were the order asked
    /// for, a nested loop that keeps it would look cheaper than a hash to a planner that takes the target for empty; each
    /// of its rounds would read what was inserted so far.
    pub fn key_order(&self, relation: &str) -> Vec<String> {
        let hashed = self.key.iter().filter_map(|column| self.hashed(column, relation));
        hashed.chain(self.key.iter().map(|column| column.of(relation))).collect()
    }

    fn hashed(&self, column: &Column, relation: &str) -> Option<String> {
        hashed(self.dialect, column, &column.of(relation))
    }

    fn equal(&self, column: &Column, a: &str, b: &str) -> String {
        equal(self.dialect, column, a, b)
    }
    /// The row-change guard: true when the row of `new` is not older than the row of `old` and differs from it.
    pub fn change(&self, old: &str, new: &str) -> Vec<String> {
        let mut all: Vec<String> = self.not_older(old, new, self.keep_on_tie).into_iter().collect();
        // A greater version is a difference already.
        if self.version.is_empty() || !self.keep_on_tie {
            all.extend(self.differs(old, new));
        }
        all
    }

    /// True when the version of `new` is at least that of `old`, or greater when a tie keeps the old row; none without a
    /// version.
    pub fn not_older(&self, old: &str, new: &str, keep_on_tie: bool) -> Option<String> {
        let (last, before) = self.version.split_last()?;
        let least = if keep_on_tie { greater(last, old, new) } else { at_least(last, old, new) };
        Some(before.iter().rev().fold(least, |rest, column| {
            let mut either = greater_by(column, old, new);
            either.push(format!("({} AND {rest})", self.equal(column, old, new)));
            bracketed(&either, " OR ")
        }))
    }

    /// True when replacing `old` by `new` would change at least one compared column.
    pub fn differs(&self, old: &str, new: &str) -> Option<String> {
        let pairs: Vec<(String, String)> = self
            .compared
            .iter()
            .map(|column| {
                let exact = |value: &str| (self.dialect.exact)(value, &column.ty);
                (exact(&column.of(old)), exact(&column.replaced(old, new)))
            })
            .collect();
        if pairs.is_empty() {
            return None;
        }
        let each = |f: fn(&str, &str) -> String| pairs.iter().map(|(was, is)| f(was, is)).collect::<Vec<_>>();
        let was = || pairs.iter().map(|(was, _)| was.clone()).collect::<Vec<_>>();
        let is = || pairs.iter().map(|(_, is)| is.clone()).collect::<Vec<_>>();
        let any = |items: Vec<String>| if items.len() > 1 { bracketed(&items, " OR ") } else { items.concat() };
        let row = |items: Vec<String>| if items.len() > 1 { bracketed(&items, ", ") } else { items.concat() };
        Some(match self.dialect.differs {
            Differs::RowDistinct => format!("{} IS DISTINCT FROM {}", row(was()), row(is())),
            Differs::ColumnDistinct => any(each(|was, is| format!("{was} IS DISTINCT FROM {is}"))),
            Differs::NotSpaceship => format!("NOT {}", bracketed(&each(|was, is| format!("{was} <=> {is}")), " AND ")),
            Differs::IsNot => any(each(|was, is| format!("{was} IS NOT {is}"))),
            Differs::ExistsExcept => {
                format!("EXISTS (\n  SELECT{}\n  EXCEPT\n  SELECT{}\n)", selected(&is()), selected(&was()))
            }
            Differs::Decode => any(each(|was, is| format!("DECODE({was}, {is}, 0, 1) = 1"))),
            Differs::Expanded => {
                bracketed(&each(|was, is| format!("{was} <> {is} OR ({was} IS NULL) <> ({is} IS NULL)")), " OR ")
            }
        })
    }
}

/// True when the column of `new` is at least that of `old`, null being the least.
fn at_least(column: &Column, old: &str, new: &str) -> String {
    let (was, is) = (column.of(old), column.of(new));
    if column.nullable { format!("({was} IS NULL OR {is} >= {was})") } else { format!("{is} >= {was}") }
}

/// True when the column of `new` is greater, null being the least.
fn greater(column: &Column, old: &str, new: &str) -> String {
    let either = greater_by(column, old, new);
    if either.len() > 1 { bracketed(&either, " OR ") } else { either.concat() }
}

/// The cases in which the column of `new` is greater.
fn greater_by(column: &Column, old: &str, new: &str) -> Vec<String> {
    let (was, is) = (column.of(old), column.of(new));
    let mut either = vec![format!("{is} > {was}")];
    if column.nullable {
        either.push(format!("({was} IS NULL AND {is} IS NOT NULL)"));
    }
    either
}

/// Equality of one column in two relations, null being a value where null can stand.
pub(super) fn equal(dialect: &Dialect, column: &Column, a: &str, b: &str) -> String {
    equal_values(dialect, column, &column.of(a), &column.of(b))
}

/// Equality of two values of one column, null being a value where null can stand.
pub(super) fn equal_values(dialect: &Dialect, column: &Column, a: &str, b: &str) -> String {
    let comparable = |value: &str| (dialect.comparable)(value, &column.ty);
    let (a, b) = (comparable(a), comparable(b));
    if !column.nullable {
        return format!("{a} = {b}");
    }
    match dialect.null_safe {
        NullSafe::IsNotDistinctFrom => format!("{a} IS NOT DISTINCT FROM {b}"),
        NullSafe::Spaceship => format!("{a} <=> {b}"),
        NullSafe::Is => format!("{a} IS {b}"),
        NullSafe::OrBothNull => format!("({a} = {b} OR ({a} IS NULL AND {b} IS NULL))"),
        NullSafe::Decode => format!("DECODE({a}, {b}, 1, 0) = 1"),
    }
}

/// A key column that may be null as a value that never is, where only such values are hashed: IS NOT DISTINCT FROM alone is
/// a nested loop on most of these engines, and beside a column of few values nearly one. Null and the value that stands for
/// it are hashed alike; the exact comparison beside it tells them apart. None for a type without a short literal.
pub(super) fn hashed(dialect: &Dialect, column: &Column, value: &str) -> Option<String> {
    if !column.nullable || dialect.null_safe != NullSafe::IsNotDistinctFrom {
        return None;
    }
    let ty = &column.ty;
    let stand_in = match ty {
        Type::SmallInt | Type::Int | Type::BigInt | Type::Decimal { .. } => "0".to_owned(),
        Type::Text | Type::Varchar(_) | Type::Char(_) => (dialect.string)("-"),
        Type::Date => (dialect.temporal)("1970-01-01", ty),
        Type::Timestamp => (dialect.temporal)("1970-01-01 00:00:00", ty),
        Type::Timestamptz => (dialect.temporal)("1970-01-01 00:00:00+00:00", ty),
        Type::Uuid => (dialect.uuid)("00000000-0000-0000-0000-000000000000"),
        _ => return None,
    };
    Some(format!("COALESCE({value}, {stand_in})"))
}

/// The items behind SELECT in a subquery, on its line while that is short, otherwise one a line.
fn selected(items: &[String]) -> String {
    let line = items.join(", ");
    if line.len() <= 60 { format!(" {line}") } else { format!("\n    {}", items.join(",\n    ")) }
}

/// The items in brackets, on one line while that is short, otherwise one a line.
fn bracketed(items: &[String], between: &str) -> String {
    let line = items.join(between);
    if line.len() <= 60 {
        return format!("({line})");
    }
    // The connective ends a line after a comma and begins one otherwise.
    let broken = if between == ", " { ",\n  ".to_owned() } else { format!("\n  {}", between.trim_start()) };
    let items: Vec<String> = items.iter().map(|item| item.replace('\n', "\n  ")).collect();
    format!("(\n  {}\n)", items.join(&broken))
}
