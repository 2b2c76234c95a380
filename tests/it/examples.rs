//! The services of `examples`, retried, raced and killed as their clients and their machines do it.

use idemsql::engine::{Engine, open};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A service that runs until it is dropped.
struct Service {
    child: Child,
    address: String,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Service {
    /// Starts the example of that name; `pause` is how many milliseconds its work takes longer.
    fn start(name: &str, arguments: &[&str], environment: &[(&str, &str)], pause: u32) -> Self {
        let mut child = Command::new(built(name))
            .args(arguments)
            .envs(environment.iter().copied())
            .env("PAUSE_MS", pause.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{name} did not start")).to_owned();
        Self { child, address }
    }

    /// As a crash of its machine would: nothing is tidied up.
    fn kill(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }

    fn ask(&self, method: &str, path: &str, key: Option<&str>, body: &str) -> (u16, String) {
        ask(&self.address, method, path, key, body)
    }

    fn order(&self, key: &str, pieces: &str) -> (u16, String) {
        self.ask("POST", "/orders", Some(key), pieces)
    }

    /// As a client does it that is told to come again.
    fn patient(&self, key: &str, pieces: &str) -> (u16, String) {
        let begun = Instant::now();
        loop {
            let answer = self.order(key, pieces);
            if ![409, 503].contains(&answer.0) || begun.elapsed() > Duration::from_secs(60) {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn stock(&self) -> String {
        self.ask("GET", "/stock", None, "").1
    }
}

/// The status and the body of an answer.
fn ask(address: &str, method: &str, path: &str, key: Option<&str>, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let key = key.map(|key| format!("Idempotency-Key: {key}\r\n")).unwrap_or_default();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{key}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    // A service that is killed gives none.
    if stream.read_to_string(&mut answer).is_err() || answer.is_empty() {
        return (0, String::new());
    }
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

/// The program of an example, built as the tests were.
fn built(name: &str) -> String {
    let features: Vec<&str> = [
        ("postgres", cfg!(feature = "postgres")),
        ("mysql", cfg!(feature = "mysql")),
        ("duckdb", cfg!(feature = "duckdb")),
    ]
    .into_iter()
    .filter_map(|(feature, is_on)| is_on.then_some(feature))
    .collect();
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "--example", name, "--features", &features.join(",")])
        .status()
        .unwrap();
    assert!(status.success(), "{name} does not build");
    std::path::Path::new(env!("CARGO_BIN_EXE_idemsql")).with_file_name("examples").join(name).display().to_string()
}

/// What every service does, `start` with a pause of its work in milliseconds.
fn takes_each_order_once(start: &dyn Fn(u32) -> Service) {
    let service = start(0);
    assert_eq!(service.stock(), "100");
    // A client that heard no answer asks again, and hears the same.
    for _ in 0..3 {
        assert_eq!(service.order("first", "3"), (201, "3 taken, 97 left".to_owned()));
    }
    assert_eq!(service.order("first", "4").0, 422);
    assert_eq!(service.ask("POST", "/orders", None, "3").0, 400);
    assert_eq!(service.order("other", "no number").0, 400);
    // An answer that says no is one, too.
    for _ in 0..2 {
        assert_eq!(service.order("too many", "1000"), (422, "not so many are left".to_owned()));
    }
    assert_eq!(service.stock(), "97");

    // Eight clients at once with one key: one work, one answer.
    let answers: Vec<(u16, String)> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| service.patient("raced", "7"))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == (201, "7 taken, 90 left".to_owned())), "{answers:?}");
    assert_eq!(service.stock(), "90");

    // A server that dies while it works: another one takes its claim over when the lease is over, and nothing is done twice.
    let mut dying = start(600_000);
    let lost = std::thread::scope(|scope| {
        let address = dying.address.clone();
        let lost = scope.spawn(move || ask(&address, "POST", "/orders", Some("crashed"), "5"));
        // Long enough for it to be at work; the end is the same if it is not.
        std::thread::sleep(Duration::from_secs(1));
        dying.kill();
        lost.join().unwrap()
    });
    assert_eq!(lost.0, 0, "{lost:?}");
    assert_eq!(service.patient("crashed", "5"), (201, "5 taken, 85 left".to_owned()));
    assert_eq!(service.patient("crashed", "5"), (201, "5 taken, 85 left".to_owned()));
    assert_eq!(service.stock(), "85");

    // A server that is slow and not dead: its claim is taken over, and what it did is rolled back.
    let slow = start(4_000);
    let (late, done) = std::thread::scope(|scope| {
        let late = scope.spawn(|| slow.order("slow", "5"));
        std::thread::sleep(Duration::from_millis(500));
        (late.join().unwrap(), service.patient("slow", "5"))
    });
    assert_eq!(done, (201, "5 taken, 80 left".to_owned()), "{late:?}");
    assert_eq!(service.stock(), "80");
}

#[test]
fn the_service_on_sqlite_takes_each_order_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db").display().to_string();
    takes_each_order_once(&|pause| Service::start("idempotency_key_sqlite", &[&path], &[], pause));
}

#[test]
fn engines_the_service_on_postgres_takes_each_order_once() {
    let Ok(url) = std::env::var("IDEMSQL_TEST_POSTGRES") else {
        return;
    };
    let mut session: Box<dyn Engine> = open(&url).unwrap().session().unwrap();
    let name = format!("idemsql_example_{}", std::process::id());
    session.execute(&format!("CREATE DATABASE {name}")).unwrap();
    let (server, _) = url.rsplit_once('/').unwrap();
    let url = format!("{server}/{name}");
    takes_each_order_once(&|pause| Service::start("idempotency_key_postgres", &[], &[("DATABASE_URL", &url)], pause));
    session.execute(&format!("DROP DATABASE {name} WITH (FORCE)")).unwrap();
}
