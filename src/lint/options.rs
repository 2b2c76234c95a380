//! What a team may say about its scripts, as the linter takes it: already read and checked.

use crate::diagnostic::Severity;
use crate::dialect::Dialect;
use crate::lint::dbt::Project;
use crate::lint::policy::Policy;
use crate::lint::rule::Rule;
use std::sync::Arc;

/// The settings for one file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The dialect; found out from the file's path and text when nothing says it.
    pub dialect: Option<&'static Dialect>,
    /// How often the file is run; found out from the file's path and text when nothing says it.
    pub policy: Option<Policy>,
    /// The rules that are on, with the severity that the team gave them, if it gave one. Sorted by code.
    pub rules: Vec<(&'static Rule, Option<Severity>)>,
    /// Also say what could not be known.
    pub pedantic: bool,
    /// Tables to which every run may append, such as logs. A `*` stands for any characters.
    pub append_only: Vec<String>,
    /// Tables that hold rows for one load only, such as `stg_*`.
    pub staging: Vec<String>,
    /// Columns that say when a row was loaded, such as `*_loaded_at`.
    pub load_columns: Vec<String>,
    /// Other names of a table, such as a view or a synonym of it: (name, table).
    pub aliases: Vec<(String, String)>,
    /// The runner wraps each file in one transaction.
    pub in_transaction: Option<bool>,
    /// Comments that guard what stands between them, such as `#IfNotRow` and `#EndIf`: (first words, last words).
    pub guard_comments: Vec<(String, String)>,
    /// A suppression needs a reason.
    pub require_reason: bool,
    /// Bodies of routines are linted too: each call of the routine then counts as a run.
    pub bodies: bool,
    /// What a dbt project says of the file, when it is one of its models.
    pub dbt: Option<Arc<Project>>,
}

/// Tables that hold the rows of one load, where the team says nothing.
pub const STAGING: &[&str] = &[
    "stg_*",
    "staging.*",
    "stage_*",
    "stg.*",
    "stage.*",
    "tmp_*",
    "temp_*",
    "*_tmp",
    "*_temp",
    "*_stg",
    "*_stage",
    "*_staging",
];

/// Columns that say when a row was loaded, where the team says nothing.
pub const LOAD_COLUMNS: &[&str] = &[
    "*loaded_at",
    "*ingested_at",
    "etl_*",
    "_etl_*",
    "*_load_ts",
    "load_ts",
    "dw_*",
    "*_synced_at",
    "_sdc_*",
    "_dlt_*",
    "_airbyte_*",
    "_fivetran_*",
];

impl Options {
    /// The settings of a team that says nothing, with these rules.
    pub fn usual(rules: impl IntoIterator<Item = &'static Rule>) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            rules: rules.into_iter().map(|rule| (rule, None)).collect(),
            staging: owned(STAGING),
            load_columns: owned(LOAD_COLUMNS),
            ..Self::default()
        }
    }
}
