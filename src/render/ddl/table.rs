//! The second proof of CREATE TABLE, by the reader that reads anybody's scripts: the columns of the plan, each with its type
//! and whether it takes null, and the unique key that the load needs.

use crate::dialect::mechanism::Form;
use crate::dialect::native::Native;
use crate::plan::ddl::{Action, DdlPlan};
use crate::plan::{Column, Plan};
use crate::sql::clause::{ColumnDefinition, Create, Verb, read};
use crate::sql::script::Script;
use crate::sql::view::folded;

/// The table is that of the plan; `sql` is its CREATE TABLE.
///
/// # Errors
/// What differs.
pub(super) fn table(ddl: &DdlPlan, sql: &str) -> Result<(), String> {
    let plan = &ddl.plan;
    let script = Script::read(sql, plan.dialect);
    let first = script.statements.first().map(|statement| script.sql(statement));
    let Some(Ok(Verb::Create(create))) = first.map(read) else { return Err(format!("It is no CREATE TABLE\n{sql}")) };
    let found = create.columns();
    if found.len() != plan.columns.len() {
        return Err(format!("It has {} columns where {} were planned\n{sql}", found.len(), plan.columns.len()));
    }
    for (column, found) in plan.columns.iter().zip(&found) {
        same(plan, column, found).map_err(|what| format!("{what}\n{sql}"))?;
    }
    let needed = matches!(plan.form, Form::OnConflict | Form::OnDuplicateKey);
    if needed && !has_key(ddl, &create) {
        return Err(format!("The load needs a unique key ({}), and there is none\n{sql}", plan.load.key.join(", ")));
    }
    Ok(())
}

/// A column is the one that was planned.
fn same(plan: &Plan, column: &Column, found: &ColumnDefinition<'_>) -> Result<(), String> {
    let (name, spelled) = (&column.sql, found.spelled.source());
    if name != spelled {
        return Err(format!("`{spelled}` stands where `{name}` was planned"));
    }
    let declared = found.declared();
    let ty = (plan.dialect.type_name)(&column.ty);
    // What the engine computes may have the type of its expression.
    let untyped = declared.is_empty() && !column.is_written();
    // A type in the database's own words may bring options: `varchar(60) COLLATE "C"`.
    let with_options =
        found.behind_name().source().strip_prefix(&ty).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if !untyped && !with_options && Native::read(declared.source()) != Native::read(&ty) {
        return Err(format!("`{name}` is {} where {ty} was planned", declared.source()));
    }
    if column.is_written() && found.not_null() == column.nullable {
        let says = if column.nullable { "takes no null" } else { "takes null" };
        return Err(format!("`{name}` {says}, and that was not planned"));
    }
    Ok(())
}

/// True when the table, or an index beside it, has the unique key of the load.
fn has_key(ddl: &DdlPlan, create: &Create<'_>) -> bool {
    let key = &ddl.plan.load.key;
    let wanted: Vec<String> = key.iter().map(|name| folded(name).into_owned()).collect();
    let inside = create.keys().iter().any(|found| found.columns == wanted);
    let beside = |action: &Action| matches!(action, Action::CreateIndex { columns, .. } if columns == key);
    inside || ddl.steps.iter().any(|step| beside(&step.action))
}
