//! The columns of a table, with everything that its definition says of them and a load does not know.

use super::{DdlPlan, DefinedColumn};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::ddl::{Comments, DefaultForm};
use crate::dialect::mechanism::Support;
use crate::dialect::types::Type;
use crate::plan::expression::{check, columns as named};
use crate::plan::{Column, Plan};
use crate::spec;
use crate::sql::lex::{Extras, lex};
use crate::sql::lexis::Lexis;
use crate::sql::view::Sql;

/// A column and what its definition says.
#[derive(Clone, Debug)]
pub(super) struct Described {
    /// The column.
    pub column: Column,
    /// Its default, as it stands behind DEFAULT.
    pub default: Option<String>,
    /// True when the default is a literal.
    pub is_literal: bool,
    /// The engine computes it, by this expression.
    pub generated: Option<String>,
    /// The engine numbers it.
    pub identity: bool,
    /// Its description, as a string.
    pub description: Option<String>,
    /// As CREATE TABLE says it.
    pub defined: DefinedColumn,
    /// A constraint of the table that it wants.
    pub constraint: Option<String>,
}

/// The columns of a table. What cannot be said in its dialect is a fault, but for a default, which no load reads.
pub(super) fn described(
    table: &spec::Table,
    plan: &Plan,
    faults: &mut Vec<Diagnostic>,
    warnings: &mut Vec<Diagnostic>,
) -> Vec<Described> {
    let mut all = Vec::new();
    for (spec, column) in table.columns.iter().zip(&plan.columns) {
        let mut found = Described::of(column);
        found.identity = spec.identity;
        found.description = literal_of(plan, spec.description.as_deref());
        if let Some(default) = &spec.default {
            if let Err(fault) = check(default, "`default`", plan.dialect) {
                faults.push(fault);
                continue;
            }
            if spec.generated {
                faults.extend(unknown(default, plan));
                found.generated = Some(default.value.clone());
            } else {
                found.default(default, plan, warnings);
            }
        } else if spec.generated {
            let message = format!("the spec does not say how `{}` is computed", column.name);
            faults.push(DdlPlan::fault(column, message, "write the expression as its `default: ..`"));
            continue;
        }
        found.define(plan, faults);
        all.push(found);
    }
    // The columns that the load adds to the declared ones.
    for column in plan.columns.iter().filter(|column| column.is_period()) {
        let mut found = Described::of(column);
        found.define(plan, faults);
        all.push(found);
    }
    all
}

/// A column that the expression of a generated column names and the table lacks.
fn unknown(expression: &spec::Located<String>, plan: &Plan) -> Option<Diagnostic> {
    let dialect = plan.dialect;
    let is_known =
        |name: &String| plan.columns.iter().any(|column| dialect.folded(&column.name) == dialect.folded(name));
    let name = named(&expression.value, dialect).into_iter().find(|name| !is_known(name))?;
    let message = format!("the expression names `{name}`, which is no column of the table");
    Some(Diagnostic::error("plan-ddl", message).at(expression.span.clone(), "").help("name columns of the table only"))
}

impl Described {
    /// A column before anything is known of its options.
    fn of(column: &Column) -> Self {
        Self {
            column: column.clone(),
            default: None,
            is_literal: false,
            generated: None,
            identity: false,
            description: None,
            defined: DefinedColumn { name: column.sql.clone(), words: Vec::new() },
            constraint: None,
        }
    }

    /// Says it as CREATE TABLE does, or adds to the faults why that cannot be.
    fn define(&mut self, plan: &Plan, faults: &mut Vec<Diagnostic>) {
        match self.words(plan.dialect) {
            Ok(words) => self.defined.words = words,
            Err((because, instead)) => faults.push(DdlPlan::fault(
                &self.column,
                format!("`{}` cannot be made on {}: {because}", self.column.name, plan.dialect.title),
                format!("{instead}; under `overrides: {{{}: ..}}` for this dialect alone", plan.dialect.name),
            )),
        }
    }

    fn default(&mut self, default: &spec::Located<String>, plan: &Plan, warnings: &mut Vec<Diagnostic>) {
        let text = &default.value;
        let dialect = plan.dialect;
        self.is_literal = is_literal(text, dialect);
        self.default = match dialect.ddl.default {
            DefaultForm::Plain => Some(text.clone()),
            DefaultForm::Bracketed if self.is_literal => Some(text.clone()),
            DefaultForm::Bracketed => Some(format!("({text})")),
            DefaultForm::No { because } => {
                let message = format!("the default of `{}` is left out: {because}", self.column.name);
                let told = Diagnostic::warning("plan-ddl", message).at(default.span.clone(), "");
                warnings.push(told.help("no load needs it; whoever else inserts rows must give the value"));
                None
            }
        };
    }

    /// Its type and its options.
    ///
    /// # Errors
    /// Why it cannot be made, and what to do instead.
    fn words(&mut self, dialect: &Dialect) -> Result<Vec<String>, (&'static str, &'static str)> {
        let column = &self.column;
        let ddl = dialect.ddl;
        let ty = (dialect.type_name)(&column.ty);
        let mut words = vec![ty];
        let null = |allowed: bool| match column.nullable {
            true => dialect.null_column.trim(),
            false if allowed => "NOT NULL",
            false => "",
        };
        let (value, null) = if self.identity {
            let identity = supported(ddl.identity)?;
            if !column.ty.is_integer() {
                return Err(("rows are numbered by whole numbers", "write `type: bigint`"));
            }
            if identity.bigint && column.ty != Type::BigInt {
                return Err(("it numbers rows by a `bigint` alone", "write `type: bigint`"));
            }
            if !identity.constraint.is_empty() {
                self.constraint = Some(identity.constraint.replace("{column}", &column.sql));
            }
            (identity.words.to_owned(), if column.nullable { "" } else { null(identity.not_null) })
        } else if let Some(expression) = &self.generated {
            let generated = supported(ddl.generated)?;
            if !generated.typed {
                words.clear();
            }
            (format!("{}({expression}){}", generated.before, generated.behind), null(generated.not_null))
        } else {
            let default = self.default.as_ref().map(|default| format!("DEFAULT {default}"));
            (default.unwrap_or_default(), null(true))
        };
        let pair = if ddl.null_first { [null.to_owned(), value] } else { [value, null.to_owned()] };
        words.extend(pair.into_iter().filter(|text| !text.is_empty()));
        if let (Comments::Inside { column, .. }, Some(text)) = (ddl.comments, &self.description) {
            words.push(column.trim_start().replace("{text}", text));
        }
        Ok(words)
    }
}

/// A description as a string, in one line; none where a string of this dialect cannot say it: a description is no place for
/// an expression.
pub(super) fn literal_of(plan: &Plan, description: Option<&str>) -> Option<String> {
    let line = description?.split_whitespace().collect::<Vec<_>>().join(" ");
    Some((plan.dialect.string)(&line)).filter(|text| is_literal(text, plan.dialect))
}

/// True for one literal.
fn is_literal(text: &str, dialect: &Dialect) -> bool {
    let lexed = lex(text, 0..text.len(), Lexis::of(dialect), Extras { client: None, templates: false });
    Sql::new(text, &lexed.tokens).is_literal()
}

fn supported<T: Copy>(support: Support<T>) -> Result<T, (&'static str, &'static str)> {
    match support {
        Support::Yes(how) => Ok(how),
        Support::No { because, instead } => Err((because, instead)),
    }
}
