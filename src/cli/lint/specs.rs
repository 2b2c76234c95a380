//! What specs say of their tables, for the linter: the unique key, columns without nulls, what is newer.

use crate::lint::known::{Column, Key, Known, Table};
use crate::spec::{Spec, Table as Written};

/// Takes in every table of a spec.
pub(super) fn learn(known: &mut Known, spec: &Spec) {
    for table in spec.tables() {
        let first = table.dialects().first().map_or("", |dialect| dialect.value.as_str());
        // A spec that was read has no faults for its own dialects.
        let Ok(written) = table.for_dialect(first) else { continue };
        let name = [&written.catalog, &written.schema].into_iter().flatten().chain([&written.name]);
        let name = name.map(|part| compared(&part.value)).collect::<Vec<_>>().join(".");
        let entry = known.entry(name);
        merge(entry, made(&written));
    }
}

/// A name as it is compared.
fn compared(name: &str) -> String {
    name.to_lowercase()
}

fn made(written: &Written) -> Table {
    let key = written.unique_key.iter().map(|column| column.value.as_str());
    // Every version of a key has a row.
    let key: Vec<String> = key.chain(written.valid_from()).map(compared).collect();
    let columns = written.columns.iter().map(|column| {
        let name = compared(&column.name.value);
        Column {
            // The columns of a key hold no nulls unless the spec says that they do.
            not_null: column.nullable.as_ref().map_or(key.contains(&name), |nullable| !nullable.value),
            generated: column.identity,
            has_default: column.default.is_some() || column.identity || column.generated,
            name,
        }
    });
    Table {
        others: Vec::new(),
        columns: columns.collect(),
        incremental: written.incremental.as_ref().map(|incremental| compared(&incremental.column.value)),
        keys: if key.is_empty() { Vec::new() } else { vec![Key { columns: key, ..Key::default() }] },
        // A table may have more unique keys than its spec needs to know.
        complete: false,
        referenced: false,
    }
}

/// A spec adds to what CREATE TABLE said, and does not replace it.
fn merge(into: &mut Table, spec: Table) {
    for key in spec.keys {
        if !into.keys.iter().any(|known| known.columns == key.columns && known.predicate.is_none()) {
            into.keys.push(key);
        }
    }
    if into.columns.is_empty() {
        into.columns = spec.columns;
    } else {
        for column in spec.columns {
            if let Some(known) = into.columns.iter_mut().find(|known| known.name == column.name) {
                known.not_null |= column.not_null;
            }
        }
    }
    into.incremental = into.incremental.take().or(spec.incremental);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::learn;
    use crate::diagnostic::Source;
    use crate::lint::known::{Column, Known, Table};
    use crate::spec::Spec;
    use std::sync::Arc;

    fn spec(text: &str) -> Spec {
        let source = Arc::new(Source::new("spec.yaml", text));
        Spec::read(source, &|_| Err("none".to_owned())).unwrap()
    }

    const SPEC: &str = "\
version: 1
tables:
  - name: Orders
    schema: mart
    source: {table: raw.orders}
    unique_key: [id]
    incremental_column: updated_at
    columns:
      - {name: id, type: int}
      - {name: n, type: int, identity: true}
      - {name: total, type: int}
      - {name: updated_at, type: timestamptz, nullable: false}
";

    #[test]
    fn a_spec_tells_key_nulls_and_incremental_column() {
        let mut known = Known::default();
        learn(&mut known, &spec(SPEC));
        let table = known.get("mart.orders").unwrap();
        assert_eq!(table.keys.len(), 1);
        assert_eq!(table.keys[0].columns, ["id"]);
        assert!(!table.complete && !table.keys[0].primary);
        assert_eq!(table.incremental.as_deref(), Some("updated_at"));
        let not_null: Vec<&str> =
            table.columns.iter().filter(|column| column.not_null).map(|column| column.name.as_str()).collect();
        assert_eq!(not_null, ["id", "updated_at"]);
        assert!(table.columns[1].generated && !table.columns[2].generated);
    }

    #[test]
    fn a_history_has_a_row_for_each_version() {
        let mut known = Known::default();
        let text =
            SPEC.replace("incremental_column", "strategy: history\n    version: [updated_at]\n    incremental_column");
        learn(&mut known, &spec(&text));
        assert_eq!(known.get("mart.orders").unwrap().keys[0].columns, ["id", "valid_from"]);
    }

    #[test]
    fn what_a_definition_said_stays() {
        let mut known = Known::default();
        let columns = ["id", "extra"].map(|name| Column { name: name.to_owned(), ..Column::default() }).to_vec();
        *known.entry("mart.orders".to_owned()) = Table { columns, complete: true, ..Table::default() };
        learn(&mut known, &spec(SPEC));
        let table = known.get("mart.orders").unwrap();
        assert_eq!(table.columns.len(), 2);
        assert!(table.columns[0].not_null && table.complete);
        assert_eq!(table.keys.len(), 1);
    }
}
