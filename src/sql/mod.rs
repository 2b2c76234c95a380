//! SQL text to statements to facts: splitting, parsing, conformance to a dialect.

pub mod bind;
pub mod conform;
pub mod expression;
pub mod facts;
mod gaps;
pub mod parse;
pub mod split;
pub mod token;
mod walk;
