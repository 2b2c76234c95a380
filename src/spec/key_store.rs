//! What the strategy `idempotency_key` gives a table: its key and its columns, which no user has to write.

use super::table::under;
use super::yaml::{Entry, Node, Value, parse};
use std::ops::Range;

/// The strategy whose tables are of this kind.
const STRATEGY: &str = "idempotency_key";

/// The keys of such a table. A column may be laid over by one of the same name, for its type. The key is as long as the
/// narrowest index takes: <https://learn.microsoft.com/en-us/sql/sql-server/maximum-capacity-specifications-for-sql-server>
const GIVEN: &str = "
description: One row per request that carried an idempotency key
source: {parameters: true}
unique_key: [scope, idempotency_key]
columns:
  - {name: scope, type: varchar(128), nullable: false, description: The tenant and route that the key belongs to}
  - {name: idempotency_key, type: varchar(255), nullable: false, description: What the client sent}
  - {name: fingerprint, type: varchar(128), nullable: false, description: A hash of the request}
  - {name: claim_id, type: varchar(64), nullable: false, description: Who works on the request}
  - {name: claimed_at, type: timestamptz, nullable: false, value: now, description: When the work began}
  - {name: completed_at, type: timestamptz, description: When the answer was stored; null until then}
  - {name: response_status, type: int, description: The status of the answer}
  - {name: response_body, type: text, description: The body of the answer}
";

/// The keys that the strategy of a table gives it, at the place of the strategy; none for another strategy.
pub(super) fn given(table: &[Entry]) -> Option<Vec<Entry>> {
    let strategy = under(table, "strategy")?;
    if !matches!(&strategy.value, Value::Text(name) if name == STRATEGY) {
        return None;
    }
    let Ok(Node { value: Value::Mapping(mut entries), .. }) = parse(GIVEN) else { return None };
    for entry in &mut entries {
        place(entry, &strategy.span);
    }
    Some(entries)
}

/// Puts a key and everything below it at a place of the user's text.
fn place(entry: &mut Entry, span: &Range<usize>) {
    entry.key_span = span.clone();
    place_node(&mut entry.value, span);
}

fn place_node(node: &mut Node, span: &Range<usize>) {
    node.span = span.clone();
    match &mut node.value {
        Value::List(items) => {
            for item in items {
                place_node(item, span);
            }
        }
        Value::Mapping(entries) => {
            for entry in entries {
                place(entry, span);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::given;
    use crate::spec::table::entries;
    use crate::spec::yaml::parse;

    #[test]
    fn a_key_store_is_given_its_columns_and_no_other_table_is() {
        let node = parse("{name: keys, strategy: idempotency_key}").unwrap();
        let all = given(entries(Some(&node))).unwrap();
        assert!(["source", "unique_key", "columns"].iter().all(|key| all.iter().any(|entry| entry.key == *key)));
        let node = parse("{name: keys, strategy: upsert}").unwrap();
        assert!(given(entries(Some(&node))).is_none());
    }
}
