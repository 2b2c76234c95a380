//! The log of HSQLDB: a text file with the rows that every commit inserted and deleted.

use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::PathBuf;

/// What was read of the file so far.
pub struct Log {
    path: PathBuf,
    read: u64,
    /// The session whose lines follow: `/*C7*/` stands before its first one.
    session: String,
    /// The schema that each session is in: the lines name tables without one.
    schemas: BTreeMap<String, String>,
    /// Rows inserted and deleted, by schema and table.
    counts: BTreeMap<(String, String), [u64; 2]>,
}

impl Log {
    pub fn new(path: PathBuf) -> Self {
        Self { path, read: 0, session: String::new(), schemas: BTreeMap::new(), counts: BTreeMap::new() }
    }

    /// The rows of a table that were inserted and deleted since the log began. An update is one of each.
    pub fn rows(&mut self, schema: &str, table: &str) -> Result<[u64; 2]> {
        let mut file = File::open(&self.path).with_context(|| format!("cannot read {}", self.path.display()))?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut lines = BufReader::new(file);
        let mut line = String::new();
        loop {
            line.clear();
            let length = lines.read_line(&mut line)?;
            // A line without its end is still being written.
            if !line.ends_with('\n') {
                break;
            }
            self.read += length as u64;
            self.take(line.trim_end());
        }
        Ok(self.counts.get(&(schema.to_owned(), table.to_owned())).copied().unwrap_or_default())
    }

    fn take(&mut self, line: &str) {
        let mut line = line;
        if let Some((session, rest)) = line.strip_prefix("/*C").and_then(|rest| rest.split_once("*/")) {
            session.clone_into(&mut self.session);
            line = rest;
        }
        if let Some(schema) = line.strip_prefix("SET SCHEMA ") {
            self.schemas.insert(self.session.clone(), name(schema));
        }
        for (at, start) in ["INSERT INTO ", "DELETE FROM "].into_iter().enumerate() {
            if let Some(rest) = line.strip_prefix(start) {
                let table = name(rest);
                let schema = self.schemas.get(&self.session).cloned().unwrap_or_default();
                self.counts.entry((schema, table)).or_default()[at] += 1;
            }
        }
    }
}

/// The name that a text begins with, without its quotes.
fn name(text: &str) -> String {
    let Some(quoted) = text.strip_prefix('"') else {
        return text.split(' ').next().unwrap_or_default().to_owned();
    };
    // A quote inside is doubled; the first one that is not ends the name.
    let mut name = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        if c == '"' && characters.next() != Some('"') {
            break;
        }
        name.push(c);
    }
    name
}

#[test]
fn the_log_is_counted_by_schema_and_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db.log");
    let mut log = Log::new(path.clone());
    std::fs::write(&path, "/*C4*/SET SCHEMA MART\nINSERT INTO T VALUES(1,'a')\n/*C5*/SET SCHEMA RAW\nINSERT INTO ")
        .unwrap();
    assert_eq!(log.rows("MART", "T").unwrap(), [1, 0]);
    let more = "/*C4*/SET SCHEMA MART\nINSERT INTO T VALUES(1,'a')\n/*C5*/SET SCHEMA RAW\nINSERT INTO \"a \"\"b\" \
                VALUES(1)\n/*C4*/DELETE FROM T WHERE K=1 AND V='a'\nCOMMIT\n";
    std::fs::write(&path, more).unwrap();
    assert_eq!(log.rows("MART", "T").unwrap(), [1, 1]);
    assert_eq!(log.rows("RAW", "a \"b").unwrap(), [1, 0]);
    assert_eq!(log.rows("RAW", "T").unwrap(), [0, 0]);
}
