//! The lexical rules of a dialect: what quotes what, and what is a comment.

use crate::dialect::Dialect;

/// One answer for each rule that decides where a token ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lexis {
    /// A backslash in `'..'` takes the next character with it.
    pub backslash: bool,
    /// `E'..'` has backslashes where `'..'` has none.
    pub escape_constant: bool,
    /// `"..."` is a string.
    pub double_quoted_strings: bool,
    /// `` `name` ``
    pub backticks: bool,
    /// `[name]`
    pub brackets: bool,
    /// `$tag$ .. $tag$`
    pub dollar_quotes: bool,
    /// `'''..'''` and `"""..."""`
    pub triple_quotes: bool,
    /// `q'[..]'`
    pub delimited_strings: bool,
    /// A comment may hold a comment.
    pub nested_comments: bool,
    /// `#` opens a comment.
    pub hash_comments: bool,
    /// What stands in `/*! .. */` is run.
    pub comments_run: bool,
    /// `//` opens a comment.
    pub slash_comments: bool,
    /// `--` opens a comment only before a space.
    pub dashes_need_space: bool,
}

impl Lexis {
    /// The rules of a dialect.
    pub fn of(dialect: &Dialect) -> Self {
        let reader = (dialect.parser)();
        let lenient = dialect.client.lenient;
        Self {
            backslash: reader.supports_string_literal_backslash_escape(),
            escape_constant: lenient || reader.supports_string_escape_constant(),
            double_quoted_strings: !dialect.syntax.double_quote_names,
            backticks: lenient || reader.is_delimited_identifier_start('`'),
            brackets: dialect.syntax.bracket_names,
            dollar_quotes: lenient || !reader.supports_dollar_placeholder(),
            triple_quotes: reader.supports_triple_quoted_string(),
            delimited_strings: reader.supports_quote_delimited_string(),
            nested_comments: reader.supports_nested_comments(),
            hash_comments: reader.supports_hash_comment(),
            comments_run: lenient || reader.supports_multiline_comment_hints(),
            slash_comments: dialect.client.slash_comments,
            dashes_need_space: reader.requires_single_line_comment_whitespace(),
        }
    }
}
