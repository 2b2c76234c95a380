//! What a command works on: the specs, dialects and strategies of its arguments, made into plans.

use super::files::{find, placed, read};
use super::output::Output;
use super::render::Asked;
use crate::diagnostic::{Diagnostic, nearest};
use crate::dialect::{self, Dialect};
use crate::plan::{Plan, plan};
use crate::render::migration::RUNNERS;
use crate::spec::{self, Spec, Table, TableSpec};
use crate::strategy::{self, Strategy};
use anyhow::{Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use std::collections::HashSet;
use std::path::PathBuf;

/// The word for every dialect.
const ALL: &str = "all";

/// Which tables, for which dialects, by which strategies.
#[derive(Debug, clap::Args)]
pub(super) struct Selection {
    /// Spec files, or directories of them; `-` for standard input
    #[arg(required = true, value_name = "SPEC")]
    pub specs: Vec<PathBuf>,

    /// Take this dialect instead of those of the spec, or `all`; may be given several times
    #[arg(short, long = "dialect", value_name = "NAME", value_parser = dialect_parser(), hide_possible_values = true)]
    pub dialects: Vec<Dialects>,

    /// Take this strategy instead of the one of the spec; may be given several times
    #[arg(short, long = "strategy", value_name = "NAME", value_parser = strategy_parser(), hide_possible_values = true)]
    pub strategies: Vec<&'static Strategy>,
}

/// What one `--dialect` names.
#[derive(Clone, Debug)]
pub(super) struct Dialects(pub &'static [&'static Dialect]);

/// A plan and the spec file that it is from.
pub(super) struct Planned<T = Plan> {
    /// The spec file as it was given or found.
    pub spec: PathBuf,
    /// The plan.
    pub plan: T,
}

/// What is planned for one table and one dialect, and what a user should know about it.
pub(super) type Answer<T> = Result<(Vec<T>, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Plans one table for one dialect, by a strategy or by the spec's own.
pub(super) type Make<'a, T> = dyn Fn(&Table, &'static Dialect, Option<&'static Strategy>) -> Answer<T> + 'a;

/// Reads the name of a dialect, or `all`.
pub(super) fn dialect_parser() -> ValueParser {
    let names = dialect::ALL.iter().map(|dialect| dialect.name).chain([ALL]);
    ValueParser::new(PossibleValuesParser::new(names).map(|name| {
        let one = dialect::ALL.iter().position(|dialect| dialect.name == name);
        Dialects(one.map_or(dialect::ALL, |at| &dialect::ALL[at..=at]))
    }))
}

/// Reads the name of one dialect.
pub(super) fn one_dialect_parser() -> ValueParser {
    let names = dialect::ALL.iter().map(|dialect| dialect.name);
    ValueParser::new(
        PossibleValuesParser::new(names)
            .try_map(|name| dialect::find(&name).ok_or_else(|| format!("`{name}` is not a dialect"))),
    )
}

/// Reads the name of a strategy.
pub(super) fn strategy_parser() -> ValueParser {
    let names = strategy::ALL.iter().map(|strategy| strategy.name);
    ValueParser::new(
        PossibleValuesParser::new(names)
            .try_map(|name| strategy::find(&name).ok_or_else(|| format!("`{name}` is not a strategy"))),
    )
}

/// Reads the name of a form, or of a migration tool.
pub(super) fn form_parser() -> ValueParser {
    let forms = spec::FORMS.iter().map(|(name, doc, _)| PossibleValue::new(name).help(doc));
    let tools = RUNNERS.iter().map(|runner| PossibleValue::new(runner.name).help(runner.doc));
    ValueParser::new(PossibleValuesParser::new(forms.chain(tools)).try_map(|name| {
        let form = spec::FORMS.iter().find(|(known, ..)| *known == name).map(|(.., form)| Asked::Form(*form));
        let tool = RUNNERS.iter().find(|runner| runner.name == name).map(Asked::Runner);
        form.or(tool).ok_or_else(|| format!("`{name}` is not a form"))
    }))
}

impl Selection {
    /// The dialects that were given, each once.
    pub fn dialects(&self) -> Vec<&'static Dialect> {
        let mut all: Vec<&'static Dialect> = Vec::new();
        for dialect in self.dialects.iter().flat_map(|given| given.0) {
            if all.iter().all(|known| known.name != dialect.name) {
                all.push(dialect);
            }
        }
        all
    }

    /// Every table of the specs, planned for every dialect that is asked for. Faults are printed, those of every file in
    /// one run; `None` when there are any.
    pub fn plans(&self, output: &mut Output) -> Result<Option<Vec<Planned>>> {
        self.each(output, None, &|table, dialect, strategy| Ok((vec![plan(table, dialect, strategy)?], Vec::new())))
    }

    /// The same with plans that `make` makes. With `only`, for that dialect alone, which the command line and the specs must
    /// not contradict.
    pub fn each<T>(
        &self,
        output: &mut Output,
        only: Option<&'static Dialect>,
        make: &Make<'_, T>,
    ) -> Result<Option<Vec<Planned<T>>>> {
        let mut strategies: Vec<Option<&'static Strategy>> = self.strategies.iter().copied().map(Some).collect();
        if strategies.is_empty() {
            strategies.push(None);
        }
        let dialects = self.dialects();
        let other = |only: &Dialect| dialects.iter().find(|one| one.name != only.name);
        if let Some((only, other)) = only.and_then(|only| Some((only, other(only)?))) {
            bail!(
                "the database of --from speaks `{}`, and --dialect asks for `{}` too: leave it out, or name the spec of the \
                 older table",
                only.name,
                other.name
            );
        }
        let mut planned = Vec::new();
        let mut faults = Vec::new();
        let mut warnings = Vec::new();
        for path in find(&self.specs)? {
            let spec = match read(&path) {
                Ok(Ok(spec)) => spec,
                Ok(Err(found)) => {
                    faults.extend(found);
                    continue;
                }
                Err(fault) => {
                    faults.push(Diagnostic::error("spec-file", format!("{fault:#}")));
                    continue;
                }
            };
            for table in spec.tables() {
                let wanted = match only.filter(|_| dialects.is_empty()) {
                    Some(only) => wanted_only(&spec, table, only, &mut faults),
                    None => wanted(&spec, table, &dialects, &mut faults),
                };
                for dialect in wanted {
                    let resolved = match table.for_dialect(dialect.name) {
                        Ok(resolved) => resolved,
                        Err(found) => {
                            faults.extend(found);
                            continue;
                        }
                    };
                    for strategy in &strategies {
                        match make(&resolved, dialect, *strategy) {
                            Ok((plans, known)) => {
                                planned.extend(plans.into_iter().map(|plan| Planned { spec: path.clone(), plan }));
                                warnings.extend(known.into_iter().map(|warning| placed(warning, &spec)));
                            }
                            Err(found) => faults.extend(found.into_iter().map(|fault| placed(fault, &spec))),
                        }
                    }
                }
            }
        }
        let is_fine = faults.is_empty();
        let mut told = if is_fine { warnings } else { faults };
        // What is said for every dialect is said once.
        let mut seen = HashSet::new();
        told.retain(|one| {
            let file = one.source.as_ref().map(|source| source.name.clone());
            seen.insert((file, one.labels.first().map(|label| label.span.clone()), one.message.clone()))
        });
        if !told.is_empty() {
            output.diagnostics(&told);
        }
        Ok(is_fine.then_some(planned))
    }
}

/// The one dialect, where the table names it or none.
fn wanted_only(
    spec: &Spec,
    table: &TableSpec,
    only: &'static Dialect,
    faults: &mut Vec<Diagnostic>,
) -> Vec<&'static Dialect> {
    let named = table.dialects();
    if let Some(first) = named.first().filter(|_| named.iter().all(|one| one.value != only.name)) {
        let all: Vec<String> = named.iter().map(|one| format!("`{}`", one.value)).collect();
        let message =
            format!("the database of --from speaks `{}`, and `{}` is for {}", only.name, table.name(), all.join(", "));
        let fault = Diagnostic::error("spec-dialect", message).at(first.span.clone(), "");
        let help = format!("give --from a database of one of these, or --dialect {}", only.name);
        faults.push(fault.help(help).in_source(spec.source()));
        return Vec::new();
    }
    vec![only]
}

/// The dialects of a table: those of the command line, or else those of the spec.
fn wanted(
    spec: &Spec,
    table: &TableSpec,
    given: &[&'static Dialect],
    faults: &mut Vec<Diagnostic>,
) -> Vec<&'static Dialect> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let names = || dialect::ALL.iter().map(|dialect| dialect.name);
    let mut all = Vec::new();
    for written in table.dialects() {
        if let Some(dialect) = dialect::find(&written.value) {
            all.push(dialect);
            continue;
        }
        let help = match nearest(&written.value, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use one of {}", names().collect::<Vec<_>>().join(", ")),
        };
        faults.push(
            Diagnostic::error("spec-dialect", format!("`{}` is not a dialect", written.value))
                .at(written.span.clone(), "")
                .help(help)
                .in_source(spec.source()),
        );
    }
    if table.dialects().is_empty() {
        faults.push(
            Diagnostic::error("spec-dialect", format!("no dialect is named for table `{}`", table.name()))
                .at(table.span(), "this table")
                .help("write `dialects: [..]` into the spec, or give --dialect")
                .in_source(spec.source()),
        );
    }
    all
}
