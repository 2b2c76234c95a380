//! SQLite.

use super::Dialect;
use super::adapter::{Adapter, NOT_LOOKED_AT};
use super::client::{Client, Guards};
use super::ddl::{Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Identity, Unique};
use super::literal::{doubled, hex, without_zone};
use super::mechanism::{
    Absent, Batch, DeleteJoin, Differs, Form, IndexNulls, Lock, NullSafe, Parameter, Proof, Reduce, RowSource, RowText,
    Script, Staging, Support, Unstaged, UpdateFrom,
};
use super::name::{Escape, Fold, Quotes};
use super::native::{same, standard, timed};
use super::probe::Probe;
use super::reserved;
use super::syntax::Syntax;
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "sqlite",
    title: "SQLite 3.35",
    docs: "`upsert` and `insert_ignore` are one INSERT .. ON CONFLICT on a unique index that must exist; never \
           INSERT OR IGNORE, which also hides NOT NULL and CHECK violations, nor INSERT OR REPLACE, which deletes \
           the row. SQLite has no MERGE: `merge` and `delete_insert` put the staged rows into a temporary table and \
           then UPDATE, DELETE and INSERT in one transaction, which needs no unique index. BEGIN IMMEDIATE takes the \
           one write lock at once, so two loads run one after the other; set a busy timeout. Timestamps are texts \
           and must all be written as `YYYY-MM-DD HH:MM:SS` in UTC, with or without a fraction: a `T`, a `Z` or an \
           offset sorts otherwise. The start of a window is rounded down to a whole second, so that it compares \
           right with both. Decimals are stored as floating point numbers. A double-quoted name that is no column \
           becomes a string without an error.",
    parser: || Box::new(sqlparser::dialect::SQLiteDialect {}),
    // https://www.sqlite.org/lang_upsert.html, lang_insert.html, lang_update.html, lang_expr.html
    syntax: Syntax {
        on_conflict: true,
        // From 3.35, in the last ON CONFLICT clause.
        on_conflict_update_without_target: true,
        // The parser takes ON for that of a join; `WHERE true` keeps them apart: lang_upsert.html#parsing_ambiguity
        on_conflict_after_from: false,
        on_duplicate_key: false,
        insert_ignore: false,
        insert_or: true,
        replace_into: true,
        insert_overwrite: false,
        insert_alias: true,
        merge: None,
        qualify: false,
        distinct_on: false,
        limit: true,
        limit_by: false,
        update_from: true,
        update_join: false,
        delete_using: false,
        delete_target_list: false,
        returning: true,
        interval: false,
        double_colon_cast: false,
        // From 3.39.
        is_distinct_from: false,
        spaceship: false,
        is_any: true,
        backtick_names: true,
        bracket_names: true,
        double_quote_names: true,
        bool_literals: true,
        with_before_insert: true,
        with_inside_insert: true,
        select_without_from: true,
        table_alias_as: true,
        set_qualified: false,
    },

    client: Client {
        aliases: &["d1", "libsql", "sqlite3", "turso"],
        endings: &[],
        dumps: &["PRAGMA foreign_keys=OFF;"],
        headers: &[],
        signs: &[
            "AUTOINCREMENT",
            "BEGIN IMMEDIATE",
            "CREATE VIRTUAL TABLE",
            "DATE('NOW'",
            "DATETIME('NOW'",
            "INSERT OR IGNORE",
            "INSERT OR REPLACE",
            "JULIANDAY(",
            "PRAGMA ",
            "RAISE(ABORT",
            "RANDOMBLOB(",
            "SQLITE_MASTER",
            "SQLITE_SCHEMA",
            "SQLITE_SEQUENCE",
            "STRFTIME('%",
            "UNIXEPOCH(",
            "USING FTS5",
            "WITHOUT ROWID",
        ],
        lenient: false,
        go_lines: false,
        delimiter_lines: false,
        slash_lines: false,
        backslash_commands: false,
        // https://sqlite.org/cli.html
        dot_commands: true,
        slash_comments: false,
        optional_semicolons: false,
        copy_data: false,
        guards: Guards {
            since: None,
            create_table: true,
            create_index: true,
            // A schema is a file.
            create_schema: false,
            create_database: false,
            create_sequence: false,
            create_view: true,
            replace_table: false,
            replace_view: false,
            replace_routine: false,
            create_routine: false,
            replace_trigger: false,
            // https://sqlite.org/lang_createtrigger.html
            create_trigger: true,
            or_alter: false,
            create_type: false,
            create_role: false,
            create_policy: false,
            // https://sqlite.org/lang_altertable.html
            add_column: false,
            drop_column: false,
            add_constraint: false,
            drop_constraint: false,
            drop: true,
            drop_index: true,
        },
        probe: Probe::Caller("SELECT 1 FROM sqlite_schema WHERE .."),
        ddl_in_transaction: true,
        // DELETE without WHERE takes its place.
        truncate_in_transaction: true,
        autocommit: true,
        commit_alone_fails: true,
        enforces_keys: true,
        // An upsert goes row by row: the last one wins.
        duplicates_fail: false,
        load_history: false,
    },

    quotes: Quotes { open: '"', close: '"', escape: Escape::Double },
    fold: Fold::Kept,
    ignores_case: true,
    reserved: reserved::SQLITE,
    name_limit: None,
    unfit_in_names: "",
    table_alias: "AS ",

    string: doubled,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    bytes: |bytes| format!("X'{}'", hex(bytes)),
    // Text in the form of CURRENT_TIMESTAMP, in UTC and without an offset, so that texts sort as times.
    temporal: |text, _| doubled(without_zone(text)),
    json: doubled,
    uuid: doubled,
    // https://www.sqlite.org/datatype3.html
    type_name: |ty| match ty {
        Type::Bool | Type::SmallInt | Type::Int | Type::BigInt => "INTEGER".to_owned(),
        Type::Decimal { .. } => "NUMERIC".to_owned(),
        Type::Real | Type::Double => "REAL".to_owned(),
        Type::Bytes => "BLOB".to_owned(),
        Type::Other(name) => name.clone(),
        _ => "TEXT".to_owned(),
    },
    // A declared type is a word for people and an affinity: https://www.sqlite.org/datatype3.html
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        // Every integer has 64 bits.
        ("integer" | "int" | "mediumint", _) => same(Type::BigInt),
        ("real" | "float", []) => same(Type::Double),
        ("clob", _) => same(Type::Text),
        ("datetime", digits) => timed(Type::Timestamp, digits.first().copied()),
        _ => standard(native),
    },
    cast_name: None,

    // UTC, one reading for a statement: https://www.sqlite.org/lang_datefunc.html
    now: |ty| match ty {
        Type::Date => "CURRENT_DATE",
        Type::Time => "CURRENT_TIME",
        _ => "CURRENT_TIMESTAMP",
    },
    // The empty text sorts before every other.
    floor: |ty| match ty {
        Type::Date | Type::Timestamp | Type::Timestamptz => Some("''".to_owned()),
        _ => ty.least_integer().map(str::to_owned),
    },
    // Cut to 19 characters, a time loses its fraction and is never rounded up; the result has none. So the window
    // starts up to a second early, and compares right with `10:00:00` and with `10:00:00.5`. With '%f' it would end in
    // `.000`, which sorts after the same second without a fraction, and that row would be lost.
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("date({expression}, '-{}')", counted(overlap.in_days(), "DAY")),
        ((n, unit), _) => format!("datetime(substr({expression}, 1, 19), '-{}')", counted(n, unit)),
    },
    comparable,
    exact: comparable,
    max: "MAX",
    // Nulls are the least values: https://www.sqlite.org/lang_select.html#orderby
    nulls_last: false,

    // https://www.sqlite.org/lang_expr.html#isisnot
    null_safe: NullSafe::Is,
    differs: Differs::IsNot,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::RowNumber,
    rows: RowSource::UnionAll { from: "" },
    row_text: RowText::Plain,
    with_in_from: true,
    parameter: Parameter::Question,
    // https://www.sqlite.org/lang_createindex.html#unique_indexes
    index_nulls: IndexNulls::Distinct,
    values_function: false,

    insert_ignore: Support::Yes(Form::OnConflict),
    upsert: Support::Yes(Form::OnConflict),
    merge: Support::Yes(Form::UpdateInsert),
    delete_insert: Support::Yes(Form::UpdateInsert),
    history: Support::Yes(Form::OnConflict),
    without_index: Support::Yes(Form::UpdateInsert),
    merge_syntax: None,
    script: Some(Script {
        before: &[],
        begin: "BEGIN IMMEDIATE",
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
            // https://www.sqlite.org/optoverview.html#automatic_query_time_indexes are for joins: a correlated subquery over rows
            // without an index reads all of them each time. Measured: 20,000 rows, 43 seconds.
            unstaged: Unstaged::NotIn,
            index: "CREATE INDEX temp.{name} ON idemsql_batch ({columns})",
        }),
    }),
    // https://www.sqlite.org/lang_transaction.html#immediate
    lock: Lock::ByBegin,
    merge_needs_lock: false,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: Guard::Words,
        unique: // https://www.sqlite.org/lang_createindex.html
        Unique::Index { schema_before_name: true },
        unindexed: |_| None,
        default: // https://www.sqlite.org/lang_createtable.html#the_default_clause
        DefaultForm::Bracketed,
        null_first: false,
        generated: // https://www.sqlite.org/gencol.html
        Support::Yes(Generated { before: "GENERATED ALWAYS AS ", behind: " STORED", typed: true, not_null: true }),
        identity: // The number of the row: https://www.sqlite.org/lang_createtable.html#rowid
        Support::Yes(Identity { words: "PRIMARY KEY", constraint: "", not_null: false, bigint: false }),
        comments: Comments::No,
        add: // https://www.sqlite.org/lang_altertable.html#alter_table_add_column
        Add { words: "ADD COLUMN", guard: Guard::No { because: "SQLite has no ADD COLUMN IF NOT EXISTS, and its scripts have no IF" }, default: AddDefault::Literal, not_null: true },
        drop: Support::Yes(Drop { guard: Guard::No { because: "SQLite has no DROP COLUMN IF EXISTS, and its scripts have no IF" }, bound: None }),
        retype: Support::No { because: "SQLite changes no column that is there", instead: "make a table of another name, and fill it from the old one" },
        relax: Support::No { because: "SQLite changes no column that is there", instead: "make a table of another name, and fill it from the old one" },
        quoted: doubled,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: None,
    dbt: Support::Yes(&[Adapter::deleting("sqlite", NOT_LOOKED_AT)]),
    proof: Proof::Executed("SQLite 3.54"),
    reader: Some("sqruff 0.44"),
};

/// JSON is text, in which `{"a":1}` and `{"a": 1}` differ; json() writes both in one way.
fn comparable(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Json => format!("json({expression})"),
        _ => expression.to_owned(),
    }
}

/// `1 day`, `90 minutes`, as a modifier of the date functions.
fn counted(n: u64, unit: &str) -> String {
    format!("{n} {}{}", unit.to_lowercase(), if n == 1 { "" } else { "s" })
}
