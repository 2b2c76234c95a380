//! Runs rendered SQL on a real engine and compares the rows with the reference model.

pub mod batch;
pub mod model;
mod scenario;
mod shape;
pub mod tables;
mod trial;

pub use scenario::{Given, Scenario, Staging, generated, given, source_tables};
pub use trial::{Fault, Load, Run, Trial, run};
