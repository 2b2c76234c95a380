//! The plan of a dbt model: the same reduction, window, guard and assignments as the plain load, between tables that dbt
//! names.
//!
//! dbt makes the target from the model's query at first, and later puts the query's rows into a temporary table, from which
//! our macro or a strategy of dbt itself loads the target. So the clock of the load is a column of the query.

use super::load::{Batch, Item};
use super::name::name_parts;
use super::planner::Planner;
use super::{Decision, Plan, chosen_strategy, column::Column};
use crate::diagnostic::{Diagnostic, nearest};
use crate::dialect::Dialect;
use crate::dialect::adapter::{Adapter, DbtLoad, DbtModel};
use crate::dialect::mechanism::{Form, Storage, Support};
pub use crate::spec::OnSchemaChange;
use crate::spec::{self, Bound, Source};
use crate::strategy::{Purpose, Strategy};

/// Stands for the target, which dbt calls `this`.
pub const TARGET: char = '\u{fdd1}';

/// Stands for the table of the staged rows, which dbt calls by `source` or `ref`.
pub const STAGED: char = '\u{fdd2}';

/// The strategy that our macro is.
pub const STRATEGY: &str = "idemsql";

/// What was decided for the dbt model of one table.
#[derive(Clone, Debug)]
pub struct DbtPlan {
    /// The load, whose target and staged rows are stand-ins. Its batch is that of an incremental run.
    pub plan: Plan,
    /// The batch of the first run, which makes the target.
    pub first: Batch,
    /// The adapter.
    pub adapter: &'static Adapter,
    /// The model's name.
    pub model: String,
    /// The target's name, when the model cannot be called so.
    pub alias: Option<String>,
    /// The target's catalog, when the spec names one.
    pub catalog: Option<String>,
    /// Where the rows come from, when it is a table.
    pub rows: Option<Rows>,
    /// dbt's name of the strategy.
    pub strategy: &'static str,
    /// dbt's unique key; empty when the strategy has none.
    pub unique_key: Vec<String>,
    /// What happens when the columns change.
    pub change: OnSchemaChange,
    /// What else the configuration says, as literals of Jinja.
    pub config: Vec<(&'static str, String)>,
    /// The tags of the model.
    pub tags: Vec<String>,
    /// What the user wants in its `meta`.
    pub meta: serde_json::Value,
    /// What the table holds, for people.
    pub description: Option<String>,
    /// What each column holds, for people.
    pub descriptions: Vec<Option<String>>,
    /// What a user should know.
    pub warnings: Vec<Diagnostic>,
}

/// A table of staged rows, as dbt calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// A model of the project.
    Ref(String),
    /// A table that dbt does not make.
    Source {
        /// The name of the source.
        source: String,
        /// The table in it.
        table: String,
        /// The database of the source, when the spec names one.
        catalog: Option<String>,
        /// True when the project declares it itself.
        declared: bool,
    },
}

impl DbtPlan {
    /// The columns of the target as a query over the reduced batch `b` gives them.
    pub fn select(&self) -> Vec<Item> {
        let load = &self.plan.load;
        let columns = load.columns.iter().zip(&load.inserts);
        columns
            .map(|(name, value)| Item {
                plain: *value == format!("b.{name}"),
                value: value.clone(),
                name: name.clone(),
            })
            .collect()
    }

    /// True when our macro loads the target.
    pub fn is_ours(&self) -> bool {
        self.strategy == STRATEGY
    }

    /// True when the rows of an incremental run carry marks that the target does not have.
    pub fn is_marked(&self) -> bool {
        self.plan.load.deletion.is_some() || self.plan.load.vanished.is_some()
    }
}

/// Decides everything about the dbt model of a table.
///
/// # Errors
/// Every reason why it cannot be made, with its place in the spec.
pub fn plan_dbt(
    table: &spec::Table,
    dialect: &'static Dialect,
    strategy: Option<&'static Strategy>,
) -> Result<DbtPlan, Vec<Diagnostic>> {
    let (adapter, written) = adapter_of(table, dialect).map_err(|fault| vec![fault])?;
    let strategy = chosen_strategy(table, strategy).map_err(|fault| vec![fault])?;
    let mut faults = check(table, dialect, adapter, written, strategy);
    let rows = rows_of(table).unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    let mut planner = Planner::new(table, dialect, strategy);
    planner.adapter = Some((adapter, written));
    let plan = match planner.run() {
        Ok(plan) if faults.is_empty() => plan,
        Ok(_) => return Err(faults),
        Err(found) => {
            faults.extend(found);
            return Err(faults);
        }
    };
    let mut first = plan.load.batch.clone();
    first.filter = std::mem::take(&mut planner.first_filter);
    let own = match (plan.form, written.load) {
        (Form::AntiJoin, _) | (_, DbtLoad::AppendVersion) => written.append,
        (_, DbtLoad::FilteredMerge) => "merge",
        (_, DbtLoad::Strategy(_)) => STRATEGY,
    };
    let keys = plan.columns.iter().filter(|column| column.key);
    let unique_key = match own {
        STRATEGY => keys.map(|column| column.name.clone()).collect(),
        // dbt writes it into SQL as it stands.
        "merge" if plan.form != Form::AntiJoin => keys.map(|column| column.sql.clone()).collect(),
        _ => Vec::new(),
    };
    let name = &table.name.value;
    let model: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
    let version = match plan.version.as_slice() {
        [only] if !plan.columns[*only].nullable => Some(&plan.columns[*only]),
        _ => None,
    };
    let config = (written.config)(&Storage {
        key: &plan.load.key,
        nullable_key: plan.columns.iter().any(|column| column.key && column.nullable),
        version: version.map(|column| (column.sql.as_str(), &column.ty)),
    });
    let asked = table.dbt.clone().unwrap_or_default();
    Ok(DbtPlan {
        first,
        adapter,
        alias: (model != *name).then(|| name.clone()),
        model,
        catalog: table.catalog.as_ref().map(|catalog| catalog.value.clone()),
        rows,
        strategy: own,
        unique_key,
        change: table.on_schema_change.as_ref().map_or(OnSchemaChange::Fail, |change| change.value),
        config,
        tags: asked.tags.into_iter().map(|tag| tag.value).collect(),
        meta: asked.meta.map_or(serde_json::Value::Null, |meta| meta.value),
        description: table.description.clone(),
        descriptions: table.columns.iter().map(|column| column.description.clone()).collect(),
        warnings: warnings(table),
        plan,
    })
}

/// The adapter that the spec asks for, or the usual one of the dialect, and how a model for it is written.
fn adapter_of(table: &spec::Table, dialect: &Dialect) -> Result<(&'static Adapter, &'static DbtModel), Diagnostic> {
    let none = |because: &str, instead: &str| {
        Diagnostic::error("plan-dbt", format!("there is no dbt model for {}: {because}", dialect.title))
            .at(table.name.span.clone(), "this table")
            .help(format!("render this dialect with `--form {instead}`, or leave it out of `dialects`"))
    };
    let all = match dialect.dbt {
        Support::Yes(all) => all,
        Support::No { because, instead } => return Err(none(because, instead)),
    };
    let asked = table.dbt.as_ref().and_then(|dbt| dbt.adapter.as_ref());
    let found = asked.map_or(all.first(), |asked| all.iter().find(|adapter| adapter.name == asked.value));
    match (found.map(|adapter| (adapter, &adapter.model)), asked) {
        (Some((adapter, Support::Yes(model))), _) => Ok((adapter, model)),
        (Some((_, Support::No { because, instead })), None) => Err(none(because, instead)),
        (Some((_, Support::No { because, .. })), Some(asked)) => {
            let fault = format!("there is no dbt model for `{}`: {because}", asked.value);
            Err(Diagnostic::error("plan-dbt", fault).at(asked.span.clone(), "").help("leave `adapter` out"))
        }
        (None, Some(asked)) => Err(unknown(asked, all, dialect)),
        (None, None) => Err(none("no adapter speaks it", "sql")),
    }
}

/// An adapter that speaks another dialect, or is none.
fn unknown(asked: &spec::Located<String>, all: &[Adapter], dialect: &Dialect) -> Diagnostic {
    let written = all.iter().filter(|adapter| matches!(adapter.model, Support::Yes(_)));
    let names: Vec<&str> = written.map(|adapter| adapter.name).collect();
    let fault = format!("`{}` is not a dbt adapter for {}", asked.value, dialect.title);
    let fault = Diagnostic::error("plan-dbt", fault).at(asked.span.clone(), "");
    match nearest(&asked.value, names.iter().copied()) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.help(format!("write one of {}, or leave `adapter` out", names.join(", "))),
    }
}

/// Where the rows come from, as dbt calls it; none for a query and for literal rows.
fn rows_of(table: &spec::Table) -> Result<Option<Rows>, Diagnostic> {
    let source = &table.source;
    let asked = table.dbt.as_ref().and_then(|dbt| dbt.model.as_ref().or(dbt.source.as_ref()));
    let Source::Table(path) = &source.value else {
        return match asked {
            None => Ok(None),
            Some(asked) => {
                Err(Diagnostic::error("plan-dbt", "`source` and `ref` name the table that the rows come from")
                    .at(asked.span.clone(), "")
                    .at(source.span.clone(), "these rows come from no table")
                    .help("write `source: {table: ..}`, or leave the key out of `dbt`"))
            }
        };
    };
    if let Some(dbt) = &table.dbt {
        if let Some(model) = &dbt.model {
            return Ok(Some(Rows::Ref(model.value.clone())));
        }
        if let Some((source, name)) = dbt.source.as_ref().and_then(|source| source.value.split_once('.')) {
            let (source, table) = (source.to_owned(), name.to_owned());
            return Ok(Some(Rows::Source { source, table, catalog: None, declared: true }));
        }
    }
    let (catalog, source, name) = match name_parts(path).as_slice() {
        [source, table] => (None, source.clone(), table.clone()),
        [catalog, source, table] => (Some(catalog.clone()), source.clone(), table.clone()),
        _ => {
            return Err(Diagnostic::error(
                "plan-dbt",
                format!("`{path}` names no schema, and dbt calls a source by its schema"),
            )
            .at(source.span.clone(), "")
            .help("name the model or the source: `dbt: {ref: ..}` or `dbt: {source: raw.orders}`"));
        }
    };
    Ok(Some(Rows::Source { source, table: name, catalog, declared: false }))
}

/// What a dbt model cannot do.
fn check(
    table: &spec::Table,
    dialect: &Dialect,
    adapter: &Adapter,
    written: &DbtModel,
    strategy: &Strategy,
) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let mut refuse = |message: String, span: &std::ops::Range<usize>, help: &str| {
        faults.push(Diagnostic::error("plan-dbt", message).at(span.clone(), "").help(help));
    };
    if matches!(table.source.value, Source::Parameters) {
        let help = "write `source: {table: ..}`, or render with `--form sql`";
        refuse("a dbt model has no bind parameters".to_owned(), &table.source.span, help);
    }
    for column in table.columns.iter().filter(|column| column.generated || column.identity) {
        let message = format!("dbt makes the table from the model's query, which cannot make `{}`", column.name.value);
        refuse(message, &column.name.span, "leave the column out for dbt, or give it a `value`");
    }
    let bounds = table.window.iter().flat_map(|window| std::iter::once(&window.start).chain(&window.end));
    for bound in bounds.filter(|bound| !matches!(bound.value, Bound::Value(_))) {
        let message = "dbt knows no variable or parameter of a scheduler".to_owned();
        refuse(message, &bound.span, "leave `window` out: the model finds its window in the table itself");
    }
    let name = &table.name;
    if !written.quotes_tables && dialect.identifier(&name.value, false) != name.value {
        let message =
            format!("dbt does not quote the names of tables on {}, and `{}` needs quotes", dialect.title, name.value);
        refuse(message, &name.span, "rename the table to lower case letters, digits and `_`");
    }
    let asked = &table.asked_at();
    let merges = written.load == DbtLoad::Strategy(Form::Merge);
    if strategy.mirrors() || strategy.appends() {
        let message = format!("`{}` is not written as a dbt model yet", strategy.name);
        refuse(message, asked, "write `materialized: table` in a model of your own, or render with `--form sql`");
    }
    if strategy.purpose != Purpose::Load {
        let message = format!("`{}` is no model: a table is not all that it writes", strategy.name);
        refuse(message, asked, "render it with `--form sql`, and let a hook or the scheduler run it");
    }
    if strategy.versions {
        let message = format!("`{}` is not written as a dbt model", strategy.name);
        refuse(message, asked, "write a snapshot of dbt with `strategy: timestamp`, or render with `--form sql`");
    }
    if strategy.replaces() && !merges {
        let message = format!("dbt-{} takes no statement that replaces a part of the table", adapter.name);
        refuse(message, asked, "write `strategy: upsert`, or render with `--form sql`");
    }
    let hard = table.deletes.as_ref().filter(|deletes| deletes.flag.is_none());
    if let (Some(deletes), DbtLoad::FilteredMerge | DbtLoad::AppendVersion) = (hard, written.load) {
        let message =
            format!("dbt-{} takes no strategy but its own, and those delete nothing by a row's content", adapter.name);
        refuse(message, &deletes.when.span, "flag the rows instead: `deletes: {when: .., flag: is_deleted}`");
    }
    if written.load == DbtLoad::FilteredMerge && !strategy.insert_only {
        let nullable = |column: &&spec::Column| column.nullable.as_ref().is_some_and(|nullable| nullable.value);
        for column in table.unique_key.iter().filter_map(|key| table.column(&key.value)).filter(nullable) {
            let message = format!(
                "dbt-{} takes no strategy but its own, and its merge inserts a row again when `{}` is null",
                adapter.name, column.name.value
            );
            refuse(
                message,
                &column.name.span,
                "write `nullable: false`, or give null a value with `source: COALESCE(..)`",
            );
        }
    }
    let marked = hard.is_some() || strategy.replaces();
    let adds = |change: &&spec::Located<OnSchemaChange>| {
        matches!(change.value, OnSchemaChange::AppendNewColumns | OnSchemaChange::SyncAllColumns)
    };
    if let Some(change) = table.on_schema_change.as_ref().filter(|_| marked).filter(adds) {
        let message = "rows that delete carry a mark, and dbt would make a column of it".to_owned();
        refuse(message, &change.span, "write `on_schema_change: fail`, and run with --full-refresh after a change");
    }
    faults
}

/// What a value of `on_schema_change` loses.
fn warnings(table: &spec::Table) -> Vec<Diagnostic> {
    let Some(change) = &table.on_schema_change else { return Vec::new() };
    let (loses, help) = match change.value {
        OnSchemaChange::Fail => return Vec::new(),
        OnSchemaChange::Ignore => (
            "`ignore` compares no columns: a strategy of dbt itself leaves a new column out without a word, and ours fails",
            "write `fail`, and run with --full-refresh after a change, or add the column to the table yourself",
        ),
        OnSchemaChange::AppendNewColumns => (
            "`append_new_columns` leaves a new column null in rows that are not loaded again, and a column that leaves the \
             spec null in rows that come later",
            "run with --full-refresh after a change, or fill the column yourself",
        ),
        OnSchemaChange::SyncAllColumns => (
            "`sync_all_columns` drops a column that leaves the spec, or is renamed, with all its values",
            "write `append_new_columns` or `fail`, and drop columns yourself",
        ),
    };
    vec![Diagnostic::warning("dbt-schema-change", loses).at(change.span.clone(), "").help(help)]
}

impl Planner<'_> {
    /// The form in which dbt's rows are loaded.
    pub(super) fn dbt_form(&mut self, adapter: &Adapter, written: &DbtModel, insert_only: bool) -> Form {
        let form = match written.load {
            // Also where rows are only inserted: it takes the lock, which a strategy of dbt itself does not.
            DbtLoad::Strategy(form) => form,
            _ if insert_only => Form::AntiJoin,
            DbtLoad::FilteredMerge | DbtLoad::AppendVersion => Form::AppendVersion,
        };
        self.decisions.push(Decision::new("form", format!("a model of dbt-{}", adapter.name), "asked for"));
        form
    }

    /// The value of a column that the load computes, where it is written: dbt's rows hold it already.
    pub(super) fn computed(&self, column: &Column, value: &str, b: &str) -> String {
        if self.adapter.is_some() { column.of(b) } else { value.to_owned() }
    }
}
