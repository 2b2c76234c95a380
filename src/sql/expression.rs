//! Expressions and queries that users wrote into a spec: read completely or refused, and what they name.

use crate::dialect::Dialect;
use crate::sql::facts::{self, Facts};
use crate::sql::parse::{self, ParseFault};
use crate::sql::token;
use sqlparser::ast::{Expr, Query};

/// The normalised conjuncts of one scalar expression, as [`facts::facts`] writes them. It is an error when the text is
/// not exactly one expression, or would swallow what is written behind it.
pub fn expression(text: &str, dialect: &Dialect) -> Result<Vec<String>, ParseFault> {
    Ok(facts::conjuncts(&read_expression(text, dialect)?))
}

/// The expression in the normal form that facts have, as a whole.
pub fn scalar(text: &str, dialect: &Dialect) -> Result<String, ParseFault> {
    Ok(read_expression(text, dialect)?.to_string())
}

/// The facts of one query. It is an error when the text is not exactly one query.
pub fn query(text: &str, dialect: &Dialect) -> Result<Facts, ParseFault> {
    Ok(facts::of_query(&*read_query(text, dialect)?))
}

fn read_expression(text: &str, dialect: &Dialect) -> Result<Expr, ParseFault> {
    let tokens = parse::tokens(text, 0..text.len(), dialect)?;
    let last = tokens
        .iter()
        .rev()
        .find(|found| !matches!(&found.token, found if token::blank(found) && !token::comment(found)));
    if let Some(last) = last.filter(|last| token::comment(&last.token)) {
        let range = token::bytes(last.span).unwrap_or(0..text.len());
        return Err(ParseFault { range, message: "a comment at the end, which would swallow what follows".to_owned() });
    }
    parse::read(tokens, 0..text.len(), dialect, |parser| parser.parse_expr())
}

fn read_query(text: &str, dialect: &Dialect) -> Result<Box<Query>, ParseFault> {
    let tokens = parse::tokens(text, 0..text.len(), dialect)?;
    parse::read(tokens, 0..text.len(), dialect, |parser| parser.parse_query())
}
