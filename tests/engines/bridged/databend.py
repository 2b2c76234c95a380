"""Databend, embedded: a stand-in for Snowflake, whose statements and clauses it shares. It lacks some of Snowflake's types
and functions; those are spelled as here, and everything else runs as it stands."""

import os

from databend import SessionContext

from bridged.session import Session as Base
from bridged.words import ESCAPED, respell

SPELLINGS = [
    (r"\bNUMBER(?=\()", "DECIMAL"),
    (r"\bTIMESTAMP_NTZ\b(?:\(\d\))?", "TIMESTAMP"),
    # Its TIMESTAMP is an instant; beside one, its TIMESTAMP_TZ panics ("unable to merge TimestampTz").
    (r"\bTIMESTAMP_TZ\b(?:\(\d\))?", "TIMESTAMP"),
    (r"\bFLOAT\b", "DOUBLE"),
    (r"\bSYSDATE\(\)", "NOW()"),
    # Reserved in Databend alone.
    (r"\bsequence\b", '"sequence"'),
]

# Functions of Snowflake that can be made of Databend's. Its own text of a JSON string has no quotes, and that of a JSON null is
# null; inside of an array they are JSON.
FUNCTIONS = [
    "CREATE FUNCTION IF NOT EXISTS to_json AS (x) -> "
    "IF(x IS NULL, NULL, SUBSTR(TO_STRING(JSON_ARRAY(x)), 2, LENGTH(TO_STRING(JSON_ARRAY(x))) - 2))"
]


def database(folder):
    return os.path.join(folder, "data")


class Session(Base):
    CREATE_SCHEMA = "CREATE DATABASE IF NOT EXISTS {}"
    DROP_SCHEMA = "DROP DATABASE IF EXISTS {}"

    def __init__(self, folder):
        self.context = SessionContext(data_path=folder)
        for function in FUNCTIONS:
            self.run(function)

    def run(self, sql):
        sql = respell(sql, SPELLINGS, ESCAPED)
        table = self.context.sql(sql).arrow()
        # JSON comes in a form of Databend's own, and as text when it is asked for that.
        json = {field.name for field in table.schema if b"Variant" in (field.metadata or {}).values()}
        if json:
            items = [f'to_json("{name}") AS "{name}"' if name in json else f'"{name}"' for name in table.column_names]
            table = self.context.sql(f"SELECT {', '.join(items)} FROM ({sql}) AS q").arrow()
        columns = [column.to_pylist() for column in table.columns]
        return table.column_names, [list(row) for row in zip(*columns)]

    def written(self, schema, table):
        # A name that Snowflake keeps in upper case is so here in quotes alone.
        tables = self.run(f"SHOW TABLES FROM {self.path(None, schema)}" if schema else "SHOW TABLES")[1]
        name = next((exact for exact, *_ in tables if exact.lower() == table.lower()), table)
        # Rows by the block that they are stored in. A statement that changes nothing may leave a snapshot with the same
        # blocks, which is no write.
        rows = self.run(f"SELECT *, _block_name AS the_block, _row_id AS the_row FROM {self.path(schema, name)}")[1]
        return {"versions": [repr(row) for row in rows], "table": None, "session": None}
