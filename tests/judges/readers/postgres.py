"""Reads SQL with PostgreSQL's own parser, which the package pglast carries. Texts come and answers go as one JSON document a
line, as tests/judges/src/reader.rs says.
"""

import json
import sys

import pglast

for line in sys.stdin:
    given = json.loads(line)
    faults = []
    try:
        pglast.parser.parse_sql_json(given["text"])
    except pglast.parser.ParseError as fault:
        message, at = fault.args
        faults.append({"line": given["text"].encode()[:at].count(b"\n") + 1, "text": message})
    print(json.dumps({"id": given["id"], "faults": faults}), flush=True)
