//! What several tests share: the cases of `fixtures/load`, and files that are compared or rewritten.

use idemsql::diagnostic::Source;
use idemsql::spec::Spec;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The folders of a fixture directory, sorted.
pub fn cases(root: &str) -> Vec<String> {
    let entries = fs::read_dir(root).unwrap_or_else(|fault| panic!("{root}: {fault}"));
    let mut all: Vec<String> = entries
        .map(Result::unwrap)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    all.sort();
    assert!(!all.is_empty(), "{root} holds no case");
    all
}

/// The spec of a case of `fixtures/load`.
pub fn spec(case: &str) -> Spec {
    spec_in("fixtures/load", case)
}

/// The spec of a case of a fixture directory.
pub fn spec_in(root: &str, case: &str) -> Spec {
    let folder = Path::new(root).join(case);
    let text = fs::read_to_string(folder.join("spec.yaml")).unwrap_or_else(|fault| panic!("{case}: {fault}"));
    let name = format!("{root}/{case}/spec.yaml");
    let files = |file: &str| fs::read_to_string(folder.join(file)).map_err(|fault| fault.to_string());
    Spec::read(Arc::new(Source::new(name, text)), &files).unwrap_or_else(|faults| panic!("{case}: {faults:#?}"))
}

/// Files under a directory that a test makes: compared, or written when `UPDATE` is set.
pub struct Golden {
    root: &'static str,
    update: bool,
    made: BTreeSet<String>,
    stale: Vec<String>,
}

impl Golden {
    pub fn new(root: &'static str) -> Self {
        let update = std::env::var_os("UPDATE").is_some();
        Self { root, update, made: BTreeSet::new(), stale: Vec::new() }
    }

    /// One file and what it must hold.
    pub fn file(&mut self, name: &str, text: &str) {
        let path = Path::new(self.root).join(name);
        self.made.insert(name.to_owned());
        let old = fs::read_to_string(&path).unwrap_or_default();
        if old == text {
            return;
        }
        if self.update {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        } else {
            let diff = similar::TextDiff::from_lines(old.as_str(), text);
            self.stale.push(format!("{}:\n{}", path.display(), diff.unified_diff().context_radius(2)));
        }
    }

    /// Fails when a file is stale, or when one of ours (as `ours` says of its name) was made by nothing.
    pub fn finish(self, ours: impl Fn(&str) -> bool) {
        let mut left = Vec::new();
        for path in files_below(Path::new(self.root)) {
            let name = path.strip_prefix(&format!("{}/", self.root)).unwrap_or(&path).to_owned();
            if ours(&name) && !self.made.contains(&name) {
                if self.update {
                    fs::remove_file(&path).unwrap();
                } else {
                    left.push(name);
                }
            }
        }
        assert!(self.stale.is_empty(), "stale; rewrite with UPDATE=1:\n{}", self.stale.join("\n"));
        assert!(left.is_empty(), "nothing makes these files: {left:?}");
    }
}

/// Every file below a folder, with `/` between the parts.
pub fn files_below(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|fault| panic!("{}: {fault}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files_below(&path));
        } else {
            all.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    all.sort();
    all
}
