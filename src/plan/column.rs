//! The columns of a load: what each is called, where its value comes from, and what happens to it on a change.

use crate::dialect::Dialect;
use crate::dialect::types::Type;
use crate::spec::{self, Update};
use std::ops::Range;

/// Stands for the row that an INSERT proposed, in an update that asks for it by the function of that name.
pub(super) const VALUES: &str = "VALUES";

/// One column, with every question about it answered.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name as in the spec.
    pub name: String,
    /// The name as it stands in SQL.
    pub sql: String,
    /// Its type.
    pub ty: Type,
    /// Whether null may stand in it.
    pub nullable: bool,
    /// Part of the unique key.
    pub key: bool,
    /// Part of the version order.
    pub version: bool,
    /// Where its value comes from.
    pub value: ValueFrom,
    /// The staged rows hold its value as it is written, with no expression between.
    pub plain: bool,
    /// What happens to it when a row is replaced.
    pub update: Update,
    /// A difference in it replaces the row.
    pub compared: bool,
    /// Where the spec names it.
    pub span: Range<usize>,
}

/// Where the value of a column comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueFrom {
    /// The staged row, by this expression over it.
    Staged(String),
    /// The load itself: this expression, which reads no row.
    Load(String),
    /// The versions of its key: this expression over the staged and the stored ones, `u`.
    Period(String),
    /// The engine, which must not be given one.
    Engine,
}

impl Column {
    /// The column of the relation that is called `alias`, or of the row that the function `VALUES` gives.
    pub fn of(&self, alias: &str) -> String {
        if alias == VALUES { format!("{VALUES}({})", self.sql) } else { format!("{alias}.{}", self.sql) }
    }

    /// The column of `alias` in the form that can be compared and ordered.
    pub fn comparable(&self, dialect: &Dialect, alias: &str) -> String {
        (dialect.comparable)(&self.of(alias), &self.ty)
    }

    /// True when the staged rows hold it.
    pub fn is_staged(&self) -> bool {
        matches!(self.value, ValueFrom::Staged(_))
    }

    /// True when it says something of the period of a version.
    pub fn is_period(&self) -> bool {
        matches!(self.value, ValueFrom::Period(_))
    }

    /// True when a load writes it.
    pub fn is_written(&self) -> bool {
        self.value != ValueFrom::Engine
    }

    /// True when it takes part in the row-change guard.
    pub fn is_compared(&self) -> bool {
        let read = self.is_staged() || self.is_period();
        read && !self.key && self.update != Update::Never && (self.compared || self.version)
    }

    /// True when replacing a row assigns it.
    pub fn is_updated(&self) -> bool {
        self.is_written() && !self.key && self.update != Update::Never
    }

    /// The value it takes when the row of `new` replaces the row of `old`.
    pub fn replaced(&self, old: &str, new: &str) -> String {
        let (was, is) = (self.of(old), self.of(new));
        match self.update {
            Update::Always => is,
            Update::Never => was,
            Update::IfNotNull => format!("COALESCE({is}, {was})"),
            Update::FirstNotNull => format!("COALESCE({was}, {is})"),
            // Not GREATEST and LEAST: half of the engines return null when one side is null, the others ignore it.
            Update::Greatest | Update::Any => {
                format!("CASE WHEN {was} IS NULL OR {is} > {was} THEN {is} ELSE {was} END")
            }
            Update::Least => format!("CASE WHEN {was} IS NULL OR {is} < {was} THEN {is} ELSE {was} END"),
        }
    }
}

/// The type of a spec's column for a dialect.
///
/// # Errors
/// The words for the user when the type is missing or is not one that we know.
pub(super) fn type_of(column: &spec::Column, dialect: &Dialect) -> Result<Type, (Range<usize>, String)> {
    let Some(written) = &column.ty else {
        let fault = format!("column `{}` has no type for {}", column.name.value, dialect.name);
        return Err((column.name.span.clone(), fault));
    };
    if column.ty_is_native {
        // A word of ours that names another type in this dialect: the `json` of PostgreSQL is not its `jsonb`.
        let ours = |ty: &Type| *ty != Type::Json || (dialect.type_name)(ty).eq_ignore_ascii_case(&written.value);
        return Ok(Type::parse(&written.value).filter(ours).unwrap_or_else(|| Type::Other(written.value.clone())));
    }
    Type::parse(&written.value)
        .ok_or_else(|| (written.span.clone(), format!("`{}` is not a type that every dialect has", written.value)))
}
