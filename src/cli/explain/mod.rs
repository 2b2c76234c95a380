//! `idemsql explain`: the page of a strategy, a dialect, a guarantee or a rule, in Markdown.

mod answers;
mod dialect;
mod guarantee;
mod rule;
mod strategy;

use super::Outcome;
use super::output::Output;
use crate::diagnostic::nearest;
use crate::dialect::ALL as DIALECTS;
use crate::lint::rules::ALL as RULES;
use crate::plan::GUARANTEES;
use crate::strategy::ALL as STRATEGIES;
use anyhow::Result;
use std::fmt::Write as _;

/// Explain a strategy, a dialect, a guarantee or a rule of the linter
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// What to explain; a list of all names when left out
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// A page: its name, one line about it, and what makes it.
struct Page {
    name: String,
    /// Another word for the same page.
    also: Option<&'static str>,
    about: String,
    make: Box<dyn Fn() -> String>,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let Some(name) = &arguments.name else {
        output.print(&list())?;
        return Ok(Outcome::Fine);
    };
    let pages = pages();
    let all = || pages.iter().flat_map(|(_, pages)| pages);
    let wanted = name.to_lowercase();
    if let Some(page) = all().find(|page| page.name.to_lowercase() == wanted || page.also.is_some_and(|a| a == wanted))
    {
        output.print(&(page.make)())?;
        return Ok(Outcome::Fine);
    }
    let names = all().flat_map(|page| [Some(page.name.as_str()), page.also]).flatten();
    match nearest(name, names) {
        Some(near) => anyhow::bail!("there is no page on `{name}`; did you mean `{near}`?"),
        None => anyhow::bail!("there is no page on `{name}`; `idemsql explain` lists all of them"),
    }
}

/// Every page, in groups.
fn pages() -> Vec<(&'static str, Vec<Page>)> {
    let strategies = STRATEGIES.iter().map(|one| Page {
        name: one.name.to_owned(),
        also: None,
        about: one.summary.to_owned(),
        make: Box::new(|| strategy::page(one)),
    });
    let dialects = DIALECTS.iter().map(|one| Page {
        name: one.name.to_owned(),
        also: None,
        about: one.title.to_owned(),
        make: Box::new(|| dialect::page(one)),
    });
    let guarantees = GUARANTEES.iter().map(|one| Page {
        name: one.code.to_owned(),
        also: Some(one.name),
        about: format!("{}: {}", one.name, one.says),
        make: Box::new(|| guarantee::page(one)),
    });
    let rules = RULES.iter().map(|one| Page {
        name: one.code.to_owned(),
        also: Some(one.name),
        about: format!("{}: {}", one.name, one.summary),
        make: Box::new(|| rule::page(one)),
    });
    let overview = |name: &str, about: &str, make: fn() -> String| Page {
        name: name.to_owned(),
        also: None,
        about: about.to_owned(),
        make: Box::new(make),
    };
    vec![
        ("Strategies", strategies.collect()),
        ("Dialects", dialects.collect()),
        ("Guarantees", guarantees.collect()),
        ("Rules", rules.collect()),
        (
            "Tables",
            vec![
                overview("strategies", "what each strategy does, and which to take", strategy::overview),
                overview(
                    "dialects",
                    "the form of each strategy in each dialect, and how far it is proved",
                    dialect::overview,
                ),
                overview("guarantees", "what each strategy promises in each dialect", guarantee::overview),
                overview("rules", "what the linter looks for", rule::overview),
            ],
        ),
    ]
}

/// The names of all pages.
fn list() -> String {
    let mut out = "`idemsql explain NAME` prints a page. The names:\n".to_owned();
    for (group, pages) in pages() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\n{group}");
        for page in pages {
            let _ = writeln!(out, "  {:14} {}", page.name, page.about);
        }
    }
    out
}

/// A Markdown table.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: [String; N]| format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    let mut out = line(head.map(str::to_owned));
    out.extend(["|", &"---|".repeat(N), "\n"]);
    rows.into_iter().for_each(|row| out.push_str(&line(row)));
    out
}

#[cfg(test)]
mod tests {
    use super::pages;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_has_one_page_that_says_something() {
        let mut seen = BTreeSet::new();
        for page in pages().into_iter().flat_map(|(_, pages)| pages) {
            assert!(seen.insert(page.name.to_lowercase()), "{} twice", page.name);
            assert!(page.also.is_none_or(|also| seen.insert(also.to_owned())), "{:?} twice", page.also);
            let text = (page.make)();
            assert!(text.starts_with("# "), "{}: a page begins with its title", page.name);
            assert!(text.ends_with('\n') && text.lines().count() > 4, "{}: {text}", page.name);
        }
    }
}
