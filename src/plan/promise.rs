//! What a load promises, guarantee by guarantee, and what must exist before it runs.

use super::column::{Column, ValueFrom};
use super::planner::Planner;
use super::{PlannedBounds, once};
use crate::dialect::mechanism::{Form, IndexNulls, Lock};
use crate::spec::Update;

/// A guarantee that `verify` reports on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarantee {
    /// `G1` to `G7`.
    pub code: &'static str,
    /// One word.
    pub name: &'static str,
    /// What it says.
    pub says: &'static str,
}

/// The guarantees, in order.
pub static GUARANTEES: [Guarantee; 7] = [
    Guarantee { code: "G1", name: "rerun", says: "a second identical run leaves every column of the target as it was" },
    Guarantee { code: "G2", name: "quiet", says: "a second identical run writes nothing" },
    Guarantee { code: "G3", name: "right", says: "the rows are those of the reference model" },
    Guarantee { code: "G4", name: "order", says: "batches in any order, and old batches again, end in the same rows" },
    Guarantee { code: "G5", name: "split", says: "one full load equals any sequence of incremental loads" },
    Guarantee { code: "G6", name: "together", says: "two sessions at once end as one session alone" },
    Guarantee { code: "G7", name: "crash", says: "killed at any point and run again: as if never killed" },
];

/// What a load says of one guarantee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// True when it is promised.
    pub given: bool,
    /// By which mechanism, or why not.
    pub because: String,
}

/// One answer for each guarantee.
pub(super) fn promises(planner: &Planner<'_>, form: Form, hard_deletes: bool) -> Vec<Promise> {
    // A run that reads other rows than the one before it can promise nothing about a second run.
    let same_window = |answer: Result<String, String>| match lowers_watermark(planner, hard_deletes) {
        Some(because) => Err(because),
        None => answer,
    };
    let order = same_window(commutes(planner, hard_deletes));
    let answers: [Result<String, String>; 7] = [
        same_window(Ok(
            "staged rows are reduced by a total order, and a row is replaced only by a newer or different one"
                .to_owned(),
        )),
        same_window(quiet(planner)),
        Ok("the guard compares every column of the content, null being a value".to_owned()),
        order.clone(),
        order,
        together(planner, form),
        same_window(crash(form)),
    ];
    let locked = !matches!(planner.dialect.lock, Lock::No { .. });
    let answers = once::promises(planner, form, locked).unwrap_or(answers);
    GUARANTEES
        .into_iter()
        .zip(answers)
        .map(|(guarantee, answer)| {
            let given = answer.is_ok();
            let (Ok(because) | Err(because)) = answer;
            Promise { guarantee, given, because }
        })
        .collect()
}

/// Why the high watermark may be lower after a load than before it; none when it never is. The next run then reads rows
/// again that came too late for this one.
fn lowers_watermark(planner: &Planner<'_>, hard_deletes: bool) -> Option<String> {
    let window = planner.window.as_ref()?;
    if planner.strategy.insert_only || !matches!(window.bounds, PlannedBounds::Watermark { .. }) {
        return None;
    }
    let column = &planner.columns[window.column];
    let why = if hard_deletes {
        "the newest row is deleted".to_owned()
    } else if planner.by_groups() {
        "a group is replaced that had the newest row".to_owned()
    } else if column.value != ValueFrom::Staged(window.staged.clone()) && planner.strategy.replaces() {
        format!("the newest row is replaced by one that is newer by another column than `{}`", column.name)
    } else if column.key
        || matches!(column.update, Update::Never | Update::Greatest)
        || planner.version.first() == Some(&window.column)
    {
        return None;
    } else {
        format!("a newer version of the newest row has a smaller `{}`", column.name)
    };
    Some(format!(
        "the high watermark falls when {why}, and the next run then reads rows that came too late for this one"
    ))
}

/// Whether a second identical run writes nothing.
fn quiet(planner: &Planner<'_>) -> Result<String, String> {
    if !planner.load.rows.is_empty() && !planner.load.updates.is_empty() && planner.dialect.conflict_locks {
        return Err("the row keeps its content, but the engine locks it to look at it and logs the lock".to_owned());
    }
    Ok("a staged row with the same content proposes no write".to_owned())
}

/// Whether loads of two batches commute.
fn commutes(planner: &Planner<'_>, hard_deletes: bool) -> Result<String, String> {
    if planner.strategy.insert_only {
        return Err("the first write of a key wins, whichever batch brings it".to_owned());
    }
    if planner.strategy.replaces() {
        return Err("the replaced part holds what was staged last".to_owned());
    }
    if hard_deletes {
        return Err("a deleted row leaves no version behind, so an older row that comes late brings it back; \
                    `deletes: {flag: ..}` keeps the version"
            .to_owned());
    }
    if planner.version.is_empty() && planner.columns.iter().any(Column::is_compared) {
        return Err("there is no version, so the row that is staged last wins".to_owned());
    }
    let keeper =
        planner.columns.iter().find(|column| column.is_staged() && !column.key && column.update != Update::Always);
    if let Some(column) = keeper {
        return Err(format!("the value of `{}` depends on which row came first", column.name));
    }
    if planner.strategy.versions {
        return Ok("every version has a row, and its period comes from the others of its key, in whatever order they came, up \
                   to rows of equal version"
            .to_owned());
    }
    Ok("the greatest version of a key wins in whatever order it comes, up to rows of equal version".to_owned())
}

/// Whether two sessions may load at once.
fn together(planner: &Planner<'_>, form: Form) -> Result<String, String> {
    let locked = !matches!(planner.dialect.lock, Lock::No { .. });
    if planner.strategy.versions {
        return if locked {
            Ok("a lock makes the second session wait".to_owned())
        } else {
            Err("of two sessions each may close its versions without those of the other: let the scheduler run one load at \
                 a time"
                .to_owned())
        };
    }
    match form {
        Form::OnConflict => {
            Ok("the unique index decides between two sessions, and keys are written in order".to_owned())
        }
        Form::OnDuplicateKey => Ok("the unique index decides; a deadlock is settled by running again".to_owned()),
        Form::Merge if planner.dialect.merge_needs_lock && locked => {
            Ok("a lock makes the second session wait".to_owned())
        }
        Form::Merge if planner.dialect.merge_needs_lock => {
            Err("two sessions may both insert a new key: let the scheduler run one load at a time".to_owned())
        }
        Form::Merge => {
            Ok("the engine makes the second MERGE wait, or fails it so that running it again settles".to_owned())
        }
        Form::AntiJoin if !planner.load.probe_hint.is_empty() && locked => {
            Ok("the probe for a key locks its range".to_owned())
        }
        Form::StagedMerge | Form::UpdateInsert | Form::AntiJoin | Form::ClaimEffects | Form::AppendBatch if locked => {
            Ok("a lock makes the second session wait".to_owned())
        }
        Form::AppendVersion => {
            Ok("two versions of a key collapse to the greater, for readers that use FINAL".to_owned())
        }
        Form::ClaimEffects => {
            Ok("the unique index refuses a second marker, and with it the second effect; running again settles"
                .to_owned())
        }
        Form::StagedMerge | Form::UpdateInsert | Form::AntiJoin | Form::AppendBatch => {
            Err("nothing stops two sessions from inserting one new key: let the scheduler run one load at a time"
                .to_owned())
        }
    }
}

/// Whether a load that was killed leaves nothing behind.
fn crash(form: Form) -> Result<String, String> {
    match form {
        Form::StagedMerge | Form::UpdateInsert | Form::ClaimEffects | Form::AppendBatch => {
            Ok("every write is in one transaction".to_owned())
        }
        Form::AppendVersion => {
            Err("a large INSERT becomes visible in pieces; running it again completes it".to_owned())
        }
        _ => Ok("there is one statement that writes".to_owned()),
    }
}

/// What must exist, in words for the header of the SQL and for the plan.
pub(super) fn needs(planner: &Planner<'_>, form: Form) -> Vec<String> {
    let key = planner.load.key.join(", ");
    let nullable = planner.columns.iter().any(|column| column.key && column.nullable);
    let mut all = Vec::new();
    match form {
        Form::OnConflict | Form::OnDuplicateKey | Form::ClaimEffects => {
            let nulls = if nullable && planner.dialect.index_nulls == IndexNulls::DistinctOrNot {
                "NULLS NOT DISTINCT "
            } else {
                ""
            };
            // Any unique index fires ON DUPLICATE KEY UPDATE, and the row that it finds has another key.
            let alone = if form == Form::OnDuplicateKey { ", and no other unique index" } else { "" };
            all.push(format!("a unique index {nulls}on {} ({key}){alone}", planner.load.target));
        }
        Form::AppendBatch => {
            let once = planner.load.once.as_ref();
            all.extend(once.map(|once| format!("{} with the key ({})", once.log, once.columns.join(", "))));
        }
        Form::AppendVersion => {
            let setting = if nullable { " with allow_nullable_key" } else { "" };
            all.push(format!(
                "{} as ReplacingMergeTree ordered by ({key}){setting}, and readers that use FINAL",
                planner.load.target
            ));
        }
        _ => {}
    }
    all
}
