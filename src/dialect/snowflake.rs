//! Snowflake.

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel};
use super::client::{Client, Guards};
use super::ddl::{
    Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Identity, Keeps, Relax, Retype, Unique, grows,
};
use super::literal::{doubled, hex, spaced_zone};
use super::mechanism::{
    Absent, Batch, BranchCondition, DeleteJoin, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter,
    Proof, Reduce, RowSource, RowText, Script, Staging, Support, Unstaged, UpdateFrom, WithPlace,
};
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::native::{decimal, near, same, standard, timed};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "snowflake",
    title: "Snowflake",
    docs: "Every load is one MERGE over the staged rows, reduced with QUALIFY to one per key: WHEN NOT MATCHED fires \
           for each staged row, so two with one new key would both be inserted without an error. Primary and unique \
           keys of standard tables are not enforced, so nothing but the load keeps a key unique. The guard keeps a \
           second run from rewriting micro-partitions and from feeding streams. Two loads of one table at once are \
           not promised: Snowflake has no lock that a script could take first, so let one task run at a time. \
           `timestamp` is TIMESTAMP_NTZ and holds UTC, `timestamptz` is TIMESTAMP_TZ; comparing the two uses the \
           session's time zone. JSON is VARIANT and compared as its normal text. A statement of definition commits \
           the open transaction.",
    parser: || Box::new(sqlparser::dialect::SnowflakeDialect {}),
    // https://docs.snowflake.com/en/sql-reference/sql/merge, insert, update, delete
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
            by_source: false,
            do_nothing: false,
            // It has `ALL BY NAME`.
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
        delete_using: true,
        delete_target_list: false,
        returning: false,
        interval: true,
        double_colon_cast: true,
        is_distinct_from: true,
        spaceship: false,
        is_any: false,
        backtick_names: false,
        bracket_names: false,
        double_quote_names: true,
        bool_literals: true,
        with_before_insert: false,
        with_inside_insert: true,
        select_without_from: true,
        table_alias_as: true,
        set_qualified: true,
    },

    client: Client {
        aliases: &["snowscripting", "snowsql"],
        endings: &[],
        dumps: &[],
        headers: &[],
        signs: &[
            "APPLICATION ROLE",
            "ARRAY_CONSTRUCT(",
            "COMPUTE POOL",
            "COPY GRANTS",
            "COPY INTO @",
            "CREATE FILE FORMAT",
            "CREATE OR REPLACE FILE FORMAT",
            "CREATE OR REPLACE PIPE",
            "CREATE OR REPLACE STAGE",
            "CREATE OR REPLACE STREAM",
            "CREATE OR REPLACE TASK",
            "CREATE OR REPLACE WAREHOUSE",
            "CREATE STAGE",
            "CREATE WAREHOUSE",
            "FILE_FORMAT = (",
            "FILE_FORMAT=(",
            "FLATTEN(INPUT",
            "LATERAL FLATTEN",
            "METADATA$",
            "OBJECT_CONSTRUCT(",
            "ON_ERROR =",
            "RESULT_SCAN(",
            "SNOWFLAKE.",
            "SYSTEM$STREAM_HAS_DATA",
            "SYSTEM$WAIT",
            "TIMESTAMP_LTZ",
            "TIMESTAMP_TZ",
            "TRANSIENT TABLE",
            "TRY_PARSE_JSON(",
            "USE ROLE",
            "USE WAREHOUSE",
            "VARIANT",
        ],
        lenient: false,
        go_lines: false,
        delimiter_lines: false,
        slash_lines: false,
        backslash_commands: false,
        dot_commands: false,
        slash_comments: true,
        optional_semicolons: false,
        copy_data: false,
        guards: Guards {
            since: None,
            create_table: true,
            // On hybrid tables only: https://docs.snowflake.com/en/sql-reference/sql/create-index
            create_index: true,
            create_schema: true,
            create_database: true,
            create_sequence: true,
            create_view: true,
            replace_table: true,
            replace_view: true,
            replace_routine: true,
            create_routine: true,
            // There are no triggers.
            replace_trigger: false,
            create_trigger: false,
            // https://docs.snowflake.com/en/sql-reference/sql/create-or-alter
            or_alter: true,
            // https://docs.snowflake.com/en/sql-reference/sql/create-type
            create_type: true,
            create_role: true,
            // CREATE ROW ACCESS POLICY, CREATE MASKING POLICY and their kin.
            create_policy: true,
            // https://docs.snowflake.com/en/sql-reference/sql/alter-table
            add_column: true,
            drop_column: true,
            // https://docs.snowflake.com/en/sql-reference/sql/create-table-constraint
            add_constraint: false,
            drop_constraint: false,
            drop: true,
            drop_index: true,
        },
        // Definitions commit; TRUNCATE is a change of rows like any other:
        // https://docs.snowflake.com/en/sql-reference/transactions
        // https://docs.snowflake.com/en/developer-guide/snowflake-scripting/branch
        probe: Probe::Scripting,
        ddl_in_transaction: false,
        truncate_in_transaction: true,
        autocommit: true,
        commit_alone_fails: false,
        // But for hybrid tables: https://docs.snowflake.com/en/sql-reference/constraints-overview
        enforces_keys: false,
        duplicates_fail: true,
        // 64 days: https://docs.snowflake.com/en/sql-reference/sql/copy-into-table
        load_history: true,
    },

    quotes: Quotes { open: '"', close: '"', escape: Escape::Double },
    // https://docs.snowflake.com/en/sql-reference/identifiers-syntax
    fold: Fold::Upper,
    ignores_case: false,
    reserved: reserved::SNOWFLAKE,
    name_limit: Some(NameLimit { length: 255, bytes: false }),
    unfit_in_names: "",
    table_alias: "AS ",

    string,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    // https://docs.snowflake.com/en/sql-reference/data-types-text#binary
    bytes: |bytes| format!("X'{}'", hex(bytes)),
    temporal: |text, ty| match ty {
        Type::Date => format!("'{text}'::DATE"),
        Type::Time => format!("'{text}'::TIME"),
        Type::Timestamp => format!("'{text}'::TIMESTAMP_NTZ"),
        _ => format!("'{}'::TIMESTAMP_TZ", spaced_zone(text)),
    },
    json: |text| format!("PARSE_JSON({})", string(text)),
    uuid: string,
    type_name: |ty| match ty {
        Type::Bool => "BOOLEAN".to_owned(),
        Type::SmallInt => "NUMBER(5, 0)".to_owned(),
        Type::Int => "NUMBER(10, 0)".to_owned(),
        Type::BigInt => "NUMBER(19, 0)".to_owned(),
        Type::Decimal { precision, scale } => format!("NUMBER({precision}, {scale})"),
        Type::Real | Type::Double => "FLOAT".to_owned(),
        Type::Text => "VARCHAR".to_owned(),
        // CHAR(n) is VARCHAR(n) without padding.
        Type::Varchar(length) | Type::Char(length) => format!("VARCHAR({length})"),
        Type::Bytes => "BINARY".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "TIME(6)".to_owned(),
        Type::Timestamp => "TIMESTAMP_NTZ(6)".to_owned(),
        Type::Timestamptz => "TIMESTAMP_TZ(6)".to_owned(),
        Type::Uuid => "VARCHAR(36)".to_owned(),
        Type::Json => "VARIANT".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://docs.snowflake.com/en/sql-reference/intro-summary-data-types
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("number" | "decimal" | "numeric", [5, 0]) => same(Type::SmallInt),
        ("number" | "decimal" | "numeric", [10, 0]) => same(Type::Int),
        ("number" | "decimal" | "numeric", [19, 0]) => same(Type::BigInt),
        ("number" | "decimal" | "numeric", []) => decimal(38, 0),
        ("real" | "float4", []) => same(Type::Double),
        ("varchar" | "string" | "text", [16_777_216]) => same(Type::Text),
        ("varchar" | "string" | "text", [length @ 1..=u32::MAX]) => same(Type::Varchar(*length)),
        ("binary" | "varbinary", _) => same(Type::Bytes),
        // A time has 9 digits unless it says otherwise.
        ("time", []) => timed(Type::Time, Some(9)),
        ("timestamp_ntz" | "datetime", digits) => timed(Type::Timestamp, digits.first().copied().or(Some(9))),
        ("timestamp", _) => near(Type::Timestamp, "TIMESTAMP_TYPE_MAPPING of the session decides what it is"),
        ("timestamp_tz", digits) => timed(Type::Timestamptz, digits.first().copied().or(Some(9))),
        ("timestamp_ltz", _) => near(Type::Timestamptz, "it is shown in the zone of the session"),
        ("variant", []) => same(Type::Json),
        _ => standard(native),
    },
    cast_name: None,

    // SYSDATE() is UTC without a zone: https://docs.snowflake.com/en/sql-reference/functions/sysdate
    now: |ty| match ty {
        Type::Date => "SYSDATE()::DATE",
        Type::Time => "SYSDATE()::TIME",
        Type::Timestamp => "SYSDATE()",
        _ => "CURRENT_TIMESTAMP()",
    },
    floor: |ty| match ty {
        Type::Date => Some("'0001-01-01'::DATE".to_owned()),
        Type::Timestamp => Some("'0001-01-01 00:00:00'::TIMESTAMP_NTZ".to_owned()),
        Type::Timestamptz => Some("'0001-01-01 00:00:00 +00:00'::TIMESTAMP_TZ".to_owned()),
        _ => ty.least_integer().map(str::to_owned),
    },
    // https://docs.snowflake.com/en/sql-reference/functions/dateadd
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("DATEADD(DAY, -{}, {expression})", overlap.in_days()),
        (_, Type::Timestamptz) => {
            let (n, unit) = overlap.in_fixed_units();
            format!("DATEADD({unit}, -{n}, {expression})")
        }
        ((n, unit), _) => format!("DATEADD({unit}, -{n}, {expression})"),
    },
    comparable,
    exact: comparable,
    max: "MAX",
    // Nulls are the greatest values: https://docs.snowflake.com/en/sql-reference/constructs/order-by
    nulls_last: true,

    null_safe: NullSafe::IsNotDistinctFrom,
    differs: Differs::ColumnDistinct,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::Qualify { needs_where: false },
    // VALUES takes no PARSE_JSON: https://docs.snowflake.com/en/sql-reference/constructs/values
    rows: RowSource::UnionAll { from: "" },
    row_text: RowText::Plain,
    with_in_from: true,
    parameter: Parameter::Question,
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
    script: Some(Script {
        before: &[],
        begin: "BEGIN TRANSACTION",
        commit: "COMMIT",
        batch: Some(Batch {
            // https://docs.snowflake.com/en/sql-reference/transactions#ddl
            stage_outside: true,
            staging: Staging::CreateAs {
                create: "CREATE TEMPORARY TABLE",
                drop: "DROP TABLE IF EXISTS",
                name: "idemsql_batch",
            },
            update: UpdateFrom::From,
            delete: DeleteJoin::Exists,
            unstaged: Unstaged::NotExists,
            index: "",
        }),
    }),
    lock: Lock::No { because: "Snowflake takes its locks itself, and has none that a script could take first" },
    merge_needs_lock: true,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: Guard::Words,
        unique: Unique::No,
        unindexed: |_| None,
        default: DefaultForm::Plain,
        null_first: false,
        generated: // https://docs.snowflake.com/en/sql-reference/sql/create-table
        Support::Yes(Generated { before: "AS ", behind: "", typed: true, not_null: false }),
        identity: Support::Yes(Identity { words: "IDENTITY", constraint: "", not_null: true, bigint: false }),
        comments: Comments::Inside { column: " COMMENT {text}", table: " COMMENT = {text}" },
        add: // IF NOT EXISTS and DEFAULT do not go together: https://docs.snowflake.com/en/sql-reference/sql/alter-table
        Add { words: "ADD COLUMN", guard: Guard::Words, default: AddDefault::No, not_null: false },
        drop: Support::Yes(Drop { guard: Guard::Words, bound: None }),
        retype: // The precision of a number and the length of a text: https://docs.snowflake.com/en/sql-reference/sql/alter-table-column
        Support::Yes(Retype { before: "ALTER COLUMN", between: " SET DATA TYPE ", keeps: Keeps::All, takes: grows, key: None, again: true }),
        relax: Support::Yes(Relax::Words { before: "ALTER COLUMN", behind: " DROP NOT NULL", guard: Guard::Needless }),
        quoted: string,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: None,
    dbt: Support::Yes(&[
        // https://docs.getdbt.com/reference/project-configs/quoting
        Adapter::merging(
            "snowflake",
            Support::Yes(DbtModel {
                load: DbtLoad::Strategy(Form::Merge),
                append: "append",
                quotes_tables: false,
                config: |_| Vec::new(),
            }),
        ),
    ]),
    proof: Proof::StandIn {
        engine: "Databend 1.2",
        what: "which has its clauses, and spells some of its types and functions otherwise",
    },
    reader: Some("sqruff 0.44"),
};

/// Both a quote and a backslash are special:
/// <https://docs.snowflake.com/en/sql-reference/data-types-text#string-constants>
fn string(text: &str) -> String {
    doubled(&text.replace('\\', "\\\\"))
}

/// Semi-structured values by their text, whose names are sorted; places by their binary form.
fn comparable(expression: &str, ty: &Type) -> String {
    let name = match ty {
        Type::Json => "variant",
        Type::Other(name) => &name.to_ascii_lowercase(),
        _ => return expression.to_owned(),
    };
    match name {
        "variant" => format!("TO_JSON({expression})"),
        "array" | "object" => format!("TO_JSON({expression}::VARIANT)"),
        "geography" | "geometry" => format!("ST_ASWKB({expression})"),
        _ => expression.to_owned(),
    }
}
