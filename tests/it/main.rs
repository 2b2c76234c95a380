//! All integration tests in one binary, so that they link once.

mod golden;
mod spec_errors;
mod support;
mod tmp;
