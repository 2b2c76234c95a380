//! SQLite, built into this program: what `verify` runs on when nothing else is asked for.

use super::catalogue::{self, Found};
use super::stop::Stop;
use super::{Database, Engine, Kind, Physical, Rows, Stopper, TableName, quoted};
use anyhow::{Context as _, Result, bail};
use rusqlite::hooks::Action;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

pub(super) static KIND: Kind = Kind {
    name: "sqlite",
    schemes: &["sqlite"],
    docs: "`sqlite:` is a database in a temporary folder, `sqlite:PATH` one in a folder beside that file, with the file's \
           journal mode; the file itself is never written. Each schema is a file of its own. Physical writes to a table are \
           counted by SQLite's update hook and seen in the rowids; `total_changes()` counts those of the whole session.",
    open: |url| Ok(Box::new(Files::open(url)?)),
    look,
};

/// The path in a URL.
fn path_of(url: &str) -> &str {
    let path = url.strip_prefix("sqlite").and_then(|rest| rest.strip_prefix(':')).unwrap_or_default();
    path.strip_prefix("//").unwrap_or(path)
}

/// Opens the file itself, to be read.
fn look(url: &str) -> Result<Box<dyn Engine>> {
    let path = match path_of(url) {
        "" | ":memory:" => bail!("name the file: `sqlite:PATH`"),
        path => path,
    };
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .with_context(|| format!("cannot open `{path}` as a database of SQLite"))?;
    Ok(Box::new(Sqlite::over(connection)?))
}

/// One row for each column; `hidden` is 2 or 3 for a computed one. <https://www.sqlite.org/pragma.html#pragma_table_xinfo>
/// Null may stand in a primary key, but for that of a table WITHOUT ROWID and for one INTEGER, which is the number of the row.
/// <https://www.sqlite.org/quirks.html#primary_keys_can_sometimes_contain_nulls>
const COLUMNS: &str = "SELECT NULL, l.name, NULL, c.name, c.type, c.\"notnull\" OR (c.pk > 0 AND (l.wr OR \
     (c.type = 'INTEGER' COLLATE NOCASE AND (SELECT count(*) FROM pragma_table_xinfo(l.name) WHERE pk > 0) = 1))), c.dflt_value, c.hidden IN (2, 3), \
     CASE WHEN c.pk > 0 AND t.sql LIKE '%AUTOINCREMENT%' THEN 'd' END, NULL \
     FROM pragma_table_list AS l JOIN sqlite_schema AS t ON t.name = l.name AND t.type = 'table' \
     JOIN pragma_table_xinfo(l.name) AS c \
     WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND c.hidden <> 1 \
     ORDER BY l.name, c.cid";

/// A primary key of one INTEGER has no index; so the primary key is read from the columns. What is compared by another rule than
/// BINARY is no column of a key of ours, as an expression is none.
/// <https://www.sqlite.org/pragma.html#pragma_index_xinfo>
const KEYS: &str = "SELECT NULL, \"table\", name, main, part, 0, \"column\" FROM ( \
     SELECT l.name AS \"table\", 'primary key' AS name, 1 AS main, 0 AS part, \
     CASE WHEN NOT EXISTS (SELECT 1 FROM pragma_index_list(l.name) AS p JOIN pragma_index_xinfo(p.name) AS x \
     WHERE p.origin = 'pk' AND x.key AND x.name = c.name AND x.coll <> 'BINARY') THEN c.name END AS \"column\", 0 AS seq, c.pk AS place \
     FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name) AS c \
     WHERE l.schema = 'main' AND l.type = 'table' AND c.pk > 0 \
     UNION ALL SELECT l.name, i.name, 0, i.partial, CASE WHEN k.coll = 'BINARY' THEN k.name END, \
     1000000 - i.seq, k.seqno FROM pragma_table_list AS l \
     JOIN pragma_index_list(l.name) AS i JOIN pragma_index_xinfo(i.name) AS k ON k.key \
     WHERE l.schema = 'main' AND l.type = 'table' AND i.\"unique\" AND i.origin <> 'pk') ORDER BY \"table\", seq, place";

/// Whatever has a name. <https://www.sqlite.org/pragma.html#pragma_table_list>
const NAMED: &str = "SELECT t.name, CASE WHEN l.type = 'virtual' THEN 'a virtual table' WHEN l.type = 'shadow' THEN \
     'a table of a virtual one' WHEN t.type = 'table' THEN 'table' WHEN t.type = 'index' THEN 'an index' ELSE 'a ' || t.type END \
     FROM sqlite_schema AS t LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = t.name \
     WHERE t.name = ?1 COLLATE NOCASE AND t.type <> 'trigger'";

/// A folder with the files of a database: `main.db`, and one for each schema. It goes with the value.
struct Files {
    folder: TempDir,
    journal: String,
}

impl Files {
    /// The database of a URL. A file that the URL names is read for its journal mode, and never written.
    fn open(url: &str) -> Result<Self> {
        match path_of(url) {
            // No process dies here, and a journal in memory spares the file system.
            "" | ":memory:" => Ok(Self { folder: tempfile::tempdir()?, journal: "memory".to_owned() }),
            path => {
                // Byte 18 is 2 where there is a write-ahead log. To open the file would make files beside it.
                // https://www.sqlite.org/fileformat.html#file_format_version_numbers
                let mut header = [0_u8; 19];
                File::open(path)
                    .and_then(|mut file| file.read_exact(&mut header))
                    .with_context(|| format!("cannot read `{path}` as a database of SQLite"))?;
                if !header.starts_with(b"SQLite format 3") {
                    bail!("`{path}` is not a database of SQLite");
                }
                let journal = if header[18] == 2 { "wal" } else { "delete" }.to_owned();
                let beside = Path::new(path).parent().filter(|parent| *parent != Path::new(""));
                let folder = tempfile::Builder::new().prefix(".idemsql-").tempdir_in(beside.unwrap_or(Path::new(".")));
                Ok(Self { folder: folder.context("cannot make a folder beside the database file")?, journal })
            }
        }
    }
}

impl Database for Files {
    fn session(&self) -> Result<Box<dyn Engine>> {
        let mut session = Sqlite::over(Connection::open(self.folder.path().join("main.db"))?)?;
        session.folder = Some(self.folder.path().to_owned());
        session.journal.clone_from(&self.journal);
        session.settle("main")?;
        Ok(Box::new(session))
    }
}

/// The table's inserts, updates and deletes so far, by schema and table.
type Hooked = BTreeMap<(String, String), [u64; 3]>;

/// A session on an embedded SQLite.
pub struct Sqlite {
    connection: Connection,
    hooked: Arc<Mutex<Hooked>>,
    /// Where the files of the schemas are; none when they are in memory.
    folder: Option<PathBuf>,
    journal: String,
    /// The schema that names without one are of. Its tables are those of `main`, which nobody else uses.
    own: Option<String>,
    stop: Stop,
}

impl Sqlite {
    /// A new empty database in memory, of which this is the only session.
    pub fn in_memory() -> Result<Self> {
        Self::over(Connection::open_in_memory()?)
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
        // Two sessions on one file: the second waits for the first instead of failing at once. SQLite's own handler sleeps
        // ever longer between two looks, which makes a trial with many waits slow.
        connection.busy_handler(Some(|looks| {
            std::thread::sleep(Duration::from_millis(1));
            looks < 10_000
        }))?;
        Ok(Self { connection, hooked, folder: None, journal: "memory".to_owned(), own: None, stop: Stop::default() })
    }

    /// Does a piece of work in the session, unless it is stopped.
    fn guard<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.stop.guard(|| work(&self.connection), || drop(self.undo()))
    }

    /// Ends the open transaction, if there is one.
    fn undo(&self) -> Result<()> {
        if self.connection.is_autocommit() { Ok(()) } else { Ok(self.connection.execute_batch("ROLLBACK")?) }
    }

    /// Sets up a schema in a file that is thrown away: nothing has to survive a power cut.
    fn settle(&self, schema: &str) -> Result<()> {
        self.connection.pragma_update(Some(schema), "journal_mode", &self.journal)?;
        Ok(self.connection.pragma_update(Some(schema), "synchronous", "off")?)
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

    fn dialect(&self) -> &'static str {
        KIND.name
    }

    fn version(&mut self) -> Result<String> {
        Ok(rusqlite::version().to_owned())
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        let outcome = self.execute(sql);
        if outcome.is_err() {
            self.undo()?;
        }
        outcome
    }

    fn execute(&mut self, statement: &str) -> Result<()> {
        self.guard(|connection| Ok(connection.execute_batch(statement)?))
    }

    fn change(&mut self, statement: &str) -> Result<u64> {
        self.guard(|connection| Ok(connection.execute(statement, [])? as u64))
    }

    fn rollback(&mut self) -> Result<()> {
        self.guard(|_| self.undo())
    }

    fn query(&mut self, sql: &str) -> Result<Rows> {
        self.guard(|connection| {
            let mut statement = connection.prepare(sql)?;
            let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let width = columns.len();
            let mut rows = Vec::new();
            let mut cursor = statement.query([])?;
            while let Some(row) = cursor.next()? {
                rows.push((0..width).map(|i| text(row.get_ref(i)?)).collect::<Result<_>>()?);
            }
            Ok(Rows { columns, rows })
        })
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

    fn tables(&mut self, schema: Option<&str>) -> Result<Vec<catalogue::Table>> {
        if schema.is_some_and(|schema| schema != "main") {
            bail!("a file of SQLite has no schemas: leave it out");
        }
        let (columns, keys) = (self.query(COLUMNS)?, self.query(KEYS)?);
        catalogue::tables(columns, keys)
    }

    fn find(&mut self, table: TableName<'_>) -> Result<catalogue::Found> {
        if table.schema.is_some_and(|schema| schema != "main") {
            bail!("a file of SQLite has no schemas: leave it out");
        }
        let mut statement = self.connection.prepare(NAMED)?;
        let mut rows = statement.query([table.name])?;
        let Some(row) = rows.next()? else { return Ok(Found::Nothing) };
        let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(if kind == catalogue::TABLE { Found::Table { schema: None, name } } else { Found::Other(kind) })
    }

    fn create_schema(&mut self, name: &str) -> Result<()> {
        let known = "SELECT count(*) FROM pragma_database_list WHERE name = ?1 COLLATE NOCASE";
        if self.connection.query_row(known, [name], |row| row.get::<_, i64>(0))? > 0 {
            return Ok(());
        }
        let path = self.folder.as_ref().map(|folder| folder.join(format!("{name}.schema.db")));
        let file = path.as_deref().and_then(Path::to_str).unwrap_or(":memory:");
        self.connection
            .execute(&format!("ATTACH DATABASE ?1 AS {}", quoted(name)), [file])
            .with_context(|| format!("cannot attach a schema `{name}`"))?;
        if self.folder.is_some() { self.settle(name) } else { Ok(()) }
    }

    fn drop_schema(&mut self, name: &str) -> Result<()> {
        if self.own.as_deref() == Some(name) {
            let tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
            for table in self.query(tables)?.rows.into_iter().flatten().flatten() {
                self.execute(&format!("DROP TABLE main.{}", quoted(&table)))?;
            }
        }
        self.create_schema(name)?;
        self.connection.execute(&format!("DETACH DATABASE {}", quoted(name)), [])?;
        for end in ["", "-journal", "-wal", "-shm"] {
            let file = self.folder.as_ref().map(|folder| folder.join(format!("{name}.schema.db{end}")));
            match file.map_or(Ok(()), std::fs::remove_file) {
                Err(fault) if fault.kind() != std::io::ErrorKind::NotFound => return Err(fault.into()),
                _ => {}
            }
        }
        Ok(())
    }

    fn use_schema(&mut self, name: &str) -> Result<()> {
        // A name without a schema is looked up in `main` first, and `main` is a file of our own.
        self.own = Some(name.to_owned());
        Ok(())
    }

    fn use_time_zone(&mut self, _hours: i8) -> Result<()> {
        Ok(())
    }

    fn stopper(&mut self) -> Result<Stopper> {
        // What is interrupted is rolled back, as the journal of a killed process would be by the next one.
        // https://www.sqlite.org/c3ref/interrupt.html
        let (stop, handle) = (self.stop.clone(), self.connection.get_interrupt_handle());
        Ok(Box::new(move || {
            stop.set();
            handle.interrupt();
            Ok(())
        }))
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
    fn two_sessions_share_a_database() {
        let database = crate::engine::open("sqlite:").unwrap();
        let (mut one, mut two) = (database.session().unwrap(), database.session().unwrap());
        for session in [&mut one, &mut two] {
            session.create_schema("mart").unwrap();
            session.create_schema("mart").unwrap();
        }
        one.run_script("CREATE TABLE mart.t (k INTEGER); INSERT INTO mart.t VALUES (7)").unwrap();
        assert_eq!(two.query("SELECT k FROM mart.t").unwrap().rows, [[Some("7".to_owned())]]);
        assert_eq!((two.name(), two.version().unwrap()), ("sqlite", rusqlite::version().to_owned()));
    }

    #[test]
    fn a_dropped_schema_is_gone_with_its_tables() {
        let database = crate::engine::open("sqlite:").unwrap();
        let mut session = database.session().unwrap();
        session.create_schema("mart").unwrap();
        session.run_script("CREATE TABLE mart.t (k INTEGER)").unwrap();
        session.drop_schema("mart").unwrap();
        session.drop_schema("mart").unwrap();
        session.create_schema("mart").unwrap();
        session.run_script("CREATE TABLE mart.t (k INTEGER)").unwrap();
    }

    #[test]
    fn a_file_of_the_user_is_read_and_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("theirs.db");
        let theirs = Connection::open(&path).unwrap();
        theirs.pragma_update(None, "journal_mode", "wal").unwrap();
        theirs.execute_batch("CREATE TABLE orders (k INTEGER); INSERT INTO orders VALUES (1)").unwrap();
        drop(theirs);
        let before = std::fs::read(&path).unwrap();
        let database = crate::engine::open(&format!("sqlite:{}", path.display())).unwrap();
        let mut session = database.session().unwrap();
        session.run_script("CREATE TABLE orders (k INTEGER); DELETE FROM orders").unwrap();
        assert_eq!(session.query("PRAGMA journal_mode").unwrap().rows, [[Some("wal".to_owned())]]);
        drop((session, database));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
