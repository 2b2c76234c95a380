//! The `idemsql` command.

use std::process::ExitCode;

/// Deep nesting in SQL recurses in its parser and in the code that walks what it read.
const STACK: usize = 256 << 20;

/// The linter makes very many small things.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let run = std::thread::Builder::new().stack_size(STACK).spawn(idemsql::cli::main);
    match run.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // A panic has printed its message; a thread that cannot start has none.
        Ok(Err(_)) | Err(_) => ExitCode::from(2),
    }
}
