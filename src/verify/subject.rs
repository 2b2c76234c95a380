//! What is judged: the statements of a load, the tables that it needs, and what of them counts.

use super::lab::Lab;
use super::names::Table;
use super::scenario::Scenario;
use super::shape::written;
use super::tables;
use crate::dialect::Dialect;
use crate::dialect::types::Type;
use crate::engine::Database;
use crate::plan::{Plan, Promise, ValueFrom};
use crate::sql::split::{Kind, split};
use anyhow::Result;

/// A load under test.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The dialect of its SQL.
    pub dialect: &'static Dialect,
    /// Its statements, in order, as they were written.
    pub statements: Vec<String>,
    /// The tables that it writes and that are compared, the plan's target first.
    pub targets: Vec<Target>,
    /// Other tables that it reads or writes, which exist before the staged tables are made.
    pub tables: Vec<Table>,
    /// Those of them that the set-up makes and leaves empty, and that the load only reads.
    pub empty: Vec<Table>,
    /// What makes the tables, statement by statement.
    pub setup: Vec<String>,
    /// The plan whose meaning the load must have; none when nobody said what it is.
    pub plan: Option<Plan>,
    /// True when the text is not one that we rendered: it may leave tables behind, and nothing of it is trusted.
    pub foreign: bool,
}

/// A table that a load writes.
#[derive(Clone, Debug)]
pub struct Target {
    /// The table.
    pub table: Table,
    /// Its name in SQL.
    pub sql: String,
    /// The columns that are compared.
    pub columns: Vec<Counted>,
}

/// A column that is compared.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Its name.
    pub name: String,
    /// Its name in SQL.
    pub sql: String,
    /// Its type.
    pub ty: Type,
    /// True when two right loads can leave different values in it, as the clock does.
    pub volatile: bool,
}

impl Subject {
    /// The load of a plan: its rendered text.
    pub fn rendered(plan: &Plan, sql: &str) -> Self {
        Self::of(plan, sql, false)
    }

    /// A text of somebody else that should do what the plan says.
    pub fn hand_written(plan: &Plan, sql: &str) -> Self {
        Self::of(plan, sql, true)
    }

    fn of(plan: &Plan, sql: &str, foreign: bool) -> Self {
        let columns = written(plan)
            .into_iter()
            .map(|column| Counted {
                name: column.name.clone(),
                sql: column.sql.clone(),
                ty: column.ty.clone(),
                volatile: matches!(&column.value, ValueFrom::Load(_)),
            })
            .collect();
        let table = Table { schema: plan.schema.clone(), name: plan.name.clone() };
        let mut targets = vec![Target { table, sql: plan.load.target.clone(), columns }];
        let mut setup = vec![tables::target(plan)];
        if let (Some(log), Some(once)) = (&plan.log, &plan.load.once) {
            let last = log.columns.len() - 1;
            let columns = log.columns.iter().enumerate().map(|(at, (name, ty))| Counted {
                name: name.clone(),
                sql: plan.dialect.identifier(name, false),
                ty: ty.clone(),
                // When a batch was loaded.
                volatile: at == last,
            });
            let columns = columns.collect();
            targets.push(Target { table: Table::of(&log.parts), sql: once.log.clone(), columns });
            setup.push(tables::log(plan));
        }
        Self {
            dialect: plan.dialect,
            statements: statements(sql, plan.dialect),
            targets,
            tables: Vec::new(),
            empty: Vec::new(),
            setup,
            plan: Some(plan.clone()),
            foreign,
        }
    }

    /// Leaves columns out of what is compared between two right loads: those that the engine numbers by itself, of which a
    /// number may be lost.
    pub fn ignore(&mut self, columns: &[(Table, String)]) {
        for (table, name) in columns {
            let targets = self.targets.iter_mut().filter(|target| target.table == *table);
            let found = targets.flat_map(|target| &mut target.columns);
            found.filter(|column| column.name.eq_ignore_ascii_case(name)).for_each(|column| column.volatile = true);
        }
    }

    /// What the load promises of a guarantee. A text of somebody else is held to every one.
    pub fn promise(&self, guarantee: &str) -> Option<&Promise> {
        let plan = self.plan.as_ref().filter(|_| !self.foreign)?;
        plan.promises.iter().find(|promise| promise.guarantee.name == guarantee)
    }

    /// Whether the load is held to a guarantee.
    pub fn promises(&self, guarantee: &str) -> bool {
        self.promise(guarantee).is_none_or(|promise| promise.given)
    }

    /// True when the load begins or ends a transaction itself.
    pub fn has_transaction(&self) -> bool {
        const WORDS: [&str; 5] = ["BEGIN", "START", "COMMIT", "END", "ROLLBACK"];
        self.statements.iter().any(|statement| {
            let first = statement.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            WORDS.iter().any(|word| first.eq_ignore_ascii_case(word))
        })
    }
}

/// The subject with the columns of targets of which nothing is known read from the database, where its set-up is run once.
/// Their values are compared as text.
///
/// # Errors
/// When the set-up fails.
pub fn described(mut subject: Subject, database: &dyn Database, prefix: &str, nothing: &Scenario) -> Result<Subject> {
    if subject.targets.iter().all(|target| !target.columns.is_empty()) {
        return Ok(subject);
    }
    let mut columns = Vec::new();
    let mut lab = Lab::new(database, &subject, prefix, &[])?;
    let read = lab.reset(&nothing.before, &[]).and_then(|()| {
        for target in subject.targets.iter().filter(|target| target.columns.is_empty()) {
            columns.push(lab.query(&format!("SELECT * FROM {}", target.sql))?.columns);
        }
        Ok(())
    });
    lab.close()?;
    read?;
    let unknown = subject.targets.iter_mut().filter(|target| target.columns.is_empty());
    for (target, names) in unknown.zip(columns) {
        let counted = |name: String| Counted {
            sql: subject.dialect.identifier(&name, true),
            name,
            ty: Type::Text,
            volatile: false,
        };
        target.columns = names.into_iter().map(counted).collect();
    }
    Ok(subject)
}

/// The statements of a script.
pub(super) fn statements(sql: &str, dialect: &Dialect) -> Vec<String> {
    let pieces = split(sql, dialect);
    let statements = pieces.into_iter().filter(|piece| piece.kind == Kind::Statement);
    statements.map(|piece| sql[piece.range].to_owned()).collect()
}
