//! Whether a condition keeps a second run from changing a row again: it becomes false by what the statement sets, it sees
//! that nothing changed, or it hangs on a claim that only the first run gets.

mod claim;
mod values;

pub use self::claim::{claimed, marked, strict_watermark};
use self::values::{beyond, comparison, differs, same_value, toggles, turned};
use crate::lint::proof::growth::uncast;
use crate::sql::clause::{Assignment, Update};
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// Functions that give another time in each run.
const CLOCKS: &[&str] = &[
    "clock_timestamp",
    "current_timestamp",
    "getdate",
    "getutcdate",
    "localtimestamp",
    "now",
    "statement_timestamp",
    "sysdate",
    "sysdatetime",
    "sysdatetimeoffset",
    "systimestamp",
    "sysutcdatetime",
    "transaction_timestamp",
    "unix_timestamp",
    "utc_timestamp",
    "unixepoch",
];

/// True when a value is another one at another time.
pub fn clock(value: Sql<'_>) -> bool {
    (0..value.len()).any(|at| {
        value.is_any(at, CLOCKS) || (value.kind(at) == Some(Kind::Text) && value.text(at).eq_ignore_ascii_case("'now'"))
    })
}

/// A condition against what a statement sets.
#[derive(Clone, Copy)]
pub struct Guard<'s, 'a> {
    /// What it sets.
    pub sets: &'s [Assignment<'a>],
    /// What the table is called in the statement, as it is compared.
    pub called: &'s [String],
}

impl<'a> Guard<'_, 'a> {
    /// The value that a column is set to, when an expression is that column.
    fn set(&self, side: Sql<'a>) -> Option<&Assignment<'a>> {
        let side = uncast(side);
        let name = if side.is_any(0, &["coalesce", "ifnull", "nvl", "isnull"]) && side.after(1) == side.len() {
            side.inside(1).commas().first().and_then(|first| first.as_name())
        } else {
            side.as_name()
        }?;
        if name.qualifier().is_some_and(|qualifier| !self.called.contains(&qualifier)) {
            return None;
        }
        let column = name.last();
        self.sets.iter().find(|set| set.column == column)
    }

    /// True when the condition is no longer true once the statement has set its columns.
    pub fn falsified(&self, condition: Sql<'a>) -> bool {
        condition.conjuncts().into_iter().any(|part| {
            let either = part.disjuncts();
            either.len() > 1 && either.iter().all(|one| self.falsified(*one))
                || either.len() == 1 && self.part(part.bare())
        })
    }

    fn part(&self, sql: Sql<'a>) -> bool {
        if sql.is(0, "not") {
            return self.denied(sql.from(1).bare());
        }
        if let Some(set) = self.set(sql) {
            return matches!(set.value.normal().as_str(), "false" | "0" | "null" | "'f'" | "'n'");
        }
        if self.no_change(sql, &["except", "minus"]) {
            return true;
        }
        let Some((at, sign)) = comparison(sql) else { return self.lacks(sql) };
        let (left, right) = (sql.slice(0..at), sql.from(at + 1));
        if self.decoded(left, sign, right) || sign == "<>" && self.nulls(left, right) {
            return true;
        }
        let (set, column, other, sign) = match (self.set(left), self.set(right)) {
            (Some(set), _) => (set, left, right, sign),
            (None, Some(set)) => (set, right, left, turned(sign)),
            _ => return self.lacks(sql),
        };
        let value = uncast(set.value);
        let same = same_value(value, other);
        let own = value
            .names()
            .any(|name| name.last() == set.column && name.qualifier().is_none_or(|q| self.called.contains(&q)));
        match sign {
            "=" | "is" if other.words(0, &["not", "null"]) => value.is(0, "null"),
            "is" if other.words(0, &["not", "true"]) => value.is(0, "true"),
            "is" if other.words(0, &["not", "distinct", "from"]) => differs(value, other.from(3), own),
            "is" if other.words(0, &["distinct", "from"]) => same_value(value, other.from(2)),
            "is" if other.is(0, "not") => same_value(value, other.from(1)),
            "is" if other.is(0, "null") => !value.is(0, "null") && !own,
            "=" | "is" | "==" | "<=>" => differs(value, other, own) || uncast(column).is(0, "array_position"),
            "<>" | "!=" => same || Self::grows(set, sql),
            "<" | ">" => same || beyond(value, other, sign) || clock(value) && clock(other) || Self::grows(set, sql),
            "<=" | ">=" => beyond(value, other, sign) && !same || clock(value) && clock(other),
            "in" => {
                let list = other.bare().commas();
                list.iter().all(|one| one.is_literal())
                    && value.is_literal()
                    && !list.iter().any(|one| same_value(value, *one))
            }
            "not" if other.is(0, "in") => other.from(1).bare().commas().iter().any(|one| same_value(value, *one)),
            "not" => !other.is(0, "between"),
            _ => false,
        }
    }

    /// `EXISTS (SELECT a EXCEPT SELECT 'x')`, for engines without IS DISTINCT FROM: both rows are the same afterwards.
    fn no_change(&self, sql: Sql<'a>, words: &[&str]) -> bool {
        if !sql.is(0, "exists") || sql.kind(1) != Some(Kind::Open) || sql.after(1) != sql.len() {
            return false;
        }
        let inside = sql.inside(1);
        let Some(at) = inside.top().find(|at| inside.is_any(*at, words)) else { return false };
        let (left, right) = (inside.slice(0..at), inside.from(at + 1));
        if !left.is(0, "select") || !right.is(0, "select") || left.mentions("from") || right.mentions("from") {
            return false;
        }
        let (left, right) = (left.from(1).commas(), right.from(1).commas());
        left.len() == right.len() && left.iter().zip(&right).all(|(one, other)| self.becomes(*one, *other))
    }

    /// `DECODE(a, 'x', 0, 1) = 1`
    fn decoded(&self, left: Sql<'a>, sign: &str, right: Sql<'a>) -> bool {
        if sign != "=" || !left.is(0, "decode") || left.kind(1) != Some(Kind::Open) || left.after(1) != left.len() {
            return false;
        }
        let [one, other, same, differ] = left.inside(1).commas()[..] else { return false };
        let value = right.normal();
        differ.normal() == value && same.normal() != value && self.becomes(one, other)
    }

    /// `(a IS NULL) <> ('x' IS NULL)`
    fn nulls(&self, left: Sql<'a>, right: Sql<'a>) -> bool {
        let tested = |side: Sql<'a>| {
            let side = side.bare();
            let end = side.len().checked_sub(2)?;
            side.words(end, &["is", "null"]).then(|| side.slice(0..end))
        };
        tested(left).zip(tested(right)).is_some_and(|(one, other)| self.becomes(one, other))
    }

    /// One of the two is a column, and the other what it is set to.
    fn becomes(&self, one: Sql<'a>, other: Sql<'a>) -> bool {
        [(one, other), (other, one)]
            .into_iter()
            .any(|(column, value)| self.set(column).is_some_and(|set| same_value(set.value, value)))
    }

    /// Behind NOT.
    fn denied(&self, sql: Sql<'a>) -> bool {
        if let Some(set) = self.set(sql) {
            return matches!(set.value.normal().as_str(), "true" | "1" | "'t'" | "'y'") || toggles(set.value);
        }
        if sql.is(0, "exists") {
            return self.no_change(sql, &["intersect"]);
        }
        if let Some((at, sign)) = comparison(sql) {
            let (left, right) = (sql.slice(0..at), sql.from(at + 1));
            if matches!(sign, "=" | "<=>" | "==" | "is") {
                let right =
                    if sign == "is" && right.words(0, &["not", "distinct", "from"]) { right.from(3) } else { right };
                for (side, other) in [(left, right), (right, left)] {
                    if self.set(side).is_some_and(|set| same_value(set.value, other)) {
                        return true;
                    }
                }
            }
        }
        // NOT (v = ANY (tags)), NOT tags @> .., NOT starts_with(..): it looks for what is put in.
        self.names_grown(sql)
    }

    /// A condition that looks for what is not there yet: `position('!' IN body) = 0`, `body NOT LIKE '%!'`.
    fn lacks(&self, sql: Sql<'a>) -> bool {
        let zero = sql.top().any(|at| {
            (["=", "<", "<="].iter().any(|sign| sql.symbol(at, sign)) && sql.from(at + 1).is_literal())
                || ["<>", "!=", "!~", "!~*"].iter().any(|sign| sql.symbol(at, sign))
                || sql.is(at, "not")
                || sql.words(at, &["is", "null"])
        });
        // `substring(code, 5) .. WHERE code LIKE 'pre:%'`
        zero && self.names_grown(sql)
    }

    /// True when a column stands in it that the statement makes of itself.
    fn names_grown(&self, sql: Sql<'a>) -> bool {
        self.sets.iter().any(|set| {
            let own = |name: Name<'_>| {
                name.last() == set.column && name.qualifier().is_none_or(|qualifier| self.called.contains(&qualifier))
            };
            sql.names().any(own) && set.value.names().any(own)
        })
    }

    fn grows(set: &Assignment<'a>, sql: Sql<'a>) -> bool {
        // `length(code) < 5` with `'0' || code`; a number that grows has no such bound in one step.
        set.value.names_column(&set.column) && sql.calls().next().is_some()
    }

    /// True when the condition sees whether anything changes: it holds a comparison of a column that is set with something
    /// other than equality, a comparison of whole rows, or of hashes.
    pub fn sees_change(&self, condition: Sql<'a>) -> bool {
        if self.falsified(condition) {
            return true;
        }
        condition.conjuncts().into_iter().any(|part| part.disjuncts().into_iter().any(|one| self.unequal(one.bare())))
    }

    fn unequal(&self, sql: Sql<'a>) -> bool {
        let rows = (0..sql.len()).any(|at| sql.is_any(at, &["except", "intersect", "minus"]));
        if rows {
            return true;
        }
        let sign = (0..sql.len()).any(|at| {
            ["<>", "!=", "<", ">", "<=>"].iter().any(|sign| sql.symbol(at, sign))
                || sql.is(at, "distinct")
                || sql.is(at, "not")
                || sql.words(at, &["is", "null"])
                || sql.is_any(at, &["decode", "equal_null"])
        });
        let set = |name: Name<'_>| {
            let column = name.last();
            self.sets.iter().any(|set| set.column == column)
                || ["hash", "checksum", "md5", "row_version", "rowversion", "digest"]
                    .iter()
                    .any(|word| column.contains(word))
        };
        let hashed = sql.calls().any(|(_, function)| {
            let function = function.to_ascii_lowercase();
            ["md5", "sha", "hash", "checksum"].iter().any(|word| function.contains(word))
        });
        sign && (hashed || sql.names().any(set))
    }
}

/// What a table is called in a statement, as it is compared: its alias, and the last part of its name.
pub fn called(table: Name<'_>, alias: Option<&String>) -> Vec<String> {
    alias.cloned().into_iter().chain([table.last()]).collect()
}

/// What the target of an UPDATE is called in it, as it is compared.
pub fn called_in(update: &Update<'_>) -> Vec<String> {
    let mut all = called(update.table(), update.alias.as_ref());
    // `UPDATE p SET .. FROM dbo.price AS p`
    let own = update.target.last();
    if !all.contains(&own) {
        all.insert(0, own);
    }
    all
}
