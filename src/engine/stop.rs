//! The end of a session on an engine that is a library in this program, where no server could be told to end it.

use anyhow::{Result, bail};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a session was stopped. The clones are one.
#[derive(Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on the session takes no more work. What it is doing must be interrupted by the engine's own means.
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Does a piece of work. When the session is stopped, before or meanwhile, `undo` ends its open transaction, and the
    /// answer is an error, whatever the work came to: a program that crashed would not have seen it either.
    pub(super) fn guard<T>(&self, work: impl FnOnce() -> Result<T>, undo: impl FnOnce()) -> Result<T> {
        let stopped = || self.0.load(Ordering::SeqCst);
        if !stopped() {
            let outcome = work();
            if !stopped() {
                return outcome;
            }
        }
        undo();
        bail!("this session was stopped")
    }
}
