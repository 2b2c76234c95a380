//! Expressions that a user wrote: read whole, so that nothing can break out of its place, and qualified.

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::spec::Located;
use crate::sql::expression::{columns_of_expression, expression, functions_called};

/// Functions whose value changes between two runs. In a key or in staged content they would make every run differ.
const VOLATILE: &[&str] = &[
    "clock_timestamp",
    "current_date",
    "current_time",
    "current_timestamp",
    "gen_random_uuid",
    "generate_uuid",
    "generateuuidv4",
    "getdate",
    "getutcdate",
    "localtime",
    "localtimestamp",
    "newid",
    "newsequentialid",
    "nextval",
    "now",
    "now64",
    "rand",
    "random",
    "randomblob",
    "seq4",
    "seq8",
    "statement_timestamp",
    "sys_guid",
    "sysdate",
    "sysdatetime",
    "systimestamp",
    "sysutcdatetime",
    "timeofday",
    "today",
    "transaction_timestamp",
    "utc_timestamp",
    "uuid",
    "uuid_generate_v1",
    "uuid_generate_v4",
    "uuid_string",
    "uuidv7",
];

/// Reads the expression and puts `alias` before each column that has no qualifier.
///
/// # Errors
/// When the text is not one whole expression of the dialect.
pub(super) fn qualified(
    text: &Located<String>,
    what: &str,
    alias: &str,
    dialect: &Dialect,
) -> Result<String, Diagnostic> {
    qualified_by(text, what, dialect, |name| Ok(format!("{alias}.{name}")))
}

/// Reads the expression and replaces each column that has no qualifier, as `column` says.
///
/// # Errors
/// When the text is not one whole expression of the dialect, or when `column` refuses a name.
pub(super) fn qualified_by(
    text: &Located<String>,
    what: &str,
    dialect: &Dialect,
    column: impl Fn(&str) -> Result<String, Diagnostic>,
) -> Result<String, Diagnostic> {
    check(text, what, dialect)?;
    let mut out = String::new();
    let mut end = 0;
    let columns = columns_of_expression(&text.value, dialect).unwrap_or_default();
    for (range, _) in columns {
        out.push_str(&text.value[end..range.start]);
        out.push_str(&column(&text.value[range.clone()])?);
        end = range.end;
    }
    out.push_str(&text.value[end..]);
    Ok(out)
}

/// The columns that the expression names without a table, without quotes.
pub(super) fn columns(text: &str, dialect: &Dialect) -> Vec<String> {
    let columns = columns_of_expression(text, dialect).unwrap_or_default();
    columns.into_iter().map(|(_, name)| name).collect()
}

/// Refuses a text that is not one whole expression.
///
/// # Errors
/// As said.
pub(super) fn check(text: &Located<String>, what: &str, dialect: &Dialect) -> Result<(), Diagnostic> {
    expression(&text.value, dialect).map(drop).map_err(|fault| {
        Diagnostic::error(
            "plan-expression",
            format!("{what} is not one {} expression: {}", dialect.title, fault.message),
        )
        .at(text.span.clone(), "this text")
        .help("write a single expression, without comments and without `;`")
    })
}

/// The first function of the expression that gives another value on every run.
pub(super) fn volatile(text: &str, dialect: &Dialect) -> Option<String> {
    let called = functions_called(text, dialect).unwrap_or_default();
    called.into_iter().find(|name| VOLATILE.contains(&name.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::VOLATILE;

    #[test]
    fn the_volatile_functions_are_sorted() {
        assert!(VOLATILE.is_sorted());
    }
}
