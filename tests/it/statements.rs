//! Statements by name: what every dialect is given, and what they do on real engines, raced and killed.

use crate::engines::{alone, database, spoken};
use crate::support::{Golden, cases, spec_in};
use idemsql::dialect::types::Type;
use idemsql::dialect::{self, Dialect};
use idemsql::engine::{Database, Engine};
use idemsql::plan::ddl::plan_ddl;
use idemsql::plan::plan;
use idemsql::plan::statements::{Named, StatementsPlan, has_statements, plan_statements};
use idemsql::render::ddl::render_ddl;
use idemsql::render::render;
use idemsql::render::statements::{render_statements, written};
use idemsql::spec::{Located, Source, Table};
use idemsql::sql::bind::bind;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Barrier;

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

/// The statements of a table on a real engine.
struct Store {
    plan: StatementsPlan,
    texts: BTreeMap<String, String>,
    dialect: &'static Dialect,
}

impl Store {
    fn new(table: &Table, dialect: &'static Dialect) -> Self {
        let plan = plan_statements(table, dialect, None).unwrap_or_else(|faults| panic!("{faults:#?}"));
        let texts = written(&plan).unwrap().into_iter().map(|one| (one.name, one.sql)).collect();
        Self { plan, texts, dialect }
    }

    fn named(&self, name: &str) -> &Named {
        self.plan.statements.iter().find(|named| named.name == name).unwrap()
    }

    /// A statement with its values. A value that is not given is a fault of the test.
    fn sql(&self, name: &str, values: &[(&str, &str)]) -> String {
        let named = self.named(name);
        let places: Vec<String> = named.parameters.iter().map(|bound| bound.written.clone()).collect();
        let literal = |at: usize| {
            let name = &named.parameters[at].name;
            let (_, value) = values.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}"));
            let is_number = ["response_status", "quantity"].contains(&name.as_str());
            Some(if is_number { (*value).to_owned() } else { (self.dialect.string)(value) })
        };
        bind(&self.texts[name], self.dialect, &places, &literal).unwrap()
    }

    /// Runs a statement in a transaction of its own. Of two sessions one may be told to try again.
    fn run(&self, session: &mut dyn Engine, name: &str, values: &[(&str, &str)]) {
        let sql = self.sql(name, values);
        for _ in 0..50 {
            match session.execute(&sql) {
                Ok(()) => return,
                Err(fault) => {
                    let told = format!("{fault:#}").to_lowercase();
                    assert!(RETRIED.iter().any(|word| told.contains(word)), "{told}\n{sql}");
                    let _ = session.rollback();
                }
            }
        }
        panic!("50 times in vain: {sql}");
    }

    /// What stands behind a key: the outcome, the status and the body.
    fn replay(&self, session: &mut dyn Engine, values: &[(&str, &str)]) -> Vec<Option<String>> {
        let sql = self.sql("replay", values);
        let rows = session.query(&sql).unwrap_or_else(|fault| panic!("{fault:#}\n{sql}")).rows;
        assert!(rows.len() < 2, "{rows:?}");
        rows.into_iter().next().unwrap_or_default()
    }

    /// A request as an application makes it: the outcome of claim, take_over and replay.
    fn request(&self, session: &mut dyn Engine, values: &[(&str, &str)]) -> String {
        self.run(session, "claim", values);
        self.run(session, "take_over", values);
        self.replay(session, values)[0].clone().unwrap()
    }
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

/// A request with a key, by its client and its text.
fn values<'a>(key: &'a str, fingerprint: &'a str, claim: &'a str) -> [(&'a str, &'a str); 6] {
    [
        ("scope", "shop"),
        ("idempotency_key", key),
        ("fingerprint", fingerprint),
        ("claim_id", claim),
        ("response_status", "201"),
        ("response_body", "it's done"),
    ]
}

/// What the statements of a key store answer, step by step, is what their pages say.
fn key_store(name: &str) {
    let Some(database) = asked(name) else { return };
    let _alone = alone(name);
    let dialect = spoken(name);
    let schema = format!("idemsql_keys_{}", std::process::id());
    let mut session = entered(&*database, &schema);
    let session = &mut *session;
    let table = placed("idempotency_keys", dialect, &schema);
    make(&table, dialect, session);
    let store = Store::new(&table, dialect);
    let target = store.plan.plan.load.target.clone();
    let aged = |session: &mut dyn Engine, key: &str, seconds: u64| {
        let column = store.plan.plan.columns.iter().find(|column| column.name == "claimed_at").unwrap();
        let overlap = idemsql::dialect::types::Overlap::Seconds(seconds);
        let past = (dialect.shift_back)((dialect.now)(&column.ty), overlap, &column.ty);
        session
            .execute(&format!("UPDATE {target} SET claimed_at = {past} WHERE idempotency_key = '{key}'"))
            .unwrap_or_else(|fault| panic!("{fault:#}"));
    };
    let count =
        |session: &mut dyn Engine| session.query(&format!("SELECT idempotency_key FROM {target}")).unwrap().rows.len();

    // Nothing stands there before a claim. The claim can be sent again.
    assert!(store.replay(session, &values("a", "f", "1")).is_empty());
    assert_eq!(store.request(session, &values("a", "f", "1")), "claimed");
    assert_eq!(store.request(session, &values("a", "f", "1")), "claimed");
    // Another request of the key waits, and one with another content is a mistake.
    assert_eq!(store.request(session, &values("a", "f", "2")), "in_progress");
    assert_eq!(store.request(session, &values("a", "g", "3")), "conflict");
    // A key belongs to a scope.
    let mut other = values("a", "g", "4");
    other[0].1 = "another shop";
    assert_eq!(store.request(session, &other), "claimed");
    store.run(session, "fail", &other);
    assert!(store.replay(session, &other).is_empty());
    // Who does not hold the claim completes and fails nothing.
    store.run(session, "complete", &values("a", "f", "2"));
    store.run(session, "fail", &values("a", "f", "2"));
    assert_eq!(store.replay(session, &values("a", "f", "1"))[0].as_deref(), Some("claimed"));
    // The answer is stored once, and replayed to everybody.
    store.run(session, "complete", &values("a", "f", "1"));
    let mut late = values("a", "f", "1");
    late[5].1 = "another answer";
    store.run(session, "complete", &late);
    store.run(session, "fail", &values("a", "f", "1"));
    for claim in ["1", "5"] {
        assert_eq!(store.request(session, &values("a", "f", claim)), "completed");
        let answer = store.replay(session, &values("a", "f", claim));
        let answer: Vec<Option<&str>> = answer.iter().map(Option::as_deref).collect();
        assert_eq!(answer, [Some("completed"), Some("201"), Some("it's done")]);
    }
    assert_eq!(store.request(session, &values("a", "g", "6")), "conflict");
    // A claim holds for its lease (90 seconds), then the next request with the same content takes it over.
    assert_eq!(store.request(session, &values("b", "f", "1")), "claimed");
    aged(session, "b", 60);
    assert_eq!(store.request(session, &values("b", "f", "2")), "in_progress");
    aged(session, "b", 120);
    assert_eq!(store.request(session, &values("b", "g", "3")), "conflict");
    assert_eq!(store.request(session, &values("b", "f", "2")), "claimed");
    // The one that was slow and not dead finds its claim gone.
    store.run(session, "complete", &values("b", "f", "1"));
    assert_eq!(store.replay(session, &values("b", "f", "2"))[0].as_deref(), Some("claimed"));
    // A key that somebody works on is not forgotten; one whose lease is over, or that is done, is.
    store.run(session, "expire", &values("b", "f", "2"));
    assert_eq!(count(session), 2);
    aged(session, "b", 120);
    store.run(session, "expire", &values("b", "f", "2"));
    assert_eq!(count(session), 1);
    // An answer is kept for the retention (2 days); then the key is free, with another content too.
    aged(session, "a", 86_400);
    store.run(session, "purge", &[]);
    assert_eq!(store.request(session, &values("a", "g", "7")), "conflict");
    aged(session, "a", 3 * 86_400);
    assert_eq!(store.request(session, &values("a", "g", "7")), "claimed");
    aged(session, "a", 3 * 86_400);
    store.run(session, "purge", &[]);
    assert_eq!(count(session), 0);

    // Two sessions with the same keys: of each key one of them has the claim.
    let keys: Vec<String> = (0..30).map(|at| format!("k{at}")).collect();
    let won = raced(&*database, &schema, |session, who, barrier| {
        let mut won = 0;
        for key in &keys {
            barrier.wait();
            let outcome = store.request(session, &values(key, "f", who));
            assert!(["claimed", "in_progress"].contains(&outcome.as_str()), "{outcome}");
            won += usize::from(outcome == "claimed");
        }
        won
    });
    assert_eq!(won.iter().sum::<usize>(), keys.len(), "{name}: {won:?}");
    session.drop_schema(&schema).unwrap();
    eprintln!("{name}: the key store answered as it should; of {} raced keys {won:?} were claimed", keys.len());
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

/// Events that two sessions and a crash bring several times have their effect once.
fn effects(name: &str) {
    let Some(database) = asked(name) else { return };
    let _alone = alone(name);
    let dialect = spoken(name);
    let schema = format!("idemsql_marks_{}", std::process::id());
    let mut session = entered(&*database, &schema);
    let mut table = placed("marked_by", dialect, &schema);
    for effect in &mut table.effect {
        effect.value = effect.value.replace("UPDATE inventory", &format!("UPDATE {schema}.inventory"));
    }
    make(&table, dialect, &mut *session);
    let store = Store::new(&table, dialect);
    let target = store.plan.plan.load.target.clone();
    let script = format!(
        "CREATE TABLE {schema}.inventory (sku {text} NOT NULL, stock {int} NOT NULL);\nINSERT INTO {schema}.inventory VALUES ('A', 1000);",
        text = (dialect.type_name)(&Type::Varchar(20)),
        int = (dialect.type_name)(&Type::Int),
    );
    session.run_script(&script).unwrap_or_else(|fault| panic!("{fault:#}"));
    let framed = dialect.script.expect("transactions");
    let begin = framed.begin;
    // One delivery: true when it had its effect. Of two sessions one may be told to try again.
    let deliver = |session: &mut dyn Engine, event: &str, who: &str, commits: bool| -> bool {
        let values = [("event_id", event), ("marked_by", who), ("quantity", "2"), ("sku", "A")];
        for _ in 0..200 {
            let mut once = || -> anyhow::Result<bool> {
                if !begin.is_empty() {
                    session.execute(begin)?;
                }
                session.execute(&store.sql("claim", &values))?;
                let sql = format!("SELECT marked_by FROM {target} WHERE event_id = '{event}'");
                let mine = session.query(&sql)?.rows.concat() == [Some(who.to_owned())];
                if mine {
                    session.execute(&store.sql("effect", &values))?;
                }
                if commits {
                    session.execute(framed.commit)?;
                }
                Ok(mine)
            };
            match once() {
                Ok(mine) => return mine,
                Err(_) => drop(session.rollback()),
            }
        }
        panic!("{name}: 200 times in vain");
    };
    let stock = |session: &mut dyn Engine| {
        session.query(&format!("SELECT stock FROM {schema}.inventory")).unwrap().rows.concat()
    };

    let events: Vec<String> = (0..25).map(|at| format!("e{at}")).collect();
    let had = raced(&*database, &schema, |session, who, barrier| {
        let mut had = 0;
        for event in &events {
            barrier.wait();
            had += usize::from(deliver(session, event, who, true));
        }
        had
    });
    assert_eq!(had.iter().sum::<usize>(), events.len(), "{name}: {had:?}");
    assert_eq!(stock(&mut *session), [Some("950".to_owned())]);
    // A session that dies before it commits has done nothing, and the next delivery does it.
    let mut dying = entered(&*database, &schema);
    assert!(deliver(&mut *dying, "late", "dying", false));
    let stop = dying.stopper().unwrap();
    stop().unwrap();
    drop(dying);
    assert!(deliver(&mut *session, "late", "next", true));
    assert!(!deliver(&mut *session, "late", "after", true));
    assert_eq!(stock(&mut *session), [Some("948".to_owned())]);
    // Markers are forgotten when their retention is over, and not before.
    session.execute(&store.sql("purge", &[])).unwrap();
    assert_eq!(session.query(&format!("SELECT event_id FROM {target}")).unwrap().rows.len(), events.len() + 1);
    session.drop_schema(&schema).unwrap();
    eprintln!("{name}: {} raced events had their effect once: {had:?}", events.len());
}

/// A batch of events that holds some twice, run again, with more events, and by two sessions at once.
fn batches(name: &str) {
    let Some(database) = asked(name) else { return };
    let _alone = alone(name);
    let dialect = spoken(name);
    let schema = format!("idemsql_batch_{}", std::process::id());
    let mut session = entered(&*database, &schema);
    let mut table = placed("staged_events", dialect, &schema);
    table.source.value = Source::Table(format!("{schema}.staged_events"));
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
