//! Real dbt on real engines: the models of the fixtures are run through what happens to a table in its life, and after each
//! run its rows are those of the plain load, which is judged by the reference model.

mod project;

use idemsql::dialect::Dialect;
use idemsql::engine::value::Row;
use idemsql::engine::{self, EMBEDDED};
use idemsql::plan::{Plan, plan};
use idemsql::render::render;
use idemsql::verify::{Given, Lab, Scenario, Scenarios, Staging, Subject, generated, given, source_tables, trial};
use project::{Engine, Project};
use std::fs;
use std::path::Path;

/// The cases that are run.
const RUN: &[&str] = &[
    "bookings",
    "cars_deleted",
    "countries",
    "daily_sales",
    "exchange_rates",
    "measurements",
    "order_lines",
    "orders",
    "profiles",
    "quoted_names",
    "role_grants",
    "sensor_states",
    "shipments",
    "stock_levels",
    "subscriptions",
    "tenant_stock",
];

/// How many made-up scenarios of each case are run.
const MADE_UP: usize = 12;

/// A case on an engine.
struct Case {
    name: &'static str,
    /// The plain load on that engine, for the names and types.
    plan: Plan,
    /// The plain load on the embedded engine, which says what is right.
    reference: Plan,
    /// The rows of the fixture.
    own: Scenario,
    /// Rows that are made up.
    generated: Vec<Scenario>,
}

impl Case {
    fn new(name: &'static str, dialect: &'static Dialect) -> Self {
        let spec = crate::support::spec(name);
        let table = &spec.tables()[0];
        let planned =
            |dialect: &'static Dialect| plan(&table.for_dialect(dialect.name).unwrap(), dialect, None).unwrap();
        let reference = planned(idemsql::dialect::find("sqlite").unwrap());
        let rows = Path::new("fixtures/load").join(name).join("rows");
        let batches = (1..).map(|number| rows.join(format!("batch-{number}"))).take_while(|batch| batch.is_dir());
        let tables = source_tables(&reference);
        let batches = batches.map(|batch| {
            let text = |table: &String| fs::read_to_string(batch.join(format!("{table}.csv"))).unwrap();
            tables.iter().map(|table| (table.clone(), text(table))).collect()
        });
        let before = Some(fs::read_to_string(rows.join("before.csv")).unwrap());
        let own = given(&reference, &Given { before, batches: batches.collect() }).unwrap();
        let generated = generated(&reference, 1).unwrap();
        Self { name, plan: planned(dialect), reference, own, generated }
    }

    /// The rows that are right behind the batches of a scenario, of the columns that are not a clock. Texts that an expression
    /// makes are left out: the embedded engine has another `UPPER` than a server.
    fn right(&self, scenario: &Scenario) -> (Vec<String>, Vec<Row>) {
        let sql = render(&self.reference, &[]).unwrap();
        let subject = Subject::rendered(&self.reference, &sql);
        let staged = Scenarios { plain: vec![scenario.clone()], ..Scenarios::default() }.tables();
        let database = engine::open(EMBEDDED).unwrap();
        let mut lab = Lab::new(&*database, &subject, "idemsql_dbt", &staged).unwrap();
        let trial = trial(&mut lab, scenario).unwrap();
        lab.close().unwrap();
        let faults: Vec<_> = trial.loads.iter().flat_map(|load| &load.runs).flat_map(|run| &run.faults).collect();
        assert!(faults.is_empty(), "{}, {}: {faults:?}", self.name, scenario.name);
        let compared = |name: &String| {
            let column = self.plan.columns.iter().find(|column| column.name == *name).unwrap();
            column.plain || !column.ty.is_text()
        };
        let kept: Vec<usize> = (0..trial.columns.len()).filter(|at| compared(&trial.columns[*at])).collect();
        let columns = kept.iter().map(|at| trial.columns[*at].clone()).collect();
        let mut rows: Vec<Row> =
            trial.rows.iter().map(|row| kept.iter().map(|at| row[*at].clone()).collect()).collect();
        rows.sort();
        (columns, rows)
    }
}

/// The scenario with other batches: those of the given places.
fn batches(scenario: &Scenario, places: &[usize]) -> Scenario {
    Scenario { batches: places.iter().map(|at| scenario.batches[*at].clone()).collect(), ..scenario.clone() }
}

/// A project that is run on one engine, and what was found.
struct Life {
    project: Project,
    cases: Vec<Case>,
    faults: Vec<String>,
    checks: usize,
}

impl Life {
    /// Compares the rows of a case with those of its plain load.
    fn check(&mut self, at: usize, step: &str, scenario: &Scenario) {
        let case = &self.cases[at];
        let (columns, right) = case.right(scenario);
        let found = self.project.rows(&case.plan, &columns);
        self.checks += 1;
        if found != right {
            let (name, engine) = (case.name, self.project.engine.name());
            self.faults.push(format!(
                "{name} on {engine}, {}, {step}:\nfound {found:?}\nright {right:?}\nbefore {:?}\nbatches {:?}",
                scenario.name, scenario.before.rows, scenario.batches
            ));
        }
    }

    /// One scenario of each case: its target, then each batch, which is run again, and the first batch again behind the last.
    fn scenarios(&mut self, pick: &dyn Fn(&Case) -> Option<Scenario>, again: bool) {
        let picked: Vec<(usize, Scenario)> =
            (0..self.cases.len()).filter_map(|at| Some((at, pick(&self.cases[at])?))).collect();
        let longest = picked.iter().map(|(_, scenario)| scenario.batches.len()).max().unwrap_or(0);
        for (at, scenario) in &picked {
            self.project.fill(&self.cases[*at].plan, &scenario.before);
        }
        let mut done: Vec<Vec<usize>> = vec![Vec::new(); picked.len()];
        for step in 0..longest + usize::from(again) {
            for ((_, scenario), done) in picked.iter().zip(&mut done) {
                // Behind the last batch the first is delivered again.
                let next = if step < scenario.batches.len() {
                    Some(step)
                } else {
                    (!scenario.batches.is_empty()).then_some(0)
                };
                done.extend(next);
                self.project.stage(next.map_or(&[][..], |at| scenario.batches[at].as_slice()));
            }
            self.project.run(&[]);
            for ((at, scenario), done) in picked.iter().zip(&done) {
                self.check(*at, &format!("step {}", step + 1), &batches(scenario, done));
            }
            if again && step == 0 {
                let before: Vec<_> =
                    picked.iter().map(|(at, _)| self.project.versions(&self.cases[*at].plan)).collect();
                self.project.run(&[]);
                for (((at, scenario), done), before) in picked.iter().zip(&done).zip(before) {
                    self.check(*at, "the same batch again", &batches(scenario, done));
                    let after = self.project.versions(&self.cases[*at].plan);
                    if before != after {
                        let name = self.cases[*at].name;
                        self.faults.push(format!("{name}: an identical run wrote rows: {before:?} -> {after:?}"));
                    }
                }
            }
        }
    }
}

/// The spec of a table whose columns change between two renderings, for a value of `on_schema_change`.
fn changing(value: &str, column: &str) -> String {
    format!(
        "version: 1\ntables:\n  - name: changing_{value}\n    source: {{table: raw.changing}}\n    unique_key: [id]\n    \
         version: [v]\n    on_schema_change: {value}\n    columns:\n      - {{name: id, type: int}}\n      \
         - {{name: {column}, type: int}}\n      - {{name: v, type: int}}\n"
    )
}

/// A column leaves the spec and another one comes, under each value of `on_schema_change`.
fn columns_change(project: &mut Project) {
    let values = ["fail", "ignore", "append_new_columns", "sync_all_columns"];
    let specs = tempfile::tempdir().unwrap();
    let render = |project: &Project, column: &str| {
        for value in values {
            let spec = specs.path().join(format!("{value}.yaml"));
            fs::write(&spec, changing(value, column)).unwrap();
            project.add(&spec);
        }
    };
    let create = "CREATE TABLE raw.changing (id integer, old integer, young integer, v integer)";
    project.sql([
        "CREATE SCHEMA IF NOT EXISTS raw".to_owned(),
        create.to_owned(),
        "INSERT INTO raw.changing VALUES (1, 10, 100, 1), (2, 20, 200, 1)".to_owned(),
    ]);
    render(project, "old");
    project.dbt("run", &["--select", "changing_*"]);
    render(project, "young");
    project.sql(["INSERT INTO raw.changing VALUES (3, 30, 300, 1)".to_owned()]);
    // Two of them refuse to load.
    let said = project.try_dbt("run", &["--select", "changing_*"]).unwrap_err();
    assert!(said.contains("PASS=2") && said.contains("ERROR=2"), "{said}");
    let mut rows = |value: &str, columns: &str| -> Vec<String> {
        let rows =
            project.read(&format!("SELECT CAST(id AS VARCHAR), {columns} FROM main.changing_{value} ORDER BY id"));
        rows.iter()
            .map(|row| row.iter().map(|cell| cell.as_deref().unwrap_or("null")).collect::<Vec<_>>().join(" "))
            .collect()
    };
    let (old, young) = ("CAST(old AS VARCHAR)", "CAST(young AS VARCHAR)");
    assert_eq!(rows("fail", old), ["1 10", "2 20"]);
    assert_eq!(rows("ignore", old), ["1 10", "2 20"]);
    // Rows that are loaded again keep the value of the column that left.
    assert_eq!(rows("append_new_columns", &format!("{old}, {young}")), ["1 10 100", "2 20 200", "3 null 300"]);
    assert_eq!(rows("sync_all_columns", young), ["1 100", "2 200", "3 300"]);
}

/// Everything on one engine.
fn life(engine: Engine) {
    let dialect = engine.dialect();
    let cases: Vec<Case> = RUN.iter().map(|name| Case::new(name, dialect)).collect();
    let mut project = Project::new(engine);
    for case in &cases {
        project.add(&Path::new("fixtures/load").join(case.name).join("spec.yaml"));
        // A first load that finds nothing must not be the last one that loads something.
        let nothing: Vec<Staging> = case
            .own
            .batches
            .first()
            .into_iter()
            .flatten()
            .cloned()
            .map(|staging| Staging { rows: Vec::new(), ..staging })
            .collect();
        project.stage(&nothing);
    }
    project.run(&[]);
    let mut life = Life { project, cases, faults: Vec::new(), checks: 0 };
    life.scenarios(&|case| Some(case.own.clone()), true);
    for number in 0..MADE_UP {
        life.scenarios(&|case| case.generated.get(number).cloned(), false);
    }
    // A full refresh makes the table from one batch.
    for at in 0..life.cases.len() {
        let own = life.cases[at].own.clone();
        life.project.stage(own.batches.first().map_or(&[][..], Vec::as_slice));
    }
    life.project.run(&["--full-refresh"]);
    for at in 0..life.cases.len() {
        let own = life.cases[at].own.clone();
        let first = if own.batches.is_empty() { Vec::new() } else { vec![0] };
        let mut scenario = batches(&own, &first);
        scenario.before.rows.clear();
        life.check(at, "a full refresh", &scenario);
    }
    life.project.dbt("test", &[]);
    columns_change(&mut life.project);
    let Life { project, faults, checks, .. } = life;
    eprintln!("dbt on {}: {} runs of dbt, {checks} tables compared", project.engine.name(), project.runs);
    if let Ok(path) = std::env::var("FAULTS") {
        fs::write(path, faults.join("\n\n")).unwrap();
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.iter().take(6).cloned().collect::<Vec<_>>().join("\n\n")
    );
    assert!(checks > 100, "only {checks} tables were compared");
}

/// The cases that two runs load at the same time.
const TOGETHER: &[&str] = &["exchange_rates", "order_lines", "orders", "profiles", "stock_levels", "subscriptions"];

/// Two runs of dbt at the same time, for a table that is not there and for each batch behind it. One of them may fail, if it
/// says so; then the next run must have the right rows. Where both went through, they must be there at once.
fn together(engine: Engine) {
    let dialect = engine.dialect();
    let cases: Vec<Case> = TOGETHER.iter().map(|name| Case::new(name, dialect)).collect();
    let project = Project::new(engine);
    // Each transaction is open long enough for the other run to come into it.
    project.post_hook("select pg_sleep(1)");
    for case in &cases {
        project.add(&Path::new("fixtures/load").join(case.name).join("spec.yaml"));
    }
    let mut life = Life { project, cases, faults: Vec::new(), checks: 0 };
    let longest = life.cases.iter().map(|case| case.own.batches.len()).max().unwrap();
    let (mut through, mut failed) = (0, Vec::new());
    // Behind the last batch the first one is delivered again.
    for step in 0..=longest {
        let done: Vec<Scenario> = life
            .cases
            .iter()
            .map(|case| {
                let mut steps: Vec<usize> = (0..(step + 1).min(case.own.batches.len())).collect();
                steps.extend((step == longest).then_some(0));
                let mut scenario = batches(&case.own, &steps);
                scenario.before.rows.clear();
                scenario
            })
            .collect();
        for scenario in &done {
            life.project.stage(scenario.batches.last().map_or(&[][..], Vec::as_slice));
        }
        let both = life.project.run_twice_at_once();
        let is_through = both.iter().all(Result::is_ok);
        through += usize::from(is_through);
        failed.extend(both.into_iter().filter_map(Result::err));
        for turn in ["behind both", "behind one more run"] {
            if turn == "behind one more run" {
                life.project.run(&[]);
            } else if !is_through {
                continue;
            }
            for (at, scenario) in done.iter().enumerate() {
                life.check(at, &format!("step {}, {turn}", step + 1), scenario);
            }
        }
    }
    let Life { faults, checks, .. } = life;
    eprintln!(
        "two runs of dbt at once: {} times, {through} of them without an error, {checks} tables compared",
        longest + 1
    );
    for said in &failed {
        let lines = said.lines().filter(|line| ["Error", "relation", "Done."].iter().any(|word| line.contains(word)));
        eprintln!("one failed:\n{}", lines.collect::<Vec<_>>().join("\n"));
        // Of a model, or before the first one: both make the schema.
        assert!(["ERROR=", "Encountered an error"].iter().any(|word| said.contains(word)), "says nothing: {said}");
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n\n"));
    assert!(through > 0, "no pair of runs went through");
}

#[test]
fn engines_dbt_two_runs_at_once_on_postgres() {
    match Engine::postgres() {
        Some(engine) => together(engine),
        None => eprintln!("two runs of dbt at once: not run, nobody asked for it"),
    }
}

#[test]
fn engines_dbt_loads_as_the_plain_load_does_on_postgres() {
    match Engine::postgres() {
        Some(engine) => life(engine),
        None => eprintln!("dbt on PostgreSQL: not run, nobody asked for it"),
    }
}

#[test]
fn engines_dbt_loads_as_the_plain_load_does_on_duckdb() {
    match Engine::duckdb() {
        Some(engine) => life(engine),
        None => eprintln!("dbt on DuckDB: not run, nobody asked for it"),
    }
}

/// The adapters whose offline parser reads our models, each with a profile that connects to nothing.
const PARSED: &[(&str, &str)] = &[
    ("snowflake", "type: snowflake, account: a, user: u, password: p, database: d, schema: s, warehouse: w"),
    ("bigquery", "type: bigquery, method: oauth, project: p, dataset: d"),
    ("redshift", "type: redshift, host: h, port: 5439, user: u, password: p, dbname: d, schema: s"),
    ("databricks", "type: databricks, host: h, http_path: p, token: t, schema: s"),
];

#[test]
fn engines_dbt_reads_the_models_of_other_adapters_without_a_warning() {
    let Some(program) = std::env::var_os("IDEMSQL_TEST_DBT_ADAPTERS") else {
        eprintln!("dbt's parser for other adapters: not run, nobody asked for it");
        return;
    };
    for (adapter, profile) in PARSED {
        let folder = tempfile::tempdir().unwrap();
        project::skeleton(folder.path(), profile);
        let mut models = 0;
        for case in RUN {
            let rendered =
                project::rendered(&Path::new("fixtures/load").join(case).join("spec.yaml"), adapter, folder.path());
            match rendered {
                Ok(()) => models += 1,
                // What cannot be a model is refused, and those messages are kept by another test.
                Err(text) => assert!(text.contains("error[plan-") && !text.contains("internal"), "{case}: {text}"),
            }
        }
        assert!(models > 5, "only {models} models for {adapter}");
        let output = project::dbt(Path::new(&program), folder.path(), &["--warn-error", "parse", "--no-partial-parse"]);
        assert!(output.is_ok(), "{adapter}: {}", output.unwrap_err());
        eprintln!("dbt-{adapter}: {models} models are read without a warning");
    }
}
