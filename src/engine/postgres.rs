//! A PostgreSQL server, by URL.

use super::tls;
use super::{Database, Engine, Kind, Physical, Rows, Stopper, TableName, catalogue, quoted};
use anyhow::{Context as _, Result, anyhow, bail};
use postgres::config::Host;
use postgres::{Client, Config, SimpleQueryMessage};
use std::collections::BTreeSet;

pub(super) static KIND: Kind = Kind {
    name: "postgres",
    schemes: &["postgres", "postgresql"],
    docs: "`postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with TLS where the server has it. As in libpq, \
           `?sslmode=require` refuses a server without TLS, `disable` goes without, and neither looks at the server's \
           certificate; `verify-ca` and `verify-full` are not there. Physical writes to a table are seen in the `ctid`, \
           `xmin` and `xmax` of its rows, which also change when a row is only locked; the bytes of WAL count those of \
           the whole server.",
    open: |url| Ok(Box::new(Server { config: read(url)? })),
    look: |url| Ok(Box::new(Postgres::open(url)?)),
};

/// Tables that are read or written, without the partitions of another. <https://www.postgresql.org/docs/current/catalogs.html>
const COLUMNS: &str = "SELECT n.nspname, c.relname, obj_description(c.oid, 'pg_class'), a.attname, \
     format_type(a.atttypid, a.atttypmod), a.attnotnull::int, \
     CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END, (a.attgenerated <> '')::int, \
     CASE WHEN a.attidentity <> '' THEN a.attidentity::text \
     WHEN pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%' THEN 'd' END, col_description(c.oid, a.attnum) \
     FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace \
     JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
     LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum \
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname = COALESCE({schema}, n.nspname) \
     AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' ORDER BY n.nspname, c.relname, a.attnum";

/// What a name without a schema is looked up in: <https://www.postgresql.org/docs/15/ddl-schemas.html#DDL-SCHEMAS-PATH>
const PATH: &str = "CASE WHEN {schema} IS NULL THEN current_schemas(false) ELSE ARRAY[{schema}]::name[] END";

/// Whatever has a name; a part of a table is no table of its own.
/// <https://www.postgresql.org/docs/15/catalog-pg-class.html>
const NAMED: &str = "SELECT n.nspname, c.relname, CASE WHEN c.relispartition THEN 'a partition of another table' \
     WHEN c.relkind IN ('r', 'p') THEN 'table' WHEN c.relkind = 'v' THEN 'a view' WHEN c.relkind = 'm' THEN \
     'a materialized view' WHEN c.relkind = 'f' THEN 'a foreign table' WHEN c.relkind IN ('i', 'I') THEN 'an index' \
     WHEN c.relkind = 'S' THEN 'a sequence' ELSE 'a type' END \
     FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace \
     WHERE c.relname = {name} AND n.nspname = ANY ({path}) ORDER BY array_position({path}, n.nspname) LIMIT 1";

/// The schemas of a name that are there.
const SCHEMAS: &str = "SELECT n.nspname FROM pg_namespace AS n WHERE n.nspname = ANY ({path})";

/// Unique indexes that every statement keeps to: a deferred one cannot be named by ON CONFLICT.
/// Before 15, no index says what two nulls are.
const KEYS: &str = "SELECT n.nspname, c.relname, i.relname, x.indisprimary::int, (x.indpred IS NOT NULL)::int, \
     COALESCE(to_jsonb(x) ->> 'indnullsnotdistinct', 'false'), a.attname \
     FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid \
     JOIN pg_namespace AS n ON n.oid = c.relnamespace \
     CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k (attnum, place) \
     LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum AND k.attnum > 0 \
     WHERE x.indisunique AND x.indimmediate AND x.indisvalid AND k.place <= x.indnkeyatts \
     AND n.nspname = COALESCE({schema}, n.nspname) AND n.nspname NOT LIKE 'pg\\_%' \
     ORDER BY n.nspname, c.relname, x.indisprimary DESC, i.relname, k.place";

/// A server, and how to reach it.
struct Server {
    config: Config,
}

impl Database for Server {
    fn session(&self) -> Result<Box<dyn Engine>> {
        Ok(Box::new(Postgres::connect(&self.config)?))
    }
}

/// A session on a PostgreSQL server.
pub struct Postgres {
    client: Client,
    config: Config,
}

/// Reads a URL. No error holds any part of it.
fn read(url: &str) -> Result<Config> {
    if url.contains("sslmode=verify") {
        bail!(
            "`sslmode=verify-ca` and `verify-full` are not there: write `require`, which encrypts and verifies nothing"
        );
    }
    // The parser's own message can quote the URL, so it is not passed on.
    url.parse().map_err(|_| {
        anyhow!(
            "this is not a URL of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX"
        )
    })
}

/// A connection to the server.
fn connected(config: &Config) -> Result<Client> {
    config.connect(tls::encrypting()?).map_err(explained).with_context(|| match place(config) {
        Some(place) => format!("cannot connect to the PostgreSQL server at {place}"),
        None => "cannot connect to the PostgreSQL server".to_owned(),
    })
}

impl Postgres {
    /// A session at the URL. No error holds the password, nor any part of a URL that cannot be read.
    pub fn open(url: &str) -> Result<Self> {
        Self::connect(&read(url)?)
    }

    fn connect(config: &Config) -> Result<Self> {
        let mut session = Self { client: connected(config)?, config: config.clone() };
        // The settings under which PostgreSQL prints what `Value::parse` reads.
        session.run_script("SET DateStyle = 'ISO'; SET bytea_output = 'hex'; SET extra_float_digits = 1")?;
        Ok(session)
    }

    /// The first cell of the first row.
    fn one(&mut self, sql: &str) -> Result<String> {
        let rows = self.query(sql)?.rows;
        rows.into_iter().flatten().flatten().next().context("the query answered nothing")
    }
}

impl Engine for Postgres {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn dialect(&self) -> &'static str {
        KIND.name
    }

    fn version(&mut self) -> Result<String> {
        self.one("SHOW server_version")
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        let outcome = self.execute(sql);
        if outcome.is_err() {
            // The script may have begun a transaction; when it had not, this is a warning and no more. When the connection is
            // lost, the server has done it.
            drop(self.client.batch_execute("ROLLBACK"));
        }
        outcome
    }

    fn execute(&mut self, statement: &str) -> Result<()> {
        self.client.batch_execute(statement).map_err(explained)
    }

    fn change(&mut self, statement: &str) -> Result<u64> {
        let messages = self.client.simple_query(statement).map_err(explained)?;
        let count = messages.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::CommandComplete(count) => Some(*count),
            _ => None,
        });
        count.context("the server did not say how many rows the statement wrote")
    }

    fn rollback(&mut self) -> Result<()> {
        // Without a transaction this is a warning and no more.
        self.execute("ROLLBACK")
    }

    fn query(&mut self, sql: &str) -> Result<Rows> {
        let mut rows = Rows::default();
        for message in self.client.simple_query(sql).map_err(explained)? {
            match message {
                SimpleQueryMessage::RowDescription(columns) => {
                    rows.columns = columns.iter().map(|column| column.name().to_owned()).collect();
                }
                SimpleQueryMessage::Row(row) => {
                    rows.rows.push((0..row.len()).map(|i| row.get(i).map(str::to_owned)).collect());
                }
                _ => {}
            }
        }
        Ok(rows)
    }

    fn physical(&mut self, table: TableName<'_>) -> Result<Physical> {
        let versions = self.query(&format!("SELECT tableoid, ctid, xmin, xmax FROM {}", table.quoted()))?;
        let versions: BTreeSet<String> =
            versions.rows.into_iter().map(|row| row.into_iter().flatten().collect::<Vec<_>>().join(" ")).collect();
        // https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP
        let bytes = self.one("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")?;
        Ok(Physical { versions, table: Vec::new(), session: vec![("bytes of WAL on the server", bytes.parse()?)] })
    }

    fn tables(&mut self, schema: Option<&str>) -> Result<Vec<catalogue::Table>> {
        let schema = catalogue::text(schema);
        let [columns, keys] = [COLUMNS, KEYS].map(|sql| self.query(&sql.replace("{schema}", &schema)));
        catalogue::tables(columns?, keys?)
    }

    fn find(&mut self, table: TableName<'_>) -> Result<catalogue::Found> {
        let [schema, name] = [table.schema, Some(table.name)].map(catalogue::text);
        let [named, schemas] =
            [NAMED, SCHEMAS].map(|sql| self.query(&catalogue::about(&sql.replace("{path}", PATH), &schema, &name)));
        catalogue::found(named?, &schemas?)
    }

    fn create_schema(&mut self, name: &str) -> Result<()> {
        self.run_script(&format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(name)))
    }

    fn drop_schema(&mut self, name: &str) -> Result<()> {
        self.run_script(&format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(name)))
    }

    fn use_schema(&mut self, name: &str) -> Result<()> {
        self.run_script(&format!("SET search_path = {}", quoted(name)))
    }

    fn use_time_zone(&mut self, hours: i8) -> Result<()> {
        self.run_script(&format!("SET TIME ZONE {hours}"))
    }

    fn stopper(&mut self) -> Result<Stopper> {
        let process = self.one("SELECT pg_backend_pid()")?;
        let mut other = connected(&self.config)?;
        Ok(Box::new(move || {
            // https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-SIGNAL
            other.batch_execute(&format!("SELECT pg_terminate_backend({process})")).map_err(explained)
        }))
    }
}

/// `host:port`, when both can be shown: a password with an unescaped `@` or `/` can end up in them.
fn place(config: &Config) -> Option<String> {
    let plain = |host: &str| host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_/".contains(&b));
    match config.get_hosts().first()? {
        Host::Tcp(host) if plain(host) && config.get_user().is_some() => {
            Some(format!("{host}:{}", config.get_ports().first().copied().unwrap_or(5432)))
        }
        _ => None,
    }
}

/// The server's message with its code and its hint, or the client's with its cause.
fn explained(error: postgres::Error) -> anyhow::Error {
    let Some(server) = error.as_db_error() else { return error.into() };
    let more = [server.detail(), server.hint()].into_iter().flatten();
    let message = more.fold(server.message().to_owned(), |message, more| format!("{message}; {more}"));
    anyhow!("{message} (SQLSTATE {})", server.code().code())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    /// The error of a URL at which nothing answers.
    fn refused(url: &str) -> String {
        format!("{:#} {0:?}", Postgres::open(url).err().unwrap())
    }

    #[test]
    fn an_error_shows_the_server_and_never_the_password() {
        let error = refused("postgres://me:s3cret@127.0.0.1:1/db");
        assert!(error.contains("127.0.0.1:1"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
    }

    #[test]
    fn a_password_with_special_characters_is_not_shown_by_accident() {
        for url in [
            "postgres://me:s3cret@x@127.0.0.1:1/db",
            "postgres://me:x@s3cret@127.0.0.1:1/db",
            "postgres://me:s3cret/x@127.0.0.1:1/db",
            "postgres://me:x?s3cret@127.0.0.1:1/db",
            "postgres://me:x?s3cret=1@127.0.0.1:1/db",
            "postgres://me:%s3cret@127.0.0.1:1/db",
            "postgres://me:x#s3cret@127.0.0.1:1/db",
            "postgres://me:s3cret@127.0.0.1:1/db?sslmode=s3cret",
            "postgres://me:s3cret@127.0.0.1:1/db?sslmode=verify-full",
        ] {
            let error = refused(url);
            assert!(!error.contains("s3cret"), "{url}: {error}");
        }
    }
}
