//! Every refusal of the plan, as the user sees it: `fixtures/refused/<case>/` holds a spec that reads well and the message.
//!
//! A case is planned for the dialects that its spec names. `UPDATE=1 cargo test` writes the messages.

use crate::support::{Golden, cases, files_below};
use idemsql::diagnostic::{Diagnostic, Source, Style, render};
use idemsql::dialect;
use idemsql::plan::dbt::plan_dbt;
use idemsql::plan::ddl::plan_ddl;
use idemsql::plan::plan;
use idemsql::plan::statements::{has_statements, plan_statements};
use idemsql::spec::{OutputForm, Spec};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const ROOT: &str = "fixtures/refused";

/// What is said against the spec of a case, each fault once; none when it is planned.
///
/// # Errors
/// When the spec itself does not read well: that belongs into `fixtures/spec-errors`.
fn faults(case: &str) -> Result<Vec<Diagnostic>, String> {
    let folder = Path::new(ROOT).join(case);
    let text = fs::read_to_string(folder.join("spec.yaml")).unwrap();
    let files = |file: &str| fs::read_to_string(folder.join(file)).map_err(|fault| fault.to_string());
    let spec = Spec::read(Arc::new(Source::new("spec.yaml", text)), &files)
        .map_err(|faults| format!("{case}:\n{}", render(&faults, Style::Plain)))?;
    let older = fs::read_to_string(folder.join("old.yaml")).ok();
    let older = older.map(|text| Spec::read(Arc::new(Source::new("old.yaml", text)), &files).unwrap());
    let mut all: Vec<Diagnostic> = Vec::new();
    for table in spec.tables() {
        assert!(!table.dialects().is_empty(), "{case} names no dialect");
        for name in table.dialects() {
            let dialect = dialect::find(&name.value).unwrap();
            let resolved = table
                .for_dialect(dialect.name)
                .map_err(|faults| format!("{case}:\n{}", render(&faults, Style::Plain)))?;
            let refused = match resolved.forms.first().map(|form| form.value) {
                Some(OutputForm::Dbt) => plan_dbt(&resolved, dialect, None).err(),
                Some(OutputForm::Ddl) => plan_ddl(&resolved, dialect, None)
                    .and_then(|plan| match &older {
                        Some(older) => {
                            let older = older.tables()[0].for_dialect(dialect.name).unwrap();
                            plan.change_from(&plan_ddl(&older, dialect, None).unwrap(), false)
                        }
                        None => Ok(plan),
                    })
                    .err(),
                _ if has_statements(&resolved, None).unwrap_or(false) => {
                    plan_statements(&resolved, dialect, None).err()
                }
                _ => plan(&resolved, dialect, None).err(),
            };
            for fault in refused.into_iter().flatten() {
                let fault = if fault.source.is_some() { fault } else { fault.in_source(spec.source()) };
                if !all.contains(&fault) {
                    all.push(fault);
                }
            }
        }
    }
    Ok(all)
}

#[test]
fn every_refusal_of_the_plan_says_where_why_and_what_to_write() {
    let mut golden = Golden::new(ROOT);
    let (mut planned, mut unread, mut helpless, mut seen) = (Vec::new(), Vec::new(), Vec::new(), BTreeSet::new());
    for case in cases(ROOT) {
        let spec = fs::read_to_string(Path::new(ROOT).join(&case).join("spec.yaml")).unwrap();
        for file in fs::read_dir(Path::new(ROOT).join(&case)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            let known = name == "spec.yaml" || name == "message.txt" || name == "old.yaml" || spec.contains(&name);
            assert!(known, "{case}: nothing reads or writes {name}");
        }
        let faults = match faults(&case) {
            Ok(faults) => faults,
            Err(fault) => {
                unread.push(fault);
                continue;
            }
        };
        if faults.is_empty() {
            planned.push(case);
            continue;
        }
        for fault in &faults {
            assert!(!fault.labels.is_empty(), "{case}: `{}` has no place", fault.message);
            if fault.help.is_none() {
                helpless.push(format!("{case}: {}", fault.message));
            }
            seen.insert(fault.code.to_owned());
        }
        golden.file(&format!("{case}/message.txt"), &render(&faults, Style::Plain));
    }
    assert!(unread.is_empty(), "these specs must read well:\n{}", unread.join("\n"));
    assert!(planned.is_empty(), "these are not refused: {planned:?}");
    golden.finish(|path| path.ends_with("message.txt"));
    assert!(helpless.is_empty(), "these do not say what to do:\n{}", helpless.join("\n"));
    let all = codes_of_the_source();
    assert_eq!(all, seen, "every code of src/plan needs a case");
}

/// Every code that stands in `src/plan`.
fn codes_of_the_source() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for path in files_below(Path::new("src/plan")) {
        let text = fs::read_to_string(path).unwrap();
        codes.extend(text.split('"').filter(|part| part.starts_with("plan-")).map(str::to_owned));
    }
    assert!(codes.len() > 8, "{codes:?}");
    codes
}
