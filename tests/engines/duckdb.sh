#!/usr/bin/env bash
# DuckDB, from PyPI. It has no server. usage: duckdb.sh install | start | url | stop | bridge FILE
# `bridge` is one session on a database file, spoken to as bridge.py says.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# pytz is what DuckDB's client wants for an instant.
packages=(duckdb==2.0.1 pytz==2026.6)

case ${1:-} in
install) venv duckdb "${packages[@]}" >/dev/null ;;
start | url) echo "duckdb:" ;;
stop) ;;
bridge) exec "$(venv duckdb "${packages[@]}")" "$here/bridge.py" duckdb "${2:?the database file}" ;;
*) fail "usage: $0 install | start | url | stop | bridge FILE" ;;
esac
