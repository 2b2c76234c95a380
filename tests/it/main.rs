//! All integration tests in one binary, so that they link once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod architecture;
mod broken;
mod cases;
mod cli;
mod conformance;
mod conformance_gaps;
mod conformance_pieces;
mod dbt;
mod ddl;
mod ddl_live;
mod digests;
mod docs;
#[path = "../engines/mod.rs"]
mod engines;
mod examples;
mod golden;
mod import;
mod lint_ci;
mod lint_cli;
mod lint_dbt;
mod lint_flow;
mod lint_hostile;
mod lint_own;
mod lint_rerun;
mod lint_verdicts;
mod loads;
mod migrations;
mod mutation;
mod parts;
mod proof;
mod refused;
mod scenarios;
mod second_key;
mod spec_errors;
mod spec_hostile;
mod spec_read;
mod spec_schema;
mod statements;
mod support;
mod verify_cli;
