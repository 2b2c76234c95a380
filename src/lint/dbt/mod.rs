//! A dbt model: its configuration, its SELECT, and the statement that an incremental run makes of it.
//!
//! The SELECT keeps every byte in its place, so that the rules for plain SQL judge the statement and their findings point
//! into the model. What of the Jinja cannot be followed is never a finding.

mod command;
mod compile;
mod config;
mod followed;
mod macros;
mod snapshot;
mod statement;
mod tag;

pub use command::{Command, Commands};
pub use compile::Select;
pub use config::{Config, Inherited, OnlyDbt, Setting, Settings};
pub use macros::Macros;
pub use snapshot::Snapshot;
pub use statement::findings;

use crate::dialect::adapter::Adapter;
use crate::dialect::{self, Dialect};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the project says of one model.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The adapter that its profile names.
    pub adapter: Option<String>,
    /// The settings that its files say of the model.
    pub settings: Settings,
    /// The model's name.
    pub model: String,
    /// Keys that the project tests to be unique.
    pub unique: Vec<Vec<String>>,
    /// What the project says of the snapshots in the file's folder, by their names.
    pub snapshots: BTreeMap<String, Settings>,
    /// What the file says, when it is no model but a YAML file of the project.
    pub document: Option<Document>,
}

/// What a YAML file of a project gives dbt to run.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The hooks and the commands around a run: those that belong together, each time.
    pub commands: Vec<Commands>,
    /// The snapshots that it declares.
    pub snapshots: Vec<Snapshot>,
}

impl Document {
    /// Where its commands and its snapshots stand.
    pub fn places(&self) -> impl Iterator<Item = Range<usize>> {
        let commands = self.commands.iter().flat_map(|all| &all.0).map(|command| command.place.clone());
        commands.chain(self.snapshots.iter().map(|snapshot| snapshot.config.place.clone()))
    }
}

/// A model.
#[derive(Debug)]
pub struct Model {
    /// Its configuration.
    pub config: Config,
    /// The SELECT of an incremental run; `None` when its Jinja cannot be followed.
    pub select: Option<Select>,
    /// The adapter, where anything tells it.
    pub adapter: Option<&'static Adapter>,
    /// What messages call it.
    pub name: String,
    /// Keys that the project tests to be unique.
    pub unique: Vec<Vec<String>>,
}

/// How an incremental model changes rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The model names it.
    Named(String),
    /// The adapter's own choice.
    Default(&'static str),
    /// Nobody here can tell.
    Unknown,
}

/// Strategies of dbt that write the rows of the SELECT one by one: by the key, or all of them where there is none.
const BY_ROW: &[&str] = &["append", "delete+insert", "delete_insert", "merge"];

impl Strategy {
    /// True for one that may write row by row: not for one that replaces a part of the table, nor for one of the user's own.
    pub fn may_write_by_row(&self) -> bool {
        self.name().is_none_or(|name| BY_ROW.contains(&name))
    }

    /// True for one that finds the rows to replace by their key.
    pub fn uses_key(&self) -> bool {
        self.name().is_some_and(|name| name != "append" && BY_ROW.contains(&name))
    }

    /// Its name, where it is known.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::Default(name) => Some(name),
            Self::Unknown => None,
        }
    }
}

impl Model {
    /// Reads a model's file; `None` when its tags have no end.
    pub fn read(name: &str, text: &str, project: Option<&Project>, dialect: Option<&'static Dialect>) -> Option<Self> {
        let tags = tag::tags(text)?;
        let config = Config::read(text, &tags, project.map(|project| &project.settings));
        let named = project.and_then(|project| project.adapter.as_deref());
        let adapter = match named {
            Some(name) => dialect::of_adapter(name).map(|(_, adapter)| adapter),
            None => dialect.and_then(|dialect| dialect.adapters().first()),
        };
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = file.split('.').next().unwrap_or(file);
        Some(Self {
            select: compile::select(text, &tags),
            config,
            adapter,
            name: project.map_or(stem, |project| project.model.as_str()).to_owned(),
            unique: project.map(|project| project.unique.clone()).unwrap_or_default(),
        })
    }

    /// True when it is built by increments: not when dbt alone can tell, and not when each run builds it anew.
    pub fn is_incremental(&self) -> bool {
        let rebuilt = self.config.setting("full_refresh").is_some_and(|one| one.value != Some(Value::Bool(false)));
        self.config.text("materialized") == Ok(Some("incremental")) && !rebuilt
    }

    /// Whether it has a `unique_key`; `None` when only dbt can tell.
    pub fn is_keyed(&self) -> Option<bool> {
        self.config.texts("unique_key").ok().map(|key| !key.is_empty())
    }

    /// How it changes rows.
    pub fn strategy(&self) -> Strategy {
        match self.config.text("incremental_strategy") {
            Err(OnlyDbt) => Strategy::Unknown,
            Ok(Some(name)) => Strategy::Named(name.to_owned()),
            Ok(None) => match (self.adapter, self.config.texts("unique_key")) {
                (Some(adapter), Ok(key)) if key.is_empty() => Strategy::Default(adapter.keyless),
                (Some(adapter), Ok(_)) => Strategy::Default(adapter.keyed),
                _ => Strategy::Unknown,
            },
        }
    }

    /// The commands that its own file runs before and behind it. Those of other files are judged where they stand.
    pub fn hooks(&self) -> Commands {
        let mut all = Vec::new();
        for name in ["pre_hook", "pre-hook", "post_hook", "post-hook"] {
            let Some(setting) = self.config.setting(name).filter(|setting| setting.file.is_none()) else { continue };
            let list = match &setting.value {
                Some(Value::Array(list)) => list.iter().collect(),
                Some(one) => vec![one],
                None => Vec::new(),
            };
            let text = |value: &Value| value.as_str().or_else(|| value.get("sql")?.as_str()).map(str::to_owned);
            let place = self.config.place_of(name);
            // Every run makes a table or a view anew, and what a hook added to it is gone.
            let stays = self.is_incremental();
            let command = |text| Command::of_model(name, &self.name, text, place.clone(), stays);
            all.extend(list.into_iter().filter_map(text).map(command));
        }
        Commands(all)
    }
}

/// The snapshots of an SQL file.
pub fn snapshots(text: &str, project: Option<&Project>) -> Vec<Snapshot> {
    Snapshot::all(text, |name| {
        let Some(project) = project else { return Settings::new() };
        let named = project.snapshots.get(name).into_iter().flatten();
        project.settings.iter().chain(named).map(|(name, setting)| (name.clone(), setting.clone())).collect()
    })
}
