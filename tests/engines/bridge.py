"""A session on an engine that the tests reach through a Python driver. usage: bridge.py duckdb FILE | mariadb SOCKET

Each line on stdin is one JSON object {"sql": "..."}, a script of one or more statements. Each is answered by one line on
stdout: {"columns": [...], "rows": [[text or null, ...], ...]} for the last statement, or {"error": "..."}, after which no
transaction is open.
"""

import json
import sys
from decimal import Decimal


def text(value):
    """The value as text, in a spelling that `Value::parse` reads."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "\\x" + bytes(value).hex()
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def duckdb(path):
    import duckdb

    session = duckdb.connect(path)

    def run(sql):
        result = session.execute(sql)
        if not result.description:
            return [], []
        return [column[0] for column in result.description], result.fetchall()

    return run, lambda: session.execute("ROLLBACK")


def mariadb(socket):
    import pymysql
    from pymysql.constants import CLIENT, FIELD_TYPE

    # Without conversions every value stays as the server spells it.
    session = pymysql.connect(
        unix_socket=socket, user="root", charset="utf8mb4", autocommit=True,
        client_flag=CLIENT.MULTI_STATEMENTS, conv={FIELD_TYPE.BIT: lambda value: int.from_bytes(value, "big")},
    )

    # Temporary tables and unqualified names need a schema to be in.
    session.cursor().execute("CREATE DATABASE IF NOT EXISTS main; USE main")

    def run(sql):
        with session.cursor() as cursor:
            cursor.execute(sql)
            answer = [], []
            while True:
                # An error of a later statement surfaces here.
                if cursor.description:
                    answer = [column[0] for column in cursor.description], list(cursor.fetchall())
                else:
                    answer = [], []
                if not cursor.nextset():
                    return answer

    return run, session.rollback


def main():
    run, rollback = {"duckdb": duckdb, "mariadb": mariadb}[sys.argv[1]](sys.argv[2])
    for line in sys.stdin:
        try:
            columns, rows = run(json.loads(line)["sql"])
            answer = {"columns": columns, "rows": [[text(value) for value in row] for row in rows]}
        except Exception as error:
            try:
                rollback()
            except Exception:
                pass  # There was no transaction.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
