//! The window of a model, found in its code by pattern: `max(column)` over `{{ this }}`, with an interval or without.

use super::jinja::without_comments;
use crate::dialect::Dialect;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The target's column: what stands in `max(..)`.
    pub column: String,
    /// The column that is compared with it.
    pub compared: Option<String>,
    /// `>` or `>=`.
    pub strict: bool,
    /// The overlap, as a spec writes it.
    pub overlap: Option<String>,
    /// Months or years in days.
    pub calendar: Option<String>,
}

/// Finds the window; `Err` when the model reads itself in a way that is not understood.
pub(super) fn find(code: &str, dialect: &Dialect) -> Result<Option<Found>, ()> {
    let code = without_comments(code, dialect);
    let lower = code.to_lowercase();
    let squeezed: String = lower.split_whitespace().collect();
    // The word alone is in `{{ this.schema }}` and in macros too.
    if !lower.contains("is_incremental()") && !squeezed.contains("{{this") {
        return Ok(None);
    }
    let mut from = 0;
    while let Some(at) = lower[from..].find("max(").map(|at| at + from) {
        from = at + 4;
        let Some(close) = lower[from..].find(')').map(|end| end + from) else { break };
        let inside = lower[from..close].trim();
        let Some(column) = name(inside) else { continue };
        // The subquery, or the expression of `{% set %}`, names the target soon after.
        let block_end = lower[close..].find("{%").map_or(lower.len(), |end| end + close);
        let behind: String = lower[close..block_end].split_whitespace().collect();
        // `'(select max(a) from ' ~ this ~ ')'` is an argument of a macro.
        if !["from{{this}}", "from'~this", "from\"~this"].iter().any(|this| behind.contains(this)) {
            continue;
        }
        let block = lower[..at].rfind("%}").map_or(0, |start| start + 2);
        let exact = code.get(from..close).map_or(column.clone(), |text| name(text.trim()).unwrap_or(column));
        let (compared, strict) = comparison(&code[block..at]);
        let (overlap, calendar) = overlap(&lower[block..block_end]);
        return Ok(Some(Found { column: exact, compared, strict, overlap, calendar }));
    }
    Err(())
}

/// The last part of a plain name.
fn name(text: &str) -> Option<String> {
    let last = text.rsplit('.').next()?.trim().trim_matches(['"', '`', '[', ']']);
    let plain = !last.is_empty() && last.chars().all(|c| c.is_alphanumeric() || c == '_');
    (plain && !last.starts_with(|c: char| c.is_ascii_digit())).then(|| last.to_owned())
}

/// The last comparison of a text: what is compared, and whether it is without the equal.
fn comparison(text: &str) -> (Option<String>, bool) {
    let Some(at) = text.rfind('>') else { return (None, false) };
    let strict = !text[at + 1..].starts_with('=');
    let before = text[..at].trim_end();
    let start =
        before.rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '`'))).map_or(0, |at| at + 1);
    (name(&before[start..]), strict)
}

/// Seconds of the units that have a fixed length, and days of those that have none.
const UNITS: &[(&str, u64, u64)] = &[
    ("second", 1, 0),
    ("minute", 60, 0),
    ("hour", 3_600, 0),
    ("day", 86_400, 0),
    ("week", 604_800, 0),
    ("month", 2_678_400, 31),
    ("quarter", 7_948_800, 92),
    ("year", 31_622_400, 366),
];

/// The first length of time in a text: `interval '3 days'`, `interval 3 day`, `interval '3' day`, `dateadd(day, -3, ..)`,
/// `dateadd('day', -3, ..)`.
fn overlap(text: &str) -> (Option<String>, Option<String>) {
    let words: Vec<&str> =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    for (at, word) in words.iter().enumerate() {
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        let unit = |at: usize| {
            let word = words.get(at)?.trim_end_matches('s');
            UNITS.iter().find(|(name, ..)| *name == word)
        };
        let found = match *word {
            "interval" => number(at + 1).zip(unit(at + 2)),
            "dateadd" | "date_add" | "datetime_add" | "timestampadd" => number(at + 2).zip(unit(at + 1)),
            _ => None,
        };
        let Some((count, (name, seconds, days))) = found else { continue };
        let calendar = (*days > 0).then(|| format!("dbt goes back {count} {name}s, which have no fixed length"));
        return (Some(length(count.saturating_mul(*seconds))), calendar);
    }
    (None, None)
}

/// A length of time in the words of a spec.
pub(super) fn length(seconds: u64) -> String {
    let (count, unit) = match seconds {
        n if n % 86_400 == 0 => (n / 86_400, "day"),
        n if n % 3_600 == 0 => (n / 3_600, "hour"),
        n if n % 60 == 0 => (n / 60, "minute"),
        n => (n, "second"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::dialect;

    fn found(filter: &str) -> Found {
        let code = format!("select * from {{{{ ref('a') }}}} {{% if is_incremental() %}} where {filter} {{% endif %}}");
        find(&code, dialect::REFERENCE).unwrap().unwrap()
    }

    #[test]
    fn the_window_is_found_in_many_spellings() {
        for (filter, overlap) in [
            ("created_at >= (select max(created_at) - interval '1 day' from {{ this }})", Some("1 day")),
            ("created_at >= (select max(created_at) - interval 3 hour from {{this}})", Some("3 hours")),
            (
                "created_at >= (select max(t.created_at) - interval '15' minute from {{ this }} as t)",
                Some("15 minutes"),
            ),
            ("created_at >= dateadd(day, -2, (select max(created_at) from {{ this }}))", Some("2 days")),
            ("created_at >= {{ dbt.dateadd('week', -1, '(select max(created_at) from {{ this }})') }}", Some("7 days")),
            (
                "created_at >= {{ dbt.dateadd('day', -3, '(select max(created_at) from ' ~ this ~ ')') }}",
                Some("3 days"),
            ),
            ("created_at >= (select coalesce(max(created_at), '1900-01-01') from {{ this }})", None),
        ] {
            let found = found(filter);
            assert_eq!((&*found.column, found.overlap.as_deref()), ("created_at", overlap), "{filter}");
            assert_eq!((found.compared.as_deref(), found.strict), (Some("created_at"), false), "{filter}");
        }
    }

    #[test]
    fn what_differs_from_ours_is_seen() {
        let strict = found("s.loaded_at > (select max(created_at) from {{ this }})");
        assert_eq!((strict.compared.as_deref(), strict.strict), (Some("loaded_at"), true));
        assert_eq!(
            found("a >= (select max(a) - interval '1 month' from {{ this }})").overlap.as_deref(),
            Some("31 days")
        );
    }

    #[test]
    fn no_window_is_none_and_an_unknown_one_is_a_fault() {
        assert_eq!(find("select * from {{ ref('a') }}", dialect::REFERENCE), Ok(None));
        assert_eq!(
            find("{% if is_incremental() %} where a >= '{{ var(\"start\") }}' {% endif %}", dialect::REFERENCE),
            Err(())
        );
        assert_eq!(find("-- is_incremental() {# max(a) from {{ this }} #}\nselect 1", dialect::REFERENCE), Ok(None));
    }
}
