//! What the readers get wrong: pieces that they take and the engine refuses, or the other way round. A piece that is not
//! named here must be judged as the engine does, and one that is named must not.

/// Pieces that a reader gets wrong for one reason.
pub struct Wrong {
    /// The reader, by its name.
    pub reader: &'static str,
    /// The dialect.
    pub dialect: &'static str,
    /// The pieces, by name.
    pub pieces: &'static [&'static str],
    /// Why the reader is wrong.
    pub because: &'static str,
}

/// The engine refuses these when it looks names up or counts columns, and not when it reads.
const BOUND_LATER: &str = "the engine's own parser takes it as well, and refuses it when it looks up names and types";

/// sqruff's way.
const GENEROUS: &str = "its grammar inherits clauses that the dialect has not, and looks no name up";

/// Everything that is known.
pub const WRONG: &[Wrong] = &[
    Wrong {
        reader: "antlr",
        dialect: "oracle",
        pieces: &["merge_delete_alone"],
        because: "its grammar has DELETE as an action of its own, which Oracle has only behind UPDATE: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html",
    },
    Wrong {
        reader: "dt-sql-parser",
        dialect: "databricks",
        pieces: &["distinct_on"],
        because: "ON is no reserved word of Spark, so that it is read as a function",
    },
    Wrong {
        reader: "dt-sql-parser",
        dialect: "trino",
        pieces: &["backticks", "interval_of_words"],
        because: "Trino's grammar takes backticks too, and its code refuses them: \
                  https://trino.io/docs/current/language/reserved.html; INTERVAL is read as a name",
    },
    Wrong { reader: "pglast", dialect: "postgres", pieces: POSTGRES_BINDS, because: BOUND_LATER },
    Wrong {
        reader: "pglast",
        dialect: "redshift",
        pieces: &["distinct_on", "on_conflict", "returning"],
        because: "PostgreSQL has it and Redshift, which left it at version 8, does not: \
                  https://docs.aws.amazon.com/redshift/latest/dg/c_unsupported-postgresql-features.html",
    },
    Wrong {
        reader: "pglast",
        dialect: "redshift",
        pieces: &[
            "merge_condition",
            "merge_do_nothing",
            "merge_one_branch",
            "merge_order",
            "merge_query_as_source",
            "merge_target_alias",
        ],
        because: "PostgreSQL's MERGE has more than Redshift's, whose rules our own check knows: \
                  https://docs.aws.amazon.com/redshift/latest/dg/r_MERGE.html",
    },
    Wrong {
        reader: "scriptdom",
        dialect: "sqlserver",
        pieces: &["batch_separator_as_alias", "boolean_literal", "double_colon", "interval", "merge_three_matched"],
        because: "words that are not reserved are read as the names of columns, types and aliases, and the count of \
                  WHEN MATCHED is checked later",
    },
    Wrong { reader: "squawk", dialect: "postgres", pieces: POSTGRES_BINDS, because: BOUND_LATER },
    Wrong {
        reader: "sqruff",
        dialect: "bigquery",
        pieces: &[
            "comparison_of_types",
            "delete_without_where",
            "distinct_on",
            "double_colon",
            "unknown_column",
            "unknown_function",
            "unknown_variable",
            "value_of_another_type",
            "values_too_few",
            "variable_of_another_type",
            "with_before_insert",
            "with_before_merge",
        ],
        because: GENEROUS,
    },
    Wrong { reader: "sqruff", dialect: "clickhouse", pieces: &["merge"], because: GENEROUS },
    Wrong {
        reader: "sqruff",
        dialect: "clickhouse",
        pieces: &["insert_ignore"],
        because: "ClickHouse has <=>: https://clickhouse.com/docs/sql-reference/operators#is-not-distinct-from",
    },
    Wrong { reader: "sqruff", dialect: "databricks", pieces: &["distinct_on"], because: GENEROUS },
    Wrong { reader: "sqruff", dialect: "mariadb", pieces: &["merge"], because: GENEROUS },
    Wrong {
        reader: "sqruff",
        dialect: "mysql",
        pieces: &["double_colon", "insert_alias", "is_distinct_from", "merge", "with_before_insert"],
        because: GENEROUS,
    },
    Wrong {
        reader: "sqruff",
        dialect: "mysql",
        pieces: &["script"],
        because: "MySQL has DO: https://dev.mysql.com/doc/refman/8.0/en/do.html",
    },
    Wrong {
        reader: "sqruff",
        dialect: "oracle",
        pieces: &[
            "as_before_table_alias",
            "distinct_on",
            "double_colon",
            "is_distinct_from",
            "limit",
            "merge_as_before_alias",
            "merge_delete_alone",
            "merge_matched_and",
            "merge_on_without_brackets",
            "merge_two_matched",
            "select_without_from",
            "square_brackets",
            "update_from",
        ],
        because: GENEROUS,
    },
    Wrong {
        reader: "sqruff",
        dialect: "oracle",
        pieces: &["upsert"],
        because: "Oracle has WHERE behind the INSERT of a MERGE: \
                  https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html",
    },
    Wrong { reader: "sqruff", dialect: "postgres", pieces: POSTGRES_BINDS, because: BOUND_LATER },
    Wrong { reader: "sqruff", dialect: "postgres", pieces: &["reserved_column"], because: GENEROUS },
    Wrong {
        reader: "sqruff",
        dialect: "postgres",
        pieces: &["names", "script"],
        because: "PostgreSQL takes a reserved word as a name behind AS, and WITH before MERGE: \
                  https://www.postgresql.org/docs/15/sql-merge.html",
    },
    Wrong {
        reader: "sqruff",
        dialect: "redshift",
        pieces: &[
            "distinct_on",
            "merge_condition",
            "merge_one_branch",
            "merge_order",
            "merge_query_as_source",
            "merge_target_alias",
        ],
        because: GENEROUS,
    },
    Wrong {
        reader: "sqruff",
        dialect: "snowflake",
        pieces: &["distinct_on", "merge_branch_where", "with_before_insert", "with_before_merge"],
        because: GENEROUS,
    },
    Wrong { reader: "sqruff", dialect: "sqlite", pieces: &["on_conflict_behind_from"], because: GENEROUS },
    Wrong {
        reader: "sqruff",
        dialect: "sqlite",
        pieces: &["not_null_without_is"],
        because: "SQLite has NOT NULL without IS: https://www.sqlite.org/lang_expr.html",
    },
    Wrong {
        reader: "sqruff",
        dialect: "sqlserver",
        pieces: &[
            "batch_separator_as_alias",
            "boolean_literal",
            "create_if_not_exists",
            "double_colon",
            "interval",
            "is_distinct_from",
            "limit",
            "merge_three_matched",
            "merge_without_semicolon",
            "nulls_last",
            "qualify",
            "returning",
            "with_inside_insert",
        ],
        because: GENEROUS,
    },
    Wrong {
        reader: "sqruff",
        dialect: "trino",
        pieces: &["distinct_on", "double_colon", "interval_of_words", "update_from"],
        because: GENEROUS,
    },
];

/// What PostgreSQL refuses after it has read it.
const POSTGRES_BINDS: &[&str] = &[
    "column_twice",
    "column_twice_but_for_case",
    "do_update_without_target",
    "merge_set_qualified",
    "merge_values_too_few",
    "select_too_few",
    "spaceship",
    "union_ragged",
    "unreachable_branch",
    "upsert_set_qualified",
    "values_ragged",
    "values_too_few",
];

/// The pieces that a reader gets wrong in a dialect, each with why.
pub fn of(reader: &str, dialect: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = WRONG.iter().filter(move |wrong| wrong.reader == reader && wrong.dialect == dialect);
    all.flat_map(|wrong| wrong.pieces.iter().map(|piece| (*piece, wrong.because)))
}
