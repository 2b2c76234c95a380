//! Write the table spec once; get load SQL that you can run twice.
//!
//! ```text
//! render  spec.yaml -> Spec -> Plan -> template -> SQL -> statements -> facts = plan? -> file
//! verify  Plan + batches -> SQL run on an engine -> target rows = model's rows
//! import  DDL | database | dbt manifest -> Spec -> spec.yaml
//! ```
//!
//! A [`spec`] is what the user typed, a [`plan`] is what was decided, [`render`] writes it as SQL and proves the text by
//! reading it back, [`verify`] runs it on a real engine.

pub mod cli;
pub mod diagnostic;
pub mod dialect;
pub mod engine;
pub mod import;
pub mod lint;
pub mod plan;
pub mod render;
pub mod spec;
pub mod sql;
pub mod strategy;
pub mod verify;
