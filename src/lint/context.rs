//! A script in its context: every statement with its clauses, the blocks and the transaction around it, and what the
//! statements before and behind it do to the same table.

use crate::diagnostic::{self, Bulk};
use crate::dialect::Dialect;
use crate::lint::dbt::{Commands, Model, Snapshot};
use crate::lint::known::{Known, Table};
use crate::lint::options::Options;
use crate::lint::policy::{Policy, Runner};
use crate::lint::proof::second_run::{self, Failure};
use crate::sql::clause::{
    Action, Create, Fault, Guard, Inner, Insert, Object, Query, Renamed, Source, Transaction, Verb, read, renames,
};
use crate::sql::script::{Frame, Frames, Script, Statement};
use crate::sql::view::{Name, Sql, same_table};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Everything that a rule may ask.
pub struct Context<'a> {
    /// The file.
    pub source: &'a diagnostic::Source,
    /// The script.
    pub script: &'a Script<'a>,
    /// Its dialect.
    pub dialect: &'static Dialect,
    /// Who runs it.
    pub runner: Runner,
    /// The team's settings.
    pub options: &'a Options,
    /// The statements in order.
    pub steps: Vec<Step<'a>>,
    /// What dbt makes of the file, when it is a model.
    pub model: Option<Model>,
    /// The commands that the file gives dbt to run beside its models.
    pub commands: Vec<Commands>,
    /// The snapshots of dbt that the file defines.
    pub snapshots: Vec<Snapshot>,
    known: &'a Known,
    own: Known,
    /// What happens to tables, by the last part of their names, in the order of the script.
    events: HashMap<String, Vec<Event<'a>>>,
    second: OnceLock<Vec<Failure>>,
    /// The step that drops a schema or a database, or makes one anew: tables made behind it are new in each run.
    emptied: Option<usize>,
    /// The steps that make a schema and have no guard, by its name.
    schemas: HashMap<String, usize>,
}

/// One statement in its place.
pub struct Step<'a> {
    /// Its number.
    pub index: usize,
    /// As the script reader gave it.
    pub statement: &'a Statement,
    /// Its tokens.
    pub sql: Sql<'a>,
    /// Its clauses, or why it cannot be read.
    pub verb: Result<Verb<'a>, Fault>,
    /// Which run it belongs to: 0 for the script itself, another number for each routine body and each down part.
    pub scope: usize,
    /// It stands in the body of a routine, which is defined here and run elsewhere.
    pub defined: bool,
    /// It belongs to a part that undoes what another part did.
    pub down: bool,
    /// How often it is run.
    pub policy: Policy,
    /// The transaction that it is in, by number; `None` when it is its own.
    pub transaction: Option<usize>,
}

/// Something that happens to a table.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The step.
    pub step: usize,
    /// The table.
    pub table: Name<'a>,
    /// What happens.
    pub what: What<'a>,
}

/// What happens to a table.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// It is created; with a guard, it may have been there.
    Created {
        /// The guard of the statement.
        guard: Guard,
        /// It goes when the session or the transaction ends.
        temporary: bool,
        /// It is filled by a query.
        filled: bool,
    },
    /// It is dropped.
    Dropped,
    /// All of its rows are removed.
    Truncated,
    /// Rows are removed: those of the condition, or all of them.
    Deleted(Option<Sql<'a>>),
    /// It gets another name, or another table gets its name.
    Renamed,
}

/// Why rows that are inserted again are no second copy, or no harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// It is a temporary table or a variable.
    Temporary,
    /// The script makes it anew each time: DROP and CREATE, OR REPLACE.
    Recreated,
    /// The script drops it or renames it away behind the statement.
    Passing,
    /// The script removes rows from it before the statement: the step.
    Cleared(usize),
    /// The script creates it or its schema, and that fails on the second run: the step.
    CreatedHere(usize),
    /// The team says that every run may append to it.
    AppendOnly,
    /// The team says that it holds the rows of one load.
    Staging,
}

impl<'a> Context<'a> {
    /// What dbt makes of the file, when it is a model that is built by increments.
    pub fn incremental_model(&self) -> Option<&Model> {
        self.model.as_ref().filter(|model| model.is_incremental())
    }

    /// How the lines of the file end, for text that is put in: as the first one does, so do all.
    pub fn newline(&self) -> &'static str {
        let text = self.script.text;
        if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" }
    }

    /// Reads every statement and puts it in its place.
    pub fn new(
        source: &'a diagnostic::Source,
        script: &'a Script<'a>,
        dialect: &'static Dialect,
        runner: Runner,
        options: &'a Options,
        known: &'a Known,
    ) -> Self {
        let mut context = Self {
            source,
            script,
            dialect,
            runner,
            options,
            steps: Vec::with_capacity(script.statements.len()),
            model: None,
            commands: Vec::new(),
            snapshots: Vec::new(),
            known,
            own: Known::default(),
            events: HashMap::new(),
            second: OnceLock::new(),
            emptied: None,
            schemas: HashMap::new(),
        };
        for (index, statement) in script.statements.iter().enumerate() {
            let sql = script.sql(statement);
            let verb = read(sql);
            let step = context.place(index, statement, sql, verb);
            context.steps.push(step);
        }
        let whole = |object| matches!(object, Object::Schema | Object::Database);
        context.emptied = context.steps.iter().position(|step| match &step.verb {
            Ok(Verb::Drop(drop)) => whole(drop.object) && step.scope == 0,
            Ok(Verb::Create(create)) => whole(create.object) && create.guard == Guard::OrReplace && step.scope == 0,
            _ => false,
        });
        for step in &context.steps {
            if let Ok(Verb::Create(create)) = &step.verb
                && let (Object::Schema, Guard::None, Some(name)) = (create.object, create.guard, create.name)
                && context.emptied.is_none()
                && !context.guarded(step)
            {
                context.schemas.entry(name.last()).or_insert(step.index);
            }
        }
        if context.is_model() {
            for step in &mut context.steps {
                step.policy = Policy::Unknown;
            }
        }
        context.transactions();
        context.collect();
        for step in &context.steps {
            if let Ok(verb) = &step.verb {
                context.own.take_over(verb, known);
                context.own.learn_statement(verb);
            }
        }
        context
    }

    /// A file of a database project: nothing but objects as they shall be, of which a tool makes the statements that
    /// bring a database there. Such a tool takes plain CREATE alone, and nobody runs the file itself.
    fn is_model(&self) -> bool {
        let plain = |step: &Step<'_>| match &step.verb {
            Ok(Verb::Create(create)) => create.guard == Guard::None && step.statement.frame.is_none(),
            Ok(Verb::Plain) => step.sql.is_any(0, &["grant", "deny", "exec", "execute"]),
            _ => false,
        };
        let mut own = self.steps.iter().filter(|step| !step.defined).peekable();
        self.dialect.client.guards.or_alter
            && self.runner.name.is_none()
            && self.runner.policy == Policy::Rerun
            && own.peek().is_some()
            && own.all(plain)
    }

    fn place(&self, index: usize, statement: &'a Statement, sql: Sql<'a>, verb: Result<Verb<'a>, Fault>) -> Step<'a> {
        let mut routine = None;
        let mut next = statement.frame;
        while let Some(at) = next {
            let frame = &self.script.frames[at];
            if frame.kind == Frames::Routine {
                routine = Some(at);
            }
            next = frame.parent;
        }
        let at = sql.range().start;
        let section = self.runner.section_of(at);
        let down = section.is_some_and(|section| self.runner.sections[section].down);
        let policy = section.and_then(|section| self.runner.sections[section].policy).unwrap_or(self.runner.policy);
        let scope = match (routine, section) {
            (Some(frame), _) => 1_000_000 + frame,
            (None, Some(section)) if down => 1 + section,
            _ => 0,
        };
        Step { index, statement, sql, verb, scope, defined: routine.is_some(), down, policy, transaction: None }
    }

    /// Numbers the transactions.
    fn transactions(&mut self) {
        let whole = self.options.in_transaction.or(self.runner.in_transaction).unwrap_or(false);
        let client = &self.dialect.client;
        // A script of no known engine that commits what it never began is one for a client without autocommit.
        let control = self.steps.iter().find_map(|step| match step.verb {
            Ok(Verb::Transaction(what)) if step.scope == 0 && what != Transaction::Savepoint => Some(what),
            _ => None,
        });
        let commits_first = client.lenient && control == Some(Transaction::Commit);
        // Without autocommit a transaction is open from the first statement on, and the next one behind each COMMIT.
        let mut implicit = whole || !client.autocommit || commits_first;
        let mut open: HashMap<usize, Option<usize>> = HashMap::new();
        let mut count = 1;
        for step in &mut self.steps {
            let first = if implicit { Some(0) } else { None };
            let now = open.entry(step.scope).or_insert(first);
            step.transaction = *now;
            // A routine and a DO block run in the transaction of their caller.
            let block = step.statement.quoted && !step.statement.templated;
            match &step.verb {
                Ok(Verb::Transaction(what @ (Transaction::Begin | Transaction::NoAutocommit))) => {
                    implicit |= *what == Transaction::NoAutocommit;
                    *now = Some(count);
                    step.transaction = *now;
                    count += 1;
                }
                Ok(Verb::Transaction(Transaction::Commit | Transaction::Rollback)) => {
                    *now = implicit.then_some(count);
                    count += 1;
                }
                Ok(Verb::Create(_) | Verb::Drop(_) | Verb::Alter(_))
                    if !self.dialect.client.ddl_in_transaction && !temporary(&step.verb) =>
                {
                    *now = implicit.then_some(count);
                    count += 1;
                }
                Ok(Verb::Truncate(_)) if !self.dialect.client.truncate_in_transaction => {
                    *now = implicit.then_some(count);
                    count += 1;
                }
                _ if block && now.is_none() => {
                    // One DO block is one transaction; its steps share the number of its outermost frame.
                    step.transaction = step.statement.frame.map(|frame| 2_000_000 + self.script.outermost(frame));
                }
                _ => {}
            }
        }
    }

    fn collect(&mut self) {
        let mut events = Vec::new();
        for step in &self.steps {
            if let Ok(verb) = &step.verb {
                events_of(verb, step.index, &mut events);
                if matches!(verb, Verb::Rename) {
                    let names = renames(step.sql).into_iter().filter(|(.., renamed)| *renamed == Renamed::Table);
                    let names = names.flat_map(|(from, to, _)| [from, to]);
                    events.extend(names.map(|sql| Event {
                        step: step.index,
                        table: Name { sql },
                        what: What::Renamed,
                    }));
                }
            }
        }
        for event in events {
            self.events.entry(event.table.last()).or_default().push(event);
        }
    }

    /// What happens to a table in the same run as a step, in order. Where very much happens to it, what happens first and
    /// what happens near the step: a file of a hundred thousand changes of one table must not take their square.
    pub fn events<'s>(&'s self, step: &'s Step<'a>, table: Name<'s>) -> impl Iterator<Item = &'s Event<'a>> {
        let (first, near) = (32, 64);
        let key = table.key();
        let all = self.events.get(&table.last()).map(Vec::as_slice).unwrap_or_default();
        let here = all.partition_point(|event| event.step < step.index);
        let start = here.saturating_sub(near).max(first.min(all.len()));
        let end = (here + near).max(start).min(all.len());
        let head = &all[..first.min(all.len())];
        let same =
            move |event: &&Event<'a>| event.table.source() == table.source() || same_table(&event.table.key(), &key);
        head.iter().chain(&all[start..end]).filter(move |event| self.steps[event.step].scope == step.scope).filter(same)
    }

    /// The same for what happens before the step, the nearest first. A file of many parts has many events of other runs,
    /// which are passed over; not without end, for each step asks.
    pub fn events_before<'s>(&'s self, step: &'s Step<'a>, table: Name<'s>) -> impl Iterator<Item = &'s Event<'a>> {
        let key = table.key();
        let same = self.events.get(&table.last()).map(Vec::as_slice).unwrap_or_default();
        let before = &same[..same.partition_point(|event| event.step < step.index)];
        before
            .iter()
            .rev()
            .take(1_000)
            .filter(move |event| self.steps[event.step].scope == step.scope && same_table(&event.table.key(), &key))
    }

    /// Why inserting the same rows into a table again is no harm, if there is a reason. A clearing with a condition counts:
    /// whether it clears the right rows is another question.
    pub fn fresh(&self, step: &Step<'a>, table: Name<'a>) -> Option<Fresh> {
        let last = table.sql.text(table.sql.len().saturating_sub(1));
        let local = self.dialect.client.optional_semicolons || self.dialect.client.lenient;
        if (local && last.starts_with(['#', '@'])) || table.qualifier().is_some_and(|q| q == "pg_temp" || q == "temp") {
            return Some(Fresh::Temporary);
        }
        let key = table.key();
        if self.options.append_only.iter().any(|pattern| like(&key, pattern)) {
            return Some(Fresh::AppendOnly);
        }
        let mut found = None;
        let mut dropped = false;
        for event in self.events(step, table) {
            if event.step >= step.index {
                let gone = event.step > step.index && matches!(event.what, What::Dropped | What::Renamed);
                // A table that is made here and goes away again is not there when the second run makes it.
                if gone && matches!(found, None | Some(Fresh::CreatedHere(_))) {
                    found = Some(Fresh::Passing);
                }
                continue;
            }
            match event.what {
                What::Created { temporary: true, .. } => found = Some(Fresh::Temporary),
                What::Created { guard: Guard::OrReplace, .. } => found = Some(Fresh::Recreated),
                What::Created { .. } if self.emptied.is_some_and(|at| at < event.step) => {
                    found = Some(Fresh::Recreated);
                }
                What::Created { guard: Guard::IfExists, .. } if !dropped => {}
                What::Created { .. } if dropped => found = Some(Fresh::Recreated),
                What::Created { .. } if self.guarded(&self.steps[event.step]) => {}
                What::Created { .. } => found = Some(Fresh::CreatedHere(event.step)),
                What::Dropped | What::Renamed => {
                    dropped = true;
                    found = None;
                }
                What::Truncated | What::Deleted(_) => {
                    if !matches!(found, Some(Fresh::Temporary)) {
                        found = Some(Fresh::Cleared(event.step));
                    }
                }
            }
        }
        let found = found.or_else(|| self.schema_made_here(step, table).map(Fresh::CreatedHere));
        let staging = || self.options.staging.iter().any(|pattern| like(&key, pattern));
        found.or_else(|| staging().then_some(Fresh::Staging))
    }

    /// The step before this one that makes the schema of the table and finds it there when it is run again.
    fn schema_made_here(&self, step: &Step<'a>, table: Name<'a>) -> Option<usize> {
        let schema = table.qualifier()?;
        let first = *self.schemas.get(&schema)?;
        (first < step.index && self.steps[first].scope == step.scope).then_some(first)
    }

    /// True when the statement stands in a block that may keep it from running again: IF, CASE, a loop's condition, or
    /// a block whose handler catches errors; or between guard comments.
    pub fn guarded(&self, step: &Step<'a>) -> bool {
        self.script.frames_of(step.statement).any(|frame| match frame.kind {
            Frames::If | Frames::Else | Frames::Case | Frames::Try | Frames::Handler => true,
            Frames::Block | Frames::Routine => frame.handlers.is_some(),
            _ => false,
        }) || self.in_guard_comments(step)
    }

    /// How many rows of a statement were left out when a large file was read: they count, and are looked at no more.
    pub fn rows_left_out(&self, step: &Step<'a>) -> usize {
        let rows = self.source.left_out(&step.sql.range()).iter().map(|one| match one.what {
            Bulk::Rows(rows) => usize::try_from(rows).unwrap_or(usize::MAX),
            _ => 0,
        });
        rows.sum()
    }

    /// The conditions of the blocks around a statement.
    pub fn conditions(&self, step: &Step<'a>) -> Vec<Sql<'a>> {
        let script = self.script;
        script
            .frames_of(step.statement)
            .filter(|frame| frame.kind != Frames::Loop)
            .map(|frame| script.view(&frame.head))
            .collect()
    }

    fn in_guard_comments(&self, step: &Step<'a>) -> bool {
        if self.options.guard_comments.is_empty() {
            return false;
        }
        let at = step.sql.range().start;
        let mut depth = 0_i32;
        for comment in self.script.comments.iter().take_while(|comment| (comment.start as usize) < at) {
            let text =
                self.script.text[comment.start as usize..comment.end as usize].trim_start_matches(['-', '/', '*', ' ']);
            for (begin, end) in &self.options.guard_comments {
                if text.starts_with(end.as_str()) {
                    depth = (depth - 1).max(0);
                } else if text.starts_with(begin.as_str()) {
                    depth += 1;
                }
            }
        }
        depth > 0
    }

    /// What is known of a table: from this script, other files of the run, a schema file, specs.
    pub fn table(&self, name: Name<'_>) -> Option<&Table> {
        // A table that is no more than mentioned here is better known elsewhere.
        let own = self.own.find(name);
        match own {
            Some(own) if own.complete || !own.columns.is_empty() || !own.keys.is_empty() => Some(own),
            _ => self.known.find(name).or(own),
        }
    }

    /// What is known of the table that an INSERT fills: of several with one name the one that has its columns.
    pub fn table_of(&self, insert: &Insert<'_>) -> Option<&Table> {
        self.table(insert.target).map(|table| table.with(&insert.columns))
    }

    /// The definitions that fail when the script is run a second time, in the order of the script.
    pub fn failures(&self) -> &[Failure] {
        self.second.get_or_init(|| second_run::failures(self))
    }

    /// The innermost frames around a step.
    pub fn frames<'s>(&'s self, step: &'s Step<'a>) -> impl Iterator<Item = &'s Frame> {
        self.script.frames_of(step.statement)
    }
}

impl<'a> Step<'a> {
    /// The statement itself, and every statement that changes rows in its WITH list; the outermost first.
    pub fn verbs(&self) -> impl Iterator<Item = &Verb<'a>> {
        let verb = self.verb.as_ref().ok();
        // Hardly any statement holds another one, and every rule asks.
        let mut inner = Vec::new();
        if let Some(verb) = verb.filter(|verb| has_with(verb)) {
            nested(verb, &mut inner);
            inner.remove(0);
        }
        verb.into_iter().chain(inner)
    }
}

/// True when the statement has a WITH list, before it or before its query.
fn has_with(verb: &Verb<'_>) -> bool {
    match verb {
        Verb::Insert(insert) => {
            !insert.with.is_empty() || matches!(&insert.source, Source::Query(query) if !query.with.is_empty())
        }
        Verb::Update(update) => !update.with.is_empty(),
        Verb::Delete(delete) => !delete.with.is_empty(),
        Verb::Merge(merge) => !merge.with.is_empty(),
        Verb::Query(query) => !query.with.is_empty(),
        _ => false,
    }
}

fn nested<'s, 'a>(verb: &'s Verb<'a>, all: &mut Vec<&'s Verb<'a>>) {
    all.push(verb);
    let with = match verb {
        Verb::Insert(insert) => {
            if let Source::Query(query) = &insert.source {
                in_query(query, all);
            }
            &insert.with
        }
        Verb::Update(update) => &update.with,
        Verb::Delete(delete) => &delete.with,
        Verb::Merge(merge) => &merge.with,
        Verb::Query(query) => return in_query(query, all),
        _ => return,
    };
    for common in with {
        if let Inner::Change(change) = &common.inner {
            nested(change, all);
        }
    }
}

fn in_query<'s, 'a>(query: &'s Query<'a>, all: &mut Vec<&'s Verb<'a>>) {
    for common in &query.with {
        if let Inner::Change(change) = &common.inner {
            nested(change, all);
        }
    }
}

fn temporary(verb: &Result<Verb<'_>, Fault>) -> bool {
    match verb {
        Ok(Verb::Create(create)) => create.temporary,
        Ok(Verb::Drop(drop)) => drop.temporary,
        _ => false,
    }
}

fn events_of<'a>(verb: &Verb<'a>, step: usize, events: &mut Vec<Event<'a>>) {
    let mut push = |table: Name<'a>, what: What<'a>| events.push(Event { step, table, what });
    match verb {
        Verb::Create(create @ Create { object: Object::Table, name: Some(name), .. }) => push(
            *name,
            What::Created { guard: create.guard, temporary: create.temporary, filled: create.query.is_some() },
        ),
        Verb::Drop(drop) if drop.object == Object::Table => {
            drop.names.iter().for_each(|name| push(*name, What::Dropped));
        }
        Verb::Truncate(names) => names.iter().for_each(|name| push(*name, What::Truncated)),
        Verb::Delete(delete) => push(delete.table(), What::Deleted(delete.filter)),
        Verb::Alter(alter) => {
            for action in &alter.actions {
                let to = match action {
                    Action::RenameTo(to) => Some(*to),
                    Action::Other(sql) => exchanged(*sql),
                    _ => None,
                };
                if let Some(to) = to {
                    push(alter.name, What::Renamed);
                    push(to, What::Renamed);
                }
            }
        }
        Verb::Query(query) => {
            for into in query.selects().into_iter().filter_map(|select| select.into) {
                push(
                    into,
                    What::Created { guard: Guard::None, temporary: into.source().starts_with('#'), filled: true },
                );
            }
        }
        _ => {}
    }
    let mut inner = Vec::new();
    nested(verb, &mut inner);
    for change in inner.into_iter().skip(1) {
        events_of(change, step, events);
    }
}

/// The table whose rows an action of ALTER takes over: `SWAP WITH t`, `SWITCH TO t`, `EXCHANGE PARTITION p WITH TABLE t`.
fn exchanged(sql: Sql<'_>) -> Option<Name<'_>> {
    if !sql.is_any(0, &["swap", "switch", "exchange"]) {
        return None;
    }
    let mut at = sql.find(1, &["with", "to"])? + 1;
    at += usize::from(sql.is(at, "table"));
    sql.name(at).map(|(name, _)| name)
}

/// True when a name fits a pattern of lower case in which `*` stands for any characters. A pattern without a dot is for the last part.
pub fn like(name: &str, pattern: &str) -> bool {
    let name = if pattern.contains('.') { name } else { name.rsplit('.').next().unwrap_or(name) };
    let mut rest = name;
    let mut parts = pattern.split('*').peekable();
    let Some(first) = parts.next() else { return false };
    let Some(behind) = rest.strip_prefix(first) else { return false };
    if parts.peek().is_none() {
        return behind.is_empty();
    }
    rest = behind;
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}
