//! Names: reserved words without quotes, quotes that make a string, names twice in a list.

use super::Checker;
use crate::dialect::name::Fold;
use crate::sql::expression::unescaped;
use sqlparser::ast::{Ident, ObjectName};
use std::collections::HashSet;

/// Reserved words that are values by themselves, which `sqlparser` reads as columns.
const VALUES: [&str; 23] = [
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "default",
    "false",
    "level",
    "localtime",
    "localtimestamp",
    "null",
    "rowid",
    "rownum",
    "session_user",
    "sysdate",
    "system_user",
    "systimestamp",
    "true",
    "uid",
    "user",
    "utc_timestamp",
];

impl Checker<'_> {
    /// A name in a place where nothing but a name can stand.
    pub(super) fn name(&mut self, name: &Ident) {
        if !self.names_count() {
            return;
        }
        let title = self.dialect.title;
        let range = self.of_name(name);
        match name.quote_style {
            None if self.dialect.reserved.binary_search(&&*name.value.to_lowercase()).is_ok() => {
                self.refuse(range, format!("`{}` is a reserved word in {title}; a name needs quotes", name.value));
            }
            Some('"') if !self.dialect.syntax.double_quote_names => {
                self.refuse(range, format!("{title} reads \"{}\" as a string", name.value));
            }
            _ => {}
        }
    }

    /// A table or a column that may have dots. Most engines take any word behind a dot.
    pub(super) fn object(&mut self, name: &ObjectName) {
        if let Some(first) = name.0.first().and_then(|part| part.as_ident()) {
            self.name(first);
        }
    }

    /// A name inside an expression.
    pub(super) fn name_in_expression(&mut self, name: &Ident) {
        let word = name.value.to_lowercase();
        let range = self.of_name(name);
        if !VALUES.contains(&&*word) && !self.words.contains(&range) {
            self.name(name);
        }
    }

    /// The columns of an INSERT or of an assignment list, each of which may stand once.
    pub(super) fn distinct_columns(&mut self, columns: &[&ObjectName]) {
        let mut seen = HashSet::new();
        for column in columns {
            let Some(last) = column.0.last().and_then(|part| part.as_ident()) else { continue };
            if column.0.len() == 1 && !seen.insert(self.key(last)) {
                self.refuse(self.of_name(last), format!("column `{}` stands twice in the list", last.value));
            }
        }
    }

    /// Two names with equal keys are one column.
    fn key(&self, name: &Ident) -> String {
        let name = match (name.quote_style, self.dialect.fold) {
            (None, Fold::Lower) => name.value.to_lowercase(),
            (None, Fold::Upper) => name.value.to_uppercase(),
            _ => unescaped(name),
        };
        self.dialect.folded(&name)
    }
}
