//! Commands that dbt runs beside its models: hooks, and what stands in `on-run-start` and `on-run-end`.

use super::followed;
use crate::diagnostic::Source;
use crate::dialect::Dialect;
use crate::lint::finding::Finding;
use crate::lint::known::Known;
use crate::lint::lint;
use crate::lint::options::Options;
use crate::lint::policy::Policy;
use crate::lint::rule::Class;
use crate::sql::script::Script;
use std::ops::Range;
use std::sync::Arc;

/// One command.
#[derive(Clone, Debug)]
pub struct Command {
    /// The setting that holds it: `on-run-start`, `post_hook`.
    pub setting: String,
    /// The model or the file that it belongs to.
    pub of: String,
    /// Its text, as dbt reads it.
    pub text: String,
    /// Where the file says it.
    pub place: Range<usize>,
    /// Where each byte of the text stands in the file, and one more for the end; empty where that cannot be told.
    bytes: Vec<usize>,
    /// The table that `{{ this }}` is, where that is one that stays from run to run.
    pub this: Option<String>,
}

impl Command {
    /// The command of a model's own file.
    pub fn of_model(setting: &str, model: &str, text: String, place: Range<usize>, stays: bool) -> Self {
        let this = stays.then(|| model.to_owned());
        Self { setting: setting.to_owned(), of: model.to_owned(), text, place, bytes: Vec::new(), this }
    }

    /// A value of a YAML file with this text.
    pub fn of_document(setting: &str, of: &str, text: String, file: &str, place: Range<usize>) -> Self {
        let written = file.get(place.clone()).unwrap_or_default();
        let bytes = aligned(written, &text).unwrap_or_default();
        let bytes = bytes.into_iter().map(|at| at + place.start).collect();
        Self { setting: setting.to_owned(), of: of.to_owned(), text, place, bytes, this: None }
    }

    /// Where a part of the text stands in the file.
    fn place_of(&self, part: &Range<usize>) -> Range<usize> {
        match (self.bytes.get(part.start), part.end.checked_sub(1).and_then(|last| self.bytes.get(last))) {
            (Some(start), Some(last)) if part.start < part.end => *start..*last + 1,
            _ => self.place.clone(),
        }
    }
}

/// Commands that are run one behind the other: what the first one clears, the next one may fill.
#[derive(Clone, Debug, Default)]
pub struct Commands(pub Vec<Command>);

impl Commands {
    /// What another run of them would do: the command, the finding, and its place in the file.
    pub fn findings(&self, dialect: &'static Dialect, options: &Options) -> Vec<(&Command, Finding, Range<usize>)> {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for command in &self.0 {
            let hook = followed::hook(&command.text);
            text.push_str(&hook.text);
            text.push_str("\n;\n");
            ends.push(text.len());
            // Nobody knows what it does to the tables of those behind it.
            if hook.is_lost {
                break;
            }
        }
        let around = self.0.iter().any(|command| command.setting.starts_with("on-run"));
        let this_stays = self.0.iter().all(|command| command.this.is_some());
        // What a hook defines for a model, it defines for a table that may be new.
        let judges = |class: Class| class == Class::Data || (class == Class::Definition && around);
        let rules = options.rules.iter().filter(|(rule, _)| judges(rule.class));
        let options = Options {
            rules: rules.copied().collect(),
            dialect: Some(dialect),
            policy: Some(Policy::Rerun),
            // Whether dbt commits between two commands is its adapter's matter.
            in_transaction: Some(true),
            dbt: None,
            ..options.clone()
        };
        let nameless = followed::nameless(&Script::read(&text, dialect), this_stays);
        let checked = lint(&Arc::new(Source::new("hook.sql", text)), &options, &Known::default());
        let found = checked.findings.into_iter().filter(|one| !nameless.contains(&one.statement));
        let placed = |finding: Finding| {
            let span = finding.span();
            let number = ends.partition_point(|end| *end <= span.start);
            let from = number.checked_sub(1).map_or(0, |before| ends[before]);
            let command = self.0.get(number)?;
            Some((command, finding, command.place_of(&(span.start - from..span.end - from))))
        };
        found.filter_map(placed).collect()
    }
}

/// Where each byte of a value stands in the scalar that YAML reads it from; `None` where the scalar writes characters in a
/// way that is not looked at here. Blanks are free: YAML folds lines, and takes their indentation away.
fn aligned(written: &str, value: &str) -> Option<Vec<usize>> {
    let bytes = written.as_bytes();
    let style = *bytes.first()?;
    let mut at = match style {
        // Behind the sign of a block stands nothing but how its end is cut.
        b'|' | b'>' => written.find('\n')? + 1,
        b'"' | b'\'' => 1,
        _ => 0,
    };
    let skip = |mut at: usize| {
        loop {
            at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if style != b'"' || bytes.get(at..at + 2) != Some(b"\\\n") {
                return at;
            }
            at += 1;
        }
    };
    let mut places = Vec::with_capacity(value.len());
    for c in value.chars() {
        let escaped = style == b'"' && bytes.get(at) == Some(&b'\\');
        if c.is_ascii_whitespace() {
            places.push(at);
            at += match bytes.get(at..).unwrap_or_default() {
                [b'\\', b'n' | b't' | b' ', ..] if escaped => 2,
                [byte, ..] if byte.is_ascii_whitespace() => 1,
                _ => 0,
            };
            continue;
        }
        at = skip(at);
        at += match bytes.get(at..)? {
            [b'\\', b'"' | b'\\' | b'/', ..] if style == b'"' => 1,
            [b'\'', b'\'', ..] if style == b'\'' => 1,
            _ => 0,
        };
        if !written.get(at..)?.starts_with(c) {
            return None;
        }
        places.extend(at..at + c.len_utf8());
        at += c.len_utf8();
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Command, aligned};

    /// What the file has in the place of a part of the value.
    fn written(scalar: &str, value: &str, part: &str) -> String {
        let file = format!("a: {scalar}");
        let command = Command::of_document("a", "f", value.to_owned(), &file, 3..file.len());
        let start = value.find(part).unwrap();
        file[command.place_of(&(start..start + part.len()))].to_owned()
    }

    #[test]
    fn a_part_of_a_value_is_found_in_each_style_of_yaml() {
        for (scalar, value) in [
            ("insert into t", "insert into t"),
            ("\"insert into t\"", "insert into t"),
            ("'it''s; insert into t'", "it's; insert into t"),
            (r#""\"a\";\n insert into t""#, "\"a\";\n insert into t"),
            ("|\n    select é;\n    insert into t\n", "select é;\ninsert into t\n"),
            (">-\n  select 1;\n\n  insert into t", "select 1;\ninsert into t"),
            ("\"select 1;\n    insert into t\"", "select 1; insert into t"),
        ] {
            assert_eq!(written(scalar, value, "insert into t"), "insert into t", "{scalar}");
        }
        assert_eq!(written("\"a\n  b\"", "a b", "a b"), "a\n  b");
    }

    #[test]
    fn a_scalar_that_writes_characters_by_number_has_no_places() {
        assert_eq!(aligned(r#""\x41""#, "A"), None);
        assert_eq!(written(r#""\x41 b""#, "A b", "b"), r#""\x41 b""#);
    }
}
