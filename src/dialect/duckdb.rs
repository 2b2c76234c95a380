//! DuckDB.

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel};
use super::client::{Client, Guards};
use super::ddl::{
    Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Keeps, Relax, Retype, Unique, any_wider,
};
use super::digest::Digest;
use super::literal::{doubled, hex};
use super::mechanism::{
    Absent, Batch, BranchCondition, DeleteJoin, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter,
    Proof, Reduce, RowSource, RowText, Script, Staging, Support, Unstaged, UpdateFrom, WithPlace,
};
use super::name::{Escape, Fold, Quotes};
use super::native::{WIDER, decimal, near, same, standard, timed};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "duckdb",
    title: "DuckDB 1.4",
    docs: "`upsert` and `insert_ignore` are one INSERT .. ON CONFLICT on a unique index or primary key that must \
           exist; `merge` and `delete_insert` are one MERGE, which needs none. DuckDB gives no error for two staged \
           rows with one key and keeps either, by version, so the staged rows are always reduced with QUALIFY first. \
           One process writes at a time; two connections in it that write the same rows end in a conflict error for \
           one of them, which a retry settles, but without a unique index two loads at once can add a new key twice. \
           JSON is compared as text, so it is written without spaces before it is compared.",
    parser: || Box::new(sqlparser::dialect::DuckDbDialect {}),
    // https://duckdb.org/docs/stable/sql/statements/insert, merge_into, update, delete
    syntax: Syntax {
        on_conflict: true,
        // With exactly one unique index.
        on_conflict_update_without_target: true,
        on_conflict_after_from: true,
        on_duplicate_key: false,
        insert_ignore: false,
        insert_or: true,
        replace_into: false,
        insert_overwrite: false,
        insert_alias: true,
        merge: Some(MergeGrammar {
            condition: true,
            branch_where: false,
            matched_branches: 0,
            by_source: true,
            do_nothing: true,
            star: true,
            delete: true,
            with_before: true,
            on_parentheses: false,
            target_alias: true,
            semicolon: false,
            both_branches: false,
            source_query: true,
        }),
        qualify: true,
        distinct_on: true,
        limit: true,
        limit_by: false,
        update_from: true,
        update_join: false,
        delete_using: true,
        delete_target_list: false,
        returning: true,
        interval: true,
        double_colon_cast: true,
        is_distinct_from: true,
        spaceship: false,
        is_any: false,
        backtick_names: false,
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
        aliases: &["ducklake", "motherduck"],
        endings: &[],
        dumps: &[],
        headers: &[],
        signs: &[
            "ATTACH 'DUCKLAKE:",
            "CREATE MACRO",
            "CREATE OR REPLACE MACRO",
            "EXPORT DATABASE",
            "HUGEINT",
            "IMPORT DATABASE",
            "INSTALL HTTPFS",
            "INSTALL SPATIAL",
            "LIST_VALUE(",
            "LOAD HTTPFS",
            "PARQUET_SCAN(",
            "POSTGRES_SCAN(",
            "READ_CSV(",
            "READ_CSV_AUTO(",
            "READ_JSON(",
            "READ_JSON_AUTO(",
            "READ_NDJSON(",
            "READ_PARQUET(",
            "SQLITE_SCAN(",
            "STRUCT_PACK(",
            "ST_READ(",
            "UBIGINT",
            "UINTEGER",
        ],
        lenient: false,
        go_lines: false,
        delimiter_lines: false,
        slash_lines: false,
        backslash_commands: false,
        // https://duckdb.org/docs/stable/clients/cli/dot_commands
        dot_commands: true,
        slash_comments: false,
        optional_semicolons: false,
        // COPY FROM STDIN reads the standard input of the client, not the script.
        copy_data: false,
        guards: Guards {
            since: None,
            create_table: true,
            create_index: true,
            create_schema: true,
            create_database: false,
            create_sequence: true,
            create_view: true,
            replace_table: true,
            replace_view: true,
            // CREATE OR REPLACE MACRO, or FUNCTION: https://duckdb.org/docs/stable/sql/statements/create_macro
            replace_routine: true,
            create_routine: true,
            // Triggers came with 2.0, where these were tried.
            replace_trigger: true,
            create_trigger: true,
            or_alter: false,
            create_type: true,
            create_role: false,
            create_policy: false,
            add_column: true,
            drop_column: true,
            add_constraint: false,
            // Read, and refused by the engine (tried on 2.0).
            drop_constraint: false,
            drop: true,
            drop_index: true,
        },
        // https://duckdb.org/docs/stable/sql/statements/transactions
        probe: Probe::Caller("SELECT 1 FROM information_schema.tables WHERE .."),
        ddl_in_transaction: true,
        truncate_in_transaction: true,
        autocommit: true,
        commit_alone_fails: true,
        enforces_keys: true,
        // A row of the source wins by chance; MERGE fails from 2.0 on.
        duplicates_fail: false,
        load_history: false,
    },

    quotes: Quotes { open: '"', close: '"', escape: Escape::Double },
    fold: Fold::Kept,
    // https://duckdb.org/docs/stable/sql/dialect/keywords_and_identifiers
    ignores_case: true,
    reserved: reserved::DUCKDB,
    name_limit: None,
    unfit_in_names: "",
    table_alias: "AS ",

    string: doubled,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    // https://duckdb.org/docs/stable/sql/data_types/blob: a byte is `\\x` and two digits.
    bytes: |bytes| {
        let escaped = bytes.iter().fold(String::new(), |text, byte| text + "\\x" + &hex(&[*byte]));
        format!("'{escaped}'::BLOB")
    },
    temporal: |text, ty| match ty {
        Type::Date => format!("DATE '{text}'"),
        Type::Time => format!("TIME '{text}'"),
        Type::Timestamp => format!("TIMESTAMP '{text}'"),
        _ => format!("TIMESTAMPTZ '{text}'"),
    },
    json: |text| format!("{}::JSON", doubled(text)),
    uuid: |text| format!("'{text}'::UUID"),
    type_name: |ty| match ty {
        Type::Bool => "BOOLEAN".to_owned(),
        Type::SmallInt => "SMALLINT".to_owned(),
        Type::Int => "INTEGER".to_owned(),
        Type::BigInt => "BIGINT".to_owned(),
        Type::Decimal { precision, scale } => format!("DECIMAL({precision}, {scale})"),
        Type::Real => "FLOAT".to_owned(),
        Type::Double => "DOUBLE".to_owned(),
        // A length is read and ignored: https://duckdb.org/docs/stable/sql/data_types/text
        Type::Text | Type::Varchar(_) | Type::Char(_) => "VARCHAR".to_owned(),
        Type::Bytes => "BLOB".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "TIME".to_owned(),
        Type::Timestamp => "TIMESTAMP".to_owned(),
        Type::Timestamptz => "TIMESTAMPTZ".to_owned(),
        Type::Uuid => "UUID".to_owned(),
        Type::Json => "JSON".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://duckdb.org/docs/stable/sql/data_types/overview
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("tinyint" | "int1" | "utinyint", []) => near(Type::SmallInt, WIDER),
        ("short", []) => same(Type::SmallInt),
        ("usmallint", []) => near(Type::Int, WIDER),
        ("signed", []) => same(Type::Int),
        ("uinteger", []) => near(Type::BigInt, WIDER),
        ("long", []) => same(Type::BigInt),
        ("decimal" | "numeric", []) => decimal(18, 3),
        ("float", []) => same(Type::Real),
        ("char" | "bpchar", []) => same(Type::Text),
        ("bytea", []) => same(Type::Bytes),
        ("datetime", []) => same(Type::Timestamp),
        ("timestamp_s" | "timestamp_ms", []) => timed(Type::Timestamp, Some(3)),
        ("timestamp_ns", []) => timed(Type::Timestamp, Some(9)),
        _ => standard(native),
    },
    cast_name: None,

    // The start of the transaction: https://duckdb.org/docs/stable/sql/functions/timestamptz
    now: |ty| match ty {
        Type::Date => "CAST(now() AT TIME ZONE 'UTC' AS DATE)",
        Type::Time => "CAST(now() AT TIME ZONE 'UTC' AS TIME)",
        Type::Timestamp => "now() AT TIME ZONE 'UTC'",
        _ => "now()",
    },
    // https://duckdb.org/docs/stable/sql/data_types/timestamp#special-values
    floor: |ty| match ty {
        Type::Date => Some("DATE '-infinity'".to_owned()),
        Type::Timestamp => Some("TIMESTAMP '-infinity'".to_owned()),
        Type::Timestamptz => Some("TIMESTAMPTZ '-infinity'".to_owned()),
        // A bare -9223372036854775808 is read as a HUGEINT.
        Type::BigInt => ty.least_integer().map(|least| format!("CAST({least} AS BIGINT)")),
        _ => ty.least_integer().map(str::to_owned),
    },
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("{expression} - {}", overlap.in_days()),
        (_, Type::Timestamptz) => {
            let (n, unit) = overlap.in_fixed_units();
            format!("{expression} - INTERVAL {n} {unit}")
        }
        ((n, unit), _) => format!("{expression} - INTERVAL {n} {unit}"),
    },
    comparable,
    exact: comparable,
    max: "MAX",
    // Last is the default in both directions, but a session may set `default_null_order`.
    nulls_last: true,

    null_safe: NullSafe::IsNotDistinctFrom,
    differs: Differs::ColumnDistinct,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::Qualify { needs_where: false },
    rows: RowSource::Values,
    row_text: RowText::Plain,
    with_in_from: true,
    parameter: Parameter::Dollar,
    index_nulls: IndexNulls::Distinct,
    values_function: false,

    insert_ignore: Support::Yes(Form::OnConflict),
    upsert: Support::Yes(Form::OnConflict),
    merge: Support::Yes(Form::Merge),
    delete_insert: Support::Yes(Form::Merge),
    history: Support::Yes(Form::OnConflict),
    without_index: Support::Yes(Form::Merge),
    merge_syntax: Some(MergeSyntax {
        condition: BranchCondition::And,
        hint: "",
        not_matched: "WHEN NOT MATCHED",
        target_alias: true,
        source_columns: true,
        with: WithPlace::InUsing,
    }),
    script: Some(Script {
        before: &[],
        begin: "BEGIN TRANSACTION",
        commit: "COMMIT",
        batch: Some(Batch {
            stage_outside: false,
            staging: Staging::CreateAs {
                create: "CREATE TEMP TABLE",
                drop: "DROP TABLE IF EXISTS",
                name: "temp.idemsql_batch",
            },
            update: UpdateFrom::From,
            delete: DeleteJoin::Exists,
            unstaged: Unstaged::NotExists,
            index: "",
        }),
    }),
    lock: Lock::No { because: "it has one writing process and no lock that a session could take" },
    merge_needs_lock: true,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: Guard::Words,
        unique: // An index beside the table would keep ALTER TABLE from changing it:
        // https://duckdb.org/docs/stable/sql/indexes
        Unique::Inside,
        unindexed: |_| None,
        default: DefaultForm::Plain,
        null_first: false,
        generated: // https://duckdb.org/docs/stable/sql/statements/create_table#generated-columns
        Support::Yes(Generated { before: "GENERATED ALWAYS AS ", behind: "", typed: true, not_null: false }),
        identity: Support::No { because: "DuckDB numbers a column by the default of a sequence that stands beside the table", instead: "leave the column out, or let the source number its rows" },
        comments: Comments::On,
        add: // A new column takes no constraint: https://duckdb.org/docs/stable/sql/statements/alter_table
        Add { words: "ADD COLUMN", guard: Guard::Words, default: AddDefault::Any, not_null: false },
        drop: Support::Yes(Drop { guard: Guard::Words, bound: None }),
        retype: Support::Yes(Retype { before: "ALTER COLUMN", between: " SET DATA TYPE ", keeps: Keeps::All, takes: any_wider, key: Some("DuckDB changes no column that an index holds"), again: true }),
        relax: Support::Yes(Relax::Words { before: "ALTER COLUMN", behind: " DROP NOT NULL", guard: Guard::Needless }),
        quoted: doubled,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: Some(Digest { row: row_digest, number: |hex| format!("CAST('0x' || {hex} AS BIGINT)") }),
    dbt: Support::Yes(&[Adapter::deleting(
        "duckdb",
        Support::Yes(DbtModel {
            load: DbtLoad::Strategy(Form::Merge),
            append: "append",
            quotes_tables: true,
            config: |_| Vec::new(),
        }),
    )]),
    proof: Proof::Executed("DuckDB 1.5"),
    reader: Some("sqruff 0.44"),
};

/// JSON is text, in which `{"a":1}` and `{"a": 1}` differ; json() writes both in one way:
/// <https://duckdb.org/docs/stable/data/json/json_functions>
fn comparable(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Json => format!("json({expression})"),
        _ => expression.to_owned(),
    }
}

/// The text of an instant is that of the session's time zone; all else is written in one way, and a decimal in JSON would lose
/// digits: <https://duckdb.org/docs/stable/sql/data_types/timestamp>
fn row_digest(cells: &[(&str, &Type)]) -> String {
    let written = |(cell, ty): &(&str, &Type)| match ty {
        Type::Text | Type::Varchar(_) | Type::Char(_) => (*cell).to_owned(),
        Type::Timestamptz => format!("EPOCH_US({cell})"),
        Type::Bytes => format!("HEX({cell})"),
        _ => format!("CAST({cell} AS VARCHAR)"),
    };
    let cells: Vec<String> = cells.iter().map(written).collect();
    format!("SHA256(CAST(JSON_ARRAY({}) AS VARCHAR))", cells.join(", "))
}
