"""MariaDB: bytes by its redo log, rows by the statistics that it keeps of each table."""

import time
from pathlib import Path

import pymysql
from pymysql.constants import CLIENT

from . import Engine, Stopped, Wrong, cpu_seconds, script


class MariaDB(Engine):
    name = dialect = "mariadb"
    families = ["on_duplicate_key_family"]
    reduce = "row_number"
    types = {**Engine.types, "at": "DATETIME(6)"}
    numbered = "row_no BIGINT AUTO_INCREMENT UNIQUE"
    now = "UTC_TIMESTAMP(6)"
    counters = {
        "log": "bytes of the redo log",
        "written": "rows inserted, updated or deleted; REPLACE counts a row twice",
        "numbers": "values taken for a numbered column",
    }

    # Its own housekeeping writes a little into the log, whoever works.
    quiet = ("written", "numbers")

    def __init__(self, folder, timeout, settings):
        self.timeout = timeout
        self.environment = {"IDEMSQL_TEST_STATE": str(folder)}
        script("mariadb", "install", self.environment)
        script("mariadb", "start", self.environment)
        home = folder / "mariadb"
        self.session = pymysql.connect(
            unix_socket=str(home / "socket"), user="root", charset="utf8mb4", autocommit=True, client_flag=CLIENT.MULTI_STATEMENTS
        )
        self.pid = int(Path(home / "pid").read_text())
        self.execute("CREATE DATABASE raw; CREATE DATABASE mart; USE mart")
        self.execute(f"SET max_statement_time = {timeout}")
        for setting in settings:
            self.execute(f"SET {setting}")
        buffers = self.value("SELECT @@innodb_buffer_pool_size") // 2**20
        self.title = f"MariaDB {self.value('SELECT VERSION()')}; innodb_buffer_pool_size {buffers} MiB"

    def close(self):
        self.session.close()
        script("mariadb", "stop", self.environment)

    @staticmethod
    def series(n):
        return f"(SELECT seq AS g FROM seq_1_to_{n}) AS s"

    @staticmethod
    def text(*parts):
        return f"CONCAT({', '.join(parts)})"

    @staticmethod
    def at(seconds):
        return f"TIMESTAMP '1970-01-01 00:00:00' + INTERVAL ({seconds}) SECOND"

    @staticmethod
    def differs(old, new):
        return "NOT (" + " AND ".join(f"{was} <=> {now}" for was, now in zip(old, new)) + ")"

    def execute(self, sql):
        """Runs a script; the rows of its last statement."""
        with self.session.cursor() as cursor:
            cursor.execute(sql)
            rows = cursor.fetchall()
            while cursor.nextset():
                rows = cursor.fetchall()
            return rows

    def value(self, sql):
        return self.execute(sql)[0][0]

    def analyse(self, table):
        self.execute(f"ANALYZE TABLE {table}")

    def rename(self, old, new):
        self.execute(f"RENAME TABLE raw.{old} TO raw.{new}")

    def status(self, name):
        return int(self.execute(f"SHOW GLOBAL STATUS LIKE '{name}'")[0][1])

    def numbers(self):
        sql = "SELECT COALESCE(MAX(auto_increment), 1) FROM information_schema.tables WHERE table_schema = 'mart' AND table_name = 'orders'"
        return self.value(sql)

    def counted(self):
        return {
            "log": self.status("Innodb_lsn_current"),
            "written": self.value(
                "SELECT COALESCE(SUM(rows_changed), 0) FROM information_schema.table_statistics"
                " WHERE table_schema = 'mart' AND table_name = 'orders'"
            ),
            "numbers": self.numbers(),
        }

    def measure(self, sql):
        before = self.counted()
        cpu, start = cpu_seconds(self.pid), time.perf_counter()
        try:
            self.execute(sql)
        except pymysql.Error as error:
            self.session.rollback()
            if error.args[0] == 1969:
                raise Stopped from None
            raise Wrong(str(error.args[-1])) from None
        figures = {"seconds": time.perf_counter() - start, "cpu": cpu_seconds(self.pid) - cpu}
        after = self.counted()
        figures.update({name: int(after[name] - before[name]) for name in before})
        return figures
