//! The gaps in definitions: CREATE TABLE, ALTER TABLE and COMMENT ON.

use super::Stream;
use crate::dialect::mechanism::{Form, Support};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// True for a statement that defines a table.
fn defines(stream: &Stream) -> bool {
    stream.words(0, &["CREATE", "TABLE"]) || stream.words(0, &["ALTER", "TABLE"])
}

/// `) ENGINE = .. ORDER BY (a) SETTINGS x = 1 COMMENT 'text'`: notes `table settings` and `table comment`.
pub(super) fn table_tail(stream: &mut Stream) {
    if stream.dialect.upsert != Support::Yes(Form::AppendVersion) || !defines(stream) {
        return;
    }
    let Some(engine) = stream.find(0, &["ENGINE"]) else { return };
    let end = stream.solid.len();
    if end > 2 && stream.words(end - 2, &["COMMENT"]) && engine < end - 2 {
        stream.take(end - 2..end, "table comment", end - 1..end);
    }
    let end = stream.solid.len();
    if let Some(settings) = stream.find(engine, &["SETTINGS"]) {
        stream.take(settings..end, "table settings", settings + 1..end);
    }
}

/// `INTERVAL DAY(0) TO SECOND(6)` as the type of a column: one word of that text.
pub(super) fn interval_column(stream: &mut Stream) {
    if !defines(stream) {
        return;
    }
    let mut from = 0;
    while let Some(found) = stream.find(from, &["INTERVAL", "DAY", "("]) {
        from = found + 1;
        let Some(close) = stream.closing(found + 2) else { return };
        if !stream.words(close + 1, &["TO", "SECOND", "("]) {
            continue;
        }
        if let Some(end) = stream.closing(close + 3) {
            let text = stream.text(found..end + 1);
            stream.replace(found..end + 1, Some(text));
        }
    }
}

/// A column that is called `key` or `index`, where those are names: the words lose their meaning.
pub(super) fn column_called_key(stream: &mut Stream) {
    const WORDS: [&str; 2] = ["INDEX", "KEY"];
    if !stream.words(0, &["CREATE", "TABLE"]) || stream.dialect.reserved.binary_search(&"key").is_ok() {
        return;
    }
    let mut depth = 0_usize;
    for at in 0..stream.solid.len() {
        match stream.get(at) {
            Some(Token::LParen) => depth += 1,
            Some(Token::RParen) => depth = depth.saturating_sub(1),
            Some(Token::Word(word)) if depth == 1 && word.quote_style.is_none() => {
                let begins = matches!(stream.get(at.wrapping_sub(1)), Some(Token::LParen | Token::Comma));
                let named = matches!(stream.get(at + 1), Some(Token::Word(_)));
                if begins && named && WORDS.iter().any(|known| word.value.eq_ignore_ascii_case(known)) {
                    let plain = Word { keyword: Keyword::NoKeyword, ..word.clone() };
                    stream.set(at, Token::Word(plain));
                }
            }
            _ => {}
        }
    }
}

/// `COMMENT ON TABLE t IS 'text'`, where the reader knows none, read as `SET comment = 'text'`. The fact of such a statement
/// is its own words, so nothing gets lost.
pub(super) fn comment_on(stream: &mut Stream) {
    let end = stream.solid.len();
    if (stream.dialect.parser)().supports_comment_on()
        || !stream.words(0, &["COMMENT", "ON"])
        || end < 5
        || !stream.words(end - 2, &["IS"])
    {
        return;
    }
    stream.set(end - 2, Token::Eq);
    stream.replace(1..end - 2, Some("comment".to_owned()));
    stream.set(0, Token::make_keyword("SET"));
}

/// `c type AS (expression) PERSISTED`, with or without the type, read as `c type GENERATED ALWAYS AS (expression) STORED`.
/// What has no type gets the type `computed`.
pub(super) fn computed_column(stream: &mut Stream) {
    if !defines(stream) {
        return;
    }
    let mut from = 2;
    while let Some(found) = stream.find(from, &["AS", "("]) {
        from = found + 1;
        let Some(close) = stream.closing(found + 1) else { return };
        let ends = |at: usize| {
            matches!(stream.get(at), None | Some(Token::RParen | Token::Comma)) || stream.words(at, &["NOT"])
        };
        let persisted = stream.words(close + 1, &["PERSISTED"]);
        let generated = found > 0 && (stream.words(found - 1, &["ALWAYS"]) || stream.words(found - 1, &["DEFAULT"]));
        if generated || !(ends(close + 1) || (persisted && ends(close + 2))) {
            continue;
        }
        let untyped = matches!(stream.get(found.wrapping_sub(2)), Some(Token::LParen | Token::Comma))
            || stream.words(found.wrapping_sub(2), &["ADD"]);
        let span = stream.tokens[stream.solid[found]].span;
        let words = ["computed", "GENERATED", "ALWAYS"].iter().skip(usize::from(!untyped));
        let before: Vec<TokenWithSpan> = words
            .map(|word| TokenWithSpan {
                token: if *word == "computed" { Token::make_word(word, None) } else { Token::make_keyword(word) },
                span,
            })
            .collect();
        if persisted {
            stream.set(close + 1, Token::make_keyword("STORED"));
        }
        let at = stream.solid[found];
        from += before.len();
        stream.tokens.splice(at..at, before);
        stream.number();
    }
}

/// `IDENTITY(1, 1)` behind a column, where the reader knows the word alone or not at all: note `identity`.
pub(super) fn identity_numbers(stream: &mut Stream) {
    if !defines(stream) || stream.dialect.syntax.bracket_names {
        return;
    }
    if let Some(found) = stream.find(2, &["IDENTITY", "("])
        && let Some(close) = stream.closing(found + 1)
    {
        stream.take(found..close + 1, "identity", found + 2..close);
    }
}

/// `ADD COLUMN IF NOT EXISTS c`, where the reader knows no guard there: note `if not exists`.
pub(super) fn add_column_guard(stream: &mut Stream) {
    if (stream.dialect.parser)().supports_add_column_if_not_exists() || !stream.words(0, &["ALTER", "TABLE"]) {
        return;
    }
    if let Some(found) = stream.find(2, &["ADD", "COLUMN", "IF", "NOT", "EXISTS"]) {
        stream.take(found + 2..found + 5, "if not exists", 0..0);
    }
}

/// `ALTER COLUMN c type NOT NULL`, read as `ALTER COLUMN c SET DATA TYPE type`: note `null` or `not null`.
pub(super) fn alter_column_type(stream: &mut Stream) {
    let bare =
        matches!(stream.dialect.ddl.retype, Support::Yes(how) if how.before == "ALTER COLUMN" && how.between == " ");
    if !bare || !stream.words(0, &["ALTER", "TABLE"]) {
        return;
    }
    let Some(found) = stream.after_name(2).filter(|at| stream.words(*at, &["ALTER", "COLUMN"])) else { return };
    let end = stream.solid.len();
    if end > found + 5 && stream.words(end - 2, &["NOT", "NULL"]) {
        stream.take(end - 2..end, "not null", 0..0);
    } else if end > found + 4 && stream.words(end - 1, &["NULL"]) {
        stream.take(end - 1..end, "null", 0..0);
    }
    let at = stream.solid[found + 3];
    let span = stream.tokens[at].span;
    let words = ["SET", "DATA", "TYPE"].map(|word| TokenWithSpan { token: Token::make_keyword(word), span });
    stream.tokens.splice(at..at, words);
    stream.number();
}
