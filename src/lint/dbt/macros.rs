//! A file of macros: the statements that dbt runs when a macro is called, judged by the rules for plain SQL.

use super::followed::{self, Followed};
use crate::diagnostic::Source;
use crate::dialect::Dialect;
use crate::lint::check::Check;
use crate::lint::context::Context;
use crate::lint::finding::Finding;
use crate::lint::known::Known;
use crate::lint::options::Options;
use crate::lint::policy::Runner;
use crate::lint::rule::Class;
use crate::sql::script::Script;
use std::ops::Range;
use std::sync::Arc;

/// The macros of a file.
pub struct Macros(Followed);

impl Macros {
    /// Reads a file; `None` for one that defines none.
    pub fn read(text: &str) -> Option<Self> {
        let defines = |(at, _): (usize, &str)| {
            let inside = text[at + 2..].trim_start_matches(['-', '+']).trim_start();
            let word = inside.split(char::is_whitespace).next().unwrap_or_default();
            ["macro", "test", "materialization"].contains(&word)
        };
        text.match_indices("{%").any(defines).then(|| Self(followed::macros(text)))
    }

    /// The findings about the statements, and the places of these. Each macro is a script of its own: nobody here knows
    /// which of them are called, nor in which order.
    pub fn findings(
        &self,
        source: &Arc<Source>,
        dialect: &'static Dialect,
        options: &Options,
        known: &Known,
    ) -> (Vec<Finding>, Vec<Range<usize>>) {
        let (mut findings, mut statements) = (Vec::new(), Vec::new());
        for range in &self.0.macros {
            let Some(text) = self.0.text.get(range.clone()) else { continue };
            let made = Source::new(source.name.clone(), text);
            let script = Script::read(&made.text, dialect);
            let policy = options.policy.unwrap_or(Runner::unknown().policy);
            // Whether dbt commits between two statements is its adapter's matter.
            let runner = Runner { policy, in_transaction: Some(true), ..Runner::unknown() };
            let context = Context::new(&made, &script, dialect, runner, options, known);
            let nameless = followed::nameless(&script, false);
            for (rule, severity) in options.rules.iter().filter(|(rule, _)| rule.class != Class::Script) {
                let mut check = Check::new(rule, *severity, &context);
                (rule.check)(&mut check);
                let found = check.finish().into_iter().filter(|finding| !nameless.contains(&finding.statement));
                findings.extend(found.map(|finding| moved(finding, range.start)));
            }
            statements.extend(context.steps.iter().map(|step| shifted(&step.sql.range(), range.start)));
        }
        (findings, statements)
    }
}

/// The finding in the place where the macro stands.
fn moved(mut finding: Finding, by: usize) -> Finding {
    for label in &mut finding.diagnostic.labels {
        label.span = shifted(&label.span, by);
    }
    finding.statement = shifted(&finding.statement, by);
    finding.more = finding.more.iter().map(|range| shifted(range, by)).collect();
    // An edit is for the text as it stands, of which this is a part.
    finding.fix = None;
    finding
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
