//! A place in a statement that moves to the right.

use super::Fault;
use crate::sql::lex::Kind;
use crate::sql::view::{Name, Sql};

/// Reads tokens one after the other.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub sql: Sql<'a>,
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(sql: Sql<'a>) -> Self {
        Self { sql, at: 0 }
    }

    pub fn done(&self) -> bool {
        self.at >= self.sql.len()
    }

    pub fn is(&self, word: &str) -> bool {
        self.sql.is(self.at, word)
    }

    pub fn is_any(&self, words: &[&str]) -> bool {
        self.sql.is_any(self.at, words)
    }

    pub fn words(&self, words: &[&str]) -> bool {
        self.sql.words(self.at, words)
    }

    pub fn kind(&self) -> Option<Kind> {
        self.sql.kind(self.at)
    }

    pub fn eat(&mut self, word: &str) -> bool {
        let found = self.is(word);
        self.at += usize::from(found);
        found
    }

    pub fn eat_words(&mut self, words: &[&str]) -> bool {
        let found = self.words(words);
        self.at += if found { words.len() } else { 0 };
        found
    }

    pub fn eat_any(&mut self, words: &[&str]) -> bool {
        let found = self.is_any(words);
        self.at += usize::from(found);
        found
    }

    pub fn eat_kind(&mut self, kind: Kind) -> bool {
        let found = self.kind() == Some(kind);
        self.at += usize::from(found);
        found
    }

    /// What stands in the brackets that begin here; moves behind them.
    pub fn brackets(&mut self) -> Option<Sql<'a>> {
        (self.kind() == Some(Kind::Open)).then(|| {
            let inside = self.sql.inside(self.at);
            self.at = self.sql.after(self.at).max(self.at + 1);
            inside
        })
    }

    pub fn name(&mut self) -> Option<Name<'a>> {
        let (name, end) = self.sql.name(self.at)?;
        self.at = end;
        Some(name)
    }

    /// Everything up to one of these words outside all brackets.
    pub fn until(&mut self, words: &[&str]) -> Sql<'a> {
        let start = self.at;
        while !self.done() {
            if self.is_any(words) && !self.in_phrase() {
                break;
            }
            self.at = self.sql.after(self.at);
        }
        self.sql.slice(start..self.at)
    }

    /// True for a word that begins no clause here: the FROM of IS DISTINCT FROM, the FOR of NEXT VALUE FOR, the EXCEPT
    /// of `* EXCEPT (a)`, a column behind a dot.
    fn in_phrase(&self) -> bool {
        let (sql, at) = (self.sql, self.at);
        if at == 0 {
            return false;
        }
        let excepts = sql.is(at, "except") && sql.kind(at + 1) == Some(Kind::Open) && {
            let inside = sql.inside(at + 1).bare();
            !inside.is_any(0, &["select", "with", "values", "from", "table"]) && inside.kind(0) != Some(Kind::Open)
        };
        excepts
            || sql.kind(at - 1) == Some(Kind::Dot)
            || (sql.is(at, "from") && sql.is(at - 1, "distinct") && at > 1 && sql.is_any(at - 2, &["is", "not"]))
            || (sql.is(at, "for") && sql.is(at - 1, "value"))
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> Sql<'a> {
        let rest = self.sql.from(self.at);
        self.at = self.sql.len();
        rest
    }

    pub fn fault<T>(&self, expected: &str) -> Result<T, Fault> {
        let found = self.sql.text(self.at);
        let message = match found {
            "" => format!("expected {expected}, found the end of the statement"),
            found => format!("expected {expected}, found `{}`", found.chars().take(30).collect::<String>()),
        };
        Err(Fault { range: self.sql.bytes(self.at), message })
    }
}
