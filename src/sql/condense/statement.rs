//! The statements between the rows: which of them is an INSERT or a COPY, and where it ends.

use super::lexeme::{Mode, Opened, is_space, is_word};
use super::rows::List;
use super::{AHEAD, Condenser, Part};

/// Words of clients that stand at the beginning of a line which is no SQL.
const CLIENT: [&[u8]; 3] = [b"REM", b"PROMPT", b"DELIMITER"];

impl Condenser {
    /// Reads up to what may end a statement of which nothing is cut out.
    pub(super) fn other(&mut self, stop: usize) {
        let bytes = self.cutter.bytes();
        if self.fresh {
            // A script without semicolons goes on with a new statement in a new line.
            let line = &bytes[self.at..bytes.len().min(self.at + AHEAD / 2)];
            let blank = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let word = word(&line[blank..]);
            if is_insert(word) || is_go(word, &bytes[self.at + blank..]) {
                self.at += blank;
                let here = self.cutter.place(self.at);
                self.finish_statement(here);
                return;
            }
            self.fresh = false;
        }
        let table = &self.in_other;
        let mut at = self.at;
        while let Some(next) = bytes[at..stop].iter().position(|byte| table[usize::from(*byte)]) {
            at += next;
            if bytes[at] != b'\n' {
                self.at = at;
                if bytes[at] == b';' {
                    self.semicolon();
                } else {
                    self.open();
                }
                return;
            }
            at += 1;
            // Only these begin a line that matters.
            if matches!(bytes.get(at), None | Some(b' ' | b'\t' | b'i' | b'I' | b'r' | b'R' | b'g' | b'G')) {
                self.at = at;
                self.fresh = true;
                return;
            }
        }
        self.at = stop;
    }

    /// Reads one word, sign or space.
    pub(super) fn step(&mut self, stop: usize) {
        let bytes = self.cutter.bytes();
        let at = self.at;
        match bytes[at] {
            byte if is_space(byte) => {
                let blank = bytes[at..stop].iter().position(|byte| !is_space(*byte)).map_or(stop, |next| at + next);
                // A carriage return alone ends no line.
                self.fresh |= bytes[at..blank].contains(&b'\n');
                self.at = blank;
                return;
            }
            b';' => self.semicolon(),
            byte if is_word(byte) => {
                if !(matches!(self.part, Part::Between | Part::AfterRow) && self.goes_on()) {
                    self.word();
                }
            }
            b'(' => self.bracket(),
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                self.sign();
                self.at += 1;
            }
            b',' if self.part == Part::AfterRow => {
                self.part = Part::BeforeRow;
                self.at += 1;
            }
            b'\\' | b'.' if self.part == Part::Between => {
                // Clients read lines such as `\connect` and `.mode`.
                self.run.end(&mut self.cutter);
                self.mode = Mode::Line;
            }
            _ => match self.open() {
                Opened::Comment => {
                    if self.part == Part::Between {
                        // It may be about the next statement.
                        self.run.end(&mut self.cutter);
                    }
                }
                Opened::Code | Opened::Nothing => self.sign(),
            },
        }
        self.fresh = false;
    }

    /// A sign that is no part of a list of rows.
    fn sign(&mut self) {
        match self.part {
            Part::Between => {
                self.run.end(&mut self.cutter);
                self.part = Part::Other;
            }
            Part::BeforeRow | Part::AfterRow => self.leave_rows(),
            _ => {}
        }
    }

    fn bracket(&mut self) {
        match self.part {
            Part::BeforeRow => {
                if !self.in_row_word() {
                    self.list.row(self.cutter.place(self.at));
                }
                self.depth = 1;
                self.part = Part::Row;
            }
            Part::Head | Part::Copy => self.depth += 1,
            _ => self.sign(),
        }
        self.at += 1;
    }

    /// Whether the row began with the word ROW before its bracket.
    fn in_row_word(&mut self) -> bool {
        std::mem::take(&mut self.row_word)
    }

    /// An INSERT begins.
    fn begin(&mut self, place: u64) {
        self.start = place;
        self.list = List::default();
        self.row_word = false;
        self.known = false;
        self.depth = 0;
    }

    /// Reads the head of a statement at once when it is the one of the run, which comes to the same as word by word.
    fn goes_on(&mut self) -> bool {
        let Some(head) = self.run.head() else { return false };
        let rest = &self.cutter.bytes()[self.at..];
        let ended = |byte: &u8| !is_word(*byte) && *byte != b'$';
        if !(rest.starts_with(head) && rest.get(head.len()).is_some_and(ended)) {
            return false;
        }
        let end = self.at + head.len();
        if self.part == Part::AfterRow {
            let behind = self.list.end;
            self.finish_statement(behind);
        }
        self.begin(self.cutter.place(self.at));
        self.at = end;
        self.values = self.cutter.place(end);
        self.known = self.run.head().is_some();
        self.part = Part::BeforeRow;
        true
    }

    fn word(&mut self) {
        let bytes = self.cutter.bytes();
        let found = word(&bytes[self.at..]);
        let length = found.len();
        let end = self.at + length;
        let is = |wanted: &[u8]| found.eq_ignore_ascii_case(wanted);
        let insert = is_insert(found);
        let go = is_go(found, &bytes[self.at..]);
        let here = self.cutter.place(self.at);
        match self.part {
            Part::Between if insert => {
                self.part = Part::Head;
                self.begin(here);
            }
            // The line itself says nothing: it may stand in a run.
            Part::Between if go => {}
            Part::Between => {
                let line = is(b"GO") || CLIENT.iter().any(|client| is(client));
                let copy = is(b"COPY");
                self.run.end(&mut self.cutter);
                self.depth = 0;
                self.copy = (false, false);
                if line {
                    self.mode = Mode::Line;
                    return;
                }
                self.part = if copy { Part::Copy } else { Part::Other };
            }
            Part::Head | Part::Copy if self.fresh && (insert || go) => return self.finish_statement(here),
            Part::Head if self.depth == 0 && is(b"VALUES") => {
                self.part = Part::BeforeRow;
                self.values = self.cutter.place(end);
            }
            Part::Copy if self.depth == 0 => {
                self.copy = (self.copy.0 || is(b"FROM"), self.copy.1 || (self.copy.0 && is(b"STDIN")));
            }
            Part::BeforeRow if is(b"ROW") && !self.row_word => {
                self.row_word = true;
                self.list.row(here);
            }
            Part::AfterRow if insert || go => {
                let behind = self.list.end;
                return self.finish_statement(behind);
            }
            Part::BeforeRow | Part::AfterRow => self.leave_rows(),
            _ => {}
        }
        if length == AHEAD / 2 {
            self.mode = Mode::Word;
        }
        self.at = end;
    }

    /// What follows is no row.
    fn leave_rows(&mut self) {
        self.row_word = false;
        if self.list.rows == 0 {
            // The name of a table.
            self.part = Part::Head;
        } else {
            self.list.close(&mut self.cutter);
            self.part = Part::Tail;
        }
    }

    /// A semicolon ends every statement.
    pub(super) fn semicolon(&mut self) {
        self.at += 1;
        let data = self.part == Part::Copy && self.copy.1;
        let here = self.cutter.place(self.at);
        self.finish_statement(here);
        if data {
            self.mode = Mode::CopyLine;
        }
    }

    /// The statement ends at a place.
    pub(super) fn finish_statement(&mut self, end: u64) {
        self.list.close(&mut self.cutter);
        let whole = matches!(self.part, Part::AfterRow | Part::Tail);
        if whole {
            self.run.add((self.start, self.values, self.list.end, end), self.known, &mut self.cutter);
        } else if self.part != Part::Between {
            self.run.end(&mut self.cutter);
        }
        self.list = List::default();
        self.part = Part::Between;
        self.depth = 0;
    }
}

/// The word at the beginning, or the first letters of one that is too long to mean anything.
fn word(bytes: &[u8]) -> &[u8] {
    let bytes = &bytes[..bytes.len().min(AHEAD / 2)];
    let length = bytes.iter().position(|byte| !is_word(*byte) && *byte != b'$').unwrap_or(bytes.len());
    &bytes[..length]
}

fn is_insert(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"INSERT") || word.eq_ignore_ascii_case(b"REPLACE")
}

/// A line `GO`, which ends a batch.
fn is_go(word: &[u8], line: &[u8]) -> bool {
    if !word.eq_ignore_ascii_case(b"GO") {
        return false;
    }
    let line = &line[2..line.len().min(AHEAD / 2)];
    let next = line.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    next.map_or(line.len() < AHEAD / 2 - 2, |byte| *byte == b'\n')
}
