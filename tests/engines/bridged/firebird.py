"""Firebird, embedded: a stand-in for standard SQL's MERGE. It has no schemas, no precision of a time and shorter texts than
we write; those are spelled as here, and everything else runs as it stands."""

import os
import re

from firebird.driver import connect, create_database, driver_config

from bridged.session import Session as Base
from bridged.words import STANDARD, respell

SPELLINGS = [
    (r"\bTIMESTAMP\(6\)", "TIMESTAMP"),
    (r"\bTIME\(6\)", "TIME"),
    (r"\bVARCHAR\(32672\)", "VARCHAR(2000)"),
    (r"\bVARBINARY\(32672\)", "VARBINARY(8000)"),
    (r"\bone_row\b", "rdb$database"),
    # Reserved in Firebird alone.
    (r"\bplan\b", '"PLAN"'),
]


def database(folder):
    driver_config.fb_client_library.value = os.path.join(os.environ["FIREBIRD"], "libfbclient.so.2")
    path = os.path.join(folder, "db.fdb")
    if not os.path.exists(path):
        create_database(path, user="SYSDBA", charset="UTF8").close()
    return path, set()


def qualified(sql, schemas):
    """The SQL with each schema as a part of the name: mart.orders is mart$orders, and mart."Order" is "MART$Order"."""
    if not schemas:
        return sql
    names = "|".join(sorted(schemas))
    pattern = rf'{STANDARD}|\b({names})\.(?:(?=\w)|("(?:[^"]|"")*"))'

    def instead(match):
        schema, quoted = match.groups()
        if not schema:
            return match[0]
        return f'"{schema.upper()}${quoted[1:]}' if quoted else f"{schema}$"

    return re.sub(pattern, instead, sql, flags=re.DOTALL)


class Session(Base):
    VERSION = "SELECT rdb$get_context('SYSTEM', 'ENGINE_VERSION') FROM rdb$database"
    TIME_ZONE = "SET TIME ZONE '{hours}'"

    def __init__(self, database):
        path, self.schemas = database
        self.connection = connect(path, user="SYSDBA", charset="UTF8")
        self.is_open, self.current = False, None
        self.time_zone(0)

    def close(self):
        self.connection.close()

    def run(self, sql):
        statement = respell(qualified(sql, self.schemas), SPELLINGS, STANDARD)
        word = statement.split(None, 1)[0].upper()
        if word in ("START", "COMMIT", "ROLLBACK"):
            # The driver counts its transactions, so that none begins or ends by SQL.
            getattr(self.connection, {"START": "begin"}.get(word, word.lower()))()
            self.is_open = word == "START"
            return [], []
        try:
            with self.connection.cursor() as cursor:
                cursor.execute(statement)
                answer = [], []
                if cursor.description:
                    answer = [column[0] for column in cursor.description], cursor.fetchall()
        except Exception:
            if not self.is_open:
                self.connection.rollback()
            raise
        if not self.is_open:
            self.connection.commit()
        return answer

    def rollback(self):
        if self.connection.main_transaction.is_active():
            self.connection.rollback()
        self.is_open = False

    def create_schema(self, name):
        self.schemas.add(name)

    def drop_schema(self, name):
        for table in self.tables():
            if table.upper().startswith(f"{name.upper()}$") or (name == self.current and "$" not in table):
                self.run(f'DROP TABLE "{table}"')

    def use_schema(self, name):
        # Tables without a schema are in the one that was used last.
        self.current = name

    def written(self, schema, table):
        # A row that is written again keeps its key and gets the number of the transaction.
        schema = f"{schema}$" if schema else ""
        name = next((f'"{exact}"' for exact in self.tables() if exact.upper() == f"{schema}{table}".upper()), table)
        rows = self.run(f"SELECT t.rdb$db_key, t.rdb$record_version, t.* FROM {name} AS t")[1]
        return {"versions": [repr(row) for row in rows], "table": None, "session": None}

    def tables(self):
        return [row[0] for row in self.run("SELECT TRIM(rdb$relation_name) FROM rdb$relations WHERE rdb$system_flag = 0")[1]]
