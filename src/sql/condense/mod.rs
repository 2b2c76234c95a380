//! A script without its bulk, for reading dumps of gigabytes: of a long list of rows, of a run of equal INSERTs and of
//! the data of COPY only the first and the last are kept. Everything else stays byte for byte.
//!
//! Bytes come in pieces of any size; the result does not depend on where they are cut. Nothing here knows an encoding:
//! quotes and brackets are ASCII in all that come here.

mod cut;
mod lexeme;
mod rows;
mod run;
mod statement;

use crate::diagnostic::{Elided, Encoding};
use crate::sql::lexis::Lexis;
use cut::Cutter;
use lexeme::Mode;
use rows::List;
use run::Run;

/// How far a decision looks ahead. Words and tags that are longer mean nothing here.
const AHEAD: usize = 80;

/// The first rows of a list, and the first statements of a run, that are kept; and the last one.
const FIRST: u64 = 3;

/// Takes a script piece by piece and keeps what says something new.
pub struct Condenser {
    cutter: Cutter,
    lexis: Lexis,
    /// Bytes that mean something in a row, and in a statement that is none of ours.
    in_row: Table,
    in_other: Table,
    /// The next byte to read, as an index of the cutter's bytes.
    at: usize,
    mode: Mode,
    part: Part,
    /// Open brackets.
    depth: u32,
    /// Nothing but spaces stands before the next byte in its line.
    fresh: bool,
    /// The first byte of the statement.
    start: u64,
    /// Behind its VALUES.
    values: u64,
    list: List,
    run: Run,
    /// The statement has the head of the run.
    known: bool,
    /// Words of a COPY that were seen: FROM and STDIN.
    copy: (bool, bool),
    /// The word ROW began the row whose bracket comes next.
    row_word: bool,
    /// The first byte of data that is not cut out yet.
    data: u64,
}

type Table = [bool; 256];

/// Where in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Before its first word.
    Between,
    /// In an INSERT, before its rows.
    Head,
    /// In a list of rows, where a row may begin.
    BeforeRow,
    /// In a row.
    Row,
    /// Behind a row.
    AfterRow,
    /// Behind the last row.
    Tail,
    /// In a COPY.
    Copy,
    /// In any other statement.
    Other,
}

/// Whether the bytes that are there are read up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    /// More bytes are needed to go on, or all are read.
    Wait,
}

impl Condenser {
    /// A condenser for a script of these rules. `encoding` is the one of the file, of which lengths are told; the bytes
    /// that come are UTF-8 where the file is UTF-16.
    pub fn new(lexis: Lexis, encoding: Encoding) -> Self {
        Self {
            cutter: Cutter::new(encoding),
            lexis,
            in_row: lexeme::table(lexis, b"();"),
            in_other: lexeme::table(lexis, b"\n;"),
            at: 0,
            mode: Mode::Code,
            part: Part::Between,
            depth: 0,
            fresh: true,
            start: 0,
            values: 0,
            list: List::default(),
            run: Run::default(),
            known: false,
            copy: (false, false),
            row_word: false,
            data: 0,
        }
    }

    /// Where the next bytes go; never empty.
    pub fn room(&mut self) -> &mut [u8] {
        self.settle();
        self.cutter.forget(&mut self.at);
        self.cutter.room()
    }

    /// So many bytes were put where `room` said.
    pub fn filled(&mut self, bytes: usize) {
        self.cutter.filled(bytes);
        self.read(false);
    }

    /// All bytes were given: the text that is left, and what is not in it.
    pub fn finish(mut self) -> (Vec<u8>, Vec<Elided>) {
        self.read(true);
        self.end();
        self.cutter.finish()
    }

    /// Reads what is there, as far as it can be understood.
    fn read(&mut self, all: bool) {
        loop {
            let flow = match self.mode {
                Mode::Code => self.code(all),
                _ => self.lexeme(all),
            };
            if flow == Flow::Wait {
                break;
            }
        }
    }

    fn code(&mut self, all: bool) -> Flow {
        let len = self.cutter.bytes().len();
        let stop = if all { len } else { len.saturating_sub(AHEAD) };
        if self.at >= stop {
            return Flow::Wait;
        }
        match self.part {
            Part::Row => self.row(stop),
            Part::Other | Part::Tail => self.other(stop),
            _ => self.step(stop),
        }
        Flow::On
    }

    /// Cuts out what is known to be neither the first nor the last of its kind.
    fn settle(&mut self) {
        self.list.settle(&mut self.cutter);
        self.run.settle(&mut self.cutter);
        if matches!(self.mode, Mode::Data) {
            let here = self.cutter.place(self.at);
            self.cutter.cut_data(self.data, here, false);
            self.data = here;
        }
    }

    /// The end of the input ends whatever is open.
    fn end(&mut self) {
        self.at = self.cutter.bytes().len();
        let here = self.cutter.place(self.at);
        if matches!(self.mode, Mode::Data) {
            let partial = self.cutter.bytes().last().is_some_and(|byte| *byte != b'\n');
            self.cutter.cut_data(self.data, here, partial);
        }
        self.finish_statement(here);
        self.run.end(&mut self.cutter);
    }
}

#[cfg(test)]
mod tests;
