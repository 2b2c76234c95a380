//! A spec made from what is there: CREATE TABLE, the catalogue of a live database, or the manifest of a dbt project.
//!
//! Each of the three fills the same shape, [`Relation`]; what none of them says is guessed in one place, and one writer
//! makes the YAML, with a comment at every guess. What cannot be carried over is a comment and a warning.

mod column;
mod dbt;
mod ddl;
mod guess;
mod key;
mod live;
mod relation;
mod source;
mod write;
mod yaml;

pub use self::dbt::{Catalog, Manifest, models};
pub use self::ddl::tables;
pub use self::live::relations;
pub use self::relation::{Column, Key, Load, Relation, Rows, Window};

use crate::diagnostic::{Diagnostic, Source};
use crate::spec::Spec;
use std::sync::Arc;

/// A spec that was made, and what its user should know.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The YAML; empty when there was nothing to make a spec of.
    pub text: String,
    /// The spec as our own reader reads it; none when there is none.
    pub spec: Option<Spec>,
    /// What could not be carried over, and what is missing.
    pub notes: Vec<Diagnostic>,
}

/// Makes the spec of relations. `origin` says where they are from, for the comment at the top.
///
/// The text is read by the reader of specs before anyone sees it: the error is a fault of ours.
pub fn spec(relations: &[Relation], origin: &str) -> Result<Imported, Diagnostic> {
    let mut notes = Vec::new();
    let text = write::write(relations, origin, &mut notes);
    if text.is_empty() {
        return Ok(Imported { text, spec: None, notes });
    }
    let source = Arc::new(Source::new("<imported spec>", text.clone()));
    match Spec::read(source, &|_| Err("an import names no files".to_owned())) {
        Ok(spec) => Ok(Imported { text, spec: Some(spec), notes }),
        Err(faults) => {
            let first = faults.first().map_or_else(String::new, |fault| fault.message.clone());
            let fault = Diagnostic::error("import-internal", format!("the imported spec cannot be read: {first}"));
            Err(fault.help(format!("this is a bug of idemsql; please report it with this spec:\n{text}")))
        }
    }
}
