//! `fixtures/broken/README.md`: what the folders hold, and which faults the linter sees and which only `verify` does.

use super::case::{Case, ROOT};
use crate::support::{Golden, cases};
use idemsql::diagnostic::Source;
use idemsql::dialect;
use idemsql::lint::known::Known;
use idemsql::lint::options::Options;
use idemsql::lint::policy::Policy;
use idemsql::lint::{lint, rules};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

const HEAD: &str = "\
# Broken loads

<!-- Made by the tests: UPDATE=1 cargo test --test it broken -->

Each folder is one load that is broken on purpose, as a careful person writes it who does not know of the fault. A test
proves that `verify` finds each of them, that the message shows the fault, and that idemsql's own SQL for the same spec
holds. All else in a load is right, so that one fault is found and not another one.

| file | holds |
|---|---|
| `spec.yaml` | what the load should do |
| `load.<dialect>.sql` | the broken load, in each dialect where the fault shows |
| `breaks.txt` | what is broken, and why |
| `twin.<dialect>.sql` | the same load by hand without the fault, where that teaches something |
| `setup.<dialect>.sql` | the target, where the fault needs another one than `verify` makes, and tables beside it |
| `rows/` | rows that show the fault, where made-up rows do not |

| line of `breaks.txt` | meaning |
|---|---|
| `# ...` | why, in sentences; for G4 to G7 also the steps by which it was seen |
| `DIALECT G1 G3` | the guarantees that are broken there. Of G1, G2 and G3 these and no others; of the others at least these |
| `shows G1 TEXT` | a message about the guarantee has the text; `shows DIALECT G1 TEXT` says so of one dialect |
| `lint CODE ...` | the rules by which `idemsql lint` names the fault, or `none` |
| `also CODE ...` | rules that have something else to say |
| `rows only` | made-up rows are of no use: the load keeps a table beside the target |
| `twin on setup` | idemsql's own SQL runs on the case's target, too; else on the one that it asks for |
| `twin refuses` | idemsql's own SQL stops with the engine's error on these rows and writes nothing, which is right |

";

/// The codes of the rules that have something to say of the loads of a case.
fn codes(case: &Case) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for dialect in case.dialects("load") {
        let file = format!("load.{dialect}.sql");
        let options = Options {
            dialect: dialect::find(&dialect),
            // A load is run again and again.
            policy: Some(Policy::Rerun),
            ..Options::usual(rules::ALL.iter().copied())
        };
        let source = Arc::new(Source::new(file.clone(), case.file(&file).unwrap()));
        codes
            .extend(lint(&source, &options, &Known::default()).findings.iter().map(|found| found.rule.code.to_owned()));
    }
    codes
}

#[test]
fn the_linter_names_the_faults_that_breaks_txt_says_it_names() {
    let mut golden = Golden::new(ROOT);
    let mut faults = Vec::new();
    let (mut rows, mut seen, mut all) = (String::new(), 0, 0);
    for name in cases(ROOT) {
        let case = Case::read(&name);
        let found = codes(&case);
        let said: BTreeSet<String> = case.lint.union(&case.also).cloned().collect();
        if found != said {
            faults.push(format!("{name}: breaks.txt says {said:?}, and the linter {found:?}"));
        }
        all += 1;
        seen += usize::from(!case.lint.is_empty());
        let breaks = case
            .breaks
            .iter()
            .map(|(dialect, all)| format!("{dialect} {}", all.iter().cloned().collect::<Vec<_>>().join(" ")));
        let lint =
            if case.lint.is_empty() { "-".to_owned() } else { case.lint.iter().cloned().collect::<Vec<_>>().join(" ") };
        let fault = case.why.split_once(". ").map_or(case.why.trim_end_matches('.'), |(first, _)| first);
        let breaks = breaks.collect::<Vec<_>>().join(", ");
        writeln!(rows, "| [`{name}`]({name}) | {} | {breaks} | {lint} |", fault.replace('|', "\\|")).unwrap();
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(all >= 36, "only {all} loads are broken");
    let text = format!(
        "{HEAD}## The loads\n\n`idemsql lint` names the fault of {seen} of {all} loads by reading them. The test runs them \
         and finds what is broken.\n\n| load | fault | breaks | linter |\n|---|---|---|---|\n{rows}"
    );
    golden.file("README.md", &text);
    golden.finish(|name| name == "README.md");
}
