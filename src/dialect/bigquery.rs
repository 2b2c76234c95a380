//! Google BigQuery.

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel};
use super::client::{Client, Guards};
use super::ddl::{Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Guard, Keeps, Relax, Retype, Unique, any_wider};
use super::literal::{backslashed, hex};
use super::mechanism::{
    Absent, Batch, BranchCondition, DeleteJoin, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter,
    Proof, Reduce, RowSource, RowText, Script, Staging, Support, Unstaged, UpdateFrom, WithPlace,
};
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::native::{decimal, same, standard};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "bigquery",
    title: "BigQuery (GoogleSQL)",
    docs: "Every load is one MERGE over the staged rows, reduced with QUALIFY to one per key: two staged rows with \
           one new key would both be inserted without an error. Keys are NOT ENFORCED, so nothing but the load keeps \
           them unique. The condition keeps one plain equality, without which the join is refused. The start of a \
           window is read into a script variable first, because a subquery would defeat the pruning of partitions. \
           MERGEs of one table that conflict are queued, repeated, and then fail, which a retry settles; two loads \
           that insert one new key at once are not promised, and there is no lock. Rows in the streaming buffer \
           cannot be changed for half an hour. JSON, GEOGRAPHY, ARRAY and STRUCT are compared by TO_JSON_STRING.",
    parser: || Box::new(sqlparser::dialect::BigQueryDialect {}),
    // https://cloud.google.com/bigquery/docs/reference/standard-sql/dml-syntax, query-syntax
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
        merge: Some(MergeGrammar {
            condition: true,
            branch_where: false,
            matched_branches: 0,
            by_source: true,
            do_nothing: false,
            // It has `INSERT ROW`.
            star: false,
            delete: true,
            with_before: false,
            on_parentheses: false,
            target_alias: true,
            semicolon: false,
            both_branches: false,
            source_query: true,
        }),
        qualify: true,
        distinct_on: false,
        limit: true,
        limit_by: false,
        update_from: true,
        update_join: false,
        delete_using: false,
        // The word FROM may be left out.
        delete_target_list: true,
        returning: false,
        interval: true,
        double_colon_cast: false,
        is_distinct_from: true,
        spaceship: false,
        is_any: false,
        backtick_names: true,
        bracket_names: false,
        // A string.
        double_quote_names: false,
        bool_literals: true,
        with_before_insert: false,
        with_inside_insert: true,
        select_without_from: true,
        table_alias_as: true,
        set_qualified: true,
    },

    // https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#quoted_identifiers
    client: Client {
        aliases: &["bq", "googlesql", "zetasql"],
        endings: &[],
        dumps: &[],
        headers: &[],
        signs: &[
            "ARRAY<STRUCT<",
            "BIGNUMERIC",
            "CREATE SEARCH INDEX",
            "CREATE TEMP FUNCTION",
            "DATETIME_TRUNC(",
            "EXPORT DATA OPTIONS",
            "FARM_FINGERPRINT(",
            "GENERATE_DATE_ARRAY(",
            "GENERATE_UUID()",
            "INSERT ROW",
            "INT64",
            "PARSE_DATE(",
            "PARSE_TIMESTAMP(",
            "REQUIRE_PARTITION_FILTER",
            "SAFE_CAST(",
            "SAFE_DIVIDE(",
            "TIMESTAMP_SUB(",
            "TIMESTAMP_TRUNC(",
            "TO_JSON_STRING(",
            "_PARTITIONDATE",
            "_PARTITIONTIME",
            "_TABLE_SUFFIX",
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
            // https://cloud.google.com/bigquery/docs/reference/standard-sql/data-definition-language
            create_table: true,
            // CREATE SEARCH INDEX and CREATE VECTOR INDEX.
            create_index: true,
            create_schema: true,
            create_database: false,
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
            create_role: false,
            // CREATE ROW ACCESS POLICY.
            create_policy: true,
            add_column: true,
            drop_column: true,
            // ADD CONSTRAINT IF NOT EXISTS name FOREIGN KEY .. NOT ENFORCED; a primary key has no name.
            add_constraint: true,
            drop_constraint: true,
            drop: true,
            drop_index: true,
        },
        // Only temporary tables and functions are made in a transaction; TRUNCATE is DML there:
        // https://cloud.google.com/bigquery/docs/transactions
        // https://cloud.google.com/bigquery/docs/reference/standard-sql/procedural-language
        probe: Probe::Scripting,
        ddl_in_transaction: false,
        truncate_in_transaction: true,
        autocommit: true,
        commit_alone_fails: true,
        // https://cloud.google.com/bigquery/docs/primary-foreign-keys
        enforces_keys: false,
        duplicates_fail: true,
        // LOAD DATA appends the files each time.
        load_history: false,
    },

    quotes: Quotes { open: '`', close: '`', escape: Escape::Backslash },
    fold: Fold::Kept,
    // Columns; the case of a table's name counts.
    ignores_case: true,
    reserved: reserved::BIGQUERY,
    // https://cloud.google.com/bigquery/docs/schemas#column_names
    name_limit: Some(NameLimit { length: 300, bytes: false }),
    // https://cloud.google.com/bigquery/docs/schemas#flexible-column-names
    unfit_in_names: "!\"$()*,./;?@[\\]^`{}~",
    table_alias: "AS ",

    string: backslashed,
    bools: ("TRUE", "FALSE"),
    // A bare 12.50 is a FLOAT64: https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#numeric_literals
    decimal: |digits, ty| match ty {
        Type::Decimal { precision, scale } if is_numeric(*precision, *scale) => format!("NUMERIC '{digits}'"),
        _ => format!("BIGNUMERIC '{digits}'"),
    },
    bytes: |bytes| format!("FROM_HEX('{}')", hex(bytes)),
    temporal: |text, ty| match ty {
        Type::Date => format!("DATE '{text}'"),
        Type::Time => format!("TIME '{text}'"),
        Type::Timestamp => format!("DATETIME '{text}'"),
        _ => format!("TIMESTAMP '{text}'"),
    },
    json: |text| format!("JSON {}", backslashed(text)),
    uuid: backslashed,
    type_name: |ty| match ty {
        Type::Bool => "BOOL".to_owned(),
        Type::SmallInt | Type::Int | Type::BigInt => "INT64".to_owned(),
        Type::Decimal { precision, scale } if is_numeric(*precision, *scale) => {
            format!("NUMERIC({precision}, {scale})")
        }
        Type::Decimal { precision, scale } => format!("BIGNUMERIC({precision}, {scale})"),
        Type::Real | Type::Double => "FLOAT64".to_owned(),
        Type::Text | Type::Uuid => "STRING".to_owned(),
        Type::Varchar(length) | Type::Char(length) => format!("STRING({length})"),
        Type::Bytes => "BYTES".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "TIME".to_owned(),
        Type::Timestamp => "DATETIME".to_owned(),
        Type::Timestamptz => "TIMESTAMP".to_owned(),
        Type::Json => "JSON".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("int64" | "int" | "integer" | "bigint" | "smallint" | "tinyint" | "byteint", []) => same(Type::BigInt),
        ("numeric" | "decimal", []) => same(Type::Decimal { precision: 38, scale: 9 }),
        ("bignumeric" | "bigdecimal", [precision, scale]) => decimal(*precision, *scale),
        ("bignumeric" | "bigdecimal", [precision]) => decimal(*precision, 0),
        ("float64", []) => same(Type::Double),
        ("string", [length @ 1..=u32::MAX]) => same(Type::Varchar(*length)),
        ("bytes", _) => same(Type::Bytes),
        ("datetime", []) => same(Type::Timestamp),
        ("timestamp", []) => same(Type::Timestamptz),
        _ => standard(native),
    },
    cast_name: None,

    // The zone is UTC unless one is given.
    now: |ty| match ty {
        Type::Date => "CURRENT_DATE()",
        Type::Time => "CURRENT_TIME()",
        Type::Timestamp => "CURRENT_DATETIME()",
        _ => "CURRENT_TIMESTAMP()",
    },
    floor: |ty| match ty {
        Type::Date => Some("DATE '0001-01-01'".to_owned()),
        Type::Timestamp => Some("DATETIME '0001-01-01 00:00:00'".to_owned()),
        Type::Timestamptz => Some("TIMESTAMP '0001-01-01 00:00:00+00:00'".to_owned()),
        // All whole numbers are of 64 bits.
        _ => ty.is_integer().then(|| "-9223372036854775808".to_owned()),
    },
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("DATE_SUB({expression}, INTERVAL {} DAY)", overlap.in_days()),
        ((n, unit), Type::Timestamp) => format!("DATETIME_SUB({expression}, INTERVAL {n} {unit})"),
        ((n, unit), _) => format!("TIMESTAMP_SUB({expression}, INTERVAL {n} {unit})"),
    },
    comparable,
    exact: comparable,
    max: "MAX",
    // Nulls are the least values.
    nulls_last: false,

    null_safe: NullSafe::IsNotDistinctFrom,
    differs: Differs::ColumnDistinct,
    absent: Absent::NotExists,
    probe_hint: "",
    // "QUALIFY clause must be used in conjunction with WHERE or GROUP BY or HAVING clause", says its open parser.
    reduce: Reduce::Qualify { needs_where: true },
    rows: RowSource::UnionAll { from: "" },
    row_text: RowText::Plain,
    with_in_from: true,
    parameter: Parameter::At,
    index_nulls: IndexNulls::NotEnforced,
    values_function: false,

    insert_ignore: Support::Yes(Form::Merge),
    upsert: Support::Yes(Form::Merge),
    merge: Support::Yes(Form::Merge),
    delete_insert: Support::Yes(Form::Merge),
    history: Support::Yes(Form::Merge),
    without_index: Support::Yes(Form::Merge),
    merge_syntax: Some(MergeSyntax {
        condition: BranchCondition::And,
        hint: "",
        not_matched: "WHEN NOT MATCHED",
        target_alias: true,
        source_columns: true,
        with: WithPlace::InUsing,
    }),
    // https://cloud.google.com/bigquery/docs/transactions
    script: Some(Script {
        before: &[],
        begin: "BEGIN TRANSACTION",
        commit: "COMMIT TRANSACTION",
        batch: Some(Batch {
            stage_outside: true,
            staging: Staging::CreateAs {
                create: "CREATE TEMP TABLE",
                drop: "DROP TABLE IF EXISTS",
                name: "idemsql_batch",
            },
            update: UpdateFrom::From,
            delete: DeleteJoin::Exists,
            unstaged: Unstaged::NotExists,
            index: "",
        }),
    }),
    lock: Lock::No { because: "BigQuery has no locks that a script could take" },
    merge_needs_lock: true,
    bound_in_variable: true,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: Guard::Words,
        unique: Unique::No,
        unindexed: |_| None,
        default: DefaultForm::Plain,
        null_first: false,
        generated: Support::No { because: "BigQuery has generated columns in preview alone", instead: "let the load compute it, with `value: ..` or `source: ..`" },
        identity: Support::No { because: "BigQuery numbers no rows", instead: "leave the column out, or let the source number its rows" },
        comments: Comments::Inside { column: " OPTIONS (description = {text})", table: "\nOPTIONS (description = {text})" },
        add: // A new column is NULLABLE, and takes its default by a statement of its own:
        // https://cloud.google.com/bigquery/docs/managing-table-schemas, https://cloud.google.com/bigquery/docs/default-values
        Add { words: "ADD COLUMN", guard: Guard::Words, default: AddDefault::No, not_null: false },
        drop: Support::Yes(Drop { guard: Guard::Words, bound: None }),
        retype: Support::Yes(Retype { before: "ALTER COLUMN", between: " SET DATA TYPE ", keeps: Keeps::All, takes: any_wider, key: None, again: true }),
        relax: // It is an error where the column takes null already:
        // https://cloud.google.com/bigquery/docs/reference/standard-sql/data-definition-language#alter_column_drop_not_null_statement
        Support::Yes(Relax::Words { before: "ALTER COLUMN", behind: " DROP NOT NULL", guard: Guard::No { because: "DROP NOT NULL is an error in BigQuery where the column takes null already" } }),
        quoted: backslashed,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: None,
    dbt: Support::Yes(&[
        // It refuses strategies that it does not know, and its merge without a key only inserts:
        // https://github.com/dbt-labs/dbt-adapters/issues/2167
        Adapter::merging(
            "bigquery",
            Support::Yes(DbtModel {
                load: DbtLoad::FilteredMerge,
                append: "merge",
                quotes_tables: true,
                config: |_| Vec::new(),
            }),
        ),
    ]),
    proof: Proof::Parsed,
    reader: Some("ZetaSQL, Google's parser and resolver"),
};

/// Types without equality, by their JSON text:
/// <https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#comparable_data_types>
fn comparable(expression: &str, ty: &Type) -> String {
    let compound = match ty {
        Type::Json => true,
        Type::Other(name) => {
            let name = name.to_ascii_lowercase();
            ["array", "geography", "json", "struct"].iter().any(|kind| name.starts_with(kind))
        }
        _ => false,
    };
    if compound { format!("TO_JSON_STRING({expression})") } else { expression.to_owned() }
}

/// True for what NUMERIC can hold:
/// <https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#decimal_types>
fn is_numeric(precision: u8, scale: u8) -> bool {
    scale <= 9 && precision.saturating_sub(scale) <= 29
}
