//! Tokens to statements and blocks.

use super::{Frame, Frames, Script, Statement, Tokens, pair};
use crate::dialect::Dialect;
use crate::sql::lex::{Extras, Kind, lex};
use crate::sql::lexis::Lexis;
use crate::sql::view::Sql;

/// Blocks inside blocks beyond this are read as plain statements.
const NESTING: usize = 60;

/// Reads tokens from left to right. Every function takes the place where it begins and gives the place behind.
pub(super) struct Reader<'a> {
    pub script: Script<'a>,
    pub dialect: &'a Dialect,
    lexis: Lexis,
    batch: u32,
    depth: usize,
    /// Where a BEGIN was looked for, up to the place where it stands.
    searched: Tokens,
    /// Inside a string or dollar quotes.
    pub quoted: bool,
}

impl<'a> Reader<'a> {
    pub fn new(script: Script<'a>, dialect: &'a Dialect, lexis: Lexis) -> Self {
        Self { script, dialect, lexis, batch: 0, depth: 0, searched: 0..0, quoted: false }
    }

    /// All tokens, up to `end`, as one view; places in it are numbers of tokens.
    pub fn all(&self, end: usize) -> Sql<'_> {
        Sql::new(self.script.text, self.script.tokens.get(..end).unwrap_or_default())
    }

    pub fn kind(&self, at: usize, end: usize) -> Option<Kind> {
        self.script.tokens.get(at).filter(|_| at < end).map(|token| token.kind)
    }

    pub fn is(&self, at: usize, end: usize, words: &[&str]) -> bool {
        at < end && self.all(end).is_any(at, words)
    }

    /// The whole script, with the IF lines of psql as blocks.
    pub fn script_lines(&mut self, end: usize) {
        let (mut at, mut around) = (0, None);
        while at < end {
            if self.kind(at, end) == Some(Kind::Client) {
                around = self.client_line(at, end, around);
                at += 1;
            } else {
                at = self.one(at, end, around).max(at + 1);
            }
        }
    }

    /// A line for the client: the block that what follows is in.
    fn client_line(&mut self, at: usize, end: usize, around: Option<usize>) -> Option<usize> {
        let line = self.all(end).text(at);
        let range = self.all(end).bytes(at);
        let word = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let parent = around.and_then(|frame| self.script.frames[frame].parent);
        match word.as_str() {
            "\\copy" => {
                self.inner(range.start + 1..range.end, around, false);
                around
            }
            "\\if" => Some(self.frame(around, Frames::If, at..at)),
            "\\elif" | "\\else" if around.is_some() => Some(self.frame(parent, Frames::Else, at..at)),
            "\\endif" => parent,
            _ => around,
        }
    }

    /// Statements until one of the words stands where a statement begins, or a line `GO` or `/`, or the end.
    pub fn block(&mut self, mut at: usize, end: usize, frame: Option<usize>, stops: &[&str]) -> usize {
        while at < end && self.kind(at, end) != Some(Kind::Hard) && !self.is(at, end, stops) {
            at = self.one(at, end, frame).max(at + 1);
        }
        at
    }

    pub fn frame(&mut self, parent: Option<usize>, kind: Frames, head: Tokens) -> usize {
        self.pair(&head);
        self.script.frames.push(Frame { parent, kind, head, handlers: None });
        self.script.frames.len() - 1
    }

    fn pair(&mut self, tokens: &Tokens) {
        let text = self.script.text;
        if let Some(tokens) = self.script.tokens.get_mut(tokens.clone()) {
            pair(tokens, text);
        }
    }

    pub fn push(&mut self, tokens: Tokens, frame: Option<usize>) {
        if tokens.is_empty() {
            return;
        }
        self.pair(&tokens);
        let (batch, quoted) = (self.batch, self.quoted);
        self.script.statements.push(Statement { tokens, frame, batch, templated: false, quoted });
    }

    /// One statement, or one block with all that is in it.
    fn one(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        match self.kind(at, end) {
            Some(Kind::Hard) => {
                self.batch += 1;
                return at + 1;
            }
            Some(Kind::Semicolon | Kind::Client | Kind::Data) | None => return at + 1,
            _ => {}
        }
        if self.depth > NESTING {
            return self.simple(at, end, frame);
        }
        self.depth += 1;
        let next = self.compound(at, end, frame);
        self.depth -= 1;
        next
    }

    fn compound(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        let all = self.all(end);
        if all.symbol(at, "<") && all.symbol(at + 1, "<") {
            return at + 5;
        }
        let labelled = all.symbol(at + 1, ":") && all.is_any(at + 2, &["begin", "loop", "while", "repeat", "for"]);
        let at = if labelled { at + 2 } else { at };
        // `label:` of T-SQL, where GOTO leads, stands alone on its line.
        let goal = self.dialect.client.optional_semicolons
            && all.kind(at) == Some(Kind::Word)
            && all.symbol(at + 1, ":")
            && self.first_on_line(at, end)
            && (at + 2 >= end || self.first_on_line(at + 2, end));
        if goal {
            return at + 2;
        }
        let word = if all.kind(at) == Some(Kind::Word) { all.text(at).to_ascii_lowercase() } else { String::new() };
        match word.as_str() {
            "begin" if !self.begins_transaction(at, end) => self.begin(at, end, frame),
            "declare" => self.declare(at, end, frame),
            "if" => self.if_then(at, end, frame),
            "while" | "for" | "foreach" | "loop" | "repeat" => self.repeat(at, end, frame),
            "case" => self.case(at, end, frame),
            "create" | "alter" => self.routine(at, end, frame),
            "do" => self.do_block(at, end, frame),
            "execute" | "exec" => self.execute(at, end, frame),
            // What is left of a block that began nowhere; `END;` of PostgreSQL is a COMMIT.
            "else" => at + 1,
            _ => self.simple(at, end, frame),
        }
    }

    /// `BEGIN;`, `BEGIN TRANSACTION`, and not `BEGIN stmt; END`.
    fn begins_transaction(&self, at: usize, end: usize) -> bool {
        if matches!(self.kind(at + 1, end), None | Some(Kind::Semicolon | Kind::Hard | Kind::Client)) {
            return true;
        }
        self.is(
            at + 1,
            end,
            &[
                "transaction",
                "tran",
                "distributed",
                "work",
                "immediate",
                "deferred",
                "exclusive",
                "isolation",
                "concurrent",
            ],
        ) || (self.is(at + 1, end, &["read"]) && self.is(at + 2, end, &["only", "write"]))
    }

    /// `BEGIN .. [EXCEPTION WHEN ..] END`, `BEGIN TRY .. END TRY`
    fn begin(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        let (kind, skip) = match () {
            () if self.is(at + 1, end, &["try"]) => (Frames::Try, 2),
            () if self.is(at + 1, end, &["catch"]) => (Frames::Handler, 2),
            () if self.is(at + 1, end, &["atomic"]) => (Frames::Block, 2),
            () if self.is(at + 1, end, &["not"]) && self.is(at + 2, end, &["atomic"]) => (Frames::Block, 3),
            () => (Frames::Block, 1),
        };
        let own = self.frame(frame, kind, at..at);
        let mut at = self.block(at + skip, end, Some(own), &["end", "exception"]);
        while self.is(at, end, &["exception", "when"]) {
            let from = at;
            let then = self.until(at, end, &["then"]);
            let handler = self.frame(Some(own), Frames::Handler, from..then);
            let caught = self.script.frames[own].handlers.get_or_insert(from..then);
            caught.end = then;
            at = self.block(then + 1, end, Some(handler), &["end", "when", "exception"]);
        }
        self.end(at, end)
    }

    /// Behind `END`, `END IF`, `END LOOP label`, up to the semicolon; where there is no END, nothing is taken.
    fn end(&self, at: usize, end: usize) -> usize {
        if !self.is(at, end, &["end"]) {
            return at;
        }
        let at = at + 1;
        if self.dialect.client.optional_semicolons {
            // `END` and an `IF` behind it are two statements there.
            return at + usize::from(self.is(at, end, &["try", "catch"]));
        }
        let at = at + usize::from(self.is(at, end, &["if", "loop", "while", "for", "case", "repeat"]));
        // A label.
        let label = self.kind(at, end) == Some(Kind::Word)
            && matches!(self.kind(at + 1, end), None | Some(Kind::Semicolon | Kind::Hard));
        if label && !self.is(at, end, &["else", "end", "go"]) { at + 1 } else { at }
    }

    /// The first of these words before the statement ends; where it ends when there is none.
    pub fn until(&self, at: usize, end: usize, words: &[&str]) -> usize {
        let mut depth = 0_usize;
        let mut here = at;
        while here < end {
            match self.kind(here, end) {
                Some(Kind::Open) => depth += 1,
                Some(Kind::Close) => depth = depth.saturating_sub(1),
                Some(Kind::Semicolon | Kind::Hard | Kind::Data) => return here,
                _ if depth == 0 && self.is(here, end, words) => return here,
                _ => {}
            }
            here += 1;
        }
        end
    }

    /// A section of declarations in a body runs to its BEGIN; elsewhere DECLARE is a statement.
    fn declare(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        // There is no section of declarations in T-SQL, nor a semicolon that would end the search for one.
        if self.dialect.client.optional_semicolons {
            return self.simple(at, end, frame);
        }
        let stop = self.until(at, end, &["handler", "begin"]);
        if self.is(stop, end, &["handler"]) {
            let body = self.until(stop, end, &["begin"]);
            if self.is(body, end, &["begin"]) {
                let handler = self.frame(frame, Frames::Handler, at..body);
                return self.one(body, end, Some(handler));
            }
            return self.simple(at, end, frame);
        }
        if self.quoted || self.dialect.client.slash_lines {
            let begin = self.next_begin(at, end);
            if self.is(begin, end, &["begin"]) {
                return self.one(begin, end, frame);
            }
        }
        if let Some(begin) = self.behind_declarations(at, end) {
            return self.one(begin, end, frame);
        }
        self.simple(at, end, frame)
    }

    /// The BEGIN behind a section of two declarations or more, where one DECLARE stands for all: `DECLARE a int; b int;
    /// BEGIN`. Where each has its own DECLARE there is none.
    fn behind_declarations(&self, at: usize, end: usize) -> Option<usize> {
        let mut here = self.until(at, end, &[]);
        let mut more = false;
        while self.kind(here, end) == Some(Kind::Semicolon) {
            let next = here + 1;
            if self.is(next, end, &["begin"]) {
                return (more && !self.begins_transaction(next, end)).then_some(next);
            }
            let named = self.kind(next, end) == Some(Kind::Word)
                && matches!(self.kind(next + 1, end), Some(Kind::Word))
                && !self.is(next, end, &super::start::STARTS)
                && !self.is(next, end, &["call", "for", "loop", "repeat", "case", "let", "replace", "analyze", "show"]);
            if !named {
                return None;
            }
            more = true;
            here = self.until(next, end, &[]);
        }
        None
    }

    /// The next BEGIN, or the line that ends all blocks, or the end. Found once for all the declarations before it.
    fn next_begin(&mut self, at: usize, end: usize) -> usize {
        if !(self.searched.start..=self.searched.end).contains(&at) || self.searched.end > end {
            let stops = |here: &usize| self.kind(*here, end) == Some(Kind::Hard) || self.is(*here, end, &["begin"]);
            self.searched = at..(at..end).find(stops).unwrap_or(end);
        }
        self.searched.end
    }

    fn if_then(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        // T-SQL has no THEN here, nor a semicolon that would end the search for one.
        if self.dialect.client.optional_semicolons {
            return self.if_statement(at, end, frame);
        }
        let then = self.until(at, end, &["then"]);
        if !self.is(then, end, &["then"]) {
            return self.simple(at, end, frame);
        }
        let own = self.frame(frame, Frames::If, at + 1..then);
        let stops = ["elsif", "elseif", "else", "end"];
        let mut at = self.block(then + 1, end, Some(own), &stops);
        while self.is(at, end, &stops[..3]) {
            let last = self.is(at, end, &["else"]);
            let body = if last { at + 1 } else { self.until(at, end, &["then"]) };
            let own = self.frame(frame, Frames::Else, if last { at..at } else { at + 1..body });
            at = self.block(if last { body } else { body + 1 }, end, Some(own), &stops);
        }
        self.end(at, end)
    }

    /// `IF condition statement [ELSE statement]`
    fn if_statement(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        let body = self.condition_end(at + 1, end);
        let own = self.frame(frame, Frames::If, at + 1..body);
        let mut at = self.one(body, end, Some(own));
        let other = if self.kind(at, end) == Some(Kind::Semicolon) { at + 1 } else { at };
        if self.is(other, end, &["else"]) {
            let own = self.frame(frame, Frames::Else, other..other);
            at = self.one(other + 1, end, Some(own));
        }
        at
    }

    fn condition_end(&self, at: usize, end: usize) -> usize {
        let mut depth = 0_usize;
        (at..end)
            .find(|here| {
                match self.kind(*here, end) {
                    Some(Kind::Open) => depth += 1,
                    Some(Kind::Close) => depth = depth.saturating_sub(1),
                    Some(Kind::Semicolon | Kind::Hard) => return true,
                    _ => {}
                }
                // `IF EXISTS (..) RETURN`, on one line
                let leaves = self.is(*here, end, &["return", "break", "continue", "goto", "print"]);
                depth == 0 && *here > at && (leaves || self.starts_statement(*here, at, end))
            })
            .unwrap_or(end)
    }

    fn repeat(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        if self.dialect.client.optional_semicolons {
            let body = self.condition_end(at + 1, end);
            let own = self.frame(frame, Frames::Loop, at + 1..body);
            return self.one(body, end, Some(own));
        }
        let body = if self.is(at, end, &["loop", "repeat"]) { at } else { self.until(at, end, &["loop", "do"]) };
        if !self.is(body, end, &["loop", "do", "repeat"]) {
            return self.simple(at, end, frame);
        }
        let own = self.frame(frame, Frames::Loop, at..body);
        let mut at = self.block(body + 1, end, Some(own), &["end", "until"]);
        if self.is(at, end, &["until"]) {
            at = self.until(at, end, &["end"]);
        }
        self.end(at, end)
    }

    /// A CASE statement; at the start of a statement it can be nothing else.
    fn case(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        let mut at = self.until(at, end, &["when"]);
        let mut first = true;
        while self.is(at, end, &["when", "else"]) {
            let last = self.is(at, end, &["else"]);
            let body = if last { at } else { self.until(at, end, &["then"]) };
            let own = self.frame(frame, if last { Frames::Else } else { Frames::Case }, at..body);
            at = self.block(body + 1, end, Some(own), &["when", "else", "end"]);
            first = false;
        }
        if first { at + 1 } else { self.end(at, end) }
    }

    /// A statement up to what ends it.
    pub fn simple(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        let stop = self.statement_end(at, end);
        self.push(at..stop, frame);
        if self.kind(stop, end) == Some(Kind::Semicolon) { stop + 1 } else { stop }
    }

    /// Where the statement that begins at `at` ends: its semicolon, or the first token that is not its own.
    pub fn statement_end(&self, at: usize, end: usize) -> usize {
        let bare = self.dialect.client.optional_semicolons;
        let (mut depth, mut cases) = (0_usize, 0_usize);
        let mut here = at;
        while here < end {
            match self.kind(here, end) {
                Some(Kind::Open) => depth += 1,
                Some(Kind::Close) => depth = depth.saturating_sub(1),
                Some(Kind::Semicolon | Kind::Hard | Kind::Client | Kind::Data) => return here,
                Some(Kind::Word) if bare && depth == 0 => {
                    if self.is(here, end, &["case"]) {
                        cases += 1;
                    } else if cases > 0 && self.is(here, end, &["end"]) {
                        cases -= 1;
                    } else if here > at && cases == 0 && self.starts_statement(here, at, end) {
                        return here;
                    }
                }
                _ => {}
            }
            here += 1;
        }
        end
    }

    /// Reads a part of the text as a script of its own inside a block.
    pub fn inner(&mut self, bytes: std::ops::Range<usize>, frame: Option<usize>, quoted: bool) {
        if self.depth > NESTING {
            return;
        }
        let inner = lex(self.script.text, bytes, self.lexis, Extras { client: None, templates: true });
        let from = self.script.tokens.len();
        self.script.tokens.extend(inner.tokens.iter().filter(|token| token.kind != Kind::Hint));
        self.script.comments.extend(inner.comments);
        let end = self.script.tokens.len();
        let before = std::mem::replace(&mut self.quoted, quoted);
        self.depth += 1;
        let mut at = from;
        while at < end {
            at = self.one(at, end, frame).max(at + 1);
        }
        self.depth -= 1;
        self.quoted = before;
    }
}
