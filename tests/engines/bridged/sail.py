"""Sail, a server of Spark SQL with tables of Delta Lake: a stand-in for Databricks."""

import glob
import json
import os
import re
import uuid
from urllib.parse import unquote, urlparse

from pyspark.sql import SparkSession

from bridged.session import Session as Base

# What it says of an INSERT that leaves out a column.
MISSING = ["INSERT is missing value", "input schema for INSERT"]
# Rows of literals for some of the columns of a table.
ROWS = re.compile(r"INSERT INTO (\S+) \(([^)]*)\) VALUES (.*)", re.DOTALL)


def database(folder):
    # Tables are known to a session of the server and to no other, so all of ours on one database are that one session.
    return f"{os.environ['IDEMSQL_BRIDGE']}/;session_id={uuid.uuid5(uuid.NAMESPACE_URL, folder)}", folder


class Session(Base):
    USE_SCHEMA = "USE SCHEMA {}"
    QUOTE = "`"

    def __init__(self, database):
        url, folder = database
        self.session = SparkSession.builder.remote(url).create()
        # As it is in Databricks.
        self.session.conf.set("spark.sql.sources.default", "delta")
        self.session.conf.set("spark.sql.warehouse.dir", os.path.join(folder, "warehouse"))

    def run(self, sql):
        sql = sql.strip().removesuffix(";")
        try:
            table = self.session.sql(sql).toArrow()
        except Exception as error:
            rows = ROWS.fullmatch(sql)
            if not rows or not any(words in str(error) for words in MISSING):
                raise
            # An INSERT must name every column, where Databricks takes null for those that it does not name. The rows that
            # a test begins with are such INSERTs; no load is.
            path, names, values = rows.groups()
            named = [name.strip("`") for name in names.split(", ")]
            left = [name for name, *_ in self.run(f"DESCRIBE TABLE {path}")[1] if name not in named]
            names += "".join(f", `{name}`" for name in left)
            nulls = "".join(f", NULL AS `{name}`" for name in left)
            table = self.session.sql(f"INSERT INTO {path} ({names}) SELECT *{nulls} FROM VALUES {values}").toArrow()
        columns = [column.to_pylist() for column in table.columns]
        return table.column_names, [list(row) for row in zip(*columns)]

    def rollback(self):
        pass  # There are no transactions.

    def written(self, schema, table):
        # The files of the table and how many were ever added or removed, by its log. A commit that does neither, as that
        # of a MERGE with nothing to do, is no write.
        described = self.run(f"DESCRIBE EXTENDED {self.path(schema, table)}")[1]
        location = next(row[1] for row in described if row[0] == "Location")
        location = unquote(urlparse(location).path)
        live, count = set(), 0
        for version in sorted(glob.glob(f"{location}/_delta_log/*.json")):
            for line in open(version, encoding="utf-8"):
                action = json.loads(line)
                if "remove" in action:
                    live.discard(action["remove"]["path"])
                    count += 1
                if "add" in action:
                    live.add(action["add"]["path"])
                    count += 1
        return {"versions": sorted(live), "table": count, "session": None}
