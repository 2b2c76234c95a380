//! Any bytes, in any dialect or in none, through the whole linter: no panic; places inside the text; the same findings each
//! time; fixes that are apart from each other and end on whole characters.
#![no_main]

use idemsql::diagnostic::{Source, Style, render};
use idemsql::dialect;
use idemsql::lint::known::Known;
use idemsql::lint::options::Options;
use idemsql::lint::{fix, lint, parse, rules};
use idemsql::sql::decode::decode;
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

const NAMES: [&str; 6] = ["x.sql", "V1__x.sql", "R__x.sql", "migrations/1_x.sql", "seeds/x.sql", "x.down.sql"];

fuzz_target!(|data: &[u8]| {
    let [first, second, rest @ ..] = data else { return };
    let which = usize::from(*first) % (dialect::ALL.len() + 1);
    let options = Options {
        dialect: dialect::ALL.get(which).copied(),
        pedantic: second & 64 > 0,
        bodies: second & 128 > 0,
        ..Options::usual(rules::ALL.iter().copied())
    };
    let text = decode(rest.to_vec()).text;
    let source = Arc::new(Source::new(NAMES[usize::from(*second) % NAMES.len()], text));
    let mut known = Known::default();
    parse(&source, &options).teach(&mut known);
    let checked = lint(&source, &options, &known);
    let again = lint(&source, &options, &known);
    assert_eq!(checked.findings.len(), again.findings.len());
    for finding in &checked.findings {
        for label in &finding.diagnostic.labels {
            assert!(label.span.end <= source.text.len() && label.span.start <= label.span.end);
        }
    }
    let all: Vec<_> = checked.findings.iter().map(|finding| finding.diagnostic.clone()).collect();
    let _ = render(&all, Style::Plain);
    let fixes: Vec<_> = checked.findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
    let _ = fix::apply(&source.text, &fixes);
});
