//! A script as people and runners write it: statements in order, each with the blocks around it.
//!
//! Knows what ends a statement in every dialect and client: semicolons, `GO`, `/`, DELIMITER, no mark at all in T-SQL,
//! BEGIN .. END, bodies in dollar quotes. Looks inside DO blocks, routine bodies and EXECUTE of a literal. One statement
//! that makes no sense spoils no other one.

mod blocks;
mod routine;
mod start;

use crate::dialect::Dialect;
use crate::sql::lex::{Comment, Extras, Kind, Token, lex};
use crate::sql::lexis::Lexis;
use crate::sql::view::Sql;
use std::ops::Range;

/// A script, read.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    /// Its text.
    pub text: &'a str,
    /// The statements in the order of their first token; those of a body stand behind the statement that holds it.
    pub statements: Vec<Statement>,
    /// The blocks.
    pub frames: Vec<Frame>,
    /// Comments, and control lines of template engines.
    pub comments: Vec<Comment>,
    /// Where a string or a comment begins that never ends.
    pub open: Option<usize>,
    tokens: Vec<Token>,
}

/// Which tokens, by their number in the script.
pub type Tokens = Range<usize>;

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its tokens, without what ends it.
    pub tokens: Tokens,
    /// The innermost block around it.
    pub frame: Option<usize>,
    /// The number of lines `GO` or `/` before it.
    pub batch: u32,
    /// A control line of a template engine stands inside: parts of it may be there or not.
    pub templated: bool,
    /// It stood in a string or in dollar quotes.
    pub quoted: bool,
}

/// A block of a procedural language around statements.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The block around it.
    pub parent: Option<usize>,
    /// What it is.
    pub kind: Frames,
    /// The condition of IF, ELSIF and WHILE, the head of FOR, the names behind EXCEPTION WHEN.
    pub head: Tokens,
    /// For a block: what its exception handlers catch.
    pub handlers: Option<Tokens>,
}

/// The kinds of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// IF, with its condition.
    If,
    /// ELSIF with its condition, or ELSE with none.
    Else,
    /// WHILE, FOR, LOOP, REPEAT.
    Loop,
    /// BEGIN .. END.
    Block,
    /// `BEGIN TRY`
    Try,
    /// `BEGIN CATCH`, EXCEPTION WHEN, DECLARE HANDLER.
    Handler,
    /// A branch of a CASE statement.
    Case,
    /// A DO block.
    Do,
    /// EXECUTE of a literal.
    Dynamic,
    /// The body of a routine or a trigger: defined here, run elsewhere.
    Routine,
}

impl<'a> Script<'a> {
    /// Reads a script. Never fails: what makes no sense becomes a statement that the clause reader refuses.
    pub fn read(text: &'a str, dialect: &'a Dialect) -> Self {
        let lexis = Lexis::of(dialect);
        let mut lexed = lex(text, 0..text.len(), lexis, Extras { client: Some(&dialect.client), templates: true });
        lexed.tokens.retain(|token| token.kind != Kind::Hint);
        let end = lexed.tokens.len();
        let script = Self {
            text,
            statements: Vec::new(),
            frames: Vec::new(),
            comments: lexed.comments,
            open: lexed.open.map(|at| at as usize),
            tokens: lexed.tokens,
        };
        let mut reader = blocks::Reader::new(script, dialect, lexis);
        reader.script_lines(end);
        let mut script = reader.script;
        script.mark_templated();
        script
    }

    /// Tokens as a view.
    pub fn view(&self, tokens: &Tokens) -> Sql<'_> {
        Sql::new(self.text, self.tokens.get(tokens.clone()).unwrap_or_default())
    }

    /// The tokens of a statement.
    pub fn sql(&self, statement: &Statement) -> Sql<'_> {
        self.view(&statement.tokens)
    }

    /// The blocks around a statement, the innermost first.
    pub fn frames_of(&self, statement: &Statement) -> impl Iterator<Item = &Frame> {
        let mut next = statement.frame;
        std::iter::from_fn(move || {
            let frame = self.frames.get(next?)?;
            next = frame.parent;
            Some(frame)
        })
    }

    /// True when control lines of a template engine stand in the script.
    pub fn templated(&self) -> bool {
        self.comments.iter().any(|comment| comment.control)
    }

    /// The outermost block that a block stands in.
    pub fn outermost(&self, frame: usize) -> usize {
        let mut at = frame;
        while let Some(parent) = self.frames.get(at).and_then(|frame| frame.parent) {
            at = parent;
        }
        at
    }

    fn mark_templated(&mut self) {
        let mut controls =
            self.comments.iter().filter(|comment| comment.control).map(|comment| comment.start).peekable();
        if controls.peek().is_none() {
            return;
        }
        let controls: Vec<u32> = controls.collect();
        for statement in &mut self.statements {
            let Some(tokens) = self.tokens.get(statement.tokens.clone()) else { continue };
            let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
            let from = controls.partition_point(|at| *at < first.start);
            statement.templated = controls.get(from).is_some_and(|at| *at < last.end);
        }
    }
}

/// Gives each `(` its `)` and each CASE its END.
fn pair(tokens: &mut [Token], text: &str) {
    let mut open: Vec<(usize, bool)> = Vec::new();
    for at in 0..tokens.len() {
        let token = tokens[at];
        let word = |what: &str| {
            token.kind == Kind::Word && text[token.start as usize..token.end as usize].eq_ignore_ascii_case(what)
        };
        let closes = match token.kind {
            Kind::Open => {
                open.push((at, false));
                continue;
            }
            Kind::Close => false,
            Kind::Word if token.end - token.start == 4 && word("case") => {
                open.push((at, true));
                continue;
            }
            Kind::Word if token.end - token.start == 3 && word("end") => true,
            _ => continue,
        };
        // A bracket closes a CASE that has no END; an END never closes a bracket.
        let found = if closes {
            open.last().filter(|(_, case)| *case).map(|_| open.len() - 1)
        } else {
            open.iter().rposition(|(_, case)| !case)
        };
        if let Some(found) = found {
            let (from, _) = open[found];
            tokens[from].pair = u32::try_from(at - from).unwrap_or(0);
            open.truncate(found);
        }
    }
}

#[cfg(test)]
mod tests;
