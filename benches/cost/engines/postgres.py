"""PostgreSQL: WAL by its insert position, tuples by its statistics, dead tuples by pgstattuple, plans by EXPLAIN."""

import json
import threading
import time

import psycopg

from . import Engine, Stopped, Wrong, cpu_seconds, script


class Postgres(Engine):
    name = dialect = "postgres"
    families = ["on_conflict_family", "merge_family"]
    reduce = "distinct_on"
    types = {**Engine.types, "at": "TIMESTAMPTZ"}
    numbered = "row_no BIGINT GENERATED ALWAYS AS IDENTITY"
    nulls_not_distinct = "NULLS NOT DISTINCT"
    counters = {
        "wal": "bytes of WAL, full-page images included; a checkpoint comes before each run",
        "pages": "full-page images in the WAL",
        "written": "rows inserted, updated or deleted",
        "dead": "dead tuples",
        "numbers": "values taken from the sequence of a numbered column",
        "temp": "bytes of temporary files",
    }

    quiet = ("wal", "written", "dead", "numbers")

    def __init__(self, folder, timeout, settings):
        self.timeout = timeout
        self.environment = {"IDEMSQL_TEST_STATE": str(folder)}
        script("postgres", "install", self.environment)
        self.url = script("postgres", "start", self.environment)
        self.session = psycopg.connect(self.url, autocommit=True)
        # So that no checkpoint comes in the middle of a run and adds its full-page images by chance.
        self.execute("ALTER SYSTEM SET max_wal_size = '32GB'")
        self.execute("SELECT pg_reload_conf()")
        self.execute("CREATE EXTENSION IF NOT EXISTS pgstattuple; CREATE SCHEMA IF NOT EXISTS raw; CREATE SCHEMA IF NOT EXISTS mart")
        self.execute(f"SET statement_timeout = '{timeout}s'")
        for setting in settings:
            self.execute(f"SET {setting}")
        self.catalogues = [row[0] for row in self.execute("SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'pg_catalog'::regnamespace AND NOT relisshared")]
        self.pid = self.value("SELECT pg_backend_pid()")
        names = ["shared_buffers", "work_mem", "fsync", "jit"]
        self.title = f"PostgreSQL {self.value('SHOW server_version')}"
        self.title += "; " + ", ".join(f"{name} {self.value(f'SHOW {name}')}" for name in names)

    def close(self):
        self.session.close()
        script("postgres", "stop", self.environment)

    @staticmethod
    def series(n):
        return f"generate_series(1::bigint, {n}::bigint) AS g"

    @staticmethod
    def at(seconds):
        return f"to_timestamp({seconds})"

    def execute(self, sql):
        # Without parameters it goes as one simple query, which may be a script.
        return self.session.execute(sql)

    def value(self, sql):
        return self.execute(sql).fetchone()[0]

    def settle(self):
        self.execute("VACUUM ANALYZE mart.orders")

    def counted(self):
        """WAL, full-page images, tuples, temporary bytes and sequence values until now."""
        self.execute("SELECT pg_stat_force_next_flush()")
        self.execute("SELECT 1")
        numbers = self.value("SELECT pg_get_serial_sequence('mart.orders', 'row_no')") if self.has_number() else None
        return {
            "wal": self.value("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"),
            "pages": self.value("SELECT wal_fpi FROM pg_stat_wal"),
            "written": self.value(
                "SELECT n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE schemaname = 'mart' AND relname = 'orders'"
            ),
            "temp": self.value("SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()"),
            "numbers": self.value(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {numbers}") if numbers else 0,
        }

    def has_number(self):
        return self.value("SELECT COUNT(*) FROM pg_attribute WHERE attrelid = 'mart.orders'::regclass AND attname = 'row_no'")

    def rest(self):
        """A state from which the WAL grows by what a load writes and by nothing else."""
        # Making the tables left dead rows in the catalogues, and whoever reads those pages next prunes them into the WAL.
        for catalogue in self.catalogues:
            self.execute(f"VACUUM {catalogue}")
        self.execute("CHECKPOINT")

    def measure(self, sql):
        self.rest()
        before = self.counted()
        cpu, start = cpu_seconds(self.pid), time.perf_counter()
        try:
            self.execute(sql)
        except psycopg.errors.QueryCanceled:
            self.execute("ROLLBACK")
            raise Stopped from None
        except psycopg.Error as error:
            self.execute("ROLLBACK")
            raise Wrong(str(error).splitlines()[0]) from None
        figures = {"seconds": time.perf_counter() - start, "cpu": cpu_seconds(self.pid) - cpu}
        after = self.counted()
        figures.update({name: int(after[name] - before[name]) for name in before})
        # Before anything else reads the table: a read may prune its pages, and the dead tuples with them.
        figures["dead"] = self.value("SELECT dead_tuple_count FROM pgstattuple('mart.orders')")
        return figures

    def together(self, batch, sql):
        """What becomes of a second session that loads the same new keys while a first one has not yet committed."""
        self.rename(batch, "orders")
        body, own = sql.rstrip().rstrip(";"), sql.rstrip().rstrip(";").endswith("COMMIT")
        body = body.removesuffix("COMMIT") if own else f"BEGIN; {body}"
        errors = []

        def second():
            try:
                with psycopg.connect(self.url, autocommit=True) as session:
                    session.execute(sql)
            except psycopg.Error as error:
                errors.append(f"fails with {error.sqlstate}")

        thread = threading.Thread(target=second)
        try:
            self.execute(body)
            thread.start()
            # Long enough for the second session to meet the rows of the first.
            time.sleep(0.5)
            self.execute("COMMIT")
            thread.join()
        finally:
            self.rename("orders", batch)
        return errors[0] if errors else self.AS_ONE

    def loops(self, sql):
        found = []
        for statement in statements(sql):
            plan = self.value(f"EXPLAIN (FORMAT JSON) {statement}")
            found += whole_loops((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"])
        return found


def statements(sql):
    """The statements of a script that can be explained. No text of these scripts holds a semicolon."""
    words = ("INSERT", "MERGE", "DELETE", "UPDATE")
    lines = "\n".join(line for line in sql.splitlines() if not line.startswith("--"))
    return [part for part in lines.split(";") if part.strip().startswith(words)]


def whole_loops(node, sorted_above=False):
    """Nested loops whose inner side does not look its rows up by an index, in words."""
    below = sorted_above or node["Node Type"] == "Sort"
    found = [loop for child in node.get("Plans", []) for loop in whole_loops(child, below)]
    if node["Node Type"] == "Nested Loop":
        outer, inner = node["Plans"]
        if not looks_up(inner):
            words = f"{node['Join Type']} nested loop, for about {outer['Plan Rows']:,} rows a {inner['Node Type']} {inner.get('Relation Name', '')}"
            # A sort reads all of its input before the first row is written, so an empty target is read as an empty one.
            found.append(words.strip() + (", below a sort" if sorted_above else ""))
    return found


def looks_up(node):
    return "Index Cond" in node or any(looks_up(child) for child in node.get("Plans", []))
