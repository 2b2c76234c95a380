"""SQLite, through apsw, which brings its own: bytes by the write-ahead log, rows by total_changes()."""

import os
import time

import apsw

from . import Engine, Stopped, Wrong


class SQLite(Engine):
    name = dialect = "sqlite"
    families = ["on_conflict_family"]
    reduce = "row_number"
    types = {**Engine.types, "at": "TEXT"}
    numbered = "row_no INTEGER PRIMARY KEY AUTOINCREMENT"
    now = "CURRENT_TIMESTAMP"
    counters = {
        "wal": "bytes of the write-ahead log of the target's file",
        "written": "rows inserted, updated or deleted",
        "numbers": "values taken for a numbered column",
    }

    def __init__(self, folder, timeout, settings):
        self.folder, self.timeout = folder, timeout
        self.session = apsw.Connection(str(folder / "main.db"))
        for schema in ["mart", "raw"]:
            self.execute(f"ATTACH '{folder / schema}.db' AS {schema}")
            self.execute(f"PRAGMA {schema}.journal_mode = wal; PRAGMA {schema}.synchronous = normal")
        # The log grows until a checkpoint is asked for, so that its length is what was written.
        self.execute("PRAGMA wal_autocheckpoint = 0")
        for setting in settings:
            self.execute(f"PRAGMA {setting}")
        self.deadline = None
        self.session.set_progress_handler(lambda: self.deadline is not None and time.monotonic() > self.deadline, 100_000)
        cache = self.value("PRAGMA cache_size")
        self.title = f"SQLite {apsw.sqlite_lib_version()}; write-ahead log, synchronous normal, cache_size {cache}"

    def close(self):
        self.session.close()

    @staticmethod
    def series(n):
        return f"(WITH RECURSIVE s (g) AS (SELECT 1 UNION ALL SELECT g + 1 FROM s WHERE g < {n}) SELECT g FROM s)"

    @staticmethod
    def at(seconds):
        return f"datetime({seconds}, 'unixepoch')"

    @staticmethod
    def differs(old, new):
        return "(" + " OR ".join(f"{was} IS NOT {now}" for was, now in zip(old, new)) + ")"

    def execute(self, sql):
        return self.session.execute(sql)

    def value(self, sql):
        return self.execute(sql).fetchone()[0]

    def analyse(self, table):
        self.execute(f"ANALYZE {table}")

    def checkpoint(self):
        self.execute("PRAGMA mart.wal_checkpoint(TRUNCATE)").fetchall()

    def numbers(self):
        if not self.value("SELECT COUNT(*) FROM mart.sqlite_schema WHERE name = 'sqlite_sequence'"):
            return 0
        return self.value("SELECT COALESCE(MAX(seq), 0) FROM mart.sqlite_sequence WHERE name = 'orders'")

    def measure(self, sql):
        self.checkpoint()
        numbers, changes = self.numbers(), self.session.total_changes()
        self.deadline = time.monotonic() + self.timeout
        cpu, start = time.process_time(), time.perf_counter()
        try:
            self.execute(sql).fetchall()
        except apsw.Error as error:
            if self.session.in_transaction:
                self.execute("ROLLBACK")
            if isinstance(error, apsw.InterruptError):
                raise Stopped from None
            raise Wrong(str(error)) from None
        finally:
            self.deadline = None
        figures = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
        figures["wal"] = os.path.getsize(self.folder / "mart.db-wal")
        figures["written"] = self.session.total_changes() - changes
        figures["numbers"] = self.numbers() - numbers
        return figures
