"""The movers beside ours: dlt, SQLMesh, Sling and Meltano's target-postgres load the same rows twice into PostgreSQL.

Most of them do not reduce the staged rows to one of each key, so here each key is staged once. They are whole programs
that start, extract and keep state, and some of them make a table of their own shape; ours is only the SQL. So compare the
bytes and the rows of the second run, and the seconds of a mover with itself.
"""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

import targets
from batches import COLUMNS

HERE = Path(__file__).resolve().parent / "movers"
PACKAGES = {
    "dlt": ["dlt[postgres]==1.31.0"],
    "sqlmesh": ["sqlmesh[postgres]==0.236.4"],
    # Sling's own package fetches its program when it is first called; this one has it inside.
    "sling": ["sling-linux-amd64==1.4.11"],
    "target-postgres": ["meltanolabs-target-postgres==0.8.1"],
}


class Failed(Exception):
    """A mover ended with an error; what it said."""


class Movers:
    """The commands of each mover and the table that each makes."""

    def __init__(self, engine, folder, environment):
        self.engine, self.folder = engine, folder / "movers"
        self.folder.mkdir()
        pythons = {name: environment(name, packages) for name, packages in PACKAGES.items()}
        self.dlt, self.sqlmesh = pythons["dlt"], pythons["sqlmesh"]
        self.sling = next(pythons["sling"].parent.parent.glob("lib/python3*/site-packages/sling_linux_amd64/bin/sling-linux-amd64"))
        self.target_postgres = pythons["target-postgres"].parent / "target-postgres"
        url = urlsplit(engine.url)
        self.variables = {
            **os.environ,
            "COST_PORT": str(url.port),
            "COST_STATE": str(self.folder / "state.db"),
            "COST": f"{engine.url}?sslmode=disable",
            # Nothing leaves the machine.
            "RUNTIME__DLTHUB_TELEMETRY": "false",
            "SQLMESH__DISABLE_ANONYMIZED_ANALYTICS": "true",
            "SLING_DISABLE_TELEMETRY": "TRUE",
            "SLING_HOME_DIR": str(self.folder / "sling"),
            "SLING_LOADED_AT_COLUMN": "FALSE",
        }
        shutil.copytree(HERE / "sqlmesh", self.folder / "sqlmesh")
        config = {"host": "127.0.0.1", "port": url.port, "user": "postgres", "password": "-", "database": "postgres"}
        config.update({"default_target_schema": "tpg", "add_record_metadata": False, "activate_version": False})
        (self.folder / "target.json").write_text(json.dumps(config))

    def commands(self):
        """{name: (the schema of its target, the command of the first run, that of the second)}"""
        # dlt asks for a password, which the server does not.
        url, folder = self.engine.url.replace("@", ":none@"), self.folder
        found = {}
        for strategy in ["delete-insert", "upsert", "insert-only"]:
            run = [self.dlt, HERE / "dlt_load.py", strategy, url, folder]
            found[f"dlt {strategy}"] = (f"dlt_{strategy.replace('-', '_')}", run, run)
        sqlmesh = [self.sqlmesh, HERE / "sqlmesh_load.py", folder / "sqlmesh"]
        found["sqlmesh unique key"] = ("sqlmesh__sm", [*sqlmesh, "plan", "2025-11-02 00:00:00"], [*sqlmesh, "run", "2025-11-02 00:05:00"])
        sling = [self.sling, "run", "-r", HERE / "sling.yaml"]
        found["sling incremental"] = ("sling", sling, sling)
        target = ["sh", "-c", 'exec "$0" --config "$1" <"$2"', self.target_postgres, folder / "target.json", folder / "rows.jsonl"]
        found["target-postgres"] = ("tpg", target, target)
        return found

    def write_messages(self):
        """The rows as messages of a Singer tap."""
        types = {"order_id": "integer", "quantity": "integer", "amount": "number"}
        with (self.folder / "rows.jsonl").open("w") as file:
            properties = {name: {"type": [types.get(name, "string"), "null"]} for name in COLUMNS}
            properties["order_id"] = {"type": "integer"}
            properties["updated_at"]["format"] = "date-time"
            schema = {"type": "object", "properties": properties}
            file.write(json.dumps({"type": "SCHEMA", "stream": "orders", "schema": schema, "key_properties": ["order_id"]}) + "\n")
            for row in self.engine.session.execute("SELECT row_to_json(s)::text FROM raw.orders AS s"):
                file.write(f'{{"type": "RECORD", "stream": "orders", "record": {row[0]}}}\n')

    def counted(self, schema):
        """WAL until now; rows inserted, updated and deleted in the target's table."""
        self.engine.execute("SELECT pg_stat_force_next_flush()")
        self.engine.execute("SELECT 1")
        wal = self.engine.value("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")
        rows = self.engine.execute(
            "SELECT COALESCE(SUM(n_tup_ins), 0), COALESCE(SUM(n_tup_upd), 0), COALESCE(SUM(n_tup_del), 0)"
            f" FROM pg_stat_user_tables WHERE schemaname = '{schema}' AND relname LIKE '%orders%'"
        ).fetchone()
        return [int(figure) for figure in [wal, *rows]]

    def rows(self, schema):
        names = self.engine.execute(
            f"SELECT relname FROM pg_stat_user_tables WHERE schemaname = '{schema}' AND relname LIKE '%orders%' ORDER BY relname"
        ).fetchall()
        return self.engine.value(f'SELECT COUNT(*) FROM {schema}."{names[0][0]}"') if names else 0

    def measure(self, schema, work):
        self.engine.rest()
        before = self.counted(schema)
        start = time.perf_counter()
        work()
        seconds = time.perf_counter() - start
        return [seconds, *(after - was for after, was in zip(self.counted(schema), before))]

    def call(self, command):
        done = subprocess.run([str(part) for part in command], env=self.variables, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{(done.stdout + done.stderr)[-3000:]}")




def run(engine, options, folder, environment, say):
    """Each mover twice, and ours, in one table. True when all of them came to an end."""
    ok = True
    engine.prepare(options.rows, null_key=False)
    movers = Movers(engine, folder, environment)
    engine.rename("after_again", "orders")
    movers.write_messages()
    plain = targets.TARGETS[0]
    say(f"\n== movers, {engine.value('SELECT COUNT(*) FROM raw.orders'):,} rows, one of each key, loaded twice; versions: {PACKAGES}")
    say(f"{'':<22} {'run':>3} {'wall s':>8} {'WAL':>13} {'inserted':>9} {'updated':>9} {'deleted':>9}  rows")

    def show(name, run, figures, rows):
        seconds, wal, *tuples = figures
        say(f"{name:<22} {run:>3} {seconds:>8.2f} {wal:>13,} " + " ".join(f"{count:>9,}" for count in tuples) + f"  {rows:,}")
        if options.out:
            with options.out.open("a") as file:
                line = {"mover": name, "run": run, "seconds": seconds, "wal": wal, "tuples": tuples, "rows": rows}
                file.write(json.dumps({"engine": engine.title, **line}) + "\n")

    for strategy in ["upsert", "merge"]:
        script = targets.rendered(options.idemsql, plain, engine.dialect, strategy)
        engine.drop("mart.orders")
        engine.create("mart.orders", more=f", loaded_at {engine.types['at']} NOT NULL, PRIMARY KEY (order_id)")
        for turn in [1, 2]:
            show(f"idemsql {strategy}", turn, movers.measure("mart", lambda: engine.execute(script)), movers.rows("mart"))
            engine.analyse("mart.orders")
    for name, (schema, *commands) in movers.commands().items():
        if schema == "sling":
            engine.execute("CREATE SCHEMA IF NOT EXISTS sling")
        try:
            for turn, command in enumerate(commands, 1):
                show(name, turn, movers.measure(schema, lambda: movers.call(command)), movers.rows(schema))
        except Failed as error:
            ok = False
            say(f"{name} failed: {error}")
    engine.rename("orders", "after_again")
    return ok
