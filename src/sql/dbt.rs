//! What dbt gives a template, with stand-ins: one answer for whoever runs Jinja of dbt. dbt itself is not run.
//!
//! The names are those of <https://docs.getdbt.com/reference/dbt-jinja-functions>.

use minijinja::value::{Kwargs, Rest};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value};
use std::fmt;

/// A relation as a template names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation<'a> {
    /// `ref('model')`, or `ref('package', 'model')`.
    Ref {
        /// The package, where one is named.
        package: Option<&'a str>,
        /// The model.
        model: &'a str,
    },
    /// `source('raw', 'orders')`
    Source(&'a str, &'a str),
}

impl fmt::Display for Relation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ref { model, .. } => write!(f, "ref('{model}')"),
            Self::Source(source, table) => write!(f, "source('{source}', '{table}')"),
        }
    }
}

/// What differs from one who runs templates to another.
pub struct Given<R> {
    /// What stands for `this`.
    pub this: String,
    /// The run is an incremental one: the table is there.
    pub is_incremental: bool,
    /// What stands for a relation; the error says what is wrong with it, as a clause behind its name.
    pub relation: R,
    /// What stands for `config`.
    pub config: Value,
}

/// The environment of a template. What is not given is a fault: dbt's answer to it is not known here.
pub fn environment<R>(given: Given<R>) -> Environment<'static>
where
    R: Fn(Relation<'_>) -> Result<String, String> + Clone + Send + Sync + 'static,
{
    let Given { this, is_incremental, relation, config } = given;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_global("this", this);
    environment.add_global("execute", true);
    environment.add_global("config", config);
    environment.add_function("is_incremental", move || is_incremental);
    let named = move |name: Relation<'_>| {
        relation(name).map_err(|fault| Error::new(ErrorKind::InvalidOperation, format!("{name} {fault}")))
    };
    let model = named.clone();
    // Behind the names may stand a version.
    environment.add_function("ref", move |names: Rest<String>, _: Kwargs| match names.0.as_slice() {
        [name] => model(Relation::Ref { package: None, model: name }),
        [package, name] => model(Relation::Ref { package: Some(package), model: name }),
        _ => Err(Error::from(ErrorKind::TooManyArguments)),
    });
    environment.add_function("source", move |source: &str, table: &str| named(Relation::Source(source, table)));
    environment
}

/// A `config` that keeps nothing of what it is told.
pub fn silent_config() -> Value {
    Value::from_function(|_: Rest<Value>, _: Kwargs| String::new())
}

/// The value of an expression that is made of literals alone.
pub fn literal(text: &str) -> Option<serde_json::Value> {
    let environment = Environment::new();
    let expression = environment.compile_expression(text).ok()?;
    if !expression.undeclared_variables(false).is_empty() {
        return None;
    }
    serde_json::to_value(expression.eval(()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Given, Relation, environment, literal, silent_config};

    fn rendered(text: &str) -> Result<String, String> {
        let relation = |name: Relation<'_>| match name {
            Relation::Ref { package: None, model: "a" } | Relation::Source("a", "b") => Ok("t".to_owned()),
            _ => Err("is not there".to_owned()),
        };
        let given = Given { this: "me".to_owned(), is_incremental: true, relation, config: silent_config() };
        environment(given).render_str(text, ()).map_err(|fault| fault.detail().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_template_gets_what_stands_for_its_relations() {
        assert_eq!(
            rendered("{{ config(a=1) }}{{ ref('a', v=2) }} {{ source('a', 'b') }} {{ this }}").unwrap(),
            "t t me"
        );
        assert_eq!(rendered("{% if is_incremental() and execute %}1{% endif %}").unwrap(), "1");
        assert_eq!(rendered("{{ ref('p', 'a') }}").unwrap_err(), "ref('a') is not there");
        assert_eq!(rendered("{{ source('x', 'y') }}").unwrap_err(), "source('x', 'y') is not there");
        assert!(rendered("{{ my_macro }}").is_err());
    }

    #[test]
    fn literals_have_a_value() {
        assert_eq!(literal("['a', 1]"), Some(serde_json::json!(["a", 1])));
        assert_eq!(literal("var('a')"), None);
    }
}
