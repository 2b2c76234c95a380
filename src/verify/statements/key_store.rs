//! The statements of `idempotency_key`: one request of a key does the work, and every request of it gets one answer.

use super::story::{Book, Story, Told, kill, physical, quiet, raced};
use super::{Answer, Lab, Scene};
use crate::dialect::types::Overlap;
use crate::engine::Engine;
use crate::engine::value::Value;
use crate::verify::lab::State;
use anyhow::Context as _;
use std::collections::BTreeMap;

/// How many keys two sessions claim at once.
const KEYS: usize = 30;

/// What there is to say of a guarantee.
pub(super) fn answer(guarantee: &str) -> Answer<'static> {
    Answer::Tried(match guarantee {
        "rerun" => vec![
            Scene::new("a claim that is sent twice", claim_twice),
            Scene::new("an answer that is stored twice", complete_twice),
            Scene::new("what cleans up, twice", clean_up_twice),
        ],
        "quiet" => vec![
            Scene::new("every statement again on a claimed key", quiet_when_claimed),
            Scene::new("every statement again on a completed key", quiet_when_completed),
        ],
        "right" => vec![
            Scene::new("every outcome of a request", outcomes),
            Scene::new("one key in two scopes", scopes),
            Scene::new("statements of who does not hold the claim", fenced),
            Scene::new("a lease that is over", lease),
            Scene::new("a key that is forgotten before its time", expiry),
            Scene::new("a retention that is over", retention),
        ],
        "order" => {
            return Answer::NotPromised(
                "the first request of a key has the claim, and which one is first is all that counts",
            );
        }
        "split" => return Answer::NotPromised("a request is one row, which has no pieces"),
        "together" => vec![
            Scene::new("two sessions that send the same keys", claims_at_once),
            Scene::new("two sessions that take over the same keys", take_overs_at_once),
        ],
        _ => vec![
            Scene::new("killed before the claim is committed", killed_in_claim),
            Scene::new("killed between claim and answer", killed_at_work),
            Scene::new("killed before the answer is committed", killed_in_answer),
        ],
    })
}

/// A request as a client sends it.
#[derive(Clone, Copy, Debug)]
struct Request<'a> {
    scope: &'a str,
    key: &'a str,
    fingerprint: &'a str,
    claim: &'a str,
    status: &'a str,
    body: &'a str,
}

impl<'a> Request<'a> {
    /// A request of a key with that content, under a claim of its own.
    fn new(key: &'a str, fingerprint: &'a str, claim: &'a str) -> Self {
        Self { scope: "shop", key, fingerprint, claim, status: "201", body: "it's done" }
    }

    fn texts(&self) -> [(&'static str, &'a str); 6] {
        [
            ("scope", self.scope),
            ("idempotency_key", self.key),
            ("fingerprint", self.fingerprint),
            ("claim_id", self.claim),
            ("response_status", self.status),
            ("response_body", self.body),
        ]
    }

    fn literals(&self, book: &Book<'_>) -> anyhow::Result<BTreeMap<String, String>> {
        let one = |(name, text): (&str, &str)| {
            let ty = &book.column(name)?.ty;
            let value = Book::value(text, ty).with_context(|| format!("no value is known for `{name}`"))?;
            Ok((name.to_owned(), book.literal(&value, ty)))
        };
        self.texts().into_iter().map(one).collect()
    }
}

/// Runs a statement of a request: how many rows it wrote.
fn run(story: &mut Story<'_>, session: &mut dyn Engine, name: &str, request: Request<'_>) -> Told<u64> {
    let literals = request.literals(story.book)?;
    story.step(format!("`{name}` by request {} of key {}", request.claim, request.key));
    story.run(session, name, &literals)
}

/// What stands behind the key, for a request: the outcome, the status and the body; nothing for no row.
fn replay(story: &mut Story<'_>, session: &mut dyn Engine, request: Request<'_>) -> Told<Vec<String>> {
    let literals = request.literals(story.book)?;
    let rows = story.ask(session, "replay", &literals)?;
    if rows.len() > 1 {
        return Err(story.fault(format!("{} rows stand behind the key {}", rows.len(), request.key)));
    }
    let Some(row) = rows.into_iter().next() else { return Ok(Vec::new()) };
    let mut cells = row.into_iter();
    let mut all = vec![cells.next().flatten().unwrap_or_default()];
    for (name, cell) in ["response_status", "response_body"].into_iter().zip(cells) {
        let ty = &story.book.column(name)?.ty;
        all.push(cell.map_or(Ok(Value::Null), |text| Value::parse(&text, ty))?.to_string());
    }
    Ok(all)
}

/// A request as an application makes it: the outcome of `claim`, `take_over` and `replay`.
fn outcome(story: &mut Story<'_>, session: &mut dyn Engine, request: Request<'_>) -> Told<String> {
    story.step(format!(
        "request {} of key {} in scope {} with content {}",
        request.claim, request.key, request.scope, request.fingerprint
    ));
    let literals = request.literals(story.book)?;
    story.run(session, "claim", &literals)?;
    story.run(session, "take_over", &literals)?;
    Ok(replay(story, session, request)?.into_iter().next().unwrap_or_else(|| "no row".to_owned()))
}

/// The outcome of a request is this one.
fn meets(story: &mut Story<'_>, session: &mut dyn Engine, request: Request<'_>, expected: &str) -> Told<()> {
    let found = outcome(story, session, request)?;
    story.expect("its outcome", &expected, &found.as_str())
}

/// The key stands there as this for a request that only asks.
fn stands(story: &mut Story<'_>, session: &mut dyn Engine, request: Request<'_>, expected: &str) -> Told<()> {
    let found = replay(story, session, request)?.into_iter().next().unwrap_or_else(|| "no row".to_owned());
    story.expect(&format!("what `replay` says to request {}", request.claim), &expected, &found.as_str())
}

/// The answer of a request is the one that it sends itself.
fn answered(
    story: &mut Story<'_>,
    session: &mut dyn Engine,
    request: Request<'_>,
    status: &str,
    body: &str,
) -> Told<()> {
    let mut expected = vec!["completed".to_owned()];
    for (name, text) in [("response_status", status), ("response_body", body)] {
        expected.push(Book::value(text, &story.book.column(name)?.ty)?.to_string());
    }
    let found = replay(story, session, request)?;
    story.expect(&format!("the answer to request {}", request.claim), &expected, &found)
}

/// Makes the claim of a key that old.
fn aged(lab: &mut Lab<'_>, story: &mut Story<'_>, key: &str, seconds: u64) -> Told<()> {
    story.step(format!("{seconds} seconds later"));
    let book = story.book;
    let (at, known) = (book.column("claimed_at")?, book.column("idempotency_key")?);
    let past = (book.dialect().shift_back)((book.dialect().now)(&at.ty), Overlap::Seconds(seconds), &at.ty);
    let key = book.literal(&Book::value(key, &known.ty)?, &known.ty);
    let table = lab.applied(&book.plan.table.load.target);
    let sql = format!("UPDATE {table} SET {} = {past} WHERE {} = {key}", at.sql, known.sql);
    Ok(lab.session.execute(&sql).with_context(|| sql)?)
}

/// How long a claim holds and how long an answer is kept, in seconds.
fn lengths(story: &Story<'_>) -> (u64, u64) {
    (story.book.plan.lease.unwrap_or_default(), story.book.plan.retention.unwrap_or_default())
}

/// How many keys are stored.
fn keys(lab: &mut Lab<'_>) -> Told<usize> {
    Ok(lab.state()?.0.first().map_or(0, Vec::len))
}

const FIRST: Request<'static> =
    Request { scope: "shop", key: "a", fingerprint: "f", claim: "1", status: "201", body: "it's done" };

const SECOND: Request<'static> = Request { claim: "2", ..FIRST };

const OTHER_CONTENT: Request<'static> = Request { claim: "3", fingerprint: "g", ..FIRST };

fn claim_twice(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    let before = lab.state()?;
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    unchanged(lab, story, &before)
}

/// The rows are those of before.
fn unchanged(lab: &mut Lab<'_>, story: &Story<'_>, before: &State) -> Told<()> {
    let now = lab.state()?;
    if *before == now { Ok(()) } else { Err(story.fault(before.difference(&now, lab.subject, false))) }
}

fn complete_twice(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    run(story, &mut *lab.session, "complete", FIRST)?;
    let before = lab.state()?;
    run(story, &mut *lab.session, "complete", Request { status: "500", body: "another answer", ..FIRST })?;
    run(story, &mut *lab.session, "fail", FIRST)?;
    for request in [FIRST, SECOND] {
        meets(story, &mut *lab.session, request, "completed")?;
        answered(story, &mut *lab.session, request, FIRST.status, FIRST.body)?;
    }
    unchanged(lab, story, &before)
}

fn clean_up_twice(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    let other = Request::new("b", "f", "4");
    meets(story, &mut *lab.session, other, "claimed")?;
    for name in ["fail", "expire", "purge"] {
        run(story, &mut *lab.session, name, FIRST)?;
        let before = lab.state()?;
        run(story, &mut *lab.session, name, FIRST)?;
        unchanged(lab, story, &before)?;
    }
    let left = keys(lab)?;
    story.expect("how many keys are left", &1, &left)
}

fn quiet_when_claimed(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    let before = physical(lab)?;
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    meets(story, &mut *lab.session, SECOND, "in_progress")?;
    run(story, &mut *lab.session, "complete", SECOND)?;
    quiet(lab, story, &before)
}

fn quiet_when_completed(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    run(story, &mut *lab.session, "complete", FIRST)?;
    let before = physical(lab)?;
    meets(story, &mut *lab.session, FIRST, "completed")?;
    meets(story, &mut *lab.session, SECOND, "completed")?;
    for name in ["complete", "fail", "purge"] {
        run(story, &mut *lab.session, name, FIRST)?;
    }
    quiet(lab, story, &before)
}

fn outcomes(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    let session = &mut *lab.session;
    stands(story, session, FIRST, "no row")?;
    meets(story, session, FIRST, "claimed")?;
    meets(story, session, SECOND, "in_progress")?;
    meets(story, session, OTHER_CONTENT, "conflict")?;
    run(story, session, "complete", FIRST)?;
    meets(story, session, SECOND, "completed")?;
    answered(story, session, SECOND, FIRST.status, FIRST.body)?;
    meets(story, session, OTHER_CONTENT, "conflict")?;
    // Work that failed is done anew, with another content too.
    let failed = Request::new("b", "f", "4");
    meets(story, session, failed, "claimed")?;
    run(story, session, "fail", failed)?;
    stands(story, session, failed, "no row")?;
    meets(story, session, Request::new("b", "g", "5"), "claimed")
}

fn scopes(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    let session = &mut *lab.session;
    let elsewhere = Request { scope: "another shop", fingerprint: "g", claim: "4", ..FIRST };
    meets(story, session, FIRST, "claimed")?;
    meets(story, session, elsewhere, "claimed")?;
    run(story, session, "complete", elsewhere)?;
    stands(story, session, FIRST, "claimed")?;
    run(story, session, "expire", elsewhere)?;
    stands(story, session, elsewhere, "no row")?;
    stands(story, session, FIRST, "claimed")
}

fn fenced(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    let before = lab.state()?;
    for name in ["complete", "fail", "take_over"] {
        let wrote = run(story, &mut *lab.session, name, SECOND)?;
        story.expect("how many rows it wrote", &0, &wrote)?;
        unchanged(lab, story, &before)?;
    }
    let wrote = run(story, &mut *lab.session, "complete", FIRST)?;
    story.expect("how many rows it wrote", &1, &wrote)
}

/// An age at which a lease is over and a key is not forgotten, in seconds.
fn over(story: &Story<'_>) -> u64 {
    let (lease, retention) = lengths(story);
    lease + (lease / 3 + 1).min(retention.saturating_sub(lease) / 2).max(1)
}

fn lease(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    let (lease, _) = lengths(story);
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    aged(lab, story, FIRST.key, lease * 2 / 3)?;
    meets(story, &mut *lab.session, SECOND, "in_progress")?;
    aged(lab, story, FIRST.key, over(story))?;
    meets(story, &mut *lab.session, OTHER_CONTENT, "conflict")?;
    meets(story, &mut *lab.session, SECOND, "claimed")?;
    // The one that was slow and not dead finds its claim gone.
    for name in ["complete", "fail"] {
        let wrote = run(story, &mut *lab.session, name, FIRST)?;
        story.expect("how many rows it wrote", &0, &wrote)?;
        stands(story, &mut *lab.session, SECOND, "claimed")?;
    }
    run(story, &mut *lab.session, "complete", SECOND)?;
    answered(story, &mut *lab.session, FIRST, SECOND.status, SECOND.body)?;
    // An answer has no lease.
    aged(lab, story, FIRST.key, over(story))?;
    meets(story, &mut *lab.session, FIRST, "completed")
}

fn expiry(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    // Somebody works on it.
    run(story, &mut *lab.session, "expire", SECOND)?;
    stands(story, &mut *lab.session, FIRST, "claimed")?;
    aged(lab, story, FIRST.key, over(story))?;
    run(story, &mut *lab.session, "expire", SECOND)?;
    stands(story, &mut *lab.session, FIRST, "no row")?;
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    run(story, &mut *lab.session, "complete", FIRST)?;
    run(story, &mut *lab.session, "expire", SECOND)?;
    stands(story, &mut *lab.session, FIRST, "no row")
}

fn retention(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    let (_, retention) = lengths(story);
    meets(story, &mut *lab.session, FIRST, "claimed")?;
    run(story, &mut *lab.session, "complete", FIRST)?;
    aged(lab, story, FIRST.key, retention / 2)?;
    run(story, &mut *lab.session, "purge", FIRST)?;
    meets(story, &mut *lab.session, OTHER_CONTENT, "conflict")?;
    // Then the key is free, with another content too.
    aged(lab, story, FIRST.key, retention + retention / 2 + 1)?;
    meets(story, &mut *lab.session, OTHER_CONTENT, "claimed")?;
    aged(lab, story, FIRST.key, retention + retention / 2 + 1)?;
    run(story, &mut *lab.session, "purge", FIRST)?;
    let left = keys(lab)?;
    story.expect("how many keys are left", &0, &left)
}

fn claims_at_once(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    story.step("two sessions send each key at the same moment");
    one_of_two(lab, story, "claimed", "in_progress")
}

fn take_overs_at_once(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    for turn in 0..KEYS {
        let key = format!("k{turn}");
        meets(story, &mut *lab.session, Request::new(&key, "f", "dead"), "claimed")?;
        aged(lab, story, &key, over(story))?;
    }
    story.forget();
    story.step("the lease of every key is over, and two sessions send each key at the same moment");
    one_of_two(lab, story, "claimed", "in_progress")
}

/// Of two sessions that send each key, one has the first outcome and the other one the second.
fn one_of_two(lab: &mut Lab<'_>, story: &mut Story<'_>, first: &str, second: &str) -> Told<()> {
    story.retries = true;
    let met = raced(lab, story, KEYS, |who, turn, session, story| {
        outcome(story, session, Request::new(&format!("k{turn}"), "f", who))
    })?;
    for (turn, (left, right)) in met[0].iter().zip(&met[1]).enumerate() {
        let mut found = [left.as_str(), right.as_str()];
        found.sort_unstable();
        story.expect(&format!("the outcomes of key k{turn}"), &[first, second], &found)?;
    }
    let stored = keys(lab)?;
    story.expect("how many keys are stored", &KEYS, &stored)
}

fn killed_in_claim(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    story.retries = true;
    let mut dying = lab.open()?;
    story.begin(&mut *dying)?;
    run(story, &mut *dying, "claim", FIRST)?;
    story.step("its session is killed before it commits");
    kill(dying)?;
    meets(story, &mut *lab.session, SECOND, "claimed")
}

fn killed_at_work(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    story.retries = true;
    let mut dying = lab.open()?;
    meets(story, &mut *dying, FIRST, "claimed")?;
    story.step("its session is killed");
    kill(dying)?;
    taken_over(lab, story)
}

fn killed_in_answer(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    story.retries = true;
    let mut dying = lab.open()?;
    meets(story, &mut *dying, FIRST, "claimed")?;
    story.begin(&mut *dying)?;
    run(story, &mut *dying, "complete", FIRST)?;
    story.step("its session is killed before it commits");
    kill(dying)?;
    taken_over(lab, story)
}

/// The claim of a session that was killed holds until its lease is over, and is taken over then.
fn taken_over(lab: &mut Lab<'_>, story: &mut Story<'_>) -> Told<()> {
    meets(story, &mut *lab.session, SECOND, "in_progress")?;
    aged(lab, story, FIRST.key, over(story))?;
    meets(story, &mut *lab.session, SECOND, "claimed")?;
    let wrote = run(story, &mut *lab.session, "complete", SECOND)?;
    story.expect("how many rows it wrote", &1, &wrote)?;
    answered(story, &mut *lab.session, FIRST, SECOND.status, SECOND.body)
}
