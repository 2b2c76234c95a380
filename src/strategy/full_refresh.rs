//! `full_refresh`: the whole target becomes what the source holds, in place.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "full_refresh",
    summary: "make the whole target equal to the source, in place and in one step",
    docs: "\
# full_refresh

The whole target becomes what the source holds: new rows are inserted, changed ones replaced, whichever of the two is newer,
and what the source does not hold is deleted. Everything happens in one statement or one transaction, so a reader sees the
old rows or the new ones and never an empty table.

```yaml
strategy: full_refresh
source: {table: raw.countries}
unique_key: [code]
```

The table stays the same one: grants, views, indexes, foreign keys and identity values survive, which a swap with a new
table or a TRUNCATE would not promise. A row that did not change is not touched, so a second run writes nothing.

The source is read whole: an `incremental_column` orders versions and is no window here, so that
`idemsql render --strategy full_refresh` gives the backfill of an incremental spec.

An empty source changes nothing, because it is more often a failed extract than an empty table;
`missing_rows: {allow_empty: true}` says that it may be meant.

Promises: a second run changes and writes nothing. The order of batches matters: what is staged last is what the table holds.
",
    form: |dialect| dialect.delete_insert,
    versions: false,
    insert_only: false,
    replaces: Replaces::Everything,
    purpose: Purpose::Load,
};
