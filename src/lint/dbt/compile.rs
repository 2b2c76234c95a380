//! The SELECT of a model as an incremental run has it, with every byte in its place: what is Jinja is blank, or a name of
//! the same length.

use super::config::arguments;
use super::tag::{Kind, Tag, parts};
use crate::sql::dbt::{self, Given, Relation};
use minijinja::Environment;

/// What stands for the model's own table. `{{this}}` is as long.
pub(super) const THIS: &str = "dbt_this";

/// The SELECT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// As long as the model's text.
    pub text: String,
    /// True when some of it is made by a macro of which nobody here knows what it makes.
    pub has_unknown: bool,
    /// True when a branch is taken by an incremental run alone.
    pub has_branch: bool,
}

/// Functions that make one value, or a list of columns.
pub(super) const VALUES: &[&str] = &[
    "var(",
    "env_var(",
    "target.",
    "invocation_id",
    "run_started_at",
    "dbt_utils.generate_surrogate_key(",
    "dbt_utils.star(",
    "dbt_utils.surrogate_key(",
    "dbt.current_timestamp(",
    "dbt.type_",
    "dbt.safe_cast(",
    "dbt.hash(",
    "dbt.date_trunc(",
    "dbt.string_literal(",
    "current_timestamp(",
];

/// Functions that make the clock of the adapter: <https://docs.getdbt.com/reference/dbt-jinja-functions/cross-database-macros>
const CLOCKS: &[&str] = &["dbt.current_timestamp(", "dbt_utils.current_timestamp(", "current_timestamp("];

/// What stands for it. The shortest call with its braces is longer.
const CLOCK: &str = "current_timestamp";

/// Jinja of a run that finds its table: a relation is called by the last of its names.
pub(super) fn environment() -> Environment<'static> {
    let relation = |name: Relation<'_>| {
        let (Relation::Ref { model: name, .. } | Relation::Source(_, name)) = name;
        Ok(plain(name))
    };
    dbt::environment(Given { this: THIS.to_owned(), is_incremental: true, relation, config: dbt::silent_config() })
}

/// A name that needs no quotes.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Makes it; `None` when the tags cannot be followed: loops, macros, conditions on anything but the kind of the run.
pub(super) fn select(text: &str, tags: &[Tag]) -> Option<Select> {
    let mut out = Select { text: String::with_capacity(text.len()), has_unknown: false, has_branch: false };
    // One entry for each open `if`: whether its branch is taken, and whether one was.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut at = 0;
    let mut quotes = Quotes::default();
    for tag in tags {
        let taken = open.iter().all(|(taken, _)| *taken);
        put(&mut out.text, &text[at..tag.range.start], taken);
        at = tag.range.end;
        let inner = &text[tag.inner.clone()];
        let mut stand_in = String::new();
        match tag.kind {
            Kind::Remark => {}
            Kind::Value if taken => stand_in = value(text, tag, quotes.open_at_end(&out.text), &mut out.has_unknown)?,
            Kind::Value => {}
            Kind::Control => {
                let (word, rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
                match word {
                    "if" => {
                        let is_taken = incremental(rest)?;
                        out.has_branch = true;
                        open.push((is_taken, is_taken));
                    }
                    "else" | "elif" => {
                        let last = open.last_mut()?;
                        last.0 = !last.1 && (word == "else" || incremental(rest)?);
                        last.1 |= last.0;
                    }
                    "endif" => {
                        open.pop()?;
                    }
                    // A value for later, which is then a value like any other.
                    "set" if rest.contains('=') => {}
                    _ => return None,
                }
            }
        }
        let length = tag.range.len();
        if stand_in.len() > length {
            return None;
        }
        out.text.push_str(&stand_in);
        blank(&mut out.text, &text.as_bytes()[tag.range.start + stand_in.len()..tag.range.end]);
    }
    put(&mut out.text, &text[at..], true);
    open.is_empty().then_some(out)
}

/// Whether an incremental run takes the branch of a condition; `None` when only dbt can tell.
fn incremental(condition: &str) -> Option<bool> {
    let bare: String = condition.split_whitespace().collect();
    match bare.trim_start_matches('(') {
        text if text.starts_with("is_incremental()and") => Some(true),
        text => match text.trim_end_matches(')') {
            "is_incremental(" => Some(true),
            "notis_incremental(" => Some(false),
            _ => None,
        },
    }
}

/// The text, or blanks in its place that keep its lines.
pub(super) fn put(out: &mut String, text: &str, shown: bool) {
    if shown {
        out.push_str(text);
    } else {
        blank(out, text.as_bytes());
    }
}

/// A blank for each byte that ends no line.
pub(super) fn blank(out: &mut String, bytes: &[u8]) {
    out.extend(bytes.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(*byte) } else { ' ' }));
}

/// What stands for a value.
fn value(text: &str, tag: &Tag, quoted: bool, has_unknown: &mut bool) -> Option<String> {
    let inner = &text[tag.inner.clone()];
    if inner == "this" {
        return Some(THIS.to_owned());
    }
    if arguments(text, tag, "config").is_some() || quoted {
        return Some(String::new());
    }
    // The name alone is asked for: it is there too where the package or the source is a variable.
    for function in ["ref", "source"] {
        if let Some((arguments, _)) = arguments(text, tag, function) {
            let all = parts(arguments);
            let named = |part: &&std::ops::Range<usize>| arguments[(*part).clone()].starts_with(['\'', '"']);
            let name = all.iter().rfind(named)?;
            return Some(plain(arguments[name.clone()].trim_matches(['\'', '"'])));
        }
    }
    if CLOCKS.iter().any(|one| inner.starts_with(one)) {
        return Some(CLOCK.to_owned());
    }
    let is_number = inner.chars().all(|c| c.is_ascii_digit());
    if is_number {
        return Some(inner.to_owned());
    }
    *has_unknown |= !VALUES.iter().any(|one| inner.starts_with(one)) && inner.contains('(');
    Some("jinja".to_owned())
}

/// Whether a text that grows ends inside of a literal. Each byte of it is looked at once.
#[derive(Default)]
pub(super) struct Quotes {
    inside: bool,
    /// How far the text was read.
    read: usize,
}

impl Quotes {
    pub fn open_at_end(&mut self, text: &str) -> bool {
        while let Some(found) = text[self.read..].find(['\'', '-']) {
            let at = self.read + found;
            if !self.inside && text[at..].starts_with("--") {
                let Some(end) = text[at..].find('\n') else {
                    // The remark may go on in what comes next: it is read again from its begin.
                    self.read = at;
                    return false;
                };
                self.read = at + end + 1;
                continue;
            }
            self.inside ^= text[at..].starts_with('\'');
            self.read = at + 1;
        }
        self.read = text.len();
        self.inside
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Select, select};
    use crate::lint::dbt::tag::tags;

    fn of(text: &str) -> Option<Select> {
        select(text, &tags(text).unwrap())
    }

    fn squeezed(text: &str) -> String {
        of(text).unwrap().text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_byte_keeps_its_place() {
        let text = "{{ config(materialized='incremental') }}\nselect é from {{ ref('a') }}\n\
                    {% if is_incremental() %}where x > (select max(x) from {{ this }}){% endif %}\n";
        let made = of(text).unwrap();
        assert_eq!(made.text.len(), text.len());
        assert_eq!(made.text.find("where"), text.find("where"));
        assert!(made.has_branch && !made.has_unknown);
        assert_eq!(squeezed(text), "select é from a where x > (select max(x) from dbt_this )");
    }

    #[test]
    fn the_branch_of_an_incremental_run_is_taken() {
        assert_eq!(squeezed("select {% if not is_incremental() %}1{% else %}2{% endif %}"), "select 2");
        assert_eq!(squeezed("select {% if is_incremental() %}1{% else %}2{% endif %}"), "select 1");
        assert_eq!(squeezed("select '{{ var(\"x\") }}' as a, {{ var('y') }} as b"), "select ' ' as a, jinja as b");
    }

    #[test]
    fn what_cannot_be_followed_is_left_alone() {
        assert!(of("{{ ref('\u{e9}\u{e9}') }}").is_some());
        assert_eq!(of("{% for a in b %}{% endfor %}"), None);
        assert_eq!(of("select 1 {% if target.name == 'dev' %}where a{% endif %}"), None);
        assert!(of("select {{ my_macro('x') }}").unwrap().has_unknown);
    }
}
