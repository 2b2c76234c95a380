"""The hand-written forms: what people write for the same load, one script for each engine and name.

Each reduces the staged rows in the same way, to the newest of each key: without that none of them is right on these
batches, or they fail. `kind` is `newest` where a newer version replaces the row, `first` where the first write wins.
"""

from batches import COLUMNS

ALL = ", ".join([*COLUMNS, "loaded_at"])
STAGED = ", ".join(COLUMNS)


class Words:
    """The pieces of a form, for a key and an engine."""

    def __init__(self, engine, key):
        self.engine, self.key = engine, key
        self.rest = [column for column in COLUMNS if column not in key]
        by = ", ".join(key)
        self.batch = {
            "distinct_on": f"SELECT DISTINCT ON ({by}) {STAGED} FROM raw.orders ORDER BY {by}, updated_at DESC",
            "qualify": f"SELECT {STAGED} FROM raw.orders QUALIFY ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY updated_at DESC) = 1",
            "row_number": f"SELECT {STAGED} FROM (SELECT {STAGED}, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY updated_at DESC) AS rn"
            " FROM raw.orders) AS d WHERE rn = 1",
        }[engine.reduce]

    def same(self, a, b):
        return " AND ".join(f"{a}.{column} = {b}.{column}" for column in self.key)

    def differs(self, old, new):
        """The row-change guard, in the shortest way that the engine has."""
        return self.engine.differs([f"{old}.{column}" for column in self.rest], [f"{new}.{column}" for column in self.rest])

    def set_to(self, new, target=""):
        return ", ".join([*(f"{target}{column} = {new}.{column}" for column in self.rest), f"{target}loaded_at = {self.engine.now}"])

    def values(self, relation):
        return ", ".join([*(f"{relation}.{column}" for column in COLUMNS), self.engine.now])

    def insert(self):
        return f"INSERT INTO mart.orders ({ALL}) SELECT {self.values('b')} FROM ({self.batch}) AS b"


def on_conflict(words, guard="", where=""):
    """INSERT .. ON CONFLICT of PostgreSQL, DuckDB and SQLite."""
    # SQLite takes ON for the condition of a join unless a WHERE stands before it.
    where = where or "WHERE TRUE"
    insert = words.insert().replace("INTO mart.orders", "INTO mart.orders AS t")
    return f"{insert} {where} ON CONFLICT ({', '.join(words.key)}) DO UPDATE SET {words.set_to('excluded')} {guard}"


def prefilter(words):
    """The staged rows that change nothing are dropped by a join before they are proposed."""
    return f"LEFT JOIN mart.orders AS o ON {words.same('o', 'b')} WHERE o.{words.key[0]} IS NULL OR (b.updated_at >= o.updated_at AND {words.differs('o', 'b')})"


def merge(words, guard=""):
    return (
        f"MERGE INTO mart.orders AS t USING ({words.batch}) AS b ON {words.same('t', 'b')} WHEN MATCHED {guard} THEN UPDATE SET {words.set_to('b')}"
        f" WHEN NOT MATCHED THEN INSERT ({ALL}) VALUES ({words.values('b')})"
    )


def absent(words):
    return f"WHERE NOT EXISTS (SELECT 1 FROM mart.orders AS o WHERE {words.same('o', 'b')})"


def transaction(*statements):
    return "; ".join(["BEGIN", *statements, "COMMIT"])


def delete_insert(words):
    return transaction(
        f"DELETE FROM mart.orders WHERE EXISTS (SELECT 1 FROM raw.orders AS b WHERE {words.same('orders', 'b')})", words.insert()
    )


def update_insert(words, guard):
    """UPDATE from the staged rows, then INSERT of the keys that are not there."""
    return transaction(
        f"UPDATE mart.orders SET {words.set_to('b')} FROM ({words.batch}) AS b WHERE {words.same('orders', 'b')} AND {guard}",
        f"{words.insert()} {absent(words)}",
    )


def on_conflict_family(words):
    guard = f"WHERE excluded.updated_at >= t.updated_at AND {words.differs('t', 'excluded')}"
    newer = "WHERE excluded.updated_at > t.updated_at"
    return {
        "on conflict": ("newest", on_conflict(words)),
        "on conflict, guard": ("newest", on_conflict(words, guard)),
        "on conflict, newer only": ("newest", on_conflict(words, newer)),
        "prefilter + on conflict": ("newest", on_conflict(words, where=prefilter(words))),
        "delete + insert": ("newest", delete_insert(words)),
        "update + insert, guard": (
            "newest",
            update_insert(words, f"b.updated_at >= orders.updated_at AND {words.differs('orders', 'b')}"),
        ),
        "on conflict do nothing": ("first", f"{words.insert()} WHERE TRUE ON CONFLICT ({', '.join(words.key)}) DO NOTHING"),
        "insert not exists": ("first", f"{words.insert()} {absent(words)}"),
    }


def merge_family(words):
    return {
        "merge": ("newest", merge(words)),
        "merge, guard": ("newest", merge(words, f"AND b.updated_at >= t.updated_at AND {words.differs('t', 'b')}")),
    }


def on_duplicate_key_family(words):
    """MariaDB. A guard stands in each assignment, and the version is assigned last, because a later one sees it."""
    newer = "VALUES(updated_at) >= orders.updated_at"
    order = [column for column in words.rest if column != "updated_at"] + ["updated_at"]
    plain = ", ".join(f"{column} = VALUES({column})" for column in [*words.rest, "loaded_at"])
    guarded = ", ".join(f"{column} = IF({newer}, VALUES({column}), orders.{column})" for column in order)
    differs = words.engine.differs([f"orders.{column}" for column in words.rest], [f"VALUES({column})" for column in words.rest])
    audit = f"loaded_at = IF({newer} AND {differs}, VALUES(loaded_at), orders.loaded_at)"
    join = f"JOIN ({words.batch}) AS b ON {words.same('t', 'b')}"
    return {
        "on duplicate key": ("newest", f"{words.insert()} ON DUPLICATE KEY UPDATE {plain}"),
        "on duplicate key, guard": ("newest", f"{words.insert()} ON DUPLICATE KEY UPDATE {audit}, {guarded}"),
        "prefilter + on duplicate key": ("newest", f"{words.insert()} {prefilter(words)} ON DUPLICATE KEY UPDATE {plain}"),
        "replace into": ("newest", words.insert().replace("INSERT INTO", "REPLACE INTO")),
        "delete + insert": (
            "newest",
            transaction(f"DELETE t FROM mart.orders AS t JOIN raw.orders AS b ON {words.same('t', 'b')}", words.insert()),
        ),
        "update + insert, guard": (
            "newest",
            transaction(
                f"UPDATE mart.orders AS t {join} SET {words.set_to('b', 't.')} WHERE b.updated_at >= t.updated_at AND {words.differs('t', 'b')}",
                f"{words.insert()} {absent(words)}",
            ),
        ),
        "insert ignore": ("first", words.insert().replace("INSERT INTO", "INSERT IGNORE INTO")),
        "insert not exists": ("first", f"{words.insert()} {absent(words)}"),
    }


def hand_written(engine, key):
    """The forms that the engine has: {name: (kind, script)}."""
    words = Words(engine, key)
    return {name: form for family in engine.families for name, form in globals()[family](words).items()}
