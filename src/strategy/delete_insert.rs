//! `delete_insert`: a part of the target, a window or the groups of a key, becomes what is staged for it.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "delete_insert",
    summary: "make a window, or every staged group, of the target equal to the staged rows",
    docs: "\
# delete_insert

A part of the target becomes equal to the staged rows of that part: rows that are no longer staged are deleted, new ones
are inserted, changed ones replaced. Everything happens in one statement or one transaction.

By window: the part is the window of the incremental column, from the high watermark minus the overlap up to the greatest
staged value, or from `window.start` up to `window.end`. The source must hold the whole window.

```yaml
strategy: delete_insert
source: {table: raw.orders}
unique_key: [order_id]
incremental_column: updated_at
overlap_window: 3 days
```

By key group: with `group_key` the part is every group of which a row is staged, such as all lines of an order. The source
must hold whole groups; with an incremental column, a group is loaded whole when one of its rows is in the window.

```yaml
strategy: delete_insert
unique_key: [order_id, line_no]
group_key: [order_id]
```

A row that did not change is not touched, and a changed one is replaced in place where the engine can, so that its
insert-only columns keep their first value, child rows with ON DELETE CASCADE survive, and a second run writes nothing.
Nothing staged deletes nothing. A target row that is newer than its staged version stays, and so do rows behind the
greatest staged value: otherwise the high watermark would fall and the next run would use another window.

Promises: a second run changes and writes nothing, except where the high watermark can fall, as with `group_key` and an
incremental column together. The order of batches matters: what is staged last is what the part holds.
",
    form: |dialect| dialect.delete_insert,
    versions: false,
    insert_only: false,
    replaces: Replaces::Part,
    purpose: Purpose::Load,
};
