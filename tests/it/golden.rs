//! The specs of `fixtures/load` and the SQL that they make, one file for each dialect, readable in review.
//!
//! `UPDATE=1 cargo test` writes the files; a plain run compares them, and fails on a file that nothing made.

use crate::support::{Golden, cases, spec};
use idemsql::dialect;
use idemsql::plan::plan;
use idemsql::render::render;
use similar::TextDiff;
use std::fmt::Write as _;

/// The header of a golden file, as `idemsql render` writes it.
fn header(case: &str, plan: &idemsql::plan::Plan) -> Vec<String> {
    let mut lines = vec![format!("{}: {}, {}", case, plan.strategy.name, plan.dialect.title)];
    lines.extend(plan.needs.iter().map(|need| format!("Needs {need}.")));
    lines
}

#[test]
fn every_spec_renders_for_every_dialect_or_says_why_not() {
    let mut golden = Golden::new("fixtures/load");
    let mut bugs = Vec::new();
    for case in cases("fixtures/load") {
        let spec = spec(&case);
        let mut refused = String::new();
        let mut rendered: Vec<(&str, String)> = Vec::new();
        for dialect in dialect::ALL {
            let mut texts = Vec::new();
            for table in spec.tables() {
                let made = table.for_dialect(dialect.name).and_then(|table| plan(&table, dialect, None));
                match made {
                    Ok(plan) => match render(&plan, &header(&case, &plan)) {
                        Ok(sql) => texts.push(sql),
                        Err(fault) => bugs.push(format!("{case}, {}: {}", dialect.name, fault.message)),
                    },
                    Err(faults) => {
                        for fault in faults {
                            let help = fault.help.unwrap_or_default();
                            writeln!(refused, "{}: {}\n  help: {help}", dialect.name, fault.message).unwrap();
                        }
                    }
                }
            }
            if !texts.is_empty() {
                rendered.push((dialect.name, texts.join("\n")));
            }
        }
        let base =
            rendered.iter().find(|(name, _)| *name == "postgres").map(|(_, sql)| sql.clone()).unwrap_or_default();
        let mut differences = String::new();
        for (name, sql) in &rendered {
            golden.file(&format!("{case}/{name}.sql"), sql);
            if *name != "postgres" {
                let diff = TextDiff::from_lines(&base, sql);
                differences.push_str(
                    &diff.unified_diff().context_radius(1).header("postgres.sql", &format!("{name}.sql")).to_string(),
                );
            }
        }
        golden.file(&format!("{case}/dialects.diff"), &differences);
        if !refused.is_empty() {
            golden.file(&format!("{case}/refused.txt"), &refused);
        }
    }
    assert!(bugs.is_empty(), "{}", bugs.join("\n\n"));
    let sql = |path: &str| std::path::Path::new(path).extension().is_some_and(|ending| ending == "sql");
    golden.finish(|path| sql(path) || path.ends_with("dialects.diff") || path.ends_with("refused.txt"));
}
