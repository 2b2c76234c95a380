//! Runs a template on a plan, then proves the SQL against the plan.

mod dbt;
pub mod ddl;
mod expected;
pub mod migration;
mod prove;
pub mod statements;

use crate::diagnostic::Diagnostic;
use crate::dialect::mechanism::Form;
use crate::plan::{LINE_END, Plan};
pub use dbt::{DbtFile, render_dbt};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
pub use prove::prove;
use std::sync::LazyLock;

/// The templates, by file name. The names of forms are those of [`template_of`].
pub static TEMPLATES: &[(&str, &str)] = &[
    ("anti_join.sql", include_str!("../../templates/anti_join.sql")),
    ("append_batch.sql", include_str!("../../templates/append_batch.sql")),
    ("append_version.sql", include_str!("../../templates/append_version.sql")),
    ("claim_effects.sql", include_str!("../../templates/claim_effects.sql")),
    ("clauses.sql", include_str!("../../templates/clauses.sql")),
    ("dbt_query.sql", include_str!("../../templates/dbt_query.sql")),
    ("dbt_strategy.sql", include_str!("../../templates/dbt_strategy.sql")),
    ("dbt_test.sql", include_str!("../../templates/dbt_test.sql")),
    ("ddl.sql", include_str!("../../templates/ddl.sql")),
    ("merge.sql", include_str!("../../templates/merge.sql")),
    ("on_conflict.sql", include_str!("../../templates/on_conflict.sql")),
    ("on_duplicate_key.sql", include_str!("../../templates/on_duplicate_key.sql")),
    ("script.sql", include_str!("../../templates/script.sql")),
    ("statements.sql", include_str!("../../templates/statements.sql")),
    ("staged_merge.sql", include_str!("../../templates/staged_merge.sql")),
    ("update_insert.sql", include_str!("../../templates/update_insert.sql")),
];

/// The template that writes a form.
pub fn template_of(form: Form) -> &'static str {
    match form {
        Form::OnConflict => "on_conflict.sql",
        Form::OnDuplicateKey => "on_duplicate_key.sql",
        Form::Merge => "merge.sql",
        Form::StagedMerge => "staged_merge.sql",
        Form::UpdateInsert => "update_insert.sql",
        Form::AntiJoin => "anti_join.sql",
        Form::AppendVersion => "append_version.sql",
        Form::ClaimEffects => "claim_effects.sql",
        Form::AppendBatch => "append_batch.sql",
    }
}

static ENVIRONMENT: LazyLock<Result<Environment<'static>, String>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.map_err(|fault| fault.to_string())?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Every string of a plan is SQL already, quoted for its dialect.
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    for (name, text) in TEMPLATES {
        environment.add_template(name, text).map_err(|fault| format!("{fault:#}"))?;
    }
    Ok(environment)
});

/// The SQL of a plan, proved: read back, conforming to its dialect, and saying what the plan says.
///
/// `header` are comment lines for the top of the text; line ends in them are dropped.
///
/// # Errors
/// A fault here is ours and not the user's: the diagnostic shows template, dialect, SQL and the facts that differ.
pub fn render(plan: &Plan, header: &[String]) -> Result<String, Diagnostic> {
    let sql = write(plan, header)?;
    prove(plan, &sql)?;
    Ok(sql)
}

/// The SQL of a plan, not proved yet.
fn write(plan: &Plan, header: &[String]) -> Result<String, Diagnostic> {
    let ours = |what: String| bug(plan, &what);
    let environment = ENVIRONMENT.as_ref().map_err(|fault| ours(fault.clone()))?;
    let template = environment.get_template("script.sql").map_err(|fault| ours(format!("{fault:#}")))?;
    let header: Vec<String> = header.iter().map(|line| line.replace(['\n', '\r'], " ")).collect();
    let context = context! {
        load => minijinja::Value::from(Serde(&plan.load)),
        form => template_of(plan.form),
        header => header,
    };
    let sql = template.render(context).map_err(|fault| ours(format!("{fault:#}")))?;
    Ok(sql.replace(LINE_END, "\n"))
}

/// A fault that is ours.
fn bug(plan: &Plan, what: &str) -> Diagnostic {
    fault(plan, template_of(plan.form), what)
}

/// A fault that is ours, in what a template wrote.
fn fault(plan: &Plan, template: &str, what: &str) -> Diagnostic {
    Diagnostic::error(
        "internal",
        format!(
            "idemsql made SQL for `{}` that does not say what its plan says; nothing was written.\nThis is a bug of idemsql. \
             Template {}, dialect {}, strategy {}.\n{what}",
            plan.table,
            template,
            plan.dialect.name,
            plan.strategy.name
        ),
    )
    .help("please report it with this message and the spec")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{ENVIRONMENT, TEMPLATES};

    #[test]
    fn every_template_file_is_in_the_list_and_compiles() {
        let files: Vec<String> = std::fs::read_dir("templates")
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        for file in &files {
            assert!(TEMPLATES.iter().any(|(name, _)| name == file), "{file} is in no list");
        }
        assert_eq!(files.len(), TEMPLATES.len());
        assert!(ENVIRONMENT.is_ok());
    }
}
