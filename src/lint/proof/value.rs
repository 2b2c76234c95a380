//! Values that predicates compare with: which of two is greater, as far as their texts say.

use crate::sql::lex::Kind;
use crate::sql::view::Sql;
use std::cmp::Ordering;

/// The side of a comparison that names no column.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    /// Its tokens.
    pub sql: Sql<'a>,
    text: String,
    kind: Form,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Number(f64),
    /// A string, with the type that stands at it.
    Text(String, String),
    /// Anything else, plus or minus a number of units: `CURRENT_DATE - 1`.
    Moved(String, String, i64),
}

impl<'a> Value<'a> {
    /// The value, when nothing in it names a column or reads a table.
    pub fn of(sql: Sql<'a>) -> Option<Self> {
        let sql = sql.bare();
        if sql.is_empty() || sql.names().next().is_some() || sql.mentions("select") || sql.is(0, "default") {
            return None;
        }
        let text = sql.normal();
        Some(Self { sql, kind: form(sql, &text), text })
    }

    /// True for a number or a string, typed or not.
    pub fn is_literal(&self) -> bool {
        !matches!(self.kind, Form::Moved(..))
    }

    /// How two values stand to each other; `None` when their texts do not tell.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        if self.text == other.text {
            return Some(Ordering::Equal);
        }
        match (&self.kind, &other.kind) {
            (Form::Number(one), Form::Number(two)) => one.partial_cmp(two),
            (Form::Text(kind, one), Form::Text(other, two)) => {
                // Texts sort as they are spelled only where both are written like dates of one shape.
                (kind == other && dated(one) && shape(one) == shape(two)).then(|| one.cmp(two))
            }
            (Form::Moved(base, unit, by), Form::Moved(other, its, two)) => {
                (base == other && (unit == its || *by == 0 || *two == 0)).then(|| by.cmp(two))
            }
            _ => None,
        }
    }

    /// True when both are surely different values.
    pub fn differs(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Form::Text(kind, one), Form::Text(other, two)) if kind == other => {
                let folded = one.trim().to_lowercase() != two.trim().to_lowercase();
                // `2026-1-1` and `2026-01-01` may be one day, `1` and `01` one number.
                let digits = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
                folded && ((!digits(one) && !digits(two)) || shape(one) == shape(two))
            }
            (Form::Number(_), Form::Number(_)) => self.order(other).is_some_and(Ordering::is_ne),
            // Tomorrow is not today.
            _ => self.order(other).is_some_and(Ordering::is_ne),
        }
    }

    /// True when it looks like a moment: a date in a string, the clock, or what a variable fills in.
    pub fn is_temporal(&self) -> bool {
        match &self.kind {
            Form::Number(_) => false,
            Form::Text(kind, text) => kind.starts_with("date") || kind.starts_with("timestamp") || dated(text),
            Form::Moved(..) => reads_clock(self.sql) || self.sql.mentions("interval"),
        }
    }

    /// True for a date before which no data of interest lies: the start of all history, written as a bound.
    pub fn is_floor(&self) -> bool {
        match &self.kind {
            Form::Text(_, text) => text.get(..4).and_then(|year| year.parse::<u16>().ok()).is_some_and(|y| y < 2020),
            _ => false,
        }
    }

    /// True when a variable or a template fills it in.
    pub fn is_variable(&self) -> bool {
        has_variable(self.sql)
    }
}

/// Functions that read the clock, with and without brackets.
pub const CLOCKS: &[&str] = &[
    "current_date",
    "current_timestamp",
    "current_time",
    "localtimestamp",
    "sysdate",
    "systimestamp",
    "now",
    "getdate",
    "getutcdate",
    "sysdatetime",
    "sysutcdatetime",
    "curdate",
    "today",
    "yesterday",
    "clock_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "utc_timestamp",
    "utc_date",
    "unix_timestamp",
];

/// True when the clock is read in it.
pub fn reads_clock(sql: Sql<'_>) -> bool {
    (0..sql.len()).any(|at| {
        let bare = sql.is_any(at, &["current_date", "current_timestamp", "localtimestamp", "sysdate", "systimestamp"]);
        let call = sql.is_any(at, CLOCKS) && sql.kind(at + 1) == Some(Kind::Open);
        // `date('now', '-1 day')`
        let word = matches!(sql.kind(at), Some(Kind::Text)) && sql.text(at).eq_ignore_ascii_case("'now'");
        bare || call || word
    })
}

/// True when a variable or a template's hole stands in it.
pub fn has_variable(sql: Sql<'_>) -> bool {
    (0..sql.len()).any(|at| matches!(sql.kind(at), Some(Kind::Variable | Kind::Hole)))
}

fn form(sql: Sql<'_>, text: &str) -> Form {
    let number = |sql: Sql<'_>| sql.source().replace([' ', '_'], "").parse::<f64>().ok();
    let signed = sql.symbol(0, "-") || sql.symbol(0, "+");
    if sql.kind(usize::from(signed)) == Some(Kind::Number)
        && sql.len() == 1 + usize::from(signed)
        && let Some(number) = number(sql)
    {
        return Form::Number(number);
    }
    if let Some((kind, content)) = string(sql) {
        return Form::Text(kind, content);
    }
    // `DATEADD(day, -3, x)`
    if sql.is_any(0, &["dateadd", "timestampadd"])
        && sql.after(1) == sql.len()
        && let [unit, by, base] = sql.inside(1).commas()[..]
        && let Ok(by) = by.source().replace(' ', "").parse()
    {
        return Form::Moved(base.normal(), unit.normal(), by);
    }
    let sign = sql.top().filter(|at| *at > 0 && (sql.symbol(*at, "-") || sql.symbol(*at, "+"))).last();
    if let Some(at) = sign
        && let Some((unit, by)) = distance(sql.from(at + 1))
    {
        let by = if sql.symbol(at, "-") { -by } else { by };
        return Form::Moved(sql.slice(0..at).normal(), unit, by);
    }
    Form::Moved(text.to_owned(), String::new(), 0)
}

/// `3`, `INTERVAL '3 days'`, `INTERVAL 3 DAY`, `INTERVAL '3' DAY`: the unit and how many.
fn distance(sql: Sql<'_>) -> Option<(String, i64)> {
    let sql = sql.bare();
    if sql.kind(0) == Some(Kind::Number) && sql.len() == 1 {
        return Some((String::new(), sql.text(0).parse().ok()?));
    }
    if !sql.is(0, "interval") {
        return None;
    }
    let inner = sql.text(1).trim_matches('\'').to_lowercase();
    let (count, unit) = inner.split_once(' ').unwrap_or((&inner, sql.text(2)));
    Some((unit.trim().trim_end_matches('s').to_lowercase(), count.parse().ok()?))
}

/// A string with its type: `'x'`, `DATE 'x'`, `'x'::date`, `CAST('x' AS date)`.
fn string(sql: Sql<'_>) -> Option<(String, String)> {
    let content = |at: usize| {
        let text = sql.text(at);
        (sql.kind(at) == Some(Kind::Text)).then(|| text.trim_start_matches(['N', 'n']).trim_matches('\'').to_owned())
    };
    if sql.len() == 1 {
        return Some((String::new(), content(0)?));
    }
    if sql.len() == 2 && sql.kind(0) == Some(Kind::Word) {
        return Some((sql.text(0).to_lowercase(), content(1)?));
    }
    if sql.symbol(1, "::") {
        return Some((sql.from(2).normal(), content(0)?));
    }
    if sql.is_any(0, &["cast", "try_cast"]) && sql.after(1) == sql.len() && sql.is(3, "as") {
        return Some((sql.inside(1).from(2).normal(), content(2)?));
    }
    None
}

/// Written like a date: digits first, of at least eight.
fn dated(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let year = text.len() >= 4 && text.as_bytes()[..4].iter().all(u8::is_ascii_digit);
    year && digits >= 8 && text.chars().all(|c| c.is_ascii_digit() || "-/:. TZ+".contains(c))
}

/// Where digits stand and what stands between them.
fn shape(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::dialect;
    use crate::sql::script::Script;

    fn order(one: &str, two: &str) -> (Option<Ordering>, bool) {
        let text = format!("SELECT {one}; SELECT {two}");
        let dialect = dialect::ALL.iter().find(|d| d.client.lenient).unwrap();
        let script = Script::read(&text, dialect);
        let value = |at: usize| Value::of(script.sql(&script.statements[at]).from(1)).unwrap();
        (value(0).order(&value(1)), value(0).differs(&value(1)))
    }

    #[test]
    fn values_are_compared_where_their_texts_tell() {
        use Ordering::{Equal, Greater, Less};
        for (one, two, want, differs) in [
            ("1", "2", Some(Less), true),
            ("-1", "- 1", Some(Equal), false),
            ("DATE '2026-01-02'", "date '2026-01-01'", Some(Greater), true),
            ("'2026-01-01'", "'2026-01-02'", Some(Less), true),
            ("'20260101'", "'20260102'", Some(Less), true),
            // Another type of literal, another shape, another zone: nothing is known.
            ("'2026-01-01'", "DATE '2026-01-02'", None, false),
            ("'2026-01-01'", "'2026-1-2'", None, false),
            ("'2026-01-01 00:00:00Z'", "'2026-01-01 00:00:00+02'", None, false),
            ("3", "'3'", None, false),
            ("'oak'", "'pine'", None, true),
            ("'oak'", "'Oak'", None, false),
            ("CURRENT_DATE - 3", "current_date - 1", Some(Less), true),
            ("CURRENT_DATE", "CURRENT_DATE - 1", Some(Greater), true),
            ("now() - INTERVAL '3 days'", "now() - interval '1 day'", Some(Less), true),
            ("now() - INTERVAL '3 days'", "now() - interval '1 hour'", None, false),
            ("DATEADD(day, -3, GETDATE())", "dateadd(day, -1, getdate())", Some(Less), true),
            (":a", ":a", Some(Equal), false),
            (":a", ":b", None, false),
        ] {
            assert_eq!(order(one, two), (want, differs), "{one} and {two}");
        }
    }
}
