//! All integration tests in one binary, so that they link once.

mod spec_errors;
mod spec_hostile;
mod spec_read;
mod spec_schema;
