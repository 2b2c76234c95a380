//! Where a statement begins in T-SQL, which needs no semicolons.

use super::blocks::Reader;
use crate::sql::lex::Kind;

/// Words that begin a statement wherever one may begin.
pub(super) const STARTS: [&str; 46] = [
    "insert",
    "update",
    "delete",
    "merge",
    "select",
    "with",
    "create",
    "alter",
    "drop",
    "truncate",
    "exec",
    "execute",
    "declare",
    "set",
    "if",
    "else",
    "while",
    "begin",
    "end",
    "print",
    "return",
    "goto",
    "grant",
    "revoke",
    "deny",
    "use",
    "commit",
    "rollback",
    "save",
    "open",
    "fetch",
    "close",
    "deallocate",
    "raiserror",
    "throw",
    "waitfor",
    "break",
    "continue",
    "bulk",
    "go",
    "enable",
    "disable",
    "backup",
    "dbcc",
    "kill",
    "checkpoint",
];

/// How many tokens of a statement are looked at to tell whether the next one begins.
const LOOK_BACK: usize = 2_000;

/// Words at the start of a line that begin another statement, however long the one before was.
const LATE: [&str; 12] =
    ["commit", "rollback", "declare", "print", "exec", "execute", "truncate", "drop", "alter", "if", "grant", "use"];

impl Reader<'_> {
    /// The word that says what the statement at `from` does: its first, or the one behind its WITH list; lower case.
    fn verb(&self, from: usize, here: usize, end: usize) -> String {
        let all = self.all(end);
        if !all.is(from, "with") {
            return all.text(from).to_ascii_lowercase();
        }
        let mut depth = 0_i32;
        let behind = (from + 1..here).find(|at| {
            match self.kind(*at, end) {
                Some(Kind::Open) => depth += 1,
                Some(Kind::Close) => depth -= 1,
                _ => {}
            }
            depth == 0 && all.is_any(*at, &["insert", "update", "delete", "merge", "select"])
        });
        all.text(behind.unwrap_or(from)).to_ascii_lowercase()
    }

    /// True when the word at `here`, outside brackets, begins another statement than the one that began at `from`.
    pub(super) fn starts_statement(&self, here: usize, from: usize, end: usize) -> bool {
        let all = self.all(end);
        let label = all.kind(here) == Some(Kind::Word)
            && all.symbol(here + 1, ":")
            && self.first_on_line(here, end)
            && (here + 2 >= end || self.first_on_line(here + 2, end));
        if label {
            return true;
        }
        if !all.is_any(here, &STARTS)
            || matches!(self.kind(here - 1, end), Some(Kind::Dot | Kind::Comma | Kind::Symbol))
        {
            return false;
        }
        let word = all.text(here).to_ascii_lowercase();
        // A statement that is this long has had its verb and its source.
        if here - from > LOOK_BACK {
            return matches!(word.as_str(), "insert" | "update" | "delete" | "merge" | "create" | "end" | "else")
                || (LATE.contains(&word.as_str()) && self.first_on_line(here, end));
        }
        let first = self.verb(from, here, end);
        let before = |words: &[&str]| all.is_any(here - 1, words);
        // A view is alone in its batch: what stands in it is its query.
        if matches!(first.as_str(), "create" | "alter") && (from + 1..here.min(from + 5)).any(|at| all.is(at, "view")) {
            return false;
        }
        if before(&["as"]) && here - from > 1 && matches!(first.as_str(), "create" | "alter" | "with") {
            return false;
        }
        // `INSERT INTO t SELECT ..`, `INSERT INTO t EXEC p`
        let awaits_rows = || first == "insert" && !self.source_seen(here, from, end);
        match word.as_str() {
            "insert" | "update" | "delete" => {
                !before(&["then", "on", "for", "after", "of", "instead", "grant", "deny", "revoke", "not", "bulk"])
                    && !self.verb_pending(here, from, end)
            }
            "select" => {
                !before(&["union", "all", "except", "intersect", "grant", "deny", "revoke"])
                    && !awaits_rows()
                    && !self.verb_pending(here, from, end)
            }
            "exec" | "execute" => !before(&["grant", "deny", "revoke", "as", "with"]) && !awaits_rows(),
            "merge" => !before(&["inner", "left", "right", "full", "outer"]) && !self.verb_pending(here, from, end),
            // `WITH x AS (` begins; `WITH (NOLOCK)` and `WITH CHECK` do not.
            "with" => {
                matches!(all.kind(here + 1), Some(Kind::Word | Kind::Name))
                    && (all.is(here + 2, "as") || all.kind(here + 2) == Some(Kind::Open))
                    && !awaits_rows()
                    && !matches!(first.as_str(), "create" | "alter" | "grant" | "backup")
            }
            // `DROP TABLE IF EXISTS`
            "if" => {
                let guard = all.is(here + 1, "exists") && matches!(first.as_str(), "drop" | "alter")
                    // A guard that the dialect does not have, and that people write all the same.
                    || all.slice(here + 1..here + 3).words(0, &["not", "exists"])
                        && self.kind(here + 3, end) != Some(Kind::Open)
                        && matches!(first.as_str(), "create" | "alter");
                // Names of several parts, `server.db.dbo.t`, put the guard far behind.
                let action = before(&["column", "constraint", "add"]) && here - from <= LOOK_BACK;
                !(guard && (here - from <= 6 || action))
            }
            "set" => {
                let own = matches!(first.as_str(), "update" | "with")
                    && (all.slice(from..here).find(0, &["set"]).is_none() || all.find(from, &["set"]) == Some(here));
                let inside = matches!(first.as_str(), "update" | "alter") && !self.first_on_line(here, end);
                !(own || inside || before(&["update", "on", "delete"]))
            }
            // The actions of ALTER TABLE.
            "alter" | "drop" if all.is_any(here + 1, &["column", "constraint", "period"]) || before(&["or"]) => false,
            "alter" | "drop" => {
                !(first == "alter" && here - from <= 6 && !self.first_on_line(here, end)) && first != "grant"
            }
            "enable" | "disable" => first != "alter" && !before(&["with"]) && self.first_on_line(here, end),
            "end" | "else" => true,
            "use" | "open" | "close" | "save" | "return" | "fetch" | "go" | "bulk" | "continue" | "break" | "kill"
            | "checkpoint" | "backup" | "print" => self.first_on_line(here, end) || before(&["begin", "else"]),
            "create" => !before(&["grant", "deny", "revoke"]),
            _ => true,
        }
    }

    /// A WITH statement, or a routine's head, whose verb has not come yet.
    fn verb_pending(&self, here: usize, from: usize, end: usize) -> bool {
        self.verb(from, here, end) == "with"
    }

    /// An INSERT that has its VALUES, its SELECT or its EXEC.
    fn source_seen(&self, here: usize, from: usize, end: usize) -> bool {
        let all = self.all(end);
        let mut depth = 0_i32;
        (from..here).any(|at| {
            match self.kind(at, end) {
                Some(Kind::Open) => depth += 1,
                Some(Kind::Close) => depth -= 1,
                _ => {}
            }
            at > from && depth == 0 && all.is_any(at, &["values", "select", "exec", "execute", "default"])
        }) || (self.kind(here - 1, end) == Some(Kind::Close) && self.closes_query(here - 1, from, end))
    }

    /// `INSERT INTO t (SELECT ..)`
    fn closes_query(&self, close: usize, from: usize, end: usize) -> bool {
        let mut depth = 0_i32;
        let mut here = close;
        while here > from {
            match self.kind(here, end) {
                Some(Kind::Close) => depth += 1,
                Some(Kind::Open) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.is(here + 1, end, &["select", "with", "values"]);
            }
            here -= 1;
        }
        false
    }

    pub(super) fn first_on_line(&self, at: usize, end: usize) -> bool {
        let all = self.all(end);
        if at == 0 {
            return true;
        }
        let (before, here) = (all.bytes(at - 1).end, all.bytes(at).start);
        all.whole_text()[before..here].contains('\n')
    }
}
