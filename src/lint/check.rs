//! What a rule sees of a script, and where it puts its findings.

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::lint::context::{Context, Step};
use crate::lint::finding::{Edit, Finding, Fix, Safety};
use crate::lint::policy::Policy;
use crate::lint::rule::Rule;
use crate::sql::clause::Verb;
use std::collections::HashMap;
use std::ops::Range;

/// One rule at work on one script.
pub struct Check<'c, 'a> {
    /// The script in its context.
    pub context: &'c Context<'a>,
    rule: &'static Rule,
    /// What the team says of the rule, in place of what the rule says itself.
    severity: Option<Severity>,
    findings: Vec<Finding>,
    /// The finding that each group has become, by the group, the severity and whether it can be mended.
    groups: HashMap<(String, u8, bool), usize>,
}

/// A finding in the making.
pub struct Report {
    /// Bytes of the main place.
    span: Range<usize>,
    message: String,
    label: String,
    more: Vec<Label>,
    help: String,
    severity: Option<Severity>,
    at_most: Option<Severity>,
    fix: Option<Fix>,
    group: Option<String>,
    doubles: bool,
    around: Option<Range<usize>>,
}

impl Report {
    /// A finding at some bytes. The message says what is wrong *here*: what a second run does; lower case, names in
    /// backticks, no full stop.
    pub fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            label: String::new(),
            more: Vec::new(),
            help: String::new(),
            severity: None,
            at_most: None,
            fix: None,
            group: None,
            doubles: false,
            around: None,
        }
    }

    /// What stands at the main place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Another place that matters, such as the CREATE TABLE or the DELETE.
    #[must_use]
    pub fn also(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.more.push(Label { span, text: text.into() });
        self
    }

    /// What to write instead, as an order.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// How bad it is here, where that differs from the rule's own severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// It is no worse than this, whatever the policy of the file.
    #[must_use]
    pub fn at_most(mut self, severity: Severity) -> Self {
        self.at_most = Some(severity);
        self
    }

    /// Edits that mend it. `Safety::Safe` only when the first run does what it did before.
    #[must_use]
    pub fn fix(mut self, safety: Safety, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { title: title.into(), safety, edits });
        self
    }

    /// It says that rows that are there are added again, of a rule that says other things too.
    #[must_use]
    pub fn doubles(mut self, doubles: bool) -> Self {
        self.doubles = doubles;
        self
    }

    /// What a suppression covers, where that is more than the main place and no statement of the script.
    #[must_use]
    pub fn around(mut self, around: Range<usize>) -> Self {
        self.around = Some(around);
        self
    }

    /// Findings of one rule and one group in a file become one finding, at the first place. Usually the table's key.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }
}

/// The severity of a rule in a file of a policy; `None` where the rule is silent.
///
/// Data that silently becomes wrong is no matter in a file that is run once; a definition without its guard fails loudly,
/// so that it is an error only where the team says so.
fn severity(rule: &Rule, own: Severity, said: bool, policy: Policy) -> Option<Severity> {
    match (rule.class, policy) {
        (Class::Data, Policy::Once) => Some(Severity::Info),
        (Class::Definition, Policy::Once) => None,
        (Class::Definition, Policy::Unknown) if !said => Some(Severity::Info),
        (Class::Definition, Policy::Rerun) if !said => Some(own.min(Severity::Warning)),
        _ => Some(own),
    }
}

pub use crate::lint::rule::Class;

impl<'c, 'a> Check<'c, 'a> {
    /// A rule about to be run.
    pub fn new(rule: &'static Rule, severity: Option<Severity>, context: &'c Context<'a>) -> Self {
        Self { context, rule, severity, findings: Vec::new(), groups: HashMap::new() }
    }

    /// The statements that a run of the script runs: not those of routine bodies (unless the team wants that), nor of
    /// down parts, nor those with template control lines inside, of which nobody knows what they will be.
    pub fn steps(&self) -> impl Iterator<Item = &'c Step<'a>> + use<'c, 'a> {
        let bodies = self.context.options.bodies;
        self.context
            .steps
            .iter()
            .filter(move |step| !step.down && !step.statement.templated && (bodies || !step.defined))
    }

    /// The statements that change rows or definitions, those in WITH lists among them, each with its step.
    pub fn verbs(&self) -> impl Iterator<Item = (&'c Step<'a>, &'c Verb<'a>)> + use<'c, 'a> {
        self.steps().flat_map(|step| step.verbs().map(move |verb| (step, verb)))
    }

    /// Adds a finding about a step.
    pub fn report(&mut self, step: &Step<'a>, report: Report) {
        let own = self.severity.or(report.severity).unwrap_or(self.rule.severity);
        let Some(mut severity) = severity(self.rule, own, self.severity.is_some(), step.policy) else { return };
        if let Some(most) = report.at_most {
            severity = severity.min(most);
        }
        // Nobody calls the routine here.
        if step.defined {
            severity = severity.min(Severity::Info);
        }
        self.add(step.sql.range(), severity, report);
    }

    /// Adds a finding about the file as a whole, or about a place outside all statements.
    pub fn report_file(&mut self, report: Report) {
        let severity = self.severity.or(report.severity).unwrap_or(self.rule.severity);
        let around = report.around.clone().unwrap_or_else(|| report.span.clone());
        self.add(around, severity, report);
    }

    fn add(&mut self, statement: Range<usize>, severity: Severity, report: Report) {
        if let Some(group) = &report.group {
            let next = self.findings.len();
            let first = *self.groups.entry((group.clone(), severity as u8, report.fix.is_some())).or_insert(next);
            if let Some(same) = self.findings.get_mut(first) {
                same.more.push(report.span);
                if let (Some(fix), Some(more)) = (&mut same.fix, report.fix) {
                    fix.edits.extend(more.edits);
                    if more.safety == Safety::Unsafe {
                        fix.safety = Safety::Unsafe;
                    }
                }
                return;
            }
        }
        let mut diagnostic = Diagnostic::error(self.rule.code, report.message).at(report.span, report.label);
        diagnostic.severity = severity;
        diagnostic.labels.extend(report.more);
        diagnostic.help = (!report.help.is_empty()).then_some(report.help);
        self.findings.push(Finding {
            rule: self.rule,
            diagnostic,
            statement,
            more: Vec::new(),
            fix: report.fix,
            group: report.group,
            doubles: report.doubles,
        });
    }

    /// The findings, in the order in which they were made.
    pub fn finish(self) -> Vec<Finding> {
        self.findings
    }
}
