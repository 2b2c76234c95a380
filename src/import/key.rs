//! Which unique key of a table is the one that names its rows, and why.

use super::relation::{Key, Relation};

/// The key that was chosen.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    /// Its columns, as the table spells them; empty when there is no key to choose.
    pub columns: Vec<String>,
    /// Why this one, and what else there is, a sentence each.
    pub notes: Vec<String>,
    /// Why there is none.
    pub missing: Option<String>,
}

/// How good a key is: the smaller the better.
fn rank(relation: &Relation, key: &Key) -> u8 {
    let columns = key.columns.iter().flatten().filter_map(|name| relation.column(name));
    let (mut numbered, mut nullable) = (false, false);
    for column in columns {
        numbered |= column.numbered.is_some();
        nullable |= !column.not_null;
    }
    match (key.primary, numbered, nullable) {
        (true, false, _) => 0,
        (false, false, false) => 1,
        (true, true, _) => 2,
        (false, true, _) => 3,
        (false, false, true) => 4,
    }
}

/// Why a key cannot name the rows of a load.
fn unfit(relation: &Relation, key: &Key) -> Option<&'static str> {
    if key.partial {
        return Some("it holds for a part of the rows alone");
    }
    for name in &key.columns {
        let Some(column) = name.as_deref().and_then(|name| relation.column(name)) else {
            return Some("an expression stands in it");
        };
        if column.generated {
            return Some("the database computes a column of it");
        }
        if column.numbered == Some(true) {
            return Some("the database numbers it, and no load can write it");
        }
    }
    key.columns.is_empty().then_some("its columns are not known")
}

/// The columns of a key for a sentence: `(a, b)`.
fn shown(relation: &Relation, key: &Key) -> String {
    let spelled = |name: &str| relation.column(name).map_or_else(|| name.to_owned(), |column| column.name.clone());
    let column = |name: &Option<String>| name.as_deref().map_or_else(|| "an expression".to_owned(), spelled);
    let columns: Vec<String> = key.columns.iter().map(column).collect();
    format!("({})", columns.join(", "))
}

/// Chooses.
pub(super) fn choose(relation: &Relation) -> Chosen {
    let mut keys: Vec<&Key> = Vec::new();
    for key in &relation.keys {
        // An index on the columns of the primary key says nothing new.
        if !keys.iter().any(|known| known.columns == key.columns && known.partial == key.partial) {
            keys.push(key);
        }
    }
    let fit = keys.iter().filter(|key| unfit(relation, key).is_none());
    let Some(best) = fit.min_by_key(|key| rank(relation, key)) else {
        let all = keys.iter().filter_map(|key| {
            unfit(relation, key).map(|why| format!("{} {} is none: {why}", key.from, shown(relation, key)))
        });
        let all: Vec<String> = all.collect();
        let missing = if all.is_empty() { "no unique key is declared".to_owned() } else { all.join("; ") };
        return Chosen { missing: Some(missing), ..Chosen::default() };
    };
    let mut notes = Vec::new();
    for other in keys.iter().filter(|key| key.columns != best.columns || key.partial != best.partial) {
        let why = match unfit(relation, other) {
            Some(why) => format!("; not taken: {why}"),
            None if rank(relation, other) > rank(relation, best) && rank(relation, other) >= 4 => {
                "; not taken: it may be null".to_owned()
            }
            None if rank(relation, other) >= 2 => "; not taken: the database numbers it".to_owned(),
            None => String::new(),
        };
        notes.push(format!("also unique, by {}: {}{why}", other.from, shown(relation, other)));
    }
    if !notes.is_empty() {
        notes.insert(0, format!("guess: of {} keys, {}", notes.len() + 1, best.from));
    }
    let columns: Vec<String> = best
        .columns
        .iter()
        .flatten()
        .filter_map(|name| relation.column(name))
        .map(|column| column.name.clone())
        .collect();
    if columns.iter().filter_map(|name| relation.column(name)).any(|column| column.numbered.is_some()) {
        notes.push(
            "guess: the database can number this key, and the load writes the numbers of the source; if the source has \
             none, choose another key, and write `identity: true` at the column"
                .to_owned(),
        );
    }
    if !relation.dialect.client.enforces_keys {
        notes.push("the database does not enforce it: make sure that it is unique".to_owned());
    }
    Chosen { columns, notes, missing: None }
}
