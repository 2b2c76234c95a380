//! The linter: what a script does when it is run a second time, told statement by statement.
//!
//! ```text
//! text -> statements with their frames (sql::script) -> clauses (sql::clause) -> context -> rules -> findings
//! ```

pub mod check;
pub mod context;
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
use crate::lint::finding::Checked;
use crate::lint::known::Known;
use crate::lint::options::Options;
use crate::sql::script::Script;
use std::sync::Arc;

/// The dialect for scripts of which nobody knows it: the one that reads what any other reads.
pub fn generic() -> &'static Dialect {
    dialect::ALL.iter().copied().find(|dialect| dialect.client.lenient).unwrap_or(dialect::ALL[0])
}

/// A script that was read, before anything is known of its tables.
pub struct Parsed<'a> {
    source: &'a Arc<Source>,
    script: Script<'a>,
    dialect: &'static Dialect,
}

/// Reads a script. Never fails: what cannot be read becomes a finding.
pub fn parse<'a>(source: &'a Arc<Source>, options: &Options) -> Parsed<'a> {
    let text = source.text.as_str();
    let dialect = options.dialect.or_else(|| detect::dialect(&source.name, text)).unwrap_or_else(generic);
    Parsed { source, script: Script::read(text, dialect), dialect }
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
        let Self { source, script, dialect } = self;
        let mut runner = policy::recognise(&source.name, &source.text);
        if let Some(policy) = options.policy {
            runner.policy = policy;
            runner.sections.iter_mut().for_each(|section| section.policy = None);
        }
        let policy = runner.policy;
        let context = Context::new(source, script, dialect, runner, options, known);
        let mut findings = Vec::new();
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
        for finding in &mut findings {
            finding.diagnostic.source = Some(Arc::clone(source));
        }
        findings.sort_by_key(|finding| (finding.span().start, finding.rule.code));
        let comments: Vec<_> = script.comments.iter().map(|one| one.start as usize..one.end as usize).collect();
        let statements: Vec<_> = context.steps.iter().map(|step| step.sql.range()).collect();
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
            statements: script.statements.len(),
            unread: unread + usize::from(script.open.is_some()),
            suppressed: left.suppressed,
            known: 0,
        }
    }
}
