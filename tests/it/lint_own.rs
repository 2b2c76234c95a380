//! What we render, read by our own linter: where it finds something, one of the two is wrong.

use crate::support::{cases, files_below};
use idemsql::diagnostic::{Severity, Source};
use idemsql::dialect;
use idemsql::lint::known::Known;
use idemsql::lint::options::Options;
use idemsql::lint::policy::Policy;
use idemsql::lint::{lint, rules};
use std::path::Path;
use std::sync::Arc;

#[test]
fn everything_that_we_render_lints_clean() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for (root, case) in ["fixtures/load", "fixtures/ddl", "fixtures/statements"]
        .iter()
        .flat_map(|root| cases(root).into_iter().map(move |case| (root, case)))
    {
        for file in files_below(&Path::new(root).join(&case)) {
            let path = Path::new(&file);
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let Some(dialect) = dialect::find(stem).filter(|_| path.extension().is_some_and(|ending| ending == "sql"))
            else {
                continue;
            };
            seen += 1;
            let text = std::fs::read_to_string(path).unwrap();
            let source = Arc::new(Source::new(file.clone(), text));
            let options = Options {
                dialect: Some(dialect),
                // A load is run again and again, and so is a definition.
                policy: Some(Policy::Rerun),
                ..Options::usual(rules::ALL.iter().copied())
            };
            for finding in lint(&source, &options, &Known::default()).findings {
                if finding.severity() > Severity::Info {
                    let line = source.position(finding.span().start).line;
                    faults.push(format!("{file}:{line}: {} {}", finding.rule.code, finding.diagnostic.message));
                }
            }
        }
    }
    assert!(seen > 200, "{seen}");
    assert!(faults.is_empty(), "\n{}\n{} faults in {seen} files", faults.join("\n"), faults.len());
}
