//! Runs rendered SQL on a real engine and compares the rows with the reference model.

pub mod batch;
pub mod model;
