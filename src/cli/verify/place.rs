//! The database that a load is tried on: from the command line, the settings file or the environment.

use super::dialect_of;
use crate::cli::files::url_of;
use crate::cli::lint::settings_near;
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::engine::{self, Database};
use anyhow::Result;
use std::time::{SystemTime, UNIX_EPOCH};

/// A database, and what people should know of it.
pub(super) struct Place {
    /// Where sessions come from.
    pub database: Box<dyn Database>,
    /// The engine's name.
    pub engine: &'static str,
    /// The product.
    pub title: String,
    /// Its version.
    pub version: String,
    /// The dialect that it speaks.
    pub dialect: &'static Dialect,
    /// What the schemas that are made begin with.
    pub prefix: String,
}

/// The database of the URL that was given; else of the settings file; else the embedded one.
///
/// The inner error holds what is wrong with the settings file. No error holds a URL.
pub(super) fn find(given: Option<&str>) -> Result<Result<Place, Vec<Diagnostic>>> {
    let set = match given {
        Some(url) => Some(url.to_owned()),
        None => match settings_near()? {
            Ok(settings) => settings.and_then(|settings| settings.verify.engine.map(|url| url.value)),
            Err(faults) => return Ok(Err(faults)),
        },
    };
    let url = url_of(set.as_deref().unwrap_or(engine::EMBEDDED))?;
    open(&url).map(Ok)
}

/// The database of a URL.
fn open(url: &str) -> Result<Place> {
    let database = engine::open(url)?;
    let mut session = database.session()?;
    let name = session.name();
    // One driver serves two databases, and the dialect tells which it is.
    let dialect = dialect_of(session.dialect())?;
    let without_version = |word: &&str| !word.starts_with(|first: char| first.is_ascii_digit());
    let title: Vec<&str> = dialect.title.split(' ').take_while(without_version).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Unlike those of any other run at the same time.
    let mark = u64::from(std::process::id()) << 32 ^ u64::from(now.subsec_nanos()) ^ now.as_secs() << 20;
    Ok(Place {
        engine: name,
        title: title.join(" "),
        version: session.version()?,
        dialect,
        prefix: format!("idemsql_verify_{:08x}", mark & 0xffff_ffff),
        database,
    })
}
