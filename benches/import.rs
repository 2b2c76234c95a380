//! How long the import of a dbt project with 1,000 incremental models takes: the CPU seconds of the whole process, by the
//! kernel's own account. `cargo bench --bench import`, or `cargo bench --bench import -- 200` for fewer models.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use serde_json::{Map, Value};
use std::fs;
use std::process::{Command, Stdio};

fn main() {
    let models = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1000);
    let text = fs::read_to_string("fixtures/import/dbt/manifest.json").unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    let before = manifest["nodes"].as_object().unwrap().clone();
    let incremental: Vec<(&String, &Value)> =
        before.iter().filter(|(_, node)| node["config"]["materialized"] == "incremental").collect();
    let mut nodes: Map<String, Value> = before.clone();
    for number in 0..models {
        // The models of the project in turn, each under another name.
        let (id, node) = incremental[number % incremental.len()];
        let mut copy = node.clone();
        copy["alias"] = Value::from(format!("{}_{number}", node["alias"].as_str().unwrap()));
        copy["name"] = copy["alias"].clone();
        nodes.insert(format!("{id}_{number}"), copy);
    }
    manifest["nodes"] = Value::Object(nodes);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("manifest.json");
    fs::write(&path, manifest.to_string()).unwrap();
    let size = fs::metadata(&path).unwrap().len();
    let now = children();
    let runs = 5;
    for _ in 0..runs {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idemsql"));
        command.arg("import").arg("dbt").arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        // Some of the models have no key, and that is what 1 says.
        assert_eq!(command.status().unwrap().code(), Some(1));
    }
    let seconds = (children() - now) / f64::from(runs);
    println!("{models} models of {size} bytes imported in {seconds:.3} s of CPU, {runs} runs");
}

/// CPU seconds of the children that are done, user and system. The kernel counts in hundredths.
fn children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let behind: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (behind[13].parse::<f64>().unwrap() + behind[14].parse::<f64>().unwrap()) / 100.0
}
