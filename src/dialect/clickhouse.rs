//! ClickHouse.

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel};
use super::client::{Client, Guards};
use super::ddl::{
    Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Keeps, Relax, Retype, Unique, any_wider,
};
use super::literal::{backslashed, hex, without_zone};
use super::mechanism::{
    Absent, Differs, Form, IndexNulls, Lock, NullSafe, Parameter, Proof, Reduce, RowSource, RowText, Storage, Support,
};
use super::name::{Escape, Fold, Quotes};
use super::native::{Native, Reading, WIDER, decimal, near, same, standard, timed};
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
           greater; which of two equal versions it shows is not promised. A nullable column in the sorting key needs the table's setting allow_nullable_key. Both \
           timestamps are DateTime64(6, 'UTC'), from 1900 on. max() of no rows is 1970, so maxOrNull is written; in a query as the source, write \
           `AS` behind a column that two joined tables have: it would keep the table's name in its own.",
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
    // A backslash or a second quote escapes them, and not every reader of this dialect knows both.
    unfit_in_names: "\\`",
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
    // https://clickhouse.com/docs/sql-reference/data-types
    read_type,
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
    history: Support::No {
        because: "ClickHouse has no lock, and a version that comes late changes the row of another one",
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
    // https://clickhouse.com/docs/sql-reference/statements/create/table#null-or-not-null-modifiers
    null_column: " NULL",
    storage,
    ddl: Ddl {
        create_table: Guard::Words,
        unique: Unique::No,
        unindexed: |_| None,
        default: DefaultForm::Plain,
        null_first: // https://clickhouse.com/docs/sql-reference/statements/create/table#null-or-not-null-modifiers
        true,
        generated: Support::Yes(Generated { before: "MATERIALIZED ", behind: "", typed: true, not_null: true }),
        identity: Support::No { because: "ClickHouse numbers no rows", instead: "leave the column out, or let the source number its rows" },
        comments: Comments::Inside { column: " COMMENT {text}", table: "\nCOMMENT {text}" },
        add: Add { words: "ADD COLUMN", guard: Guard::Words, default: AddDefault::Any, not_null: true },
        drop: Support::Yes(Drop { guard: Guard::Words, bound: None }),
        retype: // https://clickhouse.com/docs/sql-reference/statements/alter/column#modify-column
        Support::Yes(Retype { before: "MODIFY COLUMN", between: " ", keeps: Keeps::NotNull, takes: any_wider, key: Some("ClickHouse changes no column of the sorting key"), again: true }),
        relax: Support::Yes(Relax::Retype),
        quoted: backslashed,
    },
    // https://clickhouse.com/docs/sql-reference/statements/select/from#final-modifier
    read_hint: " FINAL",
    // A String holds any bytes, and comes as a text.
    shown: |expression, ty| match ty {
        Type::Bytes => format!("hex({expression})"),
        _ => expression.to_owned(),
    },
    digest: None,
    dbt: Support::Yes(&[Adapter {
        name: "clickhouse",
        keyed: "delete_insert",
        keyless: "append",
        model: Support::Yes(DbtModel {
            load: DbtLoad::AppendVersion,
            append: "append",
            quotes_tables: true,
            config: dbt_config,
        }),
    }]),
    proof: Proof::Executed("ClickHouse 26.9"),
    reader: Some("sqruff 0.44"),
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

/// A row is replaced by one of the same sorting key, with a version that is not less, at some time after it came; a version
/// is a date, a time or a whole number without nulls. Without a version the row that came last stays.
/// <https://clickhouse.com/docs/engines/table-engines/mergetree-family/replacingmergetree>
fn storage(storage: &Storage<'_>) -> String {
    if storage.key.is_empty() {
        return " ENGINE = MergeTree ORDER BY tuple()".to_owned();
    }
    let version = match storage.version {
        Some((version, ty)) if ty.is_integer() || matches!(ty, Type::Date | Type::Timestamp | Type::Timestamptz) => {
            format!("({version})")
        }
        _ => String::new(),
    };
    // https://clickhouse.com/docs/operations/settings/merge-tree-settings#allow_nullable_key
    let nullable = if storage.nullable_key { " SETTINGS allow_nullable_key = 1" } else { "" };
    format!(" ENGINE = ReplacingMergeTree{version} ORDER BY ({}){nullable}", storage.key.join(", "))
}

/// A declared type, without the words around it that say nothing of its values.
fn read_type(native: &Native) -> Option<Reading> {
    match (native.words(), native.numbers().as_slice()) {
        ("nullable" | "lowcardinality", _) => read_type(&Native::read(native.arguments.first()?)),
        ("int8" | "uint8", []) => near(Type::SmallInt, WIDER),
        ("int16", []) => same(Type::SmallInt),
        ("uint16", []) => near(Type::Int, WIDER),
        ("int32", []) => same(Type::Int),
        ("uint32", []) => near(Type::BigInt, WIDER),
        ("int64", []) => same(Type::BigInt),
        ("uint64", []) => near(Type::Decimal { precision: 20, scale: 0 }, WIDER),
        ("decimal32", [scale]) => decimal(9, *scale),
        ("decimal64", [scale]) => decimal(18, *scale),
        ("decimal128", [scale]) => decimal(38, *scale),
        ("float32", []) => same(Type::Real),
        ("float64", []) => same(Type::Double),
        ("date32", []) => same(Type::Date),
        // An instant, which its zone only shows.
        ("datetime64", [digits, ..]) => timed(Type::Timestamptz, Some(*digits)),
        ("datetime", _) => timed(Type::Timestamptz, Some(0)),
        // It has no order.
        ("json", _) => None,
        _ => standard(native),
    }
}

/// The same as the keys of a dbt model: <https://docs.getdbt.com/reference/resource-configs/clickhouse-configs>
fn dbt_config(table: &Storage<'_>) -> Vec<(&'static str, String)> {
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let text = storage(table);
    let engine = text.trim_start().trim_start_matches("ENGINE = ").split(" ORDER BY ").next().unwrap_or_default();
    let mut all = vec![("engine", quoted(engine)), ("order_by", quoted(&format!("({})", table.key.join(", "))))];
    if table.nullable_key {
        all.push(("settings", "{'allow_nullable_key': 1}".to_owned()));
    }
    all
}
