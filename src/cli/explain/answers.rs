//! The mechanisms of a dialect in words, for its page.

use crate::dialect::adapter::{Adapter, DbtLoad};
use crate::dialect::mechanism::{
    Absent, Differs, Form, IndexNulls, Lock, NullSafe, Parameter, Proof, Reduce, RowSource, Support,
};
use crate::dialect::name::{Escape, Fold};
use crate::dialect::{Dialect, mechanism};

pub(super) fn form(form: Form) -> &'static str {
    match form {
        Form::OnConflict => "`INSERT .. ON CONFLICT`",
        Form::OnDuplicateKey => "`INSERT .. ON DUPLICATE KEY UPDATE`",
        Form::Merge => "`MERGE`",
        Form::StagedMerge => "temporary table, `MERGE`",
        Form::UpdateInsert => "temporary table, `UPDATE`, `INSERT`",
        Form::AntiJoin => "`INSERT` of new keys",
        Form::ClaimEffects => "temporary table, `INSERT`, effects",
        Form::AppendVersion => "`INSERT` of new versions",
        Form::AppendBatch => "`INSERT` of new batches, by a log",
    }
}

/// The form, or a dash.
pub(super) fn short(support: mechanism::Support<Form>) -> &'static str {
    match support {
        mechanism::Support::Yes(yes) => form(yes),
        mechanism::Support::No { .. } => "no",
    }
}

/// The form, or why there is none and what to take instead.
pub(super) fn long(support: mechanism::Support<Form>) -> String {
    match support {
        mechanism::Support::Yes(yes) => form(yes).to_owned(),
        mechanism::Support::No { because, instead } => format!("no: {because}; use `{instead}`"),
    }
}

pub(super) fn proof(proof: Proof) -> String {
    match proof {
        Proof::Parsed => "parsed".to_owned(),
        Proof::StandIn { engine, .. } => format!("parsed; its clauses executed on {engine}"),
        Proof::Executed(engine) => format!("executed on {engine}"),
    }
}

pub(super) fn null_safe(way: NullSafe) -> &'static str {
    match way {
        NullSafe::IsNotDistinctFrom => "`a IS NOT DISTINCT FROM b`",
        NullSafe::Spaceship => "`a <=> b`",
        NullSafe::Is => "`a IS b`",
        NullSafe::OrBothNull => "`(a = b OR (a IS NULL AND b IS NULL))`",
        NullSafe::Decode => "`DECODE(a, b, 1, 0) = 1`",
    }
}

pub(super) fn differs(way: Differs) -> &'static str {
    match way {
        Differs::RowDistinct => "`(t.a, t.b) IS DISTINCT FROM (s.a, s.b)`",
        Differs::ColumnDistinct => "`(t.a IS DISTINCT FROM s.a OR ..)`",
        Differs::NotSpaceship => "`NOT (t.a <=> s.a AND ..)`",
        Differs::IsNot => "`(t.a IS NOT s.a OR ..)`",
        Differs::ExistsExcept => "`EXISTS (SELECT s.a, s.b EXCEPT SELECT t.a, t.b)`",
        Differs::Decode => "`(DECODE(t.a, s.a, 0, 1) = 1 OR ..)`",
        Differs::Expanded => "`(t.a <> s.a OR (t.a IS NULL) <> (s.a IS NULL) OR ..)`",
    }
}

pub(super) fn absent(way: Absent) -> &'static str {
    match way {
        Absent::NotExists => "`NOT EXISTS (SELECT 1 FROM target ..)`",
        Absent::LeftJoin => "`LEFT JOIN target .. WHERE .. IS NULL`",
    }
}

pub(super) fn reduce(way: Reduce) -> &'static str {
    match way {
        Reduce::DistinctOn => "`SELECT DISTINCT ON (key) .. ORDER BY key, version DESC`",
        Reduce::Qualify { .. } => "`QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY version DESC) = 1`",
        Reduce::RowNumber => "`ROW_NUMBER() OVER (PARTITION BY key ORDER BY version DESC)`, then `= 1`",
        Reduce::LimitBy => "`ORDER BY version DESC LIMIT 1 BY key`",
    }
}

pub(super) fn rows(way: RowSource) -> String {
    match way {
        RowSource::Values => "`VALUES`".to_owned(),
        RowSource::UnionAll { from } => format!("`SELECT ..{from} UNION ALL SELECT ..`"),
    }
}

pub(super) fn parameter(way: Parameter) -> &'static str {
    match way {
        Parameter::Dollar => "`$1`",
        Parameter::Question => "`?`",
        Parameter::Colon => "`:name`",
        Parameter::At => "`@name`",
        Parameter::Braces => "`{name:Type}`",
    }
}

pub(super) fn index_nulls(way: IndexNulls) -> &'static str {
    match way {
        IndexNulls::DistinctOrNot => "two nulls differ, unless the index is `NULLS NOT DISTINCT`",
        IndexNulls::Distinct => "two nulls differ, so a nullable key takes another form",
        IndexNulls::Same => "two nulls are the same value",
        IndexNulls::NotEnforced => "no index is enforced",
    }
}

pub(super) fn lock(way: Lock) -> String {
    match way {
        Lock::InTransaction(statement) => format!("`{statement}` in the transaction"),
        Lock::Around { acquire, release } => format!("`{acquire}` before and `{release}` after the transaction"),
        Lock::ByBegin => "the transaction is exclusive by the way in which it begins".to_owned(),
        Lock::No { because } => format!("no: {because}"),
    }
}

pub(super) fn names(dialect: &Dialect) -> String {
    let quotes = dialect.quotes;
    let escape = match quotes.escape {
        Escape::Double => format!("`{}` inside is written twice", quotes.close),
        Escape::Backslash => "a quote inside is written with a backslash".to_owned(),
        Escape::Never => format!("`{}` inside cannot be written", quotes.close),
    };
    let fold = match dialect.fold {
        Fold::Lower => "bare names are lower case to the engine",
        Fold::Upper => "bare names are upper case to the engine",
        Fold::Kept => "bare names are kept as written",
    };
    let case = if dialect.ignores_case { "; columns cannot differ in case alone" } else { "" };
    let limit = match dialect.name_limit {
        Some(limit) => format!("; at most {} {}", limit.length, if limit.bytes { "bytes" } else { "characters" }),
        None => String::new(),
    };
    let (open, close) = (quotes.open, quotes.close);
    // A backtick inside code needs two around it.
    let example = if open == '`' { format!("`` {open}name{close} ``") } else { format!("`{open}name{close}`") };
    let escape = if quotes.close == '`' { escape.replacen("```", "`` ` ``", 1) } else { escape };
    format!("{example}, only where needed; {escape}; {fold}{case}{limit}")
}

/// How dbt loads a table of the dialect, adapter by adapter.
pub(super) fn dbt(dialect: &Dialect) -> String {
    let adapters = match dialect.dbt {
        Support::Yes(adapters) => adapters,
        Support::No { because, .. } => return format!("no: {because}"),
    };
    let one = |adapter: &Adapter| {
        let Support::Yes(model) = adapter.model else { return None };
        let how = match model.load {
            DbtLoad::Strategy(form) => format!("our strategy `idemsql`: {}", self::form(form)),
            DbtLoad::FilteredMerge => {
                "dbt's own `merge` of rows that were compared with the table before; no null in keys, no deletions"
                    .to_owned()
            }
            DbtLoad::AppendVersion => "dbt's own append of new versions".to_owned(),
        };
        Some(format!("`dbt-{}`: {how}", adapter.name))
    };
    let all: Vec<String> = adapters.iter().filter_map(one).collect();
    match (all.is_empty(), adapters.first().map(|adapter| adapter.model)) {
        (true, Some(Support::No { because, .. })) => format!("no: {because}"),
        _ => all.join("; "),
    }
}
