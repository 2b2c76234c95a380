//! The statements that dbt runs out of a macro or a hook, with every byte in its place. What of the Jinja cannot be followed
//! takes its statement with it: a statement of which a part is not known is not judged.

use super::compile::{Quotes, VALUES, blank, environment, put};
use super::tag::{Kind, Tag, tags};
use crate::sql::clause::read as read_verb;
use crate::sql::script::Script;
use crate::sql::view::{Name, Sql};
use minijinja::{Value, context};
use std::ops::Range;

/// The statements of a file of macros.
pub(super) struct Followed {
    /// As long as the file.
    pub text: String,
    /// Where each macro stands.
    pub macros: Vec<Range<usize>>,
    /// True when something is run, or may be, of which nobody here knows what it does: what stands behind it is left out.
    pub is_lost: bool,
}

impl Followed {
    fn nothing() -> Self {
        Self { text: String::new(), macros: Vec::new(), is_lost: true }
    }
}

/// The statements of a file of macros; none where its tags have no end.
pub(super) fn macros(text: &str) -> Followed {
    read(text, Vec::new()).unwrap_or_else(Followed::nothing)
}

/// The statements of a hook; none where its tags have no end, or belong to no block.
pub(super) fn hook(text: &str) -> Followed {
    read(text, vec![Block::Open]).unwrap_or_else(Followed::nothing)
}

/// The statements of a script whose table only dbt can tell, such as `{{ this }}` or a parameter of the macro: it may be one
/// that is made anew in each run.
pub(super) fn nameless(script: &Script<'_>, this_stays: bool) -> Vec<Range<usize>> {
    let sql = |statement| script.sql(statement);
    let all = script.statements.iter().map(sql).filter(|sql| match read_verb(*sql) {
        Ok(verb) => verb.tables().into_iter().any(|name| is_hole(name, this_stays)),
        Err(_) => true,
    });
    all.map(Sql::range).collect()
}

/// A name that ends in a hole, and nothing but the hole. A source is a table that dbt does not make.
fn is_hole(name: Name<'_>, this_stays: bool) -> bool {
    let last = name.last();
    let inside = last.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let is_known = |inside: &str| inside.starts_with("source(") || (this_stays && inside == "this");
    inside.is_some_and(|inside| !is_known(inside.trim()))
}

/// What stands between two tags that belong together.
enum Block {
    /// Statements.
    Open,
    /// A branch of a condition that is the same in each run: whether it is taken, and whether one was.
    Branch(bool, bool),
    /// Text that is run in no place that is known.
    Hidden,
    /// A part that may be there or not. Its first tag stays, and a hole stands behind it: a statement around them is one
    /// that nobody can judge.
    Unknown,
}

/// A tag that a statement does not get over, and a hole that makes it a part of the statement before it.
const BREAK: &str = "{%%}{{x}}";
const HOLE: &str = "{{x}}";

fn read(text: &str, mut open: Vec<Block>) -> Option<Followed> {
    let all = tags(text)?;
    let mut reader = Reader {
        text,
        out: String::with_capacity(text.len()),
        quotes: Quotes::default(),
        is_lost: false,
        macros: Vec::new(),
    };
    let outermost = open.len();
    let mut at = 0;
    for tag in &all {
        let shown = reader.shows(&open);
        put(&mut reader.out, &text[at..tag.range.start], shown);
        at = tag.range.end;
        match tag.kind {
            Kind::Remark => reader.write("", tag),
            Kind::Value => reader.value(tag, shown),
            Kind::Control => reader.control(tag, &mut open)?,
        }
    }
    let shown = reader.shows(&open);
    put(&mut reader.out, &text[at..], shown);
    (open.len() == outermost).then_some(Followed { text: reader.out, macros: reader.macros, is_lost: reader.is_lost })
}

struct Reader<'t> {
    text: &'t str,
    out: String,
    quotes: Quotes,
    /// From here on nothing of the macro is followed.
    is_lost: bool,
    macros: Vec<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn inner(&self, tag: &Tag) -> &'t str {
        &self.text[tag.inner.clone()]
    }

    fn shows(&self, open: &[Block]) -> bool {
        let shown = |block: &Block| matches!(block, Block::Open | Block::Branch(true, _));
        !self.is_lost && !open.is_empty() && open.iter().all(shown)
    }

    /// A text in the place of a tag; nothing where it is too long.
    fn write(&mut self, stand_in: &str, tag: &Tag) {
        let stand_in = if stand_in.len() <= tag.range.len() { stand_in } else { "" };
        self.out.push_str(stand_in);
        blank(&mut self.out, &self.text.as_bytes()[tag.range.start + stand_in.len()..tag.range.end]);
    }

    /// A tag as it stands.
    fn keep(&mut self, tag: &Tag) {
        self.out.push_str(&self.text[tag.range.clone()]);
    }

    /// A part of a tag, as a statement of its own.
    fn part(&mut self, part: &Range<usize>, tag: &Tag) {
        let bytes = self.text.as_bytes();
        self.out.push(';');
        blank(&mut self.out, &bytes[tag.range.start + 1..part.start]);
        self.out.push_str(&self.text[part.clone()]);
        self.out.push(';');
        blank(&mut self.out, &bytes[part.end + 1..tag.range.end]);
    }

    fn value(&mut self, tag: &Tag, shown: bool) {
        if !shown {
            self.write("", tag);
        } else if let Some(sql) = self.run(tag) {
            self.part(&sql, tag);
        } else if self.quotes.open_at_end(&self.out) {
            // Quotes of Jinja end no literal of SQL.
            if self.inner(tag).contains(['\'', '"']) { self.write("", tag) } else { self.keep(tag) }
        } else if is_one_value(self.inner(tag)) && self.takes_value() {
            self.keep(tag);
        } else {
            self.is_lost |= self.begins() && !is_harmless(self.inner(tag));
            self.write(if tag.range.len() < BREAK.len() { "{%%}x" } else { BREAK }, tag);
        }
    }

    /// True where a statement begins.
    fn begins(&self) -> bool {
        let mut lines = self.out.lines().rev().map(str::trim);
        let last = lines.find(|line| !line.is_empty() && !line.starts_with("--"));
        last.is_none_or(|line| line.ends_with([';', '/']))
    }

    /// The literal that a tag runs: `run_query("..")`.
    fn run(&self, tag: &Tag) -> Option<Range<usize>> {
        let inner = self.inner(tag);
        let call = inner.strip_prefix("do ").unwrap_or(inner).trim_start().strip_prefix("run_query")?.trim_start();
        let literal = call.strip_prefix('(')?.strip_suffix(')')?.trim();
        self.literal(tag, literal)
    }

    /// The place of what stands in the quotes of a part of a tag that is one literal.
    fn literal(&self, tag: &Tag, literal: &str) -> Option<Range<usize>> {
        let quote = literal.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let inside = literal.strip_prefix(quote)?.strip_suffix(quote)?;
        let plain = !inside.is_empty() && !inside.contains([quote, '\\']) && !inside.contains("{{");
        let start = tag.inner.start + self.inner(tag).find(literal)? + 1;
        plain.then_some(start..start + inside.len())
    }

    /// True where one value or one name may stand: there it is no clause.
    fn takes_value(&self) -> bool {
        let before = self.out.trim_end();
        let adjoins = before.len() == self.out.len();
        let word = |text: &str| {
            let start = text.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            text[start..].to_ascii_lowercase()
        };
        match before.chars().last() {
            Some('(') => !["where", "and", "or", "on", "when", "not", "having", "values"]
                .contains(&word(before[..before.len() - 1].trim_end()).as_str()),
            Some(',' | '=' | '<' | '>' | '+' | '*' | '/' | '|' | '.' | '"' | '`' | '[') => true,
            Some(c) if adjoins && (c.is_ascii_alphanumeric() || c == '_') => true,
            Some(_) => ["into", "from", "join", "table", "update", "exists", "select", "then", "else", "interval"]
                .contains(&word(before).as_str()),
            None => false,
        }
    }

    /// `None` for a tag of which nobody here knows what it does to those behind it.
    fn control(&mut self, tag: &Tag, open: &mut Vec<Block>) -> Option<()> {
        let inner = self.inner(tag);
        let (word, rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        let word = word.split('(').next().unwrap_or(word);
        let shown = self.shows(open);
        let mut stand_in = "";
        match word {
            "macro" => {
                self.is_lost = false;
                self.macros.push(tag.range.clone());
                open.push(Block::Open);
                stand_in = ";";
            }
            "call" if shown && is_statement(inner) => {
                open.push(Block::Open);
                stand_in = ";";
            }
            "set" if rest.contains('=') => {
                let (name, value) = rest.split_once('=')?;
                let literal = self.literal(tag, value.trim()).filter(|_| shown && self.is_run(name.trim()));
                if let Some(literal) = literal {
                    self.part(&literal, tag);
                    return Some(());
                }
                self.is_lost |= shown && value.contains("run_query(") && !self.runs_known(value.trim());
            }
            "set" if shown && self.is_run(rest.trim()) => {
                open.push(Block::Open);
                stand_in = ";";
            }
            "if" if shown && condition(rest).is_some() => {
                let taken = condition(rest)?;
                open.push(Block::Branch(taken, taken));
            }
            "if" | "for" if shown => {
                open.push(Block::Unknown);
                self.keep(tag);
                return Some(());
            }
            "if" | "for" | "call" | "set" | "filter" | "test" | "materialization" | "snapshot" | "docs" | "block" => {
                open.push(Block::Hidden);
            }
            "else" | "elif" => {
                if let Some(Block::Branch(taken, before)) = open.last_mut() {
                    *taken = !*before && (word == "else" || condition(rest)?);
                    *before |= *taken;
                }
            }
            "do" if shown => {
                if let Some(sql) = self.run(tag) {
                    self.part(&sql, tag);
                    return Some(());
                }
                self.is_lost |= !is_harmless(rest) && !self.runs_known(rest);
            }
            "do" => {}
            "endmacro" => {
                self.macros.last_mut()?.end = tag.range.start;
                open.pop()?;
            }
            _ if word.starts_with("end") => match open.pop()? {
                Block::Unknown => {
                    if self.shows(open) {
                        stand_in = HOLE;
                    }
                    self.is_lost = true;
                }
                Block::Open => stand_in = ";",
                _ => {}
            },
            "import" | "from" | "include" => {}
            _ => return None,
        }
        self.write(stand_in, tag);
        Some(())
    }

    /// True for the call that runs a query by a name that is set in the file, where its statements stand.
    fn runs_known(&self, call: &str) -> bool {
        let name = call.strip_prefix("run_query").and_then(|rest| rest.trim_start().strip_prefix('('));
        let name = name.and_then(|rest| rest.split([')', ',']).next()).unwrap_or_default().trim();
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let is_set = |pair: &[&str]| pair[0] == "set" && pair[1].trim_end_matches(['%', '}', '-', '=']) == name;
        !name.is_empty() && words.windows(2).any(is_set)
    }

    /// True when a query is run by its name somewhere in the file.
    fn is_run(&self, name: &str) -> bool {
        let bare: String = self.text.split_whitespace().collect();
        !name.is_empty() && [")", ","].iter().any(|end| bare.contains(&format!("run_query({name}{end}")))
    }
}

/// Calls that run nothing in the database.
fn is_harmless(call: &str) -> bool {
    let calls = ["log(", "print(", "config(", "debug("];
    let fills = [".append(", ".extend(", ".update("];
    calls.iter().any(|one| call.starts_with(one)) || fills.iter().any(|one| call.contains(one))
}

/// `call statement('x')`, whose text dbt runs: <https://docs.getdbt.com/reference/dbt-jinja-functions/statement-blocks>
fn is_statement(inner: &str) -> bool {
    inner.strip_prefix("call").is_some_and(|rest| rest.trim_start().starts_with("statement"))
}

/// A value, or a name: nothing that a macro makes, which may be a clause.
fn is_one_value(inner: &str) -> bool {
    let calls = ["ref(", "source(", "adapter.quote("];
    !inner.contains('(') || VALUES.iter().chain(&calls).any(|one| inner.starts_with(one))
}

/// Whether each run takes the branch of a condition that depends on nothing that a run changes; `None` for any other.
/// Parsing is not running: <https://docs.getdbt.com/reference/dbt-jinja-functions/execute>
fn condition(text: &str) -> Option<bool> {
    let environment = environment();
    let expression = environment.compile_expression(text).ok()?;
    let asked = expression.undeclared_variables(true);
    let settled = |name: &String| ["execute", "is_incremental", "flags.FULL_REFRESH"].contains(&name.as_str());
    if asked.iter().all(settled) {
        let known = context! { execute => true, flags => context! { FULL_REFRESH => false } };
        return expression.eval(known).ok().map(|value: Value| value.is_true());
    }
    // The same in each run of one target; a run that takes no such branch does nothing twice.
    let same = |name: &String| {
        let first = name.split('.').next().unwrap_or(name);
        settled(name) || ["target", "flags", "var", "env_var"].contains(&first)
    };
    asked.iter().all(same).then_some(true)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{condition, hook, macros};

    fn squeezed(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_statements_of_a_macro_keep_their_places() {
        let text = "{% macro log(é) %}\n  insert into {{ target.schema }}.audit values ('{{ é }}', {{ var('x') }});\n{% endmacro %}\n";
        let made = macros(text).text;
        assert_eq!(made.len(), text.len());
        assert_eq!(made.find("insert"), text.find("insert"));
        assert_eq!(squeezed(&made), "; insert into {{ target.schema }}.audit values ('{{ é }}', {{ var('x') }});");
    }

    #[test]
    fn queries_that_are_run_are_statements() {
        for (text, want) in [
            ("{% call statement('x', fetch_result=True) %}delete from a{% endcall %}", "delete from a"),
            ("{% set q %}delete from a{% endset %}{% do run_query(q) %}", "delete from a"),
            ("{% set q = 'delete from a' %}{% do run_query( q ) %}", "delete from a"),
            ("{% set q %}select 1{% endset %}{% set r = run_query(q) %}delete from a", "select 1; delete from a"),
            ("{% do run_query(\"delete from a\") %}", "delete from a"),
            ("{% set q %}delete from a{% endset %}{{ return(q) }}", ""),
            ("{% set q = 'delete from ' ~ a %}{% do run_query(q) %}", ""),
            ("{% call set_sql_header(config) %}delete from a{% endcall %}", ""),
        ] {
            let made = hook(text).text.replace("{%%}{{x}}", "");
            let all: Vec<String> = made.split(';').map(squeezed).filter(|one| !one.is_empty()).collect();
            assert_eq!(all.join("; "), want, "{text}");
        }
    }

    #[test]
    fn what_may_be_there_or_not_is_marked() {
        for (text, want) in [
            ("insert into a select 1 {% if x %}where b{% endif %}", "insert into a select 1 {% if x %} {{x}}"),
            ("insert into a select 1 {{ only_new(a) }}", "insert into a select 1 {%%}{{x}}"),
            ("insert into a select 1 from b {{ where }}", "insert into a select 1 from b {%%}{{x}}"),
            ("{% for t in all %}insert into a values ({{ t }});{% endfor %}", "{% for t in all %} {{x}}"),
            ("{% if execute %}delete from a{% else %}delete from b{% endif %}", "delete from a"),
            ("{% if not execute %}{{ return('') }}{% endif %}delete from a", "delete from a"),
            (
                "insert into {{ a }} ({{ b }}) select {{ c }} from {{ ref('d') }}",
                "insert into {{ a }} ({{ b }}) select {{ c }} from {{ ref('d') }}",
            ),
        ] {
            assert_eq!(squeezed(&hook(text).text), want, "{text}");
        }
    }

    #[test]
    fn nothing_is_said_of_what_stands_behind_an_unknown_command() {
        for text in [
            "{% if there %}{{ return('') }}{% endif %}",
            "{% if loads %}delete from a;{% endif %}",
            "{% for t in all %}delete from {{ t }};{% endfor %}",
            "{{ cleared('a') }};",
            "select 1;\n-- it's cleared\n\n{{ cleared('a') }};\n",
            "{% do cleared('a') %}",
            "{% do run_query(made('a')) %}",
            "{{ return('') }}",
            "{% do adapter.drop_relation(a) %}",
        ] {
            let hook = hook(&format!("{text}insert into a values (1)"));
            assert!(hook.is_lost && !hook.text.contains("insert"), "{text}: {}", hook.text);
        }
        for text in ["{% do log('a', info=True) %}", "{{ log('a') }};", "{# delete #}", "{% set a = 1 %}"] {
            let hook = hook(&format!("{text}insert into a values (1)"));
            assert!(!hook.is_lost && hook.text.contains("insert"), "{text}: {}", hook.text);
        }
        assert!(hook("{% endif %}insert into a values (1)").text.is_empty());
        assert_eq!(macros("{% macro a() %}{% raw %}delete from a{% endraw %}{% endmacro %}").text, "");
    }

    #[test]
    fn conditions_that_a_run_cannot_change_are_followed() {
        for (text, want) in [
            ("execute", Some(true)),
            ("not execute", Some(false)),
            ("execute and flags.WHICH in ('run', 'build')", Some(true)),
            ("target.name == 'prod'", Some(true)),
            ("not flags.FULL_REFRESH", Some(true)),
            ("is_incremental()", Some(true)),
            ("results | length > 0", None),
            ("load_relation(this)", None),
            ("n == 0", None),
        ] {
            assert_eq!(condition(text), want, "{text}");
        }
    }
}
