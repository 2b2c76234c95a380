//! PostgreSQL.

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel};
use super::client::{Client, Guards};
use super::ddl::{
    Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Identity, Keeps, Relax, Retype, Unique,
    any_wider,
};
use super::digest::Digest;
use super::literal::{doubled, hex};
use super::mechanism::{
    Absent, Batch, BranchCondition, DeleteJoin, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter,
    Proof, Reduce, RowSource, RowText, Script, Staging, Support, Unstaged, UpdateFrom, WithPlace,
};
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::native::{same, standard};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "postgres",
    title: "PostgreSQL 15",
    docs: "`upsert` and `insert_ignore` are one INSERT .. ON CONFLICT, which two sessions may run at once. The \
           staged rows are joined to the target first: a guard in DO UPDATE alone still locks every row, writes WAL \
           for the lock and uses up sequence values. `merge` and `delete_insert` are one MERGE under an advisory \
           lock, because two MERGEs with one new key end in error 23505.",
    parser: || Box::new(sqlparser::dialect::PostgreSqlDialect {}),
    // https://www.postgresql.org/docs/15/sql-insert.html, sql-merge.html, sql-select.html
    syntax: Syntax {
        on_conflict: true,
        on_conflict_update_without_target: false,
        on_conflict_after_from: true,
        on_duplicate_key: false,
        insert_ignore: false,
        insert_or: false,
        replace_into: false,
        insert_overwrite: false,
        insert_alias: true,
        merge: Some(MergeGrammar {
            condition: true,
            branch_where: false,
            matched_branches: 0,
            // From version 17.
            by_source: false,
            do_nothing: true,
            star: false,
            delete: true,
            with_before: true,
            on_parentheses: false,
            target_alias: true,
            semicolon: false,
            both_branches: false,
            source_query: true,
        }),
        qualify: false,
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
        aliases: &[
            "alloydb",
            "citus",
            "cockroach",
            "cockroachdb",
            "crdb",
            "greenplum",
            "neon",
            "pg",
            "pglite",
            "pgsql",
            "plpgsql",
            "postgresql",
            "postgressql",
            "psql",
            "supabase",
            "timescale",
            "timescaledb",
            "yugabyte",
            "yugabytedb",
        ],
        endings: &["pgsql", "psql"],
        dumps: &[
            "-- PostgreSQL database dump",
            "-- PostgreSQL database cluster dump",
            "-- Dumped from database version",
        ],
        headers: &[],
        signs: &[
            "::REGCLASS",
            "ADD VALUE IF NOT EXISTS",
            "BIGSERIAL",
            "BYTEA",
            "CHARACTER VARYING",
            "CITEXT",
            "CREATE DOMAIN",
            "CREATE EXTENSION",
            "CREATE INDEX CONCURRENTLY",
            "CREATE POLICY",
            "DO $",
            "DROP POLICY",
            "ENABLE ROW LEVEL SECURITY",
            "FROM STDIN",
            "GEN_RANDOM_UUID(",
            "JSONB",
            "LANGUAGE 'PLPGSQL'",
            "LANGUAGE PLPGSQL",
            "NOTIFY PGRST",
            "ON CONFLICT ON CONSTRAINT",
            "OWNER TO",
            "PG_ADVISORY_",
            "PG_CATALOG.",
            "PG_CONSTRAINT",
            "PG_TRY_ADVISORY_",
            "PG_TYPE",
            "RAISE EXCEPTION",
            "RAISE NOTICE",
            "SEARCH_PATH",
            "SERIAL NOT NULL",
            "SERIAL PRIMARY KEY",
            "SERIAL4",
            "SETVAL(",
            "TEXT[]",
            "TIMESTAMPTZ",
            "TSVECTOR",
            "USING GIN",
            "USING GIST",
            "UUID_GENERATE_V4(",
            "WITHOUT TIME ZONE",
            "\\CONNECT",
            "\\COPY",
            "\\ECHO",
            "\\SET",
        ],
        lenient: false,
        go_lines: false,
        delimiter_lines: false,
        slash_lines: false,
        // https://www.postgresql.org/docs/current/app-psql.html
        backslash_commands: true,
        dot_commands: false,
        slash_comments: false,
        optional_semicolons: false,
        // https://www.postgresql.org/docs/current/sql-copy.html
        copy_data: true,
        guards: Guards {
            since: None,
            create_table: true,
            create_index: true,
            create_schema: true,
            create_database: false,
            create_sequence: true,
            // A view has OR REPLACE; a materialized view has IF NOT EXISTS.
            create_view: false,
            replace_table: false,
            replace_view: true,
            replace_routine: true,
            create_routine: false,
            // https://www.postgresql.org/docs/current/sql-createtrigger.html
            replace_trigger: true,
            create_trigger: false,
            or_alter: false,
            // Only ALTER TYPE .. ADD VALUE has a guard: https://www.postgresql.org/docs/current/sql-createtype.html
            create_type: false,
            // https://www.postgresql.org/docs/current/sql-createrole.html
            create_role: false,
            // https://www.postgresql.org/docs/current/sql-createpolicy.html
            create_policy: false,
            add_column: true,
            drop_column: true,
            // https://www.postgresql.org/docs/current/sql-altertable.html
            add_constraint: false,
            drop_constraint: true,
            drop: true,
            drop_index: true,
        },
        // But for CREATE DATABASE and TABLESPACE, and whatever is done CONCURRENTLY.
        probe: Probe::DoBlock,
        ddl_in_transaction: true,
        truncate_in_transaction: true,
        autocommit: true,
        commit_alone_fails: false,
        enforces_keys: true,
        duplicates_fail: true,
        // COPY appends the file each time.
        load_history: false,
    },

    quotes: Quotes { open: '"', close: '"', escape: Escape::Double },
    fold: Fold::Lower,
    ignores_case: false,
    reserved: reserved::POSTGRES,
    // NAMEDATALEN - 1; a longer name is cut with a notice, so two may become one.
    name_limit: Some(NameLimit { length: 63, bytes: true }),
    unfit_in_names: "",
    table_alias: "AS ",

    // standard_conforming_strings is on since 9.1: a backslash is an ordinary character.
    string: doubled,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    bytes: |bytes| format!("'\\x{}'::bytea", hex(bytes)),
    temporal: |text, ty| match ty {
        Type::Date => format!("DATE '{text}'"),
        Type::Time => format!("TIME '{text}'"),
        Type::Timestamp => format!("TIMESTAMP '{text}'"),
        _ => format!("TIMESTAMPTZ '{text}'"),
    },
    json: |text| format!("{}::jsonb", doubled(text)),
    uuid: |text| format!("UUID '{text}'"),
    type_name: |ty| match ty {
        Type::Bool => "boolean".to_owned(),
        Type::SmallInt => "smallint".to_owned(),
        Type::Int => "integer".to_owned(),
        Type::BigInt => "bigint".to_owned(),
        Type::Decimal { precision, scale } => format!("numeric({precision}, {scale})"),
        Type::Real => "real".to_owned(),
        Type::Double => "double precision".to_owned(),
        Type::Text => "text".to_owned(),
        Type::Varchar(length) => format!("varchar({length})"),
        Type::Char(length) => format!("char({length})"),
        Type::Bytes => "bytea".to_owned(),
        Type::Date => "date".to_owned(),
        Type::Time => "time".to_owned(),
        Type::Timestamp => "timestamp".to_owned(),
        Type::Timestamptz => "timestamptz".to_owned(),
        Type::Uuid => "uuid".to_owned(),
        Type::Json => "jsonb".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://www.postgresql.org/docs/current/datatype.html
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("smallserial" | "serial2", []) => same(Type::SmallInt),
        ("serial" | "serial4", []) => same(Type::Int),
        ("bigserial" | "serial8", []) => same(Type::BigInt),
        ("bytea", []) => same(Type::Bytes),
        ("jsonb", []) => same(Type::Json),
        // It has no equality, which jsonb has.
        ("json", []) => None,
        // These are not names of types here.
        ("tinyint" | "string" | "nvarchar" | "nchar" | "blob" | "varbinary" | "number", _) => None,
        _ => standard(native),
    },
    cast_name: None,

    // The start of the transaction: https://www.postgresql.org/docs/15/functions-datetime.html
    now: |ty| match ty {
        Type::Date => "CURRENT_DATE",
        Type::Timestamp => "LOCALTIMESTAMP",
        _ => "CURRENT_TIMESTAMP",
    },
    floor: |ty| match ty {
        Type::Date => Some("DATE '-infinity'".to_owned()),
        Type::Timestamp => Some("TIMESTAMP '-infinity'".to_owned()),
        Type::Timestamptz => Some("TIMESTAMPTZ '-infinity'".to_owned()),
        // A bare -9223372036854775808 is a numeric, and a comparison with a numeric cannot use the column's index.
        Type::BigInt => ty.least_integer().map(|least| format!("BIGINT '{least}'")),
        _ => ty.least_integer().map(str::to_owned),
    },
    // Hours rather than days for an instant: minus '1 day' depends on the session's zone when the clocks change.
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        ((n, "DAY"), Type::Date) => format!("{expression} - {n}"),
        ((n, "DAY"), Type::Timestamptz) => format!("{expression} - INTERVAL '{} hours'", n * 24),
        ((n, unit), _) => {
            format!("{expression} - INTERVAL '{n} {}{}'", unit.to_lowercase(), if n == 1 { "" } else { "s" })
        }
    },
    comparable,
    exact: comparable,
    max: "MAX",
    nulls_last: true,

    null_safe: NullSafe::IsNotDistinctFrom,
    differs: Differs::RowDistinct,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::DistinctOn,
    rows: RowSource::Values,
    row_text: RowText::Plain,
    with_in_from: true,
    parameter: Parameter::Dollar,
    index_nulls: IndexNulls::DistinctOrNot,
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
        begin: "BEGIN",
        commit: "COMMIT",
        batch: Some(Batch {
            stage_outside: false,
            staging: Staging::CreateAs {
                create: "CREATE TEMP TABLE",
                drop: "DROP TABLE IF EXISTS",
                name: "pg_temp.idemsql_batch",
            },
            update: UpdateFrom::From,
            delete: DeleteJoin::Exists,
            unstaged: Unstaged::NotExists,
            index: "",
        }),
    }),
    // https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS
    lock: Lock::InTransaction("SELECT pg_advisory_xact_lock(hashtextextended({name}, 0))"),
    merge_needs_lock: true,
    bound_in_variable: false,
    // A guard in DO UPDATE is read after the row is locked, and the lock goes into the WAL: measured, 96 bytes a row.
    conflict_locks: true,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: Guard::Words,
        unique: Unique::Index { schema_before_name: false },
        unindexed,
        default: DefaultForm::Plain,
        null_first: false,
        generated: // https://www.postgresql.org/docs/15/ddl-generated-columns.html
        Support::Yes(Generated { before: "GENERATED ALWAYS AS ", behind: " STORED", typed: true, not_null: true }),
        identity: Support::Yes(Identity { words: "GENERATED ALWAYS AS IDENTITY", constraint: "", not_null: true, bigint: false }),
        comments: Comments::On,
        add: // https://www.postgresql.org/docs/15/sql-altertable.html
        Add { words: "ADD COLUMN", guard: Guard::Words, default: AddDefault::Any, not_null: true },
        drop: Support::Yes(Drop { guard: Guard::Words, bound: None }),
        retype: Support::Yes(Retype { before: "ALTER COLUMN", between: " TYPE ", keeps: Keeps::All, takes: any_wider, key: None, again: true }),
        relax: Support::Yes(Relax::Words { before: "ALTER COLUMN", behind: " DROP NOT NULL", guard: Guard::Needless }),
        quoted: doubled,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: Some(Digest { row: row_digest, number: |hex| format!("CAST(CAST('x' || {hex} AS bit(60)) AS bigint)") }),
    dbt: Support::Yes(&[Adapter::deleting(
        "postgres",
        Support::Yes(DbtModel {
            load: DbtLoad::Strategy(Form::Merge),
            append: "append",
            quotes_tables: true,
            config: |_| Vec::new(),
        }),
    )]),
    proof: Proof::Executed("PostgreSQL 15"),
    reader: Some("the parser of PostgreSQL 18"),
};

/// json has no equality, jsonb has: <https://www.postgresql.org/docs/15/functions-json.html>
fn comparable(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Other(name) if name == "json" => format!("{expression}::jsonb"),
        Type::Other(name) if name == "xml" || name == "point" => format!("{expression}::text"),
        _ => expression.to_owned(),
    }
}

/// Types without equality have no unique index either: <https://www.postgresql.org/docs/15/indexes-opclass.html>
fn unindexed(ty: &Type) -> Option<&'static str> {
    let without = matches!(ty, Type::Other(name) if ["json", "point", "xml"].contains(&name.as_str()));
    without.then_some("PostgreSQL has no equality of that type")
}

/// jsonb writes numbers and times in one way whatever the session says, but for a time zone and for the digits of a float:
/// <https://www.postgresql.org/docs/15/functions-json.html>
fn row_digest(cells: &[(&str, &Type)]) -> String {
    let written = |(cell, ty): &(&str, &Type)| match ty {
        Type::Timestamptz => format!("{cell} AT TIME ZONE 'UTC'"),
        Type::Real => format!("ENCODE(FLOAT4SEND({cell}), 'hex')"),
        Type::Double => format!("ENCODE(FLOAT8SEND({cell}), 'hex')"),
        Type::Bytes => format!("ENCODE({cell}, 'hex')"),
        _ => (*cell).to_owned(),
    };
    let cells: Vec<String> = cells.iter().map(written).collect();
    format!("ENCODE(SHA256(CONVERT_TO(CAST(JSONB_BUILD_ARRAY({}) AS text), 'UTF8')), 'hex')", cells.join(", "))
}
