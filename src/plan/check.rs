//! Names and keys that cannot be loaded.

use super::column::ValueFrom;
use super::expression;
use super::name::visible;
use super::planner::Planner;
use crate::diagnostic::Diagnostic;
use crate::spec::{self, Source, Update};
use crate::sql::expression::tables_read;
use crate::strategy::Replaces;
use std::collections::HashMap;

impl Planner<'_> {
    pub(super) fn check_names(&mut self) {
        let table = self.table;
        let named = [table.catalog.as_ref(), table.schema.as_ref(), Some(&table.name)];
        let names = named.into_iter().flatten().chain(table.columns.iter().map(|column| &column.name));
        for name in names {
            if let Some(fault) = self.dialect.name_fault(&name.value) {
                self.faults.push(
                    Diagnostic::error("plan-name", format!("`{}` cannot be a name: {fault}", visible(&name.value)))
                        .at(name.span.clone(), "")
                        .help("rename it, or give this dialect a table of its own"),
                );
            }
        }
        if let (Some((schema, name)), false) = (table.name.value.rsplit_once('.'), table.quote_always) {
            self.faults.push(
                Diagnostic::error(
                    "plan-name",
                    format!("`{}` would be one name with a dot in it", visible(&table.name.value)),
                )
                .at(table.name.span.clone(), "")
                .help(format!(
                    "write `schema: {schema}` and `name: {name}`; with `quote: always` the dot stays in the name"
                )),
            );
        }
        self.check_source();
        let mut seen: HashMap<String, &spec::Column> = HashMap::new();
        for column in &table.columns {
            if let Some(twin) = seen.insert(self.dialect.folded(&column.name.value), column) {
                self.faults.push(
                    Diagnostic::error(
                        "plan-name",
                        format!(
                            "`{}` and `{}` are one column for {}",
                            twin.name.value, column.name.value, self.dialect.title
                        ),
                    )
                    .at(column.name.span.clone(), "differs in case only")
                    .at(twin.name.span.clone(), "from this one")
                    .help("rename one of them"),
                );
            }
        }
    }

    /// A load that reads its own target changes what the next run reads.
    fn check_source(&mut self) {
        let target = self.table_name().to_lowercase();
        let plain = |path: &str| path.replace(['"', '`', '[', ']'], "").to_lowercase();
        let reads = match &self.table.source.value {
            Source::Table(path) => vec![plain(path)],
            Source::Query(text) => {
                let tables = tables_read(expression::query_text(text), self.dialect).unwrap_or_default();
                tables.iter().map(|path| plain(path)).collect()
            }
            Source::Rows { .. } | Source::Parameters => Vec::new(),
        };
        if reads.contains(&target) {
            self.faults.push(
                Diagnostic::error(
                    "plan-source",
                    format!("the source reads `{target}`, the table that it is loaded into"),
                )
                .at(self.table.source.span.clone(), "every run would read what the last one wrote")
                .help("stage the rows in another table; the window of the target is `incremental_column`"),
            );
        }
    }

    /// Literal rows and parameters hold the declared columns and nothing else, so no expression can read more of them.
    pub(super) fn check_named(&mut self) {
        if !self.has_rows() {
            return;
        }
        let held: Vec<String> = self
            .columns
            .iter()
            .filter(|column| column.is_staged())
            .map(|column| self.dialect.folded(&column.name))
            .collect();
        let mut named: Vec<String> = self.named_in_expressions().into_iter().map(|(name, _)| name).collect();
        named.sort();
        named.dedup();
        for name in named.iter().filter(|name| !held.contains(&self.dialect.folded(name))) {
            self.faults.push(
                Diagnostic::error("plan-source", format!("the source holds no column `{}`", visible(name)))
                    .at(
                        self.table.source.span.clone(),
                        "literal rows and parameters hold the columns of the table only",
                    )
                    .help(format!(
                        "declare `{}` under `columns`, or stage the rows in a table that has it",
                        visible(name)
                    )),
            );
        }
    }

    pub(super) fn check_keys(&mut self) {
        if self.table.unique_key.is_empty() && !self.strategy.appends() {
            let help = if self.strategy.replaces() {
                "list the columns that tell one row of the part from another, all of them if need be"
            } else {
                "name the columns that tell one row from another: `unique_key: [..]`"
            };
            self.faults.push(
                Diagnostic::error("plan-key", format!("the strategy `{}` needs a unique key", self.strategy.name))
                    .at(self.table.name.span.clone(), "this table has none")
                    .help(help),
            );
        }
        for column in &self.columns {
            let fault = |text: &str| {
                Diagnostic::error("plan-key", format!("{text} `{}`", column.name)).at(column.span.clone(), "")
            };
            if column.key && column.value == ValueFrom::Engine {
                self.faults.push(
                    fault("the engine computes the key column")
                        .help("a staged row must hold its key: name other columns in `unique_key`"),
                );
            }
            if column.version && !column.is_staged() {
                self.faults.push(
                    fault("the staged rows do not hold the version column").help("order versions by a staged column"),
                );
            }
            if column.version && column.update != Update::Always {
                self.faults.push(
                    fault("`update` does not fit the version column")
                        .help("leave `update` out: the version always moves with the row"),
                );
            }
        }
        if self.strategy.replaces == Replaces::Part
            && self.table.group_key.is_empty()
            && self.table.incremental.is_none()
        {
            self.faults.push(
                Diagnostic::error("plan-window", "`delete_insert` must know which part of the target it replaces")
                    .at(self.table.name.span.clone(), "no part is named")
                    .help("write `incremental_column: ..` to replace a window, or `group_key: [..]` to replace whole groups"),
            );
        }
        if self.strategy.insert_only && self.table.deletes.as_ref().is_some_and(|deletes| deletes.flag.is_none()) {
            self.faults.push(
                Diagnostic::error("plan-deletes", "`insert_ignore` never changes a row, so it cannot delete one")
                    .at(self.table.deletes.as_ref().map_or(0..0, |deletes| deletes.when.span.clone()), "")
                    .help("write `strategy: upsert`"),
            );
        }
    }
}
