//! The strategies: one file each, with what it means, what it needs and the form that a dialect gives it.

mod delete_insert;
mod full_refresh;
mod insert_ignore;
mod merge;
mod mirror;
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
    /// Which part of the target becomes what is staged for it, so that rows that are missing there vanish.
    pub replaces: Replaces,
}

/// Which part of the target a strategy replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaces {
    /// None: what is not staged stays.
    Nothing,
    /// The window, or the groups of which a row is staged.
    Part,
    /// What `missing_rows` says.
    Scope,
    /// All of it, whatever is newer.
    Everything,
}

impl Strategy {
    /// True when rows that are missing from a part of the target vanish.
    pub fn replaces(&self) -> bool {
        self.replaces != Replaces::Nothing
    }

    /// True when the source stands for the whole target, or for a scope of it that `missing_rows` names.
    pub fn mirrors(&self) -> bool {
        matches!(self.replaces, Replaces::Scope | Replaces::Everything)
    }
}

/// Every strategy, sorted by name.
pub static ALL: &[&Strategy] = &[
    &delete_insert::STRATEGY,
    &full_refresh::STRATEGY,
    &insert_ignore::STRATEGY,
    &merge::STRATEGY,
    &mirror::STRATEGY,
    &upsert::STRATEGY,
];

/// Strategies that the specification names and this version does not have yet.
pub static NOT_YET: &[&str] = &["batch_once", "history", "idempotency_key", "processed_marker", "replace_partition"];

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
