//! The real engines: one file each. Connect, run a script, read rows back, count physical writes.
