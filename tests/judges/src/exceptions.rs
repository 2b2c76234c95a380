//! What a reader does not know although the engine does, each with what the reader is given in its place: everything
//! around it is read all the same.

/// A construct that a reader does not know.
pub struct Exception {
    /// The reader, by its name.
    pub reader: &'static str,
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
        reader: "dt-sql-parser",
        dialects: &["databricks"],
        text: "  QUALIFY ",
        instead: "  HAVING ",
        because: "Databricks has QUALIFY, and Spark, whose grammar this is, does not: \
                  https://docs.databricks.com/aws/en/sql/language-manual/sql-ref-syntax-qry-select-qualify",
    },
    Exception {
        reader: "dt-sql-parser",
        dialects: &["databricks"],
        text: " GENERATED ALWAYS AS IDENTITY",
        instead: "",
        because: "Delta's identity columns, which Spark's grammar has not: \
                  https://docs.databricks.com/aws/en/sql/language-manual/sql-ref-syntax-ddl-create-table-using",
    },
    Exception {
        reader: "pglast",
        dialects: &["redshift"],
        text: " IDENTITY(1, 1)",
        instead: "",
        because: "Redshift's identity columns: https://docs.aws.amazon.com/redshift/latest/dg/r_CREATE_TABLE_NEW.html",
    },
    Exception {
        reader: "workbench",
        dialects: &["mysql"],
        text: " X'",
        instead: " x'",
        because: "the letter of a hexadecimal literal may be of either case, and the grammar has the small one alone: \
                  https://dev.mysql.com/doc/refman/8.0/en/hexadecimal-literals.html",
    },
    Exception {
        reader: "workbench",
        dialects: &["mysql"],
        text: "CONVERT(X'",
        instead: "CONVERT(x'",
        because: "the letter of a hexadecimal literal may be of either case, and the grammar has the small one alone: \
                  https://dev.mysql.com/doc/refman/8.0/en/hexadecimal-literals.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["ansi", "mariadb", "mysql", "snowflake", "trino"],
        text: "CAST(? AS ",
        instead: "CAST(NULL AS ",
        because: "a bind parameter stands where any value can; the reader knows `?` in some places only",
    },
    Exception {
        reader: "sqruff",
        dialects: &["clickhouse"],
        text: "CAST({*} AS ",
        instead: "CAST(NULL AS ",
        because: "ClickHouse's query parameters: https://clickhouse.com/docs/en/sql-reference/syntax#defining-and-using-query-parameters",
    },
    Exception {
        reader: "sqruff",
        dialects: &["clickhouse"],
        text: "LIMIT 1 BY LOWER(s.colour)",
        instead: "LIMIT 1 BY s.colour",
        because: "LIMIT BY takes any expression: https://clickhouse.com/docs/sql-reference/statements/select/limit-by",
    },
    Exception {
        reader: "sqruff",
        dialects: &["oracle"],
        text: "SET TRANSACTION READ WRITE;",
        instead: "",
        because: "Oracle's SET TRANSACTION, which must be the first statement of its transaction: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SET-TRANSACTION.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["oracle"],
        text: "LOCK TABLE * IN EXCLUSIVE MODE;",
        instead: "",
        because: "Oracle's LOCK TABLE: https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/LOCK-TABLE.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["oracle"],
        text: "DELETE WHERE * = 1",
        instead: "",
        because: "Oracle's DELETE WHERE behind the UPDATE of a MERGE: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["oracle"],
        text: ")\nWHERE b_.is_* = 0;",
        instead: ");",
        because: "Oracle's WHERE behind the INSERT of a MERGE: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["oracle"],
        text: ")\nWHERE b.is_* = 0;",
        instead: ");",
        because: "Oracle's WHERE behind the INSERT of a MERGE: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["oracle"],
        text: " CHAR)",
        instead: ")",
        because: "a length in characters and not in bytes: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Data-Types.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["sqlite"],
        text: "temp.idemsql_batch",
        instead: "idemsql_batch",
        because: "the schema of temporary tables, which the reader takes for the word TEMP: \
                  https://www.sqlite.org/lang_naming.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["sqlite"],
        text: "INSERT INTO * AS t_ (",
        instead: "INSERT INTO * (",
        because: "the alias of an INSERT's target: https://www.sqlite.org/lang_insert.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["sqlite"],
        text: "INSERT INTO * AS t (",
        instead: "INSERT INTO * (",
        because: "the alias of an INSERT's target: https://www.sqlite.org/lang_insert.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["sqlite"],
        text: "  plan",
        instead: "  \"plan\"",
        because: "PLAN is a keyword behind EXPLAIN QUERY alone, and a name anywhere else; the reader does not take it in a \
                  list of columns or before `=`: https://www.sqlite.org/lang_keywords.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["sqlite"],
        text: ".plan",
        instead: ".\"plan\"",
        because: "PLAN is a keyword behind EXPLAIN QUERY alone, and a name anywhere else; the reader does not take it behind \
                  a point: https://www.sqlite.org/lang_keywords.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["sqlite"],
        text: "BEGIN IMMEDIATE;",
        instead: "BEGIN;",
        because: "a transaction that takes its lock at once: https://www.sqlite.org/lang_transaction.html",
    },
    Exception {
        reader: "sqruff",
        dialects: &["snowflake"],
        text: "X'00FF27'",
        instead: "'00FF27'",
        because: "a binary literal: https://docs.snowflake.com/en/sql-reference/data-types-text#binary-literals",
    },
    Exception {
        reader: "sqruff",
        dialects: &["trino"],
        text: "X'00FF27'",
        instead: "'00FF27'",
        because: "a varbinary literal: https://trino.io/docs/current/language/types.html#varbinary",
    },
    Exception {
        reader: "sqruff",
        dialects: &["duckdb", "postgres", "redshift"],
        text: "\"say \"\"hi\"\"\"",
        instead: "\"say hi\"",
        because: "a quote inside a quoted name is doubled, as in the standard",
    },
];

/// The exceptions of a reader in a dialect, each with its place in the list.
pub fn of(reader: &str, dialect: &str) -> impl Iterator<Item = (usize, &'static Exception)> {
    let is_one = move |exception: &Exception| exception.reader == reader && exception.dialects.contains(&dialect);
    ALL.iter().enumerate().filter(move |(_, exception)| is_one(exception))
}

/// The text with all its exceptions replaced but one.
pub fn excused(reader: &str, dialect: &str, text: &str, without: Option<usize>) -> String {
    let mut text = text.to_owned();
    for (_, exception) in of(reader, dialect).filter(|(at, _)| Some(*at) != without) {
        text = replaced(&text, exception.text, exception.instead);
    }
    text
}

/// Whether a text has an exception.
pub fn has(text: &str, exception: &Exception) -> bool {
    replaced(text, exception.text, exception.instead) != text
}

/// Replaces every occurrence of a pattern that may hold one `*`.
fn replaced(text: &str, pattern: &str, instead: &str) -> String {
    let Some((before, behind)) = pattern.split_once('*') else { return text.replace(pattern, instead) };
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(before) {
        let inner = &rest[start + before.len()..];
        let line = inner.find('\n').unwrap_or(inner.len());
        match inner[..line].find(behind) {
            Some(end) => {
                out.push_str(&rest[..start]);
                out.push_str(&instead.replace('*', &inner[..end]));
                rest = &inner[end + behind.len()..];
            }
            None => {
                out.push_str(&rest[..start + before.len()]);
                rest = inner;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn a_star_stands_for_the_shortest_text_of_a_line() {
        assert_eq!(replaced("LOCK a IN X; LOCK b.c IN X;\nLOCK d", "LOCK * IN X;", "(*)"), "(a) (b.c)\nLOCK d");
        assert_eq!(replaced("LOCK a\n IN X;", "LOCK * IN X;", ""), "LOCK a\n IN X;");
    }
}
