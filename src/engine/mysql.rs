//! A MySQL or a MariaDB server, by URL. They share a protocol; the server's version says which of them it is.

use super::{Database, Engine, Kind, Physical, Rows, Stopper, TableName, catalogue};
use anyhow::{Context as _, Result, anyhow, bail};
use mysql::consts::ColumnType;
use mysql::prelude::Queryable as _;
use mysql::{Column, Conn, DriverError, Error, Opts, OptsBuilder, Row, Value};
use std::collections::{BTreeMap, HashMap};

pub(super) static KIND: Kind = Kind {
    name: "mysql",
    schemes: &["mysql", "mariadb"],
    docs: "`mysql://USER:PASSWORD@HOST:PORT/DATABASE` or `mariadb://..`, without TLS; both reach both. Physical writes to a \
           table are counted by MariaDB's `userstat`, when the server has it switched on (`SET GLOBAL userstat = 1`), or \
           else by the table I/O of the performance schema, when the user may read it. That counts attempts: those that \
           wrote nothing are told by `Innodb_rows_*`, which count the rows of the whole server. Where neither can be \
           read, every attempt of the session on any table, a temporary one too, counts as a write.",
    open: |url| Ok(Box::new(Server { options: read(url)? })),
    look: |url| Ok(Box::new(MySql::connect(&read(url)?)?)),
};

/// Tables of the database of the session, or of all. `{type}` is the declared type, `{default}` the expression of a default: MySQL shows a literal
/// without its quotes, and says when it is none. <https://dev.mysql.com/doc/refman/8.4/en/information-schema-columns-table.html>
const COLUMNS: &str = "SELECT c.table_schema, c.table_name, t.table_comment, c.column_name, {type}, \
     c.is_nullable = 'NO', CASE WHEN c.generation_expression > '' THEN NULL ELSE {default} END, \
     COALESCE(c.generation_expression > '', 0), CASE WHEN c.extra LIKE '%auto_increment%' THEN 'd' END, c.column_comment \
     FROM information_schema.columns AS c JOIN information_schema.tables AS t \
     ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE' \
     WHERE c.table_schema = COALESCE({schema}, DATABASE(), c.table_schema) \
     AND c.table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') \
     ORDER BY c.table_schema, c.table_name, c.ordinal_position";

/// A part of a column, or an expression, is no column of a key.
/// <https://dev.mysql.com/doc/refman/8.4/en/information-schema-statistics-table.html>
const KEYS: &str = "SELECT s.table_schema, s.table_name, s.index_name, s.index_name = 'PRIMARY', 0, 0, \
     CASE WHEN s.sub_part IS NULL THEN s.column_name END FROM information_schema.statistics AS s \
     WHERE s.non_unique = 0 AND s.table_schema = COALESCE({schema}, DATABASE(), s.table_schema) \
     AND s.table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') \
     ORDER BY s.table_schema, s.table_name, s.index_name <> 'PRIMARY', s.index_name, s.seq_in_index";

/// Whatever has a name, which is the same in another case where the server keeps names in lower case.
/// <https://dev.mysql.com/doc/refman/8.4/en/identifier-case-sensitivity.html>
const NAMED: &str = "SELECT t.table_schema, t.table_name, CASE t.table_type WHEN 'BASE TABLE' THEN 'table' \
     WHEN 'VIEW' THEN 'a view' ELSE CONCAT('something of the kind `', LOWER(t.table_type), '`') END \
     FROM information_schema.tables AS t WHERE t.table_schema = COALESCE({schema}, DATABASE()) AND t.table_name = {name} \
     AND (CAST(t.table_name AS BINARY) = CAST({name} AS BINARY) OR @@lower_case_table_names <> 0)";

/// The schema of a name, where it is there.
const SCHEMAS: &str = "SELECT s.schema_name FROM information_schema.schemata AS s \
     WHERE s.schema_name = COALESCE({schema}, DATABASE())";

/// A server, and how to reach it.
struct Server {
    options: Opts,
}

impl Database for Server {
    fn session(&self) -> Result<Box<dyn Engine>> {
        Ok(Box::new(MySql::connect(&self.options)?))
    }
}

/// A session on a MySQL or MariaDB server.
struct MySql {
    connection: Conn,
    options: Opts,
    /// `mysql` or `mariadb`.
    name: &'static str,
    version: String,
    /// The session's time zone.
    hours: i8,
    /// Where writes are counted; asked for when it is needed first.
    source: Option<Source>,
    counted: HashMap<(Option<String>, String), Counted>,
}

/// Where the writes to a table are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The rows that were changed in the table:
    /// <https://mariadb.com/docs/server/reference/system-tables/information-schema/information-schema-tables/information-schema-table_statistics-table>
    Userstat,
    /// The attempts to write to the table:
    /// <https://dev.mysql.com/doc/refman/8.4/en/performance-schema-table-wait-summary-tables.html>
    TableIo,
    /// The attempts of the session to write to any table:
    /// <https://dev.mysql.com/doc/refman/8.4/en/server-status-variables.html#statvar_Handler_write>
    Handler,
}

/// Rows inserted, updated and deleted.
type Counts = [u64; 3];

/// The writes to one table since this session looked at it first.
struct Counted {
    attempts: Counts,
    successes: Option<Counts>,
    written: Counts,
}

/// Reads a URL. No error holds any part of it.
fn read(url: &str) -> Result<Opts> {
    if url.split_once('?').is_some_and(|(_, settings)| settings.to_ascii_lowercase().contains("ssl")) {
        bail!(
            "this program speaks to MySQL and MariaDB without TLS: leave that out of the URL, and go through a tunnel"
        );
    }
    let rest = KIND.schemes.iter().find_map(|scheme| url.strip_prefix(scheme)?.strip_prefix(':'));
    // The parser's own message can quote the URL, so it is not passed on.
    let options = rest.and_then(|rest| Opts::from_url(&format!("mysql:{rest}")).ok()).with_context(
        || "this is not a URL of the form mysql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX",
    )?;
    // A second connection, by the socket, is more than was asked for. The size of a packet is the protocol's largest, and the
    // server says itself when it takes less: the driver gives up a connection whose question for that size has no answer.
    // https://dev.mysql.com/doc/refman/8.4/en/packet-too-large.html
    Ok(OptsBuilder::from_opts(options).prefer_socket(false).max_allowed_packet(Some(1 << 30)).into())
}

/// A connection to the server.
fn connected(options: &Opts) -> Result<Conn> {
    Conn::new(options.clone()).map_err(explained).with_context(|| match place(options) {
        Some(place) => format!("cannot connect to the MySQL or MariaDB server at {place}"),
        None => "cannot connect to the MySQL or MariaDB server".to_owned(),
    })
}

impl MySql {
    /// A new session, whose server has said who it is.
    fn connect(options: &Opts) -> Result<Self> {
        // MySQL 9.7 was seen, twice in some 100,000 connections while others were killed, to answer the first query of a new
        // connection without a row. A connection that begins like this may stay out of step, so it is not used.
        const TRIES: usize = 3;
        for _ in 0..TRIES {
            if let Some(session) = Self::begin(options)? {
                return Ok(session);
            }
        }
        bail!("the server answered SELECT VERSION() without a row, on {TRIES} new connections")
    }

    /// A new session; `None` when the server did not answer the first query.
    fn begin(options: &Opts) -> Result<Option<Self>> {
        let mut session = Self {
            connection: connected(options)?,
            options: options.clone(),
            name: KIND.name,
            version: String::new(),
            hours: 0,
            source: None,
            counted: HashMap::new(),
        };
        session.run("SET NAMES utf8mb4; SET autocommit = 1")?;
        session.use_time_zone(0)?;
        let Some(version) = session.run("SELECT VERSION()")?.rows.into_iter().flatten().flatten().next() else {
            return Ok(None);
        };
        if version.contains("MariaDB") {
            session.name = "mariadb";
        }
        // What stands behind the number is the build. https://mariadb.com/docs/server/reference/sql-functions/secondary-functions/information-functions/version
        version.split('-').next().unwrap_or_default().clone_into(&mut session.version);
        Ok(Some(session))
    }

    /// Runs statements and reads the rows of the last one.
    fn run(&mut self, sql: &str) -> Result<Rows> {
        let mut answer = self.connection.query_iter(sql).map_err(explained)?;
        let mut rows = Rows::default();
        // Each statement has a set, and the error of a later one comes out of its set.
        while let Some(set) = answer.iter() {
            let columns = set.columns().as_ref().to_vec();
            rows =
                Rows { columns: columns.iter().map(|column| column.name_str().into_owned()).collect(), rows: vec![] };
            for row in set {
                rows.rows.push(texts(row.map_err(explained)?, &columns, self.hours)?);
            }
        }
        Ok(rows)
    }

    /// The second cells of rows whose first cells are these names; `None` when there is none.
    fn named(&mut self, sql: &str, names: [&str; 3]) -> Result<Option<Counts>> {
        let rows = self.run(sql)?.rows;
        let count = |name: &str| {
            let row = rows.iter().find(|row| row[0].as_deref().is_some_and(|text| text.eq_ignore_ascii_case(name)))?;
            row[1].as_deref()?.parse().ok()
        };
        Ok(names.map(count).into_iter().collect::<Option<Vec<u64>>>().and_then(|counts| counts.try_into().ok()))
    }

    /// Where writes are counted on this server.
    fn source(&mut self) -> Result<Source> {
        if let Some(source) = self.source {
            return Ok(source);
        }
        let userstat = self.run("SHOW GLOBAL VARIABLES LIKE 'userstat'")?.rows;
        // An ordinary user may not be allowed to read the second.
        let table_io = "SELECT 1 FROM performance_schema.table_io_waits_summary_by_table, performance_schema.setup_instruments \
                        WHERE name = 'wait/io/table/sql/handler' AND enabled = 'YES' LIMIT 1";
        let source = if userstat.into_iter().flatten().flatten().any(|text| text == "ON") {
            Source::Userstat
        } else if self.run(table_io).is_ok_and(|answer| !answer.rows.is_empty()) {
            Source::TableIo
        } else {
            Source::Handler
        };
        self.source = Some(source);
        Ok(source)
    }

    /// The first row of a query about a table, as numbers. A table that nobody used is not listed.
    fn about<const N: usize>(&mut self, table: TableName<'_>, sql: &str) -> Result<[u64; N]> {
        let row: Option<Row> = self.connection.exec_first(sql, (table.schema, table.name)).map_err(explained)?;
        let number = |at: usize| row.as_ref()?.get_opt::<Option<u64>, _>(at)?.ok()?;
        Ok(std::array::from_fn(|at| number(at).unwrap_or_default()))
    }

    /// The rows of the table that were written, as far as this session knows.
    fn written(&mut self, table: TableName<'_>) -> Result<Vec<(&'static str, u64)>> {
        let source = self.source()?;
        let attempts = match source {
            Source::Userstat => {
                let sql = "SELECT SUM(rows_changed) FROM information_schema.table_statistics \
                           WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";
                let [changed] = self.about(table, sql)?;
                return Ok(vec![("rows changed", changed)]);
            }
            Source::TableIo => self.about(
                table,
                "SELECT SUM(count_insert), SUM(count_update), SUM(count_delete) \
                 FROM performance_schema.table_io_waits_summary_by_table \
                 WHERE object_schema = COALESCE(?, DATABASE()) AND object_name = ?",
            )?,
            Source::Handler => self
                .named("SHOW SESSION STATUS LIKE 'Handler_%'", ["Handler_write", "Handler_update", "Handler_delete"])?
                .context("the server does not count what a session writes")?,
        };
        // MariaDB has none. https://dev.mysql.com/doc/refman/8.4/en/server-status-variables.html#statvar_Innodb_rows_inserted
        let successes = self.named(
            "SHOW GLOBAL STATUS LIKE 'Innodb_rows_%'",
            ["Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted"],
        )?;
        let place = (table.schema.map(str::to_owned), table.name.to_owned());
        let counted = self.counted.entry(place).or_insert(Counted { attempts, successes, written: [0; 3] });
        for at in 0..3 {
            // An attempt on a key that is there is none on the table: no more was written than the server says.
            let tried = growth(counted.attempts[at], attempts[at]);
            let done = counted.successes.zip(successes).map_or(tried, |(old, new)| growth(old[at], new[at]));
            counted.written[at] += tried.min(done);
        }
        (counted.attempts, counted.successes) = (attempts, successes);
        let names = match source {
            Source::Handler => {
                ["attempts to insert anywhere", "attempts to update anywhere", "attempts to delete anywhere"]
            }
            _ => ["rows inserted", "rows updated", "rows deleted"],
        };
        Ok(names.into_iter().zip(counted.written).collect())
    }
}

/// What a counter has grown by. A table that was dropped and made again counts from zero.
fn growth(old: u64, new: u64) -> u64 {
    new.checked_sub(old).unwrap_or(new)
}

impl Engine for MySql {
    fn name(&self) -> &'static str {
        self.name
    }

    fn dialect(&self) -> &'static str {
        self.name
    }

    fn version(&mut self) -> Result<String> {
        Ok(self.version.clone())
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        let outcome = self.execute(sql);
        if outcome.is_err() {
            // A client would end here, and its locks with it. When the connection is lost, the server has done so.
            drop(self.run("ROLLBACK; DO RELEASE_ALL_LOCKS()"));
        }
        outcome
    }

    fn execute(&mut self, statement: &str) -> Result<()> {
        self.run(statement).map(|_| ())
    }

    fn change(&mut self, statement: &str) -> Result<u64> {
        // Rows that changed, not rows that were found: the connection does without CLIENT_FOUND_ROWS.
        self.connection.query_drop(statement).map_err(explained)?;
        Ok(self.connection.affected_rows())
    }

    fn rollback(&mut self) -> Result<()> {
        // Without a transaction this does nothing.
        self.execute("ROLLBACK")
    }

    fn query(&mut self, sql: &str) -> Result<Rows> {
        self.run(sql)
    }

    fn physical(&mut self, table: TableName<'_>) -> Result<Physical> {
        let name: Vec<String> = table.schema.into_iter().chain([table.name]).map(ticked).collect();
        let mut versions = BTreeMap::new();
        for row in self.run(&format!("SELECT * FROM {}", name.join(".")))?.rows {
            *versions.entry(format!("{row:?}")).or_insert(0) += 1;
        }
        let mut versions: Vec<String> = versions.into_iter().map(|(row, count)| format!("{row} x{count}")).collect();
        // A table that is made anew, by TRUNCATE too, is another one.
        let made = "SELECT CAST(UNIX_TIMESTAMP(create_time) AS UNSIGNED) FROM information_schema.tables \
                    WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";
        let [made] = self.about(table, made)?;
        versions.push(format!("made at {made}"));
        let counters = self.written(table)?;
        // MySQL: https://dev.mysql.com/doc/refman/8.4/en/server-status-variables.html#statvar_Innodb_redo_log_current_lsn
        // MariaDB: https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-status-variables#innodb_lsn_current
        let log = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_redo_log_current_lsn', 'Innodb_lsn_current')";
        let bytes = self.run(log)?.rows.first().and_then(|row| row[1].as_deref()?.parse().ok());
        Ok(Physical {
            versions: versions.into_iter().collect(),
            table: counters,
            session: bytes.map(|bytes| ("bytes of redo log on the server", bytes)).into_iter().collect(),
        })
    }

    fn tables(&mut self, schema: Option<&str>) -> Result<Vec<catalogue::Table>> {
        let schema = literal(schema);
        let (ty, default) = if self.name == KIND.name {
            ("c.column_type", "IF(c.extra LIKE '%DEFAULT_GENERATED%', c.column_default, QUOTE(c.column_default))")
        } else {
            // JSON is a longtext with a check: https://mariadb.com/docs/server/reference/data-types/string-data-types/json
            let json = "IF(EXISTS (SELECT 1 FROM information_schema.check_constraints AS k WHERE \
                        k.constraint_schema = c.table_schema AND k.table_name = c.table_name AND k.check_clause = \
                        CONCAT('json_valid(`', REPLACE(c.column_name, '`', '``'), '`)')), 'json', c.column_type)";
            (json, "NULLIF(c.column_default, 'NULL')")
        };
        // QUOTE of null is the word.
        let columns = COLUMNS
            .replace("{type}", ty)
            .replace("{default}", &format!("IF(c.column_default IS NULL, NULL, {default})"));
        let [columns, keys] = [&*columns, KEYS].map(|sql| self.query(&sql.replace("{schema}", &schema)));
        catalogue::tables(columns?, keys?)
    }

    fn find(&mut self, table: TableName<'_>) -> Result<catalogue::Found> {
        if table.schema.is_none() && self.query("SELECT DATABASE()")?.rows == [[None]] {
            bail!(
                "no database is chosen, so that a table's name without a schema means nothing: name the database in the URL, \
                 or write `schema: ..` into the spec"
            );
        }
        let [schema, name] = [table.schema, Some(table.name)].map(literal);
        let [named, schemas] = [NAMED, SCHEMAS].map(|sql| self.query(&catalogue::about(sql, &schema, &name)));
        let (named, schemas) = (named?, schemas?);
        if named.rows.is_empty() && !schemas.rows.is_empty() {
            // The catalogue shows nothing of a table to a user who may do nothing with it; a statement is denied, and of a
            // table that is not there it says just that.
            let name: Vec<String> = table.schema.into_iter().chain([table.name]).map(ticked).collect();
            let probed = self.execute(&format!("SELECT 1 FROM {} LIMIT 0", name.join(".")));
            if let Some(fault) = probed.err().filter(|fault| format!("{fault:#}").contains("denied")) {
                return Err(fault.context("this user may not see whether the table is there"));
            }
        }
        catalogue::found(named, &schemas)
    }

    fn create_schema(&mut self, name: &str) -> Result<()> {
        // Texts are compared by code point, as in the reference model, whatever the server's default is.
        let collation = if self.name == "mariadb" { "utf8mb4_nopad_bin" } else { "utf8mb4_0900_bin" };
        self.execute(&format!(
            "CREATE DATABASE IF NOT EXISTS {} CHARACTER SET utf8mb4 COLLATE {collation}",
            ticked(name)
        ))
    }

    fn drop_schema(&mut self, name: &str) -> Result<()> {
        self.execute(&format!("DROP DATABASE IF EXISTS {}", ticked(name)))
    }

    fn use_schema(&mut self, name: &str) -> Result<()> {
        self.execute(&format!("USE {}", ticked(name)))
    }

    fn use_time_zone(&mut self, hours: i8) -> Result<()> {
        self.execute(&format!("SET time_zone = '{}'", zone(hours)))?;
        self.hours = hours;
        Ok(())
    }

    fn stopper(&mut self) -> Result<Stopper> {
        let id = self.connection.connection_id();
        let mut other = connected(&self.options)?;
        // https://dev.mysql.com/doc/refman/8.4/en/kill.html
        Ok(Box::new(move || other.query_drop(format!("KILL CONNECTION {id}")).map_err(explained)))
    }
}

/// A text as a literal, or NULL. In both, a backslash in a literal is an escape.
fn literal(text: Option<&str>) -> String {
    catalogue::text(text.map(|text| text.replace('\\', "\\\\")).as_deref())
}

/// An identifier with quotes.
fn ticked(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A time zone by its distance from Greenwich.
fn zone(hours: i8) -> String {
    format!("{hours:+03}:00")
}

/// The cells of a row.
fn texts(row: Row, columns: &[Column], hours: i8) -> Result<Vec<Option<String>>> {
    row.unwrap().into_iter().zip(columns).map(|(value, column)| text(value, column, hours)).collect()
}

/// A value as the server spells it, in the text protocol; what has no spelling gets one that `Value::parse` reads.
fn text(value: Value, column: &Column, hours: i8) -> Result<Option<String>> {
    /// The character set of what is no text. <https://dev.mysql.com/doc/refman/8.4/en/c-api-data-structures.html>
    const BINARY: u16 = 63;
    let bytes = match value {
        Value::NULL => return Ok(None),
        Value::Bytes(bytes) => bytes,
        other => return Err(anyhow!("the server answered {other:?} in a protocol that was not asked for")),
    };
    let hex = |bytes: &[u8]| format!("\\x{}", crate::dialect::literal::hex(bytes));
    Ok(Some(match column.column_type() {
        ColumnType::MYSQL_TYPE_BIT => {
            bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)).to_string()
        }
        ColumnType::MYSQL_TYPE_GEOMETRY | ColumnType::MYSQL_TYPE_VECTOR => hex(&bytes),
        ColumnType::MYSQL_TYPE_TINY_BLOB
        | ColumnType::MYSQL_TYPE_BLOB
        | ColumnType::MYSQL_TYPE_MEDIUM_BLOB
        | ColumnType::MYSQL_TYPE_LONG_BLOB
        | ColumnType::MYSQL_TYPE_STRING
        | ColumnType::MYSQL_TYPE_VAR_STRING
        | ColumnType::MYSQL_TYPE_VARCHAR
            if column.character_set() == BINARY =>
        {
            hex(&bytes)
        }
        ty => {
            let text = String::from_utf8(bytes).context("a text is not UTF-8")?;
            // An instant, in the session's zone: https://dev.mysql.com/doc/refman/8.4/en/datetime.html
            if ty == ColumnType::MYSQL_TYPE_TIMESTAMP { text + &zone(hours) } else { text }
        }
    }))
}

/// `host:port`, when both can be shown: a password with an unescaped `@` or `/` can end up in them.
fn place(options: &Opts) -> Option<String> {
    let host = options.get_ip_or_hostname();
    let plain = host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:".contains(&b));
    (plain && options.get_user().is_some()).then(|| format!("{host}:{}", options.get_tcp_port()))
}

/// The server's message with its codes, or what the client met; never an address, which can hold a part of a password.
fn explained(error: Error) -> anyhow::Error {
    match error {
        Error::MySqlError(server) => anyhow!("{} (error {}, SQLSTATE {})", server.message, server.code, server.state),
        Error::DriverError(DriverError::CouldNotConnect(Some((_, _, kind)))) => anyhow!("{kind}"),
        Error::DriverError(fault) => anyhow!("{fault}"),
        Error::IoError(fault) => anyhow!("the connection to the server is lost: {fault}"),
        Error::CodecError(fault) => anyhow!("the connection to the server is lost: {fault}"),
        Error::UrlError(_) => anyhow!("the URL cannot be used"),
        other => anyhow!("{other}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    /// The error of a URL at which nothing answers.
    fn refused(url: &str) -> String {
        let session = crate::engine::open(url).and_then(|database| database.session());
        format!("{:#} {0:?}", session.err().unwrap())
    }

    #[test]
    fn an_error_shows_the_server_and_never_the_password() {
        for scheme in KIND.schemes {
            let error = refused(&format!("{scheme}://me:s3cret@127.0.0.1:1/db"));
            assert!(error.contains("127.0.0.1:1") && error.contains("refused"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn a_password_with_special_characters_is_not_shown_by_accident() {
        for url in [
            "mysql://me:s3cret@x@127.0.0.1:1/db",
            "mysql://me:x@s3cret@127.0.0.1:1/db",
            "mysql://me:s3cret/x@127.0.0.1:1/db",
            "mysql://me:x?s3cret@127.0.0.1:1/db",
            "mysql://me:x?s3cret=1@127.0.0.1:1/db",
            "mysql://me:1?s3cret=1@127.0.0.1:1/db",
            "mysql://me@127.0.0.1:1/db?s3cret=1",
            "mysql://me@127.0.0.1:1/db?socket=/s3cret",
            "mysql://me:%s3cret@127.0.0.1:1/db",
            "mysql://me:x#s3cret@127.0.0.1:1/db",
            "mysql://me:s3cret@127.0.0.1:1/db?ssl-mode=REQUIRED",
            "mysql:s3cret",
            "mariadb://me:s3cret",
        ] {
            let error = refused(url);
            assert!(!error.contains("s3cret"), "{url}: {error}");
        }
        // Without the `@` of a user, the port may be the beginning of a password.
        let error = refused("mysql://127.0.0.1:1/23@x/db");
        assert!(!error.contains("127.0.0.1"), "{error}");
    }

    #[test]
    fn a_counter_that_began_anew_has_grown_by_all_of_it() {
        assert_eq!((growth(3, 5), growth(5, 5), growth(5, 2)), (2, 0, 2));
    }
}
