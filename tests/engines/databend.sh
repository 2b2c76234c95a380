#!/usr/bin/env bash
# Databend embedded, from PyPI, for Python 3.12 and newer. It has no server. usage: databend.sh install | start | url | stop | bridge SOCKET FOLDER
# `bridge` is a process of sessions on a database in the folder, spoken to as bridge.py says.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
packages=(databend==1.2.895 pyarrow==26.0.1)

environment() {
  python=$(newer_python 12) && python=$python venv databend "${packages[@]}"
}

case ${1:-} in
install) environment >/dev/null ;;
start | url) echo "databend:" ;;
stop) ;;
bridge) bridge databend "$(environment)" "${@:2}" ;;
*) fail "usage: $0 install | start | url | stop | bridge SOCKET FOLDER" ;;
esac
