//! A plan in the making.

use super::column::{Column, ValueFrom};
use super::expression;
use super::form::Question;
use super::load::{Load, MergeShape};
use super::name::name_parts;
use super::{Decision, Missing, Plan, PlannedWindow, Staged, once, promise};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::dialect::adapter::{Adapter, DbtModel};
use crate::dialect::mechanism::{Absent, Form, Reduce, UpdateFrom};
use crate::dialect::types::{Literal, Type};
use crate::spec::{self, Concurrency, Source, Update};
use crate::strategy::{Purpose, Strategy};

/// A plan in the making.
pub(super) struct Planner<'a> {
    pub(super) table: &'a spec::Table,
    pub(super) dialect: &'static Dialect,
    pub(super) strategy: &'static Strategy,
    pub(super) columns: Vec<Column>,
    /// Indexes of the version columns, most significant first.
    pub(super) version: Vec<usize>,
    pub(super) load: Load,
    pub(super) decisions: Vec<Decision>,
    pub(super) faults: Vec<Diagnostic>,
    /// The batch column that marks a deletion, when staged rows delete.
    pub(super) deletion_flag: Option<String>,
    pub(super) window: Option<PlannedWindow>,
    pub(super) missing: Option<Missing>,
    pub(super) staged_filter: Option<String>,
    pub(super) log: Option<once::Log>,
    /// The literal rows, each value with the place of its column; filled when the batch is made.
    pub(super) literals: Vec<Vec<(usize, Literal)>>,
    /// What reads the window's bound into a variable of the session: behind the lock, or another session may have moved it.
    pub(super) bound: Option<String>,
    /// Bind parameters so far, outside the staged row.
    pub(super) parameters: usize,
    /// The adapter, when dbt runs the load, and how a model for it is written.
    pub(super) adapter: Option<(&'static Adapter, &'static DbtModel)>,
    /// What of `load.batch.filter` holds when the target is made.
    pub(super) first_filter: Vec<String>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(table: &'a spec::Table, dialect: &'static Dialect, strategy: &'static Strategy) -> Self {
        Planner {
            table,
            dialect,
            strategy,
            columns: Vec::new(),
            version: Vec::new(),
            load: Load::default(),
            decisions: Vec::new(),
            faults: Vec::new(),
            deletion_flag: None,
            literals: Vec::new(),
            window: None,
            missing: None,
            staged_filter: None,
            log: None,
            bound: None,
            parameters: 0,
            adapter: None,
            first_filter: Vec::new(),
        }
    }
}

impl Planner<'_> {
    pub(super) fn run(&mut self) -> Result<Plan, Vec<Diagnostic>> {
        self.load.names = self.aliases();
        self.name_columns();
        self.check_names();
        if let Source::Query(text) = &self.table.source.value {
            self.faults.extend(expression::check_query(text, &self.table.source.span, self.dialect).err());
        }
        self.check_named();
        self.check_keys();
        self.check_missing();
        self.check_history();
        self.check_partition();
        self.check_batch();
        if !self.faults.is_empty() {
            return Err(std::mem::take(&mut self.faults));
        }
        let hard_deletes = self.table.deletes.as_ref().is_some_and(|deletes| deletes.flag.is_none());
        let question = Question {
            strategy: self.strategy,
            dialect: self.dialect,
            columns: &self.columns,
            deletes: hard_deletes,
            span: self.table.asked_at(),
        };
        let insert_only = question.insert_only();
        let form = match self.adapter {
            Some((adapter, written)) => self.dbt_form(adapter, written, insert_only),
            None if self.strategy.purpose == Purpose::Effect && !self.table.source.value.is_parameters() => {
                self.effect_form().map_err(|fault| vec![fault])?
            }
            None => question.choose(&mut self.decisions).map_err(|fault| vec![fault])?,
        };
        self.fill(form, insert_only, hard_deletes);
        let promises = promise::promises(self, form, hard_deletes);
        let needs = promise::needs(self, form);
        if !self.faults.is_empty() {
            return Err(std::mem::take(&mut self.faults));
        }
        let staged = self.staged();
        let group = self.group().into_iter();
        let group = group.filter_map(|name| self.place(&name.value)).collect();
        let flag = self.table.deletes.as_ref().and_then(|deletes| deletes.flag.as_ref());
        let deletion_column = flag.and_then(|flag| self.place(&flag.value));
        Ok(Plan {
            staged,
            version: std::mem::take(&mut self.version),
            keep_on_tie: self.table.keep_on_tie,
            window: self.window.take(),
            group,
            missing: self.missing.take(),
            deletion_column,
            staged_filter: self.staged_filter.take(),
            log: self.log.take(),
            table: self.table_name(),
            name: self.table.name.value.clone(),
            schema: self.table.schema.as_ref().map(|schema| schema.value.clone()),
            dialect: self.dialect,
            strategy: self.strategy,
            form,
            load: std::mem::take(&mut self.load),
            columns: std::mem::take(&mut self.columns),
            decisions: std::mem::take(&mut self.decisions),
            promises,
            needs,
        })
    }

    /// Everything that the template reads.
    pub(super) fn fill(&mut self, form: Form, insert_only: bool, hard_deletes: bool) {
        let target = self.target_path();
        let last = self.dialect.identifier(&self.table.name.value, self.table.quote_always);
        let merge = self.dialect.merge_syntax;
        let aliased = match form {
            Form::OnConflict => true,
            Form::Merge | Form::StagedMerge => merge.is_some_and(|merge| merge.target_alias),
            Form::UpdateInsert => {
                let batch = self.dialect.script.and_then(|script| script.batch);
                batch.is_some_and(|batch| batch.update != UpdateFrom::From)
            }
            Form::OnDuplicateKey | Form::AntiJoin | Form::AppendVersion | Form::ClaimEffects | Form::AppendBatch => {
                false
            }
        };
        let as_ = self.dialect.table_alias;
        self.load.target = target;
        self.load.me = if aliased { self.load.names.t.clone() } else { last };
        self.load.alias = if aliased { format!(" {as_}{}", self.load.names.t) } else { String::new() };
        self.load.as_word = as_.to_owned();
        self.load.hit = self.free_name("hit");
        if !self.dialect.probe_hint.is_empty() {
            self.load.probe_hint = format!(" {}", self.dialect.probe_hint);
        }
        self.load.absent = match self.dialect.absent {
            Absent::NotExists => "not_exists",
            Absent::LeftJoin => "left_join",
        };
        if let (true, Some(deletes)) = (hard_deletes, self.table.deletes.clone()) {
            self.deletion_flag = Some(self.free_name("is_deletion"));
            match expression::qualified(&deletes.when, "`deletes.when`", &self.load.names.s, self.dialect) {
                Ok(when) => {
                    let when = Self::verbatim(&when);
                    let flag = self.deletion_flag.clone().unwrap_or_default();
                    self.load.batch = self.batch(form, Some((&flag, when)));
                }
                Err(fault) => self.faults.push(fault),
            }
        } else {
            self.load.batch = self.batch(form, None);
        }
        self.compare(form, insert_only);
        self.replaced_part(form);
        self.history();
        self.filter_target();
        self.once();
        if let Some(merge) = merge {
            self.load.merge = Some(MergeShape::of(merge));
        }
        self.frame(form);
        self.effects(form);
        // A bare batch is literal rows or parameters with no expression and no filter between them and the target.
        if form == Form::OnConflict && self.load.batch.bare {
            self.load.rows = self.short_rows();
        }
        // One row that is claimed: two sessions that first look for a key which is not there lock the gap against each other.
        // https://dev.mysql.com/doc/refman/8.4/en/innodb-locks-set.html
        let claims = self.strategy.purpose != Purpose::Load && self.table.source.value.is_parameters();
        if form == Form::OnDuplicateKey && claims {
            self.load.rows = self.short_rows();
        }
        let needs_where = matches!(self.dialect.reduce, Reduce::Qualify { needs_where: true });
        if needs_where && self.load.batch.reduce.is_some() && self.load.batch.filter.is_empty() {
            self.load.batch.filter.push("TRUE".to_owned());
        }
        if needs_where && self.load.batch.reduce.is_some() && self.first_filter.is_empty() {
            self.first_filter.push("TRUE".to_owned());
        }
        self.explain(form);
    }

    /// Decisions that a reader of the SQL may ask about.
    pub(super) fn explain(&mut self, form: Form) {
        let names =
            |list: &[usize]| list.iter().map(|at| self.columns[*at].name.as_str()).collect::<Vec<_>>().join(", ");
        if form == Form::AppendBatch {
            return;
        }
        let version = if self.version.is_empty() {
            Decision::new(
                "version order",
                "none",
                "no version and no incremental column: what is staged last replaces, and of two staged rows of one key the \
                 one with the greater values wins",
            )
        } else if self.strategy.versions {
            Decision::new(
                "version order",
                names(&self.version),
                "each version has a row, in its place whenever it comes; rows of equal version are told apart by their other \
                 columns",
            )
        } else {
            Decision::new(
                "version order",
                names(&self.version),
                "the greatest version of a key wins, null is the oldest; rows of equal version are told apart by their other columns",
            )
        };
        self.decisions.push(version);
        self.explain_batch(form);
        self.explain_columns();
        if self.table.incremental.is_some() && self.has_rows() {
            self.decisions.push(Decision::new(
                "window",
                "none",
                "the literal rows or the parameters are the whole batch",
            ));
        }
        if let Some(concurrency) = &self.table.concurrency
            && concurrency.value == Concurrency::Single
        {
            self.decisions.push(Decision::new(
                "concurrency",
                "single",
                "a lock makes a second load of this table wait",
            ));
        }
    }

    /// What happens to the staged rows before they meet the target.
    fn explain_batch(&mut self, form: Form) {
        if !self.load.rows.is_empty() {
            self.decisions.push(Decision::new(
                "staged rows",
                "VALUES",
                "a few rows with distinct keys need no filter and no reduction",
            ));
            return;
        }
        if self.load.batch.reduce.is_some() {
            self.decisions.push(Decision::new(
                "staged rows",
                if self.strategy.versions {
                    "reduced to one row of each version"
                } else {
                    "reduced to one row of each key"
                },
                "two staged rows of one key would fail the statement, be inserted both, or leave the winner to chance",
            ));
        }
        if matches!(form, Form::OnConflict | Form::OnDuplicateKey) {
            self.decisions.push(Decision::new(
                "staged rows",
                "joined to the target before they are proposed",
                "a proposed row uses up a sequence value, and an update locks its target row before the guard decides; a row \
                 that would change nothing is not even proposed",
            ));
        }
        if !self.load.updates.is_empty() {
            let compared = self.columns.iter().filter(|column| column.is_compared());
            let names: Vec<&str> = compared.map(|column| column.name.as_str()).collect();
            self.decisions.push(Decision::new(
                "row-change guard",
                names.join(", "),
                "a row is written only when one of these differs, null being a value",
            ));
        }
    }

    /// Columns that do not simply take the staged value.
    fn explain_columns(&mut self) {
        let mut said = Vec::new();
        for column in self.columns.iter().filter(|column| !column.key) {
            let why = match (&column.value, column.update) {
                (ValueFrom::Engine, _) => "the engine computes it, so it is never written",
                (_, Update::Never) => "it keeps its first value",
                (ValueFrom::Load(_), _) => "the load computes it, and it moves only when the row changes",
                (_, Update::IfNotNull) => "a new null keeps the old value",
                (_, Update::FirstNotNull) => "the first value that is not null stays",
                (_, Update::Greatest) => "the greater value stays",
                (_, Update::Least) => "the smaller value stays",
                (_, Update::Any) => "once true, it stays true",
                (_, Update::Always) if !column.is_compared() => "a difference in it alone writes nothing",
                (_, Update::Always) => continue,
            };
            said.push(Decision::new("column", column.name.clone(), why));
        }
        self.decisions.extend(said);
    }

    /// Where the staged rows come from, for whoever has to make some.
    pub(super) fn staged(&mut self) -> Staged {
        match &self.table.source.value {
            Source::Query(text) => Staged::Query(text.clone()),
            Source::Rows { .. } => Staged::Rows,
            Source::Parameters => Staged::Parameters,
            Source::Table(path) => {
                let mut columns: Vec<(String, Option<Type>)> = self
                    .columns
                    .iter()
                    .filter(|column| column.plain)
                    .map(|column| (column.name.clone(), Some(column.ty.clone())))
                    .collect();
                for (name, ty) in self.named_in_expressions() {
                    if !columns.iter().any(|(known, _)| *known == name) {
                        columns.push((name, ty));
                    }
                }
                let parts = name_parts(path);
                Staged::Table { sql: self.path_of(path, &self.table.source.span), parts, columns }
            }
        }
    }

    /// The staged columns that the user's expressions name.
    pub(super) fn named_in_expressions(&self) -> Vec<(String, Option<Type>)> {
        let typed = |name: &str| self.column(name).map(|column| column.ty.clone());
        // What an expression reads is most often of the type that it gives.
        let sources =
            self.table.columns.iter().filter_map(|spec| Some((spec.source.as_ref()?, typed(&spec.name.value))));
        let window =
            self.table.incremental.iter().filter_map(|incremental| {
                Some((incremental.source_column.as_ref()?, typed(&incremental.column.value)))
            });
        let deletes = self.table.deletes.iter().map(|deletes| (&deletes.when, None));
        let texts = sources.chain(window).chain(deletes);
        texts
            .flat_map(|(text, ty)| {
                let names = expression::columns(&text.value, self.dialect);
                names.into_iter().map(move |name| (name, ty.clone())).collect::<Vec<_>>()
            })
            .collect()
    }
}
