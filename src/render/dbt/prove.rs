//! The proof of a dbt model: its Jinja is run for both kinds of run, with stand-ins for what dbt gives it, and what comes
//! out is read back and compared with the plan.

use super::config::{Argument, Config};
use super::properties;
use super::{DbtFile, Run, STRATEGY, load_of, select, shape};
use crate::dialect::Dialect;
use crate::plan::dbt::{DbtPlan, Rows};
use crate::render::expected::dbt::{BATCH, ROWS, THIS, loaded, queried};
use crate::sql::conform::conform;
use crate::sql::dbt::{self, Given, Relation, literal};
use crate::sql::facts::{Facts, facts};
use crate::sql::parse::parse;
use minijinja::value::{Enumerator, Kwargs, Object, Serde, from_args};
use minijinja::{Environment, Error, ErrorKind, State, Value, context};
use serde_json::Map;
use std::sync::{Arc, Mutex, PoisonError};

/// Compares the files with the plan.
///
/// # Errors
/// What differs, in words.
pub(super) fn prove(plan: &DbtPlan, config: &Config, files: &[DbtFile]) -> Result<(), String> {
    let wanted = evaluated(config)?;
    let Some(model) = files.first() else { return Err("There is no model".to_owned()) };
    for run in [Run::First, Run::Later] {
        let asked = Arc::new(Asked::default());
        let environment = environment(plan, run, &asked);
        let text = environment.render_str(&model.text, ()).map_err(|fault| format!("{fault:#}\n{}", model.text))?;
        let found = asked.config.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if found.as_ref() != Some(&wanted) {
            return Err(format!("The configuration reads {found:?} where {wanted:?} was planned\n{}", model.text));
        }
        let expected = queried(&load_of(plan, run), plan.plan.dialect, shape(plan, run), &select(plan, run))?;
        compare(&text, plan.plan.dialect, &[expected])?;
    }
    if plan.is_ours() {
        compare(&statement(plan, wanted)?, plan.plan.dialect, &loaded(&plan.plan)?)?;
    }
    described(plan, files)
}

/// The statements of a text are those that are expected.
fn compare(text: &str, dialect: &Dialect, expected: &[Facts]) -> Result<(), String> {
    let parsed = parse(text, dialect).map_err(|fault| format!("It cannot be read back: {}\n{text}", fault.message))?;
    if let Some(fault) = conform(text, &parsed, dialect).first() {
        return Err(format!("{} does not have it: {}\n{text}", dialect.title, fault.message));
    }
    if parsed.len() != expected.len() {
        return Err(format!("It has {} statements where {} were planned\n{text}", parsed.len(), expected.len()));
    }
    for (parsed, expected) in parsed.iter().zip(expected) {
        if let Some(difference) = Facts::difference(expected, &facts(parsed)) {
            return Err(format!("It differs (- planned, + written):\n{difference}\n{text}"));
        }
    }
    Ok(())
}

/// The statement that our macro makes of the model's configuration.
fn statement(plan: &DbtPlan, config: serde_json::Value) -> Result<String, String> {
    let asked = Arc::new(Asked { config: Mutex::new(Some(config)) });
    let mut environment = environment(plan, Run::Later, &asked);
    environment.add_template("strategy", STRATEGY).map_err(|fault| format!("{fault:#}"))?;
    let columns: Vec<Value> = plan.plan.columns.iter().map(|column| context! { name => column.name.clone() }).collect();
    let arguments = context! {
        target_relation => THIS,
        temp_relation => BATCH,
        unique_key => plan.unique_key.clone(),
        dest_columns => columns,
        incremental_predicates => (),
    };
    let call = "{% from 'strategy' import get_incremental_idemsql_sql %}{{ get_incremental_idemsql_sql(arguments) }}";
    environment.render_str(call, context! { arguments => arguments }).map_err(|fault| format!("{fault:#}"))
}

/// The properties say what was planned, when YAML and Jinja have read them.
fn described(plan: &DbtPlan, files: &[DbtFile]) -> Result<(), String> {
    let asked = Arc::new(Asked::default());
    let environment = environment(plan, Run::First, &asked);
    for file in files.iter().filter(|file| file.is_yaml()) {
        let wanted = if file.shared { properties::source(plan) } else { properties::model(plan) };
        let found: serde_json::Value =
            serde_yaml::from_str(&file.text).map_err(|fault| format!("{fault}\n{}", file.text))?;
        if found != wanted {
            return Err(format!("{} reads {found} where {wanted} was planned\n{}", file.path, file.text));
        }
        let rendered = environment.render_str(&file.text, ()).map_err(|fault| format!("{fault:#}\n{}", file.text))?;
        let plain = plan.description.iter().chain(plan.descriptions.iter().flatten());
        if let Some(text) = plain.filter(|text| text.contains('{') && !file.shared).find(|text| {
            let quoted = serde_json::Value::from(text.as_str()).to_string();
            !rendered.contains(&quoted)
        }) {
            return Err(format!("{} does not say `{text}`\n{rendered}", file.path));
        }
    }
    Ok(())
}

/// The configuration as dbt should read it.
fn evaluated(config: &Config) -> Result<serde_json::Value, String> {
    let mut all = Map::new();
    for (key, argument) in config {
        let value = match argument {
            Argument::Value(value) => value.clone(),
            Argument::Literal(text) => literal(text).ok_or_else(|| format!("{text}: it is no literal"))?,
        };
        all.insert((*key).to_owned(), value);
    }
    Ok(serde_json::Value::Object(all))
}

fn as_json(value: &Value) -> Result<serde_json::Value, Error> {
    serde_json::to_value(value).map_err(|fault| Error::new(ErrorKind::BadSerialization, fault.to_string()))
}

/// Jinja as dbt has it: the relations that were planned, and no others.
fn environment(plan: &DbtPlan, run: Run, asked: &Arc<Asked>) -> Environment<'static> {
    let rows = plan.rows.clone();
    let relation = move |name: Relation<'_>| match (&rows, name) {
        (Some(Rows::Ref(planned)), Relation::Ref { package: None, model }) if planned == model => Ok(ROWS.to_owned()),
        (Some(Rows::Source { source, table, .. }), Relation::Source(of, name)) if source == of && table == name => {
            Ok(ROWS.to_owned())
        }
        _ => Err("was not planned".to_owned()),
    };
    let config = Value::from_dyn_object(Arc::<Asked>::clone(asked));
    let given = Given { this: THIS.to_owned(), is_incremental: run == Run::Later, relation, config };
    let mut environment = dbt::environment(given);
    environment.add_global("exceptions", Value::from_object(Exceptions));
    environment
}

/// dbt's `config`: it keeps what a model says, and gives it to a macro.
#[derive(Debug, Default)]
struct Asked {
    config: Mutex<Option<serde_json::Value>>,
}

impl Object for Asked {
    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, arguments: &[Value]) -> Result<Value, Error> {
        let (given,): (Kwargs,) = from_args(arguments)?;
        let mut all = Map::new();
        for key in given.args() {
            all.insert(key.to_owned(), as_json(&given.get::<Value>(key)?)?);
        }
        given.assert_all_used()?;
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = Some(serde_json::Value::Object(all));
        Ok(Value::from(""))
    }

    fn call_method(self: &Arc<Self>, _: &mut State<'_, '_>, method: &str, arguments: &[Value]) -> Result<Value, Error> {
        let (key,): (&str,) = from_args(arguments)?;
        let config = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        let found = config.as_ref().and_then(|config| config.get(key)).filter(|_| method == "get");
        found
            .map(|value| Value::from(Serde(value)))
            .ok_or_else(|| Error::new(ErrorKind::UnknownMethod, format!("config.{method}('{key}')")))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// dbt's `exceptions`: what a macro says there would stop the run.
#[derive(Debug)]
struct Exceptions;

impl Object for Exceptions {
    fn call_method(self: &Arc<Self>, _: &mut State<'_, '_>, _: &str, arguments: &[Value]) -> Result<Value, Error> {
        let said = arguments.iter().map(ToString::to_string).collect::<String>();
        Err(Error::new(ErrorKind::InvalidOperation, said))
    }
}
