"""Reads T-SQL with ScriptDom, Microsoft's own parser, by the grammar of SQL Server 2016, the least version that we render for.

usage: sqlserver.py LIBRARY   the path of Microsoft.SqlServer.TransactSql.ScriptDom.dll. Texts come and answers go as one
JSON document a line, as tests/judges/src/reader.rs says.
"""

import json
import os
import sys
import tempfile

# The runtime looks for a library of languages that the machine may lack, unless it is told to do without.
os.environ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] = "1"

import dotnetcore2  # noqa: E402
from clr_loader import get_coreclr  # noqa: E402
from pythonnet import set_runtime  # noqa: E402

runtime = {"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"}}}
with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    json.dump(runtime, file)
    file.flush()
    root = os.path.join(os.path.dirname(dotnetcore2.__file__), "bin")
    set_runtime(get_coreclr(runtime_config=file.name, dotnet_root=root))

import clr  # noqa: E402

clr.AddReference(os.path.abspath(sys.argv[1]))
from Microsoft.SqlServer.TransactSql.ScriptDom import TSql130Parser  # noqa: E402
from System.IO import StringReader  # noqa: E402

# With QUOTED_IDENTIFIER ON, the setting that clients have.
parser = TSql130Parser(True)
for line in sys.stdin:
    given = json.loads(line)
    _, errors = parser.Parse(StringReader(given["text"]), None)
    faults = [{"line": error.Line, "text": f"{error.Number}: {error.Message}"} for error in errors]
    print(json.dumps({"id": given["id"], "faults": faults}), flush=True)
