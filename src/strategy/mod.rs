//! The strategies: one file each, with what it means, what it needs and the form that a dialect gives it.

mod batch_once;
mod delete_insert;
mod full_refresh;
mod history;
mod idempotency_key;
mod insert_ignore;
mod merge;
mod mirror;
mod processed_marker;
mod replace_partition;
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
    /// True when every version of a key keeps a row of its own, with the period in which it was valid.
    pub versions: bool,
    /// True when a row that is there already is never changed.
    pub insert_only: bool,
    /// Which part of the target becomes what is staged for it, so that rows that are missing there vanish.
    pub replaces: Replaces,
    /// What its SQL is for.
    pub purpose: Purpose,
}

/// What the SQL of a strategy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Staged rows come into a table.
    Load,
    /// A request is answered once.
    Request,
    /// An event has its effect once.
    Effect,
}

/// Which part of the target a strategy replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaces {
    /// None: what is not staged stays.
    Nothing,
    /// The window, or the groups of which a row is staged.
    Part,
    /// The partitions of which a row is staged, whatever is newer.
    Partition,
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

    /// True when a staged row replaces the target's row, whichever of the two is newer.
    pub fn takes_any_version(&self) -> bool {
        matches!(self.replaces, Replaces::Partition | Replaces::Everything)
    }

    /// True when a part of the target that the staged rows name becomes what is staged for it.
    pub fn replaces_part(&self) -> bool {
        matches!(self.replaces, Replaces::Part | Replaces::Partition)
    }

    /// True when rows are appended without a key, by their batches.
    pub fn appends(&self) -> bool {
        self.name == batch_once::STRATEGY.name
    }

    /// True when the source stands for the whole target, or for a scope of it that `missing_rows` names.
    pub fn mirrors(&self) -> bool {
        matches!(self.replaces, Replaces::Scope | Replaces::Everything)
    }
}

/// Every strategy, sorted by name.
pub static ALL: &[&Strategy] = &[
    &batch_once::STRATEGY,
    &delete_insert::STRATEGY,
    &full_refresh::STRATEGY,
    &history::STRATEGY,
    &idempotency_key::STRATEGY,
    &insert_ignore::STRATEGY,
    &merge::STRATEGY,
    &mirror::STRATEGY,
    &processed_marker::STRATEGY,
    &replace_partition::STRATEGY,
    &upsert::STRATEGY,
];

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
