//! Trying a broken guarantee again, with the rows that broke it and the load as it is now.

use super::artifact::{self, text};
use super::place::{self, Place};
use super::statements::batch_subject;
use super::{Arguments, Faults, script};
use crate::cli::Outcome;
use crate::cli::files::{self, placed};
use crate::cli::output::Output;
use crate::diagnostic::{Diagnostic, Source};
use crate::dialect::mechanism::Form;
use crate::plan::{Plan, plan};
use crate::render::render;
use crate::verify::{Lab, Scenario, Scenarios, Subject, attempt, described};
use anyhow::{Context as _, Result, bail};
use serde_json::Value as Json;
use std::path::Path;
use std::sync::Arc;

/// Tries the guarantee of a file again.
pub(super) fn run(file: &Path, arguments: &Arguments, output: &mut Output) -> Result<Outcome> {
    let unread = || format!("cannot read {}: it should be a file that `idemsql verify` has written", file.display());
    let document: Json = serde_json::from_str(&script(file)?).with_context(unread)?;
    let scenario = artifact::scenario(&document["scenario"]).with_context(unread)?;
    let guarantee = text(&document["guarantee"]).with_context(unread)?;
    let Some(known) = crate::plan::GUARANTEES.iter().find(|known| known.name == guarantee) else {
        bail!("{}: `{guarantee}` is not a guarantee", file.display());
    };
    let place = match place::find(arguments.engine.as_deref())? {
        Ok(place) => place,
        Err(faults) => return Ok(failed(&faults, output)),
    };
    let broken_on = text(&document["engine"]).with_context(unread)?;
    if broken_on != place.engine {
        output.say(&format!(
            "this broke on {broken_on}, and runs on {} now; another engine is chosen with --engine\n",
            place.engine
        ));
    }
    let subject = match subject_of(&document, &place).with_context(unread)? {
        Ok(subject) => subject,
        Err(faults) => return Ok(failed(&faults, output)),
    };
    let fault = {
        let tables = Scenarios { plain: vec![scenario.clone()], ..Scenarios::default() }.tables();
        let mut lab = Lab::new(&*place.database, &subject, &place.prefix, &tables)?;
        let found = attempt(&guarantee, &mut lab, &scenario);
        lab.close()?;
        found?
    };
    let name = format!("{} {} on {} {}", known.code, known.name, place.title, place.version);
    match fault {
        None => {
            output.print(&format!("{name}: holds now\n"))?;
            Ok(Outcome::Fine)
        }
        Some(fault) => {
            output.print(&format!("{name}: still broken, {}\n{}\n", fault.steps, fault.found))?;
            Ok(Outcome::Findings)
        }
    }
}

fn failed(faults: &[Diagnostic], output: &mut Output) -> Outcome {
    output.diagnostics(faults);
    Outcome::Failed
}

/// The load that a file is about, as it is now.
fn subject_of(document: &Json, place: &Place) -> Result<Result<Subject, Faults>> {
    let path = |key: &str| document[key].as_str().map(Path::new);
    let planned = match path("spec") {
        None => None,
        Some(spec) => match planned(spec, &text(&document["table"])?, &text(&document["strategy"])?, place)? {
            Ok(planned) => Some(planned),
            Err(faults) => return Ok(Err(faults)),
        },
    };
    match (&planned, path("sql")) {
        (plan, Some(sql)) => subject(plan.as_ref(), sql, path("setup"), place),
        (Some(plan), None) if plan.form == Form::ClaimEffects => {
            let setup = path("setup").context("a set-up is missing")?;
            Ok(batch_subject(plan, setup, place)?.map(|(subject, _)| subject))
        }
        (Some(plan), None) => Ok(match render(plan, &[]) {
            Ok(sql) => Ok(Subject::rendered(plan, &sql)),
            Err(fault) => Err(vec![fault]),
        }),
        (None, None) => bail!("it names neither a spec nor SQL"),
    }
}

/// The plan of a table of a spec file.
fn planned(file: &Path, table: &str, strategy: &str, place: &Place) -> Result<Result<Plan, Faults>> {
    let spec = match files::read(file)? {
        Ok(spec) => spec,
        Err(faults) => return Ok(Err(faults)),
    };
    let strategy = crate::strategy::find(strategy);
    for found in spec.tables() {
        let resolved = match found.for_dialect(place.dialect.name) {
            Ok(resolved) => resolved,
            Err(faults) => return Ok(Err(faults)),
        };
        match plan(&resolved, place.dialect, strategy) {
            Ok(plan) if plan.table == table => return Ok(Ok(plan)),
            Ok(_) => {}
            Err(faults) => return Ok(Err(faults.into_iter().map(|fault| placed(fault, &spec)).collect())),
        }
    }
    bail!("{} has no table `{table}` any more", file.display())
}

/// The subject of SQL that the user wrote.
pub(super) fn subject(
    plan: Option<&Plan>,
    file: &Path,
    setup: Option<&Path>,
    place: &Place,
) -> Result<Result<Subject, Faults>> {
    let source = |path: &Path| Ok::<_, anyhow::Error>(Arc::new(Source::new(path.display().to_string(), script(path)?)));
    let setup = setup.map(source).transpose()?;
    let subject = match Subject::given(plan, &source(file)?, setup.as_ref(), place.dialect) {
        Ok(subject) => subject,
        Err(faults) => return Ok(Err(faults)),
    };
    described(subject, &*place.database, &place.prefix, &Scenario::nothing()).map(Ok)
}
