//! Words that messages put together in a file's dialect.

use crate::dialect::Dialect;
use crate::dialect::mechanism::Differs;

/// The condition that is true for two values that are not the same, nulls included: a plain `<>` is not true where one of
/// them is null, and a row with a null would never be written.
pub(crate) fn differs(dialect: &Dialect, one: &str, other: &str) -> String {
    match dialect.differs {
        Differs::RowDistinct | Differs::ColumnDistinct => format!("{one} IS DISTINCT FROM {other}"),
        Differs::NotSpaceship => format!("NOT ({one} <=> {other})"),
        Differs::IsNot => format!("{one} IS NOT {other}"),
        Differs::ExistsExcept => format!("EXISTS (SELECT {one} EXCEPT SELECT {other})"),
        Differs::Decode => format!("DECODE({one}, {other}, 0, 1) = 1"),
        Differs::Expanded => format!("({one} <> {other} OR ({one} IS NULL) <> ({other} IS NULL))"),
    }
}

/// How to keep one row of each key.
pub(crate) fn one_row(dialect: &Dialect, key: &str) -> String {
    if dialect.syntax.distinct_on {
        format!("`SELECT DISTINCT ON ({key}) .. ORDER BY {key}, <newest first>`")
    } else if dialect.syntax.qualify {
        format!("`QUALIFY ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY <newest first>) = 1`")
    } else {
        format!("`ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY <newest first>) AS rn` and `WHERE rn = 1` around it")
    }
}

/// What two rows of one key do to a merge or an upsert.
pub(crate) fn twice(dialect: &Dialect) -> &'static str {
    if dialect.client.duplicates_fail { "the statement fails" } else { "which row wins is chance" }
}

#[cfg(test)]
mod tests {
    use super::differs;
    use crate::dialect;

    #[test]
    fn two_values_are_compared_in_the_words_of_the_dialect() {
        for (name, want) in [
            ("postgres", "a IS DISTINCT FROM 1"),
            ("mysql", "NOT (a <=> 1)"),
            ("sqlite", "a IS NOT 1"),
            ("sqlserver", "EXISTS (SELECT a EXCEPT SELECT 1)"),
            ("oracle", "DECODE(a, 1, 0, 1) = 1"),
            ("redshift", "(a <> 1 OR (a IS NULL) <> (1 IS NULL))"),
        ] {
            let dialect = dialect::ALL.iter().find(|dialect| dialect.name == name);
            assert_eq!(dialect.map(|dialect| differs(dialect, "a", "1")).as_deref(), Some(want));
        }
    }
}
