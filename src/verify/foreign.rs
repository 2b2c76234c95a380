//! SQL that somebody else wrote: which tables it makes and writes, so that it can be tried without touching any other.

use super::names::Table;
use super::subject::{Subject, Target, statements};
use crate::diagnostic::{Diagnostic, Source};
use crate::dialect::Dialect;
use crate::dialect::name::Fold;
use crate::plan::Plan;
use crate::sql::clause::{self, Body, Common, Inner, Object, Relation, Verb, read};
use crate::sql::lex::Kind;
use crate::sql::script::Script;
use crate::sql::view::{Name, Sql};
use std::ops::Range;
use std::sync::Arc;

/// A table that a script makes or writes, and where.
#[derive(Clone, Debug)]
struct Deed {
    table: Table,
    /// Its name in SQL.
    sql: String,
    range: Range<usize>,
    made: bool,
    temporary: bool,
    /// True when it puts rows into the table.
    fills: bool,
}

/// What a script does to tables.
#[derive(Default)]
struct Deeds {
    all: Vec<Deed>,
    faults: Vec<Diagnostic>,
}

impl Subject {
    /// The load of a user's SQL. `plan` says what it should do, when anybody does; `setup` makes tables first: those that
    /// the load needs beside the plan's, or the plan's target itself.
    ///
    /// Names are looked at, so that no table outside is written: what cannot be seen is refused.
    ///
    /// # Errors
    /// Every statement that writes a table that neither the plan nor the set-up makes, or that nobody can say what it writes.
    pub fn given(
        plan: Option<&Plan>,
        sql: &Arc<Source>,
        setup: Option<&Arc<Source>>,
        dialect: &'static Dialect,
    ) -> Result<Self, Vec<Diagnostic>> {
        let load = deeds(sql, dialect);
        let prepared = setup.map(|setup| deeds(setup, dialect)).unwrap_or_default();
        let mut faults: Vec<Diagnostic> = load.faults.into_iter().chain(prepared.faults).collect();
        let known: Vec<&Deed> = prepared.all.iter().filter(|deed| deed.made).collect();
        let mut subject = match plan {
            Some(plan) => Self::hand_written(plan, &sql.text),
            None => Self {
                dialect,
                statements: statements(&sql.text, dialect),
                targets: Vec::new(),
                tables: Vec::new(),
                empty: Vec::new(),
                setup: Vec::new(),
                plan: None,
                foreign: true,
            },
        };
        let its_own: Vec<Table> = load.all.iter().filter(|deed| deed.made).map(|deed| deed.table.clone()).collect();
        let staged = plan.into_iter().flat_map(super::scenario::source_paths).map(|parts| Table::of(&parts));
        let readable: Vec<Table> = staged.collect();
        for deed in load.all.iter().filter(|deed| !deed.made && !its_own.contains(&deed.table)) {
            let is_target = subject.targets.iter().any(|target| target.table == deed.table);
            let is_made = known.iter().any(|made| made.table == deed.table);
            if !is_target && !is_made && !readable.contains(&deed.table) {
                faults.push(stranger(deed, plan.is_some()).in_source(sql));
            } else if plan.is_none() && !is_target {
                subject.targets.push(Target { table: deed.table.clone(), sql: deed.sql.clone(), columns: Vec::new() });
            }
        }
        if plan.is_none() && subject.targets.is_empty() && faults.is_empty() {
            let what = "this SQL writes to no table that the set-up makes, so there is nothing to judge";
            faults.push(Diagnostic::error("verify-sql", what).in_source(sql));
        }
        if let Some(setup) = setup {
            // A target that the set-up makes is not made again.
            if known.iter().any(|made| subject.targets.iter().any(|target| target.table == made.table)) {
                subject.setup.clear();
            }
            subject.setup.extend(statements(&setup.text, dialect).into_iter().filter(|text| !is_about_schemas(text)));
        }
        let temporary = |table: &Table| load.all.iter().any(|deed| deed.temporary && deed.table == *table);
        let made = known.iter().map(|deed| deed.table.clone()).chain(its_own).filter(|table| !temporary(table));
        subject.tables = made.filter(|table| subject.targets.iter().all(|target| target.table != *table)).collect();
        subject.tables.sort();
        subject.tables.dedup();
        let is_made = |table: &&Table| known.iter().any(|made| made.table == **table);
        let is_written = |table: &Table| {
            load.all.iter().any(|deed| deed.table == *table)
                || prepared.all.iter().any(|deed| deed.fills && deed.table == *table)
        };
        subject.empty = subject.tables.iter().filter(is_made).filter(|table| !is_written(table)).cloned().collect();
        if faults.is_empty() { Ok(subject) } else { Err(faults) }
    }
}

/// The fault of writing to a table that is not known.
fn stranger(deed: &Deed, has_plan: bool) -> Diagnostic {
    let what = format!("this writes to `{}`, and no such table is made for the trial", deed.sql.replace('`', ""));
    let help = if has_plan {
        "make the table in a file for `--setup`; only the tables of the spec are made from it"
    } else {
        "make the table in the file for `--setup`"
    };
    Diagnostic::error("verify-sql", what).at(deed.range.clone(), "").help(help)
}

/// What a script does, statement by statement.
fn deeds(source: &Arc<Source>, dialect: &'static Dialect) -> Deeds {
    let script = Script::read(&source.text, dialect);
    let mut deeds = Deeds::default();
    for statement in &script.statements {
        let sql = script.sql(statement);
        match read(sql) {
            Ok(verb) => deeds.add(&verb, sql, dialect, source),
            Err(fault) => {
                let what = format!("this cannot be read, so nobody can say what it writes: {}", fault.message);
                deeds.faults.push(Diagnostic::error("verify-sql", what).at(fault.range, "").in_source(source));
            }
        }
    }
    deeds
}

impl Deeds {
    fn add(&mut self, verb: &Verb<'_>, sql: Sql<'_>, dialect: &Dialect, source: &Arc<Source>) {
        // A statement in a WITH list writes too.
        for inner in with_lists(verb).into_iter().flatten() {
            if let Inner::Change(change) = &inner.inner {
                self.add(change, sql, dialect, source);
            }
        }
        let mut deed = |name: Name<'_>, made: bool, temporary: bool| {
            self.all.push(Deed {
                table: table_of(name, dialect),
                sql: name.source().to_owned(),
                range: name.sql.range(),
                made,
                temporary,
                fills: matches!(verb, Verb::Insert(_) | Verb::Merge(_) | Verb::Copy(_)),
            });
        };
        match verb {
            Verb::Insert(insert) => deed(insert.target, false, false),
            Verb::Delete(delete) => deed(named(&delete.using, delete.target), false, false),
            Verb::Merge(merge) => deed(merge.target, false, false),
            Verb::Copy(copy) => deed(copy.target, false, false),
            Verb::Truncate(names) => names.iter().for_each(|name| deed(*name, false, false)),
            Verb::Update(update) => deed(named(&update.from, update.target), false, false),
            Verb::Create(create) if create.object == Object::Table => {
                if let Some(name) = create.name {
                    deed(name, true, create.temporary);
                }
            }
            Verb::Create(create) => {
                if let Some(on) = create.on {
                    deed(on, false, false);
                }
            }
            Verb::Drop(drop) if drop.object == Object::Table => {
                drop.names.iter().for_each(|name| deed(*name, true, drop.temporary));
            }
            Verb::Alter(alter) if alter.object == Object::Table => deed(alter.name, false, false),
            Verb::Query(query) => {
                for into in query.branches.iter().filter_map(|(_, body)| match body {
                    Body::Select(select) => select.into,
                    _ => None,
                }) {
                    deed(into, true, false);
                }
            }
            Verb::Transaction(_) => {}
            Verb::Plain if HARMLESS.iter().any(|word| sql.is(0, word)) => {}
            _ => {
                let what = "nobody can say which tables this writes, so it is not run";
                let fault = Diagnostic::error("verify-sql", what).at(sql.range(), "");
                self.faults.push(fault.help("write the statements out, without routines").in_source(source));
            }
        }
    }
}

/// First words of statements that write no table.
const HARMLESS: &[&str] = &["set", "lock", "unlock", "analyze", "use", "declare", "pragma"];

/// The WITH lists of a statement.
fn with_lists<'s, 'a>(verb: &'s Verb<'a>) -> Vec<&'s [Common<'a>]> {
    match verb {
        Verb::Insert(insert) => match &insert.source {
            clause::Source::Query(query) => vec![&insert.with, &query.with],
            _ => vec![&insert.with],
        },
        Verb::Delete(delete) => vec![&delete.with],
        Verb::Update(update) => vec![&update.with],
        Verb::Merge(merge) => vec![&merge.with],
        Verb::Query(query) => vec![&query.with],
        _ => Vec::new(),
    }
}

/// The table of an UPDATE or a DELETE, which may say its alias and name the table elsewhere.
fn named<'a>(relations: &[Relation<'a>], target: Name<'a>) -> Name<'a> {
    let alias = target.last();
    let found = relations.iter().find(|relation| relation.alias.as_deref() == Some(&alias));
    match found.map(|relation| &relation.table) {
        Some(clause::Table::Name(name)) => *name,
        _ => target,
    }
}

/// True for a statement that makes, drops or enters a schema: trials have schemas of their own.
fn is_about_schemas(statement: &str) -> bool {
    let words: Vec<String> = statement.split_whitespace().take(2).map(str::to_lowercase).collect();
    let schema = |word: &str| matches!(word, "schema" | "database");
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["use", ..] => true,
        ["create" | "drop", what] => schema(what),
        _ => false,
    }
}

/// The table of a name, as the engine knows it.
fn table_of(name: Name<'_>, dialect: &Dialect) -> Table {
    let parts: Vec<String> = (0..name.sql.len())
        .filter(|at| name.sql.kind(*at) != Some(Kind::Dot))
        .map(|at| {
            let text = name.sql.text(at);
            let quoted = name.sql.kind(at) == Some(Kind::Name) && text.len() >= 2;
            match (quoted, dialect.fold) {
                (true, _) => text[1..text.len() - 1].to_owned(),
                (false, Fold::Kept) => text.to_owned(),
                // A plain lower-case name stands for what the engine makes of it.
                (false, _) => text.to_lowercase(),
            }
        })
        .collect();
    Table::of(&parts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn given(sql: &str, setup: &str) -> Result<Subject, Vec<String>> {
        let source = |text: &str| Arc::new(Source::new("x.sql", text.to_owned()));
        let dialect = crate::dialect::find("postgres").unwrap();
        Subject::given(None, &source(sql), Some(&source(setup)), dialect)
            .map_err(|faults| faults.into_iter().map(|fault| fault.message).collect())
    }

    #[test]
    fn what_is_written_is_a_target_and_what_else_is_made_a_table() {
        let setup = "CREATE SCHEMA mart; CREATE TABLE mart.orders (id int); CREATE TABLE raw.orders (id int);";
        let subject =
            given("CREATE TEMP TABLE x AS SELECT 1; INSERT INTO Mart.Orders SELECT * FROM raw.orders", setup).unwrap();
        assert_eq!(subject.targets.len(), 1);
        assert_eq!(subject.targets[0].table, Table { schema: Some("mart".to_owned()), name: "orders".to_owned() });
        assert_eq!(subject.tables, [Table { schema: Some("raw".to_owned()), name: "orders".to_owned() }]);
        assert_eq!(subject.setup.len(), 2);
    }

    #[test]
    fn a_table_that_is_not_made_here_is_never_written() {
        let setup = "CREATE TABLE orders (id int)";
        for sql in [
            "DELETE FROM other",
            "INSERT INTO prod.orders VALUES (1)",
            "UPDATE a SET x = 1 FROM prod.t AS a",
            "TRUNCATE prod.orders",
            "MERGE INTO prod.t USING orders AS s ON true WHEN MATCHED THEN DELETE",
            "CREATE INDEX i ON prod.t (a)",
            "ALTER TABLE prod.t ADD COLUMN x int",
            "CALL prod.clean()",
            "DROP SCHEMA prod CASCADE",
        ] {
            let faults = given(sql, setup).unwrap_err();
            assert_eq!(faults.len(), 1, "{sql}: {faults:?}");
        }
    }
}
