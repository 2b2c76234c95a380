//! What can be proved of a statement from its text and from what is known of its tables.

pub mod antijoin;
pub mod append;
pub mod changes;
pub mod claim;
pub mod clear;
pub mod definition;
pub mod enclosed;
pub mod filled;
pub mod growth;
pub mod guard;
pub mod key;
pub(crate) mod merging;
pub mod pairs;
pub mod predicate;
pub mod range;
pub mod second_run;
pub mod unique;
pub mod value;
pub mod watermark;
pub mod window;

#[cfg(test)]
mod tests;
