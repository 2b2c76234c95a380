//! A table as CREATE TABLE says it, with the unique key that its load needs: for users, and for the trials of `verify`.

use super::column::literal_of;
use super::guard::{beside, guarded};
use super::{Action, DdlPlan, DefinedColumn, Definition, Step};
use crate::diagnostic::Diagnostic;
use crate::dialect::ddl::{Comments, Unique};
use crate::dialect::mechanism::{Form, IndexNulls, Storage};
use crate::plan::{Column, Plan};
use crate::spec;
use crate::sql::hash::{FNV_START, fnv};

/// Words of CREATE.
const IF_NOT_EXISTS: &str = "IF NOT EXISTS ";

/// The table of a trial: what the load reads and writes, without what the engine would do by itself.
pub fn trial(plan: &Plan) -> Definition {
    let dialect = plan.dialect;
    let columns = plan.columns.iter().map(|column| {
        let null = if column.nullable || !column.is_written() { dialect.null_column.trim() } else { "NOT NULL" };
        let words = [(dialect.type_name)(&column.ty), null.to_owned()];
        DefinedColumn { name: column.sql.clone(), words: words.into_iter().filter(|word| !word.is_empty()).collect() }
    });
    Definition {
        table: plan.load.target.clone(),
        guard: "",
        columns: columns.collect(),
        constraints: unique(plan).map(|nulls| inside(plan, nulls)).into_iter().collect(),
        storage: storage(plan),
    }
}

/// The log of the batches, where the load keeps one.
pub fn definition_of_log(plan: &Plan, guard: &'static str) -> Option<Definition> {
    let (dialect, log) = (plan.dialect, plan.log.as_ref()?);
    let once = plan.load.once.as_ref()?;
    let columns = log.columns.iter().enumerate().map(|(at, (name, ty))| {
        // The note of a batch is open while its time is null.
        let null = if at < once.columns.len() { "NOT NULL" } else { dialect.null_column.trim() };
        let words = [(dialect.type_name)(ty), null.to_owned()];
        DefinedColumn {
            name: dialect.identifier(name, false),
            words: words.into_iter().filter(|word| !word.is_empty()).collect(),
        }
    });
    let key = log.enforced.then(|| format!("PRIMARY KEY ({})", once.columns.join(", ")));
    Some(Definition {
        table: once.log.clone(),
        guard,
        columns: columns.collect(),
        constraints: key.into_iter().collect(),
        storage: log.storage.clone(),
    })
}

/// ` NULLS NOT DISTINCT` or nothing for the unique key, when there is to be one. A key in which null repeats is kept by the
/// load alone; an index that lets it in proves nothing.
fn unique(plan: &Plan) -> Option<&'static str> {
    let dialect = plan.dialect;
    let nullable = has_nullable_key(plan);
    if plan.load.key.is_empty() {
        return None;
    }
    let wanted = is_needed(plan) || (!nullable && dialect.index_nulls != IndexNulls::NotEnforced);
    let nulls = if nullable && dialect.index_nulls == IndexNulls::DistinctOrNot { " NULLS NOT DISTINCT" } else { "" };
    wanted.then_some(nulls)
}

/// The same where every column of the key can be in an index.
pub(super) fn indexed(plan: &Plan) -> Option<&'static str> {
    let unfit = |column: &Column| column.key && (plan.dialect.ddl.unindexed)(&column.ty).is_some();
    unique(plan).filter(|_| !plan.columns.iter().any(unfit))
}

/// True when the load is wrong without the unique key.
pub(super) fn is_needed(plan: &Plan) -> bool {
    matches!(plan.form, Form::OnConflict | Form::OnDuplicateKey)
}

fn has_nullable_key(plan: &Plan) -> bool {
    plan.columns.iter().any(|column| column.is_written() && column.key && column.nullable)
}

/// The unique key as a constraint.
fn inside(plan: &Plan, nulls: &str) -> String {
    format!("UNIQUE{nulls} ({})", plan.load.key.join(", "))
}

/// What stands behind the brackets.
pub(super) fn storage(plan: &Plan) -> String {
    let version = match plan.version.as_slice() {
        [index] => Some(&plan.columns[*index]).filter(|column| !column.nullable),
        _ => None,
    };
    (plan.dialect.storage)(&Storage {
        key: &plan.load.key,
        nullable_key: has_nullable_key(plan),
        version: version.map(|column| (column.sql.as_str(), &column.ty)),
    })
}

impl DdlPlan {
    /// The steps that make the table.
    pub(super) fn create(&mut self, table: &spec::Table, faults: &mut Vec<Diagnostic>) {
        let plan = &self.plan;
        let ddl = plan.dialect.ddl;
        let mut steps = Vec::new();
        let guard = match guarded(plan, ddl.create_table, IF_NOT_EXISTS, "", false) {
            Ok(guard) => guard,
            Err(because) => {
                let message = format!("a table cannot be made by a script that runs again: {because}");
                faults.push(Diagnostic::error("plan-ddl", message).at(table.name.span.clone(), ""));
                return;
            }
        };
        let unique = unique(plan).filter(|_| self.is_indexable(faults));
        let mut constraints: Vec<String> = self.columns.iter().filter_map(|column| column.constraint.clone()).collect();
        if let (Some(nulls), Unique::Inside) = (unique, ddl.unique) {
            constraints.insert(0, inside(plan, nulls));
        }
        let mut storage = storage(plan);
        let about = literal_of(plan, table.description.as_deref());
        if let (Comments::Inside { table: words, .. }, Some(text)) = (ddl.comments, &about) {
            storage.push_str(&words.replace("{text}", text));
        }
        steps.push(Step {
            action: Action::CreateTable(Definition {
                table: plan.load.target.clone(),
                guard: guard.words,
                columns: self.columns.iter().map(|column| column.defined.clone()).collect(),
                constraints,
                storage,
            }),
            wrap: guard.wrap,
        });
        if let (Some(nulls), Unique::Index { schema_before_name }) = (unique, ddl.unique) {
            steps.push(Step { action: index(plan, table, nulls, schema_before_name), wrap: None });
        }
        if let (Some(log), Some(once)) = (&plan.log, &plan.load.once) {
            let name = log.parts.last().cloned().unwrap_or_default();
            let schema = log.parts.iter().rev().nth(1).cloned();
            if let Ok(guard) = beside(plan, ddl.create_table, IF_NOT_EXISTS, &once.log, schema.as_deref(), &name) {
                let definition = definition_of_log(plan, guard.words).into_iter();
                steps.extend(definition.map(|one| Step { action: Action::CreateTable(one), wrap: guard.wrap.clone() }));
            }
        }
        if ddl.comments == Comments::On {
            steps.extend(self.comments(about));
        }
        self.steps = steps;
    }

    /// The name of the unique index beside the table, without quotes, where the script makes one.
    pub fn index(&self) -> Option<String> {
        let makes = |step: &Step| matches!(step.action, Action::CreateIndex { .. });
        self.steps.iter().any(makes).then(|| index_name(&self.plan))
    }

    /// True when every column of the key can be in an index; a fault when the load needs that.
    fn is_indexable(&self, faults: &mut Vec<Diagnostic>) -> bool {
        let plan = &self.plan;
        let unfit = |column: &&Column| column.key && (plan.dialect.ddl.unindexed)(&column.ty).is_some();
        let Some(column) = plan.columns.iter().find(unfit) else { return true };
        if is_needed(plan) {
            let because = (plan.dialect.ddl.unindexed)(&column.ty).unwrap_or_default();
            let message = format!("the load needs a unique index over `{}`: {because}", column.name);
            faults.push(Self::fault(column, message, "give the column of the key a short type: `type: varchar(200)`"));
        }
        false
    }

    /// The descriptions, each as a statement.
    fn comments(&self, table: Option<String>) -> Vec<Step> {
        let target = &self.plan.load.target;
        let whole = table.map(|text| Action::Comment { on: format!("TABLE {target}"), text });
        let columns = self.columns.iter().filter_map(|column| {
            let text = column.description.clone()?;
            Some(Action::Comment { on: format!("COLUMN {target}.{}", column.column.sql), text })
        });
        whole.into_iter().chain(columns).map(|action| Step { action, wrap: None }).collect()
    }
}

/// The name of the unique index beside the table.
fn index_name(plan: &Plan) -> String {
    let keys = plan.columns.iter().filter(|column| column.key).map(|column| column.name.as_str());
    let long = format!("{}_{}_key", plan.name, keys.collect::<Vec<_>>().join("_"));
    let names = [long.clone(), format!("{}_key", plan.name)];
    let name = names.into_iter().find(|name| plan.dialect.name_fault(name).is_none());
    name.unwrap_or_else(|| format!("idemsql_{:016x}_key", fnv(FNV_START, long.bytes())))
}

/// The unique index beside the table. Its name is the one that PostgreSQL gives to such a constraint, so that a table which
/// has that is left as it is.
fn index(plan: &Plan, table: &spec::Table, nulls: &'static str, schema_before_name: bool) -> Action {
    let dialect = plan.dialect;
    let name = dialect.identifier(&index_name(plan), table.quote_always);
    let bare = dialect.identifier(&plan.name, table.quote_always);
    let schema = plan.load.target.strip_suffix(&bare).unwrap_or_default();
    let (name, table) =
        if schema_before_name { (format!("{schema}{name}"), bare) } else { (name, plan.load.target.clone()) };
    Action::CreateIndex { guard: IF_NOT_EXISTS, name, table, columns: plan.load.key.clone(), nulls }
}
