"""One run of a dlt pipeline from raw.orders. usage: dlt_load.py STRATEGY URL FOLDER"""

import sys

import dlt
import psycopg2

strategy, url, folder = sys.argv[1:]
name = f"dlt_{strategy.replace('-', '_')}"


@dlt.resource(
    name="orders",
    primary_key="order_id",
    write_disposition={"disposition": "merge", "strategy": strategy},
    columns={"amount": {"data_type": "decimal", "precision": 12, "scale": 2}, "note": {"data_type": "text"}},
)
def orders():
    with psycopg2.connect(url) as session, session.cursor("rows") as cursor:
        cursor.itersize = 10_000
        cursor.execute("SELECT * FROM raw.orders")
        while rows := cursor.fetchmany(10_000):
            yield [dict(zip([column.name for column in cursor.description], row)) for row in rows]


pipeline = dlt.pipeline(
    pipeline_name=name, destination=dlt.destinations.postgres(url), dataset_name=name, pipelines_dir=f"{folder}/dlt"
)
pipeline.run(orders())
