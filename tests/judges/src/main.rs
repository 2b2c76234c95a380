//! Second readers of our SQL: parsers that share no code and no author with the one that proves it.
//!
//! Every golden file of `fixtures/load`, `fixtures/ddl` and `fixtures/statements`, and every load by another strategy, is read by the [`reader::ALL`] of its
//! dialect. What one cannot read is a fault of ours, unless it is one of theirs that stands in [`exceptions::ALL`] with its
//! reason; an exception that nothing needs any more is a fault as well. A reader is itself tried on pieces that its engine
//! takes and refuses: what it gets wrong stands in [`judged::WRONG`] by name, and what stands there and is right now is a
//! fault too.
//!
//! `tests/judges/run` installs the readers and reads everything; `tests/judges/run PART` only what has that part in
//! `reader/dialect/text`, such as `scriptdom/` or `/oracle/orders`.

mod exceptions;
mod judged;
mod program;
mod reader;
mod sqruff;
mod squawk;
mod text;

use exceptions::{excused, has};
use reader::{Fault, Open, Reader};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use text::{Kind, Text};

/// What one reader said of one dialect.
#[derive(Default)]
struct Verdict {
    reader: &'static str,
    /// What the docs call the reader.
    title: &'static str,
    dialect: &'static str,
    /// Golden files, other loads, pieces of each kind, and definitions and statements that were read.
    read: [usize; 5],
    /// Pieces that the engine refuses and the reader too.
    refused: usize,
    /// Exceptions, each needed.
    exceptions: usize,
    /// Pieces that the reader is known to get wrong.
    wrong: usize,
    /// Everything that is a fault.
    faults: Vec<String>,
    took: Duration,
}

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    if judge(&wanted) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads everything with this part in its name, prints what is wrong and says how much it is.
fn judge(wanted: &str) -> usize {
    let loads = std::env::var_os("IDEMSQL_JUDGES_LOADS").expect("start this with tests/judges/run");
    let texts = text::all(loads.as_ref());
    let jobs: Vec<(&Reader, &'static str)> = reader::ALL
        .iter()
        .flat_map(|reader| reader.dialects.iter().map(move |dialect| (reader, *dialect)))
        .filter(|(reader, dialect)| texts.iter().any(|text| is_wanted(wanted, reader, dialect, text)))
        .collect();
    let verdicts = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            // The grammars are deep: a long expression takes more stack than a thread has by itself.
            let worker = std::thread::Builder::new().stack_size(256 << 20);
            let work = || {
                while let Some((reader, dialect)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = read_all(reader, dialect, &texts, wanted);
                    verdicts.lock().unwrap().push(verdict);
                }
            };
            worker.spawn_scoped(scope, work).unwrap();
        }
    });
    let mut verdicts = verdicts.into_inner().unwrap();
    verdicts.sort_by_key(|verdict| (verdict.dialect, verdict.reader));
    report(&verdicts)
}

fn is_wanted(wanted: &str, reader: &Reader, dialect: &str, text: &Text) -> bool {
    let loads_alone = reader.name == "sqruff" && sqruff::LOADS_ALONE.contains(&dialect);
    !(loads_alone && text.kind == Kind::Other)
        && text.dialect == dialect
        && format!("{}/{dialect}/{}", reader.name, text.name).contains(wanted)
}

/// Has one reader read every text of one dialect.
fn read_all(reader: &Reader, dialect: &'static str, texts: &[Text], wanted: &str) -> Verdict {
    let start = Instant::now();
    let mut verdict = Verdict { reader: reader.name, title: reader.title, dialect, ..Verdict::default() };
    let ended = (reader.open)(dialect).and_then(|mut open| {
        let texts: Vec<&Text> = texts.iter().filter(|text| is_wanted(wanted, reader, dialect, text)).collect();
        for text in &texts {
            read(&mut verdict, &mut open, text)?;
        }
        if wanted.is_empty() { check_exceptions(&mut verdict, &mut open, &texts) } else { Ok(()) }
    });
    if let Err(fault) = ended {
        verdict.faults.push(format!("{} of {dialect} failed: {fault}", reader.name));
    }
    if wanted.is_empty() {
        for (name, _) in judged::of(reader.name, dialect) {
            if !texts.iter().any(|text| text.dialect == dialect && text.name == name) {
                verdict.faults.push(format!("there is no piece {name} of {dialect}, which {} gets wrong", reader.name));
            }
        }
        if verdict.read[Kind::Golden as usize] == 0 || verdict.read[Kind::Bad as usize] == 0 {
            verdict.faults.push(format!("{} of {dialect} proves nothing: it read nothing", reader.name));
        }
    }
    verdict.took = start.elapsed();
    verdict
}

/// Has a text read and says what is wrong with what the reader says.
fn read(verdict: &mut Verdict, open: &mut Open, text: &Text) -> Result<(), String> {
    let (reader, dialect, name) = (verdict.reader, verdict.dialect, &text.name);
    let sql = excused(reader, dialect, &text.sql, None);
    let faults = open(&sql, text.tables.as_deref()).map_err(|fault| format!("{name}: {fault}"))?;
    verdict.read[text.kind as usize] += 1;
    let is_right = faults.is_empty() == (text.kind != Kind::Bad);
    let known = judged::of(reader, dialect).find(|(known, _)| known == name);
    match (known, is_right) {
        (Some(_), false) => verdict.wrong += 1,
        (Some((_, because)), true) => verdict
            .faults
            .push(format!("{reader} is right about {name} of {dialect} now, take it off its errors ({because})")),
        (None, true) => verdict.refused += usize::from(text.kind == Kind::Bad),
        (None, false) if text.kind == Kind::Bad => {
            verdict.faults.push(format!("{reader} takes what {dialect} refuses, {name}:\n    {}", text.sql.trim_end()));
        }
        (None, false) => {
            verdict.faults.push(format!("{reader} cannot read {dialect}, {name}{}", shown(&faults)));
        }
    }
    Ok(())
}

/// Every exception of a reader must be needed by a text.
fn check_exceptions(verdict: &mut Verdict, open: &mut Open, texts: &[&Text]) -> Result<(), String> {
    let (reader, dialect) = (verdict.reader, verdict.dialect);
    for (at, exception) in exceptions::of(reader, dialect) {
        let mut needed = false;
        for text in texts.iter().filter(|text| text.kind != Kind::Bad) {
            if has(&text.sql, exception) {
                let sql = excused(reader, dialect, &text.sql, Some(at));
                needed = !open(&sql, text.tables.as_deref())?.is_empty();
                if needed {
                    break;
                }
            }
        }
        if needed {
            verdict.exceptions += 1;
        } else {
            verdict.faults.push(format!(
                "nothing in {dialect} needs this exception of {reader} any more: `{}` ({})",
                exception.text, exception.because
            ));
        }
    }
    Ok(())
}

/// The first of the faults, a line each.
fn shown(faults: &[Fault]) -> String {
    let line = |fault: &Fault| {
        format!("\n    line {}: {}", fault.line, fault.text.lines().take(4).collect::<Vec<_>>().join("\n      "))
    };
    faults.iter().take(2).map(line).collect()
}

/// Prints what each reader did and what is wrong, and counts the latter.
fn report(verdicts: &[Verdict]) -> usize {
    for verdict in verdicts {
        let [golden, loads, good, bad, other] = verdict.read;
        println!(
            "{}, {}: read {golden} golden files, {loads} other loads, {other} files of definitions and statements, and {good} \
             good pieces; refused {} of {bad} bad ones; {} exceptions, {} known errors; {:.1} s",
            verdict.dialect,
            verdict.title,
            verdict.refused,
            verdict.exceptions,
            verdict.wrong,
            verdict.took.as_secs_f64()
        );
    }
    let faults: Vec<&String> = verdicts.iter().flat_map(|verdict| &verdict.faults).collect();
    for fault in &faults {
        println!("{fault}");
    }
    println!("{} readers, {} faults", verdicts.len(), faults.len());
    // Nothing read proves nothing.
    faults.len() + usize::from(verdicts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{exceptions, judge, judged, reader};

    #[test]
    fn every_golden_file_and_every_load_is_read() {
        assert_eq!(judge(""), 0, "see above");
    }

    #[test]
    fn every_exception_is_explained_and_has_a_reader() {
        let reads = |name: &str, dialect: &str| {
            reader::ALL.iter().any(|reader| reader.name == name && reader.dialects.contains(&dialect))
        };
        for exception in exceptions::ALL {
            assert!(exception.because.len() > 20 && !exception.dialects.is_empty(), "{}", exception.text);
            assert!(exception.dialects.iter().all(|dialect| reads(exception.reader, dialect)), "{}", exception.text);
        }
        for wrong in judged::WRONG {
            assert!(wrong.because.len() > 20 && !wrong.pieces.is_empty(), "{}", wrong.reader);
            assert!(reads(wrong.reader, wrong.dialect), "{} does not read {}", wrong.reader, wrong.dialect);
        }
    }

    /// The row of each dialect in the table that people read is made from `Dialect::reader`.
    #[test]
    fn the_docs_name_the_nearest_reader_of_each_dialect() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dialects.md");
        let docs = std::fs::read_to_string(docs).unwrap();
        for dialect in super::sqruff::DIALECTS {
            let row = docs.lines().find(|line| line.starts_with(&format!("| `{dialect}` |"))).unwrap();
            let nearest = reader::ALL.iter().find(|reader| reader.dialects.contains(dialect)).unwrap();
            assert!(row.ends_with(&format!("| {} |", nearest.title)), "{dialect}: {}\n{row}", nearest.title);
        }
    }
}
