//! Whether a column is set to a value that moves on from run to run: `n + 1`, `body || '!'`, `NOT flag`.

mod call;
mod case;
mod joined;

use self::call::call;
pub use self::case::mapping;
use self::case::{case, toggle};
use self::joined::joined;
use crate::sql::clause::Assignment;
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};
use std::cell::Cell;

/// What a value makes of the column that it is assigned to.
#[derive(Clone, Copy, Debug)]
pub enum Growth<'a> {
    /// The column is not read, or reading it again gives the same.
    None,
    /// Arithmetic on it: the operator or the function, and the other operand where it is one.
    Adds(&'a str, Option<Sql<'a>>),
    /// Something is put at its end, at its beginning or into it.
    Appends(Option<Sql<'a>>),
    /// It flips between two values.
    Toggles,
}

impl Growth<'_> {
    /// True when a second run changes nothing.
    pub fn is_none(self) -> bool {
        matches!(self, Self::None)
    }
}

/// Functions that give the same when they read their own result.
const STABLE: &[&str] = &[
    "abs",
    "array_distinct",
    "array_remove",
    "array_sort",
    "array_union",
    "btrim",
    "cast",
    "ceil",
    "ceiling",
    "coalesce",
    "convert",
    "date_trunc",
    "floor",
    "greatest",
    "ifnull",
    "initcap",
    "isnull",
    "least",
    "left",
    "lower",
    "lpad",
    "ltrim",
    "max",
    "min",
    "mod",
    "nullif",
    "nvl",
    "round",
    "rpad",
    "rtrim",
    "safe_cast",
    "sign",
    "trim",
    "trunc",
    "try_cast",
    "upper",
];

/// What is read as the column itself.
#[derive(Clone, Copy, Debug)]
pub struct Own<'s> {
    /// The column as it is compared.
    pub column: &'s str,
    /// What the table is called in the statement, as it is compared: its alias, its name.
    pub called: &'s [String],
    /// How many more tokens may be looked at. Every part is asked about more than once on the way up, so that without a
    /// limit the time would double with each operator.
    pub left: &'s Cell<usize>,
}

/// More tokens than it takes to look through any value that people write.
pub const EFFORT: usize = 200_000;

impl Own<'_> {
    /// Takes the part from what may still be looked at.
    fn may_look(self, part: Sql<'_>) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(part.len() + 1));
        left > 0
    }

    fn is(&self, name: Name<'_>) -> bool {
        name.last() == self.column && name.qualifier().is_none_or(|qualifier| self.called.contains(&qualifier))
    }

    /// True when the column stands in it. `VALUES(n)` names the new value.
    fn in_any(&self, sql: Sql<'_>) -> bool {
        let mut at = 0;
        while at < sql.len() {
            if sql.is(at, "values") && sql.kind(at + 1) == Some(Kind::Open) {
                at = sql.after(at + 1);
                continue;
            }
            if let Some((name, end)) = sql.name(at) {
                if sql.kind(at) != Some(Kind::Variable) && sql.kind(end) != Some(Kind::Open) && self.is(name) {
                    return true;
                }
                at = end;
                continue;
            }
            at += 1;
        }
        false
    }
}

/// What an assignment makes of its own column.
pub fn growth<'a>(set: &Assignment<'a>, called: &[String]) -> Growth<'a> {
    let left = Cell::new(EFFORT);
    let own = Own { column: &set.column, called, left: &left };
    // A compound assignment comes whole: `n += 1`.
    if set.value.range() == set.sql.range() {
        let sign =
            set.value.top().find(|at| set.value.kind(*at) == Some(Kind::Symbol) && set.value.text(*at).ends_with('='));
        let Some(at) = sign else { return Growth::None };
        let other = set.value.from(at + 1);
        return match set.value.text(at) {
            "=" | ":=" | "|=" | "&=" | "%=" => Growth::None,
            "^=" => Growth::Toggles,
            "+=" if other.kind(0) == Some(Kind::Text) && other.len() == 1 => Growth::Appends(Some(other)),
            sign => Growth::Adds(&sign[..1], Some(other)),
        };
    }
    of(set.value, own)
}

/// What a value makes of a column.
pub fn of<'a>(value: Sql<'a>, own: Own<'_>) -> Growth<'a> {
    if !own.may_look(value) {
        return Growth::None;
    }
    let sql = uncast(value);
    if sql.as_name().is_some() || !own.in_any(sql) || sql.is_any(0, &["select", "with", "array"]) {
        return Growth::None;
    }
    if sql.is(0, "case") && sql.after(0) == sql.len() {
        return case(sql, own);
    }
    if let Some(toggle) = toggle(sql, own) {
        return toggle;
    }
    let symbols = |list: &[&str]| sql.top().filter(|at| *at > 0 && list.iter().any(|s| sql.symbol(*at, s))).last();
    let boolean = sql.top().any(|at| {
        sql.is_any(at, &["and", "or", "not", "is", "in", "like", "between"])
            || ["=", "<>", "!=", "<", ">", "<=", ">=", "@>", "->", "->>", "#>>", "#>", "?", "~"]
                .iter()
                .any(|s| sql.symbol(at, s))
    });
    if boolean {
        return Growth::None;
    }
    if let Some(at) = symbols(&["||"]) {
        return joined(sql, at, own);
    }
    if let Some(at) = symbols(&["+", "-"]) {
        let (left, right) = (sql.slice(0..at), sql.from(at + 1));
        let text = |side: Sql<'_>| side.len() == 1 && side.kind(0) == Some(Kind::Text);
        let (has, other) = if own.in_any(left) { (left, right) } else { (right, left) };
        if sql.symbol(at, "+") && (text(left) || text(right)) {
            return Growth::Appends(Some(other));
        }
        // `old - new` with both read from it, and `s.n - (s.m - n)`, are for a person to judge.
        if own.in_any(left) && own.in_any(right) {
            return Growth::None;
        }
        return match of(has, own) {
            Growth::None if sole(has, own) && !number(other, 0.0) => Growth::Adds(sql.text(at), Some(other)),
            inner => inner,
        };
    }
    if let Some(at) = symbols(&["*", "/", "^", "<<", ">>"]) {
        let (left, right) = (sql.slice(0..at), sql.from(at + 1));
        let (has, other) = if own.in_any(left) { (left, right) } else { (right, left) };
        return match of(has, own) {
            Growth::None if sole(has, own) && !number(other, 1.0) => Growth::Adds(sql.text(at), Some(other)),
            inner => inner,
        };
    }
    call(sql, own)
}

/// True when the column, or a function of it that keeps it, is all that the part reads of it.
fn sole(sql: Sql<'_>, own: Own<'_>) -> bool {
    if !own.may_look(sql) {
        return false;
    }
    let sql = uncast(sql);
    if sql.as_name().is_some_and(|name| own.is(name)) {
        return true;
    }
    if sql.top().any(|at| ["||", "+", "-", "*", "/"].iter().any(|s| sql.symbol(at, s))) {
        return !matches!(of(sql, own), Growth::None) || sql.top().any(|at| sql.symbol(at, "||"));
    }
    sql.kind(1) == Some(Kind::Open)
        && sql.after(1) == sql.len()
        && sql.is_any(0, STABLE)
        && sql.inside(1).commas().into_iter().any(|part| own.in_any(part) && sole(before_as(part), own))
}

/// True when an operand is this number, which changes nothing.
fn number(sql: Sql<'_>, wanted: f64) -> bool {
    uncast(sql).source().parse::<f64>().is_ok_and(|found| (found - wanted).abs() < f64::EPSILON)
}

fn before_as(sql: Sql<'_>) -> Sql<'_> {
    sql.find(0, &["as"]).map_or(sql, |at| sql.slice(0..at))
}

/// Without brackets and casts around the whole.
pub fn uncast(value: Sql<'_>) -> Sql<'_> {
    let mut sql = value.bare();
    loop {
        let cast = sql.top().filter(|at| sql.symbol(*at, "::")).last();
        let whole = cast.filter(|at| {
            sql.from(at + 1).name(0).is_some_and(|(_, end)| {
                let end = at + 1 + end;
                let end = if sql.kind(end) == Some(Kind::Open) { sql.after(end) } else { end };
                end >= sql.len() || sql.kind(end) == Some(Kind::Symbol) && sql.text(end).starts_with('[')
            }) && (*at == 1
                || sql.after(0) == *at
                || sql.name(0).is_some_and(|(_, end)| end == *at || sql.after(end) == *at))
        });
        if let Some(at) = whole {
            sql = sql.slice(0..at).bare();
        } else if sql.is_any(0, &["cast", "try_cast", "safe_cast"]) && sql.after(1) == sql.len() && sql.len() > 3 {
            sql = before_as(sql.inside(1)).bare();
        } else {
            return sql;
        }
    }
}

/// What happens, as the words behind "a second run": `adds 1 to `n` once more`.
pub fn deed(growth: Growth<'_>, column: &str) -> String {
    let short = |other: Sql<'_>| {
        let text = other.source().split_whitespace().collect::<Vec<_>>().join(" ");
        (text.chars().count() <= 40).then_some(text)
    };
    match growth {
        Growth::Adds(sign, other) => match (sign, other.and_then(short)) {
            ("+", Some(other)) => format!("adds `{other}` to `{column}` once more"),
            ("-", Some(other)) => format!("subtracts `{other}` from `{column}` once more"),
            ("*", Some(other)) => format!("multiplies `{column}` by `{other}` once more"),
            ("/", Some(other)) => format!("divides `{column}` by `{other}` once more"),
            _ => format!("moves `{column}` on once more"),
        },
        Growth::Appends(other) => match other.and_then(short) {
            Some(other) => format!("puts `{other}` into `{column}` once more"),
            None => format!("makes `{column}` longer once more"),
        },
        Growth::Toggles => format!("turns `{column}` back"),
        Growth::None => format!("sets `{column}` again"),
    }
}
