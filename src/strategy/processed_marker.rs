//! `processed_marker`: an effect that adds or subtracts happens once for each event.

use super::{Purpose, Replaces, Strategy};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "processed_marker",
    summary: "an effect once for each event: the marker and the effect in one transaction",
    docs: "\
# processed_marker

An effect such as `stock = stock - 1` cannot be run again. A marker for each event that had its effect, written in the
transaction of the effect, makes it safe: both are there or neither is. The table of the spec holds the markers.

For one event at a time, in an application, `render` writes statements by name with bind parameters. `:name` in an effect is
bound, never pasted:

```yaml
- name: processed_events
  strategy: processed_marker
  source: {parameters: true}
  unique_key: [event_id]
  columns:
    - {name: event_id, type: uuid}
    - {name: processed_at, type: timestamptz, value: now}
  effect:
    - UPDATE inventory SET stock = stock - :quantity WHERE sku = :sku
  retention: 30 days
```

Run `claim`; when it writes no row, the event has had its effect: stop. Else run the effects and commit. Of two sessions with one
event the second waits for the first, and then writes no row. `purge` forgets markers that are older than the retention, which must
be longer than an event can come again.

For a batch of staged events, in a script: name the columns that the effect needs, and read the new events, each once, from
`{events}`. Add them up for each row that they change, because most databases update a row once in a statement:

```yaml
- name: processed_events
  strategy: processed_marker
  source: {table: staged_events}
  unique_key: [event_id]
  columns:
    - {name: event_id, type: uuid}
    - {name: sku, type: text}
    - {name: quantity, type: int}
  effect:
    - UPDATE inventory SET stock = stock - (SELECT SUM(e.quantity) FROM {events} AS e WHERE e.sku = inventory.sku)
      WHERE sku IN (SELECT e.sku FROM {events} AS e)
```

`idemsql verify SPEC --setup TABLES.sql` proves it on your database. The file makes the tables that the effects write, with rows
for them to change, in a schema of its own. For single events, `--value sku=A --value quantity=2` says what the other parameters
are (in quotes, `--value sku=\"'007'\"`, a number is a text); a parameter that is given several times has each value in turn. Events are
delivered again (G1, G2), in another order (G4), by two sessions (G6) and by sessions that are killed at every step (G7), and the
tables must be those of the effects alone, run once for each event without a marker (G3, and in G4, G6 and G7, too). Effects that end otherwise
in another order without any marker are not promised G4. A batch is judged as SQL of yours is (`--sql`), which has no
reference for G3.

A read model that keeps the newest version of a thing needs no marker: `strategy: upsert` with `version` is safe by itself.

Promises: a second run writes no marker and has no effect; an event has its effect once, in two sessions at once, too.
",
    form: |dialect| dialect.insert_ignore,
    versions: false,
    insert_only: true,
    replaces: Replaces::Nothing,
    purpose: Purpose::Effect,
};
