//! The pages of the dialects.

use super::answers::{
    absent, dbt, differs, form, index_nulls, lock, long, names, null_safe, parameter, proof, reduce, rows, short,
};
use super::table;
use crate::dialect::mechanism::{Proof, Support};
use crate::dialect::types::{TYPE_NAMES, Type};
use crate::dialect::{ALL, Dialect};
use crate::strategy::ALL as STRATEGIES;
use std::fmt::Write as _;

/// The page of one dialect.
pub(super) fn page(dialect: &Dialect) -> String {
    let mut out = format!("# {}: {}\n\n{}\n\n", dialect.name, dialect.title, dialect.docs.trim_end());
    let forms = STRATEGIES.iter().map(|strategy| [format!("`{}`", strategy.name), long((strategy.form)(dialect))]);
    let without_index = match dialect.without_index {
        Support::Yes(yes) => form(yes).to_owned(),
        Support::No { because, .. } => format!("no: {because}"),
    };
    let rest = [
        ["a nullable key, or deletions".to_owned(), without_index],
        ["proof".to_owned(), proof_in_words(dialect.proof)],
        ["second reader".to_owned(), dialect.reader.unwrap_or("none").to_owned()],
        ["equality in which null is a value".to_owned(), null_safe(dialect.null_safe).to_owned()],
        ["row-change guard".to_owned(), differs(dialect.differs).to_owned()],
        ["keys that are not there".to_owned(), absent(dialect.absent).to_owned()],
        ["one staged row per key".to_owned(), reduce(dialect.reduce).to_owned()],
        ["literal rows".to_owned(), rows(dialect.rows)],
        ["bind parameters".to_owned(), parameter(dialect.parameter).to_owned()],
        ["nulls in a unique index".to_owned(), index_nulls(dialect.index_nulls).to_owned()],
        ["one load at a time".to_owned(), lock(dialect.lock)],
        ["names".to_owned(), names(dialect)],
        ["dbt models".to_owned(), dbt(dialect)],
    ];
    out.push_str(&table(["question", "answer"], forms.chain(rest)));
    out.push('\n');
    out.push_str(&table(["type of a column", "here"], types(dialect)));
    out
}

/// What each type of a spec is in the dialect.
fn types(dialect: &Dialect) -> Vec<[String; 2]> {
    let of = |name: &&str| {
        // A length and a precision stand for all others.
        let example = name.replace("(p,s)", "(12,2)").replace("(n)", "(20)");
        Type::parse(&example).map(|ty| [format!("`{example}`"), format!("`{}`", (dialect.type_name)(&ty))])
    };
    TYPE_NAMES.iter().filter_map(of).collect()
}

/// The table of all dialects, and why a dialect cannot do what it cannot do.
pub(super) fn overview() -> String {
    let mut out = "# Dialects\n\n\
        The form that each strategy takes in each dialect. Every SQL text is read back and compared with its plan before \
         it is written. *Parsed* means that this is all; *executed* means that our tests also run it on the engine named. The *second reader* is a parser of other people that \
         reads the SQL of all our tests.\n\n"
        .to_owned();
    let form_of = |name: &str, dialect: &Dialect| {
        let strategy = STRATEGIES.iter().find(|strategy| strategy.name == name);
        strategy.map(|strategy| short((strategy.form)(dialect)).to_owned()).unwrap_or_default()
    };
    let rows = ALL.iter().map(|dialect| {
        [
            format!("`{}`", dialect.name),
            dialect.title.to_owned(),
            form_of("insert_ignore", dialect),
            form_of("upsert", dialect),
            form_of("merge", dialect),
            form_of("delete_insert", dialect),
            proof(dialect.proof),
            dialect.reader.unwrap_or("none").to_owned(),
        ]
    });
    let head =
        ["dialect", "from", "`insert_ignore`", "`upsert`", "`merge`", "`delete_insert`", "proof", "second reader"];
    out.push_str(&table(head, rows));
    out.push_str("\nWhat a dialect cannot do, and what to use instead:\n\n");
    for dialect in ALL {
        for strategy in STRATEGIES {
            if let Support::No { because, instead } = (strategy.form)(dialect) {
                // Writing to a String cannot fail.
                let _ = writeln!(out, "- `{}`, `{}`: {because}; use `{instead}`.", dialect.name, strategy.name);
            }
        }
    }
    out
}

fn proof_in_words(answer: Proof) -> String {
    match answer {
        Proof::Parsed => {
            "parsed: read back and compared with its plan; our tests have no engine to run it on".to_owned()
        }
        Proof::StandIn { engine, what } => {
            format!("parsed: read back and compared with its plan; our tests run it on {engine}, {what}")
        }
        Proof::Executed(engine) => format!("executed: our tests run it on {engine}"),
    }
}
