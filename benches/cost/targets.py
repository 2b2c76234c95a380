"""The targets that are loaded, and the forms that load each of them: ours, rendered by idemsql, and the hand-written."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import forms

SPECS = Path(__file__).resolve().parent / "specs"


@dataclass(frozen=True)
class Target:
    name: str
    title: str
    spec: str
    key: tuple
    null_key: bool = False
    numbered: bool = False
    # The starts that are measured; a plain target is measured from each.
    starts: tuple = ("first", "again", "first, analysed", "changed", "new", "older")


TARGETS = [
    Target("plain", "8 columns, one key column that is never null", "orders", ("order_id",)),
    Target("numbered", "the same with a ninth column that the engine numbers", "orders", ("order_id",), numbered=True, starts=("first", "again")),
    Target(
        "part_null",
        "a key of two columns: one has four values, one may be null",
        "orders_part_null",
        ("shop", "order_id"),
        null_key=True,
        starts=("first, analysed", "again", "changed"),
    ),
    Target(
        "null",
        "a key of two columns that may both be null, one in 19 of 20 rows",
        "orders_null",
        ("coupon", "order_id"),
        null_key=True,
        starts=("first, analysed", "again", "changed"),
    ),
]


@dataclass(frozen=True)
class Form:
    name: str
    script: str
    first_wins: bool
    ours: bool


# A load that replaces needs a window; this one takes in every row.
WINDOW = 'incremental_column: updated_at\n    window: {start: "2023-01-01 00:00:00+00:00", end: "2033-01-01 00:00:00+00:00"}'


def rendered(idemsql, target, dialect, strategy):
    """The SQL of one of our strategies."""
    spec = (SPECS / f"{target.spec}.yaml").read_text()
    if strategy == "delete_insert":
        spec = spec.replace("version: [updated_at]", WINDOW)
    command = [idemsql, "render", "-", "--dialect", dialect, "--strategy", strategy, "--stdout"]
    done = subprocess.run(command, input=spec, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"idemsql does not render {target.spec} by {strategy} for {dialect}:\n{done.stderr}")
    return done.stdout


def forms_of(engine, target, idemsql, words):
    """The forms that load a target, ours first."""
    found = []
    for strategy in ["upsert", "merge", "delete_insert", "insert_ignore"]:
        sql = rendered(idemsql, target, engine.dialect, strategy)
        found.append(Form(f"idemsql {strategy}", sql, strategy == "insert_ignore", True))
    # By hand a nullable key is compared with `=`, or with the null-safe comparison alone: wrong, or without an end.
    if not target.null_key:
        for name, (kind, sql) in forms.hand_written(engine, target.key).items():
            found.append(Form(name, sql, kind == "first", False))
    if words:
        found = [form for form in found if any(word in form.name for word in words.split(","))]
    return found
