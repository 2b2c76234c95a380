//! How scripts of a dialect are written and run: what its clients read beside SQL, and what running one twice meets.
//! Read by the script reader in `sql` and by the linter.

use super::probe::Probe;

/// Databases of which no dialect here knows anything, as folders and names of files call them. What looks like a dialect
/// in their files is none.
pub const FOREIGN: &[&str] = &[
    "db2",
    "derby",
    "firebird",
    "hana",
    "hsqldb",
    "informix",
    "ingres",
    "interbase",
    "netezza",
    "sqlanywhere",
    "sybase",
    "teradata",
    "vertica",
];

/// Databases that are read as a dialect here, and have guards which that dialect lacks.
pub const RELATED: &[&str] = &["cockroach", "cockroachdb", "crdb", "tidb", "yugabyte", "yugabytedb"];

/// One answer for each question about the scripts of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// Other names for the dialect on the command line and in file paths: lower case, sorted.
    pub aliases: &'static [&'static str],
    /// Endings of files that hold this dialect alone: lower case, without the dot, sorted.
    pub endings: &'static [&'static str],
    /// How a line begins near the top of a dump: a whole database or table, written by a tool to be loaded into an empty
    /// place.
    pub dumps: &'static [&'static str],
    /// How a line begins near the top of another file that a tool of this dialect wrote.
    pub headers: &'static [&'static str],
    /// Words that stand in scripts of this dialect and in few others, as they are looked for in the text, upper case.
    /// Used to tell the dialect of a file that nothing else tells.
    pub signs: &'static [&'static str],
    /// Lexical rules of several dialects hold at once: for scripts whose dialect nobody knows.
    pub lenient: bool,

    /// A line `GO` or `GO 5` ends a batch.
    pub go_lines: bool,
    /// `DELIMITER //` changes what ends a statement.
    pub delimiter_lines: bool,
    /// A line `/` ends a statement; lines of SQL*Plus (`SET`, `PROMPT`, `@file`) are commands, and PL/SQL blocks and
    /// routine bodies run to their END.
    pub slash_lines: bool,
    /// `\set x 1` is a command up to the end of the line; `:x`, `:'x'` and `:"x"` are variables.
    pub backslash_commands: bool,
    /// A line `.mode csv` is a command.
    pub dot_commands: bool,
    /// `//` opens a comment.
    pub slash_comments: bool,
    /// Statements need no semicolon, `IF` has no `THEN`, and `@x` and `#t` are local.
    pub optional_semicolons: bool,
    /// The rows of `COPY t FROM STDIN` follow the statement, up to a line `\.`
    pub copy_data: bool,

    /// What CREATE, DROP and ALTER offer for running them again.
    pub guards: Guards,
    /// How a script asks whether something is there, where there is no guard.
    pub probe: Probe,
    /// Definitions (CREATE, ALTER, DROP) are part of the transaction: rolled back with it.
    pub ddl_in_transaction: bool,
    /// TRUNCATE is part of the transaction, and does not end it.
    pub truncate_in_transaction: bool,
    /// Without BEGIN, each statement is its own transaction. (Oracle's begins by itself and lasts until COMMIT.)
    pub autocommit: bool,
    /// COMMIT where no transaction is open is an error, and not a notice or nothing.
    pub commit_alone_fails: bool,
    /// PRIMARY KEY and UNIQUE are enforced.
    pub enforces_keys: bool,
    /// Two source rows with one key make MERGE or an upsert fail; where false, one of them wins by chance.
    pub duplicates_fail: bool,
    /// Loading a file twice with the same COPY INTO is refused by the engine's own load history, unless forced.
    pub load_history: bool,
}

/// Which guards a dialect's parser accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guards {
    /// The version that has IF EXISTS and IF NOT EXISTS, where many older ones that do not are still run.
    pub since: Option<&'static str>,
    /// `CREATE TABLE IF NOT EXISTS`
    pub create_table: bool,
    /// `CREATE INDEX IF NOT EXISTS`
    pub create_index: bool,
    /// `CREATE SCHEMA IF NOT EXISTS`
    pub create_schema: bool,
    /// `CREATE DATABASE IF NOT EXISTS`
    pub create_database: bool,
    /// `CREATE SEQUENCE IF NOT EXISTS`
    pub create_sequence: bool,
    /// `CREATE VIEW IF NOT EXISTS`
    pub create_view: bool,
    /// `CREATE OR REPLACE TABLE`
    pub replace_table: bool,
    /// `CREATE OR REPLACE VIEW`
    pub replace_view: bool,
    /// `CREATE OR REPLACE FUNCTION` and `PROCEDURE`
    pub replace_routine: bool,
    /// `CREATE FUNCTION IF NOT EXISTS` and `PROCEDURE`
    pub create_routine: bool,
    /// `CREATE OR REPLACE TRIGGER`
    pub replace_trigger: bool,
    /// `CREATE TRIGGER IF NOT EXISTS`
    pub create_trigger: bool,
    /// `CREATE OR ALTER VIEW`, `PROCEDURE`, `FUNCTION`, `TRIGGER`
    pub or_alter: bool,
    /// `CREATE TYPE IF NOT EXISTS`
    pub create_type: bool,
    /// `CREATE ROLE IF NOT EXISTS`, `CREATE USER IF NOT EXISTS`
    pub create_role: bool,
    /// `CREATE POLICY IF NOT EXISTS`
    pub create_policy: bool,
    /// `ALTER TABLE t ADD COLUMN IF NOT EXISTS`
    pub add_column: bool,
    /// `ALTER TABLE t DROP COLUMN IF EXISTS`
    pub drop_column: bool,
    /// `ALTER TABLE t ADD CONSTRAINT IF NOT EXISTS`
    pub add_constraint: bool,
    /// `ALTER TABLE t DROP CONSTRAINT IF EXISTS`
    pub drop_constraint: bool,
    /// `DROP TABLE IF EXISTS` and its kin
    pub drop: bool,
    /// `DROP INDEX IF EXISTS`
    pub drop_index: bool,
}
