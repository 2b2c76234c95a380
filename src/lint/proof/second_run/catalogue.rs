//! What is there, by name, while a script is run in thought.

use crate::sql::clause::Object;
use crate::sql::view::same_table;
use std::collections::HashMap;

/// Kinds of things that have names of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Class {
    /// Tables and views.
    Relation,
    Index,
    Schema,
    Sequence,
    Extension,
    Routine,
    Trigger,
    Policy,
    Role,
    /// Whoever may connect to a server; its users in databases have names of their own.
    Login,
    Type,
    Column,
    Constraint,
    PrimaryKey,
    /// A constraint whose name the engine makes up, by its text.
    Unnamed,
    /// A value of an enumeration.
    Value,
    /// A constraint, an index or a value by its old name, which a RENAME takes from it.
    Part,
}

impl Class {
    /// The class of an object; `None` for what is not followed.
    pub(super) fn of(object: Object) -> Option<Self> {
        Some(match object {
            Object::Table | Object::View | Object::MaterializedView => Self::Relation,
            Object::Index => Self::Index,
            Object::Schema | Object::Database => Self::Schema,
            Object::Sequence => Self::Sequence,
            Object::Extension => Self::Extension,
            Object::Function | Object::Procedure => Self::Routine,
            Object::Trigger => Self::Trigger,
            Object::Policy => Self::Policy,
            Object::Role | Object::User => Self::Role,
            Object::Login => Self::Login,
            Object::Type | Object::Domain => Self::Type,
            Object::Other => return None,
        })
    }
}

/// The things, each there, gone, or not known.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    entries: Vec<Entry>,
    by_name: HashMap<(Class, String), Vec<usize>>,
    /// By what they go with: a table, the source of a view, the function of a trigger.
    by_table: HashMap<String, Vec<usize>>,
    /// Routines by name and number of arguments.
    routines: HashMap<(String, Option<usize>), i32>,
}

#[derive(Debug)]
struct Entry {
    class: Class,
    name: String,
    /// The table that it is of.
    on: Vec<String>,
    /// What a CASCADE takes it with.
    sources: Vec<String>,
    there: Option<bool>,
}

fn last(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).to_owned()
}

impl Catalogue {
    fn find(&self, class: Class, name: &str, on: &[String]) -> Option<usize> {
        let same = self.by_name.get(&(class, last(name)))?;
        same.iter().copied().find(|at| {
            let entry = &self.entries[*at];
            let of = match (entry.on.first(), on.first()) {
                (Some(one), Some(other)) => same_table(one, other),
                _ => true,
            };
            of && same_table(&entry.name, name)
        })
    }

    /// True when it is there, false when it is gone; `None` when that is not known.
    pub(super) fn is_there(&self, class: Class, name: &str, on: &[String]) -> Option<bool> {
        self.find(class, name, on).and_then(|at| self.entries[at].there)
    }

    fn set(&mut self, class: Class, name: &str, on: &[String], there: Option<bool>) -> usize {
        let at = self.find(class, name, on).unwrap_or_else(|| {
            let at = self.entries.len();
            let entry = Entry { class, name: name.to_owned(), on: on.to_vec(), sources: Vec::new(), there: None };
            self.entries.push(entry);
            self.by_name.entry((class, last(name))).or_default().push(at);
            for table in on {
                self.by_table.entry(last(table)).or_default().push(at);
            }
            at
        });
        self.entries[at].there = there;
        at
    }

    /// It is there now.
    pub(super) fn put(&mut self, class: Class, name: &str, on: &[String], sources: &[String]) {
        let at = self.set(class, name, on, Some(true));
        if self.entries[at].sources.is_empty() && !sources.is_empty() {
            sources.clone_into(&mut self.entries[at].sources);
            for source in sources {
                self.by_table.entry(last(source)).or_default().push(at);
            }
        }
    }

    /// It is gone now.
    pub(super) fn remove(&mut self, class: Class, name: &str, on: &[String]) {
        self.set(class, name, on, Some(false));
    }

    /// Whether it is there is not known any more.
    pub(super) fn forget_one(&mut self, class: Class, name: &str, on: &[String]) {
        if let Some(at) = self.find(class, name, on) {
            self.entries[at].there = None;
        }
    }

    /// A table goes: whatever is of it goes with it; with CASCADE, also what was made from it.
    pub(super) fn forget(&mut self, table: &str, cascade: bool) {
        let mut pending = vec![table.to_owned()];
        while let Some(table) = pending.pop() {
            let Some(same) = self.by_table.get(&last(&table)) else { continue };
            for at in same {
                let entry = &mut self.entries[*at];
                let of = entry.on.iter().any(|on| same_table(on, &table));
                let from = cascade && entry.sources.iter().any(|source| same_table(source, &table));
                if (of || from) && entry.there.take() == Some(true) && entry.class == Class::Relation {
                    pending.push(entry.name.clone());
                }
            }
        }
    }

    /// A schema goes with all that is in it: what has its name, or any thing without a schema.
    pub(super) fn forget_schema(&mut self, schema: &str, unqualified: bool) {
        let inside = |name: &str| match name.rsplit_once('.') {
            Some((before, _)) => last(before) == schema,
            None => unqualified,
        };
        for entry in &mut self.entries {
            let place = entry.on.first().unwrap_or(&entry.name);
            if inside(place) && !matches!(entry.class, Class::Schema | Class::Role | Class::Extension) {
                entry.there = None;
            }
        }
        self.routines.retain(|(name, _), _| !inside(name));
    }

    /// One gets the name of another; what is of it goes along.
    pub(super) fn rename(&mut self, class: Class, from: &str, to: &str) {
        self.remove(class, from, &[]);
        self.set(class, to, &[], Some(true));
        if class != Class::Relation {
            return;
        }
        // What the table of the new name had went away with it.
        self.forget(to, false);
        let Some(same) = self.by_table.get(&last(from)).cloned() else { return };
        for at in same {
            let entry = &mut self.entries[at];
            if entry.there.is_none() || !entry.on.iter().any(|on| same_table(on, from)) {
                continue;
            }
            let (class, name, there) = (entry.class, entry.name.clone(), entry.there.take());
            self.set(class, &name, &[to.to_owned()], there);
        }
    }

    /// How many routines there are of a name and a number of arguments, counted from the start of the first run.
    pub(super) fn count(&self, name: &str, arguments: Option<usize>) -> i32 {
        self.routines.get(&(last(name), arguments)).copied().unwrap_or_default()
    }

    /// The same where one side stands without its arguments: of all that have the name.
    pub(super) fn unnumbered(&self, name: &str, arguments: Option<usize>) -> i32 {
        if arguments.is_some() {
            return self.count(name, None);
        }
        let name = last(name);
        self.routines.iter().filter(|((one, _), _)| *one == name).map(|(_, count)| *count).max().unwrap_or_default()
    }

    /// One more or one less. Without brackets all of the name are meant.
    pub(super) fn add(&mut self, name: &str, arguments: Option<usize>, more: i32) {
        let name = last(name);
        if more < 0 && arguments.is_none() {
            self.routines.iter_mut().filter(|((one, _), _)| *one == name).for_each(|(_, count)| *count = 0);
            return;
        }
        let count = self.routines.entry((name, arguments)).or_default();
        *count = (*count + more).max(0);
    }
}
