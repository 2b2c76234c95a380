//! The dialect of a file that nobody named: from a comment at its top, from its path, or from words that only one
//! dialect has.

use crate::dialect;
use crate::dialect::Dialect;
use crate::dialect::client::{FOREIGN, RELATED};
use std::sync::LazyLock;

/// How much of a text is looked at for a comment about the whole file.
pub(crate) const TOP: usize = 4 * 1024;

/// How much of a text is looked at for signs.
const MUCH: usize = 64 * 1024;

/// Aliases that are the name of something else where they stand in a path: a folder of changes, a server, a template.
const NOT_IN_PATHS: &[&str] = &["d1", "delta", "fabric", "neon", "synapse"];

/// What a file name begins with where the engine follows: `schema-NAME.sql`, `tables_NAME.sql`. Other names may speak
/// of two engines: `import_from_NAME.sql`.
const BEFORE_ENGINE: &[&str] = &["create", "data", "ddl", "init", "install", "schema", "setup", "tables"];

/// The dialect of a file, or nothing where nothing clear tells it.
pub fn dialect(path: &str, text: &str) -> Option<&'static Dialect> {
    let declared = declared(text).and_then(dialect::find_any);
    declared.or_else(|| by_tool(text)).or_else(|| by_path(path)).or_else(|| by_signs(text).filter(|_| !foreign(path)))
}

/// True when a folder or a part of the file's name names a database that is none of ours.
fn foreign(path: &str) -> bool {
    names_one_of(path, FOREIGN)
}

/// True when the path names a relative of a dialect: read like it, and with guards that the dialect itself lacks.
pub fn related(path: &str) -> bool {
    names_one_of(path, RELATED)
}

fn names_one_of(path: &str, names: &[&str]) -> bool {
    let path = path.to_ascii_lowercase();
    path.split(['/', '\\', '.', '_', '-']).any(|part| names.contains(&part))
}

/// The name that a comment near the top of a file gives its dialect, as it is written there: `-- idemsql: dialect NAME`,
/// or `-- sqlfluff:dialect:NAME` (<https://docs.sqlfluff.com/en/stable/configuration/setting_configuration.html>), or
/// the first line of a change of sqitch, `-- Deploy project:change to NAME`
/// (<https://sqitch.org/docs/manual/sqitch-add/>).
pub fn declared(text: &str) -> Option<&str> {
    top_lines(text).find_map(|line| {
        let comment = line.strip_prefix("--").or_else(|| line.strip_prefix('#'))?.trim();
        if let Some(rest) = comment.strip_prefix("idemsql:") {
            return name(rest.trim_start().strip_prefix("dialect")?);
        }
        if let Some(rest) = comment.strip_prefix("sqlfluff:") {
            return name(rest.trim_start().strip_prefix("dialect")?);
        }
        let change = ["Deploy ", "Revert ", "Verify "].iter().find_map(|word| comment.strip_prefix(word))?;
        let (_, engine) = change.rsplit_once(" to ").or_else(|| change.rsplit_once(" from "))?;
        dialect::find_any(engine).map(|_| engine)
    })
}

/// The lines near the top of a text, without the spaces around them.
pub(crate) fn top_lines(text: &str) -> impl Iterator<Item = &str> {
    head(text, TOP).trim_start_matches('\u{feff}').lines().map(str::trim)
}

/// The first of them, in which a tool says what it wrote.
pub(crate) fn first_lines(text: &str) -> impl Iterator<Item = &str> {
    top_lines(text).take(30).filter(|line| !line.is_empty())
}

/// At most so many bytes from the beginning of a text.
pub(crate) fn head(text: &str, length: usize) -> &str {
    let end = (0..=length.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// The word behind `dialect`, with a colon or an equals sign before it or not.
fn name(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t', ':', '=']);
    rest.split([' ', '\t', ',', ';']).next().filter(|name| !name.is_empty())
}

/// The dialect whose tool wrote the file.
fn by_tool(text: &str) -> Option<&'static Dialect> {
    first_lines(text).find_map(|line| {
        dialect::ALL.iter().copied().find(|dialect| {
            let mut headers = dialect.client.dumps.iter().chain(dialect.client.headers);
            headers.any(|header| line.starts_with(header))
        })
    })
}

/// The dialect that the path names: the nearer to the end, the more it counts.
fn by_path(path: &str) -> Option<&'static Dialect> {
    let mut components = path.rsplit(['/', '\\']);
    let file = components.next()?;
    by_file_name(file).or_else(|| components.find_map(named))
}

fn by_file_name(file: &str) -> Option<&'static Dialect> {
    let mut parts = file.rsplit('.');
    let ending = parts.next().filter(|ending| ending.len() < file.len())?;
    let by_ending = dialect::ALL
        .iter()
        .copied()
        .find(|dialect| dialect.client.endings.iter().any(|known| known.eq_ignore_ascii_case(ending)));
    by_ending.or_else(|| named(ending)).or_else(|| parts.find_map(named)).or_else(|| {
        let (before, engine) = file.split('.').next()?.split_once(['-', '_'])?;
        BEFORE_ENGINE.iter().any(|word| word.eq_ignore_ascii_case(before)).then(|| named(engine))?
    })
}

/// The dialect of a part of a path, which may have a version behind it: `NAME15`, `NAME-8`.
fn named(part: &str) -> Option<&'static Dialect> {
    let plain = part.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['-', '_']);
    [part, plain]
        .into_iter()
        .filter(|word| !NOT_IN_PATHS.iter().any(|not| not.eq_ignore_ascii_case(word)))
        .find_map(dialect::find_any)
        .filter(|dialect| !dialect.client.lenient)
}

/// One sign and the place of its dialect in the list.
struct Sign {
    text: &'static [u8],
    dialect: usize,
}

/// Every sign, sorted, and where those with a given first byte begin.
struct Signs {
    all: Vec<Sign>,
    from: [usize; 257],
    /// The bytes that follow each first byte in some sign, one bit for each: what most words fail at.
    second: [u128; 256],
}

static SIGNS: LazyLock<Signs> = LazyLock::new(|| {
    let mut all = Vec::with_capacity(512);
    for (place, dialect) in dialect::ALL.iter().enumerate() {
        all.extend(dialect.client.signs.iter().map(|sign| Sign { text: sign.as_bytes(), dialect: place }));
    }
    all.sort_unstable_by_key(|sign| sign.text);
    let from = std::array::from_fn(|byte| {
        all.partition_point(|sign| sign.text.first().is_some_and(|first| usize::from(*first) < byte))
    });
    let mut second = [0; 256];
    for sign in &all {
        if let [first, next, ..] = sign.text {
            second[usize::from(*first)] |= 1 << (next & 127);
        }
    }
    Signs { all, from, second }
});

impl Signs {
    /// The longest sign with which the bytes begin: the last in their order.
    fn at(&self, bytes: &[u8]) -> Option<usize> {
        let [first, next, ..] = bytes else { return None };
        let first = usize::from(first.to_ascii_uppercase());
        if self.second[first] >> (next.to_ascii_uppercase() & 127) & 1 == 0 {
            return None;
        }
        let mut candidates = self.from[first]..self.from[first + 1];
        candidates.rfind(|sign| stands(self.all[*sign].text, bytes))
    }
}

/// The dialect that has at least twice as many of its signs in the text as any other. A sign counts once, so that a
/// long list of alike lines says no more than one of them.
fn by_signs(text: &str) -> Option<&'static Dialect> {
    let bytes = &text.as_bytes()[..text.len().min(MUCH)];
    let signs = &*SIGNS;
    let mut seen = vec![false; signs.all.len()];
    let mut counts = vec![0_usize; dialect::ALL.len()];
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if let Some(sign) = signs.at(&bytes[at..])
            && !std::mem::replace(&mut seen[sign], true)
        {
            counts[signs.all[sign].dialect] += 1;
        }
        at = if is_word(byte) {
            // No sign begins inside a word.
            bytes[at..].iter().position(|byte| !is_word(*byte)).map_or(bytes.len(), |length| at + length)
        } else {
            after(bytes, at)
        };
    }
    if bare_if(bytes)
        && let Some(place) = dialect::ALL.iter().position(|dialect| dialect.client.optional_semicolons)
    {
        counts[place] += 1;
    }
    let best = counts.iter().copied().max().filter(|best| *best > 0)?;
    let mut clear = counts.iter().enumerate().filter(|(_, count)| **count * 2 > best);
    match (clear.next(), clear.next()) {
        (Some((place, _)), None) => dialect::ALL.get(place).copied(),
        _ => None,
    }
}

/// True when a line begins with `IF [NOT] EXISTS (..)` and no THEN follows: only one dialect has that. Where the clause
/// stands inside a routine of another one, THEN follows.
fn bare_if(bytes: &[u8]) -> bool {
    let mut line = 0;
    while line < bytes.len() {
        let end = bytes[line..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| line + length + 1);
        if let Some(open) = condition(&bytes[line..end]) {
            let mut depth = 0_usize;
            let close = bytes[line + open..].iter().position(|byte| {
                match byte {
                    b'(' => depth += 1,
                    b')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            });
            let Some(close) = close else { return false };
            let behind = bytes[line + open + close + 1..].trim_ascii_start();
            let word = &behind[..behind.iter().position(|byte| !is_word(*byte)).unwrap_or(behind.len())];
            if ["then", "and", "or", ""].iter().all(|other| !word.eq_ignore_ascii_case(other.as_bytes())) {
                return true;
            }
        }
        line = end;
    }
    false
}

/// Where the bracket opens in a line that begins with `IF [NOT] EXISTS (`.
fn condition(line: &[u8]) -> Option<usize> {
    let mut rest = line.trim_ascii_start();
    for (word, needed) in [("if", true), ("not", false), ("exists", true)] {
        let found = rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
            && !rest.get(word.len()).copied().is_some_and(is_word);
        if found {
            rest = rest[word.len()..].trim_ascii_start();
        } else if needed {
            return None;
        }
    }
    rest.starts_with(b"(").then(|| line.len() - rest.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// A sign begins the bytes, and its last word ends there.
fn stands(sign: &[u8], bytes: &[u8]) -> bool {
    let Some((head, rest)) = bytes.split_at_checked(sign.len()) else { return false };
    let open = sign.last().is_some_and(u8::is_ascii_alphabetic) && rest.first().is_some_and(|byte| is_word(*byte));
    !open && head.eq_ignore_ascii_case(sign)
}

/// The next byte to look at behind one that is no word: behind a comment or a string literal where one begins here.
fn after(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let length = match (rest[0], rest.get(1)) {
        (b'-', Some(b'-')) => memchr::memchr(b'\n', rest),
        (b'/', Some(b'*')) => memchr::memmem::find(&rest[2..], b"*/").map(|end| end + 4),
        (b'\'', _) => string(rest),
        _ => Some(1),
    };
    at + length.unwrap_or(rest.len())
}

/// The length of a string literal. Whether a backslash escapes, the dialect would tell: here it does unless the literal
/// seems to end behind it.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'\'')? + 1;
        let ends = bytes.get(at).is_none_or(|next| next.is_ascii_whitespace() || matches!(next, b',' | b';' | b')'));
        if ends || bytes.get(at - 2) != Some(&b'\\') {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn of(path: &str, text: &str) -> Option<&'static str> {
        dialect(path, text).map(|dialect| dialect.name)
    }

    #[test]
    fn a_comment_at_the_top_names_the_dialect() {
        for (text, name) in [
            ("-- idemsql: dialect mysql\nSELECT 1", Some("mysql")),
            ("\u{feff}-- Copyright\r\n--idemsql: dialect=tsql\r\n", Some("sqlserver")),
            ("-- sqlfluff:dialect:snowflake\n", Some("snowflake")),
            ("# idemsql: dialect: MariaDB, and more", Some("mariadb")),
            ("-- Deploy flipr:users to pg\n", Some("postgres")),
            ("-- Revert flipr:users from mysql\n", Some("mysql")),
            ("-- Deploy the house to Anna\n", None),
            ("-- idemsql: allow insert-select-append -- the dialect of mysql", None),
            ("SELECT '-- idemsql: dialect mysql'", None),
            ("-- idemsql: dialect dbase\n", None),
        ] {
            assert_eq!(of("x.sql", text), name, "{text}");
        }
        assert_eq!(declared("-- idemsql: dialect dbase\n"), Some("dbase"));
        assert_eq!(declared("-- idemsql: dialect\n"), None);
        assert_eq!(of("migrations/mysql/x.sql", "-- sqlfluff:dialect:sqlite\n"), Some("sqlite"));
        let late = format!("{}-- idemsql: dialect mysql\n", "-- x\n".repeat(2000));
        assert_eq!(of("x.sql", &late), None);
    }

    #[test]
    fn a_tool_is_known_by_how_it_begins() {
        for (text, name) in [
            ("--\n-- PostgreSQL database dump\n--\n\n\\restrict x\n", Some("postgres")),
            ("-- MySQL dump 10.13  Distrib 8.0.36\n", Some("mysql")),
            ("/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19\n", Some("mariadb")),
            ("-- MariaDB dump 10.19\n", Some("mariadb")),
            ("PRAGMA foreign_keys=OFF;\r\nBEGIN TRANSACTION;\r\n", Some("sqlite")),
            ("USE [x]\r\nGO\r\n/****** Object:  Table [dbo].[t]    Script Date: 1 ******/\r\n", Some("sqlserver")),
            ("-- Databricks notebook source\nSELECT 1\n", Some("databricks")),
            ("--------\n--  DDL for Table T\n--------\n", Some("oracle")),
            ("-- what a MySQL dump 10.13 looks like\n", None),
        ] {
            assert_eq!(of("x.sql", text), name, "{text}");
        }
    }

    #[test]
    fn a_path_names_the_dialect() {
        for (path, name) in [
            ("migrations/postgresql/V1.sql", Some("postgres")),
            ("db\\MSSQL\\V1.sql", Some("sqlserver")),
            ("x.mysql.sql", Some("mysql")),
            ("x.pg.sql", Some("postgres")),
            ("20251104_x.sqlite.up.sql", Some("sqlite")),
            ("20251104_x.cockroach.up.sql", Some("postgres")),
            ("supabase/migrations/1_x.sql", Some("postgres")),
            ("mysql8/postgres15/x.sql", Some("postgres")),
            ("mysql-8/x.sql", Some("mysql")),
            ("72/07_x.sql.postgres", Some("postgres")),
            ("schema-postgresql.sql", Some("postgres")),
            ("tables_oracle.sql", Some("oracle")),
            ("a.PGSQL", Some("postgres")),
            ("a.psql", Some("postgres")),
            ("a.tsql", Some("sqlserver")),
            ("a.hql", Some("databricks")),
            ("a.pkb", Some("oracle")),
            ("a.prc", Some("oracle")),
            ("schema-h2.sql", None),
            ("import_from_mysql.sql", None),
            ("import-mysql.sql", None),
            ("mysqlish/x.sql", None),
            ("synapse/storage/delta/x.sql", None),
            ("generic/ansi/x.sql", None),
            ("mysql", None),
            ("-", None),
            ("", None),
        ] {
            assert_eq!(of(path, ""), name, "{path}");
        }
    }

    #[test]
    fn signs_tell_the_dialect_where_one_leads_clearly() {
        for (text, name) in [
            ("create table t (id int auto_increment primary key) engine=InnoDB;", Some("mysql")),
            ("CREATE TABLE [dbo].[t] (id INT IDENTITY(1,1), n NVARCHAR(20));\nGO", Some("sqlserver")),
            ("CREATE TABLE t (id NUMBER(10), n VARCHAR2(20 CHAR));", Some("oracle")),
            ("DO $$ BEGIN RAISE NOTICE 'x'; END $$;", Some("postgres")),
            ("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT);", Some("sqlite")),
            ("CREATE TABLE t (a UInt64) ENGINE = ReplacingMergeTree(a) ORDER BY a", Some("clickhouse")),
            ("CREATE TABLE t (a INT64) OPTIONS (require_partition_filter = true)", Some("bigquery")),
            ("CREATE TABLE t (id int) DISTKEY(id) SORTKEY(id);", Some("redshift")),
            ("COPY INTO @stage FROM t; USE ROLE r;", Some("snowflake")),
            ("CREATE TABLE t (a int) USING delta TBLPROPERTIES ('x' = 'y')", Some("databricks")),
            ("CREATE TABLE t WITH (partitioning = ARRAY['d']) AS SELECT 1", Some("trino")),
            ("SELECT * FROM read_parquet('x.parquet')", Some("duckdb")),
            ("/*!40101 SET NAMES utf8 */;", Some("mysql")),
            ("CREATE TABLE t (a int) WITH SYSTEM VERSIONING", Some("mariadb")),
            ("PRAGMA AUTONOMOUS_TRANSACTION;", Some("oracle")),
            ("IF NOT EXISTS (SELECT 1 FROM t WHERE id = 1)\n  INSERT INTO t (id) VALUES (1)", Some("sqlserver")),
            ("IF NOT EXISTS (SELECT 1 FROM t WHERE id = 1) THEN\n  INSERT INTO t (id) VALUES (1);\nEND IF;", None),
            ("DO $$ BEGIN\nIF EXISTS (SELECT f(1)) THEN\nNULL; END IF; END $$", Some("postgres")),
            // A draw, a word of a name, a comment, a string.
            ("SELECT x::jsonb; CREATE TABLE t (a int AUTO_INCREMENT)", None),
            ("SELECT my_bytea, bytea_x, xbytea FROM t", None),
            ("SELECT 1; -- unlike MySQL's AUTO_INCREMENT", None),
            ("/* jsonb and\n bytea */ SELECT 1", None),
            ("SELECT 'the jsonb''s bytea', 'AUTO_INCREMENT'", None),
            ("SELECT 'it\\'s jsonb', 1", None),
            ("SELECT 'C:\\', 'x', a::jsonb", Some("postgres")),
            ("SELECT * FROM t WHERE a = 1", None),
            ("SELECT 'open jsonb", None),
            ("/* open jsonb", None),
            ("", None),
        ] {
            assert_eq!(of("x.sql", text), name, "{text}");
        }
    }

    #[test]
    fn the_path_of_another_database_says_that_the_signs_mislead() {
        let text = "CREATE OR REPLACE PROCEDURE dbo.p AS BEGIN SELECT GETDATE() END\nGO";
        assert_eq!(of("x.sql", text), Some("sqlserver"));
        for path in ["db/sqlanywhere/x.sql", "x_db2.sql", "schema.teradata.sql"] {
            assert_eq!(of(path, text), None, "{path}");
        }
        assert_eq!(of("db2/postgres/x.sql", "SELECT 1"), Some("postgres"));
    }

    #[test]
    fn every_sign_is_found_and_leads_to_its_dialect() {
        for dialect in dialect::ALL {
            for sign in dialect.client.signs {
                let text = format!("x ({} ;", sign.to_lowercase());
                assert_eq!(by_signs(&text).map(|found| found.name), Some(dialect.name), "{sign}");
            }
        }
    }

    #[test]
    fn only_the_head_of_a_long_text_is_read() {
        let long = format!("{}CREATE TABLE t (a BYTEA);", "SELECT 1;\n".repeat(MUCH / 10 + 1));
        assert_eq!(of("x.sql", &long), None);
        // The cut may go through a character.
        for extra in 0..4 {
            let long = format!("{}{}", "x".repeat(extra), "\u{1F600}".repeat(MUCH / 4 + 10));
            assert_eq!(of("x.sql", &long), None);
        }
    }
}
