//! Where loads are tried: a database of any engine, in which tables are made for each trial in schemas of our own.

use super::batch::{Batch, inserts};
use super::names::{Names, Table};
use super::scenario::Staging;
use super::subject::{Subject, Target};
use super::tables;
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};
use crate::engine::{Database, Engine};
use crate::sql::bind::bind;
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;

/// The rows of every target, sorted: what a load left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State(pub Vec<Vec<Row>>);

/// How many statements of a set-up go to the engine at once.
const AT_ONCE: usize = 100;

/// A database with the tables of one load.
pub struct Lab<'a> {
    /// The load.
    pub subject: &'a Subject,
    /// The session that makes tables and reads them.
    pub session: Box<dyn Engine>,
    database: &'a dyn Database,
    names: Names,
    /// The staged tables of a second session.
    other: Names,
    /// What made each table that is there, by its name in SQL.
    made: BTreeMap<String, String>,
}

impl<'a> Lab<'a> {
    /// A lab on a database. The schemas that it makes begin with the prefix: lower case letters, digits and `_`, not used by
    /// anybody else. `staged` are the tables that scenarios will fill.
    pub fn new(database: &'a dyn Database, subject: &'a Subject, prefix: &str, staged: &[Table]) -> Result<Self> {
        let targets = subject.targets.iter().map(|target| &target.table);
        let all: Vec<Table> = targets.chain(&subject.tables).chain(staged).cloned().collect();
        let names = Names::new(prefix, &all);
        let other = names.with_other(&format!("{prefix}_other"), staged);
        let session = database.session()?;
        let mut lab = Self { subject, session, database, names, other, made: BTreeMap::new() };
        for schema in lab.schemas() {
            lab.session.create_schema(&schema)?;
        }
        lab.session.use_schema(lab.names.own())?;
        Ok(lab)
    }

    /// Every schema of the lab.
    fn schemas(&self) -> Vec<String> {
        let mut all: Vec<String> =
            self.names.schemas().into_iter().chain(self.other.schemas()).map(str::to_owned).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Removes the schemas with everything in them.
    pub fn close(mut self) -> Result<()> {
        self.schemas().iter().try_for_each(|schema| self.session.drop_schema(schema))
    }

    /// Another session on the same tables.
    pub fn open(&self) -> Result<Box<dyn Engine>> {
        let mut session = self.database.session()?;
        for schema in self.schemas() {
            session.create_schema(&schema)?;
        }
        session.use_schema(self.names.own())?;
        Ok(session)
    }

    /// Makes the tables as they are before a scenario: the targets with those rows, the staged tables empty.
    pub fn reset(&mut self, before: &Batch, staging: &[Staging]) -> Result<()> {
        if self.subject.foreign {
            // Nobody knows what the last run has left, in the schemas and in the session.
            for schema in self.schemas() {
                self.session.drop_schema(&schema)?;
            }
            self.session = self.open()?;
            self.made.clear();
        }
        let subject = self.subject;
        for (number, statement) in subject.setup.iter().enumerate() {
            let table = subject.targets.get(number).map_or(format!("set-up {number}"), |target| target.sql.clone());
            self.make(&table, statement)?;
        }
        // A table that the set-up makes is there.
        let missing =
            |staging: &&Staging| !staging.parts.is_empty() && !subject.tables.contains(&Table::of(&staging.parts));
        for staging in staging.iter().filter(missing) {
            let ddl = tables::staged(subject.dialect, staging);
            self.make(&tables::path(subject.dialect, &staging.parts), &ddl)?;
        }
        if let Some(target) = subject.targets.first() {
            self.fill(&target.sql, before, false)?;
        }
        Ok(())
    }

    /// Makes a table, or empties the one that is there.
    fn make(&mut self, table: &str, ddl: &str) -> Result<()> {
        let name = self.names.apply(table, self.subject.dialect);
        if self.made.get(table).is_some_and(|made| made == ddl) {
            return self.session.empty(&name);
        }
        if self.made.insert(table.to_owned(), ddl.to_owned()).is_some() {
            self.execute(&format!("DROP TABLE {name}"))?;
        }
        self.execute(&self.names.apply(ddl, self.subject.dialect))
    }

    /// Fills the staged tables with a batch, in place of what they hold.
    pub fn stage(&mut self, staging: &[Staging]) -> Result<()> {
        self.stage_for(staging, false)
    }

    /// Fills the staged tables of a second session, which are made first.
    pub fn stage_other(&mut self, staging: &[Staging]) -> Result<()> {
        for staging in staging.iter().filter(|staging| staging.parts.len() > 1) {
            let path = tables::path(self.subject.dialect, &staging.parts);
            let ddl = tables::staged(self.subject.dialect, staging);
            let key = format!("other {path}");
            if self.made.get(&key).is_none_or(|made| *made != ddl) {
                if self.made.insert(key, ddl.clone()).is_some() {
                    self.execute(&format!("DROP TABLE {}", self.other.apply(&path, self.subject.dialect)))?;
                }
                self.execute(&self.other.apply(&ddl, self.subject.dialect))?;
            }
        }
        self.stage_for(staging, true)
    }

    fn stage_for(&mut self, staging: &[Staging], other: bool) -> Result<()> {
        for staged in staging.iter().filter(|staging| !staging.parts.is_empty()) {
            let path = tables::path(self.subject.dialect, &staged.parts);
            let names = if other { &self.other } else { &self.names };
            self.session.empty(&names.apply(&path, self.subject.dialect))?;
            let rows = Batch { columns: staged.columns.clone(), rows: staged.rows.clone() };
            self.fill(&path, &rows, other)?;
        }
        Ok(())
    }

    fn fill(&mut self, table: &str, rows: &Batch, other: bool) -> Result<()> {
        let names = if other { &self.other } else { &self.names };
        let table = names.apply(table, self.subject.dialect);
        for some in inserts(self.subject.dialect, &table, &rows.columns, &rows.rows).chunks(AT_ONCE) {
            // A commit for each row takes most of the time where there are transactions.
            let frame = self.subject.dialect.script;
            let begin = frame.map(|frame| frame.begin.to_owned());
            let commit = frame.map(|frame| frame.commit.to_owned());
            let script: Vec<String> = begin.into_iter().chain(some.iter().cloned()).chain(commit).collect();
            let script = script.join(";\n");
            self.session.run_script(&script).with_context(|| format!("the engine refused:\n{script}"))?;
        }
        Ok(())
    }

    fn execute(&mut self, statement: &str) -> Result<()> {
        self.session.execute(statement).with_context(|| format!("the engine refused:\n{statement}"))
    }

    /// The statements of one load of a batch, ready to run: one script, or one for each row of bind parameters.
    pub fn scripts(&self, staging: &[Staging]) -> Result<Vec<Vec<String>>> {
        self.scripts_with(staging, &self.names)
    }

    /// The same for the second session, whose staged tables are others.
    pub fn other_scripts(&self, staging: &[Staging]) -> Result<Vec<Vec<String>>> {
        self.scripts_with(staging, &self.other)
    }

    fn scripts_with(&self, staging: &[Staging], names: &Names) -> Result<Vec<Vec<String>>> {
        let statements: Vec<String> =
            self.subject.statements.iter().map(|text| names.apply(text, self.subject.dialect)).collect();
        match parameters(staging) {
            None => Ok(vec![statements]),
            Some(rows) => rows
                .rows
                .iter()
                .map(|row| statements.iter().map(|text| self.bound(text, &rows.columns, row)).collect())
                .collect(),
        }
    }

    /// A text with the values of one row in the place of its bind parameters.
    pub fn bound(&self, text: &str, columns: &[(String, Type)], row: &Row) -> Result<String> {
        let dialect = self.subject.dialect;
        let value = |at: usize| {
            let (value, (_, ty)) = (row.get(at)?, columns.get(at)?);
            Some(literal(dialect, value, ty))
        };
        let written: Vec<String> =
            columns.iter().zip(1..).map(|((name, ty), place)| dialect.parameter(place, name, ty)).collect();
        bind(text, dialect, &written, &value)
            .map_err(|fault| anyhow::anyhow!("cannot bind the parameters: {}", fault.message))
    }

    /// Runs one script in the lab's own session. After an error no transaction is open.
    pub fn run(&mut self, script: &[String]) -> Result<(), String> {
        run(&mut *self.session, script)
    }

    /// Reads what the targets hold.
    pub fn state(&mut self) -> Result<State> {
        let subject = self.subject;
        subject.targets.iter().map(|target| self.rows(target)).collect::<Result<_>>().map(State)
    }

    /// The rows of the first target of which a predicate over its alias is true.
    pub fn rows_where(&mut self, predicate: &str, alias: &str) -> Result<Vec<Row>> {
        let subject = self.subject;
        let Some(target) = subject.targets.first() else { return Ok(Vec::new()) };
        let as_ = subject.dialect.table_alias;
        self.read(target, &format!(" {as_}{alias}"), &format!(" WHERE {predicate}"))
    }

    /// The rows of one target, sorted.
    fn rows(&mut self, target: &Target) -> Result<Vec<Row>> {
        self.read(target, "", "")
    }

    fn read(&mut self, target: &Target, alias: &str, filter: &str) -> Result<Vec<Row>> {
        let dialect = self.subject.dialect;
        let names: Vec<String> = target.columns.iter().map(|column| (dialect.shown)(&column.sql, &column.ty)).collect();
        let types: Vec<Type> = target.columns.iter().map(|column| column.ty.clone()).collect();
        let query = format!("SELECT {} FROM {}{alias}{}{filter}", names.join(", "), target.sql, dialect.read_hint);
        let mut rows = self.query(&query)?.typed(&types)?;
        rows.sort();
        Ok(rows)
    }

    /// Runs a query over their names.
    pub fn query(&mut self, query: &str) -> Result<crate::engine::Rows> {
        let query = self.names.apply(query, self.subject.dialect);
        self.session.query(&query).with_context(|| format!("the engine refused:\n{query}"))
    }

    /// SQL over their names as it runs here.
    pub fn applied(&self, sql: &str) -> String {
        self.names.apply(sql, self.subject.dialect)
    }

    /// The schema of ours that a table is in.
    pub fn schema(&self, table: &Table) -> String {
        self.names.schema(table).to_owned()
    }
}

/// The rows of bind parameters of a batch, when that is what its load takes.
pub fn parameters(staging: &[Staging]) -> Option<&Staging> {
    staging.iter().find(|staging| staging.parts.is_empty())
}

/// A value in SQL.
fn literal(dialect: &crate::dialect::Dialect, value: &Value, ty: &Type) -> String {
    value.literal(ty).map_or_else(|| (dialect.now)(ty).to_owned(), |literal| dialect.literal(&literal, ty))
}

/// Runs a script in a session. After an error no transaction is open. The error is the engine's message.
pub fn run(session: &mut dyn Engine, script: &[String]) -> Result<(), String> {
    for statement in script {
        if let Err(fault) = session.execute(statement) {
            // Often there is no transaction to end.
            let _ = session.rollback();
            return Err(format!("{fault:#}"));
        }
    }
    Ok(())
}

impl State {
    /// The same without the columns that two right loads may fill differently.
    #[must_use]
    pub fn content(&self, subject: &Subject) -> Self {
        let tables = self.0.iter().zip(&subject.targets).map(|(rows, target)| {
            let keep = |row: &Row| {
                row.iter().zip(&target.columns).filter(|(_, column)| !column.volatile).map(|(v, _)| v.clone()).collect()
            };
            let mut rows: Vec<Row> = rows.iter().map(keep).collect();
            rows.sort();
            rows
        });
        Self(tables.collect())
    }

    /// What another state has instead, in lines: `-` stands only here, `+` only there.
    pub fn difference(&self, other: &Self, subject: &Subject, content: bool) -> String {
        let mut lines = Vec::new();
        for ((one, two), target) in self.0.iter().zip(&other.0).zip(&subject.targets) {
            let columns = target.columns.iter().filter(|column| !content || !column.volatile);
            let names: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
            let table = if subject.targets.len() > 1 { format!("{}: ", target.table.name) } else { String::new() };
            let mark = |mark: &str, row: &Row| format!("{mark} {table}{}", shown(&names, row));
            lines.extend(without(one, two).map(|row| mark("-", row)));
            lines.extend(without(two, one).map(|row| mark("+", row)));
        }
        let more = lines.len().saturating_sub(SHOWN);
        lines.truncate(SHOWN);
        if more > 0 {
            lines.push(format!("and {more} rows more"));
        }
        lines.join("\n")
    }
}

/// How many rows of a difference are shown.
const SHOWN: usize = 8;

/// The rows of the first list that the second lacks, each as often as it is missing.
fn without<'a>(one: &'a [Row], two: &[Row]) -> impl Iterator<Item = &'a Row> {
    let mut left: Vec<&Row> = two.iter().collect();
    one.iter().filter(move |row| match left.iter().position(|other| other == row) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    })
}

/// A row for people.
pub fn shown(names: &[&str], row: &Row) -> String {
    names.iter().zip(row).map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}
