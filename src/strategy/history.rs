//! `history`: every version of a key is a row of its own, with the period in which it was valid.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "history",
    summary: "keep every version of a key as a row with the period in which it was valid",
    docs: "\
# history

Every version of a key is a row of its own, valid from its own version up to, and not including, the next one: a slowly
changing dimension of type 2. The periods come from the version column, so from the time of the source and never from the
clock; a run tomorrow makes the same rows as a run today.

```yaml
strategy: history
source: {table: raw.customers}
unique_key: [customer_id]
version: [updated_at]
columns:
  - {name: customer_id, type: bigint}
  - {name: city, type: varchar(80)}
  - {name: updated_at, type: timestamp, nullable: false}
```

The load adds three columns behind the declared ones: `valid_from`, the version; `valid_to`, the next version of the key,
null for the last one; `is_current`, true for the last one. `history: {valid_from: .., valid_to: .., is_current: ..}` gives
them other names, and `is_current: none` leaves that column out. `idemsql render --form ddl` makes the table, with its unique
key over `unique_key` and `valid_from`.

```sql
SELECT city FROM mart.customers
WHERE customer_id = 7 AND valid_from <= :moment AND (valid_to IS NULL OR :moment < valid_to)
```

A version that comes late takes its place: it ends where the next one begins, and the one before it now ends where it
begins. A version that comes again with other content is corrected in place (two staged rows of one key and one version are
one: that with the greater values). Two neighbours of equal content stay two rows, because a version that comes late may lie
between them. A row that is right already is not written.

A deletion is a version, too: with `deletes: {when: .., flag: is_deleted}` it ends the version before it, and its own row has
the flag and is not current. A deletion that left no row could not tell a late version that the key was gone, so
`action: delete` is refused.

The order is that of one column, because a period has one beginning: a date, a timestamp or a whole number that is never null.
With an `incremental_column` the window chooses which staged rows are read; versions outside it are not forgotten, since those
of the target are taken into account whatever their age.

Promises: a second run changes and writes nothing; batches in any order and in any pieces end in the same history, as long as
two rows of one key and one version are equal and no column keeps its first value. The load reads the versions around a new
one, so it takes a lock; where the engine has none, one load of the table must run at a time.
",
    form: |dialect| dialect.history,
    versions: true,
    insert_only: false,
    replaces: Replaces::Nothing,
    purpose: Purpose::Load,
};
