//! The proof of a rendered text rejects every text that says something else.
//!
//! [`NAMED`] are corruptions that a person would make. Beyond them every token of the golden SQL is left out, doubled and
//! replaced in turn; what the proof takes all the same must mean the same, for one of the reasons of [`equivalent`].

mod named;

use crate::support::{cases, spec};
use idemsql::dialect;
use idemsql::plan::{Plan, plan};
use idemsql::render::{prove, render};
use idemsql::sql::parse::parse;
use named::NAMED;
use sqlparser::tokenizer::Token;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A load and its SQL, as it was rendered.
struct Text {
    case: String,
    plan: Plan,
    sql: String,
}

/// Every load of some cases that can be planned, in every dialect.
fn texts(wanted: impl Fn(&str) -> bool) -> Vec<Text> {
    let mut all = Vec::new();
    for case in cases("fixtures/load").into_iter().filter(|case| wanted(case)) {
        let spec = spec(&case);
        for dialect in dialect::ALL {
            for table in spec.tables() {
                let Ok(plan) = table.for_dialect(dialect.name).and_then(|table| plan(&table, dialect, None)) else {
                    continue;
                };
                let sql = render(&plan, &[]).unwrap();
                all.push(Text { case: case.clone(), plan, sql });
            }
        }
    }
    all
}

/// The tokens of a text that count, semicolons among them, with their bytes.
fn tokens(text: &Text) -> Vec<(Range<usize>, Token)> {
    let parsed = parse(&text.sql, text.plan.dialect).unwrap();
    let mut all = Vec::new();
    for statement in parsed {
        let end = statement.range.end;
        all.extend(statement.tokens.into_iter().map(|lexeme| (lexeme.range, lexeme.token)));
        let semicolon = end + text.sql[end..].find(';').unwrap();
        all.push((semicolon..semicolon + 1, Token::SemiColon));
    }
    all
}

/// What a token becomes, so that the text is still one that could be read: the nearest thing that means something else.
fn replacement(token: &Token, source: &str) -> String {
    let swapped = [
        ("AND", "OR"),
        ("OR", "AND"),
        ("DESC", "ASC"),
        ("LAST", "FIRST"),
        ("LEFT", "RIGHT"),
        ("ALL", "DISTINCT"),
        ("MAX", "MIN"),
        ("COALESCE", "NULLIF"),
        ("NOT", "DISTINCT"),
        ("EXCEPT", "INTERSECT"),
        ("IF", "NULLIF"),
        ("UPDATE", "DELETE"),
        ("COMMIT", "ROLLBACK"),
        ("THEN", "ELSE"),
        ("NOTHING", "UPDATE"),
        ("b", "o"),
        ("o", "b"),
        ("t", "b"),
        ("s", "h"),
        ("EXCLUDED", "t"),
    ];
    if let Some((_, new)) = swapped.iter().find(|(old, _)| source.eq_ignore_ascii_case(old)) {
        return (*new).to_owned();
    }
    match token {
        Token::Number(digits, _) => format!("{digits}1"),
        Token::Eq => "<>".to_owned(),
        Token::Neq => "=".to_owned(),
        Token::GtEq => ">".to_owned(),
        Token::Gt => ">=".to_owned(),
        Token::Lt => "<=".to_owned(),
        Token::LtEq => "<".to_owned(),
        Token::Spaceship => "=".to_owned(),
        Token::Minus => "+".to_owned(),
        Token::Comma => ";".to_owned(),
        Token::SemiColon => ",".to_owned(),
        Token::LParen => "(1 + ".to_owned(),
        Token::RParen => "::text)".to_owned(),
        Token::Period => "_".to_owned(),
        _ if source.ends_with('\'') => format!("{} '", &source[..source.len() - 1]),
        // Behind the last quote, so that the name is another one whatever its quotes are.
        Token::Word(word) if word.quote_style.is_some() => source.replacen(&word.value, "zz", 1),
        _ => format!("{source}_z"),
    }
}

/// A text that differs from a rendered one in one place.
struct Mutation {
    what: &'static str,
    /// Bytes of the rendered text.
    at: Range<usize>,
    new: String,
}

fn mutations(text: &Text) -> Vec<Mutation> {
    let mut all = Vec::new();
    for (at, token) in tokens(text) {
        let source = &text.sql[at.clone()];
        all.push(Mutation { what: "without", at: at.clone(), new: " ".to_owned() });
        all.push(Mutation { what: "twice", at: at.clone(), new: format!("{source} {source}") });
        all.push(Mutation { what: "other", at: at.clone(), new: replacement(&token, source) });
    }
    all
}

/// The line of a place, with the mutation marked.
fn shown(text: &Text, mutation: &Mutation) -> String {
    let sql = &text.sql;
    let start = sql[..mutation.at.start].rfind('\n').map_or(0, |at| at + 1);
    let end = sql[mutation.at.end..].find('\n').map_or(sql.len(), |at| mutation.at.end + at);
    format!(
        "{} {}: {} `{}` -> `{}` in: {}",
        text.plan.dialect.name,
        text.case,
        mutation.what,
        &sql[mutation.at.clone()],
        mutation.new,
        sql[start..end].trim()
    )
}

#[test]
fn a_corrupted_text_is_rejected() {
    assert!(NAMED.len() >= 40);
    let mut wrong = Vec::new();
    let texts = texts(|case| NAMED.iter().any(|(_, _, named, ..)| *named == case));
    for (what, dialect, case, old, new) in NAMED {
        let text = texts.iter().find(|text| text.case == *case && text.plan.dialect.name == *dialect);
        let Some(text) = text else { panic!("{what}: {dialect} {case} is not planned") };
        let Some(at) = found(&text.sql, old) else {
            wrong.push(format!("{what}: `{old}` is not in {dialect} {case}"));
            continue;
        };
        let mut sql = text.sql.clone();
        sql.replace_range(at, new);
        if prove(&text.plan, &sql).is_ok() {
            wrong.push(format!("{what}: proved all the same: {dialect} {case}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where a text stands for the first time, whatever the spaces in both are.
fn found(sql: &str, text: &str) -> Option<Range<usize>> {
    let solid: Vec<(usize, char)> = sql.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
    let wanted: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let same = |window: &&[(usize, char)]| window.iter().map(|(_, c)| c).eq(&wanted);
    let window = solid.windows(wanted.len()).find(same)?;
    let (last, c) = window.last()?;
    Some(window[0].0..last + c.len_utf8())
}

/// Why a text that differs in one token says the same; `None` when it does not.
fn equivalent(text: &Text, mutation: &Mutation) -> Option<&'static str> {
    let behind = text.sql[mutation.at.end..].trim_start();
    match (mutation.what, &text.sql[mutation.at.clone()]) {
        // The AS of a table's alias is a fact, so what is left are items of a SELECT.
        ("without", "AS") => Some("AS before the alias of a SELECT item may be left out in every dialect"),
        ("without", "IS") if behind.starts_with("NOT NULL") && text.plan.dialect.syntax.is_any => {
            Some("where IS stands between any two values, `x NOT NULL` is `x IS NOT NULL`")
        }
        _ => None,
    }
}

#[test]
fn every_token_counts() {
    let texts = texts(|_| true);
    let all: Vec<(&Text, Mutation)> =
        texts.iter().flat_map(|text| mutations(text).into_iter().map(move |mutation| (text, mutation))).collect();
    // A step that shares no factor with the three mutations of a token takes all kinds of them. MUTATION_STEP=1 takes
    // them all, which is a matter of minutes.
    let step = std::env::var("MUTATION_STEP").map_or(17, |step| step.parse().unwrap());
    let sample: Vec<&(&Text, Mutation)> = all.iter().step_by(step).collect();
    let next = AtomicUsize::new(0);
    let survivors = Mutex::new(BTreeMap::<String, Vec<String>>::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((text, mutation)) = sample.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut sql = text.sql.clone();
                    sql.replace_range(mutation.at.clone(), &mutation.new);
                    if prove(&text.plan, &sql).is_ok() && equivalent(text, mutation).is_none() {
                        let kind = format!("{} {}", mutation.what, &text.sql[mutation.at.clone()]);
                        survivors.lock().unwrap().entry(kind).or_default().push(shown(text, mutation));
                    }
                }
            });
        }
    });
    let survivors = survivors.into_inner().unwrap();
    let lines: Vec<String> = survivors
        .iter()
        .map(|(kind, all)| {
            format!(
                "{kind} ({} times)\n    {}",
                all.len(),
                all.iter().take(6).cloned().collect::<Vec<_>>().join("\n    ")
            )
        })
        .collect();
    assert!(all.len() > 100_000, "only {} mutations", all.len());
    assert!(survivors.is_empty(), "{} mutations, proved all the same:\n{}", sample.len(), lines.join("\n"));
}
