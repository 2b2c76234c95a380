//! `insert_ignore`: the first write of a key wins.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "insert_ignore",
    summary: "insert rows whose key is new and leave every other row alone",
    docs: "\
# insert_ignore

A staged row is inserted when its key is not in the target; a key that is there keeps its row for ever. Use it for events
and for reference rows that never change.

```yaml
strategy: insert_ignore
source: {table: raw.events}
unique_key: [event_id]
```

The key is named, so that a violation of any other constraint is still an error: `INSERT IGNORE`, `INSERT OR IGNORE` and a
bare `ON CONFLICT DO NOTHING` hide those, and some of them store a mangled row.

Promises: a second run changes and writes nothing. The order of batches matters by design: the first one wins.
",
    form: |dialect| dialect.insert_ignore,
    versions: false,
    insert_only: true,
    replaces: Replaces::Nothing,
    purpose: Purpose::Load,
};
