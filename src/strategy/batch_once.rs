//! `batch_once`: rows without a key are appended once for each batch, by a log of the batches that were loaded.

use super::{Purpose, Replaces, Strategy};
use crate::dialect::mechanism::{Form, Support};

pub(super) static STRATEGY: Strategy = Strategy {
    name: "batch_once",
    summary: "append the rows of every batch that was not loaded yet, by a log of batches",
    docs: "\
# batch_once

Appends rows that have no key, each batch of them exactly once. A batch is all staged rows with one value of the batch column,
such as the file that they came in. One transaction notes the new batches in a log, appends their rows, and closes the note;
rows of a batch that is in the log are left out, so a second run writes nothing, and what is half loaded is never seen.

```yaml
strategy: batch_once
source: {table: raw.events}
batch: file_name
```

Rows are counted, not compared: a batch that holds one row twice appends it twice. What identifies a row is its batch, so the
column must be one of the table's, of type `varchar` and never null. A batch must be staged whole when it is first loaded:
rows that come later under the same name are left out. To load a batch again delete its rows and its line in the log, in one
transaction.

The log is a table for any number of targets, `idemsql_batches` beside the target or the one that `batch: {column: ..,
log: etl.batches}` names. Its key is the target and the batch, so that of two sessions only one can note a batch, and
`idemsql render --form ddl` makes it.

Rows that are staged without the name of their batch can be told by what they hold: with `batch: {content: true}` all staged rows
are one batch, and its name is a digest of them, of every row by SHA-256, in any order, the same in every session. So the same file
staged again is left out, and a file of which one row differs is another batch and is appended whole. Two deliveries that really
hold the same rows are one: where that can happen, stage a name. The staged table must hold one batch at a time. The digest is
written for PostgreSQL, MySQL, MariaDB and DuckDB, where it is tried; other dialects refuse it.

Promises: a second run changes and writes nothing, and two sessions append a batch once. What comes first under a name counts.
",
    form: |dialect| match dialect.script {
        Some(_) => Support::Yes(Form::AppendBatch),
        None => Support::No {
            because: "it has no transaction around the log and the target, and between the two a load could be killed",
            instead: "insert_ignore",
        },
    },
    versions: false,
    insert_only: true,
    replaces: Replaces::Nothing,
    purpose: Purpose::Load,
};
