"""DuckDB, on a database file: bytes by its write-ahead log and by the file, rows by what is physically new."""

import os
import threading
import time

import duckdb

from . import Engine, Stopped, Wrong


class DuckDB(Engine):
    name = dialect = "duckdb"
    families = ["on_conflict_family", "merge_family"]
    reduce = "qualify"
    types = {**Engine.types, "at": "TIMESTAMPTZ"}
    now = "now()"
    numbered = "row_no BIGINT DEFAULT nextval('mart.row_no')"
    counters = {
        "wal": "bytes of the write-ahead log",
        "file": "bytes by which the database file grew, after a checkpoint",
        "numbers": "values taken from the sequence of a numbered column",
    }

    quiet = ("wal", "numbers")

    def __init__(self, folder, timeout, settings):
        self.path, self.timeout = str(folder / "cost.duckdb"), timeout
        self.session = duckdb.connect(self.path)
        self.execute("SET TimeZone = 'UTC'; SET threads = 2; SET checkpoint_threshold = '100GB'")
        for setting in settings:
            self.execute(f"SET {setting}")
        self.execute("CREATE SCHEMA raw; CREATE SCHEMA mart; CREATE SEQUENCE mart.row_no")
        self.title = f"DuckDB {duckdb.__version__}; a file, 2 threads"

    def close(self):
        self.session.close()

    @staticmethod
    def series(n):
        return f"range(1, {n + 1}) AS s (g)"

    @staticmethod
    def at(seconds):
        return f"to_timestamp({seconds})"

    @staticmethod
    def differs(old, new):
        return "(" + " OR ".join(f"{was} IS DISTINCT FROM {now}" for was, now in zip(old, new)) + ")"

    def execute(self, sql):
        return self.session.execute(sql)

    def value(self, sql):
        return self.execute(sql).fetchone()[0]

    def numbers(self):
        return self.value("SELECT COALESCE(last_value, 0) FROM duckdb_sequences() WHERE sequence_name = 'row_no'")

    def measure(self, sql):
        self.execute("CHECKPOINT")
        size, numbers = os.path.getsize(self.path), self.numbers()
        stopped = threading.Event()
        stopper = threading.Timer(self.timeout, lambda: (stopped.set(), self.session.interrupt()))
        stopper.start()
        cpu, start = time.process_time(), time.perf_counter()
        try:
            self.execute(sql)
        except duckdb.Error as error:
            try:
                self.execute("ROLLBACK")
            except duckdb.Error:
                pass  # There was no transaction.
            if stopped.is_set():
                raise Stopped from None
            raise Wrong(str(error).splitlines()[0]) from None
        finally:
            stopper.cancel()
        figures = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
        log = self.path + ".wal"
        figures["wal"] = os.path.getsize(log) if os.path.exists(log) else 0
        figures["numbers"] = self.numbers() - numbers
        self.execute("CHECKPOINT")
        figures["file"] = os.path.getsize(self.path) - size
        return figures
