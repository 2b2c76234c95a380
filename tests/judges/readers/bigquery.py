"""Reads BigQuery's SQL with ZetaSQL, the parser and resolver that BigQuery itself is built on, as WebAssembly.

Statements that come with tables are resolved too: every name, type and function is checked against the tables. Texts come
and answers go as one JSON document a line, as tests/judges/src/reader.rs says.
"""

import json
import os
import sys

import wasmtime


def compile_once(engine, path, from_file=wasmtime.Module.from_file):
    """The module takes a minute of one core to compile, so what comes out is kept beside it."""
    kept = f"{path}.compiled"
    if not os.path.exists(kept):
        with open(f"{kept}.{os.getpid()}", "wb") as file:
            file.write(from_file(engine, path).serialize())
        os.replace(file.name, kept)
    return wasmtime.Module.deserialize_file(engine, kept)


wasmtime.Module.from_file = compile_once

from zetasql import types  # noqa: E402
from zetasql.api import Analyzer, CatalogBuilder, Parser  # noqa: E402

LANGUAGE = types.LanguageOptions.maximum_features()
# The types that a user of a product sees, and not those inside Google.
LANGUAGE.product_mode = types.ProductMode.PRODUCT_EXTERNAL
OPTIONS = types.AnalyzerOptions(language_options=LANGUAGE, allow_undeclared_parameters=True)
FUNCTIONS = types.ZetaSQLBuiltinFunctionOptions(language_options=LANGUAGE)


def statements(text):
    """Each statement's tree, its text and its first line."""
    encoded = text.encode()
    at = types.ParseResumeLocation(input=text, byte_position=0)
    while encoded[at.byte_position :].strip():
        start = at.byte_position
        tree = Parser.parse_next_script_statement_static(at, LANGUAGE)
        if tree is None:
            return
        yield tree, encoded[start : at.byte_position].decode(), encoded[:start].count(b"\n") + 1


def only_elsewhere(tree):
    """What ZetaSQL reads for other products; BigQuery has none of it:
    https://cloud.google.com/bigquery/docs/reference/standard-sql/dml-syntax
    """
    modes = {1: "INSERT OR REPLACE", 2: "INSERT OR UPDATE", 3: "INSERT OR IGNORE"}
    if mode := modes.get(getattr(tree, "insert_mode", None)):
        return mode
    for part, name in {"on_conflict": "ON CONFLICT", "returning": "THEN RETURN"}.items():
        if getattr(tree, part, None) is not None:
            return name
    return None


class Names:
    """The tables and variables that statements may name."""

    def __init__(self):
        self.catalog = CatalogBuilder("names").with_builtin_functions(FUNCTIONS).build()

    def resolve(self, sql):
        return Analyzer(OPTIONS, self.catalog).analyze_statement(sql)

    def create(self, sql):
        made = self.resolve(sql)
        columns = [
            types.SimpleColumn(name=column.name, type=column.type, is_writable_column=True)
            for column in made.column_definition_list
        ]
        *schema, name = made.name_path
        place = self.place(schema)
        place.table.append(types.SimpleTable(name=name, column=columns))

    def place(self, schema):
        """The catalogue of a schema inside that of everything."""
        place = self.catalog
        for part in schema:
            inside = next((inside for inside in place.catalog if inside.name == part), None)
            if inside is None:
                inside = types.SimpleCatalog(name=part)
                place.catalog.append(inside)
            place = inside
        return place

    def declare(self, tree, sql, start):
        """A variable of a script, which later statements read like a constant."""
        value = sql.encode()[tree.default_value.parse_location_range.start - start :]
        (column,) = self.resolve(f"SELECT {value.decode().rstrip().rstrip(';')} AS value").output_column_list
        for name in tree.variable_list.identifier_list:
            self.catalog.constant.append(types.SimpleConstant(name_path=[name.id_string], type=column.column.type))


def read(text, tables):
    """The faults of a text."""
    names = Names() if tables else None
    line = 0
    try:
        for _, sql, _ in statements(tables or ""):
            names.create(sql)
        start = 0
        for tree, sql, line in statements(text):
            if foreign := only_elsewhere(tree):
                raise ValueError(f"BigQuery has no {foreign}")
            if names and isinstance(tree, types.ASTVariableDeclaration):
                names.declare(tree, sql, start)
            elif names:
                names.resolve(sql)
            start += len(sql.encode())
    except Exception as fault:  # The package has no base class for what its parser and resolver refuse.
        return [{"line": line, "text": str(fault)}]
    return []


if __name__ == "__main__":
    for line in sys.stdin:
        given = json.loads(line)
        print(json.dumps({"id": given["id"], "faults": read(given["text"], given.get("tables"))}), flush=True)
