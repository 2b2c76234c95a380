//! Spec, dialect and strategy made into everything that a template may read, or refused.

mod batch;
mod column;
mod compare;
mod expression;
mod form;
mod frame;
pub mod load;
mod promise;
mod replace;
mod value;

use crate::diagnostic::{Diagnostic, nearest};
use crate::dialect::Dialect;
use crate::dialect::mechanism::{Absent, Form, Reduce, UpdateFrom};
use crate::dialect::types::{Literal, Overlap, TYPE_NAMES, Type};
pub use crate::spec::Update;
use crate::spec::{self, Concurrency, Source};
use crate::strategy::{self, Strategy};
pub use column::{Column, ValueFrom};
use compare::Compare;
use form::Question;
use load::{Assignment, Deletion, Load, MergeShape};
pub use promise::{GUARANTEES, Guarantee, Promise};
use std::ops::Range;

/// Stands for a line end of the user's own text while a template lays lines out: it must not be indented.
pub const LINE_END: char = '\u{fdd0}';

/// What was decided for one table, one dialect and one strategy.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The table as people call it: `mart.orders`.
    pub table: String,
    /// The target's name without its schema, as in the spec.
    pub name: String,
    /// The target's schema, as in the spec.
    pub schema: Option<String>,
    /// The dialect.
    pub dialect: &'static Dialect,
    /// The strategy.
    pub strategy: &'static Strategy,
    /// The shape of the statements.
    pub form: Form,
    /// What the template reads.
    pub load: Load,
    /// The columns, in the order of the spec.
    pub columns: Vec<Column>,
    /// Where the staged rows come from.
    pub staged: Staged,
    /// Indexes of the version columns, most significant first.
    pub version: Vec<usize>,
    /// True when a row of equal version does not replace.
    pub keep_on_tie: bool,
    /// The window, when there is one.
    pub window: Option<PlannedWindow>,
    /// Indexes of the columns of the group that is replaced whole.
    pub group: Vec<usize>,
    /// The column that is true for a deletion, when deletions keep their row.
    pub deletion_column: Option<usize>,
    /// The target filter over the staged row.
    pub staged_filter: Option<String>,
    /// Every decision, with its reason.
    pub decisions: Vec<Decision>,
    /// What the load promises, one answer per guarantee.
    pub promises: Vec<Promise>,
    /// What must exist before the load runs, in words.
    pub needs: Vec<String>,
}

/// Where the staged rows come from.
#[derive(Clone, Debug)]
pub enum Staged {
    /// A table.
    Table {
        /// Its name as it stands in SQL.
        sql: String,
        /// Its name, part by part, without quotes.
        parts: Vec<String>,
        /// The columns that the load reads of it; none of a type for one that only an expression names.
        columns: Vec<(String, Option<Type>)>,
    },
    /// A query of the user.
    Query(String),
    /// Rows in the spec or in a seed file.
    Rows,
    /// One row of bind parameters.
    Parameters,
}

/// The window of the incremental column.
#[derive(Clone, Debug)]
pub struct PlannedWindow {
    /// The column in the target: a place in the columns.
    pub column: usize,
    /// The staged value that is compared with it.
    pub staged: String,
    /// Its bounds.
    pub bounds: PlannedBounds,
}

/// The bounds of a window.
#[derive(Clone, Debug)]
pub enum PlannedBounds {
    /// From the greatest value in the target minus the overlap.
    Watermark {
        /// The overlap.
        overlap: Overlap,
        /// The floor when the target is empty; none for everything.
        initial: Option<Literal>,
    },
    /// As the caller gives them.
    Given {
        /// The first value inside; none when it is a variable or a parameter.
        start: Option<Literal>,
        /// The first value behind it: none when there is no end, and none inside when it is a variable or a parameter.
        end: Option<Option<Literal>>,
    },
}

/// One decision and why it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What was decided about.
    pub topic: &'static str,
    /// What was chosen.
    pub choice: String,
    /// Why.
    pub why: String,
}

impl Decision {
    fn new(topic: &'static str, choice: impl Into<String>, why: impl Into<String>) -> Self {
        Self { topic, choice: choice.into(), why: why.into() }
    }
}

/// Decides everything about the load of a table.
///
/// `strategy` overrides the one of the spec.
///
/// # Errors
/// Every reason why the load cannot be made, with its place in the spec.
pub fn plan(
    table: &spec::Table,
    dialect: &'static Dialect,
    strategy: Option<&'static Strategy>,
) -> Result<Plan, Vec<Diagnostic>> {
    let strategy = if let Some(given) = strategy {
        given
    } else {
        let named = named_strategy(table).map_err(|fault| vec![fault])?;
        if let (false, Some(group)) = (named.replaces, table.group_key.first()) {
            let fault = format!("`group_key` says what `delete_insert` replaces, and the strategy is `{}`", named.name);
            let help = "write `strategy: delete_insert`, or leave `group_key` out";
            return Err(vec![Diagnostic::error("plan-group", fault).at(group.span.clone(), "").help(help)]);
        }
        named
    };
    let mut planner = Planner {
        table,
        dialect,
        strategy,
        columns: Vec::new(),
        version: Vec::new(),
        load: Load::default(),
        decisions: Vec::new(),
        faults: Vec::new(),
        deletion_flag: None,
        window: None,
        staged_filter: None,
        parameters: 0,
    };
    planner.run()
}

/// The strategy that the spec names, or `upsert` when there is a unique key.
fn named_strategy(table: &spec::Table) -> Result<&'static Strategy, Diagnostic> {
    let names = || strategy::ALL.iter().map(|strategy| strategy.name);
    let Some(written) = &table.strategy else {
        let fault = Diagnostic::error(
            "plan-strategy",
            format!("table `{}` has no strategy and no unique key", table.name.value),
        )
        .at(table.name.span.clone(), "this table")
        .help("name its key: `unique_key: [..]`");
        return if table.unique_key.is_empty() { Err(fault) } else { strategy::find("upsert").ok_or(fault) };
    };
    strategy::find(&written.value).ok_or_else(|| {
        let label = |text: &str| Diagnostic::error("plan-strategy", text.to_owned()).at(written.span.clone(), "");
        if strategy::NOT_YET.contains(&written.value.as_str()) {
            return label(&format!("the strategy `{}` is not supported yet", written.value))
                .help(format!("use one of {}", names().collect::<Vec<_>>().join(", ")));
        }
        let all = names().collect::<Vec<_>>().join(", ");
        let fault = label(&format!("`{}` is not a strategy", written.value));
        match nearest(&written.value, names()) {
            Some(near) => fault.help(format!("did you mean `{near}`? The strategies are {all}")),
            None => fault.help(format!("use one of {all}")),
        }
    })
}

/// A plan in the making.
struct Planner<'a> {
    table: &'a spec::Table,
    dialect: &'static Dialect,
    strategy: &'static Strategy,
    columns: Vec<Column>,
    /// Indexes of the version columns, most significant first.
    version: Vec<usize>,
    load: Load,
    decisions: Vec<Decision>,
    faults: Vec<Diagnostic>,
    /// The batch column that marks a deletion, when staged rows delete.
    deletion_flag: Option<String>,
    window: Option<PlannedWindow>,
    staged_filter: Option<String>,
    /// Bind parameters so far, outside the staged row.
    parameters: usize,
}

impl Planner<'_> {
    fn run(&mut self) -> Result<Plan, Vec<Diagnostic>> {
        self.name_columns();
        self.check_names();
        if let Source::Query(text) = &self.table.source.value {
            self.faults.extend(expression::check_query(text, &self.table.source.span, self.dialect).err());
        }
        self.check_keys();
        if !self.faults.is_empty() {
            return Err(std::mem::take(&mut self.faults));
        }
        let hard_deletes = self.table.deletes.as_ref().is_some_and(|deletes| deletes.flag.is_none());
        let question = Question {
            strategy: self.strategy,
            dialect: self.dialect,
            columns: &self.columns,
            deletes: hard_deletes,
            span: self.table.strategy.as_ref().map_or(self.table.name.span.clone(), |strategy| strategy.span.clone()),
        };
        let insert_only = question.insert_only();
        let form = question.choose(&mut self.decisions).map_err(|fault| vec![fault])?;
        self.fill(form, insert_only, hard_deletes);
        let promises = promise::promises(self, form, hard_deletes);
        let needs = promise::needs(self, form);
        if !self.faults.is_empty() {
            return Err(std::mem::take(&mut self.faults));
        }
        let staged = self.staged();
        let index = |name: &String| self.columns.iter().position(|column| column.name == *name);
        let group = self.table.group_key.iter().filter_map(|name| index(&name.value)).collect();
        let flag = self.table.deletes.as_ref().and_then(|deletes| deletes.flag.as_ref());
        let deletion_column = flag.and_then(|flag| index(&flag.value));
        Ok(Plan {
            staged,
            version: std::mem::take(&mut self.version),
            keep_on_tie: self.table.keep_on_tie,
            window: self.window.take(),
            group,
            deletion_column,
            staged_filter: self.staged_filter.take(),
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

    /// The table as people call it.
    fn table_name(&self) -> String {
        let parts = [self.table.catalog.as_ref(), self.table.schema.as_ref(), Some(&self.table.name)];
        parts.into_iter().flatten().map(|part| part.value.as_str()).collect::<Vec<_>>().join(".")
    }

    fn name_columns(&mut self) {
        let table = self.table;
        let in_list = |list: &[spec::Located<String>], name: &str| list.iter().any(|located| located.value == name);
        let version: Vec<String> = if table.version.is_empty() {
            table.incremental.iter().map(|incremental| incremental.column.value.clone()).collect()
        } else {
            table.version.iter().map(|located| located.value.clone()).collect()
        };
        let flag = table.deletes.as_ref().and_then(|deletes| deletes.flag.as_ref());
        for spec in &table.columns {
            let name = spec.name.value.clone();
            let ty = match column::type_of(spec, self.dialect) {
                Ok(ty) => ty,
                Err((span, fault)) => {
                    let types = TYPE_NAMES.join(", ");
                    self.faults.push(Diagnostic::error("plan-type", fault).at(span, "").help(format!(
                        "use one of {types}, or name it for one dialect: `type: {{{}: ..}}`",
                        self.dialect.name
                    )));
                    Type::Text
                }
            };
            if let Some(fault) =
                spec.ty.as_ref().and_then(|written| expression::check_type(written, self.dialect).err())
                && spec.ty_is_native
            {
                self.faults.push(fault);
            }
            let key = in_list(&table.unique_key, &name);
            let sql = self.dialect.identifier(&name, table.quote_always);
            let value = self.value_of(spec, &ty, &sql, flag.is_some_and(|flag| flag.value == name));
            self.columns.push(Column {
                sql,
                nullable: spec.nullable.as_ref().map_or(!key, |nullable| nullable.value),
                key,
                version: version.contains(&name) && !key,
                value,
                update: spec.update.as_ref().map_or(Update::Always, |update| update.value),
                compared: spec.compare.as_ref().is_none_or(|compare| compare.value),
                span: spec.name.span.clone(),
                ty,
                name,
            });
        }
        let position = |name: &String| self.columns.iter().position(|column| column.name == *name && column.version);
        self.version = version.iter().filter_map(position).collect();
    }

    /// Where the value of a column comes from.
    fn value_of(&mut self, spec: &spec::Column, ty: &Type, sql: &str, is_flag: bool) -> ValueFrom {
        let mut read = |outcome: Result<String, Diagnostic>| match outcome {
            Ok(text) => text,
            Err(fault) => {
                self.faults.push(fault);
                String::new()
            }
        };
        if spec.generated || spec.identity {
            return ValueFrom::Engine;
        }
        if let (true, Some(deletes)) = (is_flag, &self.table.deletes) {
            let when = read(expression::qualified(&deletes.when, "`deletes.when`", "s", self.dialect));
            let (yes, no) = self.dialect.bools;
            return ValueFrom::Staged(format!("CASE WHEN {when} THEN {yes} ELSE {no} END"));
        }
        if let Some(value) = &spec.value {
            if value.value == "now" {
                return ValueFrom::Load((self.dialect.now)(ty).to_owned());
            }
            let mut found = None;
            let text = read(expression::qualified_by(value, "`value`", self.dialect, |name| {
                Err(Diagnostic::error(
                    "plan-value",
                    format!("`value` is computed by the load, which knows no column `{name}`"),
                )
                .at(value.span.clone(), "")
                .help("write `source: ..` for an expression over the staged row, or quote a text: \"'..'\""))
            }));
            found.get_or_insert(text);
            return ValueFrom::Load(found.map(|text| Self::verbatim(&text)).unwrap_or_default());
        }
        if let Some(source) = &spec.source {
            let text = read(expression::qualified(source, "`source`", "s", self.dialect));
            if let Some(function) = expression::volatile(&source.value, self.dialect) {
                self.faults.push(
                    Diagnostic::error(
                        "plan-volatile",
                        format!("`{function}` gives another value on every run, so no run could be quiet"),
                    )
                    .at(source.span.clone(), "")
                    .help(
                        "write `value: now` for the time of the load; keys and content must come from the staged row",
                    ),
                );
            }
            return ValueFrom::Staged(Self::verbatim(&text));
        }
        ValueFrom::Staged(format!("s.{sql}"))
    }

    fn check_names(&mut self) {
        let table = self.table;
        let named = [table.catalog.as_ref(), table.schema.as_ref(), Some(&table.name)];
        let names = named.into_iter().flatten().chain(table.columns.iter().map(|column| &column.name));
        for name in names {
            if let Some(fault) = self.dialect.name_fault(&name.value) {
                self.faults.push(
                    Diagnostic::error("plan-name", format!("`{}` cannot be a name: {fault}", visible(&name.value)))
                        .at(name.span.clone(), "")
                        .help("rename it, or give this dialect a table of its own"),
                );
            }
        }
        for (at, column) in table.columns.iter().enumerate() {
            let folded = self.dialect.folded(&column.name.value);
            let twin = table.columns[..at].iter().find(|other| self.dialect.folded(&other.name.value) == folded);
            if let Some(twin) = twin {
                self.faults.push(
                    Diagnostic::error(
                        "plan-name",
                        format!(
                            "`{}` and `{}` are one column for {}",
                            twin.name.value, column.name.value, self.dialect.title
                        ),
                    )
                    .at(column.name.span.clone(), "differs in case only")
                    .at(twin.name.span.clone(), "from this one")
                    .help("rename one of them"),
                );
            }
        }
    }

    fn check_keys(&mut self) {
        if self.table.unique_key.is_empty() {
            let help = if self.strategy.replaces {
                "list the columns that tell one row of the part from another, all of them if need be"
            } else {
                "name the columns that tell one row from another: `unique_key: [..]`"
            };
            self.faults.push(
                Diagnostic::error("plan-key", format!("the strategy `{}` needs a unique key", self.strategy.name))
                    .at(self.table.name.span.clone(), "this table has none")
                    .help(help),
            );
        }
        for column in &self.columns {
            let fault = |text: &str| {
                Diagnostic::error("plan-key", format!("{text} `{}`", column.name)).at(column.span.clone(), "")
            };
            if column.key && column.value == ValueFrom::Engine {
                self.faults.push(
                    fault("the engine computes the key column")
                        .help("a staged row must hold its key: name other columns in `unique_key`"),
                );
            }
            if column.version && !column.is_staged() {
                self.faults.push(
                    fault("the staged rows do not hold the version column").help("order versions by a staged column"),
                );
            }
            if column.version && column.update != Update::Always {
                self.faults.push(
                    fault("`update` does not fit the version column")
                        .help("leave `update` out: the version always moves with the row"),
                );
            }
        }
        if self.strategy.replaces && self.table.group_key.is_empty() && self.table.incremental.is_none() {
            self.faults.push(
                Diagnostic::error("plan-window", "`delete_insert` must know which part of the target it replaces")
                    .at(self.table.name.span.clone(), "no part is named")
                    .help("write `incremental_column: ..` to replace a window, or `group_key: [..]` to replace whole groups"),
            );
        }
        if self.strategy.insert_only && self.table.deletes.as_ref().is_some_and(|deletes| deletes.flag.is_none()) {
            self.faults.push(
                Diagnostic::error("plan-deletes", "`insert_ignore` never changes a row, so it cannot delete one")
                    .at(self.table.deletes.as_ref().map_or(0..0, |deletes| deletes.when.span.clone()), "")
                    .help("write `strategy: upsert`"),
            );
        }
    }

    /// Everything that the template reads.
    fn fill(&mut self, form: Form, insert_only: bool, hard_deletes: bool) {
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
            Form::OnDuplicateKey | Form::AntiJoin | Form::AppendVersion => false,
        };
        let as_ = self.dialect.table_alias;
        self.load.target = target;
        self.load.me = if aliased { "t".to_owned() } else { last };
        self.load.alias = if aliased { format!(" {as_}t") } else { String::new() };
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
            match expression::qualified(&deletes.when, "`deletes.when`", "s", self.dialect) {
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
        self.filter_target();
        if let Some(merge) = merge {
            self.load.merge = Some(MergeShape::of(merge));
        }
        self.frame(form);
        if form == Form::OnConflict && self.has_rows() && self.table.target_filter.is_none() {
            self.load.rows = self.short_rows();
        }
        let needs_where = matches!(self.dialect.reduce, Reduce::Qualify { needs_where: true });
        if needs_where && self.load.batch.reduce.is_some() && self.load.batch.filter.is_empty() {
            self.load.batch.filter.push("TRUE".to_owned());
        }
        self.explain();
    }

    /// The keys, the guard and the assignments.
    fn compare(&mut self, form: Form, insert_only: bool) {
        let me = self.load.me.clone();
        let compare = Compare {
            dialect: self.dialect,
            key: self.columns.iter().filter(|column| column.key).collect(),
            version: self.version.iter().map(|at| &self.columns[*at]).collect(),
            compared: self.columns.iter().filter(|column| column.is_compared()).collect(),
            keep_on_tie: self.table.keep_on_tie,
        };
        let proposed = match form {
            Form::OnConflict => "EXCLUDED",
            Form::OnDuplicateKey if self.dialect.values_function => column::VALUES,
            _ => "b",
        };
        let written: Vec<&Column> = self.columns.iter().filter(|column| column.is_written()).collect();
        let mut load = std::mem::take(&mut self.load);
        load.columns = written.iter().map(|column| column.sql.clone()).collect();
        load.inserts = written
            .iter()
            .map(|column| match &column.value {
                ValueFrom::Load(value) => value.clone(),
                _ => column.of("b"),
            })
            .collect();
        load.key = compare.key.iter().map(|column| column.sql.clone()).collect();
        load.same_key_probe = compare.same_key("o", "b");
        load.same_key = compare.same_key(&me, "b");
        load.missing = match compare.key.iter().find(|column| !column.nullable) {
            Some(column) => format!("{} IS NULL", column.of("o")),
            None => String::new(),
        };
        if form == Form::AppendVersion {
            load.missing = format!("COALESCE(o.{}, 0) = 0", load.hit);
            load.inserts = written.iter().map(|column| appended(column, &load.hit)).collect();
        }
        if !insert_only {
            load.change_probe = compare.change("o", "b");
            load.change = compare.change(&me, proposed);
            load.updates = match form {
                Form::OnDuplicateKey => duplicate_key_updates(&compare, &self.columns, &me, proposed),
                _ => written
                    .iter()
                    .filter(|column| column.is_updated())
                    .map(|column| Assignment {
                        column: column.sql.clone(),
                        value: match &column.value {
                            // The proposed row holds the value already.
                            ValueFrom::Load(value) if form != Form::OnConflict => value.clone(),
                            _ => column.replaced(&me, proposed),
                        },
                    })
                    .collect(),
            };
        }
        if let Some(flag) = &self.deletion_flag {
            load.deletion = Some(Deletion {
                flag: flag.clone(),
                not_older: compare.not_older(&me, "b", false).into_iter().collect(),
            });
        }
        self.load = load;
    }

    /// A pruning predicate on the target holds for the staged rows too, or a key outside it would be inserted again.
    fn filter_target(&mut self) {
        let Some(filter) = &self.table.target_filter else { return };
        let find = |name: &str| {
            let column = self.columns.iter().find(|column| column.sql == name || column.name == name);
            let fault = |text: String| Diagnostic::error("plan-filter", text).at(filter.span.clone(), "");
            match column {
                None => Err(fault(format!("`target_filter` names `{name}`, which is not a column of the table"))
                    .help("filter by a key column or by a column with `update: never`")),
                Some(column) if column.key || column.update == Update::Never => Ok(column),
                Some(column) => Err(fault(format!(
                    "`target_filter` names `{}`, which can change: a row that moved out of the filter would be inserted a second time",
                    column.name
                ))
                .help("filter by a key column or by a column with `update: never`")),
            }
        };
        let read = |of: &dyn Fn(&Column) -> String| {
            expression::qualified_by(filter, "`target_filter`", self.dialect, |name| find(name).map(of))
        };
        let me = self.load.me.clone();
        let staged = |column: &Column| match &column.value {
            ValueFrom::Staged(value) => value.clone(),
            ValueFrom::Load(value) => value.clone(),
            ValueFrom::Engine => column.of("s"),
        };
        let all = (read(&|column| column.of(&me)), read(&|column| column.of("o")), read(&staged));
        match all {
            (Ok(written), Ok(probe), Ok(staged)) => {
                self.load.same_key.push(format!("({})", Self::verbatim(&written)));
                self.load.same_key_probe.push(format!("({})", Self::verbatim(&probe)));
                let staged = Self::verbatim(&staged);
                self.load.batch.filter.push(format!("({staged})"));
                self.staged_filter = Some(staged);
                self.decisions.push(Decision::new(
                    "target filter",
                    filter.value.clone(),
                    "applied to the target and to the staged rows, on columns that never change for a key",
                ));
            }
            (Err(fault), ..) | (_, Err(fault), _) | (.., Err(fault)) => self.faults.push(fault),
        }
    }

    /// Literal rows or parameters as the rows of VALUES.
    fn short_rows(&mut self) -> Vec<Vec<String>> {
        let literals = match &self.table.source.value {
            Source::Rows { rows, .. } => {
                let rows = rows.clone();
                // Faults were noted when the batch was made.
                let before = self.faults.len();
                let literals = self.literal_rows(&rows);
                self.faults.truncate(before);
                literals
            }
            _ => vec![Vec::new()],
        };
        let one = |row: &Vec<(usize, Literal)>| {
            let mut number = 0;
            self.columns
                .iter()
                .enumerate()
                .filter(|(_, column)| column.is_written())
                .map(|(at, column)| match &column.value {
                    ValueFrom::Load(value) => value.clone(),
                    _ => {
                        if let Some((_, literal)) = row.iter().find(|(index, _)| *index == at) {
                            Self::verbatim(&self.dialect.literal(literal, &column.ty))
                        } else {
                            number += 1;
                            self.dialect.parameter(number, &column.name, &column.ty)
                        }
                    }
                })
                .collect()
        };
        literals.iter().map(one).collect()
    }

    /// Decisions that a reader of the SQL may ask about.
    fn explain(&mut self) {
        let names =
            |list: &[usize]| list.iter().map(|at| self.columns[*at].name.as_str()).collect::<Vec<_>>().join(", ");
        let version = if self.version.is_empty() {
            Decision::new(
                "version order",
                "none",
                "no version and no incremental column: what is staged last replaces, and of two staged rows of one key the \
                 one with the greater values wins",
            )
        } else {
            Decision::new(
                "version order",
                names(&self.version),
                "the greatest version of a key wins, null is the oldest; rows of equal version are told apart by their other columns",
            )
        };
        self.decisions.push(version);
        if !self.load.rows.is_empty() {
            self.decisions.push(Decision::new(
                "staged rows",
                "VALUES",
                "a few rows with distinct keys need no filter and no reduction",
            ));
        }
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

    /// Where the staged rows come from, for whoever has to make some.
    fn staged(&mut self) -> Staged {
        match &self.table.source.value {
            Source::Query(text) => Staged::Query(text.clone()),
            Source::Rows { .. } => Staged::Rows,
            Source::Parameters => Staged::Parameters,
            Source::Table(path) => {
                let plain = |column: &&Column| column.value == ValueFrom::Staged(column.of("s"));
                let mut columns: Vec<(String, Option<Type>)> = self
                    .columns
                    .iter()
                    .filter(plain)
                    .map(|column| (column.name.clone(), Some(column.ty.clone())))
                    .collect();
                for name in self.named_in_expressions() {
                    if !columns.iter().any(|(known, _)| *known == name) {
                        columns.push((name, None));
                    }
                }
                let parts = name_parts(path);
                Staged::Table { sql: self.path_of(path, &self.table.source.span), parts, columns }
            }
        }
    }

    /// The staged columns that the user's expressions name.
    fn named_in_expressions(&self) -> Vec<String> {
        let sources = self.table.columns.iter().filter_map(|column| column.source.as_ref());
        let deletes = self.table.deletes.iter().map(|deletes| &deletes.when);
        let window = self.table.incremental.iter().filter_map(|incremental| incremental.source_column.as_ref());
        let texts = sources.chain(deletes).chain(window);
        texts.flat_map(|text| expression::columns(&text.value, self.dialect)).collect()
    }

    /// The target with its schema, as it stands in SQL.
    fn target_path(&self) -> String {
        let parts = [self.table.catalog.as_ref(), self.table.schema.as_ref(), Some(&self.table.name)];
        let quoted =
            parts.into_iter().flatten().map(|part| self.dialect.identifier(&part.value, self.table.quote_always));
        quoted.collect::<Vec<_>>().join(".")
    }

    /// A table that the spec names by its path, each part quoted where it must be. A part may itself be quoted with `"`.
    fn path_of(&mut self, path: &str, span: &Range<usize>) -> String {
        let parts = name_parts(path);
        for part in &parts {
            if let Some(fault) = self.dialect.name_fault(part) {
                self.faults.push(
                    Diagnostic::error("plan-name", format!("`{}` is not a table's name: {fault}", visible(path)))
                        .at(span.clone(), "")
                        .help("write it like raw.orders; a part with a dot of its own stands in double quotes"),
                );
            }
        }
        parts.iter().map(|part| self.dialect.identifier(part, self.table.quote_always)).collect::<Vec<_>>().join(".")
    }

    /// A name that no column of the table has.
    fn free_name(&self, wish: &str) -> String {
        let taken = |name: &str| self.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
        let mut name = wish.to_owned();
        while taken(&name) {
            name.push('_');
        }
        name
    }

    /// The user's own text, so marked that laying out the lines around it leaves it as it is.
    fn verbatim(text: &str) -> String {
        text.replace('\n', &LINE_END.to_string())
    }
}

/// The text with a visible form of every character that has none.
fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// The parts of a table's path, without quotes.
fn name_parts(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in path.chars() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            _ => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts
}

/// The value of a column in a row that is appended as a new version.
fn appended(column: &Column, hit: &str) -> String {
    match &column.value {
        ValueFrom::Load(value) if column.update == Update::Never => {
            format!("CASE WHEN o.{hit} = 1 THEN {} ELSE {value} END", column.of("o"))
        }
        ValueFrom::Load(value) => value.clone(),
        _ if column.key || column.update == Update::Always => column.of("b"),
        _ => format!("CASE WHEN o.{hit} = 1 THEN {} ELSE {} END", column.replaced("o", "b"), column.of("b")),
    }
}

/// The assignments of ON DUPLICATE KEY UPDATE, which has no WHERE and in which a later one sees what an earlier one
/// assigned: first the columns of the load, by the whole guard, then the content, then the version, most significant last.
fn duplicate_key_updates(compare: &Compare<'_>, columns: &[Column], me: &str, new: &str) -> Vec<Assignment> {
    let change = compare.change(me, new).join(" AND ");
    let not_older = compare.not_older(me, new, compare.keep_on_tie);
    let guarded = |column: &Column, guard: &str, value: &str| Assignment {
        column: column.sql.clone(),
        value: format!("IF({guard}, {value}, {})", column.of(me)),
    };
    let updated = || columns.iter().filter(|column| column.is_updated());
    let loads = updated().filter_map(|column| match &column.value {
        ValueFrom::Load(value) => Some(guarded(column, &change, value)),
        _ => None,
    });
    let staged = |column: &Column| {
        let value = column.replaced(me, new);
        match &not_older {
            Some(guard) => guarded(column, guard, &value),
            None => Assignment { column: column.sql.clone(), value },
        }
    };
    let content = updated().filter(|column| column.is_staged() && !column.version).map(staged);
    let versions = compare.version.iter().rev().map(|column| staged(column));
    loads.chain(content).chain(versions).collect()
}
