//! Rows from small numbers.

use super::edges::{edges, ordered_text};
use super::scale::{Cursor, Scale, at};
use super::{Content, Field};
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};
use std::collections::BTreeSet;

/// The version of the rows in the target; staged rows are older, equal or newer, by at most 16.
pub const PRESENT: i64 = 100;

/// What the cells of one row are made from. Equal numbers make equal rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    /// The key.
    pub key: i64,
    /// The version. The window's column has it as well, where it is no version itself.
    pub version: i64,
    /// Where the row lies by the window's column, when that is not a version.
    pub cursor: i64,
    /// Ticks that the window's column lies behind its number.
    pub shift: i64,
    /// The group that the row belongs to.
    pub group: i64,
    /// The content.
    pub payload: i64,
    /// What the expressions of the spec see.
    pub mark: i64,
}

impl Cells {
    pub fn of(key: i64, version: i64, payload: i64) -> Self {
        Self { key, version, cursor: version, shift: 0, group: key / 2, payload, mark: key + version + payload }
    }

    /// The cells with that tick in the window's column, counted from the present.
    pub fn shifted(self, shift: i64) -> Self {
        Self { version: PRESENT, cursor: PRESENT, shift, ..self }
    }

    pub fn in_group(self, group: i64) -> Self {
        Self { group, ..self }
    }

    pub fn at_cursor(self, cursor: i64) -> Self {
        Self { cursor, ..self }
    }

    pub fn marked(self, mark: i64) -> Self {
        Self { mark, ..self }
    }
}

/// Makes the rows of a table.
pub(super) struct Maker<'a> {
    pub fields: &'a [Field],
    /// The edges of each field's type.
    pub edges: Vec<Vec<Value>>,
}

impl<'a> Maker<'a> {
    pub fn new(fields: &'a [Field]) -> Self {
        Self { fields, edges: fields.iter().map(|field| edges(&field.ty)).collect() }
    }

    pub fn row(&self, key: i64, version: i64, payload: i64) -> Row {
        self.make(Cells::of(key, version, payload))
    }

    /// The row whose content is compared alike by every engine and under every collation, so that all of them decide a tie
    /// for the same row.
    pub fn make(&self, cells: Cells) -> Row {
        self.cells(cells, |at| {
            let field = &self.fields[at];
            match field.ty {
                Type::Text | Type::Varchar(_) | Type::Char(_) | Type::Json | Type::Other(_) => {
                    ordered_text(cells.payload, &field.ty).unwrap_or_else(|| field.ordinary(cells.payload))
                }
                // Moved by the place of the column, so that a row does not hold the n-th edge of every type.
                _ => self.edge(at, cells.payload + i64::try_from(at).unwrap_or_default()),
            }
        })
    }

    /// The row whose content is the n-th edge of every type. No two rows of one key and one version may differ in it.
    pub fn exact(&self, cells: Cells) -> Row {
        self.cells(cells, |at| self.edge(at, cells.payload))
    }

    /// The n-th edge of the type of a field, or an ordinary value where its type has none.
    pub fn edge(&self, at: usize, n: i64) -> Value {
        pick(&self.edges[at], n).unwrap_or_else(|| self.fields[at].ordinary(n))
    }

    fn cells(&self, cells: Cells, content: impl Fn(usize) -> Value) -> Row {
        let mut keys = 0;
        self.fields
            .iter()
            .enumerate()
            .map(|(place, field)| {
                if field.key {
                    keys += 1;
                    return self.key_part(field, keys - 1, cells.key);
                }
                if let Some(cursor) = &field.cursor {
                    let number = field.version.map_or(cells.cursor, |rank| coarser(cells.version, rank));
                    return at(&field.ty, cursor.scale.tick(number).saturating_add(cells.shift));
                }
                match (field.version, &field.content) {
                    (Some(rank), _) => field.ordinary(coarser(cells.version, rank)),
                    _ if field.group => field.ordinary(cells.group),
                    (None, Content::Edges) => content(place),
                    (None, Content::Plain) => field.ordinary(cells.payload),
                    (None, Content::Fixed) => field.ordinary(cells.key),
                    (None, Content::Words(words)) => pick(words, cells.mark).unwrap_or(Value::Null),
                }
            })
            .collect()
    }

    /// The part of a key in its n-th column. The second and the third column have two values each, so that the columns of
    /// a key vary by themselves.
    fn key_part(&self, field: &Field, column: u32, key: i64) -> Value {
        let columns = self.fields.iter().filter(|field| field.key).count();
        let bits = u32::try_from(columns.saturating_sub(1)).unwrap_or_default().min(2);
        let number = match column {
            1 | 2 => (key >> (bits - column)) & 1,
            _ => key >> bits,
        };
        field.ordinary(number)
    }

    /// The row with null wherever the predicate holds and null is allowed.
    pub fn with_nulls(&self, row: Row, is_null: impl Fn(usize, &Field) -> bool) -> Row {
        row.into_iter()
            .zip(self.fields)
            .enumerate()
            .map(|(at, (value, field))| if field.nullable && is_null(at, field) { Value::Null } else { value })
            .collect()
    }

    pub fn without_payload(&self, key: i64, version: i64) -> Row {
        self.with_nulls(self.row(key, version, 0), |_, field| field.is_content())
    }

    pub fn without_version(&self, key: i64, payload: i64) -> Row {
        self.with_nulls(self.row(key, PRESENT, payload), |_, field| field.version.is_some())
    }

    /// The column that the window is on, with its place.
    pub fn cursor(&self) -> Option<(usize, Cursor)> {
        self.fields.iter().enumerate().find_map(|(at, field)| field.cursor.map(|cursor| (at, cursor)))
    }

    pub fn has_version(&self) -> bool {
        self.fields.iter().any(|field| field.version.is_some())
    }

    /// The cells of the key.
    pub fn key(&self, row: &Row) -> Row {
        row.iter().zip(self.fields).filter(|(_, field)| field.key).map(|(value, _)| value.clone()).collect()
    }

    /// The first row of every key. A key of few values, such as a bool, makes one value of several numbers.
    pub fn one_per_key(&self, rows: Vec<Row>) -> Vec<Row> {
        let mut seen = BTreeSet::new();
        rows.into_iter().filter(|row| seen.insert(self.key(row))).collect()
    }
}

impl Field {
    /// True when it is neither key, version, group nor the column of the window, and may change.
    pub(super) fn is_content(&self) -> bool {
        let plain = !self.key && self.version.is_none() && self.cursor.is_none() && !self.group;
        plain && self.content != Content::Fixed
    }

    /// The n-th value on the column's scale, which grows with its number.
    pub(super) fn ordinary(&self, n: i64) -> Value {
        let scale = self.cursor.map_or_else(|| Scale::of(&self.ty), |cursor| cursor.scale);
        at(&self.ty, scale.tick(n))
    }
}

/// The version number in a column behind which so many less significant ones stand: it moves half as often for each.
fn coarser(version: i64, rank: u32) -> i64 {
    PRESENT + ((version - PRESENT) >> rank.min(8))
}

/// The n-th value of a list that goes round.
pub(super) fn pick(values: &[Value], n: i64) -> Option<Value> {
    let length = i64::try_from(values.len()).ok().filter(|length| *length > 0)?;
    usize::try_from(n.rem_euclid(length)).ok().map(|at| values[at].clone())
}
