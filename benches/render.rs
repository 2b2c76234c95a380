//! How long rendering takes, and where the time goes. `cargo bench`, or `cargo bench -- 200` for fewer tables.
//!
//! Two kinds of figures. Whole processes: the CPU seconds of a cold start, and of many tables rendered, read back and
//! written; the kernel's own account of the finished children. Phases: wall time in this process, on one core.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, missing_docs)]

use idemsql::diagnostic::Source;
use idemsql::plan::{Plan, plan};
use idemsql::spec::Spec;
use idemsql::sql::conform::conform;
use idemsql::sql::facts::facts;
use idemsql::sql::parse::parse;
use idemsql::{dialect, render};
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const DIALECTS: [&str; 3] = ["postgres", "snowflake", "bigquery"];

fn main() {
    let tables = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1000);
    // Spec and plan recurse in SQL that is deep; the program itself runs on a large stack too.
    let run = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
        processes(tables);
        phases(tables.min(300));
        wide();
    });
    run.unwrap().join().unwrap();
}

/// A spec of one table with seven columns, or with many.
fn spec(name: &str, columns: usize) -> String {
    let mut text = format!(
        "version: 1\ntables:\n  - name: {name}\n    schema: mart\n    dialects: [{}]\n    strategy: upsert\n    \
         source: {{table: raw.{name}}}\n    unique_key: [order_id]\n    incremental_column: updated_at\n    \
         overlap_window: 1 day\n    columns:\n      - {{name: order_id, type: bigint}}\n      \
         - {{name: updated_at, type: timestamptz, nullable: false}}\n      \
         - {{name: created_at, type: timestamptz, nullable: false, update: never}}\n      \
         - {{name: loaded_at, type: timestamptz, nullable: false, value: now}}\n",
        DIALECTS.join(", ")
    );
    for number in 4..columns {
        writeln!(text, "      - {{name: column_{number}, type: varchar(20)}}").unwrap();
    }
    text
}

fn processes(tables: usize) {
    let folder = tempfile::tempdir().unwrap();
    let specs = folder.path().join("specs");
    fs::create_dir(&specs).unwrap();
    for number in 0..tables {
        let name = format!("orders_{number}");
        fs::write(specs.join(format!("{name}.yaml")), spec(&name, 7)).unwrap();
    }
    let one = specs.join("orders_0.yaml");
    let runs = 20;
    let cold = cpu(runs, || {
        Command::new(env!("CARGO_BIN_EXE_idemsql"))
            .args(["render", "--stdout"])
            .arg(&one)
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    });
    println!("cold start, one spec, three dialects: {:.1} ms of CPU (mean of {runs})", cold * 1000.0);
    let all = cpu(1, || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idemsql"));
        command.arg("render").arg(&specs).arg("--out").arg(folder.path().join("out")).stderr(Stdio::null());
        command.status().unwrap().success()
    });
    let files = tables * DIALECTS.len();
    println!(
        "{tables} tables x 3 dialects rendered, read back and written: {all:.2} s of CPU, {:.2} ms a file",
        all * 1000.0 / files as f64
    );
}

/// The CPU seconds of the children that a closure runs, on average.
fn cpu(runs: u32, mut run: impl FnMut() -> bool) -> f64 {
    let before = children();
    for _ in 0..runs {
        assert!(run());
    }
    (children() - before) / f64::from(runs)
}

/// The CPU seconds of all finished children, from the kernel's account of this process, in steps of 10 ms.
fn children() -> f64 {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else { return f64::NAN };
    let fields: Vec<&str> = text.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: f64 = fields[13..15].iter().map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

fn phases(tables: usize) {
    let mut spent = [Duration::ZERO; 7];
    let mut clock = |at: usize, since: Instant| spent[at] += since.elapsed();
    for number in 0..tables {
        let name = format!("orders_{number}");
        let text = spec(&name, 7);
        let now = Instant::now();
        let source = Arc::new(Source::new("spec.yaml", text));
        let read = Spec::read(source, &|_| Err(String::new())).unwrap();
        clock(0, now);
        for dialect in DIALECTS.map(|name| dialect::find(name).unwrap()) {
            let now = Instant::now();
            let table = read.tables()[0].for_dialect(dialect.name).unwrap();
            clock(0, now);
            let now = Instant::now();
            let plan = plan(&table, dialect, None).unwrap();
            clock(1, now);
            let now = Instant::now();
            let sql = render::render(&plan, &[]).unwrap();
            clock(2, now);
            proof(&plan, &sql, &mut clock);
        }
    }
    let names = [
        "read the spec",
        "plan",
        "render, with the proof",
        "of that: the proof",
        "  of that: read back",
        "  of that: conform",
        "  of that: facts",
    ];
    let files = u32::try_from(tables * DIALECTS.len()).unwrap();
    println!("\nphase, a file (of {files})");
    for (name, spent) in names.iter().zip(spent) {
        println!("  {name:26} {:>7.1} us", (spent / files).as_secs_f64() * 1e6);
    }
}

fn proof(plan: &Plan, sql: &str, clock: &mut impl FnMut(usize, Instant)) {
    let now = Instant::now();
    render::prove(plan, sql).unwrap();
    clock(3, now);
    let now = Instant::now();
    let parsed = parse(sql, plan.dialect).unwrap();
    clock(4, now);
    let now = Instant::now();
    assert!(conform(sql, &parsed, plan.dialect).is_empty());
    clock(5, now);
    let now = Instant::now();
    let all: Vec<_> = parsed.iter().map(facts).collect();
    clock(6, now);
    assert!(!all.is_empty());
}

/// Tables of many columns must not blow up.
fn wide() {
    println!("\ncolumns, three dialects");
    for columns in [50, 100, 200, 500, 1000] {
        let source = Arc::new(Source::new("spec.yaml", spec("wide", columns)));
        let read = Spec::read(source, &|_| Err(String::new())).unwrap();
        let now = Instant::now();
        for dialect in DIALECTS.map(|name| dialect::find(name).unwrap()) {
            let table = read.tables()[0].for_dialect(dialect.name).unwrap();
            let plan = plan(&table, dialect, None).unwrap();
            let sql = render::render(&plan, &[]).unwrap_or_else(|fault| panic!("{}", fault.message));
            assert!(sql.len() > columns);
        }
        println!("  {columns:>5} {:>8.1} ms", now.elapsed().as_secs_f64() * 1000.0);
    }
}
