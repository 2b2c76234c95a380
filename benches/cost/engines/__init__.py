"""The engines, one file each, and what they have in common: the tables of the benchmark and how a form is measured."""

import os
import subprocess
from pathlib import Path

import batches

SCRIPTS = Path(__file__).resolve().parents[3] / "tests" / "engines"


class Stopped(Exception):
    """A form took longer than a run may take."""


class Wrong(Exception):
    """The engine refused a form."""


class Engine:
    """A session on a throwaway database.

    An engine gives `execute`, `value` and `measure`, its words for batches.py and forms.py, and its types.
    """

    types = {"key": "BIGINT", "short": "VARCHAR(12)", "amount": "DECIMAL(12, 2)", "int": "INT", "long": "VARCHAR(80)", "at": ""}
    # How a column that the engine numbers is declared; such a column stands behind the eight others.
    numbered = ""
    # What a unique index says behind UNIQUE so that null is a value in its key; most let such a row in again and again, but
    # find the others by it.
    nulls_not_distinct = ""
    now = "CURRENT_TIMESTAMP"
    # What `together` says when two sessions end as one.
    AS_ONE = "ends as one session alone"
    # The counters of the engine, in the order of the table, and what they are.
    counters = {}
    # Those that must be 0 when one of our forms finds nothing to change.
    quiet = ("wal", "written", "numbers")

    @staticmethod
    def text(*parts):
        return " || ".join(f"({part})" for part in parts)

    @staticmethod
    def differs(old, new):
        return f"({', '.join(old)}) IS DISTINCT FROM ({', '.join(new)})"

    def create(self, table, null_key=False, more=""):
        """A table with the seven staged columns and what else is said."""
        types = self.types
        nullable = "" if null_key else " NOT NULL"
        self.execute(
            f"CREATE TABLE {table} (order_id {types['key']}{nullable}, shop {types['short']} NOT NULL, coupon {types['short']},"
            f" amount {types['amount']}, quantity {types['int']}, note {types['long']}, updated_at {types['at']} NOT NULL{more})"
        )

    def prepare(self, rows, null_key):
        """The staged tables of every batch and the rows that each must leave."""
        self.rows, self.null_key = rows, null_key
        for batch in batches.BATCHES:
            for table, select in [
                (f"raw.{batch}", batches.staged(self, batch, rows, null_key)),
                (f"raw.after_{batch}", batches.expected(self, batch, rows, null_key)),
            ]:
                self.drop(table)
                self.create(table, null_key)
                self.execute(f"INSERT INTO {table} ({', '.join(batches.COLUMNS)}) {select}")
                self.analyse(table)

    def drop(self, table):
        self.execute(f"DROP TABLE IF EXISTS {table}")

    def target(self, key, filled, numbered=False):
        """A new target: empty, or with the rows of the first batch, loaded a while ago, and all its statistics."""
        self.drop("mart.orders")
        more = f", loaded_at {self.types['at']} NOT NULL" + (f", {self.numbered}" if numbered else "")
        unique = f", UNIQUE {self.nulls_not_distinct} ({', '.join(key)})"
        if not self.null_key and "PRIMARY" not in more:
            unique = f", PRIMARY KEY ({', '.join(key)})"
        self.create("mart.orders", self.null_key, more + unique)
        if filled:
            columns = ", ".join(batches.COLUMNS)
            long_ago = self.at(f"{batches.EPOCH}")
            self.execute(
                f"INSERT INTO mart.orders ({columns}, loaded_at) SELECT {columns}, {long_ago} FROM raw.after_again ORDER BY order_id"
            )
            self.settle()

    def analyse(self, table):
        self.execute(f"ANALYZE {table}")

    def settle(self):
        """What the engine does in quiet hours."""
        self.analyse("mart.orders")

    def rename(self, old, new):
        self.execute(f"ALTER TABLE raw.{old} RENAME TO {new}")

    def run(self, batch, script):
        """Loads a batch. The figures, or Wrong, or Stopped."""
        self.rename(batch, "orders")
        try:
            return self.measure(script)
        finally:
            self.rename("orders", batch)

    def wrong(self, batch, first_wins):
        """How many rows of the target are not those that must be there."""
        if batch == "older" or (batch == "changed" and first_wins):
            batch = "again"
        columns = ", ".join(batches.COLUMNS)
        missing = self.value(
            f"SELECT COUNT(*) FROM (SELECT {columns} FROM raw.after_{batch} EXCEPT SELECT {columns} FROM mart.orders) AS d"
        )
        # The expected rows differ from each other, so with none missing, as many rows are the same rows.
        surplus = self.value("SELECT COUNT(*) FROM mart.orders") - self.value(f"SELECT COUNT(*) FROM raw.after_{batch}")
        return missing + max(surplus, 0)

    def together(self, batch, script):
        """What becomes of a second session that loads the same new keys at once; not every engine is asked."""
        return None

    def loops(self, script):
        """The nested loops of the script's plans that read a whole relation for each row, in words; not every engine tells."""
        return []


def script(name, command, environment):
    """The output of a command of one of the scripts that start the tests' engines."""
    done = subprocess.run([SCRIPTS / f"{name}.sh", command], env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}.sh {command}: {done.stderr.strip()}")
    return done.stdout.strip()


def cpu_seconds(pid):
    """What the kernel says that a process has used, by itself and by its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
