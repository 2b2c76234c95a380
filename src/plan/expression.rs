//! Expressions that a user wrote: read whole, so that nothing can break out of its place, and qualified.

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::spec::Located;
use crate::sql::conform::{conform, conform_expression};
use crate::sql::expression::{balanced, columns_of_expression, expression, functions_called, query};
use crate::sql::facts::facts;
use crate::sql::parse::{Parsed, parse};
use std::ops::Range;

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

/// Functions whose value has nothing to do with anything. A clock in a query may be a window that moves; these are not.
const RANDOM: &[&str] = &[
    "gen_random_uuid",
    "generate_uuid",
    "generateuuidv4",
    "newid",
    "newsequentialid",
    "nextval",
    "rand",
    "random",
    "randomblob",
    "seq4",
    "seq8",
    "sys_guid",
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
    let fault = |why: &str| {
        Diagnostic::error("plan-expression", format!("{what} is not one {} expression: {why}", dialect.title))
            .at(text.span.clone(), "this text")
    };
    if let Some(comment) = executable_comment(&text.value) {
        return Err(
            fault(&format!("`{comment}` begins a comment that some servers run")).help("write it without comments")
        );
    }
    if let Some((_, variable)) = columns_of_expression(&text.value, dialect)
        .unwrap_or_default()
        .into_iter()
        .find(|(range, _)| text.value[range.clone()].starts_with('@'))
    {
        let why = format!("`{variable}` is a variable of the session, which no other run has");
        return Err(fault(&why).help("take the value from the staged row"));
    }
    if let Err(found) = expression(&text.value, dialect) {
        return Err(fault(&found.message).help("write a single expression, without comments and without `;`"));
    }
    match conform_expression(&text.value, dialect).first() {
        None => Ok(()),
        Some(found) => Err(fault(&found.message).help(format!(
            "write it in a way that every dialect of the table has, or give this one its own under `overrides: {{{}: ..}}`",
            dialect.name
        ))),
    }
}

/// The text of a query without the semicolon that many people write behind it.
pub(super) fn query_text(text: &str) -> &str {
    text.trim().trim_end_matches(';').trim_end()
}

/// Refuses a text that is not one whole query of the dialect, or that gives other rows on every run.
///
/// # Errors
/// As said.
pub(super) fn check_query(text: &str, span: &Range<usize>, dialect: &Dialect) -> Result<(), Diagnostic> {
    let text = query_text(text);
    let fault = |why: &str| {
        Diagnostic::error("plan-query", format!("the source is not one {} query: {why}", dialect.title))
            .at(span.clone(), "this query")
    };
    if let Some(comment) = executable_comment(text) {
        return Err(fault(&format!("`{comment}` begins a comment that some servers run"))
            .help("write it without such comments"));
    }
    if let Err(found) = query(text, dialect) {
        return Err(fault(&found.message).help("write a single SELECT, with no comment behind it"));
    }
    let parsed = parse(text, dialect).unwrap_or_default();
    if let Some(found) = conform(text, &parsed, dialect).first() {
        return Err(fault(&found.message).help(format!(
            "write it in a way that every dialect of the table has, or give this one its own under `overrides: {{{}: ..}}`",
            dialect.name
        )));
    }
    let called = functions_called(text, dialect).unwrap_or_default();
    match called.iter().find(|name| RANDOM.contains(&name.as_str())) {
        None => Ok(()),
        Some(function) => Err(Diagnostic::error(
            "plan-volatile",
            format!("`{function}` gives another value on every run, so the query never gives the same rows twice"),
        )
        .at(span.clone(), "this query")
        .help("compute the value from the rows that the query reads, or leave it to a column `default`")),
    }
}

/// Refuses a text that is not one whole statement of the dialect that changes rows.
///
/// # Errors
/// As said.
pub(super) fn check_effect(text: &str, span: &Range<usize>, dialect: &Dialect) -> Result<(), Diagnostic> {
    let fault = |why: &str| {
        Diagnostic::error("plan-effect", format!("the effect is not one {} statement: {why}", dialect.title))
            .at(span.clone(), "this statement")
    };
    if let Some(comment) = executable_comment(text) {
        return Err(fault(&format!("`{comment}` begins a comment that some servers run"))
            .help("write it without such comments"));
    }
    let parsed = parse(text, dialect).map_err(|found| {
        fault(&found.message).help("write a single INSERT, UPDATE, DELETE or MERGE, with `:name` for a bound value")
    })?;
    let changes = |parsed: &Parsed| {
        let words = ["insert", "update", "delete", "merge"];
        facts(parsed).lines().first().is_some_and(|fact| words.contains(&fact.place.as_str()))
    };
    if parsed.len() != 1 || !parsed.iter().all(changes) || parsed.iter().any(|parsed| parsed.terminated) {
        let why = "it is more than one statement, or none that changes rows";
        return Err(fault(why).help("write each INSERT, UPDATE, DELETE or MERGE as an item of its own under `effect`"));
    }
    if let Err(found) = balanced(text, dialect) {
        return Err(fault(&found.message).help("write the statement alone, with no comment behind it"));
    }
    match conform(text, &parsed, dialect).first() {
        None => Ok(()),
        Some(found) => Err(fault(&found.message).help(format!(
            "write it in a way that every dialect of the table has, or give this one its own under `overrides: {{{}: ..}}`",
            dialect.name
        ))),
    }
}

/// The beginning of a comment that a server of the MySQL family runs as code, so that it reads another text than we do.
fn executable_comment(text: &str) -> Option<&'static str> {
    ["/*!", "/*M!"].into_iter().find(|begin| text.contains(begin))
}

/// Refuses a type of one engine that would not stay in its place.
///
/// # Errors
/// As said.
pub(super) fn check_type(text: &Located<String>, dialect: &Dialect) -> Result<(), Diagnostic> {
    balanced(&text.value, dialect).map_err(|found| {
        Diagnostic::error("plan-type", format!("`{}` is not a {} type: {}", text.value, dialect.title, found.message))
            .at(text.span.clone(), "")
            .help("write the name of a type and nothing else")
    })
}

/// The first function of the expression that gives another value on every run.
pub(super) fn volatile(text: &str, dialect: &Dialect) -> Option<String> {
    let called = functions_called(text, dialect).unwrap_or_default();
    // Functions without brackets that the reader takes for columns: `SYSDATE`.
    let bare = columns_of_expression(text, dialect).unwrap_or_default().into_iter().filter(|(range, name)| {
        text[range.clone()] == **name && name.bytes().all(|c| c.is_ascii_uppercase() || c == b'_')
    });
    let names = called.into_iter().chain(bare.map(|(_, name)| name));
    names.into_iter().find(|name| VOLATILE.contains(&name.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::{RANDOM, VOLATILE};

    #[test]
    fn the_volatile_functions_are_sorted() {
        assert!(VOLATILE.is_sorted() && RANDOM.is_sorted());
        assert!(RANDOM.iter().all(|name| VOLATILE.contains(name)));
    }
}
