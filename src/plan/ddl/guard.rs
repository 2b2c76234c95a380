//! What stands around a statement that has no words of its own for running it again.

use crate::dialect::ddl::Guard;
use crate::plan::Plan;

/// What stands around a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrap {
    /// The text, with names in braces; `{statement}` stands for the statement itself.
    text: String,
    /// True when the statement stands in it as a string.
    pub quoted: bool,
    /// What stands for each name.
    values: Vec<(&'static str, String)>,
}

impl Wrap {
    /// The text with a statement in it, or with a string of one. In one pass: a name may look like another's place.
    pub fn around(&self, statement: &str) -> String {
        let mut out = String::new();
        let mut rest = self.text.as_str();
        while let Some(at) = rest.find('{') {
            let known =
                self.values.iter().map(|(name, value)| (*name, value.as_str())).chain([("{statement}", statement)]);
            let here = known.into_iter().find(|(name, _)| rest[at..].starts_with(name));
            let (text, length) = here.map_or(("{", 1), |(name, value)| (value, name.len()));
            out.extend([&rest[..at], text]);
            rest = &rest[at + length..];
        }
        out + rest
    }
}

/// A guard made ready for a statement.
pub(super) struct Ready {
    /// The words of the statement, or nothing.
    pub words: &'static str,
    /// What stands around it.
    pub wrap: Option<Wrap>,
}

/// The guard for a table or for one of its columns; `words` are those of the statement. With `once`, a statement without a
/// guard is fine.
///
/// # Errors
/// Why there is none.
pub(super) fn guarded(
    plan: &Plan,
    guard: Guard,
    words: &'static str,
    column: &str,
    once: bool,
) -> Result<Ready, &'static str> {
    let names = [plan.load.target.as_str(), plan.name.as_str(), column];
    ready(plan, guard, words, plan.schema.as_deref(), names, once)
}

/// The same for another table, by its path, its schema and its name.
///
/// # Errors
/// Why there is none.
pub(super) fn beside(
    plan: &Plan,
    guard: Guard,
    words: &'static str,
    table: &str,
    schema: Option<&str>,
    name: &str,
) -> Result<Ready, &'static str> {
    ready(plan, guard, words, schema, [table, name, ""], false)
}

fn ready(
    plan: &Plan,
    guard: Guard,
    words: &'static str,
    schema: Option<&str>,
    [table, name, column]: [&str; 3],
    once: bool,
) -> Result<Ready, &'static str> {
    let string = |text: &str| (plan.dialect.string)(text);
    let wrap = |text: String, quoted: bool| {
        let schema = schema.map_or("NULL".to_owned(), string);
        let values = vec![
            ("{table}", string(table)),
            ("{schema}", schema),
            ("{name}", string(name)),
            ("{column}", string(column)),
        ];
        Ok(Ready { words: "", wrap: Some(Wrap { text, quoted, values }) })
    };
    match guard {
        Guard::Words => Ok(Ready { words, wrap: None }),
        Guard::Before(text) => wrap(format!("{text}{{statement}};"), false),
        Guard::Around(text) => wrap(text.to_owned(), true),
        Guard::Needless => Ok(Ready { words: "", wrap: None }),
        Guard::No { .. } if once => Ok(Ready { words: "", wrap: None }),
        Guard::No { because } => Err(because),
    }
}
