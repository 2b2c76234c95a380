//! What holds other statements: routines and triggers, DO blocks, EXECUTE of a literal.

use super::Frames;
use super::blocks::Reader;
use crate::sql::lex::Kind;
use std::ops::Range;

/// Words between CREATE and what is created.
const BEFORE_OBJECT: [&str; 22] = [
    "or",
    "replace",
    "alter",
    "temp",
    "temporary",
    "global",
    "local",
    "definer",
    "editionable",
    "noneditionable",
    "force",
    "secure",
    "aggregate",
    "constraint",
    "if",
    "not",
    "exists",
    "unique",
    "sql",
    "security",
    "current_user",
    "invoker",
];

impl Reader<'_> {
    /// CREATE or ALTER of a routine or a trigger, with its body; of anything else a plain statement.
    pub(super) fn routine(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        let Some(object) = self.object(at, end) else { return self.simple(at, end, frame) };
        let plsql = self.dialect.client.slash_lines;
        let head = self.until(object, end, &["begin", "compound"]);
        // A compound trigger has several bodies; like a package it runs to its line `/`.
        let compound = plsql && self.is(object, end, &["trigger"]) && self.is(head, end, &["compound"]);
        let package = self.is(object, end, &["package"]) || self.is(object + 1, end, &["body"]) || compound;
        if package {
            let stop = self.to_hard(object, end);
            self.push(at..stop, frame);
            return stop;
        }
        let (mut depth, mut named, mut body) = (0_usize, false, None);
        let mut here = object + 1;
        while here < end {
            match self.kind(here, end) {
                Some(Kind::Open) => depth += 1,
                Some(Kind::Close) => depth = depth.saturating_sub(1),
                Some(Kind::Hard | Kind::Data) => break,
                Some(Kind::Semicolon) if !(plsql && named) => break,
                Some(Kind::Body) => body = Some(here),
                Some(Kind::Text) if self.is(here - 1, end, &["as"]) => body = Some(here),
                Some(Kind::Word) if depth == 0 => {
                    // A trigger declares behind DECLARE, and has neither AS nor IS.
                    named |= self.is(here, end, &["as", "is", "declare"]);
                    // `@x AS int` declares a parameter.
                    let tsql = self.dialect.client.optional_semicolons
                        && self.is(here, end, &["as"])
                        && self.kind(here - 1, end) != Some(Kind::Variable);
                    if tsql && !self.is(here + 1, end, &["owner", "caller", "self"]) {
                        return self.batch_body(at, here, end, frame);
                    }
                    if self.is(here, end, &["begin"]) {
                        self.push(at..here, frame);
                        let own = self.frame(frame, Frames::Routine, at..at);
                        let next = self.block_at(here, end, own);
                        return if self.kind(next, end) == Some(Kind::Semicolon) { next + 1 } else { next };
                    }
                }
                _ => {}
            }
            here += 1;
        }
        self.push(at..here, frame);
        if let Some(body) = body.filter(|_| self.in_sql(at, here)) {
            let own = self.frame(frame, Frames::Routine, at..at);
            self.quoted_body(body, own);
        }
        if self.kind(here, end) == Some(Kind::Semicolon) { here + 1 } else { here }
    }

    /// Where FUNCTION, TRIGGER and the like stand, when that is what is created.
    fn object(&self, at: usize, end: usize) -> Option<usize> {
        let mut here = at + 1;
        while self.is(here, end, &BEFORE_OBJECT) || self.between(here, end) {
            here += 1;
        }
        let routine = self.is(here, end, &["function", "procedure", "proc", "trigger", "event", "package"])
            || (self.is(here, end, &["type"]) && self.is(here + 1, end, &["body"]));
        // `ALTER FUNCTION f OWNER TO x` has no body; in T-SQL ALTER replaces it.
        (routine && (self.is(at, end, &["create"]) || self.dialect.client.optional_semicolons)).then_some(here)
    }

    /// A part of ``DEFINER = `a`@`b` ``.
    fn between(&self, at: usize, end: usize) -> bool {
        let all = self.all(end);
        let definer = (1..6).any(|back| at >= back && all.is(at - back, "definer"));
        definer && at < end && !self.is(at, end, &["function", "procedure", "trigger", "event", "view", "sql"])
    }

    fn to_hard(&self, at: usize, end: usize) -> usize {
        (at..end).find(|here| self.kind(*here, end) == Some(Kind::Hard)).unwrap_or(end)
    }

    /// T-SQL: the body runs to the end of the batch.
    fn batch_body(&mut self, at: usize, body: usize, end: usize, frame: Option<usize>) -> usize {
        self.push(at..body + 1, frame);
        let own = self.frame(frame, Frames::Routine, at..at);
        let mut here = body + 1;
        while here < end && self.kind(here, end) != Some(Kind::Hard) {
            here = self.block(here, end, Some(own), &[]).max(here + 1);
        }
        here
    }

    fn block_at(&mut self, at: usize, end: usize, frame: usize) -> usize {
        // A body that is one BEGIN .. END; its BEGIN is never that of a transaction.
        let skip = if self.is(at + 1, end, &["atomic"]) { 2 } else { 1 };
        self.routine_block(at + skip, end, frame)
    }

    fn routine_block(&mut self, at: usize, end: usize, frame: usize) -> usize {
        let mut here = self.block(at, end, Some(frame), &["end", "exception"]);
        while self.is(here, end, &["exception", "when"]) {
            let then = self.until(here, end, &["then"]);
            let handler = self.frame(Some(frame), Frames::Handler, here..then);
            here = self.block(then + 1, end, Some(handler), &["end", "when", "exception"]);
        }
        if !self.is(here, end, &["end"]) {
            return here;
        }
        let label = self.kind(here + 1, end) == Some(Kind::Word) || self.kind(here + 1, end) == Some(Kind::Name);
        here + 1 + usize::from(label && !self.dialect.client.optional_semicolons)
    }

    /// True unless the head says that the body is in another language than SQL.
    fn in_sql(&self, at: usize, end: usize) -> bool {
        let all = self.all(end);
        (at..end).find(|here| all.is(*here, "language")).is_none_or(|here| {
            let language = all.text(here + 1).trim_matches('\'').to_ascii_lowercase();
            ["sql", "plpgsql", "plsql"].contains(&language.as_str())
        })
    }

    /// `DO $$ .. $$`
    pub(super) fn do_block(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        let stop = self.statement_end(at, end);
        let body = (at..stop).find(|here| matches!(self.kind(*here, end), Some(Kind::Body | Kind::Text)));
        self.push(at..stop, frame);
        if let Some(body) = body.filter(|_| self.in_sql(at, stop)) {
            let own = self.frame(frame, Frames::Do, at..at);
            self.quoted_body(body, own);
        }
        if self.kind(stop, end) == Some(Kind::Semicolon) { stop + 1 } else { stop }
    }

    /// `EXECUTE 'INSERT ..'`, `EXECUTE IMMEDIATE $$ .. $$`, `EXEC (N'..')`, `EXEC sp_executesql N'..'`
    pub(super) fn execute(&mut self, at: usize, end: usize, frame: Option<usize>) -> usize {
        let stop = self.statement_end(at, end);
        self.push(at..stop, frame);
        let mut literal = at + 1;
        while self.is(literal, end, &["immediate", "sp_executesql"]) || self.kind(literal, end) == Some(Kind::Open) {
            literal += 1;
        }
        let alone = matches!(self.kind(literal + 1, stop), None | Some(Kind::Close | Kind::Comma))
            || self.is(literal + 1, stop, &["using", "into"]);
        if literal < stop && alone && matches!(self.kind(literal, stop), Some(Kind::Text | Kind::Body)) {
            let own = self.frame(frame, Frames::Dynamic, at..at);
            self.quoted_body(literal, own);
        }
        if self.kind(stop, end) == Some(Kind::Semicolon) { stop + 1 } else { stop }
    }

    /// The statements in a string or in dollar quotes.
    fn quoted_body(&mut self, token: usize, frame: usize) {
        let bytes = self.all(token + 1).bytes(token);
        let text = &self.script.text[bytes.clone()];
        if let Some(inside) = quoted(text) {
            self.inner(bytes.start + inside.start..bytes.start + inside.end, Some(frame), true);
        }
    }
}

/// What stands between the quotes of a token.
fn quoted(text: &str) -> Option<Range<usize>> {
    let (open, close) = match text.strip_prefix('$') {
        Some(rest) => {
            let open = rest.find('$')? + 2;
            (open, text.len().checked_sub(open)?)
        }
        None => (text.find(['\'', '"'])? + 1, text.len().checked_sub(1)?),
    };
    (open <= close && text.is_char_boundary(close)).then_some(open..close)
}
