//! `idemsql import`: DDL, a live database or a dbt manifest to a spec, with a comment at every guess.

mod place;

use super::Outcome;
use super::files::{STDIN, placed, url_of};
use super::output::Output;
use super::select::one_dialect_parser;
use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::dialect::{self, Dialect};
use crate::engine;
use crate::import::{self, Catalog, Imported, Manifest, Relation};
use crate::lint::detect;
use crate::plan::plan;
use crate::spec::Spec;
use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Make a spec from CREATE TABLE, from a database, or from a dbt manifest
///
/// The spec goes to stdout. What the origin does not say is guessed, with a comment at every guess that begins with
/// `guess`; what cannot be carried over is a comment, and a warning on stderr. The exit code is 1 when a table
/// cannot be rendered yet, for the reason that is told.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Subcommand)]
enum From {
    /// CREATE TABLE, ALTER TABLE and CREATE UNIQUE INDEX in SQL files
    Ddl {
        /// SQL files; `-` for standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,

        /// The dialect of the files; by their paths and words when left out
        #[arg(short, long, value_name = "NAME", value_parser = one_dialect_parser(), hide_possible_values = true)]
        dialect: Option<&'static Dialect>,

        #[command(flatten)]
        common: Common,
    },
    /// The tables of a live database: SQLite, and PostgreSQL, MySQL, MariaDB and DuckDB where the build has them
    Db {
        /// `sqlite:PATH`, `postgres://..`, `mysql://..`, `duckdb:PATH`; `env:NAME` for a URL in an environment variable
        #[arg(value_name = "URL")]
        url: String,

        /// The tables of this schema alone; of all when left out
        #[arg(long, value_name = "NAME")]
        schema: Option<String>,

        #[command(flatten)]
        common: Common,
    },
    /// The incremental models of a dbt project, from target/manifest.json
    Dbt {
        /// The manifest, which `dbt parse` writes
        #[arg(value_name = "MANIFEST")]
        manifest: PathBuf,

        /// catalog.json, which `dbt docs generate` writes: the columns and their types
        #[arg(long, value_name = "FILE")]
        catalog: Option<PathBuf>,

        /// This model alone; may be given several times
        #[arg(long, value_name = "MODEL")]
        select: Vec<String>,

        #[command(flatten)]
        common: Common,
    },
}

/// What every origin has.
#[derive(Debug, clap::Args)]
struct Common {
    /// This table alone; may be given several times
    #[arg(long = "table", value_name = "NAME")]
    tables: Vec<String>,

    /// Write the spec to this file instead of stdout; a file that is there is left as it is
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write over the file that is there
    #[arg(long, requires = "out")]
    force: bool,
}

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let (common, made, origin) = match &arguments.from {
        From::Ddl { files, dialect, common } => (common, ddl(files, *dialect)?, shown(files)),
        From::Db { url, schema, common } => {
            let (relations, title) = db(url, schema.as_deref())?;
            (common, Ok((relations, Vec::new())), title)
        }
        From::Dbt { manifest, catalog, select, common } => {
            (common, dbt(manifest, catalog.as_deref(), select)?, shown(std::slice::from_ref(manifest)))
        }
    };
    let (mut relations, mut notes) = match made {
        Ok(made) => made,
        Err(faults) => {
            output.diagnostics(&faults);
            return Ok(Outcome::Failed);
        }
    };
    for wanted in &common.tables {
        if !relations.iter().any(|relation| named(relation, wanted)) {
            bail!("there is no table `{wanted}` in {origin}");
        }
    }
    if !common.tables.is_empty() {
        relations.retain(|relation| common.tables.iter().any(|wanted| named(relation, wanted)));
    }
    let imported = match import::spec(&relations, &origin) {
        Ok(imported) => imported,
        Err(fault) => {
            output.diagnostics(&[fault]);
            return Ok(Outcome::Failed);
        }
    };
    let Imported { text, spec, notes: more } = imported;
    notes.extend(more);
    let Some(spec) = spec else {
        output.diagnostics(&notes);
        bail!("there is no table with columns in {origin}, and nothing was written");
    };
    let unplanned = unplanned(&spec);
    let ready = unplanned.is_empty();
    notes.extend(unplanned);
    output.diagnostics(&notes);
    match &common.out {
        Some(path) => place::write(path, &text, common.force, output)?,
        None => output.print(&text)?,
    }
    Ok(if ready { Outcome::Fine } else { Outcome::Findings })
}

/// True when a relation is meant by a name with or without its schema.
fn named(relation: &Relation, wanted: &str) -> bool {
    relation.name == wanted || relation.title() == wanted
}

/// The paths for a comment.
fn shown(paths: &[PathBuf]) -> String {
    let one = |path: &PathBuf| {
        if path.as_os_str() == STDIN { "standard input".to_owned() } else { path.display().to_string() }
    };
    paths.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What was made, or what is wrong.
type Made = Result<(Vec<Relation>, Vec<Diagnostic>), Vec<Diagnostic>>;

fn ddl(files: &[PathBuf], given: Option<&'static Dialect>) -> Result<Made> {
    let mut sources = Vec::new();
    for file in files {
        sources.push(Arc::new(Source::new(shown(std::slice::from_ref(file)), read(file)?)));
    }
    let mut notes = Vec::new();
    let told = || sources.iter().find_map(|source| detect::dialect(&source.name, &source.text));
    let dialect = given.or_else(told).unwrap_or_else(|| {
        let message = format!("nothing says the dialect: {} is read as {}", shown(files), dialect::REFERENCE.title);
        notes.push(Diagnostic::warning("import-dialect", message).help("name it with --dialect"));
        dialect::REFERENCE
    });
    let (relations, more) = import::tables(&sources, dialect);
    notes.extend(more);
    Ok(Ok((relations, notes)))
}

/// The tables of a database, and what it is, without its URL.
fn db(url: &str, schema: Option<&str>) -> Result<(Vec<Relation>, String)> {
    let mut session = engine::look(&url_of(url)?)?;
    let tables = session.tables(schema).context("cannot read the catalogue of the database")?;
    let name = session.dialect();
    let dialect = dialect::find(name).with_context(|| format!("the engine speaks `{name}`, which is no dialect"))?;
    Ok((import::relations(tables, dialect), format!("a live database, {}", dialect.title)))
}

fn dbt(manifest: &Path, catalog: Option<&Path>, select: &[String]) -> Result<Made> {
    let manifest: Manifest = serde_json::from_str(&read(manifest)?)
        .with_context(|| format!("{} is not a manifest of dbt", manifest.display()))?;
    let catalog: Catalog = match catalog {
        Some(path) => {
            serde_json::from_str(&read(path)?).with_context(|| format!("{} is not a catalog of dbt", path.display()))?
        }
        None => Catalog::default(),
    };
    Ok(import::models(&manifest, &catalog, select))
}

/// The text of a file.
fn read(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if path.as_os_str() == STDIN {
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))
}

/// Why tables of the spec cannot be rendered yet, as warnings.
fn unplanned(spec: &Spec) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for table in spec.tables() {
        for dialect in table.dialects().iter().filter_map(|name| dialect::find(&name.value)) {
            let resolved = match table.for_dialect(dialect.name) {
                Ok(resolved) => resolved,
                Err(faults) => {
                    all.extend(faults);
                    continue;
                }
            };
            if let Err(faults) = plan(&resolved, dialect, None) {
                all.extend(faults.into_iter().map(|fault| placed(fault, spec)));
            }
        }
    }
    for fault in &mut all {
        fault.severity = Severity::Warning;
    }
    all
}
