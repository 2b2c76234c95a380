//! The configuration of a dbt model: what its own file says, over what its project says.

use super::tag::{Kind, Tag, parts};
use crate::sql::dbt::literal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a project says of one model outside of the model's file, by the name of the setting.
pub type Settings = BTreeMap<String, Inherited>;

/// A setting of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct Inherited {
    /// Its value; `None` when only dbt can tell, such as one with Jinja in it.
    pub value: Option<Value>,
    /// The file that says it, for messages.
    pub file: String,
}

/// A value that only dbt can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnlyDbt;

/// One setting of a model.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its value; `None` when only dbt can tell.
    pub value: Option<Value>,
    /// Where the model's own file says it.
    pub place: Option<Range<usize>>,
    /// Which other file says it.
    pub file: Option<String>,
}

/// The configuration of a model.
#[derive(Clone, Debug)]
pub struct Config {
    settings: BTreeMap<String, Setting>,
    /// The call of `config` in the file, or its first line.
    pub place: Range<usize>,
    /// True when some of it cannot be followed, so that any setting may be there.
    pub is_open: bool,
}

impl Config {
    /// Reads the calls of `config` of a text, over what the project says.
    pub(super) fn read(text: &str, tags: &[Tag], project: Option<&Settings>) -> Self {
        let mut settings: BTreeMap<String, Setting> = BTreeMap::new();
        for (name, one) in project.into_iter().flatten() {
            let setting = Setting { value: one.value.clone(), place: None, file: Some(one.file.clone()) };
            settings.insert(name.clone(), setting);
        }
        let first_line = 0..text.lines().next().unwrap_or_default().len();
        let mut config = Self { settings, place: first_line, is_open: false };
        for tag in tags.iter().filter(|tag| tag.kind == Kind::Value) {
            let Some((arguments, from)) = arguments(text, tag, "config") else { continue };
            config.place = tag.range.clone();
            for part in parts(arguments) {
                let argument = &arguments[part.clone()];
                match argument.split_once('=') {
                    Some((name, value)) if is_name(name.trim()) => {
                        let place = Some(from + part.start..from + part.end);
                        let setting = Setting { value: literal(value.trim()), place, file: None };
                        config.settings.insert(name.trim().to_owned(), setting);
                    }
                    // A dictionary, or `**all`.
                    _ => config.is_open = true,
                }
            }
        }
        config
    }

    /// A configuration with these settings, at a place.
    pub(super) fn of(settings: BTreeMap<String, Setting>, place: Range<usize>) -> Self {
        Self { settings, place, is_open: false }
    }

    /// A setting that is there.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.get(name).filter(|setting| setting.value != Some(Value::Null))
    }

    /// All of them, by name.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.settings.iter().map(|(name, setting)| (name.as_str(), setting))
    }

    /// The text of a setting.
    ///
    /// # Errors
    /// When only dbt can tell.
    pub fn text(&self, name: &str) -> Result<Option<&str>, OnlyDbt> {
        match self.setting(name) {
            None if self.is_open => Err(OnlyDbt),
            None => Ok(None),
            Some(setting) => setting.value.as_ref().map(Value::as_str).ok_or(OnlyDbt),
        }
    }

    /// The texts of a setting that is a text or a list.
    ///
    /// # Errors
    /// When only dbt can tell.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, OnlyDbt> {
        match self.setting(name).map(|setting| &setting.value) {
            None if self.is_open => Err(OnlyDbt),
            None => Ok(Vec::new()),
            Some(None) => Err(OnlyDbt),
            Some(Some(Value::String(text))) => Ok(vec![text.clone()]),
            Some(Some(Value::Array(all))) => {
                all.iter().map(|one| one.as_str().map(str::to_owned).ok_or(OnlyDbt)).collect()
            }
            Some(Some(_)) => Ok(Vec::new()),
        }
    }

    /// Where a setting is said: in the model's file, or the call of `config`.
    pub fn place_of(&self, name: &str) -> Range<usize> {
        self.setting(name).and_then(|setting| setting.place.clone()).unwrap_or_else(|| self.place.clone())
    }
}

/// What stands between the brackets of a call, and where it begins; `None` for everything that is no such call.
pub(super) fn arguments<'t>(text: &'t str, tag: &Tag, function: &str) -> Option<(&'t str, usize)> {
    let inner = &text[tag.inner.clone()];
    let rest = inner.strip_prefix(function)?.trim_start();
    let inside = rest.strip_prefix('(')?.strip_suffix(')')?;
    Some((inside, tag.inner.end - 1 - inside.len()))
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::lint::dbt::tag::tags;

    fn read(text: &str, project: Option<&Settings>) -> Config {
        Config::read(text, &tags(text).unwrap(), project)
    }

    #[test]
    fn literals_are_read_and_other_values_are_left_to_dbt() {
        let text =
            "{{ config(materialized='incremental', unique_key=['a', \"b\"], tags=var('x'), full_refresh=false) }}";
        let config = read(text, None);
        assert_eq!(config.text("materialized"), Ok(Some("incremental")));
        assert_eq!(config.texts("unique_key").unwrap(), ["a", "b"]);
        assert_eq!(config.text("tags"), Err(OnlyDbt));
        assert_eq!(config.text("event_time"), Ok(None));
        assert_eq!(&text[config.place_of("unique_key")], "unique_key=['a', \"b\"]");
    }

    #[test]
    fn the_file_wins_over_the_project() {
        let said = |value: &str| Inherited { value: Some(value.into()), file: "dbt_project.yml".to_owned() };
        let project =
            Settings::from([("materialized".to_owned(), said("table")), ("unique_key".to_owned(), said("id"))]);
        let config = read("{{ config(materialized='incremental') }}", Some(&project));
        assert_eq!(config.text("materialized"), Ok(Some("incremental")));
        assert_eq!(config.texts("unique_key").unwrap(), ["id"]);
        assert!(read("{{ config(**all) }}", None).is_open);
    }
}
