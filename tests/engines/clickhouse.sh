#!/usr/bin/env bash
# ClickHouse as chDB embeds it, from PyPI. It has no server. usage: clickhouse.sh install | start | url | stop | bridge SOCKET FOLDER
# `bridge` is a process of sessions on a database in the folder, spoken to as bridge.py says.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
packages=(chdb==4.4.0 chdb-core==26.9.0)

case ${1:-} in
install) venv clickhouse "${packages[@]}" >/dev/null ;;
start | url) echo "clickhouse:" ;;
stop) ;;
bridge) bridge clickhouse "$(venv clickhouse "${packages[@]}")" "${@:2}" ;;
*) fail "usage: $0 install | start | url | stop | bridge SOCKET FOLDER" ;;
esac
