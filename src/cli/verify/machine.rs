//! What was found, for programs: one JSON document, or JUnit's XML.

use super::place::Place;
use super::{Report, artifact};
use crate::cli::report::xml;
use crate::verify::{Outcome, Ran, Verdict};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// `{"engine": .., "version": .., "dialect": .., "loads": [..]}`
pub(super) fn json(place: &Place, reports: &[Report]) -> String {
    let loads: Vec<Json> = reports.iter().map(load).collect();
    let document = json!({
        "engine": place.engine,
        "version": place.version,
        "dialect": place.dialect.name,
        "loads": loads,
    });
    format!("{document:#}\n")
}

fn load(report: &Report) -> Json {
    let mut made = json!({
        "table": report.title,
        "strategy": report.strategy,
        "own_strategy": report.own,
        "seconds": (report.took.as_secs_f64() * 1000.0).round() / 1000.0,
        "notes": report.notes,
        "files": report.artifacts.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
    });
    match &report.found {
        Err(why) => made["not_run"] = json!(why),
        Ok(found) => made["guarantees"] = found.verdicts.iter().map(|verdict| guarantee(verdict, found.ran)).collect(),
    }
    made
}

fn guarantee(verdict: &Verdict, ran: Ran) -> Json {
    let mut made = json!({
        "code": verdict.guarantee.code,
        "name": verdict.guarantee.name,
        "outcome": word(&verdict.outcome),
        "scenarios": verdict.scenarios,
    });
    match ran {
        Ran::Loads => {
            made["loads"] = json!(verdict.loads);
            made["rows"] = json!(verdict.rows);
            made["killed_inside"] = json!(verdict.killed_inside);
        }
        Ran::Statements => made["statements"] = json!(verdict.loads),
    }
    match &verdict.outcome {
        Outcome::Held => {}
        Outcome::NotPromised(why) | Outcome::NotRun(why) => made["because"] = json!(why),
        Outcome::Broken { fault, scenario } => {
            made["steps"] = json!(fault.steps);
            made["found"] = json!(fault.found);
            made["scenario"] = match ran {
                Ran::Loads => artifact::scenario_json(scenario),
                Ran::Statements => json!({ "name": scenario.name }),
            };
        }
    }
    made
}

/// The outcome as programs compare it.
fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Held => "held",
        Outcome::Broken { .. } => "broken",
        Outcome::NotPromised(_) => "not_promised",
        Outcome::NotRun(_) => "not_run",
    }
}

/// A suite for each load, a case for each guarantee.
pub(super) fn junit(place: &Place, reports: &[Report]) -> String {
    let mut suites = String::new();
    let mut all = [0; 3];
    for report in reports {
        let name = xml(&format!("{} {}", report.title, report.strategy.unwrap_or("given SQL")));
        let (cases, counts) = cases(&name, report);
        let [tests, failures, skipped] = counts;
        for (sum, count) in all.iter_mut().zip(counts) {
            *sum += count;
        }
        let _ = writeln!(
            suites,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" \
             time=\"{:.3}\">\n{cases}  </testsuite>",
            report.took.as_secs_f64()
        );
    }
    let [tests, failures, skipped] = all;
    let engine = xml(&format!("idemsql verify on {} {}", place.title, place.version));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{engine}\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n{suites}</testsuites>\n"
    )
}

/// The cases of one load, and how many there are, failed and were skipped.
fn cases(name: &str, report: &Report) -> (String, [usize; 3]) {
    let case = |title: &str, inner: &str| {
        format!("    <testcase classname=\"{name}\" name=\"{}\">\n{inner}    </testcase>\n", xml(title))
    };
    let skip = |why: &str| format!("      <skipped message=\"{}\"/>\n", xml(why));
    let failure = |title: &str, text: &str| {
        // Between tags a line end may stand as it is, and is read more easily.
        let text = xml(text).replace("&#10;", "\n");
        format!("      <failure message=\"{}\">{text}</failure>\n", xml(title))
    };
    let found = match &report.found {
        Ok(found) => found,
        Err(why) if report.failed => return (case("load", &failure("nothing could be tried", why)), [1, 1, 0]),
        Err(why) => return (case("load", &skip(why)), [1, 0, 1]),
    };
    let (mut out, mut counts) = (String::new(), [0; 3]);
    for verdict in &found.verdicts {
        let title = format!("{} {}", verdict.guarantee.code, verdict.guarantee.name);
        counts[0] += 1;
        let inner = match &verdict.outcome {
            Outcome::Held => String::new(),
            Outcome::NotPromised(why) => {
                counts[2] += 1;
                skip(&format!("not promised: {why}"))
            }
            Outcome::NotRun(why) => {
                counts[2] += 1;
                skip(&format!("not run: {why}"))
            }
            Outcome::Broken { fault, scenario } => {
                counts[1] += 1;
                failure(&format!("{} ({})", fault.steps, scenario.name), &fault.found)
            }
        };
        out.push_str(&case(&title, &inner));
    }
    (out, counts)
}
