#!/usr/bin/env python3
"""What the SQL that idemsql renders costs, beside the hand-written forms of the same load, all in one run on one engine.

    python3 benches/cost/run.py postgres 1000000 --idemsql target/release/idemsql
    python3 benches/cost/run.py duckdb 1000000 --idemsql target/release/idemsql --reps 5 --out results.jsonl
    python3 benches/cost/run.py postgres 100000 --idemsql target/release/idemsql --movers

The engine is postgres, mariadb, duckdb or sqlite: a throwaway one, as in tests/engines. The movers (dlt, SQLMesh, Sling
and Meltano's target-postgres) are loaded twice with the same rows, on PostgreSQL.

Every form loads the same staged rows (batches.py) into the same target. What it leaves is compared with the rows that
must be there, and a form that leaves others counts for nothing. The forms are interleaved: each once, then each again, so
that a busy minute does not hit one form alone. Seconds are medians. CPU seconds are the kernel's account of the one
process that does the work, so they hardly depend on who else uses the machine; the ratios are made of them. Bytes and
rows are the engine's own counts and do not vary.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "idemsql-tests" / "cost"
CLIENTS = ["psycopg==3.3.9", "psycopg-binary==3.3.9", "duckdb==2.0.1", "pytz==2026.6", "PyMySQL==1.2.4", "apsw==3.54.1.0"]
ENGINES = ["postgres", "mariadb", "duckdb", "sqlite"]


def environment(name, packages):
    """The python of a virtual environment with exactly these packages, made once."""
    root = CACHE / name
    wanted = root / "wanted"
    if not wanted.exists() or wanted.read_text() != "\n".join(packages):
        print(f"installing {', '.join(packages)}", file=sys.stderr)
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", root], check=True)
        subprocess.run([root / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
        # Written last, so that a half-made environment is made again.
        wanted.write_text("\n".join(packages))
    return root / "bin" / "python"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("rows", type=int, help="staged rows, at least 200")
    parser.add_argument("--idemsql", type=Path, required=True, help="the program whose SQL is measured")
    parser.add_argument("--reps", type=int, default=3, help="how often each form runs")
    parser.add_argument("--keys", default="plain,numbered,part_null,null", help="which of the targets, see targets.py")
    parser.add_argument("--starts", help="only these starts, separated by semicolons, such as `first; again`")
    parser.add_argument("--forms", help="only the forms whose name holds one of these words, separated by commas")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="NAME=VALUE", help="a setting of the session")
    parser.add_argument("--timeout", type=int, default=300, help="seconds that one run may take")
    parser.add_argument("--out", type=Path, help="a file to which each run is appended as a line of JSON")
    parser.add_argument("--movers", action="store_true", help="load the same rows by the movers, too")
    options = parser.parse_args()
    if options.rows < 200:
        parser.error("with fewer than 200 rows some batches change nothing")
    if options.movers and options.engine != "postgres":
        parser.error("the movers are measured on postgres")
    options.idemsql = options.idemsql.resolve()
    return options


def open_engine(options, folder):
    """The engine's module is loaded here, where its client is installed."""
    import engines.duckdb
    import engines.mariadb
    import engines.postgres
    import engines.sqlite

    engine = {
        "postgres": engines.postgres.Postgres,
        "mariadb": engines.mariadb.MariaDB,
        "duckdb": engines.duckdb.DuckDB,
        "sqlite": engines.sqlite.SQLite,
    }[options.engine]
    return engine(folder, options.timeout, options.settings)


def main():
    options = arguments()
    python = environment("clients", CLIENTS)
    if Path(sys.executable) != python:
        os.execv(python, [python, *sys.argv])
    import bench

    folder = Path(tempfile.mkdtemp(prefix="idemsql-cost."))
    # A server that refuses to be root must reach its folder in there.
    folder.chmod(0o711)
    engine = open_engine(options, folder)
    try:
        say = lambda text: print(text, flush=True)
        say(f"engine: {engine.title}")
        say(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; median of {options.reps} runs, interleaved")
        ok = bench.run(engine, options, say)
        if options.movers:
            import move

            ok = move.run(engine, options, folder, environment, say) and ok
        say(f"load {os.getloadavg()[0]:.1f} at the end")
    finally:
        engine.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
