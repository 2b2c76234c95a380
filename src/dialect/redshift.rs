//! Amazon Redshift.

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel};
use super::client::{Client, Guards};
use super::ddl::{Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Guard, Identity, Keeps, Retype, Unique};
use super::literal::{doubled, hex, joined, pieces};
use super::mechanism::{
    Absent, Batch, BranchCondition, DeleteJoin, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter,
    Proof, Reduce, RowSource, RowText, Script, Staging, Support, Unstaged, UpdateFrom, WithPlace,
};
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::native::{decimal, near, same, standard};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "redshift",
    title: "Amazon Redshift",
    docs: "Every load locks its target first, because keys are informational and nothing else would keep two loads \
           from adding one key. `merge` puts the staged rows that change something into a temporary table, then runs \
           one MERGE without conditions, since Redshift's takes none, needs both branches, no alias on the target \
           and no WITH, and may not read the target in its source. `upsert` and `delete_insert` UPDATE, DELETE and \
           INSERT from a temporary table in one transaction; `insert_ignore` inserts the rows whose key is not \
           there. The planner trusts a declared primary key and may answer wrongly when it is violated. TRUNCATE \
           commits, so DELETE is used. A serialization conflict is error 1023, which a retry settles. VARCHAR counts \
           bytes. SYSDATE is read in the session's time zone, UTC unless it was set. JSON is SUPER and compared by \
           JSON_SERIALIZE.",
    parser: || Box::new(sqlparser::dialect::RedshiftSqlDialect {}),
    // https://docs.aws.amazon.com/redshift/latest/dg/r_MERGE.html, r_INSERT_30.html, r_UPDATE.html, r_DELETE.html
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
            condition: false,
            branch_where: false,
            matched_branches: 1,
            by_source: false,
            do_nothing: false,
            star: false,
            delete: true,
            with_before: false,
            on_parentheses: false,
            target_alias: false,
            semicolon: false,
            both_branches: true,
            source_query: false,
        }),
        qualify: true,
        distinct_on: false,
        limit: true,
        limit_by: false,
        update_from: true,
        update_join: false,
        delete_using: true,
        // The word FROM may be left out.
        delete_target_list: true,
        returning: false,
        interval: true,
        double_colon_cast: true,
        is_distinct_from: false,
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
        set_qualified: false,
    },

    client: Client {
        aliases: &["amazonredshift"],
        endings: &[],
        dumps: &[],
        headers: &[],
        signs: &[
            "ACCEPTINVCHARS",
            "APPEND FROM",
            "AWS_IAM_ROLE",
            "COMPUPDATE",
            "CREATE EXTERNAL SCHEMA",
            "CREDENTIALS 'AWS_",
            "DISTKEY",
            "DISTSTYLE",
            "ENCODE AZ64",
            "ENCODE BYTEDICT",
            "ENCODE LZO",
            "ENCODE RAW",
            "ENCODE ZSTD",
            "IAM_ROLE",
            "JSON_EXTRACT_PATH_TEXT(",
            "NO SCHEMA BINDING",
            "REMOVE DUPLICATES",
            "SORTKEY",
            "STATUPDATE",
            "STL_",
            "STL_LOAD_ERRORS",
            "STV_",
            "SVV_",
            "TRUNCATECOLUMNS",
            "UNLOAD ('",
        ],
        lenient: false,
        go_lines: false,
        delimiter_lines: false,
        slash_lines: false,
        // Its scripts are run by psql: https://docs.aws.amazon.com/redshift/latest/mgmt/connecting-from-psql.html
        backslash_commands: true,
        dot_commands: false,
        slash_comments: false,
        optional_semicolons: false,
        // COPY reads from S3 and its like only.
        copy_data: false,
        guards: Guards {
            since: None,
            create_table: true,
            // There are no indexes.
            create_index: false,
            create_schema: true,
            create_database: false,
            create_sequence: false,
            create_view: false,
            replace_table: false,
            replace_view: true,
            replace_routine: true,
            create_routine: false,
            replace_trigger: false,
            create_trigger: false,
            or_alter: false,
            create_type: false,
            // https://docs.aws.amazon.com/redshift/latest/dg/r_CREATE_ROLE.html
            create_role: false,
            // https://docs.aws.amazon.com/redshift/latest/dg/r_CREATE_RLS_POLICY.html
            create_policy: false,
            // https://docs.aws.amazon.com/redshift/latest/dg/r_ALTER_TABLE.html
            add_column: false,
            drop_column: false,
            add_constraint: false,
            drop_constraint: false,
            drop: true,
            drop_index: false,
        },
        probe: Probe::Procedure,
        ddl_in_transaction: true,
        // It commits: https://docs.aws.amazon.com/redshift/latest/dg/r_TRUNCATE.html
        truncate_in_transaction: false,
        autocommit: true,
        commit_alone_fails: false,
        // https://docs.aws.amazon.com/redshift/latest/dg/t_Defining_constraints.html
        enforces_keys: false,
        duplicates_fail: true,
        // COPY appends the files each time; only an auto-copy job remembers them.
        load_history: false,
    },

    quotes: Quotes { open: '"', close: '"', escape: Escape::Double },
    // Quoted names too, unless enable_case_sensitive_identifier is on:
    // https://docs.aws.amazon.com/redshift/latest/dg/r_names.html
    fold: Fold::Lower,
    ignores_case: true,
    reserved: reserved::REDSHIFT,
    name_limit: Some(NameLimit { length: 127, bytes: true }),
    unfit_in_names: "",
    table_alias: "AS ",

    string,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    // https://docs.aws.amazon.com/redshift/latest/dg/r_FROM_HEX.html
    bytes: |bytes| format!("FROM_HEX('{}')", hex(bytes)),
    temporal: |text, ty| match ty {
        Type::Date => format!("'{text}'::DATE"),
        Type::Time => format!("'{text}'::TIME"),
        Type::Timestamp => format!("'{text}'::TIMESTAMP"),
        _ => format!("'{text}'::TIMESTAMPTZ"),
    },
    json: |text| format!("JSON_PARSE({})", string(text)),
    uuid: string,
    type_name: |ty| match ty {
        Type::Bool => "BOOLEAN".to_owned(),
        Type::SmallInt => "SMALLINT".to_owned(),
        Type::Int => "INTEGER".to_owned(),
        Type::BigInt => "BIGINT".to_owned(),
        Type::Decimal { precision, scale } => format!("DECIMAL({precision}, {scale})"),
        Type::Real => "REAL".to_owned(),
        Type::Double => "DOUBLE PRECISION".to_owned(),
        // In bytes, of which a character of UTF-8 takes up to four.
        Type::Varchar(length @ 1..=16_383) => format!("VARCHAR({})", length * 4),
        Type::Char(length @ 1..=16_383) => format!("VARCHAR({})", length * 4),
        Type::Text | Type::Varchar(_) | Type::Char(_) => "VARCHAR(65535)".to_owned(),
        Type::Bytes => "VARBYTE(1024000)".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "TIME".to_owned(),
        Type::Timestamp => "TIMESTAMP".to_owned(),
        Type::Timestamptz => "TIMESTAMPTZ".to_owned(),
        Type::Uuid => "VARCHAR(36)".to_owned(),
        Type::Json => "SUPER".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://docs.aws.amazon.com/redshift/latest/dg/c_Supported_data_types.html
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("decimal" | "numeric", []) => decimal(18, 0),
        ("varchar" | "character varying" | "nvarchar", [65_535]) => same(Type::Text),
        (
            "varchar" | "character varying" | "nvarchar" | "char" | "character" | "nchar" | "bpchar",
            [length @ 1..=u32::MAX],
        ) => near(Type::Varchar(*length), "its length counts bytes, of which a character has up to 4"),
        ("varchar" | "character varying" | "bpchar" | "text", []) => {
            near(Type::Varchar(256), "without a length it has 256 bytes")
        }
        ("varbyte" | "varbinary" | "binary varying", _) => same(Type::Bytes),
        ("super", []) => same(Type::Json),
        _ => standard(native),
    },
    cast_name: None,

    // The start of the transaction: https://docs.aws.amazon.com/redshift/latest/dg/r_SYSDATE.html
    now: |ty| match ty {
        Type::Date => "SYSDATE::DATE",
        Type::Time => "SYSDATE::TIME",
        Type::Timestamp => "SYSDATE",
        _ => "SYSDATE::TIMESTAMPTZ",
    },
    floor: |ty| match ty {
        Type::Date => Some("'0001-01-01'::DATE".to_owned()),
        Type::Timestamp => Some("'0001-01-01 00:00:00'::TIMESTAMP".to_owned()),
        Type::Timestamptz => Some("'0001-01-01 00:00:00+00:00'::TIMESTAMPTZ".to_owned()),
        // A bare -9223372036854775808 is a numeric.
        Type::BigInt => ty.least_integer().map(|least| format!("'{least}'::BIGINT")),
        _ => ty.least_integer().map(str::to_owned),
    },
    // https://docs.aws.amazon.com/redshift/latest/dg/r_DATEADD_function.html
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("{expression} - {}", overlap.in_days()),
        (_, Type::Timestamptz) => {
            let (n, unit) = overlap.in_fixed_units();
            format!("DATEADD({unit}, -{n}, {expression})")
        }
        ((n, unit), _) => format!("DATEADD({unit}, -{n}, {expression})"),
    },
    comparable,
    exact: comparable,
    max: "MAX",
    // Nulls are the greatest values: https://docs.aws.amazon.com/redshift/latest/dg/r_ORDER_BY_clause.html
    nulls_last: true,

    null_safe: NullSafe::OrBothNull,
    differs: Differs::Expanded,
    // Only some patterns of correlated subqueries can be run; a join always can:
    // https://docs.aws.amazon.com/redshift/latest/dg/r_correlated_subqueries.html
    absent: Absent::LeftJoin,
    probe_hint: "",
    reduce: Reduce::RowNumber,
    rows: RowSource::UnionAll { from: "" },
    row_text: RowText::CastFirst,
    with_in_from: true,
    parameter: Parameter::Dollar,
    index_nulls: IndexNulls::NotEnforced,
    values_function: false,

    insert_ignore: Support::Yes(Form::AntiJoin),
    upsert: Support::Yes(Form::UpdateInsert),
    merge: Support::Yes(Form::StagedMerge),
    delete_insert: Support::Yes(Form::UpdateInsert),
    history: Support::Yes(Form::UpdateInsert),
    without_index: Support::Yes(Form::UpdateInsert),
    merge_syntax: Some(MergeSyntax {
        condition: BranchCondition::None,
        hint: "",
        not_matched: "WHEN NOT MATCHED",
        target_alias: false,
        source_columns: true,
        with: WithPlace::InUsing,
    }),
    script: Some(Script {
        before: &[],
        begin: "BEGIN",
        commit: "COMMIT",
        batch: Some(Batch {
            stage_outside: false,
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
    // https://docs.aws.amazon.com/redshift/latest/dg/r_LOCK.html
    lock: Lock::InTransaction("LOCK {table}"),
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
        generated: Support::No { because: "Redshift has no generated columns", instead: "let the load compute it, with `value: ..` or `source: ..`" },
        identity: // https://docs.aws.amazon.com/redshift/latest/dg/r_CREATE_TABLE_NEW.html
        Support::Yes(Identity { words: "IDENTITY(1, 1)", constraint: "", not_null: true, bigint: false }),
        comments: Comments::On,
        add: // https://docs.aws.amazon.com/redshift/latest/dg/r_ALTER_TABLE.html
        Add { words: "ADD COLUMN", guard: Guard::No { because: "ALTER TABLE of Redshift has no IF EXISTS" }, default: AddDefault::Any, not_null: true },
        drop: Support::Yes(Drop { guard: Guard::No { because: "ALTER TABLE of Redshift has no IF EXISTS" }, bound: None }),
        retype: // The length of a VARCHAR alone: https://docs.aws.amazon.com/redshift/latest/dg/r_ALTER_TABLE.html
        Support::Yes(Retype { before: "ALTER COLUMN", between: " TYPE ", keeps: Keeps::All, takes: |old, new| old.is_text() && new.is_text(), key: None, again: false }),
        relax: Support::No { because: "Redshift has no DROP NOT NULL", instead: "make a table of another name, and fill it from the old one" },
        quoted: doubled,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: None,
    dbt: Support::Yes(&[Adapter::deleting(
        "redshift",
        Support::Yes(DbtModel {
            load: DbtLoad::Strategy(Form::UpdateInsert),
            append: "append",
            quotes_tables: true,
            config: |_| Vec::new(),
        }),
    )]),
    proof: Proof::Parsed,
    reader: Some("the parser of PostgreSQL 18"),
};

/// A backslash in a literal escapes the next character; CHR(92) is one whatever the setting.
fn string(text: &str) -> String {
    joined(&pieces(text, |c| (c == '\\').then_some("CHR(92)"), doubled), "||")
}

/// SUPER by its JSON text, places by their binary form.
fn comparable(expression: &str, ty: &Type) -> String {
    let name = match ty {
        Type::Json => "super",
        Type::Other(name) => &name.to_ascii_lowercase(),
        _ => return expression.to_owned(),
    };
    match name {
        "super" => format!("JSON_SERIALIZE({expression})"),
        "geography" | "geometry" => format!("ST_AsEWKB({expression})"),
        _ => expression.to_owned(),
    }
}
