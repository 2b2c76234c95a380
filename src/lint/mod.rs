//! The linter: what a script does when it is run a second time, told statement by statement.
//!
//! ```text
//! text -> statements with their frames (sql::script) -> clauses (sql::clause) -> context -> rules -> findings
//! ```

pub mod check;
pub mod context;
pub mod dbt;
pub mod detect;
pub mod finding;
pub mod fingerprint;
pub mod fix;
pub mod known;
pub mod options;
pub mod policy;
pub mod proof;
pub mod rule;
pub mod rules;
pub mod selector;
pub mod suppress;
pub(crate) mod wording;

#[cfg(test)]
pub(crate) mod testing;

use crate::diagnostic::Source;
use crate::dialect::{self, Dialect};
use crate::lint::check::Check;
use crate::lint::context::Context;
use crate::lint::dbt::{Document, Macros, Model};
use crate::lint::finding::Checked;
use crate::lint::known::Known;
use crate::lint::options::Options;
use crate::sql::script::Script;
use std::ops::Range;
use std::sync::Arc;

/// The dialect for scripts of which nobody knows it: the one that reads what any other reads.
pub fn generic() -> &'static Dialect {
    dialect::ALL.iter().copied().find(|dialect| dialect.client.lenient).unwrap_or(dialect::ALL[0])
}

/// A script that was read, before anything is known of its tables.
pub struct Parsed<'a> {
    source: &'a Arc<Source>,
    script: Script<'a>,
    /// What dbt runs out of the file, when it is a file of macros.
    macros: Option<Macros>,
    dialect: &'static Dialect,
}

/// Reads a script. Never fails: what cannot be read becomes a finding.
pub fn parse<'a>(source: &'a Arc<Source>, options: &Options) -> Parsed<'a> {
    let text = source.text.as_str();
    let dialect = options.dialect.or_else(|| detect::dialect(&source.name, text)).unwrap_or_else(generic);
    let (script, macros) = match &options.dbt {
        // A YAML file is no script; what it gives dbt to run is read by itself.
        Some(project) if project.document.is_some() => ("", None),
        _ => (text, Macros::read(text)),
    };
    Parsed { source, script: Script::read(script, dialect), macros, dialect }
}

/// Reads a script and says what running it again would do.
pub fn lint(source: &Arc<Source>, options: &Options, known: &Known) -> Checked {
    parse(source, options).judge(options, known)
}

impl Parsed<'_> {
    /// Adds what the script declares of tables.
    pub fn teach(&self, known: &mut Known) {
        known.learn(&self.script);
    }

    /// Says what running the script again would do.
    pub fn judge(&self, options: &Options, known: &Known) -> Checked {
        let Self { source, script, dialect, .. } = self;
        let mut runner = policy::recognise(&source.name, &source.text);
        if let Some(policy) = options.policy {
            runner.policy = policy;
            runner.sections.iter_mut().for_each(|section| section.policy = None);
        }
        let policy = runner.policy;
        let document = options.dbt.as_ref().and_then(|project| project.document.as_ref());
        let is_model = options.dbt.is_some() || runner.name == Some("dbt");
        let mut context = Context::new(source, script, dialect, runner, options, known);
        if let Some(document) = document {
            context.commands.clone_from(&document.commands);
            context.snapshots.clone_from(&document.snapshots);
        } else if is_model && self.macros.is_none() {
            context.model = Model::read(&source.name, &source.text, options.dbt.as_deref(), options.dialect);
            context.commands = context.model.iter().map(Model::hooks).collect();
            context.snapshots = dbt::snapshots(&source.text, options.dbt.as_deref());
        }
        let mut findings = Vec::new();
        let mut statements: Vec<Range<usize>> = context.steps.iter().map(|step| step.sql.range()).collect();
        statements.extend(document.into_iter().flat_map(Document::places));
        if let Some(macros) = &self.macros {
            (findings, statements) = macros.findings(source, dialect, options, known);
        } else {
            // What a relative of the dialect accepts as a guard, nobody here knows.
            let related = detect::related(&source.name);
            for (rule, severity) in &options.rules {
                if related && rule.code == rules::GUARD_SYNTAX {
                    continue;
                }
                let mut check = Check::new(rule, *severity, &context);
                (rule.check)(&mut check);
                findings.extend(check.finish());
            }
        }
        if let Some(model) = &context.model {
            findings.extend(dbt::findings(model, source, dialect, options, known));
        }
        for finding in &mut findings {
            finding.diagnostic.source = Some(Arc::clone(source));
        }
        findings.sort_by_key(|finding| (finding.span().start, finding.rule.code));
        let comments = script.comments.iter().map(|one| one.start as usize..one.end as usize);
        let comments: Vec<_> = comments.chain(document.into_iter().flat_map(|_| yaml_comments(&source.text))).collect();
        let mut left = suppress::suppress(source, &comments, &statements, findings, options);
        left.findings.sort_by_key(|finding| (finding.span().start, finding.rule.code));
        let templated = script.templated();
        let unread = context.steps.iter().filter(|step| step.verb.is_err() && !templated).count();
        Checked {
            source: Arc::clone(source),
            // What was read by the rules that all share has no dialect.
            dialect: if dialect.client.lenient { "generic" } else { dialect.name },
            policy,
            findings: left.findings,
            statements: statements.len(),
            unread: unread + usize::from(script.open.is_some()),
            suppressed: left.suppressed,
            known: 0,
        }
    }
}

/// The comments of a YAML file that have a line for themselves.
fn yaml_comments(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let lines = text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some((*at - line.len(), line))
    });
    lines.filter(|(_, line)| line.trim_start().starts_with('#')).map(|(at, line)| at..at + line.trim_end().len())
}
