//! The words that need quotes as the name of a column or of a table, by dialect: lower case and sorted, for a binary
//! search. Quoting more than needed is harmless; a bare reserved word is a syntax error or, worse, another value
//! (`user`).

/// SQL:2016, part 2: the reserved words, but for the one that holds a hyphen.
#[rustfmt::skip]
pub(super) const ANSI: &[&str] = &[
    "abs", "absent", "acos", "all", "allocate", "alter", "and", "any", "are", "array", "array_agg",
    "array_max_cardinality", "as", "asensitive", "asin", "asymmetric", "at", "atan", "atomic", "authorization", "avg",
    "begin", "begin_frame", "begin_partition", "between", "bigint", "binary", "blob", "boolean", "both", "by", "call",
    "called", "cardinality", "cascaded", "case", "cast", "ceil", "ceiling", "char", "char_length", "character",
    "character_length", "check", "classifier", "clob", "close", "coalesce", "collate", "collect", "column", "commit",
    "condition", "connect", "constraint", "contains", "convert", "copy", "corr", "corresponding", "cos", "cosh",
    "count", "covar_pop", "covar_samp", "create", "cross", "cube", "cume_dist", "current", "current_catalog",
    "current_date", "current_default_transform_group", "current_path", "current_role", "current_row",
    "current_schema", "current_time", "current_timestamp", "current_transform_group_for_type", "current_user",
    "cursor", "cycle", "date", "day", "deallocate", "dec", "decfloat", "decimal", "declare", "default", "define",
    "delete", "dense_rank", "deref", "describe", "deterministic", "disconnect", "distinct", "double", "drop",
    "dynamic", "each", "element", "else", "empty", "end", "end_frame", "end_partition", "equals", "escape", "every",
    "except", "exec", "execute", "exists", "exp", "external", "extract", "false", "fetch", "filter", "first_value",
    "float", "floor", "for", "foreign", "frame_row", "free", "from", "full", "function", "fusion", "get", "global",
    "grant", "group", "grouping", "groups", "having", "hold", "hour", "identity", "in", "indicator", "initial",
    "inner", "inout", "insensitive", "insert", "int", "integer", "intersect", "intersection", "interval", "into",
    "is", "join", "json_array", "json_arrayagg", "json_exists", "json_object", "json_objectagg", "json_query",
    "json_table", "json_table_primitive", "json_value", "lag", "language", "large", "last_value", "lateral", "lead",
    "leading", "left", "like", "like_regex", "listagg", "ln", "local", "localtime", "localtimestamp", "log", "log10",
    "lower", "match", "match_number", "match_recognize", "matches", "max", "measures", "member", "merge", "method",
    "min", "minute", "mod", "modifies", "module", "month", "multiset", "national", "natural", "nchar", "nclob", "new",
    "no", "none", "normalize", "not", "nth_value", "ntile", "null", "nullif", "numeric", "occurrences_regex",
    "octet_length", "of", "offset", "old", "omit", "on", "one", "only", "open", "or", "order", "out", "outer", "over",
    "overlaps", "overlay", "parameter", "partition", "pattern", "per", "percent", "percent_rank", "percentile_cont",
    "percentile_disc", "period", "permute", "portion", "position", "position_regex", "power", "precedes", "precision",
    "prepare", "primary", "procedure", "ptf", "range", "rank", "reads", "real", "recursive", "ref", "references",
    "referencing", "regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx",
    "regr_sxy", "regr_syy", "release", "result", "return", "returns", "revoke", "right", "rollback", "rollup", "row",
    "row_number", "rows", "running", "savepoint", "scope", "scroll", "search", "second", "seek", "select",
    "sensitive", "session_user", "set", "show", "similar", "sin", "sinh", "skip", "smallint", "some", "specific",
    "specifictype", "sql", "sqlexception", "sqlstate", "sqlwarning", "sqrt", "start", "static", "stddev_pop",
    "stddev_samp", "submultiset", "subset", "substring", "substring_regex", "succeeds", "sum", "symmetric", "system",
    "system_time", "system_user", "table", "tablesample", "tan", "tanh", "then", "time", "timestamp", "timezone_hour",
    "timezone_minute", "to", "trailing", "translate", "translate_regex", "translation", "treat", "trigger", "trim",
    "trim_array", "true", "truncate", "uescape", "union", "unique", "unknown", "unmatched", "unnest", "update",
    "upper", "user", "using", "value", "value_of", "values", "var_pop", "var_samp", "varbinary", "varchar", "varying",
    "versioning", "when", "whenever", "where", "width_bucket", "window", "with", "within", "without", "year",
];

/// https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#reserved_keywords
#[rustfmt::skip]
pub(super) const BIGQUERY: &[&str] = &[
    "all", "and", "any", "array", "as", "asc", "assert_rows_modified", "at", "between", "by", "case", "cast",
    "collate", "contains", "create", "cross", "cube", "current", "default", "define", "desc", "distinct", "else",
    "end", "enum", "escape", "except", "exclude", "exists", "extract", "false", "fetch", "following", "for", "from",
    "full", "graph_table", "group", "grouping", "groups", "hash", "having", "if", "ignore", "in", "inner",
    "intersect", "interval", "into", "is", "join", "lateral", "left", "like", "limit", "lookup", "merge", "natural",
    "new", "no", "not", "null", "nulls", "of", "on", "or", "order", "outer", "over", "partition", "preceding",
    "proto", "qualify", "range", "recursive", "respect", "right", "rollup", "rows", "select", "set", "some", "struct",
    "tablesample", "then", "to", "treat", "true", "unbounded", "union", "unnest", "using", "when", "where", "window",
    "with", "within",
];

/// The words of system.keywords that ClickHouse 26.9 refuses as a bare name or reads as a value, and those that begin a
/// clause, for the reader: https://clickhouse.com/docs/sql-reference/syntax#keywords
#[rustfmt::skip]
pub(super) const CLICKHOUSE: &[&str] = &[
    "all", "and", "as", "case", "constraint", "distinct", "false", "from", "function", "group", "having", "in",
    "index", "interval", "join", "limit", "not", "null", "on", "or", "order", "projection", "select", "table", "top",
    "true", "union", "when", "where", "with",
];

/// The words that need backticks as a table's alias, those that are values in an expression, and the reserved words of
/// `spark.sql.ansi.enforceReservedKeywords`:
/// https://docs.databricks.com/en/sql/language-manual/sql-ref-reserved-words.html,
/// https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#sql-keywords
#[rustfmt::skip]
pub(super) const DATABRICKS: &[&str] = &[
    "all", "and", "anti", "any", "as", "authorization", "both", "case", "cast", "check", "collate", "column",
    "constraint", "create", "cross", "current_date", "current_time", "current_timestamp", "current_user", "default",
    "distinct", "else", "end", "escape", "except", "exists", "false", "fetch", "filter", "for", "foreign", "from",
    "full", "grant", "group", "having", "in", "inner", "intersect", "into", "is", "join", "lateral", "leading",
    "left", "minus", "natural", "not", "null", "offset", "on", "only", "or", "order", "outer", "overlaps",
    "percentile_cont", "percentile_disc", "primary", "references", "right", "select", "semi", "session_user", "some",
    "sql", "table", "then", "time", "to", "trailing", "true", "union", "unique", "unknown", "user", "using", "values",
    "when", "where", "window", "with", "within",
];

/// duckdb_keywords() of 1.4: the categories reserved, type_function and column_name.
/// https://duckdb.org/docs/stable/sql/dialect/keywords_and_identifiers
#[rustfmt::skip]
pub(super) const DUCKDB: &[&str] = &[
    "all", "analyse", "analyze", "and", "anti", "any", "array", "as", "asc", "asof", "asymmetric", "at",
    "authorization", "between", "binary", "both", "by", "case", "cast", "check", "coalesce", "collate", "collation",
    "column", "columns", "concurrently", "constraint", "create", "cross", "default", "deferrable", "desc", "describe",
    "distinct", "do", "else", "end", "except", "exists", "extract", "false", "fetch", "for", "foreign", "freeze",
    "from", "full", "generated", "glob", "group", "grouping", "grouping_id", "having", "ilike", "in", "initially",
    "inner", "inout", "intersect", "interval", "into", "is", "isnull", "join", "lambda", "lateral", "leading", "left",
    "like", "limit", "map", "national", "natural", "not", "notnull", "null", "nullif", "offset", "on", "only", "or",
    "order", "out", "outer", "overlaps", "overlay", "pivot", "pivot_longer", "pivot_wider", "placing", "position",
    "positional", "precision", "primary", "qualify", "references", "returning", "right", "row", "select", "semi",
    "setof", "show", "similar", "some", "struct", "substring", "summarize", "symmetric", "table", "tablesample",
    "then", "to", "trailing", "treat", "trim", "true", "try_cast", "union", "unique", "unpack", "unpivot", "using",
    "values", "variadic", "verbose", "when", "where", "window", "with", "xmlattributes", "xmlconcat", "xmlelement",
    "xmlexists", "xmlforest", "xmlnamespaces", "xmlparse", "xmlpi", "xmlroot", "xmlserialize", "xmltable",
];

/// Every word of information_schema.KEYWORDS that MariaDB 10.11 refuses as the name of a column or of a table.
/// https://mariadb.com/kb/en/reserved-words/
#[rustfmt::skip]
pub(super) const MARIADB: &[&str] = &[
    "accessible", "add", "all", "alter", "analyze", "and", "as", "asc", "asensitive", "before", "between", "bigint",
    "binary", "blob", "both", "by", "call", "cascade", "case", "change", "char", "character", "check", "collate",
    "column", "condition", "constraint", "continue", "convert", "create", "cross", "current_date", "current_role",
    "current_time", "current_timestamp", "current_user", "cursor", "databases", "day_hour", "day_microsecond",
    "day_minute", "day_second", "dec", "decimal", "declare", "default", "delayed", "delete", "delete_domain_id",
    "dense_rank", "desc", "describe", "deterministic", "distinct", "distinctrow", "div", "do_domain_ids", "double",
    "drop", "dual", "each", "else", "elseif", "enclosed", "escaped", "except", "exists", "exit", "explain", "false",
    "fetch", "float", "float4", "float8", "for", "force", "foreign", "from", "fulltext", "grant", "group", "having",
    "high_priority", "hour_microsecond", "hour_minute", "hour_second", "if", "ignore", "ignore_domain_ids", "in",
    "index", "infile", "inner", "inout", "insensitive", "insert", "int", "int1", "int2", "int3", "int4", "int8",
    "integer", "intersect", "interval", "into", "is", "iterate", "join", "key", "keys", "kill", "leading", "leave",
    "left", "like", "limit", "linear", "lines", "load", "localtime", "localtimestamp", "lock", "long", "longblob",
    "longtext", "loop", "low_priority", "master_demote_to_replica", "master_demote_to_slave",
    "master_ssl_verify_server_cert", "match", "maxvalue", "mediumblob", "mediumint", "mediumtext", "middleint",
    "minute_microsecond", "minute_second", "mod", "modifies", "natural", "no_write_to_binlog", "not", "null",
    "numeric", "offset", "on", "optimize", "optionally", "or", "order", "out", "outer", "outfile", "over",
    "page_checksum", "parse_vcol_expr", "partition", "portion", "precision", "primary", "procedure", "purge", "range",
    "rank", "read", "read_write", "reads", "real", "recursive", "ref_system_id", "references", "regexp", "release",
    "rename", "repeat", "replace", "require", "resignal", "restrict", "return", "returning", "revoke", "right",
    "rlike", "row_number", "rows", "schemas", "second_microsecond", "select", "sensitive", "separator", "set", "show",
    "signal", "smallint", "spatial", "specific", "sql", "sql_big_result", "sql_buffer_result", "sql_cache",
    "sql_calc_found_rows", "sql_no_cache", "sql_small_result", "sqlexception", "sqlstate", "sqlwarning", "ssl",
    "starting", "stats_auto_recalc", "stats_persistent", "stats_sample_pages", "straight_join", "table", "terminated",
    "then", "tinyblob", "tinyint", "tinytext", "to", "trailing", "trigger", "true", "undo", "union", "unique",
    "unlock", "unsigned", "update", "usage", "use", "using", "utc_date", "utc_time", "utc_timestamp", "value",
    "values", "varbinary", "varchar", "varcharacter", "varying", "when", "where", "while", "window", "with", "write",
    "xor", "year_month", "zerofill",
];

/// information_schema.KEYWORDS of MySQL 9.7, `RESERVED = 1`, with the few that 8.0 alone reserves.
/// https://dev.mysql.com/doc/refman/8.4/en/keywords.html
#[rustfmt::skip]
pub(super) const MYSQL: &[&str] = &[
    "accessible", "add", "all", "alter", "analyze", "and", "as", "asc", "asensitive", "before", "between", "bigint",
    "binary", "blob", "both", "by", "call", "cascade", "case", "change", "char", "character", "check", "collate",
    "column", "condition", "constraint", "continue", "convert", "create", "cross", "cube", "cume_dist",
    "current_date", "current_time", "current_timestamp", "current_user", "cursor", "database", "databases",
    "day_hour", "day_microsecond", "day_minute", "day_second", "dec", "decimal", "declare", "default", "delayed",
    "delete", "dense_rank", "desc", "describe", "deterministic", "distinct", "distinctrow", "div", "double", "drop",
    "dual", "each", "else", "elseif", "empty", "enclosed", "escaped", "except", "exists", "exit", "explain",
    "external", "false", "fetch", "first_value", "float", "float4", "float8", "for", "force", "foreign", "from",
    "fulltext", "function", "generated", "get", "grant", "group", "grouping", "groups", "having", "high_priority",
    "hour_microsecond", "hour_minute", "hour_second", "if", "ignore", "in", "index", "infile", "inner", "inout",
    "insensitive", "insert", "int", "int1", "int2", "int3", "int4", "int8", "integer", "intersect", "interval",
    "into", "io_after_gtids", "io_before_gtids", "is", "iterate", "join", "json_table", "key", "keys", "kill", "lag",
    "last_value", "lateral", "lead", "leading", "leave", "left", "library", "like", "limit", "linear", "lines",
    "load", "localtime", "localtimestamp", "lock", "long", "longblob", "longtext", "loop", "low_priority",
    "master_bind", "master_ssl_verify_server_cert", "match", "maxvalue", "mediumblob", "mediumint", "mediumtext",
    "middleint", "minute_microsecond", "minute_second", "mod", "modifies", "natural", "no_write_to_binlog", "not",
    "nth_value", "ntile", "null", "numeric", "of", "on", "optimize", "optimizer_costs", "option", "optionally", "or",
    "order", "out", "outer", "outfile", "over", "partition", "percent_rank", "precision", "primary", "procedure",
    "purge", "qualify", "range", "rank", "read", "read_write", "reads", "real", "recursive", "references", "regexp",
    "release", "rename", "repeat", "replace", "require", "resignal", "restrict", "return", "revoke", "right", "rlike",
    "row", "row_number", "rows", "schema", "schemas", "second_microsecond", "select", "sensitive", "separator", "set",
    "show", "signal", "smallint", "spatial", "specific", "sql", "sql_big_result", "sql_calc_found_rows",
    "sql_small_result", "sqlexception", "sqlstate", "sqlwarning", "ssl", "starting", "stored", "straight_join",
    "system", "table", "tablesample", "terminated", "then", "tinyblob", "tinyint", "tinytext", "to", "trailing",
    "trigger", "true", "undo", "union", "unique", "unlock", "unsigned", "update", "usage", "use", "using", "utc_date",
    "utc_time", "utc_timestamp", "values", "varbinary", "varchar", "varcharacter", "varying", "virtual", "when",
    "where", "while", "window", "with", "write", "xor", "year_month", "zerofill",
];

/// https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Oracle-SQL-Reserved-Words.html, with `except`,
/// an operator since 21c.
#[rustfmt::skip]
pub(super) const ORACLE: &[&str] = &[
    "access", "add", "all", "alter", "and", "any", "as", "asc", "audit", "between", "by", "char", "check", "cluster",
    "column", "column_value", "comment", "compress", "connect", "create", "current", "date", "decimal", "default",
    "delete", "desc", "distinct", "drop", "else", "except", "exclusive", "exists", "file", "float", "for", "from",
    "grant", "group", "having", "identified", "immediate", "in", "increment", "index", "initial", "insert", "integer",
    "intersect", "into", "is", "level", "like", "lock", "long", "maxextents", "minus", "mlslabel", "mode", "modify",
    "nested_table_id", "noaudit", "nocompress", "not", "nowait", "null", "number", "of", "offline", "on", "online",
    "option", "or", "order", "pctfree", "prior", "public", "raw", "rename", "resource", "revoke", "row", "rowid",
    "rownum", "rows", "select", "session", "set", "share", "size", "smallint", "start", "successful", "synonym",
    "sysdate", "table", "then", "to", "trigger", "uid", "union", "unique", "update", "user", "validate", "values",
    "varchar", "varchar2", "view", "whenever", "where", "with",
];

/// pg_get_keywords(), catcode R and T: the words that cannot be a column's or a table's name.
/// https://www.postgresql.org/docs/15/sql-keywords-appendix.html
#[rustfmt::skip]
pub(super) const POSTGRES: &[&str] = &[
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "binary", "both",
    "case", "cast", "check", "collate", "collation", "column", "concurrently", "constraint", "create", "cross",
    "current_catalog", "current_date", "current_role", "current_schema", "current_time", "current_timestamp",
    "current_user", "default", "deferrable", "desc", "distinct", "do", "else", "end", "except", "false", "fetch",
    "for", "foreign", "freeze", "from", "full", "grant", "group", "having", "ilike", "in", "initially", "inner",
    "intersect", "into", "is", "isnull", "join", "lateral", "leading", "left", "like", "limit", "localtime",
    "localtimestamp", "natural", "not", "notnull", "null", "offset", "on", "only", "or", "order", "outer", "overlaps",
    "placing", "primary", "references", "returning", "right", "select", "session_user", "similar", "some",
    "symmetric", "system_user", "table", "tablesample", "then", "to", "trailing", "true", "union", "unique", "user",
    "using", "variadic", "verbose", "when", "where", "window", "with",
];

/// https://docs.aws.amazon.com/redshift/latest/dg/r_pg_keywords.html
#[rustfmt::skip]
pub(super) const REDSHIFT: &[&str] = &[
    "aes128", "aes256", "all", "allowoverwrite", "analyse", "analyze", "and", "any", "array", "as", "asc",
    "authorization", "az64", "backup", "between", "binary", "blanksasnull", "both", "bytedict", "bzip2", "case",
    "cast", "check", "collate", "column", "constraint", "create", "credentials", "cross", "current_date",
    "current_time", "current_timestamp", "current_user", "current_user_id", "default", "deferrable", "deflate",
    "defrag", "delta", "delta32k", "desc", "disable", "distinct", "do", "else", "emptyasnull", "enable", "encode",
    "encrypt", "encryption", "end", "except", "explicit", "false", "for", "foreign", "freeze", "from", "full",
    "globaldict256", "globaldict64k", "grant", "group", "gzip", "having", "identity", "ignore", "ilike", "in",
    "initially", "inner", "intersect", "interval", "into", "is", "isnull", "join", "language", "leading", "left",
    "like", "limit", "localtime", "localtimestamp", "lun", "luns", "lzo", "lzop", "minus", "mostly16", "mostly32",
    "mostly8", "natural", "new", "not", "notnull", "null", "nulls", "off", "offline", "offset", "oid", "old", "on",
    "only", "open", "or", "order", "outer", "overlaps", "parallel", "partition", "percent", "permissions", "pivot",
    "placing", "primary", "qualify", "raw", "readratio", "recover", "references", "rejectlog", "resort", "respect",
    "restore", "right", "select", "session_user", "similar", "snapshot", "some", "sysdate", "system", "table", "tag",
    "tdes", "text255", "text32k", "then", "timestamp", "to", "top", "trailing", "true", "truncatecolumns", "union",
    "unique", "unnest", "unpivot", "user", "using", "verbose", "wallet", "when", "where", "with", "without",
];

/// https://docs.snowflake.com/en/sql-reference/reserved-keywords: those reserved and those with a limit, which quotes
/// lift.
#[rustfmt::skip]
pub(super) const SNOWFLAKE: &[&str] = &[
    "account", "all", "alter", "and", "any", "as", "asc", "between", "by", "case", "cast", "check", "column",
    "connect", "connection", "constraint", "create", "cross", "current", "current_date", "current_time",
    "current_timestamp", "current_user", "database", "delete", "desc", "distinct", "drop", "else", "exists", "false",
    "following", "for", "from", "full", "grant", "group", "gscluster", "having", "ilike", "in", "increment", "inner",
    "insert", "intersect", "into", "is", "issue", "join", "lateral", "left", "like", "localtime", "localtimestamp",
    "minus", "natural", "not", "null", "of", "on", "or", "order", "organization", "qualify", "regexp", "revoke",
    "right", "rlike", "row", "rows", "sample", "schema", "select", "set", "some", "start", "table", "tablesample",
    "then", "to", "trigger", "true", "try_cast", "union", "unique", "update", "using", "values", "view", "when",
    "whenever", "where", "with",
];

/// The words of https://www.sqlite.org/lang_keywords.html that SQLite 3.40 refuses as a name, those of joins, which are
/// misread as an alias's, and the values.
#[rustfmt::skip]
pub(super) const SQLITE: &[&str] = &[
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "cast", "check", "collate", "commit",
    "constraint", "create", "cross", "current_date", "current_time", "current_timestamp", "default", "deferrable",
    "delete", "distinct", "drop", "else", "end", "escape", "except", "exists", "false", "filter", "foreign", "from",
    "full", "group", "having", "if", "in", "index", "inner", "insert", "intersect", "into", "is", "isnull", "join",
    "left", "limit", "natural", "not", "nothing", "notnull", "null", "on", "or", "order", "outer", "over", "primary",
    "raise", "references", "returning", "right", "select", "set", "table", "then", "to", "transaction", "true",
    "union", "unique", "update", "using", "values", "when", "where", "window",
];

/// https://learn.microsoft.com/en-us/sql/t-sql/language-elements/reserved-keywords-transact-sql
#[rustfmt::skip]
pub(super) const SQLSERVER: &[&str] = &[
    "add", "all", "alter", "and", "any", "as", "asc", "authorization", "backup", "begin", "between", "break",
    "browse", "bulk", "by", "cascade", "case", "check", "checkpoint", "close", "clustered", "coalesce", "collate",
    "column", "commit", "compute", "constraint", "contains", "containstable", "continue", "convert", "create",
    "cross", "current", "current_date", "current_time", "current_timestamp", "current_user", "cursor", "database",
    "dbcc", "deallocate", "declare", "default", "delete", "deny", "desc", "disk", "distinct", "distributed", "double",
    "drop", "dump", "else", "end", "errlvl", "escape", "except", "exec", "execute", "exists", "exit", "external",
    "fetch", "file", "fillfactor", "for", "foreign", "freetext", "freetexttable", "from", "full", "function", "go", "goto",
    "grant", "group", "having", "holdlock", "identity", "identity_insert", "identitycol", "if", "in", "index",
    "inner", "insert", "intersect", "into", "is", "join", "key", "kill", "left", "like", "lineno", "load", "merge",
    "national", "nocheck", "nonclustered", "not", "null", "nullif", "of", "off", "offsets", "on", "open",
    "opendatasource", "openquery", "openrowset", "openxml", "option", "or", "order", "outer", "over", "percent",
    "pivot", "plan", "precision", "primary", "print", "proc", "procedure", "public", "raiserror", "read", "readtext",
    "reconfigure", "references", "replication", "restore", "restrict", "return", "revert", "revoke", "right",
    "rollback", "rowcount", "rowguidcol", "rule", "save", "schema", "securityaudit", "select",
    "semantickeyphrasetable", "semanticsimilaritydetailstable", "semanticsimilaritytable", "session_user", "set",
    "setuser", "shutdown", "some", "statistics", "system_user", "table", "tablesample", "textsize", "then", "to",
    "top", "tran", "transaction", "trigger", "truncate", "try_convert", "tsequal", "union", "unique", "unpivot",
    "update", "updatetext", "use", "user", "values", "varying", "view", "waitfor", "when", "where", "while", "with",
    "within", "writetext",
];

/// https://trino.io/docs/current/language/reserved.html
#[rustfmt::skip]
pub(super) const TRINO: &[&str] = &[
    "alter", "and", "as", "auto", "between", "by", "case", "cast", "constraint", "create", "cross", "cube",
    "current_catalog", "current_date", "current_path", "current_role", "current_schema", "current_time",
    "current_timestamp", "current_user", "deallocate", "delete", "describe", "distinct", "drop", "else", "end",
    "escape", "except", "exists", "extract", "false", "for", "from", "full", "group", "grouping", "having", "in",
    "inner", "insert", "intersect", "into", "is", "join", "json_array", "json_exists", "json_object", "json_query",
    "json_table", "json_value", "left", "like", "listagg", "localtime", "localtimestamp", "natural", "normalize",
    "not", "null", "on", "or", "order", "outer", "prepare", "primary", "recursive", "right", "rollup", "select",
    "skip", "table", "then", "trim", "true", "uescape", "union", "unnest", "using", "values", "when", "where", "with",
];
