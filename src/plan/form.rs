//! Which form a load takes: the strategy's own where it holds what the spec asks, the nearest that can otherwise.

use super::Decision;
use super::column::Column;
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::mechanism::{Form, IndexNulls, Support};
use crate::strategy::Strategy;
use std::ops::Range;

/// What the choice depends on.
pub(super) struct Question<'a> {
    pub strategy: &'static Strategy,
    pub dialect: &'static Dialect,
    pub columns: &'a [Column],
    /// Staged rows may delete their target row.
    pub deletes: bool,
    /// Where the spec asks for the strategy.
    pub span: Range<usize>,
}

impl Question<'_> {
    /// True when a row that is there is never changed, deleted or replaced.
    pub fn insert_only(&self) -> bool {
        self.strategy.insert_only
            || (!self.deletes && !self.strategy.replaces() && !self.columns.iter().any(Column::is_compared))
    }

    /// The form and the reasons for it.
    ///
    /// # Errors
    /// When the dialect has no form that can hold it.
    pub fn choose(&self, decisions: &mut Vec<Decision>) -> Result<Form, Diagnostic> {
        let dialect = self.dialect;
        let asked = self.supported((self.strategy.form)(dialect), &format!("the strategy `{}`", self.strategy.name))?;
        let keys = || self.columns.iter().filter(|column| column.key);
        let nullable: Vec<&str> = keys().filter(|column| column.nullable).map(|column| column.name.as_str()).collect();
        let needs_index = matches!(asked, Form::OnConflict | Form::OnDuplicateKey);
        let index_misses_nulls = match dialect.index_nulls {
            IndexNulls::Distinct => !nullable.is_empty(),
            // A LEFT JOIN needs one key column that is never null to tell a miss.
            _ => keys().all(|column| column.nullable),
        };
        let mut form = asked;
        let mut why = "the best form that this engine has for the strategy".to_owned();
        if needs_index && index_misses_nulls {
            form = self
                .without_index("a key in which null is a value", "write `nullable: false` at the columns of the key")?;
            why = format!(
                "the key column `{}` may be null, and a unique index lets such a row in again on every run; this form compares \
                 the keys itself",
                nullable.first().copied().unwrap_or_default()
            );
        } else if self.deletes
            && matches!(asked, Form::OnConflict | Form::OnDuplicateKey | Form::StagedMerge | Form::AppendVersion)
        {
            form = self.without_index(
                "deleting rows",
                "flag them instead: `deletes: {when: .., flag: is_deleted}` with a bool column",
            )?;
            "an upsert clause cannot delete".clone_into(&mut why);
        } else if asked == Form::Merge && self.deletes && self.strategy.replaces() && takes_two_branches(dialect) {
            form = self.supported(dialect.upsert, "deleting rows in a part that is replaced")?;
            "a MERGE of this engine has one branch to delete and one to update, and this load deletes for two reasons"
                .clone_into(&mut why);
        } else if asked == Form::StagedMerge && !nullable.is_empty() {
            form = self
                .without_index("a key in which null is a value", "write `nullable: false` at the columns of the key")?;
            "a MERGE of this engine compares its keys by plain equality".clone_into(&mut why);
        }
        if self.insert_only() {
            form = match form {
                Form::UpdateInsert | Form::StagedMerge => Form::AntiJoin,
                Form::AppendVersion => self.supported(dialect.insert_ignore, "inserting new keys only")?,
                other => other,
            };
            if !self.strategy.insert_only {
                decisions.push(Decision::new(
                    "update",
                    "never",
                    "no column outside the key is compared, so a row that is there has nothing to change",
                ));
            }
        }
        decisions.push(Decision::new("form", form_name(form), why));
        Ok(form)
    }

    /// The form that holds what no upsert clause does; `instead` is what to write where there is none.
    fn without_index(&self, what: &str, instead: &str) -> Result<Form, Diagnostic> {
        self.supported(self.dialect.without_index, what).map_err(|fault| {
            fault.help(format!("{instead}, under `overrides: {{{}: ..}}` for this dialect alone", self.dialect.name))
        })
    }

    fn supported(&self, support: Support<Form>, what: &str) -> Result<Form, Diagnostic> {
        match support {
            Support::Yes(form) => Ok(form),
            Support::No { because, instead } => Err(Diagnostic::error(
                "plan-unsupported",
                format!("{what} is not possible on {}: {because}", self.dialect.title),
            )
            .at(self.span.clone(), "asked for here")
            .help(format!(
                "write `strategy: {instead}`, under `overrides: {{{}: ..}}` for this dialect alone",
                self.dialect.name
            ))),
        }
    }
}

/// Whether a MERGE of the dialect takes no third WHEN MATCHED.
fn takes_two_branches(dialect: &Dialect) -> bool {
    dialect.syntax.merge.is_some_and(|grammar| (1..3).contains(&grammar.matched_branches))
}

/// The form in words.
pub(super) fn form_name(form: Form) -> &'static str {
    match form {
        Form::OnConflict => "INSERT .. ON CONFLICT",
        Form::OnDuplicateKey => "INSERT .. ON DUPLICATE KEY UPDATE",
        Form::Merge => "MERGE",
        Form::StagedMerge => "temporary table, then MERGE",
        Form::UpdateInsert => "temporary table, then UPDATE and INSERT in one transaction",
        Form::ClaimEffects => "temporary table of the new events, then their markers and effects in one transaction",
        Form::AntiJoin => "INSERT of the keys that are not there",
        Form::AppendVersion => "INSERT of new versions",
        Form::AppendBatch => "INSERT of new batches and of their rows in one transaction",
    }
}
