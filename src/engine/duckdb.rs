//! DuckDB, as a library in this program: all sessions of a database are connections of one instance of it, because no
//! second process could open the file. <https://duckdb.org/docs/stable/connect/concurrency>

use super::stop::Stop;
use super::{Database, Engine, Kind, Physical, Rows, Stopper, TableName, catalogue, quoted};
use anyhow::{Context as _, Result, bail};
use duckdb::{AccessMode, Config, Connection};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

pub(super) static KIND: Kind = Kind {
    name: "duckdb",
    schemes: &["duckdb"],
    docs: "`duckdb:` is a database in a temporary folder, `duckdb:PATH` one in a folder beside that file; the file itself \
           is never written, and another program may have it open. Physical writes to a table are seen in the rowids, of \
           which a row that is written again gets a new one; the bytes of WAL count those of all sessions. DuckDB does \
           not write a row that an UPDATE leaves as it was.",
    open: |url| Ok(Box::new(Instance::open(url)?)),
    look,
};

/// The path in a URL.
fn path_of(url: &str) -> &str {
    let path = url.strip_prefix("duckdb").and_then(|rest| rest.strip_prefix(':')).unwrap_or_default();
    path.strip_prefix("//").unwrap_or(path)
}

/// Opens the file itself, to be read.
fn look(url: &str) -> Result<Box<dyn Engine>> {
    let path = match path_of(url) {
        "" | ":memory:" => bail!("name the file: `duckdb:PATH`"),
        path => path,
    };
    let config = Config::default().access_mode(AccessMode::ReadOnly)?.with("autoinstall_known_extensions", "false")?;
    let connection = Connection::open_with_flags(path, config)
        .with_context(|| format!("cannot open `{path}` as a database of DuckDB"))?;
    // A session writes nothing to this folder; it is where a log would be.
    Ok(Box::new(DuckDb { connection, folder: Arc::new(tempfile::tempdir()?), stop: Stop::default() }))
}

/// A computed column shows its expression as its default, with a CAST where its type is another one; the statement of the table
/// tells them apart: `(name TYPE GENERATED ALWAYS AS(`, or the same behind a comma.
/// <https://duckdb.org/docs/stable/sql/meta/duckdb_table_functions>
const COLUMNS: &str = "SELECT schema_name, table_name, comment, column_name, data_type, required, \
     CASE WHEN NOT computed THEN column_default END, computed, \
     CASE WHEN column_default LIKE 'nextval(%' THEN 'd' END, about FROM ( \
     SELECT c.*, c.comment AS about, t.comment, NOT c.is_nullable AS required, c.column_default IS NOT NULL AND \
     (contains(replace(t.sql, '\"', ''), '(' || replace(c.column_name || ' ' || c.data_type, '\"', '') || ' GENERATED ALWAYS AS(') \
     OR contains(replace(t.sql, '\"', ''), ', ' || replace(c.column_name || ' ' || c.data_type, '\"', '') || ' GENERATED ALWAYS AS(')) \
     AS computed FROM duckdb_columns() AS c \
     JOIN duckdb_tables() AS t ON t.table_oid = c.table_oid AND t.database_oid = c.database_oid \
     WHERE c.database_name = current_database() AND NOT c.internal AND c.schema_name = COALESCE({schema}, c.schema_name)) \
     ORDER BY schema_name, table_name, column_index";

/// Constraints, and the unique indexes beside them, whose columns stand in a text: `[a, '"b c"']`.
const KEYS: &str = "SELECT schema_name, table_name, name, main, false, false, \"column\" FROM ( \
     SELECT schema_name, table_name, constraint_type || ' ' || constraint_index AS name, \
     constraint_type = 'PRIMARY KEY' AS main, unnest(constraint_column_names) AS \"column\", \
     unnest(range(len(constraint_column_names))) AS place FROM duckdb_constraints() \
     WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE') \
     UNION ALL SELECT i.schema_name, i.table_name, i.name, false, c.column_name, i.place FROM ( \
     SELECT schema_name, table_name, table_oid, database_oid, index_name AS name, \
     trim(trim(unnest(string_split(trim(expressions, '[]'), ', ')), chr(39)), '\"') AS part, \
     unnest(range(len(string_split(trim(expressions, '[]'), ', ')))) AS place \
     FROM duckdb_indexes() WHERE database_name = current_database() AND is_unique AND NOT is_primary) AS i \
     LEFT JOIN duckdb_columns() AS c \
     ON c.table_oid = i.table_oid AND c.database_oid = i.database_oid AND c.column_name = i.part) \
     WHERE schema_name = COALESCE({schema}, schema_name) ORDER BY schema_name, table_name, main DESC, name, place";

/// Whatever has a name, in any case: <https://duckdb.org/docs/stable/sql/dialect/keywords_and_identifiers>
const NAMED: &str = "SELECT schema_name, name, kind FROM ( \
     SELECT database_name, schema_name, table_name AS name, 'table' AS kind FROM duckdb_tables() WHERE NOT internal \
     UNION ALL SELECT database_name, schema_name, view_name, 'a view' FROM duckdb_views() WHERE NOT internal) \
     WHERE database_name = current_database() AND lower(schema_name) = lower(COALESCE({schema}, current_schema())) \
     AND lower(name) = lower({name})";

/// The schema of a name, where it is there.
const SCHEMAS: &str = "SELECT schema_name FROM duckdb_schemas() WHERE database_name = current_database() \
     AND lower(schema_name) = lower(COALESCE({schema}, current_schema()))";

/// An open database of our own, and the folder that goes with it.
struct Instance {
    // Closed before the folder is removed: fields are dropped in their order.
    first: Mutex<Connection>,
    folder: Arc<TempDir>,
}

/// The name of the database file. It is also the name of its catalog, so that it must not be one that a schema may have.
const FILE: &str = "idemsql of this process";

impl Instance {
    /// The database of a URL. A file that the URL names is looked at, and never written.
    fn open(url: &str) -> Result<Self> {
        let folder = match path_of(url) {
            "" | ":memory:" => tempfile::tempdir()?,
            path => beside(path)?,
        };
        // Nothing is fetched over the network behind the user's back.
        let config = Config::default().with("autoinstall_known_extensions", "false")?;
        let first = Connection::open_with_flags(folder.path().join(FILE), config)?;
        // The log is never folded into the file: it only grows, and no row gets another number.
        // https://duckdb.org/docs/stable/configuration/pragmas#checkpointing
        first.execute_batch("SET checkpoint_threshold = '1TB'")?;
        Ok(Self { first: Mutex::new(first), folder: Arc::new(folder) })
    }
}

/// A new folder beside the user's database file.
fn beside(path: &str) -> Result<TempDir> {
    // https://duckdb.org/docs/stable/internals/storage
    let mut header = [0_u8; 12];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut header))
        .with_context(|| format!("cannot read `{path}` as a database of DuckDB"))?;
    if !header.ends_with(b"DUCK") {
        bail!("`{path}` is not a database of DuckDB");
    }
    let beside = Path::new(path).parent().filter(|parent| *parent != Path::new(""));
    let folder = tempfile::Builder::new().prefix(".idemsql-").tempdir_in(beside.unwrap_or(Path::new(".")));
    folder.context("cannot make a folder beside the database file")
}

impl Database for Instance {
    fn session(&self) -> Result<Box<dyn Engine>> {
        let connection = self.first.lock().unwrap_or_else(PoisonError::into_inner).try_clone()?;
        Ok(Box::new(DuckDb { connection, folder: Arc::clone(&self.folder), stop: Stop::default() }))
    }
}

/// A session on a DuckDB in this process.
struct DuckDb {
    connection: Connection,
    folder: Arc<TempDir>,
    stop: Stop,
}

impl DuckDb {
    /// Does a piece of work in the session, unless it is stopped.
    fn guard<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.stop.guard(|| work(&self.connection), || self.undo())
    }

    /// Ends the transaction that may be open. Without one this is an error, which says nothing.
    fn undo(&self) {
        drop(self.connection.execute_batch("ROLLBACK"));
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join(format!("{FILE}.wal"))
    }
}

impl Engine for DuckDb {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn dialect(&self) -> &'static str {
        KIND.name
    }

    fn version(&mut self) -> Result<String> {
        let version = self.guard(|connection| Ok(connection.version()?))?;
        Ok(version.trim_start_matches('v').to_owned())
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        let outcome = self.execute(sql);
        if outcome.is_err() {
            self.undo();
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
        self.guard(|_| {
            self.undo();
            Ok(())
        })
    }

    fn query(&mut self, sql: &str) -> Result<Rows> {
        // The engine spells the values, because the client would lose digits and zones; for that their types must be known
        // first. A line of its own ends a comment.
        let sql = sql.trim_end().trim_end_matches(';');
        self.guard(|connection| {
            let (names, types): (Vec<_>, Vec<_>) = texts(connection, &format!("DESCRIBE SELECT * FROM ({sql}\n)"), 2)?
                .into_iter()
                .map(|mut row| (row.remove(0).unwrap_or_default(), row.remove(0).unwrap_or_default()))
                .unzip();
            let places: Vec<String> = (0..names.len()).map(|at| format!("c{at}")).collect();
            let values: Vec<String> = places.iter().zip(&types).map(|(place, ty)| spelled(place, ty)).collect();
            let spelled = format!("SELECT {} FROM ({sql}\n) AS q({})", values.join(", "), places.join(", "));
            Ok(Rows { rows: texts(connection, &spelled, names.len())?, columns: names })
        })
    }

    fn physical(&mut self, table: TableName<'_>) -> Result<Physical> {
        // A number that a row keeps as long as it is stored: https://duckdb.org/docs/stable/sql/statements/select#row-ids
        let rows = self.query(&format!("SELECT rowid AS \"the rowid\", * FROM {}", table.quoted()))?.rows;
        let versions: BTreeSet<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        // Temporary tables are not logged, and there is no file before the first write.
        let bytes = std::fs::metadata(self.log()).map_or(0, |log| log.len());
        Ok(Physical { versions, table: Vec::new(), session: vec![("bytes of WAL", bytes)] })
    }

    fn tables(&mut self, schema: Option<&str>) -> Result<Vec<catalogue::Table>> {
        let schema = catalogue::text(schema);
        let [columns, keys] = [COLUMNS, KEYS].map(|sql| self.query(&sql.replace("{schema}", &schema)));
        catalogue::tables(columns?, keys?)
    }

    fn find(&mut self, table: TableName<'_>) -> Result<catalogue::Found> {
        let [schema, name] = [table.schema, Some(table.name)].map(catalogue::text);
        let [named, schemas] = [NAMED, SCHEMAS].map(|sql| self.query(&catalogue::about(sql, &schema, &name)));
        catalogue::found(named?, &schemas?)
    }

    fn create_schema(&mut self, name: &str) -> Result<()> {
        self.execute(&format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(name)))
    }

    fn drop_schema(&mut self, name: &str) -> Result<()> {
        self.execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(name)))
    }

    fn use_schema(&mut self, name: &str) -> Result<()> {
        // What is not there is looked up in `main` too, which is ours and empty.
        self.execute(&format!("USE {}.{}", quoted(FILE), quoted(name)))
    }

    fn use_time_zone(&mut self, hours: i8) -> Result<()> {
        // These names count to the west: https://duckdb.org/docs/stable/sql/data_types/timezones
        self.execute(&format!("SET TimeZone = 'Etc/GMT{:+}'", -hours))
    }

    fn stopper(&mut self) -> Result<Stopper> {
        let (stop, handle) = (self.stop.clone(), self.connection.interrupt_handle());
        Ok(Box::new(move || {
            stop.set();
            handle.interrupt();
            Ok(())
        }))
    }
}

/// The SQL for a column's value as text that `Value::parse` reads. As text, bytes would keep those that are letters.
fn spelled(column: &str, ty: &str) -> String {
    if ty == "BLOB" { format!("'\\x' || hex({column})") } else { format!("CAST({column} AS VARCHAR)") }
}

/// The first columns of every row, which are texts.
fn texts(connection: &Connection, sql: &str, columns: usize) -> Result<Vec<Vec<Option<String>>>> {
    let mut statement = connection.prepare(sql)?;
    let mut cursor = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = cursor.next()? {
        rows.push((0..columns).map(|at| row.get(at)).collect::<duckdb::Result<_>>()?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn session() -> Box<dyn Engine> {
        crate::engine::open("duckdb:").unwrap().session().unwrap()
    }

    #[test]
    fn rows_come_back_as_text() {
        let sql = "SELECT 1 AS n, NULL AS v, 1e20 AS big, 10.50 AS d, '\\x41\\xFF'::BLOB AS b, 170141183460469231731687303715884105727 \
                   AS huge, 1 AS n -- a comment";
        let rows = session().query(sql).unwrap();
        assert_eq!(rows.columns[..6], ["n", "v", "big", "d", "b", "huge"]);
        let texts = ["1", "", "1e+20", "10.50", "\\x41FF", "170141183460469231731687303715884105727", "1"];
        let expected = texts.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
        assert_eq!(rows.rows, [expected]);
        assert_eq!(session().query("SELECT 1 AS n WHERE false;").unwrap().columns, ["n"]);
    }

    #[test]
    fn an_update_to_the_same_value_is_not_written_and_another_one_is() {
        let mut session = session();
        session.run_script("CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a')").unwrap();
        let mut writes = |sql: &str| {
            let table = TableName { schema: None, name: "t" };
            let before = session.physical(table).unwrap();
            session.run_script(sql).unwrap();
            session.physical(table).unwrap().since(&before)
        };
        assert!(writes("UPDATE t SET v = 'a'").is_silent());
        assert!(writes("CREATE TEMP TABLE s AS SELECT * FROM t; DELETE FROM s").is_silent());
        assert!(!writes("DELETE FROM t; INSERT INTO t VALUES (1, 'a')").is_quiet());
        assert!(!writes("UPDATE t SET v = 'b'").is_quiet());
    }

    #[test]
    fn a_file_of_the_user_is_looked_at_and_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("theirs.db");
        let theirs = Connection::open(&path).unwrap();
        theirs.execute_batch("CREATE TABLE orders (k INTEGER); INSERT INTO orders VALUES (1)").unwrap();
        drop(theirs);
        let before = std::fs::read(&path).unwrap();
        let database = crate::engine::open(&format!("duckdb:{}", path.display())).unwrap();
        let mut session = database.session().unwrap();
        session.run_script("CREATE TABLE orders (k INTEGER); DELETE FROM orders").unwrap();
        // A session may outlive its database.
        drop(database);
        session.run_script("INSERT INTO orders VALUES (1)").unwrap();
        drop(session);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        for wrong in [folder.path().join("nothing"), PathBuf::from("Cargo.toml")] {
            assert!(crate::engine::open(&format!("duckdb:{}", wrong.display())).is_err());
        }
    }
}
