//! `replace_partition`: every partition of which a row is staged becomes what is staged for it, in place.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "replace_partition",
    summary: "make every staged partition of the target equal to the staged rows, in place and in one step",
    docs: "\
# replace_partition

Every partition of which a row is staged becomes what is staged for it: new rows are inserted, changed ones replaced,
whichever of the two is newer, and what is no longer staged for the partition is deleted. Partitions of which no row is
staged stay as they are, so nothing staged changes nothing. It is what others call insert overwrite, in one statement or one
transaction: a reader sees the old partition or the new one, and never an empty one.

```yaml
strategy: replace_partition
source: {table: raw.sales}
unique_key: [sale_id]
partition: sale_date
```

A partition is a value of that column, null too; whether the table is also stored in partitions makes no difference. The
source must hold whole partitions; with an `incremental_column` a partition is loaded whole when one of its rows is in the
window. A part of a value, such as the month of a time, is no partition yet: load a column that holds it. `grain: day` says
the same of a `date` and is taken.

The table stays the same one: no TRUNCATE, no swap and no DROP of a partition, so that grants, views, indexes, foreign keys
and identity values survive. A row that did not change is not touched, so a second run writes nothing.

The unique key holds over the whole table. A row that is staged for another partition than the one it stands in moves there:
it is never in both, also where its old partition is not staged. Of two staged rows of one key, in two partitions, the
newer one is loaded. With the column in `unique_key` no key moves.

Without a `unique_key` it is refused: rows would have to be deleted and inserted again to be compared, which writes the
partition on every run and gives each row a new identity. List the columns that tell one row of a partition from another,
all of them if need be.

Promises: a second run changes and writes nothing, except where the high watermark can fall, as with an incremental column.
The order of batches matters: what is staged last is what the partition holds.
",
    form: |dialect| dialect.delete_insert,
    versions: false,
    insert_only: false,
    replaces: Replaces::Partition,
    purpose: Purpose::Load,
};
