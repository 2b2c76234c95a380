//! The definitions of tables: every fixture makes one for every dialect or says why not, and engines run each twice.

use crate::engines::gaps::{self, Gap};
use crate::engines::{alone, database, spoken};
use crate::loads::rows_of;
use crate::support::{Golden, cases, spec, spec_in};
use idemsql::diagnostic::{self, Diagnostic};
use idemsql::dialect::types::Type;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::Engine;
use idemsql::plan::Staged;
use idemsql::plan::ddl::{DdlPlan, plan_ddl};
use idemsql::render::ddl::render_ddl;
use idemsql::render::render;
use idemsql::spec::{Located, Source, Spec, Table};
use idemsql::verify::batch::inserts;
use idemsql::verify::{Staging, given, source_tables, tables};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const ROOT: &str = "fixtures/ddl";

/// The cases of `fixtures/load` whose definitions are kept as files.
const KEPT: &[&str] = &["customer_history", "every_type", "orders", "quoted_names", "reserved_words", "tenant_stock"];

/// The spec that a case of changes begins with; none for a table that is made.
pub fn older(case: &str) -> Option<Spec> {
    let path = Path::new(ROOT).join(case).join("old.yaml");
    let text = fs::read_to_string(&path).ok()?;
    let none = |_: &str| Err("there is no file".to_owned());
    Some(Spec::read(Arc::new(diagnostic::Source::new(path.to_string_lossy(), text)), &none).unwrap())
}

/// The plan of a table, or of its change.
pub fn planned(table: &Table, old: Option<&Table>, dialect: &'static Dialect) -> Result<DdlPlan, Vec<Diagnostic>> {
    let plan = plan_ddl(table, dialect, None)?;
    match old {
        Some(old) => plan.change_from(&plan_ddl(old, dialect, None)?, false),
        None => Ok(plan),
    }
}

#[test]
fn every_fixture_makes_a_definition_for_every_dialect_or_says_why_not() {
    let mut golden = Golden::new(ROOT);
    let mut refused = String::new();
    let mut bugs = Vec::new();
    let load = cases("fixtures/load").into_iter().map(|case| (spec(&case), None, case));
    let own = cases(ROOT).into_iter().filter(|case| !KEPT.contains(&case.as_str()));
    let own = own.map(|case| (spec_in(ROOT, &case), older(&case), case));
    for (spec, old, case) in load.chain(own) {
        let kept = KEPT.contains(&case.as_str()) || Path::new(ROOT).join(&case).join("spec.yaml").exists();
        for dialect in dialect::ALL {
            let mut texts = Vec::new();
            for at in 0..spec.tables().len() {
                let of = |spec: &Spec| spec.tables()[at].for_dialect(dialect.name).unwrap();
                let old = old.as_ref().map(of);
                match planned(&of(&spec), old.as_ref(), dialect) {
                    Ok(plan) => {
                        for warning in &plan.warnings {
                            writeln!(refused, "{case}, {}: warning: {}", dialect.name, warning.message).unwrap();
                        }
                        match render_ddl(&plan, &[format!("{case}: {}", dialect.title)]) {
                            Ok(text) => texts.push(text),
                            Err(fault) => bugs.push(format!("{case}, {}: {}", dialect.name, fault.message)),
                        }
                    }
                    Err(faults) => faults.iter().for_each(|fault| {
                        let (message, help) = (&fault.message, fault.help.as_deref().unwrap_or_default());
                        writeln!(refused, "{case}, {}: {message}\n  help: {help}", dialect.name).unwrap();
                    }),
                }
            }
            if kept && !texts.is_empty() {
                golden.file(&format!("{case}/{}.sql", dialect.name), &texts.join("\n"));
            }
        }
    }
    golden.file("refused.txt", &refused);
    assert!(bugs.is_empty(), "{} bugs\n{}", bugs.len(), bugs.join("\n\n"));
    golden.finish(|path| Path::new(path).extension().is_some_and(|ending| ending != "yaml"));
}

/// A table of our own schema, whose staged rows stand in it too.
fn moved(table: &mut Table, schema: &str) {
    let located = |value: String| Located { value, span: 0..0 };
    (table.schema, table.catalog) = (Some(located(schema.to_owned())), None);
    if let Source::Table(path) = &mut table.source.value {
        *path = format!("{schema}.{}_staged", path.rsplit('.').next().unwrap().trim_matches('"'));
    }
}

/// What is wrong with the definition of a table: it is run twice, then the load on it. False where nothing was loaded: a
/// table that cannot be made there, a load of parameters or of a query over tables of its fixture.
fn run(
    case: &str,
    table: &Table,
    dialect: &'static Dialect,
    schema: &str,
    session: &mut dyn Engine,
) -> Result<bool, String> {
    let mut ours = table.clone();
    moved(&mut ours, schema);
    let Ok(ddl) = plan_ddl(&ours, dialect, None) else { return Ok(false) };
    let script = render_ddl(&ddl, &[]).map_err(|fault| fault.message)?;
    for _ in 0..2 {
        session.run_script(&script).map_err(|fault| format!("{fault:#}\n{script}"))?;
    }
    let plan = &ddl.plan;
    let source = plan_ddl(table, dialect, None).unwrap().plan;
    if !Path::new("fixtures/load").join(case).join("rows").exists() || matches!(plan.staged, Staged::Parameters) {
        return Ok(false);
    }
    let mut rows = rows_of(case, &source_tables(&source));
    let names: BTreeMap<String, String> = source_tables(&source).into_iter().zip(source_tables(plan)).collect();
    for batch in &mut rows.batches {
        *batch = batch.iter().map(|(table, text)| (names[table].clone(), text.clone())).collect();
    }
    // A query names the tables of its fixture, which are not ours.
    if matches!(plan.staged, Staged::Query(_)) {
        return Ok(false);
    }
    let scenario = given(plan, &rows).map_err(|faults| format!("{faults:#?}"))?;
    let execute = |session: &mut dyn Engine, sql: &str| {
        session.run_script(sql).map_err(|fault| format!("{fault:#}\n{sql}\n{script}"))
    };
    let target = &plan.load.target;
    for insert in inserts(dialect, target, &scenario.before.columns, &scenario.before.rows) {
        execute(session, &insert)?;
    }
    let load = render(plan, &[]).map_err(|fault| fault.message)?;
    let mut states = Vec::new();
    for staging in scenario.batches.last().into_iter().flatten() {
        let path = tables::path(dialect, &staging.parts);
        execute(session, &tables::staged(dialect, staging))?;
        for insert in inserts(dialect, &path, &staging.columns, &staging.rows) {
            execute(session, &insert)?;
        }
    }
    for _ in 0..2 {
        execute(session, &load)?;
        let mut rows = session.query(&format!("SELECT * FROM {target}")).map_err(|fault| format!("{fault:#}"))?.rows;
        rows.sort();
        states.push(rows);
    }
    if states[0].is_empty() || states[0] != states[1] {
        return Err(format!("the second load changed {:?} to {:?}\n{script}", states[0], states[1]));
    }
    // The same keys again, which a unique index refuses.
    let written: Vec<&str> =
        plan.columns.iter().filter(|column| column.is_written()).map(|column| &*column.sql).collect();
    let again = format!("INSERT INTO {target} ({0}) SELECT {0} FROM {target}", written.join(", "));
    let refused = session.run_script(&again).is_err();
    let unique = tables::target(plan).contains("UNIQUE");
    if refused == unique {
        Ok(true)
    } else {
        Err(format!("a key came in twice: {}, unique: {unique}\n{script}", !refused))
    }
}

/// What is wrong with the change of a table: the older one is made, gets a row, is changed twice, and is read. False
/// where the engine cannot change it.
fn change(
    case: &str,
    spec: &Spec,
    dialect: &'static Dialect,
    schema: &str,
    session: &mut dyn Engine,
) -> Result<bool, String> {
    let of = |spec: &Spec| {
        let mut table = spec.tables()[0].for_dialect(dialect.name).unwrap();
        moved(&mut table, schema);
        table
    };
    let (old, new) = (of(&older(case).unwrap()), of(spec));
    let before = plan_ddl(&old, dialect, None).unwrap();
    // Where no script can run again, one that runs once is tried.
    let changed = planned(&new, Some(&old), dialect)
        .map(|plan| (plan, 2))
        .or_else(|_| plan_ddl(&new, dialect, None).unwrap().change_from(&before, true).map(|plan| (plan, 1)));
    let Ok((after, times)) = changed else { return Ok(false) };
    let mut script = vec![render_ddl(&before, &[]).unwrap()];
    let values = before.plan.columns.iter().map(|column| match column.ty {
        Type::Timestamp => (dialect.temporal)("2024-05-01 00:00:00", &column.ty),
        Type::Varchar(_) => "'x'".to_owned(),
        _ => "7".to_owned(),
    });
    script.push(format!("INSERT INTO {} VALUES ({})", before.plan.load.target, values.collect::<Vec<_>>().join(", ")));
    script.extend(vec![render_ddl(&after, &[]).map_err(|fault| fault.message)?; times]);
    for text in &script {
        session.run_script(text).map_err(|fault| format!("{fault:#}\n{text}"))?;
    }
    let names: Vec<&str> = after.plan.columns.iter().map(|column| &*column.sql).collect();
    let query = format!("SELECT {} FROM {}", names.join(", "), after.plan.load.target);
    let rows = session.query(&query).map_err(|fault| format!("{fault:#}\n{}", script.join("\n")))?.rows;
    let kept = session.query(&format!("SELECT gone FROM {}", after.plan.load.target)).is_ok();
    if rows.len() != 1 || kept != (case != "change_sync") {
        return Err(format!("{rows:?}, kept: {kept}\n{}", script.join("\n")));
    }
    // The columns that are new are null or hold their default, and the load has a table to write to.
    session.run_script(&tables::staged(dialect, &staged(&after))).map_err(|fault| format!("{fault:#}"))?;
    let load = render(&after.plan, &[]).unwrap();
    session.run_script(&load).map_err(|fault| format!("{fault:#}\n{load}"))?;
    Ok(true)
}

/// The empty table of staged rows.
fn staged(ddl: &DdlPlan) -> Staging {
    let Staged::Table { parts, columns, .. } = &ddl.plan.staged else { panic!("a table of staged rows") };
    let typed = |(name, ty): &(String, Option<Type>)| (name.clone(), ty.clone().unwrap());
    Staging { parts: parts.clone(), columns: columns.iter().map(typed).collect(), rows: Vec::new() }
}

/// What an engine that stands in for a dialect has no words for. Each must still fail so.
const GAPS: &[Gap] = &[
    Gap {
        engine: "hsqldb",
        place: "change_sync,",
        error: "object not found: IF",
        because: "its DROP COLUMN has no IF EXISTS",
    },
    Gap { engine: "hsqldb", place: "defaults,", error: "unexpected token: +", because: "a default is a literal there" },
];

/// Runs every definition and every change on an engine that was asked for.
fn on_engine(name: &str) {
    let Some(database) = database(name) else {
        eprintln!("{name}: not run, nobody asked for it");
        return;
    };
    let _alone = alone(name);
    let dialect = spoken(name);
    let load = cases("fixtures/load").into_iter().map(|case| ("fixtures/load", case));
    let own = cases(ROOT).into_iter().filter(|case| Path::new(ROOT).join(case).join("spec.yaml").exists());
    let own = own.map(|case| (ROOT, case));
    let mut faults = Vec::new();
    let (mut tried, mut loaded, mut changed, mut known, mut met) = (0, 0, 0, 0, Vec::new());
    for (root, case) in load.chain(own) {
        let spec = spec_in(root, &case);
        let schema = format!("idemsql_ddl_{}", std::process::id());
        let mut session = database.session().unwrap();
        session.create_schema(&schema).unwrap();
        session.use_schema(&schema).unwrap();
        let found = if older(&case).is_some() {
            change(&case, &spec, dialect, &schema, &mut *session).map(|did| changed += usize::from(did))
        } else {
            spec.tables().iter().map(|table| table.for_dialect(dialect.name).unwrap()).try_for_each(|table| {
                run(&case, &table, dialect, &schema, &mut *session).map(|did| loaded += usize::from(did))
            })
        };
        tried += 1;
        let place = format!("{case}, ");
        let own = GAPS.iter().position(|gap| found.as_ref().err().is_some_and(|fault| gap.holds(name, &place, fault)));
        met.extend(own);
        match found {
            Err(fault) if own.is_some() || gaps::ALL.iter().any(|gap| gap.holds(name, &place, &fault)) => known += 1,
            Err(fault) => faults.push(format!("{case}: {fault}")),
            Ok(()) => {}
        }
        // What failed may have left a transaction.
        let _ = session.rollback();
        session.drop_schema(&schema).unwrap();
    }
    assert!(faults.is_empty(), "{name}: {} of {tried}\n{}", faults.len(), faults.join("\n\n"));
    for (at, gap) in GAPS.iter().enumerate().filter(|(_, gap)| gap.engine == name) {
        assert!(met.contains(&at), "{name} runs `{}` now: {}", gap.place, gap.because);
    }
    eprintln!("{name}: {loaded} tables made twice and loaded, {changed} changed, {known} gaps, of {tried} cases");
    assert!(loaded + known > 20 && changed + known > 0, "{loaded} {changed} {known}");
}

#[test]
fn every_definition_runs_twice_and_takes_its_load_on_sqlite() {
    on_engine("sqlite");
}

#[test]
fn engines_every_definition_runs_twice_and_takes_its_load_on_postgres() {
    on_engine("postgres");
}

#[test]
fn engines_every_definition_runs_twice_and_takes_its_load_on_postgres18() {
    on_engine("postgres18");
}

#[test]
fn engines_every_definition_runs_twice_and_takes_its_load_on_mariadb() {
    on_engine("mariadb");
}

#[test]
fn engines_every_definition_runs_twice_and_takes_its_load_on_mysql() {
    on_engine("mysql");
}

#[test]
fn engines_every_definition_runs_twice_and_takes_its_load_on_duckdb() {
    on_engine("duckdb");
}

#[test]
fn engines_every_definition_runs_twice_and_takes_its_load_on_h2() {
    on_engine("h2");
}

#[test]
fn engines_every_definition_runs_twice_and_takes_its_load_on_hsqldb() {
    on_engine("hsqldb");
}
