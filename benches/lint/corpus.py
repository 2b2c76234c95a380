"""Writes the scripts that the linters are timed on: PostgreSQL, the same bytes on every machine.

    tiny/one.sql       some 250 bytes: the start of the program
    small/0000.sql ..  1,000 files of some 2.2 kB: definitions, loads, updates, merges, blocks, routines
    big/bulk.sql       one file of 10 MB: INSERT statements of 500 rows
    dump/dump.sql      one file of 1 GB, only when asked for: INSERT and COPY data as a dump program writes them
"""

import random
from pathlib import Path

AREAS = ["core", "raw", "mart", "ops"]
THINGS = ["parcel", "depot", "driver", "tour", "stop", "scan", "fee", "claim", "route", "dock", "lane", "badge", "meter", "quote"]
MARKS = ["code", "label", "state", "grade", "total", "score", "origin", "remark", "weight", "height", "source", "kind"]
TYPES = ["bigint", "integer", "text", "timestamptz", "numeric(12,2)", "boolean", "jsonb", "uuid", "date"]
WORDS = "amber birch cedar delta ember fjord grove haven inlet juniper kelp larch maple north ocean pine quartz reef".split()


class Writer:
    """One stream of made-up SQL."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, choices):
        return self.random.choice(choices)

    def coin(self, text, otherwise=""):
        return text if self.random.random() < 0.5 else otherwise

    def table(self):
        return f"{self.pick(AREAS)}.{self.pick(THINGS)}_{self.pick(MARKS)}"

    def column(self):
        return f"{self.pick(MARKS)}_{self.random.randrange(1, 9)}"

    def columns(self, low, high):
        return list(dict.fromkeys(self.column() for _ in range(self.random.randint(low, high))))

    def day(self):
        return f"2026-{self.random.randint(1, 12):02d}-{self.random.randint(1, 28):02d}"

    def value(self, kind):
        if kind in ("bigint", "integer"):
            return str(self.random.randrange(1_000_000))
        if kind.startswith("numeric"):
            return f"{self.random.random() * 10_000:.2f}"
        if kind == "boolean":
            return self.pick(["true", "false"])
        if kind == "date":
            return f"DATE '{self.day()}'"
        if kind == "timestamptz":
            return f"TIMESTAMPTZ '{self.day()} {self.random.randrange(24):02d}:15:00+00'"
        words = " ".join(self.pick(WORDS) for _ in range(self.random.randint(1, 5)))
        return f"'{words}{self.pick(['', '; then', ' it' + chr(39) * 2 + 's', ' -- no'])}'"

    def create_table(self):
        lines = ["    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"]
        lines += [f"    {column} {self.pick(TYPES)}{self.coin(' NOT NULL')}" for column in self.columns(3, 7)]
        body = ",\n".join(lines)
        return f"CREATE TABLE {self.coin('IF NOT EXISTS ')}{self.table()} (\n{body}\n);"

    def create_index(self):
        table, column = self.table(), self.column()
        name = f"ix_{table.split('.')[1]}_{column}"
        return f"CREATE {self.coin('UNIQUE ')}INDEX {self.coin('IF NOT EXISTS ')}{name} ON {table} ({column});"

    def alter(self):
        table, column = self.table(), self.column()
        return self.pick([
            f"ALTER TABLE {table} ADD COLUMN {self.coin('IF NOT EXISTS ')}{column} {self.pick(TYPES)};",
            f"ALTER TABLE {table} DROP COLUMN {self.coin('IF EXISTS ')}{column};",
            f"ALTER TABLE {table} ADD CONSTRAINT ck_{column} CHECK ({column} > 0) NOT VALID;",
            f"ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT 0;",
        ])

    def insert(self):
        columns = self.columns(2, 5)
        kinds = [self.pick(TYPES) for _ in columns]
        rows = ",\n".join("    (" + ", ".join(map(self.value, kinds)) + ")" for _ in range(self.random.randint(1, 6)))
        guard = self.pick([
            "",
            f"\nON CONFLICT ({columns[0]}) DO NOTHING",
            f"\nON CONFLICT ({columns[0]}) DO UPDATE SET {columns[-1]} = EXCLUDED.{columns[-1]}",
        ])
        return f"INSERT INTO {self.table()} ({', '.join(columns)})\nVALUES\n{rows}{guard};"

    def insert_select(self):
        target, source, key, column = self.table(), self.table(), self.column(), self.column()
        guard = self.pick([
            "",
            f"\nWHERE NOT EXISTS (SELECT 1 FROM {target} AS t WHERE t.{key} = s.{key})",
            f"\nWHERE s.day >= DATE '{self.day()}'",
        ])
        return f"INSERT INTO {target} ({key}, {column})\nSELECT s.{key}, max(s.{column})\nFROM {source} AS s{guard}\nGROUP BY s.{key};"

    def update(self):
        table, column = self.table(), self.column()
        return self.pick([
            f"UPDATE {table} SET {column} = {column} + 1 WHERE id = {self.random.randrange(10_000)};",
            f"UPDATE {table} SET {column} = 'x', changed_at = now();",
            f"UPDATE {table} SET {column} = 'closed' WHERE {column} = 'open';",
            f"UPDATE {table} AS t SET {column} = s.{column}\nFROM {self.table()} AS s\nWHERE t.id = s.id AND t.{column} IS DISTINCT FROM s.{column};",
        ])

    def merge(self):
        column = self.column()
        return (
            f"MERGE INTO {self.table()} AS t\nUSING (SELECT id, max({column}) AS {column} FROM {self.table()} GROUP BY id) AS s\nON t.id = s.id\n"
            f"WHEN MATCHED AND t.{column} IS DISTINCT FROM s.{column} THEN UPDATE SET {column} = s.{column}\n"
            f"WHEN NOT MATCHED THEN INSERT (id, {column}) VALUES (s.id, s.{column});"
        )

    def reload(self):
        table, day = self.table(), self.day()
        return (
            f"BEGIN;\nDELETE FROM {table} WHERE day = DATE '{day}';\n"
            f"INSERT INTO {table} (day, total)\nSELECT day, sum(total) FROM {self.table()} WHERE day = DATE '{day}' GROUP BY day;\nCOMMIT;"
        )

    def routine(self):
        return (
            f"CREATE {self.coin('OR REPLACE ')}FUNCTION ops.f_{self.column()}(p_id bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
            f"BEGIN\n    UPDATE {self.table()} SET {self.column()} = p_id WHERE id = p_id;\nEND;\n$$;"
        )

    def block(self):
        name = self.column()
        return (
            f"DO $$\nBEGIN\n    IF NOT EXISTS (SELECT 1 FROM pg_type WHERE typname = '{name}') THEN\n"
            f"        CREATE TYPE {name} AS ENUM ('a', 'b');\n    END IF;\nEND\n$$;"
        )

    def view(self):
        return (
            f"CREATE {self.coin('OR REPLACE ')}VIEW mart.v_{self.column()} AS\nSELECT a.id, coalesce(b.{self.column()}, 0) AS n\n"
            f"FROM {self.table()} AS a\nLEFT JOIN {self.table()} AS b ON b.id = a.id;"
        )

    def other(self):
        return self.pick([
            f"DROP TABLE {self.coin('IF EXISTS ')}{self.table()};",
            f"GRANT SELECT ON {self.table()} TO reader;",
            f"COMMENT ON TABLE {self.table()} IS 'about {self.pick(WORDS)}; see there';",
            f"TRUNCATE TABLE {self.table()};",
        ])

    def statement(self):
        kinds = [self.create_table] * 3 + [self.insert] * 3 + [self.alter] * 3 + [self.update] * 3 + [self.create_index] * 2
        kinds += [self.insert_select] * 2 + [self.merge] * 2 + [self.view] * 2 + [self.other] * 2
        kinds += [self.reload, self.routine, self.block]
        return self.pick(kinds)()

    def script(self, size):
        parts = [f"-- {' '.join(self.pick(WORDS) for _ in range(4))}"]
        while sum(map(len, parts)) < size:
            parts.append(self.statement())
        return "\n\n".join(parts) + "\n"

    def bulk(self, first, rows=500):
        lines = ",\n".join(
            f"    ({number}, {self.value('text')}, {self.value('numeric(12,2)')}, {self.value('boolean')}, {self.value('timestamptz')}, NULL)"
            for number in range(first, first + rows)
        )
        return (
            f"INSERT INTO raw.scan_total (id, label_1, total_1, done, at, remark_1)\nVALUES\n{lines}\n"
            "ON CONFLICT (id) DO UPDATE SET label_1 = EXCLUDED.label_1;\n\n"
        )


def written(path, texts):
    """Writes the file unless it is there, and returns its path."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with open(part, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(texts)
        part.rename(path)
    return path


def tiny(root):
    text = (
        "INSERT INTO core.kind (id, label)\nVALUES (1, 'open'), (2, 'closed');\n\n"
        "UPDATE core.stock SET qty = qty - 1 WHERE id = 7;\n\nCREATE TABLE core.note (id bigint PRIMARY KEY, body text);\n"
    )
    return written(root / "tiny" / "one.sql", [text])


def small(root):
    writer = Writer(20260101)
    for number in range(1000):
        written(root / "small" / f"{number:04d}.sql", [writer.script(1900)])
    return root / "small"


def first_files(root, count):
    """A folder with the first files of the small corpus, for tools that are too slow for all of it."""
    for number in range(count):
        name = f"{number:04d}.sql"
        written(root / f"small-{count}" / name, [(root / "small" / name).read_text(encoding="utf-8")])
    return root / f"small-{count}"


def big(root, size=10 << 20):
    def texts():
        writer, done, first = Writer(7), 0, 1
        while done < size:
            text = writer.bulk(first)
            done, first = done + len(text), first + 500
            yield text

    return written(root / "big" / "bulk.sql", texts())


def dump(root, size=1 << 30):
    """The same rows again and again: what is in them does not matter to the reader of a dump."""

    def texts():
        writer, done = Writer(9), 0
        rows = "".join(f"{number}\t{' '.join(writer.pick(WORDS) for _ in range(6))}; it's (\t{writer.day()}\t\\N\n" for number in range(20_000))
        insert = writer.bulk(1, 20_000)
        while done < size:
            for text in (insert, "COPY raw.scan_line (id, label_1, day, remark_1) FROM stdin;\n", rows, "\\.\n\n"):
                done += len(text)
                yield text

    return written(root / "dump" / "dump.sql", texts())
