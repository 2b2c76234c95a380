"""The staged rows and the rows that a load of them must leave, as SQL that counts instead of reading files.

An engine says how it spells four things: `series(n)`, a relation `g` of the whole numbers up to n; `text(a, b, ..)`, the
concatenation; `at(seconds)`, an instant; and its types. All else is the same everywhere, so every engine loads the same
rows.

`staged` rows of a first batch are 99 % keys in the order of their key, and 1 % older versions of some of them behind
them. The batches after it are the same rows but for what their name says:

    again     nothing
    changed   1 % of the keys have a newer version with another amount, spread over the whole table
    new       10 % more keys
    older     every row one day older, with another amount: nothing may be written
"""

COLUMNS = ["order_id", "shop", "coupon", "amount", "quantity", "note", "updated_at"]
BATCHES = ["again", "changed", "new", "older"]
DAY = 86400
# 2024-01-01 00:00:00 UTC
EPOCH = 1704067200


def keys(rows):
    """How many keys a batch of so many rows has."""
    return rows * 99 // 100


def _row(engine, null_key, shift="0", plus="0"):
    """The columns of the row with number g, as items of a SELECT, `shift` seconds newer and `plus` dearer."""
    return ", ".join([
        "CASE WHEN g = 1 THEN NULL ELSE g END AS order_id" if null_key else "g AS order_id",
        f"{engine.text(chr(39) + 'shop' + chr(39), 'g % 4')} AS shop",
        f"CASE WHEN g % 20 = 0 THEN {engine.text(chr(39) + 'c' + chr(39), 'g % 7')} END AS coupon",
        f"CASE WHEN g % 11 = 0 THEN NULL ELSE g * 31 % 100000 / 100.0 + {plus} END AS amount",
        "CASE WHEN g % 13 = 0 THEN NULL ELSE g % 50 END AS quantity",
        f"CASE WHEN g % 10 = 0 THEN NULL ELSE {engine.text(chr(39) + 'packed by hand, lot ' + chr(39), 'g * 7919 % 1000003')} END AS note",
        f"{engine.at(f'{EPOCH} + g + {shift}')} AS updated_at",
    ])  # fmt: skip


def _current(engine, batch, rows, null_key):
    """The newest version of each key of a batch, without the older ones behind it."""
    last = keys(rows) + (rows // 10 if batch == "new" else 0)
    shift, plus = {
        "changed": (f"CASE WHEN g % 100 = 0 THEN {DAY} ELSE 0 END", "CASE WHEN g % 100 = 0 THEN 1 ELSE 0 END"),
        "older": (f"-{DAY}", "1"),
    }.get(batch, ("0", "0"))
    return f"SELECT {_row(engine, null_key, shift, plus)} FROM {engine.series(last)}"


def staged(engine, batch, rows, null_key=False):
    """A SELECT of the staged rows of a batch."""
    outdated = f"SELECT {_row(engine, null_key, f'-{2 * DAY}', '2')} FROM {engine.series(keys(rows))} WHERE g % 99 = 0"
    return f"{_current(engine, batch, rows, null_key)} UNION ALL {outdated}"


def expected(engine, batch, rows, null_key=False, first_wins=False):
    """A SELECT of the rows that the target must hold after the first batch and this one, apart from the audit column.

    It does not come from any form under test: the rules are applied by hand. An older version changes nothing, and
    where the first write of a key wins, neither does a newer one.
    """
    if batch == "older" or (batch == "changed" and first_wins):
        batch = "again"
    return _current(engine, batch, rows, null_key)
