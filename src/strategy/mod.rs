//! The strategies: one file each, with what it promises, what it needs and its template.
