//! What a second reader does not know although the engine does.

/// A place that a reader cannot read, and why that is the reader's fault.
pub struct Exception {
    /// `sqruff` or `squawk`.
    pub reader: &'static str,
    /// The dialect of ours.
    pub dialect: &'static str,
    /// Stands in the text that is not read.
    pub text: &'static str,
    /// Why the engine takes it, with its manual's word for it.
    pub because: &'static str,
}

/// Every exception.
pub const ALL: &[Exception] = &[];
