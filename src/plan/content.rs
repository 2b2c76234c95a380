//! What a load says of its columns: the keys, the guard, the assignments, the literal rows.

use super::Decision;
use super::column::{self, Column, ValueFrom};
use super::compare::Compare;
use super::expression;
use super::load::{Aliases, Assignment, Deletion};
use super::planner::Planner;
use crate::diagnostic::Diagnostic;
use crate::dialect::mechanism::Form;
use crate::dialect::types::Literal;
use crate::spec::{Source, Update};
use std::cell::RefCell;

impl Planner<'_> {
    /// The keys, the guard and the assignments.
    pub(super) fn compare(&mut self, form: Form, insert_only: bool) {
        let me = self.load.me.clone();
        let Aliases { b, o, .. } = &self.load.names.clone();
        // A row that is there is replaced whichever of the two is newer.
        let whole = self.strategy.takes_any_version();
        // A version has a row of its own, so two versions never meet.
        let ordered = !whole && !self.strategy.versions;
        let compare = Compare {
            dialect: self.dialect,
            key: self.columns.iter().filter(|column| column.key).collect(),
            version: if ordered { self.version.iter().map(|at| &self.columns[*at]).collect() } else { Vec::new() },
            compared: self
                .columns
                .iter()
                .filter(|column| column.is_compared() && !(column.version && self.strategy.versions))
                .collect(),
            keep_on_tie: self.table.keep_on_tie && ordered,
        };
        let proposed = match form {
            Form::OnConflict => "EXCLUDED",
            Form::OnDuplicateKey if self.dialect.values_function => column::VALUES,
            _ => b.as_str(),
        };
        let written: Vec<&Column> = self.columns.iter().filter(|column| column.is_written()).collect();
        let mut load = std::mem::take(&mut self.load);
        load.columns = written.iter().map(|column| column.sql.clone()).collect();
        load.inserts = written
            .iter()
            .map(|column| match &column.value {
                ValueFrom::Load(value) => self.computed(column, value, b),
                _ => column.of(b),
            })
            .collect();
        load.key = compare.key.iter().map(|column| column.sql.clone()).collect();
        load.probe.clone_from(&load.key);
        load.key_order = compare.key_order(b);
        load.same_key_probe = compare.same_key(o, b);
        load.same_key = compare.same_key(&me, b);
        load.missing = match compare.key.iter().find(|column| !column.nullable) {
            Some(column) => format!("{} IS NULL", column.of(o)),
            None => String::new(),
        };
        if form == Form::AppendVersion {
            load.missing = format!("COALESCE({o}.{}, 0) = 0", load.hit);
            load.inserts = written.iter().map(|column| self.appended(column, &load.names, &load.hit)).collect();
        }
        if !insert_only {
            load.change_probe = compare.change(o, b);
            load.change = compare.change(&me, proposed);
            load.updates = match form {
                Form::OnDuplicateKey => duplicate_key_updates(&compare, &self.columns, &me, proposed),
                _ => written
                    .iter()
                    .filter(|column| column.is_updated())
                    .map(|column| Assignment {
                        column: column.sql.clone(),
                        value: match &column.value {
                            // The proposed row holds the value already.
                            ValueFrom::Load(value) if form != Form::OnConflict => self.computed(column, value, b),
                            _ => column.replaced(&me, proposed),
                        },
                    })
                    .collect(),
            };
        }
        if let Some(flag) = &self.deletion_flag {
            load.deletion = Some(Deletion {
                flag: flag.clone(),
                not_older: compare.not_older(&me, b, false).into_iter().collect(),
            });
        }
        self.load = load;
    }

    /// A pruning predicate on the target holds for the staged rows too, or a key outside it would be inserted again.
    pub(super) fn filter_target(&mut self) {
        let Some(filter) = &self.table.target_filter else { return };
        let find = |name: &str| {
            let fault = |text: String| Diagnostic::error("plan-filter", text).at(filter.span.clone(), "");
            match self.named_column(name) {
                None => Err(fault(format!("`target_filter` names `{name}`, which is not a column of the table"))
                    .help("filter by a key column or by a column with `update: never`")),
                Some(column) if column.key || column.update == Update::Never => Ok(column),
                Some(column) => Err(fault(format!(
                    "`target_filter` names `{}`, which can change: a row that moved out of the filter would be inserted a second time",
                    column.name
                ))
                .help("filter by a key column or by a column with `update: never`")),
            }
        };
        let read = |of: &dyn Fn(&Column) -> String| {
            expression::qualified_by(filter, "`target_filter`", self.dialect, |name| find(name).map(of))
        };
        let me = self.load.me.clone();
        let staged = |column: &Column| match &column.value {
            ValueFrom::Staged(value) => value.clone(),
            ValueFrom::Load(value) => value.clone(),
            ValueFrom::Period(_) | ValueFrom::Engine => column.of(&self.load.names.s),
        };
        let probed = RefCell::new(Vec::new());
        let probe = |column: &Column| {
            probed.borrow_mut().push(column.sql.clone());
            column.of(&self.load.names.o)
        };
        let all = (read(&|column| column.of(&me)), read(&probe), read(&staged));
        match all {
            (Ok(written), Ok(probe), Ok(staged)) => {
                self.load.same_key.push(format!("({})", Self::verbatim(&written)));
                self.load.same_key_probe.push(format!("({})", Self::verbatim(&probe)));
                for column in probed.take() {
                    if !self.load.probe.contains(&column) {
                        self.load.probe.push(column);
                    }
                }
                let staged = Self::verbatim(&staged);
                self.load.batch.filter.push(format!("({staged})"));
                self.first_filter.push(format!("({staged})"));
                self.staged_filter = Some(staged);
                self.decisions.push(Decision::new(
                    "target filter",
                    filter.value.clone(),
                    "applied to the target and to the staged rows, on columns that never change for a key",
                ));
            }
            (Err(fault), ..) | (_, Err(fault), _) | (.., Err(fault)) => self.faults.push(fault),
        }
    }

    /// The value of a column in a row that is appended as a new version.
    fn appended(&self, column: &Column, names: &Aliases, hit: &str) -> String {
        let Aliases { b, o, .. } = names;
        match &column.value {
            ValueFrom::Load(value) if column.update == Update::Never => {
                format!("CASE WHEN {o}.{hit} = 1 THEN {} ELSE {} END", column.of(o), self.computed(column, value, b))
            }
            ValueFrom::Load(value) => self.computed(column, value, b),
            _ if column.key || column.update == Update::Always => column.of(b),
            _ => format!("CASE WHEN {o}.{hit} = 1 THEN {} ELSE {} END", column.replaced(o, b), column.of(b)),
        }
    }

    /// Literal rows or parameters as the rows of VALUES.
    pub(super) fn short_rows(&self) -> Vec<Vec<String>> {
        let one = |row: &Vec<(usize, Literal)>| {
            let mut number = 0;
            self.columns
                .iter()
                .enumerate()
                .filter(|(_, column)| column.is_written())
                .map(|(at, column)| match &column.value {
                    ValueFrom::Load(value) => value.clone(),
                    _ => {
                        if let Some((_, literal)) = row.iter().find(|(index, _)| *index == at) {
                            Self::verbatim(&self.dialect.literal(literal, &column.ty))
                        } else {
                            number += 1;
                            self.dialect.parameter(number, &column.name, &column.ty)
                        }
                    }
                })
                .collect()
        };
        match &self.table.source.value {
            Source::Rows { .. } => self.literals.iter().map(one).collect(),
            _ => vec![one(&Vec::new())],
        }
    }
}

/// The assignments of ON DUPLICATE KEY UPDATE, which has no WHERE and in which a later one sees what an earlier one
/// assigned: first the columns of the load, by the whole guard, then the content, then the version, most significant last.
fn duplicate_key_updates(compare: &Compare<'_>, columns: &[Column], me: &str, new: &str) -> Vec<Assignment> {
    let change = compare.change(me, new).join(" AND ");
    let not_older = compare.not_older(me, new, compare.keep_on_tie);
    let guarded = |column: &Column, guard: &str, value: &str| Assignment {
        column: column.sql.clone(),
        value: format!("IF({guard}, {value}, {})", column.of(me)),
    };
    let updated = || columns.iter().filter(|column| column.is_updated());
    let loads = updated().filter_map(|column| match &column.value {
        ValueFrom::Load(value) => Some(guarded(column, &change, value)),
        _ => None,
    });
    let staged = |column: &Column| {
        let value = column.replaced(me, new);
        match &not_older {
            Some(guard) => guarded(column, guard, &value),
            None => Assignment { column: column.sql.clone(), value },
        }
    };
    let is_ordered = |column: &Column| compare.version.iter().any(|version| version.name == column.name);
    let content =
        updated().filter(|column| !matches!(column.value, ValueFrom::Load(_)) && !is_ordered(column)).map(staged);
    let versions = compare.version.iter().rev().map(|column| staged(column));
    loads.chain(content).chain(versions).collect()
}
