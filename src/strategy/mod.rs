//! The strategies: one file each, with what it means, what it needs and the form that a dialect gives it.

mod delete_insert;
mod insert_ignore;
mod merge;
mod upsert;

use crate::dialect::Dialect;
use crate::dialect::mechanism::{Form, Support};

/// One load strategy.
#[derive(Debug)]
pub struct Strategy {
    /// What specs call it.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// A page for `idemsql explain`, in Markdown.
    pub docs: &'static str,
    /// The form of the statement that a dialect uses for it.
    pub form: fn(&Dialect) -> Support<Form>,
    /// True when a row that is there already is never changed.
    pub insert_only: bool,
    /// True when rows that are missing from the replaced part of the target are deleted.
    pub replaces: bool,
}

/// Every strategy, sorted by name.
pub static ALL: &[&Strategy] =
    &[&delete_insert::STRATEGY, &insert_ignore::STRATEGY, &merge::STRATEGY, &upsert::STRATEGY];

/// Strategies that the specification names and this version does not have yet.
pub static NOT_YET: &[&str] =
    &["batch_once", "full_refresh", "history", "idempotency_key", "mirror", "processed_marker", "replace_partition"];

/// The strategy of that name.
pub fn find(name: &str) -> Option<&'static Strategy> {
    ALL.iter().copied().find(|strategy| strategy.name == name)
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn the_list_is_sorted_and_documented() {
        assert!(ALL.is_sorted_by_key(|strategy| strategy.name));
        for strategy in ALL {
            assert!(strategy.docs.contains("Promises"), "{}: say what it promises", strategy.name);
            assert!(!strategy.summary.ends_with('.'), "{}", strategy.name);
        }
    }
}
