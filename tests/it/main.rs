//! All integration tests in one binary, so that they link once.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod conformance;
#[path = "../engines/mod.rs"]
mod engines;
mod golden;
mod mutation;
mod refused;
mod spec_errors;
mod spec_hostile;
mod spec_read;
mod spec_schema;
mod support;
