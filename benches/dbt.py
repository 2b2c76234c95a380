#!/usr/bin/env python3
"""What `idemsql lint` and `idemsql import dbt` cost on a dbt project, beside `dbt parse` and `dbt compile`, all in one run.

    python3 benches/dbt.py 1000 --idemsql target/release/idemsql --dbt DBT

The project is made here: incremental models of a few shapes, each with its properties. CPU seconds are the kernel's account
of each process and its children; each command runs three times, and the least counts. dbt is one with the adapter for DuckDB,
such as that of `tests/dbt/run`.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SHAPES = [
    "{{{{ config(materialized='incremental', unique_key='id') }}}}\nselect id, amount, seen from {{{{ source('raw', 't{n}') }}}}\n"
    "{{% if is_incremental() %}}\nwhere seen >= (select max(seen) - interval '3 days' from {{{{ this }}}})\n{{% endif %}}\n",
    "{{{{ config(materialized='incremental', unique_key=['id', 'kind'], incremental_strategy='delete+insert') }}}}\n"
    "select id, kind, amount, seen from {{{{ source('raw', 't{n}') }}}}\n"
    "{{% if is_incremental() %}}\nwhere seen >= (select coalesce(max(seen), timestamp '1900-01-01') from {{{{ this }}}})\n{{% endif %}}\n"
    "qualify row_number() over (partition by id, kind order by seen desc) = 1\n",
    "{{{{ config(materialized='incremental') }}}}\nselect id, amount, seen from {{{{ source('raw', 't{n}') }}}}\n"
    "{{% if is_incremental() %}}\nwhere seen > (select max(seen) from {{{{ this }}}})\n{{% endif %}}\n",
    "{{{{ config(materialized='table') }}}}\nwith a as (select * from {{{{ source('raw', 't{n}') }}}})\nselect id, sum(amount) as total from a group by id\n",
]


def project(folder, models):
    (folder / "models").mkdir()
    (folder / "dbt_project.yml").write_text("name: bench\nversion: '1.0'\nprofile: bench\nmodel-paths: [models]\n")
    (folder / "profiles.yml").write_text(f"bench:\n  target: dev\n  outputs:\n    dev: {{type: duckdb, path: {folder}/bench.duckdb}}\n")
    properties = {"version": 2, "models": [], "sources": [{"name": "raw", "tables": [{"name": f"t{n}"} for n in range(models)]}]}
    for n in range(models):
        (folder / "models" / f"m{n}.sql").write_text(SHAPES[n % len(SHAPES)].format(n=n))
        columns = [{"name": name, "data_type": kind} for name, kind in [("id", "bigint"), ("amount", "decimal(12,2)"), ("seen", "timestamp")]]
        properties["models"].append({"name": f"m{n}", "columns": columns})
    # JSON is YAML.
    (folder / "models" / "properties.yml").write_text(json.dumps(properties, indent=1))


def cpu(command, folder, ok=(0,)):
    """The least CPU seconds of three runs."""
    least = None
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "DO_NOT_TRACK": "1"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in ok:
            sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        least = spent if least is None else min(least, spent)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=int)
    parser.add_argument("--idemsql", type=Path, required=True)
    parser.add_argument("--dbt", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="idemsql-dbt.") as name:
        folder = Path(name)
        project(folder, options.models)
        dbt = [options.dbt.absolute(), "--quiet"]
        place = ["--project-dir", ".", "--profiles-dir", "."]
        print(f"{options.models} models, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; least CPU seconds of three runs")
        for what, command, ok in [
            ("dbt parse, from nothing", [*dbt, "parse", "--no-partial-parse", *place], (0,)),
            ("dbt parse, from its cache", [*dbt, "parse", *place], (0,)),
            ("dbt compile", [*dbt, "compile", *place], (0,)),
            ("idemsql lint models", [options.idemsql.absolute(), "lint", "--quiet", "models"], (0, 1)),
            ("idemsql import dbt", [options.idemsql.absolute(), "import", "dbt", "target/manifest.json"], (0, 1)),
        ]:
            print(f"{what:28}{cpu(command, folder, ok):8.2f}", flush=True)


if __name__ == "__main__":
    main()
