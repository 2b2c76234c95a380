//! Expressions and queries that users wrote into a spec: read completely or refused, and what they name.

use crate::dialect::Dialect;
use crate::sql::facts::{self, Facts};
use crate::sql::gaps::Stream;
use crate::sql::parse::{self, ParseFault};
use crate::sql::token;
use crate::sql::walk::{Part, Watch, walk};
use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, Query, SetExpr, With,
};
use sqlparser::tokenizer::Token;
use std::collections::HashMap;
use std::ops::Range;

/// The normalised conjuncts of one scalar expression, as [`facts::facts`] writes them. It is an error when the text is
/// not exactly one expression, or would swallow what is written behind it.
pub fn expression(text: &str, dialect: &Dialect) -> Result<Vec<String>, ParseFault> {
    if is_normal(text) {
        return Ok(vec![text.to_owned()]);
    }
    Ok(facts::conjuncts(&read_expression(text, dialect)?))
}

/// The expression as a whole, in the normal form that facts have: what stands behind `=` in a `set` fact.
pub fn scalar(text: &str, dialect: &Dialect) -> Result<String, ParseFault> {
    if is_normal(text) {
        return Ok(text.to_owned());
    }
    Ok(read_expression(text, dialect)?.to_string())
}

/// True for `a.b`, or a comparison of two such columns: most of what a plan says, and it reads as it stands.
fn is_normal(text: &str) -> bool {
    let plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')
    };
    let is_column = |text: &str| text.split_once('.').is_some_and(|(alias, name)| plain(alias) && plain(name));
    let mut words = text.split(' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some(column), None, ..) => is_column(column),
        (Some(left), Some("=" | "<" | ">" | "<=" | ">=" | "<>"), Some(right), None) => {
            is_column(left) && is_column(right)
        }
        _ => false,
    }
}

/// The facts of one query. It is an error when the text is not exactly one query, or would swallow what is written
/// behind it.
pub fn query(text: &str, dialect: &Dialect) -> Result<Facts, ParseFault> {
    Ok(facts::of_query(&*read_query(text, dialect)?))
}

/// The columns that an expression names without a table, with their bytes, in order: a caller can qualify them by
/// replacing text. Names inside subqueries, of functions and of lambda parameters are not among them. A function that is
/// called without brackets and that `sqlparser` does not know as one, such as `SYSDATE`, looks like a column.
pub fn columns_of_expression(text: &str, dialect: &Dialect) -> Result<Vec<(Range<usize>, String)>, ParseFault> {
    let mut names = Columns::default();
    walk(Part::Expression(&read_expression(text, dialect)?), &mut names);
    names.found.sort_by_key(|(range, _)| range.start);
    Ok(names.found)
}

/// The functions that an expression or a query calls, in lower case and without their schema, each once.
pub fn functions_called(text: &str, dialect: &Dialect) -> Result<Vec<String>, ParseFault> {
    let mut calls = Calls::default();
    match read_expression(text, dialect) {
        Ok(expression) => walk(Part::Expression(&expression), &mut calls),
        Err(fault) => match read_query(text, dialect) {
            Ok(query) => walk(Part::Query(&query), &mut calls),
            Err(_) => return Err(fault),
        },
    }
    calls.found.sort();
    calls.found.dedup();
    Ok(calls.found)
}

/// The tables that a query reads, each once, as they stand in the text; the names of its own WITH queries are not among
/// them.
pub fn tables_read(text: &str, dialect: &Dialect) -> Result<Vec<String>, ParseFault> {
    let mut tables = Tables::default();
    walk(Part::Query(&*read_query(text, dialect)?), &mut tables);
    tables.found.sort();
    tables.found.dedup();
    Ok(tables.found)
}

/// Refuses a text that would not stay inside the place that it is put into: with a semicolon, with a bracket that it did
/// not open or does not close, or with a comment at its end. For what is not an expression, such as a type.
pub fn balanced(text: &str, dialect: &Dialect) -> Result<(), ParseFault> {
    let mut depth = 0_usize;
    let fault = |range: Option<Range<usize>>, message: &str| {
        Err(ParseFault { range: range.unwrap_or(0..text.len()), message: message.to_owned() })
    };
    for found in closed_tokens(text, dialect)? {
        match found.token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 0 => return fault(token::bytes(found.span), "a bracket that nothing opens"),
            Token::RParen => depth -= 1,
            _ => {}
        }
    }
    if depth == 0 { Ok(()) } else { fault(None, "a bracket that nothing closes") }
}

fn read_expression(text: &str, dialect: &Dialect) -> Result<Expr, ParseFault> {
    let tokens = closed_tokens(text, dialect)?;
    parse::expression(tokens, 0..text.len(), dialect)
}

fn read_query(text: &str, dialect: &Dialect) -> Result<Box<Query>, ParseFault> {
    let tokens = closed_tokens(text, dialect)?;
    let query = parse::query(tokens, 0..text.len(), dialect)?;
    let mut writes = Writes::default();
    walk(Part::Query(&query), &mut writes);
    match writes.verb {
        None => Ok(query),
        Some(verb) => Err(ParseFault { range: 0..text.len(), message: format!("{verb} changes rows and is no query") }),
    }
}

/// Finds what `sqlparser` takes for a query and is none: `DELETE ..`, also inside a WITH.
#[derive(Default)]
struct Writes {
    verb: Option<&'static str>,
}

impl Watch for Writes {
    fn query(&mut self, query: &Query) {
        let verb = match &*query.body {
            SetExpr::Insert(_) => "INSERT",
            SetExpr::Update(_) => "UPDATE",
            SetExpr::Delete(_) => "DELETE",
            SetExpr::Merge(_) => "MERGE",
            _ => return,
        };
        self.verb.get_or_insert(verb);
    }
}

/// Tokens that leave nothing open behind them: a comment at the end would swallow what a template writes there.
fn closed_tokens(text: &str, dialect: &Dialect) -> Result<Vec<sqlparser::tokenizer::TokenWithSpan>, ParseFault> {
    let tokens = parse::tokens(text, 0..text.len(), dialect)?;
    let last = tokens.iter().rev().find(|found| !token::blank(&found.token) || token::comment(&found.token));
    match last.filter(|last| token::comment(&last.token)) {
        None => {
            let mut stream = Stream::new(tokens, dialect);
            stream.close_inner_gaps();
            Ok(stream.tokens)
        }
        Some(last) => Err(ParseFault {
            range: token::bytes(last.span).unwrap_or(0..text.len()),
            message: "a comment at the end, which would swallow what follows".to_owned(),
        }),
    }
}

#[derive(Default)]
struct Columns {
    found: Vec<(Range<usize>, String)>,
    /// How many subqueries we are in.
    depth: usize,
    /// Parameters of the lambdas we are in.
    parameters: Vec<Vec<String>>,
    /// Where `DAY` of `DATEADD(DAY, ..)` and its kin stand: an identifier for the parser, a word for the engine.
    units: Vec<Range<usize>>,
}

impl Watch for Columns {
    fn query(&mut self, _: &Query) {
        self.depth += 1;
    }

    fn query_end(&mut self, _: &Query) {
        self.depth -= 1;
    }

    fn expression(&mut self, expression: &Expr) {
        match expression {
            Expr::Lambda(lambda) => {
                self.parameters.push(lambda.params.iter().map(|parameter| parameter.name.value.clone()).collect());
            }
            Expr::Function(function) => {
                self.units.extend(unit_argument(function).and_then(|unit| token::bytes(unit.span)));
            }
            Expr::Identifier(name) if self.depth == 0 => {
                let parameter = self.parameters.iter().flatten().any(|parameter| *parameter == name.value);
                if let Some(range) = token::bytes(name.span).filter(|range| !parameter && !self.units.contains(range)) {
                    self.found.push((range, unescaped(name)));
                }
            }
            _ => {}
        }
    }

    fn expression_end(&mut self, expression: &Expr) {
        if matches!(expression, Expr::Lambda(_)) {
            self.parameters.pop();
        }
    }
}

/// The unit in the call of a function of dates: `DATEADD(DAY, ..)`, `TIMESTAMP_TRUNC(x, HOUR)`.
pub(super) fn unit_argument(function: &Function) -> Option<&Ident> {
    const UNITS: [&str; 26] = [
        "year",
        "yyyy",
        "yy",
        "quarter",
        "qq",
        "month",
        "mm",
        "dayofyear",
        "day",
        "dd",
        "week",
        "isoweek",
        "isoyear",
        "weekday",
        "dayofweek",
        "hour",
        "hh",
        "minute",
        "mi",
        "second",
        "ss",
        "millisecond",
        "ms",
        "microsecond",
        "nanosecond",
        "epoch",
    ];
    let name = function.name.0.last()?.as_ident()?.value.to_lowercase();
    let of_dates = ["date", "time", "trunc", "last_day", "next_day"].iter().any(|part| name.contains(part));
    let FunctionArguments::List(list) = &function.args else { return None };
    list.args.iter().filter(|_| of_dates).find_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(word))) => {
            let unit = word.value.to_lowercase();
            let singular = unit.strip_suffix('s').unwrap_or(&unit);
            (word.quote_style.is_none() && (UNITS.contains(&&*unit) || UNITS.contains(&singular))).then_some(word)
        }
        _ => None,
    })
}

/// The name itself: tokens keep the escapes of the source.
pub(super) fn unescaped(name: &Ident) -> String {
    match name.quote_style {
        None => name.value.clone(),
        Some(open) => {
            let close = if open == '[' { ']' } else { open };
            name.value.replace(&format!("{close}{close}"), &close.to_string())
        }
    }
}

#[derive(Default)]
struct Calls {
    found: Vec<String>,
}

impl Watch for Calls {
    fn expression(&mut self, expression: &Expr) {
        if let Expr::Function(function) = expression {
            self.found.extend(function.name.0.last().map(|part| part.to_string().to_lowercase()));
        }
    }
}

#[derive(Default)]
struct Tables {
    found: Vec<String>,
    /// For each query that we are in, the names of the WITH queries that it sees.
    visible: Vec<Vec<String>>,
    /// What each query of a WITH sees, by its address: those before it, and itself when recursive.
    of_with: HashMap<*const Query, Vec<String>>,
}

impl Watch for Tables {
    fn query(&mut self, query: &Query) {
        let outer = self.of_with.remove(&std::ptr::from_ref(query));
        let mut names = outer.or_else(|| self.visible.last().cloned()).unwrap_or_default();
        if let Some(With { with_token: _, recursive, cte_tables }) = &query.with {
            if *recursive {
                names.extend(cte_tables.iter().map(|cte| cte.alias.name.value.to_lowercase()));
            }
            for cte in cte_tables {
                self.of_with.insert(std::ptr::from_ref(&*cte.query), names.clone());
                names.push(cte.alias.name.value.to_lowercase());
            }
        }
        self.visible.push(names);
    }

    fn query_end(&mut self, _: &Query) {
        self.visible.pop();
    }

    fn relation(&mut self, relation: &ObjectName) {
        let name = relation.to_string();
        let simple = match &relation.0[..] {
            [only] => only.as_ident().map(|name| name.value.to_lowercase()),
            _ => None,
        };
        let of_with = simple.is_some_and(|name| self.visible.last().is_some_and(|names| names.contains(&name)));
        if !of_with {
            self.found.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{balanced, columns_of_expression, expression, functions_called, query, scalar, tables_read};
    use crate::dialect::{self, Dialect};

    fn postgres() -> &'static Dialect {
        dialect::find("postgres").unwrap()
    }

    #[test]
    fn an_expression_is_its_conjuncts() {
        assert_eq!(expression("(a  =1 AND (b OR c)) AND d != 2", postgres()).unwrap(), ["a = 1", "b OR c", "d <> 2"]);
        assert_eq!(expression("a OR b AND c", postgres()).unwrap(), ["a OR b AND c"]);
        assert_eq!(scalar("( a + 1 )", postgres()).unwrap(), "(a + 1)");
        assert_eq!(scalar("a /* why */ + -- because\n 1", postgres()).unwrap(), "a + 1");
    }

    #[test]
    fn whatever_is_not_one_expression_is_refused() {
        for text in [
            "",
            "a b",
            "a,",
            "a, b",
            "a)",
            "(a",
            "a; DROP TABLE t",
            "a -- b",
            "a -- b\n",
            "a /* b",
            "a /* b */",
            "'a",
            "a AS b",
            "SELECT 1",
            "a FROM t",
            "a /* ; */ ; b",
            "\"a",
            "$$a",
        ] {
            assert!(expression(text, postgres()).is_err(), "{text}");
        }
        for text in [
            "DELETE FROM t",
            "WITH gone AS (DELETE FROM t RETURNING a) SELECT a FROM gone",
            "INSERT INTO t SELECT 1",
            "",
            "SELECT 1;",
            "SELECT 1 -- x",
            "a",
            "(SELECT 1",
            "SELECT 1)",
        ] {
            assert!(query(text, postgres()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_that_leaves_its_brackets_is_refused() {
        for text in ["numeric(12, 2)", "text[]", "enum('a', ';')", "\"My Type\"", "double precision"] {
            assert!(balanced(text, postgres()).is_ok(), "{text}");
        }
        for text in ["text) || (a", "text; DROP TABLE t", "numeric(12", "text -- long", "text)", "'a"] {
            assert!(balanced(text, postgres()).is_err(), "{text}");
        }
    }

    #[test]
    fn columns_have_their_bytes() {
        let text =
            "coalesce(額, t.b, \"x y\") + (SELECT d FROM u) + date_trunc(day, e) + CASE WHEN f THEN 1 END + now()";
        let names: Vec<_> = columns_of_expression(text, postgres()).unwrap();
        assert_eq!(names.iter().map(|(_, name)| &**name).collect::<Vec<_>>(), ["額", "x y", "e", "f"]);
        assert_eq!(
            names.iter().map(|(range, _)| &text[range.clone()]).collect::<Vec<_>>(),
            ["額", "\"x y\"", "e", "f"]
        );
        let names =
            columns_of_expression("sum(a) FILTER (WHERE b) OVER (PARTITION BY c ORDER BY d)", postgres()).unwrap();
        assert_eq!(names.len(), 4);
    }

    #[test]
    fn functions_are_found_everywhere() {
        assert_eq!(functions_called("a + Random()", postgres()).unwrap(), ["random"]);
        assert_eq!(
            functions_called("SELECT x.f(a), CURRENT_TIMESTAMP FROM t WHERE b > now()", postgres()).unwrap(),
            ["current_timestamp", "f", "now"]
        );
    }

    #[test]
    fn a_with_query_hides_a_table_only_where_it_is_seen() {
        let text = "WITH orders AS (SELECT * FROM orders JOIN raw.o USING (a)), b AS (SELECT * FROM orders)
            SELECT * FROM b, (SELECT 1 FROM orders) AS x WHERE EXISTS (SELECT 1 FROM u) UNION SELECT 1 FROM B";
        assert_eq!(tables_read(text, postgres()).unwrap(), ["orders", "raw.o", "u"]);
        let text = "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT * FROM r";
        assert_eq!(tables_read(text, postgres()).unwrap(), [] as [&str; 0]);
    }
}
