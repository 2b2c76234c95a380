//! SQL Server and Azure SQL Database.

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel, NOT_LOOKED_AT};
use super::client::{Client, Guards};
use super::ddl::{
    Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Identity, Keeps, Relax, Retype, Unique,
    any_wider,
};
use super::literal::{doubled, hex, joined, pieces, spaced_zone};
use super::mechanism::{
    Absent, Batch, BranchCondition, DeleteJoin, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter,
    Proof, Reduce, RowSource, RowText, Script, Staging, Support, Unstaged, UpdateFrom, WithPlace,
};
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::native::{Native, Reading, decimal, near, same, standard, timed};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "sqlserver",
    title: "SQL Server 2016",
    docs: "`merge` and `delete_insert` are one MERGE WITH (HOLDLOCK), without which two sessions with one new key \
           end in a duplicate key error; it always ends in a semicolon. `upsert` puts the staged rows into a #table, \
           then UPDATEs and INSERTs in one transaction with XACT_ABORT on; `insert_ignore` is an INSERT of the rows \
           whose key is not there. Both look for keys WITH (UPDLOCK, HOLDLOCK), so that two sessions cannot both \
           find one missing. No form needs a unique index, but without one the range locks cover far more than the \
           key. A unique index takes two nulls for one value, as we do. NVARCHAR(MAX) cannot be part of an index: a \
           text that is a key needs a length. A usual collation takes `a`, `A` and `a ` for one key. Fabric and \
           Synapse have no lock hints and are not covered.",
    parser: || Box::new(sqlparser::dialect::MsSqlDialect {}),
    // https://learn.microsoft.com/en-us/sql/t-sql/statements/merge-transact-sql, insert-transact-sql,
    // delete-transact-sql, https://learn.microsoft.com/en-us/sql/t-sql/queries/update-transact-sql,
    // with-common-table-expression-transact-sql
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
            // One UPDATE and one DELETE.
            matched_branches: 2,
            by_source: true,
            do_nothing: false,
            star: false,
            delete: true,
            with_before: true,
            on_parentheses: false,
            target_alias: true,
            semicolon: true,
            both_branches: false,
            source_query: true,
        }),
        qualify: false,
        distinct_on: false,
        // It has TOP, and OFFSET .. FETCH.
        limit: false,
        limit_by: false,
        update_from: true,
        update_join: false,
        delete_using: false,
        delete_target_list: true,
        // It has OUTPUT.
        returning: false,
        interval: false,
        double_colon_cast: false,
        // From SQL Server 2022.
        is_distinct_from: false,
        spaceship: false,
        is_any: false,
        backtick_names: false,
        bracket_names: true,
        double_quote_names: true,
        bool_literals: false,
        with_before_insert: true,
        with_inside_insert: false,
        select_without_from: true,
        table_alias_as: true,
        set_qualified: true,
    },

    client: Client {
        aliases: &[
            "azuresql",
            "azuresynapse",
            "fabric",
            "ms-sql",
            "ms_sql",
            "mssql",
            "mssqlserver",
            "sql-server",
            "sql_server",
            "synapse",
            "t-sql",
            "tsql",
        ],
        endings: &["tsql"],
        dumps: &[],
        headers: &["/****** Object:", "/****** Script for"],
        signs: &[
            "(NOLOCK)",
            "@@ERROR",
            "@@ROWCOUNT",
            "@@TRANCOUNT",
            "BEGIN TRAN",
            "BEGIN TRY",
            "COL_LENGTH(",
            "CREATE OR ALTER",
            "DATETIME2",
            "DATETIMEOFFSET",
            "DBO.",
            "DECLARE @",
            "GETUTCDATE()",
            "HOLDLOCK",
            "IDENTITY(1",
            "IDENTITY_INSERT",
            "NEWID()",
            "NEWSEQUENTIALID()",
            "NONCLUSTERED",
            "NVARCHAR(",
            "NVARCHAR(MAX)",
            "OBJECT_ID(",
            "OBJECT_ID(N'",
            "OUTPUT INSERTED",
            "RAISERROR(",
            "SCOPE_IDENTITY()",
            "SET ANSI_NULLS",
            "SET NOCOUNT ON",
            "SET QUOTED_IDENTIFIER",
            "SP_EXECUTESQL",
            "SP_RENAME",
            "SYS.COLUMNS",
            "SYS.INDEXES",
            "SYS.OBJECTS",
            "SYS.TABLES",
            "SYSDATETIME()",
            "SYSUTCDATETIME()",
            "UNIQUEIDENTIFIER",
            "XACT_ABORT",
            "[DBO].",
        ],
        lenient: false,
        // https://learn.microsoft.com/en-us/sql/t-sql/language-elements/sql-server-utilities-statements-go
        go_lines: true,
        delimiter_lines: false,
        slash_lines: false,
        backslash_commands: false,
        dot_commands: false,
        slash_comments: false,
        // https://learn.microsoft.com/en-us/sql/t-sql/language-elements/transact-sql-syntax-conventions-transact-sql
        optional_semicolons: true,
        copy_data: false,
        guards: Guards {
            since: None,
            // IF NOT EXISTS is a statement of its own, around the definition.
            create_table: false,
            create_index: false,
            create_schema: false,
            create_database: false,
            create_sequence: false,
            create_view: false,
            replace_table: false,
            replace_view: false,
            replace_routine: false,
            create_routine: false,
            replace_trigger: false,
            create_trigger: false,
            // From 2016 SP1 on: https://learn.microsoft.com/en-us/sql/t-sql/statements/create-view-transact-sql
            or_alter: true,
            create_type: false,
            create_role: false,
            create_policy: false,
            add_column: false,
            // https://learn.microsoft.com/en-us/sql/t-sql/statements/alter-table-transact-sql
            drop_column: true,
            add_constraint: false,
            drop_constraint: true,
            drop: true,
            drop_index: true,
        },
        // But for databases and full-text objects: https://learn.microsoft.com/en-us/sql/t-sql/language-elements/transactions-transact-sql
        probe: Probe::ObjectId,
        ddl_in_transaction: true,
        truncate_in_transaction: true,
        autocommit: true,
        commit_alone_fails: true,
        enforces_keys: true,
        duplicates_fail: true,
        // BULK INSERT appends the file each time.
        load_history: false,
    },

    quotes: Quotes { open: '[', close: ']', escape: Escape::Double },
    fold: Fold::Kept,
    // By the usual collations of a database.
    ignores_case: true,
    reserved: reserved::SQLSERVER,
    name_limit: Some(NameLimit { length: 128, bytes: false }),
    unfit_in_names: "",
    table_alias: "AS ",

    string,
    bools: ("1", "0"),
    decimal: |digits, _| digits.to_owned(),
    bytes: |bytes| format!("0x{}", hex(bytes)),
    // https://learn.microsoft.com/en-us/sql/t-sql/data-types/datetimeoffset-transact-sql: a space before the offset.
    temporal: |text, ty| match ty {
        Type::Date => format!("CAST('{text}' AS DATE)"),
        Type::Time => format!("CAST('{text}' AS TIME(6))"),
        Type::Timestamp => format!("CAST('{text}' AS DATETIME2(6))"),
        _ => format!("CAST('{}' AS DATETIMEOFFSET(6))", spaced_zone(text)),
    },
    json: string,
    uuid: |text| format!("CAST('{text}' AS UNIQUEIDENTIFIER)"),
    type_name: |ty| match ty {
        Type::Bool => "BIT".to_owned(),
        Type::SmallInt => "SMALLINT".to_owned(),
        Type::Int => "INT".to_owned(),
        Type::BigInt => "BIGINT".to_owned(),
        Type::Decimal { precision, scale } => format!("DECIMAL({precision}, {scale})"),
        Type::Real => "REAL".to_owned(),
        Type::Double => "FLOAT(53)".to_owned(),
        // The json type is of 2025 and Azure alone.
        Type::Text | Type::Json => "NVARCHAR(MAX)".to_owned(),
        Type::Varchar(length @ 1..=4000) => format!("NVARCHAR({length})"),
        Type::Char(length @ 1..=4000) => format!("NCHAR({length})"),
        Type::Varchar(_) | Type::Char(_) => "NVARCHAR(MAX)".to_owned(),
        Type::Bytes => "VARBINARY(MAX)".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "TIME(6)".to_owned(),
        Type::Timestamp => "DATETIME2(6)".to_owned(),
        Type::Timestamptz => "DATETIMEOFFSET(6)".to_owned(),
        Type::Uuid => "UNIQUEIDENTIFIER".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://learn.microsoft.com/en-us/sql/t-sql/data-types/data-types-transact-sql
    read_type: |native| {
        // Designers write every type in brackets: [nvarchar](50).
        let words = native.words().trim_start_matches('[').trim_end_matches(']');
        let max = native.arguments.first().is_some_and(|length| length.eq_ignore_ascii_case("max"));
        match (words, native.numbers().as_slice()) {
            ("bit", []) => same(Type::Bool),
            ("decimal" | "numeric", []) => decimal(18, 0),
            ("money", []) => near(Type::Decimal { precision: 19, scale: 4 }, "money is rounded in its own way"),
            ("smallmoney", []) => near(Type::Decimal { precision: 10, scale: 4 }, "money is rounded in its own way"),
            ("nvarchar" | "varchar", []) if max => same(Type::Text),
            ("ntext" | "text", []) => near(Type::Text, "it has no equality; make it nvarchar(max)"),
            ("varbinary", []) if max => same(Type::Bytes),
            ("datetime2", digits) => timed(Type::Timestamp, digits.first().copied().or(Some(7))),
            ("datetime" | "smalldatetime", []) => timed(Type::Timestamp, Some(3)),
            ("datetimeoffset", digits) => timed(Type::Timestamptz, digits.first().copied().or(Some(7))),
            ("time", []) => timed(Type::Time, Some(7)),
            ("uniqueidentifier", []) => same(Type::Uuid),
            // It is the number of a row's version, and no time.
            ("timestamp" | "rowversion", _) => {
                let ty = Type::Other("rowversion".to_owned());
                Some(Reading { ty, note: None, computed: true })
            }
            ("json", _) => None,
            _ => standard(&Native { words: words.to_owned(), arguments: native.arguments.clone() }),
        }
    },
    cast_name: None,

    // https://learn.microsoft.com/en-us/sql/t-sql/functions/sysutcdatetime-transact-sql
    now: |ty| match ty {
        Type::Date => "CAST(SYSUTCDATETIME() AS DATE)",
        Type::Time => "CAST(SYSUTCDATETIME() AS TIME(6))",
        Type::Timestamp => "SYSUTCDATETIME()",
        _ => "SYSDATETIMEOFFSET()",
    },
    floor: |ty| match ty {
        Type::Date => Some("CAST('0001-01-01' AS DATE)".to_owned()),
        Type::Timestamp => Some("CAST('0001-01-01 00:00:00' AS DATETIME2(6))".to_owned()),
        Type::Timestamptz => Some("CAST('0001-01-01 00:00:00 +00:00' AS DATETIMEOFFSET(6))".to_owned()),
        // A bare -9223372036854775808 is a numeric.
        Type::BigInt => ty.least_integer().map(|least| format!("CAST({least} AS BIGINT)")),
        _ => ty.least_integer().map(str::to_owned),
    },
    // https://learn.microsoft.com/en-us/sql/t-sql/functions/dateadd-transact-sql: a date has no hours to take off.
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("DATEADD(DAY, -{}, {expression})", overlap.in_days()),
        ((n, unit), _) => format!("DATEADD({unit}, -{n}, {expression})"),
    },
    comparable,
    exact,
    max: "MAX",
    // Nulls are the least values, and the words do not exist.
    nulls_last: false,

    null_safe: NullSafe::OrBothNull,
    differs: Differs::ExistsExcept,
    absent: Absent::NotExists,
    // https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table
    probe_hint: "WITH (UPDLOCK, HOLDLOCK)",
    reduce: Reduce::RowNumber,
    rows: RowSource::Values,
    row_text: RowText::Plain,
    // https://learn.microsoft.com/en-us/sql/t-sql/queries/with-common-table-expression-transact-sql
    with_in_from: false,
    parameter: Parameter::At,
    // https://learn.microsoft.com/en-us/sql/relational-databases/tables/unique-constraints-and-check-constraints
    index_nulls: IndexNulls::Same,
    values_function: false,

    insert_ignore: Support::Yes(Form::AntiJoin),
    upsert: Support::Yes(Form::UpdateInsert),
    merge: Support::Yes(Form::Merge),
    delete_insert: Support::Yes(Form::Merge),
    history: Support::Yes(Form::UpdateInsert),
    without_index: Support::Yes(Form::Merge),
    merge_syntax: Some(MergeSyntax {
        condition: BranchCondition::And,
        hint: "WITH (HOLDLOCK)",
        not_matched: "WHEN NOT MATCHED BY TARGET",
        target_alias: true,
        source_columns: true,
        with: WithPlace::Before,
    }),
    script: Some(Script {
        before: &["SET XACT_ABORT ON"],
        begin: "BEGIN TRANSACTION",
        commit: "COMMIT TRANSACTION",
        batch: Some(Batch {
            stage_outside: false,
            staging: Staging::SelectInto { drop: "DROP TABLE IF EXISTS", name: "#idemsql_batch" },
            update: UpdateFrom::AliasFrom,
            delete: DeleteJoin::AliasExists,
            unstaged: Unstaged::NotExists,
            index: "",
        }),
    }),
    // https://learn.microsoft.com/en-us/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql
    // It waits without end: after a timeout it would return a code, which a plain script does not look at, and go on.
    lock: Lock::InTransaction(
        "EXEC sp_getapplock @Resource = {name}, @LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = -1",
    ),
    merge_needs_lock: false,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: // https://learn.microsoft.com/en-us/sql/t-sql/functions/object-id-transact-sql
        Guard::Before("IF OBJECT_ID({table}, N'U') IS NULL\n"),
        unique: Unique::Inside,
        unindexed: // https://learn.microsoft.com/en-us/sql/relational-databases/indexes/create-unique-indexes
        |ty| (DIALECT.type_name)(ty).ends_with("(MAX)").then_some("SQL Server has no index over a MAX type"),
        default: DefaultForm::Plain,
        null_first: false,
        generated: // https://learn.microsoft.com/en-us/sql/relational-databases/tables/specify-computed-columns-in-a-table
        Support::Yes(Generated { before: "AS ", behind: " PERSISTED", typed: false, not_null: true }),
        identity: Support::Yes(Identity { words: "IDENTITY(1, 1)", constraint: "", not_null: true, bigint: false }),
        comments: Comments::No,
        add: // https://learn.microsoft.com/en-us/sql/t-sql/functions/col-length-transact-sql
        Add { words: "ADD", guard: Guard::Before("IF COL_LENGTH({table}, {column}) IS NULL\n"), default: AddDefault::Any, not_null: true },
        drop: // https://learn.microsoft.com/en-us/sql/t-sql/statements/alter-table-transact-sql#drop-column
        Support::Yes(Drop { guard: Guard::Words, bound: Some("its default is a constraint of SQL Server, which must be dropped first, by the name that `sys.default_constraints` has") }),
        retype: // https://learn.microsoft.com/en-us/sql/t-sql/statements/alter-table-transact-sql#alter-column
        Support::Yes(Retype { before: "ALTER COLUMN", between: " ", keeps: Keeps::NotNull, takes: any_wider, key: Some("SQL Server changes no column of a UNIQUE constraint"), again: true }),
        relax: Support::Yes(Relax::Retype),
        quoted: string,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: None,
    dbt: Support::Yes(&[
        Adapter::merging(
            "sqlserver",
            Support::Yes(DbtModel {
                load: DbtLoad::Strategy(Form::Merge),
                append: "append",
                quotes_tables: true,
                config: |_| Vec::new(),
            }),
        ),
        Adapter::merging("fabric", NOT_LOOKED_AT),
    ]),
    proof: Proof::Parsed,
    reader: Some("ScriptDom 15.0, Microsoft's parser, by SQL Server 2016's grammar"),
};

/// National characters where the text needs them. sqlcmd replaces `$(name)`, takes a line of `GO` for the end of the
/// batch, and the server joins lines at a backslash, inside a literal too: so `$(` and line ends are broken up.
/// <https://learn.microsoft.com/en-us/sql/tools/sqlcmd/sqlcmd-use-scripting-variables>,
/// <https://learn.microsoft.com/en-us/sql/t-sql/language-elements/sql-server-utilities-statements-backslash>
fn string(text: &str) -> String {
    let quoted = if text.is_ascii() { doubled } else { national };
    let special = |c| match c {
        '\n' => Some("CHAR(10)"),
        '\r' => Some("CHAR(13)"),
        '\0' => Some(""),
        _ => None,
    };
    let mut pieces = pieces(&text.replace("$(", "$\0("), special, quoted);
    // A concatenation is cut at 8000 bytes unless one of its operands has no limit.
    if pieces.len() > 1 && text.len() >= 4000 {
        pieces.insert(0, "CAST(N'' AS NVARCHAR(MAX))".to_owned());
    }
    joined(&pieces, "+")
}

fn national(text: &str) -> String {
    format!("N{}", doubled(text))
}

/// Types without equality, by the form that has it:
/// <https://learn.microsoft.com/en-us/sql/t-sql/language-elements/comparison-operators-transact-sql>
fn comparable(expression: &str, ty: &Type) -> String {
    let Type::Other(name) = ty else { return expression.to_owned() };
    match name.to_ascii_lowercase().as_str() {
        "xml" | "text" | "ntext" | "json" => format!("CAST({expression} AS NVARCHAR(MAX))"),
        "image" | "geography" | "geometry" => format!("CAST({expression} AS VARBINARY(MAX))"),
        _ => expression.to_owned(),
    }
}

/// A collation may ignore case and accents, and every one ignores trailing spaces; the bytes do not. NCHAR pads, so its
/// trailing spaces never count.
fn exact(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Text | Type::Json | Type::Varchar(_) => {
            format!("CAST(CAST({expression} AS NVARCHAR(MAX)) AS VARBINARY(MAX))")
        }
        Type::Char(_) => format!("CAST(CAST(RTRIM({expression}) AS NVARCHAR(MAX)) AS VARBINARY(MAX))"),
        _ => comparable(expression, ty),
    }
}
