//! A snapshot: how dbt finds out which rows of its SELECT are new versions, and the SELECT itself.

use super::compile::{self, Select, blank};
use super::config::{Config, Inherited, Setting, Settings};
use super::tag::{Kind, Tag, tags};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// A snapshot.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// Its configuration.
    pub config: Config,
    /// The SELECT, every byte in its place; `None` when its Jinja cannot be followed, or when a relation is taken whole.
    pub select: Option<Select>,
}

impl Snapshot {
    /// Those of an SQL file, with what the project says of each: <https://docs.getdbt.com/docs/build/snapshots>
    pub fn all(text: &str, said: impl Fn(&str) -> Settings) -> Vec<Self> {
        let Some(tags) = tags(text).filter(|_| text.contains("endsnapshot")) else { return Vec::new() };
        let word = |tag: &Tag| {
            let inner = &text[tag.inner.clone()];
            (tag.kind == Kind::Control).then(|| inner.split_once(char::is_whitespace).unwrap_or((inner, "")))
        };
        let (mut all, mut open) = (Vec::new(), None);
        for tag in &tags {
            match (word(tag), &open) {
                (Some(("snapshot", name)), None) => open = Some((name.trim(), tag.range.end)),
                (Some(("endsnapshot", _)), Some((name, start))) => {
                    all.extend(Self::read(name, text, *start..tag.range.start, &said(name)));
                    open = None;
                }
                _ => {}
            }
        }
        all
    }

    /// One that stands in a part of a file.
    fn read(name: &str, text: &str, part: Range<usize>, said: &Settings) -> Option<Self> {
        let mut alone = String::with_capacity(text.len());
        blank(&mut alone, &text.as_bytes()[..part.start]);
        alone.push_str(&text[part]);
        let tags = tags(&alone)?;
        let mut config = Config::read(&alone, &tags, Some(said));
        if config.place.start == 0 {
            let start = alone.len() - alone.trim_start().len();
            config.place = start..start + alone[start..].lines().next().unwrap_or_default().trim_end().len();
        }
        let select = compile::select(&alone, &tags);
        Some(Self { name: name.to_owned(), config, select })
    }

    /// One that a YAML file declares at a place: its own settings, each with its place, over what the project says.
    pub fn declared(
        name: &str,
        place: Range<usize>,
        own: Vec<(String, Option<Value>, Range<usize>)>,
        said: BTreeMap<String, Inherited>,
    ) -> Self {
        let said =
            said.into_iter().map(|(name, one)| (name, Setting { value: one.value, place: None, file: Some(one.file) }));
        let own = own.into_iter().map(|(name, value, place)| (name, Setting { value, place: Some(place), file: None }));
        let config = Config::of(said.chain(own).collect(), place);
        Self { name: name.to_owned(), config, select: None }
    }

    /// True when dbt records that a row is deleted as soon as the SELECT no longer has it:
    /// <https://docs.getdbt.com/reference/resource-configs/hard-deletes>
    pub fn records_deletes(&self) -> Option<&'static str> {
        let old = self.config.setting("invalidate_hard_deletes").and_then(|setting| setting.value.as_ref());
        match self.config.text("hard_deletes").ok().flatten() {
            Some("invalidate" | "new_record") => Some("hard_deletes"),
            None if old == Some(&Value::Bool(true)) => Some("invalidate_hard_deletes"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Settings, Snapshot};

    #[test]
    fn each_block_of_a_file_is_a_snapshot_in_its_place() {
        let text = "{% snapshot a %}\n{{ config(strategy='check', check_cols='all') }}\nselect 1\n{% endsnapshot %}\n\
                    {% snapshot b %}select 2 from {{ ref('x') }}{% endsnapshot %}\n";
        let all = Snapshot::all(text, |_| Settings::new());
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(all[0].config.text("strategy"), Ok(Some("check")));
        assert_eq!(all[1].config.text("strategy"), Ok(None));
        let selects: Vec<_> = all.iter().map(|one| one.select.as_ref().map(|select| select.text.as_str())).collect();
        assert_eq!(selects[0].and_then(|one| one.find("select")), text.find("select 1"));
        assert_eq!(selects[1].and_then(|one| one.find("select")), text.find("select 2"));
    }
}
