//! Any bytes, in any dialect: every byte is in exactly one token, comment or gap of blanks, and in exactly one piece of the
//! splitter; a large script without its bulk gives its bytes back; every statement is read or refused.
#![no_main]

use idemsql::dialect;
use idemsql::sql::clause;
use idemsql::sql::decode::decode;
use idemsql::sql::lex::{Extras, lex};
use idemsql::sql::lexis::Lexis;
use idemsql::sql::script::Script;
use idemsql::sql::split::split;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let dialect = dialect::ALL[usize::from(*first) % dialect::ALL.len()];
    let decoded = decode(rest.to_vec());
    if let Ok(bytes) = decoded.encode(&decoded.text) {
        assert_eq!(bytes, rest, "a file that nobody changed keeps its bytes");
    }
    let text = &decoded.text;

    let extras = Extras { client: Some(&dialect.client), templates: true };
    let lexed = lex(text, 0..text.len(), Lexis::of(dialect), extras);
    let mut all: Vec<(u32, u32)> = lexed.tokens.iter().map(|token| (token.start, token.end)).collect();
    all.extend(lexed.comments.iter().map(|comment| (comment.start, comment.end)));
    all.sort_unstable();
    let blank = |text: &str| text.chars().all(|c| c.is_whitespace() || c == '\u{feff}');
    let mut at = 0;
    for (start, end) in all {
        assert!(start as usize >= at && end > start);
        assert!(blank(&text[at..start as usize]));
        at = end as usize;
    }
    assert!(blank(&text[at..]));

    let mut at = 0;
    for piece in split(text, dialect) {
        assert_eq!(piece.range.start, at);
        at = piece.range.end;
    }
    assert_eq!(at, text.len());

    let script = Script::read(text, dialect);
    for statement in &script.statements {
        let _ = clause::read(script.sql(statement));
    }
});
