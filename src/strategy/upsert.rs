//! `upsert`: one target row per unique key, the newest version wins.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "upsert",
    summary: "insert new keys, replace rows whose staged version is newer or corrected, in the engine's native form",
    docs: "\
# upsert

One target row per unique key; the newest version wins. The staged rows are reduced to one per key by the version
order. A staged row is inserted when its key is new, and replaces the target row when its version is greater, or equal
with different content (`on_tie: replace`; `keep` demands greater). An older row changes nothing, and a row with the same
content is not written at all.

```yaml
strategy: upsert
source: {table: raw.orders}
unique_key: [order_id]
incremental_column: updated_at
overlap_window: 1 day
```

Each engine gets its native form: `INSERT .. ON CONFLICT`, `INSERT .. ON DUPLICATE KEY UPDATE`, `MERGE`, or `UPDATE` and
`INSERT` in one transaction. Where the native form cannot hold what the spec asks (a nullable key that the unique index
does not guard, deletions), the plan takes the form that can and says so: `idemsql plan`.

Promises: a second run changes and writes nothing, except where the high watermark can fall (`idemsql explain rerun`);
batches in any order and in any pieces end in the same rows, as long as there is a version and no column keeps its first
value; two sessions at once end as one.
",
    form: |dialect| dialect.upsert,
    versions: false,
    insert_only: false,
    replaces: Replaces::Nothing,
    purpose: Purpose::Load,
};
