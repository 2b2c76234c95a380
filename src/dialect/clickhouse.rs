//! ClickHouse.

use super::Dialect;
use super::client::{Client, Guards};
use super::literal::{backslashed, hex, without_zone};
use super::mechanism::{
    Absent, Differs, Form, IndexNulls, Lock, NullSafe, Parameter, Proof, Reduce, RowSource, RowText, Support,
};
use super::name::{Escape, Fold, Quotes};
use super::probe::Probe;
use super::reserved;
use super::syntax::Syntax;
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "clickhouse",
    title: "ClickHouse 25.10",
    docs: "Keys are not unique, and there is no MERGE and no transaction. `upsert` appends a new version of each row \
           that is new, or newer and different, to a ReplacingMergeTree whose version column is that of the load and \
           whose sorting key is the unique key; every reader must say FINAL, or it sees old versions until the \
           engine merges them. `insert_ignore` appends the rows whose key FINAL does not show. Deletes, `merge` and \
           `delete_insert` are not offered. A row is replaced within its partition alone, so the partition's column \
           must never change for a key. Two loads at once may both append a version, of which FINAL shows the \
           greater; which of two equal versions it shows is not promised. The sorting key must not be nullable. Both \
           timestamps are DateTime64(6, 'UTC'), from 1900 on. max() of no rows is 1970, so maxOrNull is written.",
    parser: || Box::new(sqlparser::dialect::ClickHouseDialect {}),
    // https://clickhouse.com/docs/sql-reference/statements/select, insert-into, delete
    syntax: Syntax {
        on_conflict: false,
        on_conflict_update_without_target: false,
        on_conflict_after_from: false,
        on_duplicate_key: false,
        insert_ignore: false,
        insert_or: false,
        replace_into: false,
        insert_overwrite: false,
        insert_alias: false,
        merge: None,
        qualify: true,
        distinct_on: true,
        limit: true,
        limit_by: true,
        update_from: false,
        update_join: false,
        delete_using: false,
        delete_target_list: false,
        returning: false,
        interval: true,
        double_colon_cast: true,
        is_distinct_from: true,
        spaceship: true,
        is_any: false,
        backtick_names: true,
        bracket_names: false,
        double_quote_names: true,
        bool_literals: true,
        with_before_insert: true,
        with_inside_insert: true,
        select_without_from: true,
        table_alias_as: true,
        set_qualified: false,
    },

    client: Client {
        aliases: &["chdb"],
        endings: &[],
        dumps: &[],
        headers: &[],
        signs: &[
            "AGGREGATEFUNCTION(",
            "AGGREGATINGMERGETREE",
            "ARRAY(STRING)",
            "ARRAYJOIN(",
            "CODEC(DELTA",
            "CODEC(ZSTD",
            "DATETIME64(",
            "ENGINE = DISTRIBUTED(",
            "FIXEDSTRING(",
            "FORMAT CSVWITHNAMES",
            "FORMAT JSONEACHROW",
            "INDEX_GRANULARITY",
            "LOWCARDINALITY(",
            "MERGETREE",
            "NULLABLE(",
            "ON CLUSTER",
            "PREWHERE",
            "REPLACINGMERGETREE",
            "REPLICATEDMERGETREE",
            "SIMPLEAGGREGATEFUNCTION(",
            "SUMMINGMERGETREE",
            "TODATETIME(",
            "TOSTARTOFDAY(",
            "TOSTARTOFHOUR(",
            "TOYYYYMM(",
            "UINT16",
            "UINT32",
            "UINT64",
            "UINT8",
        ],
        lenient: false,
        go_lines: false,
        delimiter_lines: false,
        slash_lines: false,
        backslash_commands: false,
        dot_commands: false,
        slash_comments: false,
        optional_semicolons: false,
        copy_data: false,
        guards: Guards {
            since: None,
            create_table: true,
            // https://clickhouse.com/docs/sql-reference/statements/alter/skipping-index
            create_index: true,
            create_schema: true,
            create_database: true,
            create_sequence: false,
            create_view: true,
            replace_table: true,
            replace_view: true,
            replace_routine: true,
            create_routine: true,
            replace_trigger: false,
            create_trigger: false,
            or_alter: false,
            create_type: false,
            create_role: true,
            // CREATE ROW POLICY: https://clickhouse.com/docs/sql-reference/statements/create/row-policy
            create_policy: true,
            add_column: true,
            drop_column: true,
            // https://clickhouse.com/docs/sql-reference/statements/alter/constraint
            add_constraint: true,
            drop_constraint: true,
            drop: true,
            drop_index: true,
        },
        // Transactions are experimental: https://clickhouse.com/docs/guides/developer/transactional
        probe: Probe::Caller("SELECT 1 FROM system.tables WHERE .."),
        ddl_in_transaction: false,
        truncate_in_transaction: false,
        autocommit: true,
        commit_alone_fails: false,
        // A primary key is the order of the rows: https://clickhouse.com/docs/engines/table-engines/mergetree-family/mergetree
        enforces_keys: false,
        // Rows with one key stand beside each other until the newest version is read.
        duplicates_fail: false,
        // A block that is inserted again is dropped only by some table engines.
        load_history: false,
    },

    quotes: Quotes { open: '`', close: '`', escape: Escape::Backslash },
    fold: Fold::Kept,
    ignores_case: false,
    reserved: reserved::CLICKHOUSE,
    name_limit: None,
    unfit_in_names: "",
    table_alias: "AS ",

    // https://clickhouse.com/docs/sql-reference/syntax#string
    string: backslashed,
    bools: ("TRUE", "FALSE"),
    // A bare 12.50 is a Float64: https://clickhouse.com/docs/sql-reference/syntax#numeric
    decimal: |digits, ty| match ty {
        Type::Decimal { precision, scale } => format!("CAST('{digits}' AS Decimal({precision}, {scale}))"),
        _ => digits.to_owned(),
    },
    bytes: |bytes| format!("unhex('{}')", hex(bytes)),
    temporal: |text, ty| match ty {
        Type::Date => format!("toDate32('{text}')"),
        Type::Time => format!("'{text}'"),
        _ => format!("toDateTime64('{}', 6, 'UTC')", without_zone(text)),
    },
    json: backslashed,
    uuid: |text| format!("toUUID('{text}')"),
    type_name: |ty| match ty {
        Type::Bool => "Bool".to_owned(),
        Type::SmallInt => "Int16".to_owned(),
        Type::Int => "Int32".to_owned(),
        Type::BigInt => "Int64".to_owned(),
        Type::Decimal { precision, scale } => format!("Decimal({precision}, {scale})"),
        Type::Real => "Float32".to_owned(),
        Type::Double => "Float64".to_owned(),
        // Types for a time of day and for JSON are new, and JSON has no order.
        Type::Text | Type::Varchar(_) | Type::Char(_) | Type::Bytes | Type::Time | Type::Json => "String".to_owned(),
        Type::Date => "Date32".to_owned(),
        Type::Timestamp | Type::Timestamptz => "DateTime64(6, 'UTC')".to_owned(),
        Type::Uuid => "UUID".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // A type takes no null unless it says so: https://clickhouse.com/docs/sql-reference/data-types/nullable
    cast_name: Some(|ty| format!("Nullable({})", (DIALECT.type_name)(ty))),

    // One reading for a query: https://clickhouse.com/docs/sql-reference/functions/date-time-functions#now64
    now: |ty| match ty {
        Type::Date => "toDate32(now('UTC'))",
        Type::Time => "formatDateTime(now('UTC'), '%H:%i:%S')",
        _ => "now64(6, 'UTC')",
    },
    // The least of Date32 and DateTime64: https://clickhouse.com/docs/sql-reference/data-types/datetime64
    floor: |ty| match ty {
        Type::Date => Some("toDate32('1900-01-01')".to_owned()),
        Type::Timestamp | Type::Timestamptz => Some("toDateTime64('1900-01-01 00:00:00', 6, 'UTC')".to_owned()),
        _ => ty.least_integer().map(str::to_owned),
    },
    // A date minus hours would be a DateTime, which begins in 1970.
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("{expression} - INTERVAL {} DAY", overlap.in_days()),
        _ => {
            let (n, unit) = overlap.in_fixed_units();
            format!("{expression} - INTERVAL {n} {unit}")
        }
    },
    comparable,
    exact: comparable,
    // https://clickhouse.com/docs/sql-reference/aggregate-functions/combinators#-ornull
    max: "maxOrNull",
    // Last is the default in both directions: https://clickhouse.com/docs/sql-reference/statements/select/order-by
    nulls_last: false,

    // Outside a join's ON from 25.10: https://clickhouse.com/docs/whats-new/changelog/2025
    null_safe: NullSafe::IsNotDistinctFrom,
    differs: Differs::ColumnDistinct,
    // Correlated subqueries are new; a join gives 0 for a missing row, unless join_use_nulls is on:
    // https://clickhouse.com/docs/sql-reference/statements/select/join
    absent: Absent::LeftJoin,
    probe_hint: "FINAL",
    reduce: Reduce::LimitBy,
    rows: RowSource::UnionAll { from: "" },
    row_text: RowText::Plain,
    with_in_from: true,
    parameter: Parameter::Braces,
    index_nulls: IndexNulls::NotEnforced,
    values_function: false,

    insert_ignore: Support::Yes(Form::AntiJoin),
    upsert: Support::Yes(Form::AppendVersion),
    merge: Support::No { because: "ClickHouse has no MERGE statement", instead: "upsert" },
    delete_insert: Support::No {
        because: "ClickHouse has no transaction, and REPLACE PARTITION needs the ids of the partitions",
        instead: "upsert",
    },
    without_index: Support::No {
        because: "ClickHouse replaces rows by the table's sorting key alone, and deletes in the background",
        instead: "upsert",
    },
    merge_syntax: None,
    script: None,
    lock: Lock::No { because: "ClickHouse has no transactions and no locks" },
    merge_needs_lock: false,
    bound_in_variable: false,
    conflict_locks: false,
    proof: Proof::Parsed,
};

/// Types whose order or equality is missing in some versions, by their text.
fn comparable(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Other(name) => {
            let name = name.to_ascii_lowercase();
            let compound = ["json", "object", "map", "variant", "dynamic"].iter().any(|kind| name.starts_with(kind));
            if compound { format!("toString({expression})") } else { expression.to_owned() }
        }
        _ => expression.to_owned(),
    }
}
