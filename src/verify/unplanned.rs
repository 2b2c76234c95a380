//! Rows made up for SQL of which only the tables are known: nobody said what it does, but what its set-up leaves empty must be
//! filled, because a load of nothing shows nothing.

use super::batch::{self, Batch, Content, Field};
use super::judge::Scenarios;
use super::names::Table;
use super::scenario::{Scenario, Staging};
use super::subject::Subject;
use crate::dialect::types::Type;
use crate::engine::value::{Row, Value};

/// A table that the set-up makes.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The table.
    pub table: Table,
    /// Its columns that a statement can write.
    pub columns: Vec<DeclaredColumn>,
    /// The columns of each of its unique keys.
    pub keys: Vec<Vec<String>>,
}

/// A column of a table that the set-up makes.
#[derive(Clone, Debug)]
pub struct DeclaredColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// True when it takes null.
    pub nullable: bool,
}

impl Scenarios {
    /// Rows for the tables that the set-up leaves empty, made up from their columns, one batch after the other; the rows as
    /// set up when it leaves none empty. Nothing is known of the order of batches, so that is not tried.
    ///
    /// # Errors
    /// Why none can be made up: a column must be filled, and no value of its type is known.
    pub fn unplanned(
        subject: &Subject,
        declared: &[Declared],
        seed: u64,
        crash_rows: usize,
    ) -> Result<Self, Vec<String>> {
        let empty: Vec<&Declared> = declared.iter().filter(|known| subject.empty.contains(&known.table)).collect();
        let missing =
            Some("the order of batches is known from a spec, or from `--rows` with batch-1, batch-2".to_owned());
        if empty.is_empty() {
            let set_up = Scenario { name: "the rows as set up".to_owned(), ..Scenario::nothing() };
            return Ok(Self { plain: vec![set_up.clone()], large: Some(set_up), missing, ..Self::default() });
        }
        let targets: Vec<&Declared> =
            declared.iter().filter(|known| subject.targets.iter().any(|target| target.table == known.table)).collect();
        let mut fillers = Vec::new();
        let mut faults = Vec::new();
        for table in empty {
            match Filler::of(table, &targets) {
                Ok(filler) => fillers.push(filler),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let plain: Vec<_> = fillers.iter().map(|filler| batch::scenarios(&filler.fields, seed)).collect();
        let large: Vec<_> = fillers.iter().map(|filler| vec![batch::large(&filler.fields, crash_rows, seed)]).collect();
        Ok(Self {
            plain: together(&fillers, &plain),
            large: together(&fillers, &large).into_iter().next(),
            missing,
            ..Self::default()
        })
    }
}

/// A table to fill.
struct Filler<'a> {
    declared: &'a Declared,
    fields: Vec<Field>,
}

impl<'a> Filler<'a> {
    fn of(declared: &'a Declared, targets: &[&Declared]) -> Result<Self, String> {
        let name = &declared.table.name;
        let key = key_of(declared, targets);
        let mut fields = Vec::new();
        for column in &declared.columns {
            if let Type::Other(native) = &column.ty {
                // It is left out, and so null.
                if column.nullable {
                    continue;
                }
                return Err(format!(
                    "no value is known for `{}` of `{name}`, whose type is {native}, and it takes no null",
                    column.name
                ));
            }
            // What the target does not take is no row to load.
            let refused = targets
                .iter()
                .flat_map(|target| &target.columns)
                .any(|other| other.name == column.name && !other.nullable);
            fields.push(Field {
                name: column.name.clone(),
                ty: column.ty.clone(),
                nullable: column.nullable && !refused,
                key: key.contains(&column.name),
                version: None,
                cursor: None,
                group: false,
                // Edges could be more than an expression of the user's takes.
                content: Content::Plain,
            });
        }
        if fields.is_empty() {
            return Err(format!("`{name}` has no column that can be filled"));
        }
        Ok(Self { declared, fields })
    }

    /// Made-up rows in the table, none twice by its own keys.
    fn staging(&self, rows: &[Row]) -> Staging {
        let table = &self.declared.table;
        let mut kept: Vec<Row> = Vec::new();
        for row in rows {
            let same = |other: &Row, key: &Vec<String>| {
                let parts =
                    self.fields.iter().zip(row.iter().zip(other)).filter(|(field, _)| key.contains(&field.name));
                parts.fold(true, |all, (_, (one, two))| all && one == two && *one != Value::Null)
            };
            if !kept.iter().any(|other| self.declared.keys.iter().any(|key| same(other, key))) {
                kept.push(row.clone());
            }
        }
        Staging {
            parts: table.schema.iter().chain([&table.name]).cloned().collect(),
            columns: self.fields.iter().map(|field| (field.name.clone(), field.ty.clone())).collect(),
            rows: kept,
        }
    }
}

/// The columns that name a row of a staged table: those of the target's key, or of its own, or its first one.
fn key_of(declared: &Declared, targets: &[&Declared]) -> Vec<String> {
    let has = |key: &&Vec<String>| key.iter().any(|name| declared.columns.iter().any(|column| column.name == *name));
    let keys = targets.iter().flat_map(|target| &target.keys).chain(&declared.keys);
    let first = || declared.columns.iter().take(1).map(|column| column.name.clone()).collect();
    keys.into_iter().find(has).cloned().unwrap_or_else(first)
}

/// The scenarios of several tables side by side. What a target would hold before is loaded as the first batch.
fn together(fillers: &[Filler<'_>], made: &[Vec<batch::Scenario>]) -> Vec<Scenario> {
    let batches = |scenario: &batch::Scenario| -> Vec<Vec<Row>> {
        let before = Some(scenario.before.clone()).filter(|rows| !rows.is_empty());
        before.into_iter().chain(scenario.batches.iter().cloned()).collect()
    };
    let count = made.iter().map(Vec::len).max().unwrap_or_default();
    let one = |at: usize| {
        let all: Vec<Vec<Vec<Row>>> =
            made.iter().map(|scenarios| scenarios.get(at).map(batches).unwrap_or_default()).collect();
        let longest = all.iter().map(Vec::len).max().unwrap_or_default();
        let staged = |number: usize| {
            let rows = |batches: &Vec<Vec<Row>>| batches.get(number).cloned().unwrap_or_default();
            fillers.iter().zip(&all).map(|(filler, batches)| filler.staging(&rows(batches))).collect()
        };
        let name = made.iter().find_map(|scenarios| scenarios.get(at)).map(|scenario| scenario.name.clone());
        Scenario {
            name: name.unwrap_or_default(),
            before: Batch { columns: Vec::new(), rows: Vec::new() },
            batches: (0..longest).map(staged).collect(),
        }
    };
    (0..count).map(one).filter(|scenario| !scenario.batches.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::diagnostic::Source;
    use std::sync::Arc;

    fn subject(sql: &str, setup: &str) -> Subject {
        let source = |text: &str| Arc::new(Source::new("x.sql", text.to_owned()));
        let dialect = crate::dialect::find("sqlite").unwrap();
        Subject::given(None, &source(sql), Some(&source(setup)), dialect).unwrap()
    }

    fn declared(name: &str, columns: &[(&str, Type, bool)], keys: &[&str]) -> Declared {
        let column = |(name, ty, nullable): &(&str, Type, bool)| DeclaredColumn {
            name: (*name).to_owned(),
            ty: ty.clone(),
            nullable: *nullable,
        };
        Declared {
            table: Table { schema: None, name: name.to_owned() },
            columns: columns.iter().map(column).collect(),
            keys: keys.iter().map(|key| vec![(*key).to_owned()]).collect(),
        }
    }

    const SETUP: &str = "CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE s (id int, v text);";
    const LOAD: &str = "INSERT INTO t SELECT * FROM s";

    #[test]
    fn a_staged_table_is_filled_over_the_targets_key() {
        let tables = [
            declared("t", &[("id", Type::Int, false), ("v", Type::Text, true)], &["id"]),
            declared("s", &[("id", Type::Int, true), ("v", Type::Text, true)], &[]),
        ];
        let made = Scenarios::unplanned(&subject(LOAD, SETUP), &tables, 1, 10).unwrap();
        let staged: Vec<&Staging> = made.plain.iter().flat_map(|scenario| scenario.batches.iter().flatten()).collect();
        let ids = staged.iter().flat_map(|staging| staging.rows.iter().map(|row| &row[0]));
        assert!(ids.clone().count() > 20 && ids.clone().all(|id| *id != Value::Null));
        assert!(staged.iter().all(|staging| staging.parts == ["s"]));
        let twice = |staging: &&&Staging| {
            let mut ids: Vec<&Value> = staging.rows.iter().map(|row| &row[0]).collect();
            ids.sort();
            ids.windows(2).any(|pair| pair[0] == pair[1])
        };
        assert!(staged.iter().any(|staging| twice(&staging)), "no key stands twice in a batch");
        let keyed = [tables[0].clone(), declared("s", &[("id", Type::Int, true), ("v", Type::Text, true)], &["id"])];
        let made = Scenarios::unplanned(&subject(LOAD, SETUP), &keyed, 1, 10).unwrap();
        let staged: Vec<&Staging> = made.plain.iter().flat_map(|scenario| scenario.batches.iter().flatten()).collect();
        assert!(!staged.iter().any(|staging| twice(&staging)), "its own key says that none does");
    }

    #[test]
    fn what_the_set_up_fills_stays_as_it_is() {
        let tables = [declared("s", &[("id", Type::Int, true)], &[])];
        let filled = format!("{SETUP} INSERT INTO s VALUES (1, 'a')");
        let made = Scenarios::unplanned(&subject(LOAD, &filled), &tables, 1, 10).unwrap();
        assert_eq!(made.plain.len(), 1);
        assert!(made.plain[0].batches.iter().all(Vec::is_empty));
    }

    #[test]
    fn a_column_that_cannot_be_filled_is_said() {
        let tables = [declared("s", &[("id", Type::Other("point".to_owned()), false)], &[])];
        let faults = Scenarios::unplanned(&subject(LOAD, SETUP), &tables, 1, 10).unwrap_err();
        assert!(faults[0].contains("`id` of `s`") && faults[0].contains("point"), "{faults:?}");
    }
}
