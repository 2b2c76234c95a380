//! Bind parameters replaced by literals, for an engine session that cannot bind.

use crate::dialect::Dialect;
use crate::sql::parse::ParseFault;
use crate::sql::token::{bytes, tokenize};
use sqlparser::tokenizer::Token;

/// The text with a literal for each bind parameter: `?` in the order in which they stand, `$1` by its number.
///
/// `literal` gives the literal of a parameter by its place, from 0; none leaves it as it stands.
///
/// # Errors
/// When the text cannot be split into tokens.
pub fn bind(text: &str, dialect: &Dialect, literal: &dyn Fn(usize) -> Option<String>) -> Result<String, ParseFault> {
    let mut out = String::new();
    let mut end = 0;
    let mut question = 0;
    for found in tokenize(text, 0..text.len(), dialect)? {
        let (Token::Placeholder(name), Some(range)) = (&found.token, bytes(found.span)) else { continue };
        let place = name.strip_prefix('$').and_then(|number| number.parse::<usize>().ok());
        let place = place.map_or(question, |number| number.saturating_sub(1));
        question += 1;
        let Some(value) = literal(place) else { continue };
        out.push_str(&text[end..range.start]);
        out.push_str(&value);
        end = range.end;
    }
    out.push_str(&text[end..]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::bind;
    use crate::dialect;

    #[test]
    fn parameters_become_literals_and_texts_stay() {
        let value = |at: usize| ["1", "'?'"].get(at).map(|text| (*text).to_owned());
        let sqlite = dialect::find("sqlite").unwrap();
        assert_eq!(bind("VALUES (?, ?, '?')", sqlite, &value).unwrap(), "VALUES (1, '?', '?')");
        let postgres = dialect::find("postgres").unwrap();
        assert_eq!(bind("VALUES ($2, $1, '$1', $3)", postgres, &value).unwrap(), "VALUES ('?', 1, '$1', $3)");
    }
}
