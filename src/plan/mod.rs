//! Spec, dialect and strategy made into everything that a template may read, or refused.
