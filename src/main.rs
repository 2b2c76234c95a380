//! The `idemsql` command.

fn main() {}
