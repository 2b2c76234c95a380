//! Trino, with a connector that can change rows (Iceberg, Delta Lake, Hive ACID).

use super::Dialect;
use super::adapter::{Adapter, DbtLoad, DbtModel};
use super::client::{Client, Guards};
use super::ddl::{Add, AddDefault, Comments, Ddl, DefaultForm, Drop, Guard, Keeps, Retype, Unique};
use super::literal::{doubled, hex, spaced_zone};
use super::mechanism::{
    Absent, BranchCondition, Differs, Form, IndexNulls, Lock, MergeSyntax, NullSafe, Parameter, Proof, Reduce,
    RowSource, RowText, Support, WithPlace,
};
use super::name::{Escape, Fold, Quotes};
use super::native::{decimal, standard, timed};
use super::probe::Probe;
use super::reserved;
use super::syntax::{MergeGrammar, Syntax};
use super::types::Type;

pub(super) static DIALECT: Dialect = Dialect {
    name: "trino",
    title: "Trino 400 (Iceberg)",
    docs: "Every load is one MERGE over the staged rows, reduced with ROW_NUMBER to one per key. These connectors \
           write in autocommit alone, so a load of several statements would not be whole; `delete_insert` therefore \
           is one MERGE in which the rows that vanished from the window come in as deletions. Two staged rows with \
           one new key would both be inserted without an error, and there are no keys, so nothing but the load keeps \
           them unique. Two loads of one table at once end in a conflict error for one of them, or in both rows when \
           they only insert one new key: run one at a time. `timestamp` holds UTC; both kinds have six digits. \
           Iceberg has no JSON type: give such a column `type: {trino: VARCHAR}`. It serves Athena's engine version \
           3 too, on Iceberg tables.",
    // sqlparser has no reader for Trino; its generic one takes the widest grammar, which `syntax` narrows.
    parser: || Box::new(sqlparser::dialect::GenericDialect {}),
    // https://trino.io/docs/current/sql/merge.html, insert.html, update.html, delete.html
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
        limit: true,
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
        select_without_from: true,
        table_alias_as: true,
        set_qualified: false,
    },

    client: Client {
        aliases: &["athena", "presto", "prestodb", "prestosql", "starburst"],
        endings: &[],
        dumps: &[],
        headers: &[],
        signs: &[
            "APPROX_DISTINCT(",
            "DATE_ADD('",
            "DATE_DIFF('",
            "EXECUTE OPTIMIZE",
            "EXTERNAL_LOCATION =",
            "FORMAT = 'ORC'",
            "FORMAT = 'PARQUET'",
            "FORMAT='PARQUET'",
            "FROM_ISO8601_DATE(",
            "FROM_ISO8601_TIMESTAMP(",
            "PARTITIONED_BY = ARRAY[",
            "PARTITIONED_BY=ARRAY[",
            "PARTITIONING = ARRAY[",
            "SORTED_BY = ARRAY[",
            "TABLE_TYPE = 'ICEBERG'",
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
            create_index: false,
            create_schema: true,
            create_database: false,
            create_sequence: false,
            // A materialized view has IF NOT EXISTS, a view OR REPLACE: https://trino.io/docs/current/sql/create-view.html
            create_view: false,
            // https://trino.io/docs/current/sql/create-table.html
            replace_table: true,
            replace_view: true,
            replace_routine: true,
            create_routine: false,
            replace_trigger: false,
            create_trigger: false,
            or_alter: false,
            create_type: false,
            // https://trino.io/docs/current/sql/create-role.html
            create_role: false,
            create_policy: false,
            // https://trino.io/docs/current/sql/alter-table.html
            add_column: true,
            drop_column: true,
            add_constraint: false,
            drop_constraint: false,
            drop: true,
            drop_index: false,
        },
        // Writes are committed one by one in the connectors that have MERGE: https://trino.io/docs/current/sql/start-transaction.html
        probe: Probe::Caller("SELECT 1 FROM information_schema.tables WHERE .."),
        ddl_in_transaction: false,
        truncate_in_transaction: false,
        autocommit: true,
        commit_alone_fails: true,
        // There are no keys.
        enforces_keys: false,
        duplicates_fail: true,
        load_history: false,
    },

    quotes: Quotes { open: '"', close: '"', escape: Escape::Double },
    // Quoted names too: https://trino.io/docs/current/language/reserved.html#identifiers
    fold: Fold::Lower,
    ignores_case: true,
    reserved: reserved::TRINO,
    // The connector's.
    name_limit: None,
    unfit_in_names: "",
    table_alias: "AS ",

    string: doubled,
    bools: ("TRUE", "FALSE"),
    decimal: |digits, _| digits.to_owned(),
    bytes: |bytes| format!("X'{}'", hex(bytes)),
    // https://trino.io/docs/current/language/types.html#date-and-time
    temporal: |text, ty| match ty {
        Type::Date => format!("DATE '{text}'"),
        Type::Time => format!("TIME '{text}'"),
        Type::Timestamp => format!("TIMESTAMP '{text}'"),
        _ => format!("TIMESTAMP '{}'", spaced_zone(text)),
    },
    json: |text| format!("JSON {}", doubled(text)),
    uuid: |text| format!("UUID '{text}'"),
    type_name: |ty| match ty {
        Type::Bool => "BOOLEAN".to_owned(),
        // Iceberg has none that is smaller: https://iceberg.apache.org/spec/#primitive-types
        Type::SmallInt => "INTEGER".to_owned(),
        Type::Int => "INTEGER".to_owned(),
        Type::BigInt => "BIGINT".to_owned(),
        Type::Decimal { precision, scale } => format!("DECIMAL({precision}, {scale})"),
        Type::Real => "REAL".to_owned(),
        Type::Double => "DOUBLE".to_owned(),
        // Iceberg and Delta Lake keep no length.
        Type::Text | Type::Varchar(_) | Type::Char(_) => "VARCHAR".to_owned(),
        Type::Bytes => "VARBINARY".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Time => "TIME(6)".to_owned(),
        Type::Timestamp => "TIMESTAMP(6)".to_owned(),
        Type::Timestamptz => "TIMESTAMP(6) WITH TIME ZONE".to_owned(),
        Type::Uuid => "UUID".to_owned(),
        Type::Json => "JSON".to_owned(),
        Type::Other(name) => name.clone(),
    },
    // https://trino.io/docs/current/language/types.html
    read_type: |native| match (native.words(), native.numbers().as_slice()) {
        ("decimal", []) => decimal(38, 0),
        ("time" | "timestamp", []) => {
            timed(if native.words() == "time" { Type::Time } else { Type::Timestamp }, Some(3))
        }
        ("timestamp with time zone", []) => timed(Type::Timestamptz, Some(3)),
        _ => standard(native),
    },
    cast_name: None,

    // The start of the query: https://trino.io/docs/current/functions/datetime.html
    now: |ty| match ty {
        Type::Date => "CAST(current_timestamp AT TIME ZONE 'UTC' AS DATE)",
        Type::Time => "CAST(current_timestamp AT TIME ZONE 'UTC' AS TIME(6))",
        Type::Timestamp => "CAST(current_timestamp AT TIME ZONE 'UTC' AS TIMESTAMP(6))",
        _ => "CAST(current_timestamp AS TIMESTAMP(6) WITH TIME ZONE)",
    },
    floor: |ty| match ty {
        Type::Date => Some("DATE '0001-01-01'".to_owned()),
        Type::Timestamp => Some("TIMESTAMP '0001-01-01 00:00:00'".to_owned()),
        Type::Timestamptz => Some("TIMESTAMP '0001-01-01 00:00:00 +00:00'".to_owned()),
        _ => ty.least_integer().map(str::to_owned),
    },
    // A date has no hours to take off.
    shift_back: |expression, overlap, ty| match (overlap.in_units(), ty) {
        ((n, "STEP"), _) => format!("{expression} - {n}"),
        (_, Type::Date) => format!("{expression} - INTERVAL '{}' DAY", overlap.in_days()),
        ((n, unit), _) => format!("{expression} - INTERVAL '{n}' {unit}"),
    },
    comparable,
    exact: comparable,
    max: "MAX",
    // Last is the default in both directions: https://trino.io/docs/current/sql/select.html#order-by-clause
    nulls_last: false,

    null_safe: NullSafe::IsNotDistinctFrom,
    differs: Differs::ColumnDistinct,
    absent: Absent::NotExists,
    probe_hint: "",
    reduce: Reduce::RowNumber,
    rows: RowSource::Values,
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
    script: None,
    lock: Lock::No { because: "Trino has no locks, and its connectors write in autocommit alone" },
    merge_needs_lock: true,
    bound_in_variable: false,
    conflict_locks: false,
    null_column: "",
    storage: |_| String::new(),
    ddl: Ddl {
        create_table: Guard::Words,
        unique: Unique::No,
        unindexed: |_| None,
        default: // https://trino.io/docs/current/sql/create-table.html
        DefaultForm::No { because: "Trino 400 has no defaults" },
        null_first: false,
        generated: Support::No { because: "Trino has no generated columns", instead: "let the load compute it, with `value: ..` or `source: ..`" },
        identity: Support::No { because: "Trino numbers no rows", instead: "leave the column out, or let the source number its rows" },
        comments: Comments::Inside { column: " COMMENT {text}", table: "\nCOMMENT {text}" },
        add: // https://trino.io/docs/current/sql/alter-table.html
        Add { words: "ADD COLUMN", guard: Guard::Words, default: AddDefault::No, not_null: false },
        drop: Support::Yes(Drop { guard: Guard::Words, bound: None }),
        retype: // https://trino.io/docs/current/connector/iceberg.html#schema-evolution
        Support::Yes(Retype { before: "ALTER COLUMN", between: " SET DATA TYPE ", keeps: Keeps::All, takes: promotes, key: None, again: false }),
        relax: Support::No { because: "Trino 400 has no DROP NOT NULL", instead: "make a table of another name, and fill it from the old one" },
        quoted: doubled,
    },
    read_hint: "",
    shown: |expression, _| expression.to_owned(),
    digest: None,
    dbt: Support::Yes(&[
        Adapter::appending(
            "trino",
            Support::Yes(DbtModel {
                load: DbtLoad::Strategy(Form::Merge),
                append: "append",
                quotes_tables: true,
                config: |_| Vec::new(),
            }),
        ),
        // It refuses strategies that it does not know; its merge is for Iceberg tables:
        // https://docs.getdbt.com/reference/resource-configs/athena-configs
        Adapter {
            name: "athena",
            keyed: "insert_overwrite",
            keyless: "insert_overwrite",
            model: Support::Yes(DbtModel {
                load: DbtLoad::FilteredMerge,
                append: "append",
                quotes_tables: true,
                config: |_| vec![("table_type", "'iceberg'".to_owned())],
            }),
        },
    ]),
    proof: Proof::Parsed,
    reader: Some("the Trino grammar of dt-sql-parser 4.5"),
};

/// JSON is ordered by its text, maps and arrays by that of their JSON, places by their binary form.
fn comparable(expression: &str, ty: &Type) -> String {
    let name = match ty {
        Type::Json => "json",
        Type::Other(name) => &name.to_ascii_lowercase(),
        _ => return expression.to_owned(),
    };
    if name == "json" {
        format!("json_format({expression})")
    } else if name.starts_with("map") {
        format!("json_format(CAST({expression} AS JSON))")
    } else if name == "geometry" {
        format!("ST_AsBinary({expression})")
    } else {
        expression.to_owned()
    }
}

/// What Iceberg promotes: <https://iceberg.apache.org/spec/#schema-evolution>
fn promotes(old: &Type, new: &Type) -> bool {
    match (old, new) {
        (Type::Int, Type::BigInt) | (Type::Real, Type::Double) => true,
        (Type::Decimal { scale: old, .. }, Type::Decimal { scale: new, .. }) => old == new,
        _ => false,
    }
}
