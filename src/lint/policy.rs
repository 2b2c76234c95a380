//! How often a file is run, which decides what a finding is worth: told by the marks of a runner in its text, or by its
//! path.

mod marks;
mod paths;

use crate::dialect;
use crate::lint::detect::first_lines;
use std::ops::Range;

/// How often a file is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Policy {
    /// A runner runs it once and remembers that it did.
    Once,
    /// A runner or a person runs it again.
    Rerun,
    /// Nothing tells.
    Unknown,
}

impl Policy {
    /// The word in the configuration and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Rerun => "rerun",
            Self::Unknown => "unknown",
        }
    }
}

/// Who runs a file, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    /// Its name, for messages, where it is known.
    pub name: Option<&'static str>,
    /// How often the file is run, where its section says nothing else.
    pub policy: Policy,
    /// The runner itself runs the file again: always, or whenever its text changes.
    pub repeats: bool,
    /// The runner wraps the file, or each of its sections, in a transaction. What such a transaction holds together is
    /// the engine's matter: see `ddl_in_transaction` of the dialect's client.
    pub in_transaction: Option<bool>,
    /// The parts into which the runner cuts the file, in order and apart from each other; none where it does not.
    pub sections: Vec<Section>,
}

/// One part of a file that its runner runs by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Bytes of the text, from the line that opens the part.
    pub range: Range<usize>,
    /// How often this part is run, where the runner says it of each.
    pub policy: Option<Policy>,
    /// The part takes the change back: its statements are no part of what the rest does.
    pub down: bool,
}

impl Runner {
    /// A file of which nothing tells who runs it.
    pub fn unknown() -> Self {
        Self { name: None, policy: Policy::Unknown, repeats: false, in_transaction: None, sections: Vec::new() }
    }

    /// The section that holds a byte.
    pub fn section(&self, at: usize) -> Option<&Section> {
        self.section_of(at).and_then(|number| self.sections.get(number))
    }

    /// The number of the section that holds a byte. They are in order, and a file may have as many as statements.
    pub fn section_of(&self, at: usize) -> Option<usize> {
        let number = self.sections.partition_point(|section| section.range.end <= at);
        self.sections.get(number).filter(|section| section.range.contains(&at)).map(|_| number)
    }
}

/// Recognises who runs a file. Marks of a runner in the text say more than a path, a file's name more than its folder.
pub fn recognise(path: &str, text: &str) -> Runner {
    let mut runner = marks::runner(text)
        .or_else(|| paths::by_file(path).map(|kind| kind.runner(text)))
        .or_else(|| marks::model(text))
        .or_else(|| is_dump(text).then(|| paths::DUMP.runner(text)))
        .or_else(|| paths::by_folder(path).map(|kind| kind.runner(text)))
        .unwrap_or_else(Runner::unknown);
    if let Some(name) = marks::without_transaction(text) {
        runner.in_transaction = Some(false);
        runner.name = runner.name.or(Some(name));
        if runner.policy == Policy::Unknown {
            runner.policy = Policy::Once;
        }
    }
    runner
}

/// A dump is loaded into an empty place, whatever folder it lies in.
fn is_dump(text: &str) -> bool {
    first_lines(text).any(|line| {
        let mut dumps = dialect::ALL.iter().flat_map(|dialect| dialect.client.dumps);
        dumps.any(|dump| line.starts_with(dump))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(path: &str, text: &str) -> (Option<&'static str>, Policy, bool, Option<bool>) {
        let runner = recognise(path, text);
        (runner.name, runner.policy, runner.repeats, runner.in_transaction)
    }

    #[test]
    fn marks_say_more_than_a_path_and_a_name_more_than_a_folder() {
        let goose = "-- +goose Up\nSELECT 1;\n";
        assert_eq!(brief("seeds/1_x.sql", goose), (Some("goose"), Policy::Once, false, Some(true)));
        assert_eq!(brief("views/V1__x.sql", ""), (Some("Flyway"), Policy::Once, false, Some(true)));
        assert_eq!(brief("migrations/R__x.sql", ""), (Some("Flyway"), Policy::Rerun, true, Some(true)));
        assert_eq!(brief("x.sql", ""), (None, Policy::Unknown, false, None));
        assert_eq!(brief("-", ""), (None, Policy::Unknown, false, None));
        assert_eq!(brief("", ""), (None, Policy::Unknown, false, None));
    }

    #[test]
    fn a_dump_is_loaded_once_wherever_it_lies() {
        for text in [
            "--\n-- PostgreSQL database dump\n--\n",
            "-- MySQL dump 10.13\n",
            "-- MariaDB dump 10.19\n",
            "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n",
        ] {
            assert_eq!(brief("etl/x.sql", text), (Some("dump"), Policy::Once, false, None), "{text}");
        }
        // Whoever calls it a seed loads it again.
        assert_eq!(brief("seed.sql", "-- MySQL dump 10.13\n").1, Policy::Rerun);
        assert_eq!(brief("etl/x.sql", "-- no dump\n").1, Policy::Rerun);
    }

    #[test]
    fn a_comment_takes_the_transaction_away() {
        for (path, text, name) in [
            ("migrations/20240101_x.sql", "-- no-transaction\nSELECT 1", Some("sqlx")),
            ("x.sql", "-- atlas:txmode none\n\nSELECT 1", Some("Atlas")),
            ("V1__x.sql", "-- flyway:executeInTransaction=false\nSELECT 1", Some("Flyway")),
            ("migrations/1_x.sql", "-- pgmigrate noTransaction", None),
        ] {
            let runner = recognise(path, text);
            assert_eq!(runner.name, name, "{path}");
            assert_eq!(runner.in_transaction, name.map(|_| false), "{path}");
            assert_eq!(runner.policy, Policy::Once, "{path}");
        }
    }

    #[test]
    fn a_section_is_found_by_its_bytes() {
        let text = "-- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT 2;\n";
        let runner = recognise("1_x.sql", text);
        let down = text.find("SELECT 2").unwrap_or_default();
        assert_eq!(runner.section(13).map(|section| section.down), Some(false));
        assert_eq!(runner.section(down).map(|section| section.down), Some(true));
        assert_eq!(runner.section(text.len()), None);
        assert_eq!(Runner::unknown().section(0), None);
    }
}
