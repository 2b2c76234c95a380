//! The window of a load, and the part of the target that it replaces.

use super::Decision;
use super::column::{Column, ValueFrom};
use super::compare::{equal, equal_values, hashed};
use super::load::{Aliases, Item, Vanished};
use super::planner::Planner;
use super::value;
use super::window::Window;
use crate::dialect::mechanism::{DeleteJoin, Form, Staging, Unstaged};
use crate::spec::{Located, Source};
use crate::strategy::Replaces;

/// What stands behind the name of the temporary table for that of its groups.
const GROUPS: &str = "_group";

impl Planner<'_> {
    /// Filters the batch by the window, and for `delete_insert` finds the rows that are no longer staged.
    pub(super) fn replaced_part(&mut self, form: Form) {
        // What replaces everything reads everything.
        let window = if self.strategy.replaces == Replaces::Everything { None } else { self.window() };
        let Some(mut window) = window else {
            if self.strategy.replaces() {
                self.vanish(form, None);
            }
            return;
        };
        self.decisions.push(Decision::new(
            "window",
            if self.table.window.is_some() {
                "given by the caller".to_owned()
            } else {
                let low = window.low.split_whitespace().collect::<Vec<_>>().join(" ");
                format!("from {}", low.replace("( ", "(").replace(" )", ")"))
            },
            "read once, before anything is written; >= so that rows that share the last value are read again",
        ));
        if window.nullable {
            self.decisions.push(Decision::new(
                "window",
                "and every row whose incremental column is null",
                "such a row is in no window and would never be loaded; write `nullable: false` when there is none",
            ));
        }
        self.bind(&mut window, form);
        let taken = self.taken(&window);
        self.load.batch.filter.extend(taken);
        if let (Some(first), true) = (self.first_window(&window), self.adapter.is_some()) {
            self.first_filter = self.taken(&first);
        }
        if self.strategy.replaces() {
            self.vanish(form, Some(&window));
        }
    }

    /// The window of a run that makes the target: the one that is given, or from the floor; none for everything.
    fn first_window(&self, window: &Window) -> Option<Window> {
        let low = if self.table.window.is_some() {
            window.low.clone()
        } else {
            let (column, initial) = self.incremental_column().zip(self.table.initial_value.as_ref())?;
            self.dialect.literal(&value::literal(&initial.value, &column.ty).ok()?, &column.ty)
        };
        Some(Window { low, end: window.end.clone(), staged: window.staged.clone(), nullable: window.nullable })
    }

    /// Which staged rows are taken: those in the window, or whole groups of which a row is in it.
    fn taken(&mut self, window: &Window) -> Vec<String> {
        if self.by_groups() { self.staged_groups(window) } else { Self::inside_window(window, &window.staged) }
    }

    /// The predicates that hold for a staged row inside the window.
    fn inside_window(window: &Window, staged: &str) -> Vec<String> {
        let mut all = vec![format!("{} >= {}", staged, window.low)];
        all.extend(window.end.iter().map(|end| format!("{staged} < {end}")));
        if !window.nullable {
            return all;
        }
        let inside = match all.as_slice() {
            [one] => one.clone(),
            all => format!("({})", all.join(" AND ")),
        };
        vec![format!("(\n  {}\n  OR {} IS NULL\n)", indented(&inside, 2), staged)]
    }

    /// A staged row is taken when a row of its group is in the window.
    fn staged_groups(&mut self, window: &Window) -> Vec<String> {
        let source = self.load.batch.source.clone();
        let Aliases { s, w, .. } = &self.load.names;
        // The source is named twice; its second name must differ from the first.
        let source = source.strip_suffix(s.as_str()).map(|head| format!("{head}{w}")).unwrap_or_default();
        let mut all = Self::inside_window(window, &realiased(&window.staged, s, w));
        all.extend(self.group_columns().iter().map(|column| equal(self.dialect, column, w, s)));
        let all = indented(&all.join("\n  AND "), 2);
        vec![format!("EXISTS (\n  SELECT 1\n  FROM {}\n  WHERE {all}\n)", indented(&source, 2))]
    }

    /// Reads the bound into a variable first, where the statement itself cannot.
    fn bind(&mut self, window: &mut Window, form: Form) {
        if self.table.window.is_some() || self.adapter.is_some() {
            return;
        }
        let Some(column) = self.incremental_column() else { return };
        if self.dialect.bound_in_variable {
            let ty = (self.dialect.type_name)(&column.ty);
            self.load.frame.open.push(format!("DECLARE idemsql_low {ty} DEFAULT {}", window.low));
            "idemsql_low".clone_into(&mut window.low);
        } else if self.strategy.replaces() && self.reads_batch_once(form) {
            self.bound = Some(format!("SET @idemsql_low = {}", window.low));
            "@idemsql_low".clone_into(&mut window.low);
        }
    }

    /// True when a statement may name the temporary table once only.
    fn reads_batch_once(&self, form: Form) -> bool {
        let batch = self.dialect.script.and_then(|script| script.batch);
        form == Form::UpdateInsert && batch.is_some_and(|batch| batch.delete == DeleteJoin::Join)
    }

    /// The target rows of the replaced part that are no longer staged.
    fn vanish(&mut self, form: Form, window: Option<&Window>) {
        let in_merge = form == Form::Merge;
        let once = self.reads_batch_once(form);
        let Aliases { b, o, g, .. } = self.load.names.clone();
        // Rows that are flagged come in among the staged ones.
        let flagged = self.table.missing_rows.as_ref().and_then(|missing| missing.flag.clone());
        let flagged = flagged.filter(|_| self.strategy.replaces == Replaces::Scope);
        let target = if in_merge || flagged.is_some() { o.clone() } else { self.load.me.clone() };
        let staging = self.dialect.script.and_then(|script| script.batch).map(|batch| batch.staging);
        let batch = match (in_merge, staging) {
            (false, Some(staging)) => staging.name().to_owned(),
            _ => self.load.names.batch.clone(),
        };
        let mut bounds = Vec::new();
        let mut same_group = Vec::new();
        let scope = if self.by_groups() {
            let group = self.group_columns();
            let same =
                |a: &str, b: &str| group.iter().map(|column| equal(self.dialect, column, a, b)).collect::<Vec<_>>();
            if once {
                same_group = same(&g, &target);
                self.group_table(&batch, &b, &mut bounds);
                Vec::new()
            } else {
                let same = same(&g, &target).join("\n  AND ");
                vec![format!("EXISTS (\n  SELECT 1\n  FROM {batch} {}{g}\n  WHERE {same}\n)", self.load.as_word)]
            }
        } else if self.strategy.replaces_part() {
            self.window_scope(window, &target, &batch, once, &mut bounds)
        } else {
            self.missing_scope(&target)
        };
        let flag = if flagged.is_some() { String::new() } else { self.free_name("is_vanished") };
        let flag_column = flagged.and_then(|flag| self.column(&flag.value)).map(|column| column.sql.clone());
        let items = self
            .load
            .batch
            .items
            .iter()
            .map(|item| {
                let deletion = Some(&item.name) == self.deletion_flag.as_ref();
                let value = match &flag_column {
                    Some(column) if *column == item.name => self.dialect.bools.0.to_owned(),
                    _ if deletion => "0".to_owned(),
                    _ => format!("{o}.{}", item.name),
                };
                Item { value, name: item.name.clone(), plain: true }
            })
            .collect();
        let keys: Vec<&Column> = self.columns.iter().filter(|column| column.key).collect();
        let (source, staged): (_, Vec<(&Column, String)>) = if self.by_groups() {
            (format!("{batch} {}{b}", self.load.as_word), keys.iter().map(|column| (*column, column.of(&b))).collect())
        } else {
            // In the whole source and not in its window alone: a target row that is newer than its staged version would
            // else be deleted by the next run, whose window no longer reaches back to that version.
            let staged = keys.iter().filter_map(|column| match &column.value {
                ValueFrom::Staged(value) => Some((*column, value.clone())),
                _ => None,
            });
            (self.load.batch.source.clone(), staged.collect())
        };
        let not_in = form == Form::UpdateInsert
            && self
                .dialect
                .script
                .and_then(|script| script.batch)
                .is_some_and(|batch| batch.unstaged == Unstaged::NotIn);
        let absent = match self.not_in(&source, &staged, &target) {
            Some(text) if not_in => text,
            _ => self.not_exists(&source, &staged, &target),
        };
        let groups = if same_group.is_empty() { String::new() } else { format!("{batch}{GROUPS}") };
        if self.strategy.replaces_part() {
            self.decisions.push(Decision::new(
                "replaced part",
                match self.strategy.replaces {
                    Replaces::Partition => "the staged partitions",
                    _ if self.by_groups() => "the staged groups",
                    _ => "the window",
                },
                "rows that are no longer staged are deleted; what did not change is not touched, and nothing staged deletes nothing",
            ));
        }
        if matches!(self.table.source.value, Source::Table(_) | Source::Query(_)) {
            self.decisions.push(Decision::new(
                "source",
                "must be complete",
                "a row of the replaced part that the source does not hold is deleted from the target",
            ));
        }
        self.load.vanished = Some(Vanished { flag, scope, absent, items, same_group, groups, bounds });
    }

    /// The staged groups in a table of their own, where a statement can name the batch once: it looks for the key there.
    fn group_table(&self, batch: &str, b: &str, bounds: &mut Vec<String>) {
        let staging = self.dialect.script.and_then(|script| script.batch).map(|batch| batch.staging);
        let Some(Staging::CreateAs { create, drop, .. }) = staging else { return };
        let group: Vec<String> = self.group_columns().iter().map(|column| column.of(b)).collect();
        let as_ = &self.load.as_word;
        bounds.push(format!("{drop} {batch}{GROUPS}"));
        bounds
            .push(format!("{create} {batch}{GROUPS} AS\nSELECT DISTINCT {}\nFROM {batch} {as_}{b}", group.join(", ")));
    }

    /// The key of a target row is not staged, by a subquery that looks for it.
    fn not_exists(&self, source: &str, staged: &[(&Column, String)], target: &str) -> String {
        let mut same = Vec::new();
        for (column, value) in staged {
            let theirs = column.of(target);
            let pair = (hashed(self.dialect, column, value), hashed(self.dialect, column, &theirs));
            if let (Some(value), Some(theirs)) = pair {
                same.push(format!("{value} = {theirs}"));
            }
            same.push(equal_values(self.dialect, column, value, &theirs));
        }
        format!("NOT EXISTS (\n  SELECT 1\n  FROM {}\n  WHERE {}\n)", indented(source, 2), same.join("\n    AND "))
    }

    /// The same by the list of the staged keys, without nulls: one would make every answer unknown. None for a key in which
    /// null is a value.
    fn not_in(&self, source: &str, staged: &[(&Column, String)], target: &str) -> Option<String> {
        if staged.iter().any(|(column, _)| column.nullable) {
            return None;
        }
        let comparable = |column: &Column, value: &str| (self.dialect.comparable)(value, &column.ty);
        let ours: Vec<String> = staged.iter().map(|(column, value)| comparable(column, value)).collect();
        let theirs: Vec<String> = staged.iter().map(|(column, _)| comparable(column, &column.of(target))).collect();
        let theirs = if theirs.len() == 1 { theirs.concat() } else { format!("({})", theirs.join(", ")) };
        let known: Vec<String> = ours.iter().map(|value| format!("{value} IS NOT NULL")).collect();
        Some(format!(
            "{theirs} NOT IN (\n  SELECT {}\n  FROM {}\n  WHERE {}\n)",
            ours.join(", "),
            indented(source, 2),
            known.join("\n    AND ")
        ))
    }

    /// The window as predicates over the target.
    fn window_scope(
        &self,
        window: Option<&Window>,
        target: &str,
        batch: &str,
        once: bool,
        bounds: &mut Vec<String>,
    ) -> Vec<String> {
        let (Some(window), Some(column)) = (window, self.incremental_column()) else { return Vec::new() };
        let at = column.of(target);
        let (as_, b) = (&self.load.as_word, &self.load.names.b);
        let mut all = vec![format!("{at} >= {}", window.low)];
        let mut greatest = format!("(SELECT MAX({}) FROM {batch} {as_}{b})", column.of(b));
        if once {
            bounds.push(format!("SET @idemsql_high = {greatest}"));
            "@idemsql_high".clone_into(&mut greatest);
        }
        match &window.end {
            None => all.push(format!("{at} <= {greatest}")),
            // An empty batch is more often a failed extract than an empty window.
            Some(end) => all.extend([format!("{at} < {end}"), format!("{greatest} IS NOT NULL")]),
        }
        all
    }

    fn incremental_column(&self) -> Option<&Column> {
        self.column(&self.table.incremental.as_ref()?.column.value)
    }

    /// True when whole groups of a key are replaced.
    pub(super) fn by_groups(&self) -> bool {
        !self.group().is_empty()
    }

    /// The columns of the group that is replaced whole, of which a partition is one; none when a window is.
    pub(super) fn group(&self) -> Vec<&Located<String>> {
        match self.strategy.replaces {
            Replaces::Part => self.table.group_key.iter().collect(),
            Replaces::Partition => self.table.partition.iter().map(|partition| &partition.column).collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn group_columns(&self) -> Vec<&Column> {
        self.group().into_iter().filter_map(|name| self.column(&name.value)).collect()
    }
}

/// An expression over the staged row as one over its second name.
fn realiased(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let begins =
            |head: &str| !head.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '`' | ']'));
        if c == '.' && out.strip_suffix(from).is_some_and(begins) {
            out.truncate(out.len() - from.len());
            out.push_str(to);
        }
        out.push(c);
    }
    out
}

/// The text with every line but the first moved to the right. Line ends of the user's own text are not among them.
pub(super) fn indented(text: &str, by: usize) -> String {
    text.replace('\n', &format!("\n{}", " ".repeat(by)))
}
