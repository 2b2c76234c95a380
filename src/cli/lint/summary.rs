//! What a run did, in numbers: for the line at its end, for reports, and for the exit code.

use crate::cli::{Outcome, report};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::finding::{Checked, Safety};

/// What a run did.
#[derive(Debug, Default)]
pub(in crate::cli) struct Run {
    /// Files that were checked.
    pub files: usize,
    /// What was not looked at: unreadable files and folders, broken links.
    pub problems: Vec<Diagnostic>,
    /// SQL files that globs leave out.
    pub excluded: usize,
    /// Linked folders that were not entered.
    pub links: usize,
    /// Statements that were read.
    pub statements: usize,
    /// Statements that could not be read.
    pub unread: usize,
    /// Findings by severity, shown or not: info, warning, error.
    pub found: [usize; 3],
    /// Findings that are not shown.
    pub hidden: usize,
    /// The lowest severity that is shown.
    pub show: Option<Severity>,
    /// Findings that comments suppress.
    pub suppressed: usize,
    /// Findings that the baseline knows.
    pub known: usize,
    /// Entries of the baseline that are no longer found.
    pub stale: usize,
    /// Fixes that were made, or with `--diff` would be.
    pub fixed: usize,
    /// Fixes among the findings that are shown, safe and unsafe.
    pub fixable: [usize; 2],
    /// Findings with a fix that are not shown, and so not mended.
    pub hidden_fixes: usize,
    /// A file broke the linter.
    pub broke: bool,
}

impl Run {
    /// Counts a file, and takes away the findings that are not to be shown.
    pub fn add(&mut self, checked: &mut Checked, show: Severity) {
        self.files += 1;
        self.show = Some(show);
        self.statements += checked.statements;
        self.unread += checked.unread;
        self.suppressed += checked.suppressed;
        self.known += checked.known;
        for finding in &checked.findings {
            self.found[finding.severity() as usize] += 1;
        }
        let all = checked.findings.len();
        let hidden = checked.findings.iter().filter(|finding| finding.severity() < show);
        self.hidden_fixes += hidden.filter(|finding| finding.fix.is_some()).count();
        checked.findings.retain(|finding| finding.severity() >= show);
        self.hidden += all - checked.findings.len();
        for fix in checked.findings.iter().filter_map(|finding| finding.fix.as_ref()) {
            self.fixable[usize::from(fix.safety == Safety::Unsafe)] += 1;
        }
    }

    /// The exit code. What was not checked weighs more than what was found.
    pub fn outcome(&self, fail_on: Option<Severity>, allow_unchecked: bool) -> Outcome {
        let unchecked = !self.problems.is_empty() || self.unread > 0;
        if self.broke || (unchecked && !allow_unchecked) {
            return Outcome::Failed;
        }
        let fails = fail_on.is_some_and(|level| self.found.iter().skip(level as usize).any(|count| *count > 0));
        if fails { Outcome::Findings } else { Outcome::Fine }
    }

    /// What reports tell of the run.
    pub fn told(&self, checked: &[Checked]) -> report::Run {
        let skipped = self.problems.iter().map(|problem| report::Skipped {
            path: problem.source.as_ref().map_or_else(String::new, |source| source.name.clone()),
            reason: problem.message.clone(),
        });
        let [infos, warnings, errors] = self.found;
        report::Run {
            skipped: skipped.collect(),
            errors,
            warnings,
            infos,
            hidden: self.hidden,
            fixed: self.fixed,
            ..report::Run::of(checked)
        }
    }

    /// The lines at the end of a run.
    pub fn text(&self, diff: bool) -> String {
        let [infos, warnings, errors] = self.found;
        let hidden = |severity: Severity| self.show.is_some_and(|show| severity < show);
        let kinds = [
            (errors, "error", Severity::Error),
            (warnings, "warning", Severity::Warning),
            (infos, "info", Severity::Info),
        ];
        let shown: Vec<String> = kinds
            .iter()
            .filter(|(number, _, severity)| *number > 0 && !hidden(*severity))
            .map(|(number, word, _)| count(*number, word))
            .collect();
        let found = if shown.is_empty() { "nothing to report".to_owned() } else { shown.join(", ") };
        // Always all four: nothing is left out without a word.
        let mut lines = vec![format!(
            "{} checked, {} skipped; {} read, {} not read: {found}",
            count(self.files, "file"),
            self.problems.len() + self.excluded,
            count(self.statements - self.unread.min(self.statements), "statement"),
            self.unread
        )];
        if self.hidden > 0 {
            let lowest = kinds.iter().rev().find(|(number, ..)| *number > 0).map_or("info", |(_, word, _)| *word);
            lines.push(format!("{} not shown; --show {lowest} shows them", count(self.hidden, "finding")));
        }
        let some = |parts: &[(usize, &str)]| -> Vec<String> {
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")).collect()
        };
        let apart = some(&[(self.suppressed, "suppressed"), (self.known, "known to the baseline")]);
        if !apart.is_empty() {
            lines.push(apart.join(", "));
        }
        if self.stale > 0 {
            lines.push(format!(
                "{} of the baseline no longer found; write it again with --write-baseline",
                if self.stale == 1 { "1 finding".to_owned() } else { format!("{} findings", self.stale) }
            ));
        }
        if self.fixed > 0 {
            let made = if diff { "would be made" } else { "made" };
            lines.push(format!(
                "{} {made}",
                if self.fixed == 1 { "1 fix".to_owned() } else { format!("{} fixes", self.fixed) }
            ));
        }
        match self.fixable {
            [0, 0] => {}
            [safe, 0] => lines.push(format!("{safe} can be mended with --fix")),
            [0, risky] => {
                lines.push(format!("{risky} can be mended with --fix --unsafe-fixes, which you should look at"));
            }
            [safe, risky] => lines.push(format!(
                "{safe} can be mended with --fix, and {risky} more with --unsafe-fixes, which you should look at"
            )),
        }
        if self.hidden_fixes > 0 {
            lines.push(format!("{} of those not shown can be mended, together with --show info", self.hidden_fixes));
        }
        if self.unread > 0 {
            lines.push("the exit code is 2 for what was not read; --allow-unchecked lets it pass".to_owned());
        }
        let not_checked = [
            (self.problems.len(), "skipped because of the problems above"),
            (self.excluded, if self.excluded == 1 { "file excluded" } else { "files excluded" }),
            (self.links, if self.links == 1 { "linked folder not entered" } else { "linked folders not entered" }),
        ];
        let not_checked = some(&not_checked);
        if !not_checked.is_empty() {
            lines.push(not_checked.join(", "));
        }
        lines.join("\n") + "\n"
    }
}

/// `1 file`, `2 files`.
fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

#[cfg(test)]
mod tests {
    use super::Run;
    use crate::cli::Outcome;
    use crate::cli::lint::walk::problem;
    use crate::diagnostic::Severity;

    fn run() -> Run {
        Run { files: 1, statements: 3, show: Some(Severity::Warning), ..Run::default() }
    }

    #[test]
    fn the_exit_code_follows_what_was_found_and_what_was_not_checked() {
        let warned = Run { found: [5, 1, 0], ..run() };
        assert_eq!(warned.outcome(Some(Severity::Error), false), Outcome::Fine);
        assert_eq!(warned.outcome(Some(Severity::Warning), false), Outcome::Findings);
        assert_eq!(warned.outcome(Some(Severity::Info), false), Outcome::Findings);
        assert_eq!(warned.outcome(None, false), Outcome::Fine);
        for unchecked in [Run { unread: 1, ..run() }, Run { problems: vec![problem("x")], ..run() }] {
            assert_eq!(unchecked.outcome(None, false), Outcome::Failed);
            assert_eq!(unchecked.outcome(None, true), Outcome::Fine);
        }
        let both = Run { unread: 1, found: [0, 0, 1], ..run() };
        assert_eq!(both.outcome(Some(Severity::Error), false), Outcome::Failed);
        assert_eq!(both.outcome(Some(Severity::Error), true), Outcome::Findings);
        assert_eq!(Run { broke: true, ..run() }.outcome(None, true), Outcome::Failed);
    }

    #[test]
    fn the_summary_counts_everything() {
        assert_eq!(run().text(false), "1 file checked, 0 skipped; 3 statements read, 0 not read: nothing to report\n");
        let much = Run {
            files: 2,
            statements: 3,
            found: [4, 1, 2],
            hidden: 4,
            suppressed: 1,
            known: 3,
            stale: 1,
            fixed: 1,
            fixable: [2, 1],
            problems: vec![problem("x")],
            unread: 1,
            excluded: 2,
            links: 1,
            ..run()
        };
        assert_eq!(
            much.text(false),
            "2 files checked, 3 skipped; 2 statements read, 1 not read: 2 errors, 1 warning\n4 findings not shown; --show info shows them\n1 \
             suppressed, 3 known to the baseline\n1 finding of the baseline no longer found; write it again with \
             --write-baseline\n1 fix made\n2 can be mended with --fix, and 1 more with --unsafe-fixes, which you should look \
             at\nthe exit code is 2 for what was not read; --allow-unchecked lets it pass\n1 skipped because of the problems above, 2 files excluded, 1 linked folder not \
             entered\n"
        );
        assert!(much.text(true).contains("1 fix would be made"));
    }
}
