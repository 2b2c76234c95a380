//! The dialects: one file each, with one `static` that answers every question. No other module names a dialect.

pub mod adapter;
pub mod client;
pub mod ddl;
pub mod digest;
pub mod literal;
pub mod mechanism;
pub mod name;
pub mod native;
pub mod parameter;
pub mod probe;
pub mod syntax;
pub mod types;

mod mysql_family;
mod reserved;

mod ansi;
mod bigquery;
mod clickhouse;
mod databricks;
mod duckdb;
mod mariadb;
mod mysql;
mod oracle;
mod postgres;
mod redshift;
mod snowflake;
mod sqlite;
mod sqlserver;
mod trino;

#[cfg(test)]
mod tests;

use adapter::Adapter;
use client::Client;
use ddl::Ddl;
use digest::Digest;
use mechanism::{
    Absent, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter, Proof, Reduce, RowSource, RowText,
    Script, Storage, Support,
};
use name::{Fold, NameLimit, Quotes};
use native::{Native, Reading};
use syntax::Syntax;
use types::{Overlap, Type};

/// One SQL dialect, at a stated least version. A plain struct without defaults: a new question does not compile until
/// every dialect has answered it.
#[derive(Debug)]
pub struct Dialect {
    /// What specs and the command line call it.
    pub name: &'static str,
    /// The product and the least version, for people.
    pub title: &'static str,
    /// A page for `idemsql explain`, in Markdown: the forms that we render and what a user should know.
    pub docs: &'static str,
    /// The reader of `sqlparser` that comes nearest.
    pub parser: fn() -> Box<dyn sqlparser::dialect::Dialect>,
    /// What the engine accepts of what that reader accepts.
    pub syntax: Syntax,
    /// How its scripts are written and run.
    pub client: Client,

    /// The quotes around identifiers.
    pub quotes: Quotes,
    /// What becomes of a name without quotes.
    pub fold: Fold,
    /// True when two columns cannot differ in case alone, even with quotes.
    pub ignores_case: bool,
    /// Words that need quotes as a column's or a table's name: lower case, sorted.
    pub reserved: &'static [&'static str],
    /// The longest name.
    pub name_limit: Option<NameLimit>,
    /// Characters that no name can hold, quoted or not.
    pub unfit_in_names: &'static str,
    /// What stands between a table and its alias: `AS ` or nothing.
    pub table_alias: &'static str,

    /// A string literal, right for every character and not to be broken out of.
    pub string: fn(&str) -> String,
    /// The literals for true and false.
    pub bools: (&'static str, &'static str),
    /// A literal of an exact number from its digits, for a column of the given decimal type.
    pub decimal: fn(&str, &Type) -> String,
    /// A literal of bytes.
    pub bytes: fn(&[u8]) -> String,
    /// A literal of type date, time, timestamp or timestamptz from its canonical text: `2024-01-31`, `12:30:00.5`,
    /// `2024-01-31 12:30:00.5`, `2024-01-31 12:30:00.5+00:00`. The text may also be a variable: `{{ ds }}`.
    pub temporal: fn(&str, &Type) -> String,
    /// A JSON literal from JSON text.
    pub json: fn(&str) -> String,
    /// A UUID literal from its canonical text.
    pub uuid: fn(&str) -> String,
    /// The name of a type.
    pub type_name: fn(&Type) -> String,
    /// What a declared type is in a spec, the inverse of `type_name`; `None` for a type that a spec has no word for.
    pub read_type: fn(&Native) -> Option<Reading>,
    /// The name of a type behind CAST, where it is not that of a column.
    pub cast_name: Option<fn(&Type) -> String>,

    /// The clock of the load, stable within a statement, as a value of the given type.
    pub now: fn(&Type) -> &'static str,
    /// A typed literal that no value of the type is below; `None` when the type has none.
    pub floor: fn(&Type) -> Option<String>,
    /// The expression (of the given type) minus an overlap.
    pub shift_back: fn(&str, Overlap, &Type) -> String,
    /// An expression in a form that `=`, the guard and ORDER BY can use: itself for most types, a text or binary form
    /// for types without equality such as json.
    pub comparable: fn(&str, &Type) -> String,
    /// The same for a guard that must see every difference: where a collation takes `a` and `A`, or `a` and `a `, for
    /// one text, a form in which they differ. Keys are never compared so: they follow the unique index.
    pub exact: fn(&str, &Type) -> String,
    /// The aggregate for the greatest value that is null, and not a default, when there are no rows.
    pub max: &'static str,
    /// `ORDER BY x DESC` needs `NULLS LAST` to put nulls last, and the dialect has those words.
    pub nulls_last: bool,

    /// Equality in which null is a value.
    pub null_safe: NullSafe,
    /// The row-change guard.
    pub differs: Differs,
    /// The staged rows whose key the target lacks.
    pub absent: Absent,
    /// What stands behind the target's alias where a load looks for keys: a lock hint, `FINAL`, or nothing.
    pub probe_hint: &'static str,
    /// One staged row per key.
    pub reduce: Reduce,
    /// Literal rows as a relation.
    pub rows: RowSource,
    /// A text literal in such a relation.
    pub row_text: RowText,
    /// False where a query in FROM cannot begin with WITH.
    pub with_in_from: bool,
    /// Bind parameters.
    pub parameter: Parameter,
    /// What a unique index says of nulls.
    pub index_nulls: IndexNulls,
    /// True when ON DUPLICATE KEY UPDATE must call the proposed row by `VALUES(column)`: a column of the source query
    /// holds another row's value there.
    pub values_function: bool,

    /// `insert_ignore`.
    pub insert_ignore: Support<Form>,
    /// `upsert`.
    pub upsert: Support<Form>,
    /// `merge`.
    pub merge: Support<Form>,
    /// `delete_insert`.
    pub delete_insert: Support<Form>,
    /// `history`.
    pub history: Support<Form>,
    /// A keyed load that needs no unique index and can delete: for nullable keys and hard deletes.
    pub without_index: Support<Form>,
    /// The syntax of MERGE, when there is one.
    pub merge_syntax: Option<MergeSyntax>,
    /// How scripts of several statements are framed, when there are such.
    pub script: Option<Script>,
    /// One load of a table at a time.
    pub lock: Lock,
    /// True when a MERGE of two sessions with one new key can leave both rows or fail, so that it needs the lock.
    pub merge_needs_lock: bool,
    /// True when the window's bound must be read into a variable first, because a subquery would defeat pruning.
    pub bound_in_variable: bool,
    /// True when an upsert clause locks the row, and logs the lock, even where its guard then finds nothing to change.
    pub conflict_locks: bool,
    /// What marks a column that takes null, in CREATE TABLE; nothing where that is the default.
    pub null_column: &'static str,
    /// What stands behind the columns of CREATE TABLE: a table engine, or nothing.
    pub storage: fn(&Storage<'_>) -> String,
    /// How tables are made and changed.
    pub ddl: Ddl,
    /// What a reader of a target says behind its name, to see each row once: ` FINAL`, or nothing.
    pub read_hint: &'static str,
    /// The expression in a form whose text is right for every value of its type: bytes come as text in some engines.
    pub shown: fn(&str, &Type) -> String,
    /// A digest of rows; `None` where none is known that is the same in every session, or none was tried.
    pub digest: Option<Digest>,
    /// The adapters of dbt that speak it, the usual one first.
    pub dbt: Support<&'static [Adapter]>,
    /// How far its SQL is proved.
    pub proof: Proof,
    /// The parser of other people that reads all its SQL in our tests and comes nearest to the engine's own.
    pub reader: Option<&'static str>,
}

impl Dialect {
    /// The adapters of dbt that speak it, the usual one first.
    pub fn adapters(&self) -> &'static [Adapter] {
        match self.dbt {
            Support::Yes(all) => all,
            Support::No { .. } => &[],
        }
    }

    /// The expression cast to a type.
    pub fn cast(&self, expression: &str, ty: &Type) -> String {
        format!("CAST({expression} AS {})", self.cast_name.unwrap_or(self.type_name)(ty))
    }
}

/// Every dialect, sorted by name.
pub static ALL: &[&Dialect] = &[
    &ansi::DIALECT,
    &bigquery::DIALECT,
    &clickhouse::DIALECT,
    &databricks::DIALECT,
    &duckdb::DIALECT,
    &mariadb::DIALECT,
    &mysql::DIALECT,
    &oracle::DIALECT,
    &postgres::DIALECT,
    &redshift::DIALECT,
    &snowflake::DIALECT,
    &sqlite::DIALECT,
    &sqlserver::DIALECT,
    &trino::DIALECT,
];

/// The dialect of that name or alias, in any case: for people and paths. A spec names a dialect by its name alone.
pub fn find_any(name: &str) -> Option<&'static Dialect> {
    let same = |known: &str| known.eq_ignore_ascii_case(name);
    ALL.iter().copied().find(|dialect| same(dialect.name) || dialect.client.aliases.iter().copied().any(same))
}

/// The dialect that an adapter of dbt speaks, and the adapter.
pub fn of_adapter(name: &str) -> Option<(&'static Dialect, &'static Adapter)> {
    ALL.iter().find_map(|dialect| {
        dialect.adapters().iter().find(|adapter| adapter.name == name).map(|adapter| (*dialect, adapter))
    })
}

/// The dialect of the examples that name none.
pub static REFERENCE: &Dialect = &postgres::DIALECT;

/// The dialect of that name.
pub fn find(name: &str) -> Option<&'static Dialect> {
    ALL.iter().copied().find(|dialect| dialect.name == name)
}
