//! What `sqlparser` reads in a dialect's name and the dialect's engine refuses: `ON CONFLICT` where there is none, a reserved word
//! as a name, rows of different lengths. Every answer comes from the [`Dialect`]; this module knows no engine.

mod arity;
mod change;
mod merge;
mod names;
mod query;

use crate::dialect::Dialect;
use crate::sql::parse::{Parsed, parse};
use crate::sql::token::{self, is_word};
use crate::sql::walk::{Part, Watch, walk};
use sqlparser::ast::{Expr, Ident, ObjectName, Query, Select, Statement, TableFactor};
use sqlparser::tokenizer::Token;
use std::ops::Range;

/// A place where a statement is not of its dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nonconformity {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What the engine would refuse: lower case, names in backticks, no full stop.
    pub message: String,
}

/// Everything in these statements of a text that the dialect's engine does not have, in order.
pub fn conform(text: &str, parsed: &[Parsed], dialect: &Dialect) -> Vec<Nonconformity> {
    let mut found = Vec::new();
    for statement in parsed {
        let mut checker = Checker { text, parsed: statement, dialect, found: Vec::new(), words: Vec::new() };
        checker.tokens();
        walk(Part::Statement(&statement.statement), &mut checker);
        found.append(&mut checker.found);
    }
    found.sort_by_key(|fault| fault.range.start);
    found.dedup();
    found
}

/// The same for one expression; nothing when it cannot be read.
pub fn conform_expression(text: &str, dialect: &Dialect) -> Vec<Nonconformity> {
    const BEFORE: &str = "SELECT ";
    let whole = format!("{BEFORE}{text} FROM t");
    let mut found = parse(&whole, dialect).map(|parsed| conform(&whole, &parsed, dialect)).unwrap_or_default();
    for fault in &mut found {
        let inside = |at: usize| at.saturating_sub(BEFORE.len()).min(text.len());
        fault.range = inside(fault.range.start)..inside(fault.range.end);
    }
    found
}

struct Checker<'a> {
    text: &'a str,
    parsed: &'a Parsed,
    dialect: &'a Dialect,
    found: Vec<Nonconformity>,
    /// Where identifiers stand that are words to the engine: units of dates, hints.
    words: Vec<Range<usize>>,
}

impl Checker<'_> {
    /// Refuses what the dialect lacks.
    fn refuse(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.found.push(Nonconformity { range, message: message.into() });
    }

    /// Refuses a construct, called by its words, unless the dialect has it. Its place is that of its words.
    fn need(&mut self, has: bool, construct: &str) {
        if !has {
            let range = self.place(construct);
            self.refuse(range, format!("{} has no `{construct}`", self.dialect.title));
        }
    }

    /// The place of these words in the statement, or the whole statement.
    fn place(&self, words: &str) -> Range<usize> {
        let words: Vec<_> = words.split(' ').collect();
        let tokens = &self.parsed.tokens;
        let found = tokens
            .windows(words.len())
            .find(|window| window.iter().zip(&words).all(|(lexeme, word)| is_word(&lexeme.token, word)));
        match found {
            Some([first, .., last]) => first.range.start..last.range.end,
            Some([only]) => only.range.clone(),
            _ => self.parsed.range.clone(),
        }
    }

    fn of_name(&self, name: &Ident) -> Range<usize> {
        token::bytes(name.span).unwrap_or_else(|| self.parsed.range.clone())
    }

    fn of_object(&self, name: &ObjectName) -> Range<usize> {
        let parts = || name.0.iter().filter_map(|part| part.as_ident()).map(|name| self.of_name(name));
        match (parts().next(), parts().next_back()) {
            (Some(first), Some(last)) => first.start..last.end.max(first.end),
            _ => self.parsed.range.clone(),
        }
    }

    /// What can be told from tokens alone.
    fn tokens(&mut self) {
        let syntax = &self.dialect.syntax;
        let title = self.dialect.title;
        self.leniencies();
        for lexeme in &self.parsed.tokens {
            let message = match &lexeme.token {
                Token::Word(word) if word.quote_style == Some('`') && !syntax.backtick_names => {
                    format!("{title} does not quote names with backticks")
                }
                Token::Word(word) if word.quote_style == Some('[') && !syntax.bracket_names => {
                    format!("{title} does not quote names with square brackets")
                }
                Token::DoubleColon if !syntax.double_colon_cast => {
                    format!("{title} has no `::` cast; write `CAST(.. AS ..)`")
                }
                Token::Spaceship if !syntax.spaceship => format!("{title} has no `<=>` operator"),
                _ => continue,
            };
            self.found.push(Nonconformity { range: lexeme.range.clone(), message });
        }
    }

    /// What `sqlparser` reads in every dialect and prints as if it had been right: no AST shows it.
    fn leniencies(&mut self) {
        // A NOT behind one of these, or behind an operator, belongs to what follows.
        const BEFORE_NOT: [&str; 15] = [
            "and", "by", "case", "else", "having", "in", "is", "not", "on", "or", "qualify", "select", "then", "when",
            "where",
        ];
        let tokens = &self.parsed.tokens;
        for (at, window) in tokens.windows(2).enumerate() {
            let [one, other] = window else { continue };
            let message = match (&one.token, &other.token) {
                (Token::Comma, Token::Comma) => "two commas with nothing between them".to_owned(),
                (Token::Number(..), Token::Number(..)) => "two numbers with nothing between them".to_owned(),
                (not, null) if is_word(not, "NOT") && is_word(null, "NULL") && self.has_values() => {
                    let ends_value = match at.checked_sub(1).map(|before| &tokens[before].token) {
                        Some(Token::Word(word)) => {
                            word.quote_style.is_some() || !BEFORE_NOT.contains(&&*word.value.to_lowercase())
                        }
                        Some(Token::RParen | Token::Number(..) | Token::SingleQuotedString(_)) => true,
                        _ => false,
                    };
                    // Whoever has IS between any two values has this too.
                    if !ends_value || self.dialect.syntax.is_any {
                        continue;
                    }
                    "`NOT NULL` behind a value needs IS before it".to_owned()
                }
                _ => continue,
            };
            self.found.push(Nonconformity { range: other.range.clone(), message });
        }
    }

    /// True for statements in which NOT NULL stands behind values, and not behind types.
    fn has_values(&self) -> bool {
        let is_definition = matches!(&self.parsed.statement, Statement::CreateTable(create) if create.query.is_none());
        self.names_count() && !is_definition
    }

    /// True for statements whose identifiers are names: in `SET` and `EXEC` they are words.
    fn names_count(&self) -> bool {
        matches!(
            self.parsed.statement,
            Statement::Query(_)
                | Statement::Insert(_)
                | Statement::Update(_)
                | Statement::Delete(_)
                | Statement::Merge(_)
                | Statement::CreateTable(_)
        )
    }
}

impl Watch for Checker<'_> {
    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
            Statement::Merge(merge) => self.merge(merge),
            Statement::CreateTable(create) => {
                for column in &create.columns {
                    self.name(&column.name);
                }
            }
            _ => {}
        }
    }

    fn query(&mut self, query: &Query) {
        Self::query(self, query);
    }

    fn select(&mut self, select: &Select) {
        Self::select(self, select);
    }

    fn relation(&mut self, relation: &ObjectName) {
        self.object(relation);
    }

    fn table(&mut self, table: &TableFactor) {
        Self::table(self, table);
    }

    fn expression(&mut self, expression: &Expr) {
        Self::expression(self, expression);
    }
}
