"""Runs the statements of a JSON list on a DuckDB file and prints the rows of the last one. usage: duck.py FILE <LIST"""
import json
import sys

import duckdb

session = duckdb.connect(sys.argv[1])
session.execute("SET TimeZone = 'UTC'")
session.execute("CREATE SCHEMA IF NOT EXISTS main")
rows = []
for statement in json.load(sys.stdin):
    try:
        found = session.execute(statement)
    except duckdb.Error as fault:
        sys.exit(f"{statement}: {fault}")
    rows = found.fetchall() if statement.startswith("SELECT") else []
json.dump(rows, sys.stdout)
