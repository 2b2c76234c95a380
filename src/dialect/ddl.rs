//! How a dialect makes and changes tables, so that the same script can run again.

use super::mechanism::Support;
use super::types::Type;

/// One answer for each question about the definition of a table.
#[derive(Clone, Copy, Debug)]
pub struct Ddl {
    /// What keeps CREATE TABLE from failing where the table is there.
    pub create_table: Guard,
    /// Where the unique key of a table stands.
    pub unique: Unique,
    /// Why a column of that type cannot be in a unique index, as a clause; nothing where it can.
    pub unindexed: fn(&Type) -> Option<&'static str>,
    /// The brackets around a default that is no literal.
    pub default: DefaultForm,
    /// True where NULL and NOT NULL stand before the default.
    pub null_first: bool,
    /// What stands behind `GENERATED ALWAYS AS (expression)`, or in its place.
    pub generated: Support<Generated>,
    /// A column that the engine numbers.
    pub identity: Support<Identity>,
    /// Descriptions of columns and tables.
    pub comments: Comments,
    /// `ALTER TABLE .. ADD COLUMN`
    pub add: Add,
    /// `ALTER TABLE .. DROP COLUMN`
    pub drop: Support<Drop>,
    /// A wider type for a column that is there.
    pub retype: Support<Retype>,
    /// A column that is there may hold null from now on.
    pub relax: Support<Relax>,
    /// A statement as a string, for [`Guard::Around`].
    pub quoted: fn(&str) -> String,
}

/// What keeps a definition from failing where it has been run before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// `IF NOT EXISTS`, or `IF EXISTS`, in the statement itself.
    Words,
    /// A condition before the statement. `{table}` is its name as a string, `{column}` that of the column.
    Before(&'static str),
    /// A text around the statement, which stands in it as a string, `{statement}`. `{schema}` is the schema as a string, or
    /// NULL for that of the session, `{name}` the table's bare name, `{column}` the column's, `{table}` the path: strings all.
    Around(&'static str),
    /// The statement does nothing where it has been run before.
    Needless,
    /// None that a script can hold.
    No {
        /// Why not, as a clause.
        because: &'static str,
    },
}

/// Where the unique key of a table stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unique {
    /// `UNIQUE (key)` in CREATE TABLE.
    Inside,
    /// `CREATE UNIQUE INDEX IF NOT EXISTS`, which mends a table that was made without it.
    Index {
        /// True where the schema stands before the name of the index, and not before that of its table.
        schema_before_name: bool,
    },
    /// Nowhere: keys are not enforced.
    No,
}

/// How a default is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultForm {
    /// `DEFAULT expression`
    Plain,
    /// `DEFAULT (expression)`, unless it is a literal.
    Bracketed,
    /// Not at all.
    No {
        /// Why not, as a clause.
        because: &'static str,
    },
}

/// How a column that the engine computes is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Before the expression in its brackets: `GENERATED ALWAYS AS `.
    pub before: &'static str,
    /// Behind it: ` STORED`.
    pub behind: &'static str,
    /// False where the type is that of the expression, and must not be named.
    pub typed: bool,
    /// False where NOT NULL cannot stand behind it.
    pub not_null: bool,
}

/// How a column that the engine numbers is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The words behind its type.
    pub words: &'static str,
    /// A constraint of the table that the engine wants for it, `{column}` being its name.
    pub constraint: &'static str,
    /// False where it can be no NOT NULL behind the words.
    pub not_null: bool,
    /// True where it must be a `bigint`.
    pub bigint: bool,
}

/// How descriptions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// In CREATE TABLE: behind a column, and at its end. `{text}` is the description as a string.
    Inside {
        /// Behind a column.
        column: &'static str,
        /// At the end of CREATE TABLE.
        table: &'static str,
    },
    /// `COMMENT ON COLUMN .. IS ..`
    On,
    /// Not at all.
    No,
}

/// `ALTER TABLE .. ADD COLUMN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Add {
    /// `ADD COLUMN`, or `ADD`.
    pub words: &'static str,
    /// What keeps it from failing where the column is there.
    pub guard: Guard,
    /// The default of a new column.
    pub default: AddDefault,
    /// True when a new column with a default can be NOT NULL.
    pub not_null: bool,
}

/// `ALTER TABLE .. DROP COLUMN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drop {
    /// What keeps it from failing where the column is gone.
    pub guard: Guard,
    /// Why a column that has a default can neither go nor take a type of another kind, as a clause; nothing where it can.
    pub bound: Option<&'static str>,
}

/// What the default of a new column may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddDefault {
    /// Any that CREATE TABLE takes.
    Any,
    /// A literal.
    Literal,
    /// None.
    No,
}

/// A wider type for a column that is there.
#[derive(Clone, Copy, Debug)]
pub struct Retype {
    /// Before the column: `ALTER COLUMN`.
    pub before: &'static str,
    /// Between the column and its type: ` TYPE `.
    pub between: &'static str,
    /// What else must be said, since it would be lost.
    pub keeps: Keeps,
    /// Which of the types that hold all values of the old one the engine changes in place.
    pub takes: fn(&Type, &Type) -> bool,
    /// Why a column of the unique key cannot change, as a clause; nothing where it can.
    pub key: Option<&'static str>,
    /// True when the statement does nothing where it has been run before.
    pub again: bool,
}

/// What must be said behind a new type, since it would be lost otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing.
    All,
    /// Whether it takes null.
    NotNull,
    /// Whether it takes null, its default, its comment.
    Nothing,
}

/// How a column takes null from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relax {
    /// `ALTER COLUMN c DROP NOT NULL`, or other words: before and behind the column.
    Words {
        /// Before the column.
        before: &'static str,
        /// Behind it.
        behind: &'static str,
        /// What keeps it from failing where it has been run before.
        guard: Guard,
    },
    /// The words for a new type say it all.
    Retype,
}

/// Any type that holds all values of another one.
pub(super) fn any_wider(_: &Type, _: &Type) -> bool {
    true
}

/// A number with more digits before its point and as many behind it, or a longer text.
pub(super) fn grows(old: &Type, new: &Type) -> bool {
    let scale = |ty: &Type| match ty {
        Type::Decimal { scale, .. } => Some(*scale),
        ty => ty.is_integer().then_some(0),
    };
    (scale(old).is_some() && scale(old) == scale(new)) || (old.is_text() && new.is_text())
}
