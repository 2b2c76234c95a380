//! What changes the table of an older spec into that of a newer one, without a row lost or a statement that fails again.

use super::column::Described;
use super::guard::guarded;
use super::table::storage;
use super::{Action, DdlPlan, Step};
use crate::diagnostic::Diagnostic;
use crate::dialect::ddl::{AddDefault, Keeps, Relax, Retype};
use crate::dialect::mechanism::Support;
use crate::spec::OnSchemaChange;

/// The kinds of differences.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A column that the old table lacks.
    Added,
    /// A column that the new one lacks.
    Dropped,
    /// A column of another type.
    Type,
    /// A column that takes null, or takes it no more.
    Null,
    /// Something that no statement changes safely.
    Fixed,
}

/// One difference: its kind, what it is in words, and the columns before and after.
struct Difference<'a> {
    kind: Kind,
    says: String,
    old: Option<&'a Described>,
    new: Option<&'a Described>,
}

impl DdlPlan {
    /// The steps that change the table of an older plan into this one's. With `once`, the script is run by something that
    /// runs it once.
    ///
    /// # Errors
    /// Every difference that is not to be made, or not safely.
    pub fn change_from(mut self, old: &Self, once: bool) -> Result<Self, Vec<Diagnostic>> {
        let differences = self.differences(old);
        let (mut steps, mut warnings, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        match self.policy {
            OnSchemaChange::Ignore => {}
            OnSchemaChange::Fail => faults.extend(self.listed(&differences)),
            OnSchemaChange::AppendNewColumns | OnSchemaChange::SyncAllColumns => {
                for difference in &differences {
                    match self.step(difference, once, &mut warnings) {
                        Ok(step) => steps.extend(step),
                        Err(fault) => faults.push(fault),
                    }
                }
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        // What can fail comes before what loses data. A type and its NOT NULL may be one statement.
        steps.sort_by_key(|step| matches!(step.action, Action::DropColumn { .. }));
        steps.dedup();
        self.steps = steps;
        self.warnings.extend(warnings);
        Ok(self)
    }

    fn differences<'a>(&'a self, old: &'a Self) -> Vec<Difference<'a>> {
        let dialect = self.plan.dialect;
        let same =
            |one: &Described, other: &Described| dialect.folded(&one.column.name) == dialect.folded(&other.column.name);
        let mut all = Vec::new();
        for new in &self.columns {
            let name = &new.column.name;
            let mut differs = |kind, says: String, old| all.push(Difference { kind, says, old, new: Some(new) });
            let Some(old) = old.columns.iter().find(|old| same(old, new)) else {
                differs(Kind::Added, format!("`{name}` is new"), None);
                continue;
            };
            let types = [old, new].map(|column| (dialect.type_name)(&column.column.ty));
            if types[0] != types[1] {
                let says = format!("`{name}` was {} and is {}", old.column.ty, new.column.ty);
                differs(Kind::Type, says, Some(old));
            }
            if old.column.nullable != new.column.nullable {
                let says = if new.column.nullable { "takes null now" } else { "takes null no more" };
                differs(Kind::Null, format!("`{name}` {says}"), Some(old));
            }
            if old.identity != new.identity || old.generated != new.generated {
                differs(Kind::Fixed, format!("`{name}` is computed by the engine in another way"), Some(old));
            }
        }
        let gone = old.columns.iter().filter(|old| !self.columns.iter().any(|new| same(old, new)));
        for old in gone {
            let says = format!("`{}` is gone", old.column.name);
            all.push(Difference { kind: Kind::Dropped, says, old: Some(old), new: None });
        }
        if old.plan.load.key != self.plan.load.key || storage(&old.plan) != storage(&self.plan) {
            let says = "the unique key, or what the engine stores rows by, is another one".to_owned();
            all.push(Difference { kind: Kind::Fixed, says, old: None, new: None });
        }
        all
    }

    /// The differences as one fault, for a spec that wants to hear of them.
    fn listed(&self, differences: &[Difference<'_>]) -> Option<Diagnostic> {
        let first = differences.first()?;
        let all: Vec<&str> = differences.iter().map(|difference| difference.says.as_str()).collect();
        let message =
            format!("the table `{}` is no longer that of the older spec: {}", self.plan.table, all.join("; "));
        let at = first.new.map_or(self.span.clone(), |new| new.column.span.clone());
        let fault = Diagnostic::error("plan-ddl-change", message).at(at, "");
        Some(fault.help(
            "write `on_schema_change: append_new_columns` to add what is new, or `sync_all_columns` to change types and \
             to drop what is gone, too",
        ))
    }

    /// The statement that makes a difference; none where the policy leaves it.
    fn step(
        &self,
        difference: &Difference<'_>,
        once: bool,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<Option<Step>, Diagnostic> {
        let sync = self.policy == OnSchemaChange::SyncAllColumns;
        let refused = |because: &str, help: &str| {
            let at = difference.new.map_or(self.span.clone(), |new| new.column.span.clone());
            let message = format!("the table `{}` cannot be changed: {}; {because}", self.plan.table, difference.says);
            Diagnostic::error("plan-ddl-change", message).at(at, "").help(help)
        };
        match (difference.kind, difference.old, difference.new) {
            (Kind::Added, _, Some(new)) => self.added(new, once).map(Some).map_err(|(why, help)| refused(why, help)),
            (Kind::Dropped, Some(old), _) if sync => {
                let step = self.dropped(old, once).map_err(|why| refused(why, BY_HAND))?;
                warnings.push(dropping(&old.column.name, &self.plan.table).at(self.span.clone(), ""));
                Ok(Some(step))
            }
            (Kind::Type, Some(old), Some(new)) if sync => {
                self.retyped(old, new, once).map(Some).map_err(|(why, help)| refused(why, help))
            }
            (Kind::Null, _, Some(new)) if sync => {
                self.relaxed(new, once).map(Some).map_err(|(why, help)| refused(why, help))
            }
            (Kind::Fixed, ..) => Err(refused("no statement changes that in place", ANEW)),
            (Kind::Type | Kind::Null, _, Some(new)) => {
                let message = format!("{}, and `append_new_columns` leaves that as it is", difference.says);
                let told = Diagnostic::warning("plan-ddl-change", message).at(new.column.span.clone(), "");
                warnings.push(told.help("write `on_schema_change: sync_all_columns` to change it, too"));
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn added(&self, new: &Described, once: bool) -> Result<Step, (&'static str, &'static str)> {
        let plan = &self.plan;
        let add = plan.dialect.ddl.add;
        let filled = new.default.is_some() || new.identity || new.generated.is_some();
        if new.constraint.is_some() || new.identity {
            return Err(("the rows that are there would be numbered in any order", ANEW));
        }
        if !new.column.nullable && !filled {
            return Err(("the rows that are there would hold null in it", FILL));
        }
        let fits = match add.default {
            AddDefault::Any => true,
            AddDefault::Literal => new.default.is_none() || new.is_literal,
            AddDefault::No => !filled,
        };
        if !fits || (!new.column.nullable && !add.not_null) {
            return Err(("this engine adds no column with such a default or with NOT NULL", FILL));
        }
        let guard = guarded(plan, add.guard, " IF NOT EXISTS", &new.column.name, once).map_err(|why| (why, BY_HAND))?;
        let action = Action::AddColumn {
            table: plan.load.target.clone(),
            words: format!("{}{} ", add.words, guard.words),
            column: new.defined.clone(),
        };
        Ok(Step { action, wrap: guard.wrap })
    }

    fn dropped(&self, old: &Described, once: bool) -> Result<Step, &'static str> {
        let plan = &self.plan;
        let guard = guarded(plan, plan.dialect.ddl.drop, "IF EXISTS ", &old.column.name, once)?;
        let (table, name) = (plan.load.target.clone(), old.column.sql.clone());
        Ok(Step { action: Action::DropColumn { table, guard: guard.words, name }, wrap: guard.wrap })
    }

    fn retyped(&self, old: &Described, new: &Described, once: bool) -> Result<Step, (&'static str, &'static str)> {
        let retype = match self.plan.dialect.ddl.retype {
            Support::Yes(retype) => retype,
            Support::No { because, instead } => return Err((because, instead)),
        };
        if !new.column.ty.holds(&old.column.ty) {
            return Err(("values that are there may not fit", ANEW));
        }
        if !(retype.takes)(&old.column.ty, &new.column.ty) {
            return Err(("this engine does not change that type in place", ANEW));
        }
        if let Some(because) = retype.key.filter(|_| new.column.key) {
            return Err((because, ANEW));
        }
        if !retype.again && !once {
            return Err(("the statement may fail when it is run again", BY_HAND));
        }
        Ok(self.altered(retype.before, new, behind(retype, new)))
    }

    fn relaxed(&self, new: &Described, once: bool) -> Result<Step, (&'static str, &'static str)> {
        let ddl = self.plan.dialect.ddl;
        if !new.column.nullable {
            return Err(("rows that are there may hold null in it", TIGHTEN));
        }
        match (ddl.relax, ddl.retype) {
            (Support::No { because, instead }, _) | (Support::Yes(Relax::Retype), Support::No { because, instead }) => {
                Err((because, instead))
            }
            (Support::Yes(Relax::Retype), Support::Yes(retype)) => {
                Ok(self.altered(retype.before, new, behind(retype, new)))
            }
            (Support::Yes(Relax::Words { before, behind, guard }), _) => {
                let guard = guarded(&self.plan, guard, "", &new.column.name, once).map_err(|why| (why, BY_HAND))?;
                let step = self.altered(before, new, behind.to_owned());
                Ok(Step { wrap: guard.wrap, ..step })
            }
        }
    }

    fn altered(&self, before: &'static str, new: &Described, behind: String) -> Step {
        let (table, name) = (self.plan.load.target.clone(), new.column.sql.clone());
        Step { action: Action::AlterColumn { table, before, name, behind }, wrap: None }
    }
}

/// What stands behind a column of a new type.
fn behind(retype: Retype, new: &Described) -> String {
    let words = &new.defined.words;
    let kept: Vec<&str> = match retype.keeps {
        Keeps::All => words.iter().take(1).map(String::as_str).collect(),
        Keeps::Nothing => words.iter().map(String::as_str).collect(),
        Keeps::NotNull => {
            let null = if new.column.nullable { "NULL" } else { "NOT NULL" };
            words.iter().take(1).map(String::as_str).chain([null]).collect()
        }
    };
    format!("{}{}", retype.between, kept.join(" "))
}

/// What a dropped column means.
fn dropping(name: &str, table: &str) -> Diagnostic {
    let message = format!("the script drops the column `{name}` of `{table}` with all its values");
    Diagnostic::warning("plan-ddl-change", message)
        .help("write `on_schema_change: append_new_columns` to keep it, or save its values before")
}

/// What to do where a script that runs again cannot hold the statement.
const BY_HAND: &str = "run it once: render it for a migration tool that keeps count, with `--form flyway`, `dbmate`, `goose`, \
                       `sqlx`, `liquibase` or `golang-migrate`";

/// What to do where a table cannot be changed.
const ANEW: &str = "make a table of another name, fill it from the old one, and give the two their names in turn";

/// What to do for a column that rows would hold null in.
const FILL: &str = "add it with `nullable: true` and without a default, fill it, and say NOT NULL by hand after that";

/// What to do for a column that is to take null no more.
const TIGHTEN: &str = "fill the column, say NOT NULL by hand, and change the older spec, too";
