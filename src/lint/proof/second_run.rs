//! Runs the definitions of a script twice, by name: what is there after the first run, and which CREATE, DROP, ALTER or
//! RENAME then fails.
//!
//! The first run is taken to succeed: an unguarded CREATE found nothing, an unguarded DROP found something. What a guarded
//! one found does not matter. A statement in a block with a condition counts as guarded, and as having done its work.

mod catalogue;

use self::catalogue::{Catalogue, Class};
use crate::lint::context::{Context, Step};
use crate::sql::clause::{
    Action, Alter, Constraint, Create, Drop, Guard, Inner, Object, Query, Renamed, Table, Verb, renames,
};
use crate::sql::lex::Kind;
use crate::sql::script::Frames;
use crate::sql::view::{Name, Sql, folded};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// A definition that fails when the script is run again.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The step.
    pub step: usize,
    /// What it does.
    pub act: Act,
    /// The name of the object as it stands in the text; empty where it has none.
    pub name: String,
    /// The table that a column, a constraint or an index is of.
    pub table: Option<String>,
    /// It fails because the object is there; where false, because it is not.
    pub exists: bool,
    /// The bytes of the name, or of what stands for it.
    pub span: Range<usize>,
    /// The byte where IF EXISTS or IF NOT EXISTS would stand.
    pub guard_at: usize,
    /// Nothing fails: a second object of the same kind is made, under another name.
    pub doubles: bool,
    /// It belongs to a swap of two tables, `t` to `t_old` and `t_new` to `t`, which begins at this step.
    pub swap: Option<usize>,
}

/// What a definition does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each is named as in SQL.
pub enum Act {
    Create(Object),
    Drop(Object),
    AddColumn,
    DropColumn,
    AddConstraint,
    DropConstraint,
    AddPrimaryKey,
    DropPrimaryKey,
    AddIndex,
    DropIndex,
    AddValue,
    Rename(Object),
    RenameColumn,
    RenamePart,
}

/// Finds the definitions that fail on the second run.
pub fn failures(context: &Context<'_>) -> Vec<Failure> {
    let mut runs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for step in &context.steps {
        let skipped = step.down || step.statement.templated || (step.defined && !context.options.bodies);
        if !skipped && defines(step) {
            runs.entry(step.scope).or_default().push(step.index);
        }
    }
    let spoken = if runs.is_empty() { HashMap::new() } else { spoken(context) };
    let mut all = Vec::new();
    for steps in runs.values() {
        let mut run = Run {
            context,
            catalogue: Catalogue::default(),
            second: false,
            counts: Vec::new(),
            counted: 0,
            blocked: HashSet::new(),
            temporary: HashSet::new(),
            left: None,
            renamed: None,
            spoken: &spoken,
            found: Vec::new(),
        };
        run.go(steps);
        run.second = true;
        run.left = None;
        run.renamed = None;
        run.temporary.clear();
        run.go(steps);
        all.append(&mut run.found);
    }
    all.sort_by_key(|failure| failure.step);
    all
}

/// Names that a call is given as strings, each with the first such step: `CALL drop_key('t', 'k')` may drop it, and what
/// is there then nobody can tell from the script.
fn spoken(context: &Context<'_>) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for step in &context.steps {
        let sql = step.sql;
        let call = sql.is_any(0, &["call", "exec", "execute", "perform", "select", "set", "begin"]);
        if !call || step.down || matches!(step.verb, Ok(Verb::Rename)) || sql.len() > 200 {
            continue;
        }
        for at in (0..sql.len()).filter(|at| sql.kind(*at) == Some(Kind::Text)) {
            let text = sql.text(at).trim_start_matches(['N', 'n']).trim_matches('\'');
            let last = text.rsplit('.').next().unwrap_or(text);
            names.entry(folded(last).into_owned()).or_insert(step.index);
        }
    }
    names
}

fn defines(step: &Step<'_>) -> bool {
    match &step.verb {
        Ok(Verb::Create(_) | Verb::Drop(_) | Verb::Alter(_) | Verb::Rename) => true,
        Ok(Verb::Query(query)) => query.selects().iter().any(|select| select.into.is_some()),
        Ok(Verb::Plain) => leaves(step.sql),
        _ => false,
    }
}

/// What ends a run, a batch or a block before its end.
fn leaves(sql: Sql<'_>) -> bool {
    let notice = sql.is_any(1, &["notice", "info", "warning", "log", "debug"]);
    sql.is_any(0, &["return", "leave", "throw", "raise", "signal", "goto", "exit"]) && !notice
        || sql.words(0, &["set", "noexec", "on"])
}

/// The name in a string; or what stands there, where it is none.
fn written(sql: Sql<'_>) -> &str {
    let text = sql.source();
    if text.contains('\'') { text.trim_start_matches(['N', 'n']).trim_matches('\'') } else { text }
}

struct Run<'c, 'a> {
    spoken: &'c HashMap<String, usize>,
    context: &'c Context<'a>,
    catalogue: Catalogue,
    second: bool,
    /// How many routines of a name there were at each CREATE of the first run.
    counts: Vec<i32>,
    counted: usize,
    /// Tables whose CREATE stops the second run, so that nothing behind it that is about them is reached.
    blocked: HashSet<String>,
    /// Tables that go with the session.
    temporary: HashSet<String>,
    /// A condition left the run here: the batch, and the outermost frame.
    left: Option<(u32, Option<usize>, bool)>,
    /// The old name and the step of the last table that was renamed.
    renamed: Option<(String, usize)>,
    found: Vec<Failure>,
}

/// What the steps of a definition share.
struct Place<'s, 'a> {
    step: &'s Step<'a>,
    guarded: bool,
}

impl<'a> Run<'_, 'a> {
    fn go(&mut self, steps: &[usize]) {
        self.counted = 0;
        for index in steps {
            let step = &self.context.steps[*index];
            let guarded = self.context.guarded(step) || self.passed(step);
            let place = Place { step, guarded };
            match &step.verb {
                Ok(Verb::Create(create)) => self.create(&place, create),
                Ok(Verb::Drop(drop)) => self.drop(&place, drop),
                Ok(Verb::Alter(alter)) => self.alter(&place, alter),
                Ok(Verb::Rename) => {
                    for (from, to, renamed) in renames(step.sql) {
                        self.rename_text(&place, from, to, renamed);
                    }
                }
                Ok(Verb::Query(query)) => self.into(&place, query),
                Ok(Verb::Plain) if guarded => self.leave(step),
                _ => {}
            }
        }
    }

    fn outermost(&self, step: &Step<'_>) -> Option<usize> {
        step.statement.frame.map(|frame| self.context.script.outermost(frame))
    }

    fn leave(&mut self, step: &Step<'_>) {
        let client = &self.context.dialect.client;
        let batch = client.optional_semicolons || client.lenient;
        let block = step.statement.quoted || !batch;
        // `SET NOEXEC ON` holds for all that follows.
        let whole = step.sql.words(0, &["set", "noexec", "on"]);
        let frame = if block { self.outermost(step) } else { None };
        if whole || frame.is_some() || batch {
            self.left = Some((step.statement.batch, frame, whole));
        }
    }

    /// A condition may have left the run before this step.
    fn passed(&self, step: &Step<'_>) -> bool {
        self.left.is_some_and(|(batch, frame, whole)| {
            whole || if frame.is_some() { self.outermost(step) == frame } else { step.statement.batch == batch }
        })
    }

    #[allow(clippy::too_many_arguments)] // The parts of a failure.
    fn fail(
        &mut self,
        place: &Place<'_, 'a>,
        act: Act,
        name: Sql<'_>,
        table: Option<Name<'_>>,
        exists: bool,
        guard_at: usize,
    ) {
        let of = table.map(Name::key);
        let local = table.is_some_and(|table| table.source().starts_with(['#', '@']));
        let hidden = |set: &HashSet<String>| of.as_ref().is_some_and(|of| set.contains(of));
        let last = name.as_name().map_or_else(String::new, Name::last);
        let called = self.spoken.get(&last).is_some_and(|step| *step < place.step.index);
        if !self.second || called || local || place.guarded || hidden(&self.blocked) || hidden(&self.temporary) {
            return;
        }
        self.found.push(Failure {
            step: place.step.index,
            act,
            name: name.source().to_owned(),
            table: table.map(|table| table.source().to_owned()),
            exists,
            span: name.range(),
            guard_at,
            doubles: false,
            swap: None,
        });
    }

    fn create(&mut self, place: &Place<'_, 'a>, create: &Create<'a>) {
        let Some(class) = Class::of(create.object) else { return };
        let Some(name) = create.name else { return };
        let key = name.key();
        let on: Vec<String> = create.on.iter().map(|on| on.key()).collect();
        if create.temporary {
            self.temporary.insert(key);
            return;
        }
        let there = self.catalogue.is_there(class, &key, &on);
        let before = if class == Class::Routine { self.routine(place, name) } else { there == Some(true) };
        if create.guard == Guard::None && before {
            let parent = (create.object == Object::Table && create.rest.words(0, &["partition", "of"]))
                .then(|| create.rest.name(2))
                .flatten();
            let of = create.on.or(parent.map(|(name, _)| name));
            self.fail(place, Act::Create(create.object), name.sql, of, true, create.guard_at);
            if class == Class::Relation && self.second && !place.guarded {
                self.blocked.insert(key.clone());
            }
        }
        let anew = there != Some(true) || create.guard == Guard::OrReplace && create.object == Object::Table;
        if class == Class::Relation && anew {
            self.catalogue.forget(&key, true);
        }
        let sources = match &create.query {
            Some(query) if create.object != Object::Table => tables(query),
            _ if create.object == Object::Trigger => called(create.rest),
            _ => Vec::new(),
        };
        self.catalogue.put(class, &key, &on, &sources);
    }

    /// Counts routines of one name and number of arguments: true when one more is there than on the first run.
    fn routine(&mut self, place: &Place<'_, 'a>, name: Name<'a>) -> bool {
        let now = self.catalogue.count(&name.key(), arguments(place.step.sql, name));
        let made = matches!(&place.step.verb, Ok(Verb::Create(create)) if create.guard == Guard::None);
        if made || now == 0 {
            self.catalogue.add(&name.key(), arguments(place.step.sql, name), 1);
        }
        if !self.second {
            self.counts.push(now);
            return false;
        }
        let first = self.counts.get(self.counted).copied().unwrap_or_default();
        self.counted += 1;
        now > first
    }

    fn drop(&mut self, place: &Place<'_, 'a>, drop: &Drop<'a>) {
        let Some(class) = Class::of(drop.object) else { return };
        let on: Vec<String> = drop.on.iter().map(|on| on.key()).collect();
        let cascade = place.step.sql.mentions("cascade");
        for name in &drop.names {
            let key = name.key();
            if drop.temporary || self.temporary.remove(&key) {
                continue;
            }
            let gone = if class == Class::Routine {
                let arguments = arguments(place.step.sql, *name);
                let count = self.catalogue.count(&key, arguments).max(self.catalogue.unnumbered(&key, arguments));
                self.catalogue.add(&key, arguments, -1);
                self.second && count <= 0
            } else {
                self.catalogue.is_there(class, &key, &on) == Some(false)
            };
            if !drop.guarded && gone {
                self.fail(place, Act::Drop(drop.object), name.sql, drop.on, false, drop.guard_at);
            }
            self.catalogue.remove(class, &key, &on);
            match class {
                Class::Schema => {
                    let all = drop.object == Object::Database || key == "public" || self.uses();
                    self.catalogue.forget_schema(&name.last(), all);
                }
                Class::Relation | Class::Type | Class::Routine => self.catalogue.forget(&key, cascade),
                _ => {}
            }
        }
    }

    /// The script says in which schema or database names without one are.
    fn uses(&self) -> bool {
        self.context.steps.iter().any(|step| step.sql.is(0, "use") || step.sql.mentions("search_path"))
    }

    fn alter(&mut self, place: &Place<'_, 'a>, alter: &Alter<'a>) {
        let table = alter.name;
        let key = table.key();
        if self.temporary.contains(&key) || table.source().starts_with(['#', '@']) {
            return;
        }
        let on = std::slice::from_ref(&key);
        for action in &alter.actions {
            match action {
                Action::AddColumn(name, guarded, at, _) => {
                    if self.catalogue.is_there(Class::Column, &name.last(), on) == Some(true) && !guarded {
                        self.fail(place, Act::AddColumn, name.sql, Some(table), true, *at);
                    }
                    self.catalogue.put(Class::Column, &name.last(), on, &[]);
                }
                Action::DropColumn(name, guarded, at) => {
                    if self.catalogue.is_there(Class::Column, &name.last(), on) == Some(false) && !guarded {
                        self.fail(place, Act::DropColumn, name.sql, Some(table), false, *at);
                    }
                    self.catalogue.remove(Class::Column, &name.last(), on);
                }
                Action::AddConstraint(constraint) => self.add_constraint(place, table, constraint),
                Action::DropConstraint(name, guarded) => {
                    let gone = self.catalogue.is_there(Class::Constraint, &name.last(), on) == Some(false);
                    if gone && !guarded {
                        let at = name.sql.range().start;
                        self.fail(place, Act::DropConstraint, name.sql, Some(table), false, at);
                    }
                    self.catalogue.remove(Class::Constraint, &name.last(), on);
                    // Whether the name was that of the primary key is not known.
                    self.catalogue.forget_one(Class::PrimaryKey, "", on);
                }
                Action::AddIndex(name, guarded) => {
                    if self.catalogue.is_there(Class::Index, &name.last(), on) == Some(true) && !guarded {
                        let at = name.sql.range().start;
                        self.fail(place, Act::AddIndex, name.sql, Some(table), true, at);
                    }
                    self.catalogue.put(Class::Index, &name.last(), on, &[]);
                }
                Action::DropIndex(name, guarded) => {
                    // A unique constraint is dropped as an index, and the other way round.
                    let gone = self.catalogue.is_there(Class::Index, &name.last(), on) == Some(false);
                    if gone && !guarded {
                        let at = name.sql.range().start;
                        self.fail(place, Act::DropIndex, name.sql, Some(table), false, at);
                    }
                    self.catalogue.remove(Class::Index, &name.last(), on);
                    self.catalogue.forget_one(Class::Constraint, &name.last(), on);
                }
                Action::DropPrimaryKey => {
                    if self.catalogue.is_there(Class::PrimaryKey, "", on) == Some(false) {
                        let sql = place.step.sql;
                        self.fail(place, Act::DropPrimaryKey, sql, Some(table), false, sql.range().start);
                    }
                    self.catalogue.remove(Class::PrimaryKey, "", on);
                }
                Action::AddValue(guarded, at) => {
                    let sql = place.step.sql;
                    let value = (0..sql.len()).find(|i| sql.bytes(*i).start >= *at);
                    let value = value.map_or(sql, |i| sql.slice(i..i + 1));
                    let text = value.source().to_owned();
                    if self.catalogue.is_there(Class::Value, &text, on) == Some(true) && !guarded {
                        self.fail(place, Act::AddValue, value, Some(table), true, *at);
                    }
                    self.catalogue.put(Class::Value, &text, on, &[]);
                }
                Action::RenameColumn(from, to) => self.rename_column(place, table, from.sql, to.sql),
                Action::RenameTo(to) => self.rename(place, alter, *to),
                Action::RenamePart(kind, from) => {
                    let text = format!("{} {}", kind.source(), from.source()).to_lowercase();
                    if self.catalogue.is_there(Class::Part, &text, on) == Some(false) {
                        self.fail(place, Act::RenamePart, *from, Some(table), false, from.range().start);
                    }
                    self.catalogue.remove(Class::Part, &text, on);
                }
                Action::Mutation(_) | Action::Other(_) => {}
            }
        }
    }

    fn add_constraint(&mut self, place: &Place<'_, 'a>, table: Name<'a>, constraint: &Constraint<'a>) {
        let key = table.key();
        let on = std::slice::from_ref(&key);
        let primary = constraint.key.as_ref().is_some_and(|key| key.primary);
        let name = constraint.name.or(constraint.key.as_ref().and_then(|key| key.name));
        let Some(name) = name else {
            let (class, act) =
                if primary { (Class::PrimaryKey, Act::AddPrimaryKey) } else { (Class::Unnamed, Act::AddConstraint) };
            let text = if primary { String::new() } else { constraint.sql.normal() };
            if self.catalogue.is_there(class, &text, on) == Some(true) && !constraint.guarded {
                let known = self.found.len();
                self.fail(place, act, constraint.sql, Some(table), true, constraint.sql.range().start);
                for failure in self.found.iter_mut().skip(known).filter(|_| !primary) {
                    failure.doubles = true;
                    failure.name = String::new();
                }
            }
            self.catalogue.put(class, &text, on, &[]);
            return;
        };
        if self.catalogue.is_there(Class::Constraint, &name.last(), on) == Some(true) && !constraint.guarded {
            self.fail(place, Act::AddConstraint, name.sql, Some(table), true, name.sql.range().start);
        }
        let refers = (0..constraint.sql.len())
            .find(|at| constraint.sql.is(*at, "references"))
            .and_then(|at| constraint.sql.name(at + 1));
        let sources: Vec<String> = refers.iter().map(|(name, _)| name.key()).collect();
        self.catalogue.put(Class::Constraint, &name.last(), on, &sources);
        if primary {
            self.catalogue.put(Class::PrimaryKey, "", on, &[]);
        }
    }

    fn rename_column(&mut self, place: &Place<'_, 'a>, table: Name<'_>, from: Sql<'_>, to: Sql<'_>) {
        let on = [table.key()];
        let (old, new) = (folded(from.source()).into_owned(), folded(to.source()).into_owned());
        let gone = self.catalogue.is_there(Class::Column, &old, &on) == Some(false);
        if gone || self.catalogue.is_there(Class::Column, &new, &on) == Some(true) {
            let name = if gone { from } else { to };
            self.fail(place, Act::RenameColumn, name, Some(table), !gone, from.range().start);
        }
        self.catalogue.remove(Class::Column, &old, &on);
        self.catalogue.put(Class::Column, &new, &on, &[]);
    }

    fn rename(&mut self, place: &Place<'_, 'a>, alter: &Alter<'a>, to: Name<'a>) {
        let Some(class) = Class::of(alter.object) else { return };
        let from = alter.name;
        // The new name stands without its schema, and is in that of the old one.
        let new =
            from.qualifier().filter(|_| to.sql.len() == 1).map_or(to.key(), |schema| format!("{schema}.{}", to.last()));
        let gone = self.catalogue.is_there(class, &from.key(), &[]) == Some(false);
        let taken = self.catalogue.is_there(class, &new, &[]) == Some(true);
        if (gone && !alter.guarded || taken && !gone) && !self.blocked.contains(&from.key()) {
            self.fail(
                place,
                Act::Rename(alter.object),
                if gone { from.sql } else { to.sql },
                None,
                !gone,
                from.sql.range().start,
            );
        }
        self.swaps(place.step.index, &from.key(), &new);
        self.catalogue.rename(class, &from.key(), &new);
    }

    /// One table takes the place of another that was renamed away.
    fn swaps(&mut self, step: usize, from: &str, to: &str) {
        let begun = self.renamed.take().filter(|(name, _)| name == to).map(|(_, first)| first);
        if let Some(first) = begun {
            self.found.iter_mut().rev().take(2).filter(|one| one.step == step || one.step == first).for_each(|one| {
                one.swap = Some(first);
            });
        }
        self.renamed = Some((from.to_owned(), begun.unwrap_or(step)));
    }

    /// RENAME TABLE and its kin, whose names may be strings.
    fn rename_text(&mut self, place: &Place<'_, 'a>, from: Sql<'a>, to: Sql<'a>, renamed: Renamed) {
        let key =
            |sql: Sql<'_>| written(sql).split('.').map(|part| folded(part).into_owned()).collect::<Vec<_>>().join(".");
        let string = from.source().contains('\'');
        let (old, new) = if string { (key(from), key(to)) } else { (Name { sql: from }.key(), Name { sql: to }.key()) };
        if renamed != Renamed::Table {
            let (class, act) = match renamed {
                Renamed::Index => (Class::Index, Act::Rename(Object::Index)),
                _ => (Class::Column, Act::RenameColumn),
            };
            let Some((table, name)) = old.rsplit_once('.') else { return };
            let on = [table.to_owned()];
            if self.catalogue.is_there(class, name, &on) == Some(false) {
                let known = self.found.len();
                self.fail(place, act, from, None, false, from.range().start);
                // `'dbo.t.c'` names the table and the column in one string.
                let both = written(from).rsplit_once('.');
                for (failure, (table, column)) in self.found.iter_mut().skip(known).zip(both) {
                    column.clone_into(&mut failure.name);
                    failure.table = Some(table.to_owned());
                }
            }
            self.catalogue.remove(class, name, &on);
            self.catalogue.put(class, &new, &on, &[]);
            return;
        }
        let new = match old.rsplit_once('.') {
            Some((schema, _)) if !new.contains('.') => format!("{schema}.{new}"),
            _ => new,
        };
        let gone = self.catalogue.is_there(Class::Relation, &old, &[]) == Some(false);
        let taken = self.catalogue.is_there(Class::Relation, &new, &[]) == Some(true);
        if gone || taken {
            let (name, known) = (if gone { from } else { to }, self.found.len());
            self.fail(place, Act::Rename(Object::Table), name, None, !gone, from.range().start);
            for failure in self.found.iter_mut().skip(known).filter(|_| string) {
                written(name).clone_into(&mut failure.name);
            }
        }
        self.swaps(place.step.index, &old, &new);
        self.catalogue.rename(Class::Relation, &old, &new);
    }

    /// `SELECT .. INTO t` makes a table; in a body it fills a variable.
    fn into(&mut self, place: &Place<'_, 'a>, query: &Query<'a>) {
        let frames: Vec<Frames> = self.context.frames(place.step).map(|frame| frame.kind).collect();
        let script = frames.is_empty() || self.context.dialect.client.optional_semicolons;
        for into in query.selects().into_iter().filter_map(|select| select.into).filter(|_| script) {
            let key = into.key();
            if into.source().starts_with(['#', '@', ':']) || into.sql.len() == 1 && key == "outfile" {
                continue;
            }
            if self.catalogue.is_there(Class::Relation, &key, &[]) == Some(true) {
                self.fail(place, Act::Create(Object::Table), into.sql, None, true, usize::MAX);
                if self.second && !place.guarded {
                    self.blocked.insert(key.clone());
                }
            }
            self.catalogue.put(Class::Relation, &key, &[], &[]);
        }
    }
}

/// How many arguments stand in brackets behind the name of a routine; `None` without brackets.
fn arguments(sql: Sql<'_>, name: Name<'_>) -> Option<usize> {
    let end = name.sql.range().end;
    let at = (0..sql.len()).find(|at| sql.bytes(*at).start >= end)?;
    (sql.kind(at) == Some(Kind::Open)).then(|| {
        let inside = sql.inside(at);
        if inside.is_empty() { 0 } else { inside.commas().len() }
    })
}

/// The tables that a query reads, of its FROM lists.
fn tables(query: &Query<'_>) -> Vec<String> {
    let mut all = Vec::new();
    let mut pending = vec![query];
    while let Some(query) = pending.pop() {
        for select in query.selects() {
            for relation in &select.from {
                match &relation.table {
                    Table::Name(name) => all.push(name.key()),
                    Table::Query(inner) => pending.push(inner),
                    Table::Other => {}
                }
            }
        }
        for common in &query.with {
            if let Inner::Query(inner) = &common.inner {
                pending.push(inner);
            }
        }
    }
    all
}

/// The function that a trigger calls.
fn called(sql: Sql<'_>) -> Vec<String> {
    let at = (0..sql.len()).find(|at| sql.is(*at, "execute") && sql.is_any(at + 1, &["function", "procedure"]));
    at.and_then(|at| sql.name(at + 2)).map(|(name, _)| name.key()).into_iter().collect()
}

#[cfg(test)]
mod tests;
