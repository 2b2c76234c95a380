//! What changes the table of an older spec, or of a database, into that of a newer one, without a row lost or a statement that
//! fails again.

use super::before::{self, Earlier, Live, Match};
use super::column::Described;
use super::guard::guarded;
use super::table::{indexed, is_needed, storage};
use super::{Action, DdlPlan, Step};
use crate::diagnostic::Diagnostic;
use crate::dialect::ddl::{AddDefault, Drop, Keeps, Relax, Retype, Unique};
use crate::dialect::mechanism::Support;
use crate::spec::OnSchemaChange;
use std::mem::discriminant;

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
    /// The unique key, which the table of a database lacks.
    Key,
    /// The same, where something else has the name of its index.
    KeyTaken,
}

/// One difference: its kind, what it is in words, and the columns before and after.
struct Difference<'a> {
    kind: Kind,
    says: String,
    old: Option<&'a Earlier>,
    new: Option<&'a Described>,
}

/// A table before its change.
struct Before<'a> {
    columns: &'a [Earlier],
    /// The table of a database; none for that of an older spec.
    live: Option<&'a Live>,
}

/// What differs, and what a user should know of it.
#[derive(Default)]
struct Differences<'a> {
    all: Vec<Difference<'a>>,
    warnings: Vec<Diagnostic>,
}

impl DdlPlan {
    /// The steps that change the table of an older plan into this one's. With `once`, the script is run by something that
    /// runs it once.
    ///
    /// # Errors
    /// Every difference that is not to be made, or not safely.
    pub fn change_from(self, old: &Self, once: bool) -> Result<Self, Vec<Diagnostic>> {
        let columns = before::of_spec(old);
        let mut found = self.differences(&Before { columns: &columns, live: None });
        if old.plan.load.key != self.plan.load.key || storage(&old.plan) != storage(&self.plan) {
            let says = "the unique key, or what the engine stores rows by, is another one".to_owned();
            found.all.push(Difference { kind: Kind::Fixed, says, old: None, new: None });
        }
        let (steps, warnings) = self.changed(found, OLDER_SPEC, once)?;
        Ok(self.with(steps, warnings))
    }

    /// The steps that change the table of a database into this one's. With `once`, the script is run by something that runs it
    /// once.
    ///
    /// # Errors
    /// Every difference that is not to be made, or not safely.
    pub fn change_live(self, live: &Live, once: bool) -> Result<Self, Vec<Diagnostic>> {
        let columns = before::of_database(live, self.plan.dialect, self.quote);
        let mut found = self.differences(&Before { columns: &columns, live: Some(live) });
        found.all.extend(self.key_difference(live));
        let (mut steps, warnings) = self.changed(found, DATABASE, once)?;
        match &live.log {
            Some(_) if self.policy == OnSchemaChange::Ignore => {}
            Some(log) => self.log_fault(log).map_or(Ok(()), |fault| Err(vec![fault]))?,
            // It is a table of its own, and is made where it is missing.
            None => steps.extend(self.steps.iter().filter(|step| self.makes_log(step)).cloned()),
        }
        Ok(self.with(steps, warnings))
    }

    fn with(mut self, steps: Vec<Step>, warnings: Vec<Diagnostic>) -> Self {
        self.steps = steps;
        self.warnings.extend(warnings);
        self
    }

    /// The steps of differences, and what a user should know.
    fn changed(
        &self,
        found: Differences<'_>,
        origin: &str,
        once: bool,
    ) -> Result<(Vec<Step>, Vec<Diagnostic>), Vec<Diagnostic>> {
        let Differences { all, mut warnings } = found;
        let (mut steps, mut faults) = (Vec::new(), Vec::new());
        match self.policy {
            OnSchemaChange::Ignore => warnings.clear(),
            OnSchemaChange::Fail => faults.extend(self.listed(&all, origin)),
            OnSchemaChange::AppendNewColumns | OnSchemaChange::SyncAllColumns => {
                for difference in &all {
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
        Ok((steps, warnings))
    }

    fn differences<'a>(&'a self, before: &Before<'a>) -> Differences<'a> {
        let dialect = self.plan.dialect;
        let is_live = before.live.is_some();
        let same = |old: &Earlier, new: &Described| dialect.folded(&old.name) == dialect.folded(&new.column.name);
        let mut found = Differences::default();
        for new in &self.columns {
            let name = &new.column.name;
            let mut differs = |kind, says: String, old| found.all.push(Difference { kind, says, old, new: Some(new) });
            let Some(old) = before.columns.iter().find(|old| same(old, new)) else {
                differs(Kind::Added, format!("`{name}` is new"), None);
                continue;
            };
            // The type of what the engine computes may be that of the expression.
            let computed = new.identity || new.generated.is_some();
            match old.matched(&new.column.ty, dialect) {
                Match::Same => {}
                Match::Other if is_live => {
                    let says = format!("`{name}` is {} in the database and {} in the spec", old.says, new.column.ty);
                    differs(Kind::Type, says, Some(old));
                }
                Match::Other => {
                    differs(Kind::Type, format!("`{name}` was {} and is {}", old.says, new.column.ty), Some(old));
                }
                Match::Unknown(why) => {
                    let told =
                        Diagnostic::warning("plan-ddl-change", format!("`{name}` {why}; its type is left as it is"));
                    found.warnings.push(told.at(new.column.span.clone(), "").help(format!(
                        "compare it with {} by hand; `type: {{{}: ..}}` says a type as the database writes it",
                        new.column.ty, dialect.name
                    )));
                }
            }
            let mut differs = |kind, says: String, old| found.all.push(Difference { kind, says, old, new: Some(new) });
            // What the engine computes takes null or not as it likes.
            if old.nullable != new.column.nullable && !(is_live && computed) {
                let says = match (is_live, new.column.nullable) {
                    (false, true) => "takes null now",
                    (false, false) => "takes null no more",
                    (true, true) => "takes null in the spec, and in the database it does not",
                    (true, false) => "takes null in the database, and in the spec it does not",
                };
                differs(Kind::Null, format!("`{name}` {says}"), Some(old));
            }
            if !old.is_computed_like(new) {
                differs(Kind::Fixed, format!("`{name}` is computed by the engine in another way"), Some(old));
            }
        }
        for old in before.columns.iter().filter(|old| !self.columns.iter().any(|new| same(old, new))) {
            let says = if is_live { "is not in the spec" } else { "is gone" };
            let says = format!("`{}` {says}", old.name);
            found.all.push(Difference { kind: Kind::Dropped, says, old: Some(old), new: None });
        }
        found
    }

    /// The unique key that the table of a database lacks.
    fn key_difference(&self, live: &Live) -> Option<Difference<'static>> {
        let plan = &self.plan;
        let nulls = indexed(plan).filter(|_| plan.dialect.ddl.unique != Unique::No)?;
        let key: Vec<&str> =
            plan.columns.iter().filter(|column| column.key).map(|column| column.name.as_str()).collect();
        if live.has_key(&key, !nulls.is_empty(), plan.dialect) {
            return None;
        }
        let whose = if nulls.is_empty() { "" } else { " in which null is a value" };
        let says = format!("the database has no unique index over ({}){whose}", plan.load.key.join(", "));
        let taken = live.taken.as_ref().map(|taken| format!(", and {taken} has the name of ours"));
        let kind = if taken.is_some() { Kind::KeyTaken } else { Kind::Key };
        Some(Difference { kind, says: says + &taken.unwrap_or_default(), old: None, new: None })
    }

    /// The index of the unique key, for a table that lacks it, or what a user should do.
    fn keyed(&self, says: &str, is_taken: bool, warnings: &mut Vec<Diagnostic>) -> Result<Option<Step>, Diagnostic> {
        let plan = &self.plan;
        let index = self.steps.iter().find(|step| matches!(step.action, Action::CreateIndex { .. }));
        if let Some(step) = index.filter(|_| !is_taken) {
            let message = format!("{says}: the script makes one, and fails where two rows have the same key");
            warnings.push(Diagnostic::warning("plan-ddl-change", message).at(self.span.clone(), ""));
            return Ok(Some(step.clone()));
        }
        let by_hand = format!(
            "take out rows with the same key, and run by hand: `CREATE UNIQUE INDEX .. ON {} ({})`",
            plan.load.target,
            plan.load.key.join(", ")
        );
        let because = if is_taken { "" } else { "; the engine adds none by a script that runs again" };
        if is_needed(plan) {
            let message = format!("the table `{}` cannot be changed: {says}{because}", plan.table);
            return Err(Diagnostic::error("plan-ddl-change", message).at(self.span.clone(), "").help(by_hand));
        }
        let message = format!("{says}{because}; the load itself keeps keys apart");
        warnings.push(Diagnostic::warning("plan-ddl-change", message).at(self.span.clone(), "").help(by_hand));
        Ok(None)
    }

    /// True for the step that makes the log of batches.
    fn makes_log(&self, step: &Step) -> bool {
        matches!(&step.action, Action::CreateTable(made) if made.table != self.plan.load.target)
    }

    /// Why a table is not the log of batches that the load needs.
    fn log_fault(&self, live: &Live) -> Option<Diagnostic> {
        let (dialect, log) = (self.plan.dialect, self.plan.log.as_ref()?);
        let once = self.plan.load.once.as_ref()?;
        let columns = before::of_database(live, dialect, false);
        let wrong = log.columns.iter().find_map(|(name, ty)| {
            let same = |old: &&Earlier| dialect.folded(&old.name) == dialect.folded(name);
            match columns.iter().find(same) {
                None => Some(format!("it lacks the column `{name}`")),
                Some(old) if matches!(old.matched(ty, dialect), Match::Other) => {
                    Some(format!("its column `{name}` is {} where {ty} is needed", old.says))
                }
                Some(_) => None,
            }
        });
        let key: Vec<&str> = log.columns.iter().take(once.columns.len()).map(|(name, _)| name.as_str()).collect();
        let unkeyed = log.enforced && !live.has_key(&key, false, dialect);
        let wrong = wrong.or_else(|| unkeyed.then(|| format!("it has no unique key over ({})", key.join(", "))))?;
        let message = format!("the table `{}` of the database is no log of batches: {wrong}", once.log);
        let help = "name another table: `batch: {column: .., log: ..}`, or make this one as `--form ddl` without --from writes it";
        Some(Diagnostic::error("plan-ddl-change", message).at(self.span.clone(), "").help(help))
    }

    /// The differences as one fault, for a spec that wants to hear of them.
    fn listed(&self, differences: &[Difference<'_>], origin: &str) -> Option<Diagnostic> {
        let first = differences.first()?;
        let all: Vec<&str> = differences.iter().map(|difference| difference.says.as_str()).collect();
        let message = format!("the table `{}` {origin}: {}", self.plan.table, all.join("; "));
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
                let step = self.dropped(old, once).map_err(|(why, help)| refused(why, help))?;
                warnings.push(dropping(&old.name, &self.plan.table).at(self.span.clone(), ""));
                Ok(Some(step))
            }
            (Kind::Type, Some(old), Some(new)) if sync => {
                let step = self.retyped(old, new, once).map_err(|(why, help)| refused(why, help))?;
                warnings.extend(self.restated(&step, new));
                Ok(Some(step))
            }
            (Kind::Null, Some(old), Some(new)) if sync => {
                let step = self.relaxed(old, new, once).map_err(|(why, help)| refused(why, help))?;
                warnings.extend(self.restated(&step, new));
                Ok(Some(step))
            }
            (Kind::Key | Kind::KeyTaken, ..) => {
                self.keyed(&difference.says, difference.kind == Kind::KeyTaken, warnings)
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

    /// What a statement that says a whole column anew takes from it without a word.
    fn restated(&self, step: &Step, new: &Described) -> Option<Diagnostic> {
        let Support::Yes(retype) = self.plan.dialect.ddl.retype else { return None };
        let restates = matches!(&step.action, Action::AlterColumn { before, .. } if *before == retype.before);
        if !restates || retype.keeps != Keeps::Nothing {
            return None;
        }
        let name = &new.column.name;
        let message = format!(
            "the statement says the whole column `{name}` anew: a comment, a default or a collation of its own that the spec \
             does not say is gone after it"
        );
        let told = Diagnostic::warning("plan-ddl-change", message).at(new.column.span.clone(), "");
        Some(told.help("look with SHOW CREATE TABLE, and add to the statement by hand what must stay"))
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

    fn dropped(&self, old: &Earlier, once: bool) -> Result<Step, (&'static str, &'static str)> {
        let plan = &self.plan;
        let drop = match plan.dialect.ddl.drop {
            Support::Yes(drop) => drop,
            Support::No { because, instead } => return Err((because, instead)),
        };
        if let Some(because) = drop.bound.filter(|_| old.defaulted) {
            return Err((because, UNBIND));
        }
        let guard = guarded(plan, drop.guard, "IF EXISTS ", &old.name, once).map_err(|why| (why, BY_HAND))?;
        let (table, name) = (plan.load.target.clone(), old.sql.clone());
        Ok(Step { action: Action::DropColumn { table, guard: guard.words, name }, wrap: guard.wrap })
    }

    fn retyped(&self, old: &Earlier, new: &Described, once: bool) -> Result<Step, (&'static str, &'static str)> {
        let retype = match self.plan.dialect.ddl.retype {
            Support::Yes(retype) => retype,
            Support::No { because, instead } => return Err((because, instead)),
        };
        let Some(before) = old.ty.as_ref().filter(|before| new.column.ty.holds(before)) else {
            return Err(("values that are there may not fit", ANEW));
        };
        if new.generated.is_some() {
            return Err(("the engine computes it, and its type goes with the expression", ANEW));
        }
        let kind = discriminant(before) != discriminant(&new.column.ty);
        if let Support::Yes(Drop { bound: Some(because), .. }) = self.plan.dialect.ddl.drop
            && old.defaulted
            && kind
        {
            return Err((because, UNBIND));
        }
        if !(retype.takes)(before, &new.column.ty) {
            return Err(("this engine does not change that type in place", ANEW));
        }
        if let Some(because) = retype.key.filter(|_| new.column.key) {
            return Err((because, ANEW));
        }
        if let Some(because) = old.loses(new).filter(|_| retype.keeps != Keeps::All) {
            return Err((because, RESTATED));
        }
        if !retype.again && !once {
            return Err(("the statement may fail when it is run again", BY_HAND));
        }
        Ok(self.altered(retype.before, new, behind(retype, new)))
    }

    fn relaxed(&self, old: &Earlier, new: &Described, once: bool) -> Result<Step, (&'static str, &'static str)> {
        let ddl = self.plan.dialect.ddl;
        if !new.column.nullable {
            return Err(("rows that are there may hold null in it", TIGHTEN));
        }
        if old.primary {
            return Err(("it is in the primary key, which takes no null", "write `nullable: false` at the column"));
        }
        match (ddl.relax, ddl.retype) {
            (Support::No { because, instead }, _) | (Support::Yes(Relax::Retype), Support::No { because, instead }) => {
                Err((because, instead))
            }
            (Support::Yes(Relax::Retype), Support::Yes(retype)) => {
                if let Some(because) = old.loses(new) {
                    return Err((because, RESTATED));
                }
                if matches!(old.matched(&new.column.ty, self.plan.dialect), Match::Unknown(_)) {
                    return Err((
                        "the statement says the type anew, and that of the database is another one",
                        RESTATED,
                    ));
                }
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

/// What a table is no longer, by where it is from.
const OLDER_SPEC: &str = "is no longer that of the older spec";
const DATABASE: &str = "of the database is not that of the spec";

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
const TIGHTEN: &str = "fill the column, say NOT NULL by hand, and change the older spec, if there is one";

/// What to do where a default holds a column fast.
const UNBIND: &str = "drop the constraint and change the column by hand, and change the older spec";

/// What to do where a statement says a whole column anew.
const RESTATED: &str = "write into the spec what the column has in the database, or change it by hand";
