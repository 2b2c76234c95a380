//! The pages of the strategies.

use super::answers::long;
use super::table;
use crate::dialect::ALL as DIALECTS;
use crate::strategy::{ALL, Replaces, Strategy};

/// The page of one strategy.
pub(super) fn page(strategy: &Strategy) -> String {
    let forms = DIALECTS.iter().map(|dialect| [format!("`{}`", dialect.name), long((strategy.form)(dialect))]);
    format!("{}\n\n{}", strategy.docs.trim_end(), table(["dialect", "form"], forms))
}

/// The table of all strategies.
pub(super) fn overview() -> String {
    let mut out = "# Strategies\n\n".to_owned();
    let rows = ALL.iter().map(|strategy| {
        let there = match strategy.replaces {
            _ if strategy.insert_only => "stays as it is",
            _ if strategy.versions => "ends where a newer version begins",
            Replaces::Everything | Replaces::Partition => "is replaced where it differs",
            _ => "is replaced by a newer version",
        };
        let missing = match strategy.replaces {
            Replaces::Nothing => "kept",
            Replaces::Part => "deleted, in the part that is replaced",
            Replaces::Partition => "deleted, in the staged partitions",
            Replaces::Scope => "deleted or flagged, inside the scope",
            Replaces::Everything => "deleted",
        };
        [format!("`{}`", strategy.name), strategy.summary.to_owned(), there.to_owned(), missing.to_owned()]
    });
    out.push_str(&table(["strategy", "what it does", "a row that is there", "a row that is no longer staged"], rows));
    out.push_str(
        "\nWhich to take:\n\n\
         - Rows that never change once written, such as events: `insert_ignore`.\n\
         - Rows without a key, of which each batch must come in once: `batch_once`.\n\
         - Rows that change, with a column that says which version is newer: `upsert`. Without `strategy` a table with a \
         `unique_key` gets it.\n\
         - The same without a unique index on the key: `merge`.\n\
         - Rows that disappear from the source, which then must hold whole windows or whole groups: `delete_insert`.\n\
         - The same by the value of one column, such as a day, and whatever is newer: `replace_partition`.\n\
         - Rows that disappear from a source which holds the whole table, or a part that a predicate names: `mirror`, which can \
         flag them too.\n\
         - Every version of a row, with the period in which it was valid: `history`.\n\
         - A table that becomes what the source holds, whatever stood in it: `full_refresh`.\n\
         - An effect that adds or subtracts, once for each event: `processed_marker`.\n\
         - The store behind an `Idempotency-Key` header: `idempotency_key`.\n",
    );
    out
}
