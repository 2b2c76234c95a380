//! Writes the files of a dbt model: the model, its properties, its source, and what all models of a project share.

mod config;
mod jinja;
mod properties;
mod prove;

use super::{ENVIRONMENT, fault};
use crate::diagnostic::Diagnostic;
use crate::dialect::mechanism::Form;
use crate::plan::dbt::{DbtPlan, Rows};
use crate::plan::load::{Batch, Load};
use minijinja::context;
use minijinja::value::Serde;

/// The macro that is our strategy.
const STRATEGY: &str = include_str!("../../../templates/dbt_strategy.sql");

/// The test of a key.
const TEST: &str = include_str!("../../../templates/dbt_test.sql");

/// A file of a dbt project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbtFile {
    /// Its path in the project, with `/` between the parts.
    pub path: String,
    /// What it holds.
    pub text: String,
    /// True when models of other tables may write the same file.
    pub shared: bool,
}

impl DbtFile {
    /// True for properties, false for Jinja and SQL.
    pub fn is_yaml(&self) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, ending)| ending == "yml")
    }
}

/// The files of a dbt model, proved: the model's query is read back for both kinds of run, and so are its configuration,
/// the statement that our macro makes of it, and its properties.
///
/// `header` are comment lines for the top of the model and of its properties; line ends in them are dropped.
///
/// # Errors
/// A fault here is ours and not the user's.
pub fn render_dbt(plan: &DbtPlan, header: &[String]) -> Result<Vec<DbtFile>, Diagnostic> {
    let header: Vec<String> = header.iter().map(|line| line.replace(['\n', '\r'], " ")).collect();
    let config = config::config(plan);
    let queries = [Run::First, Run::Later].map(|run| query(plan, run));
    let [first, later] = queries;
    let body = jinja::by_run(&jinja::sql(&first?, plan.rows.as_ref()), &jinja::sql(&later?, plan.rows.as_ref()));
    let commented =
        |mark: &str| header.iter().map(|line| format!("{mark} {}\n", jinja::escaped(line))).collect::<String>();
    let own = |path: String, text: String| DbtFile { path, text, shared: false };
    let model = &plan.model;
    let mut files =
        vec![own(format!("models/{model}.sql"), format!("{}{}\n\n{body}\n", commented("--"), config::text(&config)))];
    let described = properties::model(plan);
    files.push(own(format!("models/{model}.yml"), format!("{}{}", commented("#"), properties::yaml(&described))));
    let shared = |path: String, text: &str| DbtFile { path, text: text.to_owned(), shared: true };
    if let Some(Rows::Source { source, table, declared: false, .. }) = &plan.rows {
        let text = format!("{}{}", properties::SOURCE_HEADER, properties::yaml(&properties::source(plan)));
        files.push(shared(
            format!("models/sources/{}__{}.yml", properties::file(source), properties::file(table)),
            &text,
        ));
    }
    if plan.is_ours() {
        files.push(shared("macros/get_incremental_idemsql_sql.sql".to_owned(), STRATEGY));
    }
    if properties::needs_test(plan) {
        files.push(shared("macros/test_idemsql_one_row_per_key.sql".to_owned(), TEST));
    }
    prove::prove(plan, &config, &files).map_err(|what| bug(plan, &what))?;
    Ok(files)
}

/// A run of a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    /// It makes the table.
    First,
    /// It loads into a table that is there.
    Later,
}

/// The shape of the query, as its template knows it.
fn shape(plan: &DbtPlan, run: Run) -> &'static str {
    let load = &plan.plan.load;
    match (run, plan.plan.form) {
        (Run::First, _) if load.deletion.is_some() => "kept",
        (Run::First, _) => "rows",
        (Run::Later, Form::AntiJoin) => "new",
        (Run::Later, Form::AppendVersion) => "changed",
        (Run::Later, _) if load.vanished.is_some() => "vanished",
        (Run::Later, _) => "rows",
    }
}

/// What the query of a run reads.
fn load_of(plan: &DbtPlan, run: Run) -> Load {
    let mut load = plan.plan.load.clone();
    if run == Run::First {
        load.batch.clone_from(&plan.first);
    }
    load
}

/// The columns of the target, as a query over the reduced batch gives them.
fn select(plan: &DbtPlan, run: Run) -> Batch {
    let mut items = plan.select();
    if run == Run::First {
        for item in &mut items {
            item.value = format!("b.{}", item.name);
            item.plain = true;
        }
    }
    Batch { items, ..Batch::default() }
}

/// The query of a run, with stand-ins for its tables.
fn query(plan: &DbtPlan, run: Run) -> Result<String, Diagnostic> {
    let ours = |what: String| bug(plan, &what);
    let environment = ENVIRONMENT.as_ref().map_err(|fault| ours(fault.clone()))?;
    let template = environment.get_template("dbt_query.sql").map_err(|fault| ours(format!("{fault:#}")))?;
    let (load, select) = (load_of(plan, run), select(plan, run));
    let context = context! {
        load => minijinja::Value::from(Serde(&load)),
        select => minijinja::Value::from(Serde(&select)),
        shape => shape(plan, run),
    };
    template.render(context).map(|text| text.trim_end().to_owned()).map_err(|fault| ours(format!("{fault:#}")))
}

/// A fault that is ours.
fn bug(plan: &DbtPlan, what: &str) -> Diagnostic {
    fault(&plan.plan, "dbt_query.sql", what)
}
