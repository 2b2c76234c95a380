//! A PostgreSQL server, by URL.

use super::{Engine, Kind, Physical, Rows, TableName, quoted};
use anyhow::{Context as _, Result, anyhow};
use postgres::config::Host;
use postgres::{Client, Config, NoTls, SimpleQueryMessage};
use std::collections::BTreeSet;

pub(super) static KIND: Kind = Kind {
    name: "postgres",
    schemes: &["postgres", "postgresql"],
    title: "PostgreSQL",
    docs: "`postgres://USER:PASSWORD@HOST:PORT/DATABASE`, without TLS. Physical writes to a table are seen in the \
           `ctid`, `xmin` and `xmax` of its rows, which also change when a row is only locked; the bytes of WAL \
           count those of the whole server.",
    connect: |url| Ok(Box::new(Postgres::open(url)?)),
};

/// A session on a PostgreSQL server.
pub struct Postgres {
    client: Client,
}

impl Postgres {
    /// A session at the URL. No error holds the password, nor any part of a URL that cannot be read.
    pub fn open(url: &str) -> Result<Self> {
        // The parser's own message can quote the URL, so it is not passed on.
        let config: Config = url.parse().map_err(|_| {
            anyhow!("this is not a URL of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX")
        })?;
        let client = config.connect(NoTls).map_err(explained).with_context(|| match place(&config) {
            Some(place) => format!("cannot connect to the PostgreSQL server at {place}"),
            None => "cannot connect to the PostgreSQL server".to_owned(),
        })?;
        let mut session = Self { client };
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

    fn version(&mut self) -> Result<String> {
        self.one("SHOW server_version")
    }

    fn run_script(&mut self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).or_else(|error| {
            // The script may have begun a transaction; when it had not, this is a warning and no more.
            self.client.batch_execute("ROLLBACK").map_err(explained)?;
            Err(explained(error))
        })
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

    fn create_schema(&mut self, name: &str) -> Result<()> {
        self.run_script(&format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(name)))
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
        ] {
            let error = refused(url);
            assert!(!error.contains("s3cret"), "{url}: {error}");
        }
    }
}
