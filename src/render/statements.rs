//! Writes statements by name, for an application.

use super::expected::body;
use super::prove::prove;
use super::{ENVIRONMENT, fault, write};
use crate::diagnostic::Diagnostic;
use crate::plan::statements::{Body, Named, StatementsPlan};
use crate::plan::{LINE_END, Plan};
use crate::sql::conform::conform;
use crate::sql::facts::{Facts, facts};
use crate::sql::parse::parse;
use minijinja::context;
use minijinja::value::Serde;
use std::fmt::Write as _;

/// The template of every statement but the claim.
const TEMPLATE: &str = "statements.sql";

/// A statement as it is written.
#[derive(Clone, Debug)]
pub struct Written {
    /// What an application calls it.
    pub name: String,
    /// Its text, without a semicolon.
    pub sql: String,
}

/// The statements of a plan, proved, each below a line `-- name: ..` as libraries read it that load SQL from files.
///
/// `header` are comment lines for the top of the text; line ends in them are dropped.
///
/// # Errors
/// A fault here is ours and not the user's.
pub fn render_statements(plan: &StatementsPlan, header: &[String]) -> Result<String, Diagnostic> {
    let mut out: String = header.iter().map(|line| format!("-- {}\n", line.replace(['\n', '\r'], " "))).collect();
    for (named, written) in plan.statements.iter().zip(written(plan)?) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\n-- name: {}", named.name);
        for line in &named.about {
            let _ = writeln!(out, "-- {line}");
        }
        let parameters: Vec<String> = named.parameters.iter().map(|bound| shown(&bound.written, &bound.name)).collect();
        if !parameters.is_empty() {
            let _ = writeln!(out, "-- Parameters: {}.", parameters.join(", "));
        }
        out.push_str(&written.sql);
        out.push_str(";\n");
    }
    Ok(out)
}

/// A parameter and what it stands for, where that is not said by the parameter itself.
fn shown(written: &str, name: &str) -> String {
    if written.contains(name) || written == "?" { name.to_owned() } else { format!("{written} {name}") }
}

/// The statements of a plan, proved.
///
/// # Errors
/// A fault here is ours and not the user's.
pub fn written(plan: &StatementsPlan) -> Result<Vec<Written>, Diagnostic> {
    plan.statements.iter().map(|named| Ok(Written { name: named.name.clone(), sql: one(&plan.plan, named)? })).collect()
}

fn one(plan: &Plan, named: &Named) -> Result<String, Diagnostic> {
    if matches!(named.body, Body::Claim) {
        let sql = write(plan, &[])?;
        prove(plan, &sql)?;
        return Ok(sql.trim().trim_end_matches(';').to_owned());
    }
    let ours = |what: String| fault(plan, TEMPLATE, &format!("Statement `{}`: {what}", named.name));
    let sql = text(&named.body).map_err(ours)?;
    proved(plan, &named.body, &sql).map_err(ours)?;
    Ok(sql)
}

fn text(body: &Body) -> Result<String, String> {
    let environment = ENVIRONMENT.as_ref().map_err(String::clone)?;
    let template = environment.get_template(TEMPLATE).map_err(|fault| format!("{fault:#}"))?;
    let text = template.render(context! { body => minijinja::Value::from(Serde(body)) });
    let text = text.map_err(|fault| format!("{fault:#}"))?;
    Ok(text.trim().replace(LINE_END, "\n"))
}

/// The statement says what was planned.
fn proved(plan: &Plan, planned: &Body, sql: &str) -> Result<(), String> {
    let parsed =
        parse(sql, plan.dialect).map_err(|fault| format!("it cannot be read back: {}\n{sql}", fault.message))?;
    if let Some(fault) = conform(sql, &parsed, plan.dialect).first() {
        return Err(format!("{} does not have it: {}\n{sql}", plan.dialect.title, fault.message));
    }
    let [only] = parsed.as_slice() else {
        return Err(format!("it is {} statements where one was planned\n{sql}", parsed.len()));
    };
    let expected = body(plan, planned)?;
    match Facts::difference(&expected, &facts(only)) {
        None => Ok(()),
        Some(difference) => Err(format!("it differs (- planned, + written):\n{difference}\n{sql}")),
    }
}
