//! The pages of the guarantees: what each says, and who promises it.

use super::table;
use crate::cli::init::example;
use crate::diagnostic::Source;
use crate::dialect::mechanism::Support;
use crate::dialect::{ALL as DIALECTS, Dialect};
use crate::plan::{GUARANTEES, Guarantee, Promise, plan};
use crate::spec::Spec;
use crate::strategy::{ALL as STRATEGIES, Strategy};
use std::sync::Arc;

/// More about a guarantee than its one line.
fn more(guarantee: &Guarantee) -> &'static str {
    match guarantee.code {
        "G1" => {
            "The same script with the same staged rows, run again, leaves every column of every target row as it was: no \
             row twice, no counter added to again, no `loaded_at` that moves although nothing changed. A window begins at \
             the greatest value of the target, so it is not promised where that value can fall: by `action: delete`, by \
             an incremental column that is no version and may go back, or by groups that are replaced whole. The next run \
             then reads rows that came too late for this one."
        }
        "G2" => {
            "That second run writes nothing at all: no row version, no log, no trigger, no sequence value where the engine \
             allows it. This is more than G1: an UPDATE that sets a column to the value it has leaves the same rows, and \
             still writes them, wakes triggers and feeds change streams."
        }
        "G3" => {
            "The rows after a load are those that the meaning of the load asks for, as a plain function computes them from \
             target and staged rows. A load can be stable and wrong: one that skips rows whose new value is null gives the \
             same result on every run."
        }
        "G4" => {
            "Batches that arrive in another order, or old batches that are loaded again after newer ones, end in the same \
             rows. It needs a version to tell older from newer, and no column whose value depends on which row came first."
        }
        "G5" => {
            "One load of everything equals any sequence of incremental loads, as long as no row comes later than the \
             overlap window allows."
        }
        "G6" => {
            "Two sessions that load at once end in the rows that one after the other would have made: without an error, or \
             with one that running it again settles."
        }
        "G7" => {
            "A load that is killed before any statement or in the middle of one, and then run again, ends as if it had \
             never been killed."
        }
        _ => "",
    }
}

/// The page of one guarantee.
pub(super) fn page(guarantee: &Guarantee) -> String {
    let mut out =
        format!("# {} {}\n\nIt says: {}.\n\n{}\n\n", guarantee.code, guarantee.name, guarantee.says, more(guarantee));
    out.push_str(
        "What the table `orders` of `idemsql init` is promised. What a table of yours is promised, and why, says `idemsql \
         plan`.\n\n",
    );
    out.push_str(&promises_of(guarantee));
    out
}

/// All guarantees, and the promises of each strategy in each dialect.
pub(super) fn overview() -> String {
    let mut out = "# Guarantees\n\n".to_owned();
    let rows = GUARANTEES.iter().map(|one| [one.code.to_owned(), one.name.to_owned(), one.says.to_owned()]);
    out.push_str(&table(["", "name", "says"], rows));
    out.push_str(
        "\nEach strategy says which it promises, and `idemsql plan` says by which mechanism or why not. The numbers of the \
         guarantees that are promised to the table `orders` of `idemsql init`; *not this table* stands for a \
         strategy that asks for keys which it does not have:\n\n",
    );
    let all = promises();
    let of = |dialect: &Dialect, strategy: &Strategy| {
        let found = all.iter().find(|one| one.dialect == dialect.name && one.strategy == strategy.name);
        let Some(found) = found else {
            // A strategy may ask for keys that the example does not have.
            let fits = matches!((strategy.form)(dialect), Support::Yes(_));
            return if fits { "not this table" } else { "not available" }.to_owned();
        };
        let given = found.promises.iter().filter(|promise| promise.given);
        given.map(|promise| promise.guarantee.code.trim_start_matches('G')).collect::<Vec<_>>().join(" ")
    };
    let mut head = vec!["dialect".to_owned()];
    head.extend(STRATEGIES.iter().map(|strategy| format!("`{}`", strategy.name)));
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    out.push_str(&line(&head));
    out.extend(["|", &"---|".repeat(head.len()), "\n"]);
    for dialect in DIALECTS {
        let cells = STRATEGIES.iter().map(|strategy| of(dialect, strategy));
        out.push_str(&line(&std::iter::once(format!("`{}`", dialect.name)).chain(cells).collect::<Vec<_>>()));
    }
    out.push_str(
        "\n4 and 5 are missing where `created_at` keeps its first value (`update: never`), which depends on the row that \
         came first. Without such a column `upsert` and `merge` promise them.\n",
    );
    out
}

/// Who promises one guarantee, by which mechanism, and who does not.
fn promises_of(guarantee: &Guarantee) -> String {
    let mut reasons: Vec<(bool, String, Vec<String>)> = Vec::new();
    for planned in promises() {
        let who = format!("`{}` {}", planned.dialect, planned.strategy);
        for promise in planned.promises.into_iter().filter(|promise| promise.guarantee == *guarantee) {
            match reasons.iter_mut().find(|(given, because, _)| *given == promise.given && *because == promise.because)
            {
                Some((.., whose)) => whose.push(who.clone()),
                None => reasons.push((promise.given, promise.because, vec![who.clone()])),
            }
        }
    }
    reasons.sort_by_key(|(given, ..)| !given);
    let rows = reasons
        .into_iter()
        .map(|(given, because, whose)| [if given { "yes" } else { "no" }.to_owned(), because, whose.join(", ")]);
    table(["promised", "because", "for"], rows)
}

/// The promises of one strategy in one dialect.
struct Planned {
    dialect: &'static str,
    strategy: &'static str,
    promises: Vec<Promise>,
}

/// The promises for the first table of the example, wherever it can be planned.
fn promises() -> Vec<Planned> {
    let source = Source::new("spec.yaml", example(DIALECTS));
    let Ok(spec) = Spec::read(Arc::new(source), &|_: &str| Err("the example reads no file".to_owned())) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for table in spec.tables().iter().take(1) {
        for dialect in DIALECTS.iter().copied() {
            for strategy in STRATEGIES.iter().copied() {
                let planned = table.for_dialect(dialect.name).and_then(|table| plan(&table, dialect, Some(strategy)));
                if let Ok(plan) = planned {
                    all.push(Planned { dialect: dialect.name, strategy: strategy.name, promises: plan.promises });
                }
            }
        }
    }
    all
}
