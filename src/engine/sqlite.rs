//! SQLite, built into this program: what `verify` runs on when nothing else is asked for.

use super::{Engine, Kind, Physical, Rows, TableName, quoted};
use anyhow::{Context as _, Result, bail};
use rusqlite::hooks::Action;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub(super) static KIND: Kind = Kind {
    name: "sqlite",
    schemes: &["sqlite"],
    title: "SQLite, embedded",
    docs: "`sqlite:` is a database in memory, `sqlite:PATH` a file. Physical writes to a table are counted by \
           SQLite's update hook and seen in the rowids; `total_changes()` counts those of the whole session.",
    connect: |url| Ok(Box::new(Sqlite::open(url)?)),
};

/// The table's inserts, updates and deletes so far, by schema and table.
type Hooked = BTreeMap<(String, String), [u64; 3]>;

/// A session on an embedded SQLite.
pub struct Sqlite {
    connection: Connection,
    hooked: Arc<Mutex<Hooked>>,
}

impl Sqlite {
    /// A new empty database in memory.
    pub fn in_memory() -> Result<Self> {
        Self::over(Connection::open_in_memory()?)
    }

    /// The database of the URL: `sqlite:` and `sqlite::memory:` are in memory, `sqlite:PATH` and `sqlite://PATH` are files,
    /// which two sessions may open.
    pub fn open(url: &str) -> Result<Self> {
        let path = url.strip_prefix("sqlite").and_then(|rest| rest.strip_prefix(':')).unwrap_or_default();
        match path.strip_prefix("//").unwrap_or(path) {
            "" | ":memory:" => Self::in_memory(),
            path => Self::over(Connection::open(path).with_context(|| format!("cannot open `{path}`"))?),
        }
    }

    fn over(mut connection: Connection) -> Result<Self> {
        let hooked = Arc::new(Mutex::new(Hooked::new()));
        let counts = Arc::clone(&hooked);
        // https://www.sqlite.org/c3ref/update_hook.html: not called for WITHOUT ROWID tables, nor when DELETE without
        // WHERE empties a table at once, nor for the row that REPLACE removes. The snapshot of rowids and
        // total_changes() see those.
        connection.update_hook(Some(move |action, schema: &str, table: &str, _rowid: i64| {
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            let [inserted, updated, deleted] = counts.entry((schema.to_owned(), table.to_owned())).or_default();
            match action {
                Action::SQLITE_INSERT => *inserted += 1,
                Action::SQLITE_UPDATE => *updated += 1,
                Action::SQLITE_DELETE => *deleted += 1,
                _ => {}
            }
        }))?;
        // Two sessions on one file: the second waits for the first instead of failing at once.
        connection.busy_timeout(Duration::from_secs(10))?;
        Ok(Self { connection, hooked })
    }

    /// Adds an empty database in memory under a name, so that `name.table` can be created in it.
    pub fn attach_schema(&mut self, name: &str) -> Result<()> {
        self.connection
            .execute_batch(&format!("ATTACH DATABASE ':memory:' AS {}", quoted(name)))
            .with_context(|| format!("cannot attach a schema `{name}`"))
    }

    /// The schema and the exact spelling of a table, and whether its rows have no rowid.
    fn locate(&self, table: TableName<'_>) -> Result<(String, String, bool)> {
        // An unqualified name is looked up as SQLite does it: temp first, then main, then the attached ones in order.
        // https://www.sqlite.org/lang_naming.html
        let sql = "SELECT l.schema, l.name, l.wr FROM pragma_table_list AS l \
                   LEFT JOIN pragma_database_list AS d ON d.name = l.schema \
                   WHERE l.name = ?1 COLLATE NOCASE AND (?2 IS NULL OR l.schema = ?2 COLLATE NOCASE) \
                   AND l.type = 'table' ORDER BY l.schema <> 'temp', d.seq LIMIT 1";
        let mut statement = self.connection.prepare(sql)?;
        let mut found = statement.query(params![table.name, table.schema])?;
        match found.next()? {
            Some(row) => Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            None => bail!("there is no table {}", table.quoted()),
        }
    }
}

impl Engine for Sqlite {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn version(&mut self) -> Result<String> {
        Ok(rusqlite::version().to_owned())
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        let outcome = self.connection.execute_batch(sql);
        if outcome.is_err() && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        Ok(outcome?)
    }

    fn query(&mut self, sql: &str) -> Result<Rows> {
        let mut statement = self.connection.prepare(sql)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let width = columns.len();
        let mut rows = Vec::new();
        let mut cursor = statement.query([])?;
        while let Some(row) = cursor.next()? {
            rows.push((0..width).map(|i| text(row.get_ref(i)?)).collect::<Result<_>>()?);
        }
        Ok(Rows { columns, rows })
    }

    fn physical(&mut self, table: TableName<'_>) -> Result<Physical> {
        let (schema, name, without_rowid) = self.locate(table)?;
        let total = self.connection.total_changes();
        let rowid = if without_rowid { "" } else { "_rowid_ AS \"the rowid\", " };
        let sql = format!("SELECT {rowid}* FROM {}.{}", quoted(&schema), quoted(&name));
        let versions: BTreeSet<String> = self.query(&sql)?.rows.iter().map(|row| format!("{row:?}")).collect();
        let mut counters = vec![("rows changed in the session", total)];
        let session = counters.clone();
        // Without rowids the hook is silent, and only the count of the session is left.
        if !without_rowid {
            let hooked = self.hooked.lock().unwrap_or_else(PoisonError::into_inner);
            let [inserted, updated, deleted] = hooked.get(&(schema, name)).copied().unwrap_or_default();
            counters = vec![("rows inserted", inserted), ("rows updated", updated), ("rows deleted", deleted)];
        }
        Ok(Physical { versions, table: counters, session })
    }

    fn create_schema(&mut self, name: &str) -> Result<()> {
        self.attach_schema(name)
    }
}

/// A stored value as text. Numbers never get an exponent, and bytes look like `\x41FF`.
fn text(value: ValueRef<'_>) -> Result<Option<String>> {
    Ok(match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) => Some(String::from_utf8(bytes.to_vec()).context("a text is not UTF-8")?),
        ValueRef::Blob(bytes) => Some(format!("\\x{}", crate::dialect::literal::hex(bytes))),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    const ORDERS: TableName<'static> = TableName { schema: Some("mart"), name: "orders" };

    fn with_orders() -> Sqlite {
        let mut sqlite = Sqlite::in_memory().unwrap();
        sqlite.create_schema("mart").unwrap();
        sqlite
            .run_script(
                "CREATE TABLE mart.orders (id INTEGER PRIMARY KEY, v TEXT);\n\
                 -- a comment; with a semicolon\n\
                 INSERT INTO mart.orders VALUES (1, 'a'), (2, NULL);",
            )
            .unwrap();
        sqlite
    }

    /// What a script writes to `mart.orders`.
    fn writes(sqlite: &mut Sqlite, sql: &str) -> crate::engine::Writes {
        let before = sqlite.physical(ORDERS).unwrap();
        sqlite.run_script(sql).unwrap();
        sqlite.physical(ORDERS).unwrap().since(&before)
    }

    #[test]
    fn rows_come_back_as_text() {
        let mut sqlite = with_orders();
        let rows = sqlite.query("SELECT id, v, 1e20 AS big, 10.50 AS d, x'41ff' AS b FROM mart.orders").unwrap();
        assert_eq!(rows.columns, ["id", "v", "big", "d", "b"]);
        let cell = |text: &str| Some(text.to_owned());
        let tail = [cell("100000000000000000000"), cell("10.5"), cell("\\x41FF")];
        assert_eq!(rows.rows[0], [&[cell("1"), cell("a")], &tail[..]].concat());
        assert_eq!(rows.rows[1], [&[cell("2"), None], &tail[..]].concat());
        assert_eq!(sqlite.query("SELECT 1 AS n WHERE false").unwrap().columns, ["n"]);
    }

    #[test]
    fn a_load_that_writes_nothing_is_silent() {
        let mut sqlite = with_orders();
        assert!(writes(&mut sqlite, "UPDATE mart.orders SET v = 'b' WHERE id = 9").is_silent());
    }

    #[test]
    fn an_update_to_the_same_value_is_a_write() {
        let mut sqlite = with_orders();
        let writes = writes(&mut sqlite, "UPDATE mart.orders SET v = 'a' WHERE id = 1");
        assert!(!writes.is_quiet());
        assert_eq!(writes.table, [("rows inserted", 0), ("rows updated", 1), ("rows deleted", 0)]);
    }

    #[test]
    fn deleting_and_inserting_the_same_row_is_a_write() {
        let mut sqlite = with_orders();
        let writes = writes(&mut sqlite, "DELETE FROM mart.orders; INSERT INTO mart.orders VALUES (1, 'a'), (2, NULL)");
        assert!(!writes.is_quiet(), "{writes}");
    }

    #[test]
    fn a_replaced_row_is_a_write() {
        let mut sqlite = with_orders();
        assert!(!writes(&mut sqlite, "REPLACE INTO mart.orders VALUES (1, 'a')").is_quiet());
    }

    #[test]
    fn a_rewritten_row_without_rowid_is_a_write() {
        let mut sqlite = Sqlite::in_memory().unwrap();
        sqlite.run_script("CREATE TABLE t (k TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES ('x')").unwrap();
        let table = TableName { schema: None, name: "T" };
        let before = sqlite.physical(table).unwrap();
        sqlite.run_script("DELETE FROM t WHERE k = 'x'; INSERT INTO t VALUES ('x')").unwrap();
        let writes = sqlite.physical(table).unwrap().since(&before);
        assert_eq!((writes.added.len(), writes.is_quiet()), (0, false));
    }

    #[test]
    fn staging_in_a_temporary_table_is_quiet_but_not_silent() {
        let mut sqlite = with_orders();
        let writes = writes(&mut sqlite, "CREATE TEMP TABLE orders (id); INSERT INTO temp.orders VALUES (1)");
        assert!(writes.is_quiet() && !writes.is_silent(), "{writes}");
    }

    #[test]
    fn a_failed_script_leaves_no_transaction_open() {
        let mut sqlite = with_orders();
        let sql = "BEGIN; DELETE FROM mart.orders; INSERT INTO nowhere VALUES (1); COMMIT;";
        let error = sqlite.run_script(sql).unwrap_err().to_string();
        assert!(error.contains("nowhere"), "{error}");
        assert_eq!(sqlite.query("SELECT * FROM mart.orders").unwrap().rows.len(), 2);
        sqlite.run_script("BEGIN; COMMIT").unwrap();
    }

    #[test]
    fn a_missing_table_is_named() {
        let error = with_orders().physical(TableName { schema: None, name: "nope" }).unwrap_err().to_string();
        assert!(error.contains("\"nope\""), "{error}");
    }

    #[test]
    fn two_sessions_share_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("t.db").display());
        let mut one = crate::engine::connect(&url).unwrap();
        let mut two = crate::engine::connect(&url).unwrap();
        one.run_script("CREATE TABLE t (k INTEGER); INSERT INTO t VALUES (7)").unwrap();
        assert_eq!(two.query("SELECT k FROM t").unwrap().rows, [[Some("7".to_owned())]]);
        assert_eq!((two.name(), two.version().unwrap()), ("sqlite", rusqlite::version().to_owned()));
    }
}
