"""ClickHouse, embedded."""

import json
import os

from chdb import session

from bridged.session import Session as Base


def database(folder):
    return os.path.join(folder, "data")


class Session(Base):
    CREATE_SCHEMA = "CREATE DATABASE IF NOT EXISTS {}"
    DROP_SCHEMA = "DROP DATABASE IF EXISTS {} SYNC"
    TIME_ZONE = "SET session_timezone = '{posix}'"
    EMPTY = "TRUNCATE TABLE {}"
    QUOTE = "`"

    def __init__(self, folder):
        self.session = session.Session(folder)
        # Numbers that JSON has no exact form for come as texts.
        for kind in ["64bit_integers", "decimals", "denormals"]:
            self.run(f"SET output_format_json_quote_{kind} = 1")
        # A handful of rows: to share them out to threads costs more than it saves.
        self.run("SET max_threads = 1")

    def run(self, sql):
        answer = self.session.query(sql, "JSONCompactEachRowWithNamesAndTypes").bytes()
        # A String may hold any bytes, which are marked here and shown as such by `text`.
        lines = answer.decode("utf-8", "surrogateescape").split("\n")
        names, _, *rows = [json.loads(line) for line in lines if line] or [[], []]
        return names, rows

    def rollback(self):
        pass  # There are no transactions.

    def written(self, schema, table):
        # Merges in the background move stored rows, and drop those that are replaced. What is no merge takes the next
        # number of the table: the blocks of an INSERT, and the changes of stored rows.
        here = f"database = {literal(schema)}" if schema else "database = currentDatabase()"
        here += f" AND table = {literal(table)}"
        blocks = f"(SELECT COALESCE(maxOrNull(max_block_number), 0) FROM system.parts WHERE {here})"
        changes = f"(SELECT COUNT(*) FROM system.mutations WHERE {here})"
        count = self.run(f"SELECT {blocks} + {changes}")[1][0][0]
        rows = self.run(f"SELECT * FROM {self.path(schema, table)} SETTINGS final = 1")[1]
        return {"versions": [repr(row) for row in rows], "table": int(count), "session": None}

    def text(self, value):
        if isinstance(value, str) and any("\udc80" <= letter <= "\udcff" for letter in value):
            value = value.encode("utf-8", "surrogateescape")
        return super().text(value)


def literal(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
