//! Names of a plan as they stand in SQL.

use super::LINE_END;
use super::column::Column;
use super::dbt::{STAGED, TARGET};
use super::planner::Planner;
use crate::diagnostic::Diagnostic;
use std::ops::Range;

impl Planner<'_> {
    /// The place of the column of that name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The column of that name.
    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.place(name).map(|at| &self.columns[at])
    }

    /// The column that an expression names, as the spec or as SQL writes it.
    pub(super) fn named_column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.sql == name || column.name == name)
    }

    /// The table as people call it.
    pub(super) fn table_name(&self) -> String {
        let parts = [self.table.catalog.as_ref(), self.table.schema.as_ref(), Some(&self.table.name)];
        parts.into_iter().flatten().map(|part| part.value.as_str()).collect::<Vec<_>>().join(".")
    }

    /// The target with its schema, as it stands in SQL.
    pub(super) fn target_path(&self) -> String {
        if self.adapter.is_some() {
            return TARGET.to_string();
        }
        let parts = [self.table.catalog.as_ref(), self.table.schema.as_ref(), Some(&self.table.name)];
        let quoted =
            parts.into_iter().flatten().map(|part| self.dialect.identifier(&part.value, self.table.quote_always));
        quoted.collect::<Vec<_>>().join(".")
    }

    /// A table that the spec names by its path, each part quoted where it must be. A part may itself be quoted with `"`.
    pub(super) fn path_of(&mut self, path: &str, span: &Range<usize>) -> String {
        let parts = name_parts(path);
        for part in &parts {
            if let Some(fault) = self.dialect.name_fault(part) {
                self.faults.push(
                    Diagnostic::error("plan-name", format!("`{}` is not a table's name: {fault}", visible(path)))
                        .at(span.clone(), "")
                        .help("write it like raw.orders; a part with a dot of its own stands in double quotes"),
                );
            }
        }
        if self.adapter.is_some() {
            return STAGED.to_string();
        }
        parts.iter().map(|part| self.dialect.identifier(part, self.table.quote_always)).collect::<Vec<_>>().join(".")
    }

    /// A name that no column of the table has.
    pub(super) fn free_name(&self, wish: &str) -> String {
        let taken = |name: &str| self.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
        let mut name = wish.to_owned();
        while taken(&name) {
            name.push('_');
        }
        name
    }

    /// The user's own text, so marked that laying out the lines around it leaves it as it is.
    pub(super) fn verbatim(text: &str) -> String {
        text.replace('\n', &LINE_END.to_string())
    }
}

/// The text with a visible form of every character that has none.
pub(super) fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// The parts of a table's path, without quotes.
pub(super) fn name_parts(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in path.chars() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            _ => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts
}
