//! How fast a dump is read without its bulk. `cargo bench --bench condense`, or with `-- 1000` for dumps of 1,000 MB.
//!
//! CPU time of this thread, the best of five; the dumps are made in memory, and read in pieces as a file is.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, missing_docs)]

use idemsql::dialect;
use idemsql::sql::lexis::Lexis;
use idemsql::sql::load::{Loaded, read};
use std::convert::Infallible;
use std::fmt::Write as _;
use std::fs;
use std::sync::LazyLock;
use std::time::Instant;

fn main() {
    let size = std::env::args().skip(1).find_map(|argument| argument.parse::<usize>().ok()).unwrap_or(100) << 20;
    println!("what                                    MB   kept KB  cut   MB/s");
    measure("rows of one INSERT, 10 MB", "postgres", &rows(10 << 20));
    measure("rows of one INSERT, short", "postgres", &numbers(size));
    measure("rows of one INSERT, long strings", "mysql", &texts(size));
    measure("pg_dump with COPY", "postgres", &copy(size));
    measure("mysqldump, 1 MB a statement", "mysql", &mysqldump(size));
    measure("single INSERTs", "postgres", &singles(size));
    measure("single INSERTs, no semicolon", "sqlserver", &singles(size).replace(';', ""));
    measure("no INSERT at all", "postgres", &definitions(size));
    let wide: Vec<u8> = singles(size / 2).encode_utf16().flat_map(u16::to_le_bytes).collect();
    measure_bytes("single INSERTs in UTF-16", "postgres", &wide);
    let latin = [singles(size).as_bytes(), b"-- caf\xe9\n"].concat();
    measure_bytes("single INSERTs in Windows-1252", "postgres", &latin);
    small();
    places();
}

/// The seconds that this thread ran, from the kernel's account; elsewhere the time of day, which other work disturbs.
fn cpu() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let account = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = account.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanos.map_or_else(|| START.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

fn load(bytes: &[u8], dialect: &str) -> Loaded {
    let mut rest = bytes;
    let next = |room: &mut [u8]| {
        let (now, later) = rest.split_at(room.len().min(rest.len()));
        room[..now.len()].copy_from_slice(now);
        rest = later;
        Ok::<_, Infallible>(now.len())
    };
    let Ok(loaded) = read(next, |_| Lexis::of(dialect::find(dialect).unwrap()));
    loaded
}

fn measure(what: &str, dialect: &str, script: &str) {
    measure_bytes(what, dialect, script.as_bytes());
}

fn measure_bytes(what: &str, dialect: &str, script: &[u8]) {
    let mut best = f64::MAX;
    let mut loaded = None;
    for _ in 0..5 {
        let now = cpu();
        loaded = Some(load(script, dialect));
        best = best.min(cpu() - now);
    }
    let loaded = loaded.unwrap();
    let megabytes = script.len() as f64 / 1e6;
    println!(
        "{what:34} {megabytes:7.1} {:9.1} {:4} {:6.0}",
        loaded.text.len() as f64 / 1e3,
        loaded.origin.elided.len(),
        megabytes / best
    );
}

/// Rows such as people have: a number, names, a date, an amount, a null.
fn rows(size: usize) -> String {
    let mut text = "INSERT INTO sales.orders (id, customer, city, ordered_at, amount, note) VALUES\n".to_owned();
    let mut number = 0_u64;
    while text.len() < size {
        let end = if text.len() + 100 < size { ",\n" } else { "\nON CONFLICT (id) DO NOTHING;\n" };
        write!(
            text,
            "  ({number}, 'customer {}', 'O''Fallon', '2026-01-{:02} 10:{:02}:00', {}.{:02}, NULL){end}",
            number * 7919 % 100_000,
            number % 28 + 1,
            number % 60,
            number * 31 % 1000,
            number % 100
        )
        .unwrap();
        number += 1;
    }
    text
}

fn numbers(size: usize) -> String {
    let mut text = "INSERT INTO t VALUES ".to_owned();
    let mut number = 0_u64;
    while text.len() < size {
        write!(text, "({number},{},'x{}'),", number % 9, number % 77).unwrap();
        number += 1;
    }
    text + "(0,0,'');\n"
}

fn texts(size: usize) -> String {
    let mut text = "INSERT INTO t VALUES ".to_owned();
    let mut number = 0_u64;
    let long = "the quick brown fox (it\\'s said) jumps over a lazy dog, and so on; ".repeat(6);
    while text.len() < size {
        write!(text, "({number},'{long}'),").unwrap();
        number += 1;
    }
    text + "(0,'');\n"
}

fn copy(size: usize) -> String {
    let mut text = "SET client_encoding = 'UTF8';\n\nCREATE TABLE public.t (id bigint, a text, b text);\n\n".to_owned();
    while text.len() < size {
        text.push_str("COPY public.t (id, a, b) FROM stdin;\n");
        for number in 0..100_000 {
            writeln!(text, "{number}\tcustomer {number}\t\\N").unwrap();
        }
        text.push_str("\\.\n\n\n");
    }
    text
}

fn mysqldump(size: usize) -> String {
    let mut text = "/*!40101 SET NAMES utf8 */;\nLOCK TABLES `t` WRITE;\n".to_owned();
    while text.len() < size {
        text.push_str("INSERT INTO `t` VALUES ");
        let end = text.len() + (1 << 20);
        let mut number = 0_u64;
        while text.len() < end {
            write!(text, "({number},'customer {number}','it\\'s','2026-01-01 00:00:00',-{number}.50,NULL),").unwrap();
            number += 1;
        }
        text.pop();
        text.push_str(";\n");
    }
    text + "UNLOCK TABLES;\n"
}

fn singles(size: usize) -> String {
    let mut text = String::new();
    let mut number = 0_u64;
    while text.len() < size {
        writeln!(text, "INSERT INTO public.orders (id, customer, city) VALUES ({number}, 'customer {number}', 'Ulm');")
            .unwrap();
        number += 1;
    }
    text
}

fn definitions(size: usize) -> String {
    let mut text = String::new();
    let mut number = 0_u64;
    while text.len() < size {
        write!(
            text,
            "-- table {number}\nCREATE TABLE IF NOT EXISTS public.t_{number} (\n    id bigint NOT NULL,\n    name \
             character varying(20) DEFAULT 'x'::character varying,\n    amount numeric(10,2)\n);\n\nALTER TABLE ONLY \
             public.t_{number} ADD CONSTRAINT t_{number}_pkey PRIMARY KEY (id);\n\n"
        )
        .unwrap();
        number += 1;
    }
    text
}

/// Whether files below the limit would gain.
fn small() {
    println!("\nsmall files, taken whole       KB     us");
    for size in [1 << 10, 4 << 10, 16 << 10, 63 << 10, 80 << 10, 128 << 10] {
        let script = rows(size);
        let now = cpu();
        for _ in 0..200 {
            assert!(load(script.as_bytes(), "postgres").text.len() > 300);
        }
        println!("  rows                    {:8.1} {:6.1}", script.len() as f64 / 1e3, (cpu() - now) * 5e3);
    }
}

/// A hundred thousand findings in a text of 10 MB.
fn places() {
    for (what, text) in [("lines", definitions(10 << 20)), ("one line", definitions(10 << 20).replace('\n', " "))] {
        let source = load(text.as_bytes(), "postgres").source("a.sql");
        let now = cpu();
        let sum: usize = (0..100_000).map(|at| source.position(at * 104).column).sum();
        println!("100,000 places in 10 MB, {what}: {:.1} ms ({sum})", (cpu() - now) * 1e3);
    }
}
