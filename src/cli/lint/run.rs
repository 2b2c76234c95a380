//! One run: files are found and read, what is known of tables is gathered, each file is linted, mended and reported.

use super::Arguments;
use super::baseline::Baseline;
use super::config::{self, Config};
use super::dbt::Projects;
use super::gather::gather;
use super::parallel::{in_order, threads};
use super::place::Place;
use super::script::{Done, Script};
use super::statistics;
use super::summary::Run;
use super::text::replace;
use super::walk::{self, problem};
use crate::cli::Outcome;
use crate::cli::files::{STDIN, folder_of};
use crate::cli::output::{Output, diff};
use crate::cli::report::Report;
use crate::diagnostic::{Diagnostic, Severity, Style};
use crate::lint::finding::Checked;
use anyhow::{Context as _, Result};
use std::fs;
use std::path::Path;

/// Fewer files are read, and less text is linted, before threads would have started.
const FEW_FILES: usize = 64;
const LITTLE_TEXT: usize = 128 << 10;

pub(in crate::cli) fn run(arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let here = std::env::current_dir().context("cannot tell the current directory")?;
    let config = match config::load(arguments, &here)? {
        Ok(config) => config,
        Err(faults) => return Ok(failed(&faults, output)),
    };
    let rules = walk::Rules { exclude: &config.exclude, no_gitignore: arguments.no_gitignore };
    let mut projects = Projects::default();
    let found = walk::find(&arguments.paths, &rules, &mut projects)?;
    projects.read(found.files.iter().map(|path| arguments.seen(path)));
    let mut run = Run { problems: found.problems, excluded: found.excluded, links: found.links, ..Run::default() };

    let count = if found.files.len() < FEW_FILES { 1 } else { threads() };
    let read = in_order(&found.files, count, |path| Script::read(path, &config, &projects, arguments));
    run.problems.extend(projects.problems);
    let mut scripts = Vec::new();
    for script in read {
        match script {
            Ok(script) => scripts.push(script),
            Err(fault) => run.problems.push(problem(&format!("{fault:#}"))),
        }
    }
    let baseline = Baselined::read(arguments, &config, &here, &mut scripts)?;

    let size: usize = scripts.iter().map(|script| script.source.text.len()).sum();
    let count = if size < LITTLE_TEXT { 1 } else { threads() };
    let done = {
        // What one script declares is known to all, so all are taken apart before the first is judged.
        let parsed = in_order(&scripts, count, Script::parse);
        let known = match gather(&config, &parsed)? {
            Ok(known) => known,
            Err(faults) => return Ok(failed(&faults, output)),
        };
        let both: Vec<_> = scripts.iter().zip(parsed).collect();
        in_order(&both, count, |(script, parsed)| match parsed {
            Ok(parsed) => script.lint(parsed, &known, arguments),
            Err(fault) => Err(fault.clone()),
        })
    };

    let mut pairs: Vec<(Script, Done)> = Vec::new();
    for (script, done) in scripts.into_iter().zip(done) {
        match done {
            Ok(done) => pairs.push((script, done)),
            Err(fault) => {
                run.broke = true;
                run.problems.push(fault);
            }
        }
    }
    if let Some(file) = &arguments.write_baseline {
        return write_baseline(file, &here, arguments, &pairs, run, output);
    }
    run.stale = baseline.stale(&pairs, arguments);
    finish(pairs, run, &config, arguments, output)
}

/// Tells everything that keeps the command from its work.
fn failed(faults: &[Diagnostic], output: &mut Output) -> Outcome {
    output.diagnostics(faults);
    Outcome::Failed
}

/// The baseline of a run, and the folder from which it sees paths.
struct Baselined(Option<(Baseline, Place)>);

impl Baselined {
    /// Reads it, and gives each script what is known of it.
    fn read(arguments: &Arguments, config: &Config, here: &Path, scripts: &mut [Script]) -> Result<Self> {
        // Whoever writes a new one wants all findings in it.
        let Some(file) = config.baseline.as_ref().filter(|_| arguments.write_baseline.is_none()) else {
            return Ok(Self(None));
        };
        let name = file.display();
        let text = fs::read_to_string(file)
            .with_context(|| format!("cannot read the baseline {name}; write it with --write-baseline {name}"))?;
        let baseline = Baseline::read(&text).with_context(|| name.to_string())?;
        let place = Place::new(here, folder_of(file));
        for script in scripts {
            script.entries = baseline.of(&place.path(script.seen(arguments)));
        }
        Ok(Self(Some((baseline, place))))
    }

    /// How many findings it knows that are gone: from the files of this run, or with their file.
    fn stale(&self, pairs: &[(Script, Done)], arguments: &Arguments) -> usize {
        let Some((baseline, place)) = &self.0 else { return 0 };
        let gone = pairs.iter().flat_map(|(_, done)| done.stale.values()).sum::<usize>();
        let seen: std::collections::BTreeSet<String> =
            pairs.iter().map(|(script, _)| place.path(script.seen(arguments))).collect();
        let others = baseline.files.iter().filter(|(path, _)| !seen.contains(*path));
        let lost = others.filter(|(path, _)| !place.join(path).exists()).flat_map(|(_, entries)| entries.values());
        gone + lost.sum::<usize>()
    }
}

fn write_baseline(
    file: &Path,
    here: &Path,
    arguments: &Arguments,
    pairs: &[(Script, Done)],
    mut run: Run,
    output: &mut Output,
) -> Result<Outcome> {
    let place = Place::new(here, folder_of(file));
    let mut baseline = Baseline::default();
    for (script, done) in pairs {
        baseline.add(&place.path(script.seen(arguments)), &done.checked);
    }
    replace(file, baseline.text().as_bytes())?;
    output.diagnostics(&run.problems);
    let known: usize = baseline.files.values().flat_map(|entries| entries.values()).sum();
    if !arguments.quiet {
        let findings = if known == 1 { "1 finding".to_owned() } else { format!("{known} findings") };
        output.say(&format!("{} written with {findings}\n", file.display()));
    }
    // What could not be read is in no baseline. A statement that could not be read has its finding there.
    run.unread = 0;
    Ok(run.outcome(None, arguments.allow_unchecked))
}

/// Writes what was mended, the findings and the summary.
fn finish(
    pairs: Vec<(Script, Done)>,
    mut run: Run,
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<Outcome> {
    let show = arguments.show();
    let mut checked: Vec<Checked> = Vec::new();
    let mut notes: Vec<Diagnostic> = Vec::new();
    let mut stdin_taken = false;
    for (script, done) in pairs {
        let old = &script.source;
        if let Some(note) = script.form.note {
            let message = format!("{} is {note}", old.name);
            notes.push(Diagnostic { severity: Severity::Info, ..problem(&message) });
        }
        if let Some(why) = &done.undone {
            run.broke = true;
            run.problems.push(problem(&format!("{}: {why}", old.name)).help("this is our bug: please report it"));
        }
        let is_stdin = script.path.as_os_str() == STDIN;
        let new = &done.checked.source.text;
        run.fixed += done.applied;
        if arguments.diff {
            if done.applied > 0 {
                output.print_styled(&diff(&old.name, &old.name, &old.text, new))?;
            }
        } else if arguments.fix && is_stdin {
            // The mended text goes where a filter's output goes, changed or not.
            output.print(new)?;
            stdin_taken = true;
        } else if done.applied > 0
            && let Err(fault) = script.form.write(&script.path, &old.text, new)
        {
            run.problems.push(problem(&format!("{fault:#}")));
        }
        let mut one = done.checked;
        run.add(&mut one, show);
        checked.push(one);
    }
    if !arguments.diff {
        report(&checked, &run, stdin_taken, arguments, output)?;
    }
    output.diagnostics(&run.problems);
    if !arguments.quiet {
        output.diagnostics(&notes);
        output.say(&run.text(arguments.diff));
    }
    let outcome = run.outcome(config.fail_on, arguments.allow_unchecked);
    Ok(match outcome {
        Outcome::Failed => Outcome::Failed,
        _ if arguments.diff => {
            if run.fixed > 0 {
                Outcome::Findings
            } else {
                Outcome::Fine
            }
        }
        outcome => outcome,
    })
}

/// Writes the findings: to stdout, into a file, or to stderr when stdout holds the mended text of standard input.
fn report(checked: &[Checked], run: &Run, stdin_taken: bool, arguments: &Arguments, output: &mut Output) -> Result<()> {
    let for_people = arguments.format.for_people;
    let style = if for_people && arguments.output_file.is_none() { Style::Colour } else { Style::Plain };
    let text = match (arguments.statistics, for_people) {
        (true, true) => statistics::text(checked),
        (true, false) => statistics::json(checked),
        (false, _) => (arguments.format.write)(&Report { checked, run: &run.told(checked), style }),
    };
    match &arguments.output_file {
        Some(file) => replace(file, text.as_bytes()),
        None if stdin_taken => {
            output.say(&text);
            Ok(())
        }
        None if for_people => output.print_styled(&text),
        None => output.print(&text),
    }
}
