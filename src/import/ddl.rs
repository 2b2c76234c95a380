//! CREATE TABLE and what follows it, read by the clause reader that the linter reads scripts with.

use super::column::computed_type;
use super::relation::{Column, Key, Relation};
use crate::diagnostic::{Diagnostic, Source};
use crate::dialect::Dialect;
use crate::dialect::name::Fold;
use crate::sql::clause::{
    Action, Alter, ColumnDefinition, Create, Numbered, Object, Spelled, TableKey, Verb, numbered, read,
};
use crate::sql::script::Script;
use crate::sql::view::{Name, Sql, same_table};
use std::sync::Arc;

/// The tables that scripts declare, in order, and what of them could not be read.
pub fn tables(sources: &[Arc<Source>], dialect: &'static Dialect) -> (Vec<Relation>, Vec<Diagnostic>) {
    let (mut tables, mut notes) = (Vec::new(), Vec::new());
    for source in sources {
        let script = Script::read(&source.text, dialect);
        let mut reader = Reader { dialect, source, tables, notes };
        for statement in &script.statements {
            let sql = script.sql(statement);
            if sql.is_any(0, &["create", "alter", "drop", "comment"]) && !statement.quoted {
                reader.statement(sql);
            }
        }
        (tables, notes) = (reader.tables, reader.notes);
    }
    (tables.into_iter().map(Draft::finish).collect(), notes)
}

/// A table while the script is read.
struct Draft {
    /// Its name as it is compared.
    key: String,
    relation: Relation,
    /// How many names are quoted in lower case, which an engine that folds to upper case tells from names without quotes,
    /// and how many are not.
    lower: [usize; 2],
}

struct Reader<'a> {
    dialect: &'static Dialect,
    source: &'a Arc<Source>,
    tables: Vec<Draft>,
    notes: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn note(&mut self, sql: Sql<'_>, message: String, help: &str) {
        let note = Diagnostic::warning("import-not-read", message).at(sql.range(), "").help(help.to_owned());
        self.notes.push(note.in_source(self.source));
    }

    fn find(&mut self, name: Name<'_>) -> Option<&mut Draft> {
        let key = name.key();
        let exact = self.tables.iter().position(|table| table.key == key);
        let at = exact.or_else(|| self.tables.iter().position(|table| same_table(&table.key, &key)))?;
        self.tables.get_mut(at)
    }

    fn statement(&mut self, sql: Sql<'_>) {
        let verb = match read(sql) {
            Ok(verb) => verb,
            Err(fault) => {
                let note =
                    Diagnostic::warning("import-not-read", format!("this cannot be read: expected {}", fault.message));
                self.notes.push(note.at(fault.range, "").in_source(self.source));
                return;
            }
        };
        match &verb {
            Verb::Create(create) if create.object == Object::Table => self.create(create, sql),
            Verb::Create(create) if create.object == Object::Index && create.unique => self.index(create, sql),
            Verb::Alter(alter) if alter.object == Object::Table => self.alter(alter, sql),
            Verb::Drop(drop) if drop.object == Object::Table => {
                for name in &drop.names {
                    let key = name.key();
                    self.tables.retain(|table| !same_table(&table.key, &key));
                }
            }
            _ if sql.words(0, &["comment", "on"]) => self.comment(sql),
            _ => {}
        }
    }

    fn create(&mut self, create: &Create<'_>, sql: Sql<'_>) {
        let Some(name) = create.name else { return };
        let shown = name.shown();
        if create.temporary {
            return self.note(sql, format!("`{shown}` is temporary, and left out"), "give a script with its target");
        }
        let Some(list) = create.list else {
            let help = "import it from the database, or write its columns out";
            return self.note(sql, format!("`{shown}` has no list of columns, and is left out"), help);
        };
        // IF NOT EXISTS leaves the first one.
        if self.tables.iter().any(|table| table.key == name.key()) {
            return self.note(sql, format!("`{shown}` is created twice; the first one is taken"), "remove one of them");
        }
        let mut draft = self.draft(name);
        let copied = list.commas().into_iter().any(|entry| entry.is(0, "like"));
        if copied || create.rest.find(0, &["inherits", "like"]).is_some() || create.rest.words(0, &["partition", "of"])
        {
            draft.relation.notes.push("it takes columns from another table, which are not here".to_owned());
            self.note(sql, format!("`{shown}` takes columns from another table"), "add those columns to the spec");
        }
        for definition in create.columns() {
            let column = self.column(&definition, &mut draft.lower);
            draft.relation.columns.push(column);
        }
        for key in create.keys() {
            draft.add_key(&key);
        }
        if let Some(columns) = create.replacing_key() {
            let columns = columns.into_iter().map(Some).collect();
            let from = "the ORDER BY of its ReplacingMergeTree".to_owned();
            draft.relation.keys.push(Key { columns, from, ..Key::default() });
        }
        self.tables.push(draft);
    }

    fn draft(&self, name: Name<'_>) -> Draft {
        let mut lower = [0, 0];
        let mut parts: Vec<String> = Vec::new();
        for part in name.spelled() {
            // A whole path may stand between one pair of quotes, where no name holds a dot.
            if part.quoted && self.dialect.unfit_in_names.contains('.') {
                parts.extend(part.text.split('.').map(str::to_owned));
            } else {
                parts.push(self.kept(&part, &mut lower));
            }
        }
        let mut parts = parts.into_iter().rev();
        let mut relation = Relation::named(self.dialect, parts.next().unwrap_or_default());
        relation.schema = parts.next().filter(|part| !part.is_empty());
        relation.catalog = parts.next().filter(|part| !part.is_empty());
        Draft { key: name.key(), relation, lower }
    }

    /// A name as a spec writes it: a plain name in lower case is one that was created without quotes.
    fn kept(&self, name: &Spelled, lower: &mut [usize; 2]) -> String {
        let Spelled { text, quoted } = name;
        match (self.dialect.fold, quoted) {
            (Fold::Lower, false) => text.to_lowercase(),
            (Fold::Upper, false) => {
                lower[1] += 1;
                text.to_lowercase()
            }
            (Fold::Upper, true) => {
                let plain = |c: char| c.is_ascii_digit() || c == '_';
                let all_upper = text.chars().all(|c| plain(c) || c.is_ascii_uppercase());
                let all_lower = text.chars().all(|c| plain(c) || c.is_ascii_lowercase());
                lower[usize::from(!all_lower)] += 1;
                if all_upper { text.to_ascii_lowercase() } else { text.clone() }
            }
            (Fold::Kept, _) | (Fold::Lower, true) => text.clone(),
        }
    }

    fn column(&self, definition: &ColumnDefinition<'_>, lower: &mut [usize; 2]) -> Column {
        let declared = definition.declared();
        // An engine in which columns take no null unless they say so.
        let never_null = !self.dialect.null_column.is_empty() && !definition.null() && !declared.mentions("nullable");
        let name = definition.spelled.spelled().pop();
        Column {
            name: name.map(|name| self.kept(&name, lower)).unwrap_or_default(),
            declared: (!declared.is_empty()).then(|| declared.source().to_owned()),
            not_null: definition.not_null() || never_null,
            default: definition.default().map(|default| default.source().to_owned()).filter(|text| !is_null(text)),
            generated: definition.computed() || computed_type(self.dialect, declared.source()),
            numbered: definition.numbered().map(|numbered| numbered == Numbered::Always),
            description: definition.comment().map(literal),
            ..Column::default()
        }
    }

    fn index(&mut self, create: &Create<'_>, sql: Sql<'_>) {
        let (Some(table), Some(list)) = (create.on, create.list) else { return };
        let from = create.name.map_or("a unique index".to_owned(), |name| format!("unique index {}", name.shown()));
        let columns = list.commas().into_iter().map(|entry| {
            let end = entry.find(0, &["asc", "desc", "nulls"]).unwrap_or(entry.len());
            entry.slice(0..end).as_name().map(Name::last)
        });
        let key = Key { columns: columns.collect(), partial: create.predicate.is_some(), from, ..Key::default() };
        match self.find(table) {
            Some(draft) => draft.relation.keys.push(key),
            None => self.unknown(table, sql),
        }
    }

    fn unknown(&mut self, table: Name<'_>, sql: Sql<'_>) {
        let message = format!("`{}` is not created in this script", table.shown());
        self.note(sql, message, "put the script that creates it before this one");
    }

    fn alter(&mut self, alter: &Alter<'_>, sql: Sql<'_>) {
        if self.find(alter.name).is_none() {
            return self.unknown(alter.name, sql);
        }
        for action in &alter.actions {
            self.action(alter.name, action, sql);
        }
    }

    fn action(&mut self, table: Name<'_>, action: &Action<'_>, sql: Sql<'_>) {
        let mut lower = [0, 0];
        let added = ColumnDefinition::added(action).map(|definition| {
            (
                self.column(&definition, &mut lower),
                definition.rest.find(0, &["primary"]),
                definition.rest.find(0, &["unique"]),
            )
        });
        let Some(draft) = self.find(table) else { return };
        match (action, added) {
            (Action::AddColumn(..), Some((column, primary, unique))) => {
                let known = draft.relation.columns.iter().any(|known| known.name == column.name);
                if primary.or(unique).is_some() && !known {
                    let columns = vec![Some(column.name.clone())];
                    draft.relation.keys.push(Key {
                        columns,
                        primary: primary.is_some(),
                        from: from(primary.is_some(), None),
                        partial: false,
                    });
                }
                draft.lower = [draft.lower[0] + lower[0], draft.lower[1] + lower[1]];
                if !known {
                    draft.relation.columns.push(column);
                }
            }
            (Action::AddConstraint(constraint), _) => {
                if let Some(key) = &constraint.key {
                    draft.add_key(key);
                }
            }
            (Action::DropColumn(name, ..), _) => {
                let name = name.last();
                draft.relation.columns.retain(|column| column.name.to_lowercase() != name);
                draft.relation.keys.retain(|key| !key.columns.contains(&Some(name.clone())));
            }
            (Action::DropPrimaryKey, _) => draft.relation.keys.retain(|key| !key.primary),
            (Action::DropConstraint(name, _) | Action::DropIndex(name, _), _) => {
                let name = format!(" {}", name.shown());
                draft.relation.keys.retain(|key| !key.from.ends_with(&name));
            }
            (Action::Other(rest), _) if !draft.column_action(*rest) && changes_columns(*rest) => {
                let help = "make that change in the spec";
                self.note(sql, format!("this change of `{}` is not carried over", table.shown()), help);
            }
            (Action::RenameColumn(..) | Action::RenameTo(..), _) => {
                self.note(
                    sql,
                    format!("this change of `{}` is not carried over", table.shown()),
                    "rename it in the spec",
                );
            }
            _ => {}
        }
    }

    /// `COMMENT ON TABLE t IS '..'`, `COMMENT ON COLUMN t.c IS '..'`
    fn comment(&mut self, sql: Sql<'_>) {
        let Some((name, end)) = sql.name(3) else { return };
        if !sql.is(end, "is") || sql.is(end + 1, "null") {
            return;
        }
        let text = Some(literal(sql.text(end + 1)));
        if sql.is(2, "table") {
            if let Some(draft) = self.find(name) {
                draft.relation.description = text;
            }
        } else if sql.is(2, "column") && name.sql.len() >= 3 {
            let table = Name { sql: name.sql.slice(0..name.sql.len() - 2) };
            let column = name.last();
            let columns = self.find(table).into_iter().flat_map(|draft| draft.relation.columns.iter_mut());
            columns
                .filter(|known| known.name.to_lowercase() == column)
                .for_each(|known| known.description.clone_from(&text));
        }
    }
}

/// True for the default that every column has.
fn is_null(default: &str) -> bool {
    default.eq_ignore_ascii_case("null")
}

/// What declares a key, for a comment.
fn from(primary: bool, name: Option<Name<'_>>) -> String {
    match (primary, name) {
        (true, _) => "the primary key".to_owned(),
        (false, Some(name)) => format!("unique constraint {}", name.shown()),
        (false, None) => "a unique constraint".to_owned(),
    }
}

/// The words of ALTER that change what a spec says of columns; settings, owners and foreign keys are none.
fn changes_columns(sql: Sql<'_>) -> bool {
    let column = |at: usize| sql.is_any(at, &["type", "not", "identity", "generated"]);
    sql.is_any(0, &["modify", "change"]) || (sql.is(0, "alter") && (0..sql.len()).any(column))
}

impl Draft {
    fn add_key(&mut self, key: &TableKey<'_>) {
        for name in key.columns.iter().filter(|_| key.primary) {
            // PRIMARY KEY says NOT NULL.
            let columns = self.relation.columns.iter_mut();
            columns.filter(|column| column.name.to_lowercase() == *name).for_each(|column| column.not_null = true);
        }
        let columns = key.columns.iter().cloned().map(Some).collect();
        let key = Key { columns, primary: key.primary, partial: false, from: from(key.primary, key.name) };
        self.relation.keys.push(key);
    }

    /// `ALTER [COLUMN] c SET NOT NULL | SET DEFAULT .. | ADD GENERATED .. | SET DATA TYPE t | TYPE t`; false for anything else.
    fn column_action(&mut self, sql: Sql<'_>) -> bool {
        if !sql.is(0, "alter") {
            return false;
        }
        let at = 1 + usize::from(sql.is(1, "column"));
        let Some((name, at)) = sql.name(at) else { return false };
        let name = name.last();
        let columns = self.relation.columns.iter_mut();
        let Some(column) = columns.into_iter().find(|column| column.name.to_lowercase() == name) else { return false };
        let rest = sql.from(at);
        if rest.words(0, &["set", "not", "null"]) {
            column.not_null = true;
        } else if rest.words(0, &["drop", "not", "null"]) {
            column.not_null = false;
        } else if rest.words(0, &["drop", "default"]) {
            column.default = None;
        } else if rest.words(0, &["set", "default"]) || rest.words(0, &["add", "generated"]) {
            column.numbered = numbered(rest).map(|numbered| numbered == Numbered::Always);
            column.default = rest.is(1, "default").then(|| rest.from(2).source().to_owned());
        } else if rest.words(0, &["set", "data", "type"]) || rest.is(0, "type") {
            let ty = rest.from(if rest.is(0, "type") { 1 } else { 3 });
            let end = ty.find(0, &["using", "collate"]).unwrap_or(ty.len());
            column.declared = Some(ty.slice(0..end).source().to_owned());
        } else {
            return false;
        }
        true
    }

    /// The table, when the script is read.
    fn finish(mut self) -> Relation {
        // A plain name in lower case means one without quotes, so names in quotes and lower case need them always.
        match self.lower {
            [0, _] => {}
            [_, 0] => self.relation.quote_always = true,
            _ => self.relation.notes.push(
                "some names are quoted in lower case, and others are not quoted: a spec can say only one of them for all \
                 names of a table (`quote: always`)"
                    .to_owned(),
            ),
        }
        self.relation
    }
}

/// The text of a string literal.
fn literal(text: &str) -> String {
    let inner = text.trim_start_matches(['N', 'n', 'E', 'e']);
    for quote in ['\'', '"'] {
        if let Some(inner) = inner.strip_prefix(quote).and_then(|inner| inner.strip_suffix(quote)) {
            return inner.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    text.to_owned()
}
