//! Target rows that the source no longer holds: where `mirror` and `full_refresh` let them vanish, and how.

use super::column::Column;
use super::planner::Planner;
use super::{Decision, expression};
use crate::diagnostic::Diagnostic;
use crate::spec::{Located, MissingRows, Source};
use crate::strategy::{Replaces, Strategy};
use std::ops::Range;

/// Where rows vanish, for whoever judges the load.
#[derive(Clone, Debug)]
pub struct Missing {
    /// The scope as a predicate over the target as `o`; none for the whole table.
    pub scope: Option<String>,
    /// The column that is set instead of deleting the row: a place in the columns.
    pub flag: Option<usize>,
    /// An empty source makes every row of the scope vanish.
    pub allow_empty: bool,
}

/// What does not fit between a strategy and `missing_rows`. `asked` is where the spec asks for the strategy.
pub(super) fn fault(strategy: &Strategy, missing: Option<&MissingRows>, asked: Range<usize>) -> Option<Diagnostic> {
    let error = |text: &str, span: Range<usize>| Diagnostic::error("plan-missing", text.to_owned()).at(span, "");
    match (strategy.replaces, missing) {
        (Replaces::Scope, None) => Some(
            error("`mirror` must know what becomes of rows that the source no longer holds", asked)
                .help("write `missing_rows: {action: delete}`, or `missing_rows: {flag: is_gone}` with a bool column"),
        ),
        (Replaces::Scope, Some(missing)) if !missing.delete && missing.flag.is_none() => Some(
            error("`missing_rows` does not say what becomes of the rows", missing.span.clone())
                .help("add `action: delete` to remove the row, or `flag: is_gone` to mark it in that column"),
        ),
        (Replaces::Everything, Some(missing)) if missing.scope.is_some() || missing.flag.is_some() => Some(
            error("`full_refresh` deletes what the source does not hold, in the whole table", missing.span.clone())
                .help("write `strategy: mirror` for a scope or a flag"),
        ),
        _ => None,
    }
}

impl Planner<'_> {
    /// What of the load does not fit `missing_rows`.
    pub(super) fn check_missing(&mut self) {
        let table = self.table;
        let asked = table.asked_at();
        self.faults.extend(fault(self.strategy, table.missing_rows.as_ref(), asked.clone()));
        let fault = |text: String, span: Range<usize>| Diagnostic::error("plan-missing", text).at(span, "");
        if self.strategy.mirrors() && matches!(table.source.value, Source::Parameters) {
            let text = format!("with `{}` one row of bind parameters would be the whole source", self.strategy.name);
            self.faults.push(
                fault(text, table.source.span.clone())
                    .help("stage the rows in a table, or write `strategy: upsert` for one row at a time"),
            );
        }
        let Some(missing) = table.missing_rows.as_ref().filter(|_| self.strategy.replaces == Replaces::Scope) else {
            return;
        };
        if let (Some(incremental), None) = (&table.incremental, &missing.scope) {
            self.faults.push(
                fault(
                    "`mirror` of an incremental source must say what the source still holds".to_owned(),
                    incremental.column.span.clone(),
                )
                .help("write `missing_rows: {scope: ..}`, or leave `incremental_column` out when the source is whole"),
            );
        }
        if let (Some(flag), true) = (&missing.flag, table.keep_on_tie) {
            self.faults.push(
                fault("with `on_tie: keep` the flag of a missing row would never be set".to_owned(), flag.span.clone())
                    .help("leave `on_tie` out, or write `action: delete`"),
            );
        }
    }

    /// True for the column that is set where a row is missing, and so is the same for every staged row.
    pub(super) fn is_missing_flag(&self, column: &Column) -> bool {
        let named = |flag: Option<&Located<String>>| flag.is_some_and(|flag| flag.value == column.name);
        named(self.table.missing_rows.as_ref().and_then(|missing| missing.flag.as_ref()))
            && !named(self.table.deletes.as_ref().and_then(|deletes| deletes.flag.as_ref()))
    }

    /// The replaced part as predicates over the target as it is called there, and what a judge needs of it.
    pub(super) fn missing_scope(&mut self, target: &str) -> Vec<String> {
        let missing = self.table.missing_rows.as_ref().filter(|_| self.strategy.replaces == Replaces::Scope);
        let allow_empty = self.table.missing_rows.as_ref().is_some_and(|missing| missing.allow_empty);
        let mut all = Vec::new();
        let mut scope = None;
        if let Some(written) = missing.and_then(|missing| missing.scope.as_ref()) {
            let read = |relation: &str| {
                expression::qualified_by(written, "`missing_rows.scope`", self.dialect, |name| {
                    self.named_column(name).map(|column| column.of(relation)).ok_or_else(|| {
                        let text = format!("`missing_rows.scope` names `{name}`, which is not a column of the table");
                        Diagnostic::error("plan-missing", text)
                            .at(written.span.clone(), "")
                            .help("the scope is a predicate over the target's own columns")
                    })
                })
            };
            match (read(target), read(&self.load.names.o)) {
                (Ok(there), Ok(probed)) => {
                    all.push(format!("({})", Self::verbatim(&there)));
                    scope = Some(Self::verbatim(&probed));
                }
                (Err(fault), _) | (_, Err(fault)) => self.faults.push(fault),
            }
        }
        let literal = matches!(self.table.source.value, Source::Rows { .. });
        if !allow_empty && !literal {
            let source = self.load.batch.source.replace('\n', "\n  ");
            all.push(format!("EXISTS (\n  SELECT 1\n  FROM {source}\n)"));
        }
        let flag = missing.and_then(|missing| missing.flag.as_ref()).and_then(|flag| self.place(&flag.value));
        self.missing = Some(Missing { scope, flag, allow_empty });
        self.decisions.push(Decision::new(
            "missing rows",
            match (flag, &self.missing.as_ref().and_then(|missing| missing.scope.clone())) {
                (Some(flag), Some(_)) => format!("flagged in `{}`, inside the scope", self.columns[flag].name),
                (Some(flag), None) => format!("flagged in `{}`", self.columns[flag].name),
                (None, Some(_)) => "deleted, inside the scope".to_owned(),
                (None, None) => "deleted".to_owned(),
            },
            if allow_empty || literal {
                "a row is missing when the whole source does not hold its key"
            } else {
                "a row is missing when the whole source does not hold its key; an empty source is taken for a failed extract \
                 and changes nothing"
            },
        ));
        all
    }
}
