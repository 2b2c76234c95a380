//! Writes the statements that make or change a table.

mod prove;
mod table;

use super::{ENVIRONMENT, fault};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::plan::ddl::{Action, DdlPlan, Definition, Step};
use crate::plan::{LINE_END, Plan};
use minijinja::context;
use minijinja::value::Serde;

/// The template of every statement.
const TEMPLATE: &str = "ddl.sql";

/// A statement as it is written.
struct Written {
    /// The statement itself, without a semicolon.
    sql: String,
    /// What stands in the script: with what keeps it from failing again, and its end.
    text: String,
}

/// The script of a plan, proved: each statement is read back and compared with the plan.
///
/// `header` are comment lines for the top of the text; line ends in them are dropped.
///
/// # Errors
/// A fault here is ours and not the user's.
pub fn render_ddl(plan: &DdlPlan, header: &[String]) -> Result<String, Diagnostic> {
    let ours = |what: String| fault(&plan.plan, TEMPLATE, &what);
    let header: Vec<String> = header.iter().map(|line| format!("-- {}\n", line.replace(['\n', '\r'], " "))).collect();
    let statements = render_statements(plan)?;
    let text = if statements.is_empty() {
        format!("{}\n-- Nothing to do.\n", header.concat())
    } else {
        format!("{}\n{}\n", header.concat(), statements.join("\n\n"))
    };
    prove::script(&text, &statements, plan.plan.dialect).map_err(ours)?;
    Ok(text)
}

/// The statements of a plan, proved, each with its end.
///
/// # Errors
/// A fault here is ours and not the user's.
pub fn render_statements(plan: &DdlPlan) -> Result<Vec<String>, Diagnostic> {
    let ours = |what: String| fault(&plan.plan, TEMPLATE, &what);
    let target = |action: &Action| matches!(action, Action::CreateTable(made) if made.table == plan.plan.load.target);
    for step in plan.steps.iter().filter(|step| target(&step.action)) {
        table::table(plan, &statement(&step.action).map_err(ours)?).map_err(ours)?;
    }
    render_steps(&plan.plan, &plan.steps)
}

/// Some steps for the table of a load, each proved and with its end.
///
/// # Errors
/// A fault here is ours and not the user's.
pub(super) fn render_steps(plan: &Plan, steps: &[Step]) -> Result<Vec<String>, Diagnostic> {
    let ours = |what: String| fault(plan, TEMPLATE, &what);
    let mut texts = Vec::new();
    for step in steps {
        let Written { sql, text } = written(step, plan.dialect).map_err(ours)?;
        prove::statement(&step.action, &sql, plan.dialect).map_err(ours)?;
        texts.push(text);
    }
    Ok(texts)
}

/// CREATE TABLE without a semicolon, for a trial, where the engine is the proof.
///
/// # Errors
/// What is wrong with our template.
pub fn create_table(definition: &Definition) -> Result<String, String> {
    statement(&Action::CreateTable(definition.clone()))
}

fn written(step: &Step, dialect: &Dialect) -> Result<Written, String> {
    let sql = statement(&step.action)?;
    let text = match &step.wrap {
        None => format!("{sql};"),
        Some(wrap) if wrap.quoted => wrap.around(&(dialect.ddl.quoted)(&sql)),
        Some(wrap) => wrap.around(&sql),
    };
    Ok(Written { sql, text })
}

fn statement(action: &Action) -> Result<String, String> {
    let environment = ENVIRONMENT.as_ref().map_err(String::clone)?;
    let template = environment.get_template(TEMPLATE).map_err(|fault| format!("{fault:#}"))?;
    let text = template.render(context! { step => minijinja::Value::from(Serde(action)) });
    let text = text.map_err(|fault| format!("{fault:#}"))?;
    Ok(text.trim_end().replace(LINE_END, "\n"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::render_ddl;
    use crate::diagnostic::Source;
    use crate::dialect::REFERENCE;
    use crate::plan::ddl::{Action, DdlPlan, plan_ddl};
    use crate::spec::Spec;
    use std::sync::Arc;

    const SPEC: &str = "
version: 1
tables:
  - name: orders
    source: {table: staged}
    unique_key: [id]
    columns: [{name: id, type: int}, {name: label, type: varchar(9)}]
";

    /// Makes a plan say what was not planned.
    type Spoil = fn(&mut DdlPlan);

    fn planned() -> DdlPlan {
        let none = |_: &str| Err(String::new());
        let spec = Spec::read(Arc::new(Source::new("spec.yaml", SPEC)), &none).unwrap();
        plan_ddl(&spec.tables()[0].for_dialect(REFERENCE.name).unwrap(), REFERENCE, None).unwrap()
    }

    #[test]
    fn what_the_plan_does_not_say_is_not_written() {
        assert!(render_ddl(&planned(), &[]).is_ok());
        let spoil: [(&str, Spoil); 5] = [
            ("columns where 2 were planned", |ddl| definition(ddl).columns.truncate(1)),
            ("`label` stands where `id` was planned", |ddl| definition(ddl).columns.swap(0, 1)),
            ("`id` takes null, and that was not planned", |ddl| definition(ddl).columns[0].words.truncate(1)),
            ("`label` is text where varchar(9) was planned", |ddl| {
                definition(ddl).columns[1].words = vec!["text".to_owned()];
            }),
            ("needs a unique key (id), and there is none", |ddl| ddl.steps.truncate(1)),
        ];
        for (told, spoil) in spoil {
            let mut ddl = planned();
            spoil(&mut ddl);
            let fault = render_ddl(&ddl, &[]).unwrap_err().message;
            assert!(fault.contains(told), "{told}: {fault}");
        }
    }

    fn definition(ddl: &mut DdlPlan) -> &mut crate::plan::ddl::Definition {
        match &mut ddl.steps[0].action {
            Action::CreateTable(definition) => definition,
            other => panic!("{other:?}"),
        }
    }
}
