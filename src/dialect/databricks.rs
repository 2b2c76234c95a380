//! Databricks SQL on Delta tables.

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel};
use super::client::{Client, Guards};
use super::ddl::{Add, AddDefault, Comments, Ddl, DefaultForm, Generated, Guard, Identity, Relax, Unique};
use super::literal::{backslashed, hex};
use super::mechanism::{
    Absent, BranchCondition, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter, Proof, Reduce,
    RowSource, RowText, Support, WithPlace,
};
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::native::{WIDER, decimal, near, same, standard};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "databricks",
    title: "Databricks Runtime 10.4 (Delta)",
    docs: "Every load is one MERGE over the staged rows, reduced with QUALIFY to one per key, and so one commit of \
           the Delta table: several statements would be several commits. Two staged rows with one new key would both \
           be inserted without an error, and keys are informational, so nothing but the load keeps them unique. A \
           MERGE whose guard finds nothing to do rewrites no file. Two MERGEs at once may end in a concurrency \
           exception, which a retry settles; two loads that only insert one new key can both succeed unless the \
           table's isolation level is Serializable, so run one job at a time. `timestamptz` is TIMESTAMP, an \
           instant; `timestamp` is TIMESTAMP_NTZ, from runtime 13.3, and holds UTC. JSON is a STRING and compared as \
           text; a VARIANT or MAP is compared by to_json. A double-quoted name is a string.",
    parser: || Box::new(sqlparser::dialect::DatabricksDialect {}),
    // https://docs.databricks.com/en/sql/language-manual/delta-merge-into.html, sql-ref-syntax-dml-insert-into.html
    syntax: Syntax {
        on_conflict: false,
        on_conflict_update_without_target: false,
        on_conflict_after_from: false,
        on_duplicate_key: false,
        insert_ignore: false,
        insert_or: false,
        replace_into: false,
        insert_overwrite: true,
        insert_alias: false,
        merge: Some(MergeGrammar {
            condition: true,
            branch_where: false,
            matched_branches: 0,
            // From runtime 12.2.
            by_source: true,
            do_nothing: false,
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
        distinct_on: false,
        limit: true,
        limit_by: false,
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
        // A string, unless spark.sql.ansi.doubleQuotedIdentifiers is on.
        double_quote_names: false,
        bool_literals: true,
        with_before_insert: true,
        with_inside_insert: true,
        select_without_from: true,
        table_alias_as: true,
        set_qualified: true,
    },

    client: Client {
        aliases: &[
            "databrickssql",
            "delta",
            "deltalake",
            "hive",
            "hiveql",
            "hql",
            "impala",
            "spark",
            "spark3",
            "sparksql",
        ],
        endings: &["hql"],
        dumps: &[],
        headers: &["-- Databricks notebook source"],
        signs: &[
            "COPY_OPTIONS",
            "DISTRIBUTE BY",
            "HIVE.EXEC.",
            "INSERT OVERWRITE",
            "LATERAL VIEW",
            "MSCK REPAIR TABLE",
            "NOT MATCHED THEN INSERT *",
            "READ_FILES(",
            "REPLACE WHERE",
            "ROW FORMAT DELIMITED",
            "ROW FORMAT SERDE",
            "SPARK.SQL.",
            "STORED AS ORC",
            "STORED AS PARQUET",
            "STORED AS TEXTFILE",
            "TBLPROPERTIES",
            "UPDATE SET *",
            "USE CATALOG",
            "USING DELTA",
            "USING ICEBERG",
            "USING PARQUET",
            "ZORDER BY",
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
            // There are no indexes but for bloom filters, which have no guard.
            create_index: false,
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
            create_role: false,
            // A policy of Unity Catalog has OR REPLACE only.
            create_policy: false,
            // ADD COLUMN has no guard, DROP COLUMN has:
            // https://docs.databricks.com/sql/language-manual/sql-ref-syntax-ddl-alter-table-manage-column.html
            add_column: false,
            drop_column: true,
            add_constraint: false,
            // https://docs.databricks.com/en/sql/language-manual/sql-ref-syntax-ddl-alter-table-drop-constraint.html
            drop_constraint: true,
            drop: true,
            drop_index: false,
        },
        // Each statement commits a version of one table.
        // https://docs.databricks.com/sql/language-manual/sql-ref-scripting.html
        probe: Probe::Scripting,
        ddl_in_transaction: false,
        truncate_in_transaction: false,
        autocommit: true,
        commit_alone_fails: false,
        // https://docs.databricks.com/en/tables/constraints.html
        enforces_keys: false,
        duplicates_fail: true,
        // Files that were loaded already are passed over: https://docs.databricks.com/en/ingestion/cloud-object-storage/copy-into/
        load_history: true,
    },

    quotes: Quotes { open: '`', close: '`', escape: Escape::Double },
    // https://docs.databricks.com/en/sql/language-manual/sql-ref-identifiers.html
    fold: Fold::Lower,
    ignores_case: true,
    reserved: reserved::DATABRICKS,
    name_limit: Some(NameLimit { length: 255, bytes: false }),
    unfit_in_names: "",
    table_alias: "AS ",

    // https://docs.databricks.com/en/sql/language-manual/data-types/string-type.html
    string: backslashed,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    bytes: |bytes| format!("X'{}'", hex(bytes)),
    temporal: |text, ty| match ty {
        Type::Date => format!("DATE '{text}'"),
        Type::Time => format!("'{text}'"),
        Type::Timestamp => format!("TIMESTAMP_NTZ '{text}'"),
        _ => format!("TIMESTAMP '{text}'"),
    },
    json: backslashed,
    uuid: backslashed,
    type_name: |ty| match ty {
        Type::Bool => "BOOLEAN".to_owned(),
        Type::SmallInt => "SMALLINT".to_owned(),
        Type::Int => "INT".to_owned(),
        Type::BigInt => "BIGINT".to_owned(),
        Type::Decimal { precision, scale } => format!("DECIMAL({precision}, {scale})"),
        Type::Real => "FLOAT".to_owned(),
        Type::Double => "DOUBLE".to_owned(),
        // A length would be a check on every write; there is no type for a time of day.
        Type::Text | Type::Varchar(_) | Type::Char(_) | Type::Time | Type::Uuid | Type::Json => "STRING".to_owned(),
        Type::Bytes => "BINARY".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Timestamp => "TIMESTAMP_NTZ".to_owned(),
        Type::Timestamptz => "TIMESTAMP".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://docs.databricks.com/en/sql/language-manual/sql-ref-datatypes.html
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("short", []) => same(Type::SmallInt),
        ("byte", []) => near(Type::SmallInt, WIDER),
        ("long", []) => same(Type::BigInt),
        ("float", []) => same(Type::Real),
        ("decimal" | "dec" | "numeric", []) => decimal(10, 0),
        ("binary", []) => same(Type::Bytes),
        ("timestamp_ntz", []) => same(Type::Timestamp),
        ("timestamp" | "timestamp_ltz", []) => same(Type::Timestamptz),
        _ => standard(native),
    },
    cast_name: None,

    // The start of the statement; https://docs.databricks.com/en/sql/language-manual/functions/convert_timezone.html
    now: |ty| match ty {
        Type::Date => "CAST(convert_timezone('UTC', localtimestamp()) AS DATE)",
        Type::Time => "date_format(convert_timezone('UTC', localtimestamp()), 'HH:mm:ss')",
        Type::Timestamp => "convert_timezone('UTC', localtimestamp())",
        _ => "current_timestamp()",
    },
    floor: |ty| match ty {
        Type::Date => Some("DATE '0001-01-01'".to_owned()),
        Type::Timestamp => Some("TIMESTAMP_NTZ '0001-01-01 00:00:00'".to_owned()),
        Type::Timestamptz => Some("TIMESTAMP '0001-01-01 00:00:00+00:00'".to_owned()),
        _ => ty.least_integer().map(str::to_owned),
    },
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("{expression} - INTERVAL {} DAY", overlap.in_days()),
        (_, Type::Timestamptz) => {
            let (n, unit) = overlap.in_fixed_units();
            format!("{expression} - INTERVAL {n} {unit}")
        }
        ((n, unit), _) => format!("{expression} - INTERVAL {n} {unit}"),
    },
    comparable,
    exact: comparable,
    max: "MAX",
    // Nulls come last in descending order: .../sql-ref-syntax-qry-select-orderby.html
    nulls_last: false,

    null_safe: NullSafe::Spaceship,
    differs: Differs::NotSpaceship,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::Qualify { needs_where: false },
    rows: RowSource::Values,
    row_text: RowText::Plain,
    with_in_from: true,
    parameter: Parameter::Colon,
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
        // "Columns aliases are not allowed in MERGE", says its parser.
        source_columns: false,
        with: WithPlace::InUsing,
    }),
    script: None,
    lock: Lock::No { because: "Delta tables have optimistic concurrency and no locks" },
    merge_needs_lock: true,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: Guard::Words,
        unique: Unique::No,
        unindexed: |_| None,
        default: // https://docs.databricks.com/en/delta/default-columns.html
        DefaultForm::No { because: "Delta keeps defaults only with the table property `delta.feature.allowColumnDefaults`" },
        null_first: false,
        generated: Support::Yes(Generated { before: "GENERATED ALWAYS AS ", behind: "", typed: true, not_null: true }),
        identity: // For BIGINT alone: https://docs.databricks.com/en/delta/generated-columns.html
        Support::Yes(Identity { words: "GENERATED ALWAYS AS IDENTITY", constraint: "", not_null: true, bigint: true }),
        comments: Comments::Inside { column: " COMMENT {text}", table: "\nCOMMENT {text}" },
        add: // ADD COLUMN has no guard, and no default on Delta:
        // https://docs.databricks.com/sql/language-manual/sql-ref-syntax-ddl-alter-table-manage-column.html
        Add { words: "ADD COLUMN", guard: Guard::No { because: "Databricks has no ADD COLUMN IF NOT EXISTS" }, default: AddDefault::No, not_null: false },
        drop: // https://docs.databricks.com/en/delta/column-mapping.html
        Support::No { because: "Delta drops a column only with the table property `delta.columnMapping.mode`", instead: "set it, and drop the column by hand" },
        retype: // https://docs.databricks.com/en/delta/type-widening.html
        Support::No { because: "Delta widens a type only with the table property `delta.enableTypeWidening`", instead: "set it, and change the type by hand" },
        relax: Support::Yes(Relax::Words { before: "ALTER COLUMN", behind: " DROP NOT NULL", guard: Guard::Needless }),
        quoted: backslashed,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: None,
    dbt: Support::Yes(&[
        // Strategies of a project since 1.10: https://github.com/databricks/dbt-databricks/pull/972
        Adapter::merging(
            "databricks",
            Support::Yes(DbtModel {
                load: DbtLoad::Strategy(Form::Merge),
                append: "append",
                quotes_tables: true,
                config: |_| Vec::new(),
            }),
        ),
        // It refuses strategies that it does not know: https://github.com/dbt-labs/dbt-adapters/issues/833
        Adapter::appending(
            "spark",
            Support::Yes(DbtModel {
                load: DbtLoad::FilteredMerge,
                append: "append",
                quotes_tables: true,
                config: |_| vec![("file_format", "'delta'".to_owned())],
            }),
        ),
    ]),
    proof: Proof::StandIn {
        engine: "Sail 0.7 and Spark 3.5",
        what: "which have its statements but not QUALIFY, so that ROW_NUMBER stands in a subquery there; the tables are \
               Delta's on Sail and Iceberg's on Spark",
    },
    reader: Some("the Spark grammar of dt-sql-parser 4.5"),
};

/// MAP and VARIANT have no equality: <https://docs.databricks.com/en/sql/language-manual/functions/to_json.html>
fn comparable(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Other(name) => {
            let name = name.to_ascii_lowercase();
            let compound = ["map", "variant"].iter().any(|kind| name.starts_with(kind));
            if compound { format!("to_json({expression})") } else { expression.to_owned() }
        }
        _ => expression.to_owned(),
    }
}
