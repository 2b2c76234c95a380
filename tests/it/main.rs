//! All integration tests in one binary, so that they link once.

mod conformance;
mod golden;
mod spec_errors;
mod spec_hostile;
mod spec_read;
mod spec_schema;
mod support;
