//! What is known of tables before a script is read: from CREATE TABLE in other files of the run, from a schema file, from specs.

use crate::sql::clause::{Action, ColumnDefinition, Create, Object, TableKey, Verb, read};
use crate::sql::script::Script;
use crate::sql::view::{Name, Sql, same_table};
use std::collections::BTreeMap;

/// Everything that is known of tables, by name as it is compared: lower case, without quotes, with dots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The tables by all parts of their names.
    tables: BTreeMap<String, Table>,
    /// The names by their last parts: scripts leave the schema out.
    by_last: BTreeMap<String, Vec<String>>,
}

/// What is known of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Every column, in order; empty when they are not known.
    pub columns: Vec<Column>,
    /// Its unique keys, the primary key among them.
    pub keys: Vec<Key>,
    /// True when `keys` are all that there are, so that another key does not exist.
    pub complete: bool,
    /// The column that says which version of a row is newer, from a spec.
    pub incremental: Option<String>,
    /// True when a table refers to it by a foreign key.
    pub referenced: bool,
    /// Other tables of this name that other files declare, with other columns.
    pub others: Vec<Table>,
}

impl Table {
    /// Of the tables of this name the one that has these columns; this one where none has.
    pub fn with(&self, columns: &[String]) -> &Self {
        let has = |table: &Self| columns.iter().all(|name| table.columns.iter().any(|one| one.name == *name));
        if columns.is_empty() || has(self) { self } else { self.others.iter().find(|table| has(table)).unwrap_or(self) }
    }
}

/// One column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its name as it is compared: lower case, without quotes.
    pub name: String,
    /// It cannot be null.
    pub not_null: bool,
    /// The engine fills it with another value in each row: identity, serial, AUTO_INCREMENT, `DEFAULT gen_random_uuid()`.
    pub generated: bool,
    /// It has a default or is computed.
    pub has_default: bool,
}

/// One unique key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Its columns as they are compared; the text of an expression where one stands there.
    pub columns: Vec<String>,
    /// The predicate of a partial index, with one spacing.
    pub predicate: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// It is the primary key.
    pub primary: bool,
    /// It is deferrable, which ON CONFLICT cannot use.
    pub deferrable: bool,
    /// Null counts as a value in it.
    pub nulls_equal: bool,
}

impl Known {
    /// What is known of a table. A name without its schema finds a table of any.
    pub fn find(&self, name: Name<'_>) -> Option<&Table> {
        if self.tables.is_empty() { None } else { self.get(&name.key()) }
    }

    /// The same by its name as it is compared.
    pub fn get(&self, key: &str) -> Option<&Table> {
        self.tables.get(key).or_else(|| self.tables.get(self.known_as(key)?))
    }

    /// What is known of the table of exactly that name; nothing yet where it is new.
    pub fn entry(&mut self, key: String) -> &mut Table {
        if !self.tables.contains_key(&key) {
            self.by_last.entry(last_part(&key).to_owned()).or_default().push(key.clone());
        }
        self.tables.entry(key).or_default()
    }

    /// A known name that may mean the same table.
    fn known_as(&self, key: &str) -> Option<&str> {
        let names = self.by_last.get(last_part(key))?;
        names.iter().find(|known| same_table(known, key)).map(String::as_str)
    }

    /// Learns from a script what it declares of tables.
    pub fn learn(&mut self, script: &Script<'_>) {
        for statement in &script.statements {
            let sql = script.sql(statement);
            // Only these declare anything; reading the others would be for nothing.
            if sql.is_any(0, &["create", "alter"])
                && let Ok(verb) = read(sql)
            {
                self.learn_statement(&verb);
            }
        }
    }

    /// Learns what one statement declares.
    pub fn learn_statement(&mut self, verb: &Verb<'_>) {
        match verb {
            Verb::Create(create) => self.learn_create(create),
            Verb::Alter(alter) if alter.object == Object::Table => {
                let table = self.entry(alter.name.key());
                for action in &alter.actions {
                    match action {
                        Action::AddConstraint(constraint) => {
                            table.keys.extend(constraint.key.as_ref().map(key));
                        }
                        Action::AddColumn(name, _, _, sql) => {
                            if sql.find(0, &["unique", "primary"]).is_some() {
                                let columns = vec![name.last()];
                                let primary = sql.find(0, &["primary"]).is_some();
                                table.keys.push(Key { columns, primary, ..Key::default() });
                            }
                            if !table.columns.is_empty() {
                                table.columns.extend(ColumnDefinition::added(action).as_ref().map(column));
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn learn_create(&mut self, create: &Create<'_>) {
        let Some(name) = create.name.filter(|_| create.object == Object::Table) else {
            if let (Object::Index, Some(table), Some(list)) = (create.object, create.on, create.list)
                && create.unique
            {
                let columns = list.commas().into_iter().map(index_entry).collect();
                let predicate = create.predicate.map(Sql::normal);
                let name = create.name.map(Name::last);
                let key = Key { columns, predicate, name, nulls_equal: nulls_equal(create.rest), ..Key::default() };
                self.entry(table.key()).keys.push(key);
            }
            return;
        };
        if create.list.is_none() {
            return;
        }
        let mut table =
            Table { complete: !create.rest.mentions("like") && !create.rest.mentions("inherits"), ..Table::default() };
        let keys = create.keys();
        table.columns = create.columns().iter().map(column).collect();
        for primary in keys.iter().filter(|key| key.primary) {
            for column in &mut table.columns {
                column.not_null |= primary.columns.contains(&column.name);
            }
        }
        table.keys = keys.iter().map(key).collect();
        table.referenced = self.tables.get(&name.key()).is_some_and(|known| known.referenced);
        let known = self.entry(name.key());
        if !known.columns.is_empty() || !known.others.is_empty() {
            let mut before = std::mem::take(known);
            let names = |table: &Table| table.columns.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
            table.others = std::mem::take(&mut before.others);
            if !before.columns.is_empty() && names(&before) != names(&table) && table.others.len() < 8 {
                table.others.push(before);
            }
        }
        *self.entry(name.key()) = table;
        self.learn_references(create.list.unwrap_or(create.rest));
    }

    /// Marks the tables that foreign keys refer to, where they are known.
    fn learn_references(&mut self, sql: Sql<'_>) {
        for at in (0..sql.len()).filter(|at| sql.is(*at, "references")) {
            let Some((name, _)) = sql.name(at + 1) else { continue };
            let key = name.key();
            let known = self.known_as(&key).map(str::to_owned);
            self.entry(known.unwrap_or(key)).referenced = true;
        }
    }

    /// Takes over what others know of a table before a statement of this script adds to it.
    pub fn take_over(&mut self, verb: &Verb<'_>, others: &Self) {
        let name = match verb {
            Verb::Alter(alter) => Some(alter.name),
            Verb::Create(create) if create.object == Object::Index => create.on,
            _ => None,
        };
        let Some(name) = name.filter(|name| self.find(*name).is_none()) else { return };
        if let Some(table) = others.find(name) {
            *self.entry(name.key()) = table.clone();
        }
    }
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

fn key(key: &TableKey<'_>) -> Key {
    Key {
        columns: key.columns.clone(),
        predicate: None,
        name: key.name.map(Name::last),
        primary: key.primary,
        deferrable: key.sql.mentions("deferrable")
            && !key.sql.words(key.sql.len().saturating_sub(2), &["not", "deferrable"]),
        nulls_equal: nulls_equal(key.sql),
    }
}

/// `NULLS NOT DISTINCT`
fn nulls_equal(sql: Sql<'_>) -> bool {
    (0..sql.len()).any(|at| sql.words(at, &["nulls", "not", "distinct"]))
}

/// A column of an index, without its order; an expression as its text.
fn index_entry(sql: Sql<'_>) -> String {
    let end = sql.find(0, &["asc", "desc", "nulls"]).unwrap_or(sql.len());
    let sql = sql.slice(0..end);
    sql.as_name().map_or_else(|| sql.normal(), Name::last)
}

fn column(definition: &ColumnDefinition<'_>) -> Column {
    let volatile = [
        "gen_random_uuid",
        "uuid_generate_v4",
        "uuid_generate_v1",
        "uuid",
        "newid",
        "newsequentialid",
        "sys_guid",
        "nextval",
        "random",
        "uuidv7",
        "uuidv4",
        "generateuuidv4",
    ];
    let rest = definition.rest;
    let default = rest.find(0, &["default"]).map(|at| rest.from(at + 1));
    let generated = definition.numbered().is_some()
        || default.is_some_and(|value| value.calls_any(&volatile) || value.mentions("nextval"));
    // SQLite fills an INTEGER PRIMARY KEY that is left out with a new number.
    let rowid = rest.is(0, "integer") && rest.words(1, &["primary", "key"]);
    Column {
        name: definition.name.clone(),
        not_null: definition.not_null(),
        generated: generated || rowid,
        has_default: default.is_some() || generated || rest.find(0, &["generated", "as"]).is_some(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn of_two_tables_with_one_name_the_columns_tell_which_is_meant() {
        let mut known = Known::default();
        known.learn(&Script::read(
            "CREATE TABLE customer (customer_id int PRIMARY KEY, email text);",
            crate::lint::generic(),
        ));
        known.learn(&Script::read(
            "CREATE TABLE customer (cust_id int PRIMARY KEY, cust_name text);",
            crate::lint::generic(),
        ));
        let table = &known.tables["customer"];
        let key = |columns: &[&str]| {
            let columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
            table.with(&columns).keys[0].columns.join(",")
        };
        assert_eq!(key(&["customer_id", "email"]), "customer_id");
        assert_eq!(key(&["cust_id", "cust_name"]), "cust_id");
        assert_eq!(key(&["unheard_of"]), "cust_id");
        known.learn(&Script::read(
            "CREATE TABLE customer (cust_id int PRIMARY KEY, cust_name text);",
            crate::lint::generic(),
        ));
        assert_eq!(known.tables["customer"].others.len(), 1);
    }
}
