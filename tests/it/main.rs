//! All integration tests in one binary, so that they link once.

mod conformance;
mod conformance_gaps;
mod conformance_pieces;
