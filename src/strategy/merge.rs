//! `merge`: the same meaning as `upsert`, as one standard MERGE.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "merge",
    summary: "the meaning of upsert as one standard MERGE, which needs no unique index",
    docs: "\
# merge

The meaning of `upsert`, as one standard `MERGE`. It needs no unique index and burns no sequence values, and it is the
form that can delete. An engine without `MERGE` gets the statements that mean the same: `UPDATE` and `INSERT` from a
temporary table, in one transaction.

```yaml
strategy: merge
source: {table: raw.orders}
unique_key: [order_id]
incremental_column: updated_at
```

`MERGE` decides on what it sees at its start, so two sessions with one new key may both insert it. Where the engine needs
it, the script takes a lock first.

Promises: as `upsert`.
",
    form: |dialect| dialect.merge,
    versions: false,
    insert_only: false,
    replaces: Replaces::Nothing,
    purpose: Purpose::Load,
};
