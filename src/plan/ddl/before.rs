//! A table before its change: that of an older spec, or as a database has it.

use super::DdlPlan;
use super::column::Described;
use crate::dialect::Dialect;
use crate::dialect::mechanism::Support;
use crate::dialect::native::{Native, Reading};
use crate::dialect::types::Type;

/// A table as a database has it.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Its columns, in order.
    pub columns: Vec<LiveColumn>,
    /// Its unique keys.
    pub keys: Vec<LiveKey>,
    /// What has the name of the unique index that the script would make: `an index`.
    pub taken: Option<String>,
    /// The log of its batches, where the load keeps one and it is there.
    pub log: Option<Box<Live>>,
}

/// One column of it.
#[derive(Clone, Debug, Default)]
pub struct LiveColumn {
    /// Its name.
    pub name: String,
    /// Its type as the database writes it; empty where nothing says it.
    pub declared: String,
    /// It cannot be null.
    pub not_null: bool,
    /// True when it has a default.
    pub has_default: bool,
    /// The engine computes it.
    pub generated: bool,
    /// The engine numbers it; true when a statement cannot give it a number.
    pub numbered: Option<bool>,
}

/// One unique key of it.
#[derive(Clone, Debug, Default)]
pub struct LiveKey {
    /// Its columns; one is `None` where an expression stands.
    pub columns: Vec<Option<String>>,
    /// It is the primary key.
    pub primary: bool,
    /// It holds for a part of the rows alone.
    pub partial: bool,
    /// Two nulls are the same in it.
    pub nulls_equal: bool,
}

/// Whether the engine numbers a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbered {
    /// It does not.
    No,
    /// Where a row gives no number.
    Missing,
    /// Always.
    Always,
}

/// Whether the engine computes a column.
#[derive(Clone, Debug)]
enum Generated {
    /// It does not.
    No,
    /// By this expression.
    By(String),
    /// By one that a database writes in its own words.
    Somehow,
}

/// A column before the change.
#[derive(Clone, Debug)]
pub(super) struct Earlier {
    /// Its name.
    pub name: String,
    /// Its name in SQL.
    pub sql: String,
    /// Its type in words, for people.
    pub says: String,
    /// Its type as the engine writes it.
    declared: String,
    /// The same as a type of specs; none for one that no spec has a word for.
    pub ty: Option<Type>,
    /// What that type does not say of the written one.
    note: Option<&'static str>,
    /// Whether null may stand in it.
    pub nullable: bool,
    /// Whether the engine numbers it.
    pub numbered: Numbered,
    /// Whether the engine computes it.
    generated: Generated,
    /// True when a database has a default for it.
    has_default: bool,
    /// The same, or the older spec gives it one.
    pub defaulted: bool,
    /// True when it is in the primary key of a database.
    pub primary: bool,
}

/// How two types compare.
pub(super) enum Match {
    /// They are the same.
    Same,
    /// They are not.
    Other,
    /// Nothing can be said, for this reason.
    Unknown(String),
}

/// The columns of an older spec's table.
pub(super) fn of_spec(old: &DdlPlan) -> Vec<Earlier> {
    let dialect = old.plan.dialect;
    let earlier = |old: &Described| Earlier {
        name: old.column.name.clone(),
        sql: old.column.sql.clone(),
        says: old.column.ty.to_string(),
        declared: (dialect.type_name)(&old.column.ty),
        ty: Some(old.column.ty.clone()),
        note: None,
        nullable: old.column.nullable,
        numbered: if old.identity { Numbered::Always } else { Numbered::No },
        generated: old.generated.clone().map_or(Generated::No, Generated::By),
        has_default: false,
        defaulted: old.default.is_some(),
        primary: false,
    };
    old.columns.iter().map(earlier).collect()
}

/// The columns of a database's table.
pub(super) fn of_database(live: &Live, dialect: &Dialect, quote: bool) -> Vec<Earlier> {
    let by_row = matches!(dialect.ddl.identity, Support::Yes(identity) if identity.words == PRIMARY_KEY);
    let earlier = |column: &LiveColumn| {
        let declared = column.declared.split_whitespace().collect::<Vec<_>>().join(" ");
        let reading = read(dialect, &declared);
        let primary = live.keys.iter().filter(|key| key.primary);
        let primary: Vec<usize> = primary.filter(|key| key.holds(&column.name)).map(|key| key.columns.len()).collect();
        Earlier {
            name: column.name.clone(),
            sql: dialect.identifier(&column.name, quote),
            says: format!("`{declared}`"),
            declared: declared.clone(),
            ty: reading.as_ref().map(|reading| reading.ty.clone()),
            note: reading.as_ref().and_then(|reading| reading.note),
            nullable: !column.not_null,
            numbered: match column.numbered {
                Some(true) => Numbered::Always,
                Some(false) => Numbered::Missing,
                // The number of the row, where the primary key is one column.
                None if by_row && primary == [1] && declared.eq_ignore_ascii_case(ROW_NUMBER) => Numbered::Missing,
                None => Numbered::No,
            },
            generated: if column.generated || reading.is_some_and(|reading| reading.computed) {
                Generated::Somehow
            } else {
                Generated::No
            },
            has_default: column.has_default,
            defaulted: column.has_default,
            primary: !primary.is_empty(),
        }
    };
    live.columns.iter().map(earlier).collect()
}

/// The one type of such a column: <https://www.sqlite.org/lang_createtable.html#rowid>
const ROW_NUMBER: &str = "INTEGER";

/// What numbers rows where a column is the row's number by being the primary key.
const PRIMARY_KEY: &str = "PRIMARY KEY";

impl LiveKey {
    fn holds(&self, column: &str) -> bool {
        self.columns.iter().flatten().any(|name| name == column)
    }
}

impl Live {
    /// True when these columns, in any order, are a unique key; with `nulls_equal` one in which null is a value.
    pub(super) fn has_key(&self, columns: &[&str], nulls_equal: bool, dialect: &Dialect) -> bool {
        let sorted = |names: &mut dyn Iterator<Item = String>| {
            let mut all: Vec<String> = names.map(|name| dialect.folded(&name)).collect();
            all.sort();
            all
        };
        let wanted = sorted(&mut columns.iter().map(|name| (*name).to_owned()));
        self.keys.iter().any(|key| {
            // An expression is no column, and makes the two differ in length.
            let own = sorted(&mut key.columns.iter().flatten().cloned());
            !key.partial && own.len() == key.columns.len() && own == wanted && (!nulls_equal || key.nulls_equal)
        })
    }
}

/// What a declared type is in a spec.
fn read(dialect: &Dialect, declared: &str) -> Option<Reading> {
    Some(declared)
        .filter(|declared| !declared.trim().is_empty())
        .and_then(|text| (dialect.read_type)(&Native::read(text)))
}

impl Earlier {
    /// Compares its type with another one.
    pub fn matched(&self, new: &Type, dialect: &Dialect) -> Match {
        let name = (dialect.type_name)(new);
        if Native::read(&self.declared) == Native::read(&name) {
            return Match::Same;
        }
        let Some(old) = &self.ty else {
            let declared = &self.declared;
            return Match::Unknown(if declared.is_empty() {
                "has no type in the database".to_owned()
            } else {
                format!("is `{declared}` in the database, which is no type that a spec has a word for")
            });
        };
        // What a spec writes as it stands may be another name of the same.
        let new = match new {
            Type::Other(text) => read(dialect, text).map_or(new.clone(), |reading| reading.ty),
            known => known.clone(),
        };
        match ((dialect.type_name)(old) == (dialect.type_name)(&new), self.note) {
            (true, None) => Match::Same,
            (true, Some(note)) => Match::Unknown(format!("is `{}` in the database: {note}", self.declared)),
            (false, _) if matches!(new, Type::Other(_)) && self.note.is_some() => {
                Match::Unknown(format!("is `{}` in the database, which cannot be compared with {new}", self.declared))
            }
            (false, _) => Match::Other,
        }
    }

    /// True when the engine computes both, or numbers both, or neither.
    pub fn is_computed_like(&self, new: &Described) -> bool {
        let numbered = match self.numbered {
            Numbered::No => !new.identity,
            // A load may write its numbers.
            Numbered::Missing => true,
            Numbered::Always => new.identity,
        };
        let generated = match (&self.generated, &new.generated) {
            (Generated::No, None) | (Generated::Somehow, Some(_)) => true,
            (Generated::By(old), Some(new)) => old == new,
            _ => false,
        };
        numbered && generated
    }

    /// What a statement that says the whole column anew would take from it.
    pub fn loses(&self, new: &Described) -> Option<&'static str> {
        if self.numbered == Numbered::Missing && !new.identity {
            return Some("the statement says the whole column anew, and the engine would number it no more");
        }
        let lost = self.has_default && new.default.is_none();
        lost.then_some("the statement says the whole column anew, without the default that it has in the database")
    }
}
