//! What sqruff does not know although the engine does, each with what the reader is given in its place: everything around
//! it is read all the same.

/// A construct that the reader does not know.
pub struct Exception {
    /// The dialects of ours.
    pub dialects: &'static [&'static str],
    /// The text; `*` stands for anything up to what follows it, inside one line.
    pub text: &'static str,
    /// What is read instead; `*` is what the first one stood for.
    pub instead: &'static str,
    /// Why the engine takes it.
    pub because: &'static str,
}

/// Every exception.
pub const ALL: &[Exception] = &[
    Exception {
        dialects: &["ansi", "mariadb", "mysql", "snowflake", "trino"],
        text: "CAST(? AS ",
        instead: "CAST(NULL AS ",
        because: "a bind parameter stands where any value can; the reader knows `?` in some places only",
    },
    Exception {
        dialects: &["clickhouse"],
        text: "CAST({*} AS ",
        instead: "CAST(NULL AS ",
        because: "ClickHouse's query parameters: https://clickhouse.com/docs/en/sql-reference/syntax#defining-and-using-query-parameters",
    },
    Exception {
        dialects: &["clickhouse"],
        text: "LIMIT 1 BY LOWER(s.colour)",
        instead: "LIMIT 1 BY s.colour",
        because: "LIMIT BY takes any expression: https://clickhouse.com/docs/sql-reference/statements/select/limit-by",
    },
    Exception {
        dialects: &["oracle"],
        text: "SET TRANSACTION READ WRITE;",
        instead: "",
        because: "Oracle's SET TRANSACTION, which must be the first statement of its transaction: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SET-TRANSACTION.html",
    },
    Exception {
        dialects: &["oracle"],
        text: "LOCK TABLE * IN EXCLUSIVE MODE;",
        instead: "",
        because: "Oracle's LOCK TABLE: https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/LOCK-TABLE.html",
    },
    Exception {
        dialects: &["oracle"],
        text: "DELETE WHERE * = 1",
        instead: "",
        because: "Oracle's DELETE WHERE behind the UPDATE of a MERGE: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html",
    },
    Exception {
        dialects: &["oracle"],
        text: ")\nWHERE b.is_* = 0;",
        instead: ");",
        because: "Oracle's WHERE behind the INSERT of a MERGE: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html",
    },
    Exception {
        dialects: &["oracle"],
        text: " CHAR)",
        instead: ")",
        because: "a length in characters and not in bytes: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Data-Types.html",
    },
    Exception {
        dialects: &["sqlite"],
        text: "temp.idemsql_batch",
        instead: "idemsql_batch",
        because: "the schema of temporary tables, which the reader takes for the word TEMP: \
                  https://www.sqlite.org/lang_naming.html",
    },
    Exception {
        dialects: &["sqlite"],
        text: "INSERT INTO * AS t (",
        instead: "INSERT INTO * (",
        because: "the alias of an INSERT's target: https://www.sqlite.org/lang_insert.html",
    },
    Exception {
        dialects: &["sqlite"],
        text: "BEGIN IMMEDIATE;",
        instead: "BEGIN;",
        because: "a transaction that takes its lock at once: https://www.sqlite.org/lang_transaction.html",
    },
    Exception {
        dialects: &["snowflake"],
        text: "X'00FF27'",
        instead: "'00FF27'",
        because: "a binary literal: https://docs.snowflake.com/en/sql-reference/data-types-text#binary-literals",
    },
    Exception {
        dialects: &["trino"],
        text: "X'00FF27'",
        instead: "'00FF27'",
        because: "a varbinary literal: https://trino.io/docs/current/language/types.html#varbinary",
    },
    Exception {
        dialects: &["duckdb", "postgres", "redshift"],
        text: "\"say \"\"hi\"\"\"",
        instead: "\"say hi\"",
        because: "a quote inside a quoted name is doubled, as in the standard",
    },
];
