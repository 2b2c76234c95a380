//! The statements around a load: the lock, the transaction, the temporary table, the variable of the bound.

use super::Decision;
use super::load::{MergeShape, ScriptShape, Staged};
use super::planner::Planner;
use crate::diagnostic::Diagnostic;
use crate::dialect::mechanism::{
    Batch, BranchCondition, DeleteJoin, Form, Lock, MergeSyntax, Script, Staging, UpdateFrom, WithPlace,
};
use crate::spec::Concurrency;
use crate::sql::hash::{FNV_START, fnv};

impl MergeShape {
    pub(super) fn of(merge: MergeSyntax) -> Self {
        Self {
            condition: match merge.condition {
                BranchCondition::And => "and",
                BranchCondition::Where => "where",
                BranchCondition::None => "none",
            },
            hint: if merge.hint.is_empty() { String::new() } else { format!(" {}", merge.hint) },
            not_matched: merge.not_matched,
            with_before: merge.with == WithPlace::Before,
        }
    }
}

impl Planner<'_> {
    /// Fills the frame of the load.
    pub(super) fn frame(&mut self, form: Form) {
        let keeps = self.load.once.as_ref().is_some_and(|once| once.content.is_some());
        let staged = keeps || matches!(form, Form::UpdateInsert | Form::StagedMerge | Form::ClaimEffects);
        let lock = self.lock(form);
        if self.adapter.is_some() {
            // dbt has a transaction and a temporary table already.
            self.load.frame.begin = self.inside(lock).into_iter().collect();
            return;
        }
        let script = self.dialect.script;
        let (open, close) = match (lock, script) {
            (Some(Lock::Around { acquire, release }), _) => (vec![self.named(acquire)], vec![self.named(release)]),
            _ => (Vec::new(), Vec::new()),
        };
        let frame = &mut self.load.frame;
        frame.open.extend(open);
        let batch = script.and_then(|script| script.batch);
        if let (true, Some(script), Some(batch)) = (staged, script, batch) {
            self.stage(script, batch, lock);
        } else if let (Some(Lock::InTransaction(_) | Lock::ByBegin), Some(script)) = (lock, script) {
            let inside = self.inside(lock);
            let frame = &mut self.load.frame;
            frame.begin.extend(script.before.iter().map(|line| (*line).to_owned()));
            frame.begin.push(script.begin.to_owned());
            frame.begin.extend(inside);
            frame.close.push(script.commit.to_owned());
        }
        if let (Form::AppendBatch, false, Some(script)) = (form, keeps, script)
            && !matches!(lock, Some(Lock::InTransaction(_) | Lock::ByBegin))
        {
            let frame = &mut self.load.frame;
            frame.begin.extend(script.before.iter().map(|line| (*line).to_owned()));
            frame.begin.push(script.begin.to_owned());
            frame.close.push(script.commit.to_owned());
        }
        self.load.frame.close.extend(close);
        for list in [&mut self.load.frame.begin, &mut self.load.frame.close] {
            // Where a transaction begins by itself there is no statement to write.
            list.retain(|line| !line.is_empty());
        }
    }

    /// The temporary table and the transaction around the writes.
    fn stage(&mut self, script: Script, batch: Batch, lock: Option<Lock>) {
        let inside = self.inside(lock);
        let (create, name, drop) = match batch.staging {
            Staging::CreateAs { create, drop, name } => (create, name, drop),
            Staging::SelectInto { drop, name } => ("", name, drop),
        };
        let begin: Vec<String> = std::iter::once(script.begin.to_owned()).chain(inside).collect();
        let groups = self.load.vanished.as_ref().map_or("", |vanished| vanished.groups.as_str());
        let more = (!groups.is_empty()).then(|| format!("{drop} {groups}"));
        let drop = format!("{drop} {name}");
        let frame = &mut self.load.frame;
        frame.open.extend(script.before.iter().map(|line| (*line).to_owned()));
        frame.close.extend(more);
        // A run that failed may have left it, in a session that is used again.
        if batch.stage_outside {
            frame.open.push(drop.clone());
            frame.begin.extend(begin);
            frame.close.extend([script.commit.to_owned(), drop]);
        } else {
            frame.open.extend(begin);
            frame.open.push(drop.clone());
            frame.close.extend([drop, script.commit.to_owned()]);
        }
        frame.open.extend(self.bound.take());
        self.index(batch);
        self.load.staging = Some(Staged { create: create.to_owned(), name: name.to_owned() });
        self.load.script = Some(ScriptShape {
            update: match batch.update {
                UpdateFrom::From => "from",
                UpdateFrom::Join => "join",
                UpdateFrom::AliasFrom => "alias_from",
            },
            delete: match batch.delete {
                DeleteJoin::Exists => "exists",
                DeleteJoin::Join => "join",
                DeleteJoin::AliasExists => "alias_exists",
            },
        });
    }

    /// Indexes on the temporary table for the subqueries that look into it: for deletions, and for the staged groups.
    fn index(&mut self, batch: Batch) {
        if batch.index.is_empty() {
            return;
        }
        let of = |name: &str, columns: &[String]| {
            batch.index.replace("{name}", name).replace("{columns}", &columns.join(", "))
        };
        if self.load.deletion.is_some() {
            let index = of("idemsql_batch_key", &self.load.key);
            self.load.frame.begin.push(index);
        }
        let group: Vec<String> = self.group_columns().iter().map(|column| column.sql.clone()).collect();
        if !group.is_empty() {
            let index = of("idemsql_batch_group", &group);
            self.load.frame.begin.push(index);
        }
    }

    /// The lock that the load takes; none when its form holds without one.
    fn lock(&mut self, form: Form) -> Option<Lock> {
        let single = self.table.concurrency.as_ref().filter(|concurrency| concurrency.value == Concurrency::Single);
        let needed = match form {
            // The versions around a new one are read before it is written.
            _ if self.strategy.versions => true,
            Form::OnConflict | Form::OnDuplicateKey | Form::AppendVersion => false,
            Form::Merge => self.dialect.merge_needs_lock,
            // A lock hint on the probe does the same; where there are no locks it is a hint of another kind.
            Form::AntiJoin => self.load.probe_hint.is_empty() || matches!(self.dialect.lock, Lock::No { .. }),
            Form::StagedMerge | Form::UpdateInsert | Form::ClaimEffects | Form::AppendBatch => true,
        };
        if !needed && single.is_none() {
            return None;
        }
        if let (Lock::No { because }, Some(asked)) = (self.dialect.lock, single) {
            self.faults.push(
                Diagnostic::error("plan-lock", format!("`concurrency: single` needs a lock: {because}"))
                    .at(asked.span.clone(), "asked for here")
                    .help("leave `concurrency` out, and let the scheduler run one load of the table at a time"),
            );
        }
        if needed {
            let choice = if matches!(self.dialect.lock, Lock::No { .. }) { "none" } else { "taken" };
            let why = if self.strategy.versions {
                "of two sessions each would close its versions without those of the other"
            } else {
                "two sessions with one new key would both find it missing and both insert it"
            };
            self.decisions.push(Decision::new("lock", choice, why));
        }
        Some(self.dialect.lock)
    }

    /// What takes the lock inside the transaction.
    fn inside(&self, lock: Option<Lock>) -> Option<String> {
        match lock {
            Some(Lock::InTransaction(statement)) => Some(self.named(statement)),
            _ => None,
        }
    }

    /// A lock's statement with the names filled in.
    fn named(&self, statement: &str) -> String {
        let name = (self.dialect.string)(&lock_name(&self.table_name()));
        statement.replace("{name}", &name).replace("{table}", &self.load.target)
    }
}

/// The name of the lock of a table: at most 64 characters, the least limit of an engine, and another for each table.
fn lock_name(table: &str) -> String {
    let name = format!("load:{table}");
    if name.chars().count() <= 64 {
        return name;
    }
    let hash = fnv(FNV_START, table.bytes());
    let head: String = name.chars().take(47).collect();
    format!("{head}:{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::lock_name;

    #[test]
    fn a_long_name_of_a_lock_is_cut_and_stays_its_own() {
        assert_eq!(lock_name("mart.orders"), "load:mart.orders");
        let (one, other) = (lock_name(&"x".repeat(100)), lock_name(&"x".repeat(101)));
        assert_eq!(one.chars().count(), 64);
        assert_ne!(one, other);
    }
}
