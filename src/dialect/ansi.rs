//! Standard SQL: what is written for an engine that we do not know.

use super::Dialect;
use super::client::{Client, Guards};
use super::ddl::{
    Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Generated, Guard, Identity, Keeps, Relax, Retype, Unique,
    any_wider,
};
use super::literal::{doubled, hex, interval};
use super::mechanism::{
    Absent, BranchCondition, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter, Proof, Reduce,
    RowSource, RowText, Script, Support, WithPlace,
};
use super::name::{Escape, Fold, NameLimit, Quotes};
use super::native::{same, standard};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "ansi",
    title: "SQL:2011",
    docs: "Every load is one standard MERGE over the staged rows, reduced with ROW_NUMBER to one per key. Nothing \
           outside the standard is written: no LIMIT, no ON CONFLICT, intervals with a precision where they need \
           one. The conditions on branches and DELETE need features F313 and F314, ROW_NUMBER needs T611, IS DISTINCT \
           FROM needs T151 and T152; an engine without them refuses the text. The standard has no lock that a script \
           could hold, so two loads at once are not promised: run one at a time. A unique constraint on the key is \
           advised, and used by none of the forms. A type for JSON and for UUID is missing before SQL:2023, so they \
           are texts and compared as texts.",
    parser: || Box::new(sqlparser::dialect::AnsiDialect {}),
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
            by_source: false,
            do_nothing: false,
            star: false,
            delete: true,
            with_before: false,
            on_parentheses: false,
            target_alias: true,
            semicolon: false,
            both_branches: false,
            source_query: true,
        }),
        qualify: false,
        distinct_on: false,
        // `FETCH FIRST n ROWS ONLY` is the standard form.
        limit: false,
        limit_by: false,
        update_from: false,
        update_join: false,
        delete_using: false,
        delete_target_list: false,
        returning: false,
        interval: true,
        double_colon_cast: false,
        is_distinct_from: true,
        spaceship: false,
        is_any: false,
        backtick_names: false,
        bracket_names: false,
        double_quote_names: true,
        bool_literals: true,
        with_before_insert: false,
        with_inside_insert: true,
        select_without_from: false,
        table_alias_as: true,
        set_qualified: false,
    },

    client: Client {
        aliases: &["generic"],
        endings: &[],
        dumps: &[],
        headers: &[],
        // Nothing tells a script of no engine.
        signs: &[],
        // Users call it `generic`: the dialect of a script whose engine nobody knows. It accepts what any engine accepts, so that
        // a finding is true for all of them.
        lenient: true,
        go_lines: true,
        delimiter_lines: true,
        // BEGIN opens a transaction more often than a block that runs to its END.
        slash_lines: false,
        backslash_commands: true,
        dot_commands: true,
        slash_comments: false,
        // Without semicolons most engines would read two statements as one.
        optional_semicolons: false,
        copy_data: true,
        guards: Guards {
            since: None,
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
            or_alter: true,
            create_type: true,
            create_role: true,
            create_policy: true,
            add_column: true,
            drop_column: true,
            add_constraint: true,
            drop_constraint: true,
            drop: true,
            drop_index: true,
        },
        probe: Probe::Caller("SELECT 1 FROM information_schema.tables WHERE .."),
        ddl_in_transaction: true,
        truncate_in_transaction: true,
        autocommit: true,
        commit_alone_fails: false,
        enforces_keys: true,
        duplicates_fail: true,
        load_history: true,
    },

    quotes: Quotes { open: '"', close: '"', escape: Escape::Double },
    fold: Fold::Upper,
    ignores_case: false,
    reserved: reserved::ANSI,
    // Feature F391, long identifiers.
    name_limit: Some(NameLimit { length: 128, bytes: false }),
    unfit_in_names: "",
    table_alias: "AS ",

    string: doubled,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    bytes: |bytes| format!("X'{}'", hex(bytes)),
    temporal: |text, ty| match ty {
        Type::Date => format!("DATE '{text}'"),
        Type::Time => format!("TIME '{text}'"),
        _ => format!("TIMESTAMP '{text}'"),
    },
    json: doubled,
    uuid: doubled,
    type_name: |ty| match ty {
        Type::Bool => "BOOLEAN".to_owned(),
        Type::SmallInt => "SMALLINT".to_owned(),
        Type::Int => "INTEGER".to_owned(),
        Type::BigInt => "BIGINT".to_owned(),
        Type::Decimal { precision, scale } => format!("DECIMAL({precision}, {scale})"),
        Type::Real => "REAL".to_owned(),
        Type::Double => "DOUBLE PRECISION".to_owned(),
        // A large object has no equality; the standard has no other text without a length.
        Type::Text | Type::Json => "VARCHAR(32672)".to_owned(),
        Type::Varchar(length) => format!("VARCHAR({length})"),
        Type::Char(length) => format!("CHAR({length})"),
        Type::Bytes => "VARBINARY(32672)".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "TIME(6)".to_owned(),
        Type::Timestamp => "TIMESTAMP(6)".to_owned(),
        Type::Timestamptz => "TIMESTAMP(6) WITH TIME ZONE".to_owned(),
        Type::Uuid => "CHAR(36)".to_owned(),
        Type::Other(name) => name.clone(),
    },
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("varchar", [32_672]) => same(Type::Text),
        ("varbinary", [32_672]) => same(Type::Bytes),
        _ => standard(native),
    },
    cast_name: None,

    now: |ty| match ty {
        Type::Date => "CURRENT_DATE",
        Type::Time => "LOCALTIME",
        Type::Timestamp => "LOCALTIMESTAMP",
        _ => "CURRENT_TIMESTAMP",
    },
    // The standard counts years from 0001.
    floor: |ty| match ty {
        Type::Date => Some("DATE '0001-01-01'".to_owned()),
        Type::Timestamp => Some("TIMESTAMP '0001-01-01 00:00:00'".to_owned()),
        Type::Timestamptz => Some("TIMESTAMP '0001-01-01 00:00:00+00:00'".to_owned()),
        _ => ty.least_integer().map(str::to_owned),
    },
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("{expression} - {}", interval(overlap.in_days(), "DAY")),
        ((n, unit), _) => format!("{expression} - {}", interval(n, unit)),
    },
    comparable,
    exact: comparable,
    max: "MAX",
    // Feature T611; the place of nulls is the engine's choice unless it is written.
    nulls_last: true,

    null_safe: NullSafe::IsNotDistinctFrom,
    differs: Differs::ColumnDistinct,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::RowNumber,
    rows: RowSource::Values,
    row_text: RowText::CastFirst,
    with_in_from: true,
    parameter: Parameter::Question,
    index_nulls: IndexNulls::Distinct,
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
    script: Some(Script { before: &[], begin: "START TRANSACTION", commit: "COMMIT", batch: None }),
    lock: Lock::No { because: "the standard has no lock that a script can take" },
    merge_needs_lock: true,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: // SQL:2011 has no IF NOT EXISTS. H2 and HSQLDB have, as do most engines that follow it.
        // https://h2database.com/html/commands.html#create_table, https://hsqldb.org/doc/2.0/guide/databaseobjects-chapt.html
        Guard::Words,
        unique: Unique::Inside,
        unindexed: |_| None,
        default: DefaultForm::Plain,
        null_first: false,
        generated: Support::Yes(Generated { before: "GENERATED ALWAYS AS ", behind: "", typed: true, not_null: false }),
        identity: Support::Yes(Identity { words: "GENERATED ALWAYS AS IDENTITY", constraint: "", not_null: true, bigint: false }),
        comments: Comments::No,
        add: Add { words: "ADD COLUMN", guard: Guard::Words, default: AddDefault::Any, not_null: true },
        drop: Support::Yes(Drop { guard: Guard::Words, bound: None }),
        retype: Support::Yes(Retype { before: "ALTER COLUMN", between: " SET DATA TYPE ", keeps: Keeps::All, takes: any_wider, key: None, again: true }),
        relax: Support::Yes(Relax::Words { before: "ALTER COLUMN", behind: " DROP NOT NULL", guard: Guard::Needless }),
        quoted: doubled,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    proof: Proof::StandIn {
        engine: "H2 2.2, HSQLDB 2.7 and Firebird 5.0",
        what: "of which H2 runs every load as it stands and the others lack a part of the standard",
    },
    digest: None,
    dbt: Support::No { because: "it is a standard and no database", instead: "sql" },
    reader: Some("sqruff 0.44"),
};

/// The types that we write all have equality.
fn comparable(expression: &str, _: &Type) -> String {
    expression.to_owned()
}
