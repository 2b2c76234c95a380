//! `render --form ddl --from URL`: the tables of a live database, as they are before their change.

use crate::cli::files::url_of;
use crate::diagnostic::Diagnostic;
use crate::dialect::{self, Dialect};
use crate::engine::catalogue::{self, Found};
use crate::engine::{Engine, TableName, look};
use crate::plan::ddl::{DdlPlan, Live, LiveColumn, LiveKey};
use crate::spec::Table;
use anyhow::{Context as _, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The code of what is told of a database.
const CODE: &str = "render-database";

/// A database that is looked at. Nothing is written to it.
pub(super) struct Database {
    session: RefCell<Box<dyn Engine>>,
    /// The dialect that it speaks.
    pub dialect: &'static Dialect,
    /// The tables of each schema that was read.
    schemas: RefCell<BTreeMap<Option<String>, Vec<catalogue::Table>>>,
}

/// What a name stands for.
enum Seen {
    /// A table.
    Table(catalogue::Table),
    /// Something else, by its kind.
    Other(String),
    /// Nothing; false where the schema is not there either.
    Nothing { has_schema: bool },
}

impl Database {
    /// Connects to what `--from` names: a URL, or `env:NAME`. No error holds a password.
    pub fn open(given: &str) -> Result<Self> {
        let session = look(&url_of(given)?)?;
        let name = session.dialect();
        let dialect =
            dialect::find(name).with_context(|| format!("the engine speaks `{name}`, which is no dialect"))?;
        Ok(Self { session: RefCell::new(session), dialect, schemas: RefCell::default() })
    }

    /// The plan of what changes the table as it is into that of the spec; what makes it, where there is none.
    pub fn change(&self, plan: DdlPlan, table: &Table, once: bool) -> Result<DdlPlan, Vec<Diagnostic>> {
        let span = &table.name.span;
        let (name, schema) = (plan.plan.name.clone(), plan.plan.schema.clone());
        let told = |fault: anyhow::Error| {
            let message = format!("the table `{}` cannot be looked up: {fault:#}", plan.plan.table);
            vec![Diagnostic::error(CODE, message).at(span.clone(), "")]
        };
        let is_no_table = |name: &str, kind: &str| {
            let message = format!("`{name}` of the database is {kind}, and no table that can be changed");
            let help = "give the table of the spec another name, or drop what has this one";
            vec![Diagnostic::error(CODE, message).at(span.clone(), "").help(help)]
        };
        if let Some(catalog) = &table.catalog {
            let message =
                format!("`{}` is looked up in the database of the URL, and not in a catalog", plan.plan.table);
            let help = format!(
                "leave `catalog` out, or write it under `overrides` for other dialects than {}",
                self.dialect.name
            );
            return Err(vec![Diagnostic::error(CODE, message).at(catalog.span.clone(), "").help(help)]);
        }
        let found = match self.seen(schema.as_deref(), &name).map_err(told)? {
            Seen::Table(found) => found,
            Seen::Other(kind) => return Err(is_no_table(&plan.plan.table, &kind)),
            Seen::Nothing { has_schema } => {
                let mut plan = plan;
                if !has_schema {
                    let named =
                        schema.map_or("a schema of the session".to_owned(), |name| format!("the schema `{name}`"));
                    let message = format!("{named} is not in the database, and the script makes tables alone");
                    let told = Diagnostic::warning(CODE, message).at(span.clone(), "");
                    plan.warnings.push(told.help("make the schema before the script runs"));
                }
                return Ok(plan);
            }
        };
        let mut live = live(&found);
        if let Some(index) = plan.index() {
            live.taken = match self.find(found.schema.as_deref(), &index).map_err(told)? {
                Found::Table { .. } => Some("a table".to_owned()),
                Found::Other(kind) => Some(kind),
                Found::Nothing | Found::NoSchema => None,
            };
        }
        if let Some(log) = &plan.plan.log {
            let mut parts = log.parts.iter().rev().map(String::as_str);
            let (name, schema) = (parts.next().unwrap_or_default(), parts.next());
            live.log = match self.seen(schema, name).map_err(told)? {
                Seen::Table(log) => Some(Box::new(self::live(&log))),
                Seen::Other(kind) => return Err(is_no_table(&log.parts.join("."), &kind)),
                Seen::Nothing { .. } => None,
            };
        }
        plan.change_live(&live, once)
    }

    fn find(&self, schema: Option<&str>, name: &str) -> Result<Found> {
        self.session.borrow_mut().find(TableName { schema, name }).context("cannot read the catalogue of the database")
    }

    fn seen(&self, schema: Option<&str>, name: &str) -> Result<Seen> {
        let (schema, name) = match self.find(schema, name)? {
            Found::Table { schema, name } => (schema, name),
            Found::Other(kind) => return Ok(Seen::Other(kind)),
            Found::Nothing => return Ok(Seen::Nothing { has_schema: true }),
            Found::NoSchema => return Ok(Seen::Nothing { has_schema: false }),
        };
        let mut schemas = self.schemas.borrow_mut();
        if !schemas.contains_key(&schema) {
            let tables = self.session.borrow_mut().tables(schema.as_deref());
            schemas.insert(schema.clone(), tables.context("cannot read the catalogue of the database")?);
        }
        let found = schemas.get(&schema).into_iter().flatten().find(|table| table.name == name);
        Ok(Seen::Table(found.context("it is there, and the database does not show its columns to this user")?.clone()))
    }
}

/// A table of the catalogue in the words of a plan.
fn live(table: &catalogue::Table) -> Live {
    let columns = table.columns.iter().map(|column| LiveColumn {
        name: column.name.clone(),
        declared: column.declared.clone(),
        not_null: column.not_null,
        has_default: column.default.is_some(),
        generated: column.generated,
        numbered: column.numbered,
    });
    let keys = table.keys.iter().map(|key| LiveKey {
        columns: key.columns.clone(),
        primary: key.primary,
        partial: key.partial,
        nulls_equal: key.nulls_equal,
    });
    Live { columns: columns.collect(), keys: keys.collect(), taken: None, log: None }
}
