//! `mirror`: the target, or a scope of it, becomes what the source holds: upsert, and delete or flag what is missing.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "mirror",
    summary: "upsert, and delete or flag the rows of a scope that the source no longer holds",
    docs: "\
# mirror

The staged rows are loaded as by `upsert`, and target rows that the source no longer holds are deleted, or flagged.
Everything happens in one statement or one transaction.

```yaml
strategy: mirror
source: {table: raw.products}
unique_key: [product_id]
missing_rows: {action: delete, scope: \"region = 'eu'\"}
```

`scope` is a predicate over the target: what lies outside it is never deleted, so a source that holds a part of the table
can be mirrored. Without it the source must hold the whole table, so it is asked for where the spec has an
`incremental_column`. A row is missing when the whole source does not hold its key, whatever the window reads.

`missing_rows: {flag: is_gone}` keeps the rows and sets that column, a `bool` of the table, to true; a row that comes back
has it false again. The columns that the load computes, such as `value: now`, move with it.

An empty source deletes and flags nothing, because it is more often a failed extract than an empty table;
`allow_empty: true` says that it may be meant. A target row that is newer than its staged version stays as it is.

Promises: a second run changes and writes nothing. The order of batches matters: what is staged last is what the scope holds.
",
    form: |dialect| dialect.delete_insert,
    versions: false,
    insert_only: false,
    replaces: Replaces::Scope,
    purpose: Purpose::Load,
};
