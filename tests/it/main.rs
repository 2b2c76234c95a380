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
mod lint_ci;
mod lint_cli;
mod lint_flow;
mod lint_hostile;
mod lint_own;
mod lint_rerun;
mod lint_verdicts;
mod loads;
mod mutation;
mod refused;
mod spec_errors;
mod spec_hostile;
mod spec_read;
mod spec_schema;
mod support;
