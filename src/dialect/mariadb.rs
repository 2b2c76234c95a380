//! MariaDB.

use super::Dialect;
use super::adapter::Adapter;
use super::client::{Client, Guards};
use super::ddl::{
    Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Identity, Keeps, Relax, Retype, Unique,
    any_wider,
};
use super::literal::{doubled, hex};
use super::mechanism::{
    Absent, Differs, Form, IndexNulls, NullSafe, Parameter, Proof, Reduce, RowSource, RowText, Support,
};
use super::mysql_family;
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::probe::Probe;
use super::reserved;
use super::syntax::Syntax;
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "mariadb",
    title: "MariaDB 10.5",
    docs: "`upsert` and `insert_ignore` are one INSERT .. ON DUPLICATE KEY UPDATE, the latter with an update that \
           changes nothing: INSERT IGNORE would also turn truncated texts, bad dates and missing values into \
           warnings. The unique index on the key must exist, and be the only one, since any unique index of the \
           table fires it. There is no WHERE, so the guard stands in every assignment and the version is assigned \
           last. There is no MERGE: `merge` and `delete_insert` put the staged rows into a temporary table, then \
           UPDATE, DELETE and INSERT in one transaction under a named lock, and need no unique index. Concurrent \
           upserts may end in deadlock error 1213, which a retry settles. `timestamp` and `timestamptz` are both \
           DATETIME(6) and hold UTC: a TIMESTAMP column ends in 2038 and is read and written in the time zone of the \
           session. A usual collation takes `a` and `A` for one key; a text that is a key should have a length and a \
           binary collation. JSON is a text for this server, and compared without its spaces.",
    parser: || Box::new(sqlparser::dialect::MySqlDialect {}),
    // https://mariadb.com/kb/en/insert-on-duplicate-key-update/, insertreturning, update, delete, with
    syntax: Syntax {
        on_conflict: false,
        on_conflict_update_without_target: false,
        on_conflict_after_from: false,
        on_duplicate_key: true,
        insert_ignore: true,
        insert_or: false,
        replace_into: true,
        insert_overwrite: false,
        insert_alias: false,
        merge: None,
        qualify: false,
        distinct_on: false,
        limit: true,
        limit_by: false,
        update_from: false,
        update_join: true,
        delete_using: true,
        delete_target_list: true,
        returning: true,
        interval: true,
        double_colon_cast: false,
        is_distinct_from: false,
        spaceship: true,
        is_any: false,
        backtick_names: true,
        bracket_names: false,
        // A string, unless sql_mode has ANSI_QUOTES.
        double_quote_names: false,
        bool_literals: true,
        with_before_insert: false,
        with_inside_insert: true,
        select_without_from: true,
        table_alias_as: true,
        set_qualified: true,
    },

    client: Client {
        aliases: &[],
        endings: &[],
        dumps: &["-- MariaDB dump", "/*M!999999"],
        headers: &[],
        // What it has in common with MySQL is counted there: a script that both run is read nearly alike.
        signs: &[
            "/*M!",
            "DEFAULT UUID()",
            "ENGINE=ARIA",
            "ENGINE=COLUMNSTORE",
            "ENGINE=SPIDER",
            "INET6",
            "MARIADB",
            "WITH SYSTEM VERSIONING",
            "WITHOUT SYSTEM VERSIONING",
        ],
        lenient: false,
        go_lines: false,
        // https://mariadb.com/kb/en/delimiters/
        delimiter_lines: true,
        slash_lines: false,
        backslash_commands: false,
        dot_commands: false,
        slash_comments: false,
        optional_semicolons: false,
        copy_data: false,
        guards: Guards {
            since: None,
            // https://mariadb.com/kb/en/create-table/ and the pages of the other statements
            create_table: true,
            create_index: true,
            create_schema: true,
            create_database: true,
            create_sequence: true,
            create_view: true,
            replace_table: true,
            replace_view: true,
            replace_routine: true,
            create_routine: true,
            replace_trigger: true,
            create_trigger: true,
            or_alter: false,
            create_type: false,
            create_role: true,
            create_policy: false,
            add_column: true,
            drop_column: true,
            // Before a CHECK; behind FOREIGN KEY the words follow the kind. UNIQUE has none.
            // https://mariadb.com/kb/en/alter-table/
            add_constraint: true,
            drop_constraint: true,
            drop: true,
            drop_index: true,
        },
        // https://mariadb.com/kb/en/sql-statements-that-cause-an-implicit-commit/
        // IF .. END IF runs outside of routines too: https://mariadb.com/kb/en/if/ (in BEGIN NOT ATOMIC)
        probe: Probe::Scripting,
        ddl_in_transaction: false,
        truncate_in_transaction: false,
        autocommit: true,
        commit_alone_fails: false,
        enforces_keys: true,
        // ON DUPLICATE KEY UPDATE goes row by row: the last one wins.
        duplicates_fail: false,
        // LOAD DATA appends the file each time.
        load_history: false,
    },

    quotes: Quotes { open: '`', close: '`', escape: Escape::Double },
    fold: Fold::Kept,
    // Columns; the case of a table's name counts on Linux.
    ignores_case: true,
    reserved: reserved::MARIADB,
    name_limit: Some(NameLimit { length: 64, bytes: false }),
    unfit_in_names: "",
    table_alias: "AS ",

    string: mysql_family::string,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    bytes: |bytes| format!("X'{}'", hex(bytes)),
    temporal: mysql_family::temporal,
    json: mysql_family::string,
    uuid: doubled,
    type_name: mysql_family::type_name,
    read_type: mysql_family::read_type,
    cast_name: Some(cast_name),

    now: mysql_family::now,
    floor: mysql_family::floor,
    shift_back: mysql_family::shift_back,
    comparable,
    exact,
    max: "MAX",
    // Nulls are the least values: https://mariadb.com/kb/en/null-values/#ordering
    nulls_last: false,

    null_safe: NullSafe::Spaceship,
    differs: Differs::NotSpaceship,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::RowNumber,
    rows: RowSource::UnionAll { from: "" },
    row_text: RowText::Plain,
    with_in_from: true,
    parameter: Parameter::Question,
    index_nulls: IndexNulls::Distinct,
    // Seen on 10.11: once the source query joins, its columns are not those of the row that conflicts.
    // https://mariadb.com/kb/en/values-value/
    values_function: true,

    insert_ignore: Support::Yes(Form::OnDuplicateKey),
    upsert: Support::Yes(Form::OnDuplicateKey),
    merge: Support::Yes(Form::UpdateInsert),
    delete_insert: Support::Yes(Form::UpdateInsert),
    history: Support::Yes(Form::OnDuplicateKey),
    without_index: Support::Yes(Form::UpdateInsert),
    merge_syntax: None,
    script: Some(mysql_family::SCRIPT),
    lock: mysql_family::LOCK,
    merge_needs_lock: false,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: Guard::Words,
        unique: Unique::Inside,
        unindexed: |_| None,
        default: // https://mariadb.com/kb/en/create-table/#default-column-option
        DefaultForm::Bracketed,
        null_first: false,
        generated: // https://mariadb.com/kb/en/generated-columns/
        Support::Yes(Generated { before: "GENERATED ALWAYS AS ", behind: " STORED", typed: true, not_null: false }),
        identity: // It must be a key of the table: https://mariadb.com/kb/en/auto_increment/
        Support::Yes(Identity { words: "AUTO_INCREMENT", constraint: "KEY ({column})", not_null: true, bigint: false }),
        comments: Comments::Inside { column: " COMMENT {text}", table: " COMMENT = {text}" },
        add: // https://mariadb.com/kb/en/alter-table/
        Add { words: "ADD COLUMN", guard: Guard::Words, default: AddDefault::Any, not_null: true },
        drop: Support::Yes(Drop { guard: Guard::Words, bound: None }),
        retype: Support::Yes(Retype { before: "MODIFY COLUMN", between: " ", keeps: Keeps::Nothing, takes: any_wider, key: None, again: true }),
        relax: Support::Yes(Relax::Retype),
        quoted: mysql_family::string,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: Some(mysql_family::DIGEST),
    dbt: Support::Yes(&[Adapter::deleting("mariadb", mysql_family::NOT_KEPT_UP)]),
    proof: Proof::Executed("MariaDB 10.11"),
    reader: Some("sqruff 0.44"),
};

/// JSON is LONGTEXT; JSON_COMPACT takes out the spaces: <https://mariadb.com/kb/en/json_compact/>
fn comparable(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Json => format!("JSON_COMPACT({expression})"),
        _ => mysql_family::comparable(expression, ty),
    }
}

fn exact(expression: &str, ty: &Type) -> String {
    match ty {
        Type::Json => comparable(expression, ty),
        _ => mysql_family::exact(expression, ty),
    }
}

/// JSON is no type of CAST: <https://mariadb.com/kb/en/cast/>
fn cast_name(ty: &Type) -> String {
    match ty {
        Type::Json => "CHAR".to_owned(),
        _ => mysql_family::cast_name(ty),
    }
}
