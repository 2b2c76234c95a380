//! The guarantees of a load, tried on a real engine: run again, compared with the reference model, in any order, in pieces,
//! at once, killed half way.

mod agree;
pub mod batch;
mod crash;
mod foreign;
mod judge;
pub mod lab;
mod layout;
pub mod model;
pub mod names;
mod order;
mod scenario;
mod shape;
mod shrink;
mod split;
pub mod statements;
mod subject;
pub mod tables;
mod together;
mod trial;
mod unplanned;

pub use judge::{Asked, Judgement, Outcome, Ran, Scenarios, Verdict, attempt, judge};
pub use lab::Lab;
pub use names::Table;
pub use scenario::{Given, Scenario, Staging, commuting, generated, given, large, source_tables};
pub use subject::{Counted, Subject, Target, described};
pub use trial::{Fault, Load, Run, Trial, trial};
pub use unplanned::{Declared, DeclaredColumn};
