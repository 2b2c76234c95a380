//! A history: every version of a key as a row of its own, with the period from its version up to the next one.

use super::Decision;
use super::column::{Column, ValueFrom};
use super::compare::{equal_values, hashed};
use super::load::{Aliases, History, Item};
use super::planner::Planner;
use super::replace::indented;
use crate::diagnostic::Diagnostic;
use crate::dialect::mechanism::Parameter;
use crate::dialect::types::Type;
use crate::spec::{Bound, Located, Source, Update, VALID_FROM};
use std::ops::Range;

/// What the columns of the period are called where the spec does not say.
const NAMES: [&str; 3] = [VALID_FROM, "valid_to", "is_current"];

/// Instead of a name, where there is to be no such column.
const NONE: &str = "none";

/// What the columns of the period are called.
struct Names {
    from: Located<String>,
    to: Located<String>,
    current: Option<Located<String>>,
}

/// A choice between two values, one case a line.
fn case(when: &str, then: &str, otherwise: &str) -> String {
    format!("CASE\n  WHEN {when} THEN {then}\n  ELSE {otherwise}\nEND")
}

/// A fault of a history.
fn fault(text: impl Into<String>, span: &Range<usize>, help: &str) -> Diagnostic {
    Diagnostic::error("plan-history", text).at(span.clone(), "").help(help)
}

impl Planner<'_> {
    /// Adds the columns of the period behind the declared ones.
    pub(super) fn period_columns(&mut self) {
        let Some(version) = self.version.first().map(|at| self.columns[*at].clone()) else { return };
        let names = self.period_names();
        let u = &self.load.names.u;
        let in_order = |column: &Column| column.comparable(self.dialect, u);
        let keys: Vec<String> = self.columns.iter().filter(|column| column.key).map(in_order).collect();
        let over = format!("PARTITION BY {} ORDER BY {}", keys.join(", "), in_order(&version));
        let next = format!("LEAD({}) OVER ({over})", version.of(u));
        let (yes, no) = self.dialect.bools;
        let flag = self.table.deletes.as_ref().and_then(|deletes| deletes.flag.as_ref());
        let current = match flag.and_then(|flag| self.column(&flag.value)) {
            Some(flag) => case(&format!("{next} IS NOT NULL OR {} = {yes}", flag.of(u)), no, yes),
            None => case(&format!("{next} IS NOT NULL"), no, yes),
        };
        let from = version.of(u);
        let mut push = |name: Located<String>, ty: &Type, value: String, key: bool, nullable: bool| {
            self.columns.push(Column {
                sql: self.dialect.identifier(&name.value, self.table.quote_always),
                name: name.value,
                ty: ty.clone(),
                nullable,
                key,
                version: false,
                value: ValueFrom::Period(value),
                plain: false,
                update: Update::Always,
                compared: true,
                span: name.span,
            });
        };
        push(names.from, &version.ty, from, true, false);
        push(names.to, &version.ty, next, false, true);
        if let Some(name) = names.current {
            push(name, &Type::Bool, current, false, false);
        }
    }

    fn period_names(&self) -> Names {
        let given = self.table.history.as_ref();
        let span = given.map_or_else(|| self.table.asked_at(), |history| history.span.clone());
        let name = |written: Option<&Located<String>>, usual: &str| {
            written.cloned().unwrap_or_else(|| Located { value: usual.to_owned(), span: span.clone() })
        };
        let current = name(given.and_then(|history| history.is_current.as_ref()), NAMES[2]);
        Names {
            from: name(given.and_then(|history| history.valid_from.as_ref()), NAMES[0]),
            to: name(given.and_then(|history| history.valid_to.as_ref()), NAMES[1]),
            current: Some(current).filter(|name| name.value != NONE),
        }
    }

    /// What does not fit a history, or no history.
    pub(super) fn check_history(&mut self) {
        let (table, asked, name) = (self.table, self.table.asked_at(), self.strategy.name);
        let is_history = table.is_history();
        if !self.strategy.versions {
            if let Some(history) = &table.history {
                let text =
                    format!("`history` says what `strategy: history` calls its columns, and the strategy is `{name}`");
                let help = "write `strategy: history`, or leave `history` out";
                self.faults.push(fault(text, &history.span, help));
            } else if is_history {
                let text = format!("the table of a history has columns that `{name}` does not write");
                self.faults.push(fault(text, &asked, "load it by `history`, the strategy of the spec"));
            }
            return;
        }
        if !is_history {
            let text = "the table of the spec is no history: it has no columns for the periods";
            self.faults.push(fault(text, &asked, "write `strategy: history` into the spec"));
        }
        self.check_version();
        self.check_periods();
        if let Some(deletes) = table.deletes.as_ref().filter(|deletes| deletes.flag.is_none()) {
            let text = "a deletion that leaves no row closes nothing when a version comes late";
            let help =
                "write `deletes: {when: .., flag: is_deleted}` with a bool column: the deletion is a version, too";
            self.faults.push(fault(text, &deletes.when.span, help));
        }
        if table.keep_on_tie {
            let text = "`on_tie: keep` would make the history depend on which of two equal versions came first";
            self.faults.push(fault(text, &asked, "leave `on_tie` out"));
        }
        for column in &table.columns {
            if let Some(update) = &column.update
                && !matches!(update.value, Update::Always | Update::Never)
            {
                let text =
                    format!("`update` of `{}` looks at an older version, which keeps its own row", column.name.value);
                self.faults.push(fault(text, &update.span, "leave `update` out"));
            }
        }
        if let Some(filter) = &table.target_filter {
            let text = "`target_filter` would hide versions between which a late one has its place";
            self.faults.push(fault(text, &filter.span, "leave `target_filter` out"));
        }
        if matches!(table.source.value, Source::Parameters) {
            let text = "a history names its staged rows more than once, and bind parameters have one place";
            self.faults.push(fault(text, &table.source.span, "stage the rows in a table: `source: {table: ..}`"));
        }
        let bounds = table.window.iter().flat_map(|window| std::iter::once(&window.start).chain(&window.end));
        let by_place = self.dialect.parameter == Parameter::Question;
        for bound in bounds.filter(|bound| by_place && matches!(bound.value, Bound::Parameter(_))) {
            let text = "a history names its window more than once, and a bind parameter of this dialect has one place";
            self.faults.push(fault(text, &bound.span, "give the bound as a value or as a variable of the scheduler"));
        }
    }

    /// The version of a history is one column that is never null, of a type that has an order everywhere.
    fn check_version(&mut self) {
        let table = self.table;
        let in_key = table.version.iter().find(|name| self.column(&name.value).is_some_and(|column| column.key));
        let found = match (in_key, self.version.as_slice()) {
            (Some(name), _) => Some(fault(
                format!("the version `{}` is a part of the unique key, so that no key has two versions", name.value),
                &name.span,
                "leave it out of `unique_key`: the load adds the beginning of each period to the key",
            )),
            (None, []) => Some(fault(
                "a history must know when a version begins",
                &self.table.asked_at(),
                "name the column of the source's own time: `version: [updated_at]`",
            )),
            (None, [index]) => {
                let column = &self.columns[*index];
                let ordered = matches!(column.ty, Type::Date | Type::Timestamp | Type::Timestamptz);
                if !ordered && !column.ty.is_integer() {
                    Some(fault(
                        format!("no period begins at `{}`: not every engine orders its values alike", column.name),
                        &column.span,
                        "take a version of type date, timestamp, timestamptz, smallint, int or bigint",
                    ))
                } else if column.nullable {
                    Some(fault(
                        format!("the version `{}` may be null, and a period begins somewhere", column.name),
                        &column.span,
                        "write `nullable: false` at this column",
                    ))
                } else {
                    None
                }
            }
            (None, [_, ..]) => Some(fault(
                "a period has one beginning, and the version is more than one column",
                &table.version.get(1).map_or_else(|| self.table.asked_at(), |name| name.span.clone()),
                "order the versions by one column: `version: [updated_at]`",
            )),
        };
        self.faults.extend(found);
    }

    /// The columns of the period have names of their own.
    fn check_periods(&mut self) {
        let names = self.period_names();
        let mut taken: Vec<String> =
            self.table.columns.iter().map(|column| self.dialect.folded(&column.name.value)).collect();
        for name in [Some(names.from), Some(names.to), names.current].into_iter().flatten() {
            let folded = self.dialect.folded(&name.value);
            if let Some(because) = self.dialect.name_fault(&name.value) {
                let text = format!("`{}` cannot be a name: {because}", super::name::visible(&name.value));
                self.faults.push(fault(text, &name.span, "give the column another name under `history`"));
            } else if taken.contains(&folded) {
                let text = format!("the load adds the column `{}`, and there is one of that name", name.value);
                let help =
                    "leave it out of `columns`, or give the load's column another name: `history: {valid_from: ..}`";
                self.faults.push(fault(text, &name.span, help));
            }
            taken.push(folded);
        }
    }

    /// Puts the target's versions of the staged keys beside the staged ones.
    pub(super) fn history(&mut self) {
        if !self.strategy.versions {
            return;
        }
        let Aliases { o, u, .. } = self.load.names.clone();
        let Some(version) = self.version.first().map(|at| self.columns[*at].clone()) else { return };
        let Some(from) = self.columns.iter().find(|column| column.key && column.is_period()).cloned() else { return };
        let staged = &self.load.batch.items;
        let items = staged
            .iter()
            .map(|item| Item { value: format!("{u}.{}", item.name), name: item.name.clone(), plain: true })
            .chain(self.columns.iter().filter_map(|column| match &column.value {
                ValueFrom::Period(value) => Some(Item { value: value.clone(), name: column.sql.clone(), plain: false }),
                _ => None,
            }))
            .collect();
        let stored = staged
            .iter()
            .map(|item| if item.name == version.sql { from.of(&o) } else { format!("{o}.{}", item.name) })
            .collect();
        let same = |column: &Column, theirs: &str| -> Vec<String> {
            let ValueFrom::Staged(value) = &column.value else { return Vec::new() };
            let pair = hashed(self.dialect, column, value).zip(hashed(self.dialect, column, theirs));
            let hashed = pair.map(|(value, theirs)| format!("{value} = {theirs}"));
            hashed.into_iter().chain([equal_values(self.dialect, column, value, theirs)]).collect()
        };
        let keys = self.columns.iter().filter(|column| column.key && column.is_staged());
        let same_key: Vec<String> = keys.flat_map(|column| same(column, &column.of(&o))).collect();
        let same_version: Vec<String> = same_key
            .iter()
            .cloned()
            .chain(same(&version, &from.of(&o)))
            .chain(self.load.batch.filter.iter().cloned())
            .collect();
        let exists = |all: &[String]| {
            let source = indented(&self.load.batch.source, 2);
            let all: Vec<String> = all.iter().map(|one| indented(one, 4)).collect();
            format!("EXISTS (\n  SELECT 1\n  FROM {source}\n  WHERE {}\n)", all.join("\n    AND "))
        };
        let beside = vec![exists(&same_key), format!("NOT {}", exists(&same_version))];
        self.load.history = Some(History { items, stored, beside });
        let names = self.period_names();
        self.decisions.push(Decision::new(
            "periods",
            format!("from `{}` up to and without `{}`", names.from.value, names.to.value),
            format!(
                "a version begins at its own `{}` and ends at the next one of its key, so that no clock and no order of batches \
                 decides; the target's versions of the staged keys are read to find the next one",
                version.name
            ),
        ));
    }
}
