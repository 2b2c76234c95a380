//! The real engines: one file each. Connect, run a script, read rows back, count physical writes.

pub mod catalogue;
#[cfg(feature = "duckdb")]
pub mod duckdb;
pub mod hand;
#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod sqlite;
mod stop;
#[cfg(feature = "postgres")]
mod tls;
pub mod value;

use crate::dialect::types::Type;
use anyhow::{Context as _, Result, bail};
use std::collections::BTreeSet;
use std::fmt;
use value::Row;

/// An engine that can be connected to.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What its URLs begin with: `SCHEME://..` or `SCHEME:..`.
    pub schemes: &'static [&'static str],
    /// A page for people, in Markdown: what its URLs look like and how physical writes are counted.
    pub docs: &'static str,
    /// Finds the database of a URL. The error never holds a password.
    pub open: fn(&str) -> Result<Box<dyn Database>>,
    /// A session on the very database that a URL names, to look at its tables. What it opens it does not write to. The error
    /// never holds a password.
    pub look: fn(&str) -> Result<Box<dyn Engine>>,
}

/// Every engine that this build can connect to, sorted by name.
pub static ALL: &[&Kind] = &[
    #[cfg(feature = "duckdb")]
    &duckdb::KIND,
    #[cfg(feature = "mysql")]
    &mysql::KIND,
    #[cfg(feature = "postgres")]
    &postgres::KIND,
    &sqlite::KIND,
];

/// The URL of the engine that needs nothing installed.
pub const EMBEDDED: &str = "sqlite:";

/// The database of the URL, with the engine that the URL's scheme names.
pub fn open(url: &str) -> Result<Box<dyn Database>> {
    (kind(url)?.open)(url)
}

/// A session that looks at the tables of the database that the URL names.
pub fn look(url: &str) -> Result<Box<dyn Engine>> {
    (kind(url)?.look)(url)
}

/// The engine that the URL's scheme names.
fn kind(url: &str) -> Result<&'static Kind> {
    let scheme = url.split_once(':').map_or(url, |(scheme, _)| scheme);
    let Some(kind) = ALL.iter().find(|kind| kind.schemes.contains(&scheme)) else {
        let names: Vec<_> = ALL.iter().map(|kind| kind.name).collect();
        // Only the scheme is shown: the rest of the URL may hold a password.
        bail!("no engine is called `{scheme}`; this build of idemsql has {}", names.join(", "));
    };
    Ok(kind)
}

/// One database, in which any number of sessions see the same tables.
pub trait Database: Send + Sync {
    /// A new session.
    fn session(&self) -> Result<Box<dyn Engine>>;
}

/// Ends what a session is doing, and the session with it, as a crash of its program would: from another thread, without
/// waiting. Every later call of the session is an error. Whatever it had not committed is gone: at once where a server ends
/// it, else when the session notices, which is when the running call returns, or the next one, or when it is dropped.
pub type Stopper = Box<dyn FnOnce() -> Result<()> + Send>;

/// One session on a real engine.
pub trait Engine: Send {
    /// The engine that this is a session of, by its name.
    fn name(&self) -> &'static str;

    /// The dialect that it speaks, by its name.
    fn dialect(&self) -> &'static str;

    /// The engine's own version number.
    fn version(&mut self) -> Result<String>;

    /// Runs a whole script of statements in this session. After an error no transaction is left open.
    fn run_script(&mut self, sql: &str) -> Result<()>;

    /// Runs one statement. After an error the transaction is as the engine leaves it.
    fn execute(&mut self, statement: &str) -> Result<()>;

    /// Runs one statement that writes, and says how many rows it inserted, changed or removed.
    fn change(&mut self, statement: &str) -> Result<u64> {
        let _ = statement;
        bail!("{} is not asked how many rows a statement wrote", self.name())
    }

    /// Takes every row out of a table, which is named as SQL does it.
    fn empty(&mut self, table: &str) -> Result<()> {
        self.execute(&format!("DELETE FROM {table}"))
    }

    /// Ends the open transaction, if there is one, without its writes.
    fn rollback(&mut self) -> Result<()>;

    /// Runs one query and reads every row.
    fn query(&mut self, sql: &str) -> Result<Rows>;

    /// What is stored of a table and how much was ever written to it, by the engine's own count.
    fn physical(&mut self, table: TableName<'_>) -> Result<Physical>;

    /// The tables that are there, of one schema or of all that are not the engine's own.
    fn tables(&mut self, schema: Option<&str>) -> Result<Vec<catalogue::Table>> {
        let _ = schema;
        bail!("the catalogue of {} is not read", self.name())
    }

    /// What a table's name stands for in this session, as its statements would look it up.
    fn find(&mut self, name: TableName<'_>) -> Result<catalogue::Found> {
        let _ = name;
        bail!("the catalogue of {} is not read", self.name())
    }

    /// Makes a schema unless it is there, so that `schema.table` can be used in this session. The name is one of our own:
    /// lower case letters, digits and `_`.
    fn create_schema(&mut self, name: &str) -> Result<()>;

    /// Removes a schema with everything in it, if it is there. The name is one of our own, as in `create_schema`.
    fn drop_schema(&mut self, name: &str) -> Result<()>;

    /// From now on a table's name without a schema is a name of this schema, and of no other.
    fn use_schema(&mut self, name: &str) -> Result<()>;

    /// Sets the session's time zone to a whole number of hours east of Greenwich. Does nothing where sessions have no zone.
    fn use_time_zone(&mut self, hours: i8) -> Result<()>;

    /// What ends this session the hard way.
    fn stopper(&mut self) -> Result<Stopper>;
}

/// A table by its plain names, without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableName<'a> {
    /// The schema, when it is not the default one.
    pub schema: Option<&'a str>,
    /// The table.
    pub name: &'a str,
}

impl TableName<'_> {
    /// The name in standard SQL, always with quotes.
    pub fn quoted(&self) -> String {
        match self.schema {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(self.name)),
            None => quoted(self.name),
        }
    }
}

/// An identifier of standard SQL, with quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What a query answered: the engine's text for every value, `None` for null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows in the engine's order.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Rows {
    /// The rows as values of the given types, one type per column.
    pub fn typed(&self, types: &[Type]) -> Result<Vec<Row>> {
        if self.columns.len() != types.len() {
            bail!("{} columns were read and {} types were given", self.columns.len(), types.len());
        }
        self.rows.iter().map(|row| row.iter().zip(types).zip(&self.columns).map(cell).collect()).collect()
    }
}

/// One cell as a value; its column is named in the error.
fn cell(((text, ty), column): ((&Option<String>, &Type), &String)) -> Result<value::Value> {
    match text {
        None => Ok(value::Value::Null),
        Some(text) => value::Value::parse(text, ty).with_context(|| format!("in column `{column}`")),
    }
}

/// What an engine holds of one table at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Physical {
    /// Every stored version of a row, by whatever identifies it: a row that was deleted and inserted again with the same
    /// content is another version.
    pub versions: BTreeSet<String>,
    /// Counters of writes to this table, which only grow.
    pub table: Vec<(&'static str, u64)>,
    /// Counters of all writes of the session or the server, temporary tables included.
    pub session: Vec<(&'static str, u64)>,
}

impl Physical {
    /// What was written since an earlier reading of the same table.
    pub fn since(&self, before: &Self) -> Writes {
        let growth = |now: &[(&'static str, u64)], then: &[(&'static str, u64)]| {
            let old = |name| then.iter().find(|(other, _)| *other == name).map_or(0, |(_, count)| *count);
            now.iter().map(|(name, count)| (*name, count.saturating_sub(old(*name)))).collect()
        };
        Writes {
            added: self.versions.difference(&before.versions).cloned().collect(),
            removed: before.versions.difference(&self.versions).cloned().collect(),
            table: growth(&self.table, &before.table),
            session: growth(&self.session, &before.session),
        }
    }
}

/// The physical writes between two readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writes {
    /// Row versions that are new.
    pub added: Vec<String>,
    /// Row versions that are gone.
    pub removed: Vec<String>,
    /// Growth of the counters of this table.
    pub table: Vec<(&'static str, u64)>,
    /// Growth of the counters of the whole session or server. A load that stages rows in a temporary table writes there,
    /// so this says nothing about the target by itself.
    pub session: Vec<(&'static str, u64)>,
}

impl Writes {
    /// True when nothing was written to the table.
    pub fn is_quiet(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.table.iter().all(|(_, count)| *count == 0)
    }

    /// True when nothing was written anywhere, temporary tables and the log included.
    pub fn is_silent(&self) -> bool {
        self.is_quiet() && self.session.iter().all(|(_, count)| *count == 0)
    }
}

impl fmt::Display for Writes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} row versions added, {} removed", self.added.len(), self.removed.len())?;
        self.table.iter().chain(&self.session).try_for_each(|(name, count)| write!(f, ", {count} {name}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn the_catalogue_is_sorted_and_documented() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
        assert!(ALL.iter().all(|kind| kind.docs.contains(kind.name)));
    }

    #[test]
    fn an_unknown_engine_is_named_without_the_rest_of_its_url() {
        let error = open("dbase://user:secret@host/db").err().unwrap().to_string();
        assert!(error.contains("`dbase`") && error.contains("sqlite"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn writes_are_the_difference_of_two_readings() {
        let reading = |versions: &[&str], inserted, total| Physical {
            versions: versions.iter().map(|v| (*v).to_owned()).collect(),
            table: vec![("inserted", inserted)],
            session: vec![("changed", total)],
        };
        let (before, after) = (reading(&["1", "2"], 5, 10), reading(&["2", "3"], 6, 12));
        let writes = after.since(&before);
        assert_eq!(writes.to_string(), "1 row versions added, 1 removed, 1 inserted, 2 changed");
        assert!(!writes.is_quiet());
        assert!(before.since(&before).is_silent());
        let staged = reading(&["1", "2"], 5, 11).since(&before);
        assert!(staged.is_quiet() && !staged.is_silent());
    }

    #[test]
    fn typed_rows_name_the_column_that_is_wrong() {
        let rows = Rows { columns: vec!["n".to_owned()], rows: vec![vec![None], vec![Some("x".to_owned())]] };
        let error = format!("{:#}", rows.typed(&[Type::Int]).unwrap_err());
        assert!(error.starts_with("in column `n`"), "{error}");
        assert!(rows.typed(&[]).is_err());
        assert_eq!(rows.typed(&[Type::Text]).unwrap(), [vec![value::Value::Null], vec!["x".into()]]);
    }
}
