"""What the sessions of all engines have in common. An engine's file overrides what it does otherwise."""

from decimal import Decimal


class Session:
    """One session. `run(sql)` runs a script and gives the columns and the rows of its last statement."""

    VERSION = "SELECT version()"
    CREATE_SCHEMA = "CREATE SCHEMA IF NOT EXISTS {}"
    DROP_SCHEMA = "DROP SCHEMA IF EXISTS {} CASCADE"
    USE_SCHEMA = "USE {}"
    EMPTY = "DELETE FROM {}"
    # None where a session has no zone, or where the engine has no way to set it.
    TIME_ZONE = None
    # How a name is quoted.
    QUOTE = '"'

    def script(self, sql):
        """Runs a script. After an error no transaction is left open."""
        try:
            return self.run(sql)
        except Exception:
            try:
                self.rollback()
            except Exception:
                pass  # There was no transaction.
            raise

    def execute(self, sql):
        """Runs one statement. After an error the transaction is as the engine leaves it."""
        return self.run(sql)

    def rollback(self):
        self.run("ROLLBACK")

    def version(self):
        return str(self.run(self.VERSION)[1][0][0])

    def create_schema(self, name):
        self.run(self.CREATE_SCHEMA.format(name))

    def drop_schema(self, name):
        self.run(self.DROP_SCHEMA.format(name))

    def use_schema(self, name):
        self.run(self.USE_SCHEMA.format(name))

    def empty(self, table):
        self.run(self.EMPTY.format(table))

    def time_zone(self, hours):
        if self.TIME_ZONE:
            self.run(self.TIME_ZONE.format(hours=f"{hours:+03}:00", posix=f"Etc/GMT{-hours:+}"))

    def written(self, schema, table):
        """Every stored version of a row of the table, by whatever identifies it, and two counters of writes, of the table
        and of the session, or None."""
        raise NotImplementedError

    def path(self, schema, table):
        quoted = [self.QUOTE + part.replace(self.QUOTE, self.QUOTE * 2) + self.QUOTE for part in (schema, table) if part]
        return ".".join(quoted)

    def text(self, value):
        """A cell as text, in a spelling that `Value::parse` reads."""
        if value is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (bytes, bytearray, memoryview)):
            return "\\x" + bytes(value).hex()
        if isinstance(value, Decimal):
            return format(value, "f")
        return str(value)
