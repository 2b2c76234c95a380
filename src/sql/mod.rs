//! SQL text to statements to facts: splitting, parsing, conformance to a dialect.

pub mod bind;
pub mod clause;
pub mod condense;
pub mod conform;
pub mod dbt;
pub mod decode;
pub mod expression;
pub mod facts;
mod gaps;
pub mod hash;
pub mod hole;
pub mod lex;
pub mod lexis;
pub mod load;
pub mod parse;
pub mod script;
pub mod split;
pub mod token;
pub mod view;
mod walk;
