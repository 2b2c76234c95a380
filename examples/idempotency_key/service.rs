//! A small HTTP service that takes orders once, whatever its clients and its own crashes do. The statements are those that
//! `idemsql render` writes; each database has a file that runs them.
//!
//! `POST /orders` with the header `Idempotency-Key` and a number of pieces as its body takes them from the stock.
//! `GET /stock` says what is left.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tiny_http::{Header, Method, Request, Response, Server};

/// What went wrong in the database.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// What there is to order: a hundred pieces at first.
pub const INVENTORY: &str = "CREATE TABLE IF NOT EXISTS inventory (sku text PRIMARY KEY, stock integer NOT NULL);\n\
                             INSERT INTO inventory VALUES ('A', 100) ON CONFLICT (sku) DO NOTHING;";

/// A value that is bound to a statement.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    Text(&'a str),
    Int(i32),
}

/// A row that was read, as texts.
pub type Row = Vec<Option<String>>;

/// One connection to a database, which is in no transaction unless `begin` was called.
pub trait Database: Send {
    /// The rendered statements.
    fn statements(&self) -> &'static str;
    /// Runs a statement and says how many rows it wrote.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Fault>;
    /// The first row of a query.
    fn row(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>, Fault>;
    /// Begins a transaction.
    fn begin(&mut self) -> Result<(), Fault>;
    /// Commits it.
    fn commit(&mut self) -> Result<(), Fault>;
    /// Ends it without its writes; does nothing when there is none.
    fn rollback(&mut self);
    /// Takes pieces from the stock when there are enough, and says how many rows that changed.
    fn take(&mut self, pieces: i32) -> Result<u64, Fault>;
    /// What is left.
    fn stock(&mut self) -> Result<String, Fault>;
}

/// A request to take pieces from the stock.
struct Order {
    key: String,
    fingerprint: String,
    /// Who works on it: another one for every request, on every server.
    claim: String,
    pieces: i32,
}

/// The status and the body of an answer.
type Answer = (i32, String);

/// Serves until it is killed. The first line of the output says where.
pub fn serve(connect: impl Fn() -> Result<Box<dyn Database>, Fault>) -> Result<(), Fault> {
    let server = Arc::new(Server::http("127.0.0.1:0")?);
    println!("http://{}", server.server_addr());
    let mut workers = Vec::new();
    for _ in 0..4 {
        let (server, database) = (Arc::clone(&server), Mutex::new(connect()?));
        workers.push(std::thread::spawn(move || {
            for mut request in server.incoming_requests() {
                let mut database = database.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let (status, body) = answered(&mut **database, &mut request);
                let mut response = Response::from_string(body).with_status_code(status);
                if status == 409 {
                    response.add_header(Header {
                        field: "Retry-After".parse().expect("a header"),
                        value: "1".parse().expect("a value"),
                    });
                }
                // A client that is gone asks again, with the same key.
                drop(request.respond(response));
            }
        }));
    }
    for worker in workers {
        drop(worker.join());
    }
    Ok(())
}

fn answered(database: &mut dyn Database, request: &mut Request) -> Answer {
    let outcome = match (request.method(), request.url()) {
        (Method::Get, "/stock") => database.stock().map(|stock| (200, stock)),
        (Method::Post, "/orders") => match order(request) {
            Ok(order) => take_once(database, &order),
            Err(why) => Ok((400, why.to_owned())),
        },
        _ => Ok((404, "there is POST /orders and GET /stock".to_owned())),
    };
    outcome.unwrap_or_else(|fault| {
        database.rollback();
        eprintln!("{fault}");
        // The claim stays until its lease is over, or the next request of the key finds the answer.
        (503, "the database could not be asked; send the request again with the same key".to_owned())
    })
}

fn order(request: &mut Request) -> Result<Order, &'static str> {
    let key = request.headers().iter().find(|header| header.field.equiv("Idempotency-Key"));
    let key = key.map(|header| header.value.to_string()).filter(|key| !key.is_empty() && key.chars().count() <= 255);
    let key = key.ok_or("send the header Idempotency-Key, of at most 255 characters")?;
    let mut body = String::new();
    request.as_reader().read_to_string(&mut body).map_err(|_| "the body is no text")?;
    let pieces = body.trim().parse().ok().filter(|pieces| *pieces > 0);
    let pieces = pieces.ok_or("the body is the number of pieces")?;
    let mut fingerprint = String::new();
    for byte in Sha256::digest(format!("{} {}\n{}", request.method(), request.url(), body.trim())) {
        write!(fingerprint, "{byte:02x}").expect("a text takes every byte");
    }
    Ok(Order { key, fingerprint, claim: claim_id(), pieces })
}

/// The process, the time and a number.
fn claim_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{}-{now}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The answer to an order: the one that is stored, or a new one.
fn take_once(database: &mut dyn Database, order: &Order) -> Result<Answer, Fault> {
    let all = database.statements();
    let Order { key, fingerprint, claim, .. } = order;
    let (scope, key) = (Value::Text("orders"), Value::Text(key));
    let (fingerprint, claim) = (Value::Text(fingerprint), Value::Text(claim));
    database.execute(statement(all, "claim"), &[scope, key, fingerprint, claim])?;
    take_over(database, [scope, key, fingerprint, claim])?;
    let row = database.row(statement(all, "replay"), &[claim, fingerprint, scope, key])?.ok_or("the key is gone")?;
    match row.first().and_then(Option::as_deref) {
        Some("claimed") => work(database, order),
        Some("completed") => {
            let status = row.get(1).cloned().flatten().and_then(|status| status.parse().ok()).ok_or("no status")?;
            Ok((status, row.get(2).cloned().flatten().unwrap_or_default()))
        }
        Some("in_progress") => Ok((409, "another request with this key is at work".to_owned())),
        _ => Ok((422, "this key came with another request".to_owned())),
    }
}

/// Parameters that go by place are bound as often as they stand there.
fn take_over(database: &mut dyn Database, [scope, key, fingerprint, claim]: [Value; 4]) -> Result<(), Fault> {
    let sql = statement(database.statements(), "take_over");
    let mut values = vec![fingerprint, claim, scope, key];
    if sql.contains('?') {
        values.push(fingerprint);
    }
    database.execute(sql, &values).map(drop)
}

/// Does the work and stores its answer, both or neither.
fn work(database: &mut dyn Database, order: &Order) -> Result<Answer, Fault> {
    let all = database.statements();
    let (scope, key, claim) = (Value::Text("orders"), Value::Text(&order.key), Value::Text(&order.claim));
    database.begin()?;
    let (status, body) = match database.take(order.pieces)? {
        1 => (201, format!("{} taken, {} left", order.pieces, database.stock()?)),
        _ => (422, "not so many are left".to_owned()),
    };
    pause();
    let stored = [Value::Int(status), Value::Text(&body), scope, key, claim];
    if database.execute(statement(all, "complete"), &stored)? == 1 {
        database.commit()?;
        return Ok((status, body));
    }
    database.rollback();
    Ok((409, "another request with this key took the work over".to_owned()))
}

/// Work that takes long, for whoever wants to see what a crash does: PAUSE_MS milliseconds.
fn pause() {
    if let Some(milliseconds) = std::env::var("PAUSE_MS").ok().and_then(|text| text.parse().ok()) {
        std::thread::sleep(Duration::from_millis(milliseconds));
    }
}

/// The statement of that name in a file that `idemsql render` wrote.
fn statement(all: &'static str, name: &str) -> &'static str {
    let mark = format!("-- name: {name}\n");
    let (_, rest) = all.split_once(&mark).unwrap_or_else(|| panic!("no statement is called {name}"));
    rest.split("\n-- name: ").next().unwrap_or(rest).trim().trim_end_matches(';')
}
