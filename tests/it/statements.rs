//! Statements by name: what every dialect is given, and what they do on real engines, raced and killed.

use crate::engines::{alone, database, spoken};
use crate::support::{Golden, cases, spec_in};
use idemsql::diagnostic::{Diagnostic, Source};
use idemsql::dialect::types::Type;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::{Database, Engine};
use idemsql::plan::ddl::plan_ddl;
use idemsql::plan::plan;
use idemsql::plan::statements::{StatementsPlan, has_statements, plan_statements};
use idemsql::render::ddl::render_ddl;
use idemsql::render::render;
use idemsql::render::statements::render_statements;
use idemsql::spec::{Located, Source as Staged, Table};
use idemsql::verify::statements::{Prepared, Statements, judge_effects, judge_key_store};
use idemsql::verify::{Asked, Judgement, Outcome};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Barrier};

const ROOT: &str = "fixtures/statements";

/// What an engine says to one of two sessions that must try again.
const RETRIED: &[&str] = &["busy", "concurrent", "conflict", "deadlock", "duplicate", "lock", "serializ", "unique"];

#[test]
fn every_case_is_written_for_every_dialect_or_says_why_not() {
    let mut golden = Golden::new(ROOT);
    let mut bugs = Vec::new();
    for case in cases(ROOT) {
        let spec = spec_in(ROOT, &case);
        let mut refused = String::new();
        for dialect in dialect::ALL {
            let mut texts = Vec::new();
            for table in spec.tables() {
                let header = [format!("{case}: {}", dialect.title)];
                let made = table.for_dialect(dialect.name).and_then(|table| {
                    if has_statements(&table, None).unwrap() {
                        return plan_statements(&table, dialect, None).map(|plan| render_statements(&plan, &header));
                    }
                    plan(&table, dialect, None).map(|plan| render(&plan, &header))
                });
                match made {
                    Ok(Ok(text)) => texts.push(text),
                    Ok(Err(fault)) => bugs.push(format!("{case}, {}: {}", dialect.name, fault.message)),
                    Err(faults) => faults.iter().for_each(|fault| {
                        let (message, help) = (&fault.message, fault.help.as_deref().unwrap_or_default());
                        writeln!(refused, "{}: {message}\n  help: {help}", dialect.name).unwrap();
                    }),
                }
            }
            if !texts.is_empty() {
                golden.file(&format!("{case}/{}.sql", dialect.name), &texts.join("\n"));
            }
        }
        golden.file(&format!("{case}/refused.txt"), &refused);
    }
    assert!(bugs.is_empty(), "{} bugs\n{}", bugs.len(), bugs.join("\n\n"));
    golden.finish(|path| Path::new(path).extension().is_some_and(|ending| ending != "yaml"));
}

/// The table of a case in a schema of ours.
fn placed(case: &str, dialect: &Dialect, schema: &str) -> Table {
    let mut table = spec_in(ROOT, case).tables()[0].for_dialect(dialect.name).unwrap();
    (table.schema, table.catalog) = (Some(Located { value: schema.to_owned(), span: 0..0 }), None);
    table
}

/// Makes the table, twice.
fn make(table: &Table, dialect: &'static Dialect, session: &mut dyn Engine) {
    let script = render_ddl(&plan_ddl(table, dialect, None).unwrap(), &[]).unwrap();
    for _ in 0..2 {
        session.run_script(&script).unwrap_or_else(|fault| panic!("{fault:#}\n{script}"));
    }
}

/// The engine that is asked for, or a word that it is not.
fn asked(name: &str) -> Option<Box<dyn Database>> {
    let database = database(name);
    if database.is_none() {
        eprintln!("{name}: not run, nobody asked for it");
    }
    database
}

/// The plan of a case's table.
fn planned(case: &str, dialect: &'static Dialect) -> StatementsPlan {
    let table = spec_in(ROOT, case).tables()[0].for_dialect(dialect.name).unwrap();
    plan_statements(&table, dialect, None).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

/// What `verify` finds of a store of keys, with statements as they are rendered or bent.
fn key_store_judged(name: &str, database: &dyn Database, bend: impl Fn(&mut Statements<'_>)) -> Judgement {
    let plan = planned("idempotency_keys", spoken(name));
    let mut statements = Statements::rendered(&plan).unwrap();
    bend(&mut statements);
    let prefix = format!("idemsql_keys_{}", std::process::id());
    let (found, dropped) = judge_key_store(&statements, database, &prefix, Asked::default(), &mut |_, _| {})
        .unwrap_or_else(|fault| panic!("{name}: {fault:#}"));
    dropped.unwrap();
    found
}

/// Those guarantees hold, and nothing is said to hold that was not tried.
#[track_caller]
fn holds(name: &str, found: &Judgement, held: &[&str]) {
    for verdict in &found.verdicts {
        let guarantee = verdict.guarantee.name;
        match &verdict.outcome {
            Outcome::Held => assert!(held.contains(&guarantee) && verdict.loads > 0, "{name}: {guarantee}"),
            Outcome::NotPromised(_) => assert!(!held.contains(&guarantee), "{name}: {guarantee}"),
            other => panic!("{name}: {guarantee}: {other:#?}"),
        }
    }
    let statements: usize = found.verdicts.iter().map(|verdict| verdict.loads).sum();
    assert!(statements > 300, "{name}: {statements}");
    eprintln!("{name}: {} held with {statements} statements", held.join(", "));
}

/// The guarantees that were found broken, each with its steps and what was found.
fn broken(found: &Judgement) -> Vec<(&str, String)> {
    let broken = found.verdicts.iter().filter_map(|verdict| match &verdict.outcome {
        Outcome::Broken { fault, .. } => Some((verdict.guarantee.name, format!("{}: {}", fault.steps, fault.found))),
        _ => None,
    });
    broken.collect()
}

/// A statement with another text in the place of one that it holds.
fn bent(statements: &mut Statements<'_>, name: &str, old: &str, new: &str) {
    let text = statements.texts.get_mut(name).unwrap();
    assert!(text.contains(old), "{text}");
    *text = text.replace(old, new);
}

fn key_store(name: &str) {
    let Some(database) = asked(name) else { return };
    let _alone = alone(name);
    let found = key_store_judged(name, &*database, |_| {});
    holds(name, &found, &["rerun", "quiet", "right", "together", "crash"]);
}

#[test]
fn a_key_store_that_is_bent_is_found_broken() {
    const NOTHING: &str = "DO NOTHING";
    const OVER: &str = " AND claimed_at <= datetime(substr(CURRENT_TIMESTAMP, 1, 19), '-90 seconds')";
    let database = database("sqlite").unwrap();
    for (name, old, new, expected) in [
        ("claim", "ON CONFLICT (scope, idempotency_key) DO NOTHING", "", "rerun quiet right together"),
        ("claim", NOTHING, "DO UPDATE SET claim_id = excluded.claim_id", "right together"),
        ("claim", NOTHING, "DO UPDATE SET fingerprint = t.fingerprint", "quiet"),
        ("complete", "AND claim_id = ?\n  AND completed_at IS NULL", "AND ? IS NOT NULL", "rerun quiet right"),
        ("complete", "  AND completed_at IS NULL", "", "rerun quiet"),
        ("fail", "AND completed_at IS NULL", "", "rerun"),
        ("fail", "AND claim_id = ?", "AND ? IS NOT NULL", "right"),
        ("take_over", "completed_at IS NULL AND fingerprint", "fingerprint", "right"),
        ("take_over", OVER, "", "right together"),
        ("take_over", OVER, " AND 1 = 0", "right together crash"),
        ("replay", "WHEN fingerprint <> ? THEN 'conflict'", "WHEN ? IS NULL THEN 'conflict'", "right"),
        ("purge", "WHERE claimed_at <=", "WHERE claimed_at >=", "right"),
        ("expire", "completed_at IS NOT NULL OR", "1 = 1 OR", "right"),
    ] {
        let found = key_store_judged("sqlite", &*database, |statements| bent(statements, name, old, new));
        let broken = broken(&found);
        let names: Vec<&str> = broken.iter().map(|(name, _)| *name).collect();
        assert!(expected.split(' ').all(|one| names.contains(&one)), "{name}, {old}: {broken:#?}");
    }
}

/// A session in a schema, which is made unless it is there.
fn entered(database: &dyn Database, schema: &str) -> Box<dyn Engine> {
    let mut session = database.session().unwrap();
    session.create_schema(schema).unwrap();
    session.use_schema(schema).unwrap();
    session
}

/// What two sessions at once return.
fn raced(
    database: &dyn Database,
    schema: &str,
    work: impl Fn(&mut dyn Engine, &str, &Barrier) -> usize + Sync,
) -> Vec<usize> {
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        let both: Vec<_> = ["left", "right"]
            .into_iter()
            .map(|who| {
                let (barrier, work) = (&barrier, &work);
                scope.spawn(move || {
                    let mut session = entered(database, schema);
                    work(&mut *session, who, barrier)
                })
            })
            .collect();
        both.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

/// What `verify` finds of the effects of events, with statements as they are rendered or bent.
fn effects_judged(
    name: &str,
    case: &str,
    database: &dyn Database,
    bend: impl Fn(&mut Statements<'_>),
) -> Result<Judgement, Vec<Diagnostic>> {
    let dialect = spoken(name);
    let plan = planned(case, dialect);
    let mut statements = Statements::rendered(&plan).unwrap();
    bend(&mut statements);
    let ty = |ty: Type| (dialect.type_name)(&ty);
    let (id, sku, int) = (ty(Type::Varchar(64)), ty(Type::Varchar(20)), ty(Type::Int));
    let setup = format!(
        "CREATE TABLE inventory (sku {sku} NOT NULL, stock {int} NOT NULL);\n\
         CREATE TABLE sales (event_id {id} NOT NULL, sku {sku} NOT NULL, quantity {int} NOT NULL);\n\
         INSERT INTO inventory VALUES ('A', 1000);\nINSERT INTO inventory VALUES ('B', 1000);"
    );
    let setup = Arc::new(Source::new("setup.sql", setup));
    let value = |name: &str, all: &[&str]| (name.to_owned(), all.iter().map(|one| (*one).to_owned()).collect());
    let values = [value("sku", &["A", "B"]), value("quantity", &["2", "3", "5"])].into_iter().collect();
    let prepared = Prepared { setup: &setup, values: &values, numbered: Vec::new() };
    let prefix = format!("idemsql_marks_{}", std::process::id());
    let found = judge_effects(&statements, &prepared, database, &prefix, Asked::default(), &mut |_, _| {});
    let (found, dropped) = found.unwrap_or_else(|fault| panic!("{name}: {fault:#}"))?;
    dropped.unwrap();
    Ok(found)
}

fn effects(name: &str) {
    let Some(database) = asked(name) else { return };
    let _alone = alone(name);
    for case in ["marked_by", "processed_events"] {
        let found = effects_judged(name, case, &*database, |_| {}).unwrap_or_else(|faults| panic!("{faults:#?}"));
        holds(name, &found, &["rerun", "quiet", "right", "order", "together", "crash"]);
    }
}

#[test]
fn an_effect_that_is_bent_is_found_broken() {
    const NOTHING: &str = "DO NOTHING";
    let database = database("sqlite").unwrap();
    let effects = |name: &str, old: &str, new: &str| {
        effects_judged("sqlite", "processed_events", &*database, |statements| bent(statements, name, old, new))
    };
    for (name, old, new, expected) in [
        // It says that it wrote a row, so that the effect comes again.
        ("claim", NOTHING, "DO UPDATE SET event_id = excluded.event_id", "rerun quiet order together crash"),
        ("claim", "ON CONFLICT (event_id) DO NOTHING", "", "rerun quiet order together crash"),
        // The marker is committed without its effect.
        ("effect", "UPDATE", "COMMIT; BEGIN IMMEDIATE; UPDATE", "crash"),
        ("purge", "WHERE processed_at <=", "WHERE processed_at >=", "right"),
    ] {
        let broken_ones = effects(name, old, new).unwrap();
        let broken = broken(&broken_ones);
        let names: Vec<&str> = broken.iter().map(|(name, _)| *name).collect();
        assert!(expected.split(' ').all(|one| names.contains(&one)), "{name}, {old}: {broken:#?}");
    }
    // What shows nothing is no proof, and what is written elsewhere is not run.
    let nothing = effects("effect", "WHERE sku = ?", "WHERE sku = ? AND stock < 0").unwrap();
    assert!(broken(&nothing).is_empty());
    let faults = effects("effect", "UPDATE inventory", "UPDATE prod.inventory").unwrap_err();
    assert!(faults[0].message.contains("prod.inventory"), "{faults:#?}");
    let alone = effects_judged("sqlite", "marked_by", &*database, |statements| {
        bent(statements, "effect", "WHERE sku = ?", "WHERE sku = ? AND stock < 0");
    });
    assert!(alone.unwrap_err()[0].message.contains("change no row"));
}

#[test]
fn what_effects_do_in_another_order_is_not_blamed_on_the_marker() {
    let database = database("sqlite").unwrap();
    let found = effects_judged("sqlite", "marked_by", &*database, |statements| {
        bent(statements, "effect", "stock = stock - ?", "stock = (stock * 7 + ?) % 1009");
    });
    let found = found.unwrap();
    holds("sqlite", &found, &["rerun", "quiet", "right", "together", "crash"]);
}

/// A batch of events that holds some twice, run again, with more events, and by two sessions at once.
fn batches(name: &str) {
    let Some(database) = asked(name) else { return };
    let _alone = alone(name);
    let dialect = spoken(name);
    let schema = format!("idemsql_batch_{}", std::process::id());
    let mut session = entered(&*database, &schema);
    let mut table = placed("staged_events", dialect, &schema);
    table.source.value = Staged::Table(format!("{schema}.staged_events"));
    for effect in &mut table.effect {
        for of in ["UPDATE inventory", "INTO sales"] {
            let (verb, table) = of.split_once(' ').unwrap();
            effect.value = effect.value.replace(of, &format!("{verb} {schema}.{table}"));
        }
    }
    make(&table, dialect, &mut *session);
    let script = render(&plan(&table, dialect, None).unwrap_or_else(|faults| panic!("{faults:#?}")), &[]).unwrap();
    let ty = |ty: Type| (dialect.type_name)(&ty);
    let (id, sku, int) = (ty(Type::Varchar(64)), ty(Type::Varchar(20)), ty(Type::Int));
    let events = format!("event_id {id} NOT NULL, sku {sku} NOT NULL, quantity {int} NOT NULL");
    let set_up = format!(
        "CREATE TABLE {schema}.inventory (sku {sku} NOT NULL, stock {int} NOT NULL);\n\
         CREATE TABLE {schema}.staged_events ({events});\n\
         CREATE TABLE {schema}.sales ({events});\n\
         INSERT INTO {schema}.inventory VALUES ('A', 100), ('B', 50), ('C', 7);\n\
         INSERT INTO {schema}.staged_events VALUES ('1', 'A', 2), ('2', 'A', 1), ('3', 'B', 5), ('1', 'A', 2), ('1', 'A', 2);"
    );
    session.run_script(&set_up).unwrap_or_else(|fault| panic!("{fault:#}\n{set_up}"));
    let state = |session: &mut dyn Engine| {
        let stock = format!("SELECT stock FROM {schema}.inventory ORDER BY sku");
        let mut cells = session.query(&stock).unwrap().rows.concat();
        cells.extend(
            session.query(&format!("SELECT COUNT(*), SUM(quantity) FROM {schema}.sales")).unwrap().rows.concat(),
        );
        cells.into_iter().map(Option::unwrap).collect::<Vec<_>>().join(" ")
    };
    for _ in 0..3 {
        session.run_script(&script).unwrap_or_else(|fault| panic!("{fault:#}\n{script}"));
        assert_eq!(state(&mut *session), "97 45 7 3 8");
    }
    let more = format!("INSERT INTO {schema}.staged_events VALUES ('4', 'C', 7), ('4', 'C', 7), ('5', 'A', 1)");
    session.execute(&more).unwrap();
    // Both load everything, again and again; the first to come does what is new.
    raced(&*database, &schema, |session, _, barrier| {
        barrier.wait();
        let mut done = 0;
        for _ in 0..200 {
            match session.run_script(&script) {
                Ok(()) => done += 1,
                Err(fault) => {
                    let told = format!("{fault:#}").to_lowercase();
                    assert!(RETRIED.iter().any(|word| told.contains(word)), "{told}\n{script}");
                }
            }
            if done == 5 {
                return done;
            }
        }
        panic!("200 times in vain");
    });
    assert_eq!(state(&mut *session), "96 45 0 5 16");
    session.drop_schema(&schema).unwrap();
    eprintln!("{name}: batches of events had their effect once");
}

#[test]
fn a_batch_of_events_has_its_effect_once_on_sqlite() {
    batches("sqlite");
}

#[test]
fn engines_a_batch_of_events_has_its_effect_once() {
    for name in ["postgres", "postgres18", "mariadb", "mysql", "duckdb"] {
        batches(name);
    }
}

#[test]
fn a_key_store_answers_as_it_should_on_sqlite() {
    key_store("sqlite");
}

#[test]
fn events_have_their_effect_once_on_sqlite() {
    effects("sqlite");
}

#[test]
fn engines_a_key_store_answers_as_it_should() {
    for name in ["postgres", "postgres18", "mariadb", "mysql", "duckdb", "h2", "hsqldb"] {
        key_store(name);
    }
}

#[test]
fn engines_events_have_their_effect_once() {
    for name in ["postgres", "postgres18", "mariadb", "mysql", "duckdb", "h2", "hsqldb"] {
        effects(name);
    }
}
