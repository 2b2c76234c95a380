//! Oracle Database.

use super::Dialect;
use super::adapter::{Adapter, NOT_LOOKED_AT};
use super::client::{Client, Guards};
use super::ddl::{
    Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Identity, Keeps, Relax, Retype, Unique, grows,
};
use super::literal::{doubled, hex, interval, joined, pieces, spaced_zone};
use super::mechanism::{
    Absent, BranchCondition, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter, Proof, Reduce,
    RowSource, RowText, Script, Support, WithPlace,
};
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::native::{near, same, standard, timed};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "oracle",
    title: "Oracle 12.2",
    docs: "Every load is one MERGE over the staged rows, reduced with ROW_NUMBER to one per key; conditions stand in \
           WHERE behind SET and VALUES, and `delete_insert` deletes with DELETE WHERE. A column of the key is never \
           in SET, which would be ORA-38104. Two sessions with one new key end in ORA-00001, or in both rows without \
           a unique index, so a load that shares its target takes LOCK TABLE .. IN EXCLUSIVE MODE first. A unique \
           index takes keys that are null in part for equal, but not those that are null as a whole. The empty text \
           is null: it cannot be told from a missing value. A text of any length is VARCHAR2(4000 CHAR) and JSON \
           with it, because a CLOB cannot be compared or be a key; a CLOB by `type: {oracle: CLOB}` is compared up \
           to 4000 bytes, and a longer one is an error. `timestamp` holds UTC, and a time of day is an INTERVAL. A \
           literal ends at 4000 bytes; `&` and line ends in it are written with CHR, since SQL*Plus would read them.",
    parser: || Box::new(sqlparser::dialect::OracleDialect {}),
    // https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MERGE.html, SELECT.html, UPDATE.html,
    // DELETE.html
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
            branch_where: true,
            matched_branches: 1,
            by_source: false,
            do_nothing: false,
            star: false,
            // As DELETE WHERE behind UPDATE SET.
            delete: false,
            with_before: false,
            on_parentheses: true,
            target_alias: true,
            semicolon: false,
            both_branches: false,
            source_query: true,
        }),
        qualify: false,
        distinct_on: false,
        limit: false,
        limit_by: false,
        update_from: false,
        update_join: false,
        delete_using: false,
        // The word FROM may be left out.
        delete_target_list: true,
        // Into variables of PL/SQL alone.
        returning: false,
        interval: true,
        double_colon_cast: false,
        is_distinct_from: false,
        spaceship: false,
        is_any: false,
        backtick_names: false,
        bracket_names: false,
        double_quote_names: true,
        // From 23ai, and so is SELECT without FROM.
        bool_literals: false,
        with_before_insert: false,
        with_inside_insert: true,
        select_without_from: false,
        table_alias_as: false,
        set_qualified: true,
    },

    // A quoted name cannot hold a double quote: the 19c reference, Database Object Naming Rules.
    client: Client {
        aliases: &["ora", "oracledb", "plsql", "sqlplus"],
        endings: &["pck", "pkb", "pkg", "pks", "plb", "pls", "plsql", "prc"],
        dumps: &[],
        headers: &["--  DDL for", "REM INSERTING into", "REM ", "Rem ", "rem "],
        signs: &[
            "%ROWTYPE",
            ".NEXTVAL",
            "ALL_TABLES",
            "ALTER SESSION SET",
            "CONNECT BY",
            "CREATE OR REPLACE PACKAGE",
            "DBMS_LOB",
            "DBMS_OUTPUT",
            "DBMS_SCHEDULER",
            "DBMS_STATS",
            "ENABLE VALIDATE",
            "INITRANS",
            "INSERT ALL",
            "IS RECORD",
            "NOCACHE",
            "NUMBER(1)",
            "NUMBER(10)",
            "NUMBER(19)",
            "NUMTODSINTERVAL(",
            "NVARCHAR2(",
            "PCTFREE",
            "PRAGMA AUTONOMOUS_TRANSACTION",
            "PRAGMA EXCEPTION_INIT",
            "RAW(16)",
            "SET DEFINE",
            "SET SERVEROUTPUT",
            "SYSTIMESTAMP",
            "SYS_GUID()",
            "USER_CONSTRAINTS",
            "USER_TABLES",
            "USER_TAB_COLUMNS",
            "VARCHAR2(",
            "WHENEVER SQLERROR",
        ],
        lenient: false,
        go_lines: false,
        delimiter_lines: false,
        // https://docs.oracle.com/en/database/oracle/oracle-database/23/sqpug/slash.html
        slash_lines: true,
        backslash_commands: false,
        dot_commands: false,
        slash_comments: false,
        optional_semicolons: false,
        copy_data: false,
        guards: Guards {
            since: Some("23ai"),
            // IF NOT EXISTS and IF EXISTS came with 23ai, for whole objects only: a column or a constraint has none.
            // https://docs.oracle.com/en/database/oracle/oracle-database/23/sqlrf/CREATE-TABLE.html
            create_table: true,
            create_index: true,
            // A schema is a user; CREATE SCHEMA makes tables in it.
            create_schema: false,
            create_database: false,
            create_sequence: true,
            create_view: true,
            replace_table: false,
            replace_view: true,
            replace_routine: true,
            create_routine: true,
            replace_trigger: true,
            create_trigger: true,
            or_alter: false,
            // Also OR REPLACE, in every version.
            create_type: true,
            create_role: true,
            create_policy: false,
            add_column: false,
            drop_column: false,
            add_constraint: false,
            drop_constraint: false,
            drop: true,
            drop_index: true,
        },
        // Every definition, TRUNCATE among them, commits before and behind itself:
        // https://docs.oracle.com/en/database/oracle/oracle-database/23/cncpt/transactions.html
        probe: Probe::Caught,
        ddl_in_transaction: false,
        truncate_in_transaction: false,
        // The first change begins a transaction. What follows the last COMMIT is kept or not by the client's setting.
        autocommit: false,
        commit_alone_fails: false,
        enforces_keys: true,
        // ORA-30926
        duplicates_fail: true,
        load_history: false,
    },

    quotes: Quotes { open: '"', close: '"', escape: Escape::Never },
    fold: Fold::Upper,
    ignores_case: false,
    reserved: reserved::ORACLE,
    // Since 12.2 with COMPATIBLE 12.2; 30 bytes before.
    name_limit: Some(NameLimit { length: 128, bytes: true }),
    unfit_in_names: "",
    table_alias: "",

    string,
    bools: ("1", "0"),
    decimal: |digits, _| digits.to_owned(),
    bytes: |bytes| format!("HEXTORAW('{}')", hex(bytes)),
    // https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Literals.html
    temporal: |text, ty| match ty {
        Type::Date => format!("DATE '{text}'"),
        Type::Time => format!("INTERVAL '{text}' HOUR TO SECOND"),
        Type::Timestamp => format!("TIMESTAMP '{text}'"),
        _ => format!("TIMESTAMP '{}'", spaced_zone(text)),
    },
    json: string,
    uuid: |text| format!("HEXTORAW('{}')", text.replace('-', "").to_uppercase()),
    type_name: |ty| match ty {
        Type::Bool => "NUMBER(1)".to_owned(),
        Type::SmallInt => "NUMBER(5)".to_owned(),
        Type::Int => "NUMBER(10)".to_owned(),
        Type::BigInt => "NUMBER(19)".to_owned(),
        Type::Decimal { precision, scale } => format!("NUMBER({precision}, {scale})"),
        Type::Real => "BINARY_FLOAT".to_owned(),
        Type::Double => "BINARY_DOUBLE".to_owned(),
        // A CLOB has no equality, and no index.
        Type::Text | Type::Json => "VARCHAR2(4000 CHAR)".to_owned(),
        Type::Varchar(length @ 1..=4000) => format!("VARCHAR2({length} CHAR)"),
        Type::Char(length @ 1..=2000) => format!("CHAR({length} CHAR)"),
        Type::Varchar(_) | Type::Char(_) => "CLOB".to_owned(),
        // A BLOB has no equality.
        Type::Bytes => "RAW(2000)".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "INTERVAL DAY(0) TO SECOND(6)".to_owned(),
        Type::Timestamp => "TIMESTAMP(6)".to_owned(),
        Type::Timestamptz => "TIMESTAMP(6) WITH TIME ZONE".to_owned(),
        Type::Uuid => "RAW(16)".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Data-Types.html
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("number", [1]) => near(Type::Bool, "it may be a number of one digit; then write `decimal(1,0)`"),
        ("number", [5]) => same(Type::SmallInt),
        ("number", [10]) => same(Type::Int),
        ("number", [19]) => same(Type::BigInt),
        ("integer" | "int" | "smallint", []) => same(Type::Decimal { precision: 38, scale: 0 }),
        ("binary_float", []) => same(Type::Real),
        ("binary_double" | "float", []) => same(Type::Double),
        ("varchar2", [4_000]) => same(Type::Text),
        ("varchar2" | "nvarchar2" | "varchar", [length @ 1..=u32::MAX]) => same(Type::Varchar(*length)),
        ("char" | "nchar", [length @ 1..=u32::MAX]) => same(Type::Char(*length)),
        ("raw", [2_000]) => same(Type::Bytes),
        ("raw", [16]) => near(Type::Uuid, "it is taken for a UUID; write `bytes` if it is none"),
        ("raw", [_]) => near(Type::Bytes, "its length is not kept"),
        ("date", []) => near(Type::Date, "it holds a time of day too; write `timestamp` if that is used"),
        ("interval day to second", [0, 6]) => same(Type::Time),
        ("timestamp with local time zone", digits) => timed(Type::Timestamptz, digits.first().copied()),
        _ => standard(native),
    },
    cast_name: None,

    // https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SYSTIMESTAMP.html
    now: |ty| match ty {
        Type::Date => "TRUNC(SYS_EXTRACT_UTC(SYSTIMESTAMP))",
        Type::Time => "SYS_EXTRACT_UTC(SYSTIMESTAMP) - TRUNC(SYS_EXTRACT_UTC(SYSTIMESTAMP))",
        Type::Timestamp => "SYS_EXTRACT_UTC(SYSTIMESTAMP)",
        _ => "SYSTIMESTAMP",
    },
    // Julian day 1, the least date: the 19c reference, Data Types.
    floor: |ty| match ty {
        Type::Date => Some("DATE '-4712-01-01'".to_owned()),
        Type::Timestamp => Some("TIMESTAMP '-4712-01-01 00:00:00'".to_owned()),
        Type::Timestamptz => Some("TIMESTAMP '-4712-01-01 00:00:00 +00:00'".to_owned()),
        _ => ty.least_integer().map(str::to_owned),
    },
    // TIMESTAMP minus a number would be a DATE and lose the fraction; DATE minus a number stays a DATE. Three digits of
    // an interval need a precision.
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        ((n, "DAY"), Type::Date) => format!("{expression} - {n}"),
        ((n, unit), _) => format!("{expression} - {}", interval(n, unit)),
    },
    comparable,
    exact,
    max: "MAX",
    // Nulls are the greatest values.
    nulls_last: true,

    null_safe: NullSafe::Decode,
    differs: Differs::Decode,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::RowNumber,
    rows: RowSource::UnionAll { from: " FROM dual" },
    row_text: RowText::CastChar,
    with_in_from: true,
    parameter: Parameter::Colon,
    // But for a key that is null as a whole, of which there may be many.
    index_nulls: IndexNulls::Same,
    values_function: false,

    insert_ignore: Support::Yes(Form::Merge),
    upsert: Support::Yes(Form::Merge),
    merge: Support::Yes(Form::Merge),
    delete_insert: Support::Yes(Form::Merge),
    history: Support::Yes(Form::Merge),
    without_index: Support::Yes(Form::Merge),
    merge_syntax: Some(MergeSyntax {
        condition: BranchCondition::Where,
        hint: "",
        not_matched: "WHEN NOT MATCHED",
        target_alias: true,
        source_columns: true,
        with: WithPlace::InUsing,
    }),
    // A transaction begins with its first statement; SET TRANSACTION fails when one is open already.
    script: Some(Script { before: &[], begin: "SET TRANSACTION READ WRITE", commit: "COMMIT", batch: None }),
    lock: Lock::InTransaction("LOCK TABLE {table} IN EXCLUSIVE MODE"),
    merge_needs_lock: true,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: // ORA-00955, the name is taken: https://docs.oracle.com/error-help/db/ora-00955/
        Guard::Around("BEGIN\n  EXECUTE IMMEDIATE {statement};\nEXCEPTION\n  WHEN OTHERS THEN\n    IF SQLCODE <> -955 THEN RAISE; END IF;\nEND;\n/"),
        unique: Unique::Inside,
        unindexed: // https://docs.oracle.com/error-help/db/ora-02329/
        |ty| matches!(ty, Type::Varchar(4001..)).then_some("Oracle has no index over a CLOB"),
        default: DefaultForm::Plain,
        null_first: false,
        generated: Support::Yes(Generated { before: "GENERATED ALWAYS AS ", behind: " VIRTUAL", typed: true, not_null: true }),
        identity: Support::Yes(Identity { words: "GENERATED ALWAYS AS IDENTITY", constraint: "", not_null: true, bigint: false }),
        comments: Comments::On,
        add: // ORA-01430, the column is there: https://docs.oracle.com/error-help/db/ora-01430/
        Add { words: "ADD", guard: Guard::Around("BEGIN\n  EXECUTE IMMEDIATE {statement};\nEXCEPTION\n  WHEN OTHERS THEN\n    IF SQLCODE <> -1430 THEN RAISE; END IF;\nEND;\n/"), default: AddDefault::Any, not_null: true },
        drop: // ORA-00904, there is no such column: https://docs.oracle.com/error-help/db/ora-00904/
        Support::Yes(Drop { guard: Guard::Around("BEGIN\n  EXECUTE IMMEDIATE {statement};\nEXCEPTION\n  WHEN OTHERS THEN\n    IF SQLCODE <> -904 THEN RAISE; END IF;\nEND;\n/"), bound: None }),
        retype: // Of a column with rows, the precision and the length alone: https://docs.oracle.com/error-help/db/ora-01439/
        Support::Yes(Retype { before: "MODIFY", between: " ", keeps: Keeps::All, takes: |old, new| grows(old, new) && !matches!(new, Type::Varchar(4001..)), key: None, again: true }),
        relax: // ORA-01451, it takes null already: https://docs.oracle.com/error-help/db/ora-01451/
        Support::Yes(Relax::Words { before: "MODIFY", behind: " NULL", guard: Guard::Around("BEGIN\n  EXECUTE IMMEDIATE {statement};\nEXCEPTION\n  WHEN OTHERS THEN\n    IF SQLCODE <> -1451 THEN RAISE; END IF;\nEND;\n/") }),
        quoted,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: None,
    dbt: Support::Yes(&[Adapter::merging("oracle", NOT_LOOKED_AT)]),
    proof: Proof::Parsed,
    reader: Some("the PL/SQL grammar of ANTLR"),
};

/// SQL*Plus asks for a value at `&`, and ends a statement at a blank line or at a semicolon before a line end, inside a
/// literal too: <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqpug/SET-system-variable-summary.html>
fn string(text: &str) -> String {
    let special = |c| match c {
        '&' => Some("CHR(38)"),
        '\n' => Some("CHR(10)"),
        '\r' => Some("CHR(13)"),
        _ => None,
    };
    joined(&pieces(text, special, doubled), "||")
}

/// CHAR pads, and DECODE compares the padding, so that a staged text without it would differ on every run.
fn exact(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Char(1..=2000) => format!("RTRIM({expression})"),
        _ => comparable(expression, ty),
    }
}

/// Large objects have no equality. The cast fails, rather than cut, when the value does not fit:
/// <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/CAST.html>
fn comparable(expression: &str, ty: &Type) -> String {
    let name = match ty {
        Type::Varchar(4001..) | Type::Char(2001..) => "clob",
        Type::Other(name) => &name.to_ascii_lowercase(),
        _ => return expression.to_owned(),
    };
    match name {
        "clob" | "nclob" => format!("CAST({expression} AS VARCHAR2(4000))"),
        "blob" => format!("CAST({expression} AS RAW(2000))"),
        "xmltype" => format!("XMLSERIALIZE(CONTENT {expression} AS VARCHAR2(4000))"),
        "json" => format!("JSON_SERIALIZE({expression})"),
        _ => expression.to_owned(),
    }
}

/// A statement as a string in PL/SQL, with its lines; SQL*Plus would ask for a value at an ampersand.
fn quoted(statement: &str) -> String {
    if statement.contains('&') { string(statement) } else { doubled(statement) }
}
