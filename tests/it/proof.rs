//! What an engine was found to hold, as the page on the guarantees shows it: made by the run that found it.

use crate::engines::{dialect_of, gaps};
use idemsql::dialect;
use idemsql::dialect::mechanism::Proof;
use idemsql::engine::Database;
use idemsql::plan::GUARANTEES;
use idemsql::verify::{Judgement, Outcome};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// Where the tables are, one for each engine.
pub const ROOT: &str = "fixtures/guarantees";

/// How often each outcome was found: held, not promised, not run.
type Counts = [usize; 3];

/// What was found on one engine.
#[derive(Default)]
pub struct Found {
    strategies: BTreeMap<&'static str, [Counts; 7]>,
}

impl Found {
    /// Adds what was found of a load. A broken promise is a failure of the test that tells it.
    pub fn add(&mut self, strategy: &'static str, judgement: &Judgement) {
        let counts = self.strategies.entry(strategy).or_default();
        for (counts, verdict) in counts.iter_mut().zip(&judgement.verdicts) {
            match verdict.outcome {
                Outcome::Held => counts[0] += 1,
                Outcome::Broken { .. } => {}
                Outcome::NotPromised(_) => counts[1] += 1,
                Outcome::NotRun(_) => counts[2] += 1,
            }
        }
    }

    /// The table of the engine, with what else is to be said of it and what the engine cannot run.
    pub fn table(&self, engine: &str, database: &dyn Database, says: &str) -> String {
        let mut out = format!("### {}\n\n| strategy |", title(engine, database));
        for guarantee in GUARANTEES {
            write!(out, " {} {} |", guarantee.code, guarantee.name).unwrap();
        }
        out.push_str("\n|---|---|---|---|---|---|---|---|\n");
        for (strategy, counts) in &self.strategies {
            let cells: Vec<String> = counts.iter().map(cell).collect();
            writeln!(out, "| `{strategy}` | {} |", cells.join(" | ")).unwrap();
        }
        let mut gaps: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for gap in gaps::ALL.iter().filter(|gap| gap.engine == engine) {
            let place = match gap.place.trim_end_matches(',') {
                "" => "the loads of staged tables".to_owned(),
                case => format!("`{case}`"),
            };
            gaps.entry(gap.because).or_default().push(place);
        }
        let gaps = gaps.iter().map(|(because, places)| format!("Not run, as {because}: {}.", places.join(", ")));
        for line in gaps.chain((!says.is_empty()).then(|| says.to_owned())) {
            write!(out, "\n{line}\n").unwrap();
        }
        out
    }
}

/// `12 held, 3 not promised`
fn cell(counts: &Counts) -> String {
    let words = ["held", "not promised", "not run"];
    let some = counts.iter().zip(words).filter(|(count, _)| **count > 0);
    let parts: Vec<String> = some.map(|(count, word)| format!("{count} {word}")).collect();
    parts.join(", ")
}

/// The product and its version, as the proof of its dialect says it; and that is the version that runs here.
fn title(engine: &str, database: &dyn Database) -> String {
    let mut session = database.session().unwrap();
    let version = session.version().unwrap();
    let said = match dialect::find(dialect_of(engine)).unwrap().proof {
        // Of two versions of one product the proof names the older.
        Proof::Executed(_) if engine == "postgres18" => "PostgreSQL 18".to_owned(),
        Proof::Executed(said) => said.to_owned(),
        // It names every engine that stands in, and what comes first is the product.
        Proof::StandIn { engine: engines, .. } => {
            let mut engines = engines.split(", ").flat_map(|engines| engines.split(" and "));
            let named = |it: &&str| it.to_lowercase().starts_with(&format!("{engine} "));
            engines.find(named).unwrap_or_else(|| panic!("the dialect of {engine} does not name it")).to_owned()
        }
        Proof::Parsed => panic!("{engine} runs, and its dialect says that nothing does"),
    };
    let number = said.split(' ').find(|word| word.starts_with(|c: char| c.is_ascii_digit())).unwrap();
    assert!(version.contains(number), "{engine} is {version}, and the dialect says {said}");
    said
}

/// All tables that were made.
pub fn tables() -> String {
    let mut files: Vec<_> = fs::read_dir(ROOT).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| format!("{}\n", fs::read_to_string(file).unwrap())).collect()
}
