//! No text makes the spec reader or the renderer panic, and every fault is inside its file.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write;
use std::sync::Arc;

use idemsql::diagnostic::{Source, Style, render};
use idemsql::spec::Spec;
use proptest::prelude::*;

const SPEC: &str = "version: 1\ndefaults: &d {dialects: [postgres]}\ntables:\n  - name: orders # é\n    source: {rows: \
                    [{a: 1, b: 'x''y'}, [2, \"\\u00e9\"]]}\n    unique_key: [a]\n    incremental_column: \
                    a\n    overlap_window: 3\n    deletes: {when: \"b = 'D'\", action: delete}\n    \
                    columns:\n      - {name: a, type: int}\n      - name: b\n        type: {postgres: \
                    text}\n        description: |\n          two\n          lines\n    overrides:\n      \
                    postgres: {<<: *d, schema: s}\n";

fn check(text: &str) {
    let source = Arc::new(Source::new("spec.yaml", text));
    let Err(faults) = Spec::read(source, &|_| Err("no".to_owned())) else { return };
    assert!(!faults.is_empty());
    for fault in &faults {
        let text = &fault.source.as_ref().unwrap().text;
        assert!(!fault.labels.is_empty(), "{} has no place", fault.message);
        assert!(fault.labels.iter().all(|label| text.get(label.span.clone()).is_some()), "{fault:?}");
    }
    assert!(render(&faults, Style::Plain).contains("spec.yaml:"));
}

proptest! {
    #[test]
    fn a_damaged_spec_is_refused_in_order(at in 0..SPEC.len(), len in 0..12_usize, new in "[\\[\\]{}:,'\"|>#&*!%@\n\t é0-9a-z~-]{0,4}") {
        let mut text = SPEC.to_owned();
        let start = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let end = (start + len..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text.replace_range(start..end, &new);
        check(&text);
    }

    #[test]
    fn any_text_is_refused_in_order(text in "\\PC{0,80}") {
        check(&text);
        check(&format!("version: 1\ntables: [{text}]"));
    }
}

#[test]
fn bombs_and_deep_nests_are_refused() {
    check(&"[".repeat(100_000));
    check(&format!("version: 1\ntables: {}{}", "[".repeat(240), "]".repeat(240)));
    check(&"{a: ".repeat(250));
    let mut bomb = "version: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{aliases}]").unwrap();
    }
    check(&bomb);
}
