//! A stretch of tokens with their text: what the clause reader reads, and what every clause, name and expression is.

use crate::sql::lex::{Kind, Token};
use std::borrow::Cow;
use std::ops::Range;

/// Some tokens of a text, in a row. Copied freely.
#[derive(Clone, Copy)]
pub struct Sql<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl std::fmt::Debug for Sql<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.source())
    }
}

impl<'a> Sql<'a> {
    /// Tokens of a text.
    pub fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens }
    }

    /// No tokens.
    pub fn empty(text: &'a str) -> Self {
        Self { text, tokens: &[] }
    }

    /// How many tokens there are.
    pub fn len(self) -> usize {
        self.tokens.len()
    }

    /// True when there are none.
    pub fn is_empty(self) -> bool {
        self.tokens.is_empty()
    }

    /// The whole text that the tokens are of.
    pub fn whole_text(self) -> &'a str {
        self.text
    }

    /// The bytes from the first to the last token.
    pub fn range(self) -> Range<usize> {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => first.start as usize..last.end as usize,
            _ => 0..0,
        }
    }

    /// The text from the first to the last token, as it stands.
    pub fn source(self) -> &'a str {
        self.text.get(self.range()).unwrap_or("")
    }

    /// The kind of a token.
    pub fn kind(self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// The text of a token; empty behind the end.
    pub fn text(self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// The bytes of a token.
    pub fn bytes(self, at: usize) -> Range<usize> {
        self.tokens.get(at).map_or_else(|| self.range().end..self.range().end, |t| t.start as usize..t.end as usize)
    }

    /// True when the token is this word, in any case.
    #[inline]
    pub fn is(self, at: usize, word: &str) -> bool {
        // Most words differ in length, which needs no look at the text.
        self.word(at, word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// True when the token is one of these words, in any case.
    #[inline]
    pub fn is_any(self, at: usize, words: &[&str]) -> bool {
        let Some(token) = self.tokens.get(at).filter(|token| token.kind == Kind::Word) else { return false };
        let length = (token.end - token.start) as usize;
        let mut fit = words.iter().filter(|word| word.len() == length).peekable();
        if fit.peek().is_none() {
            return false;
        }
        let Some(found) = self.text.as_bytes().get(token.start as usize..token.end as usize) else { return false };
        fit.any(|word| found.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// The bytes of a word of that length.
    #[inline]
    fn word(self, at: usize, length: usize) -> Option<&'a [u8]> {
        let token = self.tokens.get(at)?;
        let fits = token.kind == Kind::Word && (token.end - token.start) as usize == length;
        fits.then(|| self.text.as_bytes().get(token.start as usize..token.end as usize))?
    }

    /// True when these words stand there.
    pub fn words(self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(i, word)| self.is(at + i, word))
    }

    /// True when the token is this operator.
    #[inline]
    pub fn symbol(self, at: usize, symbol: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| {
            token.kind == Kind::Symbol
                && (token.end - token.start) as usize == symbol.len()
                && self.text.as_bytes().get(token.start as usize..token.end as usize) == Some(symbol.as_bytes())
        })
    }

    /// Some of the tokens; clipped to those that there are.
    #[must_use]
    pub fn slice(self, range: Range<usize>) -> Self {
        let end = range.end.min(self.tokens.len());
        let start = range.start.min(end);
        Self { text: self.text, tokens: &self.tokens[start..end] }
    }

    /// The tokens from one on.
    #[must_use]
    pub fn from(self, at: usize) -> Self {
        self.slice(at..self.tokens.len())
    }

    /// Where to go on behind a token without entering its brackets.
    pub fn after(self, at: usize) -> usize {
        let pair = self.tokens.get(at).map_or(0, |token| token.pair as usize);
        if at + pair < self.tokens.len() { at + pair + 1 } else { at + 1 }
    }

    /// What stands between a bracket and its partner; from there to the end when it has none.
    #[must_use]
    pub fn inside(self, open: usize) -> Self {
        let pair = self.tokens.get(open).map_or(0, |token| token.pair as usize);
        if pair == 0 { self.slice(open + 1..self.len()) } else { self.slice(open + 1..open + pair) }
    }

    /// The places of the tokens outside all brackets and CASE .. END; of a bracket, the opening one alone.
    pub fn top(self) -> impl Iterator<Item = usize> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= self.len() {
                return None;
            }
            let here = at;
            at = self.after(at);
            Some(here)
        })
    }

    /// The first of these words outside all brackets, from a place on.
    pub fn find(self, from: usize, words: &[&str]) -> Option<usize> {
        let rest = self.from(from);
        rest.top().find(|at| rest.is_any(*at, words)).map(|at| at + from)
    }

    /// True when the word stands anywhere, in brackets too.
    pub fn mentions(self, word: &str) -> bool {
        (0..self.len()).any(|at| self.is(at, word))
    }

    /// Cut at the commas outside all brackets.
    pub fn commas(self) -> Vec<Self> {
        self.cut(|sql, at| sql.kind(at) == Some(Kind::Comma))
    }

    fn cut(self, here: impl Fn(Self, usize) -> bool) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut start = 0;
        for at in self.top() {
            if here(self, at) {
                parts.push(self.slice(start..at));
                start = at + 1;
            }
        }
        if start < self.len() || !parts.is_empty() {
            parts.push(self.from(start));
        }
        parts
    }

    /// Without brackets around the whole.
    #[must_use]
    pub fn bare(self) -> Self {
        let mut sql = self;
        while sql.kind(0) == Some(Kind::Open) && sql.tokens[0].pair as usize + 1 == sql.len() {
            sql = sql.inside(0);
        }
        sql
    }

    /// The parts that AND joins, outside all brackets but those around the whole or around a part that is itself a
    /// conjunction. The AND of BETWEEN is none.
    pub fn conjuncts(self) -> Vec<Self> {
        self.joined("and")
    }

    /// The parts that OR joins.
    pub fn disjuncts(self) -> Vec<Self> {
        self.joined("or")
    }

    fn joined(self, word: &str) -> Vec<Self> {
        let mut all = Vec::new();
        let mut pending = vec![self];
        while let Some(next) = pending.pop() {
            let sql = next.bare();
            if word == "and" && sql.top().any(|at| sql.is(at, "or")) {
                all.push(sql);
                continue;
            }
            let mut parts = Vec::new();
            let (mut start, mut between) = (0, false);
            for at in sql.top() {
                if sql.is(at, "between") {
                    between = true;
                } else if sql.is(at, word) {
                    if std::mem::take(&mut between) && word == "and" {
                        continue;
                    }
                    parts.push(sql.slice(start..at));
                    start = at + 1;
                }
            }
            if parts.is_empty() {
                if !sql.is_empty() {
                    all.push(sql);
                }
            } else {
                parts.push(sql.from(start));
                pending.extend(parts.into_iter().rev());
            }
        }
        all
    }

    /// A name with its dots at a place, and where it ends.
    pub fn name(self, at: usize) -> Option<(Name<'a>, usize)> {
        let part = |at: usize| {
            matches!(self.kind(at), Some(Kind::Word | Kind::Name | Kind::Hole | Kind::Variable))
                || (self.kind(at) == Some(Kind::Text) && self.text(at).starts_with('"'))
        };
        if !part(at) {
            return None;
        }
        let mut end = at + 1;
        while self.kind(end) == Some(Kind::Dot) {
            if part(end + 1) {
                end += 2;
            } else if self.kind(end + 1) == Some(Kind::Dot) && part(end + 2) {
                // `db..table`
                end += 3;
            } else {
                break;
            }
        }
        Some((Name { sql: self.slice(at..end) }, end))
    }

    /// The whole as a name: `a`, `t.a`; `None` when it is anything else.
    pub fn as_name(self) -> Option<Name<'a>> {
        let sql = self.bare();
        let (name, end) = sql.name(0)?;
        let constant =
            sql.len() == 1 && sql.is_any(0, &["null", "true", "false", "default", "current_timestamp", "current_date"]);
        (end == sql.len() && sql.kind(0) != Some(Kind::Variable) && !constant).then_some(name)
    }

    /// True for a number, a string, NULL, TRUE, a typed literal such as `DATE '2026-01-01'`, a cast of one, with or
    /// without a sign.
    pub fn is_literal(self) -> bool {
        let sql = self.bare();
        let sql = if sql.symbol(0, "-") || sql.symbol(0, "+") { sql.from(1) } else { sql };
        let one = |at: usize| {
            matches!(sql.kind(at), Some(Kind::Number | Kind::Text | Kind::Body))
                || sql.is_any(at, &["null", "true", "false"])
        };
        match sql.len() {
            0 => false,
            1 => one(0),
            2 => sql.kind(0) == Some(Kind::Word) && sql.kind(1) == Some(Kind::Text),
            _ => {
                let cast = one(0) && sql.symbol(1, "::") && sql.from(2).name(0).is_some();
                let interval = sql.is(0, "interval") && sql.len() <= 3;
                let function = sql.is_any(0, &["cast", "try_cast"])
                    && sql.after(1) == sql.len()
                    && sql.inside(1).find(0, &["as"]).is_some_and(|at| sql.inside(1).slice(0..at).is_literal());
                cast || interval || function
            }
        }
    }

    /// True when nothing in it names a column, calls a function or reads a table: literals, variables and operators.
    pub fn is_constant(self) -> bool {
        !self.is_empty()
            && (0..self.len()).all(|at| match self.kind(at) {
                Some(Kind::Word) => {
                    self.is_any(
                        at,
                        &[
                            "null",
                            "true",
                            "false",
                            "interval",
                            "date",
                            "timestamp",
                            "time",
                            "timestamptz",
                            "array",
                            "and",
                            "or",
                            "not",
                            "is",
                        ],
                    ) || (at > 0 && self.symbol(at - 1, "::"))
                }
                Some(Kind::Name) => false,
                _ => true,
            })
    }

    /// The functions that it calls, in brackets too: the word before each `(`, and its place.
    pub fn calls(self) -> impl Iterator<Item = (usize, &'a str)> + 'a {
        (0..self.len().saturating_sub(1)).filter_map(move |at| {
            let function = self.kind(at) == Some(Kind::Word) && self.kind(at + 1) == Some(Kind::Open);
            (function && !self.is_any(at, NO_FUNCTIONS)).then(|| (at, self.text(at)))
        })
    }

    /// True when it calls one of these functions, or names one that needs no brackets.
    pub fn calls_any(self, functions: &[&str]) -> bool {
        (0..self.len()).any(|at| self.is_any(at, functions))
    }

    /// The names in it that are columns or tables, in brackets too; functions and keywords are left out.
    pub fn names(self) -> impl Iterator<Item = Name<'a>> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < self.len() {
                let here = at;
                let Some((name, end)) = self.name(here) else {
                    at += 1;
                    continue;
                };
                at = end;
                let keyword = end == here + 1 && self.is_any(here, KEYWORDS) && !self.column_all_the_same(here);
                let call = self.kind(end) == Some(Kind::Open) && !keyword;
                let typed = here > 0 && self.symbol(here - 1, "::");
                let variable = end == here + 1 && self.kind(here) == Some(Kind::Variable);
                if !(keyword || call || typed || variable) {
                    return Some(name);
                }
            }
            None
        })
    }

    /// True where a word of a type or of a unit of time is the name of a column: `day = '2026-01-01'`, and not
    /// `DATE '2026-01-01'`, `INTERVAL '1' DAY`, `extract(day FROM d)`, `DATEADD(day, 1, d)`, `CAST(x AS date)`.
    fn column_all_the_same(self, at: usize) -> bool {
        let before = |words: &[&str]| at > 0 && self.is_any(at - 1, words);
        let behind = self.kind(at + 1);
        if self.is_any(at, &["day", "hour", "minute", "second", "month", "year"]) {
            let last = at.checked_sub(1).and_then(|at| self.kind(at));
            let counted = matches!(last, Some(Kind::Text | Kind::Number | Kind::Variable | Kind::Hole | Kind::Close));
            let call = at > 1 && self.kind(at - 2) == Some(Kind::Word) && !self.is_any(at - 2, NO_FUNCTIONS);
            let unit = call && last == Some(Kind::Open) && behind == Some(Kind::Comma);
            let within = counted || unit || before(&["to"]) || self.is_any(at + 1, &["from", "to"]);
            return !within && behind != Some(Kind::Open);
        }
        self.is_any(at, &["date", "timestamp", "time"])
            && !matches!(behind, Some(Kind::Text | Kind::Open | Kind::Body))
            && !self.is_any(at + 1, &["with", "without"])
            && !before(&["as", "returns"])
    }

    /// True when the name of a column stands in it, with any qualifier or none.
    pub fn names_column(self, column: &str) -> bool {
        self.names().any(|name| name.last() == column)
    }

    /// The text with one space between tokens, lower case outside strings and quoted names, without brackets around the
    /// whole: two that are equal say the same, whatever their layout.
    pub fn normal(self) -> String {
        let sql = self.bare();
        let mut out = String::with_capacity(sql.source().len());
        for at in 0..sql.len() {
            if at > 0 {
                out.push(' ');
            }
            match sql.kind(at) {
                Some(Kind::Word) => out.push_str(&sql.text(at).to_ascii_lowercase()),
                Some(Kind::Name) => out.push_str(&folded(sql.text(at))),
                _ => out.push_str(sql.text(at)),
            }
        }
        out
    }

    /// The same without what stands before the last dot of each name: `t.a = s.b` becomes `a = b`.
    pub fn unqualified(self) -> String {
        let sql = self.bare();
        let mut parts = Vec::new();
        let mut at = 0;
        while at < sql.len() {
            if let Some((name, end)) = sql.name(at) {
                parts.push(name.last());
                at = end;
            } else {
                parts.push(sql.text(at).to_owned());
                at += 1;
            }
        }
        parts.join(" ")
    }
}

/// Words that may stand before a bracket and call nothing.
const NO_FUNCTIONS: &[&str] = &[
    "and",
    "or",
    "not",
    "in",
    "exists",
    "any",
    "all",
    "some",
    "as",
    "on",
    "using",
    "values",
    "select",
    "from",
    "where",
    "by",
    "over",
    "when",
    "then",
    "else",
    "is",
    "like",
    "between",
    "set",
    "partition",
    "with",
    "union",
    "except",
    "case",
    "array",
    "row",
    "interval",
    "having",
    "limit",
    "filter",
    "within",
    "ilike",
    "returning",
    "key",
    "into",
    "join",
];

/// Words that are no names.
const KEYWORDS: &[&str] = &[
    "and",
    "or",
    "not",
    "in",
    "exists",
    "any",
    "all",
    "some",
    "as",
    "on",
    "using",
    "values",
    "select",
    "from",
    "where",
    "by",
    "over",
    "when",
    "then",
    "else",
    "end",
    "is",
    "like",
    "between",
    "set",
    "partition",
    "with",
    "union",
    "except",
    "case",
    "array",
    "row",
    "interval",
    "having",
    "limit",
    "filter",
    "within",
    "ilike",
    "null",
    "true",
    "false",
    "distinct",
    "order",
    "group",
    "asc",
    "desc",
    "join",
    "left",
    "right",
    "inner",
    "outer",
    "cross",
    "full",
    "date",
    "timestamp",
    "timestamptz",
    "time",
    "default",
    "nulls",
    "first",
    "last",
    "current_timestamp",
    "current_date",
    "localtimestamp",
    "current_time",
    "current_user",
    "sysdate",
    "systimestamp",
    "at",
    "zone",
    "offset",
    "fetch",
    "rows",
    "only",
    "unknown",
    "similar",
    "to",
    "escape",
    "collate",
    "cast",
    "for",
    "day",
    "hour",
    "minute",
    "second",
    "month",
    "year",
];

/// A name with its dots.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    /// Its tokens.
    pub sql: Sql<'a>,
}

impl<'a> Name<'a> {
    /// The parts as they are compared: lower case, without quotes.
    pub fn parts(self) -> Vec<String> {
        (0..self.sql.len())
            .filter(|at| self.sql.kind(*at) != Some(Kind::Dot))
            .map(|at| folded(self.sql.text(at)).into_owned())
            .collect()
    }

    /// The last part as it is compared.
    pub fn last(self) -> String {
        folded(self.sql.text(self.sql.len().saturating_sub(1))).into_owned()
    }

    /// What stands before the last part, as it is compared; the part next to it alone.
    pub fn qualifier(self) -> Option<String> {
        (self.sql.len() >= 3).then(|| folded(self.sql.text(self.sql.len() - 3)).into_owned())
    }

    /// All parts as they are compared, with dots.
    pub fn key(self) -> String {
        let mut key = String::with_capacity(self.sql.source().len());
        let parts = (0..self.sql.len()).filter(|at| self.sql.kind(*at) != Some(Kind::Dot));
        for at in parts {
            if !key.is_empty() {
                key.push('.');
            }
            key.push_str(&folded(self.sql.text(at)));
        }
        key
    }

    /// The name as it stands in the text.
    pub fn source(self) -> &'a str {
        self.sql.source()
    }

    /// The name for a message, which puts it in backticks itself.
    pub fn shown(self) -> String {
        self.source().replace('`', "")
    }

    /// True when both may be the same table: the last parts are equal, and so are the qualifiers where both have one.
    pub fn may_be(self, other: Name<'_>) -> bool {
        same_table(&self.key(), &other.key())
    }
}

/// True when two names, as [`Name::key`] gives them, may be the same table: one is the end of the other.
pub fn same_table(one: &str, other: &str) -> bool {
    let ends =
        |long: &str, short: &str| long == short || long.strip_suffix(short).is_some_and(|rest| rest.ends_with('.'));
    ends(one, other) || ends(other, one)
}

/// A part of a name as it is compared: lower case, without quotes. Engines differ in what they fold; a linter that took
/// `Orders` and `orders` for two tables would miss more than it would see.
pub fn folded(part: &str) -> Cow<'_, str> {
    let inner = match part.as_bytes() {
        [b'"', .., b'"'] | [b'`', .., b'`'] | [b'[', .., b']'] if part.len() >= 2 => &part[1..part.len() - 1],
        _ => part,
    };
    if inner.chars().any(char::is_uppercase) { Cow::Owned(inner.to_lowercase()) } else { Cow::Borrowed(inner) }
}

#[cfg(test)]
mod tests {
    use crate::sql::script::Script;

    #[test]
    fn words_of_types_and_units_may_be_columns() {
        for (text, want) in [
            ("SELECT day", "day"),
            ("SELECT day = '2026-01-01' AND month >= 3", "day month"),
            ("SELECT (day, n) = (1, 2)", "day n"),
            ("SELECT date >= DATE '2026-01-01'", "date"),
            ("SELECT a - INTERVAL '1' DAY", "a"),
            ("SELECT a - INTERVAL 1 DAY", "a"),
            ("SELECT extract(day FROM a)", "a"),
            ("SELECT DATEADD(day, -3, CAST(GETDATE() AS date))", ""),
            ("SELECT a::date = date(b)", "a b"),
            ("SELECT f IN (year, 3)", "f year"),
        ] {
            let script = Script::read(text, crate::dialect::REFERENCE);
            let sql = script.sql(&script.statements[0]).from(1);
            let names: Vec<String> = sql.names().map(super::Name::last).collect();
            assert_eq!(names.join(" "), want, "{text}");
        }
    }
}
