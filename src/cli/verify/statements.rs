//! Strategies that are more than a load of one table: statements by name, and effects on tables that no spec describes.

use super::{Faults, Report, Session, artifact, rows, script, watched};
use crate::cli::verify::place::Place;
use crate::diagnostic::Source;
use crate::dialect::types::Type;
use crate::import::{self, Relation};
use crate::plan::statements::{StatementsPlan, has_statements, plan_statements};
use crate::plan::{Plan, Staged};
use crate::render::render;
use crate::spec;
use crate::strategy::{Purpose, Strategy};
use crate::verify::statements::{Prepared, Statements, judge_effects, judge_key_store, unknown_parameters};
use crate::verify::{Asked, Judgement, Scenario, Staging, Subject, Table, described, tables};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// What was found, and whether the schemas could be dropped.
type Judged = Result<(Judgement, Result<()>), Faults>;

/// Reads `name=value`.
pub(super) fn value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write `name=value`".to_owned()),
    }
}

impl Session<'_> {
    /// Judges a table whose strategy, or the one that was asked for, is statements by name; nothing for any other.
    pub(super) fn named(&mut self, table: &spec::Table, place: &Place) -> Result<Option<Result<(), Faults>>> {
        let asked: Option<&'static Strategy> = match self.arguments.strategies.as_slice() {
            [] => None,
            [only] => Some(only),
            // Of several, those that are loads are tried.
            _ => return Ok(None),
        };
        if !has_statements(table, asked).unwrap_or_default() {
            return Ok(None);
        }
        let plan = match plan_statements(table, place.dialect, asked) {
            Ok(plan) => plan,
            Err(faults) => return Ok(Some(Err(faults))),
        };
        let statements = match Statements::rendered(&plan) {
            Ok(statements) => statements,
            Err(fault) => return Ok(Some(Err(vec![fault]))),
        };
        let own = has_statements(table, None).unwrap_or_default();
        let (title, strategy) = (plan.table.table.clone(), plan.table.strategy.name);
        let start = Instant::now();
        let found = if plan.table.strategy.purpose == Purpose::Request {
            let asked = Asked { guarantees: &self.arguments.guarantees, shrink: false };
            watched(self.output, |report| judge_key_store(&statements, &*place.database, &place.prefix, asked, report))
                .map(Ok)?
        } else if let Some(setup) = self.arguments.setup.as_deref() {
            self.with_effects(&statements, setup, place)?
        } else {
            self.heading(&title, place)?;
            return self.skipped(&title, strategy, needs(Some(&plan)), true).map(|()| Some(Ok(())));
        };
        let (found, dropped) = match found {
            Ok(found) => found,
            Err(faults) => return Ok(Some(Err(faults))),
        };
        self.heading(&title, place)?;
        let notes =
            dropped.err().map(|fault| format!("the schemas {}.. could not be dropped: {fault:#}", place.prefix));
        self.report(Report {
            title,
            strategy: Some(strategy),
            own,
            found: Ok(found),
            took: start.elapsed(),
            artifacts: Vec::new(),
            notes: notes.into_iter().collect(),
            failed: false,
        })?;
        Ok(Some(Ok(())))
    }

    /// Judges the effects of single events.
    fn with_effects(&mut self, statements: &Statements<'_>, setup: &Path, place: &Place) -> Result<Judged> {
        self.uses_setup = true;
        let plan = &statements.plan.plan;
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, value) in &self.arguments.values {
            if plan.columns.iter().any(|column| column.key && column.name == *name) {
                bail!("`{name}` is the key of an event, which is made up: leave `--value {name}=..` out");
            }
            if statements.plan.statements.iter().any(|named| named.parameters.iter().any(|bound| bound.name == *name)) {
                values.entry(name.clone()).or_default().push(value.clone());
                self.bound.insert(name.clone());
            }
        }
        let missing: Vec<String> =
            unknown_parameters(statements.plan).into_iter().filter(|name| !values.contains_key(name)).collect();
        if !missing.is_empty() {
            bail!(
                "the effects of `{}` bind {}: give {}, and give one several times where events differ in it",
                plan.table,
                missing.iter().map(|name| format!("`:{name}`")).collect::<Vec<_>>().join(" and "),
                as_options(&missing)
            );
        }
        let setup = Arc::new(Source::new(setup.display().to_string(), script(setup)?));
        let (relations, _) = import::tables(std::slice::from_ref(&setup), place.dialect);
        let prepared = Prepared { setup: &setup, values: &values, numbered: numbered(&relations) };
        let asked = Asked { guarantees: &self.arguments.guarantees, shrink: false };
        watched(self.output, |report| {
            judge_effects(statements, &prepared, &*place.database, &place.prefix, asked, report)
        })
    }

    /// Judges the script of a batch of events.
    pub(super) fn batch_of_events(
        &mut self,
        plan: &Plan,
        own: bool,
        spec: &Path,
        place: &mut Place,
    ) -> Result<Result<(), Faults>> {
        let Some(setup) = self.arguments.setup.as_deref() else {
            return self.skipped(&plan.table, plan.strategy.name, needs(None), true).map(Ok);
        };
        self.uses_setup = true;
        let (subject, source) = match batch_subject(plan, setup, place)? {
            Ok(made) => made,
            Err(faults) => return Ok(Err(faults)),
        };
        let scenarios = match self.unplanned(&subject, &source)? {
            Ok(scenarios) => scenarios,
            Err(faults) => return Ok(Err(faults)),
        };
        let origin = artifact::Origin {
            spec: Some(spec),
            table: &plan.table,
            strategy: plan.strategy.name,
            sql: None,
            setup: Some(setup),
        };
        self.judged(&subject, &scenarios, own, &origin, place, Vec::new()).map(Ok)
    }
}

/// What a table with effects needs, in words. `plan` holds its statements, where they are some.
fn needs(plan: Option<&StatementsPlan>) -> String {
    let mut why =
        "its effects write to tables that no spec describes: make them with their rows in a file, and give it with \
                   `--setup TABLES.sql`"
            .to_owned();
    let unknown: Vec<String> = plan.map(unknown_parameters).unwrap_or_default().into_iter().collect();
    if !unknown.is_empty() {
        why.push_str(", and give ");
        why.push_str(&as_options(&unknown));
    }
    why
}

/// How the values of parameters are given.
fn as_options(names: &[String]) -> String {
    format!("`{}`", names.iter().map(|name| format!("--value {name}=..")).collect::<Vec<_>>().join(" "))
}

/// The columns that the engine numbers by itself.
fn numbered(relations: &[Relation]) -> Vec<(Table, String)> {
    let of = |relation: &Relation| {
        let table = Table { schema: relation.schema.clone(), name: relation.name.clone() };
        let columns = relation.columns.iter().filter(|column| column.numbered.is_some());
        columns.map(|column| (table.clone(), column.name.clone())).collect::<Vec<_>>()
    };
    relations.iter().flat_map(of).collect()
}

/// The columns that say when something was, of tables that are filled by the clock: by an effect that reads it, or by a default.
fn clocked(plan: &Plan, relations: &[Relation]) -> Vec<(Table, String)> {
    let times = [Type::Timestamptz, Type::Timestamp, Type::Date];
    let reads = |text: &str| {
        let text = text.to_uppercase();
        times.iter().any(|ty| text.contains(&(plan.dialect.now)(ty).to_uppercase()))
    };
    let by_effect = plan.load.effects.iter().any(|effect| reads(effect));
    let of = |relation: &Relation| {
        let table = Table { schema: relation.schema.clone(), name: relation.name.clone() };
        let is_clock = |column: &&import::Column| {
            times.contains(&relation.type_of(column)) && (by_effect || column.default.as_deref().is_some_and(reads))
        };
        let columns = relation.columns.iter().filter(is_clock);
        columns.map(|column| (table.clone(), column.name.clone())).collect::<Vec<_>>()
    };
    relations.iter().flat_map(of).collect()
}

/// The script of a batch of events, with the tables of its spec in front of those of the set-up, unless that makes them itself.
pub(super) fn batch_subject(
    plan: &Plan,
    setup: &Path,
    place: &Place,
) -> Result<Result<(Subject, Arc<Source>), Faults>> {
    let sql = match render(plan, &[]) {
        Ok(sql) => sql,
        Err(fault) => return Ok(Err(vec![fault])),
    };
    let (name, text) = (setup.display().to_string(), script(setup)?);
    let theirs = Arc::new(Source::new(name.clone(), text.clone()));
    let (relations, _) = import::tables(std::slice::from_ref(&theirs), place.dialect);
    let is_made = |table: &Table| relations.iter().any(|made| made.schema == table.schema && made.name == table.name);
    let marker = Table { schema: plan.schema.clone(), name: plan.name.clone() };
    let mut ours = Vec::new();
    if !is_made(&marker) {
        ours.push(tables::target(plan));
    }
    if let Staged::Table { parts, columns, .. } = &plan.staged
        && !is_made(&Table::of(parts))
    {
        let columns = columns.iter().map(|(name, ty)| (name.clone(), ty.clone().unwrap_or(tables::UNKNOWN)));
        let staging = Staging { parts: parts.clone(), columns: columns.collect(), rows: Vec::new() };
        ours.push(tables::staged(place.dialect, &staging));
    }
    // On the first line, so that every other line of the set-up keeps its number.
    let ours: String = ours.iter().map(|statement| format!("{}; ", statement.replace('\n', " "))).collect();
    let setup = Arc::new(Source::new(name, format!("{ours}{text}")));
    let load = Arc::new(Source::new(format!("the script of {}", plan.table), sql));
    let mut subject = match Subject::given(None, &load, Some(&setup), place.dialect) {
        Ok(subject) => subject,
        Err(faults) => return Ok(Err(faults)),
    };
    // When an event was marked is the clock's to say.
    for target in subject.targets.iter_mut().filter(|target| target.table == marker) {
        target.columns = Subject::rendered(plan, "").targets.into_iter().flat_map(|target| target.columns).collect();
    }
    let mut subject = described(subject, &*place.database, &place.prefix, &Scenario::nothing())?;
    subject.ignore(&numbered(&relations));
    subject.ignore(&clocked(plan, &relations));
    Ok(Ok((subject, setup)))
}

impl Session<'_> {
    /// The rows that SQL is tried with of which only the tables are known.
    pub(super) fn unplanned(
        &self,
        subject: &Subject,
        setup: &Arc<Source>,
    ) -> Result<Result<crate::verify::Scenarios, Faults>> {
        Ok(match &self.arguments.rows {
            Some(rows) => rows::without_a_plan(subject, &rows::read_any(rows)?),
            None => rows::made_up(subject, setup, self.arguments.seed, self.arguments.crash_rows),
        })
    }
}
