//! All integration tests in one binary, so that they link once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod architecture;
mod cases;
mod cli;
mod conformance;
mod conformance_gaps;
mod conformance_pieces;
mod docs;
#[path = "../engines/mod.rs"]
mod engines;
mod golden;
mod loads;
mod mutation;
mod refused;
mod spec_errors;
mod spec_hostile;
mod spec_read;
mod spec_schema;
mod support;
