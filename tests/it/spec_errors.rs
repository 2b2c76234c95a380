//! Every refusal of the spec reader, as the user sees it: `fixtures/spec-errors/<case>/` holds a spec and its message.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use idemsql::diagnostic::{Source, Style, render};
use idemsql::spec::Spec;

/// What the user sees for the spec of a case, and the codes of the faults.
fn refused(case: &Path) -> (String, Vec<&'static str>) {
    let source = Source::new("spec.yaml", fs::read_to_string(case.join("spec.yaml")).unwrap());
    let files = |path: &str| fs::read_to_string(case.join(path)).map_err(|_| "there is no such file".to_owned());
    match Spec::read(Arc::new(source), &files) {
        Ok(_) => panic!("{} is not refused", case.display()),
        Err(faults) => (render(&faults, Style::Plain), faults.iter().map(|fault| fault.code).collect()),
    }
}

#[test]
fn every_refusal_says_where_why_and_what_to_write() {
    let update = std::env::var_os("UPDATE").is_some();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/spec-errors");
    let mut cases: Vec<_> = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 40, "only {} cases", cases.len());
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for case in cases {
        let spec = fs::read_to_string(case.join("spec.yaml")).unwrap();
        for file in fs::read_dir(&case).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            let known = name == "spec.yaml" || name == "message.txt" || spec.contains(&name);
            assert!(known, "{}: nothing reads or writes {name}", case.display());
        }
        let (message, codes) = refused(&case);
        seen.extend(codes);
        let path = case.join("message.txt");
        if update {
            fs::write(&path, &message).unwrap();
        } else if fs::read_to_string(&path).ok().as_deref() != Some(&message) {
            wrong.push(format!("{}\n{message}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "UPDATE=1 rewrites these:\n\n{}", wrong.join("\n"));
    let all = codes_of_the_source();
    let unseen: Vec<_> = all.iter().filter(|code| !seen.contains(code.as_str())).collect();
    assert!(unseen.is_empty(), "no case shows {unseen:?}");
}

/// Every code that stands in `src/spec`.
fn codes_of_the_source() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/spec")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(path).unwrap();
                codes.extend(text.split('"').filter(|part| part.starts_with("spec-")).map(str::to_owned));
            }
        }
    }
    codes
}
