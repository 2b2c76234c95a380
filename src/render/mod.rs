//! Runs a template on a plan, then proves the SQL against the plan.
