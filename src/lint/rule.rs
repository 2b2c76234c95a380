//! What a rule is.

use crate::diagnostic::Severity;

/// One rule of the catalogue: a plain struct, one `static` in a file of its own.
#[derive(Debug)]
pub struct Rule {
    /// Its permanent code: `IDM101`.
    pub code: &'static str,
    /// Its permanent name, which reads well behind "allow": `insert-values-without-guard`.
    pub name: &'static str,
    /// How bad a finding is in a file of which nothing is known. A file that is run once, or again, may change it.
    pub severity: Severity,
    /// What it is about, which decides what a file's policy makes of it.
    pub class: Class,
    /// One line: what it finds.
    pub summary: &'static str,
    /// Tables and rows that the examples for PostgreSQL need; tests run the examples on them. In SQL that SQLite reads too
    /// where an example is for SQLite.
    pub setup: &'static str,
    /// Its page, in Markdown, in three parts: `## What it finds`, `## Why`, `## Instead`. The examples are fenced blocks:
    /// see [`examples`].
    pub docs: &'static str,
    /// Finds it.
    pub check: fn(&mut crate::lint::check::Check<'_, '_>),
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Rows: a second run leaves wrong data. Information in a file that is run once.
    Data,
    /// Definitions: a second run fails. Silent in a file that is run once, information where nothing tells.
    Definition,
    /// The script itself, whoever runs it.
    Script,
}

/// An example of a rule's page: a fenced block ```` ```sql,bad,changes ```` or ```` ```sql,good,mysql ````.
///
/// Behind `bad` stands what a second run does on a real engine: `adds` rows, `changes` rows, `fails`, or leaves the rows the
/// `same` because the harm is another one (a crash in between, an older batch, tomorrow's clock). Then, where it is not
/// PostgreSQL, the dialect; then `file=PATH` where the path matters, and `policy=once` or `policy=rerun`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example<'a> {
    /// The rule finds something in it.
    pub bad: bool,
    /// What a second run of a bad one does.
    pub effect: &'a str,
    /// The dialect's name; `None` for PostgreSQL.
    pub dialect: Option<&'a str>,
    /// The path of the file that it would stand in.
    pub file: Option<&'a str>,
    /// The policy of that file.
    pub policy: Option<&'a str>,
    /// The SQL.
    pub sql: &'a str,
    /// It is a model of dbt and no script: ```` ```jinja,bad,adds ````.
    pub is_model: bool,
}

/// The examples of a page, in order.
pub fn examples(docs: &str) -> Vec<Example<'_>> {
    let mut all = Vec::new();
    let mut rest = docs;
    let fences = ["```sql,", "```jinja,"];
    while let Some((at, fence)) = fences.iter().filter_map(|fence| Some((rest.find(fence)?, fence))).min() {
        let block = &rest[at + fence.len()..];
        let is_model = fence.contains("jinja");
        let Some((info, body)) = block.split_once('\n') else { break };
        let Some(end) = body.find("```") else { break };
        let mut words = info.split(',').map(str::trim);
        let bad = words.next() == Some("bad");
        let effect = if bad { words.next().unwrap_or_default() } else { "" };
        let mut example = Example { bad, effect, dialect: None, file: None, policy: None, sql: &body[..end], is_model };
        for word in words {
            match word.split_once('=') {
                Some(("file", path)) => example.file = Some(path),
                Some(("policy", policy)) => example.policy = Some(policy),
                _ => example.dialect = Some(word),
            }
        }
        all.push(example);
        rest = &body[end + 3..];
    }
    all
}
